// Whether a value of one type may stand where another is expected, for ir/check.ts. In: two types. Out: yes or no.
// As TypeScript sees it, but for leaves, whose own types tsgrad does not follow. Recursive types are assumed to agree.

import { printType, sameType } from "./print.ts";
import { resolve, type Types } from "./shadow.ts";
import type { Type } from "./types.ts";
import { unreachable } from "./visit.ts";

type Of<K extends Type["kind"]> = Type & { readonly kind: K };

export function assignable(
  from: Type,
  to: Type,
  types: Types,
  assumed: ReadonlySet<string> = new Set(),
): boolean {
  if (sameType(from, to)) return true;
  const pair = `${printType(from)} -> ${printType(to)}`;
  if (assumed.has(pair)) return true;
  return related(resolve(from, types), resolve(to, types), types, new Set([...assumed, pair]));
}

function related(from: Type, to: Type, types: Types, assumed: ReadonlySet<string>): boolean {
  const within = (x: Type, z: Type): boolean => assignable(x, z, types, assumed);
  // `any`, `unknown` and the like take and give everything
  if ((from.kind === "leaf" && from.opaque === true) || (to.kind === "leaf" && to.opaque === true))
    return true;
  if (from.kind === "union") return from.variants.every((variant) => within(variant, to));
  switch (to.kind) {
    case "num":
    case "bool":
    case "leaf":
    case "void":
      return from.kind === to.kind;
    case "array":
      if (from.kind === "array") return from.store === to.store && within(from.elem, to.elem);
      return (
        from.kind === "tuple" &&
        to.store === "Array" &&
        from.elems.every((elem) => within(elem, to.elem))
      );
    case "tuple":
      return (
        from.kind === "tuple" &&
        from.elems.length === to.elems.length &&
        from.elems.every((elem, i) => sameOr(elem, to.elems[i], within))
      );
    case "record":
      return from.kind === "record" && recordFits(from, to, within);
    case "opt":
      if (from.kind === "opt") return within(from.of, to.of);
      return (
        (from.kind === "leaf" && (from.text === "undefined" || from.text === "null")) ||
        within(from, to.of)
      );
    case "dict":
      if (to.store === "Object" && from.kind === "record")
        return from.fields.every((field) => within(field.type, to.value));
      return from.kind === "dict" && from.store === to.store && within(from.value, to.value);
    case "union":
      return to.variants.some((variant) => within(from, variant));
    case "tape":
      return from.kind === "tape" && from.of === to.of;
    case "func":
      return (
        from.kind === "func" &&
        from.params.length <= to.params.length &&
        (to.result.kind === "void" || within(from.result, to.result))
      );
    // unresolved: the name is unknown, or the type has no shadow
    case "named":
    case "cotangent":
      return sameType(from, to);
    default:
      return unreachable(to);
  }
}

const sameOr = (from: Type, to: Type | undefined, within: (x: Type, z: Type) => boolean): boolean =>
  to !== undefined && within(from, to);

/** Every field of `to` is there, or optional. */
function recordFits(
  from: Of<"record">,
  to: Of<"record">,
  within: (x: Type, z: Type) => boolean,
): boolean {
  return to.fields.every((field) => {
    const given = from.fields.find((one) => one.name === field.name);
    if (given !== undefined) return within(given.type, field.type);
    return field.type.kind === "opt" || field.type.kind === "leaf";
  });
}

/** Whether a record is taken for one with fields that it has not: the user says so, or TypeScript takes every element of a list for there. An instance is never taken for a record. */
export function lacksFields(from: Type, to: Type, types: Types): boolean {
  const [x, z] = [resolve(from, types), resolve(to, types)];
  if (x === z || x.kind !== "record" || z.kind !== "record" || isInstance(to, types)) return false;
  return z.fields.some(
    ({ name, type }) => isAlwaysThere(type) && !x.fields.some((field) => field.name === name),
  );
}

const isInstance = (type: Type, types: Types): boolean =>
  type.kind === "named" && types.get(type.name)?.instance !== undefined;

/** Of a field's type: whether an object of that type is none without it. */
export const isAlwaysThere = (type: Type): boolean =>
  type.kind !== "opt" &&
  type.kind !== "void" &&
  (type.kind !== "leaf" ||
    (type.optional !== true && type.opaque !== true && !/\bundefined\b/.test(type.text)));
