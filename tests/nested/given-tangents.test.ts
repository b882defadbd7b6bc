// Tangents that a caller keeps, of functions that write what they are given. Oracle: derivatives worked out by hand, of x0² x1 and of [x0², x1] at [2, 3]; all are
// sums and products of small integers and so exact. The arguments end as the function leaves them, the tangents as they were.

import { describe, expect, it } from "vitest";
import { built } from "./compiled.ts";

const module = (use: string): string => `import { grad, hvp, jvp, vjp } from "tsgrad";
type Model = { w: number[]; b: number };
const product = (x: number[]): number => { x[0] = x[0] * x[0]; return x[0] * x[1]; };
const squared = (x: number[]): number[] => { x[0] = x[0] * x[0]; return x; };
const through = (x: number[]): number => { const own = squared(x); return own[0] * own[1]; };
const both = (x: number[], z: number[]): number => { x[0] = x[0] * x[0]; return x[0] * z[0]; };
const model = (m: Model): number => { m.w[0] = m.w[0] * m.w[0]; m.b *= 2; return m.w[0] * m.w[1] + m.b; };
${use}`;
const run = (use: string): unknown => {
  const { run: found } = built(module(`export const run = (): unknown => { ${use} };`)).exports;
  return typeof found === "function" ? Reflect.apply(found, undefined, []) : null;
};

describe("tangents are not written", () => {
  it.each([
    [
      "jvp",
      "const x = [2, 3], t = [1, 1]; return [jvp(product)([x], [t]), x, t];",
      [
        [12, 16],
        [4, 3],
        [1, 1],
      ],
    ],
    [
      "by a function that is called",
      "const x = [2, 3], t = [1, 1]; return [jvp(through)([x], [t]), x, t];",
      [
        [12, 16],
        [4, 3],
        [1, 1],
      ],
    ],
    [
      "what is returned is the argument",
      "const x = [2, 3], t = [1, 1]; return [jvp(squared)([x], [t]), x, t];",
      [
        [
          [4, 3],
          [4, 1],
        ],
        [4, 3],
        [1, 1],
      ],
    ],
    [
      "hvp",
      "const x = [2, 3], t = [1, 1]; return [hvp(product)([x], t), x, t];",
      [
        [10, 4],
        [4, 3],
        [1, 1],
      ],
    ],
    [
      "hvp by a list",
      "const x = [2, 3], t = [1, 1]; return [hvp(product, { argnums: [0] })([x], [t]), x, t];",
      [[[10, 4]], [4, 3], [1, 1]],
    ],
    [
      "an object",
      "const m = { w: [2, 3], b: 1 }, t = { w: [1, 1], b: 5 }; return [jvp(model)([m], [t]), m, t];",
      [[14, 26], { w: [4, 3], b: 2 }, { w: [1, 1], b: 5 }],
    ],
    [
      "one tangent of two objects",
      "const x = [2, 3], z = [5, 7], t = [1, 1]; return [jvp(both)([x, z], [t, t]), x, t];",
      [
        [20, 24],
        [4, 3],
        [1, 1],
      ],
    ],
    [
      "a pullback's seed",
      "const x = [2, 3], t = [1, 1]; const [, pullback] = vjp(squared)(x); return [pullback(t), x, t];",
      [[[4, 1]], [4, 3], [1, 1]],
    ],
  ])("%s", (_, use, expected) => {
    expect(run(use)).toEqual(expected);
  });
});

describe("inside of a function that is differentiated", () => {
  it.each([
    [
      "a variable",
      "const t = [1, 1]; const [, dv] = jvp(product)([[...x]], [t]); return dv + 10 * t[0];",
    ],
    ["the argument", "const [, dv] = jvp(product)([[2, 3]], [x]); return dv + 10 * x[0];"],
    [
      "a field",
      "const t = { w: x, b: 0 }; const [, dv] = jvp(model)([{ w: [2, 3], b: 1 }], [{ w: t.w, b: 1 }]); return dv + x[0];",
    ],
  ])("%s as the tangent is refused", (_, body) => {
    expect(() =>
      built(module(`export const d = grad((x: number[]): number => { ${body} });`)),
    ).toThrow(/TSG3007/);
  });

  // (2 x0 x1 t0 + x0² t1)' by x at t = [1, 1]: [2 x1 + 2 x0, 2 x0]; by t at [2, 3]: [12, 4]
  it.each([
    ["numbers", "const [, dv] = jvp(product)([[...x]], [[1, 1]]); return dv;", [10, 4]],
    [
      "a copy of the argument",
      "const [, dv] = jvp(product)([[2, 3]], [[...x]]); return dv + 10 * x[0];",
      [22, 4],
    ],
  ])("%s in a literal", (_, body, expected) => {
    expect(run(`return grad((x: number[]): number => { ${body} })([2, 3]);`)).toEqual(expected);
  });
});
