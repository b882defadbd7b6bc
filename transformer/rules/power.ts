// The two partials of `x ** z`, as IR. They are finite wherever the mathematics is (DESIGN.md §4
// "Kinks"): `x ** 0` and `0 ** z` avoid 0 * Infinity. A constant exponent gives the formula one
// would write by hand.

import { type Builder, num } from "../ir/build.ts";
import type { Atom } from "../ir/types.ts";
import type { Partial, RuleValues } from "./rule.ts";

/** d/dx x ** z = z x ** (z - 1). Kink: 0 where z and x are 0; z alone may be 0 without a branch. */
export const powerOf: Partial = (b, v, s) => {
  const z = v.z;
  if (z.kind === "const" && typeof z.value === "number") return constantExponent(b, v, s, z.value);
  const power = b.op("pow", v.x, b.sub(z, num(1)));
  // without a second derivative a branch on z is fine, and covers NaN ** 0
  if (v.isLast === true) return b.select(b.op("eq", z, num(0)), num(0), b.mul(s, b.mul(z, power)));
  const slope = b.mul(b.mul(s, z), power);
  // TypeScript rejects comparing z with 0 if its type lists other numbers; -z has type number
  return b.select(
    b.op("and", b.op("eq", v.isListed === true ? b.neg(z) : z, num(0)), b.op("eq", v.x, num(0))),
    num(0),
    slope,
  );
};

function constantExponent(b: Builder, v: RuleValues, s: Atom, exponent: number): Atom {
  switch (exponent) {
    case 0:
      return num(0);
    case 1:
      return s;
    case 2:
      return b.mul(b.mul(num(2), v.x), s);
    case 3:
      return b.mul(b.mul(b.mul(num(3), v.x), v.x), s);
    case 0.5:
      return b.div(b.mul(num(0.5), s), v.y);
    case 1.5:
      return b.mul(b.mul(num(1.5), b.op("sqrt", v.x)), s);
    case -1:
      return b.neg(b.mul(b.mul(s, v.y), v.y));
    default:
      // y / x saves a power, but would be 0 / 0 at 0 for a positive exponent
      return exponent < 0
        ? b.div(b.mul(b.mul(num(exponent), s), v.y), v.x)
        : b.mul(b.mul(num(exponent), b.op("pow", v.x, num(exponent - 1))), s);
  }
}

/** d/dz x ** z = y log x. Kink: 0 where x is 0 and z >= 0; NaN where x is negative. */
export const powerTo: Partial = (b, v, s) => {
  const x = v.x;
  if (x.kind === "const" && typeof x.value === "number" && x.value > 0)
    return b.mul(b.mul(s, v.y), num(Math.log(x.value)));
  const vanishes = b.op("and", b.op("eq", x, num(0)), b.op("ge", v.z, num(0)));
  const log = b.op("log", x);
  return b.select(
    vanishes,
    num(0),
    v.isLast === true ? b.mul(s, b.mul(v.y, log)) : b.mul(b.mul(s, v.y), log),
  );
};
