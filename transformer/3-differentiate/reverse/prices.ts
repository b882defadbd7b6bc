// Costs of having a primal value in the reverse sweep, in additions: of recording it, and of
// recomputing it. Invariant: a cost depends on the operation alone; the frame adds the operands'
// costs.

import { OPS } from "../../ir/ops.ts";
import type { Expr, Type } from "../../ir/types.ts";
import type { Storage } from "./residuals.ts";

/**
 * The most additions that recomputing a value may cost, else it is recorded (EMISSION.md rule 6).
 */
export const BUDGET: Record<Storage, number> = { scope: 0, bog: 0, tape: 4, hoist: 0 };

/**
 * The cost of the logistic function's division. Its exponential is recorded in any case, and the
 * surrounding code hides most of the division's latency.
 */
export const LOGISTIC = 3;

/** The cost of one more statement in the emitted code; decides between equal costs. */
export const STATEMENT = 1 / 64;

/** Above the budget, so that a value within it is recomputed. */
const RECORD = BUDGET.tape + 1 / 4;

/**
 * The cost of recording an object that exists anyway, or a possibly undefined number. It goes on a
 * second tape, which is cleared at the end.
 */
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

/**
 * Cost of evaluating `expr` once its operands are available. Null if it must not be evaluated
 * again; with `atAnyPrice`, if it cannot.
 */
export function ownCost(expr: Expr, rereadable: boolean, atAnyPrice = false): number | null {
  switch (expr.kind) {
    // operations on constants fold
    case "op":
      return expr.args.every((arg) => arg.kind === "const")
        ? 0
        : OPS[expr.op].expensive && !atAnyPrice
          ? null
          : OPS[expr.op].cost;
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
