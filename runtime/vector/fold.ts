// Vector functions that carry a value through an array. They allocate nothing but the result, and
// visit each element once, in the stated order.

import { type Call, type Items, type Numbers, sameSize } from "./lists.ts";

/**
 * The sum of the elements; 0 for an empty array. Follows Huot and Shaikhha, §1.1.
 *
 * @example
 * sum([1, 2, 3]); // 6
 */
export function sum(a: Numbers): number {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] ?? NaN;
  return total;
}

/**
 * The product of the elements; 1 for an empty array. Follows Huot and Shaikhha, §1.1.
 *
 * @example
 * prod([2, 3, 4]); // 24
 */
export function prod(a: Numbers): number {
  let product = 1;
  for (let i = 0; i < a.length; i++) product *= a[i] ?? NaN;
  return product;
}

/**
 * The inner product of two arrays of the same size. Follows Huot and Shaikhha, §1.1.
 *
 * @throws RangeError if the arrays have different sizes.
 * @example
 * dot([1, 2], [3, 4]); // 11
 */
export function dot(a: Numbers, b: Numbers): number {
  sameSize(a, b);
  let total = 0;
  for (let i = 0; i < a.length; i++) total += (a[i] ?? NaN) * (b[i] ?? NaN);
  return total;
}

/**
 * Combines the elements from the left by an associative function with neutral element `unit`.
 *
 * If `f` is not associative, use {@link foldl}, which computes the same value. Follows Huot and
 * Shaikhha, Figures 2 and 13.
 *
 * @example
 * reduce((x, y) => Math.max(x, y), -Infinity, [1, 3, 2]); // 3
 */
export function reduce<N extends number = number>(
  f: (x: N, y: N) => number,
  unit: number,
  a: Float64Array,
): number;
export function reduce<T>(f: (x: T, y: T) => T, unit: T, a: readonly T[]): T;
export function reduce(f: Call, unit: unknown, a: Items): unknown {
  return folded(f, unit, a);
}

/**
 * `f(… f(f(first, a[0]), a[1]) …, a[n - 1])`. Follows Huot and Shaikhha, Figure 16.
 *
 * @example
 * foldl((s, x) => s / 2 + x, 0, [1, 2]); // 2.5
 */
export function foldl<S, N extends number = number>(
  f: (s: S, x: N) => S,
  first: S,
  a: Float64Array,
): S;
export function foldl<S, T>(f: (s: S, x: T) => S, first: S, a: readonly T[]): S;
export function foldl(f: Call, first: unknown, a: Items): unknown {
  return folded(f, first, a);
}

function folded(f: Call, first: unknown, a: Items): unknown {
  let s = first;
  for (let i = 0; i < a.length; i++) s = f(s, a[i]);
  return s;
}

/**
 * All partial values of {@link foldl}, starting with `first`: one more than the elements of `a`.
 * Follows Huot and Shaikhha, Figures 3 and 15.
 *
 * @example
 * scanl((s, x) => s * x, 1, [2, 3, 4]); // [1, 2, 6, 24]
 */
export function scanl<N extends number = number>(
  f: (s: N, x: N) => number,
  first: number,
  a: Float64Array,
): Float64Array;
export function scanl<S, N extends number = number>(
  f: (s: S, x: N) => S,
  first: S,
  a: Float64Array,
): S[];
export function scanl<S, T>(f: (s: S, x: T) => S, first: S, a: readonly T[]): S[];
export function scanl(f: Call, first: unknown, a: Items): Items {
  const { length } = a;
  if (a instanceof Float64Array && typeof first === "number") {
    const made = new Float64Array(length + 1);
    let s = (made[0] = first);
    for (let i = 0; i < length; i++) made[i + 1] = s = Number(f(s, a[i]));
    return made;
  }
  const made = new Array<unknown>(length + 1);
  let s = (made[0] = first);
  for (let i = 0; i < length; i++) made[i + 1] = s = f(s, a[i]);
  return made;
}

/**
 * {@link scanl} from the right: `first` is the last element of the result. Follows Huot and
 * Shaikhha, Figures 3 and 15.
 *
 * @example
 * scanr((s, x) => s * x, 1, [2, 3, 4]); // [24, 12, 4, 1]
 */
export function scanr<N extends number = number>(
  f: (s: N, x: N) => number,
  first: number,
  a: Float64Array,
): Float64Array;
export function scanr<S, N extends number = number>(
  f: (s: S, x: N) => S,
  first: S,
  a: Float64Array,
): S[];
export function scanr<S, T>(f: (s: S, x: T) => S, first: S, a: readonly T[]): S[];
export function scanr(f: Call, first: unknown, a: Items): Items {
  const { length } = a;
  if (a instanceof Float64Array && typeof first === "number") {
    const made = new Float64Array(length + 1);
    let s = (made[length] = first);
    for (let i = length - 1; i >= 0; i--) made[i] = s = Number(f(s, a[i]));
    return made;
  }
  const made = new Array<unknown>(length + 1);
  let s = (made[length] = first);
  for (let i = length - 1; i >= 0; i--) made[i] = s = f(s, a[i]);
  return made;
}
