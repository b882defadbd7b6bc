// Finds type assertions, and flows through `any`, that confuse numbers with objects.
// Input: the type of a value, and the type asserted or of its destination. Output: whether a
// number is typed as an object anywhere in it, or an object as a number; or whether numbers are
// where the value's type says nothing, so that they would have no cotangents.
// Only places that both types have are compared.

import { Pairs } from "../../ir/coinduction.ts";
import { printType } from "../../ir/print.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";
import { flowsOf } from "../flows.ts";
import type { Frame } from "../frame.ts";

interface Comparison {
  /** Resolves a named type. */
  readonly shapeOf: (type: Type) => Type;
  /** Of two places; null where their parts decide. */
  readonly decide: (x: Type, z: Type) => boolean | null;
}

export const confusesNumbers = (f: Frame, from: Type, to: Type): boolean =>
  differ({ shapeOf: (type) => f.shape(type), decide: isConfused }, from, to);

/** Whether numbers of an asserted type are where the value's type is `any` or `unknown`. */
export const hidesNumbers = (f: Frame, from: Type, to: Type): boolean =>
  f.shape(from).kind !== "leaf" &&
  differ(
    {
      shapeOf: (type) => f.shape(type),
      decide: (x, z) =>
        x.kind === "leaf" && x.opaque === true && hasNumbers(z, f.ctx.types) ? true : null,
    },
    from,
    to,
  );

/** Where a function stores an object in a place for numbers, or a number in one for objects. */
export function confusedFlows(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
): readonly { readonly func: string; readonly origin: Func["origin"] }[] {
  const how: Comparison = { shapeOf: (type) => resolve(type, types), decide: isConfused };
  return [...funcs].flatMap(([name, func]) =>
    flowsOf(func, types, funcs).flatMap(({ value, to, origin }) =>
      differ(how, value.type, to) ? [{ func: name, origin }] : [],
    ),
  );
}

function differ(how: Comparison, from: Type, to: Type, pairs = new Pairs<"different">()): boolean {
  if (from === to || haveSameName(from, to)) return false;
  const compare = (a: Type, b: Type): boolean => differ(how, a, b, pairs);
  const found = (): boolean => shapesDiffer(how, from, to, compare);
  if (from.kind !== "named") return found();
  return (
    pairs.decide(`${from.name} ${printType(to)}`, () => (found() ? "different" : null)) !== null
  );
}

type Compare = (a: Type, b: Type) => boolean;

function shapesDiffer(
  { shapeOf, decide }: Comparison,
  from: Type,
  to: Type,
  compare: Compare,
): boolean {
  const x = shapeOf(from);
  const z = shapeOf(to);
  if (z.kind === "opt") return compare(from, z.of);
  if (x.kind === "opt") return compare(x.of, to);
  if (x.kind === "union") return x.variants.every((variant) => compare(variant, to));
  if (z.kind === "union") return z.variants.every((variant) => compare(from, variant));
  const decided = decide(x, z);
  if (decided !== null) return decided;
  // The shadow of a dictionary has only the entries that were written, so it lacks these fields.
  if (x.kind === "dict" && z.kind === "record") return hasSlots(shapeOf, z);
  return partsDiffer(x, z, compare);
}

const haveSameName = (x: Type, z: Type): boolean =>
  x.kind === "named" && z.kind === "named" && x.name === z.name;

function partsDiffer(x: Type, z: Type, compare: Compare): boolean {
  if (x.kind === "record")
    return (
      z.kind === "record" &&
      x.fields.some(({ name, type }) =>
        z.fields.some((field) => field.name === name && compare(type, field.type)),
      )
    );
  const elem = elementOf(x);
  const other = elementOf(z);
  if (elem !== null && other !== null) return compare(elem, other);
  if (x.kind === "tuple" && z.kind === "tuple")
    return x.elems.some((each, i) => i < z.elems.length && compare(each, z.elems[i] ?? each));
  if (x.kind === "tuple") return other !== null && x.elems.some((each) => compare(each, other));
  return z.kind === "tuple" && elem !== null && z.elems.some((each) => compare(elem, each));
}

const hasSlots = (
  shapeOf: Comparison["shapeOf"],
  { fields }: Extract<Type, { kind: "record" }>,
): boolean => fields.some(({ type }) => shapeOf(type).kind !== "leaf");

function isConfused(x: Type, z: Type): boolean | null {
  if (!isNumber(x) && !isNumber(z)) return null;
  return isNumber(x) ? isObject(z) : isObject(x);
}

const isNumber = ({ kind }: Type): boolean => kind === "num" || kind === "bool";

const isObject = ({ kind }: Type): boolean =>
  kind === "record" || kind === "array" || kind === "tuple" || kind === "dict";

const elementOf = (type: Type): Type | null =>
  type.kind === "array" ? type.elem : type.kind === "dict" ? type.value : null;
