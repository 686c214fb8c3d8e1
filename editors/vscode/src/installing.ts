import * as vscode from "vscode";
import { Missing, REQUIREMENT } from "./environment";
import { NAME } from "./settings";

const INSTALL = "Install";
const COPY = "Copy Command";
const SELECT = "Select Interpreter";

/** Say that there is no server, and offer what helps. */
export async function offerInstallation(missing: Missing): Promise<void> {
  const { python, reason } = missing;
  const actions = [
    ...(python && vscode.workspace.isTrusted ? [INSTALL] : []),
    COPY,
    ...(vscode.extensions.getExtension("ms-python.python") ? [SELECT] : []),
  ];
  const chosen = await vscode.window.showWarningMessage(
    `${reason}. It is installed by: ${shellCommand(python)}`,
    ...actions,
  );
  if (chosen === INSTALL && python) await install(python);
  if (chosen === COPY) await vscode.env.clipboard.writeText(shellCommand(python));
  if (chosen === SELECT) await vscode.commands.executeCommand("python.setInterpreter");
}

/** Run pip where its output is seen; the extension starts the server once it has ended. */
export async function install(python: string): Promise<void> {
  const task = new vscode.Task(
    { type: NAME },
    vscode.TaskScope.Workspace,
    "install the language server",
    NAME,
    new vscode.ProcessExecution(python, ["-m", "pip", "install", REQUIREMENT]),
  );
  await vscode.tasks.executeTask(task);
}

/** What a user would type; quoted as POSIX shells, PowerShell and cmd all take it. */
export function shellCommand(python: string | undefined): string {
  const program = python && /^[\w./\\:~+-]+$/.test(python) ? python : `"${python}"`;
  return `${python ? program : "python"} -m pip install "${REQUIREMENT}"`;
}
