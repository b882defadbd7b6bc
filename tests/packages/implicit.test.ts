// Code that JavaScript calls without a call in the text, which gets an active number or gives one:
// conversions, iterators, accessors, traps, species. In: what a function of the program or of a
// package says. Out: its gradient against differences, or a diagnostic where it is built or runs.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import ts from "typescript";
import { type Built, built, expectGradient, programOf } from "./built.ts";
import { savedPrototypes } from "./prototypes.ts";

const NUM =
  "class Num { v: any; constructor(v: any) { this.v = v; } valueOf(): any { return this.v; } }";
const PRIM =
  "class Prim { v: any; constructor(v: any) { this.v = v; } [Symbol.toPrimitive](): any { return this.v; } }";
const SEEN = "let last: any = 1;";
const TAKES =
  "class Takes { static [Symbol.hasInstance](v: any): boolean { return typeof v === 'number'; } }";
const KEEPS =
  "class Keeps { static [Symbol.hasInstance](v: any): boolean { last = v; return true; } }";
const LISTS =
  "class List extends Array<any> { get total(): any { let s = 0; for (const e of this) s += e; return s; } }";

const TEXT =
  "class Text { v: any; constructor(v: any) { this.v = v; } toString(): any { last = this.v; return 'a'; } }";
const PAIR =
  "class Pair { a: any; constructor(a: any) { this.a = a; } *[Symbol.iterator](): any { yield this.a; yield this.a * 2; } }";
const GET =
  "class Get { v: any; constructor(v: any) { this.v = v; } get sq(): any { return this.v * this.v; } }";
const PUT =
  "class Put { v: any; constructor(v: any) { this.v = v; } set by(k: any) { this.v = this.v * k; } }";
const DOC =
  "class Doc { v: any; constructor(v: any) { this.v = v; } toJSON(): any { return 'a'; } }";

