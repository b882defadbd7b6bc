// Roots by damped Newton's method, with differences for the Jacobian. It returns converged roots
// only. The derivative depends on the root alone, so differences suffice on the way.

import { notConverged, notFinite, otherSize } from "./failure.ts";
import type { Limits } from "./fixed-point.ts";
import { solved } from "./linear.ts";
import { areFinite, largest, moved } from "./state.ts";

type Residual = (x: readonly number[]) => number[];

/** Step of a one-sided difference: half of the digits. */
const DIFFERENCE = Math.sqrt(Number.EPSILON);

export function rooted(
  f: Residual,
  start: readonly number[],
  { tolerance, maxSteps }: Limits,
): number[] {
  let x = [...start];
  let y = f(x);
  if (y.length !== x.length) throw otherSize("rootFind", x.length, y.length);
  if (!areFinite(y)) throw notFinite("rootFind", "the function returns it at the start");
  for (let step = 1; step <= maxSteps; step++) {
    if (largest(y) === 0) return x;
    const newton = solved(
      jacobian(f, x, y),
      y.map((entry) => -entry),
      `\`rootFind\` comes to a point where the Jacobian is singular, in step ${step}`,
    );
    const isLast = largest(newton) <= tolerance * Math.max(1, largest(x));
    const next = shorter(f, x, y, newton);
    // Close to the root, rounding may hide further progress.
    if (next === null && isLast) return x;
    if (next === null)
      throw notConverged(
        "rootFind",
        step,
        `no step makes the residual ${largest(y).toPrecision(2)} smaller`,
      );
    ({ x, y } = next);
    if (isLast) return x;
  }
  throw notConverged("rootFind", maxSteps, `the residual is still ${largest(y).toPrecision(2)}`);
}

function jacobian(f: Residual, x: readonly number[], y: readonly number[]): number[][] {
  const rows = y.map((): number[] => []);
  x.forEach((entry, j) => {
    const there = entry + DIFFERENCE * Math.max(1, Math.abs(entry));
    const moved = f(x.map((other, k) => (k === j ? there : other)));
    rows.forEach((row, i) => {
      row.push(((moved[i] ?? NaN) - (y[i] ?? NaN)) / (there - entry));
    });
  });
  return rows;
}

/** The longest of the steps s, s/2, s/4, … that decreases the residual. */
function shorter(
  f: Residual,
  x: readonly number[],
  y: readonly number[],
  newton: readonly number[],
): { readonly x: number[]; readonly y: number[] } | null {
  for (let by = 1; by > 1e-12; by /= 2) {
    const there = moved(x, newton, by);
    const next = f(there);
    if (areFinite(next) && largest(next) < (1 - by * 1e-4) * largest(y))
      return { x: there, y: next };
  }
  return null;
}
