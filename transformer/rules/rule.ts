// What a derivative rule is. In: nothing. Out: the row type of the table in scalar.ts, and how to pick one partial from a row.
// A partial maps a seed to a contribution and is its own transpose, so one row serves forward mode (seed = tangent), reverse mode
// (seed = cotangent) and Delta (seed = 1). Invariant: what a partial reads through `v` is exactly what has to be a residual.

import type { Builder } from "../ir/build.ts";
import type { Atom } from "../ir/types.ts";

/**
 * Operands and result of one operation, as lazy getters. An engine passes a recording `v` with a builder that it throws away to
 * learn the residuals of an argument, and one that resolves to the saved values to emit the contribution. Constants come as `const`
 * atoms in both: a row may look at them.
 */
export interface RuleValues {
  /** First operand. */
  readonly x: Atom;
  /** Second operand. */
  readonly z: Atom;
  arg(i: number): Atom;
  /** Whether an operand is this constant: looking is not reading. */
  isConstant(i: number, value: number): boolean;
  /** The result. */
  readonly y: Atom;
  /** Of a power: TypeScript knows the exponent for one of a few numbers, and lets nobody compare it with others. */
  readonly isListed?: boolean;
  /** Nobody differentiates the contribution. */
  readonly isLast?: boolean;
}

export const isConstant = (atom: Atom | undefined, value: number): boolean =>
  atom?.kind === "const" && atom.value === value;

/** Emits what the seed `s` contributes. The result is `s` itself, a constant, or what `b` has bound. */
export type Partial = (b: Builder, v: RuleValues, s: Atom) => Atom;

/** Both ends included. */
export type Interval = readonly [low: number, high: number];

/** Where tests sample an argument: a union of intervals away from kinks and poles, or both booleans. */
export type Domain = readonly Interval[] | "bool";

/** A point where the derivative is a choice, or where the natural formula would fail. */
export interface Kink {
  readonly at: readonly (number | boolean)[];
  /** The partial for each argument; 0 where it contributes nothing. */
  readonly d: readonly number[];
}

export interface Rule {
  /** By position; `null` or absent: contributes nothing. For n-ary operators a function of position and count. */
  readonly d: readonly (Partial | null)[] | ((i: number, n: number) => Partial);
  /** By position; an n-ary operator's last one repeats. */
  readonly domain: readonly Domain[];
  readonly kinks: readonly Kink[];
  /** Whether a partial may be infinite or NaN, which must not meet a seed of 0; absent: never, but for operands that are so themselves. */
  readonly unbounded?: (args: readonly Atom[]) => boolean;
  /** Whether the value is finite where a partial is infinite, so that forward mode must not multiply that with a tangent of 0. */
  readonly steep?: true;
  /** Whether what a partial reads only decides which part of the seed it is: whatever it reads, it is finite where the seed is. */
  readonly chooses?: true;
}

/** The partial of argument `i` of `n`; null where it contributes nothing. */
export function partialOf(rule: Rule, i: number, n: number): Partial | null {
  return typeof rule.d === "function" ? rule.d(i, n) : (rule.d[i] ?? null);
}
