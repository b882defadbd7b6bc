// The standing seeds of the random programs, compiled and run against differences of the originals, in four files that run side by side. In: which
// quarter. Out: its tests. `TSGRAD_SEEDS=from-to` runs others; `npm run fuzz -- 10000` runs many. A failure names its seed: `npm run fuzz -- --tiny
// --seed 17` prints that program, `--tiny --small 17` a smaller one that fails in the same way.

import { describe, expect, it } from "vitest";
import { isLong } from "../breadth.ts";
import { fuzzed } from "./report.ts";

const [first = 1, last = 120] = (process.env["TSGRAD_SEEDS"] ?? (isLong ? "1-120" : "1-10"))
  .split("-")
  .map(Number);
const QUARTERS = 4;
/** Programs in one ts.Program; in a short run, those of every eighth run through Delta, too. */
const BATCH = 30;

const batches = Array.from({ length: Math.ceil((last - first + 1) / BATCH) }, (_, i) => {
  const from = first + i * BATCH;
  return Array.from({ length: Math.min(BATCH, last - from + 1) }, (_, k) => from + k);
});

export function standingPrograms(quarter: number): void {
  const size = Math.ceil(batches.length / QUARTERS);
  const own = batches.slice(quarter * size, (quarter + 1) * size);
  describe("random programs", () => {
    // other seeds than the standing ones may be fewer than the files
    if (own.length === 0)
      it("none", () => expect(batches.length).toBeLessThanOrEqual(quarter * size));
    it.each(
      own.map((seeds) => ({ seeds, name: `seeds ${seeds[0] ?? 0} to ${seeds.at(-1) ?? 0}` })),
    )("$name: values as the originals', gradients as differences, valid code", ({ seeds }) => {
      const report = fuzzed(seeds, "small", isLong || ((seeds[0] ?? 0) - 1) % (8 * BATCH) === 0);
      expect(report.problems).toEqual([]);
      // forward mode and second order are refused where only the Delta engine takes a function
      expect(Object.values(report.refused).flat().length).toBeLessThan(0.25 * seeds.length + 1);
      // a few kinks and thresholds are near enough to hide some
      expect(report.blind).toBeLessThan(0.02 * report.entries);
      // some programs are no valid TypeScript under the batch's flags
      expect(report.invalid.length).toBeLessThan(0.08 * seeds.length + 1);
    });
  });
}
