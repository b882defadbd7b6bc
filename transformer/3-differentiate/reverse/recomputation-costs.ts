// Costs of having a primal value in the reverse sweep, in additions: of recording it, and of
// recomputing it. Invariant: a cost depends on the operation alone; the frame adds the operands'
// costs.

import { OPS } from "../../ir/ops.ts";
import type { Expr, Type } from "../../ir/types.ts";
import type { Storage } from "./residuals.ts";

/** The most that recomputing a value may cost, else it is recorded. */
export const BUDGET: Record<Storage, number> = { scope: 0, bog: 0, tape: 4, hoist: 0 };

/** The cost of the logistic function's division, most of whose latency is hidden. */
export const LOGISTIC = 3;

/** The cost of one more statement in the emitted code; decides between equal costs. */
export const STATEMENT = 1 / 64;

/** Above the budget, so that a value within it is recomputed. */
const RECORD = BUDGET.tape + 1 / 4;

/** The cost of a record on the second tape, for references and possibly undefined numbers. */
const REFERENCE = 12;

/** The cost of recording an object that each iteration allocates: it stays in memory until then. */
const KEPT = 64;

/** Cost of recording a value in each iteration. */
export function recordCost(type: Type, expr: Expr | null): number {
  if (type.kind === "num" || type.kind === "bool") return RECORD;
  return type.kind === "opt" ||
    expr?.kind === "load" ||
    expr?.kind === "unwrap" ||
    expr?.kind === "copy"
    ? REFERENCE
    : KEPT;
}

/** Comparisons cost no more than reading a boolean from a BOG. */
export const isTest = (expr: Expr): boolean => expr.kind === "op" && TESTS.has(expr.op);
const TESTS: ReadonlySet<string> = new Set(["eq", "ne", "lt", "le", "gt", "ge", "not"]);

/** Cost of evaluating `expr` from its operands; null if that is wrong or too expensive. */
// eslint-disable-next-line complexity -- flat exhaustive switch over expression kinds
export function ownCost(expr: Expr, rereadable: boolean, atAnyPrice = false): number | null {
  switch (expr.kind) {
    case "op":
      return opCost(expr, atAnyPrice);
    case "load":
    case "length":
      return rereadable ? 0 : null;
    case "copy":
    case "present":
    case "unwrap":
      return 0;
    // a cast
    case "extern":
      return expr.effect === "pure" && expr.text.every((text) => text === "") ? 0 : null;
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
    case "zeros":
    case "clone":
    case "call":
    case "removeLast":
    case "newTape":
    case "pop":
    case "rewind":
    case "lambda":
      return null;
  }
}

/** Operations on constants fold. */
function opCost({ op, args }: Expr & { kind: "op" }, atAnyPrice: boolean): number | null {
  if (args.every((arg) => arg.kind === "const")) return 0;
  return OPS[op].expensive && !atAnyPrice ? null : OPS[op].cost;
}
