// Which lines `tsgrad explain` lists as places where a derivative is not finite, or is a choice. Oracle: the mathematics.

import { expect, it } from "vitest";
import { explain } from "../../transformer/explain.ts";
import { programOf } from "../program.ts";

const TEXT = `import { grad } from "tsgrad";
export function f(x: number[], k: number): number {
  const scale = Math.sqrt(k) / k;
  const root = Math.sqrt(x[0]);
  const ratio = x[1] / x[2];
  const half = x[1] / 2;
  const angle = Math.atan2(x[3], x[4]);
  const arc = Math.acos(half);
  const size = Math.abs(x[5]);
  const best = Math.max(x[6], x[7]);
  const cubed = x[0] ** 3;
  const power = x[8] ** half;
  return scale * root + ratio + angle + arc + size + best + cubed + power + Math.log(x[9]) + Math.hypot(x[0], x[1]);
}
export const d = grad(f);
`;

it("lists poles and choices of what is differentiated, line by line", () => {
  const text = explain(programOf({ "a.ts": TEXT }), "/src/a.ts", "f");
  const [, poles = "", choices = ""] =
    /may be infinite or not a number\n([^]*?)\n {2}is a choice\n([^]*)/.exec(text) ?? [];
  const rows = (part: string): readonly string[] =>
    part.split("\n").map((row) => row.trim().replace(/ {2,}/g, " | "));
  expect(rows(poles)).toEqual([
    "line 4 | Math.sqrt(x[0]) | infinite where `x[0]` is 0: a root has a vertical tangent there",
    "line 5 | x[1] / x[2] | infinite or not a number where `x[2]` is 0",
    "line 7 | Math.atan2(x[3], x[4]) | not a number where `x[3]` and `x[4]` are both 0: a vector without length has no direction",
    "line 8 | Math.acos(half) | infinite where `half` is 1 or -1: the curve is vertical at the end of its domain",
    "line 12 | x[8] ** half | infinite where `x[8]` is 0 and the exponent is below 1; by the exponent, not a number where `x[8]` is below 0",
    "line 13 | Math.log(x[9]) | infinite where `x[9]` is 0, as the logarithm itself",
  ]);
  expect(rows(choices)).toEqual([
    "line 9 | Math.abs(x[5]) | a choice where `x[5]` is 0: it is 0 there",
    "line 10 | Math.max(x[6], x[7]) | a choice where two operands are equal: each gets half",
    "line 13 | Math.hypot(x[0], x[1]) | a choice where all operands are 0: it is 0 there",
  ]);
});
