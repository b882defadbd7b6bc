// Assertions that no value keeps. In: the type of a value, and the type that an assertion gives it. Out: whether a number is called an object somewhere in it, or an object a number.
// Invariant: a place counts only where both types have it.

import type { Type } from "../ir/types.ts";
import type { Frame } from "./frame.ts";

export const isOtherwise = (f: Frame, from: Type, to: Type): boolean => differ(f, from, to, []);

function differ(f: Frame, from: Type, to: Type, met: readonly Type[]): boolean {
  if (from.kind === "named" && met.includes(from)) return false;
  const around = from.kind === "named" ? [...met, from] : met;
  const here = f.shape(from), there = f.shape(to), inside = (a: Type, b: Type): boolean => differ(f, a, b, around);
  if (there.kind === "opt") return inside(from, there.of);
  if (here.kind === "opt") return inside(here.of, to);
  if (here.kind === "union") return here.variants.every((variant) => inside(variant, to));
  if (there.kind === "union") return there.variants.every((variant) => inside(from, variant));
  if (isNumber(here) || isNumber(there)) return isNumber(here) ? isObject(there) : isObject(here);
  if (here.kind === "record") return there.kind === "record" && here.fields.some(({ name, type }) => there.fields.some((field) => field.name === name && inside(type, field.type)));
  const elem = elementOf(here), other = elementOf(there);
  if (elem !== null && other !== null) return inside(elem, other);
  if (here.kind === "tuple") return here.elems.some((each, i) => (there.kind === "tuple" ? i < there.elems.length && inside(each, there.elems[i] ?? each) : other !== null && inside(each, other)));
  return there.kind === "tuple" && elem !== null && there.elems.some((each) => inside(elem, each));
}

const isNumber = ({ kind }: Type): boolean => kind === "num" || kind === "bool";

const isObject = ({ kind }: Type): boolean => kind === "record" || kind === "array" || kind === "tuple" || kind === "dict";

const elementOf = (type: Type): Type | null => (type.kind === "array" ? type.elem : type.kind === "dict" ? type.value : null);
