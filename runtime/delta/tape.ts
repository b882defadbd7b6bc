// The tape: linear nodes in columns, each with at most two parents and the partials towards them, and perhaps the node before it. In: nodes in order of execution.
// Out: `evaluate`, which walks them backwards once. Invariants: a parent is older than its node; id 0 is `Zero` and no node; ids are
// not used again by later runs, so what a closure kept of an earlier one is noticed; the columns are constants (reassigned ones
// cost twice as much), so what they cannot hold is moved out in chunks.

import { failure, type Id } from "./value.ts";

/** Nodes in the columns; a full chunk is copied out. What is never written costs address space only. */
export const CHUNK: number = 1 << 18;
const W0 = new Float64Array(CHUNK);
const W1 = new Float64Array(CHUNK);
const P0 = new Int32Array(CHUNK);
const P1 = new Int32Array(CHUNK);

export interface Chunk { readonly w0: Float64Array; readonly w1: Float64Array; readonly p0: Int32Array; readonly p1: Int32Array }
const COLUMNS: Chunk = { w0: W0, w1: W1, p0: P0, p1: P1 };

const ONLY: readonly Chunk[] = [COLUMNS];

/** Adds to the adjoint of a node, during an evaluation. */
export type Contribute = (id: Id, amount: number) => void;
/** What a call node does with its adjoint. `row`: the same where other nodes' adjoints are not known, of a node whose result is one number of several. */
export type Reverse = ((adjoint: number, contribute: Contribute) => void) & { readonly row?: (adjoint: number, contribute: Contribute) => void };

/** Full chunks, oldest first. */
const full: Chunk[] = [];
/** Ids up to this one are `Zero` or of runs that are over. */
let origin = 0;
/** Id of the columns' first place. */
let base = 0;
/** The next free place in the columns; the first one of all is never taken. */
let top = 1;
/** What call nodes do; a call node's first parent is minus one minus its place here. */
const reverses: Reverse[] = [];

/** Moves the full columns out. Returns the next free place. */
function spill(): number {
  full.push({ w0: W0.slice(), w1: W1.slice(), p0: P0.slice(), p1: P1.slice() });
  base += CHUNK;
  return 0;
}

/** z = u p */
export function node1(p: Id, u: number): Id {
  const n = top === CHUNK ? spill() : top;
  P0[n] = p;
  W0[n] = u;
  P1[n] = 0;
  top = n + 1;
  return base + n;
}

/** z = u p + v q */
export function node2(p: Id, u: number, q: Id, v: number): Id {
  const n = top === CHUNK ? spill() : top;
  P0[n] = p;
  W0[n] = u;
  P1[n] = q;
  W1[n] = v;
  top = n + 1;
  return base + n;
}

// z = Σ u p of statements whose partials are known together; an operand that is no function of the inputs has id 0
/** z = u p */
export const linear1 = (p: Id, u: number): Id => (p === 0 ? 0 : node1(p, u));

/** z = u p + v q; of a single operand that is what it was, there is no node */
export function linear2(p: Id, u: number, q: Id, v: number): Id {
  if (q === 0) return u === 1 ? p : linear1(p, u);
  return p === 0 ? (v === 1 ? q : node1(q, v)) : node2(p, u, q, v);
}

/** z = u p + v q + w r */
export function linear3(p: Id, u: number, q: Id, v: number, r: Id, w: number): Id {
  if (r === 0) return linear2(p, u, q, v);
  if (q === 0) return linear2(p, u, r, w);
  if (p === 0) return node2(q, v, r, w);
  const last = base + top - 1;
  if (p === last && u === 1) return onward(q, v, r, w);
  return r === last && w === 1 ? onward(p, u, q, v) : node2(node2(p, u, q, v), 1, r, w);
}

/** z = u p + v q + the node before: a step of a sum. That node stands nowhere, the second parent is negative. */
function onward(p: Id, u: number, q: Id, v: number): Id {
  return node2(p, u, ~q, v);
}

/** z = Σ us[i] ps[i], as a chain of nodes; `Zero` where no parent is left. */
export function nodeN(ps: readonly Id[], us: readonly number[]): Id {
  let z = 0;
  for (let i = 0; i < ps.length; i++) {
    const p = ps[i] ?? 0, u = us[i] ?? 0;
    if (p !== 0) z = z === 0 ? node1(p, u) : node2(z, 1, p, u);
  }
  return z;
}

