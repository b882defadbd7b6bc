// What is said of each slope (finite, unbounded, steep) against the slope itself. In: every row and
// position. Oracle: the row, run on another grid than the compiler's. Blind for operands so large
// or small that finite slopes overflow: there a cotangent of 0 meets Infinity.

import { describe, expect, it } from "vitest";
import { num } from "../../transformer/ir/build.ts";
import { OPS, type ScalarOp } from "../../transformer/ir/ops.ts";
import type { Atom } from "../../transformer/ir/types.ts";
import { partialOf } from "../../transformer/rules/rule.ts";
import { SCALAR } from "../../transformer/rules/scalar.ts";
import { hasPole, type Slope, slopeOf } from "../../transformer/rules/slopes.ts";
import { runPartial } from "./partials.ts";

const EDGES = [0, -0, 1, -1, 0.25, -0.25, 0.999, 3, -3, 10, -10, Math.PI / 2, 720, -720, 1e-9];
const BEYOND = [Infinity, -Infinity, NaN];
const ORDER: readonly Slope[] = ["total", "finite", "unbounded", "steep"];

const isOp = (name: string): name is ScalarOp => name in OPS;
const CASES = Object.keys(SCALAR)
  .filter(isOp)
  .flatMap((op) => {
    const { arity } = OPS[op];
    const count = arity === "n" ? 2 : arity;
    return Array.from({ length: count }, (_, i) => [op, i, count] as const).filter(
      ([, i]) => partialOf(SCALAR[op], i, count) !== null,
    );
  });

const variable = (k: number): Atom => ({ kind: "var", name: `x${k}`, type: { kind: "num" } });

const tuples = (values: readonly number[], count: number): readonly (readonly number[])[] =>
  count === 0
    ? [[]]
    : tuples(values, count - 1).flatMap((rest) => values.map((value) => [...rest, value]));

/** How bad the slope is at one point. */
function observed(op: ScalarOp, i: number, at: readonly number[], constants: number[] = []): Slope {
  if (Number.isFinite(runPartial(op, at, i, { constants }).value)) return "total";
  if (!at.every(Number.isFinite)) return "finite";
  return Number.isFinite(Number(OPS[op].eval(at))) ? "steep" : "unbounded";
}

const worst = (slopes: readonly Slope[]): Slope =>
  ORDER[Math.max(...slopes.map((slope) => ORDER.indexOf(slope)))] ?? "total";

describe("the slope of", () => {
  it.each(CASES)("%s by argument %i", (op, i, count) => {
    const points = tuples([...EDGES, ...BEYOND], count);
    const args = Array.from({ length: count }, (_, k) => variable(k));
    expect(slopeOf(op, i, args)).toBe(worst(points.map((at) => observed(op, i, at))));
  });

  it.each([-2, -1, -0.5, 0, 0.5, 0.75, 1, 1.5, 2, 3, 2.5])("x ** %d by x", (exponent) => {
    const points = EDGES.concat(BEYOND).map((x) => [x, exponent]);
    const seen = worst(points.map((at) => observed("pow", 0, at, [1])));
    expect(slopeOf("pow", 0, [variable(0), num(exponent)])).toBe(seen);
  });

  // those of ordinary size share one answer
  const constants = [0, 1e-320, 1e-90, -0.5, 1, 7, -1e90, 1e308];
  it.each(
    (["add", "sub", "mul"] as const).flatMap((op) =>
      constants.flatMap((constant) => [0, 1].map((i) => [op, i, constant] as const)),
    ),
  )("%s by argument %i, where the other one is %d", (op, i, constant) => {
    const pairOf = <T>(own: T, other: T): T[] => (i === 0 ? [own, other] : [other, own]);
    const points = [...EDGES, ...BEYOND].map((x) => pairOf(x, constant));
    const seen = worst(points.map((at) => observed(op, i, at, [1 - i])));
    const args = pairOf<Atom>(variable(i), num(constant));
    expect(slopeOf(op, i, args)).toBe(seen);
    const values = [0, 0.5, -1, 2].map((x) => OPS[op].eval(pairOf(x, constant)));
    expect(hasPole(op, args)).toBe(values.some((value) => !Number.isFinite(Number(value))));
  });

  it.each([2, -0.5])("x / %d and %d / x", (constant) => {
    expect(slopeOf("div", 0, [variable(0), num(constant)])).toBe("total");
    expect(slopeOf("div", 1, [num(constant), variable(0)])).toBe("unbounded");
  });
});
