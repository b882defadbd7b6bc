// What a type has inside, through names. In: a type. Out: yes or no. Invariant: ends on recursive types.

import { isTag, resolve, type Types } from "../../ir/shadow.ts";
import type { Type } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";

type Seen = ReadonlySet<string>;

/** Name behind which the type comes back to itself, if any: of the named type, or of the one it is the shadow of. */
function nameOfType(type: Type): string | null {
  if (type.kind === "named") return type.name;
  return type.kind === "cotangent" && type.of.kind === "named" ? `${type.of.name}'` : null;
}

/** Resolves the type and looks inside, unless that has been done further out. */
function within(
  unresolved: Type,
  types: Types,
  seen: Seen,
  look: (type: Type, seen: Seen) => boolean,
): boolean {
  const name = nameOfType(unresolved);
  if (name !== null && seen.has(name)) return false;
  return look(resolve(unresolved, types), name === null ? seen : new Set([...seen, name]));
}

/** Whether there is an array or tuple in the type: records are assignable, readonly or not. */
export function maySayReadonly(unresolved: Type, types: Types, seen: Seen = new Set()): boolean {
  return within(unresolved, types, seen, (type, inner) => {
    switch (type.kind) {
      case "array":
        return type.store === "Array";
      case "tuple":
        return true;
      case "record":
        return type.fields.some((field) => maySayReadonly(field.type, types, inner));
      case "opt":
        return maySayReadonly(type.of, types, inner);
      case "dict":
        return true;
      case "union":
        return type.variants.some((variant) => maySayReadonly(variant, types, inner));
      case "num":
      case "bool":
      case "leaf":
      case "named":
      case "tape":
      case "func":
      case "cotangent":
      case "void":
        return false;
      default:
        return unreachable(type);
    }
  });
}

/** Whether elements of such an array may be of a type that says `readonly`: a copy of it holds them as they are. */
export const holdsReadonly = (array: Type, types: Types): boolean =>
  within(
    array,
    types,
    new Set(),
    (type, inner) => type.kind === "array" && maySayReadonly(type.elem, types, inner),
  );

/** Whether the type says more than a literal of it would: a tuple or (`any`) something optional inside, or a typed array, which a literal says the buffer of. */
export function hasShape(
  unresolved: Type,
  types: Types,
  what: "tuple" | "any",
  seen: Seen = new Set(),
): boolean {
  return within(unresolved, types, seen, (type, inner) => {
    const deeper = (one: Type): boolean => hasShape(one, types, what, inner);
    switch (type.kind) {
      case "tuple":
        return true;
      case "opt":
        return what === "any" || deeper(type.of);
      case "array":
        return deeper(type.elem) || (what === "any" && holdsTyped(type.elem, types));
      // a tag that a literal spells is text to TypeScript
      case "record":
        return type.fields.some(
          (field) =>
            deeper(field.type) ||
            (what === "any" && holdsTyped(field.type, types)) ||
            (what === "any" && type.tagged === true && isTag(field.type)),
        );
      case "dict":
        return true;
      case "union":
        return what === "any" || type.variants.some(deeper);
      case "num":
      case "bool":
      case "leaf":
      case "named":
      case "tape":
      case "func":
      case "cotangent":
      case "void":
        return false;
      default:
        return unreachable(type);
    }
  });
}

const holdsTyped = (unresolved: Type, types: Types): boolean => {
  const type = resolve(unresolved, types);
  return type.kind === "array" && type.store !== "Array";
};
