// What a value and its gradient by all arguments together cost in scalar operations of the reference interpreter over those of the function: at most 4 on straight-line
// code (Huot and Shaikhha §5; Griewank's bound for reverse mode). In: the programs of the corpus that the static engine takes, with their arguments. No clock.

import { describe, expect, test } from "vitest";
import { run } from "../../transformer/ir/eval.ts";
import type { Func, Program, ScalarOp } from "../../transformer/ir/types.ts";
import { walkAtoms, walkStmts } from "../../transformer/ir/visit.ts";
import { type Compiled, compile } from "../../transformer/pipeline.ts";
import { programOf } from "../program.ts";
import type { Source } from "../programs/corpus.ts";
import { type Exports, loader } from "../programs/modules.ts";
import { numberPaths } from "../programs/numbers.ts";
import { corpusSources } from "../programs/sources.ts";

interface Cost { readonly what: string; readonly straight: boolean; readonly primal: number; readonly gradient: number }

const textOf = ({ files, main }: Source): string => files[main] ?? "";
/** One file, a number as result, no engine of its own choice. */
const isPlain = (source: Source): boolean => Object.keys(source.files).length === 1 && /export function f\([^]*?\): number \{/.test(textOf(source)) && !/import |tsgrad|engine/.test(textOf(source));

const moduleOf = ({ files, main }: Source): Exports => loader(new Map(Object.entries(files).map(([file, text]) => [`/src/${file}`, text])))(`/src/${main}`);
const holdsNumbers = (value: unknown): boolean => typeof value === "number" || numberPaths(value).length > 0;

/** By all arguments that hold numbers, or those that the program names. */
function withSite(source: Source): string {
  const { args, argnums } = moduleOf(source);
  const tuples = Array.isArray(args) ? args.filter((one) => Array.isArray(one)) : [];
  const numeric = [...new Set(tuples.flatMap((tuple) => tuple.flatMap((value, i) => (holdsNumbers(value) ? [i] : []))))].sort();
  const all = Array.isArray(argnums) ? argnums : numeric;
  return `import { valueAndGrad } from "tsgrad";\n${textOf(source)}\nexport const g = valueAndGrad(f${all.length === 0 ? "" : `, { argnums: [${all.join(", ")}] }`});\n`;
}

function isStraight({ body }: Func): boolean {
  let straight = true;
  walkStmts(body, (stmt) => { if (stmt.kind === "for" || stmt.kind === "while" || (stmt.kind === "let" && stmt.expr.kind === "call")) straight = false; });
  return straight;
}

/** What operations that are several take beyond the one that they are counted as: `hypot` of n numbers 2n, `max` and `min` of them n - 1, `pow` three (exp(z log x)). */
function hidden({ body }: Func): number {
  let more = 0;
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "op") more += hiddenIn(stmt.expr.op, stmt.expr.args.length);
  });
  return more;
}

function hiddenIn(op: ScalarOp, count: number): number {
  switch (op) {
    case "hypot": return 2 * count - 1;
    case "max": case "min": return Math.max(0, count - 2);
    case "pow": return 2;
    default: return 0;
  }
}

/** The interpreter knows neither variables of the module nor code that runs as it stands. */
function isClosed({ body }: Func, { funcs }: Program, seen = new Set<string>()): boolean {
  let closed = true;
  walkAtoms(body, (atom) => { if (atom.kind === "global") closed = false; });
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    if (stmt.expr.kind === "extern") closed = false;
    const callee = stmt.expr.kind === "call" && !seen.has(stmt.expr.callee) ? funcs.get(stmt.expr.callee) : undefined;
    if (callee !== undefined) closed &&= isClosed(callee, { funcs, stage: "ssa", types: new Map(), homes: new Map() }, seen.add(callee.name));
  });
  return closed;
}

function costsOf(sources: readonly Source[], compiled: Compiled): readonly Cost[] {
  const derived: Program = { ...compiled.inlined, types: compiled.types, funcs: new Map([...compiled.inlined.funcs, ...compiled.derived.flatMap((item): [string, Func][] => (item.kind === "func" ? [[item.func.name, item.func]] : []))]) };
  return compiled.sites.flatMap((site): Cost[] => {
    const source = sources.find(({ main }) => site.origin.file === `/src/${main}`);
    const func = compiled.inlined.funcs.get(site.target), name = compiled.made.derivativesOf.get(site)?.[0];
    if (source === undefined || func === undefined || name === undefined || !isClosed(func, compiled.inlined)) return [];
    const { args } = moduleOf(source);
    return (Array.isArray(args) ? args : []).flatMap((one: unknown, k): Cost[] => {
      if (!Array.isArray(one)) return [];
      const run1 = (program: Program, target: string): number | null => { try { return run(program, target, structuredClone(one)).counts.ops; } catch { return null; } };
      const [primal, gradient] = [run1(compiled.inlined, site.target), run1(derived, name)];
      // what the function throws on has no cost
      const straight = isStraight(func), whole = (of: Func | undefined): number => (straight && of !== undefined ? hidden(of) : 0);
      return primal === null || gradient === null ? [] : [{ what: `${source.name}[${k}]`, straight, primal: primal + whole(func), gradient: gradient + whole(derived.funcs.get(name)) }];
    });
  });
}

describe("operations of a gradient over those of its function", () => {
  const sources = corpusSources().filter(isPlain);
  const costs = costsOf(sources, compile(programOf(Object.fromEntries(sources.map((source) => [source.main, withSite(source)])))));
  const above = (bound: number, some: readonly Cost[]): readonly string[] => some.filter(({ primal, gradient }) => gradient > bound * primal).map(({ what, primal, gradient }) => `${what}: ${gradient} for ${primal}`);

  test("at most 4 on straight-line code", () => {
    const straight = costs.filter((one) => one.straight && one.primal > 0);
    expect(straight.length).toBeGreaterThan(100);
    expect(above(4, straight)).toEqual([]);
  });

  test("at most 6 in loops, where there is arithmetic enough to speak of", () => {
    const looping = costs.filter((one) => !one.straight && one.primal >= 16);
    expect(looping.length).toBeGreaterThan(100);
    // the most is a `max` of many, whose reverse asks which of them it was
    expect(above(6, looping)).toEqual([]);
  });
});
