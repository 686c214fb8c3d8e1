import * as vscode from "vscode";
import { Ask, html } from "./explaining";
import { NAME } from "./settings";

/** What the server answers to `mllint-nan.suspects`. */
export interface Suspects {
  readonly entry: string;
  readonly markdown: string;
}

const TITLE = "What can make the loss NaN here?";
const TRAINS =
  /\.backward\(|\bGradientTape\b|\b(value_and_)?grad\(|\.(fit|minimize|apply_gradients)\(/;

/** The suspects of the program in the editor, beside its code. */
export class SuspectList implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly ask: Ask) {}

  async show(): Promise<void> {
    const document = program();
    if (!document) return;
    await document.save(); // the server reads the files of the program
    const found = await this.ask<Suspects>(`${NAME}.suspects`, document.uri.toString());
    const rendered = await vscode.commands.executeCommand<string>(
      "markdown.api.render",
      found.markdown,
    );
    this.panel ??= this.opened();
    this.panel.title = "My loss is NaN";
    const { entry: code, markdown } = found;
    this.panel.webview.html = html({ code, name: TITLE, markdown, picture: null }, rendered);
    this.panel.reveal(undefined, true);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private opened(): vscode.WebviewPanel {
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(`${NAME}.suspects`, NAME, beside, {
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => (this.panel = undefined));
    return panel;
  }
}

function program(): { readonly uri: vscode.Uri; save(): Thenable<boolean> } | undefined {
  return vscode.window.activeNotebookEditor?.notebook ?? vscode.window.activeTextEditor?.document;
}

/** "What can make the loss NaN here?" in a file that trains. */
export class SuspectActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.Empty];

  provideCodeActions(document: vscode.TextDocument): vscode.CodeAction[] {
    if (!TRAINS.test(document.getText())) return [];
    const action = new vscode.CodeAction(TITLE, vscode.CodeActionKind.Empty);
    action.command = { title: TITLE, command: `${NAME}.lossIsNan` };
    return [action];
  }
}
