// Runs in the extension host of a real VS Code, in the folder that scripts/vscode.mjs has made.
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

const OUT = process.env["MLLINT_NAN_TEST_OUT"]!;
const SECONDS = 120;

const HEAD = "import torch\n\n\n";
const GOOD = (name: string) => `def ${name}(x):\n    return torch.log_softmax(x, dim=-1)\n`;

async function until<T>(
  what: string,
  get: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end;) {
    const found = await get();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain until ${what}`);
}

const folder = () => vscode.workspace.workspaceFolders![0]!.uri;
const file = (name: string) => vscode.Uri.joinPath(folder(), name);

async function open(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file(name)));
}

function found(uri: vscode.Uri): string[] {
  return vscode.languages.getDiagnostics(uri).map(({ code, range, source }) => {
    assert.equal(source, "mllint-nan");
    const name = typeof code === "object" ? code.value : code;
    return `${name} ${range.start.line}:${range.start.character}`;
  });
}

const untilFound = (uri: vscode.Uri, expected: string[]) =>
  until(`${path.basename(uri.path)} has ${expected.join(", ") || "no findings"}`, () =>
    JSON.stringify(found(uri)) === JSON.stringify(expected) ? true : undefined,
  );

async function actions(uri: vscode.Uri, line: number, kind?: string): Promise<vscode.CodeAction[]> {
  const range = new vscode.Range(line, 11, line, 12);
  return vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, range, kind);
}

async function set(key: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration("mllint-nan").update(key, value, target);
}

/** Has the browser look at the window, and says what it saw. */
async function look(name: string): Promise<void> {
  await writeFile(path.join(OUT, `${name}.wanted`), "");
  await until(`the browser has looked at ${name}`, () =>
    existsSync(path.join(OUT, `${name}.json`)) ? true : undefined,
  );
}

const tests: Record<string, () => Promise<void>> = {
  async "findings of the selected interpreter's server are shown"() {
    const editor = await open("a.py");
    await untilFound(editor.document.uri, ["NAN101 4:11"]);
    const extension = vscode.extensions.getExtension("mllint-nan.mllint-nan");
    assert.ok(extension?.isActive);
    const [diagnostic] = vscode.languages.getDiagnostics(editor.document.uri);
    assert.equal(diagnostic!.severity, vscode.DiagnosticSeverity.Error);
    assert.match(diagnostic!.message, /x = \[0, 1000\]/);
  },

  async "the hover has the rule, and a link to its page"() {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      file("a.py"),
      new vscode.Position(4, 14),
    );
    const texts = hovers.flatMap(({ contents }) => contents as vscode.MarkdownString[]);
    assert.ok(texts.some(({ value }) => value.startsWith("### NAN101 log-of-softmax")));
    const linked = texts.find(({ value }) => value.includes("command:mllint-nan.explainRule"));
    assert.ok(linked?.value.startsWith("[Explain NAN101 beside the code]"));
  },

  async "a rule is explained beside the code, with its picture"() {
    const editor = await open("a.py");
    editor.selection = new vscode.Selection(4, 14, 4, 14);
    await vscode.commands.executeCommand("mllint-nan.explainRule");
    const tab = () =>
      vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .find(({ input }) => input instanceof vscode.TabInputWebview);
    const page = await until("the page is open", tab);
    assert.equal(page.label, "NAN101 log-of-softmax");
    assert.equal(page.group.viewColumn, vscode.ViewColumn.Two);
    assert.equal(vscode.window.activeTextEditor?.document.uri.path, file("a.py").path);
    await look("explained");
    await vscode.commands.executeCommand("mllint-nan.explainRule", "sqrt-at-zero");
    await until(
      "the other page is shown",
      () => tab()?.label === "NAN203 sqrt-at-zero" || undefined,
    );
    assert.equal(vscode.window.tabGroups.all.flatMap((group) => group.tabs).length, 2);
    await vscode.window.tabGroups.close(tab()!);
  },

  async "a quick fix repairs one finding"() {
    const { document } = await open("a.py");
    const offered = await actions(document.uri, 4, "quickfix");
    const titles = offered.map(({ title }) => title);
    assert.deepEqual(titles.sort(), [
      "Explain NAN101",
      "Ignore NAN101 on this line",
      "Replace with `torch.log_softmax(x, dim=-1)` (NAN101)",
    ]);
    const fix = offered.find(({ isPreferred }) => isPreferred)!;
    assert.ok(await vscode.workspace.applyEdit(fix.edit!));
    assert.equal(document.getText(), HEAD + GOOD("f"));
    await untilFound(document.uri, []);
    await vscode.commands.executeCommand("undo");
    await untilFound(document.uri, ["NAN101 4:11"]);
    await document.save();
  },

  async "all is fixed at once, by the command and when a file is saved"() {
    const { document } = await open("b.py");
    await untilFound(document.uri, ["NAN101 4:11", "NAN101 6:11"]);
    await vscode.commands.executeCommand("mllint-nan.fixAll");
    assert.equal(document.getText(), HEAD + GOOD("f") + GOOD("g"));
    await untilFound(document.uri, []);
    await vscode.commands.executeCommand("undo");
    await untilFound(document.uri, ["NAN101 4:11", "NAN101 6:11"]);

    const target = vscode.ConfigurationTarget.Workspace;
    const onSave = { "source.fixAll.mllint-nan": "explicit" };
    await vscode.workspace.getConfiguration("editor").update("codeActionsOnSave", onSave, target);
    // VS Code saves without the fixes if they take it too long.
    const repaired = (HEAD + GOOD("f") + GOOD("g")).trimEnd();
    await until("what is saved is fixed", async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(document.lineCount, 0), "\n");
      await vscode.workspace.applyEdit(edit);
      assert.ok(await document.save());
      return document.getText().trimEnd() === repaired || undefined;
    });
    await vscode.workspace
      .getConfiguration("editor")
      .update("codeActionsOnSave", undefined, target);
  },

  async "settings are the server's"() {
    const { document } = await open("a.py");
    await untilFound(document.uri, ["NAN101 4:11"]);
    await set("ignore", ["NAN1"]);
    await untilFound(document.uri, []);
    await set("ignore", undefined);
    await untilFound(document.uri, ["NAN101 4:11"]);
    await set("enable", false);
    await untilFound(document.uri, []);
    await set("enable", undefined);
    await untilFound(document.uri, ["NAN101 4:11"]);
  },

  async "the cells of a notebook are one program"() {
    const notebook = await vscode.workspace.openNotebookDocument(file("c.ipynb"));
    await vscode.window.showNotebookDocument(notebook);
    const [first, second] = notebook.getCells().map((cell) => cell.document);
    await untilFound(second!.uri, ["NAN101 0:4"]);
    assert.deepEqual(found(first!.uri), []);
    await look("notebook");
    await vscode.commands.executeCommand("mllint-nan.fixAll");
    assert.equal(second!.getText(), "y = torch.log_softmax(x, dim=-1)");
    await untilFound(second!.uri, []);
    const typed = new vscode.WorkspaceEdit();
    typed.replace(second!.uri, new vscode.Range(0, 10, 0, 21), "log_sigmoid"); // no dim
    typed.insert(second!.uri, new vscode.Position(1, 0), "\nz = torch.log(torch.softmax(y, 0))");
    await vscode.workspace.applyEdit(typed);
    await untilFound(second!.uri, ["NAN101 1:4"]);
    await notebook.save();
  },

  async "the server is started anew"() {
    const { document } = await open("a.py");
    await untilFound(document.uri, ["NAN101 4:11"]);
    const gone = new Promise<void>((resolve) => {
      const watch = vscode.languages.onDidChangeDiagnostics(() => {
        if (found(document.uri).length === 0) resolve(watch.dispose());
      });
    });
    await vscode.commands.executeCommand("mllint-nan.restart");
    await gone;
    await untilFound(document.uri, ["NAN101 4:11"]);
  },

  async "another interpreter is taken when it is selected"() {
    const { document } = await open("a.py");
    const python = vscode.extensions.getExtension("ms-python.python")!.exports;
    const before = python.selected;
    python.select(process.env["MLLINT_NAN_TEST_BARE_PYTHON"]);
    await untilFound(document.uri, []);
    await look("missing");
    python.select(before);
    await untilFound(document.uri, ["NAN101 4:11"]);
  },
};

export async function run(): Promise<void> {
  const results: Record<string, string> = {};
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      results[name] = "passed";
    } catch (error) {
      results[name] = String((error as Error).stack ?? error);
      await look("failed");
      break; // each begins where the one before ends
    }
  }
  await writeFile(path.join(OUT, "results.json"), JSON.stringify(results, null, 2));
}
