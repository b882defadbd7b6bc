// Translates TypeScript unions. `T | undefined` is an `opt`; a union of aggregates is a `union`.
// Any other union must have members of one IR type, and is an opaque leaf otherwise.
// Object literals that differ only in absent fields become one record with optional fields.

import type ts from "typescript";
import type { Field, Type } from "../../ir/types.ts";
import { VOID } from "../../ir/build.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import { variantsOf } from "../../ir/variants.ts";
import { type NamedTypes, optional } from "./named-types.ts";
import { sameType } from "./same-type.ts";

export function unionType(t: NamedTypes, type: ts.UnionType, at: ts.Node): Type {
  // A predicate may leave `Circle & { kind: "circle" }` and, of all other members, never.
  const [only, ...others] = type.types.filter(
    (member) => !member.isIntersection() || t.checker.typeToString(member) !== "never",
  );
  if (only !== undefined && others.length === 0) return t.from(only, at);
  const present = t.checker.getNonNullableType(type);
  if (present === type)
    return t.shapes.isAggregates(type) ? unionOfAggregates(t, type, at) : uniformUnion(t, type, at);
  const of = aggregate(t, type, present, at);
  return of === null ? uniformUnion(t, type, at) : { kind: "opt", of, nil: t.shapes.nil(type) };
}

/** The aggregate that a nullable type is if it is defined; null for all other types. */
function aggregate(t: NamedTypes, whole: ts.UnionType, type: ts.Type, at: ts.Node): Type | null {
  if (type.isUnion() && t.shapes.isAggregates(type))
    return nonNullable(t, whole, type, at, () => variantTypes(t, type, at));
  if (t.checker.isTupleType(type) || t.checker.isArrayType(type))
    return type.aliasSymbol === undefined
      ? t.anchored(type, whole, at, () => t.memory(type).get(type) ?? t.list(type, at))
      : t.from(type, at);
  return t.shapes.isAnonymous(type)
    ? nonNullable(t, whole, type, at, () => t.record(type, at))
    : null;
}

/** `{ tail: List }` of `type List = { tail: List } | null`, which only the alias names. */
function nonNullable(
  t: NamedTypes,
  whole: ts.UnionType,
  type: ts.Type,
  at: ts.Node,
  make: () => Type,
): Type {
  const alias = whole.aliasSymbol;
  if (alias === undefined || type.aliasSymbol !== undefined || t.memory(type).has(type))
    return t.from(type, at);
  return t.name(type, alias, at, make, whole);
}

/** A union whose members have one IR type, or are leaves. */
function uniformUnion(t: NamedTypes, type: ts.UnionType, at: ts.Node): Type {
  const { TypeFlags } = t.api;
  const nullish = TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void;
  const members = type.types
    .filter((member) => (member.flags & nullish) === 0)
    .map((member) => t.from(member, at));
  const first = members[0];
  if (first === undefined) return t.leaf(type);
  if (members.every((member) => member.kind === "leaf"))
    /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
       TypeScript 5.9 does not narrow */
    return members.some((member) => member.kind === "leaf" && member.opaque === true)
      ? t.opaque(type)
      : t.leaf(type);
  if (!members.every((member) => sameType(member, first))) return t.opaque(type);
  if (members.length === type.types.length) return first;
  const nil = t.shapes.nil(type);
  if (first.kind !== "opt") return { kind: "opt", of: first, nil };
  // `T | undefined` where T itself is nullable.
  return first.nil === nil ? { ...first } : { ...first, nil: "both" };
}

function unionOfAggregates(t: NamedTypes, type: ts.UnionType, at: ts.Node): Type {
  if (type.aliasSymbol === undefined) return variantTypes(t, type, at);
  return t.name(type, type.aliasSymbol, at, () => variantTypes(t, type, at));
}

function variantTypes(t: NamedTypes, type: ts.UnionType, at: ts.Node): Type {
  const merged = t.shapes.isOfLiterals(type)
    ? mergedLiterals(type.types.map((member) => t.from(member, at)))
    : null;
  if (merged !== null) return merged;
  const variants: Type[] = [];
  for (const member of type.types) {
    const variant = t.tagged(t.from(member, at));
    const memory = t.memory(member);
    if (memory.has(member)) memory.set(member, variant);
    if (!variants.some((other) => sameType(other, variant))) variants.push(variant);
  }
  const [only] = variants;
  if (variants.length === 1 && only !== undefined) return only;
  const union = { kind: "union", variants } as const;
  const isDone = (variant: Type): boolean =>
    variant.kind !== "named" || t.types.get(variant.name)?.type !== VOID;
  const isIndistinct =
    variants.every(isDone) && hasNumbers(union, t.types) && variantsOf(union, t.types) === null;
  return isIndistinct ? t.opaque(type) : union;
}

/** `{ bid, ask } | { bid, ask?: undefined }  ->  { bid, ask? }`; null where field types differ. */
function mergedLiterals(members: readonly Type[]): Type | null {
  const lists = members.flatMap((member) => (member.kind === "record" ? [member.fields] : []));
  if (lists.length < members.length) return null;
  const names = new Set(lists.flatMap((fields) => fields.map(({ name }) => name)));
  const fields = [...names].map((name) =>
    mergedField(
      name,
      lists.map((list) => list.find((field) => field.name === name)),
    ),
  );
  return fields.every((field) => field !== null) ? { kind: "record", fields } : null;
}

function mergedField(name: string, given: readonly (Field | undefined)[]): Field | null {
  const defined = given.flatMap((field) =>
    field === undefined || isUndefined(field.type) ? [] : [field.type],
  );
  const [first, ...others] = defined;
  if (first === undefined) return null;
  const isSame = (other: Type): boolean =>
    sameType(required(other), required(first)) && literalOf(other) === literalOf(first);
  if (!others.every(isSame)) return null;
  const isOptional = defined.length < given.length || defined.some(({ kind }) => kind === "opt");
  return { name, type: isOptional ? optional(required(first)) : first };
}

/** The literal that may discriminate the members. */
const literalOf = (type: Type): string | undefined =>
  type.kind === "num" || type.kind === "bool" ? type.literal : undefined;

const isUndefined = (type: Type): boolean => type.kind === "leaf" && type.text === "undefined";

/** The type without `undefined`. */
const required = (type: Type): Type =>
  type.kind === "opt" && (type.nil === undefined || type.nil === "undefined") ? type.of : type;
