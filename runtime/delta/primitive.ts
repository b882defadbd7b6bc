// What operators make of objects. In: an operand, and what it is wanted as. Out: a primitive value, its id in the register.
// Invariant: `Symbol.toPrimitive`, `valueOf` and `toString` are called as methods are, through their rewritten forms: called by the
// operator itself they would give a number without an id.

import { convertBy, isObject } from "./conversion.ts";
import { applied } from "./dispatch.ts";
import type { Family } from "./families.ts";
import { id, ret } from "./register.ts";
import { get } from "./shadows.ts";
import { readBack, text } from "./text.ts";
import type { Id, Value } from "./value.ts";

export type Hint = "number" | "default" | "string";

/** ToPrimitive of the language. */
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

/** An operator of two operands that are not both numbers. `plain` is the operator itself, `f` the one with ids. */
// eslint-disable-next-line max-params -- rewritten code passes values and ids as flat pairs
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

/** An operator or a function of one operand that is no number. */
export function coerced(f: (x: Value, xi: Id) => Value, x: Value, xi: Id): Value {
  const a = primitive(x, xi, "number");
  const ai = id;
  return f(+a, ai | readBack(a));
}

/** What may be an object, in a template. */
export const textOf = (value: Value, valueId: Id): Value =>
  text(primitive(value, valueId, "string"), valueId);

/** For code whose operands may be no numbers. */
export const conversions: Family = () => {
  convertBy({ coerced, mixed, primitive, readBack });
};
