// Reverse mode on IR text against finite differences, which do not read the rule table; each program named by what is hard.

import { describe, expect, test } from "vitest";
import { run } from "../../transformer/ir/eval.ts";
import { derive, differences, gradient, siteOf } from "./gradient.ts";

interface Case {
  readonly name: string;
  readonly text: string;
  readonly args: readonly unknown[];
}

const cases: readonly Case[] = [
  {
    name: "straight line",
    args: [0.7, 1.3],
    text: "func f(x: num, y: num) { a = mul x y; s = sin a; b = mul a x; z = add s b; yield z }",
  },
  {
    name: "dot",
    args: [
      [1, 2, 3],
      [0.5, -1, 2],
    ],
    text: "func f(a: num[], b: num[]) { n = length a; for i = 0 < n carry (s = 0) -> (s.2) { x = load a[i]; y = load b[i]; t = mul x y; s.1 = add s t; yield s.1 }\n yield s.2 }",
  },
  {
    name: "loop-carried product",
    args: [[1.5, 0.5, 2, -1]],
    text: "func f(a: num[]) { n = length a; for i = 0 < n carry (p = 1) -> (p.2) { x = load a[i]; t = sin x; t.1 = add t x; p.1 = mul p t.1; yield p.1 }\n yield p.2 }",
  },
  {
    name: "nested loops with outer scalar",
    args: [0.3, [1, 2, 3]],
    text: "func f(x: num, a: num[]) { n = length a; for i = 0 < n carry (s = 0) -> (s.2) { for j = 0 <= i carry (u = x) -> (u.2) { y = load a[j]; t = mul u y; u.1 = tanh t; yield u.1 }\n t.1 = mul u.2 x; s.1 = add s t.1; yield s.1 }\n yield s.2 }",
  },
  {
    name: "branch with values of its own",
    args: [0.9, 2],
    text: "func f(x: num, y: num) { c = gt x 0; if c -> (z: num) { a = exp x; t = mul a y; yield t } else { t.1 = mul x x; yield t.1 }\n w = mul z x; yield w }",
  },
  {
    name: "branch in a loop",
    args: [[0.5, -1, 2, 0.1]],
    text: "func f(a: num[]) { n = length a; for i = 0 < n carry (s = 1) -> (s.2) { x = load a[i]; c = gt x 0.2; if c -> (z: num) { t = exp x; t.1 = mul t s; yield t.1 } else { yield s }\n s.1 = add z x; yield s.1 }\n yield s.2 }",
  },
  {
    name: "in-place update",
    args: [[1, 2, 3], 0.5],
    text: "func f(a: num[], x: num) { b = slice a 0; for i = 1 < 3 { t = sub i 1; u = load b[t]; v = load b[i]; w = mul u v; w.1 = mul w x; b[i] = w.1; yield }\n z = load b[2]; y = load b[1]; r = mul z y; yield r }",
  },
  {
    name: "while that halves",
    args: [9.5],
    text: "func f(x: num) { while carry (k = x, p = 1) -> (k.2, p.2) { c = gt k 1; yield c } do { k.1 = div k 2; t = sin k; p.1 = mul p t; yield k.1 p.1 }\n r = add p.2 k.2; yield r }",
  },
  {
    name: "record argument and local record",
    args: [{ w: [1, 2], b: 0.5 }, [3, 4]],
    text: "func f(m: {w: num[], b: num}, x: num[]) { w = load m.w; b = load m.b; r = record {p: b, q: w}; q = load r.q; u = load q[0]; v = load q[1]; x0 = load x[0]; p = load r.p; t = mul u v; t.1 = mul t p; t.2 = mul t.1 x0; yield t.2 }",
  },
  {
    name: "matrix by rows",
    args: [
      [
        [1, 2],
        [3, 4],
      ],
      [0.5, -1],
    ],
    text: "func f(m: num[][], x: num[]) { n = length m; for i = 0 < n carry (s = 0) -> (s.2) { row = load m[i]; k = length row; for j = 0 < k carry (d = 0) -> (d.2) { a = load row[j]; b = load x[j]; t = mul a b; d.1 = add d t; yield d.1 }\n t.1 = mul d.2 d.2; s.1 = add s t.1; yield s.1 }\n yield s.2 }",
  },
  {
    name: "scratch array of each round",
    args: [[1, 2, 3]],
    text: "func f(a: num[]) { n = length a; for i = 0 < n carry (s = 0) -> (s.2) { b: num[] = alloc n fill 0; for j = 0 < n { x = load a[j]; t = mul x x; b[j] = t; yield }\n y = load b[i]; z = load a[i]; t.1 = mul y z; s.1 = add s t.1; yield s.1 }\n yield s.2 }",
  },
  {
    name: "push and length",
    args: [[1, 2, 3]],
    text: "func f(a: num[]) { b: num[] = array []; n = length a; for i = 0 < n { x = load a[i]; t = exp x; append b t; yield }\n y = load b[0]; z = load b[2]; m = length b; t.1 = mul y z; t.2 = mul t.1 m; yield t.2 }",
  },
  {
    name: "call",
    args: [0.4, 1.2],
    text: "func g(x: num, y: num) { a = mul x y; b = exp a; yield b }\nfunc f(x: num, y: num) { a: num = call g(x, y); b: num = call g(a, x); c = mul a b; yield c }",
  },
  {
    name: "recursion",
    args: [1.1, 4],
    text: "func g(x: num, n: num) -> num { c = le n 0; if c -> (r: num) { yield x } else { m = sub n 1; t = sin x; t.1 = mul t x; u: num = call g(t.1, m); v = mul u x; yield v }\n yield r }\nfunc f(x: num, n: num) { a: num = call g(x, n); yield a }",
  },
  {
    name: "callee writes its argument",
    args: [[1, 2, 3], 0.7],
    text: "func g(a: num[], x: num) -> void { y = load a[0]; t = mul y x; a[1] = t; yield }\nfunc f(a: num[], x: num) { b = slice a 0; z: void = call g(b, x); u = load b[1]; v = load b[2]; w = mul u v; yield w }",
  },
  {
    name: "two joined arrays",
    args: [[1, 2], [3, 4], 1],
    text: "func f(a: num[], b: num[], x: num) { c = gt x 0; if c -> (p: num[]) { yield a } else { yield b }\n u = load p[0]; v = load a[1]; w = mul u v; yield w }",
  },
  {
    name: "spread",
    args: [[1, 2], 0.5],
    text: "func f(a: num[], x: num) { b: num[] = array [x, ...a, x]; y = load b[0]; z = load b[1]; w = load b[3]; t = mul y z; t.1 = mul t w; yield t.1 }",
  },
  {
    name: "union told apart by its tag",
    args: [[{ k: "disc", r: 1.5 }, { k: "box", w: 2, h: 0.5 }, { k: "none" }]],
    text: `type S = {k: leaf"\\"disc\\"", r: num} | {k: leaf"\\"box\\"", w: num, h: num} | {k: leaf"\\"none\\""}
func f(a: S[]) { n = length a; for i = 0 < n carry (s = 1) -> (s.2) { e = load a[i]; k: leaf"string" = load e.k; c = eq k "disc"
  if c -> (z: num) { v: {k: leaf"\\"disc\\"", r: num} = unwrap e; r = load v.r; t = mul r r; yield t } else { c.1 = eq k "box"
    if c.1 -> (y: num) { u: {k: leaf"\\"box\\"", w: num, h: num} = unwrap e; w = load u.w; h = load u.h; t.1 = mul w h; yield t.1 } else { yield 0 }
    yield y }
  t.2 = add z s; s.1 = sin t.2; yield s.1 }
 yield s.2 }`,
  },
  {
    name: "linked list",
    args: [{ v: 1, next: { v: 2, next: { v: 0.5, next: undefined } } }],
    text: `type N = {v: num, next: N?}
func f(a: N) { o: N? = copy a; while carry (n = o, s = 1) -> (n.2, s.2) { c = present n; yield c } do { m: N = unwrap n; v = load m.v; t = mul v s; t.1 = sin t; s.1 = add s t.1; x: N? = load m.next; yield x s.1 }
 yield s.2 }`,
  },
  {
    name: "expression tree by recursion",
    args: [
      {
        k: "mul",
        l: { k: "num", v: 0.3 },
        r: { k: "mul", l: { k: "num", v: 2 }, r: { k: "num", v: -0.7 } },
      },
    ],
    text: `type E = {k: leaf"\\"num\\"", v: num} | {k: leaf"\\"mul\\"", l: E, r: E}
func g(e: E) -> num { k: leaf"string" = load e.k; c = eq k "num"; if c -> (z: num) { a: {k: leaf"\\"num\\"", v: num} = unwrap e; v = load a.v; yield v } else { b: {k: leaf"\\"mul\\"", l: E, r: E} = unwrap e; l: E = load b.l; r: E = load b.r; x: num = call g(l); y: num = call g(r); t = mul x y; yield t }
 yield z }
func f(e: E) { y: num = call g(e); z = exp y; yield z }`,
  },
  {
    name: "one node in two places, written",
    args: [0.7, 1.3],
    text: `type E = {k: leaf"\\"num\\"", v: num} | {k: leaf"\\"add\\"", l: E, r: E}
func g(e: E) -> num { k: leaf"string" = load e.k; c = eq k "num"; if c -> (z: num) { a: {k: leaf"\\"num\\"", v: num} = unwrap e; v = load a.v; yield v } else { b: {k: leaf"\\"add\\"", l: E, r: E} = unwrap e; l: E = load b.l; r: E = load b.r; x: num = call g(l); y: num = call g(r); t = add x y; yield t }
 yield z }
func f(x: num, y: num) { n: {k: leaf"\\"num\\"", v: num} = record {k: "num", v: x}; e: E = copy n; p: {k: leaf"\\"add\\"", l: E, r: E} = record {k: "add", l: e, r: e}; p.1: E = copy p; a: num = call g(p.1); t = mul a y; n.v = t; b: num = call g(p.1); z = mul a b; yield z }`,
  },
  {
    name: "variable of a union, replaced each round",
    args: [0.4, 1.1],
    text: `type S = {r: num} | {w: num, h: num}
func f(x: num, y: num) { a: {r: num} = record {r: x}; s: S = copy a; for i = 0 < 3 carry (u = s) -> (u.2) { c: bool = extern reads "\\"r\\" in " u ""
  if c -> (n: S) { v: {r: num} = unwrap u; r = load v.r; t = mul r y; b: {w: num, h: num} = record {w: r, h: t}; yield b } else { v.1: {w: num, h: num} = unwrap u; w = load v.1.w; h = load v.1.h; t.1 = mul w h; d: {r: num} = record {r: t.1}; yield d }
  yield n }
 q: {w: num, h: num} = unwrap u.2; w.1 = load q.w; h.1 = load q.h; z = add w.1 h.1; yield z }`,
  },
  {
    name: "dict: overwritten key, miss",
    args: [0.7, 1.3],
    text: `func f(x: num, y: num) { m: Dict<leaf"string", num> = record {a: x}; t = mul x y; m["b"] = t; u: num = load m["a"]; v: num? = load m["b"]; w: num? = load m["c"]; c = present w; v.1: num = unwrap v; p = mul u v.1; m["a"] = p; q: num = load m["a"]; r = mul q y; if c -> (s: num) { z: num = unwrap w; yield z } else { yield r }
 yield s }`,
  },
  {
    name: "dict of arrays, written through",
    args: [[1, 2], 0.5],
    text: `func f(a: num[], x: num) { m: Map<leaf"string", num[]> = record {}; b = slice a 0; m["k"] = b; c: num[] = load m["k"]; t = mul x x; c[0] = t; u: num[] = load m["k"]; v = load u[0]; w = load b[1]; y = mul v w; yield y }`,
  },
  {
    name: "bound that is not whole",
    args: [0.5, 3.5],
    text: "func f(x: num, n: num) { for i = 0 < n step 2 carry (s = 1) -> (s.2) { t = mul s x; t.1 = add t i; s.1 = sin t.1; yield s.1 }\n yield s.2 }",
  },
];

