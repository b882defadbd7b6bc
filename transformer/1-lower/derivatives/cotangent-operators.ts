// Lowers `stopGradient(x)`, and sums and multiples of cotangents of functions.
// A cotangent of a function is a tuple of numbers and number arrays, one for each capture.

import type ts from "typescript";
import { field, index, num, NUM } from "../../ir/build.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";
import { isFn, type Arg } from "../function-values.ts";

export function applyOperator(
  f: Frame,
  operator: "stopGradient" | "addCotangents" | "scaleCotangent",
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const atoms = args.map((arg) => (isFn(arg) ? f.refuse("TSG1124", at, f.textOf(at)) : arg));
  const [first, second] = atoms;
  if (first === undefined) return f.refuse("TSG1124", at, f.textOf(at));
  if (operator === "stopGradient")
    return f.let(wanted, first.type, {
      kind: "extern",
      text: ["", ""],
      args: [first],
      effect: "pure",
      inert: true,
    });
  if (second === undefined) return f.refuse("TSG1124", at, f.textOf(at));
  return operator === "addCotangents"
    ? combined(f, first, second, (x, z) => f.b.add(x, z), at)
    : combined(f, second, second, (x) => f.b.mul(first, x), at);
}

/** Combines two cotangents part by part. */
export function combined(
  f: Frame,
  x: Atom,
  z: Atom,
  make: (x: Atom, z: Atom) => Atom,
  at: ts.Node,
): Atom {
  const shape = f.shape(x.type);
  if (shape.kind !== "tuple")
    return f.refuse(
      "TSG1019",
      at,
      f.textOf(at),
      "only cotangents of functions are added and scaled by tsgrad",
    );
  const elems = shape.elems.map((type, i): Atom => {
    const [p, q] = [x, z].map((of) => f.b.load("t", type, of, field(String(i))));
    if (p === undefined || q === undefined) return num(0);
    const inner = f.shape(type);
    if (inner.kind === "num") return make(p, q);
    if (inner.kind !== "array" || f.shape(inner.elem).kind !== "num")
      return f.refuse(
        "TSG1019",
        at,
        f.textOf(at),
        "the function sees something else than numbers and arrays of numbers",
      );
    return eachOf(f, p, q, inner, make);
  });
  return f.let("t", x.type, { kind: "tuple", elems });
}

function eachOf(
  f: Frame,
  x: Atom,
  z: Atom,
  type: Type & { readonly kind: "array" },
  make: (x: Atom, z: Atom) => Atom,
): Atom {
  const length = f.let("t", NUM, { kind: "length", object: x });
  const made = f.let("t", type, { kind: "alloc", length, fill: null });
  const k: Var = { kind: "var", name: f.names.fresh("k"), type: NUM };
  const body = f.nested(() => {
    const [p, q] = [x, z].map((of) => f.b.load("t", NUM, of, index(k)));
    if (p !== undefined && q !== undefined)
      f.b.emit({ kind: "store", object: made, key: index(k), value: make(p, q), initial: true });
    return [];
  });
  f.b.emit({
    kind: "loop",
    label: f.label("loop"),
    update: null,
    loop: {
      kind: "for",
      index: k,
      from: num(0),
      test: "<",
      to: length,
      step: 1,
      carried: [],
      body,
      binds: [],
      origin: f.b.origin,
    },
  });
  return made;
}
