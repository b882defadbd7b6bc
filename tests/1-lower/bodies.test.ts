// Bodies of functions: statements, operators, patterns, loops. Each module's `f` runs as JavaScript and as IR.

import { expect, test } from "vitest";
import { refusals, sameAsJs } from "./against-js.ts";

const NUMBERS: readonly (readonly [string, string, readonly (readonly unknown[])[]])[] = [
  [
    "arithmetic",
    "function f(x: number, y: number) { const a = x * y; return -a / (x - y) + x % y ** 2 - +y; }",
    [
      [2, 3],
      [-0, 5],
      [7, 7],
      [NaN, 1],
    ],
  ],
  [
    "bits",
    "function f(x: number, y: number) { return (x & y) + (x | 3) + (x ^ y) + (~x) + (x << 2) + (x >> 1) + (x >>> 1); }",
    [
      [6, 3],
      [-5, 2.5],
    ],
  ],
  [
    "Math",
    "function f(x: number) { return Math.sin(x) + Math.hypot(x, 2) + Math.max(x, 1, 3) + Math.PI * Math.abs(x) + Math.min() + Math.pow(x, 2); }",
    [[0.5], [-2]],
  ],
  [
    "Math aliases",
    "const { sin, cos: c } = Math; const root = Math.sqrt;\nfunction f(x: number) { const { exp } = Math; const l = Math.log; return sin(x) + c(x) + root(x) + exp(x) + l(x); }",
    [[0.5]],
  ],
  [
    "reassignment",
    "function f(x: number) { let s = x; s = s * 2; s += x; s **= 2; s -= 1; x = s + x; return x; }",
    [[1.5]],
  ],
  [
    "old value kept",
    "function f(x: number) { let s = x; return s + (s = 3) + s * (s += 1) + s; }",
    [[1.5]],
  ],
  [
    "increments",
    "function f(x: number) { let i = x; const a = i++ + ++i; const b = i-- - --i; return a * 100 + b * 10 + i; }",
    [[1], [2.5]],
  ],
  [
    "conditional",
    "function f(x: number) { return x > 0 ? x * 2 : x < -1 ? x * 3 : 0; }",
    [[1], [-0.5], [-3]],
  ],
  [
    "logical values",
    "function f(x: number, y: number) { const a = x || y; const b = x && y; return a * 10 + b + (x > 0 && y > 0 ? 1 : 0) + (!x ? 5 : 0); }",
    [
      [0, 2],
      [1, 0],
      [3, 4],
      [NaN, 1],
    ],
  ],
  [
    "short circuit effects",
    "function f(x: number) { let n = 0; const t = () => { n++; return true; }; x > 0 && t(); x > 0 || t(); if (x > 1 && t() || x < -1) n += 10; return n + x; }",
    [[0], [0.5], [2], [-2]],
  ],
  [
    "logical assignment",
    "function f(x: number, y?: number) { let a = x; a ||= 5; let b = x; b &&= 7; let c = y; c ??= 9; return a + b * 10 + c * 100; }",
    [[0, 1], [2], [3, 0]],
  ],
  [
    "comma and void",
    "function f(x: number) { let a = 0; const b = (a = x, a + 1); void (a = 5); return a + b; }",
    [[3]],
  ],
  [
    "assignment as value",
    "function f(x: number) { let a: number; let b: number; a = b = x * 2; return (a += 1) + b; }",
    [[3]],
  ],
  [
    "if else chains",
    "function f(x: number) { let y = 0; if (x > 2) y = 1; else if (x > 1) { y = 2; } else { y = 3; } return y * x; }",
    [[3], [1.5], [0]],
  ],
  [
    "early returns",
    "function f(x: number) { if (x > 2) return x; if (x > 1) { return x * 2; } for (let i = 0; i < 10; i++) { if (i > x) return i; } return -1; }",
    [[3], [1.5], [0.2], [-8]],
  ],
  [
    "while",
    "function f(x: number) { let n = 0; while (x > 1) { x /= 2; n++; if (n > 5) break; if (n === 2) continue; x += 0.1; } return x + n; }",
    [[10], [1], [1e6]],
  ],
  [
    "do while",
    "function f(x: number) { let n = 0; do { n++; if (n === 3) continue; x *= 0.5; } while (x > 1 && n < 20); return x + n; }",
    [[10], [0.5]],
  ],
  [
    "for forms",
    "function f(x: number, n: number) { let s = 0; for (let i = n - 1; i >= 0; i--) s += i * x; for (let i = 0, m = n; i < m; i += 2) s -= x / (i + 1); for (let i = 1; i <= 4; ++i) s *= 1.1; for (let i = 0; n > i; i = i + 1) s++; for (;;) { s++; break; } return s; }",
    [
      [2, 5],
      [1, 0],
      [1, 2.5],
    ],
  ],
  [
    "bound changes",
    "function f(x: number) { let n = 3; let s = 0; for (let i = 0; i < n; i++) { s += x; if (i === 1) n = 6; } return s; }",
    [[1]],
  ],
  [
    "index changes",
    "function f(x: number) { let s = 0; for (let i = 0; i < 10; i++) { s += x * i; if (i === 3) i += 2; } return s; }",
    [[1]],
  ],
  [
    "var",
    "function f(x: number) { for (var i = 0; i < 3; i++) { var t = i * x; x += t; } if (x > 1) { var u = 5; } else { var u = 6; } var s = 0; for (var i = 0; i < 2; i++) s += i; return x + u + s + i; }",
    [[1], [0.1]],
  ],
  [
    "labels",
    "function f(x: number) { let s = 0; outer: for (let i = 0; i < 4; i++) { for (let j = 0; j < 4; j++) { if (j > i) continue outer; if (i === 3) break outer; s += x * j + i; } } block: { if (x > 1) break block; s += 100; } return s; }",
    [[1], [2]],
  ],
  [
    "switch",
    "function f(x: number, k: number) { switch (k) { case 0: return x; case 1: case 2: { x *= 2; break; } default: x = 7; } return x + 1; }",
    [
      [3, 0],
      [3, 1],
      [3, 2],
      [3, 3],
    ],
  ],
  [
    "switch that falls through",
    "function f(x: number, k: number) { let s = 0; for (let i = 0; i < 2; i++) { switch (k + i) { case 0: s += x; case 1: s += 2 * x; if (x > 5) break; default: s += 10; continue; case 3: s += 100; } s += 1000; } return s; }",
    [
      [3, 0],
      [3, 1],
      [6, 0],
      [3, 2],
      [3, 3],
      [3, 9],
    ],
  ],
  [
    "switch on strings",
    'function f(x: number, k: "a" | "b" | "c") { switch (k) { case "a": return x; case "b": return x * 2; } return 0; }',
    [
      [3, "a"],
      [3, "b"],
      [3, "c"],
    ],
  ],
  [
    "throw",
    "function f(x: number) { if (x < 0) throw new Error(`negative: ${x}`); return Math.sqrt(x); }",
    [[4], [-1]],
  ],
  [
    "strings",
    'function f(x: number, name: string) { const label = `${name}:${x}` + "!"; const n = label.length; return typeof x === "number" && name.trim().startsWith("a") && /b+/.test(name) ? x * n : x; }',
    [
      [4, " ab"],
      [1, "c"],
    ],
  ],
  [
    "conversions",
    'function f(x: number, s: string, b: boolean) { return Number(s) + parseFloat(s) + Number(b) + (+b) + Number(x) + (Number.isInteger(x) ? 1 : 0) + (isNaN(x) ? 2 : 0) + (Number.isFinite(x) ? 4 : 0) + (String(x) === "1" ? 8 : 0); }',
    [
      [1, "2.5", true],
      [NaN, "7", false],
    ],
  ],
  [
    "equality",
    "function f(x: number, y?: number | null) { let s = 0; if (y === undefined) s += 1; if (y === null) s += 2; if (y == null) s += 4; if (y !== undefined && y !== null) s += y; if (x === 0) s += 8; if (x != 1) s += 16; return s + x; }",
    [[0], [1, null], [2, 3]],
  ],
  [
    "truth of optional",
    "function f(x: number, y?: number) { if (y) return y * x; return y ? 1 : !y ? x : 2; }",
    [[3], [3, 0], [3, 5]],
  ],
  [
    "module constants",
    "const K = 3; const TABLE = [1, 2, 3]; enum E { A = 4, B } const C = { w: 2, in: [5, 6] };\nfunction f(x: number) { let s = K * x; for (let i = 0; i < TABLE.length; i++) s += TABLE[i]! * x; return s + E.B * x + C.w * C.in[1]!; }",
    [[2]],
  ],
  [
    "default parameters",
    "function f(x: number, y = x * 2, z: number = y + 1) { return x + y * 10 + z * 100; }",
    [[1], [1, 5], [1, undefined, 3]],
  ],
  [
    "calls",
    "const twice = (x: number) => 2 * x;\nfunction add(x: number, y = 1, ...more: number[]): number { let s = x + y; for (const m of more) s += m; return s; }\nexport function f(x: number): number { return twice(x) + add(x) + add(x, 2) + add(x, 2, 3, 4); }",
    [[1.5]],
  ],
  ["recursion", "function f(x: number): number { return x < 1 ? x : f(x / 2) * 2 + 1; }", [[10]]],
  [
    "local functions",
    "function f(x: number) { let n = 0; const k = x * 2; function add(v: number) { n += v * k; if (v > 1) return n; return -n; } const g = (v: number, w = 2) => add(v) + w; return g(1) + g(2, 3) + n; }",
    [[1.5]],
  ],
  [
    "functions that take functions",
    "function integrate(g: (t: number) => number, a: number, b: number, n: number) { let s = 0; for (let i = 0; i < n; i++) { const t = a + (b - a) * i / n; s += g(t); } return s; }\nfunction f(x: number) { return integrate((t) => t * x, 0, 1, 5) + integrate(Math.sin, 0, x, 3) + integrate((t) => integrate((u) => u * t, 0, t, 2), 0, 1, 3); }",
    [[1.5]],
  ],
  [
    "immediately called",
    "function f(x: number) { return (() => { if (x > 1) return x; return 2 * x; })() + (function (y: number) { return y; })(x); }",
    [[1.5], [0.5]],
  ],
  [
    "random stays an effect",
    "function f(x: number) { return x * (Math.random() < 2 ? 1 : 0); }",
    [[1.5]],
  ],
];

