// The tape: linear nodes in columns, each with two parents and partials, or with one and a range of
// the terms' columns. A parent is older than its node; id 0 is `Zero`. Ids are not reused by later
// runs, so that stale ids are detected. The columns are constants, since reassigned ones are half
// as fast; full ones are copied out as chunks.

import { failureAround, type Id } from "./value.ts";

/** Nodes in the columns. Unwritten memory costs address space only. */
export const CHUNK: number = 1 << 19;
const W0 = new Float64Array(CHUNK);
const W1 = new Float64Array(CHUNK);
const P0 = new Int32Array(CHUNK);
const P1 = new Int32Array(CHUNK);

/**
 * Parents and partials of nodes with many terms. Second parent `~k`: they begin at k, and its
 * partial is their end. A parent `~p` is a range term: p is the first of consecutive parents, the
 * next place holds their number, and their partials fill as many places.
 */
export const TERMS: number = 1 << 20;
export const WT: Float64Array = new Float64Array(TERMS);
export const PT: Int32Array = new Int32Array(TERMS);

export interface Chunk {
  readonly w0: Float64Array;
  readonly w1: Float64Array;
  readonly p0: Int32Array;
  readonly p1: Int32Array;
  readonly wt: Float64Array;
  readonly pt: Int32Array;
}
export const COLUMNS: Chunk = { w0: W0, w1: W1, p0: P0, p1: P1, wt: WT, pt: PT };

const ONLY: readonly Chunk[] = [COLUMNS];

/** Adds to the adjoint of a node during an evaluation. */
export type Contribute = (id: Id, amount: number) => void;
/**
 * The reverse function of a call node. `row`: for one number of a result alone. `onTangent`: called
 * with the node's tangent by a forward sweep.
 */
export type Reverse = ((
  adjoint: number,
  contribute: Contribute,
  adjoints: Float64Array,
  start: Id,
) => void) & { readonly row?: Row; readonly onTangent?: (tangent: number) => void };
type Row = (adjoint: number, contribute: Contribute) => void;

/** An id of no node, for persistent numbers. */
export const LEFT: Id = 1;

const full: Chunk[] = [];
/** Ids below are `Zero` or of runs that are over. */
export let origin: Id = LEFT + 1;
/** Id of the first place in the columns. */
let base: Id = LEFT + 1;
/** The next free place in the columns; place 0 of the first chunk is unused. */
let top = 1;
let terms = 0;
/** The value of `terms` while a loop writes terms, so that no node gets any. */
const TAKEN = TERMS + 1;
/** Functions of call nodes. The first parent of a call node is ~index. */
export const reverses: Reverse[] = [];

const copied = (count: number): Chunk => ({
  w0: W0.slice(0, count),
  w1: W1.slice(0, count),
  p0: P0.slice(0, count),
  p1: P1.slice(0, count),
  wt: WT.slice(0, terms),
  pt: PT.slice(0, terms),
});

