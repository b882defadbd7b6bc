// Text of places: `a[i]`, `o.name`. In: an object, a key, and the type of what is there. Out: text that reads or writes the place. Invariant: TypeScript knows the place by the type that the object is
// declared with, which may list fewer fields than code that was written out asks for: `(p as { name?: string }).name`.

import { PREC } from "../ir/ops.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import { placeType } from "../ir/type-of.ts";
import type { Atom, Key, Type } from "../ir/types.ts";
import { atLeast, atomText, type Text, type Writing } from "./expression.ts";
import { writtenType } from "./types/narrow.ts";
import { isHiddenField, isIdentifier } from "./types/type-text.ts";

/** The place, as it stands on the left of an assignment. */
export function placeText(object: Atom, key: Key, type: Type, writing: Writing): string {
  const base = isUnlisted(object.type, key, writing.types)
    ? `(${atLeast(PREC.relation, atomText(object, writing))} as ${listing(key.name, type, writing)})`
    : atLeast(
        PREC.call,
        key.kind === "index" ? keyedText(object, writing) : atomText(object, writing),
      );
  if (key.kind === "index")
    return `${base}[${isTextForNumber(object, key.at, writing) ? `+${atLeast(PREC.unary, atomText(key.at, writing))}` : atomText(key.at, writing).text}]`;
  if (/^\d+$/.test(key.name)) return `${base}[${key.name}]`;
  if (isHiddenField(object.type, key.name, writing.types))
    return `${base}[${JSON.stringify(key.name)}]`;
  return isIdentifier(key.name) ? `${base}.${key.name}` : `${base}[${JSON.stringify(key.name)}]`;
}

/** `q as Record<string, number>`: a record that a function takes for an object with any keys. */
function keyedText(object: Atom, writing: Writing): Text {
  const plain = atomText(object, writing);
  const type = resolve(writtenType(object, writing.types, writing.nested), writing.types);
  const [first] = type.kind === "record" ? type.fields : [];
  return first === undefined
    ? plain
    : {
        text: `${atLeast(PREC.shift, plain)} as Record<string, ${writing.typeWriter.text(first.type)}>`,
        prec: PREC.relation,
      };
}

/** A key that `for … in` and `Object.keys` give as a text, of an object whose keys are said to be numbers: TypeScript takes it where such a loop stands alone. */
function isTextForNumber(object: Atom, at: Atom, writing: Writing): boolean {
  const type = resolve(object.type, writing.types);
  return (
    type.kind === "dict" &&
    type.store === "Object" &&
    type.key.kind === "num" &&
    at.kind === "var" &&
    at.type.kind === "leaf"
  );
}

/** Whether the object's type says nothing of a field that others of its kind may have. */
function isUnlisted(type: Type, key: Key, types: Types): key is Key & { readonly kind: "field" } {
  return (
    key.kind === "field" &&
    resolve(type, types).kind === "record" &&
    placeType(type, key, types) === null
  );
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
