// Every program, rewritten and run: the value is the user's own to the bit, the gradient that of central differences.
import { build } from "esbuild";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { rewriteFunction } from "../../transformer/delta/rewrite.ts";
import type { Resolution, Rewritten } from "../../transformer/delta/scope.ts";
import { code, emitted, id, NOTHING } from "../../transformer/code/code.ts";
import { ifRead, letText, put, reading, tidied } from "../../transformer/code/temporaries.ts";
import { PROGRAMS } from "./programs-of-rewriting.ts";

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.ESNext,
  strict: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  allowUnreachableCode: false,
  noEmit: true,
  types: [],
};

const programOf = (files: Readonly<Record<string, string>>): ts.Program => {
  const host = ts.createCompilerHost(OPTIONS, true);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const own = files[name];
    return own === undefined
      ? getSourceFile(name, version)
      : ts.createSourceFile(name, own, version, true);
  };
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (name) => files[name] !== undefined || fileExists(name);
  return ts.createProgram(Object.keys(files), OPTIONS, host);
};

const native: Resolution = { kind: "native" };

function rewritten(program: ts.Program, file: string, typed: boolean): Rewritten {
  const node = program
    .getSourceFile(file)
    ?.statements.find((statement) => ts.isFunctionDeclaration(statement));
  if (node === undefined) throw new Error(`no function in ${file}`);
  return rewriteFunction(node, "f$delta", {
    ts,
    checker: typed ? program.getTypeChecker() : null,
    javascript: false,
    resolver: { resolve: () => native },
  });
}

const textOf = (lines: Rewritten["lines"]): string =>
  lines.map((line) => "  ".repeat(line.indent) + emitted(line.text, "$d")).join("\n");

const sources = Object.fromEntries(PROGRAMS.map(([, source], k) => [`/p${k}.ts`, source]));
const program = programOf(sources);
const results = PROGRAMS.map(([, source], k) => {
  const typed = rewritten(program, `/p${k}.ts`, true);
  const untyped = rewritten(program, `/p${k}.ts`, false);
  return { source, typed, untyped };
});

type Derivative = (x: number) => { readonly value: number; readonly gradient: number };
interface Loaded {
  readonly f: (x: number) => number;
  readonly typed: Derivative;
  readonly untyped: Derivative;
}
let loaded: readonly Loaded[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(inject("shared"), "rewriting-"));
  const runtime = resolve("runtime/delta/index.ts");
  const derivative =
    "(x) => { const [value, gradient] = $d.valueAndGrad(f$delta, [x], { argnums: [0] }); return { value, gradient }; }";
  const parts = results.map(
    ({ source, typed, untyped }) =>
      `all.push({ f: (() => { ${source}\nreturn f; })(), typed: (() => { ${textOf(typed.lines)}\nreturn ${derivative}; })(), untyped: (() => { ${textOf(untyped.lines)}\nreturn ${derivative}; })() });`,
  );
  writeFileSync(
    join(folder, "all.ts"),
    `import * as $d from ${JSON.stringify(runtime)};\nexport const all: any[] = [];\n${parts.join("\n")}`,
  );
  await build({
    entryPoints: [join(folder, "all.ts")],
    bundle: true,
    format: "esm",
    outfile: join(folder, "all.mjs"),
    logLevel: "error",
    target: "es2022",
  });
  loaded = (await import(pathToFileURL(join(folder, "all.mjs")).href)).all;
});

describe("rewritten programs", () => {
  it.each(PROGRAMS.map(([name], k) => [name, k] as const))("%s", (_name, k) => {
    const own = loaded[k];
    const result = results[k];
    expect(
      [...(result?.typed.problems ?? []), ...(result?.untyped.problems ?? [])].map(
        (problem) => problem.construct,
      ),
    ).toEqual([]);
    if (own === undefined) throw new Error("not loaded");
    for (const x of [1.3, 2.7]) {
      const h = 1e-5;
      const difference = (own.f(x + h) - own.f(x - h)) / (2 * h);
      for (const derivative of [own.typed, own.untyped]) {
        const { value, gradient } = derivative(x);
        expect(value).toBe(own.f(x));
        // central differences of step 1e-5 are good to about 1e-9 of values near 1000
        expect(Math.abs(gradient - difference)).toBeLessThan(1e-5 * (1 + Math.abs(difference)));
      }
    }
  });

  it("type-checks under every strictness flag", () => {
    const files = Object.fromEntries(
      results.flatMap(({ typed, untyped }, k) =>
        [typed, untyped].map((one, j) => [
          `/r${k}_${j}.ts`,
          `declare const $d: any;\nexport ${textOf(one.lines)}\n`,
        ]),
      ),
    );
    const checked = programOf(files);
    const errors = ts
      .getPreEmitDiagnostics(checked)
      .map(
        (error) =>
          `${PROGRAMS[Number(/\d+/.exec(error.file?.fileName ?? "")?.[0])]?.[0] ?? ""}: ${ts.flattenDiagnosticMessageText(error.messageText, "\n")}: ${error.file?.text.slice(error.start ?? 0, (error.start ?? 0) + 60) ?? ""}`,
      );
    expect(errors).toEqual([]);
  });
});

describe("temporaries", () => {
  it("what nothing reads falls, with all that it alone reads", () => {
    const [t, t1, t2] = [reading(id("t$1")), reading(id("t$2")), reading(id("t$3"))];
    expect(
      tidied([
        letText([t, t1, t2], code`: any`),
        code`return (${put(t, code`f()`)}${ifRead(t1, code`, ${put(t1, code`${t2} ?? g()`)}`)}, ${put(t2, code`h()`)}, ${t});`,
        ifRead(t1, code`const b = ${t1};`),
      ]),
    ).toEqual(["let t$1: any;", "return (t$1 = f(), h(), t$1);"]);
    expect(
      tidied([
        letText([t, t1, t2], NOTHING),
        code`${put(t, code`0`)}${ifRead(t1, code`, ${put(t1, t2)}`)};`,
        ifRead(t2, code`${put(t2, t)};`),
        code`return ${t1};`,
      ]),
    ).toEqual(["let t$1, t$2, t$3;", "t$1 = 0, t$2 = t$3;", "t$3 = t$1;", "return t$2;"]);
    expect(tidied([letText([t], code`: any`), code`${put(t, code`f()`)};`])).toEqual(["f();"]);
  });

  it("a source that holds their marks is refused", () => {
    const one = programOf({
      "/mark.ts": "function f(x: number) { return x * '\uFDD0t\uFDD5'.length; }",
      "/escape.ts": "function f(x: number) { return x * '\\uFDD0t\\uFDD5'.length; }",
    });
    const names = Object.fromEntries(
      ["\uA7FB", "\uA7FC", "\\uA7FC", "a\uA7FB1", "a\\u{A7FC}"].map((name, k) => [
        `/name${k}.ts`,
        `function f(x: number) { const ${name} = x; return ${name} * x; }`,
      ]),
    );
    for (const file of Object.keys(names))
      expect(rewritten(programOf(names), file, true).problems).toHaveLength(1);
    expect(rewritten(one, "/mark.ts", true).problems).toHaveLength(1);
    expect(rewritten(one, "/escape.ts", true).problems).toEqual([]);
  });
});
