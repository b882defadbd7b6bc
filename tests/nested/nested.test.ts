// Forms inside of differentiated functions, and derivatives of derivatives. Oracles: closed forms, and differences of the function that is compiled with
// the inner derivative in it, whose gradients have tests of their own.

import { sampled } from "../breadth.ts";
import { describe, expect, it } from "vitest";
import { slopeOf } from "../programs/differences.ts";
import { built, emittedErrors } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};

const IMPORT = `import { grad, valueAndGrad, vjp, jvp, hvp, hessian, jacfwd } from "tsgrad";\n`;

describe("closed forms", () => {
  it.each([
    [
      "the classic trap: no perturbation is confused",
      "grad((x: number) => x * grad((y: number) => x + y)(1))(1)",
      1,
    ],
    ["of two variables", "grad((x: number) => x * grad((y: number) => x * y)(2))(3)", 6],
    [
      "three levels over each other's variables",
      "grad((x: number) => x * grad((y: number) => y * grad((z: number) => x * y * z)(1))(1))(2)",
      8,
    ],
    [
      "the inner one shadows the name",
      "grad((x: number) => grad((x: number) => x * x * x)(x) * x)(2)",
      36,
    ],
    ["second derivative", "grad(grad((x: number) => x * x * x))(2)", 12],
    ["third derivative", "grad(grad(grad((x: number) => x ** 4)))(2)", 48],
    ["fourth derivative", "grad(grad(grad(grad((x: number) => Math.exp(2 * x)))))(0)", 16],
    ["jvp of grad", "jvp(grad((x: number) => x * x * x))([2], [1])[1]", 12],
    ["grad of jvp", "grad((x: number) => jvp((y: number) => y * y * x)([x], [1])[1])(3)", 12],
    [
      "of a tangent that is 0 and varies",
      "grad((v: number) => jvp((y: number) => Math.sqrt(y))([4], [v])[1])(0)",
      0.25,
    ],
    [
      "hessian of a gradient's norm",
      "hessian((x: number) => grad((y: number) => y ** 3)(x) ** 2)(1)",
      108,
    ],
    ["at a kink the policy holds: |x|'' is 0", "grad(grad((x: number) => Math.abs(x)))(0)", 0],
    ["relu'' at 0 is 0", "grad(grad((x: number) => (x > 0 ? x : 0)))(0)", 0],
    ["max(x, 0)'' at the tie is 0", "grad(grad((x: number) => Math.max(x, 0) * 3))(0)", 0],
  ])("%s", (_, expression, expected) => {
    const { exports, text } = built(`${IMPORT}export const found = ${expression};\n`);
    expect(exports["found"]).toBe(expected);
    expect(emittedErrors(text)).toEqual([]);
  });
});

