// Finds values that flow to a place of literal type (`axis: 0 | 1`) or tuple type, where TypeScript
// infers only `number`, `string` or an array. The result is the type to assert, or null.
// Invariant: errs on the side of a cast.

import { membersOf } from "../../ir/literal-types.ts";
import { printType, sameType } from "../../ir/print.ts";
import { resolve, type Types, definedShape } from "../../ir/shadow.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Func, Key, RecordPart, Type } from "../../ir/types.ts";
import type { Nested, Value } from "../code.ts";

interface Scope {
  readonly types: Types;
  readonly nested: Nested;
  /** Names that are declared with a literal type. */
  readonly literalNames: ReadonlySet<string>;
}

/** The literal type to assert for `n % 2` at a place of type `0 | 1`; null where the value fits. */
export function assertedType(atom: Atom, to: Type | null, scope: Scope): string | null {
  const wanted =
    to === null ? null : (literalOf(to, scope.types) ?? aliasOf(to, atom, scope.types));
  return wanted === null || atom.kind !== "var" || isSure(atom, wanted, scope) ? null : wanted;
}

/** Whether `from` has an array where `to` has a tuple: `a.map((v) => v * k) as Vec`. */
export function lacksTuple(from: Type, to: Type, types: Types, seen = new Set<string>()): boolean {
  if (from.kind === "opt") return lacksTuple(from.of, to, types, seen);
  if (to.kind === "opt") return lacksTuple(from, to.of, types, seen);
  if (from.kind === "num" || sameType(from, to)) return false;
  const x = resolve(from, types);
  const z = resolve(to, types);
  const pair = from === x ? null : `${printType(from)} ${printType(to)}`;
  if ((pair !== null && seen.has(pair)) || x === z) return false;
  if (x.kind === "opt" || z.kind === "opt") return lacksTuple(x, z, types, seen);
  if (pair !== null) seen.add(pair);
  return hasLooserPart(
    x,
    z,
    (one, other) => other !== undefined && lacksTuple(one, other, types, seen),
  );
}

function hasLooserPart(
  x: Type,
  z: Type,
  isLooserPart: (from: Type, to: Type | undefined) => boolean,
): boolean {
  if (x.kind === "array") {
    if (x.store === "Array" && z.kind === "tuple") return true;
    return z.kind === "array" && isLooserPart(x.elem, z.elem);
  }
  if (x.kind === "tuple" && z.kind === "tuple")
    return x.elems.some((elem, i) => isLooserPart(elem, z.elems[i]));
  if (x.kind === "tuple")
    return z.kind === "array" && x.elems.some((elem) => isLooserPart(elem, z.elem));
  if (x.kind === "dict") return z.kind === "dict" && isLooserPart(x.value, z.value);
  return (
    x.kind === "record" &&
    z.kind === "record" &&
    x.fields.some(({ name, type }) =>
      isLooserPart(type, z.fields.find((field) => field.name === name)?.type),
    )
  );
}

/** The type that TypeScript infers for a nested value: an element of `number[][]` is an array. */
export function inferredType(atom: Atom, types: Types, nested: Nested): Type {
  const value = atom.kind === "var" ? nested.get(atom.name) : undefined;
  switch (value?.kind) {
    case "copy":
      return inferredType(value.atom, types, nested);
    case "unwrap":
      return inferredType(value.value, types, nested);
    case "load":
      return placeType(inferredType(value.object, types, nested), value.key, types) ?? atom.type;
    default:
      return atom.type;
  }
}

/** The type of a place, with the literal type of a tuple's element. */
export function declaredPlaceType(aggregate: Type, key: Key, types: Types): Type | null {
  const type = resolve(aggregate, types);
  const literal =
    type.kind === "tuple" && key.kind === "field"
      ? (type.literals?.[Number(key.name)] ?? null)
      : null;
  return literal === null ? placeType(aggregate, key, types) : { kind: "num", literal };
}

