// Values of known shape, number by number. Input: types of numbers, tuples and records. Output: the
// places of their numbers, shadows with a 1 in one place, and values with other atoms in place of
// their numbers.
// Invariant: in the order of the fields; fields without numbers drop out, elements do not.

import { type Builder, field, num } from "../../ir/build.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Key, Type } from "../../ir/types.ts";
import { record, tuple } from "../fragments.ts";
import { isList, type Returned } from "./several-seeds.ts";

/** The places of a value's numbers, in order; null if it has arrays or other parts. */
// eslint-disable-next-line complexity -- flat exhaustive switch over type kinds
export function placesOf(type: Type, types: Types): readonly (readonly Key[])[] | null {
  if (type.kind === "named" && types.get(type.name)?.instance !== undefined) return null;
  const shape = resolve(type, types);
  const inside = (key: Key, inner: Type): readonly (readonly Key[])[] | null =>
    placesOf(inner, types)?.map((path) => [key, ...path]) ?? null;
  switch (shape.kind) {
    case "num":
      return [[]];
    case "tuple":
      return joined(shape.elems.map((elem, i) => inside(field(String(i)), elem)));
    case "record":
      return shape.tagged === true
        ? null
        : joined(
            shape.fields.flatMap(({ name, type: inner }) =>
              hasNumbers(inner, types) ? [inside(field(name), inner)] : [],
            ),
          );
    case "bool":
    case "leaf":
    case "array":
    case "opt":
    case "dict":
    case "union":
    case "named":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return null;
  }
}

const joined = <T>(parts: readonly (readonly T[] | null)[]): readonly T[] | null =>
  parts.some((one) => one === null) ? null : parts.flatMap((one) => one ?? []);

/** A shadow that is 1 at one place and 0 elsewhere. */
export function unit(b: Builder, type: Type, place: readonly Key[], types: Types): Atom {
  const next = (name: string, inner: Type): Atom => {
    const [first, ...rest] = place;
    return unit(
      b,
      inner,
      first?.kind === "field" && first.name === name ? rest : [field("")],
      types,
    );
  };
  const shape = resolve(type, types);
  if (shape.kind === "tuple")
    return b.let("t", type, {
      kind: "tuple",
      elems: shape.elems.map((elem, i) => next(String(i), elem)),
    });
  if (shape.kind === "record")
    return b.let("t", type, {
      kind: "record",
      fields: shape.fields.map(({ name, type: inner }) => ({ name, value: next(name, inner) })),
    });
  return num(place.length === 0 ? 1 : 0);
}

/** A value of the same shape, with the next atom for each number, without other fields. */
export function shaped(b: Builder, type: Type, types: Types, next: () => Atom): Atom {
  const shape = resolve(type, types);
  if (shape.kind === "tuple") {
    const elems = shape.elems.map((elem) => shaped(b, elem, types, next));
    return tuple(b, elems);
  }
  if (shape.kind === "record") {
    const fields = shape.fields.flatMap(({ name, type: inner }) =>
      hasNumbers(inner, types) ? [{ name, value: shaped(b, inner, types, next) }] : [],
    );
    return record(b, fields);
  }
  return next();
}

/** What is returned, with its tuples put together again. */
export function repackTuples(
  b: Builder,
  returned: Returned,
  type: Type,
  at: (atom: Atom) => Atom,
  types: Types,
): Atom {
  if (!isList(returned)) return at(returned);
  const shape = resolve(type, types);
  return b.let("t", type, {
    kind: "tuple",
    elems: returned.map((one, i) =>
      repackTuples(
        b,
        one,
        (shape.kind === "tuple" ? shape.elems[i] : undefined) ?? type,
        at,
        types,
      ),
    ),
  });
}
