// Text of places: `a[i]`, `o.name`, `m.get(k)`, `tape[--p]`.
// A cast adds a field that the object's declared type lacks: `(p as { name?: string }).name`.

import { PREC } from "../ir/ops.ts";
import { isScalarType, resolve } from "../ir/shadow.ts";
import { placeType } from "../ir/type-of.ts";
import type { Atom, Key, Type } from "../ir/types.ts";
import { memberText, stringText } from "../code/quote.ts";
import { placeName } from "./types/nulled-fields.ts";
import { inferredType } from "./types/assertions.ts";
import { isHiddenField } from "./types/type-text.ts";
import {
  atLeast,
  atomic,
  atomText,
  called,
  operandText,
  type Text,
  type Writing,
} from "./writing.ts";

/** The place as an assignment target. */
export function placeText(object: Atom, key: Key, type: Type, writing: Writing): string {
  const listed = key.kind === "field" ? listingOf(object.type, key, type, writing) : null;
  const base =
    listed === null
      ? atLeast(
          PREC.call,
          key.kind === "index" ? keyedText(object, writing) : atomText(object, writing),
        )
      : `(${operandText(PREC.relation, object, writing)} as ${listed})`;
  if (key.kind === "index") {
    const at = isStringForNumber(object, key.at, writing)
      ? `+${operandText(PREC.unary, key.at, writing)}`
      : atomText(key.at, writing).text;
    return `${base}[${at}]`;
  }
  if (isIndex(key.name)) return `${base}[${key.name}]`;
  return memberText(base, key.name, isHiddenField(object.type, key.name, writing.types));
}

/** `0`, `12`; `007` is a name, and no number may be written so. */
const isIndex = (name: string): boolean => /^\d+$/.test(name) && String(Number(name)) === name;

/** `q as Record<string, number>`: a record that is read by computed keys. */
function keyedText(object: Atom, writing: Writing): Text {
  const plain = atomText(object, writing);
  const type = resolve(inferredType(object, writing.types, writing.nested), writing.types);
  const [first] = type.kind === "record" ? type.fields : [];
  return first === undefined
    ? plain
    : {
        text: `${atLeast(PREC.shift, plain)} as Record<string, ${writing.typeWriter.text(first.type)}>`,
        prec: PREC.relation,
      };
}

/** Whether a string key of `for … in` or `Object.keys` indexes an object with numeric keys. */
function isStringForNumber(object: Atom, at: Atom, writing: Writing): boolean {
  const type = resolve(object.type, writing.types);
  return (
    type.kind === "dict" &&
    type.store === "Object" &&
    type.key.kind === "num" &&
    at.kind === "var" &&
    at.type.kind === "leaf"
  );
}

/** The type under which a field is read that the object's own type lacks; null if it has it. */
function listingOf(
  object: Type,
  key: Extract<Key, { kind: "field" }>,
  type: Type,
  writing: Writing,
): string | null {
  const { types, typeWriter } = writing;
  const { instance } = (object.kind === "named" ? types.get(object.name) : undefined) ?? {};
  if (instance?.undeclared.includes(key.name) === true)
    return `unknown as ${typeWriter.text({ kind: "record", fields: [{ name: key.name, type }] })}`;
  // other values of the type may have it
  return resolve(object, types).kind === "record" && placeType(object, key, types) === null
    ? listing(key.name, type, writing)
    : null;
}

/** `{ name?: string }` */
function listing(name: string, type: Type, writing: Writing): string {
  const optional: Type =
    type.kind === "leaf"
      ? { ...type, optional: true }
      : type.kind === "opt"
        ? type
        : { kind: "opt", of: type };
  return writing.typeWriter.text({ kind: "record", fields: [{ name, type: optional }] });
}

/** A read of the place, with a cast where TypeScript would infer another type than `type`. */
export function loadText(object: Atom, key: Key, type: Type, writing: Writing): Text {
  if (isMap(object, writing)) {
    const mark = type.kind === "opt" ? "" : "!";
    return called(
      `${operandText(PREC.call, object, writing)}.get(${keyText(object, key, writing)})${mark}`,
    );
  }
  const hasUndefined = hasUndefinedInType(object, key, writing);
  const isNullable = type.kind === "opt" && type.nil === "null";
  // n.next = null; …; if (n.next != null): TypeScript still takes it for null after a call
  const isNarrowed =
    type.kind === "opt" && !isScalarType(type) && writing.nulledFields.has(placeName(object, key));
  if ((hasUndefined && isNullable) || isNarrowed)
    return {
      text: `${placeText(object, key, type, writing)} as ${writing.typeWriter.text(type)}`,
      prec: PREC.relation,
    };
  const mark = hasUndefined && type.kind !== "opt" ? "!" : "";
  return called(`${placeText(object, key, type, writing)}${mark}`);
}

/** Whether noUncheckedIndexedAccess adds `undefined` to the type of a read that is in bounds. */
export const hasUndefinedInType = (
  object: Atom,
  key: Key,
  writing: Pick<Writing, "noUncheckedIndexedAccess" | "types">,
): boolean =>
  writing.noUncheckedIndexedAccess &&
  (key.kind === "index" ||
    (isIndex(key.name) && resolve(object.type, writing.types).kind === "array"));

/** Whether places of the object are written `m.get(k)` and `m.set(k, v)`. */
export function isMap(object: Atom, writing: Writing): boolean {
  const type = resolve(object.type, writing.types);
  return type.kind === "dict" && type.store === "Map";
}

/** The key of a dict; `t[0] as "a" | "b"` where a string indexes a dict of literal keys. */
export function keyText(object: Atom, key: Key, writing: Writing): string {
  if (key.kind === "field") return stringText(key.name);
  const text = atomText(key.at, writing);
  const type = resolve(object.type, writing.types);
  const isString =
    key.at.kind === "var" && key.at.type.kind === "leaf" && key.at.type.text === "string";
  return isString && type.kind === "dict" && type.key.kind === "leaf" && type.key.text !== "string"
    ? `${atLeast(PREC.shift, text)} as ${writing.typeWriter.text(type.key)}`
    : text.text;
}

export const removal = (object: Atom, writing: Writing): string =>
  `${operandText(PREC.call, object, writing)}.pop()`;

/** `tape[--p]`, compared with 1 for a boolean. */
export function popText(tape: Atom, type: Type, writing: Writing, equality = "==="): Text {
  if (tape.kind !== "var") return atomic("undefined");
  const element = `${atomText(tape, writing).text}[--${writing.identifiers.cursorOf(tape.name)}]`;
  if (tape.type.kind === "tape" && tape.type.of === "ref")
    return { text: `${element} as ${writing.typeWriter.text(type)}`, prec: PREC.relation };
  if (type.kind === "bool") return { text: `${element} ${equality} 1`, prec: PREC.equality };
  return called(writing.noUncheckedIndexedAccess ? `${element}!` : element);
}
