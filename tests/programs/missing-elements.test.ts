// Elements beyond the end of an array, in numbers that do not count. In: how such a number is
// computed, and how code drops it. Oracle: the derivative of the other summand, `k²`, alone; the
// gradient is as long as the argument. Second order and tangents are those of that summand, too.

import { describe, expect, it } from "vitest";
import { variantsOf } from "./variants.ts";

/** A number `v` of `xs`, which has three elements; `n` is 3. */
const SOURCES: Readonly<Record<string, string>> = {
  "a constant index": "const v = xs[7]! * xs[0]!;",
  "a computed index": "const v = xs[n + 3]! * xs[0]!;",
  "an index of the caller": "const v = 2 * xs[n]! * xs[n]!;",
  "a square": "const v = xs[7]! ** 2;",
  "a sine": "const v = Math.sin(xs[7]!) * xs[1]!;",
  "a product of all": "let v = 1; for (let i = 0; i <= n; i++) v *= xs[i]!;",
  "a sum of squares": "let v = 0; for (let i = 0; i < n + 2; i++) v += xs[i]! * xs[i]!;",
  "a loop of tests": "let v = 1; let i = 0; while (i < n + 1) { v *= xs[i]!; i++; }",
  "a recursion":
    "const ways = (k: number): number => (k <= 1 ? 1 : xs[k]! * ways(k - 1)); const v = ways(5);",
  "a recursion with a memo":
    "const ways = (k: number, memo = new Map<number, number>()): number => { if (k <= 1) return xs[0]!; const hit = memo.get(k); if (hit !== undefined) return hit; const y = xs[k]! * ways(k - 1, memo) * 0.5 + ways(k - 2, memo); memo.set(k, y); return y; }; const v = ways(5);",
  "a helper": "const v = at(xs, 6) * xs[0]!;",
  "a reduced list": "const v = [0, 1, 5].reduce((p, i) => p * xs[i]!, 1);",
  "a mapped list": "const v = [0, 1, 5].map((i) => xs[i]! * xs[0]!)[2]!;",
  "a list of a helper": "const v = rows(xs)[3]! * xs[1]!;",
};

const DROPS: Readonly<Record<string, string>> = {
  "a choice": "return k * k + (c < 0 ? v : 0);",
  "a branch": "let s = k * k; if (c < 0) s += v * 2; return s;",
  "an element": "const e = [v, k * k]; return e[c]!;",
  "elements of a loop":
    "const e = [v, k, k]; let s = 0; for (let i = 1; i < e.length; i++) s += (e[i]! * k) / 2; return s;",
  "an element that is overwritten": "const e = [k, k]; e[0] = v; e[0] = k; return e[0]! * e[1]!;",
  "a field": "const o = { v, k }; const p = c < 0 ? o.v : o.k; return p * k;",
  "a field that is not read": "const o = { v, k: 0 }; o.k = k; return o.k * k;",
  "a Map": 'const m = new Map([["v", v], ["k", k]]); return m.get(c < 0 ? "v" : "k")! * k;',
  "a dictionary": 'const m: Record<string, number> = { v, k }; return m[c < 0 ? "v" : "k"]! * k;',
  "a callee": "return k * later(v, k, c);",
  "a closure": "const g = (y: number): number => (c < 0 ? v * y : y); return g(k) * k;",
  "a test for NaN": "return (Number.isNaN(v) ? 0 : v) + k * k;",
  "an `or`": "return (v || 0) + k * k;",
  "a filter": "const e = [k, v].filter((y) => !Number.isNaN(y)); return e[0]! * k;",
};

const HELPERS = `
function later(v: number, k: number, n: number): number { return n > 5 ? v : n > 3 ? k : later(v * 0.5, k, n + 1); }
const at = (xs: number[], i: number): number => xs[i]!;
const rows = (xs: number[]): number[] => [xs[0]!, xs[1]!, xs[2]!, xs[5]!];
`;

const programs: Record<string, string> = {};
for (const [source, number] of Object.entries(SOURCES))
  for (const [drop, code] of Object.entries(DROPS))
    programs[`${source}, ${drop}`] = `import { grad, hvp, jvp, vjp } from "tsgrad";${HELPERS}
function f(xs: number[], n: number, c: number): number { const k = xs[1]!; ${number} ${code} }
export const g = grad(f), j = jvp(f), p = vjp(f), h = hvp(f);
export const d = grad(f, { engine: "delta" }), jd = jvp(f, { engine: "delta" }), hd = hvp(f, { engine: "delta" });`;

type Pair = readonly [number, (seed: number) => readonly unknown[]];
type Forms = Readonly<
  Record<"g" | "j" | "p" | "h" | "d" | "jd" | "hd", (...args: unknown[]) => unknown>
>;

/** A sign of 0 is that of a slope. */
const unsigned = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(unsigned) : Number(value) + 0;

describe("a missing element does not show where it does not count", () => {
  const variant = variantsOf(programs);
  it.each(Object.keys(programs))("%s", (name) => {
    const { errors, exports } = variant(name);
    expect(errors).toEqual([]);
    const { g, j, p, h, d, jd, hd } = exports() as Forms;
    const xs = [2, 3, 4];
    expect(g([...xs], 3, 1)).toEqual([0, 6, 0]);
    expect(d([...xs], 3, 1)).toEqual([0, 6, 0]);
    const [value, pull] = p([...xs], 3, 1) as Pair;
    expect(value).toBe(9);
    expect(pull(0)[0]).toEqual([0, 0, 0]);
    for (const forwards of [j, jd])
      expect(forwards([[...xs], 3, 1], [[1, 1, 1], 0, 0])).toEqual([9, 6]);
    for (const second of [h, hd])
      expect(unsigned(second([[...xs], 3, 1], [1, 1, 1]))).toEqual([0, 2, 0]);
  });
});
