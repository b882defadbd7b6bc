// Text of an assignment: `x = …`, or `x op= v` for `x op v`, and for `v + x` and `v * x`:
// the result has the same bits.

import { OPS, PREC } from "../ir/ops.ts";
import { isScalarType, resolve } from "../ir/shadow.ts";
import { placeType } from "../ir/type-of.ts";
import type { Atom, Store, Type } from "../ir/types.ts";
import { assertedText, mutable } from "./casts.ts";
import { leafVars, type Nested, type Value, valueAtoms } from "./code.ts";
import { valueText } from "./expression.ts";
import { lacksTuple, declaredPlaceType, inferredType } from "./types/assertions.ts";
import { isPartOfGlobal, isSaidReadonly } from "./types/readonly.ts";
import { hasReadonlyElements, hasReadonlyForm } from "./types/type-shape.ts";
import { atLeast, atomText, definition, operandText, type Writing } from "./writing.ts";

interface Typed {
  readonly value: Value;
  readonly type: Type;
}

const isTyped = (value: Atom | Typed): value is Typed => !("kind" in value);

/** `misses`: a read of the place has `undefined` in its type, so `op=` needs a `!`. */
export function assigned(
  place: string,
  given: Atom | Typed,
  writing: Writing,
  misses = false,
): string {
  const value = isTyped(given) ? given.value : definition(given, writing);
  const compound =
    value?.kind === "op" ? compoundText(place, value, writing, misses ? "!" : "") : null;
  if (compound !== null) return compound;
  if (!isTyped(given)) return `${place} = ${mutable(given, PREC.conditional, writing)}`;
  return `${place} = ${valueOf(given.value, given.type, writing)}`;
}

type Stored = Pick<Store, "object" | "key" | "value">;

/** Whether an optional field or a dict's shadow gets a possibly undefined value, and needs `!`. */
export function needsNonNull({ object, key, value }: Stored, writing: Writing): boolean {
  if (value.kind !== "var" || value.type.kind !== "opt") return false;
  const type = resolve(object.type, writing.types);
  const place = type.kind === "record" ? placeType(type, key, writing.types) : null;
  if (place?.kind === "opt" && (place.nil === undefined || place.nil === "field")) return true;
  return (
    type.kind === "dict" &&
    resolve(type.value, writing.types).kind !== "opt" &&
    !isScalarType(value.type.of)
  );
}

/** The text of a value that is stored under a key. */
export function entryText(stored: Stored, writing: Writing): string {
  if (needsNonNull(stored, writing)) return `${mutable(stored.value, PREC.call, writing)}!`;
  const place = declaredPlaceType(stored.object.type, stored.key, writing.types);
  return (
    assertedText(stored.value, place, writing) ?? mutable(stored.value, PREC.conditional, writing)
  );
}

/** The text of a right-hand side whose variable has a declared type. */
export function valueOf(value: Value, type: Type, writing: Writing): string {
  if (value.kind === "copy")
    return isLess(value.atom, type, writing)
      ? `${operandText(PREC.shift, value.atom, writing)} as ${writing.typeWriter.text(type)}`
      : (assertedText(value.atom, type, writing) ?? mutable(value.atom, PREC.conditional, writing));
  const text = valueText(value, type, writing);
  return isReadonlyValue(value, type, writing) || lacksTupleType(value, type, writing)
    ? `${atLeast(PREC.shift, text)} as ${writing.typeWriter.text(type)}`
    : atLeast(PREC.conditional, text);
}

/** Whether TypeScript may find the value readonly: the result of a call, or part of an object. */
function isReadonlyValue(value: Value, type: Type, writing: Writing): boolean {
  if (value.kind === "call")
    return writing.givesReadonly(value.callee) && hasReadonlyForm(type, writing.types);
  const isPart =
    value.kind === "load" ||
    value.kind === "choose" ||
    value.kind === "unwrap" ||
    (value.kind === "slice" && hasReadonlyElements(value.object.type, writing.types));
  return (
    isPart &&
    hasReadonlyForm(type, writing.types) &&
    (isSaidReadonly(value, type, writing) ||
      valueAtoms(value).some(
        (atom) =>
          isPartOfGlobal(atom, writing.nested) ||
          leafVars(atom, writing.nested).some((leaf) => writing.readonlyNames.has(leaf.name)),
      ))
  );
}

