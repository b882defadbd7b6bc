// The type of a value's shadow, cotangent or tangent, and other recursive questions about types.
// Agrees with the exported `Cotangent<T>` of runtime/.

import { bogTangent } from "./names.ts";
import type { Field, Key, NamedType, Type, TypeOf } from "./types.ts";

export type Types = ReadonlyMap<string, NamedType>;

/** Resolves a name to its definition, and `cotangent` to the shadow of its type. */
export function resolve(type: Type, types: Types): Type {
  if (type.kind === "named") {
    const named = types.get(type.name);
    return named === undefined ? type : resolve(named.type, types);
  }
  if (type.kind === "cotangent") return structuralShadow(resolve(type.of, types), types) ?? type;
  return type;
}

/** The resolved type of a value that is not missing. */
export function definedShape(type: Type, types: Types): Type {
  const shape = resolve(type, types);
  return shape.kind === "opt" ? definedShape(shape.of, types) : shape;
}

/** Whether `is` holds for a direct component. Names, keys and signatures are not followed. */
export function somePart(type: Type, is: (part: Type) => boolean): boolean {
  switch (type.kind) {
    case "array":
      return is(type.elem);
    case "tuple":
      return type.elems.some((elem) => is(elem));
    case "record":
      return type.fields.some((field) => is(field.type));
    case "dict":
      return is(type.value);
    case "union":
      return type.variants.some((variant) => is(variant));
    case "opt":
    case "cotangent":
      return is(type.of);
    case "num":
    case "bool":
    case "leaf":
    case "named":
    case "tape":
    case "func":
    case "void":
      return false;
  }
}

const everyPart = (type: Type, is: (part: Type) => boolean): boolean =>
  !somePart(type, (part) => !is(part));

/** The direct components, as above. */
export function partTypes(type: Type): readonly Type[] {
  const parts: Type[] = [];
  somePart(type, (part) => {
    parts.push(part);
    return false;
  });
  return parts;
}

/** Whether a number that a derivative can pass through is reachable from a value of this type. */
export function hasNumbers(type: Type, types: Types, seen = new Set<string>()): boolean {
  if (type.kind === "num" || type.kind === "cotangent" || type.kind === "tape") return true;
  if (type.kind !== "named") return somePart(type, (part) => hasNumbers(part, types, seen));
  const named = seen.has(type.name) ? undefined : types.get(type.name);
  return named !== undefined && hasNumbers(named.type, types, seen.add(type.name));
}

/** Whether the cotangent or tangent is a single number. */
export const isScalarType = (type: Type): boolean =>
  type.kind === "num" || (type.kind === "opt" && isScalarType(type.of));

/** Whether a written value has a place in the shadow. Records' strings and functions have none. */
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

/** Whether a value that may hold numbers without a shadow is reachable. */
export function holdsOpaque(type: Type, types: Types, seen = new Set<string>()): boolean {
  if (type.kind === "leaf") return type.opaque === true;
  if (type.kind !== "named") return somePart(type, (part) => holdsOpaque(part, types, seen));
  const named = seen.has(type.name) ? undefined : types.get(type.name);
  return named !== undefined && holdsOpaque(named.type, types, seen.add(type.name));
}

/** Type of the cotangent (scalar) or shadow (aggregate) of a value; null without derivative. */
export function shadowType(type: Type, types: Types): Type | null {
  if (!hasNumbers(type, types)) return null;
  if (type.kind !== "named") return structuralShadow(type, types);
  if (isOwnShadow(type, types, new Set())) return type;
  const tangent = bogTangent(type.name);
  return types.has(tangent) ? { kind: "named", name: tangent } : { kind: "cotangent", of: type };
}