test.each(NUMBERS)("numbers: %s", (_name, module, calls) => void sameAsJs(module, calls));

const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    "private field of a class itself",
    "class Rng { static #made = 0; constructor(public state: number) { Rng.#made++; } }\nfunction f(x: number) { return x * new Rng(42).state; }",
    "TSG1205 Rng.#made",
  ],
  [
    "module variable",
    "let ks = [1]; ks = [2];\nfunction f(x: number) { return x * ks[0]!; }",
    "TSG1115 ks",
  ],
  [
    "try",
    "function f(x: number) { try { return x; } finally { x = 2; } }",
    "TSG1110 try { return x; } finally { x = 2; }",
  ],
  ["sort", "function f(x: number[]) { x.sort(); return x[0]!; }", "TSG1208 x.sort()"],
  [
    "recursive closure with rest parameters",
    "function f(x: number) { const g = (n: number, ...rest: number[]): number => (n < 1 ? x : g(n - 1, ...rest)); return g(3, x); }",
    "TSG1123 g(3, x)",
  ],
  [
    "recursive closure with arguments",
    "function f(x: number) { function g(n: number, k?: number): number { return n < 1 ? x * arguments.length : g(n - 1); } return g(3, 1); }",
    "TSG1123 g(3, 1)",
  ],
  [
    "recursive closure made anew in each call",
    "function f(x: number) { const of = (k: number) => { const g = (n: number): number => (n < 1 ? x : of(n)(n - 1)); return g; }; return of(1)(3); }",
    "TSG1123 of(n)(n - 1)",
  ],
  [
    "stored function of a variable",
    "function f(x: number) { let k = x; const o = { g: () => k }; const p = o; o.g = () => 1; k = 2; return p.g(); }",
    "TSG1124 o",
  ],
  [
    "iterated text that is made of a number",
    "function f(x: number) { for (const c of x.toFixed(2)) x += c.length; return x; }",
    "TSG1120 x.toFixed(2)",
  ],
  [
    "changed function variable",
    "function f(x: number) { let g = () => x; g = () => 2 * x; return g(); }",
    "TSG1124 g",
  ],
];

test.each(REFUSED)("refused: %s", (_name, module, expected) =>
  expect(refusals(module)).toEqual([expected]),
);

test("a counted loop is recognised", () => {
  const program = sameAsJs(
    "function f(x: number[]) { let s = 0; for (let i = 0; i < x.length; i++) s += x[i]!; return s; }",
    [[[1, 2, 3]], [[]]],
  );
  const loops = program.funcs
    .get("f")
    ?.body.stmts.filter((stmt) => stmt.kind === "loop")
    .map((stmt) => stmt.kind === "loop" && stmt.loop.kind);
  expect(loops).toEqual(["for"]);
});
