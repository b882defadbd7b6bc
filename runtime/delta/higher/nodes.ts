// Nodes whose partials have ids, so that a sweep can be recorded and differentiated. Operators of
// one depth less compute a partial, down to numbers: `sin` at depth 1 records `cos` at depth 0,
// whose partial is a number. Invariant: no recorded sweep passes through a node without such ids.

import { certain } from "../math.ts";
import { id, setId } from "../register.ts";
import { run } from "../store.ts";
import { node1, node2, origin, partialIds } from "../tape.ts";
import type { Id, Value } from "../value.ts";

/** In place of the ids of a node's partials: it has none. */
const PLAIN = -1;

function noted(z: Id, ui: Id, vi: Id): Id {
  // nothing that is recorded at depth 0 is swept by what is recorded itself
  if (run.depth === 0) return z;
  const at = 2 * (z - origin);
  if (partialIds.length > at) partialIds.length = at;
  while (partialIds.length < at) partialIds.push(PLAIN);
  partialIds.push(ui, vi);
  return z;
}

/** z = u p, where the partial u has an id. */
export const higher1 = (p: Id, u: number, ui: Id): Id => (p === 0 ? 0 : noted(node1(p, u), ui, 0));

/** z = u p + v q */
export function higher2(p: Id, u: number, ui: Id, q: Id, v: number, vi: Id): Id {
  if (q === 0) return higher1(p, u, ui);
  return p === 0 ? higher1(q, v, vi) : noted(node2(p, u, q, v), ui, vi);
}

/** z = Σ us[i] ps[i], as a chain of nodes. */
export function higherN(ps: readonly Id[], us: readonly number[], uis: readonly Id[]): Id {
  let z = 0;
  for (let i = 0; i < ps.length; i++) {
    const p = ps[i] ?? 0;
    z = p === 0 ? z : higher2(z, 1, 0, p, us[i] ?? 0, uis[i] ?? 0);
  }
  return z;
}

/** A node of its own for the same number. */
export const again = (p: Id): Id => noted(node1(p, p === 0 ? 0 : 1), 0, 0);

/** The ids of the partials of a node; undefined where they are unknown. */
export function partialIdsAt(z: Id): readonly [Id, Id] | undefined {
  const at = 2 * (z - origin);
  const [ui, vi] = [partialIds[at], partialIds[at + 1]];
  return ui === undefined || vi === undefined || ui === PLAIN ? undefined : [ui, vi];
}

/** A function of numbers, each with its id, that leaves the id of its result in the register. */
export type Operator = (...pairs: Value[]) => Value;

/** A partial as an operator of one depth less. At depth 0 it is a constant. */
export function partial(of: Operator, ...pairs: Value[]): number {
  if (run.depth === 0) {
    const value: number = of(...pairs.map((one, k) => (k % 2 === 0 ? one : 0)));
    setId(0);
    return value;
  }
  const own = run;
  own.depth--;
  const value: number = of(...pairs);
  own.depth++;
  return value;
}

/** z = f(x), x' = slope(x) */
export const smooth = (f: (x: number) => number, slope: Operator): Operator =>
  function own(x: Value, xi: Id): Value {
    const z = f(x);
    if (xi === 0) setId(0);
    else {
      const u = partial(slope, x, xi);
      setId(higher1(xi, certain(u, z), id));
    }
    return z;
  };
