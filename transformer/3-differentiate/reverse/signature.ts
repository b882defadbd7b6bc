// What callers know of a function's `revf` and `revr` before either is written, so that recursion ties its knot. In: a function and its active
// arguments. Out: names, parameters and results. Invariant: depends on nothing else.

import { NUM } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType, type Types } from "../../ir/shadow.ts";
import type { Func, Var } from "../../ir/types.ts";

export interface Signature {
  readonly callee: Func;
  /** Positions of the active arguments, ascending. */
  readonly active: readonly number[];
  readonly revf: string;
  readonly revr: string;
  /** Both sweeps in one, with the cotangent of the result behind the shadows: gives the value, and with it the cotangents of `scalars`. */
  readonly merged: string;
  /** Name of the BOG's type; its field 0 is the value, if there is one, and field 1 the value's shadow, if that has one. */
  readonly bog: string;
  /** What the reverse sweep is seeded with: the cotangent of a scalar result, nothing for an aggregate (its shadow is) or for no numbers. */
  readonly result: "scalar" | "aggregate" | "none";
  /** Active scalar arguments, whose cotangents `revr` returns in this order. */
  readonly scalars: readonly number[];
  /** Active aggregate arguments, whose shadows `revf` takes behind the arguments, in this order. */
  readonly aggregates: readonly number[];
  /** What `revr` takes behind its seed: of functions that recur, what their calls hand on as it came in (pass-through-params.ts). */
  readonly handed: readonly HandedOn[];
}

/** An argument, or the shadow of one. */
export interface HandedOn {
  readonly position: number;
  readonly of: "value" | "shadow";
}

export function signatureOf(callee: Func, active: readonly number[], types: Types): Signature {
  const numeric = callee.params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
  // of a shipped function there is one pair
  const sorted = callee.shipped === true ? numeric : [...active].sort((x, z) => x - z);
  const isFull = numeric.every((i) => sorted.includes(i));
  const labels = isFull ? null : sorted.map((i) => callee.params[i]?.name ?? String(i));
  const isScalar = (i: number): boolean => isScalarType(callee.params[i]?.type ?? NUM);
  return {
    callee,
    active: sorted,
    revf: names.revf(callee.name, labels),
    revr: names.revr(callee.name, labels),
    merged: names.merged(callee.name, labels),
    bog: names.bogType(callee.name, labels),
    result: !hasNumbers(callee.result, types)
      ? "none"
      : isScalarType(callee.result)
        ? "scalar"
        : "aggregate",
    scalars: sorted.filter(isScalar),
    aggregates: sorted.filter((i) => !isScalar(i)),
    handed: [],
  };
}

/** Parameter for the shadow of an argument. */
export function shadowParam(param: Var, types: Types): Var {
  return {
    kind: "var",
    name: names.bar(param.name),
    type: shadowType(param.type, types) ?? param.type,
  };
}
