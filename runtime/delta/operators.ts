// Arithmetic operators on values with ids. In: values and ids. Out: what JavaScript computes, its id in the register.
// Invariants: the operator runs first and as it stands (strings, bigints, objects); a result that is no number, and one without an active
// operand, has id 0 and no node. Partials are those of the rule table.

import { node1, node2 } from "./tape.ts";
import { setId } from "./register.ts";
import type { Id, Value } from "./value.ts";

// z = x + y          x' = 1, y' = 1
export function add(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = x + y;
  setId((xi | yi) === 0 || typeof z !== "number" ? 0 : node2(xi, 1, yi, 1));
  return z;
}

// z = x - y          x' = 1, y' = -1
export function sub(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = x - y;
  setId((xi | yi) === 0 || typeof z !== "number" ? 0 : node2(xi, 1, yi, -1));
  return z;
}

// z = x y            x' = y, y' = x
export function mul(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = x * y;
  setId((xi | yi) === 0 || typeof z !== "number" ? 0 : node2(xi, +y, yi, +x));
  return z;
}

// z = x / y          x' = 1 / y, y' = -z / y
export function div(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = x / y;
  setId((xi | yi) === 0 || typeof z !== "number" ? 0 : node2(xi, 1 / y, yi, -z / y));
  return z;
}

// z = x % y          x' = 1, y' = -trunc(x / y)          kink: at whole quotients the side away from 0
export function rem(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = x % y;
  setId((xi | yi) === 0 || typeof z !== "number" ? 0 : node2(xi, 1, yi, -Math.trunc(x / y)));
  return z;
}

// z = x ** y         x' = y x ** (y - 1), y' = z log x
// kinks: x' is 0 where y is 0, y' is 0 where x is 0 and y is not negative; no parent there
export function pow(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = x ** y;
  if ((xi | yi) === 0 || typeof z !== "number") {
    setId(0);
    return z;
  }
  const p = Number(y) === 0 ? 0 : xi, q = Number(x) === 0 && y >= 0 ? 0 : yi;
  setId((p | q) === 0 ? 0 : node2(p, p === 0 ? 0 : powerOf(Number(x), Number(y)), q, q === 0 ? 0 : z * Math.log(x)));
  return z;
}

const powerOf = (x: number, y: number): number => (y === 2 ? 2 * x : y * x ** (y - 1));

// z = -x             x' = -1
export function neg(x: Value, xi: Id): Value {
  const z = -x;
  setId(xi === 0 || typeof z !== "number" ? 0 : node1(xi, -1));
  return z;
}

// z = +x             x' = 1
export function plus(x: Value, xi: Id): Value {
  const z = +x;
  setId(typeof x === "number" ? xi : 0);
  return z;
}
