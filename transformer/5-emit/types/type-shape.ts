// Predicates on what a type contains, through names. They end on recursive types.

import { isTag, resolve, somePart, type Types } from "../../ir/shadow.ts";
import type { Type } from "../../ir/types.ts";

/** Names of types that a search has met. */
type Seen = Set<string>;

/** A key for a recursive type: its name, or that of the type that it is the shadow of. */
function nameOfType(type: Type): string | null {
  if (type.kind === "named") return type.name;
  return type.kind === "cotangent" && type.of.kind === "named" ? `${type.of.name}'` : null;
}

/** Resolves the type and looks inside, unless the search has met its name. */
function within(
  unresolved: Type,
  types: Types,
  seen: Seen,
  look: (type: Type, seen: Seen) => boolean,
): boolean {
  const name = nameOfType(unresolved);
  if (name !== null && seen.has(name)) return false;
  return look(resolve(unresolved, types), name === null ? seen : seen.add(name));
}

/** Whether the type contains an array, tuple or dict; readonly records are assignable. */
export const hasReadonlyForm = (unresolved: Type, types: Types, seen: Seen = new Set()): boolean =>
  within(unresolved, types, seen, (type, inner) => {
    if (type.kind === "array") return type.store === "Array";
    if (type.kind === "tuple" || type.kind === "dict") return true;
    return somePart(type, (part) => hasReadonlyForm(part, types, inner));
  });

/** Whether the array's elements may be readonly, also in a copy of the array. */
export const hasReadonlyElements = (array: Type, types: Types): boolean =>
  within(
    array,
    types,
    new Set(),
    (type, inner) => type.kind === "array" && hasReadonlyForm(type.elem, types, inner),
  );

/**
 * Whether the type is more than a literal's type. "tuple": it contains a tuple or a dict.
 * "any": also something optional, a typed array (whose buffer type differs), or a discriminant.
 */
export const exceedsLiteral = (
  unresolved: Type,
  types: Types,
  what: "tuple" | "any",
  seen: Seen = new Set(),
): boolean =>
  within(unresolved, types, seen, (type, inner) => {
    if (type.kind === "tuple" || type.kind === "dict") return true;
    if (what === "any") {
      if (type.kind === "opt" || type.kind === "union") return true;
      if (somePart(type, (part) => isTypedArray(part, types))) return true;
      if (type.kind === "record" && type.tagged === true && somePart(type, isTag)) return true;
    }
    return somePart(type, (part) => exceedsLiteral(part, types, what, inner));
  });

const isTypedArray = (unresolved: Type, types: Types): boolean => {
  const type = resolve(unresolved, types);
  return type.kind === "array" && type.store !== "Array";
};
