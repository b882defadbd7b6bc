// Emits raw `loop` statements from bounds or a test, and a callback for the body. Invariant: the
// body of a counted loop does not assign the index. `break` and `continue` name the label.

import { NUM, num } from "../../ir/build.ts";
import type { Atom, For, Var } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";

/** `for (let i = 0; i < to; i++)` */
export function emitFor(
  f: Frame,
  label: string,
  to: Atom,
  fill: (index: Var) => void,
  hint = "i",
): void {
  emitCounted(f, label, hint, { from: num(0), test: "<", to, step: 1 }, fill);
}

interface Bounds {
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
  fill: (index: Var) => void,
): void {
  const index: Var = { kind: "var", name: f.names.fresh(hint), type: NUM };
  f.integers.add(index.name);
  const body = f.nested(() => (fill(index), []));
  const { origin } = f.b;
  f.b.emit({
    kind: "loop",
    label,
    loop: { kind: "for", origin, index, ...bounds, carried: [], body, binds: [] },
    update: null,
  });
}

/** A loop over an array whose length may change meanwhile. */
export function emitIndexed(
  f: Frame,
  label: string,
  length: () => Atom,
  fill: (index: Var) => void,
): void {
  const at = f.declare("i", NUM, num(0));
  emitWhile(
    f,
    label,
    () => f.b.op("lt", at, length()),
    () => fill(f.let("t", NUM, { kind: "copy", atom: at })),
    () => f.assign(at, f.b.op("add", at, num(1))),
  );
}

export function emitWhile(
  f: Frame,
  label: string,
  test: () => Atom,
  fill: () => void,
  update: (() => void) | null,
): void {
  const testBody = f.nested(() => [test()]);
  const body = f.nested(() => (fill(), []));
  const after = update === null ? null : f.nested(() => (update(), []));
  const { origin } = f.b;
  f.b.emit({
    kind: "loop",
    label,
    loop: { kind: "while", origin, carried: [], test: testBody, body, binds: [] },
    update: after,
  });
}