/** Each: what stands at the top of the module, and the body of `(x: any) => any`. */
const CASES: Readonly<Record<string, readonly [top: string, body: string]>> = {
  // instanceof
  "instanceof of a number": [TAKES, "return (x as any) instanceof Takes ? x * x : 0;"],
  "instanceof, inherited": [
    `${TAKES} class Sub extends Takes {}`,
    "return (x as any) instanceof Sub ? x * x : 0;",
  ],
  "instanceof that compares": [
    "class Big { static [Symbol.hasInstance](v: any): boolean { return v > 0.5; } }",
    "return (x as any) instanceof Big ? x * x : x;",
  ],
  "instanceof that keeps": [
    `${SEEN} ${KEEPS}`,
    "const is = (x as any) instanceof Keeps; return is ? last * x : 0;",
  ],
  "instanceof that keeps a product": [
    `${SEEN} ${KEEPS}`,
    "const is = (x * x as any) instanceof Keeps; return is ? last * x : 0;",
  ],
  "instanceof of an object": [
    "let last: any = 1; class Keeps { static [Symbol.hasInstance](o: any): boolean { last = o.v; return true; } }",
    "const is = { v: x * 2 } instanceof Keeps; return is ? last * x : 0;",
  ],
  "instanceof of a literal": [
    "const Lit: any = { [Symbol.hasInstance](v: any) { return typeof v === 'number'; } };",
    "return (x as any) instanceof Lit ? x * x : 0;",
  ],
  "instanceof, defined": [
    `class Def {} Object.defineProperty(Def, Symbol.hasInstance, { value: (v: any) => v > 0 });`,
    "return (x as any) instanceof Def ? x * x : 0;",
  ],
  "instanceof of its own fields": [
    "class Own { k: any; constructor(k: any) { this.k = k; } [Symbol.hasInstance](v: any): any { this.k = this.k * v; return true; } }",
    "const own: any = new Own(x); const is = (x as any) instanceof own; return is ? own.k * x : 0;",
  ],
  "hasInstance called": [
    `${SEEN} ${KEEPS}`,
    "return (Keeps as any)[Symbol.hasInstance](x * x) ? last * x : 0;",
  ],
  "instanceof in a switch": [
    TAKES,
    "switch (true) { case (x as any) instanceof Takes: return x * x; default: return 0; }",
  ],
  // conversions
  "valueOf * x": [NUM, "const n: any = new Num(x * x); return n * x;"],
  "valueOf + valueOf": [NUM, "const n: any = new Num(x * x); return n + n;"],
  "valueOf - 1": [NUM, "const n: any = new Num(x * x); return n - 1;"],
  "valueOf ** 2": [NUM, "const n: any = new Num(x * x); return n ** 2;"],
  "valueOf % 1": [NUM, "const n: any = new Num(x * 2.1); return n % 1;"],
  "-valueOf": [NUM, "const n: any = new Num(x * x); return -n * 2;"],
  "+valueOf": [NUM, "const n: any = new Num(x * x); return +n * 2;"],
  "valueOf += x": [NUM, "let n: any = new Num(x * x); n += x; return n;"],
  "valueOf ++": [NUM, "let n: any = new Num(x * x); n++; return n * x;"],
  "++ valueOf": [NUM, "let n: any = new Num(x * x); return ++n * x;"],
  "x *= valueOf": [NUM, "let y = x; y *= new Num(x * x) as any; return y;"],
  "field += valueOf": [NUM, "const o: any = { s: x }; o.s += new Num(x * x) as any; return o.s;"],
  "field ++ of valueOf": [NUM, "const o: any = { s: new Num(x * x) }; o.s++; return o.s * x;"],
  "valueOf < 1": [NUM, "const n: any = new Num(x); return n < 1 ? x * x : x;"],
  "valueOf >= x": [NUM, "const n: any = new Num(x * 2); return n >= x ? x * x : x;"],
  "valueOf == x": [NUM, "const n: any = new Num(x); return n == x ? x * x : x;"],
  "valueOf | 0": [NUM, "const n: any = new Num(x * 3); return (n | 0) * x;"],
  "toPrimitive * x": [PRIM, "const n: any = new Prim(x * x); return n * x;"],
  "toPrimitive + text": [
    PRIM,
    "const n: any = new Prim(x * x); return (n + 'a').length > 1 ? x * x : x;",
  ],
  "toPrimitive < 1": [PRIM, "const n: any = new Prim(x); return n < 1 ? x * x : x;"],
  "toPrimitive by getter": [
    "class Lazy { v: any; constructor(v: any) { this.v = v; } get [Symbol.toPrimitive](): any { const { v } = this; return () => v * 2; } }",
    "const n: any = new Lazy(x); return n * x;",
  ],
  "valueOf < 1 that keeps": [
    `${SEEN} class Num { v: any; constructor(v: any) { this.v = v; } valueOf(): any { last = this.v; return this.v; } }`,
    "const n: any = new Num(x * x); return (n < 1 ? 2 : 3) * last * x;",
  ],
  "hints that keep": [
    `${SEEN} class Prim { v: any; constructor(v: any) { this.v = v; } [Symbol.toPrimitive](hint: any): any { last = hint === 'string' ? this.v * 2 : hint === 'number' ? this.v * 3 : this.v * 5; return 'a'; } }`,
    "const n: any = new Prim(x * x); let s: any = 0; for (const f of [() => n < 1, () => [n].join(), () => n == 1, () => ({ a: 1 } as any)[n], () => n | 0]) { f(); s += last; } return s * x;",
  ],
  "method of a base in a class of a function": [
    "class Base { v: any; constructor(v: any) { this.v = v; } sq(): any { return this.v * this.v; } get twice(): any { return this.v * 2; } valueOf(): any { return this.v; } }",
    "class Own extends Base { over(k: any): any { return this.sq() * k; } } const n: any = new Own(x); return n.over(x) * n.twice + n * x;",
  ],
  "Number(valueOf)": [NUM, "return Number(new Num(x * x)) * x;"],
  "Math.sqrt(valueOf)": [NUM, "return Math.sqrt(new Num(x * x * x) as any);"],
  "Math.max(valueOf, 0)": [NUM, "return Math.max(new Num(x * x) as any, 0) * x;"],
  "Math.max(...[valueOf])": [NUM, "return Math.max(...([new Num(x * x), 0] as any[])) * x;"],
  "Math.hypot(valueOf, x)": [NUM, "return Math.hypot(new Num(x * x) as any, x);"],
  "Math.atan2(valueOf, x)": [NUM, "return Math.atan2(new Num(x * x) as any, x);"],
  "Math.pow(valueOf, 2)": [NUM, "return Math.pow(new Num(x * x) as any, 2);"],
  "Math.abs(valueOf)": [NUM, "return Math.abs(new Num(x * x) as any) * x;"],
  "isNaN(valueOf)": [NUM, "return isNaN(new Num(x * x) as any) ? x : x * x;"],
  "parseFloat(toString)": [
    "class Text { v: any; constructor(v: any) { this.v = v; } toString(): any { return this.v; } }",
    "return parseFloat(new Text(x * x) as any) * x;",
  ],
  "`${toString}`": [
    "class Text { v: any; constructor(v: any) { this.v = v; } toString(): any { return String(this.v); } }",
    "return Number(`${new Text(x * x)}`) * x;",
  ],
  "toString that keeps": [
    `${SEEN} ${TEXT}`,
    "const s = `${new Text(x * x)}`; return s.length * last * x;",
  ],
  "String(toString) that keeps": [
    `${SEEN} ${TEXT}`,
    "const s = String(new Text(x * x)); return s.length * last * x;",
  ],
  "typed array of valueOf": [
    NUM,
    "const a = new Float64Array([new Num(x * x) as any]); return a[0]! * x;",
  ],
  "Float64Array.of(valueOf)": [
    NUM,
    "const a = Float64Array.of(new Num(x * x) as any); return a[0]! * x;",
  ],
  "Float64Array.from(valueOf)": [
    NUM,
    "const a = Float64Array.from([new Num(x * x) as any]); return a[0]! * x;",
  ],
  "typed element = valueOf": [
    NUM,
    "const a = new Float64Array(1); a[0] = new Num(x * x) as any; return a[0]! * x;",
  ],
  "typed fill(valueOf)": [
    NUM,
    "const a = new Float64Array(2).fill(new Num(x * x) as any); return a[0]! * x;",
  ],
  "typed set(valueOf)": [
    NUM,
    "const a = new Float64Array(2); a.set([new Num(x * x) as any]); return a[0]! * x;",
  ],
  "typed map gives valueOf": [
    NUM,
    "const a = new Float64Array(1).map(() => new Num(x * x) as any); return a[0]! * x;",
  ],
  "sort by valueOf": [
    NUM,
    "const a = [x * 2, x]; a.sort((p, q) => new Num(p - q) as any); return a[0]! * 3 + a[1]! * x;",
  ],
  "sort of objects as text": [
    "class Text { v: any; constructor(v: any) { this.v = v; } toString(): any { return this.v > 1 ? 'a' : 'b'; } }",
    "const a: any[] = [new Text(x), new Text(x * 2)]; a.sort(); return a[0].v * 3 + a[1].v * x;",
  ],
  "at(valueOf)": [NUM, "return [x, x * x].at(new Num(1) as any)! * x;"],
  "length = valueOf": [
    NUM,
    "const a = [x, x * x, 1]; a.length = new Num(2) as any; return a[a.length - 1]! * x;",
  ],
  "reduce with valueOf": [
    NUM,
    "return [new Num(x), new Num(x * x)].reduce((s: any, n: any) => s + n, 0);",
  ],
  "Symbol.search": [
    "class Find { v: any; constructor(v: any) { this.v = v; } [Symbol.search](): any { return this.v; } }",
    "return 'a'.search(new Find(x * x) as any) * x;",
  ],
  "Symbol.split": [
    "class Cut { v: any; constructor(v: any) { this.v = v; } [Symbol.split](): any { return [this.v]; } }",
    "return ('a'.split(new Cut(x * x) as any) as any)[0] * x;",
  ],
  "replace by a function": [
    "",
    "let s: any = 1; 'ab'.replace(/a/, () => { s = x * x; return ''; }); return s * x;",
  ],
  // JSON
  toJSON: [
    "class Doc { v: any; constructor(v: any) { this.v = v; } toJSON(): any { return { w: this.v }; } }",
    "return JSON.parse(JSON.stringify(new Doc(x * x))).w * x;",
  ],
  "toJSON in an object": [
    "class Doc { v: any; constructor(v: any) { this.v = v; } toJSON(): any { return this.v; } }",
    "return JSON.parse(JSON.stringify({ a: [new Doc(x * x)] })).a[0] * x;",
  ],
  "toJSON that keeps": [
    `${SEEN} class Doc { v: any; constructor(v: any) { this.v = v; } toJSON(): any { last = this.v; return 'a'; } }`,
    "const s = JSON.stringify(new Doc(x * x)); return s.length * last * x;",
  ],
  "toJSON of a constant": [DOC, "return JSON.stringify([new Doc(2)]).length * x * x;"],
  "toJSON of an active instance": [DOC, "return JSON.stringify([new Doc(x)]).length * x * x;"],
  "getter in JSON": ["", "return JSON.parse(JSON.stringify({ get a() { return x * x; } })).a * x;"],
  "replacer of JSON": [
    "",
    "return JSON.parse(JSON.stringify({ a: 1 }, (k, v) => (k === 'a' ? x * x : v))).a * x;",
  ],
  "reviver of JSON": [
    "",
    "return JSON.parse('{\"a\":1}', (k, v) => (k === 'a' ? x * x : v)).a * x;",
  ],
  // iterators
  "spread of an iterator": [PAIR, "const [p, q]: any = [...new Pair(x * x)]; return p * q;"],
  "for of an iterator": [
    PAIR,
    "let s: any = 0; for (const e of new Pair(x * x)) s += e * x; return s;",
  ],
  "pattern of an iterator": [PAIR, "const [p, q]: any = new Pair(x * x); return p * q;"],
  "assigned pattern of an iterator": [
    PAIR,
    "let p: any, q: any; [p, q] = new Pair(x * x) as any; return p * q;",
  ],
  "arguments of an iterator": [
    `${PAIR} const times = (a: any, b: any): any => a * b;`,
    "return times(...(new Pair(x * x) as unknown as [any, any]));",
  ],
  "Math.max of an iterator": [
    PAIR,
    "return Math.max(...(new Pair(x * x) as unknown as any[])) * x;",
  ],
  "Array.from of an iterator": [
    PAIR,
    "return Array.from(new Pair(x * x) as any).reduce((s: any, e: any) => s + e * x, 0);",
  ],
  "Map of an iterator": [
    "class Pair { a: any; constructor(a: any) { this.a = a; } *[Symbol.iterator](): any { yield ['a', this.a]; yield ['b', this.a * 2]; } }",
    "const m: any = new Map(new Pair(x * x) as any); return m.get('a') * m.get('b');",
  ],
  "Set of an iterator": [
    PAIR,
    "let s: any = 0; for (const e of new Set(new Pair(x * x) as any)) s += (e as any) * x; return s;",
  ],
  "fromEntries of an iterator": [
    "class Pair { a: any; constructor(a: any) { this.a = a; } *[Symbol.iterator](): any { yield ['a', this.a]; yield ['b', this.a * 2]; } }",
    "const o: any = Object.fromEntries(new Pair(x * x) as any); return o.a * o.b;",
  ],
  "typed array of an iterator": [
    PAIR,
    "const a = new Float64Array(new Pair(x * x) as any); return a[0]! * a[1]!;",
  ],
  "yield* of an iterator": [
    `${PAIR} function* both(p: any): any { yield* p; }`,
    "const [p, q]: any = [...both(new Pair(x * x))]; return p * q;",
  ],
  "next of its own": [
    "class Steps { a: any; n = 0; constructor(a: any) { this.a = a; } [Symbol.iterator](): any { return this; } next(): any { return this.n++ < 2 ? { value: this.a * this.n, done: false } : { value: undefined, done: true }; } }",
    "let s: any = 0; for (const e of new Steps(x * x) as any) s += e * x; return s;",
  ],
  "value by a getter": [
    "class Steps { a: any; n = 0; constructor(a: any) { this.a = a; } [Symbol.iterator](): any { return this; } next(): any { const { a } = this; const k = ++this.n; return { get value() { return a * k; }, get done() { return k > 2; } }; } }",
    "let s: any = 0; for (const e of new Steps(x * x) as any) s += e * x; return s;",
  ],
  "return of an iterator keeps": [
    `${SEEN} class Steps { a: any; constructor(a: any) { this.a = a; } [Symbol.iterator](): any { return this; } next(): any { return { value: this.a, done: false }; } return(): any { last = this.a; return {}; } }`,
    "for (const e of new Steps(x * x) as any) { void e; break; } return last * x;",
  ],
  "return of an iterator, by a pattern": [
    `${SEEN} class Steps { a: any; constructor(a: any) { this.a = a; } [Symbol.iterator](): any { return this; } next(): any { return { value: this.a, done: false }; } return(): any { last = this.a; return {}; } }`,
    "const [e]: any = new Steps(x) as any; return last * e;",
  ],
  "iterator of a list replaced": [
    "",
    "const a: any = [x]; a[Symbol.iterator] = function* () { yield x * x; }; let s: any = 0; for (const e of a) s += e * x; return s;",
  ],
  // getters and setters
  getter: [GET, "return new Get(x).sq * x;"],
  "getter by a pattern": [GET, "const { sq } = new Get(x); return sq * x;"],
  "getter by an assigned pattern": [GET, "let sq: any; ({ sq } = new Get(x)); return sq * x;"],
  "getter by spread": ["", "const o: any = { ...{ get a() { return x * x; } } }; return o.a * x;"],
  "getter by rest": [
    "",
    "const { b, ...o }: any = { b: 1, get a() { return x * x; } }; return o.a * x * b;",
  ],
  "getter by assign": [
    "",
    "const o: any = Object.assign({}, { get a() { return x * x; } }); return o.a * x;",
  ],
  "getter by values": [
    "",
    "const [a]: any = Object.values({ get a() { return x * x; } }); return a * x;",
  ],
  "getter by entries": [
    "",
    "const [[, a]]: any = Object.entries({ get a() { return x * x; } }); return a * x;",
  ],
  "getter by Reflect.get": [
    GET,
    "return (Reflect.get(Get.prototype, 'sq', new Get(x)) as any) * x;",
  ],
  "getter of a parameter": [
    `const take = ({ sq }: any): any => sq * 2; ${GET}`,
    "return take(new Get(x)) * x;",
  ],
  "defined getter": [
    "",
    "const o: any = {}; Object.defineProperty(o, 'a', { get: () => x * x }); return o.a * x;",
  ],
  "getter of apply's list": [
    "const times = (a: any, b: any): any => a * b;",
    "return times.apply(null, { length: 2, get 0() { return x * x; }, 1: x } as any);",
  ],
  "getter of Array.from's list": [
    "",
    "return Array.from({ length: 2, get 0() { return x * x; }, 1: x } as any).reduce((s: any, e: any) => s * e, 1) as any;",
  ],
  "getter length": [
    "",
    "return Array.from({ get length() { return 2; }, 0: x, 1: x * x } as any).reduce((s: any, e: any) => s * e, 1) as any;",
  ],
  setter: [PUT, "const p = new Put(x); p.by = x * x; return p.v;"],
  "setter by a pattern": [PUT, "const p = new Put(x); [p.by] = [x * x]; return p.v;"],
  "setter by an object pattern": [
    PUT,
    "const p = new Put(x); ({ a: p.by } = { a: x * x }); return p.v;",
  ],
  "setter by for of": [PUT, "const p = new Put(x); for (p.by of [x, x * x]); return p.v;"],
  "setter by assign": [PUT, "const p = new Put(x); Object.assign(p, { by: x * x }); return p.v;"],
  "setter by Reflect.set": [PUT, "const p = new Put(x); Reflect.set(p, 'by', x * x); return p.v;"],
  "setter of a base by super": [
    `${PUT} class More extends Put { set by(k: any) { super.by = k * k; } }`,
    "const p = new More(x); p.by = x; return p.v;",
  ],
  "setter of a base by super, method": [
    "class Put { v: any; constructor(v: any) { this.v = v; } get by(): any { return this.v; } set by(k: any) { this.v = this.v * k; } } class More extends Put { scale(k: any): void { super.by = k * 2; } grow(k: any): void { super.by += k; } }",
    "const p = new More(x); p.scale(x); p.grow(x); return p.v;",
  ],
  "static setter of a base by super": [
    "class Put { static v: any = 1; static set by(k: any) { this.v = this.v * k; } } class More extends Put { static run(k: any): any { this.v = k; super.by = k * 2; return this.v; } }",
    "return More.run(x);",
  ],
  "field by super": [
    "class Put { v: any; constructor(v: any) { this.v = v; } rest(): any { return this.v; } } class More extends Put { run(k: any): any { super.rest = k * k; return (this as any).rest * this.v; } }",
    "return new More(x).run(x);",
  ],
  "element by super": [
    `${PUT} class More extends Put { run(k: any, name: string): any { (super[name as 'by'] as any) = k * k; return this.v; } }`,
    "return new More(x).run(x, 'by');",
  ],
  "defined getter by its old name": [
    "",
    "const o: any = {}; o.__defineGetter__('a', () => x * x); return o.a * x;",
  ],
  // methods that prototypes of the language get
  "method of numbers": [
    "(Number.prototype as any).toRadians = function (this: any): any { return (this * Math.PI) / 180; };",
    "return (x as any).toRadians() * x;",
  ],
  "method of numbers, of a product": [
    "(Number.prototype as any).toRadians = function (this: any): any { return (this * Math.PI) / 180; };",
    "return ((x * x) as any).toRadians() * x;",
  ],
  "method of numbers that calls another": [
    "(Number.prototype as any).half = function (this: any): any { return this / 2; }; (Number.prototype as any).half2 = function (this: any): any { return this.half() * this; };",
    "return (x as any).half2() * x;",
  ],
  "method of numbers with an argument": [
    "(Number.prototype as any).plusTimes = function (this: any, k: any): any { const self = this; return [1, 2].reduce((s: any, e: any) => s + e * this * k, self); };",
    "return (x as any).plusTimes(x * 2);",
  ],
  "method of numbers, defined": [
    "Object.defineProperty(Number.prototype, 'sq1', { value: function (this: any): any { return this.valueOf() * this; } });",
    "return (x as any).sq1() * x;",
  ],
  "method of numbers, assigned together": [
    "Object.assign(Number.prototype, { sq(this: any): any { return Number(this) * this; } });",
    "return (x as any).sq() * x;",
  ],
  "method of numbers, if there is none": [
    "if ((Number.prototype as any).toRads === undefined) { (Number.prototype as any).toRads = function (this: any): any { return this * 3; }; }",
    "return (x as any).toRads() * x;",
  ],
  "method of numbers, if it has no type": [
    "if (typeof (Number.prototype as any).toRads2 === 'undefined') { (Number.prototype as any).toRads2 = function (this: any): any { return this * 3; }; }",
    "return (x as any).toRads2() * x;",
  ],
  "method of numbers by a name": [
    "const proto: any = Number.prototype; proto.tripled = function (this: any): any { return this * 3; };",
    "return (x as any).tripled() * x;",
  ],
  "method of numbers by a key": [
    "(Number.prototype as any).tripled2 = function (this: any): any { return this * 3; };",
    "const k = 'tripled2'; return (x as any)[k]() * x;",
  ],
  "method of numbers by call": [
    "(Number.prototype as any).tripled3 = function (this: any): any { return this * 3; };",
    "return (Number.prototype as any).tripled3.call(x) * x;",
  ],
  "getter of numbers": [
    "Object.defineProperty(Number.prototype, 'doubled', { get: function (this: any): any { return this * 2; } });",
    "return (x as any).doubled * x;",
  ],
  "method of numbers that returns itself": [
    "(Number.prototype as any).self = function (this: any): any { return this; };",
    "return (x as any).self() * x;",
  ],
  "method of strings": [
    "(String.prototype as any).times = function (this: any, k: any): any { return this.length * k; };",
    "return ('ab' as any).times(x * x) * x;",
  ],
  "method of lists": [
    "(Array.prototype as any).sumAll = function (this: any): any { return this.reduce((s: any, e: any) => s + e, 0); };",
    "return ([x, x * x] as any).sumAll() * x;",
  ],
  "method of lists, with for of": [
    "(Array.prototype as any).sum2 = function (this: any): any { let s = 0; for (const e of this) s += e; return s; };",
    "return ([x, x * x] as any).sum2() * x;",
  ],
  "getter of lists": [
    "Object.defineProperty(Array.prototype, 'last2', { get(this: any): any { return this[this.length - 1]; } });",
    "return ([x, x * x] as any).last2 * x;",
  ],
  "method of functions": [
    "(Function.prototype as any).twice = function (this: any, k: any): any { return this(this(k)); };",
    "const sq = (k: any): any => k * k; return (sq as any).twice(x) * x;",
  ],
  "method of objects": [
    "Object.defineProperty(Object.prototype, 'area2', { value: function (this: any): any { return this.w * this.h; } });",
    "return ({ w: x, h: x * x } as any).area2();",
  ],
  // Proxy
  "proxy get": [
    "",
    "const p: any = new Proxy({ a: 1 }, { get: (_o, _k) => x * x }); return p.a * x;",
  ],
  "proxy get of its target": [
    "",
    "const p: any = new Proxy({ a: x * x }, { get: (o: any, k: any) => o[k] * 2 }); return p.a * x;",
  ],
  "proxy without traps": ["", "const p: any = new Proxy({ a: x * x }, {}); return p.a * x;"],
  "proxy has": [
    SEEN,
    "const p: any = new Proxy({}, { has: (_o, _k) => { last = x * x; return true; } }); return 'a' in p ? last * x : x;",
  ],
  "proxy apply": [
    "",
    "const p: any = new Proxy((a: any) => a, { apply: (f: any, _s, [a]: any) => f(a) * x }); return p(x * x);",
  ],
  "proxy construct": [
    "class Box { v: any; constructor(v: any) { this.v = v; } }",
    "const P: any = new Proxy(Box, { construct: (C: any, [a]: any) => new C(a * x) }); return new P(x * x).v;",
  ],
  "proxy ownKeys": [
    SEEN,
    "const p: any = new Proxy({}, { ownKeys: () => { last = x * x; return []; } }); return (Object.keys(p).length + 1) * last * x;",
  ],
  "proxy delete": [
    SEEN,
    "const p: any = new Proxy({}, { deleteProperty: () => { last = x * x; return true; } }); delete p.a; return last * x;",
  ],
  "proxy get by Reflect": [
    "",
    "const p: any = new Proxy({ a: x * x }, { get: (o: any, k: any, r: any) => Reflect.get(o, k, r) }); return p.a * x;",
  ],
  "proxy of a list": [
    "",
    "const p: any = new Proxy([x, x * x], {}); let s: any = 0; for (const e of p) s += e * x; return s;",
  ],
  // species
  "subclass of Array": [
    LISTS,
    "const l = List.of(x, x * x) as List; return (l.map((e: any) => e * x) as List).total;",
  ],
  "subclass of Array, from": [
    LISTS,
    "return ((List.from([x, x * x]) as List).filter((e: any) => e > 0) as List).total * x;",
  ],
  "subclass of Array, slice and concat": [
    LISTS,
    "const l = List.of(x, x * x) as List; return ((l.slice(1) as List).concat([x]) as List).total * x;",
  ],
  species: [
    "class Pick extends Array<any> { static get [Symbol.species](): any { return Array; } get total(): any { return 5; } }",
    "const l: any = Pick.of(x, x * x); const m: any = l.map((e: any) => e * x); return m.total === undefined ? m[0] * m[1] : 0;",
  ],
  "species that keeps": [
    `${SEEN} class Keep extends Array<any> { static get [Symbol.species](): any { return function (n: any) { last = n; return []; }; } }`,
    "const l: any = Keep.of(x, x * x); const m: any = l.map((e: any) => e * x); return m[0] * m[1] * last;",
  ],
  isConcatSpreadable: [
    "",
    "const o: any = { length: 1, 0: x * x, [Symbol.isConcatSpreadable]: true }; return ([x] as any[]).concat(o)[1] * x;",
  ],
  "subclass of Map": [
    "class Table extends Map<any, any> { override get(k: any): any { return super.get(k) * 2; } }",
    "const t = new Table([['a', x * x]]); return t.get('a') * x;",
  ],
  "subclass of Map, set": [
    "class Table extends Map<any, any> { override set(k: any, v: any): any { return super.set(k, v * 2); } }",
    "const t = new Table([['a', x * x]]); return t.get('a') * x;",
  ],
  "subclass of Set, add": [
    "class Table extends Set<any> { override add(v: any): any { return super.add(v * 2); } }",
    "const t = new Table([x * x]); const [e]: any = [...t]; return e * x;",
  ],
};

