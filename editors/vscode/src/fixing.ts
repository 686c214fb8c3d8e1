import * as vscode from "vscode";
import { NAME } from "./settings";

const FIX_ALL = vscode.CodeActionKind.SourceFixAll.append(NAME);

/** Apply all safe fixes of the file, or of the notebook whose cell is edited. */
export async function fixAll(): Promise<void> {
  const document = edited();
  if (!document) return;
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    document.uri,
    whole,
    FIX_ALL.value,
  );
  const edit = actions.find((action) => action.kind && FIX_ALL.contains(action.kind))?.edit;
  if (edit) {
    await vscode.workspace.applyEdit(edit, { isRefactoring: true });
  } else {
    vscode.window.setStatusBarMessage(`${NAME}: there is nothing to fix safely`, 5_000);
  }
}

function edited(): vscode.TextDocument | undefined {
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  const cells = notebook?.getCells().filter((cell) => cell.document.languageId === "python");
  return cells?.[0]?.document ?? vscode.window.activeTextEditor?.document;
}
