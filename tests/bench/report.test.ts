// Medians, ratios, table and plot of the bench. Invariant: what is drawn is what docs/bench.json says.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PLOT, RESULTS, benchPlot, benchTable } from "../../scripts/bench-report.ts";
import {
  geometricMean,
  rowOf,
  spreadOf,
  type Measured,
  type Results,
} from "../../scripts/bench-statistics.ts";
import { root } from "../golden.ts";

const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

test("quartiles", () => {
  expect(spreadOf([4, 1, 3, 2, 5])).toEqual({ low: 2, median: 3, high: 4 });
  expect(spreadOf([1, 2])).toEqual({ low: 1.25, median: 1.5, high: 1.75 });
  expect(geometricMean([1, 4])).toBe(2);
});

const measured = (samples: Measured["samples"], peers: Measured["peers"] = {}): Measured => ({
  workload: "w",
  size: "s",
  note: "",
  isDense: false,
  samples,
  peers,
});

test("ratios are taken within rounds, then over processes", () => {
  const row = rowOf([
    // the machine was ten times slower in the second round; the peer did not take part in the third
    measured(
      { primal: [1, 10, 1], hand: [2, 20, 2], tsgrad: [3, 30, 3], rose: [6, 60, null] },
      { rose: "compiler" },
    ),
    measured({ primal: [1, 1, 1], hand: [2, 2, 2], tsgrad: [4, 4, 4] }),
    measured({ primal: [1, 1, 1], hand: [2, 2, 2], tsgrad: [8, 8, 8] }),
  ]);
  expect(row.overHand["tsgrad"]?.median).toBe(2);
  expect(row.overPrimal["hand"]).toEqual({ low: 2, median: 2, high: 2 });
  expect(row.overTsgrad["rose"]).toEqual({ low: 2, median: 2, high: 2 });
  expect(row.nanoseconds).toBe(1);
});

test("dense Jacobians are not in the means over the primal", () => {
  const row = rowOf([measured({ primal: [1], hand: [2], tsgrad: [3] })]);
  const table = benchTable({
    machine: "m",
    rows: [row, { ...rowOf([measured({ primal: [1], hand: [20], tsgrad: [30] })]), isDense: true }],
  });
  expect(table).toContain("| geometric mean |  | 2.00 | 3.00 | **1.50** |");
});

test("the plot is that of the results", () => {
  expect(read(PLOT)).toBe(benchPlot(JSON.parse(read(RESULTS)) as Results));
});
