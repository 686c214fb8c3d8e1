// As much of VS Code, and of its language client, as the extension uses where there is no VS Code.
import { ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL, fileURLToPath } from "node:url";
import {
  MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";

type Listener = (event: any) => unknown;

class Emitter {
  listeners: Listener[] = [];
  readonly event = (listener: Listener) => {
    this.listeners.push(listener);
    return { dispose() {} };
  };
  async fire(event?: unknown): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener(event)));
  }
}

/** What a test arranges, and what the extension has done. */
export const state = {
  settings: {} as Record<string, unknown>,
  isTrusted: true,
  folder: process.cwd(),
  extensions: {} as Record<string, { activate(): unknown }>,
  answer: undefined as string | undefined,
  warnings: [] as { message: string; actions: string[] }[],
  messages: [] as string[],
  clipboard: "",
  tasks: [] as any[],
  commands: {} as Record<string, (...args: any[]) => unknown>,
  diagnostics: [] as any[],
  editor: undefined as any,
  panels: [] as any[],
  status: {} as any,
  clients: [] as LanguageClient[],
  configurationChanged: new Emitter(),
  trustGranted: new Emitter(),
  taskEnded: new Emitter(),
  interpreterChanged: new Emitter(),
};

export class Uri {
  constructor(readonly text: string) {}
  static file = (path: string) => new Uri(pathToFileURL(path).href);
  get scheme(): string {
    return this.text.split(":")[0]!;
  }
  get fsPath(): string {
    return fileURLToPath(this.text);
  }
  toString(): string {
    return this.text;
  }
}

export class Range {
  constructor(
    readonly start: any,
    readonly end: any,
  ) {}
  intersection(other: Range): Range | undefined {
    return this.start.line <= other.end.line && other.start.line <= this.end.line
      ? this
      : undefined;
  }
}

class Kind {
  constructor(readonly value: string) {}
  append = (part: string) => new Kind(`${this.value}.${part}`);
  static Empty = new Kind("");
  static QuickFix = new Kind("quickfix");
  static SourceFixAll = new Kind("source.fixAll");
}

/** The Python extension, with one environment. */
export function select(python: string | undefined): void {
  state.extensions =
    python === undefined
      ? {}
      : {
          "ms-python.python": {
            activate: () => ({
              environments: {
                getActiveEnvironmentPath: () => ({ id: python, path: python }),
                resolveEnvironment: async () => ({ executable: { uri: Uri.file(python) } }),
                onDidChangeActiveEnvironmentPath: state.interpreterChanged.event,
              },
            }),
          },
        };
}

export const vscode = {
  Uri,
  Range,
  CodeActionKind: Kind,
  CodeAction: class {
    constructor(
      readonly title: string,
      readonly kind: Kind,
    ) {}
  },
  Hover: class {
    constructor(
      readonly contents: any[],
      readonly range?: Range,
    ) {}
  },
  MarkdownString: class {
    isTrusted: unknown;
    constructor(readonly value: string) {}
  },
  Task: class {
    constructor(...said: any[]) {
      [, , , (this as any).source, (this as any).execution] = said;
    }
  },
  ProcessExecution: class {
    constructor(
      readonly process: string,
      readonly args: string[],
    ) {}
  },
  TaskScope: { Workspace: 2 },
  ViewColumn: { Beside: -2 },
  LanguageStatusSeverity: { Information: 0, Warning: 1, Error: 2 },
  workspace: {
    get isTrusted() {
      return state.isTrusted;
    },
    get workspaceFolders() {
      return [{ uri: Uri.file(state.folder) }];
    },
    getConfiguration: () => ({
      get: (key: string, otherwise?: unknown) =>
        key in state.settings ? state.settings[key] : otherwise,
      inspect: (key: string) => ({ globalValue: state.settings[key] }),
    }),
    onDidChangeConfiguration: state.configurationChanged.event,
    onDidGrantWorkspaceTrust: state.trustGranted.event,
  },
  extensions: { getExtension: (id: string) => state.extensions[id] },
  env: {
    clipboard: {
      writeText: async (text: string) => {
        state.clipboard = text;
      },
    },
  },
  tasks: {
    executeTask: async (task: unknown) => {
      state.tasks.push(task);
    },
    onDidEndTaskProcess: state.taskEnded.event,
  },
  commands: {
    registerCommand(name: string, does: (...args: any[]) => unknown) {
      state.commands[name] = does;
      return { dispose() {} };
    },
    executeCommand: async (name: string, ...args: unknown[]) => state.commands[name]?.(...args),
  },
  languages: {
    createLanguageStatusItem: () => (state.status = { dispose() {} }),
    registerCodeActionsProvider: () => ({ dispose() {} }),
    getDiagnostics: () => state.diagnostics,
  },
  window: {
    get activeTextEditor() {
      return state.editor;
    },
    createOutputChannel: () => ({ info() {}, warn() {}, error() {}, show() {}, dispose() {} }),
    async showWarningMessage(message: string, ...actions: string[]) {
      state.warnings.push({ message, actions });
      return state.answer;
    },
    async showInformationMessage(message: string) {
      state.messages.push(message);
    },
    setStatusBarMessage: (message: string) => {
      state.messages.push(message);
    },
    createWebviewPanel() {
      const panel = {
        title: "",
        webview: { html: "" },
        onDidDispose() {},
        reveal() {},
        dispose() {},
      };
      state.panels.push(panel);
      return panel;
    },
  },
};

export const State = { Stopped: 1, Running: 2, Starting: 3 };

/** Starts the server as the extension says, and speaks the protocol with it. */
export class LanguageClient {
  private process!: ChildProcess;
  private connection!: MessageConnection;
  private told: Listener = () => {};
  private reports: any[] = [];
  readonly isOver: Promise<number | null>;
  private over!: (status: number | null) => void;

  constructor(
    _id: string,
    _name: string,
    readonly serverOptions: any,
    readonly clientOptions: any,
  ) {
    this.isOver = new Promise((resolve) => (this.over = resolve));
    state.clients.push(this);
  }

  onDidChangeState(listener: Listener): void {
    this.told = listener;
  }

  async start(): Promise<void> {
    const { command, args, options } = this.serverOptions;
    this.process = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
    void once(this.process, "exit").then(([status]) => this.over(status));
    this.connection = createMessageConnection(
      new StreamMessageReader(this.process.stdout!),
      new StreamMessageWriter(this.process.stdin!),
    );
    this.connection.onNotification("textDocument/publishDiagnostics", (each) => {
      this.reports.push(each);
    });
    this.connection.listen();
    await this.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: Uri.file(state.folder).toString(),
      capabilities: { notebookDocument: { synchronization: {} } },
      initializationOptions: this.clientOptions.initializationOptions,
    });
    await this.connection.sendNotification("initialized", {});
    this.told({ newState: State.Running });
  }

  sendRequest<T>(method: string, params: unknown): Promise<T> {
    return this.connection.sendRequest(method, params);
  }

  sendNotification(method: string, params: unknown): Promise<void> {
    return this.connection.sendNotification(method, params);
  }

  /** What is said of a document next: its codes. */
  async reported(uri: string): Promise<string[]> {
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      const at = this.reports.findIndex((each) => each.uri === uri);
      if (at >= 0) return this.reports.splice(at, 1)[0].diagnostics.map((each: any) => each.code);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`nothing was reported on ${uri}`);
  }

  async dispose(): Promise<void> {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    await this.isOver;
    this.connection.dispose();
  }
}
