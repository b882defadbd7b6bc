// The row type of the derivative table in scalar.ts. A partial maps a seed to a contribution and is
// linear, so one row serves forward mode (seed: tangent), reverse mode (seed: cotangent) and Delta
// (seed: 1). What it reads through `v` are the residuals it needs.

import type { Builder } from "../ir/build.ts";
import type { Atom } from "../ir/types.ts";

/**
 * Operands and result of one operation, as lazy getters. An engine first runs the partial with a
 * recording `v` to learn the residuals, then with the saved values. Constants are `const` atoms in
 * both runs, so a row may inspect them.
 */
export interface RuleValues {
  /** First operand. */
  readonly x: Atom;
  /** Second operand. */
  readonly z: Atom;
  arg(i: number): Atom;
  /** Whether an operand is this constant; does not count as reading it. */
  isConstant(i: number, value: number): boolean;
  /** The result. */
  readonly y: Atom;
  /** Of a power: the exponent's type lists its values, and it cannot be compared with others. */
  readonly isListed?: boolean;
  /** The contribution is not differentiated again. */
  readonly isLast?: boolean;
}

/** Emits the contribution of seed `s`: `s` itself, a constant, or a name bound by `b`. */
export type Partial = (b: Builder, v: RuleValues, s: Atom) => Atom;

/** An inclusive interval. */
type Interval = readonly [low: number, high: number];

/** Where tests sample an argument: intervals away from kinks and poles, or both booleans. */
export type Domain = readonly Interval[] | "bool";

/** A point where the derivative is a choice, or where the usual formula would fail. */
export interface Kink {
  readonly at: readonly (number | boolean)[];
  /** The partial for each argument; 0 where it contributes nothing. */
  readonly d: readonly number[];
}

export interface Rule {
  /** By position; null or absent: contributes nothing. n-ary: a function of position and count. */
  readonly d: readonly (Partial | null)[] | ((i: number, n: number) => Partial);
  /** By position; the last one repeats. */
  readonly domain: readonly Domain[];
  readonly kinks: readonly Kink[];
}

/** The partial of argument `i` of `n`; null where it contributes nothing. */
export function partialOf(rule: Rule, i: number, n: number): Partial | null {
  return typeof rule.d === "function" ? rule.d(i, n) : (rule.d[i] ?? null);
}
