import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, State } from "vscode-languageclient/node";
import { Found, Missing, findServer } from "./environment";
import { codesAt, withLinks } from "./explaining";
import { offerInstallation } from "./installing";
import { NAME, isEnabled, serverSettings } from "./settings";

export const DOCUMENTS: vscode.DocumentSelector & LanguageClientOptions["documentSelector"] = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { scheme: "vscode-notebook-cell", language: "python" },
];

/** The one server of a window, which is started anew when another is to be used. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private missing: Missing | undefined;
  private turn: Promise<void> = Promise.resolve();
  private told: string | undefined;
  private readonly status = vscode.languages.createLanguageStatusItem(NAME, DOCUMENTS);

  constructor(private readonly output: vscode.LogOutputChannel) {
    this.status.name = NAME;
    this.status.command = { title: "Output", command: `${NAME}.showOutput` };
  }

  /** The interpreter in which no server was found. */
  get installsInto(): string | undefined {
    return this.missing?.python;
  }

  /** Start the server that is now the right one; calls wait for each other. */
  restart(): Promise<void> {
    this.turn = this.turn.then(() => this.stop()).then(() => this.start());
    return this.turn;
  }

  /** Send what has become of the settings. */
  async configure(): Promise<void> {
    await this.client?.sendNotification("workspace/didChangeConfiguration", {
      settings: serverSettings(),
    });
  }

  /** The answer to a command of the server. */
  async ask<T>(command: string, ...args: string[]): Promise<T> {
    await this.turn;
    if (!this.client) throw new Error(this.missing?.reason ?? `${NAME} is switched off`);
    return this.client.sendRequest("workspace/executeCommand", { command, arguments: args });
  }

  async end(): Promise<void> {
    this.turn = this.turn.then(() => this.stop());
    await this.turn;
  }

  dispose(): void {
    this.status.dispose();
  }

  private async start(): Promise<void> {
    this.missing = undefined;
    if (!isEnabled()) return this.show("off", vscode.LanguageStatusSeverity.Information);
    this.status.busy = true;
    const found = await findServer().finally(() => (this.status.busy = false));
    if (found.kind === "missing") return this.lack(found);
    this.output.info(`${NAME} ${found.version}: ${found.server.command}`);
    const client = new LanguageClient(
      NAME,
      NAME,
      { ...found.server, args: [...found.server.args], options: { cwd: found.server.cwd } },
      this.options(),
    );
    client.onDidChangeState(({ newState }) => this.showState(newState, found));
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      this.output.error(String(error));
      this.show("could not be started", vscode.LanguageStatusSeverity.Error);
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch((error) => this.output.warn(String(error)));
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: DOCUMENTS,
      initializationOptions: serverSettings(),
      outputChannel: this.output,
      middleware: {
        provideHover: async (document, position, token, next) => {
          const hover = await next(document, position, token);
          const place = new vscode.Range(position, position);
          return hover && withLinks(hover, codesAt(document.uri, place));
        },
      },
    };
  }

  private lack(missing: Missing): void {
    this.missing = missing;
    this.output.warn(missing.reason);
    this.show("not installed", vscode.LanguageStatusSeverity.Warning);
    if (this.told !== missing.reason) {
      this.told = missing.reason;
      void offerInstallation(missing);
    }
  }

  private showState(state: State, found: Found): void {
    if (state === State.Running)
      this.show(found.version, vscode.LanguageStatusSeverity.Information);
    if (state === State.Stopped) this.show("stopped", vscode.LanguageStatusSeverity.Error);
  }

  private show(text: string, severity: vscode.LanguageStatusSeverity): void {
    this.status.text = `${NAME} ${text}`;
    this.status.severity = severity;
  }
}