describe("gradient = finite differences", () => {
  for (const { name, text, args } of cases) {
    test(name, () => {
      const argnums = args.flatMap((arg, i) =>
        (name === "recursion" && i === 1) ||
        (name === "bound that is not whole" && i === 1) ||
        (name === "two joined arrays" && i === 2)
          ? []
          : arg === null
            ? []
            : [i],
      );
      const got = gradient(text, args, argnums);
      const expected = differences(text, args, argnums);
      // order 4 at h = 1e-3: truncation about 1e-12 of the fifth derivative, rounding about 1e-13 / h
      expectClose(got, expected, 1e-8);
    });
  }
});

describe("pullback", () => {
  for (const { name, text, args } of cases) {
    test(`${name}: twice the same, and the gradient times the seed`, () => {
      const { program, name: vjp } = derive(text, siteOf("vjp", "f", []), {
        volatile: args.map((_, i) => i),
      });
      const [, pullback] = run(program, vjp, structuredClone(args)).value as [
        number,
        (seed: number) => readonly unknown[],
      ];
      const first = pullback(2);
      expect(pullback(2)).toEqual(first);
      const argnums = [0];
      const doubled = differences(
        text.replace(/yield (\S+) \}$/, "r2 = mul $1 2; yield r2 }"),
        args,
        argnums,
      );
      expectClose([first[0]], doubled, 1e-8);
    });
  }
});

function expectClose(got: unknown, expected: unknown, tolerance: number): void {
  if (typeof expected === "number") {
    expect(typeof got).toBe("number");
    expect(Math.abs(Number(got) - expected)).toBeLessThanOrEqual(
      tolerance * Math.max(1, Math.abs(expected)),
    );
    return;
  }
  if (typeof expected !== "object" || expected === null) return;
  const keys = Object.keys(expected);
  expect(Object.keys(got as object)).toEqual(keys);
  for (const key of keys)
    expectClose(
      (got as Record<string, unknown>)[key],
      (expected as Record<string, unknown>)[key],
      tolerance,
    );
}
