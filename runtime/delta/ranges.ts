// Terms with consecutive parents, as one range term of a node.

import { meetRanges } from "./evaluate.ts";
import { foreign, PT, WT } from "./tape.ts";
import type { Id } from "./value.ts";

/** Appends a range term for at least two consecutive ids. Returns the next free place. */
export function inRange(first: Id, by: ArrayLike<number>, count: number, from: number): number {
  if (by instanceof Float64Array && by.length === count) WT.set(by, from);
  else for (let k = 0; k < count; k++) WT[from + k] = by[k] ?? NaN;
  return ranged(from, first, count);
}

/** Writes the header of a range term, whose partials are in place. Returns the next free place. */
function ranged(from: number, first: Id, count: number): number {
  meetRanges(sweepRange);
  PT[from] = ~first;
  PT[from + 1] = count;
  return from + count;
}

function sweepRange(
  of: number,
  oldest: Id,
  start: Id,
  adjoints: Float64Array,
  adjoint: number,
  from: number,
  wt: Float64Array,
  pt: Int32Array,
): number {
  const first = of < 0 ? ~of : of;
  const last = from + (pt[from + 1] ?? 0) - 1;
  if (first < start) throw foreign(first, oldest);
  for (let k = from, at = first - start; k <= last; k++, at++)
    adjoints[at] = (adjoints[at] ?? 0) + adjoint * (wt[k] ?? 0);
  return last;
}
