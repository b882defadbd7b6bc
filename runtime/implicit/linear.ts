// Dense linear systems. A matrix that is singular to working precision is an error; the arguments
// are not written.

import { notFinite, otherSize, singular } from "./failure.ts";
import { copied, largest } from "./state.ts";

type Side = number[] | Float64Array;

/** Pivots below this part of the largest entry are rounding errors of the elimination. */
const PIVOT = 8 * Number.EPSILON;

/**
 * The solution `x` of `a x = b`, by elimination with row exchanges: about n³/3 multiplications.
 *
 * A derivative solves one more system, with the same matrix or its transpose. Follows Estep §2-3
 * (rules).
 *
 * @throws Error `TSG0017` if the matrix is singular to working precision, `TSG0018` if it or `b`
 * holds NaN or Infinity, `TSG0019` if it is not square.
 * @example
 * solveLinear([[2, 0], [1, 1]], [4, 5]); // [2, 3]
 */
export function solveLinear(a: readonly (readonly number[])[], b: number[]): number[];
export function solveLinear(a: readonly (readonly number[])[], b: Float64Array): Float64Array;
export function solveLinear(
  a: readonly (readonly number[])[],
  b: number[] | Float64Array,
): number[] | Float64Array {
  return solved(
    a,
    b,
    "a matrix is singular, so the solution of its system, or the one whose Jacobian it is, is not a function of the parameters there",
  );
}

/** `problem`: the message for a singular matrix. */
export function solved<S extends Side>(
  a: readonly (readonly number[])[],
  b: S,
  problem: string,
): S {
  const rows = a.map((row) => row.slice());
  const x = copied(b);
  const size = x.length;
  const odd = rows.find((row) => row.length !== size);
  if (rows.length !== size || odd !== undefined)
    throw otherSize("solveLinear", size, odd?.length ?? rows.length);
  let scale = 0;
  for (const row of rows) scale = Math.max(scale, largest(row));
  if (!Number.isFinite(Math.max(scale, largest(x))))
    throw notFinite("solveLinear", "an entry of the system is one");
  for (let k = 0; k < size; k++) {
    exchange(rows, x, k);
    const pivot = rows[k]?.[k] ?? 0;
    if (!(Math.abs(pivot) > PIVOT * size * scale)) throw singular(problem);
    for (let i = k + 1; i < size; i++) subtract(rows, x, i, k, pivot);
  }
  substituteBack(rows, x);
  return x;
}

/** The solution of `a x = b` of numbers. */
export function quotient(b: number, a: number, problem: string): number {
  if (!Number.isFinite(a) || !Number.isFinite(b))
    throw notFinite("solveLinear", "an entry of the system is one");
  if (a === 0) throw singular(problem);
  return b / a;
}

function substituteBack(rows: readonly (readonly number[])[], x: Side): void {
  for (let k = x.length - 1; k >= 0; k--) {
    const row = rows[k] ?? [];
    let sum = x[k] ?? 0;
    for (let j = k + 1; j < x.length; j++) sum -= (row[j] ?? 0) * (x[j] ?? 0);
    x[k] = sum / (row[k] ?? 0);
  }
}

/** Moves the largest entry of column `k`, from row `k` on, to row `k`. */
function exchange(rows: number[][], x: Side, k: number): void {
  let best = k;
  for (let i = k + 1; i < rows.length; i++)
    if (Math.abs(rows[i]?.[k] ?? 0) > Math.abs(rows[best]?.[k] ?? 0)) best = i;
  if (best === k) return;
  [rows[k], rows[best]] = [rows[best] ?? [], rows[k] ?? []];
  [x[k], x[best]] = [x[best] ?? 0, x[k] ?? 0];
}

function subtract(rows: number[][], x: Side, i: number, k: number, pivot: number): void {
  const from = rows[i] ?? [];
  const by = rows[k] ?? [];
  const factor = (from[k] ?? 0) / pivot;
  if (factor === 0) return;
  for (let j = k; j < from.length; j++) from[j] = (from[j] ?? 0) - factor * (by[j] ?? 0);
  x[i] = (x[i] ?? 0) - factor * (x[k] ?? 0);
}
