// Bodies of functions: arrays, tuples, typed arrays, records, destructuring, array methods. Each module's `f` runs as JavaScript and as IR.

import { expect, test } from "vitest";
import { refusals, sameAsJs } from "./against-js.ts";

const XS = [3, 1, -2, 0.5];
const MATRIX = [
  [1, 2],
  [3, 4],
  [5, 6],
];
const MODEL = { w: [1, 2, 3], b: 0.5, name: "m", inner: { k: 2, rows: [[1], [2, 3]] } };
const TYPES =
  "interface Model { w: number[]; b: number; name: string; inner: { k: number; rows: number[][] }; opt?: number }\n";

type Case = readonly [string, string, readonly (readonly unknown[])[]];

const ARRAYS: readonly Case[] = [
  [
    "reads and writes",
    "function f(xs: number[]) { xs[0] = xs[1]! * 2; xs[1]! += 3; xs[2]!++; const a = [xs[0]!, 1]; a[1] *= xs[3]!; let i = 0; xs[i++] = i; return a[0]! + a[1]! + xs[i]!; }",
    [[XS]],
  ],
  [
    "order of a write",
    "function f(xs: number[]) { let i = 0; xs[i] = (i = 1, xs[i]!); xs[i++]! += xs[i]! * i; return xs; }",
    [[XS]],
  ],
  [
    "nested arrays",
    "function f(a: number[][]) { for (let i = 0; i < a.length; i++) for (let j = 0; j < a[i]!.length; j++) a[i]![j]! += i * j; a[0]![1]! **= 2; const row = a[1]!; row[0] = 7; return a; }",
    [[MATRIX]],
  ],
  [
    "literals and spread",
    "function f(xs: number[], y: number) { const a = [y, ...xs, ...[1, y * 2], ...xs.slice(1)]; const t: [number, number] = [y, a.length]; const u = [...t, 3]; return [...a, ...u]; }",
    [[XS, 4]],
  ],
  [
    "tuples",
    'function pair(x: number): [number, string, number] { return [x, "s", x * 2]; }\nfunction f(x: number, t: [number, number], k: number) { const [a, , c] = pair(x); const p = pair(a); t[0] += p[2]; const [q, r = 3] = t; return a + c! + q + r + t[k]!; }',
    [[2, [5, 6], 1]],
  ],
  [
    "typed arrays",
    "function f(xs: Float64Array, n: number) { const a = new Float64Array(n); const b = new Float32Array([0.1, n]); const c = Float64Array.from(xs); const d = new Float64Array(xs); const e = Float64Array.of(1, n); const g = new Int32Array(3); g[0] = n * 1.7; a[0] = xs[0]!; a.fill(2, 1); c.set(a.slice(0, 1), 1); d[0] = 9; const h = Float64Array.from([1, 2], (v) => v * n); const m = xs.map((v) => v * 2); return [a[0]!, a[1]!, b[0]!, c[0]!, c[1]!, d[0]!, e[1]!, g[0]!, h[1]!, m[1]!, m.length]; }",
    [[new Float64Array([1.5, 2.5]), 2]],
  ],
  [
    "for of",
    "function f(xs: number[], a: number[][]) { let s = 0; for (const x of xs) { if (x < 0) continue; s += x; } for (const [i, x] of xs.entries()) s += i * x; for (const i of xs.keys()) s -= i; for (const v of xs.values()) s += v; for (const [p, q] of a) s += p! * q!; for (const e of xs.entries()) s += e[0] + e[1]; for (const k of [1, 2]) s *= k; let z = 0; for (z of xs) s += z; return s + z; }",
    [
      [XS, MATRIX],
      [[], []],
    ],
  ],
  [
    "growing while iterating",
    "function f(xs: number[]) { let s = 0; for (const x of xs) { s += x; if (xs.length < 7) xs.push(x + 1); } for (let i = 0; i < xs.length; i++) { s++; if (i === 1) xs.pop(); } return s; }",
    [[XS]],
  ],
  [
    "map, reduce and friends",
    "function f(xs: number[], k: number) { const a = xs.map((x, i) => x * k + i); const b = a.filter((x) => x > 0); const s = b.reduce((acc, x) => acc + x, 0) + xs.reduce((p, q) => p * q) + xs.reduceRight((p, q, i) => p - q * i, k); let t = 0; xs.forEach((x) => { if (x < 0) return; t += x; }); const e = xs.every((x) => x > -3) && xs.some((x) => x === 1) ? 1 : 0; const d = xs.find((x) => x < 1) ?? 7; return [s, t, e, d, xs.findIndex((x) => x < 0), xs.findLast((x) => x > 0) ?? 0, xs.indexOf(1), xs.includes(0.5) ? 1 : 0]; }",
    [
      [XS, 2],
      [[1], 0],
    ],
  ],
  [
    "empty reduce throws",
    "function f(xs: number[]) { return xs.reduce((a, b) => a + b); }",
    [[[]], [[2]]],
  ],
  [
    "named callbacks",
    "const sq = (x: number) => x * x;\nfunction add(a: number, b: number) { return a + b; }\nfunction f(xs: number[]) { return xs.map(sq).map(Math.abs).map(Number).reduce(add, 0) + xs.map(Math.sqrt).filter(Number.isFinite).length; }",
    [[XS]],
  ],
  [
    "early return in a callback",
    "function f(xs: number[]) { return xs.map((x) => { if (x < 0) return 0; for (const y of xs) { if (y > x) return y; } return x; }); }",
    [[XS]],
  ],
  [
    "building arrays",
    "function f(n: number, v: number) { const a = new Array<number>(n).fill(v); const b = Array.from({ length: n }, (_, i) => i * v); const c = Array(n).fill(0); const d = Array.from({ length: 2 }, () => new Array(2).fill(v)); d[0]![1] = 5; const g = Array(2).fill(0).map(() => Array(2).fill(1)); g[1][0] += v; const h: number[] = new Array(n); for (let i = 0; i < n; i++) h[i] = i + v; const m = [...Array(3).keys()].map((i) => i * v); const o = []; for (const x of a) o.push(x * 2); const all: number[][] = [a, b, c, ...d, ...g, h, m, o, Array.of(1, v), Array.from(a), Array.from(a, (x) => x + 1)]; return all; }",
    [
      [3, 2],
      [0, 1],
    ],
  ],
  [
    "slices and joins",
    'function f(xs: number[], a: number[][]) { const b = xs.slice(1, -1).concat(xs, [7], xs[0]!); const c = a.flat(); const d = a.flatMap((r) => [r[0]!, 0]); const l = xs.at(-1)! + (xs.at(9) ?? 100) + (xs.pop() ?? 0); const k = xs.push(4, 5); const t = xs.join("-").length; b.push(...c); b.fill(0, 1, 2); return [...b, ...d, l, k, t]; }',
    [[XS, MATRIX]],
  ],
  [
    "spread maximum",
    "function f(xs: number[], y: number) { return Math.max(...xs) + Math.min(y, ...xs.map((x) => x * 2)) + Math.max(...[1, y]); }",
    [
      [XS, 3],
      [[], 1],
      [[NaN], 1],
    ],
  ],
  [
    "missing elements",
    "function f(xs: number[], a: number[][]) { let s = 0; const v = xs[9] ?? 5; s += v + (xs[0] ?? 3); s += a[7]?.[0] ?? 11; s += a[1]?.[0] ?? 13; if (xs[2]) s += 100; if (xs[8] === undefined) s += 1000; const w = xs[8]; if (w !== undefined) s += w; else s += 0.25; xs[8] ??= 4; return s + xs[8]!; }",
    [[XS, MATRIX]],
  ],
  [
    "swap",
    "function f(xs: number[]) { let a = 1; let b = 2; [a, b] = [b, a + b]; [xs[0], xs[1]] = [xs[1]!, xs[0]!]; for (let i = 0; i < 5; i++) [a, b] = [b, a + b]; return a * 1000 + b + xs[0]!; }",
    [[XS]],
  ],
  [
    "memo table",
    "function f(n: number, x: number) { const memo: number[] = new Array(n + 1); const fib = [x, x]; for (let i = 2; i <= n; i++) fib[i] = fib[i - 1]! + fib[i - 2]!; memo[n] = 1; return memo[0] === undefined ? fib[n]! : 0; }",
    [[6, 1.5]],
  ],
  [
    "matrix product",
    "function mul(a: number[][], b: number[][]) { const out: number[][] = []; for (let i = 0; i < a.length; i++) { const row: number[] = []; for (let j = 0; j < b[0]!.length; j++) { let s = 0; for (let k = 0; k < b.length; k++) s += a[i]![k]! * b[k]![j]!; row.push(s); } out.push(row); } return out; }\nfunction f(a: number[][]) { return mul(a, [[1, 2, 3], [4, 5, 6]]); }",
    [[MATRIX]],
  ],
];

