// Whether a value of one type may be used as another, for ir/check.ts. Follows TypeScript, except
// for leaves, whose types tsgrad does not track. Recursive types are assumed to agree.

import { Pairs } from "./coinduction.ts";
import { printType, sameType } from "./print.ts";
import { resolve, type Types } from "./shadow.ts";
import type { Type, TypeOf } from "./types.ts";
import { unreachable } from "./visit.ts";

export function assignable(
  from: Type,
  to: Type,
  types: Types,
  pairs = new Pairs<"unrelated">(),
  isWhole = false,
): boolean {
  if (sameType(from, to)) return true;
  const within: Within = (x, z) => assignable(x, z, types, pairs, isWhole);
  const isRelated = (): boolean =>
    related(resolve(from, types), resolve(to, types), within, isWhole);
  const pair = `${printType(from)} -> ${printType(to)}`;
  return pairs.decide(pair, () => (isRelated() ? null : "unrelated")) === null;
}

/** Whether one object can have both types: it has all fields that either of them requires. */
export const mayBeOne = (x: Type, z: Type, types: Types): boolean =>
  assignable(x, z, types, undefined, true) || assignable(z, x, types, undefined, true);

type Within = (x: Type, z: Type) => boolean;

function related(from: Type, to: Type, within: Within, isWhole: boolean): boolean {
  if (isOpaque(from) || isOpaque(to)) return true;
  if (from.kind === "union") return from.variants.every((variant) => within(variant, to));
  return fits(from, to, within, isWhole);
}

/** `any`, `unknown` and the like are assignable both ways. */
const isOpaque = (type: Type): boolean => type.kind === "leaf" && type.opaque === true;

function fits(from: Type, to: Type, within: Within, isWhole: boolean): boolean {
  switch (to.kind) {
    case "num":
    case "bool":
    case "leaf":
    case "void":
      return from.kind === to.kind;
    case "array":
      return arrayFits(from, to, within);
    case "tuple":
      return tupleFits(from, to, within);
    case "record":
      return recordFits(from, to, within, isWhole);
    case "opt":
      return optFits(from, to, within);
    case "dict":
      return dictFits(from, to, within);
    case "union":
      return to.variants.some((variant) => within(from, variant));
    case "func":
      return funcFits(from, to, within);
    // Unresolved: the name is unknown, or the type has no shadow.
    case "named":
    case "cotangent":
    case "tape":
      return sameType(from, to);
    default:
      return unreachable(to);
  }
}

function arrayFits(from: Type, to: TypeOf<"array">, within: Within): boolean {
  if (from.kind === "array") return from.store === to.store && within(from.elem, to.elem);
  return (
    from.kind === "tuple" &&
    to.store === "Array" &&
    from.elems.every((elem) => within(elem, to.elem))
  );
}

const tupleFits = (from: Type, to: TypeOf<"tuple">, within: Within): boolean =>
  from.kind === "tuple" &&
  from.elems.length === to.elems.length &&
  from.elems.every((elem, i) => {
    const expected = to.elems[i];
    return expected !== undefined && within(elem, expected);
  });

function optFits(from: Type, to: TypeOf<"opt">, within: Within): boolean {
  if (from.kind === "opt") return within(from.of, to.of);
  const isNil = from.kind === "leaf" && (from.text === "undefined" || from.text === "null");
  return isNil || within(from, to.of);
}

function dictFits(from: Type, to: TypeOf<"dict">, within: Within): boolean {
  if (to.store === "Object" && from.kind === "record")
    return from.fields.every((field) => within(field.type, to.value));
  return from.kind === "dict" && from.store === to.store && within(from.value, to.value);
}

const funcFits = (from: Type, to: TypeOf<"func">, within: Within): boolean =>
  from.kind === "func" &&
  from.params.length <= to.params.length &&
  (to.result.kind === "void" || within(from.result, to.result));

/** Every field of `to` is in `from` or is optional. Unless `isWhole`, leaves may be missing. */
function recordFits(from: Type, to: TypeOf<"record">, within: Within, isWhole: boolean): boolean {
  if (from.kind !== "record") return false;
  return to.fields.every((field) => {
    const given = from.fields.find((one) => one.name === field.name);
    if (given !== undefined) return within(given.type, field.type);
    return !isRequiredField(field.type) || (!isWhole && field.type.kind === "leaf");
  });
}

/**
 * Whether a record lacks fields of its target type: by a cast, or since TypeScript assumes that
 * every element of an array is defined. Class instances never count as such records.
 */
export function lacksFields(from: Type, to: Type, types: Types): boolean {
  const [x, z] = [resolve(from, types), resolve(to, types)];
  if (x === z || x.kind !== "record" || z.kind !== "record" || isInstance(to, types)) return false;
  return z.fields.some(
    ({ name, type }) => isRequiredField(type) && !x.fields.some((field) => field.name === name),
  );
}

const isInstance = (type: Type, types: Types): boolean =>
  type.kind === "named" && types.get(type.name)?.instance !== undefined;

/** Whether an object of the type must have the field. */
export const isRequiredField = (type: Type): boolean =>
  type.kind !== "opt" &&
  type.kind !== "void" &&
  (type.kind !== "leaf" ||
    (type.optional !== true && type.opaque !== true && !/\bundefined\b/.test(type.text)));
