// What tsgrad adds to a build: a generated project of 51 files and about 4,000 lines with 20 call sites, built by tspc with and without the plugin (for the first
// time, again, and again after an edit), and rebuilt by an esbuild context after an edit with and without it. In: `--rounds n`, `--keep` (the project). Out: medians with quartiles, in milliseconds, and ratios.
// Invariant: variants take turns in a random order of each round, so that noise of the machine meets all of them.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const FILES = 51;
const SITES = 20;
const LINES = 4000;

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

/** Numeric code, from the programs that the tests differentiate: one in every few, of those for the static engine that are asked for without options. */
function numeric(refused) {
  const dir = path.join(root, "fixtures/programs");
  const all = readdirSync(dir).filter((name) => name.endsWith(".ts") && !name.startsWith("delta-")).sort().map((name) => readFileSync(path.join(dir, name), "utf8"));
  const usable = all.filter((text) => /export function f\(\w+: (?!string).*\): number \{/.test(text) && !text.includes("import ") && !text.includes("tsgrad") && text.split("\n").length > 14 && !refused.has(text));
  return Array.from({ length: SITES }, (_, i) => usable[Math.floor((i * usable.length) / SITES)]);
}

/** `refused`: programs that do not build under the options below. */
function write(dir, refused) {
  mkdirSync(path.join(dir, "src"), { recursive: true });
  const programs = numeric(refused);
  const sites = programs.map((text) => `import { grad } from "tsgrad";\n${text}\nexport const gradient = grad(f);\n`);
  let lines = 0;
  const names = [];
  for (let i = 0; i < FILES - 1; i++) {
    let text = sites[i] ?? "";
    for (let part = 0; text.split("\n").length + 20 < LINES / (FILES - 1); part++) text += plain(`M${i}P${part}`);
    names.push(`m${i}`);
    lines += text.split("\n").length;
    writeFileSync(path.join(dir, "src", `m${i}.ts`), text);
  }
  writeFileSync(path.join(dir, "src/main.ts"), `${names.map((name) => `import * as ${name} from "./${name}.js";`).join("\n")}\nexport const all = [${names.join(", ")}];\nconsole.log(all.length);\n`);
  const options = { target: "es2022", module: "nodenext", strict: false, skipLibCheck: true, rootDir: "src", types: [] };
  const config = (name, plugins) => writeFileSync(path.join(dir, name), JSON.stringify({ compilerOptions: { ...options, outDir: name.replace(".json", ""), ...plugins }, include: ["src"] }));
  config("plain.json", {});
  config("tsgrad.json", { plugins: [{ transform: "tsgrad/transform", transformProgram: true }] });
  config("tsconfig.json", {});
  writeFileSync(path.join(dir, "package.json"), JSON.stringify({ type: "module", private: true }));
  return { lines, programs };
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
const shuffled = (list) => list.map((x) => [Math.random(), x]).sort((a, b) => a[0] - b[0]).map(([, x]) => x);

async function rounds(count, variants) {
  const times = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (let round = -1; round < count; round++) {
    for (const [name, run] of shuffled(Object.entries(variants))) {
      const start = performance.now();
      await run();
      // the first round warms the disk's cache and the compilers
      if (round >= 0) times[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => {
    const sorted = list.sort((a, b) => a - b);
    return [name, { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }];
  }));
}

const shown = (name, { median, low, high }) => `${name.padEnd(24)} ${median.toFixed(0).padStart(6)} ms   (quartiles ${low.toFixed(0)} to ${high.toFixed(0)})`;

const FIRST = "tspc with tsgrad", AGAIN = "again, unchanged", EDITED = "again, after an edit";

/** What an earlier build has found out about the project; what it has compiled of tsgrad stays. */
function forget(dir) {
  const folder = path.join(dir, "node_modules/.cache/tsgrad");
  for (const name of readdirSync(folder)) if (name.startsWith("analysis-")) rmSync(path.join(folder, name));
}

async function contexts(dir) {
  const { context } = await import("esbuild");
  const { default: tsgrad } = await import(pathToFileURL(path.join(root, "dist/esbuild.js")).href);
  const common = { entryPoints: [path.join(dir, "src/main.ts")], bundle: true, write: false, logLevel: "error", absWorkingDir: dir, platform: "node", format: "esm", packages: "external" };
  return { plain: await context({ ...common }), plugin: await context({ ...common, plugins: [tsgrad({ tsconfig: path.join(dir, "tsconfig.json") })] }) };
}

const words = process.argv.slice(2);
const count = Number(words[words.indexOf("--rounds") + 1] ?? 0) || 9;
if (!existsSync(path.join(root, "dist/transform.cjs"))) execFileSync(process.execPath, [path.join(root, "scripts/build.mjs")], { stdio: "inherit" });
const kept = words.includes("--keep");
const dir = mkdtempSync(path.join(tmpdir(), "tsgrad-bench-"));
try {
  const refused = new Set();
  let { lines, programs } = write(dir, refused);
  mkdirSync(path.join(dir, "node_modules"));
  symlinkSync(root, path.join(dir, "node_modules/tsgrad"), "dir");
  for (const name of ["typescript", "ts-patch"]) cpSync(path.join(root, "node_modules", name), path.join(dir, "node_modules", name), { recursive: true });
  const tspc = (config) => execFileSync(process.execPath, [path.join(root, "node_modules/ts-patch/bin/tspc.js"), "-p", config], { cwd: dir, stdio: "pipe" });
  for (let failed = true; failed;) {
    failed = false;
    try {
      tspc("tsgrad.json");
    } catch (error) {
      failed = true;
      const before = refused.size;
      for (const [, number] of String(error.stdout).matchAll(/src\/m(\d+)\.ts\(\d+,\d+\): error/g)) refused.add(programs[Number(number)]);
      if (refused.size === before) throw error;
      ({ lines, programs } = write(dir, refused));
    }
  }
  let edit = 0;
  const edited = (name) => writeFileSync(path.join(dir, "src", name), `${readFileSync(path.join(dir, "src", name), "utf8").replace(/\n\/\/ edit \d+$/, "")}\n// edit ${++edit}`);
  const builds = await rounds(count, {
    "tspc": () => tspc("plain.json"),
    [FIRST]: () => { forget(dir); tspc("tsgrad.json"); },
    [AGAIN]: () => tspc("tsgrad.json"),
    [EDITED]: () => { edited("m0.ts"); tspc("tsgrad.json"); },
  });
  const made = await contexts(dir);
  const rebuild = (context, file) => async () => { edited(file); await context.rebuild(); };
  const rebuilds = await rounds(Math.max(count, 21), {
    "esbuild": rebuild(made.plain, "m0.ts"), "esbuild with tsgrad": rebuild(made.plugin, "m0.ts"),
    "esbuild, file without": rebuild(made.plain, "m40.ts"), "tsgrad, file without": rebuild(made.plugin, "m40.ts"),
  });
  await Promise.all([made.plain.dispose(), made.plugin.dispose()]);
  console.log(`${FILES} files, ${lines} lines, ${SITES} call sites; compiled code in node_modules/.cache/tsgrad, from the build before the first round`);
  for (const [name, times] of Object.entries({ ...builds, ...rebuilds })) console.log(shown(name, times));
  const ratio = (name) => (builds[name].median / builds.tspc.median).toFixed(2);
  console.log(`build:   ${ratio(FIRST)} x; again, unchanged: ${ratio(AGAIN)} x; again, after an edit of one file: ${ratio(EDITED)} x`);
  console.log(`rebuild: ${rebuilds["esbuild with tsgrad"].median.toFixed(0)} ms for ${(2 * rebuilds.esbuild.median + 30).toFixed(0)} ms allowed (2 x plain + 30 ms)`);
} finally {
  if (kept) console.log(dir);
  else rmSync(dir, { recursive: true, force: true });
}
