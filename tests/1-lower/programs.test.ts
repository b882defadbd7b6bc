// Programs as people write them, each through lowering alone. Each module's `f` runs as JavaScript and as IR, raw and in SSA form.

import { expect, test } from "vitest";
import { refusals, sameAsJs } from "./against-js.ts";

const PROGRAMS: readonly (readonly [string, string, readonly (readonly unknown[])[]])[] = [
  [
    "logsumexp",
    `function logsumexp(xs: readonly number[]): number { const m = Math.max(...xs); let s = 0; for (const x of xs) s += Math.exp(x - m); return m + Math.log(s); }
function f(xs: number[]) { return logsumexp(xs) + logsumexp(xs.map(x => 2*x)); }`,
    [[[1, 2, 3]]],
  ],
  [
    "gmm",
    `interface Params { alphas: number[]; means: number[][]; icf: Float64Array[] }
interface Wishart { gamma: number; m: number }
function logGammaDistrib(a: number, p: number) { let out = 0.25 * p * (p - 1) * Math.log(Math.PI); for (let j = 1; j <= p; j++) out += a + 0.5 * (1 - j); return out; }
function logWishartPrior(p: number, k: number, w: Wishart, sumQs: number[], Qdiags: number[][], icf: Float64Array[]) {
  const n = p + w.m + 1; const C = n * p * (Math.log(w.gamma) - 0.5 * Math.log(2)) - logGammaDistrib(0.5 * n, p);
  let out = 0;
  for (let ik = 0; ik < k; ++ik) { const row = icf[ik]!; let frob = 0; for (const q of Qdiags[ik]!) frob += q * q; for (let i = p; i < row.length; i++) frob += row[i]! ** 2; out += 0.5 * w.gamma * w.gamma * frob - w.m * sumQs[ik]!; }
  return out - k * C; }
function Qtimesx(Qdiag: number[], ltri: Float64Array, x: number[]) { const d = Qdiag.length; const out = Qdiag.map((q, i) => q * x[i]!); let idx = d; for (let i = 0; i < d; i++) for (let j = i + 1; j < d; j++) { out[j]! += ltri[idx]! * x[i]!; idx++; } return out; }
function f(p: Params, xs: number[][], w: Wishart) {
  const k = p.alphas.length; const d = xs[0]!.length; const Qdiags = p.icf.map((r) => Array.from({ length: d }, (_, i) => Math.exp(r[i]!))); const sumQs = p.icf.map((r) => r.slice(0, d).reduce((a, b) => a + b, 0));
  let slse = 0; const terms = new Float64Array(k);
  for (const x of xs) { for (let ik = 0; ik < k; ik++) { const centered = x.map((v, i) => v - p.means[ik]![i]!); const q = Qtimesx(Qdiags[ik]!, p.icf[ik]!, centered); terms[ik] = p.alphas[ik]! + sumQs[ik]! - 0.5 * q.reduce((s, v) => s + v * v, 0); } let m = -Infinity; for (const t of terms) m = Math.max(m, t); let s = 0; for (const t of terms) s += Math.exp(t - m); slse += m + Math.log(s); }
  return slse + logWishartPrior(d, k, w, sumQs, Qdiags, p.icf); }`,
    [
      [
        {
          alphas: [0.1, 0.2],
          means: [
            [1, 2],
            [3, 4],
          ],
          icf: [new Float64Array([0.1, 0.2, 0.3]), new Float64Array([0.4, 0.5, 0.6])],
        },
        [
          [1, 1],
          [2, 3],
          [0, 1],
        ],
        { gamma: 1, m: 0 },
      ],
    ],
  ],
  [
    "quaternion",
    `interface Q { w: number; x: number; y: number; z: number }
const mul = (a: Q, b: Q): Q => ({ w: a.w*b.w - a.x*b.x - a.y*b.y - a.z*b.z, x: a.w*b.x + a.x*b.w + a.y*b.z - a.z*b.y, y: a.w*b.y - a.x*b.z + a.y*b.w + a.z*b.x, z: a.w*b.z + a.x*b.y - a.y*b.x + a.z*b.w });
const conj = ({ w, x, y, z }: Q): Q => ({ w, x: -x, y: -y, z: -z });
export default function rot(q: Q, v: readonly [number, number, number]): [number, number, number] { const r = mul(mul(q, { w: 0, x: v[0], y: v[1], z: v[2] }), conj(q)); return [r.x, r.y, r.z]; }
function f(q: Q, v: [number, number, number]) { const [a, b, c] = rot(q, v); return a + 2*b + 3*c; }`,
    [[{ w: 1, x: 2, y: 3, z: 4 }, [1, 2, 3]]],
  ],
  [
    "rk4",
    `type State = { x: number; v: number };
const deriv = (s: State, k: number): State => ({ x: s.v, v: -k * s.x });
function step(s: State, k: number, h: number): State { const addS = (a: State, b: State, c: number): State => ({ x: a.x + b.x * c, v: a.v + b.v * c }); const k1 = deriv(s, k); const k2 = deriv(addS(s, k1, h/2), k); const k3 = deriv(addS(s, k2, h/2), k); const k4 = deriv(addS(s, k3, h), k); return { x: s.x + h/6*(k1.x+2*k2.x+2*k3.x+k4.x), v: s.v + h/6*(k1.v+2*k2.v+2*k3.v+k4.v) }; }
function f(k: number) { let s: State = { x: 1, v: 0 }; for (let i = 0; i < 10; i++) s = step(s, k, 0.1); return s.x; }`,
    [[2]],
  ],
  [
    "newton",
    `function f(x: number) { let g = x / 2; let it = 0; while (Math.abs(g * g - x) > 1e-10 && it++ < 50) { g = 0.5 * (g + x / g); } return g; }`,
    [[2], [100]],
  ],
  [
    "dp",
    `function f(a: number[], b: number[]) { const n = a.length, m = b.length; const D: number[][] = Array.from({ length: n + 1 }, () => new Array<number>(m + 1).fill(Infinity)); D[0]![0] = 0; for (let i = 1; i <= n; i++) { for (let j = 1; j <= m; j++) { const cost = Math.abs(a[i-1]! - b[j-1]!); D[i]![j] = cost + Math.min(D[i-1]![j]!, D[i]![j-1]!, D[i-1]![j-1]!); } } return D[n]![m]!; }`,
    [
      [
        [1, 2, 3],
        [1, 3],
      ],
    ],
  ],
  [
    "lu",
    `function f(A: number[][]) { const n = A.length; const M = A.map(r => [...r]); let det = 1; for (let k = 0; k < n; k++) { let p = k; for (let i = k + 1; i < n; i++) if (Math.abs(M[i]![k]!) > Math.abs(M[p]![k]!)) p = i; if (p !== k) { const t = M[p]!; M[p] = M[k]!; M[k] = t; det = -det; } det *= M[k]![k]!; for (let i = k + 1; i < n; i++) { const c = M[i]![k]! / M[k]![k]!; for (let j = k; j < n; j++) M[i]![j]! -= c * M[k]![j]!; } } return det; }`,
    [
      [
        [
          [1, 2, 0],
          [3, 4, 1],
          [0, 1, 9],
        ],
      ],
    ],
  ],
  [
    "lstm",
    `type Layer = { W: number[][]; b: number[] };
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const matvec = (W: number[][], x: number[]) => W.map((row) => row.reduce((s, w, j) => s + w * x[j]!, 0));
const addv = (a: number[], b: number[]) => a.map((v, i) => v + b[i]!);
function layer({ W, b }: Layer, x: number[], act: (v: number) => number) { return addv(matvec(W, x), b).map(act); }
function f(layers: Layer[], x: number[]) { let h = x; for (const l of layers.slice(0, -1)) h = layer(l, h, Math.tanh); const last = layers.at(-1)!; h = layer(last, h, sigmoid); return h.reduce((s, v) => s + v, 0); }`,
    [
      [
        [
          {
            W: [
              [1, 2],
              [3, 4],
            ],
            b: [1, 2],
          },
          { W: [[1, -1]], b: [0] },
        ],
        [0.1, 0.2],
      ],
    ],
  ],
  [
    "relu branch",
    `const relu = (x: number): number => x > 0 ? x : 0; function f(x: number, xs: number[]) { return xs.map(relu).reduce((a, b) => a + b) * relu(x); }`,
    [[1, [1, -1]]],
  ],
  [
    "nested closures",
    `function f(x: number) { const mk = 3; let acc = 0; [1,2,3].forEach((a) => { [4,5].forEach((b) => { if (b === 5 && a === 2) return; acc += a * b * x * mk; }); }); return acc; }`,
    [[2]],
  ],
  [
    "labels in while",
    `function f(x: number) { let s = 0, i = 0; a: while (true) { i++; for (const y of [1,2,3]) { if (y * i > 7) break a; if (y === 2) continue a; s += y * x; } } return s + i; }`,
    [[2]],
  ],
  [
    "null results",
    `function find(xs: number[], t: number): number | null { for (const x of xs) if (x > t) return x; return null; }
function f(xs: number[], t: number) { const r = find(xs, t); if (r === null) return -1; const q = find(xs, t + 1) ?? 0; return r * q; }`,
    [
      [[1, 2, 3], 1],
      [[1], 1],
      [[1, 2], 1],
    ],
  ],
  [
    "undefined results",
    `function find(xs: number[], t: number): number | undefined { for (const x of xs) { if (x > t) return x; } }
function f(xs: number[], t: number) { const r = find(xs, t); return r !== undefined ? r : t; }`,
    [
      [[1, 2, 3], 1],
      [[1], 1],
    ],
  ],
  [
    "union literals",
    `type Kind = "l1" | "l2"; const pen = (k: Kind, w: number): number => { switch (k) { case "l1": return Math.abs(w); case "l2": return w * w; } };
function f(w: number[], kind: Kind) { let s = 0; for (const x of w) s += pen(kind, x); return s; }`,
    [
      [[1, -2], "l1"],
      [[1, -2], "l2"],
    ],
  ],
  [
    "never helper",
    `function fail(msg: string): never { throw new RangeError(msg); }
function f(x: number): number { if (x < 0) fail("neg " + x); if (x > 5) return fail("big"); return x; }`,
    [[1], [-1], [7]],
  ],
  [
    "assert",
    `function assert(c: boolean, m = "no"): asserts c { if (!c) throw new Error(m); }
function f(x?: number): number { assert(x !== undefined); return x * 2; }`,
    [[1], []],
  ],
  [
    "objects stored",
    `function f(x: number) { const a = { v: x }; const b = a; b.v += 1; const list = [a, { v: 2 * x }]; list[1] = b; list[0]!.v *= 3; const o = { in: list }; o.in.push({ v: 1 }); return a.v + list.length + o.in[1]!.v; }`,
    [[2]],
  ],
  [
    "chained",
    `function f(xs: number[]) { return xs.filter((_, i) => i % 2 === 0).map((x) => x ** 2).slice(1).reduce((a, b) => Math.max(a, b), -Infinity); }`,
    [[[1, 2, 3, 4, 5]]],
  ],
  [
    "typed fold",
    `function f(x: Float64Array) { return x.map(v => v * v).reduce((a, b) => a + b, 0) + Math.sqrt(x.reduce((s, v) => s + v * v, 0)); }`,
    [[new Float64Array([1, 2])]],
  ],
  [
    "reduce to array",
    `function f(xs: number[]) { const pre = xs.reduce<number[]>((acc, x) => { acc.push((acc.at(-1) ?? 0) + x); return acc; }, []); const cum = xs.reduce((acc, x) => [...acc, x + (acc[acc.length - 1] ?? 0)], [] as number[]); return pre.concat(cum); }`,
    [[[1, 2, 3]]],
  ],
  [
    "reduce to record",
    `function f(xs: number[]) { const { n, mean, m2 } = xs.reduce(({ n, mean, m2 }, x) => { const k = n + 1; const d = x - mean; const mu = mean + d / k; return { n: k, mean: mu, m2: m2 + d * (x - mu) }; }, { n: 0, mean: 0, m2: 0 }); return m2 / (n - 1) + mean; }`,
    [[[1, 2, 5]]],
  ],
  [
    "destructure in loops",
    `function f(ps: { p: [number, number]; w?: number }[]) { let s = 0; for (const { p: [a, b], w = 2 } of ps) s += a * b * w; ps.forEach(({ w, p }) => { s += (w ?? 1) * p[0]; }); return s; }`,
    [[[{ p: [1, 2] }, { p: [3, 4], w: 5 }]]],
  ],
  [
    "closure counter",
    `function f(x: number) { let calls = 0; const g = (y: number): number => { calls += 1; return y * calls; }; return g(x) + g(x) * g(g(x)) + calls; }`,
    [[2]],
  ],
  [
    "compose",
    `const compose = (f: (x: number) => number, g: (x: number) => number) => (x: number) => f(g(x)); function f(x: number) { const h = compose(Math.sin, (y) => y * 2); return h(x); }`,
    [[2]],
  ],
  [
    "object method call",
    `const ops = { sq: (x: number) => x * x, cube(x: number) { return x * x * x; } }; function f(x: number) { return ops.sq(x) + ops.cube(x); }`,
    [[2]],
  ],
  [
    "bool array",
    `function f(xs: number[], mask: boolean[]) { let s = 0; const m2 = xs.map((x) => x > 0); for (let i = 0; i < xs.length; i++) { if (mask[i] && m2[i]) s += xs[i]!; } return s; }`,
    [
      [
        [1, -2, 3],
        [true, true, false],
      ],
    ],
  ],
  [
    "let in loop",
    `function f(xs: number[]) { let s = 0; for (let i = 0; i < xs.length; i++) { let t; if (xs[i]! > 0) t = xs[i]!; else t = 1; let u = 0; while (u < 3) { u++; t *= 2; } s += t; } return s; }`,
    [[[1, -2, 3]]],
  ],
  [
    "early exit in nested fns",
    `function f(xs: number[]) { const first = (p: (x: number) => boolean): number => { for (const x of xs) { if (p(x)) return x; } return -1; }; return first((x) => x > 1) + first((x) => { if (x > 100) return true; return x < -1; }); }`,
    [[[1, -2, 3]]],
  ],
  [
    "Number props",
    `function f(x: number) { return x + Number.EPSILON * 2 + Number.MAX_SAFE_INTEGER / 1e16 + (x > Number.NEGATIVE_INFINITY ? 1 : 0) + Math.LN2 * Math.SQRT2; }`,
    [[1]],
  ],
  [
    "in place",
    `function heat(u: Float64Array, steps: number, k: number) { let cur = u; let next: Float64Array = new Float64Array(u.length); for (let s = 0; s < steps; s++) { for (let i = 1; i < cur.length - 1; i++) next[i] = cur[i]! + k * (cur[i-1]! - 2 * cur[i]! + cur[i+1]!); [cur, next] = [next, cur]; } return cur; }
function f(u: Float64Array, k: number) { const r = heat(u, 3, k); let s = 0; for (const v of r) s += v * v; return s; }`,
    [[new Float64Array([1, 2, 3, 4, 5]), 0.1]],
  ],
  [
    "recursion tree",
    `function f(x: number, n: number): number { if (n <= 1) return x; return f(x * 0.9, n - 1) + f(x * 1.1, n - 2); }`,
    [[1.5, 6]],
  ],
  [
    "mutual",
    `const isEven = (n: number, x: number): number => n === 0 ? x : isOdd(n - 1, x * 2); const isOdd = (n: number, x: number): number => n === 0 ? -x : isEven(n - 1, x + 1); function f(x: number) { return isEven(5, x); }`,
    [[1.5]],
  ],
  [
    "spread call tuple",
    `function g(a: number, b: number, c = 3) { return a * b + c; } function f(x: number) { const t: [number, number] = [x, 2]; return g(...t) + Math.max(...t); }`,
    [[1.5]],
  ],
  [
    "as const",
    `function f(x: number) { const dirs = [[1, 0], [0, 1]] as const; let s = 0; for (const [dx, dy] of dirs) s += dx * x + dy; const W = [1, 2, 3] as const; return s + W[0] + W[2]!; }`,
    [[1.5]],
  ],
  [
    "satisfies",
    `function f(x: number) { const cfg = { lr: 0.1, n: 3 } satisfies Record<string, number>; let s = x; for (let i = 0; i < cfg.n; i++) s -= cfg.lr * s; return s; }`,
    [[1.5]],
  ],
  [
    "index by var",
    `function f(p: number[], idx: number[]) { let s = 0; for (const i of idx) s += p[i]!; const j = idx[0]! + 1; p[j] = p[j]! * 2; return s + p[j]!; }`,
    [
      [
        [1, 2, 3],
        [0, 1],
      ],
    ],
  ],
  [
    "poly horner",
    `const horner = (cs: number[]) => (x: number) => cs.reduceRight((acc, c) => acc * x + c, 0); function f(cs: number[], x: number) { return horner(cs)(x); }`,
    [[[1, 2, 3], 2]],
  ],
  [
    "enum cond",
    `enum Act { Relu, Tanh } function act(a: Act, x: number) { return a === Act.Relu ? Math.max(0, x) : Math.tanh(x); } function f(x: number) { return act(Act.Relu, x) + act(Act.Tanh, x); }`,
    [[1.5]],
  ],
  [
    "const enum",
    `const enum K { A = 2, B = 3 } function f(x: number) { return x * K.A + K.B; }`,
    [[1.5]],
  ],
  [
    "optional call args",
    `function g(x: number, o: { k?: number } = {}) { const { k = 2 } = o; return x * k; } function f(x: number) { return g(x) + g(x, {}) + g(x, { k: 5 }); }`,
    [[1.5]],
  ],
  [
    "2d typed",
    `function f(w: Float64Array[], x: Float64Array) { let s = 0; for (let i = 0; i < w.length; i++) { const r = w[i]!; for (let j = 0; j < r.length; j++) s += r[j]! * x[j]!; } return s; }`,
    [[[new Float64Array([1, 2])], new Float64Array([3, 4])]],
  ],
  [
    "generics",
    `function sum<T>(xs: T[], g: (t: T) => number): number { let s = 0; for (const x of xs) s += g(x); return s; } function f(ps: { a: number }[]) { return sum(ps, (p) => p.a * 2); }`,
    [[[{ a: 1 }, { a: 2 }]]],
  ],
  [
    "generic no fn",
    `function last<T>(xs: T[]): T { return xs[xs.length - 1]!; } function f(x: number[]) { return last(x) * 2; }`,
    [[[1, 2]]],
  ],
  [
    "continue do",
    `function f(x: number) { let i = 0, s = 0; do { i++; if (i % 2) continue; s += i * x; } while (i < 5); return s; }`,
    [[1.5]],
  ],
  [
    "nested ternary",
    `function f(x: number) { return x > 2 ? "big".length : x > 1 ? x * 2 : x > 0 ? -x : NaN; }`,
    [[3], [1.5], [0.5], [-1]],
  ],
  [
    "sort copy",
    `function f(xs: number[]) { const ys = [...xs].sort((a, b) => a - b); return ys[0]!; }`,
    [[[3, 1]]],
  ],
  [
    "isNaN guard",
    `function f(x: number) { if (Number.isNaN(x) || !isFinite(x)) return 0; return x / (1 + Math.abs(x)); }`,
    [[1], [NaN], [Infinity]],
  ],
  [
    "destructure swap params",
    `function f([a, b]: [number, number], { c: { d } }: { c: { d: number } }) { [a, b] = [b, a]; a += d; return a - b; }`,
    [[[1, 2], { c: { d: 3 } }]],
  ],
  [
    "default obj param",
    `function f(x: number, { k = 1, m = k + 1 }: { k?: number; m?: number } = {}) { return x * k + m; }`,
    [[1], [1, {}], [1, { k: 3 }], [1, { m: 9 }]],
  ],
  [
    "array holes",
    `function f(x: number) { const [, b = x, ...r] = [1, 2, 3, x]; return b + r.length + r[1]!; }`,
    [[5]],
  ],
  [
    "for var outer",
    `function f(xs: number[]) { let i; let s = 0; for (i = 0; i < xs.length; i++) { s += xs[i]!; if (s > 3) break; } return s * i; }`,
    [[[1, 2, 3, 4]], [[]]],
  ],
  [
    "two counters",
    `function f(xs: number[]) { let s = 0; for (let i = 0, j = xs.length - 1; i < j; i++, j--) { s += xs[i]! * xs[j]!; } return s; }`,
    [[[1, 2, 3, 4]]],
  ],
  [
    "closure captures loop",
    `function f(xs: number[]) { let s = 0; for (let i = 0; i < xs.length; i++) { const g = () => xs[i]! * i; s += g() + g(); } return s; }`,
    [[[1, 2, 3, 4]]],
  ],
  [
    "mutate in callback",
    `function f(xs: number[]) { const out = new Float64Array(3); xs.forEach((x, i) => { out[i % 3]! += x; }); return out; }`,
    [[[1, 2, 3, 4]]],
  ],
  [
    "entries map",
    `function f(xs: number[]) { return [...xs.entries()].map(([i, x]) => i * x).reduce((a, b) => a + b, 0); }`,
    [[[1, 2, 3, 4]]],
  ],
  [
    "sorts",
    `interface P { t: number; v: number } function f(xs: number[], ps: P[], k: number) { const ys = [...xs].sort((a, b) => a - b); const zs = xs.slice().sort((a, b) => Math.abs(b - k) - Math.abs(a - k)); ps.sort((a, b) => a.t - b.t || b.v - a.v); xs.reverse(); const r = xs.toReversed(); const q = xs.toSorted((a, b) => b - a); return [...ys, ...zs, ...ps.map((p) => p.t * 10 + p.v), ...xs, ...r, ...q]; }`,
    [
      [
        [3, 1, 2, 2.5],
        [
          { t: 2, v: 1 },
          { t: 1, v: 3 },
          { t: 2, v: 5 },
        ],
        2,
      ],
      [[], [], 0],
    ],
  ],
  [
    "params mutated",
    `function f(x: number, y: number) { x += y; if (x > 3) { y = x; x--; } return x * y; }`,
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [
    "shadowing",
    `const k = 10; function g(k: number) { { const k = 3; if (k > 2) { let k = 5; k++; return k; } } return k; } function f(x: number) { const s = (x: number) => { const y = x * 2; return y; }; const y = s(x); return s(y) + y * g(x) + k; }`,
    [[1.5]],
  ],
  [
    "closure arg capture",
    `function apply(n: number, g: (i: number) => number) { let s = 0; for (let i = 0; i < n; i++) s += g(i); return s; } function f(x: number) { let i = 5; const r = apply(3, (j) => x * j + i); i = 7; return r + apply(2, (k) => apply(k + 1, (j) => j * i * x)); }`,
    [[1.5]],
  ],
  [
    "early return void",
    `function g(out: number[], x: number): void { if (x < 0) return; out.push(x); } function f(x: number) { const o: number[] = []; g(o, x); g(o, -x); return o.length * x; }`,
    [[1.5], [-1.5]],
  ],
  [
    "while assign cond",
    `function f(xs: number[]) { let s = 0, x: number | undefined; const st = [...xs]; while ((x = st.pop()) !== undefined) { s = s * 2 + x; } return s; }`,
    [[[1, 2, 3]]],
  ],
  [
    "stack queue",
    `function f(xs: number[]) { const st: number[] = []; for (const x of xs) { while (st.length > 0 && st[st.length - 1]! > x) st.pop(); st.push(x); } return st; }`,
    [[[1, 3, 2, 5, 4]]],
  ],
  [
    "string loop chars",
    `function f(s: string, x: number) { let n = 0; for (let i = 0; i < s.length; i++) { if (s[i] === "a" || s.charCodeAt(i) === 98) n++; } return n * x; }`,
    [["abcab", 2]],
  ],
  ["exp chain", `function f(x: number) { return x ** 2 ** 0.5 - (-x) ** 2 + 2 ** -x; }`, [[1.5]]],
  ["neg zero", `function f(x: number) { const z = -0; return 1 / (x * z) + 1 / z; }`, [[1.5]]],
  [
    "?? chain",
    `function f(o: { a?: number | null; b?: number }) { return (o.a ?? o.b ?? 7) * 2; }`,
    [[{}], [{ a: null }], [{ a: 0 }], [{ b: 3 }]],
  ],
  [
    "|| on optional",
    `function f(o: { a?: number }, y: number) { const k = o.a || y; return k * 2; }`,
    [
      [{}, 3],
      [{ a: 0 }, 3],
      [{ a: 4 }, 3],
    ],
  ],
  [
    "&& value",
    `function f(o: { a?: { b: number } }, y: number) { const k = o.a && o.a.b; return (k ?? 1) * y; }`,
    [
      [{}, 3],
      [{ a: { b: 2 } }, 3],
    ],
  ],
  [
    "optional record param",
    `interface O { tol?: number; max?: number } function g(x: number, o?: O) { const tol = o?.tol ?? 0.1; let n = 0; while (x > tol && n < (o?.max ?? 10)) { x /= 2; n++; } return x; } function f(x: number) { return g(x) + g(x, {}) + g(x, { tol: 0.5, max: 1 }); }`,
    [[3]],
  ],
  [
    "cond assign object",
    `function f(x: number) { let best = { v: -Infinity, i: -1 }; for (let i = 0; i < 3; i++) { const v = x * i; if (v > best.v) best = { v, i }; } return best.v + best.i; }`,
    [[3], [-1]],
  ],
  [
    "array of tuples",
    `function f(x: number) { const pts: [number, number][] = [[1, x], [2, x * 2]]; pts.push([x, 3]); let s = 0; for (const [a, b] of pts) s += a * b; pts[0]![1] = 5; for (const p of pts) s += p[0] * p[1]; return s; }`,
    [[3]],
  ],
  [
    "typed 2d",
    `function f(n: number, x: number) { const A = Array.from({ length: n }, () => new Float64Array(n)); for (let i = 0; i < n; i++) { A[i]![i] = x; if (i > 0) A[i]![i - 1]! -= 1; } let t = 0; A.forEach((r) => r.forEach((v) => (t += v))); return t; }`,
    [[3, 2]],
  ],
  [
    "u8 clamp",
    `function f(x: number) { const a = new Uint8ClampedArray(2); a[0] = x; a[1] = 300; const b = new Uint8Array([x, 257]); return a[0]! + a[1]! + b[1]!; }`,
    [[3.6]],
  ],
  [
    "nested early return",
    `function f(m: number[][], t: number) { for (const row of m) for (const v of row) { if (v > t) return v; if (v < -t) return -v; } return 0; }`,
    [
      [
        [
          [1, 2],
          [3, 4],
        ],
        2,
      ],
      [[[-9]], 2],
      [[], 1],
    ],
  ],
  [
    "do while break",
    `function f(x: number) { do { x -= 1; if (x < 2) break; } while (true); return x; }`,
    [[7.5]],
  ],
  [
    "comma for",
    `function f(n: number) { let a = 0, b = 1; for (let i = 0; i < n; i++, [a, b] = [b, a + b]); return a; }`,
    [[7]],
  ],
  [
    "template and throw",
    `function f(x: number[]) { if (x.length === 0) throw new TypeError(\`empty: \${x.length} \${JSON.stringify(x)}\`); return x[0]!; }`,
    [[[]], [[1]]],
  ],
  [
    "mixed compare",
    `function f(a: string, b: string, x: number) { return a < b ? x : a === b ? 2 * x : a.localeCompare(b) > 0 ? 3 * x : 0; }`,
    [
      ["a", "b", 1],
      ["b", "a", 1],
      ["a", "a", 1],
    ],
  ],
  [
    "bool ops",
    `function f(x: number) { const a = x > 1, b = x < 3; let c = a && b; c ||= x === 5; const d = a !== b; return (c ? 1 : 0) + (d ? 2 : 0) + Number(a) * x; }`,
    [[2], [5], [0]],
  ],
  [
    "global record mutate",
    `const scratch = [0, 0]; function f(x: number) { scratch[0] = x; scratch[1] = scratch[0]! * 2; return scratch[0]! + scratch[1]!; }`,
    [[2]],
  ],
  [
    "param default uses closure",
    `function f(x: number) { const k = (y: number, z = y * x) => y + z; return k(1) + k(1, 2); }`,
    [[2]],
  ],
  [
    "object spread override",
    `interface C { a: number; b: { c: number } } function f(o: C) { const p = { ...o, a: o.a + 1, b: { ...o.b, c: 9 } }; o.b.c = 100; return p.a + p.b.c; }`,
    [[{ a: 1, b: { c: 2 } }]],
  ],
  [
    "computed names",
    `function f(x: number) { const o = { ["a"]: x, "b-c": 2, 3: 4 }; return o.a + o["b-c"] + o[3]; }`,
    [[2]],
  ],
  [
    "sorts2",
    `interface P { t: number; v: number } function f(xs: number[], ps: P[], k: number) { const ys = [...xs].sort((a, b) => a - b); const zs = xs.slice().sort((a, b) => Math.abs(b - k) - Math.abs(a - k)); ps.sort((a, b) => a.t - b.t || b.v - a.v); xs.reverse(); const q = xs.toSorted((a, b) => b - a); return ys[1]! * 3 + zs[0]! ** 2 + ps[1]!.v * q[1]! + xs[0]! * xs.indexOf(2) + (xs.includes(3) ? xs[1]! : 0); }`,
    [
      [
        [3, 1, 2, 2.5],
        [
          { t: 2, v: 1 },
          { t: 1, v: 3 },
          { t: 2, v: 5 },
        ],
        2.1,
      ],
    ],
  ],
  [
    "lazy arrays",
    `function f(n: number, x: number) { const a = [...Array(n)].map((_, i) => i * x); const b = Array.from({ length: n }).map((_, i) => i + x); const c = Array(n).fill(undefined).map(() => x); const d = [...new Float64Array([1, x])]; return [a, b, c, d].reduce((s, r) => s + r.reduce((p, q) => p + q, 0), 0); }`,
    [[3, 2]],
  ],
  [
    "closure reads variable",
    `function f(x: number) { let s = x; const g = () => s; const h = () => { s += 1; return s; }; return g() + (s = 3) * g() + h() * g() - h(); }`,
    [[2]],
  ],
  [
    "optional statements",
    `function f(x: number, o?: { xs: number[]; cb?: number[] }) { o?.xs.push(x); o?.cb?.forEach((v) => { x += v; }); o?.cb?.push(7); const k = o?.xs.map((v) => v * 2); return x + (k?.length ?? 0) + (k?.[0] ?? 5) + (o?.cb?.at(-1) ?? 1); }`,
    [[2], [2, { xs: [1] }], [2, { xs: [1], cb: [4] }]],
  ],
  [
    "callback by name changes bound",
    `function f(x: number) { let n = 2; const g = (v: number) => { n = 4; }; let s = 0; for (let i = 0; i < n; i++) { s += x; [1].forEach(g); } return s; }`,
    [[2]],
  ],
  [
    "destructure from variable",
    `function f(x: number) { let p = [x, 2 * x, 3]; let q = 0; [p, q] = [[q, 1], p[1]!]; let a = 0, b = 0; [a, b] = p as [number, number]; [b, a] = [a, b]; ({ length: q } = p); return a * 100 + b * 10 + q; }`,
    [[2]],
  ],
  [
    "while with closures",
    `function f(x: number) { let go = true; let n = 0; const stop = () => { go = false; }; while (go) { n++; if (n * x > 10) stop(); } return n * x; }`,
    [[3]],
  ],
  [
    "many exits",
    `function f(xs: number[], t: number) { let r = 0; for (let i = 0; i < xs.length; i++) { const x = xs[i]!; if (x === 0) continue; inner: for (let j = 0; j < 5; j++) { switch (j % 3) { case 0: if (x > t) break inner; r += x; break; case 1: if (x < 0) { r -= x; continue inner; } r *= 1.5; default: r += 0.5; } if (r > 50) return r * t; } if (r < -20) break; } return r; }`,
    [
      [[1, 2, 0, -3, 4], 2.5],
      [[10, 20], 30],
      [[-9, -9, -9], 1],
    ],
  ],
  [
    "Object.entries fold",
    `interface P { a: number; b: number } function f(p: P) { let s = 0; for (const k of ["a", "b"] as const) s += p[k]; return s; }`,
    [[{ a: 1, b: 2 }]],
  ],
  [
    "fields chosen by name",
    `interface P { a: number; b: number; c: number } function f(p: P, g: P, k: "a" | "b") { for (const key of ["a", "b", "c"] as const) p[key] -= 0.1 * g[key]; p[k] *= 2; const q = k === "a" ? "b" : "a"; p[q]++; return p[k] + p[q] + p.c; }`,
    [
      [{ a: 1, b: 2, c: 3 }, { a: 4, b: 5, c: 6 }, "b"],
      [{ a: 1, b: 2, c: 3 }, { a: 4, b: 5, c: 6 }, "a"],
    ],
  ],
];

test.each(PROGRAMS)("program: %s", (_name, module, calls) => void sameAsJs(module, calls));
test.each(PROGRAMS)(
  "program, unchecked reads as undefined: %s",
  (_name, module, calls) => void sameAsJs(module, calls, { noUncheckedIndexedAccess: true }),
);

const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    "functions in an array that others have",
    "const kept: unknown[] = [];\nfunction f(x: number) { const fs = [Math.sin, (y: number) => y * 2]; fs.push(Math.cos); kept.push(fs); let s = 0; for (const g of fs) s += g(x); return s; }",
    "TSG1124 fs",
  ],
  [
    "function chosen at run time",
    "function f(x: number, b: boolean) { let act = Math.sin; if (b) act = Math.cos; return act(x); }",
    "TSG1124 act",
  ],
  [
    "union of number and array",
    "function f(x: number | number[], y: number) { return Array.isArray(x) ? x[0]! : y; }",
    "TSG1202 x[0]",
  ],
  [
    "number through text",
    'function f(x: number) { const s = "v" + x.toFixed(1); return x + parseFloat(s.slice(1)); }',
    "TSG1203 parseFloat(s.slice(1))",
  ],
  ["sort as text", "function f(xs: number[]) { return xs.sort()[0]!; }", "TSG1208 xs.sort()"],
  [
    "sort that counts",
    "function f(xs: number[]) { let n = 0; xs.sort((a, b) => n++ * 0 + a - b); return xs[0]! * n; }",
    "TSG1208 xs.sort((a, b) => n++ * 0 + a - b)",
  ],
  [
    "sort by keys that are not always there",
    "interface T { v: number; next?: { n: string } }\nfunction f(ts: T[]) { ts.sort((a, b) => a.v - b.v || (a.next ? a.next.n.localeCompare(b.next!.n) : 0)); return ts[0]!.v; }",
    "TSG1208 ts.sort((a, b) => a.v - b.v || (a.next ? a.next.n.localeCompare(b.next!.n) : 0))",
  ],
  [
    "sort that asks several elements",
    "function f(xs: number[]) { xs.sort((a, b) => { for (const x of xs) if (x > 5) return 1; return a - b; }); return xs[0]!; }",
    "TSG1208 xs.sort((a, b) => { for (const x of xs) if (x > 5) return 1; return a - b; })",
  ],
  ["bigint", "function f(x: number) { const b = 2n; return x * Number(b * 3n); }", "TSG1212 b"],
  [
    "class",
    "class C extends Map<string, number> { g() { return this.size; } }\nfunction f(x: number) { return x * new C().g(); }",
    "TSG1107 new C()",
  ],
];
test.each(REFUSED)("refused: %s", (_name, module, expected) =>
  expect(refusals(module)).toEqual([expected]),
);