/** An input: no parents. */
export const input = (): Id => node1(0, 0);

/** `n` inputs with ids that follow each other. Returns the first. */
export function inputs(n: number): Id {
  const first = base + (top === CHUNK ? spill() : top);
  let left = n;
  for (let at = first - base; ; at = spill()) {
    const till = Math.min(at + left, CHUNK);
    P0.fill(0, at, till);
    P1.fill(0, at, till);
    top = till;
    left -= till - at;
    if (left === 0) return first;
  }
}

/** A node whose adjoint is handed to a function, such as the pullback of a static derivative. */
export function callNode(reverse: Reverse): Id {
  reverses.push(reverse);
  return node1(-reverses.length, 0);
}

/** How many nodes there are. */
export const size = (): number => base - origin + top;

export interface Mark { readonly node: number; readonly reverse: number }
export const mark = (): Mark => ({ node: base + top, reverse: reverses.length });

/** The id that the next node gets. */
export const next = (): Id => base + top;

/** Forgets every node since the mark. */
export function release(to: Mark): void {
  if (reverses.length > to.reverse) reverses.length = to.reverse;
  let restored: Chunk | undefined;
  while (base > to.node) {
    restored = full.pop();
    base -= CHUNK;
  }
  if (restored !== undefined) {
    W0.set(restored.w0);
    W1.set(restored.w1);
    P0.set(restored.p0);
    P1.set(restored.p1);
  }
  top = to.node - base;
}

/** Ids begin anew here: engines are fast with small integers only. An id of so long ago is not met again. */
const LAST = 2 ** 29;

/** Forgets every node, no run being left. */
export function restart(): void {
  const unused = next();
  origin = unused > LAST ? 0 : unused;
  base = origin;
  top = 1;
  if (full.length > 0) full.length = 0;
  if (reverses.length > 0) reverses.length = 0;
}

/** A stretch of the tape that outlives its run. */
export interface Stretch { readonly origin: number; readonly start: number; /** Before it there are inputs only. */ readonly computed: number; readonly end: number; readonly first: number; readonly chunks: readonly Chunk[]; readonly reverses: readonly Reverse[] }

/** The nodes since the mark as they stand in the columns: valid until the tape changes. */
export function stretch(from: Mark, computed: number = from.node): Stretch {
  if (full.length === 0) return { origin, start: from.node, computed, end: base + top, first: origin, chunks: ONLY, reverses };
  const skipped = Math.floor((from.node - origin) / CHUNK);
  return { origin, start: from.node, computed, end: base + top, first: origin + skipped * CHUNK, chunks: [...full.slice(skipped), COLUMNS], reverses };
}

/** A copy of the nodes since the mark. */
export function keep(from: Mark, computed: number = from.node): Stretch {
  const all = stretch(from, computed);
  const copied = { w0: W0.slice(0, top), w1: W1.slice(0, top), p0: P0.slice(0, top), p1: P1.slice(0, top) };
  return { ...all, chunks: [...all.chunks.slice(0, -1), copied], reverses: reverses.slice() };
}

/** Adjoints that nobody needs any more, for the next evaluation: fresh memory costs more than the sweep. */
let spare: Float64Array | undefined;
const LARGEST_SPARE = 1 << 20;

/** Zeros. They may be more than asked for. */
function zeros(n: number): Float64Array {
  const own = spare;
  if (own === undefined || own.length < n) return new Float64Array(n);
  spare = undefined;
  return own.fill(0, 0, n);
}

/** Whoever gives adjoints back keeps none of them. */
export function giveBack(adjoints: Float64Array): void {
  if (adjoints.length <= LARGEST_SPARE && (spare === undefined || spare.length < adjoints.length)) spare = adjoints;
}

