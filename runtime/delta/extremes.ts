// `Math.max(...list)` and `Math.min(...list)`. The result has the id of the chosen element. Ties,
// non-numbers and other iterables use `max` and `min` of math.ts.

import { idsOf } from "./handles.ts";
import { max, min } from "./math.ts";
import { ret } from "./register.ts";
import { spreadOf } from "./spread.ts";
import type { Value } from "./value.ts";

const nativeValues: Value = /* @__PURE__ */ (() => Array.prototype.values)();

/** Index of the only largest element, after multiplication by `sign`; -1 if there is a tie. */
function placeOf(list: Value, sign: 1 | -1): number {
  if (!Array.isArray(list) || list[Symbol.iterator] !== nativeValues) return -1;
  let place = -1;
  let isAlone = false;
  for (let k = 0, most = -Infinity; k < list.length; k++) {
    const x: Value = list[k];
    if (typeof x !== "number" || Number.isNaN(x)) return -1;
    if (sign * x > most) {
      most = sign * x;
      place = k;
      isAlone = true;
    } else if (sign * x === most) isAlone = false;
  }
  return isAlone ? place : -1;
}

function extreme(list: Value, sign: 1 | -1): Value {
  const place = placeOf(list, sign);
  if (place >= 0) return ret(list[place], idsOf(list).ids[place] ?? 0);
  const { values, ids } = spreadOf(list);
  const pairs = values.flatMap((value, k) => [value, ids[k] ?? 0]);
  return sign === 1 ? max(...pairs) : min(...pairs);
}

export const largest = (list: Value): Value => extreme(list, 1);
export const smallest = (list: Value): Value => extreme(list, -1);