const RECORDS: readonly Case[] = [
  [
    "fields",
    `${TYPES}function f(m: Model, x: number) { m.w[1]! += x; m.b *= 2; m.inner.k++; m.inner.rows[1]![0]! -= x; const { w, b: bias, inner: { k, rows: [, second] } } = m; m["b"] = bias + k; let s = w.length; for (let i = 0; i < m.w.length; i++) s += m.w[i]!; return s + second![0]!; }`,
    [[MODEL, 3]],
  ],
  [
    "literals",
    `${TYPES}function f(m: Model, x: number) { const b = x; const n: Model = { ...m, b, w: m.w.map((v) => v * x), inner: { ...m.inner, k: 1 } }; n.w[0] = 100; return { n, old: m.b, both: [m, n].map((each) => each.b) }; }`,
    [
      [MODEL, 3],
      [{ ...MODEL, opt: 4 }, 3],
    ].slice(1),
  ],
  [
    "optional fields",
    `${TYPES}function f(m: Model, x: number, o?: { a?: number; r?: { v: number[] } }) { const k = m.opt ?? 7; const { opt = 3 } = m; const v = o?.r?.v[0] ?? x; const a = o?.a; m.opt = 1; if (a !== undefined && a > 0) return a * k; if (m.opt) return k + opt + v + m.opt; return 0; }`,
    [
      [MODEL, 3],
      [{ ...MODEL, opt: 2 }, 3, {}],
      [MODEL, 2, { r: { v: [5] } }],
      [MODEL, 2, { a: 3 }],
    ],
  ],
  [
    "destructured parameters",
    "function f({ a, b: { c = 4 } = {}, ...rest }: { a: number; b?: { c?: number }; d: number; e: number }, [x, y = 2, ...more]: number[]) { const g = ({ d }: { d: number }) => d; return a + c + rest.d * rest.e + x! + y + more.length + g(rest); }",
    [
      [{ a: 1, d: 2, e: 3 }, [1]],
      [{ a: 1, b: { c: 2 }, d: 2, e: 3 }, [1, 2, 3, 4]],
    ],
  ],
  [
    "destructuring assignment",
    "function f(x: number) { let a = 0; let b = 1; let c = 2; const o = { p: x, q: [x, 2 * x] }; ({ p: a, q: [b, c = 9] } = o); [a, , b = 5] = [1, 2]; [o.p, o.q[0]] = [b, c]; return [a, b, c, o.p, o.q[0]!]; }",
    [[3]],
  ],
  [
    "array of records",
    "interface P { x: number; y: number }\nfunction f(ps: P[]) { let best: P | undefined; for (const p of ps) { if (best === undefined || p.x > best.x) best = p; } for (const { x, y } of ps) if (x > y) ps[0]!.y += x; const c = ps.reduce((s, p) => ({ x: s.x + p.x, y: s.y + p.y }), { x: 0, y: 0 }); return c.x + c.y * (best === undefined ? 0 : best.y) + (best?.x ?? 0); }",
    [
      [
        [
          { x: 1, y: 2 },
          { x: 3, y: 1 },
        ],
      ],
      [[]],
    ],
  ],
  [
    "objects by key",
    'function f(x: number) { const o = { a: x, b: x * 2 }; let s = 0; for (const v of Object.values(o)) s += v; for (const [k, v] of Object.entries(o)) s += k === "a" ? v : -v; return s + Object.keys(o).length + ("a" in o ? 1 : 0); }',
    [[3]],
  ],
  [
    "spread with optional fields",
    "interface O { a?: number; b?: number }\nfunction f(x: number, o: O) { const d = { a: x, b: x + 1, ...o }; return d.a * 10 + d.b; }",
    [
      [3, {}],
      [3, { b: 7 }],
      [3, { a: 2, b: 7 }],
    ],
  ],
  [
    "scratch and helpers",
    "function axpy(a: number, x: number[], y: number[]): void { for (let i = 0; i < x.length; i++) y[i]! += a * x[i]!; }\nfunction f(x: number[], a: number) { const y = x.map(() => 1); axpy(a, x, y); axpy(2, y, x); return y.concat(x); }",
    [[XS, 2]],
  ],
  [
    "generic helper with callback",
    "function zip<A, B, C>(a: A[], b: B[], g: (x: A, y: B) => C): C[] { return a.map((x, i) => g(x, b[i]!)); }\nfunction f(a: number[], b: number[]) { return zip(a, b, (x, y) => x * y).reduce((s, v) => s + v, 0); }",
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ],
];

