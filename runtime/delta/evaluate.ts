// Evaluation: adjoints of what a run recorded. In: nodes, seeds. Out: adjoints by id, from one walk backwards. Invariants: every node is met once, the last first;
// an adjoint that is exactly 0 meets no partial, so 0 x Infinity is 0; a parent of another run throws.

import {
  CHUNK,
  chunks,
  COLUMNS,
  foreign,
  next,
  origin,
  reverses,
  type Chunk,
  type Contribute,
  type Mark,
  type Reverse,
  type Stretch,
} from "./tape.ts";
import type { Id } from "./value.ts";

/** Adjoints that nobody needs any more, for the next evaluation: fresh memory costs more than the sweep. */
let spare: Float64Array | undefined;
const LARGEST_SPARE = 1 << 20;
/** So many zeros are faster written one by one. */
const FEW = 64;

/** Zeros. They may be more than asked for. */
function zeros(n: number): Float64Array {
  const own = spare;
  if (own === undefined || own.length < n) return new Float64Array(n);
  spare = undefined;
  if (n > FEW) return own.fill(0, 0, n);
  for (let k = 0; k < n; k++) own[k] = 0;
  return own;
}

/** Whoever gives adjoints back keeps none of them. */
export function giveBack(adjoints: Float64Array): void {
  if (adjoints.length <= LARGEST_SPARE && (spare === undefined || spare.length < adjoints.length))
    spare = adjoints;
}

/** Adjoints of the nodes of a stretch, by id minus start. The seeds are of nodes in it; every node is met once, the last first. */
export function evaluate(nodes: Stretch, seeds: readonly (readonly [Id, number])[]): Float64Array {
  const { start, origin: oldest } = nodes;
  const adjoints = zeros(nodes.end - start);
  let last = start - 1;
  for (let k = 0; k < seeds.length; k++) {
    const [id, seed] = seeds[k] ?? NO_SEED;
    add(adjoints, start, oldest, id, seed);
    if (id > last) last = id;
  }
  return swept(
    adjoints,
    last,
    start,
    nodes.computed,
    oldest,
    nodes.first,
    nodes.chunks,
    nodes.reverses,
  );
}

/** The same of one node that a run has computed, whose seed is 1, or of none. `computed`: before it there are inputs only. */
export function evaluateOne(from: Mark, computed: Id, id: Id): Float64Array {
  const start = from.node;
  const adjoints = zeros(next() - start);
  add(adjoints, start, origin, id, 1);
  const all = chunks();
  // a constant is read faster than an element
  if (all.length === 1 && reverses.length === 0)
    sweep(COLUMNS, origin, id, start, computed, origin, adjoints, reverses, null);
  else swept(adjoints, id, start, computed, origin, origin, all, reverses);
  return adjoints;
}

/** Goes from the last node that has an adjoint to the first. `first`: id of the first chunk's first place. Numbers, for an object would be made at every derivative. */
// eslint-disable-next-line max-params -- an object would be allocated at every derivative
function swept(
  adjoints: Float64Array,
  last: Id,
  start: Id,
  computed: Id,
  oldest: Id,
  first: Id,
  all: readonly Chunk[],
  calls: readonly Reverse[],
): Float64Array {
  // one for the whole evaluation: call nodes know by it which one it is
  const contribute = calls.length === 0 ? null : contributing(adjoints, start, oldest);
  for (let c = all.length - 1; c >= 0; c--) {
    const offset = first + c * CHUNK;
    const chunk = all[c];
    if (chunk !== undefined && offset <= last)
      sweep(chunk, offset, last, start, computed, oldest, adjoints, calls, contribute);
  }
  return adjoints;
}

/** A closure in `swept` would have it keep its variables in memory. */
const contributing =
  (adjoints: Float64Array, start: Id, oldest: Id): Contribute =>
  (id, amount) => {
    add(adjoints, start, oldest, id, amount);
  };

/** Adds to the adjoints of parents that follow each other, of which `first` is `~p`. Returns the place of the last one. */
type SweepRange = (
  first: number,
  oldest: Id,
  start: Id,
  adjoints: Float64Array,
  adjoint: number,
  from: number,
  wt: Float64Array,
  pt: Int32Array,
  // eslint-disable-next-line max-params -- hot loop: numbers, without an object per call
) => number;
let sweepRange: SweepRange = (parent, oldest) => {
  throw foreign(parent, oldest);
};

/** Whoever records such parents brings what meets them. */
export function meetRanges(by: SweepRange): void {
  sweepRange = by;
}

const NO_SEED: readonly [Id, number] = [0, 0];

function add(adjoints: Float64Array, start: Id, oldest: Id, id: Id, amount: number): void {
  if (id === 0) return;
  const at = id - start;
  if (at < 0) throw foreign(id, oldest);
  adjoints[at] = (adjoints[at] ?? 0) + amount;
}

// eslint-disable-next-line max-params, complexity -- the hot loop of every evaluation
function sweep(
  { w0, w1, p0, p1, wt, pt }: Chunk,
  offset: Id,
  last: Id,
  start: Id,
  computed: Id,
  oldest: Id,
  adjoints: Float64Array,
  calls: readonly Reverse[],
  contribute: Contribute | null,
): void {
  // ids in the columns are whole numbers, and every place that is read was written: `?? 0` is for the types alone
  const from = Math.min(last - offset, CHUNK - 1);
  const to = Math.max(computed - offset, 0);
  for (let n = from; n >= to; n--) {
    const adjoint = adjoints[offset + n - start] ?? 0;
    if (adjoint === 0) continue;
    const p = p0[n] ?? 0;
    const q = p1[n] ?? 0;
    if (p >= start) adjoints[p - start] = (adjoints[p - start] ?? 0) + adjoint * (w0[n] ?? 0);
    else if (p < 0 && contribute !== null)
      calls[-p - 1]?.(adjoint, contribute, adjoints, start, wt);
    else if (p !== 0) throw foreign(p, oldest);
    if (q >= start) adjoints[q - start] = (adjoints[q - start] ?? 0) + adjoint * (w1[n] ?? 0);
    else if (q < 0) {
      for (let k = ~q, behind = w1[n] ?? 0; k < behind; k++) {
        const parent = pt[k] ?? 0;
        if (parent >= start)
          adjoints[parent - start] = (adjoints[parent - start] ?? 0) + adjoint * (wt[k] ?? 0);
        else k = sweepRange(parent, oldest, start, adjoints, adjoint, k, wt, pt);
      }
    } else if (q !== 0) throw foreign(q, oldest);
  }
}
