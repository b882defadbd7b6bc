// What plain code has left in objects, by a plain call of the function or otherwise, is a constant, unless an active number finds itself there as a key (TSG0015).
// In: programs with memos in fields, lists, tables, promises, generators, each on its own. Oracles: derivatives by hand, on new state and behind plain code;
// central differences of the function on the state that plain code has left.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { sampled } from "../breadth.ts";
import { programOf, typeErrors } from "../program.ts";

interface Program {
  readonly code: string;
  /** Another module. */
  readonly other?: string;
  /** What plain code does before the derivative at 3 is asked for. */
  readonly plain?: string;
  readonly of?: string;
  /** Then, and (6 if nothing else is said) where it has done nothing. */
  readonly gives: number | "TSG0015";
  readonly fresh?: number;
}

const LEFT = "TSG0015";
const PROGRAMS: Readonly<Record<string, Program>> = {
  "a field that everybody sees": {
    code: "export class Model { cache: number | undefined; at(x: number): number { if (this.cache === undefined) this.cache = x * x; return this.cache; } }\nexport const m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    gives: 0,
  },
  "such fields, one of which is a key": {
    code: "export class Model { last = NaN; value = 0; at(x: number): number { if (this.last !== x) { this.last = x; this.value = x * x; } return this.value; } }\nexport const m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "such a field that a method sets": {
    code: "export class Model { scale = 1; calibrate(xs: number[]): void { this.scale = xs[0]! * 3; } at(x: number): number { return this.scale * x * x; } }\nexport const m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    plain: "m.calibrate([1])",
    gives: 18,
  },
  "a list": {
    code: "const memo: number[] = [];\nfunction f(x: number): number { const i = Math.round(x); return (memo[i] ??= x * x); }",
    gives: 0,
  },
  "a list that is filled with NaN": {
    code: "const memo = new Array<number>(10).fill(NaN);\nfunction f(x: number): number { const i = Math.round(x); if (Number.isNaN(memo[i]!)) memo[i] = x * x; return memo[i]!; }",
    gives: 0,
  },
  "a typed array": {
    code: "const memo = new Float64Array(10);\nfunction f(x: number): number { const i = Math.round(x); if (memo[i] === 0) memo[i] = x * x; return memo[i]!; }",
    gives: 0,
  },
  "a list that every call fills": {
    code: "const buf: number[] = [];\nfunction f(x: number): number { for (let i = 0; i < 3; i++) buf[i] = x * i; return buf[2]! * x; }",
    gives: 12,
    fresh: 12,
  },
  "a list that plain code fills": {
    code: "const w: number[] = [1, 2];\nfunction f(x: number): number { let s = 0; for (let i = 0; i < 2; i++) s += w[i]! * x * x; return s; }",
    plain: "for (let i = 0; i < 2; i++) w[i] = i + 1",
    gives: 18,
    fresh: 18,
  },
  "a record that is taken out of another one": {
    code: 'const state = { cache: {} as Record<string, number> };\nconst { cache } = state;\nfunction f(x: number): number { return (cache["k" + x] ??= x * x); }',
    gives: LEFT,
  },
  "a table that is taken out of a list": {
    code: "const tables = [new Map<number, number>()];\nconst [known] = tables;\nfunction f(x: number): number { let y = known!.get(x); if (y === undefined) { y = x * x; known!.set(x, y); } return y; }",
    gives: LEFT,
  },
  "a WeakMap": {
    code: "interface P { x: number }\nconst known = new WeakMap<P, number>();\nconst p0: P = { x: 0 };\nfunction f(x: number): number { let y = known.get(p0); if (y === undefined) { y = x * x; known.set(p0, y); } return y; }",
    gives: 0,
  },
  "a WeakMap of records": {
    code: "const key = {};\nconst known = new WeakMap<object, { v: number }>();\nfunction f(x: number): number { if (!known.has(key)) known.set(key, { v: x * x }); return known.get(key)!.v; }",
    gives: 0,
  },
  "map of maps": {
    code: "const known = new Map<number, Map<number, number>>();\nfunction f(x: number): number { let t = known.get(1); if (t === undefined) { t = new Map(); known.set(1, t); } let y = t.get(x); if (y === undefined) { y = x * x; t.set(x, y); } return y; }",
    gives: LEFT,
  },
  "map of records": {
    code: 'const known = new Map<string, { v?: number }>([["a", {}]]);\nfunction f(x: number): number { const e = known.get("a")!; if (e.v === undefined) e.v = x * x; return e.v; }',
    gives: 0,
  },
  "map with entries": {
    code: "const known = new Map<number, number>([[0, 0]]);\nfunction f(x: number): number { let y = known.get(x); if (y === undefined) { y = x * x; known.set(x, y); } return y; }",
    gives: LEFT,
  },
  "map in record": {
    code: "const s = { known: new Map<number, number>() };\nfunction f(x: number): number { let y = s.known.get(x); if (y === undefined) { y = x * x; s.known.set(x, y); } return y; }",
    gives: LEFT,
  },
  "static block": {
    code: "class C { static v: number | undefined; static { C.v = undefined; } static of(x: number): number { return (C.v ??= x * x); } }\nfunction f(x: number): number { return C.of(x); }",
    gives: 0,
  },
  "a property of a function": {
    code: "function sq(x: number): number { return (sq.cache ??= x * x); }\nsq.cache = undefined as number | undefined;\nfunction f(x: number): number { return sq(x); }",
    gives: 0,
  },
  "a table that a function has": {
    code: "const sq = (x: number): number => { let y = sq.known.get(x); if (y === undefined) { y = x * x; sq.known.set(x, y); } return y; };\nsq.known = new Map<number, number>();\nfunction f(x: number): number { return sq(x); }",
    gives: LEFT,
  },
  "generator restarted lazily": {
    code: "let it: Generator<number> | null = null;\nfunction* gen(x: number): Generator<number> { const v = x * x; for (;;) yield v; }\nfunction f(x: number): number { it ??= gen(x); return it.next().value as number; }",
    gives: 0,
  },
  "a table of another module": {
    code: 'import { known } from "./q.ts";\nfunction f(x: number): number { const y = known.get(x); if (y !== undefined) return y; known.set(x, x * x); return x * x; }',
    other: "export const known = new Map<number, number>();",
    gives: LEFT,
  },
  "a record of another module": {
    code: 'import * as q from "./q.ts";\nfunction f(x: number): number { return (q.s.v ??= x * x); }',
    other: "export const s: { v?: number } = {};",
    gives: 0,
  },
  "default parameter": {
    code: "const known = new Map<number, number>();\nfunction sq(x: number, k: Map<number, number> = known): number { const y = k.get(x); if (y !== undefined) return y; k.set(x, x * x); return x * x; }\nfunction f(x: number): number { return sq(x); }",
    gives: LEFT,
  },
  "passed record": {
    code: "const s: { v?: number } = {};\nfunction sq(x: number, k: { v?: number }): number { return (k.v ??= x * x); }\nfunction f(x: number): number { return sq(x, s); }",
    gives: 0,
  },
  "alias of constant": {
    code: "const s: { v?: number } = {};\nfunction f(x: number): number { const t = s; return (t.v ??= x * x); }",
    gives: 0,
  },
  "destructuring assign fields": {
    code: "const s = { last: NaN, v: 0 };\nfunction f(x: number): number { if (x !== s.last) [s.last, s.v] = [x, x * x]; return s.v; }",
    gives: LEFT,
  },
  "Object.assign": {
    code: "const s = { last: NaN, v: 0 };\nfunction f(x: number): number { if (x !== s.last) Object.assign(s, { last: x, v: x * x }); return s.v; }",
    gives: LEFT,
  },
  "push records": {
    code: "const s: { x: number; v: number }[] = [];\nfunction f(x: number): number { const hit = s.find((e) => e.x === x); if (hit) return hit.v; const v = x * x; s.push({ x, v }); return v; }",
    gives: LEFT,
  },
  "Set of records": {
    code: "const s = new Set<{ x: number; v: number }>();\nfunction f(x: number): number { for (const e of s) if (e.x === x) return e.v; const v = x * x; s.add({ x, v }); return v; }",
    gives: LEFT,
  },
  "a record that a function makes": {
    code: "const mk = () => ({ last: NaN, v: 0 });\nconst s = mk();\nfunction f(x: number): number { if (x !== s.last) { s.last = x; s.v = x * x; } return s.v; }",
    gives: LEFT,
  },
  inheritance: {
    code: "class B { protected v: number | undefined; }\nclass C extends B { of(x: number): number { return (this.v ??= x * x); } }\nconst c = new C();\nfunction f(x: number): number { return c.of(x); }",
    gives: 0,
  },
  "literal method this": {
    code: "const o = { v: undefined as number | undefined, of(x: number): number { return (this.v ??= x * x); } };\nfunction f(x: number): number { return o.of(x); }",
    gives: 0,
  },
  "lazy default, set by plain": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\n\nfunction f(x: number): number { return m.at(x); }",
    plain: "m.scale = Math.sqrt(9)",
    gives: 2,
    fresh: 0.5,
  },
  "set by method": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; } set(k: number): void { this.scale = k; } }\nexport const m = new Model();\n\nfunction f(x: number): number { return m.at(x); }",
    plain: "m.set(Math.sqrt(9))",
    gives: 2,
    fresh: 0.5,
  },
  "set by assign any": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\n\nfunction f(x: number): number { return m.at(x); }",
    plain: "Object.assign(m, JSON.parse('{\"scale\":3}'))",
    gives: 2,
    fresh: 0.5,
  },
  "set by key": {
    code: 'export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\nconst put = (k: "scale", v: number): void => { m[k] = v; };\nfunction f(x: number): number { return m.at(x); }',
    plain: 'put("scale", Math.sqrt(9))',
    gives: 2,
    fresh: 0.5,
  },
  "set by any": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\nconst anyM = m as any;\nfunction f(x: number): number { return m.at(x); }",
    plain: "anyM.scale = Math.sqrt(9)",
    gives: 2,
    fresh: 0.5,
  },
  "set by Reflect": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\n\nfunction f(x: number): number { return m.at(x); }",
    plain: 'Reflect.set(m, "scale", Math.sqrt(9))',
    gives: 2,
    fresh: 0.5,
  },
  "set by structural alias": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\ninterface Scaled { scale?: number }\nfunction configure(c: Scaled): void { c.scale = Math.sqrt(9); }\nfunction f(x: number): number { return m.at(x); }",
    plain: "configure(m)",
    gives: 2,
    fresh: 0.5,
  },
  "set by destructuring": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\n\nfunction f(x: number): number { return m.at(x); }",
    plain: "[m.scale] = [Math.sqrt(9)]",
    gives: 2,
    fresh: 0.5,
  },
  "set by subclass field": {
    code: "export class Model { scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nexport const m = new Model();\nclass Sub extends Model { override scale = Math.sqrt(9); }\nexport const s = new Sub();\nfunction f(x: number): number { return s.at(x); }",
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "opts computed": {
    code: "interface O { step?: number }\nconst opts: O = { step: Math.sqrt(9) };\nfunction h(x: number, o: O): number { o.step ??= 2 * x; return x * x / o.step; }\nfunction f(x: number): number { return h(x, opts); }",
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "opts json annotated": {
    code: "interface O { step?: number }\nconst opts: O[] = JSON.parse('[{\"step\":3}]');\nfunction h(x: number, o: O): number { o.step ??= 2 * x; return x * x / o.step; }\nfunction f(x: number): number { return h(x, opts[0]!); }",
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "opts made in the run of data": {
    code: "interface O { step?: number }\nconst table = [1, 3];\nconst mk = (i: number): O => ({ step: table[i]! });\nfunction h(x: number, o: O): number { o.step ??= 2 * x; return x * x / o.step; }\nfunction f(x: number): number { return h(x, mk(1)); }",
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "opts written in the run with data": {
    code: "interface O { step?: number }\nconst table = [1, 3];\nfunction mk(i: number): O { const o: O = {}; o.step = table[i]!; return o; }\nfunction h(x: number, o: O): number { o.step ??= 2 * x; return x * x / o.step; }\nfunction f(x: number): number { return h(x, mk(1)); }",
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "an argument's": {
    code: 'interface O { step?: number }\nfunction h(x: number, o: O): number { o.step ??= 2 * x; return x * x / o.step; }\nconst dh = grad(h, { engine: "delta" });\nfunction f(x: number): number { return dh(x, { step: Math.sqrt(9) }); }',
    plain: "",
    of: "f",
    gives: 2,
    fresh: 2,
  },
  "in run memo": {
    code: "interface N { x: number; v?: number }\nfunction at(n: N): number { return (n.v ??= n.x * n.x); }\nfunction f(x: number): number { const n: N = { x }; return at(n) + at(n); }",
    gives: 12,
    fresh: 12,
  },
  "module tree": {
    code: "interface T { w: number; sum?: number; kids: T[] }\nexport const tree: T = { w: 2, kids: [{ w: 1, kids: [] }] };\nfunction total(t: T, x: number): number { if (t.sum === undefined) { let s = t.w * x; for (const k of t.kids) s += total(k, x); t.sum = s; } return t.sum; }\nfunction f(x: number): number { return total(tree, x) * x; }",
    gives: 9,
    fresh: 18,
  },
  "memo cleared by each call": {
    code: "export const s: { v?: number } = {};\nfunction at(x: number): number { return (s.v ??= x * x); }\nfunction f(x: number): number { s.v = undefined; return at(x) + at(x); }",
    gives: 12,
    fresh: 12,
  },
  "dirty flag": {
    code: "export class M { dirty = true; v = 0; k = 1; set(k: number): void { this.k = k; this.dirty = true; } at(x: number): number { if (this.dirty) { this.v = this.k * x * x; this.dirty = false; } return this.v; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }",
    plain: "void f(3); m.set(Math.sqrt(9))",
    gives: 18,
  },
  "data memo": {
    code: "interface D { xs: number[]; mean?: number }\nconst d: D = { xs: [1, 2, 3] };\nfunction meanOf(e: D): number { return (e.mean ??= e.xs.reduce((a, b) => a + b, 0) / e.xs.length); }\nfunction f(x: number): number { return x * x * meanOf(d); }",
    gives: 12,
    fresh: 12,
  },
  "const record assign": {
    code: "const s: { scale?: number } = {};\n\nfunction f(x: number): number { s.scale ??= 2 * Math.abs(x); return x * x / s.scale; }",
    plain: "Object.assign(s, { scale: Math.sqrt(9) })",
    gives: 2,
    fresh: 0.5,
  },
  "const record helper": {
    code: "const s: { scale?: number } = {};\nconst put = (o: { scale?: number }): void => { o.scale = Math.sqrt(9); };\nfunction f(x: number): number { s.scale ??= 2 * Math.abs(x); return x * x / s.scale; }",
    plain: "put(s)",
    gives: 2,
    fresh: 0.5,
  },
  "const record alias": {
    code: "const s: { scale?: number } = {};\nconst t = s;\nfunction f(x: number): number { s.scale ??= 2 * Math.abs(x); return x * x / s.scale; }",
    plain: "t.scale = Math.sqrt(9)",
    gives: 2,
    fresh: 0.5,
  },
  "const record exported": {
    code: 'import { set } from "./q.ts";\nexport const s: { scale?: number } = {};\n\nfunction f(x: number): number { s.scale ??= 2 * Math.abs(x); return x * x / s.scale; }',
    other:
      'import { s } from "./p.ts";\nexport const set = (): void => { s.scale = Math.sqrt(9); };',
    plain: "set()",
    gives: 2,
    fresh: 0.5,
  },
  "map helper": {
    code: 'const known = new Map<string, number>();\nconst fill = (m: Map<string, number>): void => { m.set("a", Math.sqrt(9)); };\nfunction f(x: number): number { let k = known.get("a"); if (k === undefined) { k = 2 * Math.abs(x); known.set("a", k); } return x * x / k; }',
    plain: "fill(known)",
    gives: 2,
    fresh: 0.5,
  },
  "map alias": {
    code: 'const known = new Map<string, number>();\nconst t = known;\nfunction f(x: number): number { let k = known.get("a"); if (k === undefined) { k = 2 * Math.abs(x); known.set("a", k); } return x * x / k; }',
    plain: 't.set("a", Math.sqrt(9))',
    gives: 2,
    fresh: 0.5,
  },
  "map exported filled elsewhere": {
    code: 'import { fill } from "./q.ts";\nexport const known = new Map<string, number>();\n\nfunction f(x: number): number { let k = known.get("a"); if (k === undefined) { k = 2 * Math.abs(x); known.set("a", k); } return x * x / k; }',
    other:
      'import { known } from "./p.ts";\nexport const fill = (): void => { known.set("a", Math.sqrt(9)); };',
    plain: "fill()",
    gives: 2,
    fresh: 0.5,
  },
  "map imported": {
    code: 'import { known } from "./q.ts";\nfunction f(x: number): number { let k = known.get("a"); if (k === undefined) { k = 2 * Math.abs(x); known.set("a", k); } return x * x / k; }',
    other: 'export const known = new Map<string, number>();\nknown.set("a", 3);',
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "record helper": {
    code: 'const known: Record<string, number> = {};\nconst key = (): string => "a";\nconst fill = (m: Record<string, number>): void => { m["a"] = Math.sqrt(9); };\nfunction f(x: number): number { const k = (known[key()] ??= 2 * Math.abs(x)); return x * x / k; }',
    plain: "fill(known)",
    gives: 2,
    fresh: 0.5,
  },
  "record spread": {
    code: 'const known: Record<string, number> = { ...{ a: 3 } };\nconst key = (): string => "a";\n\nfunction f(x: number): number { const k = (known[key()] ??= 2 * Math.abs(x)); return x * x / k; }',
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "private key": {
    code: 'class Model { private scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; } set(k: "scale", v: number): void { this[k] = v; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }',
    plain: 'm.set("scale", 3)',
    gives: 2,
    fresh: 0.5,
  },
  "private any": {
    code: "class Model { private scale?: number; at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; }  }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    plain: "(m as any).scale = 3.5 - 0.5",
    gives: 2,
    fresh: 0.5,
  },
  "weights by helper": {
    code: "const w: number[] = [];\nconst load = (to: number[]): void => { for (let i = 0; i < 3; i++) to[i] = Math.sqrt(i + 1); };\nload(w);\nfunction f(x: number): number { const i = Math.round(x) - 3; return (w[i] ??= x) * x * x; }",
    plain: "",
    gives: 6,
  },
  "weights by json": {
    code: 'const w: number[] = JSON.parse("[1,2]");\nfunction f(x: number): number { const i = Math.round(x) - 3; return (w[i] ??= x) * x * x; }',
    plain: "",
    gives: 6,
  },
  "weights set through field": {
    code: "const o = { w: [] as number[] };\nconst { w } = o;\nfunction f(x: number): number { const i = Math.round(x) - 3; return (w[i] ??= x) * x * x; }",
    plain: "o.w[0] = Math.sqrt(4)",
    gives: 12,
    fresh: 27,
  },
  "base cases only": {
    code: "const fib: number[] = [1, 1];\nfunction at(n: number, x: number): number { return (fib[n] ??= at(n - 1, x) * x + at(n - 2, x)); }\nfunction f(x: number): number { return at(1, x) * x * x; }",
    gives: 6,
  },
  "data map": {
    code: "const known = new Map<number, number>();\nfunction sq(n: number): number { let y = known.get(n); if (y === undefined) { y = n * n; known.set(n, y); } return y; }\nfunction f(x: number): number { let s = 0; for (let i = 0; i < 3; i++) s += sq(i) * x; return s * x; }",
    gives: 30,
    fresh: 30,
  },
  "map filled by ctor": {
    code: 'class Table { readonly known = new Map<string, number>(); constructor(all: readonly (readonly [string, number])[]) { for (const [k, v] of all) this.known.set(k, v); } at(k: string, x: number): number { let y = this.known.get(k); if (y === undefined) { y = x; this.known.set(k, y); } return y; } }\nexport const t = new Table([["a", Math.sqrt(9)]]);\nfunction f(x: number): number { return t.at("a", x) * x * x; }',
    plain: "",
    gives: 18,
    fresh: 18,
  },
  "map filled by method": {
    code: 'export class Table { readonly known = new Map<string, number>(); put(k: string, v: number): void { this.known.set(k, v); } at(k: string, x: number): number { let y = this.known.get(k); if (y === undefined) { y = x; this.known.set(k, y); } return y; } }\nexport const t = new Table();\nfunction f(x: number): number { return t.at("a", x) * x * x; }',
    plain: 't.put("a", Math.sqrt(9))',
    gives: 18,
    fresh: 27,
  },
  "map given": {
    code: 'export class Table { constructor(readonly known: Map<string, number>) {} at(k: string, x: number): number { let y = this.known.get(k); if (y === undefined) { y = x; this.known.set(k, y); } return y; } }\nexport const t = new Table(new Map([["a", Math.sqrt(9)]]));\nfunction f(x: number): number { return t.at("a", x) * x * x; }',
    plain: "",
    gives: 18,
    fresh: 18,
  },
  "public table of class": {
    code: 'export class Table { readonly known = new Map<string, number>(); at(k: string, x: number): number { let y = this.known.get(k); if (y === undefined) { y = x * x; this.known.set(k, y); } return y; } }\nexport const t = new Table();\nfunction f(x: number): number { return t.at("a", x); }',
    gives: 0,
  },
  "local map": {
    code: "function sq(n: number, x: number, m: Map<number, number>): number { let y = m.get(n); if (y === undefined) { y = n * x; m.set(n, y); } return y; }\nfunction f(x: number): number { const m = new Map<number, number>(); m.set(7, Math.sqrt(4)); return sq(7, x, m) * sq(1, x, m) * x; }",
    gives: 12,
    fresh: 12,
  },
  "local list of data": {
    code: "const data = [4, 5];\nfunction at(i: number, x: number, m: number[]): number { return (m[i] ??= i * x); }\nfunction f(x: number): number { const m = data.map((v) => v + 1); return at(0, x, m) * at(2, x, m); }",
    gives: 10,
    fresh: 10,
  },
  "cleared map": {
    code: "const m = new Map<number, number>();\nfunction sq(n: number, x: number): number { let y = m.get(n); if (y === undefined) { y = n * x; m.set(n, y); } return y; }\nfunction f(x: number): number { m.clear(); return sq(1, x) * sq(1, x); }",
    gives: 6,
  },
  "heap cleared": {
    code: "const heap: { k: number; v: number }[] = [];\nfunction put(k: number, v: number): void { heap.push({ k, v }); if (heap.length > 1) heap.sort((a, b) => a.k - b.k); }\nfunction f(x: number): number { heap.length = 0; put(2, x * x); put(1, x); let s = 0; while (heap.length > 0) { const e = heap.pop()!; s += e.v * e.k; } return s; }",
    gives: 13,
    fresh: 13,
  },
  pool: {
    code: "interface V { x: number; y: number }\nconst pool: V[] = [];\nfunction alloc(x: number, y: number): V { if (pool.length > 0) { const v = pool.pop()!; v.x = x; v.y = y; return v; } return { x, y }; }\nfunction free(v: V): void { pool.push(v); }\nfunction f(x: number): number { const a = alloc(x, x * x), b = alloc(1, x); const r = a.y * b.x + b.y; free(a); free(b); return r; }",
    gives: 7,
    fresh: 7,
  },
  "argument's map": {
    code: 'function h(x: number, m: Map<string, number>): number { let y = m.get("a"); if (y === undefined) { y = x; m.set("a", y); } return y * x * x; }\nconst dh = grad(h, { engine: "delta" });\nfunction f(x: number): number { return dh(x, new Map([["a", Math.sqrt(9)]])); }',
    plain: "",
    of: "f",
    gives: 18,
    fresh: 18,
  },
  "config table filled by plain": {
    code: 'const conf: Record<string, number> = {};\nexport function set(n: string, v: number): void { conf[n] = v; }\nfunction get(n: string, d: number): number { return (conf[n] ??= d); }\nfunction f(x: number): number { return get("k", x) * x * x; }',
    plain: 'set("k", Math.sqrt(4))',
    gives: 12,
    fresh: 27,
  },
  "promise kept": {
    code: "let p: Promise<number> | undefined;\nasync function f(x: number): Promise<number> { p ??= Promise.resolve(x * x); return await p; }",
    gives: 0,
  },
  "promise of record kept": {
    code: "let p: Promise<{ v: number }> | undefined;\nconst at = async (x: number): Promise<{ v: number }> => { await null; return { v: x * x }; };\nasync function f(x: number): Promise<number> { p ??= at(x); return (await p).v; }",
    gives: 0,
  },
  "promise in map": {
    code: 'const known = new Map<string, Promise<number>>();\nconst at = async (x: number): Promise<number> => { await null; return x * x; };\nasync function f(x: number): Promise<number> { let p = known.get("a"); if (!p) { p = at(x); known.set("a", p); } return await p; }',
    gives: 0,
  },
  "promise of data kept": {
    code: "let p: Promise<number> | undefined;\nconst load = async (): Promise<number> => { await null; return 2; };\nasync function f(x: number): Promise<number> { p ??= load(); return (await p) * x * x; }",
    gives: 12,
    fresh: 12,
  },
  "promise given": {
    code: 'async function h(x: number, p: Promise<number>): Promise<number> { return (await p) * x * x; }\nconst d = grad(h, { engine: "delta" });\nconst two = Promise.resolve(2);\nasync function f(x: number): Promise<number> { return d(x, two); }',
    of: "f",
    gives: 12,
    fresh: 12,
  },
  "a variable: value set": {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x !== last) { last = x; value = x * x; } return value; }\nexport const preset = (v: number): void => { value = v; };",
    gives: LEFT,
  },
  "a variable: value set, early": {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x === last) return value; last = x; value = x * x; return value; }\nexport const preset = (v: number): void => { value = v; };",
    gives: LEFT,
  },
  "a variable: restored": {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x !== last) { last = x; value = x * x; } return value; }\nexport const restore = (l: number, v: number): void => { last = l; value = v; };",
    plain: "restore(3, 5)",
    gives: LEFT,
  },
  "a variable: restored under another key": {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x !== last) { last = x; value = x * x; } return value; }\nexport const restore = (l: number, v: number): void => { last = l; value = v; };",
    plain: "restore(5, 1)",
    gives: 6,
  },
  "a variable: lazy": {
    code: "let scale = 0;\nfunction f(x: number): number { if (scale === 0) scale = 2 * x; return x * x / scale; }\nexport const set = (v: number): void => { scale = v; };",
    plain: "set(3)",
    gives: 2,
    fresh: 0.5,
  },
  "a variable: max and state": {
    code: "let t = 0, h = 1;\nfunction f(x: number): number { if (x > t) t = x; const y = h * x * x; h = y; return y; }\nexport const set = (v: number): void => { h = v; };",
    plain: "void f(3); set(2)",
    gives: 12,
  },
  "a variable: flag": {
    code: "let warm = false, scale = 1;\nfunction f(x: number): number { if (!warm) { warm = true; scale = x; } return x * x * scale; }\nexport const set = (v: number): void => { scale = v; };",
    plain: "void f(3); set(2)",
    gives: 12,
    fresh: 27,
  },
  "a variable: set, key set back": {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x !== last) { last = x; value = x * x; } return value; }\nexport const preset = (v: number): void => { value = v; last = NaN; };",
    plain: "void f(3); preset(5)",
    gives: 6,
  },
  "inactive value by alias": {
    code: 'const known = new Map<string, number>();\nfunction sq(x: number, m: Map<string, number>): number { let y = m.get("a"); if (y === undefined) { y = x * x; m.set("a", y); } return y; }\nfunction h(x: number, z: number): number { known.clear(); if (!known.has("b")) known.set("b", z * 2); return sq(x, known) * known.get("b")!; }\nconst d = grad(h, { engine: "delta" });\nconst f = (x: number): number => d(x, 1);',
    plain: "void h(3, 1)",
    of: "f",
    gives: 12,
    fresh: 12,
  },
  "inactive memo in class": {
    code: 'export class C { m?: number; norm(z: number): number { return (this.m ??= z * 2); } of(x: number, z: number): number { return x * x * this.norm(z); } }\nexport const c = new C();\nfunction h(x: number, z: number): number { c.m = undefined; return c.of(x, z) + c.of(x, z); }\nconst d = grad(h, { engine: "delta" });\nconst f = (x: number): number => d(x, 1);',
    plain: "void h(3, 1)",
    of: "f",
    gives: 24,
    fresh: 24,
  },
  "inner function": {
    code: "const make = () => { const s: { v?: number } = {}; if (s.v !== undefined) s.v = 1; return (x: number): number => (s.v ??= x * x); };\nconst sq = make();\nfunction f(x: number): number { return sq(x); }",
    gives: 0,
  },
  "getter memo class exported": {
    code: "export class C { x = 0; v?: number; get sq(): number { if (this.v === undefined) this.v = this.x * this.x; return this.v; } }\nexport const c = new C();\nfunction f(x: number): number { c.x = x; return c.sq; }",
    gives: 0,
  },
  "else if": {
    code: "export const s: { v?: number } = {};\nfunction f(x: number): number { if (x < 0) return 1; else if (s.v === undefined) s.v = x * x; return s.v; }",
    gives: 0,
  },
  "arrow list nested": {
    code: "interface E { k: number; v?: number }\nexport const all: E[] = [{ k: 1 }, { k: 2 }];\nfunction f(x: number): number { return all.map((e) => (e.v ??= x * x) * e.k).reduce((a, b) => a + b, 0) / 3; }",
    gives: 0,
  },
  "destructured read": {
    code: "export class C { v?: number; at(x: number): number { const { v } = this; if (v !== undefined) return v; const y = x * x; this.v = y; return y; } }\nexport const c = new C();\nfunction f(x: number): number { return c.at(x); }",
    gives: 0,
  },
  "fill in another method, exported": {
    code: "export class C { last = NaN; v = 0; fill(x: number): void { this.last = x; this.v = x * x; } at(x: number): number { if (x !== this.last) this.fill(x); return this.v; } }\nexport const c = new C();\nfunction f(x: number): number { return c.at(x); }",
    gives: LEFT,
  },
  "vector memo": {
    code: "interface V { x: number; y: number; len?: number }\nexport const vs: V[] = [{ x: 1, y: 2 }];\nconst len = (v: V): number => (v.len ??= Math.hypot(v.x, v.y));\nfunction f(x: number): number { return x * x * len(vs[0]!) / Math.sqrt(5); }",
    gives: 6,
  },
  "node grads zeroed": {
    code: "interface N { value: number; grad: number }\nexport const n: N = { value: 0, grad: 0 };\nfunction f(x: number): number { n.value = x * x; n.grad = 0; if (n.grad === 0) n.grad = n.value; return n.grad; }",
    gives: 6,
  },
  "linked list memo": {
    code: "interface O { w: number; v?: number; n: O | null }\nexport const o: O = { w: 2, n: { w: 3, n: null } };\nfunction f(x: number): number { let s = 0; for (let p: O | null = o; p !== null; p = p.n) { if (p.v === undefined) p.v = p.w * x; s += p.v; } return s * x; }",
    gives: 15,
    fresh: 30,
  },
  "symbol key of another module": {
    code: 'import { CACHE } from "./q.ts";\nexport class M { [CACHE]: number | undefined; at(x: number): number { if (this[CACHE] === undefined) this[CACHE] = x * x; return this[CACHE]!; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }',
    other: 'export const CACHE: unique symbol = Symbol("cache");',
    gives: 0,
  },
  "symbol key set by plain": {
    code: 'const SCALE: unique symbol = Symbol("scale");\nexport class M { [SCALE]?: number; at(x: number): number { this[SCALE] ??= 2 * Math.abs(x); return x * x / this[SCALE]; } set(k: number): void { this[SCALE] = k; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }',
    plain: "m.set(Math.sqrt(9))",
    gives: 2,
    fresh: 0.5,
  },
  "symbol key, class": {
    code: 'const CACHE = Symbol("cache");\nexport class M { [CACHE]: number | undefined; at(x: number): number { if (this[CACHE] === undefined) this[CACHE] = x * x; return this[CACHE]!; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }',
    gives: 0,
  },
  "symbol key, record": {
    code: 'const CACHE: unique symbol = Symbol("cache");\nconst s: { [CACHE]?: number } = {};\nfunction f(x: number): number { return (s[CACHE] ??= x * x); }',
    gives: 0,
  },
  "key that is no name": {
    code: 'export class M { "my-key": number | undefined; at(x: number): number { return (this["my-key"] ??= x * x); } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }',
    gives: 0,
  },
  "string const key of class": {
    code: 'const KEY = "cache";\nexport class M { cache?: number; at(x: number): number { if (this[KEY] === undefined) this[KEY] = x * x; return this[KEY]!; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }',
    gives: 0,
  },
  "parameter property map": {
    code: "export class M { constructor(private cache = new Map<number, number>()) {} at(x: number): number { let y = this.cache.get(x); if (y === undefined) { y = x * x; this.cache.set(x, y); } return y; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "parameter property given map": {
    code: "export class M { constructor(private readonly cache: Map<number, number>) {} at(x: number): number { if (this.cache.has(x)) return this.cache.get(x)!; const y = x * x; this.cache.set(x, y); return y; } }\nexport const m = new M(new Map());\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "parameter property numbers": {
    code: "class M { constructor(private last = NaN, private value = 0) {} at(x: number): number { if (x !== this.last) { this.last = x; this.value = x * x; } return this.value; } }\nconst m = new M();\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "parameter property optional": {
    code: "class M { constructor(readonly k: number, private value?: number) {} at(x: number): number { return (this.value ??= x * x * this.k); } }\nconst m = new M(1);\nfunction f(x: number): number { return m.at(x); }",
    gives: 0,
  },
  "parameter property record": {
    code: "class M { constructor(private s = { last: NaN, value: 0 }) {} at(x: number): number { if (x !== this.s.last) { this.s.last = x; this.s.value = x * x; } return this.s.value; } }\nconst m = new M();\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "getter redefines itself": {
    code: 'export class M { x = 3; get sq(): number { const value = this.x * this.x; Object.defineProperty(this, "sq", { value }); return value; } }\nexport const m = new M();\nfunction f(x: number): number { m.x = x; return m.sq; }',
    gives: 0,
  },
  "getter redefines, in the run": {
    code: 'export class C { constructor(readonly r: number) {} get sq(): number { const value = this.r * this.r; Object.defineProperty(this, "sq", { value }); return value; } }\nfunction f(x: number): number { const c = new C(x); return c.sq + c.sq; }',
    gives: 12,
    fresh: 12,
  },
  "closures in list, plain": {
    code: "const kept: (() => number)[] = [];\nexport const add = (x: number): void => { const y = x * x; kept.push(() => y); };\nfunction f(x: number): number { if (kept.length === 0) add(x); return kept[0]!(); }",
    gives: 0,
  },
  "closure in let": {
    code: "let kept: (() => number) | null = null;\nfunction f(x: number): number { if (kept === null) { const y = x * x; kept = () => y; } return kept(); }",
    gives: 0,
  },
  "closure in map": {
    code: "const kept = new Map<number, () => number>();\nfunction lazy(x: number): () => number { let k = kept.get(x); if (!k) { const y = x * x; k = () => y; kept.set(x, k); } return k; }\nfunction f(x: number): number { return lazy(x)(); }",
    gives: LEFT,
  },
  "thunk in field": {
    code: "class M { private t: (() => number) | undefined; at(x: number): number { this.t ??= (() => { const y = x * x; return () => y; })(); return this.t(); } }\nconst m = new M();\nfunction f(x: number): number { return m.at(x); }",
    gives: 0,
  },
  "key and value restored": {
    code: "const s = { last: NaN, v: 0 };\nfunction f(x: number): number { if (x !== s.last) { s.last = x; s.v = x * x; } return s.v; }\nexport function restore(o: { last: number; v: number }): void { s.last = o.last; s.v = o.v; }",
    gives: LEFT,
  },
  "key and value, restored by plain": {
    code: "const s = { last: NaN, v: 0 };\nfunction f(x: number): number { if (x !== s.last) { s.last = x; s.v = x * x; } return s.v; }\nexport function restore(o: { last: number; v: number }): void { s.last = o.last; s.v = o.v; }",
    plain: "restore({last: 3, v: 5})",
    gives: LEFT,
  },
  "value set beside key, class": {
    code: "export class M { last = NaN; v = 0; at(x: number): number { if (x !== this.last) { this.last = x; this.v = x * x; } return this.v; } preset(v: number): void { this.v = v; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "value set beside key, private": {
    code: "export class M { private last = NaN; private v = 0; at(x: number): number { if (x !== this.last) { this.last = x; this.v = x * x; } return this.v; } preset(v: number): void { this.v = v; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "value set beside key, #": {
    code: "export class M { #last = NaN; #v = 0; at(x: number): number { if (x !== this.#last) { this.#last = x; this.#v = x * x; } return this.#v; } preset(v: number): void { this.#v = v; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }",
    gives: LEFT,
  },
  "module flag, table": {
    code: "let ready = false; const table: number[] = [];\nfunction f(x: number): number { if (!ready) { for (let i = 0; i < 3; i++) table[i] = x * x * i; ready = true; } return table[1]!; }",
    gives: 0,
  },
  "module flag, instance": {
    code: "let ready = false; export class S { v = 0; } const s = new S();\nfunction f(x: number): number { if (!ready) { s.v = x * x; ready = true; } return s.v; }",
    gives: 0,
  },
  "module key, typed": {
    code: "let key = NaN; const out = new Float64Array(2);\nfunction f(x: number): number { if (x !== key) { out[0] = x * x; out[1] = x; key = x; } return out[0]!; }",
    gives: LEFT,
  },
  "class key, array": {
    code: "export class T { key = NaN; out: number[] = [0, 0]; at(x: number): number { if (x !== this.key) { this.out[0] = x * x; this.key = x; } return this.out[0]!; } }\nconst t = new T();\nfunction f(x: number): number { return t.at(x); }",
    gives: LEFT,
  },
  "class dirty, array": {
    code: "export class T { private dirty = true; private readonly out: number[] = []; at(x: number): number { if (this.dirty) { this.out.length = 0; for (let i = 0; i < 3; i++) this.out.push(x * x * i); this.dirty = false; } return this.out[1]!; } }\nconst t = new T();\nfunction f(x: number): number { return t.at(x); }",
    gives: 0,
  },
  "closure factory key, restore": {
    code: "function makeSq() { let last = NaN, v = 0; return { at(x: number): number { if (x === last) return v; last = x; v = x * x; return v; }, restore(a: number, b: number): void { last = a; v = b; } }; }\nconst sq = makeSq();\nfunction f(x: number): number { return sq.at(x); }",
    gives: LEFT,
  },
  "try get": {
    code: 'const memo = new Map<number, number>();\nfunction get(k: number): number { const v = memo.get(k); if (v === undefined) throw new Error("miss"); return v; }\nfunction f(x: number): number { try { return get(x); } catch { const v = x * x; memo.set(x, v); return v; } }',
    gives: LEFT,
  },
  "a table of tables that are filled": {
    code: "const memo: number[][] = Array.from({ length: 4 }, () => new Array<number>(4).fill(-1));\nfunction at(i: number, j: number, x: number): number { if (memo[i]![j] !== -1) return memo[i]![j]!; const v = i === 0 ? x * x : at(i - 1, j, x); memo[i]![j] = v; return v; }\nfunction f(x: number): number { return at(2, 1, x); }",
    gives: 0,
  },
  "a table of tables, asked by a variable": {
    code: "const memo: number[][] = [...Array(4)].map(() => Array(4).fill(NaN));\nfunction at(i: number, j: number, x: number): number { const known = memo[i]![j]!; if (!Number.isNaN(known)) return known; const v = i === 0 ? x * x : at(i - 1, j, x); memo[i]![j] = v; return v; }\nfunction f(x: number): number { return at(2, 1, x); }",
    gives: 0,
  },
  "grid filled each call, then asked": {
    code: "const grid: number[][] = Array.from({ length: 3 }, () => new Array<number>(3).fill(0));\nfunction f(x: number): number { for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) grid[i]![j] = x * x * i; return grid[1]![2]! > 0 ? grid[1]![2]! : 0; }",
    gives: 6,
  },
  "pid module state reset by each run": {
    code: "export class Pid { i = 0; prev = 0; first = true; reset(): void { this.i = 0; this.prev = 0; this.first = true; } update(e: number, dt: number): number { this.i += e * dt; const d = this.first ? 0 : (e - this.prev) / dt; this.first = false; this.prev = e; return 2 * e + this.i + 0.1 * d; } }\nexport const pid = new Pid();\nfunction f(x: number): number { pid.reset(); let y = 0; for (let k = 0; k < 2; k++) y += pid.update(x - y, 1); return y; }",
    gives: -2.3,
    fresh: -2.3,
  },
  "weights parameter property": {
    code: "export class Dense { constructor(readonly w: number[] = [1, 2], private bias = 0.5) {} set(b: number): void { this.bias = b; } of(x: number): number { return this.w[1]! * x * x + this.bias * x; } }\nexport const d = new Dense();\nfunction f(x: number): number { return d.of(x); }",
    plain: "d.set(Math.sqrt(4))",
    gives: 14,
    fresh: 12.5,
  },
  "parameter property lazily set": {
    code: "export class M { constructor(private scale?: number) {} at(x: number): number { this.scale ??= 2 * Math.abs(x); return x * x / this.scale; } }\nexport const m = new M(Math.sqrt(9));\nfunction f(x: number): number { return m.at(x); }",
    plain: "",
    gives: 2,
    fresh: 2,
  },
  "parameter property map of settings": {
    code: 'export class M { constructor(private known = new Map<string, number>()) {} set(k: string, v: number): void { this.known.set(k, v); } at(x: number): number { if (!this.known.has("a")) this.known.set("a", x); return x * x * this.known.get("a")!; } }\nexport const m = new M();\nfunction f(x: number): number { return m.at(x); }',
    plain: "m.set('a', Math.sqrt(4))",
    gives: 12,
    fresh: 27,
  },
  "parameter property made by factory value": {
    code: "export class M { constructor(private v = NaN) {} at(x: number): number { if (Number.isNaN(this.v)) this.v = x; return x * x * this.v; } }\nconst make = (C: typeof M): M => new C(Math.sqrt(4));\nexport const m = make(M);\nfunction f(x: number): number { return m.at(x); }",
    plain: "",
    gives: 12,
    fresh: 12,
  },
  "scratch list with ready flag": {
    code: "let ready = false; const scratch: number[] = [];\nfunction f(x: number): number { if (!ready) { for (let i = 0; i < 3; i++) scratch.push(0); ready = true; } for (let i = 0; i < 3; i++) scratch[i] = x * i; return scratch[1]! * scratch[1]!; }",
    gives: 6,
  },
  "lazy table of data by flag": {
    code: "let ready = false; const table: number[] = [];\nfunction f(x: number): number { if (!ready) { for (let i = 0; i < 3; i++) table[i] = Math.sqrt(i * i); ready = true; } return table[2]! * x * x; }",
    gives: 12,
    fresh: 12,
  },
  "lazy table of data in a class": {
    code: "export class T { private ready = false; readonly out: number[] = []; at(x: number): number { if (!this.ready) { for (let i = 0; i < 3; i++) this.out.push(Math.sqrt(i * i)); this.ready = true; } return this.out[2]! * x * x; } }\nexport const t = new T();\nfunction f(x: number): number { return t.at(x); }",
    gives: 12,
    fresh: 12,
  },
  "closures of settings": {
    code: "const layers: ((x: number) => number)[] = [];\nconst add = (k: number): void => { layers.push((x) => k * x); };\nadd(2); add(Math.sqrt(9));\nfunction f(x: number): number { if (layers.length === 0) add(1); let h = x; for (const l of layers) h = l(h); return h * x; }",
    plain: "",
    gives: 36,
    fresh: 36,
  },
  "let function set": {
    code: "let act: (x: number) => number = (x) => x;\nexport const use = (k: number): void => { act = (x) => k * x; };\nfunction f(x: number): number { return act(x) * x; }",
    plain: "use(Math.sqrt(9))",
    gives: 18,
  },
  "subscribers left": {
    code: "type L = (v: number) => void; const subs: L[] = [];\nfunction f(x: number): number { let got = 0; subs.push((v) => { got += v; }); for (const s of subs) s(x * x); return got; }",
    gives: 6,
  },
  "lazy getter of data": {
    code: 'export class M { w = [1, 2]; get norm(): number { const value = this.w.reduce((a, b) => a + b, 0); Object.defineProperty(this, "norm", { value }); return value; } }\nexport const m = new M();\nfunction f(x: number): number { return x * x * m.norm; }',
    gives: 18,
    fresh: 18,
  },
  "compile cache of an AST": {
    code: 'type E = { k: "x" } | { k: "num"; v: number } | { k: "mul"; a: E; b: E };\nconst tree: E = { k: "mul", a: { k: "x" }, b: { k: "mul", a: { k: "x" }, b: { k: "num", v: 2 } } };\nconst cache = new WeakMap<E, (x: number) => number>();\nfunction compile(e: E): (x: number) => number { const hit = cache.get(e); if (hit) return hit; let r: (x: number) => number; if (e.k === "x") r = (x) => x; else if (e.k === "num") { const v = e.v; r = () => v; } else { const a = compile(e.a), b = compile(e.b); r = (x) => a(x) * b(x); } cache.set(e, r); return r; }\nfunction f(x: number): number { return compile(tree)(x); }',
    gives: 12,
    fresh: 12,
  },
  "compiled field": {
    code: "class Rule { private fn: ((x: number) => number) | undefined; constructor(readonly k: number) {} get run(): (x: number) => number { return (this.fn ??= (x) => this.k * x * x); } }\nconst rule = new Rule(2);\nfunction f(x: number): number { return rule.run(x); }",
    gives: 12,
    fresh: 12,
  },
  "handlers map": {
    code: 'const handlers = new Map<string, (x: number) => number>();\nfunction on(k: string, h: (x: number) => number): void { if (!handlers.has(k)) handlers.set(k, h); }\non("a", (x) => x * x);\nfunction f(x: number): number { on("b", (y) => y); return handlers.get("a")!(x) + handlers.get("b")!(x); }',
    gives: 7,
    fresh: 7,
  },
  "key of a class by size": {
    code: "export class Q { n = -1; nodes = new Float64Array(4); at(n: number, x: number): number { if (n !== this.n) { this.n = n; for (let i = 0; i < n; i++) this.nodes[i] = i / n; } let s = 0; for (let i = 0; i < n; i++) s += this.nodes[i]! * x * x; return s; } }\nexport const q = new Q();\nfunction f(x: number): number { return q.at(2, x); }",
    gives: 3,
    fresh: 3,
  },
  "settings under a flag": {
    code: "let loaded = false; export const params = { k: 1, b: 0 };\nexport function load(o: { k: number; b: number }): void { params.k = o.k; params.b = o.b; loaded = true; }\nfunction f(x: number): number { if (!loaded) { params.k = x; loaded = true; } return params.k * x * x; }",
    plain: "load({ k: Math.sqrt(4), b: 0 })",
    gives: 12,
    fresh: 27,
  },
  "buffer loaded under a flag": {
    code: "let loaded = false; const w = new Float64Array(2);\nexport function load(o: readonly number[]): void { for (let i = 0; i < 2; i++) w[i] = o[i]!; loaded = true; }\nfunction f(x: number): number { if (!loaded) { w[0] = x; loaded = true; } return w[0]! * x * x; }",
    plain: "load([Math.sqrt(4), 0])",
    gives: 12,
    fresh: 27,
  },
  "dirty transform set in the run": {
    code: "export class Node3 { local = [1, 2]; world = [0, 0]; dirty = true; set(i: number, v: number): void { this.local[i] = v; this.dirty = true; } update(): void { if (this.dirty) { for (let i = 0; i < 2; i++) this.world[i] = this.local[i]! * 2; this.dirty = false; } } }\nexport const node = new Node3();\nfunction f(x: number): number { node.set(0, x); node.update(); return node.world[0]! * x; }",
    gives: 12,
    fresh: 12,
  },
  "record restored, other key": {
    code: "export const s = { last: NaN, v: 0 };\nfunction f(x: number): number { if (x !== s.last) { s.last = x; s.v = x * x; } return s.v; }\nexport function restore(o: { last: number; v: number }): void { s.last = o.last; s.v = o.v; }",
    plain: "restore({ last: 7, v: 2 })",
    gives: 6,
  },
};

