// Arithmetic operators on values with ids, with the partials of the rule table. Without an active
// operand, or for a result that is not a number, the id is 0 and there is no node.

import { node1, node2 } from "./tape.ts";
import { conversion, mixed, primitive } from "./conversion.ts";
import { id, setId } from "./register.ts";
import type { Id, Value } from "./value.ts";

// z = x + y          x' = 1, y' = 1
export function add(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a + b, add, x, xi, y, yi, "default");
  const z = x + y;
  setId((xi | yi) === 0 ? 0 : node2(xi, 1, yi, 1));
  return z;
}

// z = x - y          x' = 1, y' = -1
export function sub(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a - b, sub, x, xi, y, yi, "number");
  const z = x - y;
  // of one id, both have one tangent
  setId(xi === yi ? 0 : node2(xi, 1, yi, -1));
  return z;
}

// z = x y            x' = y, y' = x
export function mul(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a * b, mul, x, xi, y, yi, "number");
  const z = x * y;
  setId((xi | yi) === 0 ? 0 : node2(xi, y, yi, x));
  return z;
}

// z = x / y          x' = 1 / y, y' = -z / y
export function div(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a / b, div, x, xi, y, yi, "number");
  const z = x / y;
  // `x / x` is constant, whatever follows: `Math.asin(x / x)`
  setId((xi | yi) === 0 || (xi === yi && x === y) ? 0 : node2(xi, 1 / y, yi, -z / y));
  return z;
}

// z = x % y          x' = 1, y' = -trunc(x / y)          kink: at integer quotients the side away
// from 0
export function rem(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a % b, rem, x, xi, y, yi, "number");
  const z = x % y;
  setId((xi | yi) === 0 ? 0 : node2(xi, 1, yi, -Math.round((x - z) / y)));
  return z;
}

// z = x ** y         x' = y x ** (y - 1), y' = z log x
// kinks: x' is 0 where y is 0, y' is 0 where x is 0 and y is not negative; no parent there
export function pow(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a ** b, pow, x, xi, y, yi, "number");
  const z = x ** y;
  if ((xi | yi) === 0) {
    setId(0);
    return z;
  }
  const p = y === 0 ? 0 : xi;
  const q = x === 0 && y >= 0 ? 0 : yi;
  setId(
    (p | q) === 0 ? 0 : node2(p, p === 0 ? 0 : powerOf(x, y, z), q, q === 0 ? 0 : z * Math.log(x)),
  );
  return z;
}

/** y x ** (y - 1); below 0.5 the difference y - 1 is rounded, which log x magnifies. */
function powerOf(x: number, y: number, z: number): number {
  if (y === 2) return 2 * x;
  return y < 0.5 && x !== z ? (y * z) / x : y * x ** (y - 1);
}

// z = -x             x' = -1
export function neg(x: Value, xi: Id): Value {
  if (typeof x !== "number") return unary(neg, (a) => -a, x, xi);
  setId(xi === 0 ? 0 : node1(xi, -1));
  return -x;
}

// z = +x             x' = 1
export function plus(x: Value, xi: Id): Value {
  if (typeof x !== "number") return unary(plus, (a) => +a, x, xi);
  setId(xi);
  return x;
}

/** A sign before an operand that is not a number. */
function unary(
  f: (x: Value, xi: Id) => Value,
  plain: (x: Value) => Value,
  x: Value,
  xi: Id,
): Value {
  const a = primitive(x, xi, "number");
  const ai = id;
  if (typeof a === "number") return f(a, ai);
  const back = conversion().readBack(a);
  if (back !== 0) return f(+a, back);
  setId(0);
  return plain(a);
}
