// Runs TypeScript modules of a test. In: texts by file name. Out: a module's exports. `tsgrad` is this checkout's runtime.
// Invariant: a file is run once per loader; nothing outside the given files can be imported.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync, transformSync } from "esbuild";
import ts from "typescript";
import * as captured from "../../runtime/captured.ts";
import * as deltaHigher from "../../runtime/delta/higher/index.ts";
import * as delta from "../../runtime/delta/index.ts";
import * as implicit from "../../runtime/implicit/index.ts";
import * as runtime from "../../runtime/index.ts";
import * as testing from "../../runtime/testing.ts";
import * as tree from "../../runtime/tree/index.ts";
import * as vector from "../../runtime/vector/index.ts";

export type Exports = Readonly<Record<string, unknown>>;

/** By TypeScript itself where its options change the JavaScript; else by esbuild, in a third of the time. */
function javascriptOf(text: string, file: string, options: ts.CompilerOptions): string {
  if (Object.keys(options).length === 0)
    return transformSync(text, { loader: "ts", format: "cjs", target: "es2022", sourcefile: file })
      .code;
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    esModuleInterop: true,
    ...options,
  };
  return ts.transpileModule(text, { compilerOptions, fileName: file }).outputText;
}

/** JavaScript by the text that it is of. */
export type Ready = ReadonlyMap<string, string>;

/** Of many modules at once: to ask esbuild takes longer than its work on one. None where one of them does not parse, which says so when it is loaded. */
export function javascriptOfAll(texts: Iterable<string>): Ready {
  const all = [...new Set(texts)];
  const dir = mkdtempSync(path.join(tmpdir(), "tsgrad-modules-"));
  try {
    for (const [i, text] of all.entries()) writeFileSync(path.join(dir, `${i}.ts`), text);
    const { outputFiles } = buildSync({
      entryPoints: all.map((_, i) => path.join(dir, `${i}.ts`)),
      outdir: dir,
      write: false,
      format: "cjs",
      target: "es2022",
      tsconfigRaw: "{}",
      logLevel: "silent",
    });
    return new Map(
      outputFiles.map((file) => [all[Number(path.basename(file.path, ".js"))] ?? "", file.text]),
    );
  } catch {
    return new Map();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** `ready`: what need not be compiled any more. `deltaRunTime`: what stands for `tsgrad/delta`. `options`: what the modules' JavaScript depends on. */
export function loader(
  texts: ReadonlyMap<string, string>,
  deltaRunTime: Exports = delta,
  options: ts.CompilerOptions = {},
  ready: Ready = new Map(),
): (file: string) => Exports {
  const loaded = new Map<string, { exports: Record<string, unknown> }>();
  const load = (file: string): Exports => {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const text = texts.get(file);
    if (text === undefined) throw new Error(`no module ${file}`);
    const module = { exports: {} };
    loaded.set(file, module);
    const require = (specifier: string): Exports =>
      specifier === "tsgrad"
        ? runtime
        : specifier === "tsgrad/testing"
          ? testing
          : specifier === "tsgrad/vector"
            ? vector
            : specifier === "tsgrad/implicit"
              ? implicit
              : specifier === "tsgrad/tree"
                ? tree
                : specifier === "tsgrad/delta"
                  ? deltaRunTime
                  : specifier === "tsgrad/delta-higher"
                    ? deltaHigher
                    : specifier === "tsgrad/captured"
                      ? captured
                      : load(resolved(file, specifier));
    new Function(
      "require",
      "module",
      "exports",
      `"use strict";\n${ready.get(text) ?? javascriptOf(text, file, options)}\n//# sourceURL=${file}`,
    )(require, module, module.exports);
    return module.exports;
  };
  return load;
}

function resolved(from: string, specifier: string): string {
  if (!specifier.startsWith(".")) return `/src/node_modules/${specifier}/index.js`;
  return new URL(specifier, `file://${from}`).pathname.replace(/\.js$/, ".ts");
}
