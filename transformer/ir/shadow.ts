// Which type the shadow of a value has (DESIGN.md §4 "Types"). In: a type and the named types. Out: a type, or null for a leaf.
// Invariant: agrees with the exported `Cotangent<T>` of runtime/.

import type { Field, NamedType, Type } from "./types.ts";

export type Types = ReadonlyMap<string, NamedType>;

/** Follows names until a structural type: `named` to its definition, `cotangent` to the shadow of what it names. */
export function resolve(type: Type, types: Types): Type {
  if (type.kind === "named") {
    const named = types.get(type.name);
    return named === undefined ? type : resolve(named.type, types);
  }
  if (type.kind === "cotangent") return structuralShadow(resolve(type.of, types), types) ?? type;
  return type;
}

/** Whether a number that a derivative can pass through is reachable from a value of this type. */
export function hasNumbers(type: Type, types: Types, seen: ReadonlySet<string> = new Set()): boolean {
  switch (type.kind) {
    case "num": return true;
    case "array": return hasNumbers(type.elem, types, seen);
    case "tuple": return type.elems.some((elem) => hasNumbers(elem, types, seen));
    case "record": return type.fields.some((field) => hasNumbers(field.type, types, seen));
    case "opt": return hasNumbers(type.of, types, seen);
    case "named": {
      if (seen.has(type.name)) return false;
      const named = types.get(type.name);
      return named !== undefined && hasNumbers(named.type, types, new Set([...seen, type.name]));
    }
    case "cotangent": return true;
    case "bool": case "leaf": case "tape": case "func": case "void": return false;
  }
}

/** Type of the cotangent (scalar) or shadow (aggregate) of a value of `type`; null where no derivative passes. */
export function shadowType(type: Type, types: Types): Type | null {
  if (!hasNumbers(type, types)) return null;
  if (type.kind !== "named") return structuralShadow(type, types);
  return isOwnShadow(type, types, new Set()) ? type : { kind: "cotangent", of: type };
}

function structuralShadow(type: Type, types: Types): Type | null {
  switch (type.kind) {
    case "num": return type;
    case "array": {
      const elem = shadowType(type.elem, types);
      return elem === null ? null : { ...type, elem };
    }
    // positions must stay: a leaf in a tuple is kept as it is
    case "tuple": return { kind: "tuple", elems: type.elems.map((elem) => shadowType(elem, types) ?? elem) };
    case "record": {
      const fields: Field[] = [];
      for (const field of type.fields) {
        const shadow = shadowType(field.type, types);
        if (shadow !== null) fields.push({ name: field.name, type: shadow });
      }
      return { kind: "record", fields };
    }
    case "opt": {
      const of = shadowType(type.of, types);
      return of === null ? null : of.kind === "num" ? of : { kind: "opt", of };
    }
    case "named": return shadowType(type, types);
    case "cotangent": return type;
    case "bool": case "leaf": case "tape": case "func": case "void": return null;
  }
}

/** Whether the shadow of a named type can be written with the same name: numbers and arrays of them only, all the way down. */
function isOwnShadow(type: Type, types: Types, seen: ReadonlySet<string>): boolean {
  switch (type.kind) {
    case "num": return true;
    case "array": return isOwnShadow(type.elem, types, seen);
    case "tuple": return type.elems.every((elem) => isOwnShadow(elem, types, seen));
    case "record": return type.fields.every((field) => isOwnShadow(field.type, types, seen));
    case "named": {
      if (seen.has(type.name)) return true;
      const named = types.get(type.name);
      return named !== undefined && named.readonly !== true && isOwnShadow(named.type, types, new Set([...seen, type.name]));
    }
    case "bool": case "leaf": case "opt": case "tape": case "func": case "cotangent": case "void": return false;
  }
}
