// Runs test/inVscode.ts in the VS Code that code-server brings, shown by headless Chromium.
//
//   CODE_SERVER=code-server CHROMIUM=chromium PYTHON=python3 node scripts/vscode.mjs [DIRECTORY]
//
// PYTHON has mllint-nan and pygls. Pictures of the window are left in DIRECTORY. It exits 1 if a test fails.
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const SECONDS = 900;
const extension = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), "mllint-nan-vscode-"));
const out = resolve(process.argv[2] ?? join(scratch, "out"));
const folder = join(scratch, "project");
const { CODE_SERVER = "code-server", CHROMIUM = "chromium", PYTHON = "python3" } = process.env;

const bad = (name) => `def ${name}(x):\n    return torch.log(torch.softmax(x, dim=-1))\n`;
const cell = (source) => ({
  cell_type: "code",
  execution_count: null,
  metadata: {},
  outputs: [],
  source: [source],
});

function write(directory, files) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
}

mkdirSync(out, { recursive: true });
write(folder, {
  "mllint-nan.toml": "",
  "a.py": `import torch\n\n\n${bad("f")}`,
  "b.py": `import torch\n\n\n${bad("f")}${bad("g")}`,
  "c.ipynb": {
    cells: [cell("import torch\nx = load()"), cell("y = torch.log(torch.softmax(x, dim=-1))")],
    metadata: { language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 4,
  },
});
// What is asked of the Python extension, which this VS Code does not have.
const extensions = join(scratch, "extensions");
const python = join(extensions, "python");
write(extensions, {
  "extensions.json": [
    {
      identifier: { id: "ms-python.python" },
      version: "1.0.0",
      relativeLocation: "python",
      location: { $mid: 1, scheme: "file", path: python },
    },
  ],
});
write(python, {
  "package.json": {
    name: "python",
    publisher: "ms-python",
    version: "1.0.0",
    main: "./main.js",
    engines: { vscode: "^1.91.0" },
    activationEvents: ["onLanguage:python"],
  },
  "main.js": `
    const vscode = require("vscode");
    const changed = new vscode.EventEmitter();
    const api = {
      selected: ${JSON.stringify(PYTHON)},
      select(path) { api.selected = path; changed.fire({ id: path, path }); },
      environments: {
        getActiveEnvironmentPath: () => ({ id: api.selected, path: api.selected }),
        resolveEnvironment: async ({ path }) => ({ executable: { uri: vscode.Uri.file(path) } }),
        onDidChangeActiveEnvironmentPath: changed.event,
      },
    };
    exports.activate = () => api;
  `,
});
write(join(scratch, "data", "User"), {
  "settings.json": {
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "workbench.colorTheme": "Default Light Modern",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "chat.commandCenter.enabled": false,
  },
});

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const children = [];
function start(command, args, environment) {
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  child.said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => (child.said += text));
  child.on("error", (error) => fail(`${command}: ${error.message}`));
  return child;
}
function end(status) {
  children.reverse().forEach((child) => child.kill());
  setTimeout(() => {
    if (status === 0) rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
    process.exit(status);
  }, 1000);
}
function fail(message) {
  console.error(message);
  children.forEach((child) => console.error(child.spawnfile, child.said.slice(-3000)));
  end(1);
}
const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
async function until(what, get) {
  for (const last = Date.now() + SECONDS * 1000; Date.now() < last; await later(100)) {
    const found = await get();
    if (found) return found;
  }
  throw new Error(`waited in vain until ${what}`);
}

/** Commands of the browser's debugging protocol, on the page that it shows. */
async function page(address) {
  const listed = await until("the browser has a page", async () =>
    fetch(`${address}/json/list`)
      .then(
        (answer) => answer.json(),
        () => [],
      )
      .then((all) => all.find((each) => each.type === "page")),
  );
  const socket = new WebSocket(listed.webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const waiting = new Map();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    waiting.get(id)?.(error ?? result);
  });
  let count = 0;
  return (method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(++count, resolve);
      socket.send(JSON.stringify({ id: count, method, params }));
    });
}