function structuralShadow(type: Type, types: Types): Type | null {
  switch (type.kind) {
    case "num":
      return withoutLiteral(type);
    case "array":
      return arrayShadow(type, types);
    // A leaf in a tuple stays, since positions matter.
    case "tuple":
      return { kind: "tuple", elems: type.elems.map((elem) => shadowType(elem, types) ?? elem) };
    case "record":
      return recordShadow(type, types);
    case "dict":
      return dictShadow(type, types);
    // A variant without numbers stays, with its tags.
    case "union":
      return {
        kind: "union",
        variants: type.variants.map((variant) => variantShadow(variant, types)),
      };
    case "opt":
      return optShadow(type, types);
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

const withoutLiteral = (type: TypeOf<"num">): Type =>
  type.literal === undefined ? type : { kind: "num" };

function arrayShadow(type: TypeOf<"array">, types: Types): Type | null {
  const elem = shadowType(type.elem, types);
  return elem === null ? null : { ...type, elem };
}

function recordShadow({ fields: primal, tagged }: TypeOf<"record">, types: Types): Type {
  const fields: Field[] = [];
  for (const { name, type } of primal) {
    const shadow = tagged === true && isTag(type) ? type : shadowType(type, types);
    if (shadow !== null) fields.push({ name, type: shadow });
  }
  return { kind: "record", fields, ...(tagged === true ? { tagged: true } : {}) };
}

function dictShadow(type: TypeOf<"dict">, types: Types): Type | null {
  const value = shadowType(type.value, types);
  return value === null ? null : { ...type, value: value.kind === "opt" ? value.of : value };
}

function optShadow(type: TypeOf<"opt">, types: Types): Type | null {
  const of = shadowType(type.of, types);
  if (of === null || of.kind === "num") return of;
  return { kind: "opt", of, nil: isOptionalField(type) ? "unset" : "undefined" };
}

const variantShadow = (variant: Type, types: Types): Type =>
  shadowType(variant, types) ??
  (variant.kind === "named"
    ? { kind: "cotangent", of: variant }
    : (structuralShadow(variant, types) ?? variant));

/** Whether it is the type of a field with `?`. */
export const isOptionalField = (type: Type): boolean =>
  type.kind === "opt" && (type.nil === undefined || type.nil === "field" || type.nil === "unset");

/** Whether a field can discriminate a union, as `Cotangent<T>` sees it. */
export function isLiteral(type: Type): boolean {
  if (type.kind === "bool") return type.literal !== undefined;
  return (
    type.kind === "leaf" &&
    type.opaque !== true &&
    !/^(string|boolean|bigint|symbol)$/.test(type.text) &&
    LITERAL.test(type.text)
  );
}

/** A field of a union member that the shadow copies, numbers with listed values included. */
export const isTag = (type: Type): boolean =>
  isLiteral(type) || (type.kind === "num" && type.literal !== undefined);

/** String literals, members of enums, `null` and `undefined`. */
const LITERAL =
  /^("(?:[^"\\]|\\.)*"|null|undefined|true|false|[\p{ID_Continue}$]+\.[\p{ID_Continue}$]+)( \| ("(?:[^"\\]|\\.)*"|null|undefined|true|false|[\p{ID_Continue}$]+\.[\p{ID_Continue}$]+))*$/u;

/**
 * Elements of a BOG that its tangent, which has the same type, copies. They are not numbers, or
 * objects that a branch did not allocate: these are undefined in both.
 */
const isKeptInBog = (elem: Type, types: Types, seen: Set<string>): boolean =>
  elem.kind === "bool" ||
  elem.kind === "leaf" ||
  elem.kind === "tape" ||
  (elem.kind === "opt" &&
    elem.nil !== "null" &&
    elem.nil !== "both" &&
    !isScalarType(elem.of) &&
    isOwnShadow(elem.of, types, seen));

/** Whether the shadow of a type is the type itself: it holds numbers and arrays of them only. */
function isOwnShadow(type: Type, types: Types, seen: Set<string>): boolean {
  if (type.kind === "num") return type.literal === undefined;
  if (type.kind === "tuple") return isOwnTupleShadow(type, types, seen);
  if (type.kind === "named") return isOwnNamedShadow(type.name, types, seen);
  if (type.kind === "dict" && type.store !== "Object") return false;
  const isAggregate =
    type.kind === "array" ||
    type.kind === "record" ||
    type.kind === "dict" ||
    type.kind === "union";
  return isAggregate && everyPart(type, (part) => isOwnShadow(part, types, seen));
}

const isOwnTupleShadow = (
  { elems, labels, literals }: TypeOf<"tuple">,
  types: Types,
  seen: Set<string>,
): boolean =>
  literals === undefined &&
  elems.every(
    (elem) =>
      (labels !== undefined && isKeptInBog(elem, types, seen)) || isOwnShadow(elem, types, seen),
  );

function isOwnNamedShadow(name: string, types: Types, seen: Set<string>): boolean {
  if (seen.has(name)) return true;
  const named = types.get(name);
  // The tangent of a BOG.
  if (named?.type.kind === "cotangent") return true;
  return (
    named !== undefined &&
    named.readonly !== true &&
    named.instance === undefined &&
    isOwnShadow(named.type, types, seen.add(name))
  );
}

/** Whether a named type (or the one a shadow belongs to) or an unnamed union contains itself. */
export function isRecursive(type: Type, types: Types): boolean {
  const start = type.kind === "cotangent" ? type.of : type;
  // A union contains itself through its named members.
  if (start.kind === "union")
    return start.variants.some(
      (variant) => variant.kind === "named" && isRecursive(variant, types),
    );
  if (start.kind !== "named") return false;
  const seen = new Set<string>();
  const contains = (inner: Type): boolean => {
    if (inner.kind !== "named") return somePart(inner, contains);
    if (inner.name === start.name) return true;
    const declared = seen.has(inner.name) ? undefined : types.get(inner.name);
    seen.add(inner.name);
    return declared !== undefined && contains(declared.type);
  };
  const declared = types.get(start.name);
  return declared !== undefined && contains(declared.type);
}

/** Types whose places can all be named without discriminating a union. */
export function isPlain(type: Type, types: Types, open: readonly string[] = []): boolean {
  if (type.kind === "num") return true;
  if (!hasNumbers(type, types)) return !holdsOpaque(type, types) && type.kind !== "func";
  if (type.kind === "named")
    return (
      !open.includes(type.name) &&
      types.get(type.name)?.instance === undefined &&
      isPlain(resolve(type, types), types, [...open, type.name])
    );
  const isAggregate = type.kind === "array" || type.kind === "tuple" || type.kind === "record";
  return isAggregate && everyPart(type, (part) => isPlain(part, types, open));
}
