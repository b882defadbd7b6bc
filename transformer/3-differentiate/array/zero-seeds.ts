// Products with slopes that may be infinite or NaN, where the other factor is a cotangent that may
// be 0. Input: the body of a function. Output: functions of numbers.

import { type ArrayBody, bodiesOf, type Lambda, lambda } from "../../ir/array.ts";
import { NUM, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import type { Origin } from "../../ir/types.ts";
import { isUnbounded, slopeOf } from "../../rules/slopes.ts";

/** Whether a slope of an operator in a body may be infinite or NaN. */
export function hasUnboundedSlope(body: ArrayBody): boolean {
  return body.lets.some(
    ({ expr }) =>
      bodiesOf(expr).some(hasUnboundedSlope) ||
      (expr.kind === "op" && expr.args.some((_, i) => isUnbounded(slopeOf(expr.op, i, expr.args)))),
  );
}

/** `(s, slope) => s === 0 ? 0 : s * slope` */
export const scaling = (names: Names, origin: Origin): Lambda =>
  lambda(
    names,
    origin,
    [
      ["s", NUM],
      ["slope", NUM],
    ],
    (b, s, slope) => b.op("select", b.op("eq", s, num(0)), num(0), b.op("mul", s, slope)),
  );
