// On which side of choices a number is needed. In: numbers that are needed in any case. Out: by each number that they are made of, the choices that all who read it stand behind. Invariant: what a condition is made of stands behind
// fewer choices than what it decides about.

import type { Num } from "./graph.ts";

/** One side of a choice. */
export interface Side {
  readonly condition: Num;
  readonly isYes: boolean;
}

/** From the outermost choice to the innermost. */
export type Sides = readonly Side[];

export function sidesOf(needed: readonly Num[]): ReadonlyMap<Num, Sides> {
  const sides = new Map<Num, Sides>();
  const read = (node: Num, behind: Sides): void => {
    sides.set(node, common(sides.get(node) ?? behind, behind));
  };
  for (const node of needed) read(node, []);
  // a node is younger than what it is made of
  for (const node of [...madeOf(needed)].reverse()) {
    const own = sides.get(node) ?? [];
    const [condition] = node.args;
    node.args.forEach((arg, k) => {
      read(
        arg,
        node.op === "select" && condition !== undefined && k > 0
          ? [...own, { condition, isYes: k === 1 }]
          : own,
      );
    });
  }
  return sides;
}

function common(a: Sides, b: Sides): Sides {
  const differs = a.findIndex(
    ({ condition, isYes }, k) => b[k]?.condition !== condition || b[k].isYes !== isYes,
  );
  return differs < 0 ? a : a.slice(0, differs);
}

/** Numbers and all that they are made of, oldest first. */
export function madeOf(needed: readonly Num[]): readonly Num[] {
  const met = new Set<Num>();
  const visit = (node: Num): void => {
    if (met.has(node)) return;
    met.add(node);
    node.args.forEach(visit);
  };
  needed.forEach(visit);
  return [...met].sort((a, b) => a.at - b.at);
}
