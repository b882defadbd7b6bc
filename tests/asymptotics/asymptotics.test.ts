// The gradient's work grows like the primal's: counted, for sizes over four orders of magnitude. A gradient that makes a fresh one-hot array for every read,
// copies an array for every write, or walks shared work twice, fails here.

import { describe, expect, it } from "vitest";
import { workOf } from "./work.ts";

type Case = readonly [what: string, text: string, args: (n: number) => readonly unknown[]];

interface Node {
  left: Node | null;
  right: Node | null;
  value: number;
}
const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(i) / 2);
const tree = (n: number): Node | null =>
  n < 1 ? null : { left: tree((n - 1) >> 1), right: tree(n - 1 - ((n - 1) >> 1)), value: 1 / n };

const CASES: readonly Case[] = [
  [
    "n indexed reads of one array",
    "export function f(xs: number[]): number { let s = 0; for (let i = 0; i < xs.length; i++) s += xs[i] * xs[(i * 7) % xs.length]; return s; }",
    (n) => [numbers(n)],
  ],
  [
    "n in-place updates",
    "export function f(xs: number[], k: number): number {\n  const a = xs.slice();\n  for (let i = 1; i < a.length; i++) a[i] = Math.sin(a[i] + k * a[i - 1]);\n  return a[a.length - 1];\n}",
    (n) => [numbers(n), 0.3],
  ],
  [
    "n updates of one element",
    "export function f(xs: number[], n: number): number {\n  const a = xs.slice();\n  for (let i = 0; i < n; i++) a[0] = Math.sin(a[0]) * 1.5;\n  return a[0];\n}",
    (n) => [numbers(n), n],
  ],
  [
    "the doubling chain",
    "export function f(x: number, n: number): number {\n  let y = x;\n  for (let i = 0; i < n; i++) { const z = y * 0.5; y = z + z; }\n  return y;\n}",
    (n) => [0.7, n],
  ],
  [
    "the doubling chain through a helper",
    "const double = (y: number): number => Math.sin(y) + Math.sin(y);\nexport function f(x: number, n: number): number {\n  let y = x;\n  for (let i = 0; i < n; i++) y = double(y);\n  return y;\n}",
    (n) => [0.7, n],
  ],
  [
    "a tree of n nodes",
    "interface Node { left: Node | null; right: Node | null; value: number }\nfunction sum(t: Node | null): number { return t === null ? 0 : Math.sin(t.value) + 0.5 * sum(t.left) * 0.5 + sum(t.right); }\nexport function f(t: Node | null): number { return sum(t); }",
    (n) => [tree(n)],
  ],
  [
    "a closure called n times",
    "export function f(k: number, xs: number[]): number {\n  let calls = 0;\n  const g = (u: number): number => { calls += k; return Math.sin(k * u + calls); };\n  let s = 0;\n  for (const x of xs) s += g(x);\n  return s;\n}",
    (n) => [0.2, numbers(n)],
  ],
  [
    "a captured array read by a closure",
    "export function f(xs: number[]): number {\n  const at = (i: number): number => xs[i] * xs[0];\n  let s = 0;\n  for (let i = 0; i < xs.length; i++) s += at(i);\n  return s;\n}",
    (n) => [numbers(n)],
  ],
  [
    "a list of n records, written in place",
    "interface P { x: number; v: number }\nexport function f(k: number, xs: number[]): number {\n  const ps: P[] = xs.map((x) => ({ x, v: k }));\n  for (const p of ps) { p.x += p.v * p.x; p.v *= 0.5; }\n  return ps.reduce((s, p) => s + p.x * p.v, 0);\n}",
    (n) => [0.3, numbers(n)],
  ],
  [
    "a stack of n pushes and pops",
    "export function f(x: number, n: number): number {\n  const st: number[] = [];\n  for (let i = 0; i < n; i++) st.push(x * Math.sin(i));\n  let s = 0;\n  while (st.length > 0) s = Math.sin(s + (st.pop() ?? 0));\n  return s;\n}",
    (n) => [0.3, n],
  ],
];

const SIZES = [100, 1000, 10_000, 100_000];

describe("the gradient's work", () => {
  it.each(CASES)(
    "%s",
    (_what, text, args) => {
      const at = workOf(text);
      const works = SIZES.map((n) => at(args(n)));
      const [first, ...rest] = works.map(({ primal, gradient }) => gradient / primal);
      // at most what it is for a small size, where what is done once still counts; the cheap gradient principle with what saving and reading back adds
      expect(first).toBeLessThan(12);
      for (const ratio of rest) expect(ratio).toBeLessThanOrEqual((first ?? 0) * 1.05);
      // and the primal is linear itself, or the ratio says nothing
      works.forEach(({ primal }, i) =>
        expect(primal / ((SIZES[i] ?? 1) * ((works[0]?.primal ?? 0) / 100))).toBeLessThan(1.1),
      );
    },
    300_000,
  );
});
