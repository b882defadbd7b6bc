// `transpose` of linear functions. Oracle: `<f(x), z>` = `<x, transpose(f)(example)(z)>`, in
// numbers that are small integers, so exactly.

import { describe, expect, it } from "vitest";
import { built } from "./compiled.ts";

const HEAD = `import { grad, jvp, transpose } from "tsgrad";
interface State { a: number; v: number[]; at: { k: number; name: string } }
const A = [[1, 2, 3], [4, 5, 6]];
const numbers = (value: unknown): number[] => typeof value === "number" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(numbers) : [];
const dot = (x: unknown, z: unknown): number => { const right = numbers(z); return numbers(x).reduce((s, e, i) => s + e * right[i]!, 0); };
const far = (x: number, n: number): number => n <= 0 ? 3 * x : far(2 * x, n - 1) - x;
`;

/** A linear function of its argument 0, an argument, an example, and a cotangent of its result. */
const LINEAR: Readonly<Record<string, readonly [string, string, string, string]>> = {
  "a number": ["(x: number): number => 3 * x - x / 2", "4", "0", "6"],
  "a matrix": [
    "(x: number[]): number[] => A.map((row) => row.reduce((s, a, i) => s + a * x[i]!, 0))",
    "[7, -2, 5]",
    "[0, 0, 0]",
    "[3, -4]",
  ],
  "a convolution": [
    "(xs: number[]): number[] => { const k = [1, -2, 3], ys: number[] = []; for (let i = 0; i + 3 <= xs.length; i++) { let s = 0; for (let j = 0; j < 3; j++) s += k[j]! * xs[i + j]!; ys.push(s); } return ys; }",
    "[1, 5, -2, 4, 3]",
    "[9, 9, 9, 9, 9]",
    "[2, 7, -1]",
  ],
  "a record": [
    "(p: State): { s: number; w: number[] } => ({ s: p.a * 2 + p.v[0]! - p.at.k, w: p.v.map((e) => e * 3 + p.a) })",
    '{ a: 2, v: [5, -3], at: { k: 7, name: "x" } }',
    '{ a: 0, v: [0, 0], at: { k: 0, name: "y" } }',
    "{ s: 2, w: [3, 4] }",
  ],
  "a typed array": [
    "(xs: Float64Array): Float64Array => xs.map((x, i) => x * i - xs[0]!)",
    "Float64Array.of(3, 1, 2)",
    "new Float64Array(3)",
    "Float64Array.of(2, 5, 7)",
  ],
  "writes, and choices by constants": [
    "(xs: number[]): number[] => { const ys = xs.slice().reverse(); for (let i = 1; i < ys.length; i++) { if (i % 2 === 0) ys[i] = ys[i]! + ys[i - 1]! * 2; else ys[i] = -ys[i]!; } return ys; }",
    "[3, 1, 4, 1]",
    "[0, 0, 0, 0]",
    "[2, 7, 1, 8]",
  ],
  "a function that recurs": ["(x: number): number => far(x, 3)", "5", "0", "2"],
  "a derivative": [
    "(v: number[]): number => jvp((x: number[]): number => x[0]! * x[0]! * x[1]!)([[2, 3]], [v])[1]",
    "[3, 5]",
    "[0, 0]",
    "2",
  ],
};

describe.each([
  ["static", ""],
  ["delta", ', engine: "delta"'],
])("%s", (_name, engine) => {
  it.each(Object.entries(LINEAR))("%s", (_, [f, x, example, z]) => {
    const { exports } = built(`${HEAD}
const f = ${f};
const back = transpose(f, { argnums: 0${engine} })(${example})(${z});
export const sides = [dot(f(${x}), ${z}), dot(${x}, back)];
`);
    const [left, right] = exports["sides"] as number[];
    expect(left).not.toBe(0);
    expect(right).toBe(left);
  });

  it("of several arguments, some of them constants, and of affine functions", () => {
    const { exports } = built(`${HEAD}
const both = (x: number, k: number, y: number): number => k * x - y + 7;
export const got = [transpose(both, { argnums: [2, 0]${engine} })(0, 5, 0)(2), transpose((x: number, y: number, tag: string): number => 2 * x - y + tag.length, { argnums: [0, 1]${engine} })(0, 0, "a")(3)];
export const all = transpose((x: number, tag: string, y: number): number => 2 * x - y + tag.length${engine === "" ? "" : ", { engine: 'delta' }"})(0, "a", 0)(3);
`);
    expect(exports["got"]).toEqual([
      [-2, 10],
      [6, -3],
    ]);
    expect(exports["all"]).toEqual([6, undefined, -3]);
  });

  it("inside of derivatives: what the linear function captures has one", () => {
    const { exports } = built(`${HEAD}
const g = (k: number): number => { const back = transpose((xs: number[]): number[] => xs.map((x, i) => k * x + xs[0]! * i), { argnums: 0 })([0, 0]); const a = back([k, 1]), b = back([1, 2]); return a[0]! * b[1]!; };
export const got = [g(3), grad(g${engine === "" ? "" : ", { engine: 'delta' }"})(3)];
`);
    // (k * k + 1) * 2 k
    expect(exports["got"]).toEqual([60, 6 * 9 + 2]);
  });
});

describe("what is not linear", () => {
  const REFUSED: readonly string[] = [
    "(x: number): number => x * x",
    "(x: number): number => Math.sin(x)",
    "(x: number): number => Math.max(x, 0)",
    "(x: number): number => 1 / x",
    "(x: number): number => Math.exp(x)",
    "(x: number): number => { let y = 0; for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) y += x * y + Math.sin(x) * i; return y; }",
    "(x: number): number => x > 1 ? x : 2 * x",
    "(x: number): number => { let y = x; while (y > 1) y /= 2; return y; }",
    "(x: number): number => { let y = 0; for (let i = 0; i < x; i++) y += 2 * x; return y; }",
    "(x: number): number => [3 * x, x][x > 0 ? 1 : 0]!",
    // booleans in memory
    "(x: number): number => { const flags: boolean[] = []; flags.push(x > 0); return flags[0] ? x : 2 * x; }",
    "(x: number): number => { const o = { up: false }; for (let i = 0; i < 2; i++) if (x > i) o.up = true; return o.up ? x : 2 * x; }",
    '(x: number): number => { const m = new Map<string, boolean>(); m.set("a", x > 0); return m.get("a") ? x : 2 * x; }',
    "(x: number): number => { const o = { up: false }; let y = 0; for (let i = 0; i < 2; i++) { y += o.up ? x : 2 * x; o.up = x > 0; } return y; }",
  ];
  it.each(REFUSED)("is refused by the build: %s", (f) => {
    expect(() => built(`${HEAD}export const t = transpose(${f});\n`)).toThrow("TSG3017");
    const inside = `${HEAD}export const g = grad((k: number): number => transpose(${f})(0)(k)[0]);\n`;
    expect(() => built(inside)).toThrow("TSG3017");
  });
  it.each(REFUSED)("is refused when it runs: %s", (f) => {
    const { exports } = built(
      `${HEAD}export const t = (): unknown => transpose(${f}, { engine: "delta" })(3)(1);\n`,
    );
    expect(exports["t"]).toThrow("TSG0026");
  });
});
