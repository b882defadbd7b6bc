// Text of an assignment. In: the text of a place and a new value. Out: `x = …`, or `x += …` where that is the same.
// Invariant: `x op= v` only where the value is `x op v` itself (or `v + x`, `v * x`: the same bits).

import { field as fieldKey } from "../ir/build.ts";
import { OPS, PREC } from "../ir/ops.ts";
import { isScalarType, isTag, resolve } from "../ir/shadow.ts";
import { placeType } from "../ir/type-of.ts";
import type { Atom, Func, Store, Type } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { leafVars, type Nested, type Value, valueAtoms } from "./code.ts";
import { assertedText, atLeast, atomText, mutable, valueText, type Writing } from "./expression.ts";
import { isLooser, saidType, writtenType } from "./types/narrow.ts";
import { isOfConstant } from "./types/readonly.ts";
import { hasShape, holdsReadonly, maySayReadonly } from "./types/type-shape.ts";

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
  const value = isTyped(given)
    ? given.value
    : given.kind === "var"
      ? writing.nested.get(given.name)
      : undefined;
  const compound =
    value?.kind === "op" ? compoundText(place, value, writing, misses ? "!" : "") : null;
  if (compound !== null) return compound;
  if (!isTyped(given)) return `${place} = ${mutable(given, PREC.conditional, writing)}`;
  return `${place} = ${valueOf(given.value, given.type, writing)}`;
}

type Stored = Pick<Store, "object" | "key" | "value">;

/**
 * Shadows of objects by key say nothing of what is null: there it is `undefined`, as where there is no key. Under exactOptionalPropertyTypes an optional field may hold what is missing only if
 * nobody says so.
 */
export function mayLack({ object, key, value }: Stored, writing: Writing): boolean {
  const type = resolve(object.type, writing.types);
  const place = type.kind === "record" ? placeType(type, key, writing.types) : null;
  if (
    place?.kind === "opt" &&
    (place.nil === undefined || place.nil === "field") &&
    value.kind === "var" &&
    value.type.kind === "opt"
  )
    return true;
  return (
    type.kind === "dict" &&
    value.kind === "var" &&
    value.type.kind === "opt" &&
    resolve(type.value, writing.types).kind !== "opt" &&
    !isScalarType(value.type.of)
  );
}

/** The text of what is put under a key. */
export const entryText = (stored: Stored, writing: Writing): string =>
  mayLack(stored, writing)
    ? `${mutable(stored.value, PREC.call, writing)}!`
    : (assertedText(
        stored.value,
        saidType(stored.object.type, stored.key, writing.types),
        writing,
      ) ?? mutable(stored.value, PREC.conditional, writing));

/** The text of a right-hand side whose variable says what type it has. */
export function valueOf(value: Value, type: Type, writing: Writing): string {
  if (value.kind === "copy")
    return isLess(value.atom, type, writing)
      ? `${atLeast(PREC.shift, atomText(value.atom, writing))} as ${writing.typeWriter.text(type)}`
      : mutable(value.atom, PREC.conditional, writing);
  const text = valueText(value, type, writing);
  const isSeen =
    value.kind === "load" ||
    value.kind === "choose" ||
    value.kind === "unwrap" ||
    (value.kind === "slice" && holdsReadonly(value.object.type, writing.types));
  const isGiven = value.kind === "call" && writing.givesReadonly(value.callee);
  const isReadonly =
    (isGiven && maySayReadonly(type, writing.types)) ||
    (isSeen &&
      maySayReadonly(type, writing.types) &&
      valueAtoms(value).some(
        (atom) =>
          isOfConstant(atom, writing.nested) ||
          leafVars(atom, writing.nested).some((leaf) => writing.readonlyNames.has(leaf.name)),
      ));
  return isReadonly || isLooserValue(value, type, writing)
    ? `${atLeast(PREC.shift, text)} as ${writing.typeWriter.text(type)}`
    : atLeast(PREC.conditional, text);
}

/** `out as [number, number]`: an array that goes where a tuple is declared, or a constant of the module, which may be readonly. */
const isLess = (from: Atom, to: Type, writing: Writing): boolean =>
  from.kind === "global"
    ? from.saysLess !== true && maySayReadonly(from.type, writing.types)
    : isLooser(writtenType(from, writing.types, writing.nested), to, writing.types);

