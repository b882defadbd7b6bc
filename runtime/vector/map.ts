// Vector functions that compute an array elementwise, of the kind of the first array. They allocate
// nothing but the result, and compute elements once, in ascending order.

import { type Call, type Items, type Like, type Nested, type Numbers, sameSize } from "./lists.ts";

/**
 * The array `[f(0), …, f(n - 1)]`. Follows ksc notes §1.2.
 *
 * @example
 * build(3, (i) => i * i); // [0, 1, 4]
 */
export function build<T>(n: number, f: (i: number) => T): T[] {
  // The number of iterations of the loop below, for any n.
  const made = new Array<T>(Math.max(0, Math.ceil(n)) || 0);
  for (let i = 0; i < n; i++) made[i] = f(i);
  return made;
}

/**
 * The number of elements of an array.
 *
 * @example
 * size([5, 6]); // 2
 */
export function size(a: Items): number {
  return a.length;
}

/**
 * The array of the results of `f` for each element. Follows Huot and Shaikhha, Figure 4.
 *
 * @example
 * map((x) => 2 * x, [1, 2]); // [2, 4]
 */
export function map<N extends number = number>(f: (x: N) => number, a: Float64Array): Float64Array;
export function map<T, U>(f: (x: T) => U, a: readonly T[]): U[];
export function map(f: Call, a: Items): Items {
  const { length } = a;
  if (a instanceof Float64Array) {
    const made = new Float64Array(length);
    for (let i = 0; i < length; i++) made[i] = Number(f(a[i]));
    return made;
  }
  const made = new Array<unknown>(length);
  for (let i = 0; i < length; i++) made[i] = f(a[i]);
  return made;
}

/**
 * The array of the results of `f` for the elements at the same index of two arrays. Follows Huot
 * and Shaikhha, Figure 2.
 *
 * @throws RangeError if the arrays have different sizes.
 * @example
 * map2((x, y) => x * y, [1, 2], [3, 4]); // [3, 8]
 */
export function map2<N extends number = number>(
  f: (x: N, y: N) => number,
  a: Float64Array,
  b: Numbers,
): Float64Array;
export function map2<U, N extends number = number>(
  f: (x: N, y: U) => number,
  a: Float64Array,
  b: readonly U[],
): Float64Array;
export function map2<T, V, N extends number = number>(
  f: (x: T, y: N) => V,
  a: readonly T[],
  b: Float64Array,
): V[];
export function map2<T, U, V>(f: (x: T, y: U) => V, a: readonly T[], b: readonly U[]): V[];
export function map2(f: Call, a: Items, b: Items): Items {
  sameSize(a, b);
  const { length } = a;
  if (a instanceof Float64Array) {
    const made = new Float64Array(length);
    for (let i = 0; i < length; i++) made[i] = Number(f(a[i], b[i]));
    return made;
  }
  const made = new Array<unknown>(length);
  for (let i = 0; i < length; i++) made[i] = f(a[i], b[i]);
  return made;
}

/**
 * An array without its first element; an empty array for an empty one. Follows Huot and Shaikhha,
 * Figure 3.
 *
 * @example
 * shift1L([1, 2, 3]); // [2, 3]
 */
export function shift1L(a: Float64Array): Float64Array;
export function shift1L<T>(a: readonly T[]): T[];
export function shift1L(a: Items): Items {
  return a.slice(1);
}

/**
 * An array without its last element; an empty array for an empty one. Follows Huot and Shaikhha,
 * Figure 3.
 *
 * @example
 * shift1R([1, 2, 3]); // [1, 2]
 */
export function shift1R(a: Float64Array): Float64Array;
export function shift1R<T>(a: readonly T[]): T[];
export function shift1R(a: Items): Items {
  return a.slice(0, -1);
}

/**
 * Zeros in the shape of an array, or of an array of arrays. Follows Huot and Shaikhha, Figure 4.
 *
 * @example
 * zerosLike([[1, 2], [3]]); // [[0, 0], [0]]
 */
export function zerosLike<A extends Nested>(a: A): Like<A>;
export function zerosLike(a: Items): unknown {
  return filled(a, 0);
}

/**
 * Ones in the shape of an array, or of an array of arrays. Follows Huot and Shaikhha, Figure 4.
 *
 * @example
 * onesLike([5, 6]); // [1, 1]
 */
export function onesLike<A extends Nested>(a: A): Like<A>;
export function onesLike(a: Items): unknown {
  return filled(a, 1);
}

function filled(a: Items, value: number): Items {
  const { length } = a;
  if (a instanceof Float64Array) return new Float64Array(length).fill(value);
  const made = new Array<unknown>(length);
  for (let i = 0; i < length; i++) {
    const item = a[i];
    made[i] = item instanceof Float64Array || Array.isArray(item) ? filled(item, value) : value;
  }
  return made;
}
