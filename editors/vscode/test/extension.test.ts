// The extension in node, with the real server: what it starts, says, sends and shows.
import * as assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";
import { codesAt, html, withLinks } from "../src/explaining";
import { findServer } from "../src/environment";
import { activate, deactivate } from "../src/extension";
import { shellCommand } from "../src/installing";
import { kebab, serverSettings } from "../src/settings";
import { SuspectActions } from "../src/suspecting";
import { LanguageClient, Range, Uri, select, state } from "./fakes";

const PYTHON = process.env["PYTHON"] ?? "python3"; // has mllint-nan and pygls
const POSIX = process.platform !== "win32";
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "mllint-nan-")));
const BAD = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n";
const { PATH } = process.env;
after(() => rmSync(scratch, { recursive: true, force: true }));

/** A program that does what a shell script says. */
function program(name: string, script: string): string {
  const file = path.join(scratch, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const python = program("good/python", `exec ${PYTHON} "$@"`);
const bare = program("bare/python", "echo missing mllint_nan pygls");
const without = program("half/python", "echo missing pygls");

async function activated(): Promise<LanguageClient | undefined> {
  await activate({ subscriptions: [] } as never);
  return state.clients.at(-1);
}

beforeEach(() => {
  process.env["PATH"] = "relative-folder";
  state.folder = mkdtempSync(path.join(scratch, "project-"));
  Object.assign(state, {
    settings: {},
    isTrusted: true,
    extensions: {},
    answer: undefined,
    warnings: [],
    messages: [],
    clipboard: "",
    tasks: [],
    diagnostics: [],
    editor: undefined,
    panels: [],
    clients: [],
  });
  for (const each of Object.values(state))
    if (each && typeof each === "object" && "listeners" in each) each.listeners = [];
});

afterEach(async () => {
  await deactivate();
  process.env["PATH"] = PATH;
});

async function opened(client: LanguageClient, name: string, text: string): Promise<string> {
  const uri = Uri.file(path.join(state.folder, name)).toString();
  const textDocument = { uri, languageId: "python", version: 1, text };
  await client.sendNotification("textDocument/didOpen", { textDocument });
  return uri;
}

test("settings are the keys of the tool's configuration, where they are set", () => {
  assert.equal(kebab("extendPerFileIgnores"), "extend-per-file-ignores");
  state.settings = {
    minConfidence: "possible",
    select: ["NAN1"],
    epsilon: null,
    interpreter: "python",
  };
  assert.deepEqual(serverSettings(), {
    "mllint-nan": { "min-confidence": "possible", select: ["NAN1"] },
  });
});

test(
  "the server is that of the setting, of the selected interpreter, or of the path",
  { skip: !POSIX },
  async () => {
    const command = program("bin/mllint-nan", "echo mllint-nan 9.9");
    select(python);
    const started = async () => {
      const found = await findServer();
      return found.kind === "found" ? [found.server.command, found.version] : found;
    };
    const version = ((await findServer()) as { version: string }).version;
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.deepEqual(await started(), [python, version]);
    state.settings = { interpreter: bare };
    assert.deepEqual(await started(), {
      kind: "missing",
      reason: `mllint-nan is not installed in ${bare}`,
      python: bare,
    });
    state.settings = {};
    process.env["PATH"] = path.dirname(command);
    assert.deepEqual(await started(), [python, version]);
    select(bare); // a tool of its own environment, as pipx installs it
    assert.deepEqual(await started(), [command, "9.9"]);
    select(undefined);
    assert.deepEqual(await started(), [command, "9.9"]);
  },
);

test("what the folder may hold is started only if it is trusted", { skip: !POSIX }, async () => {
  select(python);
  state.isTrusted = false;
  const found = await findServer();
  assert.deepEqual(found, {
    kind: "missing",
    reason: "mllint-nan is not on the path, and no Python interpreter is selected",
  });
});

test("modules of the folder do not take the place of Python's", async () => {
  writeFileSync(path.join(state.folder, "dataclasses.py"), "raise SystemExit('the wrong one')");
  select(PYTHON.includes(path.sep) ? PYTHON : python);
  const client = (await activated())!;
  const uri = await opened(client, "a.py", BAD);
  assert.deepEqual(await client.reported(uri), ["NAN101"]);
});

test("a missing server is said once, with what installs it", { skip: !POSIX }, async () => {
  select(without);
  state.answer = "Copy Command";
  assert.equal(await activated(), undefined);
  const command = `${without} -m pip install "mllint-nan[lsp]"`;
  const [said] = state.warnings;
  assert.equal(
    said!.message,
    `mllint-nan is installed in ${without} without its language server. It is installed by: ${command}`,
  );
  assert.deepEqual(said!.actions, ["Install", "Copy Command", "Select Interpreter"]);
  assert.equal(state.clipboard, command);
  assert.equal(state.status.text, "mllint-nan not installed");
  await state.commands["mllint-nan.restart"]!();
  assert.equal(state.warnings.length, 1);
  await assert.rejects(
    state.commands["mllint-nan.explainRule"]!("NAN101") as Promise<void>,
    /without its language server/,
  );
});

test("the server is started once it is installed", { skip: !POSIX }, async () => {
  select(bare);
  state.answer = "Install";
  await activated();
  const [task] = state.tasks;
  assert.deepEqual(
    [task.execution.process, ...task.execution.args],
    [bare, "-m", "pip", "install", "mllint-nan[lsp]"],
  );
  await state.taskEnded.fire({ execution: { task }, exitCode: 1 });
  assert.equal(state.clients.length, 0);
  select(python); // what pip has made of it
  await state.taskEnded.fire({ execution: { task }, exitCode: 0 });
  assert.equal(state.clients.length, 1);
  assert.match(state.status.text, /^mllint-nan \d/);
});

test("nothing is installed where the folder is not trusted", { skip: !POSIX }, async () => {
  state.isTrusted = false;
  process.env["PATH"] = path.dirname(program("there/python3", ""));
  await activated();
  assert.deepEqual(state.warnings[0]!.actions, ["Copy Command"]);
  await state.commands["mllint-nan.install"]!();
  assert.deepEqual(state.tasks, []);
});

test("commands are quoted for a shell", () => {
  assert.equal(shellCommand(undefined), 'python -m pip install "mllint-nan[lsp]"');
  assert.equal(shellCommand("/a b/python"), '"/a b/python" -m pip install "mllint-nan[lsp]"');
});

test("settings go to the server at its start and when they change", async () => {
  select(PYTHON.includes(path.sep) ? PYTHON : python);
  state.settings = { ignore: ["NAN1"] };
  const client = (await activated())!;
  const uri = await opened(client, "a.py", BAD);
  assert.deepEqual(await client.reported(uri), []);
  state.settings = {};
  await state.configurationChanged.fire({
    affectsConfiguration: (key: string) => key === "mllint-nan",
  });
  assert.deepEqual(await client.reported(uri), ["NAN101"]);
  assert.equal(state.clients.length, 1);
  state.settings = { enable: false };
  await state.configurationChanged.fire({
    affectsConfiguration: (key: string) => key !== "mllint-nan.interpreter",
  });
  assert.equal(await client.isOver, 0);
  assert.equal(state.status.text, "mllint-nan off");
});

test("another interpreter, trust and a restart each start another server, one after the other", async () => {
  select(PYTHON.includes(path.sep) ? PYTHON : python);
  const first = (await activated())!;
  await Promise.all([
    state.commands["mllint-nan.restart"]!(),
    state.interpreterChanged.fire(),
    state.trustGranted.fire(),
  ]);
  assert.equal(state.clients.length, 4);
  assert.equal(await first.isOver, 0);
  await deactivate();
  assert.deepEqual(await Promise.all(state.clients.map((each) => each.isOver)), [0, 0, 0, 0]);
});

test("cells of a notebook are one program, changed in parts", async () => {
  select(PYTHON.includes(path.sep) ? PYTHON : python);
  const client = (await activated())!;
  const selected = client.clientOptions.documentSelector.map(
    (each: { scheme: string }) => each.scheme,
  );
  assert.ok(selected.includes("vscode-notebook-cell"));
  const cell = (number: number) => `vscode-notebook-cell:${state.folder}/a.ipynb#W${number}`;
  const notebook = { uri: `file://${state.folder}/a.ipynb`, version: 1 };
  const texts = ["import torch\nx = load()", "y = torch.log(torch.softmax(x, 0))"];
  await client.sendNotification("notebookDocument/didOpen", {
    notebookDocument: {
      ...notebook,
      notebookType: "jupyter-notebook",
      cells: texts.map((_, at) => ({ kind: 2, document: cell(at) })),
    },
    cellTextDocuments: texts.map((text, at) => ({
      uri: cell(at),
      languageId: "python",
      version: 1,
      text,
    })),
  });
  assert.deepEqual(await client.reported(cell(1)), ["NAN101"]);
  const range = { start: { line: 0, character: 10 }, end: { line: 0, character: 34 } };
  await client.sendNotification("notebookDocument/didChange", {
    notebookDocument: { ...notebook, version: 2 },
    change: {
      cells: {
        textContent: [
          {
            document: { uri: cell(1), version: 2 },
            changes: [{ range, text: "log_softmax(x, 0)" }],
          },
        ],
      },
    },
  });
  assert.deepEqual(await client.reported(cell(1)), []);
});

test("the rule of the finding at the cursor is explained, with its picture", async () => {
  select(PYTHON.includes(path.sep) ? PYTHON : python);
  await activated();
  state.commands["markdown.api.render"] = (text) =>
    text
      .split("\n\n")
      .map((part: string) => `<p data-line="1">${part}</p>`)
      .join("\n");
  const place = (line: number) => new Range({ line }, { line });
  const uri = Uri.file(path.join(state.folder, "a.py"));
  state.diagnostics = [
    { source: "mllint-nan", code: { value: "NAN203" }, range: place(4) },
    { source: "another", code: "E1", range: place(4) },
    { source: "mllint-nan", code: "NAN101", range: place(5) },
  ];
  state.editor = { document: { uri }, selection: place(4) };
  assert.deepEqual(codesAt(uri as never, place(4) as never), ["NAN203"]);
  await state.commands["mllint-nan.explainRule"]!();
  await state.commands["mllint-nan.explainRule"]!("nan101");
  assert.equal(state.panels.length, 1);
  const [{ title, webview }] = state.panels;
  assert.equal(title, "NAN101 log-of-softmax");
  assert.match(webview.html, /<h1>log-of-softmax \(NAN101\)<\/h1>/);
  assert.match(webview.html, /<figure><svg [\s\S]*<\/svg><\/figure>/);
  assert.match(webview.html, /default-src 'none'; style-src 'unsafe-inline'/);
  assert.doesNotMatch(webview.html, /PICTURE-OF|<script|file:/);
  await assert.rejects(
    state.commands["mllint-nan.explainRule"]!("NAN1O1") as Promise<void>,
    /did you mean NAN101/,
  );
});

test("what can make the loss NaN is shown beside the code", async () => {
  select(PYTHON.includes(path.sep) ? PYTHON : python);
  await activated();
  state.commands["markdown.api.render"] = (text) => `<pre>${text}</pre>`;
  const file = path.join(state.folder, "train.py");
  const text = `${BAD}\n\nf(torch.ones(3, requires_grad=True)).sum().backward()\n`;
  let saved = 0;
  const save = async () => {
    writeFileSync(file, text);
    return ++saved > 0;
  };
  state.editor = { document: { uri: Uri.file(file), save } };
  await state.commands["mllint-nan.lossIsNan"]!();
  await state.commands["mllint-nan.lossIsNan"]!();
  assert.equal(saved, 2);
  assert.equal(state.panels.length, 1);
  const [{ title, webview }] = state.panels;
  assert.equal(title, "My loss is NaN");
  assert.match(webview.html, /train\.py:5` \*\*NAN101\*\*/);
  assert.match(webview.html, /<h1>What can make the loss NaN here\?/);
});

test("it is offered in a file that trains", () => {
  const offered = (text: string) =>
    new SuspectActions()
      .provideCodeActions({ getText: () => text } as never)
      .map(({ title, command }) => [title, command?.command]);
  assert.deepEqual(offered("loss.backward()"), [
    ["What can make the loss NaN here?", "mllint-nan.lossIsNan"],
  ]);
  assert.equal(offered("step = jax.jit(jax.value_and_grad(loss))").length, 1);
  assert.deepEqual(offered("def loss(x):\n    return x.log()\n"), []);
});

test("a page is shown as text where nothing renders it, and a hover leads to it", () => {
  const page = { code: "NAN1", name: "a", markdown: "a < b & c", picture: null };
  assert.match(html(page, undefined), /<pre>a &#60; b &#38; c<\/pre>/);
  const hover = { contents: ["page"], range: undefined };
  assert.equal(withLinks(hover as never, []), hover);
  const [, link] = withLinks(hover as never, ["NAN101"]).contents as any[];
  assert.equal(
    link.value,
    "[Explain NAN101 beside the code](command:mllint-nan.explainRule?%5B%22NAN101%22%5D)",
  );
  assert.deepEqual(link.isTrusted, { enabledCommands: ["mllint-nan.explainRule"] });
});
