// Zeros and sums of cotangents as array programs: numbers, arrays, records of them, nested at will. In: a type, and values of it. Out: atoms.
// Invariant: both are functional: what they give is fresh or shared, and never written.
// Huot and Shaikhha §3.3: the monoid (G, +, 0) of each ground type.

import { type ArrayBuilder, lambda, operator } from "../../ir/array.ts";
import { NUM, num } from "../../ir/build.ts";
import { hasNumbers, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Field, Type } from "../../ir/types.ts";

/** What keeps a program from having an array-level derivative. */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

export const cotangentType = (type: Type, types: Types): Type => shadowType(type, types) ?? NUM;

/** The fields of a record that cotangents have. */
export function numericFields(type: Type, types: Types): readonly Field[] {
  const shape = resolve(type, types);
  if (
    shape.kind !== "record" ||
    shape.tagged === true ||
    (type.kind === "named" && types.get(type.name)?.instance !== undefined)
  )
    throw new Unfit("a cotangent that is neither a number, an array nor a plain record");
  return shape.fields.filter((field) => hasNumbers(field.type, types));
}

/** The zero of the type of `like`. */
export function zeroOf(b: ArrayBuilder, like: Atom, types: Types): Atom {
  const shape = resolve(like.type, types);
  const type = cotangentType(like.type, types);
  if (shape.kind === "num") return num(0);
  if (shape.kind === "array") {
    if (isOfNumbers(shape.elem, types))
      return b.let("t", type, { kind: "fill", value: num(0), like });
    const fn = lambda(b.names, b.origin, [["x", shape.elem]], (inner, x) =>
      zeroOf(inner, x ?? num(0), types),
    );
    return b.let("t", type, { kind: "map", fn, arrays: [like] });
  }
  const fields = numericFields(like.type, types).map(({ name, type: own }) => ({
    name,
    value:
      own.kind === "num"
        ? num(0)
        : zeroOf(b, b.let(name, own, { kind: "field", of: like, name }), types),
  }));
  return b.let("t", type, { kind: "record", fields });
}

/** Whether `fill` reaches all: a number, or arrays of them. */
function isOfNumbers(type: Type, types: Types): boolean {
  const shape = resolve(type, types);
  return shape.kind === "num" || (shape.kind === "array" && isOfNumbers(shape.elem, types));
}

/** The sum of two cotangents of a value of `type`. */
export function sumOf(
  b: ArrayBuilder,
  wanted: string,
  type: Type,
  x: Atom,
  y: Atom,
  types: Types,
): Atom {
  const shape = resolve(type, types);
  const own = cotangentType(type, types);
  if (shape.kind === "num") return b.let(wanted, NUM, { kind: "op", op: "add", args: [x, y] });
  if (shape.kind === "array") {
    const elem = cotangentType(shape.elem, types);
    const fn =
      resolve(shape.elem, types).kind === "num"
        ? operator(b.names, b.origin, "add")
        : lambda(
            b.names,
            b.origin,
            [
              ["x", elem],
              ["y", elem],
            ],
            (inner, p, q) => sumOf(inner, "t", shape.elem, p ?? num(0), q ?? num(0), types),
          );
    return b.let(wanted, own, { kind: "map", fn, arrays: [x, y] });
  }
  const fields = numericFields(type, types).map((field) => {
    const [p, q] = [x, y].map((of) =>
      b.let(field.name, cotangentType(field.type, types), { kind: "field", of, name: field.name }),
    );
    return { name: field.name, value: sumOf(b, "t", field.type, p ?? num(0), q ?? num(0), types) };
  });
  return b.let(wanted, own, { kind: "record", fields });
}