/** Not followed, and said when it runs, by code; `*`: in both. */
const REFUSED: Readonly<Record<string, string>> = {
  "`${toString}`": "* TSG0012",
  "replacer of JSON": "* TSG0011",
  "reviver of JSON": "* TSG0011",
  "getter of apply's list": "* TSG0011",
  "getter of Array.from's list": "* TSG0011",
  "getter of numbers": "* TSG0010",
  // types of the program say that they are numbers
  "isNaN(valueOf)": "program TSG0021",
  "sort by valueOf": "program TSG0021",
  "at(valueOf)": "program TSG0021",
  "length = valueOf": "program TSG0021",
};

const refusedIn = (where: Where, name: string): string | undefined => {
  const [place, code] = (REFUSED[name] ?? "").split(" ");
  return place === "*" || place === where ? code : undefined;
};

type Where = "program" | "package";

const textOf = (where: Where, [top, body]: readonly [string, string]): string =>
  `${top}\nexport function g(x: ${where === "package" ? "any" : "number"}): any { try { ${body} } finally { void 0; } }\n`;

const inJavaScript = (text: string): string =>
  ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  }).outputText;

const ALL = Object.entries(CASES).map(([name, texts], k) => ({ name, texts, k }));
/** Prototypes of the language are shared here, and only packages give them methods. */
const OF_PROGRAMS = ALL.filter(({ name }) => !/^(?:method|getter) of \w+s\b/.test(name));
const fileOf = (where: Where, k: number): string => `src/${where}${k}.ts`;
let result: Built = { errors: [], made: new Map() };

