// The Delta engine's work grows like the primal's: nodes on the tape, shadows looked up and changed, and calls of the run time, counted for sizes over four orders of
// magnitude. A read that made a node for each element, a write that copied ids, or a shared value recorded twice would fail here.

import { describe, expect, it } from "vitest";
import { deltaWorkOf } from "./delta-work.ts";

type Case = readonly [
  what: string,
  text: string,
  args: (n: number) => readonly unknown[],
  nodes: (n: number) => number,
];

interface Node {
  left: Node | null;
  right: Node | null;
  value: number;
}
const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(i) / 2);
/** How many nodes of such a tree have a child. */
const parents = (n: number): number =>
  n <= 1 ? 0 : 1 + parents((n - 1) >> 1) + parents(n - 1 - ((n - 1) >> 1));
/** How many have two. */
const couples = (n: number): number =>
  n < 3 ? 0 : 1 + couples((n - 1) >> 1) + couples(n - 1 - ((n - 1) >> 1));
const tree = (n: number): Node | null =>
  n < 1 ? null : { left: tree((n - 1) >> 1), right: tree(n - 1 - ((n - 1) >> 1)), value: 1 / n };

/** The last column: how many nodes and terms of nodes there are, inputs included, as counted on paper. A node of three parents has two terms. */
const CASES: readonly Case[] = [
  // inputs n; the loop is one node with a term for each
  [
    "n indexed reads of one array",
    "export function f(xs: number[]): number { let s = 0; for (let i = 0; i < xs.length; i++) s += xs[i] * xs[(i * 7) % xs.length]; return s; }",
    (n) => [numbers(n)],
    (n) => 2 * n + 1,
  ],
  // inputs n, a sum of multiples and a sine in each of n - 1 rounds (k is no input)
  [
    "n in-place updates",
    "export function f(xs: number[], k: number): number {\n  const a = xs.slice();\n  for (let i = 1; i < a.length; i++) a[i] = Math.sin(a[i] + k * a[i - 1]);\n  return a[a.length - 1];\n}",
    (n) => [numbers(n), 0.3],
    (n) => n + 2 * (n - 1),
  ],
  // inputs 10, a sine and a multiple in each round
  [
    "n updates of one element",
    "export function f(xs: number[], n: number): number {\n  const a = xs.slice();\n  for (let i = 0; i < n; i++) a[0] = Math.sin(a[0]) * 1.5;\n  return a[0];\n}",
    (n) => [numbers(10), n],
    (n) => 10 + 2 * n,
  ],
  // a loop that changes one number is one node with a term; one that changes two is recorded
  [
    "a chain of one number",
    "export function f(x: number, n: number): number {\n  let y = x;\n  for (let i = 0; i < n; i++) y = Math.sin(y);\n  return y;\n}",
    (n) => [0.7, n],
    () => 3,
  ],
  // Krawiec et al. §7: the sum of a value with itself, n deep
  [
    "the doubling chain",
    "export function f(x: number, n: number): number {\n  let y = x, k = 0;\n  for (let i = 0; i < n; i++) { k++; const z = y * 0.5; y = z + z; }\n  return y;\n}",
    (n) => [0.7, n],
    (n) => 1 + 2 * n,
  ],
  // two sines and their sum in each round
  [
    "the doubling chain through a helper",
    "const double = (y: number): number => Math.sin(y) + Math.sin(y);\nexport function f(x: number, n: number): number {\n  let y = x, k = 0;\n  for (let i = 0; i < n; i++) { k++; y = double(y); }\n  return y;\n}",
    (n) => [0.7, n],
    (n) => 1 + 3 * n,
  ],
  // inputs n, a sine at each node, and one sum where there is a child: that of an absent one is the constant 0
  [
    "a tree of n nodes",
    "interface Node { left: Node | null; right: Node | null; value: number }\nfunction sum(t: Node | null): number { return t === null ? 0 : Math.sin(t.value) + 0.5 * sum(t.left) * 0.5 + sum(t.right); }\nexport function f(t: Node | null): number { return sum(t); }",
    (n) => [tree(n)],
    (n) => 2 * n + parents(n) + 2 * couples(n),
  ],
  // one input and four nodes in each call: calls + k, k u + calls, sin, s +; the first sums of all are what is added
  [
    "a closure called n times",
    "export function f(k: number, xs: number[]): number {\n  let calls = 0;\n  const g = (u: number): number => { calls += k; return Math.sin(k * u + calls); };\n  let s = 0;\n  for (const x of xs) s += g(x);\n  return s;\n}",
    (n) => [0.2, numbers(n)],
    (n) => 4 * n - 1,
  ],
  // one input; a product with its sum, a multiple, and a product with the sum of all in each round, which has three parents but in the first
  [
    "a list of n records, written in place",
    "interface P { x: number; v: number }\nexport function f(k: number, xs: number[]): number {\n  const ps: P[] = xs.map((x) => ({ x, v: k }));\n  for (const p of ps) { p.x += p.v * p.x; p.v *= 0.5; }\n  return ps.reduce((s, p) => s + p.x * p.v, 0);\n}",
    (n) => [0.3, numbers(n)],
    (n) => 1 + 3 * n + 2 * (n - 1),
  ],
  [
    "a stack of n pushes and pops",
    "export function f(x: number, n: number): number {\n  const st: number[] = [];\n  for (let i = 0; i < n; i++) st.push(x * Math.sin(i));\n  let s = 0;\n  while (st.length > 0) s = Math.sin(s + (st.pop() ?? 0));\n  return s;\n}",
    (n) => [0.3, n],
    (n) => 3 * n,
  ],
  // one input; the loop is one node with a term for each element
  [
    "n slices of one element",
    "export function f(x: number, n: number): number {\n  const xs = new Array<number>(n).fill(x);\n  let s = 0;\n  for (let i = 0; i < n; i++) s += xs.slice(i, i + 1)[0];\n  return s;\n}",
    (n) => [0.9, n],
    (n) => n + 2,
  ],
  [
    "a generator of n numbers",
    "function* powers(x: number, n: number): Generator<number> { let p = 1; for (let i = 0; i < n; i++) { p = Math.sin(p * x); yield p; } }\nexport function f(x: number, n: number): number { let s = 0, k = 0; for (const p of powers(x, n)) { k++; s += p; } return s; }",
    (n) => [0.9, n],
    (n) => 3 * n - 1,
  ],
  [
    "a Map of n entries, changed n times",
    "export function f(x: number, n: number): number {\n  const m = new Map<number, number>();\n  for (let i = 0; i < n; i++) m.set(i, x * i);\n  let s = 0;\n  for (let i = 0; i < n; i++) { m.set(i, (m.get(i) ?? 0) * x); s += m.get(i) ?? 0; }\n  return s;\n}",
    (n) => [0.9, n],
    (n) => 3 * n,
  ],
];

const SIZES = [100, 1000, 10_000, 100_000];

describe("the Delta engine's work", () => {
  it.each(CASES)(
    "%s",
    (_what, text, args, nodes) => {
      const at = deltaWorkOf(text);
      const works = SIZES.map((n) => ({ n, ...at(args(n)) }));
      for (const { n, recorded } of works) expect(recorded).toBe(nodes(n));
      const [first] = works;
      for (const { n, touched } of works) {
        // each size does what the smallest does, per element; what is done once counts less and less
        expect(touched / n).toBeLessThanOrEqual(((first?.touched ?? 0) / 100) * 1.05);
        expect(touched / n).toBeLessThan(60);
      }
    },
    120_000,
  );

  it("notices work that is quadratic", () => {
    const at = deltaWorkOf(
      "export function f(xs: number[], k: number): number {\n  let a = xs;\n  for (let i = 0; i < xs.length; i++) a = a.slice();\n  return a.reduce((s, x) => s + k * x, 0);\n}",
    );
    const [small, large] = [at([numbers(50), 0.3]), at([numbers(500), 0.3])];
    expect(large.touched / small.touched).toBeGreaterThan(30);
    // moving ids records nothing, however often
    expect(large.recorded / small.recorded).toBeLessThan(11);
  });
});
