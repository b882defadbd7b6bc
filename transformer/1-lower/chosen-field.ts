// One of the fields that a key's type names: `m[k]` where k is "a" | "b" or of an enum, and `pair[i]` of a tuple that is written. In: the key's value. Out: a choice among the fields.
// Invariant: a key that a number may be beside those that its type lists (any number fits an enum) is asked for, and any other throws: it would be taken for the last of them.

import type ts from "typescript";
import { field, num } from "../ir/build.ts";
import { printType } from "../ir/print.ts";
import type { Atom, Const, Field, Type } from "../ir/types.ts";
import { externCall, optional, sameValue, str, UNDEFINED } from "./coerce.ts";
import type { Frame } from "./frame.ts";

export interface Chosen {
  readonly kind: "chosen";
  readonly object: Atom;
  readonly at: Atom;
  readonly cases: readonly Case[];
  /** Whether the key may be none of them. */
  readonly open: boolean;
  readonly type: Type;
}

interface Case { readonly name: string; readonly key: Const }

/** Null where the key's type does not list the fields, or they are of several types. */
export function chosenField(f: Frame, node: ts.ElementAccessExpression, object: Atom, fields: readonly Field[], at: Atom): Chosen | null {
  const type = f.ctx.checker.getTypeAtLocation(node.argumentExpression), keys = type.isUnion() ? type.types : [type];
  const areTexts = keys.every((key) => key.isStringLiteral()), areNumbers = keys.every((key) => key.isNumberLiteral()) && f.shape(at.type).kind === "num";
  if (!areTexts && !areNumbers) return null;
  const isOpen = keys.some((key) => areNumbers && (key.flags & f.api.TypeFlags.EnumLiteral) !== 0);
  const named = keys.map((key) => fields.find((each) => (key.isStringLiteral() || key.isNumberLiteral()) && each.name === String(key.value)));
  const known = named.filter((each) => each !== undefined);
  return known.length < keys.length ? null : among(object, at, known, areNumbers, isOpen);
}

/** An element of a tuple whose position is computed. */
export const chosenElement = (object: Atom, at: Atom, elems: readonly Type[]): Chosen | null =>
  among(object, at, elems.map((type, i) => ({ name: String(i), type })), true, true);

function among(object: Atom, at: Atom, fields: readonly Field[], areNumbers: boolean, open: boolean): Chosen | null {
  const [first] = fields;
  if (first === undefined || fields.some((other) => printType(other.type) !== printType(first.type))) return null;
  const cases = fields.map(({ name }) => ({ name, key: areNumbers ? num(Number(name)) : str(name) }));
  return { kind: "chosen", object, at, cases, open, type: first.type };
}

/** One of all fields of a record, by a key of which nothing is known. */
export const anyField = (object: Atom, at: Atom, fields: readonly Field[]): Chosen | null => among(object, at, fields, false, true);

/** The field; where it may miss, undefined for a key that names none. */
export function readChosen(f: Frame, place: Chosen, wanted: string, maybe = false): Atom {
  const type = maybe && place.open ? optional(f, place.type) : place.type;
  const from = ([first, ...rest]: readonly Case[], as: string): Atom => {
    if (first === undefined) return otherwise();
    const load = (into: string): Atom => f.let(into, place.type, { kind: "load", object: place.object, key: field(first.name) });
    if (rest.length === 0 && !place.open) return load(as);
    return f.choose(as, type, sameValue(f, "===", place.at, first.key), () => load("t"), () => from(rest, "t"));
  };
  const otherwise = (): Atom => {
    if (maybe) return UNDEFINED;
    throwOther(f);
    return { kind: "undef", type };
  };
  return from(place.cases, wanted);
}

export function writeChosen(f: Frame, place: Chosen, value: Atom, cases = place.cases): void {
  const [first, ...rest] = cases;
  if (first === undefined) return throwOther(f);
  const store = (): void => f.b.store(place.object, field(first.name), value);
  if (rest.length === 0 && !place.open) return store();
  f.when(sameValue(f, "===", place.at, first.key), store, () => writeChosen(f, place, value, rest));
}

function throwOther(f: Frame): void {
  f.b.emit({ kind: "throw", value: externCall(f, "t", { kind: "leaf", text: "Error" }, "new Error", [str("TSG0023: a place is none of those that the type of its tuple or record lists")]) });
}
