// Loops as functions. Iterations run once each, in ascending order.

/**
 * `f(… f(f(first)) …)`, `n` times.
 *
 * @example
 * nTimes(3, 1, (s) => 2 * s); // 8
 *
 * ksc notes, Figures 16 and 17.
 */
export function nTimes<S>(n: number, first: S, f: (s: S) => S): S {
  let s = first;
  for (let i = 0; i < n; i++) s = f(s);
  return s;
}

/**
 * A loop whose rounds commute: `f(n - 1, … f(1, f(0, first)) …)`, which any order of rounds would give.
 *
 * @example
 * ccl(4, 0, (i, s) => s + i * i); // 14
 *
 * ksc notes, Figures 18 and 19.
 */
export function ccl<S>(n: number, first: S, f: (i: number, s: S) => S): S {
  let s = first;
  for (let i = 0; i < n; i++) s = f(i, s);
  return s;
}
