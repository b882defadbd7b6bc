// Numbers and texts that stand where a literal type is declared (`axis: 0 | 1`), though TypeScript knows no more of them than that they are some, and lists that stand where a tuple is. In: an atom and the
// type of its place. Out: the type to assert, or null. Invariant: errs on the side of a cast; what the user asserted (`(depth % 2) as 0 | 1`) is asserted where it is used.

import { printType, sameType } from "../../ir/print.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Func, Key, RecordPart, Type } from "../../ir/types.ts";
import type { Nested, Value } from "../code.ts";

interface Scope {
  readonly types: Types;
  readonly nested: Nested;
  /** Names that are declared with the literals that they may be. */
  readonly listed: ReadonlySet<string>;
}

/** `n % 2` in a place of type `0 | 1`  ->  `0 | 1`; null where the value fits as it stands. */
export function assertedType(atom: Atom, to: Type | null, scope: Scope): string | null {
  const wanted = to === null ? null : literalOf(to, scope.types);
  return wanted === null || atom.kind !== "var" || isSure(atom, wanted, scope) ? null : wanted;
}

/** Whether the user says of a list, or of one inside, that it is a tuple: `a.map((v) => v * k) as Vec`. */
export function isLooser(
  from: Type,
  to: Type,
  types: Types,
  met: ReadonlySet<string> = new Set(),
): boolean {
  if (from.kind === "opt") return isLooser(from.of, to, types, met);
  if (to.kind === "opt") return isLooser(from, to.of, types, met);
  if (from.kind === "num" || sameType(from, to)) return false;
  const x = resolve(from, types);
  const z = resolve(to, types);
  const name = from === x ? null : printType(from);
  if ((name !== null && met.has(name)) || x === z) return false;
  if (x.kind === "opt" || z.kind === "opt") return isLooser(x, z, types, met);
  const inside = (one: Type, other: Type | undefined): boolean =>
    other !== undefined &&
    isLooser(one, other, types, name === null ? met : new Set([...met, name]));
  if (x.kind === "array")
    return (
      (x.store === "Array" && z.kind === "tuple") || (z.kind === "array" && inside(x.elem, z.elem))
    );
  if (x.kind === "tuple")
    return z.kind === "tuple"
      ? x.elems.some((elem, i) => inside(elem, z.elems[i]))
      : z.kind === "array" && x.elems.some((elem) => inside(elem, z.elem));
  if (x.kind === "dict") return z.kind === "dict" && inside(x.value, z.value);
  if (x.kind === "record" && z.kind === "record")
    return x.fields.some(({ name, type }) =>
      inside(type, z.fields.find((field) => field.name === name)?.type),
    );
  return false;
}

/** What TypeScript takes a value for where it stands within an expression: what is read from `number[][]` is a list, whoever says that it is a tuple. */
export function writtenType(atom: Atom, types: Types, nested: Nested): Type {
  const value = atom.kind === "var" ? nested.get(atom.name) : undefined;
  switch (value?.kind) {
    case "copy":
      return writtenType(value.atom, types, nested);
    case "unwrap":
      return writtenType(value.value, types, nested);
    case "load":
      return placeType(writtenType(value.object, types, nested), value.key, types) ?? atom.type;
    default:
      return atom.type;
  }
}

/** The type of a place, with the numbers that a tuple's lists. */
export function saidType(aggregate: Type, key: Key, types: Types): Type | null {
  const type = resolve(aggregate, types);
  const literal =
    type.kind === "tuple" && key.kind === "field"
      ? (type.literals?.[Number(key.name)] ?? null)
      : null;
  return literal === null ? placeType(aggregate, key, types) : { kind: "num", literal };
}

/** The type of a field of an object that is made: in a union, of the members that it may be. */
export function madeFieldType(
  aggregate: Type,
  fields: readonly RecordPart[],
  name: string,
  types: Types,
): Type | null {
  const type = resolve(aggregate, types);
  const members =
    type.kind === "union"
      ? type.variants.filter((variant) =>
          fields.every((field) =>
            admits(
              placeType(variant, { kind: "field", name: field.name }, types),
              field.value,
              types,
            ),
          ),
        )
      : [];
  return placeType(
    members.length === 0 ? type : { kind: "union", variants: members },
    { kind: "field", name },
    types,
  );
}

/** Whether a field may hold the value, as far as literals say. */
function admits(place: Type | null, value: Atom, types: Types): boolean {
  const literals = place === null || value.kind !== "const" ? null : literalOf(place, types);
  return (
    place !== null &&
    (literals === null ||
      literals.includes("`") ||
      value.kind !== "const" ||
      literals.split(" | ").includes(JSON.stringify(value.value)))
  );
}

/** What a function takes, with the literals that the user's type of a parameter lists: `a: 0 | 1`. */
export const takenTypes = (func: Func | undefined): readonly Type[] =>
  func?.params.map(({ name, type }): Type => {
    const listed = func.listed?.[name];
    const held = type.kind === "opt" ? type.of : type;
    return listed === undefined
      ? type
      : held.kind === "num"
        ? { kind: "num", literal: listed }
        : held.kind === "leaf"
          ? { kind: "leaf", text: listed }
          : type;
  }) ?? [];

/** Parameters that are declared as the user's text has them, literals and all. */
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
  const shape = resolve(to, types);
  const held = shape.kind === "opt" ? resolve(shape.of, types) : shape;
  if (held.kind === "num") return held.literal ?? null;
  return held.kind === "leaf" && LITERALS.test(held.text) ? held.text : null;
}

/** `"a" | "b"`, and templates: "`k${number}`". */
const LITERALS = /^(?:"[^"\\]*"|`[^`]*`)(?: \| (?:"[^"\\]*"|`[^`]*`))*$/;

/** Whether TypeScript knows it: a literal, what is typed so, what is read from a place that is. */
function isSure(atom: Atom, wanted: string, scope: Scope): boolean {
  if (atom.kind !== "var") return true;
  if (literalOf(atom.type, scope.types) !== null || scope.listed.has(atom.name)) return true;
  // an alias says which texts it may be
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
      const place = saidType(value.object.type, value.key, scope.types);
      return place !== null && literalOf(place, scope.types) !== null;
    }
    case "unwrap":
      return isSure(value.value, wanted, scope);
    default:
      return false;
  }
}
