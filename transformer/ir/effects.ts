// What evaluating an expression may do, by its kind: side effects, reads of memory, allocations.

import type { Expr } from "./types.ts";

/** What evaluating an expression does, besides giving a value of its operands alone. */
interface Effects {
  /** It changes nothing, so it may be dropped when its value is unused. */
  readonly pure: boolean;
  /** Its value depends on memory. */
  readonly reads: boolean;
  /** Each evaluation gives a new object. */
  readonly fresh: boolean;
}

const VALUE: Effects = { pure: true, reads: false, fresh: false };
const READ: Effects = { pure: true, reads: true, fresh: false };
const ALLOCATION: Effects = { pure: true, reads: false, fresh: true };
const COPY: Effects = { pure: true, reads: true, fresh: true };
const REMOVAL: Effects = { pure: false, reads: true, fresh: false };
/** User code behind a call or an extern may do anything, allocations included. */
const UNKNOWN: Effects = { pure: false, reads: true, fresh: true };

/** `zeros` reads lengths. A lambda's body reads when it is called. */
const EFFECTS: { readonly [Kind in Expr["kind"]]: Effects } = {
  copy: VALUE,
  op: VALUE,
  present: VALUE,
  unwrap: VALUE,
  load: READ,
  length: READ,
  array: ALLOCATION,
  tuple: ALLOCATION,
  record: ALLOCATION,
  alloc: ALLOCATION,
  newTape: ALLOCATION,
  lambda: ALLOCATION,
  slice: COPY,
  zeros: COPY,
  clone: COPY,
  rewind: COPY,
  pop: REMOVAL,
  removeLast: REMOVAL,
  call: UNKNOWN,
  extern: UNKNOWN,
};

/** Whether an expression has no side effect, so that it may be dropped when unused. */
export const isPure = (expr: Expr): boolean =>
  expr.kind === "extern" ? expr.effect !== "io" : EFFECTS[expr.kind].pure;

/** Whether the value depends on what memory holds when the expression is evaluated. */
export function readsMemory(expr: Expr): boolean {
  if (expr.kind === "extern") return expr.effect !== "pure";
  if (expr.kind === "array") return expr.parts.some((part) => part.spread);
  return EFFECTS[expr.kind].reads;
}

/** Whether each evaluation gives a new object, so that two equal expressions are not one. */
export const givesFreshObject = (expr: Expr): boolean => EFFECTS[expr.kind].fresh;

/** Whether the value is a newly allocated object. What a call gives may be one of its arguments. */
export const isAllocation = (expr: Expr): boolean =>
  givesFreshObject(expr) && expr.kind !== "call" && expr.kind !== "extern";
