// Exponentials that overflow before an operator that is flat at infinity. Oracles: the limit 0 where
// they do, and central differences where they do not. Before one that grows without end the value
// is infinite, and the slope is NaN or the limit, but no number that is neither. Blind to powers there.

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

/** Functions of u whose slopes fall to 0 while they grow, and the limit of the slope by x. */
const ENDLESS: Readonly<Record<string, number>> = {
  "Math.log(1 + u)": 1,
  "Math.log2(u)": 1 / Math.LN2,
  "Math.log10(u + 3)": 1 / Math.LN10,
  "Math.log1p(u)": 1,
  "Math.asinh(u)": 1,
  "Math.acosh(u)": 1,
  "Math.sqrt(u + 1)": Infinity,
  "Math.cbrt(u)": Infinity,
  "Math.sqrt(1 + Math.log(u + 1))": 0,
};

const endless: Record<string, string> = {};
for (const outer of Object.keys(ENDLESS))
  for (const [how, program] of Object.entries(BETWEEN))
    endless[`${outer}, ${how}`] =
      `import { grad, hvp, jvp, vjp } from "tsgrad"; const c: number = 0.5;
export function f(x: number): number { ${program("Math.exp(x)", outer)} }
export const g = grad(f), j = jvp(f), p = vjp(f), d = grad(f, { engine: "delta" });
export const e = jvp(f, { engine: "delta" });${how === "directly" ? ' export const h = hvp((x: number) => f(x), { engine: "delta" });' : ""} void c;`;

describe("a gradient is not 0 where the value is infinite", () => {
  const variant = variantsOf(endless);
  it.each(Object.keys(endless))("%s", (name) => {
    const { errors, exports } = variant(name);
    expect(errors).toEqual([]);
    const { f, g, j, p, d, e } = exports() as Forms;
    expect(f?.(20_000)).toBe(Infinity);
    const limit = ENDLESS[name.split(", ")[0] ?? ""];
    for (const slope of [
      g?.(20_000),
      (j?.([20_000], [1]) as number[])[1],
      (p?.(20_000) as [number, (seed: number) => [number]])[1](1)[0],
      d?.(20_000),
      (e?.([20_000], [1]) as number[])[1],
    ])
      expect(Object.is(slope, NaN) || slope === limit, String(slope)).toBe(true);
  });
});
