// Derivatives by differences of values, with error bounds (Richardson extrapolation, Ridders'
// choice). Where differences do not settle, the error is large.

/** The numbers of a result at a step along the line; null if the result has another shape there. */
export type Line = (step: number) => readonly number[] | null;

export interface Estimate {
  readonly value: number;
  /** A bound of the error; Infinity if differences do not settle. */
  readonly error: number;
  /** Measured rounding of the value: a smooth function is linear at the smallest steps. */
  readonly noise: number;
  /** One-sided slopes at a small step, which differ at a kink. */
  readonly left: number;
  readonly right: number;
}

const FIRST = 0.1;
const RATIO = 4;
const ROWS = 11;
const COLUMNS = 4;
/** Steps from 0.1 down to 1e-7. */
export const STEPS: readonly number[] = Array.from({ length: ROWS }, (_, k) => FIRST / RATIO ** k);
/** The row of the one-sided slopes: about 4e-4, between truncation and rounding errors. */
const ONE_SIDED = 4;

/** Central differences from 0.1 units down, extrapolated (Richardson), the best entry (Ridders). */
export function slopesAlong(along: Line, unit: number = 1, isSingle: boolean = false): Estimate[] {
  const line: Line = (step) => along(step * unit);
  const middle = line(0) ?? [];
  const forward = STEPS.map((step) => line(step));
  const back = STEPS.map((step) => line(-step));
  return middle.map((value, i) => {
    const plus = forward.map((row) => row?.[i] ?? NaN);
    const minus = back.map((row) => row?.[i] ?? NaN);
    // Arguments and results in a Float32Array are rounded, so a small step may have no effect.
    const noise = Math.max(
      noiseOf(value, plus, minus),
      isSingle
        ? 2 ** -22 *
            (Math.abs(value) + Math.abs((plus[0] ?? NaN) - (minus[0] ?? NaN)) / (2 * FIRST))
        : 0,
    );
    const slopes = STEPS.map((step, k) => ((plus[k] ?? NaN) - (minus[k] ?? NaN)) / (2 * step));
    const step = STEPS[ONE_SIDED] ?? NaN;
    const { value: slope, error } = best(slopes, noise);
    return {
      value: slope / unit,
      error: error / unit,
      noise,
      left: (value - (minus[ONE_SIDED] ?? NaN)) / step / unit,
      right: ((plus[ONE_SIDED] ?? NaN) - value) / step / unit,
    };
  });
}

/** At the smallest steps, a second difference is rounding only. */
function noiseOf(value: number, plus: readonly number[], minus: readonly number[]): number {
  const last = [ROWS - 1, ROWS - 2].map((k) =>
    Math.abs((plus[k] ?? NaN) - 2 * value + (minus[k] ?? NaN)),
  );
  return Math.max(2 * Number.EPSILON * Math.abs(value), ...last.filter((x) => !Number.isNaN(x)));
}

function best(slopes: readonly number[], noise: number): { value: number; error: number } {
  let found = { value: NaN, error: Infinity };
  let above: readonly number[] = [];
  slopes.forEach((slope, k) => {
    const row = [slope];
    const rounding = noise / (STEPS[k] ?? 1);
    for (let j = 1; j <= Math.min(k, COLUMNS); j++) {
      const factor = RATIO ** (2 * j);
      const left = row[j - 1] ?? NaN;
      const upper = above[j - 1] ?? NaN;
      row.push((factor * left - upper) / (factor - 1));
      // Smaller steps must agree, or the larger steps have missed something.
      const apart = Math.max(
        ...slopes
          .slice(k + 1)
          .map(
            (finer, n) => Math.abs(finer - (row[j] ?? NaN)) - (4 * noise) / (STEPS[k + 1 + n] ?? 1),
          ),
        0,
      );
      const error =
        Math.max(Math.abs((row[j] ?? NaN) - left), Math.abs((row[j] ?? NaN) - upper)) +
        rounding +
        Math.max(apart - Math.abs(slope - (row[j] ?? NaN)), 0);
      if (error < found.error) found = { value: row[j] ?? NaN, error };
    }
    above = row;
  });
  return found;
}

/**
 * The exponent p of a remainder `h^p`; Infinity if it stays within the noise. It is the best of
 * three neighbouring steps, since terms may cancel at one step.
 */
export function orderOf(remainder: (step: number) => number, noise: number): number {
  // Ratio 2 from 0.1: a term of h² exceeds the noise of a double down to 1e-6.
  const steps = Array.from({ length: 22 }, (_, k) => FIRST / 2 ** k);
  const sizes = steps.map(remainder);
  const orders: number[] = [];
  for (let k = 1; k < sizes.length; k++) {
    const coarse = sizes[k - 1] ?? NaN;
    const fine = sizes[k] ?? NaN;
    // Below fifty times its noise, a remainder does not determine the order to a tenth.
    if (fine > 50 * noise) orders.push(Math.log2(coarse / fine));
  }
  const known = orders.filter((order) => !Number.isNaN(order)).slice(-3);
  return known.length === 0 ? Infinity : Math.max(...known);
}
