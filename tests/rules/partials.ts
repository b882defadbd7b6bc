// Runs one row of the rule table on numbers. In: an operator, its operands, a seed. Out: the contribution to one argument, and which
// values the row read. Invariant: the operands reach the row as variables, or as constants where asked.

import { Builder, num } from "../../transformer/ir/build.ts";
import { Names } from "../../transformer/ir/names.ts";
import { OPS, type ScalarOp } from "../../transformer/ir/ops.ts";
import type { Atom, Stmt, Type, Var } from "../../transformer/ir/types.ts";
import { partialOf, type RuleValues } from "../../transformer/rules/rule.ts";
import { SCALAR } from "../../transformer/rules/scalar.ts";

type Value = number | boolean;

const ORIGIN = { file: "rule", start: 0, end: 0 };

export interface Ran {
  /** What the row contributes; 0 where it has no partial. */
  readonly value: number;
  /** `0`, `1`, … for operands and `y` for the result, sorted. */
  readonly reads: readonly string[];
}

export interface Options {
  readonly seed?: number;
  /** Positions whose operand is a constant that the row may look at. */
  readonly constants?: readonly number[];
}

/** The contribution of argument `i` of `op` at `args`. */
export function runPartial(
  op: ScalarOp,
  args: readonly Value[],
  i: number,
  { seed = 1, constants = [] }: Options = {},
): Ran {
  const partial = partialOf(SCALAR[op], i, args.length);
  if (partial === null) return { value: 0, reads: [] };
  const memory = new Map<string, unknown>([
    ["s", seed],
    ["y", OPS[op].eval(args)],
  ]);
  args.forEach((arg, at) => memory.set(`a${at}`, arg));
  const reads = new Set<string>();
  const operand = (at: number): Atom => {
    const value = args[at];
    if (value === undefined) throw new Error(`${op} reads argument ${at} of ${args.length}`);
    if (constants.includes(at) && typeof value === "number") return num(value);
    reads.add(String(at));
    return variable(`a${at}`, typeof value === "boolean" ? "bool" : "num");
  };
  const values: RuleValues = {
    get x() {
      return operand(0);
    },
    get z() {
      return operand(1);
    },
    get y() {
      reads.add("y");
      return variable("y", OPS[op].result === "bool" ? "bool" : "num");
    },
    arg: operand,
    isConstant: (at, value) => constants.includes(at) && args[at] === value,
  };
  const builder = new Builder(new Names(memory.keys()), ORIGIN, true);
  const result = partial(builder, values, variable("s", "num"));
  for (const stmt of builder.stmts) step(stmt, memory);
  return { value: Number(valueOf(result, memory)), reads: [...reads].sort() };
}

const variable = (name: string, kind: "num" | "bool"): Var => ({
  kind: "var",
  name,
  type: typeOf(kind),
});
const typeOf = (kind: "num" | "bool"): Type => ({ kind });

function step(stmt: Stmt, memory: Map<string, unknown>): void {
  if (stmt.kind !== "let" || stmt.expr.kind !== "op") throw new Error(`a row made a ${stmt.kind}`);
  memory.set(
    stmt.bind.name,
    OPS[stmt.expr.op].eval(stmt.expr.args.map((atom) => valueOf(atom, memory))),
  );
}

function valueOf(atom: Atom, memory: ReadonlyMap<string, unknown>): unknown {
  if (atom.kind === "const") return atom.value;
  if (atom.kind !== "var" || !memory.has(atom.name))
    throw new Error("a row used a value that is not its own");
  return memory.get(atom.name);
}
