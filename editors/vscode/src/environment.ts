import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { NAME } from "./settings";

/** What `ms-python.python` exports, as far as it is used here. */
export interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly id: string; readonly path: string };
    resolveEnvironment(environment: {
      readonly id: string;
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** How a server is started. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface Found {
  readonly kind: "found";
  readonly server: Command;
  readonly version: string;
}

/** No server, and what to do about it; `python` is where it could be installed. */
export interface Missing {
  readonly kind: "missing";
  readonly reason: string;
  readonly python?: string;
}

export const REQUIREMENT = `${NAME}[lsp]`;
const EXECUTABLE = process.platform === "win32" ? `${NAME}.exe` : NAME;
const PYTHONS = process.platform === "win32" ? ["python.exe", "py.exe"] : ["python3", "python"];

// Without the working directory on `sys.path`, which holds the user's own modules.
const OWN_PATH = "import sys; sys.path = [each for each in sys.path if each]";
const START = `${OWN_PATH}; from mllint_nan.cli import main; sys.exit(main())`;
const ASK = `${OWN_PATH}
from importlib.util import find_spec
missing = [name for name in ("mllint_nan", "pygls") if find_spec(name) is None]
if missing:
    print("missing", *missing)
else:
    from mllint_nan.version import __version__
    print("found", __version__)
`;

/** The server: of the setting; else of the selected interpreter, or else the one on the path. */
export async function findServer(): Promise<Found | Missing> {
  const configuration = vscode.workspace.getConfiguration(NAME);
  const own = untilde(configuration.get("interpreter", "").trim());
  if (own) return ofInterpreter(own);
  const selected = await selectedInterpreter();
  const there = selected === undefined ? undefined : await ofInterpreter(selected);
  if (there?.kind === "found") return there;
  const command = await onPath([EXECUTABLE]);
  const installed = command === undefined ? undefined : await ofCommand(command);
  if (installed?.kind === "found") return installed;
  if (there ?? installed) return (there ?? installed)!;
  const python = await onPath(PYTHONS);
  const reason = `${EXECUTABLE} is not on the path, and no Python interpreter is selected`;
  return { kind: "missing", reason, ...(python ? { python } : {}) };
}

/** The Python extension's interpreter; none where the folder is not trusted, which may hold it. */
async function selectedInterpreter(): Promise<string | undefined> {
  const environments = vscode.workspace.isTrusted
    ? (await pythonExtension())?.environments
    : undefined;
  if (!environments) return undefined;
  const active = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
}

export async function pythonExtension(): Promise<PythonExtension | undefined> {
  return vscode.extensions.getExtension<PythonExtension>("ms-python.python")?.activate();
}

async function ofInterpreter(python: string): Promise<Found | Missing> {
  const answer = await output(python, ["-c", ASK]);
  if (answer instanceof Error) {
    return { kind: "missing", reason: `${python} cannot be started: ${answer.message}` };
  }
  const [said, ...words] = answer.trim().split(" ");
  if (said === "found") {
    const server = { command: python, args: ["-c", START, "--server"], cwd: workingDirectory() };
    return { kind: "found", server, version: words.join(" ") };
  }
  const reason = words.includes("mllint_nan")
    ? `${NAME} is not installed in ${python}`
    : `${NAME} is installed in ${python} without its language server`;
  return { kind: "missing", reason, python };
}

async function ofCommand(command: string): Promise<Found | Missing> {
  const answer = await output(command, ["--version"]);
  if (answer instanceof Error) {
    return { kind: "missing", reason: `${command} cannot be started: ${answer.message}` };
  }
  const server = { command, args: ["--server"], cwd: workingDirectory() };
  return { kind: "found", server, version: answer.trim().split(" ").at(-1) ?? "" };
}

function output(command: string, args: readonly string[]): Promise<string | Error> {
  return new Promise((resolve) => {
    const options = { cwd: homedir(), timeout: 60_000, windowsHide: true };
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve(error ? new Error(stderr.trim().split("\n").at(-1) || error.message) : stdout),
    );
  });
}

/** Relative names in messages are those of the first folder. */
function workingDirectory(): string {
  return (
    vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === "file")?.uri.fsPath ??
    homedir()
  );
}

function untilde(file: string): string {
  return file.startsWith("~/") ? path.join(homedir(), file.slice(2)) : file;
}

/** The first of these programs, in full; relative entries of the path lead into the workspace. */
async function onPath(names: readonly string[]): Promise<string | undefined> {
  const directories = (process.env["PATH"] ?? "").split(path.delimiter).filter(path.isAbsolute);
  for (const name of names) {
    for (const directory of directories) {
      const file = path.join(directory, name);
      if (
        await access(file, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return file;
    }
  }
  return undefined;
}
