// Mutation tests: `npm run mutate` makes small mistakes in the parts that decide what a derivative is, one at a time, and asks
// whether the suite notices: first programs of the corpus, then the tests that meet the place. `npm run mutate -- 300` tries that
// many, chosen by dice; `--seed 2` others; `--only reverse` those of files whose path has the word; `--id 17,18` some; `--met`
// those that a program of the sample meets (`SAMPLE=1`: of the whole corpus; 4, of one in four, if it is not set). A mutant is
// killed if a number is wrong, a test fails, the code does not load, or the compiler crashes or never ends. Goldens do not count.

import fs from "node:fs";
import path from "node:path";
import { root } from "./load.mjs";
import { mutantsOf } from "./mutants.mjs";
import { filesBelow, judgeByPrograms, judgeByTests } from "./mutation-judges.mjs";

const PARTS = [
  "transformer/rules",
  "transformer/2-analyse",
  "transformer/3-differentiate",
  "transformer/4-optimise",
  "transformer/driver/steps.ts",
  "transformer/incremental",
  "transformer/hosts/analysis-cache.ts",
  "transformer/hosts/cache-folder.ts",
  "transformer/hosts/cache-key.ts",
  "runtime/delta",
];

// children end with it
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

const words = process.argv.slice(2);
const option = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
const count = Number(
  words.find((word, i) => /^\d+$/.test(word) && !words[i - 1]?.startsWith("--")) ?? 100,
);

const texts = new Map();
const mutants = [];
for (const file of filesBelow(...PARTS).filter((name) => name.endsWith(".ts"))) {
  const source = fs.readFileSync(path.join(root, file), "utf8");
  const found = mutantsOf(file, source, mutants.length);
  texts.set(file, found.text);
  mutants.push(...found.mutants);
}

function dice(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function chosenMutants() {
  const ids = option("--id")?.split(",").map(Number);
  if (ids !== undefined) return mutants.filter(({ id }) => ids.includes(id));
  const roll = dice(Number(option("--seed") ?? 1));
  const isMet = words.includes("--met") ? programs.isMet : () => true;
  return mutants
    .filter((one) => one.file.includes(option("--only") ?? "") && isMet(one))
    .map((mutant) => ({ mutant, at: roll() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** `transformer/3-differentiate/reverse/loop.ts`: `3-differentiate/reverse`. */
const areaOf = ({ file }) =>
  path
    .dirname(file)
    .split("/")
    .slice(file.startsWith("transformer") ? 1 : 0)
    .slice(0, 2)
    .join("/");

const tallies = new Map();
function note(area, verdict) {
  const tally = tallies.get(area) ?? { killed: 0, survived: 0, unmet: 0 };
  tally[verdict]++;
  tallies.set(area, tally);
}

const short = (text, size) => text.slice(0, size).replaceAll("\n", " ");
const programs = await judgeByPrograms(texts, mutants);
const tests = judgeByTests(texts, mutants);
for (const mutant of chosenMutants()) {
  const first = await programs.judge(mutant);
  const { met, killer } = first.killer === null ? await tests.judge(mutant) : first;
  if (killer !== null) tell("killed", mutant, `by ${killer}`);
  else
    tell(
      met + first.met === 0 ? "unmet" : "survived",
      mutant,
      `(${first.met} programs, ${met} test files meet it)`,
    );
}
programs.end();
tests.end();

function tell(verdict, mutant, why) {
  note(areaOf(mutant), verdict);
  const { id, file, line, kind, from, to } = mutant;
  const place = `${id} ${file}:${line} ${kind}: ${short(from, 90)} -> ${short(to, 90)}`;
  console.log(`${verdict.padEnd(9)} ${place} ${short(why, 200)}`);
}

console.log(`\n${mutants.length} mutants in all`);
for (const [area, { killed, survived, unmet }] of [...tallies].sort())
  console.log(`${area}: ${killed} killed, ${survived} survived, ${unmet} not met`);
