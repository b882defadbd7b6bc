// The operands of vector functions, and the check of their sizes. A result has the kind of the
// first array.

/** An array of numbers. */
export type Numbers = Float64Array | readonly number[];

/** An array of anything. */
export type Items = Float64Array | readonly unknown[];

/** Numbers in arrays, in arrays. */
export type Nested = Numbers | readonly Nested[];

/** A function as an implementation sees it: its overloads say what it takes and gives. */
export type Call = (...args: unknown[]) => unknown;

/** The same arrays inside of each other, with numbers that can be written. */
export type Like<T> = T extends number
  ? number
  : T extends Float64Array
    ? Float64Array
    : T extends readonly (infer E)[]
      ? Like<E>[]
      : never;

/**
 * Throws where two arrays are not of one size.
 *
 * @throws RangeError where they are not.
 * @example
 * sameSize([1, 2], [3, 4]);
 */
export function sameSize(a: Items, b: Items): void {
  if (a.length !== b.length) throw new RangeError("arrays of different sizes");
}
