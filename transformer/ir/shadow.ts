// Which type the shadow of a value has (DESIGN.md §4 "Types"). In: a type and the named types. Out: a type, or null for a leaf.
// Invariant: agrees with the exported `Cotangent<T>` of runtime/.

import { bogTangent } from "./names.ts";
import type { Field, Key, NamedType, Type } from "./types.ts";

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

const NOTHING: ReadonlySet<string> = new Set();

/** Whether a number that a derivative can pass through is reachable from a value of this type. */
export function hasNumbers(type: Type, types: Types, seen: ReadonlySet<string> = NOTHING): boolean {
  switch (type.kind) {
    case "num":
      return true;
    case "array":
      return hasNumbers(type.elem, types, seen);
    case "tuple":
      return type.elems.some((elem) => hasNumbers(elem, types, seen));
    case "record":
      return type.fields.some((field) => hasNumbers(field.type, types, seen));
    case "opt":
      return hasNumbers(type.of, types, seen);
    case "dict":
      return hasNumbers(type.value, types, seen);
    case "union":
      return type.variants.some((variant) => hasNumbers(variant, types, seen));
    case "named": {
      if (seen.has(type.name)) return false;
      const named = types.get(type.name);
      return named !== undefined && hasNumbers(named.type, types, new Set([...seen, type.name]));
    }
    case "cotangent":
    case "tape":
      return true;
    case "bool":
    case "leaf":
    case "func":
    case "void":
      return false;
  }
}

/** Whether a cotangent or tangent is one number. */
export const isScalarType = (type: Type): boolean =>
  type.kind === "num" || (type.kind === "opt" && isScalarType(type.of));

/** Whether a value that is written to a place of an object has a place in the shadow: text and functions have none in a record's. */
export function hasPlace(value: Type, shadow: Type, key: Key, types: Types): boolean {
  const shape = resolve(shadow, types);
  if (
    key.kind !== "field" ||
    shape.kind !== "record" ||
    shadowType(value, types) !== null ||
    holdsOpaque(value, types)
  )
    return true;
  return shape.fields.some(({ name }) => name === key.name);
}

/** Whether something is in reach that may hold numbers which no shadow can hold. */
export function holdsOpaque(
  type: Type,
  types: Types,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const within = (inner: Type): boolean => holdsOpaque(inner, types, seen);
  switch (type.kind) {
    case "leaf":
      return type.opaque === true;
    case "array":
      return within(type.elem);
    case "tuple":
      return type.elems.some(within);
    case "record":
      return type.fields.some((field) => within(field.type));
    case "dict":
      return within(type.value);
    case "union":
      return type.variants.some(within);
    case "opt":
    case "cotangent":
      return within(type.of);
    case "named": {
      const named = seen.has(type.name) ? undefined : types.get(type.name);
      return named !== undefined && holdsOpaque(named.type, types, new Set([...seen, type.name]));
    }
    case "num":
    case "bool":
    case "tape":
    case "func":
    case "void":
      return false;
  }
}

/** Type of the cotangent (scalar) or shadow (aggregate) of a value of `type`; null where no derivative passes. */
export function shadowType(type: Type, types: Types): Type | null {
  if (!hasNumbers(type, types)) return null;
  if (type.kind !== "named") return structuralShadow(type, types);
  if (isOwnShadow(type, types, NOTHING)) return type;
  const tangent = bogTangent(type.name);
  return types.has(tangent) ? { kind: "named", name: tangent } : { kind: "cotangent", of: type };
}

function structuralShadow(type: Type, types: Types): Type | null {
  switch (type.kind) {
    case "num":
      return type.literal === undefined ? type : { kind: "num" };
    case "array": {
      const elem = shadowType(type.elem, types);
      return elem === null ? null : { ...type, elem };
    }
    // positions must stay: a leaf in a tuple is kept as it is
    case "tuple":
      return { kind: "tuple", elems: type.elems.map((elem) => shadowType(elem, types) ?? elem) };
    case "record": {
      const fields: Field[] = [];
      for (const field of type.fields) {
        const shadow =
          type.tagged === true && isTag(field.type) ? field.type : shadowType(field.type, types);
        if (shadow !== null) fields.push({ name: field.name, type: shadow });
      }
      return { kind: "record", fields, ...(type.tagged === true ? { tagged: true } : {}) };
    }
    case "dict": {
      const value = shadowType(type.value, types);
      return value === null ? null : { ...type, value: value.kind === "opt" ? value.of : value };
    }
    // a variant without numbers keeps its place, with its tags
    case "union":
      return {
        kind: "union",
        variants: type.variants.map((variant) => variantShadow(variant, types)),
      };
    case "opt": {
      const of = shadowType(type.of, types);
      if (of === null || of.kind === "num") return of;
      return { kind: "opt", of, nil: isOptionalField(type) ? "unset" : "undefined" };
    }
    case "named":
      return shadowType(type, types);
    case "cotangent":
    case "tape":
      return type;
    case "bool":
    case "leaf":
    case "func":
    case "void":
      return null;
  }
}

const variantShadow = (variant: Type, types: Types): Type =>
  shadowType(variant, types) ??
  (variant.kind === "named"
    ? { kind: "cotangent", of: variant }
    : (structuralShadow(variant, types) ?? variant));

