// Exponentials that overflow before an operator that is flat at infinity. Oracles: the limit 0 where
// they do, and central differences where they do not.

import { describe, expect, it } from "vitest";
import { variantsOf } from "./variants.ts";

/** Numbers that overflow at x = 20_000, and how they grow. */
const INNER: Readonly<Record<string, string>> = {
  exp: "Math.exp(x)",
  "exp of a negative": "Math.exp(-(-x))",
  expm1: "Math.expm1(x)",
  cosh: "Math.cosh(x)",
  "a power of a constant": "2 ** x",
};
/** Functions of u that are flat at infinity. */
const OUTER: Readonly<Record<string, string>> = {
  logistic: "1 / (1 + u)",
  "half of it": "c / (3 + 2 * u)",
  "a quotient with an active factor": "1 / (1 + (1 + x * x) * u)",
  "a quotient with the square": "1 / (1 + u * u)",
  "a quotient with a sum of products": "1 / (u + x * u * 3)",
  "a quotient of an active number": "(x * 0 + 2) / (1 + u)",
  tanh: "Math.tanh(u)",
  atan: "Math.atan(u)",
  "a negative power": "(1 + u) ** -2",
};
/** How u gets there. */
const BETWEEN: Readonly<Record<string, (inner: string, outer: string) => string>> = {
  directly: (inner, outer) => `const u = ${inner}; return ${outer};`,
  "by a branch": (inner, outer) => `let u = 1; if (x > 0) u = ${inner}; return ${outer};`,
  "by a loop": (inner, outer) =>
    `let u = 0; for (let i = 0; i < 3; i++) u += ${inner}; return ${outer};`,
  "by a list": (inner, outer) =>
    `const us = [x, x * 2].map((x) => ${inner}); const u = us[0]!; return ${outer};`,
  "by a record": (inner, outer) =>
    `const o = { u: 1, x }; if (x > 0) o.u = ${inner}; const { u } = o; return ${outer};`,
  "by a callee": (inner, outer) =>
    `const inner = (x: number, n: number): number => n <= 0 ? ${inner} : inner(x, n - 1); const u = inner(x, 2); return ${outer};`,
  "by an argument": (inner, outer) =>
    `const outer = (u: number, n: number): number => n <= 0 ? ${outer} : outer(u, n - 1); return outer(${inner}, 2);`,
  "by a function": (inner, outer) =>
    `const inner = (x: number): number => ${inner}; const u = inner(x); return ${outer};`,
};

const programs: Record<string, string> = {};
for (const [inside, inner] of Object.entries(INNER))
  for (const [outside, outer] of Object.entries(OUTER))
    for (const [how, program] of Object.entries(BETWEEN))
      programs[`${outside} of ${inside}, ${how}`] =
        `import { grad, hessian, jvp, vjp } from "tsgrad"; const c: number = 0.5;
export function f(x: number): number { ${program(inner, outer)} }
export const g = grad(f), j = jvp(f), p = vjp(f), h = hessian(f);
export const d = grad(f, { engine: "delta" });`;

type Forms = Readonly<Record<string, (...args: unknown[]) => unknown>>;

describe("a gradient vanishes where its exponential overflows", () => {
  const variant = variantsOf(programs);
  it.each(Object.keys(programs))("%s", (name) => {
    const { errors, exports } = variant(name);
    expect(errors).toEqual([]);
    const { f, g, j, p, h, d } = exports() as Forms;
    const slopes = (x: number): unknown[] => [
      g?.(x),
      (j?.([x], [1]) as number[])[1],
      (p?.(x) as [number, (seed: number) => [number]])[1](1)[0],
      d?.(x),
    ];
    for (const slope of [...slopes(20_000), h?.(20_000)]) expect(slope).toBeCloseTo(0, 300);
    const at = 0.7;
    const step = 1e-5;
    const difference = (Number(f?.(at + step)) - Number(f?.(at - step))) / (2 * step);
    // central differences err by step² times the third derivative, which is below 100
    for (const slope of slopes(at)) expect(Math.abs(Number(slope) - difference)).toBeLessThan(1e-8);
  });
});
