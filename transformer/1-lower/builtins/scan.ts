// Lowers `scan(step, init, xs)`: one loop that carries a value, and fills an array with what each
// iteration gives besides. In: a call. Out: a tuple of the last value and the array.

import type ts from "typescript";
import { field, index, NUM, num } from "../../ir/build.ts";
import type { Atom, For, Type, Var } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";
import type { Arg } from "../function-values.ts";
import { given, list, value, type VectorCall } from "./vector.ts";

export function applyScan(f: Frame, args: readonly Arg[], at: ts.Node, hint: string): Atom {
  const call: VectorCall = { op: "scan", args, at, node: null, hint };
  const type = f.api.isCallExpression(at) ? f.ctx.typeOf(at) : NUM;
  const [state, stack] = pairOf(f, type);
  if (state === undefined || stack === undefined || f.shape(stack).kind !== "array")
    return f.refuse("TSG1209", at, "what `scan` gives is not known here");
  const init = value(f, call, 1);
  const { length, itemAt } = itemsOf(f, call);
  const carried = f.declare("carry", state, init);
  const ys = f.let(hint, stack, { kind: "alloc", length, fill: null });
  const i: Var = { kind: "var", name: f.names.fresh("i"), type: NUM };
  f.integers.add(i.name);
  const body = f.nested(() => {
    const before = f.let("t", state, { kind: "copy", atom: carried });
    const pair = given(f, call, 0, [before, ...itemAt(i)]);
    const [next, y] = pairOf(f, pair.type);
    if (next === undefined || y === undefined)
      return f.refuse("TSG1209", at, "its function has to return `[carry, y]`");
    f.assign(carried, f.b.load("t", next, pair, field("0")));
    const item = f.b.load("t", y, pair, field("1"));
    f.b.emit({ kind: "store", object: ys, key: index(i), value: item, initial: true });
    return [];
  });
  const loop: For = {
    ...{ kind: "for", origin: f.b.origin, index: i, from: num(0), test: "<", to: length, step: 1 },
    ...{ carried: [], body, binds: [] },
  };
  f.b.emit({ kind: "loop", label: f.label("loop"), loop, update: null });
  const last = f.let("carry", state, { kind: "copy", atom: carried });
  return f.let(hint, type, { kind: "tuple", elems: [last, ys] });
}

function pairOf(f: Frame, type: Type): readonly Type[] {
  const shape = f.shape(type);
  return shape.kind === "tuple" && shape.elems.length === 2 ? shape.elems : [];
}

interface Items {
  readonly length: Atom;
  /** What the function gets besides the carried value: nothing for `{ length }`. */
  readonly itemAt: (i: Var) => readonly Atom[];
}

function itemsOf(f: Frame, call: VectorCall): Items {
  const xs = value(f, call, 2);
  const shape = f.shape(xs.type);
  if (shape.kind === "record" && shape.fields.some(({ name }) => name === "length")) {
    const length = f.let("n", NUM, { kind: "load", object: xs, key: field("length") });
    return { length, itemAt: () => [] };
  }
  const { array, elem } = list(f, call, 2);
  const length = f.b.length(array, "n");
  return {
    length,
    itemAt: (i) => [f.let("x", elem, { kind: "load", object: array, key: index(i) })],
  };
}
