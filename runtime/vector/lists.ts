// The operands of vector functions, and the check of their sizes. A result has the kind of the
// first array.

/** An array of numbers. */
export type Numbers = Float64Array | readonly number[];

/** An array of anything. */
export type Items = Float64Array | readonly unknown[];

/** Arrays of numbers, nested at will. */
export type Nested = Numbers | readonly Nested[];

/** A callback as an implementation sees it; overloads state its type. */
export type Call = (...args: unknown[]) => unknown;

/** The same nested arrays, with writable numbers. */
export type Like<T> = T extends number
  ? number
  : T extends Float64Array
    ? Float64Array
    : T extends readonly (infer E)[]
      ? Like<E>[]
      : never;

/**
 * Throws if two arrays have different sizes.
 *
 * @throws RangeError "arrays of different sizes".
 * @example
 * sameSize([1, 2], [3, 4]);
 * sameSize([1, 2], [3]); // throws "arrays of different sizes"
 */
export function sameSize(a: Items, b: Items): void {
  if (a.length !== b.length) throw new RangeError("arrays of different sizes");
}
