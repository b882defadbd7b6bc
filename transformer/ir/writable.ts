// Which values can be written part by part into another value of the same type. Such a value has
// the same parts at each call, except for the lengths of its arrays.

import { hasNumbers, isRecursive, resolve, type Types } from "./shadow.ts";
import type { Type } from "./types.ts";

/** Arrays, tuples and records of numbers and of one another. A number has no places to write. */
export function isWritable(type: Type, types: Types): boolean {
  if (
    type.kind === "named" &&
    (types.get(type.name)?.instance !== undefined || isRecursive(type, types))
  )
    return false;
  const shape = resolve(type, types);
  const isPart = (inner: Type): boolean =>
    inner.kind === "num" || !hasNumbers(inner, types) || isWritable(inner, types);
  if (shape.kind === "array") return isPart(shape.elem);
  if (shape.kind === "tuple") return shape.elems.every(isPart);
  return (
    shape.kind === "record" &&
    shape.tagged !== true &&
    shape.fields.every((field) => isPart(field.type))
  );
}
