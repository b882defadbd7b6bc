// Random programs against finite differences: `node scripts/fuzz.mjs 2000` runs seeds 1 to 2000, `--from 5000` starts elsewhere, and prints each
// failure with its seed and a summary; `--seed 17` prints that program and its emitted code; `--small 17` a smaller program that fails in the same
// way; `--refused` names what is refused, too; `--tiny` the small programs of the test; `--static` without the Delta engine; `FEATURES=held,edges` programs of these above all. Exits with 1 where something failed.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const load = async (name) =>
  (
    await runnerImport(path.join(root, "tests/properties", name), {
      root,
      configFile: false,
      logLevel: "error",
    })
  ).module;
const words = process.argv.slice(2);
const option = (name, otherwise) =>
  words.includes(name) ? Number(words[words.indexOf(name) + 1]) : otherwise;
const size = words.includes("--tiny") ? "small" : "mixed";
const { fuzzed, codeOf } = await load("report.ts");
const { lastOfBatch } = await load("disguise.ts");
if (words.includes("--seed")) {
  console.log(codeOf(option("--seed", 0), size));
  process.exit(0);
}
if (words.includes("--small")) {
  console.log((await load("shrink.ts")).smallerOf(option("--small", 0), size));
  process.exit(0);
}
const count = Number(
  words.find((word, i) => /^\d+$/.test(word) && !(words[i - 1] ?? "").startsWith("--")) ?? 200,
);
const from = option("--from", 1);
const failed = new Set();
const refused = new Map();
const total = { programs: 0, entries: 0, blind: 0, invalid: 0 };
for (let start = from; start < from + count; start = lastOfBatch(start) + 1) {
  const last = Math.min(lastOfBatch(start), from + count - 1);
  const report = fuzzed(
    Array.from({ length: last - start + 1 }, (_, i) => start + i),
    size,
    !words.includes("--static"),
  );
  for (const key of ["programs", "entries", "blind"]) total[key] += report[key];
  total.invalid += report.invalid.length;
  if (words.includes("--refused")) for (const one of report.invalid) console.log(one);
  for (const [code, names] of Object.entries(report.refused)) {
    refused.set(code, (refused.get(code) ?? 0) + names.length);
    if (words.includes("--refused")) console.log(`${code}: ${names.join(", ")}`);
  }
  for (const problem of report.problems) {
    const name = /(?:random|small)-(\d+)/.exec(problem)?.[1] ?? problem;
    // one line a program: the first is what to look at
    if (!failed.has(name)) console.log(problem.slice(0, 500).split("\n")[0]);
    failed.add(name);
  }
  if (count >= 5000 && (start - 1) % 1020 === 0)
    console.error(`… seed ${start}, ${failed.size} failed`);
}
const codes = [...refused]
  .sort((x, z) => z[1] - x[1])
  .map(([code, times]) => `${code} ${times}`)
  .join(", ");
console.log(
  `${total.programs} programs from seed ${from}, ${total.entries} gradient entries: ${failed.size} programs disagree${failed.size > 0 ? ` (${[...failed].join(", ")})` : ""}; ` +
    `refused: ${codes || "none"}; differences could not tell for ${total.blind} entries; ${total.invalid} of the generator's were no valid TypeScript`,
);
process.exit(failed.size > 0 ? 1 : 0);
