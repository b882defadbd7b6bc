// Arguments of operators as pairs of value and id.

import { isObject, primitive } from "./conversion.ts";
import { id } from "./register.ts";
import type { Id, Value } from "./value.ts";

export type Nary = (...pairs: Value[]) => Value;

/** Converts objects among the arguments to numbers first, in order. */
export function asNumbers(f: Nary, pairs: Value[]): Value {
  const plain: Value[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const value = +primitive(pairs[i], pairs[i + 1] ?? 0, "number");
    plain.push(value, id);
  }
  return f(...plain);
}

export const hasObject = (pairs: Value[]): boolean =>
  pairs.some((value, i) => i % 2 === 0 && isObject(value));

export const valuesOf = (pairs: Value[]): number[] => pairs.filter((_, i) => i % 2 === 0);
export const idsOf = (pairs: Value[]): Id[] => pairs.filter((_, i) => i % 2 === 1);
