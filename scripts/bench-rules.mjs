// Times rules of the papers against what is built in and against loops of one's own:
// `npm run bench:rules`. In: fixtures/bench/rules.ts. Out: the time of the rule over that of the
// others, medians and quartiles of rounds in which all take turns. Values that differ are an error.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { load, root } from "./load.mjs";

const ROUNDS = 41;
/** Solvers stop at steps of 1e-12; slopes of the map are up to 0.9. */
const AGREE = 1e-9;

const { spreadOf } = await load("scripts/bench-statistics.ts");

async function built() {
  const dir = mkdtempSync(path.join(tmpdir(), "tsgrad-rules-"));
  try {
    mkdirSync(path.join(dir, "node_modules"));
    symlinkSync(root, path.join(dir, "node_modules/tsgrad"), "dir");
    copyFileSync(path.join(root, "fixtures/bench/rules.ts"), path.join(dir, "rules.ts"));
    writeFileSync(path.join(dir, "package.json"), `{ "type": "module", "private": true }`);
    writeFileSync(
      path.join(dir, "tsconfig.json"),
      `{ "compilerOptions": { "target": "es2023", "module": "nodenext", "strict": true, "types": [], "skipLibCheck": true, "outDir": "out", "rootDir": "." }, "files": ["rules.ts"] }`,
    );
    execFileSync(process.execPath, [path.join(root, "dist/tsgrad.cjs"), "build", "-p", dir], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    return (await import(pathToFileURL(path.join(dir, "out/rules.js")).href)).rows;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const at = (i) => 0.5 + (i % 100) * 1e-3;

function time(run, calls) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) run(at(i));
  return (performance.now() - start) / calls;
}

function check(name, gradients) {
  const [[, rule], ...others] = gradients;
  for (const [other, gradient] of others)
    for (let i = 0; i < 100; i += 9)
      if (!(Math.abs(rule(at(i)) - gradient(at(i))) <= AGREE * Math.max(1, Math.abs(rule(at(i))))))
        throw new Error(`${name}: rule ${rule(at(i))}, ${other} ${gradient(at(i))} at ${at(i)}`);
}

for (const [name, row] of Object.entries(await built())) {
  const gradients = Object.entries(row);
  check(name, gradients);
  for (const [, run] of gradients) time(run, 20_000);
  // two milliseconds of each, a round
  const calls = gradients.map(([, run]) => Math.max(5, Math.round(2 / time(run, 2000))));
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const times = gradients.map(() => NaN);
    for (let k = 0; k < times.length; k++) {
      const turn = (k + round) % times.length;
      times[turn] = time(gradients[turn][1], calls[turn]);
    }
    return times;
  });
  const microseconds = spreadOf(rounds.map(([rule]) => rule * 1000)).median;
  const ratios = gradients.slice(1).map(([other], k) => {
    const { low, median, high } = spreadOf(rounds.map((times) => times[0] / times[k + 1]));
    return `over ${other} ${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  });
  console.log(`${name.padEnd(24)} rule ${microseconds.toFixed(2)} µs  ${ratios.join("  ")}`);
}
