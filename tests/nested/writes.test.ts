// Derivatives, inside of differentiated functions, of functions that write what they are given. Oracle: differences; everything else is an error of the build.

import { describe, expect, it } from "vitest";
import { slopeOf } from "../programs/differences.ts";
import { built } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};

const module = (
  use: string,
): string => `import { grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, valueAndGrad, vjp } from "tsgrad";
const g = (x: number[]): number => { for (let i = 0; i < 3; i++) x[0] = Math.sin(x[0]) * 2; return x[1] * x[0]; };
const small = (x: number[]): number => { x[0] *= 2; return x[1] * x[0]; };
const scratch = [0, 0];
const deep = (k: number, left: number): void => { scratch[0] = k; if (left > 0) deep(k * k, left - 1); };
const leaves = (x: number): number => { deep(x, 2); return scratch[0] * x; };
const sees = (x: number): number => { scratch[0] = x * x; return scratch[0] * x; };
export const f = (k: number): number => { const a = [k, k]; ${use} };
export const d = grad(f);
`;

describe("functions that write their arguments", () => {
  it.each([
    ["grad", "const d = grad(g)(a); return d[1] * a[0];"],
    ["grad of a small function", "const d = grad(small)(a); return d[1] * a[0];"],
    ["valueAndGrad", "const [v, d] = valueAndGrad(g)(a); return v * d[1] * a[0];"],
    ["vjp", "const [v, pb] = vjp(g)(a); const [u] = pb(v); return u[1] * a[0];"],
    ["hvp", "const p = hvp(g)([a], [1, 0]); return p[1] * a[0];"],
    ["hessian", "const h = hessian(g)(a); return h[1][0] * a[0];"],
    ["jacfwd", "const j = jacfwd(g)(a); return j[1] * a[0];"],
    ["jacrev", "const j = jacrev(g)(a); return j[1] * a[0];"],
    ["linearize", "const [v, m] = linearize(g)(a); return v * m.apply([[1, k]]) * a[0];"],
    ["an object of the module", "return grad(sees)(k) * a[0] * scratch[0];"],
    [
      "the same by jvp, too",
      "const [, t] = jvp(g)([a], [[1, k]]); const j = jacfwd(g)(a); return j[1] * t;",
    ],
  ])("%s", (_, use) => {
    expect(() => built(module(use))).toThrow(/TSG3007/);
  });

  // its pullback knows nothing of what the module holds: what was emitted took that for the seed
  it("an object of the module through a call, of a gradient that is pulled back", () => {
    expect(() =>
      built(
        module("return a[0];") +
          "export const e = (k: number) => { const slope = grad(leaves); return vjp(slope)(k); };",
      ),
    ).toThrow(/TSG3007/);
  });

  it("jvp runs the function once, and says what it has written", () => {
    const { exports } = built(module("const [v, t] = jvp(g)([a], [[1, k]]); return t * a[0] + v;"));
    const [f, d] = [callOf(exports["f"]), callOf(exports["d"])];
    // extrapolated differences of a smooth function are good to about 1e-9 of its size
    for (const k of [0.7, 1.3])
      expect(Number(d(k))).toBeCloseTo(slopeOf((t) => Number(f(k + t)), 0).value, 7);
  });
});
