// What tsgrad adds to a build: a generated project of 51 files and about 4,000 lines with 20 call sites, built by tspc with and without the plugin and by `tsgrad build` (for the
// first time, again, and again after an edit), and rebuilt by an esbuild context after an edit with and without it. In: `--rounds n`, `--keep` (the project). Out: medians with quartiles, in milliseconds, by the clock and of the processor, and ratios.
// Invariant: variants take turns in a random order of each round, so that noise of the machine meets all of them.

import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const FILES = 51;
const LINES = 4000;

/** Beside the project: writes what a process has taken of the processor. */
const CLOCK = "clock.cjs";

/** A module of an application without derivatives, of about 40 lines. */
const plain = (name) => `
export interface ${name}Row { readonly id: string; readonly label: string; readonly tags: readonly string[]; amount: number; parent?: ${name}Row }
export type ${name}Event =
  | { readonly kind: "added"; readonly row: ${name}Row }
  | { readonly kind: "removed"; readonly id: string }
  | { readonly kind: "renamed"; readonly id: string; readonly label: string };
export class ${name}Store {
  readonly #rows = new Map<string, ${name}Row>();
  readonly #listeners = new Set<(event: ${name}Event) => void>();
  get size(): number { return this.#rows.size; }
  subscribe(listener: (event: ${name}Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  dispatch(event: ${name}Event): void {
    switch (event.kind) {
      case "added": this.#rows.set(event.row.id, event.row); break;
      case "removed": this.#rows.delete(event.id); break;
      case "renamed": {
        const row = this.#rows.get(event.id);
        if (row !== undefined) this.#rows.set(event.id, { ...row, label: event.label });
        break;
      }
    }
    for (const listener of this.#listeners) listener(event);
  }
  byTag(): Record<string, ${name}Row[]> {
    const found: Record<string, ${name}Row[]> = {};
    for (const row of this.#rows.values()) for (const tag of row.tags) (found[tag] ??= []).push(row);
    return found;
  }
  total(where: (row: ${name}Row) => boolean = () => true): number {
    return [...this.#rows.values()].filter(where).reduce((sum, row) => sum + row.amount, 0);
  }
}
export function parse${name}(lines: readonly string[]): ${name}Row[] {
  return lines.map((line) => line.split(";")).filter((cells) => cells.length >= 3).map(([id = "", label = "", amount = "0", ...tags]) => ({ id, label, amount: Number(amount), tags }));
}
export const format${name} = (rows: readonly ${name}Row[], width = 20): string => rows.map((row) => row.label.padEnd(width) + row.amount.toFixed(2)).join("\\n");
`;

/** Numeric code: programs that the tests differentiate, for the static engine. The list stays as it is, so that times of one day say something about those of another. Without `strict` two of them go through the Delta engine. */
const PROGRAMS = [
  "alias-made-by-callee",
  "array-of-each-round",
  "attention-head",
  "class-bank-account",
  "class-getters-and-setters",
  "class-network-argument",
  "class-this-escapes",
  "dynamic-programming-knapsack-memo",
  "expression-trees-with-a-table",
  "function-object-of-closures",
  "helper-writes-argument",
  "linked-list-built",
  "loop-in-branch-in-loop",
  "loop-test-and-body-names",
  "optional-config-merged",
  "record-by-string-key",
  "recursion-linear-writes-argument",
  "simulator-predator-prey-history",
  "tree-binary-search",
  "union-expression-evaluator",
];

