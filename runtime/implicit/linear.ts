// Dense linear systems. A matrix that is singular to working precision is an error; the arguments
// are not written.

import { notFinite, otherSize, singular } from "./failure.ts";
import { areFinite, entriesOf, largest } from "./state.ts";

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
  const x = solved(
    a,
    entriesOf(b),
    "a matrix is singular, so the solution of its system, or the one whose Jacobian it is, is not a function of the parameters there",
  );
  return Array.isArray(b) ? x : Float64Array.from(x);
}

/** `problem`: the message for a singular matrix. */
export function solved(
  a: readonly (readonly number[])[],
  b: readonly number[],
  problem: string,
): number[] {
  const rows = a.map((row) => [...row]);
  const x = [...b];
  const size = x.length;
  const odd = rows.find((row) => row.length !== size);
  if (rows.length !== size || odd !== undefined)
    throw otherSize("solveLinear", size, odd?.length ?? rows.length);
  const scale = largest(rows.flat());
  if (!Number.isFinite(scale) || !areFinite(x))
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

function substituteBack(rows: readonly (readonly number[])[], x: number[]): void {
  for (let k = x.length - 1; k >= 0; k--) {
    const row = rows[k] ?? [];
    let sum = x[k] ?? 0;
    for (let j = k + 1; j < x.length; j++) sum -= (row[j] ?? 0) * (x[j] ?? 0);
    x[k] = sum / (row[k] ?? 0);
  }
}

/** Moves the largest entry of column `k`, from row `k` on, to row `k`. */
function exchange(rows: number[][], x: number[], k: number): void {
  let best = k;
  for (let i = k + 1; i < rows.length; i++)
    if (Math.abs(rows[i]?.[k] ?? 0) > Math.abs(rows[best]?.[k] ?? 0)) best = i;
  [rows[k], rows[best]] = [rows[best] ?? [], rows[k] ?? []];
  [x[k], x[best]] = [x[best] ?? 0, x[k] ?? 0];
}

function subtract(rows: number[][], x: number[], i: number, k: number, pivot: number): void {
  const from = rows[i] ?? [];
  const by = rows[k] ?? [];
  const factor = (from[k] ?? 0) / pivot;
  if (factor === 0) return;
  for (let j = k; j < from.length; j++) from[j] = (from[j] ?? 0) - factor * (by[j] ?? 0);
  x[i] = (x[i] ?? 0) - factor * (x[k] ?? 0);
}