/** Of a field with `?`, which its object may do without. */
export const isOptionalField = (type: Type): boolean =>
  type.kind === "opt" && (type.nil === undefined || type.nil === "field" || type.nil === "unset");

/** A field that can tell the members of a union apart, as `Cotangent<T>` sees it. */
export function isLiteral(type: Type): boolean {
  if (type.kind === "bool") return type.literal !== undefined;
  return (
    type.kind === "leaf" &&
    type.opaque !== true &&
    !/^(string|boolean|bigint|symbol)$/.test(type.text) &&
    LITERAL.test(type.text)
  );
}

/** A field of a union's member that keeps its value in the shadow: a number among them, where its type lists its values. */
export const isTag = (type: Type): boolean =>
  isLiteral(type) || (type.kind === "num" && type.literal !== undefined);

/** Text literals, members of enums, `null` and `undefined`. */
const LITERAL =
  /^("(?:[^"\\]|\\.)*"|null|undefined|true|false|[\p{ID_Continue}$]+\.[\p{ID_Continue}$]+)( \| ("(?:[^"\\]|\\.)*"|null|undefined|true|false|[\p{ID_Continue}$]+\.[\p{ID_Continue}$]+))*$/u;

/** In a BOG, whose tangent has its type: what is no number stays, and an object that a branch does not make is missing in both (what is null in the one is undefined in the other). */
const isKeptInBog = (elem: Type, types: Types, seen: ReadonlySet<string>): boolean =>
  elem.kind === "bool" ||
  elem.kind === "leaf" ||
  elem.kind === "tape" ||
  (elem.kind === "opt" &&
    elem.nil !== "null" &&
    elem.nil !== "both" &&
    !isScalarType(elem.of) &&
    isOwnShadow(elem.of, types, seen));

/** Whether the shadow of a named type can be written with the same name: numbers and arrays of them only, all the way down. */
function isOwnShadow(type: Type, types: Types, seen: ReadonlySet<string>): boolean {
  switch (type.kind) {
    case "num":
      return type.literal === undefined;
    case "array":
      return isOwnShadow(type.elem, types, seen);
    case "tuple":
      return (
        type.literals === undefined &&
        type.elems.every(
          (elem) =>
            (type.labels !== undefined && isKeptInBog(elem, types, seen)) ||
            isOwnShadow(elem, types, seen),
        )
      );
    case "record":
      return type.fields.every((field) => isOwnShadow(field.type, types, seen));
    case "dict":
      return type.store === "Object" && isOwnShadow(type.value, types, seen);
    case "union":
      return type.variants.every((variant) => isOwnShadow(variant, types, seen));
    case "named": {
      if (seen.has(type.name)) return true;
      const named = types.get(type.name);
      // the tangent of a BOG
      if (named?.type.kind === "cotangent") return true;
      return (
        named !== undefined &&
        named.readonly !== true &&
        named.instance === undefined &&
        isOwnShadow(named.type, types, new Set([...seen, type.name]))
      );
    }
    case "bool":
    case "leaf":
    case "opt":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return false;
  }
}

/** Whether a named type, or the one a shadow belongs to, or a union without a name, contains itself. */
export function isRecursive(type: Type, types: Types): boolean {
  const start = type.kind === "cotangent" ? type.of : type;
  const seen = new Set<string>();
  const reaches = (inner: Type): boolean => {
    switch (inner.kind) {
      case "named": {
        if (start.kind === "named" && inner.name === start.name) return true;
        const declared = seen.has(inner.name) ? undefined : types.get(inner.name);
        seen.add(inner.name);
        return declared !== undefined && reaches(declared.type);
      }
      case "array":
        return reaches(inner.elem);
      case "tuple":
        return inner.elems.some(reaches);
      case "record":
        return inner.fields.some((field) => reaches(field.type));
      case "dict":
        return reaches(inner.value);
      case "union":
        return inner.variants.some(reaches);
      case "opt":
      case "cotangent":
        return reaches(inner.of);
      case "num":
      case "bool":
      case "leaf":
      case "tape":
      case "func":
      case "void":
        return false;
    }
  };
  // a union comes back to itself through its named members
  if (start.kind === "union")
    return start.variants.some(
      (variant) => variant.kind === "named" && isRecursive(variant, types),
    );
  const declared = start.kind === "named" ? types.get(start.name) : undefined;
  return declared !== undefined && reaches(declared.type);
}

/** Types whose every place can be named without asking which variant there is. */
export function isPlain(type: Type, types: Types, open: readonly string[] = []): boolean {
  if (!hasNumbers(type, types)) return !holdsOpaque(type, types) && type.kind !== "func";
  switch (type.kind) {
    case "num":
      return true;
    case "array":
      return isPlain(type.elem, types, open);
    case "tuple":
      return type.elems.every((elem) => isPlain(elem, types, open));
    case "record":
      return type.fields.every((field) => isPlain(field.type, types, open));
    case "named":
      return (
        !open.includes(type.name) &&
        types.get(type.name)?.instance === undefined &&
        isPlain(resolve(type, types), types, [...open, type.name])
      );
    case "bool":
    case "leaf":
    case "void":
      return true;
    case "opt":
    case "dict":
    case "union":
    case "tape":
    case "func":
    case "cotangent":
      return false;
  }
}
