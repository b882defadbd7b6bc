// Types that no value keeps: what an assertion says, or a place that is given what was `any` on its way. In: the type of a value, and that of the assertion or the place. Out: whether a
// number is called an object somewhere in it, or an object a number. Invariant: a place counts only where both types have it.

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";
import { flowsOf } from "../flows.ts";
import type { Frame } from "../frame.ts";

type ShapeOf = (type: Type) => Type;

export const isOtherwise = (f: Frame, from: Type, to: Type): boolean =>
  differ((type) => f.shape(type), from, to, []);

/** Where a function puts an object into a place for numbers, or a number into one for objects. */
export function givenOtherwise(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
): readonly { readonly func: string; readonly origin: Func["origin"] }[] {
  const shapeOf: ShapeOf = (type) => resolve(type, types);
  return [...funcs].flatMap(([name, func]) =>
    flowsOf(func, types, funcs).flatMap(({ value, to, origin }) =>
      differ(shapeOf, value.type, to, []) ? [{ func: name, origin }] : [],
    ),
  );
}

function differ(shapeOf: ShapeOf, from: Type, to: Type, met: readonly Type[]): boolean {
  if (
    from === to ||
    (from.kind === "named" &&
      (met.includes(from) || (to.kind === "named" && to.name === from.name)))
  )
    return false;
  const around = from.kind === "named" ? [...met, from] : met;
  const here = shapeOf(from);
  const there = shapeOf(to);
  const inside = (a: Type, b: Type): boolean => differ(shapeOf, a, b, around);
  if (there.kind === "opt") return inside(from, there.of);
  if (here.kind === "opt") return inside(here.of, to);
  if (here.kind === "union") return here.variants.every((variant) => inside(variant, to));
  if (there.kind === "union") return there.variants.every((variant) => inside(from, variant));
  if (isNumber(here) || isNumber(there)) return isNumber(here) ? isObject(there) : isObject(here);
  // the shadow of an object with any keys has the places alone that somebody has written
  if (here.kind === "dict" && there.kind === "record") return hasPlaces(shapeOf, there);
  if (here.kind === "record")
    return (
      there.kind === "record" &&
      here.fields.some(({ name, type }) =>
        there.fields.some((field) => field.name === name && inside(type, field.type)),
      )
    );
  const elem = elementOf(here);
  const other = elementOf(there);
  if (elem !== null && other !== null) return inside(elem, other);
  if (here.kind === "tuple")
    return here.elems.some((each, i) =>
      there.kind === "tuple"
        ? i < there.elems.length && inside(each, there.elems[i] ?? each)
        : other !== null && inside(each, other),
    );
  return there.kind === "tuple" && elem !== null && there.elems.some((each) => inside(elem, each));
}

const hasPlaces = (shapeOf: ShapeOf, { fields }: Extract<Type, { kind: "record" }>): boolean =>
  fields.some(({ type }) => shapeOf(type).kind !== "leaf");

const isNumber = ({ kind }: Type): boolean => kind === "num" || kind === "bool";

const isObject = ({ kind }: Type): boolean =>
  kind === "record" || kind === "array" || kind === "tuple" || kind === "dict";

const elementOf = (type: Type): Type | null =>
  type.kind === "array" ? type.elem : type.kind === "dict" ? type.value : null;