/** The type of a field of a literal; in a union, that of the variants that fit the literal. */
export function literalFieldType(
  aggregate: Type,
  fields: readonly RecordPart[],
  name: string,
  types: Types,
): Type | null {
  const type = resolve(aggregate, types);
  const fits = (variant: Type): boolean =>
    fields.every((field) =>
      admits(placeType(variant, { kind: "field", name: field.name }, types), field.value, types),
    );
  const members = type.kind === "union" ? type.variants.filter(fits) : [];
  return placeType(
    members.length === 0 ? type : { kind: "union", variants: members },
    { kind: "field", name },
    types,
  );
}

/** Whether the field's literal type admits the constant. */
function admits(place: Type | null, value: Atom, types: Types): boolean {
  const literals = place === null || value.kind !== "const" ? null : literalOf(place, types);
  return (
    place !== null &&
    (literals === null ||
      !LISTED.test(literals) ||
      value.kind !== "const" ||
      membersOf(literals).includes(JSON.stringify(value.value)))
  );
}

/** A function's parameter types, with the literal types of the user's declaration: `a: 0 | 1`. */
export const parameterTypes = (func: Func | undefined): readonly Type[] =>
  func?.params.map(({ name, type }): Type => {
    const literal = func.listed?.[name];
    const held = type.kind === "opt" ? type.of : type;
    if (literal === undefined || (held.kind !== "num" && held.kind !== "leaf")) return type;
    return held.kind === "num" ? { kind: "num", literal } : { kind: "leaf", text: literal };
  }) ?? [];

/** Parameters whose emitted declaration is the user's text, with a literal type. */
export const declaredLiterals = (func: Func): ReadonlySet<string> =>
  new Set(
    func.params
      .filter(
        ({ name }, i) =>
          func.listed?.[name] !== undefined && (func.paramText?.[i] ?? null) !== null,
      )
      .map(({ name }) => name),
  );

function literalOf(to: Type, types: Types): string | null {
  const held = definedShape(to, types);
  if (held.kind === "num") return held.literal ?? null;
  return held.kind === "leaf" && LITERALS.test(held.text) ? held.text : null;
}

/** `Name` of a place for strings, to which only `string` flows; it may name literals. */
function aliasOf(to: Type, atom: Atom, types: Types): string | null {
  const held = definedShape(to, types);
  if (atom.kind !== "var" || atom.type.kind !== "leaf" || atom.type.text !== "string") return null;
  return held.kind === "leaf" && ALIAS.test(held.text) ? held.text : null;
}

const ALIAS = /^(?!(?:any|unknown|string|symbol|bigint|boolean|object|null|undefined)$)[\w$]+$/;

/** Literals without templates and keys of a type. */
const LISTED = /^(?!keyof )[^`]*$/;

/** `"a" | "b"`, template types, and `keyof T`. */
const LITERALS = /^(?:"[^"\\]*"|`[^`]*`)(?: \| (?:"[^"\\]*"|`[^`]*`))*$|^keyof \w+$/;

/** Whether TypeScript infers a literal type: for a literal, or a name or place declared so. */
function isSure(atom: Atom, wanted: string, scope: Scope): boolean {
  if (atom.kind !== "var") return true;
  if (literalOf(atom.type, scope.types) !== null || scope.literalNames.has(atom.name)) return true;
  // an alias names its literals
  if (atom.type.kind === "leaf" && atom.type.text !== "string") return true;
  const value = scope.nested.get(atom.name);
  return value !== undefined && isSureValue(value, wanted, scope);
}

function isSureValue(value: Value, wanted: string, scope: Scope): boolean {
  switch (value.kind) {
    case "copy":
      return isSure(value.atom, wanted, scope);
    case "choose":
      return isSure(value.then, wanted, scope) && isSure(value.else, wanted, scope);
    case "load": {
      const place = declaredPlaceType(value.object.type, value.key, scope.types);
      return place !== null && literalOf(place, scope.types) !== null;
    }
    case "unwrap":
      return isSure(value.value, wanted, scope);
    default:
      return false;
  }
}
