// Random programs against finite differences: `node scripts/fuzz.mjs 2000` runs seeds 1 to 2000, `--from 5000` starts elsewhere, and prints each
// failure with its seed and a summary; `--seed 17` prints that program and its emitted code. Exits with 1 where something failed.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { module } = await runnerImport(path.join(root, "tests/properties/report.ts"), { root, configFile: false, logLevel: "error" });
const words = process.argv.slice(2);
const option = (name, otherwise) => (words.includes(name) ? Number(words[words.indexOf(name) + 1]) : otherwise);
const seed = option("--seed", null);
if (seed !== null) {
  console.log(module.codeOf(seed));
  process.exit(0);
}
const count = Number(words.find((word, i) => /^\d+$/.test(word) && !(words[i - 1] ?? "").startsWith("--")) ?? 200);
const from = option("--from", 1);
const BATCH = 20;
const failed = new Set();
let blind = 0;
for (let start = from; start < from + count; start += BATCH) {
  const seeds = Array.from({ length: Math.min(BATCH, from + count - start) }, (_, i) => start + i);
  const report = module.fuzzed(seeds);
  blind += report.blind;
  for (const problem of report.problems) {
    const name = /random-(\d+)/.exec(problem)?.[1] ?? problem;
    // one line a program: the first is what to look at
    if (!failed.has(name)) console.log(problem.slice(0, 500).split("\n")[0]);
    failed.add(name);
  }
}
console.log(`${count} programs from seed ${from}: ${failed.size} failed${failed.size > 0 ? ` (${[...failed].join(", ")})` : ""}; differences could not tell for ${blind} numbers`);
process.exit(failed.size > 0 ? 1 : 0);