const restore = savedPrototypes();
afterAll(restore);

beforeAll(async () => {
  const packages = ALL.map(({ texts, k }) => ({
    [`pack${k}/package.json`]: `{ "name": "pack${k}", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
    [`pack${k}/index.d.ts`]: "export function g(x: number): number;\n",
    [`pack${k}/index.js`]: inJavaScript(textOf("package", texts)),
  }));
  const ofPackages = ALL.map(({ k }) =>
    programOf(fileOf("package", k), `import { g } from "pack${k}";`, "g(x[0]!) * x[1]!"),
  );
  const programs = OF_PROGRAMS.map(({ texts, k }) =>
    programOf(fileOf("program", k), "", "g(x[0]!) * x[1]!", textOf("program", texts)),
  );
  result = await built(Object.assign({}, ...packages), [ofPackages, programs]);
});

test("nothing is refused where it is built", () => {
  expect(result.errors.filter((error) => error.includes("TSG"))).toEqual([]);
});

describe.each([
  ["package", ALL],
  ["program", OF_PROGRAMS],
] as const)("in a %s", (where, all) => {
  test.each(all.map(({ name, k }) => [name, k] as const))("%s", (name, k) => {
    const { module } = result.made.get(fileOf(where, k)) ?? {};
    if (module === undefined) throw new Error("not built");
    const code = refusedIn(where, name);
    expect(module.f([0.7, 1.9])).not.toBeNaN();
    if (code !== undefined) expect(() => module.d([0.7, 1.9])).toThrow(code);
    else expectGradient(module, [0.7, 1.9]);
  });
});
