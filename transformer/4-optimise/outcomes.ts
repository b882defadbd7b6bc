// What an arm of a branch knows from the branch's condition. In: the condition and what it was computed from. Out: whether a test
// inside the arm comes out one way only. Invariant: names are bound once, so what held at the branch holds in all of the arm.

import { bool } from "../ir/build.ts";
import type { Atom, Const, Expr } from "../ir/types.ts";

export interface Outcomes {
  /** Conditions by name. */
  readonly conditions: ReadonlyMap<string, boolean>;
  /** Names that equal a constant. */
  readonly equal: ReadonlyMap<string, Const>;
}

export const NO_OUTCOMES: Outcomes = { conditions: new Map(), equal: new Map() };

/** What is known besides where `cond` came out as `value`. */
export function learnt(known: Outcomes, cond: Atom, value: boolean, definitions: ReadonlyMap<string, Expr>): Outcomes {
  if (cond.kind !== "var") return known;
  const conditions = new Map(known.conditions).set(cond.name, value);
  const test = definitions.get(cond.name);
  if (test?.kind !== "op") return { ...known, conditions };
  const [left, right] = test.args;
  if (test.op === "not" && left !== undefined) return learnt({ ...known, conditions }, left, !value, definitions);
  const isEqual = (test.op === "eq" && value) || (test.op === "ne" && !value);
  if (!isEqual || left?.kind !== "var" || right?.kind !== "const") return { ...known, conditions };
  return { conditions, equal: new Map(known.equal).set(left.name, right) };
}

/** if k === 0 { … k === 1 … }  ->  false; the outcome of a comparison with a constant, or null. */
export function outcomeOf({ op, args }: Expr & { readonly kind: "op" }, known: Outcomes): Atom | null {
  const [left, right] = args;
  if ((op !== "eq" && op !== "ne") || left?.kind !== "var" || right?.kind !== "const") return null;
  const is = known.equal.get(left.name);
  return is === undefined ? null : bool((is.value === right.value) === (op === "eq"));
}

/** The condition, or what it is known to be. */
export function outcomeOfCondition(cond: Atom, known: Outcomes): Atom {
  const value = cond.kind === "var" ? known.conditions.get(cond.name) : undefined;
  return value === undefined ? cond : bool(value);
}
