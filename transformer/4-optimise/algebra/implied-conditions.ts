// Conditions that an arm of a branch implies. `learnt` adds the outcome of a condition and of the
// tests that follow from it. Invariant: names are bound once, so what holds at the branch holds in
// its arm.

import { bool } from "../../ir/build.ts";
import type { Atom, Const, Expr } from "../../ir/types.ts";

export interface Outcomes {
  /** Outcomes of conditions, by name. */
  readonly conditions: ReadonlyMap<string, boolean>;
  /** Names that equal a constant. */
  readonly equal: ReadonlyMap<string, Const>;
}

export const NO_OUTCOMES: Outcomes = { conditions: new Map(), equal: new Map() };

/** `known`, and what follows from `cond` being `value`. */
export function learnt(
  known: Outcomes,
  cond: Atom,
  value: boolean,
  definitions: ReadonlyMap<string, Expr>,
): Outcomes {
  if (cond.kind !== "var" || known.conditions.get(cond.name) === value) return known;
  const conditions = new Map(known.conditions).set(cond.name, value);
  return implied(
    ofTest({ ...known, conditions }, definitions.get(cond.name), value, definitions),
    definitions,
  );
}

/** The parts of `not c`, of `c && d` where it holds, and of `c || d` where it does not. */
function ofTest(
  known: Outcomes,
  test: Expr | undefined,
  value: boolean,
  definitions: ReadonlyMap<string, Expr>,
): Outcomes {
  if (test?.kind !== "op") return known;
  const [left, right] = test.args;
  if (left === undefined) return known;
  if (test.op === "not") return learnt(known, left, !value, definitions);
  if (right !== undefined && test.op === (value ? "and" : "or"))
    return learnt(learnt(known, left, value, definitions), right, value, definitions);
  const isEqual = (test.op === "eq" && value) || (test.op === "ne" && !value);
  if (!isEqual || left.kind !== "var" || right?.kind !== "const") return known;
  return { ...known, equal: new Map(known.equal).set(left.name, right) };
}

/** `c || d` without c implies d; `c && d` false with c implies not d. */
function implied(known: Outcomes, definitions: ReadonlyMap<string, Expr>): Outcomes {
  const cameOut = (atom: Atom | undefined, value: boolean): boolean =>
    atom?.kind === "var" && known.conditions.get(atom.name) === value;
  for (const [name, value] of known.conditions) {
    const test = definitions.get(name);
    if (test?.kind !== "op" || test.op !== (value ? "or" : "and")) continue;
    const [left, right] = test.args;
    const other = cameOut(left, !value) ? right : cameOut(right, !value) ? left : undefined;
    if (other?.kind === "var" && known.conditions.get(other.name) === undefined)
      return learnt(known, other, value, definitions);
  }
  return known;
}

// if k === 0 { … k === 1 … }   ->   if k === 0 { … false … }
export function outcomeOf(
  { op, args }: Expr & { readonly kind: "op" },
  known: Outcomes,
): Atom | null {
  const [left, right] = args;
  if ((op !== "eq" && op !== "ne") || left?.kind !== "var" || right?.kind !== "const") return null;
  const is = known.equal.get(left.name);
  return is === undefined ? null : bool((is.value === right.value) === (op === "eq"));
}

/** The condition, or its known outcome. */
export function outcomeOfCondition(cond: Atom, known: Outcomes): Atom {
  const value = cond.kind === "var" ? known.conditions.get(cond.name) : undefined;
  return value === undefined ? cond : bool(value);
}
