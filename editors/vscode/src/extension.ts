import * as vscode from "vscode";
import { pythonExtension } from "./environment";
import { ExplainActions, Explanations } from "./explaining";
import { fixAll } from "./fixing";
import { install, offerInstallation } from "./installing";
import { DOCUMENTS, Server } from "./server";
import { NAME } from "./settings";
import { SuspectActions, SuspectList } from "./suspecting";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel(NAME, { log: true });
  const running = (server = new Server(output));
  const explanations = new Explanations((command, ...args) => running.ask(command, ...args));
  const suspects = new SuspectList((command, ...args) => running.ask(command, ...args));
  const command = (name: string, does: (...args: unknown[]) => unknown) =>
    vscode.commands.registerCommand(`${NAME}.${name}`, does);

  context.subscriptions.push(
    output,
    running,
    explanations,
    suspects,
    command("restart", () => running.restart()),
    command("showOutput", () => output.show()),
    command("fixAll", fixAll),
    command("explainRule", (rule) => explanations.show(rule)),
    command("lossIsNan", () => suspects.show()),
    command("install", () => installWhereMissing(running)),
    vscode.languages.registerCodeActionsProvider(DOCUMENTS, new ExplainActions(), {
      providedCodeActionKinds: ExplainActions.kinds,
    }),
    vscode.languages.registerCodeActionsProvider(DOCUMENTS, new SuspectActions(), {
      providedCodeActionKinds: SuspectActions.kinds,
    }),
    vscode.workspace.onDidChangeConfiguration((event) => configurationChanged(event, running)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) =>
      execution.task.source === NAME && exitCode === 0 ? running.restart() : undefined,
    ),
  );
  await running.restart();
  const python = await pythonExtension();
  if (python) {
    context.subscriptions.push(
      python.environments.onDidChangeActiveEnvironmentPath(() => running.restart()),
    );
  }
}

export async function deactivate(): Promise<void> {
  await server?.end();
  server = undefined;
}

async function configurationChanged(
  event: vscode.ConfigurationChangeEvent,
  running: Server,
): Promise<void> {
  if (!event.affectsConfiguration(NAME)) return;
  const restarts = ["enable", "interpreter"].some((key) =>
    event.affectsConfiguration(`${NAME}.${key}`),
  );
  await (restarts ? running.restart() : running.configure());
}

async function installWhereMissing(running: Server): Promise<void> {
  await running.restart();
  const python = running.installsInto;
  if (python && vscode.workspace.isTrusted) {
    await install(python);
  } else if (python) {
    await offerInstallation({ kind: "missing", reason: "The folder is not trusted", python });
  } else {
    void vscode.window.showInformationMessage(`${NAME}: there is nothing to install.`);
  }
}
