// Solvers whose results are differentiated by what defines them. Oracles: closed forms, differences.

import { describe, expect, it } from "vitest";
import { built, emittedErrors } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => { if (typeof value !== "function") throw new Error("no function"); return (...args) => Reflect.apply(value, undefined, args); };
const IMPORT = `import { grad, vjp, jvp, hvp, hessian, valueAndGrad } from "tsgrad";\nimport { argmin, fixedPoint, rootFind } from "tsgrad/implicit";\n`;

function compiled(text: string): (name: string) => Call {
  const { exports, text: emitted } = built(`${IMPORT}${text}`);
  if (process.env["SHOW"] !== undefined) console.log(emitted);
  expect(emittedErrors(emitted)).toEqual([]);
  return (name) => callOf(exports[name]);
}

describe("a number", () => {
  it("the square root as a root", () => {
    const own = compiled(`
export const root = (a: number): number => rootFind((x) => x * x - a, 1);
export const d = grad(root), dd = grad(grad(root)), ddd = grad(grad(grad(root))), forward = jvp(root), h = hvp(root);
`);
    for (const a of [2, 3.7]) {
      expect(own("root")(a)).toBeCloseTo(Math.sqrt(a), 14);
      expect(own("d")(a)).toBeCloseTo(0.5 / Math.sqrt(a), 14);
      expect(own("dd")(a)).toBeCloseTo(-0.25 * a ** -1.5, 14);
      expect(own("ddd")(a)).toBeCloseTo(0.375 * a ** -2.5, 13);
    }
    expect(own("forward")([4], [3])).toEqual([2, 0.75]);
    expect(own("h")([4], 1)).toBeCloseTo(-1 / 32, 14);
  });
});
