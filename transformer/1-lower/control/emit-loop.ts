// Makes raw loops. In: bounds or a test, and what a round does. Out: `loop` statements.
// Invariant: a counted loop's index is not assigned in its body; the label is what `break` and `continue` name.

import { NUM, num } from "../../ir/build.ts";
import type { Atom, For, Var } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";

/** `for (let i = 0; i < to; i++)` */
export function emitFor(
  f: Frame,
  label: string,
  to: Atom,
  round: (index: Var) => void,
  hint = "i",
): void {
  emitCounted(f, label, hint, { from: num(0), test: "<", to, step: 1 }, round);
}

export interface Bounds {
  readonly from: Atom;
  readonly test: For["test"];
  readonly to: Atom;
  readonly step: number;
}

export function emitCounted(
  f: Frame,
  label: string,
  hint: string,
  bounds: Bounds,
  round: (index: Var) => void,
): void {
  const index: Var = { kind: "var", name: f.names.fresh(hint), type: NUM };
  f.integers.add(index.name);
  const body = f.nested(() => (round(index), []));
  const { origin } = f.b;
  f.b.emit({
    kind: "loop",
    label,
    loop: { kind: "for", origin, index, ...bounds, carried: [], body, binds: [] },
    update: null,
  });
}

export function emitWhile(
  f: Frame,
  label: string,
  test: () => Atom,
  round: () => void,
  update: (() => void) | null,
): void {
  const testBody = f.nested(() => [test()]);
  const body = f.nested(() => (round(), []));
  const after = update === null ? null : f.nested(() => (update(), []));
  const { origin } = f.b;
  f.b.emit({
    kind: "loop",
    label,
    loop: { kind: "while", origin, carried: [], test: testBody, body, binds: [] },
    update: after,
  });
}
