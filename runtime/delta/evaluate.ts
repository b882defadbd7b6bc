// Reverse sweep over recorded nodes, youngest first. It visits every node once. An adjoint of
// exactly 0 skips its partials, so that 0 x Infinity is 0. A parent of another run throws.

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

/** The adjoints array of the last evaluation. Reusing it costs less than allocating a new one. */
let spare: Float64Array | undefined;
const LARGEST_SPARE = 1 << 20;
/** Up to this many zeros are written one by one, which is faster than `fill`. */
const FEW = 64;

/** A zeroed array of at least `n` numbers. */
function zeros(n: number): Float64Array {
  const own = spare;
  if (own === undefined || own.length < n) return new Float64Array(n);
  spare = undefined;
  if (n > FEW) return own.fill(0, 0, n);
  for (let k = 0; k < n; k++) own[k] = 0;
  return own;
}

/** Returns an adjoints array for reuse; the caller must not keep it. */
export function giveBack(adjoints: Float64Array): void {
  if (adjoints.length <= LARGEST_SPARE && (spare === undefined || spare.length < adjoints.length))
    spare = adjoints;
}

/** Adjoints of the nodes of a stretch, by id minus start. Seeds belong to nodes in it. */
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

/** Adjoints for one node with seed 1. `computed`: older nodes are inputs. Id 0 has no node. */
export function evaluateOne(from: Mark, computed: Id, id: Id): Float64Array {
  const start = from.node;
  const adjoints = zeros(next() - start);
  add(adjoints, start, origin, id, 1);
  const all = chunks();
  // Constant columns are faster than an array element.
  if (all.length === 1 && reverses.length === 0)
    sweep(COLUMNS, origin, id, start, computed, origin, adjoints, reverses, null);
  else swept(adjoints, id, start, computed, origin, origin, all, reverses);
  return adjoints;
}

/** Sweeps from the last node with an adjoint down to the first. `first`: id of the first chunk. */
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
  // One function per evaluation; call nodes identify the evaluation by it.
  const contribute = calls.length === 0 ? null : contributing(adjoints, start, oldest);
  for (let c = all.length - 1; c >= 0; c--) {
    const offset = first + c * CHUNK;
    const chunk = all[c];
    if (chunk !== undefined && offset <= last)
      sweep(chunk, offset, last, start, computed, oldest, adjoints, calls, contribute);
  }
  return adjoints;
}

/** Not inlined in `swept`, where a closure would force variables into memory. */
const contributing =
  (adjoints: Float64Array, start: Id, oldest: Id): Contribute =>
  (id, amount) => {
    add(adjoints, start, oldest, id, amount);
  };

/** Adds to the adjoints of consecutive parents from `~first` on. Returns the last term's place. */
type SweepRange = (
  first: number,
  oldest: Id,
  start: Id,
  adjoints: Float64Array,
  adjoint: number,
  from: number,
  wt: Float64Array,
  pt: Int32Array,
) => number;
let sweepRange: SweepRange = (parent, oldest) => {
  throw foreign(parent, oldest);
};

/** Installed by the code that records such parents. */
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

// eslint-disable-next-line complexity -- the hot loop of every evaluation
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
  // Every place that is read was written, so `?? 0` is for the types alone.
  const from = Math.min(last - offset, CHUNK - 1);
  const to = Math.max(computed - offset, 0);
  for (let n = from; n >= to; n--) {
    const adjoint = adjoints[offset + n - start] ?? 0;
    if (adjoint === 0) continue;
    const p = p0[n] ?? 0;
    const q = p1[n] ?? 0;
    if (p >= start) adjoints[p - start] = (adjoints[p - start] ?? 0) + adjoint * (w0[n] ?? 0);
    else if (p < 0 && contribute !== null) calls[-p - 1]?.(adjoint, contribute, adjoints, start);
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
