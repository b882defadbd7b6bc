// Finds the side of choices on which a number is needed. In: numbers that are always needed. Out:
// for each operand, the choices common to all its readers. Invariant: a condition's operands are
// under fewer choices than its sides.

import type { Num } from "./graph.ts";

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
  // A node is younger than its operands.
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

/** Numbers and all their transitive operands, oldest first. */
export function madeOf(needed: readonly Num[]): readonly Num[] {
  const met = new Set(needed);
  for (const node of met) for (const arg of node.args) met.add(arg);
  return [...met].sort((a, b) => a.at - b.at);
}