/** Copies full columns out. Returns the next free place. Terms in progress stay in the columns. */
function spill(): number {
  full.push(copied(CHUNK));
  base += CHUNK;
  if (terms !== TAKEN) terms = 0;
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

// z = Σ u p, for statements whose partials are known together. A passive operand has id 0.
/** z = u p */
export const linear1 = (p: Id, u: number): Id => (p === 0 ? 0 : node1(p, u));

/** z = u p + v q; a single operand with partial 1 needs no node */
export function linear2(p: Id, u: number, q: Id, v: number): Id {
  if (q === 0) return u === 1 ? p : linear1(p, u);
  return p === 0 ? (v === 1 ? q : node1(q, v)) : node2(p, u, q, v);
}

/** z = u p + v q + w r */
export function linear3(p: Id, u: number, q: Id, v: number, r: Id, w: number): Id {
  if (r === 0) return linear2(p, u, q, v);
  if (q === 0) return linear2(p, u, r, w);
  if (p === 0) return node2(q, v, r, w);
  if (terms + 2 > TERMS) return node2(node2(p, u, q, v), 1, r, w);
  if (top === CHUNK) top = spill();
  const z = node2(p, u, ~terms, terms + 2);
  term(q, v);
  term(r, w);
  return z;
}

function term(p: Id, u: number): void {
  PT[terms] = p;
  WT[terms] = u;
  terms++;
}

// A node with many terms; who writes them tracks the next free place. A place of TERMS or above is
// TERMS plus the id of a chain of nodes, for terms without room in the columns.
export function firstTerm(): number {
  const first = terms;
  if (first >= TERMS) return TERMS;
  terms = TAKEN;
  return first;
}

export function addTerm(at: number, p: Id, u: number): number {
  if (p === 0) return at;
  if (at >= TERMS) return TERMS + linear2(at - TERMS, 1, p, u);
  PT[at] = p;
  WT[at] = u;
  return at + 1;
}

/** s and the terms from `first` to `at`. */
export function summed(s: Id, first: number, at: number): Id {
  const isOwn = first < TERMS;
  const last = at < TERMS ? at : TERMS;
  const z = !isOwn || at === first ? s : node2(s, 1, ~first, last);
  if (isOwn) {
    terms = last;
  }
  return at > TERMS ? linear2(z, 1, at - TERMS, 1) : z;
}

/** z = Σ us[i] ps[i], as a chain of nodes; `Zero` without parents. */
export function nodeN(ps: readonly Id[], us: readonly number[]): Id {
  let z = 0;
  for (let i = 0; i < ps.length; i++) {
    const p = ps[i] ?? 0;
    const u = us[i] ?? 0;
    if (p !== 0) z = z === 0 ? node1(p, u) : node2(z, 1, p, u);
  }
  return z;
}

export const input = (): Id => node1(0, 0);

/** Consecutive inputs, never written: evaluations stop before them. Returns the first. */
export function unwritten(count: number): Id {
  if (top + count > CHUNK) top = spill();
  top += count;
  return base + top - count;
}

/** `n` consecutive inputs. Returns the first. */
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

/** A node that passes its adjoint to a function, such as the pullback of a static derivative. */
export function callNode(reverse: Reverse): Id {
  reverses.push(reverse);
  return node1(-reverses.length, 0);
}

/** Consecutive call nodes of one function, which runs at the youngest one with an adjoint. */
export function callNodes(reverse: Reverse, count: number): Id {
  if (top + count > CHUNK) top = spill();
  reverses.push(reverse);
  const parent = -reverses.length;
  for (const behind = top + count; top < behind; top++) {
    P0[top] = parent;
    P1[top] = 0;
  }
  return base + top - count;
}

export const size = (): number =>
  full.reduce((sum, { pt }) => sum + pt.length, base - origin + top + terms);

export interface Mark {
  node: Id;
  term: number;
  reverse: number;
}
export function mark(): Mark {
  return { node: base + top, term: terms, reverse: reverses.length };
}

export function markAgain(by: Mark): void {
  by.node = base + top;
  by.term = terms;
  by.reverse = reverses.length;
}

export const next = (): Id => base + top;

/** Ids of the partials of nodes from `origin` on, two each. Only `higher/nodes.ts` adds any. */
export const partialIds: Id[] = [];

export function release(to: Mark): void {
  partialIds.length = Math.min(partialIds.length, 2 * (to.node - origin));
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
    WT.set(restored.wt);
    PT.set(restored.pt);
  }
  top = to.node - base;
  terms = to.term;
}

/** Ids restart here, since only small integers are fast. No id is retained for that long. */
const LAST = 2 ** 29;

/** Drops every node when no run is left. */
export function restart(): void {
  const unused = next();
  origin = unused > LAST ? LEFT + 1 : unused;
  base = origin;
  top = 1;
  terms = 0;
  if (full.length > 0) full.length = 0;
  if (reverses.length > 0) reverses.length = 0;
  partialIds.length = 0;
}

/** A range of the tape that may outlive its run. */
export interface Stretch {
  readonly origin: number;
  readonly start: number;
  /** Older nodes of the range are inputs. */
  readonly computed: number;
  readonly end: number;
  readonly first: number;
  readonly chunks: readonly Chunk[];
  readonly reverses: readonly Reverse[];
}

