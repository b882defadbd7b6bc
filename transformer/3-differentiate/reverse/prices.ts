// What it takes to have a primal value again in the reverse sweep, in additions. In: how it came about. Out: the price of a record and of a second computation.
// Invariant: a price depends on the operation alone; what its operands cost is the frame's matter.

import { OPS } from "../../ir/ops.ts";
import type { Expr, Type } from "../../ir/types.ts";
import type { Storage } from "./frame.ts";

/** Additions that may be spent on computing a value again instead of recording it (EMISSION.md rule 6). */
export const BUDGET: Record<Storage, number> = { scope: 0, bog: 0, tape: 4, hoist: 0 };

/** And the division of the logistic function: its exponential is recorded in any case, and the code around hides most of a division that nothing waits for. */
export const LOGISTIC = 3;

/** One statement more to read: of choices that cost the same otherwise, the one with fewer of them is better. */
export const STATEMENT = 1 / 64;

/** Over the budget, so that what just fits into it is computed again. */
const RECORD = BUDGET.tape + 1 / 4;

/** Of an object that is there anyway, or of a number that may be missing: it goes on a tape of its own, which is cleared in the end. */
const REFERENCE = 12;

/** Of an object that each round makes anew, which stays in memory until then: no few numbers read from it are worth that. */
const KEPT = 64;

/** Additions that recording a value of a round takes. */
export function recordCost(type: Type, expr: Expr | null): number {
  if (type.kind === "num" || type.kind === "bool") return RECORD;
  return type.kind === "opt" ||
    expr?.kind === "load" ||
    expr?.kind === "unwrap" ||
    expr?.kind === "copy"
    ? REFERENCE
    : KEPT;
}

/** Takes as long as it takes to read a truth from a BOG, which would be longer by a field. */
export const isTest = (expr: Expr): boolean => expr.kind === "op" && TESTS.has(expr.op);
const TESTS: ReadonlySet<string> = new Set(["eq", "ne", "lt", "le", "gt", "ge", "not"]);

/** Additions that evaluating `expr` takes once its operands are at hand; null if it must not be evaluated again, `atAnyPrice` if it cannot. */
export function ownCost(expr: Expr, rereadable: boolean, atAnyPrice = false): number | null {
  switch (expr.kind) {
    // of constants alone, it is a constant
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
    // a number as it stands, of another type
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
