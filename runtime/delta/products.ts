// Sums of products of two lists. In: a sum, the lists, their ids. Out: a node whose terms are written all at once. Invariants: parents that follow each other are one term with many partials;
// what a list does not have at a place counts as in JavaScript, NaN.

import { meetRanges } from "./evaluate.ts";
import { ret } from "./register.ts";
import { addTerm, firstTerm, foreign, linear3, PT, summed, TERMS, WT } from "./tape.ts";
import type { Id, Value } from "./value.ts";

/** s + Σ a[k] b[k] of all k below `count`, by the ids of two lists that have not changed since the sum was computed. */
// eslint-disable-next-line max-params -- rewritten code passes values and ids as flat pairs
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

/** value + Σ x² of all x of a list, which is as long as it says before each of them; `s` is the id of `value`. */
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

/** Terms of ids from a place on. Returns the next place. */
function scaled(ids: readonly Id[], by: ArrayLike<number>, count: number, from: number): number {
  // ids of overlapping views say what they are when they are asked for one
  if (ids.length === 0 && ids[0] === undefined) return from;
  const first = ids[0] ?? 0;
  let length = 0;
  while (length < count && ids[length] === first + length) length++;
  return first !== 0 && length === count && count > 1
    ? inRange(first, by, count, from)
    : oneByOne(ids, by, count, from);
}

/** Terms of ids that follow each other, of which there are at least two. Returns the next place. */
export function inRange(first: Id, by: ArrayLike<number>, count: number, from: number): number {
  if (by instanceof Float64Array && by.length === count) WT.set(by, from);
  else for (let k = 0; k < count; k++) WT[from + k] = by[k] ?? NaN;
  return ranged(from, first, count);
}

/** Partials towards ids that follow each other stand at their places. Returns the next one. */
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

// eslint-disable-next-line max-params -- hot loop: numbers, without an object per call
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
