// Array methods that append: `push` and `concat`, and the argument lists of `unshift` and `splice`.
// All arguments are evaluated before the first element is appended, as in JavaScript.

import { field, index, NUM } from "../../ir/build.ts";
import type { ArrayPart, Atom, Type, Var } from "../../ir/types.ts";
import { lowerValues, lowerExpr } from "../lowering.ts";
import { isTag } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { lowerStored } from "../functions/function-tags.ts";
import { spreadPart } from "../objects/literals.ts";
import { sameType } from "../types/same-type.ts";
import type { Call } from "./array.ts";
import type { Items } from "./resize.ts";

export function push(f: Frame, call: Call): Atom | null {
  if (call.node.arguments.some((argument) => f.api.isSpreadElement(argument)))
    return pushAll(f, call);
  // An array of functions holds tags, so a function that is pushed becomes its tag.
  const values = isTag(f, call.elem)
    ? call.node.arguments.map((argument) => lowerStored(f, argument, "t", call.elem))
    : lowerValues(f, call.node);
  for (const value of values) f.b.emit({ kind: "append", object: call.array, value });
  return call.unused ? null : f.b.length(call.array, call.hint);
}

/** `xs.push(...ys, z)`: all values are evaluated before the first is appended. */
function pushAll(f: Frame, call: Call): Atom | null {
  const given = call.node.arguments;
  const appends = given.map((argument, at): (() => void) => {
    if (!f.api.isSpreadElement(argument)) {
      const value = lowerExpr(f, argument);
      return () => f.b.emit({ kind: "append", object: call.array, value });
    }
    const source = spreadPart(f, argument, given.slice(at + 1)).atom;
    const shape = f.shape(source.type);
    if (shape.kind !== "array") return f.refuse("TSG1111", argument, f.textOf(call.callee));
    const length = f.b.length(source);
    return () =>
      emitFor(f, f.label("loop"), length, (at) =>
        f.b.emit({
          kind: "append",
          object: call.array,
          value: f.let("t", shape.elem, { kind: "load", object: source, key: index(at) }),
        }),
      );
  });
  for (const append of appends) append();
  return call.unused ? null : f.b.length(call.array, call.hint);
}

/** Splits arguments at a position. `items` is one array if an array of unknown length is spread. */
export function itemsFrom(
  f: Frame,
  call: Call,
  position: number,
): { readonly before: readonly Atom[]; readonly items: Items } {
  const given = call.node.arguments;
  const at = given.findIndex(
    (argument) =>
      f.api.isSpreadElement(argument) &&
      f.shape(f.ctx.typeOf(argument.expression)).kind !== "tuple",
  );
  if (at < position) {
    const values = lowerValues(f, call.node);
    return { before: values.slice(0, position), items: values.slice(position) };
  }
  const before = given.slice(0, position).map((argument) => lowerExpr(f, argument));
  const parts = given
    .slice(position)
    .map((argument, i): ArrayPart =>
      f.api.isSpreadElement(argument)
        ? spreadPart(f, argument, given.slice(position + i + 1))
        : { atom: lowerExpr(f, argument), spread: false },
    );
  return {
    before,
    items: f.let("t", { kind: "array", store: "Array", elem: call.elem }, { kind: "array", parts }),
  };
}

export function concat(f: Frame, call: Call): Atom {
  const shape = f.shape(call.array.type);
  if (shape.kind !== "array" || shape.store !== "Array")
    return f.refuse("TSG1112", call.node, "concat", "a typed array");
  const parts: ArrayPart[] = [{ atom: call.array, spread: true }];
  for (const atom of lowerValues(f, call.node)) {
    const kind = f.shape(atom.type);
    if (
      kind.kind === "tuple" ||
      (kind.kind === "array" && kind.store !== "Array" && shape.elem.kind === "num")
    )
      return f.refuse("TSG1210", call.node, "concat", "it mixes kinds of arrays");
    parts.push({ atom, spread: kind.kind === "array" });
  }
  return f.let(call.hint, call.array.type, { kind: "array", parts });
}

/** The element type of an array, or of a tuple of one defined type; null for any other type. */
export function rowElem(f: Frame, row: Type): Type | null {
  const shape = f.shape(row);
  if (shape.kind === "array") return shape.store === "Array" ? shape.elem : null;
  const [first, ...others] = shape.kind === "tuple" ? shape.elems : [];
  return first !== undefined &&
    f.shape(first).kind !== "opt" &&
    others.every((each) => sameType(each, first))
    ? first
    : null;
}

/** Appends the elements of an array or tuple. */
export function appendAll(f: Frame, result: Var, row: Atom): void {
  const shape = f.shape(row.type);
  if (shape.kind === "tuple")
    return shape.elems.forEach((each, at) =>
      f.b.emit({
        kind: "append",
        object: result,
        value: f.let("t", each, { kind: "load", object: row, key: field(String(at)) }),
      }),
    );
  const elem = shape.kind === "array" ? shape.elem : NUM;
  const length = f.b.length(row);
  emitFor(
    f,
    f.label("loop"),
    length,
    (at) =>
      f.b.emit({
        kind: "append",
        object: result,
        value: f.let("t", elem, { kind: "load", object: row, key: index(at) }),
      }),
    "j",
  );
}
