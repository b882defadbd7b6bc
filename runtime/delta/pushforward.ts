// Forward sweep over recorded nodes: d(z) = u d(p) + v d(q). A tangent of exactly 0 skips its
// partials. A node without partials throws if the result depends on it.

import {
  CHUNK,
  foreign,
  parentsAt,
  partialsOfCall,
  termsIn,
  type Chunk,
  type Stretch,
} from "./tape.ts";
import type { Id } from "./value.ts";

/** Tangents by id minus the stretch's start. `results`: ids that will be read. */
export function pushed(
  nodes: Stretch,
  seeds: readonly (readonly [Id, number])[],
  results: readonly Id[],
): Float64Array {
  const tangents = new Float64Array(nodes.end - nodes.start);
  for (const id of results) if (id !== 0 && id < nodes.start) throw foreign(id, nodes.origin);
  for (const [id, seed] of seeds) tangents[id - nodes.start] = seed;
  if (walk(nodes, tangents, null)) return tangents;
  const needed = dependencies(nodes, results);
  tangents.fill(0);
  for (const [id, seed] of seeds) tangents[id - nodes.start] = seed;
  walk(nodes, tangents, needed);
  return tangents;
}

/** Sweeps, oldest node first. False: a node has no partials, so `needed` must be computed. */
function walk(nodes: Stretch, tangents: Float64Array, needed: Uint8Array | null): boolean {
  for (const [c, chunk] of nodes.chunks.entries())
    if (!sweepUp(chunk, nodes.first + c * CHUNK, nodes, tangents, needed)) return false;
  return true;
}

// eslint-disable-next-line complexity -- the hot loop of forward mode
function sweepUp(
  chunk: Chunk,
  offset: number,
  nodes: Stretch,
  tangents: Float64Array,
  needed: Uint8Array | null,
): boolean {
  const { w0, w1, p0, p1, wt, pt } = chunk;
  const { start } = nodes;
  const to = Math.min(nodes.end - offset, CHUNK);
  for (let n = Math.max(start - offset, 0); n < to; n++) {
    const p = p0[n] ?? 0;
    const q = p1[n] ?? 0;
    const z = offset + n - start;
    if (p === 0 && q === 0) continue;
    let sum = 0;
    let isForeign = (p !== 0 && p < start) || (q > 0 && q < start);
    if (p >= start) {
      sum += scaled(tangents[p - start] ?? 0, w0[n] ?? 0);
    }
    if (q >= start) {
      sum += scaled(tangents[q - start] ?? 0, w1[n] ?? 0);
    }
    if (q < 0)
      for (const [parent, partial] of termsIn(wt, pt, ~q, w1[n] ?? 0)) {
        if (parent < start) isForeign = true;
        else sum += scaled(tangents[parent - start] ?? 0, partial);
      }
    if (isForeign) {
      if (needed === null) return false;
      if (needed[z] === 1 && p < 0) sum = ofCall(nodes, p, tangents);
    }
    tangents[z] = sum;
  }
  return true;
}

/** A tangent of 0 meets no infinite slope; nor a slope of 0 an infinite tangent, as backwards. */
const scaled = (tangent: number, slope: number): number =>
  tangent === 0 || (slope === 0 && !Number.isNaN(tangent)) ? 0 : tangent * slope;

function ofCall(nodes: Stretch, p: Id, tangents: Float64Array): number {
  let sum = 0;
  for (const [id, amount] of partialsOfCall(nodes, p)) {
    const tangent = tangents[id - nodes.start] ?? 0;
    if (tangent !== 0) sum += amount * tangent;
  }
  nodes.reverses[-p - 1]?.onTangent?.(sum);
  return sum;
}

/** Marks the nodes that the results depend on. Throws at a node of another run. */
function dependencies(nodes: Stretch, results: readonly Id[]): Uint8Array {
  const { start } = nodes;
  const marks = new Uint8Array(nodes.end - start);
  const mark = (id: Id): void => {
    if (id === 0) return;
    if (id < start) throw foreign(id, nodes.origin);
    marks[id - start] = 1;
  };
  results.forEach(mark);
  for (let id = nodes.end - 1; id >= start; id--) {
    if (marks[id - start] !== 1) continue;
    const chunk = nodes.chunks[Math.floor((id - nodes.first) / CHUNK)];
    const n = (id - nodes.first) % CHUNK;
    if (chunk === undefined) continue;
    const p = chunk.p0[n] ?? 0;
    const parents = p < 0 ? partialsOfCall(nodes, p) : parentsAt(chunk, n);
    for (const [parent, partial] of parents) if (partial !== 0) mark(parent);
  }
  return marks;
}
