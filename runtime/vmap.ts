// `vmap`: a function of one example as a function of many. Input: a function, and which arguments
// are arrays. Output: a function of arrays. Where it is differentiated, the build writes the loop.

import type { AnyFunction } from "./forms.ts";

/** Which arguments are arrays of examples. Written as a literal. */
export interface VmapOptions {
  /** By argument: 0, an element for each example; `null`, the same for all. Absent: all are 0. */
  readonly axes?: readonly (0 | null)[];
}

/** Arrays of the arguments of `F`, except where the axis is null. */
export type Mapped<P extends readonly unknown[], O> = {
  [K in keyof P]: O extends { readonly axes: infer A }
    ? K extends keyof A
      ? A[K] extends null
        ? P[K]
        : Examples<P[K]>
      : Examples<P[K]>
    : Examples<P[K]>;
};
type Examples<T> = readonly T[];

/**
 * `f` for many examples: `(...arrays) => results`, one result for each element of the arrays.
 *
 * Arguments with axis `null` are the same for all. The arrays have one length. Derivatives nest
 * both ways: `vmap(grad(f))` gives a gradient for each example, and a function that calls `vmap(f)`
 * can be differentiated, where `vmap` becomes a loop that is fused with others. It needs no build
 * step by itself.
 *
 * @throws RangeError if the arrays have different lengths, or no argument is an array.
 * @example
 * const loss = (w: number[], x: number): number => (w[0] + w[1] * x - 1) ** 2;
 * const each = vmap(grad(loss), { axes: [null, 0] });
 * each([1, 2], [0, 1]); // [[0, 0], [4, 4]]
 */
export function vmap<F extends AnyFunction, const O extends VmapOptions = {}>(
  f: F,
  options?: O,
): (...args: Mapped<Parameters<F>, O>) => ReturnType<F>[];
export function vmap(f: AnyFunction, options: VmapOptions = {}): (...args: never) => unknown[] {
  return (...args: readonly unknown[]) =>
    overExamples(args, options, (example): unknown => Reflect.apply(f, undefined, example));
}

/** Calls `each` with the arguments of every example. */
export function overExamples<R>(
  args: readonly unknown[],
  { axes = [] }: VmapOptions,
  each: (example: unknown[], i: number) => R,
): R[] {
  const lists = args.filter((_, k) => axes[k] !== null);
  const [first] = lists;
  if (!isList(first)) throw new RangeError("vmap: no argument is an array");
  const { length } = first;
  if (!lists.every((list) => isList(list) && list.length === length))
    throw new RangeError("vmap: arrays of different sizes");
  return Array.from({ length }, (_, i) =>
    each(
      args.map((arg, k) => (axes[k] === null || !isList(arg) ? arg : arg[i])),
      i,
    ),
  );
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
