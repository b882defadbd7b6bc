// Stretches of arithmetic: statements that compute numbers from numbers. In: small programs. Out: closed forms, which a lost, doubled or stale partial would not give; what is
// computed for a choice that does not take it.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import * as delta from "../../runtime/delta/index.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";
import { problemsOf } from "../5-emit/type-check.ts";

const HEAD = `import { grad } from "tsgrad";
export interface P { x: number; y: number }
`;

function built(
  source: string,
  others: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  const all = { "input.ts": HEAD + source, ...others };
  const { edits, diagnostics } = analyse(programOf(all));
  expect(diagnostics).toEqual([]);
  return new Map(
    Object.entries(all).map(([name, text]) => [
      `/src/${name}`,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
}

const valueOf = (texts: ReadonlyMap<string, string>): unknown =>
  loader(texts, delta)("/src/input.ts")["value"];

const OPTIONS = `{ engine: "delta" }`;
const BY_SECOND = `{ engine: "delta", argnums: 1 }`;

const PROGRAMS: readonly (readonly [what: string, source: string, value: unknown])[] = [
  [
    "records that nobody else sees",
    `const sum = (a: P, b: P): P => ({ x: a.x + b.x, y: a.y + b.y });
function f(p: P): number { const s = sum(p, p); return s.x * s.y; }
export const value = grad(f, ${OPTIONS})({ x: 2, y: 3 });`,
    { x: 12, y: 8 },
  ],
  [
    "a record that a loop carries",
    `const turned = ({ x, y }: P, by: number): P => ({ x: y * by, y: x * by });
function f(p: P, n: number): number { let state = p; for (let k = 0; k < n; k++) state = turned(state, 2); return state.x * state.x * state.y; }
export const value = grad(f, ${OPTIONS})({ x: 2, y: 3 }, 3);`,
    { x: 512 * 9, y: 512 * 12 },
  ],
  [
    "a record under two names, written behind the run",
    `const mirrored = (a: P): P => ({ x: a.y * a.y, y: a.x * a.x });
function f(p: P): number { const a = mirrored(p); const b = a; a.x = p.x * 5; return b.x * b.y; }
export const value = grad(f, ${OPTIONS})({ x: 2, y: 3 });`,
    { x: 60, y: 0 },
  ],
  [
    "a spread argument that has more fields than its type names",
    `const full = (o: P): P & { w: number } => ({ w: 2, ...o });
function f(s: number, o: P): number { const { w, x } = full(o); return s * w * x; }
const wide = { x: 3, y: 4, w: 5 };
export const value = [grad(f, ${OPTIONS})(7, wide), grad(f, ${OPTIONS})(7, { x: 3, y: 4 })];`,
    [15, 6],
  ],
  [
    "a spread argument whose fields come first",
    `const full = (o: P): P & { w: number } => ({ ...o, x: o.y * 10, w: 2 });
function f(s: number, o: P): number { const { w, x, y } = full(o); return s * w * x * y * s; }
export const value = grad(f, ${OPTIONS})(7, { x: 3, y: 4 });`,
    2 * 7 * 2 * 40 * 4,
  ],
  [
    "a getter is asked each time",
    `let asked = 0;
const counting: P = { get x() { return ++asked; }, y: 2 };
const both = (p: P): number => p.x + p.x * p.y;
function f(p: P, s: number): number { return s * both(p) * s; }
export const value = grad(f, ${BY_SECOND})(counting, 3);`,
    6 * (1 + 2 * 2),
  ],
  [
    "a field that becomes a getter",
    `function f(p: P): number { const a = p.x * p.y; Object.defineProperty(p, "x", { get: () => 10 }); const b = p.x * p.y * p.y; return a + b; }
export const value = grad(f, ${OPTIONS})({ x: 2, y: 3 });`,
    { x: 3, y: 2 + 60 },
  ],
  [
    "data that is missing is the user's error",
    `const weight = (p: P, s: number): number => p.x * s * s;
function all(s: number, ps: P[]): number { let t = 0; for (let i = 0; i < ps.length; i++) t += weight(ps[i]!, s); return t; }
function f(s: number, ps: P[]): number { try { return all(s, ps); } catch (e) { return e instanceof TypeError ? s * s * s : 0; } }
export const value = [grad(f, ${OPTIONS})(2, [{ x: 1, y: 0 }, undefined as unknown as P]), grad(f, ${OPTIONS})(2, [{ x: 1, y: 0 }, { x: 5, y: 0 }])];`,
    [12, 24],
  ],
  [
    "an error in between leaves what was assigned before it",
    `function f(s: number, ps: P[]): number {
  let a = s;
  try { a = a * a; const p = ps[0]!; a = a * p.x * s; } catch { a = a * 3; }
  return a;
}
export const value = grad(f, ${OPTIONS})(2, [undefined as unknown as P]);`,
    12,
  ],
  [
    "an error in a function inside leaves what it assigned to a local around it",
    `function f(s: number, q: number[]): number {
  let seen = s;
  const inner = (): void => { for (let i = 0; i < 2; i++) { seen = s * s * 2 + s; const a = q[i]! * seen * s; seen = a * a; } };
  try { inner(); } catch { seen *= 3; }
  return seen;
}
export const value = grad(f, ${OPTIONS})(2, undefined as unknown as number[]);`,
    3 * (4 * 2 + 1),
  ],
  [
    "names of the function and of what it calls",
    `const k = 5;
function g(x: number, y: number): number { const t = x * y; x = t * k; y += x; return x * y; }
function f(y: number, k: number): number { const t = g(y, k) * y; const x = t + k; return x * t; }
export const value = grad(f, ${OPTIONS})(1, 1);`,
    (() => {
      // t = 5 y (1 + 5 y) y at k = 1, x t = (t + 1) t
      const t = 30;
      const dt = 10 + 75;
      return dt * t + (t + 1) * dt;
    })(),
  ],
  [
    "numbers that change places",
    `function f(a: number, b: number): number { for (let k = 0; k < 2; k++) { const t = a * 3; a = b * 2; b = t; } return a * b; }
export const value = [grad(f, ${OPTIONS})(2, 5), grad(f, ${BY_SECOND})(2, 5)];`,
    [180, 72],
  ],
  [
    "records that change places",
    `const g = (a: P): number => a.x * a.x * a.y;
function f(p: P, q: P): number { let a = p, b = q, c = 0; for (let k = 0; k < 3; k++) { const t = a; c += g(a) * b.y; a = b; b = t; } return c; }
export const value = grad(f, { engine: "delta", argnums: [0, 1] })({ x: 2, y: 3 }, { x: 5, y: 7 });`,
    (() => {
      // 2 px² py qy + qx² qy py
      return [
        { x: 4 * 2 * 3 * 7, y: 2 * 4 * 7 + 25 * 7 },
        { x: 2 * 5 * 7 * 3, y: 2 * 4 * 3 + 25 * 3 },
      ];
    })(),
  ],
  [
    "a text that + makes a number of",
    `function f(s: number, p: P): number { const a = +p.x + 1; const b = a * s * s; return b * a + +p.y; }
export const value = grad(f, ${OPTIONS})(2, JSON.parse('{"x":"3","y":"4"}') as P);`,
    4 * 4 * 2 * 2,
  ],
  [
    "what is infinite where a choice is made the other way",
    `function f(x: number, h: number): number { const a = x * h, b = a * 2; return Math.min(b * 3, x) + Math.max(-b * 5, x * x); }
export const value = [grad(f, ${OPTIONS})(3, Infinity), grad(f, ${OPTIONS})(3, 1)];`,
    [1 + 2 * 3, 1 + 2 * 3],
  ],
  [
    "what is computed for a choice that it loses",
    `function distance(a: number[], b: number[]): number { let s = 0; for (let i = 0; i < a.length; i++) s += (a[i]! - b[i]!) ** 2; return s; }
function f(cs: number[][], p: number[]): number { let least = Infinity, most = 0, t = 0; for (const c of cs) { least = Math.min(least, distance(p, c)); most = Math.max(most, distance(c, p)); t += least * most; } return t; }
export const value = grad(f, ${OPTIONS})([[3, 0], [1, 1], [2, 2]], [0, 0]);`,
    (() => {
      // distances 9, 2, 8: t = 9 9 + 2 9 + 2 9
      const by0 = 2 * 9 + 2 * 2;
      const by1 = 2 * 9;
      return [
        [by0 * 6, 0],
        [by1 * 2, by1 * 2],
        [0, 0],
      ];
    })(),
  ],
  [
    "what is computed for a choice by functions that are asked first, by names that others have, too",
    `const cost = (x: number, c: number): number => (c < 0 ? NaN : c > 8 ? Infinity : (x - c) * (x - c));
function farther(x: number, c: number): number { return -cost(x, c); }
const other = cost;
function f(x: number, cs: number[]): number { let m = Infinity, n = -Infinity; for (const c of cs) { m = Math.min(m, cost(x, c)); n = Math.max(n, farther(x, c)); m = Math.min(m, other(x, c)); } return m * 2 + n * n; }
function g(x: number, cs: number[]): number { const cost = (a: number, b: number): number => a * b; let m = Infinity; for (const c of cs) m = Math.min(m, cost(x, c)); return m; }
let met = 0;
const gradient = grad(f, ${OPTIONS});
export const value = [gradient(1, [3, 2, 5]), gradient(1, [2, 2, 9]), (grad((x: number): number => (met = f(x, [3, -1, 2])), ${OPTIONS})(1), Object.is(met, NaN)), gradient(7, []), grad(g, ${OPTIONS})(2, [5, 3, 4])];`,
    [
      // at c = 2: m = (x - c)², n = -m
      2 * -2 + 2 * 1 * -2,
      2 * -2 + 2 * 1 * -2,
      true,
      0,
      3,
    ],
  ],
  [
    "what is computed for a choice and kept elsewhere",
    `let kept = 0;
function cubed(x: number): number { kept = x * x * x; return kept * 2; }
function first(xs: number[], into: number[]): number { into[0] = xs[0]! * xs[0]!; return into[0]! * 50; }
function f(xs: number[]): number { const into = [0]; let m = Infinity; for (let k = 0; k < xs.length; k++) { m = Math.min(m, cubed(xs[k]!)); m = Math.min(m, first(xs, into)); } return m + kept * 5 + into[0]! * 7; }
export const value = grad(f, ${OPTIONS})([1, 2]);`,
    [6 + 14, 5 * 12],
  ],
  [
    "elements that are written behind what a run computes",
    `function step(v: number[], w: number[], h: number): void {
  for (let i = 0; i < v.length; i++) {
    const u = v[i]! * h + w[i]! * v[i]!, t = u * u + h;
    v[i] = t * u + w[i]! * h;
    w[i]! += v[i]! * t * u - v[i]! * h;
  }
}
function f(h: number): number { const v = [h, 2], w = [1, h]; step(v, w, h); step(v, v, h); return v[0]! + w[0]! * v[1]! + w[1]!; }
// the two add in another order: the last of 17 digits differs
export const value = Number(grad(f, ${OPTIONS})(0.5).toPrecision(15));`,
    (() => {
      // by dual numbers
      type D = readonly [number, number];
      const add = (a: D, b: D): D => [a[0] + b[0], a[1] + b[1]];
      const mul = (a: D, b: D): D => [a[0] * b[0], a[1] * b[0] + a[0] * b[1]];
      const no = (a: D): D => [-a[0], -a[1]];
      const zero: D = [0, 0];
      const step = (v: D[], w: D[], h: D): void => {
        for (let i = 0; i < 2; i++) {
          const u = add(mul(v[i] ?? zero, h), mul(w[i] ?? zero, v[i] ?? zero));
          const t = add(mul(u, u), h);
          v[i] = add(mul(t, u), mul(w[i] ?? zero, h));
          w[i] = add(w[i] ?? zero, add(mul(mul(v[i] ?? zero, t), u), no(mul(v[i] ?? zero, h))));
        }
      };
      const h: D = [0.5, 1];
      const v: D[] = [h, [2, 0]];
      const w: D[] = [[1, 0], h];
      step(v, w, h);
      step(v, v, h);
      const all = add(add(v[0] ?? zero, mul(w[0] ?? zero, v[1] ?? zero)), w[1] ?? zero);
      return Number(all[1].toPrecision(15));
    })(),
  ],
  [
    "elements of integers, beyond the end, and of a list that a function inside writes",
    `function f(x: Float64Array, n: Int32Array): number {
  const other = (k: number): void => { x[k] = x[k]! * 3; };
  let s = 0;
  for (let i = 0; i < 4; i++) {
    const a = x[0]! * x[1]! + x[1]!, b = a * a;
    n[i] = a * b + b * x[0]!;
    const c = x[1]! * a, d = c * b + a;
    x[i + 1] = c * d + c + d * x[0]!;
    if (i === 0) other(1);
    s += n[i]! + (i < 2 ? x[i + 1]! : 0);
  }
  return s;
}
const plain = (x0: number, x1: number): number => f(Float64Array.of(x0, x1, 0), new Int32Array(4));
const both = (k: number, h: number): number => (plain(0.5 + (k === 0 ? h : 0), 0.25 + (k === 1 ? h : 0)) - plain(0.5 - (k === 0 ? h : 0), 0.25 - (k === 1 ? h : 0))) / (2 * h);
const by = (k: number): number => (4 * both(k, 1e-4) - both(k, 2e-4)) / 3;
const all = grad(f, ${OPTIONS})(Float64Array.of(0.5, 0.25, 0), new Int32Array(4));
// differences of fourth order are off by h to the fourth times a fifth derivative, and by the last bits of f over h: 1e-9 where the gradient is 270
export const value = [Math.abs(all[0]! - by(0)) < 1e-8, Math.abs(all[1]! - by(1)) < 1e-8, all[2]];`,
    [true, true, 0],
  ],
  [
    "a list that grows by what is written",
    `function f(x: number): number { const xs = [x]; for (let k = 0; k < 3; k++) { const a = xs[k]! * x + xs[k]!, b = a * a; xs[xs.length] = a * b - b * x + a; } return xs[1]! + xs[3]! * 0; }
export const value = grad(f, ${OPTIONS})(2);`,
    (() => {
      // a = x² + x, x1 = a³ - a² x + a
      const a = 6;
      const da = 5;
      return 3 * a * a * da - 2 * a * da * 2 - a * a + da;
    })(),
  ],
  [
    "elements that change places, and constants and holes that take theirs",
    `function f(xs: number[]): number {
  const ys = xs.slice(), holes: number[] = [];
  holes[3] = xs[0]!;
  let s = 0;
  for (let k = 0; k < 3; k++) { const t = ys[k]!; ys[k] = ys[k + 1]!; ys[k + 1] = t; s += ys[0]! * (k + 1); ys[4] = k; ys[5 + k] = holes[k]!; s += ys[4]! * 10; }
  ys[1] = 7;
  return s + ys[3]! * 100 + ys[1]! * ys[2]! + (ys[6] === undefined ? ys[5 + 3 - 8]! * 1000 : 0);
}
export const value = grad(f, ${OPTIONS})([1, 2, 3, 4]);`,
    // 1 2 3 4  ->  2 3 4 1: y0 is x1 from the first round on
    [100, 1 + 2 + 3 + 1000, 0, 7],
  ],
  [
    "products of two lists",
    `const dot = (a: number[], b: number[]): number => { let s = 1; for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!; return s; };
const half = (a: number[], b: number[]): number => { let s = 0; for (let i = 0; i < a.length / 2; ++i) { s = s + a[i]! * (b[i]!); } return s; };
function f(a: number[], b: number[], c: number[]): number { let t = 0; for (let k = 0; k < 2; k++) t += dot(a, b) * dot(c, a) + half(a, b); return t + dot(a, a) + dot(c, c); }
export const value = [grad(f, ${OPTIONS})([1, 2, 3], [4, 5, 6], [7, 8, 9]), grad(f, ${BY_SECOND})([1, 2, 3], [4, 5, 6], [7, 8, 9])];`,
    (() => {
      // 1 + a b = 33, 1 + c a = 51
      const a = [1, 2, 3];
      const b = [4, 5, 6];
      const c = [7, 8, 9];
      return [
        a.map(
          (x, k) => 2 * (33 * (c[k] ?? 0) + 51 * (b[k] ?? 0) + (k < 2 ? (b[k] ?? 0) : 0)) + 2 * x,
        ),
        b.map((_, k) => 2 * (51 * (a[k] ?? 0) + (k < 2 ? (a[k] ?? 0) : 0))),
      ];
    })(),
  ],
  [
    "products of lists that are written, of views of one buffer, and of integers",
    `function dot(a: Float64Array, b: Float64Array): number { let s = 0; for (let i = 0; i < b.length; i++) s += a[i]! * b[i]!; return s; }
function whole(a: Float64Array, n: Int32Array): number { let s = 0; for (let i = 0; i < n.length; i++) s += a[i]! * n[i]!; return s; }
function f(x: Float64Array, n: Int32Array): number {
  const y = x.subarray(1), z = new Float64Array(3), m = new Int32Array(2);
  for (let i = 0; i < 2; i++) { z[i] = x[i]! * x[i]!; m[i] = x[i]! * 2; }
  const first = dot(z, y);
  z[0] = 5;
  return first + dot(x, z) * 100 + whole(x, n) + whole(y, m);
}
export const value = Array.from(grad(f, ${OPTIONS})(Float64Array.of(2, 3, 4), Int32Array.of(10, 20)));`,
    (() => {
      // x0² x1 + x1² x2 + 100 (5 x0 + x1³) + 10 x0 + 20 x1 + 4 x1 + 6 x2
      return [2 * 2 * 3 + 500 + 10, 4 + 2 * 3 * 4 + 300 * 9 + 20 + 4, 9 + 6];
    })(),
  ],
  [
    "products of long lists",
    `function dot(a: number[], b: number[]): number { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!; return s; }
const ramp = (n: number): number[] => Array.from({ length: n }, (_, k) => k % 7);
function f(a: number[], b: number[], p: number[], n: number): number { let t = dot(a, b); for (let k = 0; k < n; k++) t += dot(p, p) * 0.5; return t * 2; }
const [x, y] = grad(f, { engine: "delta", argnums: [0, 2] })(ramp(700000), ramp(700000).reverse(), [3, 1], 600000);
export const value = [x!.every((d, k) => d === 2 * ((699999 - k) % 7)), y];`,
    [true, [2 * 600000 * 3, 2 * 600000]],
  ],
  [
    "extremes of a list",
    `function f(xs: number[]): number { const a = Math.max(...xs), b = Math.min(...xs); return a * a * b; }
export const value = [grad(f, ${OPTIONS})([4, 5, 3]), grad(f, ${OPTIONS})([3, 2, 3]), grad(f, ${OPTIONS})([-Infinity]), grad(f, ${OPTIONS})([2, -0, 0]), grad((xs: number[]): number => Math.max(...xs), ${OPTIONS})([]), grad(f, ${OPTIONS})(["7", 2] as unknown as number[])];`,
    // a tie: half for each
    [[0, 30, 25], [6, 9, 6], [Infinity], [0, 2, 2], [], ["7", 49]],
  ],
  [
    "a choice between equals",
    `const square = (x: number): number => x * x + 0 * x * Math.sin(x);
function f(x: number, y: number): number { let m = square(x) * 2; m = Math.min(m, square(y) * 2); m = Math.max(m, square(-y) * 2); return m * m; }
export const value = grad(f, { engine: "delta", argnums: [0, 1] })(3, 3);`,
    (() => {
      // m = 18 three times: half of the half that x has, the rest is of y
      const d = 2 * 18 * 4 * 3;
      return [d / 4, d * (1 / 4 + 1 / 2)];
    })(),
  ],
  [
    "two sums and what is carried beside them",
    `function f(x: number): number { let s = 0, p = x, t = 0; for (let k = 0; k < 3; k++) { const q = p * p * 2 - p; s += q * x + q; t += q * q; p = q; } return s * t; }
export const value = grad(f, ${OPTIONS})(1);`,
    (() => {
      // q = p at p = 1, q' = 3 p': p' = 1, 3, 9, q' = 3, 9, 27; s = 6, s' = Σ (2 q' + q), t = 3, t' = Σ 2 q q'
      const dq = 3 + 9 + 27;
      return (2 * dq + 3) * 3 + 6 * 2 * dq;
    })(),
  ],
  [
    "functions that keep what a round declared",
    `function f(x: number): number {
  const all: (() => number)[] = [];
  for (let k = 1; k <= 3; k++) { const u = x * k; const v = u * u * x; all.push(() => v * k); }
  return all.reduce((s, one) => s + one(), 0);
}
export const value = grad(f, ${OPTIONS})(2);`,
    3 * 4 * (1 + 8 + 27),
  ],
  [
    "a function from above that keeps what the last run declares",
    `let kept: () => boolean = () => false;
function f(p: P): number { kept = () => u > 1; const u = p.x * p.y * p.x; const v = u * u; return v * u; }
const gradient = grad(f, ${OPTIONS})({ x: 1, y: 2 });
export const value = [gradient, kept()];`,
    [{ x: 48, y: 12 }, true],
  ],
  [
    "a factor 0 hides an infinite slope",
    `function f(x: number, k: number): number { const r = Math.sqrt(x); const a = r * k; const b = a * 3 + x; return b + a * a; }
export const value = grad(f, ${OPTIONS})(0, 0);`,
    1,
  ],
  [
    "a factor 0 hides a pole",
    `function f(x: number, k: number): number { const a = k / x; const b = x * x + x; const c = b * b; return (x > 5 ? a : 0) + c * b; }
export const value = grad(f, ${OPTIONS})(0, 1);`,
    0,
  ],
  [
    "functions of Math",
    `function f(x: number): number { const a = Math.sin(x) * Math.exp(x); const b = Math.log(x) + Math.tanh(x) * Math.cos(x); return a * b / Math.sqrt(x) + Math.max(a, b) * Math.abs(x) - Math.atan(x) * Math.log1p(x) + x ** 3 * Math.min(x, 9); }
const h = 1e-6;
export const value = Math.abs(grad(f, ${OPTIONS})(1.3) - (f(1.3 + h) - f(1.3 - h)) / (2 * h)) < 1e-7;`,
    true,
  ],
  [
    "half for each at a tie",
    `function f(x: number, y: number): number { const m = Math.max(x * 2, y * 2); const n = m * m; return n * m; }
export const value = grad(f, ${OPTIONS})(1, 1);`,
    12,
  ],
  [
    "the side that is not taken is not looked at",
    `function f(x: number, list: number[], n: number): number { const a = n > 0 ? list[0]! * x * list[0]! : x; const b = a * x; return b * b * a; }
export const value = [grad(f, ${OPTIONS})(2, undefined as unknown as number[], 0), grad(f, ${OPTIONS})(2, [3], 1)];`,
    [5 * 16, 729 * 5 * 16],
  ],
  [
    "nor are its records",
    `function f(x: number, ps: P[], n: number): number { const a = n > 0 ? ps[0]!.x * x * ps[0]!.x : x; const b = a * x; return b * b * a; }
export const value = [grad(f, ${OPTIONS})(2, undefined as unknown as P[], 0), grad(f, ${OPTIONS})(2, [{ x: 3, y: 0 }], 1), grad(f, ${BY_SECOND})(2, [{ x: 3, y: 0 }], 1)];`,
    [5 * 16, 729 * 5 * 16, [{ x: 6 * 32 * 243, y: 0 }]],
  ],
  [
    "what is behind a pole that is not taken",
    `// tsgrad-ignore TSG8006
function f(x: number, y: number): number { const a = y === 0 ? x : Math.sin(x / y) * Math.log(y) ** 2; const b = a * x; return b * a * b; }
export const value = grad(f, { engine: "delta", argnums: [0, 1] })(2, 0);`,
    [5 * 16, 0],
  ],
  [
    "an infinite adjoint meets only what was taken",
    `function f(x: number, y: number): number { let s = 0; for (let k = 0; k < 2; k++) { const a = x > y ? x * 2 + k * x : y * x; s += a * 1; } return Math.sqrt(s); }
export const value = grad(f, { engine: "delta", argnums: [0, 1] })(0, -1);`,
    [Infinity, 0],
  ],
  [
    "choices in a loop",
    `function f(xs: number[], k: number): number { let s = 0; for (let i = 0; i < xs.length; i++) { const d = xs[i]! - k; s += d > 1 ? d * 2 - 1 : d < -1 ? -d * 2 - 1 : d * d; } return s; }
export const value = [grad(f, ${OPTIONS})([0, 3, 5, 9], 4), grad(f, ${BY_SECOND})([0, 3, 5, 9], 4)];`,
    [[-2, -2, 2, 2], 0],
  ],
  [
    "truth values, and fields of records",
    `function f(p: P, isFar: boolean): number { const r = isFar && p.x > 0 ? Math.hypot(p.x, p.y) : p.y; const q = r * p.x * r; return isFar ? q * r : q; }
export const value = [grad(f, ${OPTIONS})({ x: 3, y: 4 }, true), grad(f, ${OPTIONS})({ x: 3, y: 4 }, false)];`,
    [
      { x: 125 + ((3 * 25 * 3 * 0.6 * 3) / 3) * 1, y: 3 * 3 * 25 * 0.8 },
      { x: 16, y: 24 },
    ],
  ],
  [
    "constants that TypeScript knows",
    `const two = 2, none = 0; const some: 1 | 3 = Math.random() > 2 ? 1 : 3;
function f(x: number): number { const a = x ** two + two ** x + none ** x + x ** none + x ** some; return a * (x > 0 ? two : some) ** 2; }
export const value = grad(f, ${OPTIONS})(2);`,
    4 * (4 + 4 * Math.LN2 + 12),
  ],
  [
    "an argument that is not differentiated",
    `const scaled = (p: P, by: number): P => ({ x: p.x * by, y: p.y * by });
function f(p: P, by: number): number { const q = scaled(p, by); return q.x * q.y; }
export const value = grad(f, ${BY_SECOND})({ x: 2, y: 3 }, 5);`,
    60,
  ],
  [
    "records inside of data",
    `interface Body { at: P; mass: number }
const distance = (a: P, b: P): number => (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
function f(p: P, bodies: Body[]): number { let s = 0; for (let i = 0; i < bodies.length; i++) s += distance(p, bodies[i]!.at) * bodies[i]!.mass; return s; }
export const value = grad(f, ${OPTIONS})({ x: 1, y: 2 }, [{ at: { x: 0, y: 0 }, mass: 1 }, { at: { x: 3, y: 3 }, mass: 2 }]);`,
    { x: 2 - 8, y: 4 - 4 },
  ],
  [
    "records inside of what is differentiated",
    `interface Pair { a: P; b: P }
const product = (a: P, b: P): P => ({ x: a.x * b.x - a.y * b.y, y: a.x * b.y + a.y * b.x });
function f(o: Pair): number { const { x, y } = product(o.a, o.b); return x * y; }
export const value = grad(f, ${OPTIONS})({ a: { x: 1, y: 2 }, b: { x: 3, y: 4 } });`,
    { a: { x: 10 * 3 - 5 * 4, y: -4 * 10 - 5 * 3 }, b: { x: 10 - 10, y: -2 * 10 - 5 } },
  ],
  [
    "elements of lists",
    `function f(a: number[], b: number[]): number { let s = 0; for (let i = 1; i < a.length; i++) { const d = a[i]! - a[i - 1]! * b[i]!; const e = d * d * a[i]!; s += e * d; } return s; }
export const value = grad(f, ${OPTIONS})([1, 2, 3], [0, 5, 2]);`,
    (() => {
      // Σ dᵢ³ aᵢ, d = -3, -1
      return [3 * 9 * 2 * -5, 3 * 9 * 2 - 27 + 3 * 1 * 3 * -2, 3 * 1 * 3 - 1];
    })(),
  ],
  [
    "more than a million terms",
    `function f(p: P, n: number): number { let a = p.x, b = p.y; for (let k = 0; k < n; k++) { const s = a * 0.5 + b * 0.25 + p.x * 0.25 + p.y * 0; const t = b * 0.5 + a * 0.25 + p.x * 0.125 + p.y * 0.125; a = s; b = t; } return a + b; }
const { x, y } = grad(f, ${OPTIONS})({ x: 1, y: 1 }, 300000);
export const value = [Math.round(x * 1e9) / 1e9, Math.round((x + y) * 1e9) / 1e9];`,
    [1.5, 2],
  ],
];

describe("closed forms", () => {
  test.each(PROGRAMS)("%s", (_what, source, expected) => {
    const texts = built(source);
    expect(valueOf(texts)).toEqual(expected);
  });
});

test("what is emitted type-checks under every strictness flag", () => {
  const files = Object.fromEntries(
    PROGRAMS.map(([, source], k) => [
      `p${k}.ts`,
      built(source.replace("export const value =", "export const value: unknown =")).get(
        "/src/input.ts",
      ) ?? "",
    ]),
  );
  expect(problemsOf(files)).toEqual([]);
});

test("the value has the primal's bits", () => {
  const source = `const mixed = (a: P, b: P): P => ({ x: a.x * 0.1 + b.y / 3 - a.y * 0.7, y: (a.y - b.x) * (a.x + 0.3) });
export function f(p: P): number { let q = p; for (let k = 0; k < 20; k++) q = mixed(q, p); return q.x / q.y; }
const p = { x: 0.123, y: 4.56 };
let met = 0;
grad((q: P) => (met = f(q)), ${OPTIONS})(p);
export const value = Object.is(f(p), met) && met !== 0;`;
  expect(valueOf(built(source))).toBe(true);
});

test("a function that is assigned again is not what it was", () => {
  const texts = (given: string): ReadonlyMap<string, string> =>
    built(`let h = (a: number): number => a * a * 2;
export const assign = (to: (a: number) => number): void => { h = to; };
assign(${given});
function f(x: number): number { const a = h(x); const b = a * x; return b * a; }
export const value = grad(f, ${OPTIONS})(2);`);
  // x (3x²)², 45 x⁴
  expect(valueOf(texts("(a) => a * a * 3"))).toBe(720);
  expect(() =>
    valueOf(texts(`Function("a", "return a * a * 3") as (a: number) => number`)),
  ).toThrow(/^TSG0010/);
});

test("calls of calls of calls are not all written out", () => {
  const chain = Array.from(
    { length: 30 },
    (_, k) => `const h${k + 1} = (x: number): number => h${k}(x) * 0.5 + h${k}(x * 0.5);`,
  ).join("\n");
  const texts = built(`const h0 = (x: number): number => x * x;\n${chain}
function f(x: number): number { return h9(x); }
export const value = grad(f, ${OPTIONS})(1);
export const all = (x: number): number => grad((y: number): number => h30(y) * y, ${OPTIONS})(x);`);
  // h(x) = c x², c' = c / 2 + c / 4
  expect(valueOf(texts)).toBe(2 * 0.75 ** 9);
  expect(texts.get("/src/input.ts")?.length).toBeLessThan(200_000);
});

test("functions of another module, and what they call there", () => {
  const texts = built(
    `import { energy } from "./lib.ts";
function f(x: number, y: number): number { const e = energy(x, y); return e * e; }
export const value = grad(f, { engine: "delta", argnums: [0, 1] })(2, 3);`,
    {
      "lib.ts": `const half = (v: number): number => v / 2;
export function energy(m: number, v: number): number { return half(m * v * v); }
`,
    },
  );
  expect(texts.get("/src/lib.ts")).toContain("function energy$delta(");
  expect(valueOf(texts)).toEqual([2 * 9 * 4.5, 2 * 9 * 6]);
});
