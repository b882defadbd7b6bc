// What callers know of a function's `revf` and `revr` before either is written, so that recursive
// functions can call each other. Input: a function and its active arguments. Output: names,
// parameters and results. Invariant: the signature depends on nothing else.

import { NUM, VOID } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType, type Types } from "../../ir/shadow.ts";
import type { Func, Type, Var } from "../../ir/types.ts";

export interface Signature {
  readonly callee: Func;
  /** Positions of the active arguments, ascending. */
  readonly active: readonly number[];
  readonly revf: string;
  readonly revr: string;
  /** Both sweeps in one function: it returns the value and the cotangents of `scalars`. */
  readonly merged: string;
  /** Name of the BOG's type. Field 0 is the value, field 1 its shadow, if they exist. */
  readonly bog: string;
  /** What seeds the reverse sweep: a cotangent argument, the result's shadow, or nothing. */
  readonly result: "scalar" | "aggregate" | "none";
  /** Active scalar arguments; `revr` returns their cotangents in this order. */
  readonly scalars: readonly number[];
  /** Active aggregate arguments; `revf` takes their shadows after the arguments, in this order. */
  readonly aggregates: readonly number[];
  /** What `revr` takes after its seed (pass-through-params.ts). */
  readonly passThrough: readonly PassThrough[];
}

/** An argument, or the shadow of one. */
export interface PassThrough {
  readonly position: number;
  readonly of: "value" | "shadow";
}

export function signatureOf(callee: Func, active: readonly number[], types: Types): Signature {
  const numeric = callee.params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
  // a shipped function has one pair only
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
    passThrough: [],
  };
}

/** What `revr` returns: nothing, the cotangent of the one active scalar, or a tuple of them. */
export function resultType({ callee, scalars }: Signature): Type {
  if (scalars.length === 0) return VOID;
  if (scalars.length === 1) return NUM;
  const labels = scalars.map((i) => names.bar(callee.params[i]?.name ?? `x${i}`));
  return { kind: "tuple", elems: labels.map(() => NUM), labels };
}

/** Parameter for the shadow of an argument. */
export function shadowParam(param: Var, types: Types): Var {
  return {
    kind: "var",
    name: names.bar(param.name),
    type: shadowType(param.type, types) ?? param.type,
  };
}
