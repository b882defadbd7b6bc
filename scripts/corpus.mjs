// Programs of the shared corpus, by a part of their names: `node scripts/corpus.mjs loop-break` runs them against the oracles and prints
// what is wrong; `--code` prints their emitted code instead.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { module } = await runnerImport(path.join(root, "tests/programs/report.ts"), {
  root,
  configFile: false,
  logLevel: "error",
});
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
console.log(
  module.report(
    (name) => wanted.some((word) => name.includes(word)),
    process.argv.includes("--code"),
  ),
);
process.exit(0);
