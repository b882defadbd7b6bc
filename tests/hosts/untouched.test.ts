// Files that the first program checks and emits while derivatives are made. In: projects with errors in every kind of place. Out: the overlay program says and writes what it does without that,
// to the byte; and it checks the edited files only.

import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import type { Analyse } from "../../transformer/hosts/core.ts";
import { overlay } from "../../transformer/hosts/overlay.ts";
import { fakeCore } from "./fake-core.ts";
import { GLOBALS, sandbox } from "./sandbox.ts";

const FILES = {
  "src/globals.d.ts": GLOBALS,
  "src/a.ts": `import { grad } from "tsgrad";\nimport { square } from "./b.js";\nexport const d = grad(square);\nexport interface Own { n: number }\n`,
  "src/b.ts": `export function square(x: number): number {\n  return x * x;\n}\nexport enum Kind { One = 1 }\nexport const enum Fixed { Two = 2 }\n`,
  // nobody edits these: types and values of edited files, an import of a type alone, a JSON module
  "src/c.ts": `import { d, type Own } from "./a.js";\nimport { Fixed, Kind } from "./b.js";\nimport { Unused } from "./d.js";\nimport data from "./data.json" with { type: "json" };\nexport const o: Own = { n: d(1) + Kind.One + Fixed.Two + data.n };\nexport let u: Unused | undefined;\n`,
  "src/d.ts": `export interface Unused { a: 1 }\nexport const later = async (): Promise<number> => 1;\n`,
  "src/data.json": `{ "n": 1 }`,
};

/** By name, files that are others. */
const PROJECTS: Readonly<Record<string, Record<string, string>>> = {
  "nothing wrong": {},
  "an error in a file that nobody edits": { "src/d.ts": `export interface Unused { a: 1 }\nexport const wrong: string = 1;\n` },
  "an error that points into an edited file, behind what is written there": { "src/c.ts": `import type { Own } from "./a.js";\nexport const o: Own = { };\n` },
  "errors on both sides": { "src/b.ts": `export function square(x: number): number {\n  return x * x;\n}\nexport const wrong: string = square(1);\n`, "src/c.ts": `import { d } from "./a.js";\nexport const text: string = d(1);\n` },
  "derivative code that does not type-check": { "src/b.ts": `export function square(x: number): number {\n  return /* broken */ x;\n}\n`, "src/c.ts": `export {};\n` },
  "an error of ours": { "src/b.ts": `export function square(x: number): number {\n  return /* bad */ x;\n}\n`, "src/c.ts": `export const wrong: string = 1;\n` },
  "two declarations of one name, in scripts": { "src/d.ts": `const twice = 1;\n`, "src/e.ts": `const twice = 2;\n`, "src/c.ts": `export {};\n` },
};

const OPTIONS: Readonly<Record<string, ts.CompilerOptions>> = {
  plain: {},
  "source maps": { sourceMap: true, removeComments: true, listEmittedFiles: true },
  "no emit": { noEmit: true },
  "isolated modules": { isolatedModules: true },
  declarations: { declaration: true },
  "no emit on error": { noEmitOnError: true },
};

interface Shown {
  readonly diagnostics: string;
  readonly each: readonly string[];
  readonly skipped: boolean;
  readonly listed: readonly string[];
  readonly written: Readonly<Record<string, string>>;
}

const library = new Map<string, ts.SourceFile>();

const EDITED = ["src/a.ts", "src/b.ts"];

/** What a program says and writes. `called`: with the files that the core names as it has something else done. */
function shown(dir: string, files: readonly string[], options: ts.CompilerOptions, core: Analyse): Shown {
  const settings: ts.CompilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, lib: ["lib.es2022.d.ts"], types: [], skipLibCheck: true, resolveJsonModule: true, rootDir: path.join(dir, "src"), outDir: path.join(dir, "dist"), ...options };
  const host = ts.createCompilerHost(settings), written: Record<string, string> = {};
  // the library is parsed once
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    if (!file.includes("/typescript/lib/")) return read(file, ...rest);
    const known = library.get(file) ?? read(file, ...rest);
    if (known !== undefined) library.set(file, known);
    return known;
  };
  host.writeFile = (file, text) => { written[path.relative(dir, file)] = text; };
  const { program } = overlay(ts, core, ts.createProgram(files, settings, host), host);
  const text = (list: readonly ts.Diagnostic[]): string => ts.formatDiagnostics(list, { getCurrentDirectory: () => dir, getCanonicalFileName: (name) => name, getNewLine: () => "\n" })
    + list.flatMap(({ relatedInformation = [] }) => relatedInformation.map(({ file, start, messageText }) => `${path.basename(file?.fileName ?? "")} ${start} ${ts.flattenDiagnosticMessageText(messageText, " ")}\n`)).join("");
  const diagnostics = text(ts.getPreEmitDiagnostics(program));
  const each = program.getSourceFiles().map((file) => text(program.getSemanticDiagnostics(file)));
  const { emitSkipped, emittedFiles = [], diagnostics: more } = program.emit();
  return { diagnostics: diagnostics + text(more), each, skipped: emitSkipped, listed: emittedFiles.map((file) => path.relative(dir, file)), written };
}

test.each(Object.keys(PROJECTS))("%s", (name) => {
  const box = sandbox({ ...FILES, ...PROJECTS[name] });
  const files = Object.keys({ ...FILES, ...PROJECTS[name] }).filter((file) => file.endsWith(".ts")).map((file) => box.at(file));
  for (const [what, options] of Object.entries(OPTIONS)) {
    let calls = 0;
    const split: Analyse = (host, request) => {
      calls += host.meanwhile === undefined ? 0 : 1;
      host.meanwhile?.(new Set(EDITED.map(box.at)));
      return fakeCore(host, request);
    };
    const alone = shown(box.dir, files, options, fakeCore), together = shown(box.dir, files, options, split);
    expect(together, what).toEqual(alone);
    expect(calls, what).toBe(options.declaration === true || options.noEmitOnError === true ? 0 : 1);
  }
});

test("the overlay program checks what is edited, and no other file", () => {
  const box = sandbox(FILES), files = Object.keys(FILES).filter((file) => file.endsWith(".ts")).map(box.at);
  const settings: ts.CompilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, types: [], lib: ["lib.es2022.d.ts"], skipLibCheck: true, resolveJsonModule: true };
  const first = ts.createProgram(files, settings), asked: string[] = [];
  const own = first.getSemanticDiagnostics.bind(first);
  let isPlanted = false;
  first.getSemanticDiagnostics = (file, ...rest) => {
    asked.push(path.basename(file?.fileName ?? "all"));
    return isPlanted ? [{ file, start: 0, length: 1, category: ts.DiagnosticCategory.Error, code: 1, messageText: "planted" }] : own(file, ...rest);
  };
  const { program } = overlay(ts, (host) => { host.meanwhile?.(new Set(EDITED.map(box.at))); return fakeCore(host); }, first, undefined);
  expect(asked).toContain("c.ts");
  expect(asked).not.toContain("a.ts");
  expect(asked).not.toContain("b.ts");
  // what is planted in the first program's answers is found where that is asked
  isPlanted = true;
  const said = (file: string): readonly unknown[] => program.getSemanticDiagnostics(program.getSourceFile(box.at(file))).map(({ messageText }) => messageText);
  expect([said("src/c.ts"), said("src/a.ts"), said("src/b.ts")]).toEqual([["planted"], [], []]);
});
