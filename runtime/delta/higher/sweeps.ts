// Sweeps that are recorded: adjoints and tangents are numbers with ids, so that they can be
// differentiated in turn. In: the nodes of a derivative within another one. Out: pairs by node.
// Invariant: what is older than the nodes is a constant of this derivative.

import {
  CHUNK,
  derivativeInside,
  foreign,
  parentsAt,
  reverses,
  type Parent,
  type Stretch,
} from "../tape.ts";
import { failure, type Id } from "../value.ts";
import { higher2, partialIdsAt } from "./nodes.ts";

/** A number for a node, with its id. */
export type Seed = readonly [node: Id, value: number, id: Id];

/** Numbers with ids for nodes before the stretch. */
export interface Older {
  add(seed: Seed): void;
}

/** Numbers with ids, by node. */
export class Pairs {
  readonly values: Float64Array;
  readonly ids: Int32Array;
  readonly start: Id;
  /** Gets what the sweep gives to older nodes; if absent, they are constants. */
  readonly older: Older | undefined;

  constructor({ start, end }: Stretch, older?: Older) {
    this.start = start;
    this.older = older;
    this.values = new Float64Array(end - start);
    this.ids = new Int32Array(end - start);
  }

  idOf(node: Id): Id {
    return this.ids[node - this.start] ?? 0;
  }

  /** Whether a node has another number than the constant 0. */
  has(node: Id): boolean {
    return (this.values[node - this.start] ?? 0) !== 0 || this.idOf(node) !== 0;
  }

  add([node, value, own]: Seed): void {
    const at = node - this.start;
    if (node === 0 || (value === 0 && own === 0)) return;
    if (at < 0) {
      this.older?.add([node, value, own]);
      return;
    }
    const before = this.idOf(node);
    this.ids[at] = own === 0 || before === 0 ? before | own : higher2(before, 1, 0, own, 1, 0);
    this.values[at] = (this.values[at] ?? 0) + value;
  }

  /** Adds to a node the number of another one times a partial. A constant 0 adds nothing. */
  addProduct(to: Id, of: Id, partial: number, partialId: Id): void {
    if (!this.has(of)) return;
    const factor = this.values[of - this.start] ?? 0;
    const own = higher2(this.idOf(of), partial, partialId, partialId, factor, this.idOf(of));
    this.add([to, factor === 0 || partial === 0 ? 0 : factor * partial, own]);
  }
}

type Term = readonly [parent: Id, partial: number, partialId: Id];

/** The parents of a node, with the ids of the partials. */
function termsOf(nodes: Stretch, z: Id): readonly Term[] {
  const chunk = nodes.chunks[Math.floor((z - nodes.first) / CHUNK)];
  const n = (z - nodes.first) % CHUNK;
  if (chunk === undefined) return [];
  const p = chunk.p0[n] ?? 0;
  if (p < 0) {
    // such as that of text, which says why there is none
    reverses[-p - 1]?.(1, () => undefined, new Float64Array(0), z);
    throw derivativeInside();
  }
  const parents: readonly Parent[] = parentsAt(chunk, n);
  if (parents.length === 0) return [];
  for (const [parent] of parents) if (parent < nodes.origin) throw foreign(parent, nodes.origin);
  const ids = partialIdsAt(z);
  if (ids === undefined || parents.length > 2)
    throw failure(
      "TSG0014",
      "a derivative of a derivative passes through code that was compiled without one; compile it together with the program",
    );
  return parents.map(([parent, partial], k): Term => [parent, partial, ids[k === 0 ? 0 : 1]]);
}

/** Adjoints of the nodes. `computed`: older ones are inputs. */
export function sweptBack(nodes: Stretch, seeds: readonly Seed[], older?: Older): Pairs {
  const adjoints = new Pairs(nodes, older);
  let last = nodes.start - 1;
  for (const seed of seeds) {
    if (seed[0] !== 0 && seed[0] < nodes.origin) throw foreign(seed[0], nodes.origin);
    adjoints.add(seed);
    last = Math.max(last, seed[0]);
  }
  for (let z = last; z >= nodes.computed; z--)
    if (adjoints.has(z))
      for (const [parent, partial, partialId] of termsOf(nodes, z))
        if (parent >= nodes.start || older !== undefined)
          adjoints.addProduct(parent, z, partial, partialId);
  return adjoints;
}

/** Tangents of the nodes that the results depend on. */
export function sweptOn(nodes: Stretch, seeds: readonly Seed[], results: readonly Id[]): Pairs {
  const tangents = new Pairs(nodes);
  const terms = neededTerms(nodes, results);
  for (const seed of seeds) tangents.add(seed);
  for (let z = nodes.computed; z < nodes.end; z++)
    for (const [parent, partial, partialId] of terms.get(z) ?? [])
      if (parent >= nodes.start) tangents.addProduct(z, parent, partial, partialId);
  return tangents;
}

function neededTerms(nodes: Stretch, results: readonly Id[]): ReadonlyMap<Id, readonly Term[]> {
  const needed = new Uint8Array(nodes.end - nodes.start);
  const mark = (z: Id): void => {
    if (z !== 0 && z < nodes.origin) throw foreign(z, nodes.origin);
    if (z >= nodes.start) needed[z - nodes.start] = 1;
  };
  results.forEach(mark);
  const terms = new Map<Id, readonly Term[]>();
  for (let z = nodes.end - 1; z >= nodes.computed; z--) {
    if (needed[z - nodes.start] !== 1) continue;
    const own = termsOf(nodes, z);
    terms.set(z, own);
    for (const [parent] of own) mark(parent);
  }
  return terms;
}