test.each(ARRAYS)("arrays: %s", (_name, module, calls) => void sameAsJs(module, calls));
test.each(ARRAYS)(
  "arrays, unchecked reads as undefined: %s",
  (_name, module, calls) => void sameAsJs(module, calls, { noUncheckedIndexedAccess: true }),
);
test.each(RECORDS)("records: %s", (_name, module, calls) => void sameAsJs(module, calls));

const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    "weak map",
    "function f(m: WeakMap<object, number>, k: object) { return m.get(k)!; }",
    "TSG1112 m.get(k)",
  ],
  [
    "map that grows while it is walked",
    'function f(m: Map<string, number>) { for (const [k, v] of m) m.set(k + "x", v); return m.size; }',
    'TSG1120 m.set(k + "x", v)',
  ],
  [
    "dynamic field",
    "function f(m: { a: number; b: number }, k: string) { return m.a * (m as any)[k]; }",
    "TSG1202 (m as any)[k]",
  ],
  [
    "callback that shortens",
    "function f(xs: number[]) { xs.forEach(() => { xs.pop(); }); return xs; }",
    "TSG1209 () => { xs.pop(); }",
  ],
  [
    "spread argument",
    "function f(xs: number[]) { return Math.atan2(...(xs as [number, number])); }",
    "TSG1111 ...(xs as [number, number])",
  ],
];
test.each(REFUSED)("refused: %s", (_name, module, expected) =>
  expect(refusals(module)).toEqual([expected]),
);
