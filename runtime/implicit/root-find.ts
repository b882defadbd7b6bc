// Roots by damped Newton's method, with differences for the Jacobian. It returns converged roots
// only. The derivative depends on the root alone, so differences suffice on the way.

import { notConverged, notFinite, otherSize } from "./failure.ts";
import type { Limits } from "./fixed-point.ts";
import { quotient, solved } from "./linear.ts";
import { copied, entryOf, largest, moved, shifted, sizeOf, type State } from "./state.ts";

type Residual<S extends State> = (x: S) => S;

/** Step of a one-sided difference: half of the digits. */
const DIFFERENCE = Math.sqrt(Number.EPSILON);

/** `given` may write its argument, and return the same list each time. */
export function rooted<S extends State>(
  given: Residual<S>,
  start: S,
  { tolerance, maxSteps }: Limits,
): S {
  const f: Residual<S> = (at) => copied(given(copied(at)));
  let x = start;
  let y = f(x);
  if (sizeOf(y) !== sizeOf(x)) throw otherSize("rootFind", sizeOf(x), sizeOf(y));
  if (!Number.isFinite(largest(y)))
    throw notFinite("rootFind", "the function returns it at the start");
  for (let step = 1; step <= maxSteps; step++) {
    if (largest(y) === 0) return copied(x);
    const newton = newtonStep(f, x, y);
    const isLast = largest(newton) <= tolerance * Math.max(1, largest(x));
    const next = shorter(f, x, y, newton, isLast ? 1 : 1e-12);
    // Close to the root, rounding may hide further progress; parts of a step would not show it.
    if (next === null && isLast) return copied(x);
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

const SINGULAR = "`rootFind` comes to a point where the Jacobian is singular";

/** The step to where the linearised residual is 0. */
function newtonStep<S extends State>(f: Residual<S>, x: S, y: S): number | readonly number[] {
  if (typeof y === "number") {
    const residual: number = y;
    return quotient(-residual, slope(f, x, y, 0)(0), SINGULAR);
  }
  const columns = Array.from(y, (_, j) => slope(f, x, y, j));
  return solved(
    columns.map((_, i) => columns.map((column) => column(i))),
    Array.from(y, (entry) => -entry),
    SINGULAR,
  );
}

/** Column `j` of the Jacobian, by row. */
function slope<S extends State>(f: Residual<S>, x: S, y: S, j: number): (i: number) => number {
  const entry = entryOf(x, j);
  const there = shifted(x, j, DIFFERENCE * Math.max(1, Math.abs(entry)));
  const moved = f(there);
  const by = entryOf(there, j) - entry;
  return (i) => (entryOf(moved, i) - entryOf(y, i)) / by;
}

/** The longest of the parts 1, 1/2, 1/4, … of a step that decreases the residual. */
function shorter<S extends State>(
  f: Residual<S>,
  x: S,
  y: S,
  newton: number | readonly number[],
  least: number,
): { readonly x: S; readonly y: S } | null {
  for (let by = 1; by >= least; by /= 2) {
    const there = moved(x, newton, by);
    const next = f(there);
    // not if it is NaN
    if (largest(next) < (1 - by * 1e-4) * largest(y)) return { x: there, y: next };
  }
  return null;
}