function write(dir) {
  mkdirSync(path.join(dir, "src"), { recursive: true });
  const sites = PROGRAMS.map(
    (name) =>
      `import { grad } from "tsgrad";\n${readFileSync(path.join(root, "fixtures/programs", `${name}.ts`), "utf8")}\nexport const gradient = grad(f);\n`,
  );
  let lines = 0;
  const names = [];
  for (let i = 0; i < FILES - 1; i++) {
    let text = sites[i] ?? "";
    for (let part = 0; text.split("\n").length + 20 < LINES / (FILES - 1); part++)
      text += plain(`M${i}P${part}`);
    names.push(`m${i}`);
    lines += text.split("\n").length;
    writeFileSync(path.join(dir, "src", `m${i}.ts`), text);
  }
  writeFileSync(
    path.join(dir, "src/main.ts"),
    `${names.map((name) => `import * as ${name} from "./${name}.js";`).join("\n")}\nexport const all = [${names.join(", ")}];\nconsole.log(all.length);\n`,
  );
  const options = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
    rootDir: "src",
    types: [],
  };
  const config = (name, plugins) =>
    writeFileSync(
      path.join(dir, name),
      JSON.stringify({
        compilerOptions: { ...options, outDir: name.replace(".json", ""), ...plugins },
        include: ["src"],
      }),
    );
  config("plain.json", {});
  config("tsgrad.json", { plugins: [{ transform: "tsgrad/transform", transformProgram: true }] });
  config("tsconfig.json", {});
  writeFileSync(path.join(dir, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(
    path.join(dir, CLOCK),
    `process.on("exit", () => { const { user, system } = process.cpuUsage(); require("node:fs").writeSync(3, String((user + system) / 1000)); });\n`,
  );
  return lines;
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
const shuffled = (list) =>
  list
    .map((x) => [Math.random(), x])
    .sort((a, b) => a[0] - b[0])
    .map(([, x]) => x);

/** Of each variant: what `run` takes by the clock, and by processor where it says so. */
async function rounds(count, variants) {
  const times = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  const processor = structuredClone(times);
  for (let round = -1; round < count; round++) {
    for (const [name, run] of shuffled(Object.entries(variants))) {
      const start = performance.now();
      const used = await run();
      // the first round warms the disk's cache and the compilers
      if (round < 0) continue;
      times[name].push(performance.now() - start);
      if (typeof used === "number") processor[name].push(used);
    }
  }
  return Object.fromEntries(
    Object.keys(variants).map((name) => [
      name,
      { ...spread(times[name]), processor: spread(processor[name]).median },
    ]),
  );
}

function spread(list) {
  const sorted = list.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
  };
}

const shown = (name, { median, low, high, processor }) =>
  `${name.padEnd(26)} ${median.toFixed(0).padStart(6)} ms   (quartiles ${low.toFixed(0)} to ${high.toFixed(0)})${processor === undefined ? "" : `   processor ${processor.toFixed(0)} ms`}`;

/** A project in a folder of its own, with what compiles it. Returns the folder and the number of its lines. */
function project() {
  const dir = mkdtempSync(path.join(tmpdir(), "tsgrad-bench-"));
  const lines = write(dir);
  mkdirSync(path.join(dir, "node_modules"));
  symlinkSync(root, path.join(dir, "node_modules/tsgrad"), "dir");
  for (const name of ["typescript", "ts-patch"])
    cpSync(path.join(root, "node_modules", name), path.join(dir, "node_modules", name), {
      recursive: true,
    });
  return { dir, lines };
}

/** Runs a script in a project. Gives the time that all its threads have taken. */
function ran(dir, script, ...words) {
  const { status, output } = spawnSync(
    process.execPath,
    ["--require", path.join(dir, CLOCK), path.join(root, script), ...words],
    { cwd: dir, stdio: ["ignore", "pipe", "pipe", "pipe"], encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${script} ${words.join(" ")} failed: ${output.join("\n")}`);
  return Number(output[3]);
}

const tspc = (dir, config) => ran(dir, "node_modules/ts-patch/bin/tspc.js", "-p", config);

/** What builds with derivatives. */
const BUILDERS = {
  "tspc with tsgrad": (dir) => tspc(dir, "tsgrad.json"),
  "tsgrad build": (dir) => ran(dir, "dist/tsgrad.cjs", "build", "-p", "plain.json"),
};
const [FIRST, AGAIN, EDITED] = ["first", "again", "edited"];

let edits = 0;
const edited = (dir, name) =>
  writeFileSync(
    path.join(dir, "src", name),
    `${readFileSync(path.join(dir, "src", name), "utf8").replace(/\n\/\/ edit \d+$/, "")}\n// edit ${++edits}`,
  );

/** The variants of a builder, in a project of its own. */
function variantsOf(name, dir) {
  const build = () => BUILDERS[name](dir);
  build();
  return {
    [`${name}, ${FIRST}`]: () => {
      forget(dir);
      return build();
    },
    [`${name}, ${AGAIN}`]: build,
    [`${name}, ${EDITED}`]: () => {
      edited(dir, "m0.ts");
      return build();
    },
  };
}

/** What an earlier build has found out about the project. */
function forget(dir) {
  const folder = path.join(dir, "node_modules/.cache/tsgrad");
  for (const name of readdirSync(folder))
    if (name.startsWith("analysis-")) rmSync(path.join(folder, name));
}

async function contexts(dir) {
  const { context } = await import("esbuild");
  const { default: tsgrad } = await import(pathToFileURL(path.join(root, "dist/esbuild.cjs")).href);
  const common = {
    entryPoints: [path.join(dir, "src/main.ts")],
    bundle: true,
    write: false,
    logLevel: "error",
    absWorkingDir: dir,
    platform: "node",
    format: "esm",
    packages: "external",
  };
  return {
    plain: await context({ ...common }),
    plugin: await context({
      ...common,
      plugins: [tsgrad({ tsconfig: path.join(dir, "tsconfig.json") })],
    }),
  };
}

const words = process.argv.slice(2);
const count = Number(words[words.indexOf("--rounds") + 1] ?? 0) || 9;
// one from before would be measured in place of this code
execFileSync(process.execPath, [path.join(root, "scripts/build.mjs")], { stdio: "inherit" });
const kept = words.includes("--keep");
const projects = Object.keys(BUILDERS).map((name) => [name, project()]);
const [[, { dir, lines }]] = projects;
try {
  const builds = await rounds(count, {
    tspc: () => tspc(dir, "plain.json"),
    ...Object.assign({}, ...projects.map(([name, { dir: own }]) => variantsOf(name, own))),
  });
  const made = await contexts(dir);
  const rebuild = (context, file) => async () => {
    edited(dir, file);
    await context.rebuild();
  };
  const rebuilds = await rounds(Math.max(count, 21), {
    esbuild: rebuild(made.plain, "m0.ts"),
    "esbuild with tsgrad": rebuild(made.plugin, "m0.ts"),
    "esbuild, file without": rebuild(made.plain, "m40.ts"),
    "tsgrad, file without": rebuild(made.plugin, "m40.ts"),
  });
  await Promise.all([made.plain.dispose(), made.plugin.dispose()]);
  console.log(`${FILES} files, ${lines} lines, ${PROGRAMS.length} call sites`);
  for (const [name, times] of Object.entries({ ...builds, ...rebuilds }))
    console.log(shown(name, times));
  const ratio = (name) =>
    `${(builds[name].median / builds.tspc.median).toFixed(2)} x (processor ${(builds[name].processor / builds.tspc.processor).toFixed(2)} x)`;
  for (const name of Object.keys(BUILDERS))
    console.log(
      `${name} for tspc without: ${[FIRST, AGAIN, EDITED].map((when) => `${when} ${ratio(`${name}, ${when}`)}`).join("; ")}`,
    );
  console.log(
    `rebuild: ${rebuilds["esbuild with tsgrad"].median.toFixed(0)} ms for ${(2 * rebuilds.esbuild.median + 30).toFixed(0)} ms allowed (2 x plain + 30 ms)`,
  );
} finally {
  for (const [, { dir: own }] of projects) {
    if (kept) console.log(own);
    else rmSync(own, { recursive: true, force: true });
  }
}