/** Whether the atom is an array that flows to a tuple, or a constant that may be readonly. */
const isLess = (from: Atom, to: Type, writing: Writing): boolean =>
  from.kind === "global"
    ? from.isNarrowlyDeclared !== true && hasReadonlyForm(from.type, writing.types)
    : lacksTuple(inferredType(from, writing.types, writing.nested), to, writing.types);

/** Whether TypeScript infers an array for the value, or in it, where `to` has a tuple. */
export function lacksTupleType(value: Value, to: Type, writing: Writing): boolean {
  const { types } = writing;
  const isLooserAtom = (atom: Atom): boolean =>
    lacksTuple(inferredType(atom, types, writing.nested), to, types);
  switch (value.kind) {
    // slice() of a tuple is an array
    case "slice":
      return resolve(to, types).kind === "tuple" || isLooserAtom(value.object);
    case "alloc":
      return resolve(to, types).kind === "tuple" && value.fill !== null;
    case "zeros":
      return isLooserAtom(value.like);
    case "clone":
      return isLooserAtom(value.object);
    case "choose":
      return isLooserAtom(value.then) || isLooserAtom(value.else);
    case "load": {
      const place = placeType(inferredType(value.object, types, writing.nested), value.key, types);
      return place !== null && lacksTuple(place, to, types);
    }
    default:
      return false;
  }
}

/** Operators of `x op= v`. */
export const COMPOUND: ReadonlySet<string> = new Set(["add", "sub", "mul", "div", "mod"]);
export const COMMUTES: ReadonlySet<string> = new Set(["add", "mul"]);

function compoundText(
  place: string,
  value: Extract<Value, { kind: "op" }>,
  writing: Writing,
  mark: string,
): string | null {
  const { js } = OPS[value.op];
  const other = js.kind === "infix" ? otherOperand(place, value, writing) : null;
  if (js.kind !== "infix" || other === null) return null;
  const text = operandText(PREC.conditional, other, writing);
  if (text === "1" && mark === "" && value.op === "add") return `${place}++`;
  if (text === "1" && mark === "" && value.op === "sub") return `${place}--`;
  return `${place}${mark} ${js.token}= ${text}`;
}

/** `v` in `x op v`, or in `v op x` where the two commute; null where no operand is the place. */
function otherOperand(
  place: string,
  { op, args: [left, right] }: Extract<Value, { kind: "op" }>,
  writing: Writing,
): Atom | null {
  if (!COMPOUND.has(op) || left === undefined || right === undefined) return null;
  const isPlace = (atom: Atom): boolean =>
    atom.kind === "var" && [place, `${place}!`].includes(atomText(atom, writing).text);
  if (isPlace(left)) return right;
  // x = g() + x reads x after the call, x += g() before it
  return COMMUTES.has(op) && isPlace(right) && !mutates(left, writing.nested) ? left : null;
}

/** Whether computing the atom may change memory. */
export const mutates = (atom: Atom, nested: Nested): boolean =>
  holds(
    atom,
    nested,
    (value) =>
      value.kind === "call" ||
      value.kind === "removeLast" ||
      (value.kind === "extern" && value.effect === "io"),
  );

/** Whether computing the atom moves the cursor of a tape. */
export const pops = (atom: Atom, nested: Nested): boolean =>
  holds(atom, nested, (value) => value.kind === "pop");

function holds(atom: Atom, nested: Nested, is: (value: Value) => boolean): boolean {
  const value = definition(atom, { nested });
  return (
    value !== undefined &&
    (is(value) || valueAtoms(value).some((inner) => holds(inner, nested, is)))
  );
}
