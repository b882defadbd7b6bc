// Runs a module's function `f` as JavaScript and as IR, raw and in SSA form, and compares. In: module text and argument lists.
// Invariant: what both give, throw and do to their arguments agrees bit for bit (-0 is not 0).

import ts from "typescript";
import { expect } from "vitest";
import { lower, type Lowered } from "../../transformer/1-lower/index.ts";
import { toSsa } from "../../transformer/1-lower/ssa/ssa.ts";
import { structure } from "../../transformer/1-lower/ssa/structure.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { run } from "../../transformer/ir/eval.ts";
import { print } from "../../transformer/ir/print.ts";
import type { Program } from "../../transformer/ir/types.ts";
import { programOf } from "../program.ts";

interface Module {
  readonly f: (...args: readonly unknown[]) => unknown;
  readonly valueOf: (name: string) => unknown;
}

/** What a run shows: its result or what it threw, and the arguments afterwards. */
interface Seen {
  readonly value: unknown;
  readonly thrown: string | null;
  readonly args: readonly unknown[];
}

const HEADER = 'import { vjp } from "tsgrad";\n';

export function lowerText(module: string, options: ts.CompilerOptions = {}): Lowered {
  return lower(
    programOf({ "main.ts": `${HEADER}export const pull = vjp(f);\n${module}` }, options),
  );
}

function loadModule(module: string): Module {
  const text = `${module}\nexports.f = f; exports.valueOf = (name) => eval(name);`;
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.CommonJS },
  });
  const exported: Record<string, unknown> = {};
  new Function("exports", outputText)(exported);
  return exported as unknown as Module; // the text ends with these two exports
}

function see(args: readonly unknown[], call: (args: readonly unknown[]) => unknown): Seen {
  const own = structuredClone(args);
  try {
    return { value: call(own), thrown: null, args: own };
  } catch (error) {
    return {
      value: undefined,
      thrown: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      args: own,
    };
  }
}

/** Values of the module's own names that the program mentions. */
function globalsOf(program: Program, module: Module): Record<string, unknown> {
  const names = new Set<string>();
  JSON.stringify([...program.funcs.values()], (_key, value: unknown) => {
    if (
      typeof value === "object" &&
      value !== null &&
      "kind" in value &&
      value.kind === "global" &&
      "name" in value &&
      typeof value.name === "string"
    )
      names.add(value.name);
    return value;
  });
  return Object.fromEntries([...names].map((name) => [name, module.valueOf(name)]));
}

/** Runs `f` of the module on each argument list, as JavaScript, as raw IR and as SSA. */
export function sameAsJs(
  module: string,
  calls: readonly (readonly unknown[])[],
  options: ts.CompilerOptions = {},
): Program {
  const lowered = lowerText(module, options);
  expect(
    lowered.diagnostics.map((diagnostic) => `${diagnostic.code} ${diagnostic.message}`),
  ).toEqual([]);
  const raw = lowered.program;
  assertValid(raw, "lower");
  const ssa = toSsa(structure(raw));
  assertValid(ssa, "ssa");
  const loaded = loadModule(module);
  const globals = globalsOf(raw, loaded);
  for (const args of calls) {
    const expected = see(args, (own) => loaded.f(...own));
    for (const program of [raw, ssa]) {
      const actual = see(args, (own) => run(program, "f", own, { globals }).value);
      expect(
        actual,
        `${program.stage}: f(${JSON.stringify(args)})\n${print(program)}`,
      ).toStrictEqual(expected);
    }
  }
  return raw;
}

/** Codes that lowering the module reports, with the text they point at. */
export const refusals = (module: string): string[] =>
  lowerText(module).diagnostics.map((diagnostic) => {
    const text = `${HEADER}export const pull = vjp(f);\n${module}`;
    return `${diagnostic.code} ${text.slice(diagnostic.span.start, diagnostic.span.end)}`;
  });
