// Fixed points `x = f(x)` by iteration. It returns converged points only.

import { notConverged, notFinite, otherSize } from "./failure.ts";
import { copied, distance, largest, sizeOf, stored, type State } from "./state.ts";

export interface Limits {
  readonly tolerance: number;
  readonly maxSteps: number;
}

export function iterated<S extends State>(
  f: (x: S) => S,
  start: S,
  { tolerance, maxSteps }: Limits,
): S {
  let x = copied(start);
  let change = NaN;
  for (let step = 1; step <= maxSteps; step++) {
    const next = f(copied(x));
    if (sizeOf(next) !== sizeOf(x)) throw otherSize("fixedPoint", sizeOf(x), sizeOf(next));
    const size = largest(next);
    if (!Number.isFinite(size))
      throw notFinite("fixedPoint", `the function returns it in step ${step}`);
    change = distance(next, x);
    x = stored(x, next);
    if (change <= tolerance * Math.max(1, size)) return x;
  }
  throw notConverged("fixedPoint", maxSteps, `the state still changes by ${change.toPrecision(2)}`);
}
