// `scan`: a loop that carries a value and stacks what its iterations give. Where it is
// differentiated, the build writes the loop.

/**
 * A loop with a carried value: `[carry, ys]`, where `step(carry, x)` gives `[carry, y]`.
 *
 * It calls `step` for each element of `xs`, an array or a `Float64Array`, and returns the last
 * carried value and the array of all `y`. `{ length: n }` in place of `xs` calls `step(carry)` n
 * times. Carried values and `y` are numbers, arrays, records, nested at will. Inside of a function
 * that is differentiated it becomes one loop. It needs no build step by itself.
 *
 * @example
 * const balance = (rate: number, payments: number[]): [number, number[]] =>
 *   scan((sum: number, x: number) => [sum * rate + x, sum * rate], 0, payments);
 * balance(2, [1, 1, 1]); // [7, [0, 2, 6]]
 * grad((rate: number): number => balance(rate, [1, 1, 1])[0])(2); // 5
 */
export function scan<C, X, Y>(
  step: (carry: C, x: X) => readonly [carry: C, y: Y],
  init: C,
  xs: readonly X[],
): [carry: C, ys: Y[]];
export function scan<C, Y>(
  step: (carry: C, x: number) => readonly [carry: C, y: Y],
  init: C,
  xs: Float64Array,
): [carry: C, ys: Y[]];
export function scan<C, Y>(
  step: (carry: C) => readonly [carry: C, y: Y],
  init: C,
  xs: { readonly length: number },
): [carry: C, ys: Y[]];
export function scan(
  step: (...args: never) => readonly [unknown, unknown],
  init: unknown,
  xs: ArrayLike<unknown>,
): [unknown, unknown[]] {
  let carry = init;
  const isList = Array.isArray(xs) || ArrayBuffer.isView(xs);
  const ys = Array.from({ length: xs.length }, (_, i) => {
    const given: unknown[] = isList ? [carry, xs[i]] : [carry];
    const [next, y] = step(...(given as never)); // the overloads give their types
    carry = next;
    return y;
  });
  return [carry, ys];
}
