// Rows of `tsgrad explain` about functions that use tsgrad/vector: their cost, or why they are
// compiled as loops. Costs follow Figure 11 of Huot and Shaikhha, for the emitted program.

import { type Cost, costAt, costOf, costText, nestingOf } from "../ir/array-cost.ts";
import type { Types } from "../ir/shadow.ts";
import type { ArrayDerivative } from "../driver/arrays.ts";
import type { Places } from "./places.ts";

export function arrayRows(
  found: ArrayDerivative | undefined,
  types: Types,
  places: Places,
): readonly (readonly string[])[] {
  if (found === undefined) return [];
  if (found.kind === "loops")
    return [
      [
        "written as loops",
        `${found.why}: ${places.code(found.origin)} at ${places.at(found.origin)}`,
      ],
    ];
  const primal = costOf(found.primal.body, types);
  const gradient = costOf(found.program.body, types);
  const nesting = nestingOf(found.primal.body);
  const bound = 4 * 3 ** nesting;
  return [
    ["written as", "array code: cotangents are arrays, bound once"],
    ["cost of the function", `${costText(primal)}, for arrays of n elements`],
    [
      "cost of the gradient",
      `${costText(gradient)}: at most ${ratio(gradient, primal)} times, and the bound is 4 * 3^${nesting} = ${bound}`,
    ],
  ];
}

/** The largest ratio over all array sizes. */
const ratio = (x: Cost, y: Cost): string =>
  (Math.ceil(Math.max(...SIZES.map((n) => costAt(x, n) / costAt(y, n))) * 10) / 10).toFixed(1);

const SIZES: readonly number[] = [0, 1, 2, 5, 10, 100, 1000, 1e6];
