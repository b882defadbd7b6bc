// Mutation tests: `npm run mutate` makes small mistakes in the parts that decide what a derivative is, one at a time, and asks
// whether programs of the corpus come out wrong. `npm run mutate -- 300` tries that many, chosen by dice; `--seed 2` others;
// `--only reverse` those of files whose path has the word; `--id 17` one. A mutant is killed if a number is wrong, the code
// does not load, or the compiler crashes or never ends. Other code with right numbers does not kill.

import { fork } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./load.mjs";
import { mutantsOf } from "./mutants.mjs";

const PARTS = [
  "transformer/rules",
  "transformer/2-analyse",
  "transformer/3-differentiate",
  "transformer/4-optimise",
  "transformer/driver/steps.ts",
  "transformer/incremental",
  "runtime/delta",
];

const words = process.argv.slice(2);
const option = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
const count = Number(
  words.find((word, i) => /^\d+$/.test(word) && !words[i - 1]?.startsWith("--")) ?? 100,
);
const only = option("--only") ?? "";

function filesBelow(place) {
  const full = path.join(root, place);
  if (fs.statSync(full).isFile()) return [full];
  return fs
    .readdirSync(full, { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => path.join(full, file));
}

const texts = new Map();
const mutants = [];
for (const file of PARTS.flatMap(filesBelow)) {
  const found = mutantsOf(path.relative(root, file), fs.readFileSync(file, "utf8"), mutants.length);
  texts.set(file, found.text);
  mutants.push(...found.mutants);
}

const cache = path.join(root, "node_modules/.cache");
fs.mkdirSync(cache, { recursive: true });
const bundle = path.join(cache, `mutants-${process.pid}.mjs`);

/** A file as it stands, or with mutants; it says where it is although it is part of a bundle. */
function loaded(file) {
  const text = texts.get(file) ?? fs.readFileSync(file, "utf8");
  const contents = text
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(file).href))
    .replaceAll("import.meta.dirname", JSON.stringify(path.dirname(file)));
  return { contents, loader: "ts" };
}

await build({
  entryPoints: [path.join(root, "tests/programs/mutation-child.ts")],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "error",
  banner: { js: "const $m = (id) => (globalThis.$met?.add(id), globalThis.$active === id);" },
  plugins: [
    {
      name: "mutants",
      setup: ({ onLoad }) => {
        onLoad({ filter: /\.ts$/ }, ({ path: file }) => loaded(file));
      },
    },
  ],
});
process.on("exit", () => fs.rmSync(bundle, { force: true }));

/** A child that compiles and runs programs; it is started again after a mutant that never ends. */
let child = null;
const PATIENCE = 60_000;

function ask(message, patience = PATIENCE) {
  child ??= fork(bundle, [], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  return new Promise((resolve) => {
    const done = (answer) => {
      clearTimeout(timer);
      child?.removeAllListeners();
      if (answer.isLost) {
        child?.kill("SIGKILL");
        child = null;
      }
      resolve(answer);
    };
    const timer = setTimeout(() => done({ isLost: true, problem: "never ends" }), patience);
    child.once("message", done);
    child.once("exit", () => done({ isLost: true, problem: "the process ends" }));
    child.send(message);
  });
}

/** Programs by mutant: those that meet it without it. A program that is wrong as it stands says nothing. */
const meeting = new Map();
const { names } = await ask({ kind: "names" });
for (const name of names) {
  const { results = [] } = await ask({ kind: "run", name, active: -1, ways: [0, 1, 2] });
  for (const { way, met, problem } of results)
    if (problem === null)
      for (const id of met) meeting.set(id, [...(meeting.get(id) ?? []), { name, way }]);
}

function dice(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function chosenMutants() {
  if (option("--id") !== undefined)
    return mutants.filter(({ id }) => id === Number(option("--id")));
  const roll = dice(Number(option("--seed") ?? 1));
  return mutants
    .filter(({ file }) => file.includes(only))
    .map((mutant) => ({ mutant, at: roll() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** Programs that are tried for one mutant, from all of those that meet it. */
const TRIED = 24;
const spread = (all) => {
  const step = Math.max(1, all.length / TRIED);
  return Array.from({ length: Math.min(TRIED, all.length) }, (_, i) => all[Math.floor(i * step)]);
};
const tally = { killed: 0, survived: 0, unmet: 0 };
for (const mutant of chosenMutants()) {
  const place =
    `${mutant.id} ${mutant.file}:${mutant.line} ${mutant.kind}: ${mutant.from.slice(0, 80)} -> ${mutant.to.slice(0, 80)}`.replaceAll(
      "\n",
      " ",
    );
  const programs = meeting.get(mutant.id) ?? [];
  if (programs.length === 0) {
    tally.unmet++;
    console.log(`not met   ${place}`);
    continue;
  }
  let killer = null;
  for (const { name, way } of spread(programs)) {
    const { results, problem = results?.[0].problem ?? null } = await ask({
      kind: "run",
      name,
      active: mutant.id,
      ways: [way],
    });
    if (problem === null) continue;
    killer = `${name}: ${problem.slice(0, 100)}`;
    break;
  }
  tally[killer === null ? "survived" : "killed"]++;
  console.log(
    killer === null
      ? `SURVIVED  ${place} (${programs.length} programs meet it)`
      : `killed    ${place} by ${killer}`,
  );
}
child?.kill();
console.log(
  `${mutants.length} mutants in all; ${tally.killed} killed, ${tally.survived} survived, ${tally.unmet} not met by a program of the sample`,
);
