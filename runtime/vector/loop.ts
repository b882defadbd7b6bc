// Loops as functions. Iterations run once each, in ascending order.

/**
 * `f(… f(f(first)) …)`, `n` times. Follows ksc notes, Figures 16 and 17.
 *
 * @example
 * nTimes(3, 1, (s) => 2 * s); // 8
 */
export function nTimes<S>(n: number, first: S, f: (s: S) => S): S {
  let s = first;
  for (let i = 0; i < n; i++) s = f(s);
  return s;
}

/**
 * A loop whose iterations commute: `f(n - 1, … f(1, f(0, first)) …)`, the same in any order.
 * Follows ksc notes, Figures 18 and 19.
 *
 * @example
 * ccl(4, 0, (i, s) => s + i * i); // 14
 */
export function ccl<S>(n: number, first: S, f: (i: number, s: S) => S): S {
  let s = first;
  for (let i = 0; i < n; i++) s = f(i, s);
  return s;
}