/** Whether TypeScript takes the value for a list where it is a tuple, or for lists where these are within it. */
export function isLooserValue(value: Value, to: Type, writing: Writing): boolean {
  const { types } = writing;
  const isLooserAtom = (atom: Atom): boolean =>
    isLooser(writtenType(atom, types, writing.nested), to, types);
  switch (value.kind) {
    // a copy of a tuple is none
    case "slice": {
      const target = resolve(to, types);
      return target.kind === "tuple" || isLooserAtom(value.object);
    }
    case "alloc":
      return resolve(to, types).kind === "tuple" && value.fill !== null;
    case "zeros":
      return isLooserAtom(value.like);
    case "clone":
      return isLooserAtom(value.object);
    case "choose":
      return isLooserAtom(value.then) || isLooserAtom(value.else);
    case "load": {
      const place = placeType(writtenType(value.object, types, writing.nested), value.key, types);
      return place !== null && isLooser(place, to, types);
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
  const [left, right] = value.args;
  if (js.kind !== "infix" || !COMPOUND.has(value.op) || left === undefined || right === undefined)
    return null;
  const isPlace = (atom: Atom): boolean =>
    atom.kind === "var" && [place, `${place}!`].includes(atomText(atom, writing).text);
  // x = g() + x reads x behind the call
  const other = isPlace(left)
    ? right
    : COMMUTES.has(value.op) && isPlace(right) && !mutates(left, writing.nested)
      ? left
      : null;
  if (other === null) return null;
  const text = atLeast(PREC.conditional, atomText(other, writing));
  if (text === "1" && mark === "" && value.op === "add") return `${place}++`;
  if (text === "1" && mark === "" && value.op === "sub") return `${place}--`;
  return `${place}${mark} ${js.token}= ${text}`;
}

/** Whether computing the value can change memory. */
export const mutates = (atom: Atom, nested: Nested): boolean =>
  holds(
    atom,
    nested,
    (value) =>
      value.kind === "call" ||
      value.kind === "removeLast" ||
      (value.kind === "extern" && value.effect === "io"),
  );

/** Whether computing it moves the cursor of a tape. */
export const pops = (atom: Atom, nested: Nested): boolean =>
  holds(atom, nested, (value) => value.kind === "pop");

function holds(atom: Atom, nested: Nested, is: (value: Value) => boolean): boolean {
  const value = atom.kind === "var" ? nested.get(atom.name) : undefined;
  return (
    value !== undefined &&
    (is(value) || valueAtoms(value).some((inner) => holds(inner, nested, is)))
  );
}

/** Whether TypeScript would infer something else than `type` for a variable that starts with `value`. */
export function needsType(
  value: Value,
  type: Type,
  changes: boolean,
  func: Func,
  writing: Writing,
): boolean {
  const target = resolve(type, writing.types);
  const isMap = target.kind === "dict" && target.store === "Map";
  switch (value.kind) {
    case "newTape":
      return true;
    case "array":
      return (
        isPlainArray(target) &&
        (value.parts.length === 0 ||
          hasShape(type, writing.types, "any") ||
          value.parts.some((part) => isLiteral(part.atom, writing)))
      );
    // what is assigned later may stand on another kind of buffer
    case "alloc":
      return (
        (changes && !isPlainArray(target)) ||
        (value.fill === null ? isPlainArray(target) : hasShape(type, writing.types, "any"))
      );
    case "tuple":
      return true;
    // of a Map the text says the type: new Map<string, number>()
    case "record":
      return isMap
        ? changes
        : (target.kind === "dict" && target.store === "Object") ||
            hasShape(type, writing.types, "any") ||
            value.fields.some(
              (field) =>
                field.value.kind === "undef" ||
                isLiteral(field.value, writing) ||
                isWidened(
                  field.value,
                  placeType(target, fieldKey(field.name), writing.types),
                  writing,
                ),
            ) ||
            listsMore(
              target,
              value.fields.map(({ name }) => name),
            ) ||
            changes;
    case "zeros":
    case "clone":
      return changes || (!isMap && hasShape(type, writing.types, "tuple"));
    // a boolean constant may be known to be false here, which would be the type of the variable
    case "copy":
      return (
        isLoose(value.atom, func) ||
        (changes &&
          (isListed(value, writing) ||
            (target.kind !== "num" && (target.kind !== "bool" || value.atom.kind === "var"))))
      );
    case "choose":
      return changes
        ? isListed(value, writing) || (target.kind !== "num" && target.kind !== "bool")
        : [value.then, value.else].some(
            (atom) => isLiteral(atom, writing) || listsMore(target, namesIn(atom.type, writing)),
          );
    case "op":
    case "present":
    case "length":
    case "rewind":
    case "closure":
      return false;
    // `undefined!` is read by code that never runs
    case "unwrap":
      return isAbsent(value.value) || (changes && target.kind !== "num" && target.kind !== "bool");
    case "call":
      return (
        writing.saysLess(value.callee) ||
        (changes && target.kind !== "num" && target.kind !== "bool")
      );
    // a template is any text, unless something says what it is for
    case "extern":
      return (
        (value.verbatim === true && type.kind === "leaf" && type.text.includes("`")) ||
        (changes && target.kind !== "num" && target.kind !== "bool")
      );
    case "load":
    case "pop":
    case "removeLast":
    case "slice":
      return (
        changes && (isListed(value, writing) || (target.kind !== "num" && target.kind !== "bool"))
      );
    default:
      return unreachable(value);
  }
}

/** Whether a type lists fields that a value does not have, by its literal or its own type. */
const listsMore = (type: Type, names: readonly string[] | null): boolean =>
  names !== null && type.kind === "record" && type.fields.some(({ name }) => !names.includes(name));

function namesIn(type: Type, { types }: Writing): readonly string[] | null {
  const shape = resolve(type, types);
  return shape.kind === "record" ? shape.fields.map(({ name }) => name) : null;
}

const isAbsent = (atom: Atom): boolean =>
  atom.kind === "undef" || (atom.kind === "const" && atom.value === undefined);

const isPlainArray = (type: Type): boolean => type.kind === "array" && type.store === "Array";

/** An array or record literal without a type of its own. */
function isLiteral(atom: Atom, writing: Writing): boolean {
  const value = atom.kind === "var" ? writing.nested.get(atom.name) : undefined;
  return value !== undefined && ["array", "tuple", "alloc", "record"].includes(value.kind);
}

/** A literal of which a field's type says which ones it may be: in an object literal TypeScript takes it for any text, number or boolean. */
function isWidened(atom: Atom, type: Type | null, writing: Writing): boolean {
  if (type === null || !isTag(type)) return false;
  const value = atom.kind === "var" ? writing.nested.get(atom.name) : undefined;
  return (
    atom.kind === "const" ||
    (value?.kind === "choose" &&
      [value.then, value.else].some((part) => isWidened(part, type, writing)))
  );
}

/** A number of a constant table, which TypeScript knows: `const LEVELS = { low: 1, high: 3 } as const; let level = LEVELS.low`. */
function isListed(value: Value, writing: Writing): boolean {
  const isAtom = (atom: Atom): boolean => {
    const inner = atom.kind === "var" ? writing.nested.get(atom.name) : undefined;
    return inner !== undefined && isListed(inner, writing);
  };
  switch (value.kind) {
    case "load": {
      const place = saidType(value.object.type, value.key, writing.types);
      return (
        value.object.kind === "global" || (place?.kind === "num" && place.literal !== undefined)
      );
    }
    case "choose":
      return isAtom(value.then) || isAtom(value.else);
    case "copy":
      return isAtom(value.atom);
    case "unwrap":
      return isAtom(value.value);
    default:
      return false;
  }
}

/** An enum member, `undefined`, or a parameter whose type may be narrower than `number`. */
function isLoose(atom: Atom, func: Func): boolean {
  if (atom.kind === "const") return atom.value === undefined || atom.value === null;
  if (atom.kind === "global") return atom.name.includes(".");
  if (atom.kind !== "var") return false;
  const at = func.params.findIndex((param) => param.name === atom.name);
  const text = at < 0 ? null : (func.paramText?.[at] ?? null);
  return (
    text !== null &&
    (atom.type.kind === "num" || atom.type.kind === "bool") &&
    !/:\s*(number|boolean)\b\s*$/.test(text)
  );
}
