// Minima by Newton's method, with differences for gradient and Hessian. It returns converged minima
// only. The derivative depends on the minimum alone, so differences suffice on the way.

import { notConverged, notFinite } from "./failure.ts";
import type { Limits } from "./fixed-point.ts";
import { largest, moved } from "./state.ts";

type Objective = (x: readonly number[]) => number;

/** Steps that balance rounding and truncation, for slopes and curvatures. */
const SLOPE = Number.EPSILON ** (1 / 5);
const CURVATURE = Number.EPSILON ** (1 / 4);

interface Point {
  readonly x: number[];
  readonly value: number;
  readonly slopes: readonly number[];
}

export function minimised(
  f: Objective,
  start: readonly number[],
  { tolerance, maxSteps }: Limits,
): number[] {
  let at = pointOf(f, [...start]);
  if (!Number.isFinite(at.value) || !Number.isFinite(largest(at.slopes)))
    throw notFinite("argmin", "the function returns it at or around the start");
  for (let step = 1; step <= maxSteps; step++) {
    const { newton, isMinimum } = downhill(curvatures(f, at), at.slopes);
    const isLast = isMinimum && largest(newton) <= tolerance * Math.max(1, largest(at.x));
    if (isMinimum && largest(at.slopes) === 0) return at.x;
    const next = lower(f, at, newton);
    if (next === null && isLast) return at.x;
    if (next === null)
      throw notConverged(
        "argmin",
        step,
        `no step makes the function smaller, where its slope is ${largest(at.slopes).toPrecision(2)}${isMinimum ? "" : ", at a saddle or a maximum"}`,
      );
    at = next;
    if (isLast) return at.x;
  }
  throw notConverged("argmin", maxSteps, `the slope is still ${largest(at.slopes).toPrecision(2)}`);
}

function pointOf(f: Objective, x: number[]): Point {
  const slopes = x.map((entry, j) => {
    const h = SLOPE * Math.max(1, Math.abs(entry));
    const along = (t: number): number => f(x.map((other, k) => (k === j ? entry + t : other)));
    return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
  });
  return { x, value: f(x), slopes };
}

function curvatures(f: Objective, { x, value }: Point): number[][] {
  const steps = x.map((entry) => CURVATURE * Math.max(1, Math.abs(entry)));
  const shifted = (i: number, s: number, j: number, t: number): number =>
    f(x.map((entry, k) => entry + (k === i ? s : 0) + (k === j ? t : 0)));
  const rows = x.map((): number[] => x.map(() => 0));
  steps.forEach((h, i) => {
    for (let j = 0; j <= i; j++) {
      const k = steps[j] ?? h;
      const second =
        i === j
          ? (shifted(i, h, -1, 0) - 2 * value + shifted(i, -h, -1, 0)) / (h * h)
          : (shifted(i, h, j, k) -
              shifted(i, h, j, -k) -
              shifted(i, -h, j, k) +
              shifted(i, -h, j, -k)) /
            (4 * h * k);
      const row = rows[i];
      const other = rows[j];
      if (row !== undefined && other !== undefined) row[j] = other[i] = second;
    }
  });
  return rows;
}

/** Relative size of curvatures that second differences cannot discriminate from 0. */
const FLAT = 1e-5;

/** The Newton step of a Hessian made positive definite. `isMinimum`: it was, up to rounding. */
function downhill(
  rows: readonly (readonly number[])[],
  slopes: readonly number[],
): { readonly newton: readonly number[]; readonly isMinimum: boolean } {
  const scale = Math.max(largest(rows.flat()), 1e-8);
  for (const shift of [0, FLAT, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100]) {
    const newton = solvedPositive(
      rows.map((row, i) => row.map((entry, j) => entry + (i === j ? shift * scale : 0))),
      slopes.map((slope) => -slope),
    );
    if (newton !== null) return { newton, isMinimum: shift <= FLAT };
  }
  return { newton: slopes.map((slope) => -slope), isMinimum: false };
}

/** Solves by Cholesky factors; null if the matrix is not positive definite. */
function solvedPositive(
  rows: readonly (readonly number[])[],
  right: readonly number[],
): number[] | null {
  const lower = choleskyFactor(rows);
  if (lower === null) return null;
  const x = [...right];
  for (const [i, row] of lower.entries()) {
    let sum = x[i] ?? 0;
    for (let k = 0; k < i; k++) sum -= (row[k] ?? 0) * (x[k] ?? 0);
    x[i] = sum / (row[i] ?? 1);
  }
  solveTransposed(lower, x);
  return x;
}

/** Solves Lᵀ y = x in place. */
function solveTransposed(lower: readonly (readonly number[])[], x: number[]): void {
  for (let i = x.length - 1; i >= 0; i--) {
    let sum = x[i] ?? 0;
    for (let k = i + 1; k < x.length; k++) sum -= (lower[k]?.[i] ?? 0) * (x[k] ?? 0);
    x[i] = sum / (lower[i]?.[i] ?? 1);
  }
}

/** The lower factor L with L Lᵀ = the matrix. */
function choleskyFactor(rows: readonly (readonly number[])[]): number[][] | null {
  const lower: number[][] = [];
  for (const [i, row] of rows.entries()) {
    const own: number[] = [];
    for (let j = 0; j <= i; j++) {
      const other = j === i ? own : (lower[j] ?? []);
      let sum = row[j] ?? 0;
      for (let k = 0; k < j; k++) sum -= (own[k] ?? 0) * (other[k] ?? 0);
      if (j === i && !(sum > 0)) return null;
      own.push(j === i ? Math.sqrt(sum) : sum / (other[j] ?? 1));
    }
    lower.push(own);
  }
  return lower;
}

/** The longest of the steps s, s/2, … that decreases the function, or its slope within noise. */
function lower(f: Objective, at: Point, newton: readonly number[]): Point | null {
  let slope = 0;
  newton.forEach((entry, i) => {
    slope += entry * (at.slopes[i] ?? 0);
  });
  const noise = 16 * Number.EPSILON * Math.max(Math.abs(at.value), Number.MIN_VALUE);
  for (let by = 1; by > 1e-12; by /= 2) {
    const x = moved(at.x, newton, by);
    const value = f(x);
    if (value <= at.value + 1e-4 * by * slope) return pointOf(f, x);
    if (!(Math.abs(value - at.value) <= noise)) continue;
    const next = pointOf(f, x);
    if (largest(next.slopes) < largest(at.slopes)) return next;
  }
  return null;
}
