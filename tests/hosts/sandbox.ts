// Temporary projects for host tests. In: files by relative name. Out: a directory with a `tsgrad` package of stubs in it, and
// ways to run compilers there. Invariant: it is in the run's own folder, which is removed behind the run.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";
import { inject } from "vitest";

export const repository = path.resolve(import.meta.dirname, "../..");

const STUB = `export declare function grad(f: (x: number) => number, derivative?: (x: number) => number): (x: number) => number;\n`;
const STUB_JS = `export function grad(f, derivative) { if (typeof derivative !== "function") throw new Error("TSG0001: not built"); return derivative; }\n`;

/** The flags of the tests' own processes (vitest.config.ts), for processes that they start. */
export const BRIEF = process.execArgv.filter((flag) => flag.startsWith("--max-semi-space-size="));

/** What programs print with, without the DOM's types: these take most of the time of a small project's check. */
export const GLOBALS = `declare const console: { log(text: unknown): void };\n`;

export interface Sandbox {
  readonly dir: string;
  readonly at: (name: string) => string;
  readonly write: (files: Record<string, string>) => void;
  readonly read: (name: string) => string;
  /** Runs a script of this repository's node_modules in the sandbox. */
  readonly run: (script: string, ...args: string[]) => { code: number | null; out: string };
}

/** `stubs`: with a `tsgrad` package of stubs, and this repository's compilers. */
export function sandbox(files: Record<string, string>, { stubs = true } = {}): Sandbox {
  const dir = mkdtempSync(path.join(inject("shared"), "tsgrad-test-"));
  const at = (name: string): string => path.join(dir, name);
  const write = (more: Record<string, string>): void => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    }
  };
  write({ "package.json": `{ "type": "module" }`, ...files });
  if (stubs) {
    write({
      "node_modules/tsgrad/package.json": `{ "name": "tsgrad", "type": "module", "types": "./index.d.ts", "main": "./index.js", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
      "node_modules/tsgrad/index.d.ts": STUB,
      "node_modules/tsgrad/index.js": STUB_JS,
    });
    for (const name of ["typescript", "ts-patch"])
      symlinkSync(path.join(repository, "node_modules", name), at(`node_modules/${name}`));
  }
  const run = (script: string, ...args: string[]): { code: number | null; out: string } => {
    const done = spawnSync(
      process.execPath,
      [
        ...BRIEF,
        script.startsWith("/") ? script : path.join(repository, "node_modules", script),
        ...args,
      ],
      { cwd: dir, encoding: "utf8" },
    );
    return { code: done.status, out: done.stdout + done.stderr };
  };
  return { dir, at, write, read: (name) => readFileSync(at(name), "utf8"), run };
}

const bundles = new Map<string, string>();

/** Bundles an entry of tests/hosts as the package bundles its own, so that ts-patch and node can load it. */
export function bundle(entry: string, to: string, format: "cjs" | "esm"): void {
  const text = bundles.get(`${entry} ${format}`) ?? bundled(entry, format);
  bundles.set(`${entry} ${format}`, text);
  writeFileSync(to, text);
}

function bundled(entry: string, format: "cjs" | "esm"): string {
  const footer = format === "cjs" ? { js: "module.exports = module.exports.default;" } : {};
  const banner =
    format === "esm"
      ? {
          js: `import { createRequire as r } from "node:module"; const require = r(import.meta.url);`,
        }
      : {};
  const { outputFiles } = buildSync({
    entryPoints: [path.join(repository, "tests/hosts", entry)],
    write: false,
    bundle: true,
    platform: "node",
    format,
    external: ["typescript", "esbuild", "vite"],
    footer,
    banner,
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}
