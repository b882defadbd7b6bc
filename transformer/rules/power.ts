// The two partials of `x ** z`, as IR. They are finite wherever the mathematics is: `x ** 0` and
// `0 ** z` avoid 0 * Infinity. A constant exponent gives the formula one would write by hand.

import { type Builder, num } from "../ir/build.ts";
import type { Atom } from "../ir/types.ts";
import type { Partial, RuleValues } from "./rule.ts";

/**
 * d/dx x ** z = z x ** (z - 1). Below 0.5 the difference z - 1 is rounded, which log x magnifies;
 * and x ** (z - 1) may leave the range. There it is z y / x, except where y is x: at 0, 1 and
 * Infinity. Kink: 0 where z and x are 0; z alone may be 0 without a branch.
 */
export const powerOf: Partial = (b, v, s) => {
  const z = v.z;
  if (z.kind === "const" && typeof z.value === "number") return constantExponent(b, v, s, z.value);
  const power = powerBelow(b, v);
  const divides = b.op("and", b.op("lt", z, HALF), b.op("ne", v.x, v.y));
  // without a second derivative a branch on z is fine, and covers NaN ** 0
  if (v.isLast === true) {
    const slope = b.select(divides, b.div(b.mul(z, v.y), v.x), b.mul(z, power));
    return b.select(b.op("eq", z, ZERO), ZERO, b.mul(s, slope));
  }
  const scaled = b.mul(s, z);
  const slope = b.select(divides, b.div(b.mul(scaled, v.y), v.x), b.mul(scaled, power));
  // TypeScript rejects comparing z with 0 if its type lists other numbers; -z has type number
  return b.select(
    b.op("and", b.op("eq", v.isListed === true ? b.neg(z) : z, ZERO), b.op("eq", v.x, ZERO)),
    ZERO,
    slope,
  );
};

const ZERO = num(0);
const HALF = num(0.5);

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
    default: {
      const scaled = b.mul(num(exponent), s);
      const isExact = exponent >= 0.5 || exponent - 1 + 1 === exponent;
      if (exponent > 0 && isExact) return b.mul(b.mul(num(exponent), powerBelow(b, v)), s);
      // y / x saves a power, but would be 0 / 0 at 0 for a positive exponent
      const quotient = b.div(b.mul(scaled, v.y), v.x);
      if (exponent < 0) return quotient;
      return b.select(b.op("eq", v.x, v.y), b.mul(scaled, powerBelow(b, v)), quotient);
    }
  }
}

/** x ** (z - 1) */
const powerBelow = (b: Builder, { x, z }: RuleValues): Atom =>
  b.op("pow", x, z.kind === "const" ? num(Number(z.value) - 1) : b.sub(z, num(1)));

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