interface Loaded {
  readonly g: (x: number) => unknown;
  readonly plain: () => unknown;
  readonly primal: (x: number) => unknown;
}

/** Loads it anew each time. */
function emitted(name: string): () => Loaded {
  const {
    code,
    other,
    plain = "return f(3)",
    of = 'grad(f, { engine: "delta" })',
  } = PROGRAMS[name] ?? { code: "" };
  const texts: Record<string, string> = {
    "p.ts": `import { grad } from "tsgrad";\n${code}\nexport const g: (x: number) => unknown = ${of};\nexport const plain = (): unknown => { ${plain}; return null; };\nexport const primal: (x: number) => unknown = f;\n`,
    ...(other === undefined ? {} : { "q.ts": other }),
  };
  const { edits, diagnostics } = analyse(programOf(texts));
  expect(diagnostics.map(({ code: each, message }) => `${each} ${message}`)).toEqual([]);
  const after = Object.fromEntries(
    Object.entries(texts).map(([file, text]) => [
      file,
      applyEdits(`/src/${file}`, text, edits.get(`/src/${file}`) ?? []).text,
    ]),
  );
  expect(typeErrors(programOf(after))).toEqual([]);
  const all = new Map(Object.entries(after).map(([file, text]) => [`/src/${file}`, text]));
  return () => loader(all)("/src/p.ts") as unknown as Loaded; // exports are unknown
}