/** All chunks from `origin` on, with the columns; valid until the tape changes. */
export const chunks = (): readonly Chunk[] => (full.length === 0 ? ONLY : [...full, COLUMNS]);

/** The nodes since the mark; valid until the tape changes. */
export function stretch(from: Mark, computed: number = from.node): Stretch {
  const skipped = Math.floor((from.node - origin) / CHUNK);
  return {
    origin,
    start: from.node,
    computed,
    end: base + top,
    first: origin + skipped * CHUNK,
    chunks: chunks().slice(skipped),
    reverses,
  };
}

export function keep(from: Mark, computed: number = from.node): Stretch {
  const all = stretch(from, computed);
  return { ...all, chunks: [...all.chunks.slice(0, -1), copied(top)], reverses: reverses.slice() };
}

export type Parent = readonly [id: Id, partial: number];

/** The terms in a range of the terms' columns, with range terms expanded. */
export function termsIn(wt: Float64Array, pt: Int32Array, from: number, behind: number): Parent[] {
  const terms: Parent[] = [];
  for (let k = from; k < behind;) {
    const parent = pt[k] ?? 0;
    const isRange = parent < 0;
    const last = k + (isRange ? (pt[k + 1] ?? 0) : 1);
    for (let id = isRange ? ~parent : parent; k < last; k++, id++) terms.push([id, wt[k] ?? 0]);
  }
  return terms;
}

/** The parents of a node, except that of a call node. */
export function parentsAt({ w0, w1, p0, p1, wt, pt }: Chunk, n: number): Parent[] {
  const p = p0[n] ?? 0;
  const q = p1[n] ?? 0;
  const parents: Parent[] = p > 0 ? [[p, w0[n] ?? 0]] : [];
  if (q > 0) parents.push([q, w1[n] ?? 0]);
  return q < 0 ? [...parents, ...termsIn(wt, pt, ~q, w1[n] ?? 0)] : parents;
}

/** Contributions of the call node with the first parent `p` for an adjoint of 1: its partials. */
export function partialsOfCall({ reverses: all }: Stretch, p: Id): readonly Parent[] {
  const reverse = all[-p - 1];
  const partials: Parent[] = [];
  // a reverse function for one number alone has no use for the adjoints
  ((reverse?.row ?? reverse) as Row | undefined)?.(1, (id, amount) => {
    if (id !== 0) partials.push([id, amount]);
  });
  return partials;
}

export interface Node {
  readonly id: Id;
  /** The first parent of a call node; null for other nodes. */
  readonly call: Id | null;
  readonly parents: readonly Parent[];
}

export function nodesOf(all: Stretch): Node[] {
  const nodes: Node[] = [];
  const { start, end, first, chunks } = all;
  for (let id = start; id < end; id++) {
    const chunk = chunks[Math.floor((id - first) / CHUNK)] ?? COLUMNS;
    const n = (id - first) % CHUNK;
    const parents = parentsAt(chunk, n);
    for (const [parent] of parents) if (parent < start) throw foreign(parent, all.origin);
    const p = chunk.p0[n] ?? 0;
    nodes.push({ id, call: p < 0 ? p : null, parents });
  }
  return nodes;
}

/** Throws if a node since the mark depends on an older one. */
export function refuseOlder(from: Mark): void {
  nodesOf(stretch(from));
}

export const derivativeInside = (): Error =>
  failureAround(
    "TSG0014",
    "a derivative is taken inside of a function that is itself being differentiated, with respect to something that both depend on; derivatives of derivatives are not available here",
  );

/** A parent of an outer run (TSG0014), or, below `oldest`, of a run that is over (TSG0015). */
export const foreign = (id: Id, oldest: Id): Error =>
  id >= oldest
    ? derivativeInside()
    : failureAround(
        "TSG0015",
        "a variable or an object that a closure or a module keeps still holds a number that an earlier call computed; compute it again, write it before it is read, or keep it where every call begins anew; what is meant to be a constant of later calls can be kept as `stopGradient(…)`",
      );
