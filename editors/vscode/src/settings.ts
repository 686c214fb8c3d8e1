import * as vscode from "vscode";

export const NAME = "mllint-nan";

/** Settings that are keys of the tool's configuration; `minConfidence` is `min-confidence`. */
export const KEYS = [
  "minConfidence",
  "select",
  "ignore",
  "extendSelect",
  "extendIgnore",
  "perFileIgnores",
  "extendPerFileIgnores",
  "extendSafeFixes",
  "extendUnsafeFixes",
  "epsilon",
  "targetVersions",
  "operations",
  "rules",
  "exclude",
  "extendExclude",
  "baseline",
  "handbook",
] as const;

export const kebab = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What the server takes, at its start and after each change: only what somebody has set. */
export function serverSettings(): Record<string, Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration(NAME);
  const said = KEYS.filter((key) => isSet(configuration.inspect(key))).map((key) => [
    kebab(key),
    configuration.get(key),
  ]);
  return { [NAME]: Object.fromEntries(said.filter(([, value]) => value !== null)) };
}

function isSet(found: ReturnType<vscode.WorkspaceConfiguration["inspect"]>): boolean {
  return (
    found !== undefined &&
    [found.globalValue, found.workspaceValue, found.workspaceFolderValue].some(
      (value) => value !== undefined,
    )
  );
}

export function isEnabled(): boolean {
  return vscode.workspace.getConfiguration(NAME).get("enable", true);
}
