// Fixed points `x = f(x)` by iteration. It returns converged points only.

import { notConverged, notFinite, otherSize } from "./failure.ts";
import { areFinite, largest } from "./state.ts";

export interface Limits {
  readonly tolerance: number;
  readonly maxSteps: number;
}

export function iterated(
  f: (x: readonly number[]) => number[],
  start: readonly number[],
  { tolerance, maxSteps }: Limits,
): number[] {
  let x = [...start];
  let change = NaN;
  for (let step = 1; step <= maxSteps; step++) {
    const next = f(x);
    if (next.length !== x.length) throw otherSize("fixedPoint", x.length, next.length);
    if (!areFinite(next)) throw notFinite("fixedPoint", `the function returns it in step ${step}`);
    change = largest(next.map((entry, i) => entry - (x[i] ?? NaN)));
    x = next;
    if (change <= tolerance * Math.max(1, largest(x))) return x;
  }
  throw notConverged("fixedPoint", maxSteps, `the state still changes by ${change.toPrecision(2)}`);
}
