// Bundles the extension to dist/, and with --tests what tests it to out/.
import { build } from "esbuild";

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  logLevel: "warning",
};

await build({
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  minify: true,
});

if (process.argv.includes("--tests")) {
  const tests = { ...common, outdir: "out", sourcemap: "inline" };
  await build({ ...tests, entryPoints: ["test/inVscode.ts"] });
  await build({
    ...tests,
    entryPoints: ["test/extension.test.ts"],
    external: [],
    alias: { vscode: "./test/asVscode.js", "vscode-languageclient/node": "./test/fakes.ts" },
  });
}
