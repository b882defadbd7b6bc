// The files that the playground's compiler reads and nobody edits, collected when the site is built:
// TypeScript's library, and the declarations of `tsgrad` as a package in `/node_modules`.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

const LIB = path.dirname(createRequire(import.meta.url).resolve("typescript"));

/** What a worker has beside the language, and a program may want. */
const AMBIENT = `interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}
declare var console: Console;
declare var performance: { now(): number };
declare function setTimeout(run: () => void, milliseconds?: number): number;
declare function structuredClone<T>(value: T): T;
`;

/** Each entry of the package that programs import: `tsgrad/vector` -> its source. */
export function entries(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const found = new Map<string, string>();
  for (const key of Object.keys(exports)) {
    const name = key === "." ? "index" : key.slice(2);
    const file = [`runtime/${name}.ts`, `runtime/${name}/index.ts`]
      .map((each) => path.join(ROOT, each))
      .find((each) => existsSync(each));
    if (file !== undefined) found.set(key === "." ? "tsgrad" : `tsgrad/${name}`, file);
  }
  return found;
}

/** All of them, by their name in the playground. */
export function library(): Record<string, string> {
  const files: Record<string, string> = { "/ambient/globals.d.ts": AMBIENT };
  addLibrary("lib.es2023.d.ts", files);
  const exports: Record<string, unknown> = {};
  for (const [specifier, source] of entries()) {
    const types = declare(source, files);
    exports[specifier.replace("tsgrad", ".")] = { types: `.${types}` };
  }
  files["/node_modules/tsgrad/package.json"] = JSON.stringify({ name: "tsgrad", exports });
  return files;
}

function addLibrary(name: string, files: Record<string, string>): void {
  if (files[`/lib/${name}`] !== undefined) return;
  const text = readFileSync(path.join(LIB, name), "utf8");
  files[`/lib/${name}`] = text;
  for (const [, other = ""] of text.matchAll(/<reference lib="([^"]+)"/g))
    addLibrary(`lib.${other}.d.ts`, files);
}

/** Adds the declarations of a file of `runtime/`, and of those it imports; returns their name. */
function declare(source: string, files: Record<string, string>): string {
  const name = `/${path.relative(path.join(ROOT, "runtime"), source).replace(/\.ts$/, ".d.ts")}`;
  const key = `/node_modules/tsgrad${name}`;
  if (files[key] !== undefined) return name;
  const { outputText } = ts.transpileDeclaration(readFileSync(source, "utf8"), {
    fileName: source,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      isolatedDeclarations: true,
      strict: true,
      verbatimModuleSyntax: true,
    },
  });
  files[key] = outputText.replace(/(["']\.\.?\/[^"']*)\.ts(["'])/g, "$1.js$2");
  for (const [, other = ""] of outputText.matchAll(/from ["'](\.\.?\/[^"']*)["']/g))
    declare(path.resolve(path.dirname(source), other), files);
  return name;
}