/** Adjoints of the nodes of a stretch, by id minus start. The seeds are of nodes in it; every node is met once, the last first. */
export function evaluate(nodes: Stretch, seeds: readonly (readonly [Id, number])[]): Float64Array {
  const { start } = nodes;
  const adjoints = zeros(nodes.end - start);
  let last = start - 1;
  for (let k = 0; k < seeds.length; k++) {
    const [id, seed] = seeds[k] ?? NO_SEED;
    add(adjoints, nodes, id, seed);
    if (id > last) last = id;
  }
  // one for the whole evaluation: call nodes know by it which one it is
  const contribute: Contribute | null = nodes.reverses.length === 0 ? null : (id, amount) => { add(adjoints, nodes, id, amount); };
  for (let c = nodes.chunks.length - 1; c >= 0; c--) {
    const offset = nodes.first + c * CHUNK, chunk = nodes.chunks[c];
    if (chunk !== undefined && offset <= last) sweep(chunk, offset, last, nodes, adjoints, contribute);
  }
  return adjoints;
}

const NO_SEED: readonly [Id, number] = [0, 0];

function add(adjoints: Float64Array, nodes: Stretch, id: Id, amount: number): void {
  if (id === 0) return;
  const at = id - nodes.start;
  if (at < 0) throw foreign(id, nodes);
  adjoints[at] = (adjoints[at] ?? 0) + amount;
}

function sweep({ w0, w1, p0, p1 }: Chunk, offset: number, last: number, nodes: Stretch, adjoints: Float64Array, contribute: Contribute | null): void {
  const { start, reverses: calls } = nodes;
  // ids in the columns are whole numbers, and every place that is read was written: `?? 0` is for the types alone
  const from = Math.min(last - offset, CHUNK - 1), to = Math.max(nodes.computed - offset, 0);
  for (let n = from; n >= to; n--) {
    const adjoint = adjoints[offset + n - start] ?? 0;
    if (adjoint === 0) continue;
    const p = p0[n] ?? 0, q = p1[n] ?? 0;
    if (p >= start) adjoints[p - start] = (adjoints[p - start] ?? 0) + adjoint * (w0[n] ?? 0);
    else if (p < 0 && contribute !== null) calls[-p - 1]?.(adjoint, contribute);
    else if (p !== 0) throw foreign(p, nodes);
    if (q >= start) adjoints[q - start] = (adjoints[q - start] ?? 0) + adjoint * (w1[n] ?? 0);
    else if (q < 0) {
      const second = ~q, before = offset + n - 1;
      if (second < start) throw foreign(second, nodes);
      if (before < start) throw foreign(before, nodes);
      adjoints[second - start] = (adjoints[second - start] ?? 0) + adjoint * (w1[n] ?? 0);
      adjoints[before - start] = (adjoints[before - start] ?? 0) + adjoint;
    } else if (q !== 0) throw foreign(q, nodes);
  }
}

/** A node as data; a parent that is negative stands for what a call node does. */
export interface Node { readonly id: Id; readonly p: Id; readonly u: number; readonly q: Id; readonly v: number; /** Added as it is; 0: none. */ readonly r: Id }

/** The nodes of a stretch, oldest first. */
export function nodesOf(all: Stretch): Node[] {
  const nodes: Node[] = [], { start, end, first, chunks } = all;
  for (let id = start; id < end; id++) {
    const chunk = chunks[Math.floor((id - first) / CHUNK)], n = (id - first) % CHUNK;
    const p = chunk?.p0[n] ?? 0, second = chunk?.p1[n] ?? 0, q = second < 0 ? ~second : second, r = second < 0 ? id - 1 : 0;
    for (const parent of [p, q, r]) if (parent > 0 && parent < start) throw foreign(parent, all);
    nodes.push({ id, p, u: chunk?.w0[n] ?? 0, q, v: q === 0 ? 0 : (chunk?.w1[n] ?? 0), r });
  }
  return nodes;
}

/** Throws where a node since the mark depends on an older one. */
export function refuseOlder(from: Mark): void {
  for (const { p, q, r } of nodesOf(stretch(from))) for (const parent of [p, q, r]) if (parent > 0 && parent < from.node) throw derivativeInside();
}

export const derivativeInside = (): Error =>
  failure("TSG0014", "a derivative is taken inside of a function that is itself being differentiated, with respect to something that both depend on; derivatives of derivatives are not available here");

/** A node of an outer run, whose derivative would need the derivative of this one; or of a run that is over. */
export const foreign = (id: Id, { origin: oldest }: Stretch): Error =>
  id >= oldest
    ? derivativeInside()
    : failure("TSG0015", "a variable that a closure keeps still holds a number that an earlier derivative computed, and no derivative passes through it any more; compute it again, or keep it where every call begins anew");