/** What a person sees: the text of notifications, squiggles, and pictures in all frames. */
const SEEN = `({
  squiggles: document.querySelectorAll(".squiggly-error").length,
  notifications: [...document.querySelectorAll(".notification-list-item")].map((each) => each.innerText),
  heading: document.querySelector("h1")?.innerText,
  areas: [...document.querySelectorAll("figure svg")].map((each) => {
    const { width, height } = each.getBoundingClientRect();
    return width * height;
  }),
})`;

async function look(ask, name) {
  await later(2500); // until all is drawn
  const { data } = await ask("Page.captureScreenshot", { format: "png" });
  writeFileSync(join(out, `${name}.png`), Buffer.from(data, "base64"));
  const seen = [];
  const visit = async ({ frame, childFrames = [] }) => {
    const { executionContextId } = await ask("Page.createIsolatedWorld", { frameId: frame.id });
    const { result } = await ask("Runtime.evaluate", {
      expression: SEEN,
      contextId: executionContextId,
      returnByValue: true,
    });
    if (result?.value) seen.push(result.value);
    for (const child of childFrames) await visit(child);
  };
  await visit((await ask("Page.getFrameTree")).frameTree);
  writeFileSync(join(out, `${name}.part`), JSON.stringify(seen, null, 2));
  renameSync(join(out, `${name}.part`), join(out, `${name}.json`));
}

const read = (name) => JSON.parse(readFileSync(join(out, name), "utf-8"));

/** What the browser saw has to be there as well. */
function checked(results) {
  const [explained, missing] = ["explained.json", "missing.json"].map((name) =>
    existsSync(join(out, name)) ? read(name) : [],
  );
  const drawn = explained.find(({ heading }) => heading === "log-of-softmax (NAN101)");
  return {
    ...results,
    "a finding is underlined": explained.some(({ squiggles }) => squiggles > 0)
      ? "passed"
      : "no squiggle",
    "the picture has an area": drawn?.areas[0] > 10_000 ? "passed" : `areas: ${drawn?.areas}`,
    "a message says how to install the server": missing.some(({ notifications }) =>
      notifications.some(
        (text) => text.includes("It is installed by:") && text.includes("mllint-nan[lsp]"),
      ),
    )
      ? "passed"
      : JSON.stringify(missing),
  };
}

try {
  const server = start(
    CODE_SERVER,
    [
      "--auth",
      "none",
      "--bind-addr",
      `127.0.0.1:${port}`,
      "--config",
      join(scratch, "config.yaml"),
      "--user-data-dir",
      join(scratch, "data"),
      "--extensions-dir",
      extensions,
      "--disable-telemetry",
      "--disable-update-check",
      "--disable-workspace-trust",
    ],
    {
      MLLINT_NAN_TEST_OUT: out,
      MLLINT_NAN_TEST_BARE_PYTHON: process.env.BARE_PYTHON ?? "",
      PATH: process.env.PATH,
    },
  );
  await until("code-server listens", () => server.said.includes("HTTP server listening"));
  const remote = `vscode-remote://127.0.0.1:${port}`;
  const payload = JSON.stringify([
    ["extensionDevelopmentPath", `${remote}${extension}`],
    ["extensionTestsPath", `${remote}${extension}/out/inVscode.js`],
  ]);
  const address = `http://127.0.0.1:${port}/?folder=${folder}&payload=${encodeURIComponent(payload)}`;
  const browser = start(CHROMIUM, [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--window-size=1400,900",
    "--lang=en",
    `--user-data-dir=${join(scratch, "browser")}`,
    address,
  ]);
  const [, debugging] = await until("the browser listens", () =>
    /DevTools listening on ws:\/\/([^/]+)/.exec(browser.said),
  );
  const ask = await page(`http://${debugging}`);
  await until("the tests are done", async () => {
    for (const name of ["explained", "notebook", "missing", "failed"]) {
      if (existsSync(join(out, `${name}.wanted`)) && !existsSync(join(out, `${name}.json`)))
        await look(ask, name);
    }
    return existsSync(join(out, "results.json"));
  }).catch(async (error) => {
    await look(ask, "late");
    throw error;
  });
  const results = checked(read("results.json"));
  for (const [name, result] of Object.entries(results))
    console.log(
      `${result === "passed" ? "ok" : "FAILED"}: ${name}${result === "passed" ? "" : `\n${result}`}`,
    );
  end(Object.values(results).every((result) => result === "passed") ? 0 : 1);
} catch (error) {
  fail(error.message);
}
