// Text of allocations: array, tuple and object literals, instances, `new Float64Array(n)`.
// A part gets a cast where TypeScript would infer another type for the literal than the IR's.

import { isRequiredField } from "../ir/assignable.ts";
import { PREC } from "../ir/ops.ts";
import { resolve, definedShape } from "../ir/shadow.ts";
import type { Atom, Instance, RecordPart, Type } from "../ir/types.ts";
import { assertedText, mutable } from "./casts.ts";
import type { Value } from "./code.ts";
import { isConstructed } from "./constructed.ts";
import { literalFieldType, declaredPlaceType } from "./types/assertions.ts";
import { hasReadonlyElements } from "./types/type-shape.ts";
import { isIdentifier, literalKeyText } from "../code/quote.ts";
import {
  atomic,
  atomText,
  called,
  definition,
  operandText,
  type Text,
  type Writing,
} from "./writing.ts";

export function arrayText(
  value: Extract<Value, { kind: "array" }>,
  type: Type,
  writing: Writing,
): Text {
  const target = definedShape(type, writing.types);
  const elem = target.kind === "array" ? target.elem : null;
  // a copy of a readonly array is mutable, but its elements may be readonly
  const parts = value.parts.map(({ atom, spread }) => {
    if (!spread)
      return assertedText(atom, elem, writing) ?? mutable(atom, PREC.conditional, writing);
    return hasReadonlyElements(atom.type, writing.types)
      ? `...${mutable(atom, PREC.conditional, writing)}`
      : `...${operandText(PREC.conditional, atom, writing)}`;
  });
  const [only] = value.parts;
  if (target.kind !== "array" || target.store === "Array") return atomic(`[${parts.join(", ")}]`);
  if (value.parts.length === 1 && only?.spread === true)
    return called(`${writing.library(target.store)}.from(${atomText(only.atom, writing).text})`);
  return called(`${writing.library(target.store)}.of(${parts.join(", ")})`);
}

export function tupleText(
  { elems }: Extract<Value, { kind: "tuple" }>,
  type: Type,
  writing: Writing,
): Text {
  const parts = elems.map((elem, i) => {
    const place = declaredPlaceType(
      definedShape(type, writing.types),
      { kind: "field", name: String(i) },
      writing.types,
    );
    return assertedText(elem, place, writing) ?? mutable(elem, PREC.conditional, writing);
  });
  return atomic(`[${parts.join(", ")}]`);
}

/** `new Float64Array(n)`, `new Array<number>(n).fill(0)`, or `[]` for an array that grows. */
export function allocText(
  value: Extract<Value, { kind: "alloc" }>,
  type: Type,
  writing: Writing,
): Text {
  const target = definedShape(type, writing.types);
  const length = atomText(value.length, writing).text;
  const fill = value.fill === null ? null : operandText(PREC.conditional, value.fill, writing);
  if (target.kind === "array" && target.store !== "Array") {
    const filled = fill === null || fill === "0" ? "" : `.fill(${fill})`;
    return called(`new ${writing.library(target.store)}(${length})${filled}`);
  }
  if (fill === null) return atomic("[]");
  // a loop below 2.5 has three iterations
  const count =
    value.isBound === true
      ? `${length} > 0 ? ${writing.library("Math")}.ceil(${length}) : 0`
      : length;
  if (writing.packed.has(value)) return called(writing.zeros(count));
  const elem = target.kind === "array" ? writing.typeWriter.text(target.elem) : "unknown";
  const filled = value.fill?.kind === "undef" ? "" : `.fill(${fill})`;
  return called(`new ${writing.library("Array")}<${elem}>(${count})${filled}`);
}

/** `{ x, y }`, `new Map<K, V>()`, or an instance of a class. */
export function recordText(fields: readonly RecordPart[], target: Type, writing: Writing): Text {
  const made = definedShape(target, writing.types);
  if (made.kind === "dict" && made.store === "Map")
    return called(`new ${writing.typeWriter.text(made)}()`);
  const type = target.kind === "opt" ? target.of : target;
  const instance = type.kind === "named" ? writing.types.get(type.name)?.instance : undefined;
  const parts = fields.flatMap((part) =>
    fieldTexts(part, literalFieldType(made, fields, part.name, writing.types), writing),
  );
  return instance === undefined
    ? asWhole(fields, parts, type, writing)
    : instanceText(fields, parts, { type, instance }, writing);
}

