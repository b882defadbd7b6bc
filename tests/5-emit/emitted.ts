// Emits IR text for the tests. In: IR text. Out: the TypeScript of its functions, and a way to run it.

import ts from "typescript";
import { functionText } from "../../transformer/5-emit/function.ts";
import { layout } from "../../transformer/5-emit/layout.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { parse } from "../../transformer/ir/parse.ts";
import type { Func, Program } from "../../transformer/ir/types.ts";

export interface Options {
  readonly noUncheckedIndexedAccess?: boolean;
}

export function emittedFunc(func: Func, program: Program, options: Options = {}): string {
  const written = functionText(func, {
    file: "main.ts",
    types: program.types,
    cotangent: "Cotangent",
    identifier: func.name.replaceAll(/\.\d+/g, ""),
    member: (name) => program.funcs.get(name)?.member ?? null,
    isStructural: () => false,
    givesReadonly: () => false,
    readonlyParams: [],
    saysLess: (name) => program.funcs.get(name)?.resultText === null,
    parameterTypes: (name) => program.funcs.get(name)?.params.map(({ type }) => type) ?? [],
    extraArguments: () => 0,
    callee: (name) => name,
    giving: () => null,
    library: (text) => text,
    readonlyTypes: new Set(),
    noUncheckedIndexedAccess: options.noUncheckedIndexedAccess ?? false,
    lacksFromEntries: false,
  });
  return layout(written.lines, "").text;
}

export function emittedProgram(program: Program, options: Options = {}): string {
  assertValid(program, "test");
  return [...program.funcs.values()]
    .map((func) => `${emittedFunc(func, program, options)}\n`)
    .join("\n");
}

export const emitted = (ir: string, options: Options = {}): string =>
  emittedProgram(parse(ir), options);

/** The functions of emitted code, by name. */
export function compiled(
  source: string,
  names: readonly string[],
): Readonly<Record<string, (...args: unknown[]) => unknown>> {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  return new Function(`${outputText}\nreturn { ${names.join(", ")} };`)();
}