async function said(give: () => unknown): Promise<unknown> {
  try {
    return await give();
  } catch (error) {
    return String(error).slice(7, 14);
  }
}

test.each(Object.keys(PROGRAMS).filter((name) => sampled(name, 3)))("%s", async (name) => {
  const { gives, fresh = 6, plain } = PROGRAMS[name] ?? { gives: 0 };
  const load = emitted(name);
  const before = load();
  const behind = load();
  expect(await said(() => before.g(3))).toBeCloseTo(
    plain === "" && typeof gives === "number" ? gives : fresh,
    12,
  );
  await behind.plain();
  const found = await said(() => behind.g(3));
  if (typeof gives !== "number") {
    expect(found).toBe(gives);
    return;
  }
  expect(found).toBeCloseTo(gives, 12);
  if (PROGRAMS[name]?.of === "f") return;
  const at = async (x: number): Promise<number> => {
    const left = load();
    await left.plain();
    return Number(await left.primal(x));
  };
  // rounding is 1e-11 of values up to 30 at this step, and the third derivative's share below that
  expect(((await at(3 + 1e-5)) - (await at(3 - 1e-5))) / 2e-5).toBeCloseTo(gives, 7);
});

// ids that a run has given are given again where another one waits, unless somebody may have them
test.each([
  [
    "a closure",
    "let kept: (() => number) | null = null;\nfunction f(x: number): number { const y = x * x; kept ??= () => y; return kept() + x; }",
  ],
  [
    "a generator",
    "let kept: Generator<number> | null = null;\nfunction* at(x: number): Generator<number> { for (;;) yield x * x; }\nfunction f(x: number): number { kept ??= at(x); return (kept.next().value as number) + x; }",
  ],
  [
    "a promise",
    "let kept: Promise<number> | null = null;\nasync function f(x: number): Promise<number> { kept ??= Promise.resolve(x * x); return (await kept) + x; }",
  ],
])("%s of a run that is over, while another one waits", async (_, code) => {
  const text = `import { grad } from "tsgrad";\n${code}\nexport const g = grad(f, { engine: "delta" });\nexport let open = (): void => {};\nasync function h(x: number): Promise<number> { const y = x * x; await new Promise<void>((done) => { open = done; }); return y * x; }\nexport const waiting = grad(h);\n`;
  const { edits } = analyse(programOf({ "p.ts": text }));
  const load = loader(
    new Map([["/src/p.ts", applyEdits("/src/p.ts", text, edits.get("/src/p.ts") ?? []).text]]),
  );
  const p = load("/src/p.ts") as {
    readonly g: (x: number) => unknown;
    readonly waiting: (x: number) => Promise<number>;
    readonly open: () => void;
  }; // exports are unknown
  const first = p.waiting(2);
  expect([await said(() => p.g(3)), await said(() => p.g(3))]).toEqual([7, LEFT]);
  p.open();
  expect(await first).toBe(12);
});

test("a generator that plain code has made is given no number that a derivative passes through", async () => {
  const text =
    'import { grad } from "tsgrad";\nfunction* squares(): Generator<number, void, number> { let x = 0; for (;;) x = yield x * x; }\nconst all = squares();\nall.next();\nexport const g = grad((x: number): number => all.next(x).value as number);\n';
  const { edits } = analyse(programOf({ "p.ts": text }));
  const load = loader(
    new Map([["/src/p.ts", applyEdits("/src/p.ts", text, edits.get("/src/p.ts") ?? []).text]]),
  );
  const { g } = load("/src/p.ts") as { readonly g: (x: number) => unknown }; // exports are unknown
  expect(await said(() => g(3))).toBe("TSG0010");
});
