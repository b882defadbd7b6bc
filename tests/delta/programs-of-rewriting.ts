// Small programs, each with a function `f(x)` of a number. Data for rewriting.test.ts: what is hard, and the source.
export const PROGRAMS: readonly (readonly [name: string, source: string])[] = [
  ["product", "function f(x: number) { return x * x + 3 * x; }"],
  ["division and power", "function f(x: number) { return x ** 3 / (1 + x * x) - x % 2; }"],
  ["sign", "function f(x: number) { return -x * +x; }"],
  ["Math", "function f(x: number) { return Math.sin(x) + Math.max(x, 1, x * x) + Math.floor(x); }"],
  ["local", "function f(x: number) { const y = x * 2; let z = y; z += x; z *= 3; return z - y; }"],
  ["comma", "function f(x: number) { let y = 1; return (y = x * 2, y * x); }"],
  ["chained assignment", "function f(x: number) { let a, b; a = b = x * 2; return a * b; }"],
  ["increment", "function f(x: number) { let y = x * x; y++; --y; return y++ * y; }"],
  ["conditional", "function f(x: number) { return x > 0 ? x * x : -x; }"],
  [
    "logical",
    "function f(x: number) { return (x || 5) * (x && x * 2) + ((null as number | null) ?? x); }",
  ],
  [
    "logical assignment",
    "function f(x: number) { let a = 0, b = x, c: number | null = null; a ||= x * 2; b &&= b * x; c ??= x; return a * b + c; }",
  ],
  [
    "if chain",
    "function f(x: number) { if (x > 5) return x; else if (x > 1) { return x * x; } else return 2 * x; }",
  ],
  ["for", "function f(x: number) { let s = 0; for (let i = 0; i < 5; i++) s += x * i; return s; }"],
  [
    "for active counter",
    "function f(x: number) { let s = 0; for (let t = x; t < 10; t += 1) s += t * t; return s; }",
  ],
  [
    "for with patterns in its head",
    "function f(x: number) { let s = 0; for (let [a, { b, c = a * x, ...r }, d = 2] = [x * x, { b: x, e: 3 * x } as { b: number; c?: number; e: number }] as const, i = 0, t = b; i < 4; i++, t *= a, [a, b] = [b, a]) s += t * c + d * i + r.e; for (const { length, 0: z = 1 } = [x, 2]; s < 100; ) s += length * z + x + 5; return s; }",
  ],
  [
    "for with a pattern, closures of its rounds",
    "function f(x: number) { const all: (() => number)[] = []; for (let [y, k] = [x, 1]; k < 4; k++, y *= x) all.push(() => y * k); return all.reduce((s, g) => s + g() * g(), 0); }",
  ],
  [
    "while and do",
    "function f(x: number) { let s = x; while (s < 20) s *= 2; do { s = s * x; } while (s < 50); return s; }",
  ],
  [
    "labels",
    "function f(x: number) { let s = 0; outer: for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) { if (j > i) continue outer; if (i > 2) break outer; s += x * j + i; } return s; }",
  ],
  [
    "block label",
    "function f(x: number) { let y = x; a: { if (x > 1) break a; y = x * x; } return y; }",
  ],
  [
    "switch",
    "function f(x: number) { let y = x; switch (Math.floor(x)) { case 0: y = 3 * x; break; case 1: y = x * x; case 2: y += x; break; default: return 7 * x; } return y; }",
  ],
  [
    "for of",
    "function f(x: number) { let s = 0; for (const y of [x, x * x, 3]) s += y * x; return s; }",
  ],
  [
    "for of existing",
    "function f(x: number) { let y = 0, s = 0; for (y of [x, 2 * x]) s += y * y; return s + y; }",
  ],
  [
    "for of pattern",
    "function f(x: number) { let s = 0; for (const [a, { b }] of [[x, { b: x * 2 }]] as any) s += a * b; return s; }",
  ],
  [
    "for in",
    "function f(x: number) { const o: Record<string, number> = { a: x, b: x * x }; let s = 0; for (const k in o) s += o[k]! * x; return s; }",
  ],
  [
    "try",
    "function f(x: number) { let y = 0; try { if (x > 0) throw x * x; } catch (e) { y = (e as number) * x; } finally { y += x; } return y; }",
  ],
  [
    "catch pattern",
    "function f(x: number) { try { throw { a: x * 3 }; } catch ({ a }: any) { return a * x; } }",
  ],
  [
    "array",
    "function f(x: number) { const a = [x, 2, x * x]; a[1] = x * 3; a[0] += a[2]!; a[1]!++; return a[0]! * a[1]!; }",
  ],
  [
    "array spread",
    "function f(x: number) { const a = [x, x * 2]; const b = [1, ...a, ...a]; return b[1]! * b[4]! + b.length; }",
  ],
  [
    "object",
    "function f(x: number) { const o = { a: x, b: { c: x * x } }; o.a *= 2; o.b.c -= o.a; return o.a * o.b.c; }",
  ],
  [
    "object spread",
    "function f(x: number) { const o = { a: x, b: 2 }; const p = { ...o, b: x * 3 }; return p.a * p.b; }",
  ],
  [
    "computed keys",
    "function f(x: number) { const k = 'q'; const o: any = { [k]: x, ['r' + k]: x * x }; return o.q * o.rq; }",
  ],
  [
    "object methods",
    "function f(x: number) { const o = { k: x, m(y: number) { return this.k * y; } }; return o.m(x + 1); }",
  ],
  [
    "object accessors",
    "function f(x: number) { const o: any = { k: x, get d() { return this.k * 2; }, set d(v: number) { this.k = v * x; }, z: x }; o.d = x * 3; return o.d * o.z; }",
  ],
  [
    "postfix member value",
    "function f(x: number) { const o = { n: x }; const old = o.n++; return old * o.n; }",
  ],
  [
    "destructuring",
    "function f(x: number) { const { a, b: [c, d = x * 5], ...r } = { a: x, b: [x * 2], e: x * 3 } as any; return a * c + d * r.e; }",
  ],
  [
    "array destructuring",
    "function f(x: number) { const [a, , b = 4, ...r] = [x, 1, x * x, x, 3 * x]; return a! * b + r[1]! * x; }",
  ],
  ["swap", "function f(x: number) { let a = x, b = x * x; [a, b] = [b, a]; return a - b * 2; }"],
  [
    "destructuring assignment",
    "function f(x: number) { let a, o: any = {}; ({ p: a = x, q: o.q } = { q: x * 4 } as any); return a * o.q; }",
  ],
  [
    "closure",
    "function f(x: number) { let s = 0; const add = (y: number) => { s += y * x; }; add(x); add(2); return s; }",
  ],
  [
    "per-iteration binding",
    "function f(x: number) { const fs: (() => number)[] = []; for (let i = 0; i < 3; i++) { const y = x * i; fs.push(() => y * x); } return fs[1]!() + fs[2]!(); }",
  ],
  [
    "nested function hoisted",
    "function f(x: number) { return g(2) * x; function g(y: number): number { return y * x; } }",
  ],
  [
    "recursion",
    "function f(x: number) { function p(n: number): number { return n === 0 ? 1 : x * p(n - 1); } return p(4); }",
  ],
  [
    "higher order",
    "function f(x: number) { const twice = (g: (y: number) => number) => (y: number) => g(g(y)); return twice((y) => y * x)(x); }",
  ],
  [
    "defaults and rest",
    "function f(x: number) { const g = (a: number, b = a * x, ...r: number[]) => a * b + (r[0] ?? 0); return g(x) + g(x, 2, x * x); }",
  ],
  [
    "pattern parameters",
    "function f(x: number) { const g = ({ a, b = 3 }: any, [c]: number[] = [x]) => a * b * c!; return g({ a: x }); }",
  ],
  [
    "spread call",
    "function f(x: number) { const g = (a: number, b: number, c: number) => a * b - c; const l = [x, x * 2] as const; return g(...l, x); }",
  ],
  [
    "arguments",
    "function f(x: number) { function g(..._: number[]) { return arguments[0] * arguments[1] * arguments.length; } return g(x, x); }",
  ],
  [
    "var",
    "function f(x: number) { for (var i = 0, s = 0; i < 3; i++) { var t = x * i; s += t; } return s * t!; }",
  ],
  ["var before", "function f(x: number) { if (x > 100) { var y = x; } return (y! ?? x) * x; }"],
  [
    "var behind return",
    "function f(x: number) { const n = 3, g = (y: number) => { n = y * x; for ([q] of [[n * y]]) n += q; return n; var n: number, q: number; }; return g(x) * n; }",
  ],
  [
    "what a value is, by Node",
    "function f(x: number) { const { Buffer: b, process: p } = globalThis as any, o = [x]; return b.isBuffer(o) || p.getBuiltinModule('node:util').types.isTypedArray(o) ? 1 : o[0]! * x; }",
  ],
  [
    "optional",
    "function f(x: number) { const o: any = { a: { b: x } }; return (o?.a?.b ?? 1) * (o.z?.b.c.d ?? x); }",
  ],
  [
    "optional call",
    "function f(x: number) { const o: any = { k: x, m(y: number) { return this.k * y; } }; return o.m?.(x) + (o.n?.(x) ?? x) + o?.m(2); }",
  ],
  [
    "class",
    "function f(x: number) { class P { a: number; constructor(a: number) { this.a = a; } m(y: number) { return this.a * y; } } return new P(x).m(x * 2); }",
  ],
  [
    "class fields",
    "function f(x: number) { class P { a = x * 2; b = 3; get c() { return this.a * x; } set c(v: number) { this.a = v; } } const p = new P(); p.c = x * 5; return p.c + p.b; }",
  ],
  [
    "inheritance",
    "function f(x: number) { class A { constructor(public a: number) {} m(y: number) { return this.a + y; } } class B extends A { constructor(a: number) { super(a * x); } m(y: number) { return super.m(y) * x; } } return new B(x).m(2); }",
  ],
  [
    "statics",
    "function f(x: number) { class A { static k = 2; static m(y: number) { return y * A.k; } static { A.k = 3; } } return A.m(x) * x; }",
  ],
  [
    "private",
    "function f(x: number) { class A { #v = 0; set(y: number) { this.#v = y * x; this.#v += x; return this; } #n(y: number) { return this.#v * y; } get() { return this.#n(x); } } return new A().set(x).get(); }",
  ],
  [
    "class expression",
    "function f(x: number) { const K = class { v = x; m() { return this.v * x; } }; return new K().m(); }",
  ],
  [
    "constructor function",
    "function f(x: number) { const V: any = function (this: any, a: number) { this.a = a; }; V.prototype.m = function (y: number) { return this.a * y; }; return new V(x).m(x); }",
  ],
  [
    "generator",
    "function f(x: number) { function* g() { yield x; yield* [x * x, 3]; const s: number = yield 2 * x; return s; } let t = 0; for (const v of g()) t += v * x; return t; }",
  ],
  [
    "template",
    "function f(x: number) { const s = `a${x}b${1 + 1}`; return x * s.length * 0 + x * x; }",
  ],
  [
    "tagged",
    "function f(x: number) { const tag = (s: TemplateStringsArray, v: number) => v * x + s.length; return tag`a${x}b`; }",
  ],
  [
    "typeof in delete void",
    "function f(x: number) { const o: any = { a: x, b: x }; delete o.b; return ('b' in o ? 0 : x) * (typeof x === 'number' ? x : 0) + (void 0 ?? o.a); }",
  ],
  [
    "instanceof",
    "function f(x: number) { class A { v = x; } const a: unknown = new A(); return a instanceof A ? a.v * x : 0; }",
  ],
  ["regex", "function f(x: number) { return /\\d/.test('1') ? x * x : x; }"],
  [
    "new.target",
    "function f(x: number) { class A { k: boolean; constructor() { this.k = new.target === A; } } return new A().k ? x * x : 0; }",
  ],
  [
    "map and reduce",
    "function f(x: number) { return [1, 2, 3].map((k) => k * x).reduce((a, b) => a * b, x); }",
  ],
  ["exponent assignment", "function f(x: number) { let y = x; y **= 3; return y; }"],
  [
    "order of effects",
    "function f(x: number) { let y = x; const g = (a: number, b: number, c: number) => a * 100 + b * 10 + c; return g(y, (y = y * x), y); }",
  ],
  [
    "objects as operands",
    "function f(x: number) { class Sum { p = new Float64Array(4); n = 0; add(y: number) { this.p[this.n++] = y; return this; } valueOf() { let s = 0; for (let i = 0; i < this.n; i++) s += this.p[i]!; return s; } } const a: any = new Sum().add(x * x).add(x), b = a; return +a + b * x - Math.sqrt(a) + Number(b) / 2 + 3 ** a; }",
  ],
  [
    "toPrimitive",
    "function f(x: number) { const o: any = { [Symbol.toPrimitive](hint: string) { return hint === 'number' ? x * 2 : x; } }; const f64 = new Float64Array(1); f64[0] = o; return o * o + (o + 1) - Math.max(o, 1) * f64[0]! + -o; }",
  ],
  [
    "this as operand",
    "function f(x: number) { const o = { k: x, valueOf() { return this.k; }, twice(): number { return (this as any) * 2; } }; return o.twice() * x; }",
  ],
  [
    "length of a typed array",
    "function f(x: number) { const size = (list: ArrayLike<number>) => list.length; const a = Float64Array.of(x, 2 * x); return a[1]! * size(a) + new DataView(a.buffer).byteLength; }",
  ],
  [
    "rest parameter written",
    "function f(x: number) { const sum = (...xs: any[]) => { xs = xs.map((y) => y * x); xs = xs.length > 1 ? xs.slice(1) : xs; return xs[0] + xs.length; }; const last = (...xs: any) => { xs = xs[xs.length - 1]; return xs * x; }; return sum(x, x * 2) + last(1, x); }",
  ],
  [
    "function that replaces itself",
    "function f(x: number) { function pick(y: number): number { (pick as any) = y > 1 ? Math.sqrt.bind(null) : (z: number) => z * 2; return pick(y); } return pick(x) * pick(x); }",
  ],
  [
    "var declared twice and in blocks",
    "function f(x: number) { var y = x; if (x > 0) { var y = y * x; } for (var i = 0; i < 2; i++) { var z = y * i; } return y + z!; }",
  ],
  [
    "class written",
    "function f(x: number) { let C: any = class { v = 1; }; C = x > 0 ? [x * x][0] : C; return C * x; }",
  ],
  [
    "ids that nobody reads",
    "function f(x: number) { const y = x * x; let z = 0; z = y * 2; let w = 0; const v = (w = x * 3); if (y > 1 && z > 2 && w > 0) return v * x; return x; }",
  ],
  [
    "objects in typed arrays",
    "function f(x: number) { let n = 0; const o: any = (k: number) => ({ valueOf() { return x * k + x * n++; } }); const a = Float64Array.from([1, 2], (k) => o(k)), b = Float64Array.of(o(3), x), c = new Float64Array([o(4), x]), d = new Float64Array(3).fill(o(5)), e = b.map(() => o(6)); d.set([o(7), x], 1); return a[1]! * b[0]! + c[0]! * d[0]! + d[1]! * e[1]! + d[2]!; }",
  ],
  [
    "text that is not read back",
    "function f(x: number) { const o = { [`k${x}`]: x * x }; const label = `${x.toFixed(2)} of ${String(x)}` + x + [x, 1].join(' '); return o[`k${x}`]! * label.slice(0, 1).length + x.valueOf() + Number('3') * +'4'; }",
  ],
  [
    "labels of loops with var",
    "function f(x: number) { let s = 0; a: b: for (var i = 0; i < 5; i++) { for (var j = 0, k = 3; j < k; j++) { if (i === 1) continue b; if (j > 1) break; if (i > 3) break a; s += x * j + i * x; } } return s; }",
  ],
  [
    "a validator by way of text",
    "function f(x: number) { const isDecimal = (v: number) => { const t = v.toString().trim(); return !isNaN(parseFloat(t)) && parseFloat(t) === Number(t) && +t * 1 === v; }; return isDecimal(x) ? x * Math.sqrt(x) : 0; }",
  ],
  // arithmetic that is one node: what is read again for a partial is what the value was computed from
  [
    "assigned what it is made of",
    "function f(x: number) { let y = x; for (let i = 0; i < 3; i++) y = 0.3 * y * y * (1 - y); return y; }",
  ],
  ["assigned in a product", "function f(x: number) { let y = x; return y * (y = x * x) + y; }"],
  [
    "counted in a product",
    "function f(x: number) { let y = x * x; return y++ * y + y * --y - (y += x) / y; }",
  ],
  [
    "assigned by a call in a product",
    "function f(x: number) { let y = x * x; const g = () => { y = 3 * x; return x; }; return y * g() + y / g() + (y * x - 1) * g(); }",
  ],
  [
    "one operand put aside before a call, with its partial",
    "function f(x: number) { const a = [x, 2 * x, 1]; const g = (k: number) => { a[k] = 7 * x; return x; }; let y = x; const h = () => { y = y * x; return y; }; return 3 * a[0]! * g(0) + -a[1]! * g(1) * (y * 2) * h() - y * y * h() + (y - 2) * h() - a[0]! * (a[2]! + 1) * g(2); }",
  ],
  ["var declared again", "function f(x: number) { var y = x * 2; var y = y * y; return y; }"],
  [
    "signs",
    "function f(x: number) { return (-x) ** 2 - -(x ** 2) + x * -(-x) - (x - (x - x * (x - 1))) * -2; }",
  ],
  [
    "quotients in quotients",
    "function f(x: number) { return x / (1 + x / (2 - 1 / x)) / (x * x / 3) - 1 / (x / (x + 1)); }",
  ],
  [
    "many operands",
    "function f(x: number) { const a = x * x, b = x + 1, c = 2 / x, d = x - 3, e = a * b; return a * b - b * c + c * d * e - (d - e) * (a + c) * (b - d) / (a * c * e + b * b) + a * a * a * b * b * c; }",
  ],
  [
    "a factor 0 hides a pole",
    "function f(x: number) { const zero = Math.min(x, 0), tiny = x * 1e-308, w = (x - 1.3) ** 2; return zero * (1 / tiny) + w * Math.sqrt(w) + x * x; }",
  ],
  [
    "lost and inactive operands",
    "function f(x: number) { const k = Math.floor(x) + 1, l = -k; return l * x - k / x + k * l + (x * l - k) * k; }",
  ],
  // lists that loops read
  [
    "list read and written in loops",
    "function f(x: number) { const a = [x, x * x, 2]; let s = 0; for (let i = 0; i < 3; i++) { s += a[i]! * x; a[i] = s; } for (let i = 2; i >= 0; i--) s += a[i]! * a[i]! * 0.01; return s; }",
  ],
  [
    "list written by a call in a product",
    "function f(x: number) { const a = [x, 2 * x]; const g = (k: number) => { a[k] = 5 * x; return x; }; let s = 0; for (let i = 0; i < 2; i++) s += a[i]! * g(i) + a[i]!; return s; }",
  ],
  [
    "list that becomes active later",
    "function f(x: number) { const a = [1, 2, 3]; const b = a; let s = 0; for (let k = 0; k < 2; k++) { for (let i = 0; i < 3; i++) s += a[i]! * x; b[k] = s; } return s; }",
  ],
  [
    "list by an index that is computed",
    "function f(x: number) { const a = [x, x * x, 2, 3 * x], n = a.length; let s = 0, k = 0; for (let i = 0; i < 2; i++) { s += a[2 * i + 1]! * a[n - 1 - i]! + a[a.length - 1]!; a[i + (k = 1)] = s; a[k - i] += x; } return s + a[0]! * a[1]!; }",
  ],
  [
    "list that functions inside read and write",
    "function f(x: number) { const a = [x, 1], b: number[] = []; const put = (k: number) => { b[k] = a[k]! * x; b[k] += a[0]!; }; a.forEach((v, k) => { put(k); a[k] = v * a[k]!; }); const sum = (a: number[], k: number) => a.map((v) => v * a[k]!)[k]!; return b[0]! * b[1]! + sum(b, 1) + a[0]!; }",
  ],
  [
    "list that a generator writes",
    "function f(x: number) { const a = [x, 2]; function* steps() { for (let i = 0; i < 3; i++) { a[i % 2] = a[i % 2]! * x; yield a[0]! * i; } } let s = 0; for (const v of steps()) s += v * a[1]!; return s; }",
  ],
  [
    "list written behind its end and with what is no number",
    "function f(x: number) { const a: any[] = [x], b = a as number[]; for (let i = 0; i < 3; i++) { b[i + 1] = b[i]! * x; b[4] = a[1]; a[1] = i === 1 ? 'none' : x; b[1] = a[1]; } b[0.5] = x; return b[2]! * b[3]! + b[0.5]!; }",
  ],
  [
    "typed list, an integer one and one that shares its bytes",
    "function f(x: number) { const a = new Float64Array(3), b = new Int32Array(2), c = a.subarray(1); for (let i = 0; i < 3; i++) { a[i] = x * (i + 1); if (i < 2) { b[i] = x * x; c[i] = c[i]! + x; } a[i + 5] = x; } let s = 0; for (let i = 0; i < 3; i++) s += a[i]! * x + (c[i] ?? 0) + (b[i] ?? 0); return s; }",
  ],
  [
    "list that is a parameter with a default",
    "function f(x: number) { const g = (a: number[], b = [x, 2], first = (() => a[0]! * b[0]!)()) => { let s = first; for (let i = 0; i < 2; i++) { s += a[i]! * b[i]!; b[i] ||= x; b[i]!++; } return s * b[1]!; }; return g([x, 3]) + g([1, x], [0, x]); }",
  ],
  [
    "list shorter than a loop",
    "function f(x: number) { const a = [x, 3]; let s = 0; for (let i = -1; i < 4; i++) s += (a[i] ?? x * x) * x; a.length = 1; for (let i = 0; i < 2; i++) s += a[i] ?? 1; return s; }",
  ],
  [
    "typed list and a part of it",
    "function f(x: number) { const a = new Float64Array([x, x * x, 3, 1]), b = a.subarray(1, 3); let s = 0; for (let i = 0; i < 4; i++) s += a[i]! * x; for (let i = 0; i < 2; i++) { b[i] = s * b[i]!; s += b[i]! * 0.1; } for (let i = 0; i < 4; i++) s += a[i]! * a[i]! * 1e-3 + (b[i] ?? 0); return s; }",
  ],
  [
    "typed lists of one buffer",
    "function f(x: number) { const a = new Float64Array(4), c = new Float64Array(a.buffer); let s = 0; for (let i = 0; i < 4; i++) { s += a[i]! + x; c[i] = s * x; } for (let i = 0; i < 4; i++) s += a[i]! * 0.1; return s; }",
  ],
  [
    "lists of parameters and of rests",
    "function f(x: number) { const g = (a: number[], ...r: number[]) => { let s = 0; for (let i = 0; i < r.length; i++) s += a[i]! * r[i]!; return s; }; let t = 0; for (const row of [[x, 1], [2, x * x]]) for (let i = 0; i < 2; i++) t += row[i]! * x; return t + g([x, 3, x * x], 2, x, x); }",
  ],
  [
    "list in a generator",
    "function f(x: number) { const a = [x, x * x]; function* g(b: number[]) { for (let i = 0; i < 2; i++) yield b[i]! * x; } let s = 0; for (const y of g(a)) { a[1] = y; s += y; } return s; }",
  ],
  // records
  [
    "record whose members count",
    "function f(x: number) { let y = x; const o = { a: y, b: y++ * 2, c: y * y, d: 1 }; return o.a * o.b + o.c * o.d; }",
  ],
  [
    "field that becomes an accessor",
    "function f(x: number) { const o: any = { a: x }; let s = o.a; Object.defineProperty(o, 'a', { get: () => x * x }); s += o.a; return s * o.a; }",
  ],
  [
    "field that is taken away",
    "function f(x: number) { const o: any = Object.create({ a: x * x }); let s = o.a * x; o.a = 2 * x; s += o.a; delete o.a; return s + o.a; }",
  ],
  [
    "fields of functions and of parent classes",
    "function f(x: number) { const g: any = () => 0; g.k = x * x; const A: any = class { static k = 0; }, B: any = class extends A {}; A.k = x * 3; return g.k * x + B.k; }",
  ],
  // records whose fields are read where they stand
  [
    "record, or what only looks like one",
    "function f(x: number) { type P = { a: number; b: number }; let asked = 0; const read = (p: P, q: P) => p.a * q.b + p.b * p.a; class C { constructor(private readonly v: number) {} get a() { asked++; return this.v * 2; } get b() { return this.v; } } const up: P = Object.create({ a: x, b: x * x }); return read({ a: x, b: 2 }, new C(x)) + read(new C(x), { a: x * x, b: x }) + read(up, new C(1)) + read(Object.freeze({ a: x, b: x }), up) + asked; }",
  ],
  [
    "record that is written, in the middle by others",
    "function f(x: number) { type P = { a: number; b: number }; const p: P = { a: x, b: 1 }; const set = (o: P, v: number) => { o.a = v; return o.b; }; const s = p.a + set(p, x * x) * p.a + (p.b = x) * p.b; Object.assign(p, { b: x * 3 }); return s * p.b + (p.a += p.b) * p.a + p.a++ * p.a; }",
  ],
  [
    "record whose field becomes an accessor, and goes",
    "function f(x: number) { const p: { a: number } = { a: x }; let s = p.a; Object.defineProperty(p, 'a', { get: () => x * x, configurable: true }); s += p.a * p.a; delete (p as any).a; s += (p.a as any) === undefined ? x : 0; (p as any).a = 3 * x; return s * p.a; }",
  ],
  [
    "records in loops, one in the other",
    "function f(x: number) { type Q = { v: number; next: Q | null }; let list: Q | null = null; for (let i = 0; i < 4; i++) list = { v: x * i, next: list }; let s = 0; for (let at: Q | null = list; at !== null; at = at.next) { const q: Q = at; s += q.v * (q.next === null ? x : q.next.v); } for (const q of [{ v: x }, { v: 2 }]) s *= q.v + q.v; return s; }",
  ],
  [
    "record that a function inside and a generator read",
    "function f(x: number) { const p = { a: x, b: { c: 2 * x } }; const g = (k: number) => p.a * k + p.b.c; function* h() { yield p.a; p.a *= x; yield p.a * p.b.c; } let s = g(2); for (const v of h()) s += v * g(1); return s; }",
  ],
  [
    "record with fields of every object, or none at all",
    "function f(x: number) { const o = { constructor: x, toString: () => 'o', valueOf: () => 2 * x } as unknown as { constructor: number; valueOf(): number }, none = null as { a: number } | null; let s = 1; try { s += none!.a; } catch { s += x; } const n = x as unknown as { a?: number } & { length: number }; return s * o.constructor * +o + (n.length ?? x); }",
  ],
  [
    "patterns of records, or what only looks like one",
    "function f(x: number) { type P = { a: number; b: number }; class C { constructor(private readonly v: number) {} get a() { return this.v * 2; } get b() { return this.a * x; } } const up: P = Object.create({ a: x, b: x * x }); const read = ({ a, b }: P, q: P) => { const { b: c, a: d } = q; let { a: e, b: g } = q; e *= g; return a * c + b * d + e; }; let o: P = { a: x, b: 2 * x }; const { a, b } = o; o = { a: b, b: a }; return read(o, new C(x)) + read(new C(x), o) + read(up, o) + a * b; }",
  ],
  [
    "a pattern that assigns what it takes apart",
    "function f(x: number) { var o: any = { o: x * x, b: x }; var { o, b } = o; return o * b; }",
  ],
  [
    "text that looks like temporaries",
    "function f(x: number) { const s = 'let t$7;' + ' const a$ids = $d.idsOf(a); const a$fields = $d.fieldIds(a);'; return x * x * s.length; }",
  ],
  [
    "records spread over each other",
    "function f(x: number) { const o: any = { a: x, ...{ a: x * x, b: x }, toString: 3, b: 2 }; return o.a * o.b + o.toString * x; }",
  ],
  // sums that loops add to
  [
    "sum that is kept on the way",
    "function f(x: number) { const a = [x, 2, x * x], kept: number[] = []; let s = 0, t = 0, u = 0; for (let i = 0; i < 3; i++) { s += a[i]! * x; kept.push(s); } for (let i = 0; i < 3; i++) { t += a[i]! * a[i]!; u = t; } for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) t += a[j]! * x; kept[i] = kept[i]! * t; t -= kept[i]! * 1e-3; } return kept[0]! * kept[1]! + kept[2]! * t + u; }",
  ],
  [
    "sums side by side, one of the other, taken back and begun anew",
    "function f(x: number) { const a = [x, 2, x * x, 3 * x]; let s = 0, t = x, u = 0, v = 0; for (let i = 0; i < 4; i++) { s += a[i]! * x; t = t - a[i]!; u += s * a[i]!; if (i === 1) s = a[2]!; if (s > 1e6) s = 0; v -= a[i]! * t; } const w = s; for (let i = 0; i < 4; i++) s += a[i]!; return s * t + u * v + w; }",
  ],
  [
    "sum that a function inside, a call of itself and an error see",
    "function f(x: number) { const a = [x, 2 * x, 3]; let seen = 0; const g = (n: number): number => { let s = 0; for (let i = 0; i < 3; i++) { s += a[i]! * x; if (n > 0) s += g(n - 1) * a[i]!; try { if (i === 1) throw s; } catch (e) { s -= (e as number) * 0.5; } if (i === n) return s; } return s; }; const h = () => { let s = x; const read = () => s; let t = 0; for (let i = 0; i < 3; i++) { s += a[i]!; t += read() * a[i]!; } return s * t; }; for (const k of [0, 1, 2]) seen += g(k) * h(); return seen; }",
  ],
  [
    "sum in loops of all kinds",
    "function f(x: number) { const a = [x, x * x, 2]; let s = 0, i = 0; while (i < 3) s += a[i++]! * x; do s += a[--i]!; while (i > 0); for (const v of a) s += v * v; for (const k in a) s += a[+k]! * x; outer: for (;;) { s += a[0]!; if (i++ > 2) break outer; } for (let k = 0; k < 3; s += a[k++]!) s -= x; const r = s; for (const v of a) { s += v; if (s > r + 2) break; } return r * s; }",
  ],
  [
    "lists that change while a loop reads them",
    "function f(x: number) { type M = { w: number[] }; const ms: M[] = [{ w: [x, 2] }, { w: [3, x * x] }]; let s = 0, m: M = ms[0]!, at = 0; for (let i = 0; i < 4; i++) { s += m.w[i % 2]! * x + ms[i % 2]!.w[at++ % 2]! * at; m.w[(i + 1) % 2] = s * 0.1; m = ms[i % 2]!; if (i === 2) m.w = [x, s]; m.w[at % 2] += m.w[(at + 1) % 2]! * x; } return s + ms.map((o) => o.w[0]! * o.w[1]!)[0]!; }",
  ],
  [
    "lists that grow while a loop goes through them, and with iterators of their own",
    "function f(x: number) { const a = [x, 2]; let s = 0; for (const v of a) { s += v * x; if (a.length < 5) a.push(v * s); for (const w of a) if (w > 3) s += w; else continue; } const own = [1, 2]; own[Symbol.iterator] = function* () { yield x * x; yield 3 * x; } as any; for (let v of own) { v *= 2; s += v * x; } for (const v of new Float64Array([x, s])) s += v * v * 1e-3; const rows = [[x], [s, x]]; rows[Symbol.iterator] = function* () { yield [x, x]; } as any; for (const [v] of rows) s += v! * x; for (const row of rows) s += row[0]! * row.length; return s; }",
  ],
  [
    "elements written by arithmetic: in place, by an index that moves, frozen, and where nothing was",
    "function f(x: number) { const a = [x, 1, 2], b = new Float64Array(3), c: number[] = [], n = [1, 2]; let k = 0; const next = () => k++; for (let i = 0; i < 3; i++) { b[i] = a[i]! * x; c[i] = b[i]! * b[i]! - x; a[i] = a[i]! * a[2 - i]! + c[i]!; b[i] += a[i]! * x; a[k] = a[next()]! * x; a[i] = a[(i + 1) % 3]! * next(); b[i + 2] = x * x; k = i; c[c.length] = x * a[i]!; c[c.length - 1] += c[c.length - 1]! * x; } for (let i = 0; i < 2; i++) { n[i] = n[i]! * 2 + i; } const q = Object.freeze([x, x]) as number[]; let s = 0; for (let i = 0; i < 2; i++) { try { q[i] = q[i]! * x; } catch { s += q[i]! * x; } s += q[i]! + n[i]!; } return s + a[0]! * a[1]! * 1e-3 + b[2]! * c[1]! + b[0]!; }",
  ],
  ...(
    [
      ["parameter", "function g(g: number) { return g * g; }"],
      ["parameter with a default", "function g(g = x) { return g * g; }"],
      ["part of a parameter", "function g(o: any) { const { g } = { g: o }; return g * g; }"],
      ["field of a parameter", "function g(o: any, { g = 2 }: any = {}) { return o ** g; }"],
      ["renamed field", "function g(o: any, { p: g }: any = { p: x }) { return o * g; }"],
      ["element of a parameter", "function g(o: any, [g]: any = [x]) { return o * g; }"],
      ["rest", "function g(...g: number[]) { return g[0]! * x; }"],
      ["var", "function g(v: number) { var g = v * x; return g; }"],
      ["let", "function g(v: number) { let g = v * x; g *= v; return g; }"],
      ["const", "function g(v: number) { const g = v * x; return g; }"],
      [
        "function",
        "function g(v: number) { function g(w: number) { return w * w; } return g(v); }",
      ],
      ["class", "function g(v: number) { class g { v = v * x; } return new g().v; }"],
    ] as const
  ).flatMap(([name, text]): [string, string][] => [
    [`function named as its ${name}`, `function f(x: number) { ${text} return g(x + 1) * x; }`],
    [
      `function named as its ${name}, in a block`,
      `function f(x: number) { let s = 0; for (let i = 0; i < 2; i++) { ${text} s += g(x + i); } return s * x; }`,
    ],
  ]),
  // text of the user's that looks like ours
  ...["ǁ1", "ǂ", "$d", "$d.get", "$dǂ", "t$1ǁ3", "x$id", "\u00011,2\u0002", "ǃ1"].flatMap(
    (text): [string, string][] =>
      [
        ["string", `const s = "${text}", n = s.length * s.charCodeAt(0);`],
        ["template", `const s = \`${text}\`, n = s.length * s.charCodeAt(0);`],
        ["template with a hole", `const s = \`${text}\${1}\`, n = s.length;`],
        ["key", `const o: any = { "${text}": x, "": 1 }, n = o["${text}"] * o[""];`],
        ["pattern", `const { "${text}": n = x }: any = { "${text}": 2 * x };`],
        ["regular expression", `const n = /${text}/.source.length;`],
        ["comment", `const n = /* ${text} */ 2; // ${text}\n`],
      ].map(([place = "", lines = ""]) => [
        `${JSON.stringify(text)} in a ${place}`,
        `function f(x: number) { ${lines} return x * x * n; }`,
      ]),
  ),
  ...["yǁ1", "yǂ", "ǁ", "y$d", "ǃ1"].map((name): [string, string] => [
    `a variable ${name}`,
    `function f(x: number) { const ${name} = x * x, y = 2 * x; let g = (${name}: number) => ${name} * y; return g(${name}) * ${name}; }`,
  ]),
];
