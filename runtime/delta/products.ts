// Sums of products of two arrays as one node with many terms. Consecutive parents are one range
// term. A missing element is NaN, as in JavaScript.

import { meetRanges } from "./evaluate.ts";
import { ret } from "./register.ts";
import { addTerm, firstTerm, foreign, linear3, PT, summed, TERMS, WT } from "./tape.ts";
import type { Id, Value } from "./value.ts";

/** s + Σ a[k] b[k] for k below `count`. The ids must be unchanged since the sum was computed. */
export function dotted(
  s: Id,
  a: ArrayLike<number>,
  as: readonly Id[],
  b: ArrayLike<number>,
  bs: readonly Id[],
  count: number,
): Id {
  const first = firstTerm();
  if (first + 2 * count <= TERMS)
    return summed(s, first, scaled(bs, a, count, scaled(as, b, count, first)));
  let z = summed(s, first, first);
  for (let k = 0; k < count; k++)
    z = linear3(z, 1, as[k] ?? 0, b[k] ?? NaN, bs[k] ?? 0, a[k] ?? NaN);
  return z;
}

/** value + Σ x² over an array, whose length is read before each element. `s`: the id of `value`. */
export function squares(
  value: Value,
  s: Id,
  { list, ids }: { readonly list: Value; readonly ids: readonly Id[] },
): Value {
  const first = firstTerm();
  const p = ids[0] ?? 0;
  let sum = value;
  let count = 0;
  let after = 0;
  for (; count < list.length; count++) {
    const x = list[count];
    sum = sum + x * x;
    if (first + count < TERMS) WT[first + count] = x + x;
    if (ids[count] === p + count) after++;
  }
  const isRange = p !== 0 && after === count && count > 1 && first + count <= TERMS;
  return ret(
    sum,
    isRange ? summed(s, first, ranged(first, p, count)) : squared(s, first, list, ids, count),
  );
}

function squared(
  s: Id,
  first: number,
  list: ArrayLike<number>,
  ids: readonly Id[],
  count: number,
): Id {
  let at = first;
  for (let k = 0; k < count; k++) at = addTerm(at, ids[k] ?? 0, 2 * (list[k] ?? NaN));
  return summed(s, first, at);
}

/** Appends terms for ids. Returns the next free place. */
function scaled(ids: readonly Id[], by: ArrayLike<number>, count: number, from: number): number {
  // Ids of overlapping views are only known one by one.
  if (ids.length === 0 && ids[0] === undefined) return from;
  const first = ids[0] ?? 0;
  let length = 0;
  while (length < count && ids[length] === first + length) length++;
  return first !== 0 && length === count && count > 1
    ? inRange(first, by, count, from)
    : oneByOne(ids, by, count, from);
}

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

function oneByOne(ids: readonly Id[], by: ArrayLike<number>, count: number, from: number): number {
  let at = from;
  for (let k = 0; k < count; k++) {
    const p = ids[k] ?? 0;
    if (p === 0) continue;
    PT[at] = p;
    WT[at] = by[k] ?? NaN;
    at++;
  }
  return at;
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
