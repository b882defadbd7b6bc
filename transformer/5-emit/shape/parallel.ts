// Orders parallel copies as steps in sequence. Invariant: no variable is overwritten before all
// copies that read it. A cycle (`a, b = b, a`) saves one value first.

import type { Atom, Var } from "../../ir/types.ts";
import type { Variable } from "../names/variables.ts";

export interface Copy {
  readonly bind: Var;
  readonly variable: Variable;
  readonly value: Atom;
  readonly reads: readonly Variable[];
}

export type Step =
  /** Saves the copy's value in a constant until its `set`. */
  { readonly kind: "save"; readonly copy: Copy } | { readonly kind: "set"; readonly copy: Copy };

export function sequentialize(copies: readonly Copy[]): readonly Step[] {
  const steps: Step[] = [];
  const saved = new Set<Copy>();
  let left = [...copies];
  while (left.length > 0) {
    const ready = left.find(
      (copy) =>
        !left.some(
          (other) => other !== copy && !saved.has(other) && other.reads.includes(copy.variable),
        ),
    );
    if (ready !== undefined) {
      steps.push({ kind: "set", copy: ready });
      left = left.filter((copy) => copy !== ready);
      continue;
    }
    const cut = left.find((copy) => !saved.has(copy));
    if (cut === undefined) break;
    saved.add(cut);
    steps.push({ kind: "save", copy: cut });
  }
  return steps;
}
