// Dense derivatives, linear maps and auxiliary results inside of differentiated functions. Oracles: closed forms; what the same form gives where it is called
// by nobody (the run-time library); and differences of the function with the inner derivative in it.

import { sampled } from "../breadth.ts";
import { describe, expect, it } from "vitest";
import { slopeOf } from "../programs/differences.ts";
import { built, emittedErrors } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};

const IMPORT = `import { customVjp, grad, valueAndGrad, vjp, jvp, hvp, hessian, jacfwd, jacrev, linearize } from "tsgrad";\n`;

describe("closed forms", () => {
  it.each([
    ["jacfwd by a number", "grad((x: number) => jacfwd((y: number) => y ** 3)(x))(2)", 12],
    ["jacrev by a number", "grad((x: number) => jacrev((y: number) => y ** 3)(x))(2)", 12],
    ["hessian by a number", "grad((x: number) => hessian((y: number) => y ** 4)(x))(2)", 48],
    [
      "of a captured variable",
      "grad((x: number) => jacfwd((y: number) => [y * x, y * x * x])(5)[1])(3)",
      6,
    ],
    [
      "the determinant of a Jacobian",
      "grad((r: number) => { const J = jacfwd((p: [number, number]): [number, number] => [p[0] * Math.cos(p[1]), p[0] * Math.sin(p[1])])([r, 0]); return J[0][0] * J[1][1] - J[0][1] * J[1][0]; })(3)",
      1,
    ],
    [
      "a trace of a Hessian",
      "grad((x: number) => { const H = hessian((v: number[]) => v[0] ** 3 * v[1])([x, 2]); return H[0][0] + H[1][1]; })(5)",
      12,
    ],
    [
      "by two arguments",
      "grad((x: number) => { const [a, b] = jacfwd((u: number, v: number) => u * u * v, { argnums: [0, 1] })(x, 3); return a + b; })(2)",
      10,
    ],
    [
      "hessian by two arguments",
      "grad((x: number) => { const [[a, b], [c, d]] = hessian((u: number, v: number) => u ** 3 * v ** 2, { argnums: [0, 1] })(x, 3); return a + b + c + d; })(1)",
      132,
    ],
    [
      "hasAux of grad",
      "grad((x: number) => { const [d, aux] = grad((y: number): [number, number] => [y ** 3, y * x], { hasAux: true })(x); return d + aux; })(2)",
      16,
    ],
    [
      "hasAux of valueAndGrad",
      "grad((x: number) => { const [[v, aux], d] = valueAndGrad((y: number): [number, number] => [y ** 3, y * x], { hasAux: true })(x); return v + aux + d; })(1)",
      11,
    ],
    [
      "hasAux of jvp",
      "grad((x: number) => { const [v, d, aux] = jvp((y: number): [number, number] => [y ** 3, y * x], { hasAux: true })([x], [1]); return v + d + aux; })(1)",
      11,
    ],
    [
      "hasAux of vjp",
      "grad((x: number) => { const [v, pb, aux] = vjp((y: number): [number, number] => [y ** 3, y * x], { hasAux: true })(x); const [d] = pb(1); return v + d + aux; })(1)",
      11,
    ],
    [
      "hasAux of hvp",
      "grad((x: number) => { const [p, aux] = hvp((y: number): [number, number] => [y ** 4, y * x], { hasAux: true })([x], 1); return p + aux; })(1)",
      26,
    ],
    [
      "hasAux of hessian",
      "grad((x: number) => { const [h, aux] = hessian((y: number): [number, number] => [y ** 4, y * x], { hasAux: true })(x); return h + aux; })(1)",
      26,
    ],
    [
      "hasAux of jacrev",
      "grad((x: number) => { const [j, aux] = jacrev((y: number): [number[], string] => [[y, y ** 3], 's'], { hasAux: true })(x); return j[1] + aux.length; })(1)",
      6,
    ],
    [
      "a pullback that is called where it is made",
      "grad((x: number) => vjp((y: number) => y ** 3)(x)[1](1)[0])(2)",
      12,
    ],
    ["the value beside it", "grad((x: number) => vjp((y: number) => y ** 3)(x)[0])(2)", 12],
    [
      "hessian of a gradient",
      "grad((x: number) => { return hessian((y: number) => grad((z: number) => z ** 3 * x)(y))(x); })(2)",
      6,
    ],
    [
      "a gradient for each element",
      "grad((x: number) => [x, 2 * x].map(grad((y: number) => y ** 3)).reduce((a, b) => a + b, 0))(1)",
      30,
    ],
    [
      "a rule for each element",
      "grad((x: number) => [x, 2 * x].map(customVjp((y: number) => y ** 3, (y) => [y ** 3, (bar) => [3 * y * y * bar]])).reduce((a, b) => a + b, 0))(1)",
      27,
    ],
  ])("%s", (_, expression, expected) => {
    const { exports, text } = built(`${IMPORT}export const found = ${expression};\n`);
    expect(exports["found"]).toBe(expected);
    expect(emittedErrors(text)).toEqual([]);
  });
});