/** `new Vec(x, y)`, or `Object.assign(Object.create(Vec.prototype), { x, y }) as Vec`. */
function instanceText(
  fields: readonly RecordPart[],
  parts: readonly FieldText[],
  { type, instance }: { readonly type: Type; readonly instance: Instance },
  writing: Writing,
): Text {
  const { constructed } = instance;
  if (
    constructed !== undefined &&
    isConstructed(fields, type, constructed, writing.types, writing.nested)
  ) {
    const args = constructed.params.map((name) => parts.find((part) => part.name === name)?.text);
    return called(`new ${writing.callee(instance.home)}(${args.join(", ")})`);
  }
  const blank = `${writing.library("Object")}.create(${writing.callee(instance.home)}.prototype)`;
  const whole =
    parts.length === 0
      ? blank
      : `${writing.library("Object")}.assign(${blank}, ${objectText(parts)})`;
  return { text: `${whole} as ${writing.typeWriter.text(type)}`, prec: PREC.relation };
}

/** An object literal; `{ v } as Node` where the type has required fields beyond those given. */
function asWhole(
  fields: readonly RecordPart[],
  parts: readonly FieldText[],
  type: Type,
  writing: Writing,
): Text {
  const shape = resolve(type, writing.types);
  const text = objectText(parts);
  const isWhole =
    shape.kind !== "record" ||
    shape.fields.every(
      (field) => !isRequiredField(field.type) || parts.some(({ name }) => name === field.name),
    );
  if (isWhole) return atomic(text);
  const through = fields.some(({ value }) => holdsEmpty(value, writing)) ? "unknown as " : "";
  return { text: `${text} as ${through}${writing.typeWriter.text(type)}`, prec: PREC.relation };
}

/** Whether the value contains `[]`, a `never[]` to TypeScript, which no assertion widens. */
function holdsEmpty(atom: Atom, writing: Writing): boolean {
  const value = definition(atom, writing);
  return value?.kind === "array"
    ? value.parts.every((part) => holdsEmpty(part.atom, writing))
    : value?.kind === "record" && value.fields.some((field) => holdsEmpty(field.value, writing));
}

/** A field of an object literal; `there` is the condition under which it is present. */
interface FieldText {
  readonly name: string;
  readonly text: string;
  readonly there?: string;
}

/** The field's text: none where it is always absent, one with a condition where it may be. */
function fieldTexts(
  { name, value, omitIfUndefined: mayLack, presentIf: there }: RecordPart,
  to: Type | null,
  writing: Writing,
): readonly FieldText[] {
  if (there !== undefined && there.kind !== "const") {
    const text = fieldText(value, to, writing);
    return [{ name, text, there: operandText(PREC.and, there, writing) }];
  }
  if (there !== undefined && there.value === false) return [];
  if (mayLack !== true || (value.kind === "const" && value.value !== undefined))
    return [{ name, text: fieldText(value, to, writing) }];
  if (value.kind === "const") return [];
  // TypeScript's narrowing does not see through a cast, so a value with a cast needs `!`
  const tested = operandText(PREC.relation, value, writing);
  const isPlain = mutable(value, PREC.relation, writing) === tested;
  const text = isPlain ? tested : `${mutable(value, PREC.call, writing)}!`;
  return [{ name, text, there: `${tested} !== undefined` }];
}

/** exactOptionalPropertyTypes rejects `undefined` in an optional field, so `!` hides it. */
function fieldText(atom: Atom, to: Type | null, writing: Writing): string {
  const literal = assertedText(atom, to, writing);
  if (literal !== null) return literal;
  if (hasMoreTags(atom, to, writing))
    return `${mutable(atom, PREC.shift, writing)} as ${writing.typeWriter.text(atom.type)}`;
  return atom.kind === "var" && atom.type.kind === "opt"
    ? `${mutable(atom, PREC.call, writing)}!`
    : mutable(atom, PREC.conditional, writing);
}

/** Whether a literal has discriminants that `Cotangent` of the place's type lacks. */
function hasMoreTags(atom: Atom, to: Type | null, writing: Writing): boolean {
  const value = definition(atom, writing);
  if (to === null || !writing.typeWriter.hasTags(to)) return false;
  return (
    value?.kind === "record" ||
    (value?.kind === "array" &&
      value.parts.some((part) => definition(part.atom, writing)?.kind === "record"))
  );
}

/** `{ x, y: 1, ...(z !== undefined && { z }) }` */
function objectText(fields: readonly FieldText[]): string {
  if (fields.length === 0) return "{}";
  const isVariable = (text: string): boolean =>
    isIdentifier(text) && !/^(?:null|true|false|this)$/.test(text);
  const parts = fields.map(({ name, text, there }) => {
    const field = name === text && isVariable(name) ? name : `${literalKeyText(name)}: ${text}`;
    return there === undefined ? field : `...(${there} && { ${field} })`;
  });
  return `{ ${parts.join(", ")} }`;
}
