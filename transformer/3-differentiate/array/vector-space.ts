// Zeros and sums of cotangents in array programs: numbers, arrays, and records of these. Input: a
// type and values of it. Output: atoms.
// Invariant: all values are immutable, so results may share parts.
// Huot and Shaikhha §3.3: the monoid (G, +, 0) of each ground type.

import { type ArrayBuilder, lambda, operator } from "../../ir/array.ts";
import { NUM, num } from "../../ir/build.ts";
import { hasNumbers, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Field, Type } from "../../ir/types.ts";

/** The reason why a program has no array-level derivative. */
export class NotExpressible extends Error {
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
    throw new NotExpressible("a cotangent that is neither a number, an array nor a plain record");
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
      zeroOf(inner, x, types),
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

/** Whether `fill` can make the zero: a number, or nested arrays of numbers. */
function isOfNumbers(type: Type, types: Types): boolean {
  const shape = resolve(type, types);
  return shape.kind === "num" || (shape.kind === "array" && isOfNumbers(shape.elem, types));
}

/** The sum of two cotangents of a value of `type`. */
export function sumOf(
  [x, y]: readonly [Atom, Atom],
  type: Type,
  name: string,
  { b, types }: { readonly b: ArrayBuilder; readonly types: Types },
): Atom {
  const shape = resolve(type, types);
  const own = cotangentType(type, types);
  if (shape.kind === "num") return b.let(name, NUM, { kind: "op", op: "add", args: [x, y] });
  if (shape.kind === "array") {
    const elem = cotangentType(shape.elem, types);
    const params = [["x", elem] as const, ["y", elem] as const];
    const fn =
      resolve(shape.elem, types).kind === "num"
        ? operator(b.names, b.origin, "add")
        : lambda(b.names, b.origin, params, (inner, p, q) =>
            sumOf([p, q], shape.elem, "t", { b: inner, types }),
          );
    return b.let(name, own, { kind: "map", fn, arrays: [x, y] });
  }
  const fields = numericFields(type, types).map((field) => {
    const [p, q] = [x, y].map((of) =>
      b.let(field.name, cotangentType(field.type, types), { kind: "field", of, name: field.name }),
    );
    const value = sumOf([p ?? num(0), q ?? num(0)], field.type, "t", { b, types });
    return { name: field.name, value };
  });
  return b.let(name, own, { kind: "record", fields });
}