/** Functions of one number that differentiate inside: \`f\`, and further declarations. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "jacfwd of an array": `function g(xs: number[], k: number): number[] { return xs.map((x, i) => Math.sin(x * k) * xs[0] + i); }\nexport function f(x: number): number { const J = jacfwd(g)([x, x * x, 2], x); let s = 0; for (const row of J) for (const v of row) s += v * v; return s; }`,
  "jacrev of an array": `function g(xs: number[], k: number): number[] { return xs.map((x, i) => Math.sin(x * k) * xs[0] + i); }\nexport function f(x: number): number { const J = jacrev(g)([x, x * x, 2], x); let s = 0; for (const row of J) for (const v of row) s += v * v; return s; }`,
  "hessian of an array": `function g(xs: number[]): number { let s = 1; for (const x of xs) s = Math.sin(s * x) + x * x; return s; }\nexport function f(x: number): number { const H = hessian(g)([x, x * x, 0.5]); let s = 0; for (const row of H) for (const v of row) s += v * v; return s; }`,
  "jacfwd of a record": `interface P { a: number; b: { c: number[]; name: string } }\nconst g = (p: P): { u: number; v: number[]; kind: string } => ({ u: Math.sin(p.a * p.b.c[0]), v: [p.b.c[1] ** 2 * p.a, p.a ** 3], kind: p.b.name });\nexport function f(x: number): number { const J = jacfwd(g)({ a: x, b: { c: [x * x, 2 * x], name: "n" } }); return J.u.a * J.v[0].b.c[1] + J.v[1].a * J.u.b.c[0]; }`,
  "jacrev of a record": `interface P { a: number; b: { c: number[]; name: string } }\nconst g = (p: P): { u: number; v: number[]; kind: string } => ({ u: Math.sin(p.a * p.b.c[0]), v: [p.b.c[1] ** 2 * p.a, p.a ** 3], kind: p.b.name });\nexport function f(x: number): number { const J = jacrev(g)({ a: x, b: { c: [x * x, 2 * x], name: "n" } }); return J.u.a * J.v[0].b.c[1] + J.v[1].a * J.u.b.c[0]; }`,
  "hessian of a record": `interface P { a: number; b: number[] }\nconst g = (p: P): number => Math.sin(p.a * p.b[0]) * p.b[1];\nexport function f(x: number): number { const H = hessian(g)({ a: x, b: [x * x, 2 * x] }); return H.a.b[0] * H.b[1].a + H.b[0].b[1] + H.a.a; }`,
  "typed arrays": `function g(xs: Float64Array): Float64Array { const out = new Float64Array(xs.length); for (let i = 0; i < xs.length; i++) out[i] = xs[i] * xs[0] ** 2; return out; }\nexport function f(x: number): number { const J = jacfwd(g)(new Float64Array([x, 2, x * x])), K = jacrev(g)(new Float64Array([x, 2, x * x])); let s = 0; for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) s += J[i][j] * K[j][i]; return s; }`,
  "in a loop": `function g(xs: number[]): number[] { return [Math.sin(xs[0] * xs[1]), xs[0] - xs[1] ** 2]; }\nexport function f(x: number): number { let p = [x, 1]; for (let i = 0; i < 3; i++) { const J = jacfwd(g)(p); p = [J[0][0] * 0.5 + p[1], J[0][1] + 0.1 * J[1][1]]; } return p[0] * p[1]; }`,
  "Newton's method": `const energy = (v: number[], k: number): number => Math.cosh(v[0] - k) + Math.cosh(v[1] + 0.5 * v[0]) + k * v[1];\nexport function f(k: number): number { let v = [0, 0]; for (let i = 0; i < 5; i++) { const d = grad(energy)(v, k), H = hessian(energy)(v, k); const det = H[0][0] * H[1][1] - H[0][1] * H[1][0]; v = [v[0] - (H[1][1] * d[0] - H[0][1] * d[1]) / det, v[1] - (H[0][0] * d[1] - H[1][0] * d[0]) / det]; } return v[0] * v[1]; }`,
  "a function with a tape": `function g(xs: number[]): number[] { let [a, b] = xs; for (let i = 0; i < 4; i++) { const c = Math.sin(a * b); b = a + 0.5 * c; a = c * b; } return [a, b]; }\nexport function f(x: number): number { const J = jacrev(g)([x, x + 0.5]), K = jacfwd(g)([x, x * x]); return J[0][1] * K[1][0] + J[1][1]; }`,
  argnums: `const g = (a: number[], k: number, b: { z: number }): number[] => a.map((x) => Math.sin(x * k) * b.z);\nexport function f(x: number): number { const [A, B] = jacrev(g, { argnums: [0, 2] })([x, 1], x * x, { z: x }); const K = jacfwd(g, { argnums: 1 })([x, 2], x, { z: 2 }); return A[0][0] * B[1].z + K[0]; }`,
  "hessian by a list": `const g = (a: number[], k: number): number => Math.sin(a[0] * k) * a[1];\nexport function f(x: number): number { const [[aa, ak], [ka, kk]] = hessian(g, { argnums: [0, 1] })([x, 2 * x], x * x); return aa[0][1] * ak[0] + ka[1] * kk + aa[0][0]; }`,
  "a matrix by an array": `const g = (xs: number[]): number[][] => [[xs[0] * xs[1], Math.sin(xs[0])], [xs[1] ** 3, xs[0] / xs[1]]];\nexport function f(x: number): number { const J = jacfwd(g)([x, 2]), K = jacrev(g)([x, 2]); return J[0][0][1] * K[1][1][0] + J[0][1][0] + K[1][0][1]; }`,
  "aux that varies": `const g = (xs: number[], k: number): [number, { m: number }] => { let s = 0; for (const x of xs) s += Math.sin(x * k) * s + x; return [s, { m: s * k }]; };\nexport function f(x: number): number { const [d, { m }] = grad(g, { hasAux: true })([x, 1], x); return d[0] * m + d[1]; }`,
  "a linear map": `const g = (xs: number[], k: number): number[] => xs.map((x) => Math.sin(x * k) + xs[0]);\nexport function f(x: number): number { const [v, m] = linearize(g)([x, 2], x * x); const t = m.apply([[1, x], 2]); const [c, e] = m.transpose().apply([x, 1]); const [d] = m.applyReverse([1, v[0]]); return v[1] * t[0] + c[0] * e + d[1]; }`,
  "the algebra of linear maps": `const g = (xs: number[]): number[] => [Math.sin(xs[0] * xs[1]), xs[0] ** 2];\nconst h = (xs: number[]): number => xs[0] * Math.exp(xs[1] * 0.3);\nexport function f(x: number): number { const [u, m] = linearize(g, { argnums: 0 })([x, 1.5]); const [, n] = linearize(h, { argnums: 0 })(u); const all = n.compose(m); const twice = all.add(all.scale(x)); const d = twice.transpose().apply(1); return d[0] * twice.apply([1, x]) + d[1]; }`,
  "a Jacobian of a Hessian": `function g(xs: number[]): number { let s = 1; for (const x of xs) s = Math.sin(s * x) + x * x; return s; }\nexport function f(x: number): number { const T = jacfwd((v: number[]) => hessian(g)(v))([x, 2 * x]); let s = 0; for (const m of T) for (const row of m) for (const v of row) s += v * v; return Math.log(1 + s); }`,
  "a Jacobian in reverse of a Jacobian": `const g = (xs: number[]): number[] => [Math.sin(xs[0] * xs[1]), xs[0] ** 3 * xs[1]];\nexport function f(x: number): number { const T = jacrev((v: number[]) => { const J = jacfwd(g)(v); return [J[0][0] * J[1][1], J[0][1]]; })([x, 1.5]); return T[0][0] * T[1][1] + T[0][1]; }`,
  "a linear map of what has a Jacobian": `const g = (xs: number[]): number[] => [Math.sin(xs[0] * xs[1]), xs[0] ** 3 * xs[1]];\nexport function f(x: number): number { const [v, m] = linearize((p: number[]): number => { const J = jacrev(g)(p); return J[0][0] * J[1][1] - J[0][1] * J[1][0]; }, { argnums: 0 })([x, 1.5]); return v * m.apply([1, x]) + m.transpose().apply(x)[0]; }`,
  "in a recursion": `const g = (xs: number[]): number[] => [Math.sin(xs[0] * xs[1]), xs[0] - xs[1]];\nfunction down(p: number[], n: number): number { if (n === 0) return p[0] * p[1]; const J = jacfwd(g)(p); return down([J[0][0], J[0][1] + 0.1 * p[0]], n - 1); }\nexport function f(x: number): number { return down([x, 0.5], 3); }`,
  "a map that a branch leaves alone": `const g = (xs: number[]): number[] => [Math.sin(xs[0] * xs[1]), xs[0] - xs[1]];\nexport function f(x: number): number { const [v, m] = linearize(g, { argnums: 0 })([x, 2]); let s = v[0]; for (let i = 0; i < 3; i++) { if (i !== 1) s += m.apply([s, i])[0]; else s *= m.applyReverse([1, s])[1]; } return s; }`,
  "hasAux and a list": `const g = (a: number[], k: number): [number, number[]] => [Math.sin(a[0] * k) * a[1], [a[0], k]];\nexport function f(x: number): number { const [[da, dk], aux] = grad(g, { hasAux: true, argnums: [0, 1] })([x, 2], x * x); const [H] = hessian(g, { hasAux: true })([x, 2], x); return da[0] * dk * aux[1] + H[0][1]; }`,
  "a linear map's matrix": `const g = (p: { a: number; b: number[] }): number[] => [Math.sin(p.a * p.b[0]), p.a ** 2 * p.b[1], p.b[0]];\nexport function f(x: number): number { const [, m] = linearize(g, { argnums: 0 })({ a: x, b: [x * x, 2] }); const M = m.toMatrix(), T = m.transpose().toMatrix(); return M[0][0] * M[1][2] + T[1][0] * T[1][2]; }`,
};

describe("a result that holds one object twice", () => {
  const { exports } = built(`${IMPORT}
const twice = (x: number[]): number[][] => { const p = [x[0] * x[0], x[1]]; return [p, p]; };
const narrow = (x: number[]): number[][] => { const p = [x[0] * x[1] * x[2]]; return [p, p]; };
export const reverse = jacrev(twice), forwards = jacfwd(twice);
export const wide = (x: number[]): number[][][] => { const [, map] = linearize(twice)(x); return [map.toMatrix(), map.transpose().toMatrix()]; };
export const combined = (x: number[]): number[][][] => {
  const [, map] = linearize(twice)(x), back = map.transpose();
  return [map.compose(back).toMatrix(), back.scale(2).toMatrix(), back.add(back).toMatrix()];
};
export const low = (x: number[]): number[][][] => { const [, map] = linearize(narrow)(x); return [map.toMatrix(), map.transpose().toMatrix()]; };
`);
  it.each(["reverse", "forwards"])("%s: a derivative for each place", (name) => {
    expect(callOf(exports[name])([3, 4])).toEqual([
      [
        [6, 0],
        [0, 1],
      ],
      [
        [6, 0],
        [0, 1],
      ],
    ]);
  });
  it("combined linear maps: seeds are those of the space they are for", () => {
    expect(callOf(exports["combined"])([3, 4])).toEqual([
      [
        [36, 0],
        [0, 1],
      ],
      [
        [12, 0],
        [0, 2],
      ],
      [
        [12, 0],
        [0, 2],
      ],
    ]);
  });
  it("linearize: one row for both places, by columns and by rows", () => {
    expect(callOf(exports["wide"])([3, 4])).toEqual([
      [
        [6, 0],
        [0, 1],
      ],
      [
        [6, 0],
        [0, 1],
      ],
    ]);
    expect(callOf(exports["low"])([3, 4, 5])).toEqual([[[20, 15, 12]], [[20], [15], [12]]]);
  });
});

describe("against differences", () => {
  it.each(Object.entries(PROGRAMS).filter(([name]) => sampled(name, 3)))("%s", (_, program) => {
    const { exports, text } = built(
      `${IMPORT}${program}\nexport const df = grad(f), d2f = grad(grad(f)), tf = jvp(f);\n`,
    );
    expect(emittedErrors(text)).toEqual([]);
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
      // the library and the written-out code add in other orders
      expect(Array.isArray(pushed) ? Number(pushed[0]) : NaN).toBeCloseTo(Number(f(x)), 12);
      expect(Array.isArray(pushed) ? Number(pushed[1]) : NaN).toBeCloseTo(Number(df(x)), 9);
      expect(df(x)).toBe(df(x));
    }
  });
});
