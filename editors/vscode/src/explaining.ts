import * as vscode from "vscode";
import { NAME } from "./settings";

/** What the server answers to `mllint-nan.explain`. */
export interface Page {
  readonly code: string;
  readonly name: string;
  readonly markdown: string;
  readonly picture: string | null;
}

interface Listed {
  readonly code: string;
  readonly name: string;
  readonly summary: string;
}

/** Sends a command to the server. */
export type Ask = <T>(command: string, ...args: string[]) => Promise<T>;

/** The page of a rule beside the code: one panel, which the next rule takes over. */
export class Explanations implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly ask: Ask) {}

  /** `rule` is a code or a name; without one it is that of the finding at the cursor, or asked for. */
  async show(rule: unknown): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const where = uri === undefined ? [] : [uri];
    const asked = typeof rule === "string" ? rule : await this.choose(where);
    if (asked === undefined) return;
    const page = await this.ask<Page>(`${NAME}.explain`, asked, ...where);
    const text = page.markdown.replace(IMAGE, PLACE);
    const rendered = await vscode.commands.executeCommand<string>("markdown.api.render", text);
    this.panel ??= this.opened();
    this.panel.title = `${page.code} ${page.name}`;
    this.panel.webview.html = html(page, rendered);
    this.panel.reveal(undefined, true);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private opened(): vscode.WebviewPanel {
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(`${NAME}.page`, NAME, beside, {
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => (this.panel = undefined));
    return panel;
  }

  private async choose(where: string[]): Promise<string | undefined> {
    const editor = vscode.window.activeTextEditor;
    const codes = editor ? codesAt(editor.document.uri, editor.selection) : [];
    if (codes.length === 1) return codes[0];
    const rules = await this.ask<Listed[]>(`${NAME}.rules`, ...where);
    const items = rules
      .filter((each) => codes.length === 0 || codes.includes(each.code))
      .map((each) => ({ label: each.code, description: each.name, detail: each.summary }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: "Explain a rule",
      matchOnDescription: true,
      matchOnDetail: true,
    });
    return chosen?.label;
  }
}

/** The codes of the findings in a range, each once. */
export function codesAt(uri: vscode.Uri, range: vscode.Range): string[] {
  const found = vscode.languages
    .getDiagnostics(uri)
    .filter((each) => each.source === NAME && each.range.intersection(range) !== undefined);
  return [...new Set(found.map(codeOf))];
}

export function codeOf(diagnostic: vscode.Diagnostic): string {
  const { code } = diagnostic;
  return String(typeof code === "object" ? code.value : code);
}

/** "Explain NAN101" among the quick fixes of a finding. */
export class ExplainActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  provideCodeActions(
    _document: vscode.TextDocument,
    _range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const ours = context.diagnostics.filter((each) => each.source === NAME);
    return [...new Set(ours.map(codeOf))].map((code) => {
      const action = new vscode.CodeAction(`Explain ${code}`, vscode.CodeActionKind.QuickFix);
      action.diagnostics = ours.filter((each) => codeOf(each) === code);
      action.command = { title: action.title, command: `${NAME}.explainRule`, arguments: [code] };
      return action;
    });
  }
}

/** The hover of the server, with a link to each page in full. */
export function withLinks(hover: vscode.Hover, codes: readonly string[]): vscode.Hover {
  if (codes.length === 0) return hover;
  const links = codes.map((code) => {
    const asked = encodeURIComponent(JSON.stringify([code]));
    return `[Explain ${code} beside the code](command:${NAME}.explainRule?${asked})`;
  });
  const linked = new vscode.MarkdownString(links.join(" · "));
  linked.isTrusted = { enabledCommands: [`${NAME}.explainRule`] };
  return new vscode.Hover([...hover.contents, linked], hover.range);
}

// An image of a file is not rendered; the picture itself takes its place.
const PLACE = "PICTURE-OF-THE-RULE";
const IMAGE = /^!\[.*\]\(.*\)$/m;
const IMAGE_RENDERED = new RegExp(`<p\\b[^>]*>${PLACE}</p>`);

const STYLE = `
  body { max-width: 60rem; margin: 0 auto; padding: 0 1rem 2rem; line-height: 1.5; }
  h1 { font-size: 1.5rem; }
  pre { padding: 0.75rem; overflow-x: auto; background: var(--vscode-textCodeBlock-background); }
  code { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
  pre code { padding: 0; background: none; }
  .hljs-keyword, .hljs-built_in { color: var(--vscode-symbolIcon-keywordForeground); }
  .hljs-number { color: var(--vscode-debugTokenExpression-number); }
  .hljs-string { color: var(--vscode-debugTokenExpression-string); }
  .hljs-comment { color: var(--vscode-descriptionForeground); }
  figure { margin: 0; overflow-x: auto; }
  figure svg { display: block; width: 100%; min-width: 24rem; height: auto; color: inherit; }
`;

/** The document of the panel; `rendered` is the page as HTML, if anything renders it. */
export function html(page: Page, rendered: string | undefined): string {
  const body = rendered ?? `<pre>${escaped(page.markdown)}</pre>`;
  const figure = page.picture === null ? "" : `<figure>${page.picture}</figure>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(page.name)} (${escaped(page.code)})</h1>
${body.replace(IMAGE_RENDERED, () => figure)}
</body>
</html>`;
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
