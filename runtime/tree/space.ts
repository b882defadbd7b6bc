// Vector spaces of values (ksc notes §2.2): what is made of numbers has a zero, a sum, multiples
// and a dot product. Nothing is written.

import { firstAlong } from "./along.ts";
import { type Building, rebuilt } from "./build.ts";
import { numbersAlong, numbersOf } from "./numbers.ts";
import type { Layout } from "./parts.ts";

/** A value of the same type with other numbers and the leaves and tags of `shape`. */
export function combined<T>(shape: T, number: (i: number) => number, layout: Layout): T;
export function combined(shape: unknown, number: (i: number) => number, layout: Layout): unknown {
  return rebuilt(shape, number, { ...layout, leaves: "all" });
}

/** `0`, in the shape of a value. */
export const zeroOf = <T>(shape: T, layout: Layout = {}): T => combined(shape, () => 0, layout);

/**
 * `a + b`
 * @throws Error if they differ in shape.
 */
export function plus<T>(a: T, b: T, layout: Layout = {}): T {
  const left = numbersOf(a, layout);
  const right = firstAlong(a, b, layout);
  return combined(a, (i) => (left[i] ?? 0) + (right[i] ?? 0), layout);
}

/** `k * a` */
export function times<T>(k: number, a: T, layout: Layout = {}): T {
  const numbers = numbersOf(a, layout);
  return combined(a, (i) => k * (numbers[i] ?? 0), layout);
}

/** `a • b` */
export function dot<T>(a: T, b: T, layout: Layout = {}): number {
  const right = numbersAlong(a, b, layout);
  return numbersOf(a, layout).reduce((sum, number, i) => sum + number * (right[i] ?? 0), 0);
}

/** The i-th basis vector of a value's space; of the dual space with `isApart`. */
export const oneHot = <T>(shape: T, at: number, building: Building = {}): T =>
  combined(shape, (i) => (i === at ? 1 : 0), building);
