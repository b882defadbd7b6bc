// Trims cotangents of arguments that the function makes longer. Input: a parameter and its facts.
// Output: statements that note lengths at the entry, and statements that cut the cotangent to them
// at the end.
// Invariant: arguments that do not grow cost nothing.

import { type Builder, field, NUM } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Var } from "../../ir/types.ts";
import { cutTo, shorten } from "./structure.ts";

/** Removes from a cotangent the elements that the caller did not pass in. */
export type Cut = (b: Builder, cotangent: Atom) => void;

/** Notes at the entry what the cut needs; null where nothing grows. */
export function outlineOf(
  entry: Builder,
  param: Var,
  shadow: Atom,
  facts: FunctionFacts,
  types: Types,
): Cut | null {
  const lengthened = facts.grownArrays(param);
  if (lengthened.length === 0) return null;
  if (lengthened === "deep") {
    const outline = entry.let("outline", shadow.type, { kind: "clone", object: shadow });
    return (b, cotangent) => {
      cutTo(b, param.type, cotangent, outline, types);
    };
  }
  const cuts = lengthened.map((path): Cut => {
    const length = entry.let("n", NUM, {
      kind: "length",
      object: along(entry, path, param, types),
    });
    return (b, cotangent) => {
      const array = along(b, path, cotangent, types);
      const shape = resolve(array.type, types);
      if (shape.kind === "array") shorten(b, array, shape.elem, length);
    };
  });
  return (b, cotangent) => {
    for (const cut of cuts) cut(b, cotangent);
  };
}

const along = (b: Builder, path: readonly string[], object: Atom, types: Types): Atom =>
  path.reduce<Atom>(
    (at, name) => b.load("t", placeType(at.type, field(name), types) ?? at.type, at, field(name)),
    object,
  );
