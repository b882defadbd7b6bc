// Text of the lines that write memory: stores, sums into shadows, and pushes to tapes.
// Invariant: each place is looked up at the time at which the IR looks it up.

import { mayBeInherited } from "../ir/inherited-keys.ts";
import { PREC } from "../ir/ops.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Reserve } from "../ir/types.ts";
import { keyAtoms } from "../ir/visit.ts";
import { assigned, entryText, needsNonNull, mutates, pops } from "./assign.ts";
import { assertedText, mutable } from "./casts.ts";
import type { Line } from "./code.ts";
import { negated } from "./operators.ts";
import { isMap, keyText, hasUndefinedInType, placeText } from "./place-text.ts";
import { declaredPlaceType } from "./types/assertions.ts";
import { atomText, definition, operandText, type Text, type Writing } from "./writing.ts";
import { isConst } from "../ir/build.ts";

type StoreLine = Extract<Line, { kind: "store" }>;
export type AccumLine = Extract<Line, { kind: "accum" }>;

export function storeText(line: StoreLine, writing: Writing): string {
  if (line.removed === true) return removedText(line, writing);
  if (isMap(line.object, writing)) return putText(line, entryText(line, writing), writing);
  const { object, key, value } = line;
  if (line.defines === true && mayBeInherited(object.type, key, writing.types))
    return writing.defined(
      operandText(PREC.conditional, object, writing),
      keyText(object, key, writing),
      entryText(line, writing),
    );
  const place = placeText(object, key, value.type, writing);
  if (needsNonNull(line, writing)) return `${place} = ${entryText(line, writing)}`;
  const literal = assertedText(value, declaredPlaceType(object.type, key, writing.types), writing);
  return literal === null
    ? assigned(place, value, writing, hasUndefinedInType(object, key, writing))
    : `${place} = ${literal}`;
}

/** `m.delete(k)` or `delete o[k]` */
function removedText({ object, key, value }: StoreLine, writing: Writing): string {
  const entry = key.kind === "index" && isMap(object, writing) ? key.at : null;
  return entry === null
    ? `delete ${placeText(object, key, value.type, writing)}`
    : `${operandText(PREC.call, object, writing)}.delete(${atomText(entry, writing).text})`;
}

const putText = (
  { object, key }: Pick<StoreLine, "object" | "key">,
  value: string,
  writing: Writing,
): string =>
  `${operandText(PREC.call, object, writing)}.set(${keyText(object, key, writing)}, ${value})`;

export function appendText(
  { object, value }: Extract<Line, { kind: "append" }>,
  writing: Writing,
): string {
  const array = operandText(PREC.call, object, writing);
  const type = resolve(object.type, writing.types);
  const elem =
    (type.kind === "array" ? assertedText(value, type.elem, writing) : null) ??
    mutable(value, PREC.conditional, writing);
  return `${array}.push(${elem})`;
}

export function fillText(
  { object, value, from, to }: Extract<Line, { kind: "fill" }>,
  writing: Writing,
): string {
  const args = [value, ...(from === null ? [] : [from]), ...(to === null ? [] : [to])].map((atom) =>
    operandText(PREC.conditional, atom, writing),
  );
  return `${operandText(PREC.call, object, writing)}.fill(${args.join(", ")})`;
}

// ------------------------------------------------------------------------------------------ sums

/** `a[i] += v` or `a[i] -= v` */
export function accumText(line: AccumLine, writing: Writing): string {
  if (resolve(line.object.type, writing.types).kind === "dict") return accumByKey(line, writing);
  const { object, key, value } = line;
  const mark = hasUndefinedInType(object, key, writing) ? "!" : "";
  const place = `${placeText(object, key, value.type, writing)}${mark}`;
  const inner = definition(value, writing);
  const negative = inner?.kind === "op" && inner.op === "neg" ? inner.args[0] : undefined;
  if (negative !== undefined)
    return `${place} -= ${operandText(PREC.conditional, negative, writing)}`;
  if (value.kind === "const" && typeof value.value === "number" && value.value < 0)
    return `${place} -= ${-value.value}`;
  return `${place} += ${operandText(PREC.conditional, value, writing)}`;
}

/** An absent key counts as 0: `m.set(k, (m.get(k) ?? 0) + v)`. */
function accumByKey(line: AccumLine, writing: Writing): string {
  const { object, key } = line;
  const value = operandText(PREC.additive + 1, line.value, writing);
  if (isMap(object, writing)) {
    const former = `${operandText(PREC.call, object, writing)}.get(${keyText(object, key, writing)})`;
    return putText(line, `(${former} ?? 0) + ${value}`, writing);
  }
  const place = placeText(object, key, line.value.type, writing);
  return `${place} = (${place} ?? 0) + ${value}`;
}

/** `a[i] += c ? x : 0  ->  if (c) a[i] += x`: c and x; null where c or the place has an effect. */
export function guardedSum(
  { object, key, value }: AccumLine,
  writing: Writing,
): { readonly cond: Text; readonly value: Atom } | null {
  const { nested } = writing;
  const choice = definition(value, writing);
  if (
    choice?.kind !== "choose" ||
    mutates(choice.cond, nested) ||
    [object, ...keyAtoms(key)].some((atom) => mutates(atom, nested) || pops(atom, nested))
  )
    return null;
  if (isConst(choice.else, 0)) return { cond: atomText(choice.cond, writing), value: choice.then };
  return isConst(choice.then, 0)
    ? { cond: negated(choice.cond, writing), value: choice.else }
    : null;
}

// ----------------------------------------------------------------------------------------- tapes

/** `tape[p++] = v`; a boolean is recorded as 1 or 0. */
export function pushText(
  { tape, value }: Extract<Line, { kind: "push" }>,
  writing: Writing,
): string {
  if (tape.kind !== "var") return "";
  const place = `${atomText(tape, writing).text}[${writing.identifiers.cursorOf(tape.name)}++]`;
  if (value.type.kind !== "bool" || (tape.type.kind === "tape" && tape.type.of === "ref"))
    return `${place} = ${atomText(value, writing).text}`;
  return `${place} = ${operandText(PREC.conditional + 0.5, value, writing)} ? 1 : 0`;
}

/** `tape = reserved(tape, n)`, or for an empty tape `if (tape.length < n) tape = …`. */
export function reserveText({ tape, count }: Reserve, isEmpty: boolean, writing: Writing): string {
  if (tape.kind !== "var") return "";
  const name = atomText(tape, writing).text;
  if (isEmpty) {
    const fresh = `new ${writing.library("Float64Array")}(${atomText(count, writing).text})`;
    return `if (${name}.length < ${operandText(PREC.shift, count, writing)}) ${name} = ${fresh}`;
  }
  const length = `${writing.identifiers.cursorOf(tape.name)} + ${operandText(PREC.additive, count, writing)}`;
  return `${name} = ${writing.reserved(name, length)}`;
}
