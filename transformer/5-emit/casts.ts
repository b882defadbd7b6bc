// Decides where an atom needs `as T`, because TypeScript infers less than the IR knows.
// Invariant: errs on the side of a cast; a superfluous cast is never a type error.

import { assignable } from "../ir/assignable.ts";
import { PREC } from "../ir/ops.ts";
import { resolve, definedShape } from "../ir/shadow.ts";
import type { Atom, Type } from "../ir/types.ts";
import { type Value, valueAtoms } from "./code.ts";
import { assertedType, lacksTuple, inferredType } from "./types/assertions.ts";
import { hasReadonlyElements, hasReadonlyForm } from "./types/type-shape.ts";
import { atLeast, definition, operandText, type Writing } from "./writing.ts";

/** The text of an atom that flows to a place declared as a mutable array. */
export function mutable(atom: Atom, prec: number, writing: Writing): string {
  const isReadonly = mayBeReadonly(atom, writing) && hasReadonlyForm(atom.type, writing.types);
  if (!isReadonly) return operandText(prec, atom, writing);
  return atLeast(prec, {
    text: `${operandText(PREC.shift, atom, writing)} as ${writing.typeWriter.text(atom.type)}`,
    prec: PREC.relation,
  });
}

/** `axis as 0 | 1` or `out as [number, number]`; null where the atom's type fits the place. */
export function assertedText(atom: Atom, to: Type | null, writing: Writing): string | null {
  const said = assertedType(atom, to, writing) ?? tupleText(atom, to, writing);
  return said === null ? null : `${operandText(PREC.shift, atom, writing)} as ${said}`;
}

/** The type to assert for an array that flows to a tuple; null where none is needed. */
function tupleText(atom: Atom, to: Type | null, writing: Writing): string | null {
  const from = inferredType(atom, writing.types, writing.nested);
  if (to === null || atom.kind !== "var" || !lacksTuple(from, to, writing.types)) return null;
  const literal = definition(atom, writing);
  const wanted = definedShape(to, writing.types);
  if (!isAssertable(definedShape(from, writing.types), wanted, writing)) return null;
  // exactOptionalPropertyTypes rejects `undefined` in an optional field
  const place = resolve(to, writing.types);
  const isThere = place.kind === "opt" && atom.type.kind !== "opt";
  const text = writing.typeWriter.text(isThere ? place.of : to);
  if (literal !== undefined && isTupleLiteral(literal, wanted)) return null;
  // TypeScript infers the length of a literal, which need not be that of the tuple
  return literal?.kind === "array" || literal?.kind === "alloc" ? `unknown as ${text}` : text;
}

/** Whether an array's elements may be those of the tuple. */
const isAssertable = (from: Type, to: Type, { types }: Writing): boolean =>
  from.kind !== "array" ||
  to.kind !== "tuple" ||
  to.elems.every((one) => assignable(from.elem, one, types) || lacksTuple(from.elem, one, types));

/** `[a, b]`, which TypeScript types as a tuple where a tuple is expected. */
const isTupleLiteral = (literal: Value, to: Type): boolean =>
  literal.kind === "array" &&
  to.kind === "tuple" &&
  literal.parts.length === to.elems.length &&
  literal.parts.every(({ spread }) => !spread);

/** False for a fresh object, whose type is its own; a copy still holds the original's elements. */
function mayBeReadonly(atom: Atom, writing: Writing): boolean {
  if (atom.kind === "global") return atom.isNarrowlyDeclared !== true;
  const value = definition(atom, writing);
  if (atom.kind !== "var" || value === undefined)
    return atom.kind === "var" && writing.readonlyNames.has(atom.name);
  if (value.kind === "call") return writing.givesReadonly(value.callee);
  if (value.kind === "slice" && !hasReadonlyElements(value.object.type, writing.types))
    return false;
  return (
    ["load", "copy", "choose", "unwrap", "slice"].includes(value.kind) &&
    valueAtoms(value).some((one) => mayBeReadonly(one, writing))
  );
}
