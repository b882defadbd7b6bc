// Numbers and texts that stand where a literal type is declared (`axis: 0 | 1`), though TypeScript knows no more of them than that they are some. In: an atom and the type of
// its place. Out: the type to assert, or null. Invariant: errs on the side of a cast; what the user asserted (`(depth % 2) as 0 | 1`) is asserted where it is used.

import { resolve, type Types } from "../ir/shadow.ts";
import { placeType } from "../ir/type-of.ts";
import type { Atom, Func, Key, Type } from "../ir/types.ts";
import type { Nested, Value } from "./code.ts";

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

/** The type of a place, with the numbers that a tuple's lists. */
export function saidType(aggregate: Type, key: Key, types: Types): Type | null {
  const type = resolve(aggregate, types), literal = type.kind === "tuple" && key.kind === "field" ? type.literals?.[Number(key.name)] ?? null : null;
  return literal === null ? placeType(aggregate, key, types) : { kind: "num", literal };
}

/** What a function takes, with the literals that the user's type of a parameter lists: `a: 0 | 1`. */
export const takenTypes = (func: Func | undefined): readonly Type[] => func?.params.map(({ name, type }): Type => {
  const listed = func.listed?.[name], held = type.kind === "opt" ? type.of : type;
  return listed === undefined ? type : held.kind === "num" ? { kind: "num", literal: listed } : held.kind === "leaf" ? { kind: "leaf", text: listed } : type;
}) ?? [];

/** Parameters that are declared as the user's text has them, literals and all. */
export const declaredLiterals = (func: Func): ReadonlySet<string> =>
  new Set(func.params.filter(({ name }, i) => func.listed?.[name] !== undefined && (func.paramText?.[i] ?? null) !== null).map(({ name }) => name));

function literalOf(to: Type, types: Types): string | null {
  const shape = resolve(to, types), held = shape.kind === "opt" ? resolve(shape.of, types) : shape;
  if (held.kind === "num") return held.literal ?? null;
  return held.kind === "leaf" && LITERALS.test(held.text) ? held.text : null;
}

const LITERALS = /^"[^"\\]*"(?: \| "[^"\\]*")*$/;

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
    case "copy": return isSure(value.atom, wanted, scope);
    case "choose": return isSure(value.then, wanted, scope) && isSure(value.else, wanted, scope);
    case "load": {
      const place = saidType(value.object.type, value.key, scope.types);
      return place !== null && literalOf(place, scope.types) !== null;
    }
    case "unwrap": return isSure(value.value, wanted, scope);
    default: return false;
  }
}
