// Arrays with as many elements as a number says, summed: `build(n, …)` and `Array.from({ length: n
// })`. In: counts that are no integers, negative and not a number. Out: the gradient is that of the
// elements which JavaScript makes, in one loop.

import { describe, expect, test } from "vitest";
import { variantsOf } from "../programs/variants.ts";

const MAKERS: Readonly<Record<string, string>> = {
  build: "sum(build(n, (i) => ITEM))",
  "Array.from": "Array.from({ length: n }, (_, i) => ITEM).reduce((a, b) => a + b, 0)",
  "Array.from, in steps":
    "Array.from({ length: n }, (_, i) => ITEM).map((y) => 2 * y).reduce((a, b) => a + b / 2, 0)",
  "two of them": "sum(map((y) => y * 0.5, build(n, (i) => ITEM))) * 2",
};
const COUNTS = [0, 1, 5, 2.5, 0.5, -1, -0.5, NaN];
const ITEM = "x * i + Math.sin(x)";

const programs = variantsOf(
  Object.fromEntries(
    Object.entries(MAKERS).map(([name, code]) => [
      name,
      `import { valueAndGrad } from "tsgrad";
import { build, map, sum } from "tsgrad/vector";
const f = (n: number, x: number): number => ${code.replace("ITEM", ITEM)};
export const value = f;
export const both = valueAndGrad(f, { argnums: 1 });
export const count = (n: number): number => ${name.includes("from") ? "Array.from({ length: n }).length" : "build(n, (i) => i).length"};
`,
    ]),
  ),
);

describe.each(Object.keys(MAKERS))("%s", (name) => {
  const { errors, text } = programs(name);
  test("compiles to one loop", () => {
    expect(errors).toEqual([]);
    const derivative = text.slice(text.indexOf("function f$vag"));
    expect(derivative.match(/\bfor \(/g)).toHaveLength(1);
    expect(derivative).not.toContain("new Array");
  });
  test.each(COUNTS)("of %s", (n) => {
    const { value, both, count } = programs(name).exports() as {
      value: (n: number, x: number) => number;
      both: (n: number, x: number) => [number, number];
      count: (n: number) => number;
    };
    const x = 0.3;
    const all = [...Array(count(n)).keys()];
    const [y, dx] = both(n, x);
    expect(y).toBe(value(n, x));
    // of x i + sin(x), as sums of few numbers
    expect(dx).toBeCloseTo(
      all.reduce((so, i) => so + i + Math.cos(x), 0),
      12,
    );
  });
});