/** Functions of one number that differentiate inside: `f`, and further declarations. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "rounds that compute what their test has computed, with a tape": `function g(x: number, k: number): number { let y = x; while (y * y * k < 50) y = y * y * k + 1; return y; }\nexport function f(x: number): number { return grad(g, { argnums: 1 })(x + 1, 1.1) + grad((k: number) => g(x + 1, k) * k)(x + 1); }`,
  "rounds that compute what their test has computed, without one": `function g(x: number, k: number): number { let y = x * k; let s = 0; while (y * 1.7 < 40) { s += y * 1.7; y = y * 1.7 + 1; } return s * x; }\nexport function f(x: number): number { return grad(g, { argnums: [0, 1] })(x + 1, 1.1)[0] + valueAndGrad((k: number) => g(x + 1, k) * k)(x + 1)[1]; }`,
  "rounds of an inner loop, too": `function g(x: number, k: number): number { let s = 0; for (let j = 1; j < 3; j++) { let y = x * j; while (Math.exp(y) * k < 20) { s += Math.exp(y) * k; y += 0.3; } } return s; }\nexport function f(x: number): number { return grad(g)(x, 1.1) * x + grad((k: number) => grad((v: number) => g(v, k))(x))(1.2); }`,
  "a captured loop variable": `export function f(x: number): number { let s = 0; for (let i = 1; i <= 3; i++) s += grad((y: number) => y * y * i * x)(x + i); return s; }`,
  "a gradient in every round": `export function f(x: number): number { let s = x; for (let i = 0; i < 4; i++) s = grad((y: number) => Math.sin(y * s))(x); return s; }`,
  "a function with a loop and its tape": `function g(x: number): number { let s = x; for (let i = 0; i < 3; i++) s = Math.sin(s) * s + x; return s; }\nexport function f(x: number): number { return grad(g)(x) ** 2 * x; }`,
  recursion: `function g(x: number, n: number): number { return n <= 0 ? x : Math.sin(x) * g(x * 0.5, n - 1); }\nexport function f(x: number): number { return grad(g)(x, 3) * x; }`,
  "an array's gradient": `function g(xs: number[]): number { let s = 0; for (let i = 0; i < xs.length; i++) s = s * xs[i] + Math.exp(xs[i]); return s; }\nexport function f(x: number): number { const d = grad(g)([x, x * x, 2]); let t = 0; for (const y of d) t += y * y; return t; }`,
  "a record's gradient": `interface P { a: number; b: { c: number } }\nconst g = (p: P, k: number): number => Math.sin(p.a * p.b.c) * k;\nexport function f(x: number): number { const d = grad(g)({ a: x, b: { c: x * x } }, x); return d.a * d.b.c; }`,
  "a mutated array": `function g(xs: number[]): number { const w = xs.slice(); for (let i = 1; i < w.length; i++) w[i] = w[i] * w[i - 1]; return w[w.length - 1]; }\nexport function f(x: number): number { const d = grad(g)([x, x + 1, x * x]); return d[0] * d[2]; }`,
  valueAndGrad: `function g(x: number, y: number): number { let s = 1; for (let i = 0; i < 3; i++) s = s * Math.cos(x * s) + y; return s; }\nexport function f(x: number): number { const [v, [a, b]] = valueAndGrad(g, { argnums: [0, 1] })(x, x * x); return v * a + b; }`,
  "a pullback that is kept": `function g(x: number, y: number): [number, number] { let s = x; for (let i = 0; i < 3; i++) s = Math.sin(s * y); return [s, x * y]; }\nexport function f(x: number): number { const [v, pb] = vjp(g)(x, 2 * x); const [a, b] = pb([x, v[1]]); const [c] = pb([1, 0]); return a * b + c; }`,
  "a pushforward": `function g(xs: number[], y: number): number[] { const out: number[] = []; for (const x of xs) out.push(Math.sin(x) * y); return out; }\nexport function f(x: number): number { const [v, t] = jvp(g)([[x, 2], x * x], [[1, x], 3]); return v[0] * t[1] + t[0]; }`,
  "a Hessian-vector product": `function g(xs: number[]): number { let s = 1; for (const x of xs) s = Math.sin(s * x) + x; return s; }\nexport function f(x: number): number { const v = hvp(g)([[x, x * x]], [1, x]); return v[0] * v[1]; }`,
  "second derivatives inside": `function g(x: number): number { let s = x; for (let i = 0; i < 2; i++) s = s * Math.sin(s); return s; }\nexport function f(x: number): number { return grad(grad(g))(x) * x; }`,
  "a branch": `export function f(x: number): number { const d = grad((y: number) => (y > 1 ? y * y * x : Math.sin(y) * x)); return d(x) * d(2 * x); }`,
  "an early exit": `function g(x: number): number { let s = x; for (let i = 0; i < 10; i++) { s = s * 1.5; if (s > 4) return s * s; } return s; }\nexport function f(x: number): number { return grad(g)(x) * x; }`,
  "a closure over an array": `export function f(x: number): number { const w = [x, x * x]; return grad((y: number) => w[0] * y * y + w[1] * y)(x); }`,
  "a function argument": `function integral(h: (t: number) => number, a: number): number { let s = 0; for (let i = 0; i < 4; i++) s += h(a * i) * a; return s; }\nexport function f(x: number): number { return grad((a: number) => integral((t) => Math.sin(t * x), a))(x * 0.5); }`,
  "Newton's step": `const p = (y: number): number => y * y * y - 2 * y;\nexport function f(x: number): number { let y = x; for (let i = 0; i < 3; i++) y = y - p(y) / grad(p)(y); return y; }`,
  "a union": `type S = { kind: "c"; r: number } | { kind: "q"; w: number; h: number };\nconst area = (s: S): number => (s.kind === "c" ? Math.PI * s.r ** 3 : s.w * s.h);\nexport function f(x: number): number { const d = grad(area)({ kind: "c", r: x }); return d.kind === "c" ? d.r * x : 0; }`,
  "a module constant": `const dg = grad((y: number) => Math.sin(y) * y);\nexport function f(x: number): number { return dg(x) * dg(2 * x); }`,
  "a pullback whose argument is written before it is called": `function g(xs: number[]): number { let s = 1; for (const x of xs) s = s * x + Math.sin(s); return s; }\nexport function f(x: number): number { const a = [x, 2 * x]; const [v, pb] = vjp(g)(a); a[0] = 7 * x; const [d] = pb(v); return d[0] * d[1] + a[0]; }`,
  "a pullback in a loop that writes": `function g(xs: number[]): number { return xs[0] * xs[0] * xs[1]; }\nexport function f(x: number): number { const a = [x, x + 1]; for (let i = 0; i < 3; i++) { const [, pb] = vjp(g)(a); a[1] += 0.1; const [d] = pb(1); a[0] = a[0] * 0.5 + d[1] * 0.1; } return a[0] * a[1]; }`,
  "a pushforward of what differentiates": `function g(x: number): number { let s = x; for (let i = 0; i < 3; i++) s = Math.sin(s) * s + x; return s; }\nconst h = (x: number): number => grad(g)(x) * x;\nexport function f(x: number): number { return jvp(h)([x], [x])[1]; }`,
  "a third derivative forwards, of a gradient": `function g(x: number): number { let s = x; for (let i = 0; i < 3; i++) s = Math.sin(s) * s + x; return s; }\nexport const f = (x: number): number => jvp((u: number) => jvp(grad(g))([u], [1])[1])([x], [x])[1];`,
  "a fourth derivative forwards, of a gradient": `function g(x: number): number { let s = x; for (let i = 0; i < 2; i++) s = Math.sin(s) + 0.5 * x; return s; }\nexport const f = (x: number): number => jvp((v: number) => jvp((u: number) => jvp(grad(g))([u], [1])[1])([v], [1])[1])([x], [1])[1];`,
  "a pushforward of a pullback": `function g(x: number): number { let s = x; for (let i = 0; i < 3; i++) s = Math.sin(s) * s + x; return s; }\nexport const f = (x: number): number => jvp((u: number) => { const [v, pb] = vjp(g)(u); const [d] = pb(u * v); return d; })([x], [x])[1];`,
  "a pushforward of a Hessian-vector product": `function g(xs: number[]): number { let s = 1; for (const x of xs) s = Math.sin(s * x) + x; return s; }\nexport const f = (x: number): number => { const [, t] = jvp((u: number) => hvp(g)([[u, x]], [1, u]))([x], [1]); return t[0] * t[1]; };`,
  "a Hessian of a gradient's norm": `function g(xs: number[]): number { let s = 1; for (const x of xs) s = Math.sin(s * x) + x; return s; }\nexport const f = (x: number): number => { const H = hessian((v: number[]) => { const d = grad(g)(v); return d[0] * d[1]; })([x, 2 * x]); return H[0][1] + H[1][1]; };`,
  "written behind the call": `function g(xs: number[]): number { let s = 1; for (const x of xs) s = s * x + Math.sin(s); return s; }\nexport function f(x: number): number { const a = [x, 2 * x]; const d = grad(g)(a); a[0] = 7; return d[0] * d[1] + a[0] * a[1]; }`,
};

describe("against differences", () => {
  it.each(Object.entries(PROGRAMS).filter(([name]) => sampled(name, 3)))("%s", (_, program) => {
    const { exports, text } = built(
      `${IMPORT}${program}\nexport const df = grad(f), d2f = grad(grad(f)), tf = jvp(f);\n`,
    );
    const [f, df, d2f, tf] = ["f", "df", "d2f", "tf"].map((name) => callOf(exports[name]));
    if (f === undefined || df === undefined || d2f === undefined || tf === undefined)
      throw new Error("missing");
    for (const x of [0.7, 1.3]) {
      const first = slopeOf((t) => Number(f(x + t)), 0);
      const second = slopeOf((t) => Number(df(x + t)), 0);
      // extrapolated differences of a smooth function are good to about 1e-9 of its size
      expect(Number(df(x))).toBeCloseTo(first.value, 6);
      expect(Number(d2f(x))).toBeCloseTo(second.value, 5);
      const pushed = tf([x], [1]);
      // the values hold derivatives, whose sums the optimiser may order in one way here and in another there
      expect(
        Math.abs((Array.isArray(pushed) ? Number(pushed[0]) : NaN) - Number(f(x))),
      ).toBeLessThanOrEqual(4 * Number.EPSILON * Math.abs(Number(f(x))));
      expect(Array.isArray(pushed) ? Number(pushed[1]) : NaN).toBeCloseTo(Number(df(x)), 9);
      expect(df(x)).toBe(df(x));
    }
    expect(emittedErrors(text)).toEqual([]);
  });
});
