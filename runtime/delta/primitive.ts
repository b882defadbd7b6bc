// Conversion of operands to primitive values. `Symbol.toPrimitive`, `valueOf` and `toString` run in
// their rewritten forms; the operator itself would call them without ids.

import { convertBy, isObject } from "./conversion.ts";
import { applied } from "./dispatch.ts";
import type { Family } from "./families.ts";
import { id, ret } from "./register.ts";
import { get } from "./shadows.ts";
import { readBack, text } from "./text.ts";
import type { Id, Value } from "./value.ts";

export type Hint = "number" | "default" | "string";

/** ToPrimitive of the language specification. */
export function primitive(x: Value, xi: Id, hint: Hint): Value {
  if (!isObject(x)) return ret(x, xi);
  const exotic = get(x, Symbol.toPrimitive);
  if (exotic !== undefined && exotic !== null) {
    const value = applied(exotic, x, [hint], [0]);
    if (!isObject(value)) return value;
    throw new TypeError("Cannot convert object to primitive value");
  }
  for (const name of hint === "string" ? ["toString", "valueOf"] : ["valueOf", "toString"]) {
    const f = get(x, name);
    if (typeof f !== "function") continue;
    const value = applied(f, x, [], []);
    if (!isObject(value)) return value;
  }
  throw new TypeError("Cannot convert object to primitive value");
}

type Binary = (x: Value, xi: Id, y: Value, yi: Id) => Value;

/** An operator with a non-number operand. `plain`: the operator; `f`: its form with ids. */
export function mixed(
  plain: (x: Value, y: Value) => Value,
  f: Binary,
  x: Value,
  xi: Id,
  y: Value,
  yi: Id,
  hint: Hint,
): Value {
  const a = primitive(x, xi, hint);
  const ai = id;
  const b = primitive(y, yi, hint);
  const bi = id;
  if (hint === "default" && (typeof a === "string" || typeof b === "string")) {
    text(a, ai);
    text(b, bi);
    return ret(plain(a, b), 0);
  }
  const p = ai | readBack(a);
  const q = bi | readBack(b);
  if ((p | q) === 0) return ret(plain(a, b), 0);
  return f(+a, p, +b, q);
}

/** A unary operator or function with an operand that is not a number. */
export function coerced(f: (x: Value, xi: Id) => Value, x: Value, xi: Id): Value {
  const a = primitive(x, xi, "number");
  const ai = id;
  return f(+a, ai | readBack(a));
}

/** A value in a template, which may be an object. */
export const textOf = (value: Value, valueId: Id): Value =>
  text(primitive(value, valueId, "string"), valueId);

/** The family for code whose operands may not be numbers. */
export const conversions: Family = () => {
  convertBy({ coerced, mixed, primitive, readBack });
};
