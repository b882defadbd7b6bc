// Lowers `stopGradient(x)`, `inspect(x, show)`, and sums and multiples of cotangents of functions.
// A cotangent of a function is a tuple of cotangents, one for each capture.

import type ts from "typescript";
import { isRecursive, somePart } from "../../ir/shadow.ts";
import type { Atom, Type } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";
import { isFn, type Arg } from "../function-values.ts";
import type { CotangentOp } from "../sites/forms.ts";
import { applyInspect } from "./inspected.ts";
import { loadPath, mapNumbers } from "./numbers.ts";

export function applyOperator(
  f: Frame,
  operator: CotangentOp,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  if (operator === "inspect") return applyInspect(f, args, at, wanted);
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

/** Combines two cotangents of a function number by number: they have the same shape. */
export function combined(
  f: Frame,
  x: Atom,
  z: Atom,
  make: (x: Atom, z: Atom) => Atom,
  at: ts.Node,
): Atom {
  const shape = f.shape(x.type);
  if (shape.kind !== "tuple")
    return f.refuse("TSG1019", at, f.textOf(at), "it adds and scales only cotangents of functions");
  if (!isFixed(f, x.type))
    return f.refuse(
      "TSG1019",
      at,
      f.textOf(at),
      "the function captures a Map, or a choice of types",
    );
  const options = { keepsViews: true };
  return mapNumbers(
    f,
    x.type,
    x,
    (path) => make(loadPath(f, x, path), loadPath(f, z, path)),
    options,
  );
}

/** Whether two cotangents of this type have their numbers at the same places. */
function isFixed(f: Frame, type: Type): boolean {
  const shape = f.shape(type);
  if (shape.kind === "opt" || shape.kind === "dict" || shape.kind === "union") return false;
  return !isRecursive(type, f.ctx.types) && !somePart(shape, (part) => !isFixed(f, part));
}
