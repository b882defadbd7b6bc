// Rows of `tsgrad explain` about slopes: where the derivative of a line may be infinite or not a
// number, and where it is one of several.

import { type HazardAt } from "../driver/hazards.ts";
import type { Places } from "./places.ts";

/** One row for each expression. */
export function hazardRows(
  hazards: readonly HazardAt[],
  wanted: HazardAt["kind"],
  places: Places,
): readonly (readonly string[])[] {
  const rows = new Map<string, readonly string[]>();
  for (const { kind, origin, text } of hazards) {
    const [line, code] = [places.line(origin), places.code(origin)];
    if (kind === wanted) rows.set(`${line} ${code}`, [line, code, text]);
  }
  return [...rows.values()];
}
