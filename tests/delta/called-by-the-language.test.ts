// Code that operators, built-ins and proxies call without a call in the text, which keeps an active
// number. In: who has the code, what calls it. Out: derivatives of all orders and modes. Oracle:
// differences of the plain function. Blind to conversions that a prototype gets by assignment,
// and to those of literals of a module in the static engine.

import { describe, expect, it } from "vitest";
import { isLong } from "../breadth.ts";
import { variantsOf } from "../programs/variants.ts";
import { expectSlopes, type TwoNumbers } from "./slopes-of-two.ts";

/** What converts, with the active number that it keeps. */
const METHODS = [
  "valueOf(): number { kept = this.v * 2; return 2; }, toString(): string { kept = this.v * 3; return 'q'; }",
  "[Symbol.toPrimitive](hint: string): number | string { kept = this.v * (hint === 'number' ? 2 : hint === 'string' ? 3 : 5); return hint === 'number' ? 2 : 'q'; }",
  "valueOf(): number { total += this.v; kept = total; return this.v; }, toString(): string { kept = this.v; return 'q'; }",
];

/** Members of a class have no commas between them. */
const inClass = (around: string, methods: string): string =>
  around.includes("class") ? methods.replace("},", "}") : methods;

/** Where the methods are, and the object `k` of `a * b`. */
const OWNERS: Readonly<Record<string, readonly [top: string, local: string]>> = {
  "a class": ["class K { constructor(readonly v: number) {} METHODS }", "const k = new K(a * b);"],
  "a base class": [
    "class B { constructor(readonly v: number) {} METHODS } class K extends B {}",
    "const k = new K(a * b);",
  ],
  "a class of a function": [
    "",
    "class K { constructor(readonly v: number) {} METHODS } const k = new K(a * b);",
  ],
  "a class of a function, of a base": [
    "class B { constructor(readonly v: number) {} METHODS }",
    "class K extends B {} const k = new K(a * b);",
  ],
  "a literal": ["", "const k = { v: a * b, METHODS };"],
  "a literal of the module": ["const k = { v: 1, METHODS };", "k.v = a * b;"],
};

/** What calls them. */
const CALLERS: Readonly<Record<string, string>> = {
  product: "any * 2",
  sum: "any + 1",
  sign: "-any",
  less: "any < 3 ? 1 : 2",
  equal: "any == 2 ? 1 : 2",
  bits: "(any | 0) + 1",
  shift: "1 << any",
  template: "`${k}`.length",
  key: "({ q: 3 } as any)[any] ?? 1",
  "key of a literal": "Object.keys({ [any]: 1 }).length",
  "key of a method":
    "(() => { class Z { [any](): number { return 5; } } return Object.getOwnPropertyNames(Z.prototype).length; })()",
  "key of a pattern": "(() => { const { [any]: z = 4 } = { q: 3 } as any; return z; })()",
  in: "any in { q: 1 } ? 1 : 2",
  join: "[k].join('').length",
  sort: "[k, k].sort().length",
  date: "new Date(any).getTime() > 0 ? 1 : 2",
  concat: "'a'.concat(any).length",
  replace: "'aqb'.replace('q', any).length",
  own: "Object.hasOwn({ q: 1 }, any) ? 1 : 2",
  absolute: "Math.abs(any) > 0 ? 1 : 2",
  String: "String(k).length",
};

const FORMS = `
export const grads = [
  () => grad(f, { argnums: [0, 1], engine: "delta" })(0.7, 1.9),
  () => valueAndGrad(f, { argnums: [0, 1] })(0.7, 1.9)[1],
  () => vjp(f)(0.7, 1.9)[1](1),
  () => [jvp(f)([0.7, 1.9], [1, 0])[1], jvp(f)([0.7, 1.9], [0, 1])[1]],
];
export const second = (): number => hvp(f)([0.7, 1.9], 1);
`;
/** The static engine is asked first, and leaves the second form of a body to Delta at once. */
const programOf = (top: string, body: string, isStatic = false): string =>
  `import { grad, hvp, jvp, valueAndGrad, vjp } from "tsgrad";\n${top}\nexport function f(a: number, b: number): number { ${isStatic ? body : `try { ${body} } finally { }`} }\n${FORMS}`;

const PROGRAMS: Record<string, string> = {};
/** Each caller has a class, and some of the other owners. */
const isAsked = (owner: number, method: number, caller: number): boolean =>
  isLong || owner === 0 || (owner + method + caller) % 5 === 0;

Object.entries(OWNERS).forEach(([owner, [top, local]], i) => {
  METHODS.forEach((methods, k) => {
    for (const [j, [caller, expression]] of Object.entries(CALLERS).entries()) {
      if (!isAsked(i, k, j)) continue;
      PROGRAMS[`${owner}, ${k}, ${caller}`] = programOf(
        `let kept = 1, total = 0; ${top.replace("METHODS", inClass(top, methods))}`,
        `kept = 1; total = 0; ${local.replace("METHODS", inClass(local, methods))} const any: any = k; const r = Number(${expression}); const last = kept * a; kept = 1; total = 0; return last * (r === 7.5 ? 0 : a);`,
        !owner.includes("of the module") && (i + k + j) % 2 === 0,
      );
    }
  });
});

/** Members of `K`, whose `toString` keeps the number in other ways than by an assignment of its own. */
const WAYS: Readonly<Record<string, readonly [members: string, around?: string]>> = {
  "a function": ["toString(): string { return keep(this.v); }"],
  "a getter": ["get q(): string { return keep(this.v); } toString(): string { return this.q; }"],
  "a getter of another object": [
    "toString(): string { at = this.v; return other.q; }",
    "let at = 1; const other = { get q(): string { return keep(at); } };",
  ],
  "a tag": [
    "toString(): string { return tag`q${this.v}`; }",
    "const tag = (_: TemplateStringsArray, v: number): string => keep(v);",
  ],
  "an iterator": [
    "*[Symbol.iterator](): Generator<string> { yield keep(this.v); } toString(): string { return [...this].join(''); }",
  ],
  "a loop over an iterator": [
    "*[Symbol.iterator](): Generator<string> { yield keep(this.v); } toString(): string { let s = ''; for (const q of this) s += q; return s; }",
  ],
  "a constructor": [
    "toString(): string { new Kept(this.v); return 'q'; }",
    "class Kept { constructor(v: number) { keep(v); } }",
  ],
  "a method of its own": [
    "own(): string { return keep(this.v); } toString(): string { return this.own(); }",
  ],
  "a method that a subclass has": [
    "own(): string { return 'q'; } toString(): string { return this.own(); }",
    "class S extends K { override own(): string { return keep(this.v); } }",
  ],
  "a method of another object": [
    "get inner(): Inner { return new Inner(this.v); } toString(): string { return this.inner.toString(); }",
    "class Inner { constructor(readonly v: number) {} toString(): string { return keep(this.v); } }",
  ],
  "a template of another object": [
    "get inner(): Inner { return new Inner(this.v); } toString(): string { return `${this.inner}`; }",
    "class Inner { constructor(readonly v: number) {} toString(): string { return keep(this.v); } }",
  ],
  "a field that is a function": ["toString = (): string => keep(this.v);"],
  "a callback": ["toString(): string { return [this.v].map((v) => keep(v)).join(''); }"],
  "a callback with a name": ["toString(): string { return [this.v].map(keep).join(''); }"],
  "a getter that is taken apart": [
    "get q(): string { return keep(this.v); } toString(): string { const { q } = this; return q; }",
  ],
  "a getter by a key": [
    "get q(): string { return keep(this.v); } toString(): string { return this['q']; }",
  ],
  "a getter of a spread": [
    "toString(): string { at = this.v; return { ...other }.q; }",
    "let at = 1; const other = { get q(): string { return keep(at); } };",
  ],
  "an `instanceof`": [
    "toString(): string { return (this as unknown) instanceof Test ? 'q' : 'qq'; }",
    "class Test { static [Symbol.hasInstance](k: K): boolean { keep(k.v); return true; } }",
  ],
  "what a constructor of the language iterates": [
    "toString(): string { return `q${new Set(this.all).size}`; } all = { [Symbol.iterator]: (): Iterator<string> => [keep(this.v)].values() };",
  ],
};
for (const [way, [members, around = ""]] of Object.entries(WAYS))
  for (const isStatic of [true, false])
    PROGRAMS[`kept by ${way}${isStatic ? "" : ", Delta"}`] = programOf(
      `let kept = 1; const keep = (v: number): string => { kept = v * 3; return "q"; }; class K { constructor(readonly v: number) {} ${members} } ${around}`,
      `kept = 1; const k: K = new ${around.includes("extends K") ? "S" : "K"}(a * b); const r = \`\${k}\`.length; const last = kept * a; kept = 1; return last * r;`,
      isStatic,
    );

/** Ways to put a method of the language on the instances of `K` from outside. */
const PUTS: Readonly<Record<string, string>> = {
  "an assignment": "(K.prototype as any)[KEY] = function (this: K): any { BODY };",
  "a function with a name": "function put(this: K): any { BODY } (K.prototype as any)[KEY] = put;",
  "a const": "const put = function (this: K): any { BODY }; (K.prototype as any)[KEY] = put;",
  defineProperty:
    "Object.defineProperty(K.prototype, KEY, { value: function (this: K): any { BODY } });",
  "defineProperty, a method":
    "Object.defineProperty(K.prototype, KEY, { value(this: K): any { BODY }, configurable: true });",
  "defineProperty of Reflect":
    "Reflect.defineProperty(K.prototype, KEY, { value(this: K): any { BODY } });",
  defineProperties:
    "Object.defineProperties(K.prototype, { [KEY]: { value(this: K): any { BODY } } });",
  assign: "Object.assign(K.prototype, { [KEY](this: K): any { BODY } });",
  setPrototypeOf: "Object.setPrototypeOf(K.prototype, { [KEY](this: K): any { BODY } });",
  "the base": "(Base.prototype as any)[KEY] = function (this: K): any { BODY };",
  "a constructor":
    "class L extends K { constructor(v: number) { super(v); (this as any)[KEY] = function (this: K): any { BODY }; } }",
  "defineProperty in a constructor":
    "class L extends K { constructor(v: number) { super(v); Object.defineProperty(this, KEY, { value: function (this: K): any { BODY } }); } }",
  "a field": "class L extends K { [KEY]: any = function (this: K): any { BODY }; }",
  "a static block":
    "class L extends K { static { (this.prototype as any)[KEY] = function (this: K): any { BODY }; } }",
};
/** What the method does, and who calls it. */
const CALLS: Readonly<Record<string, readonly [key: string, body: string, use: string]>> = {
  "a template": ["'toString'", "kept = this.v * 3; return 'q'", "const r = `${k}`.length;"],
  "a number": ["'valueOf'", "kept = this.v; return this.v * 2", "const r = (k as any) * a;"],
  "a sum": ["Symbol.toPrimitive", "return (kept = this.v)", "const r = (k as any) + a;"],
  JSON: ["'toJSON'", "kept = this.v; return 'q'", "const r = JSON.stringify(k).length;"],
  "a loop": [
    "Symbol.iterator",
    "kept = this.v; return [this.v, 2][Symbol.iterator]()",
    "let r = 0; for (const x of k as any) r += x * a;",
  ],
};
for (const [put, top] of Object.entries(PUTS))
  for (const [caller, [key, code, use]] of Object.entries(CALLS))
    for (const isStatic of [true, false])
      PROGRAMS[`put by ${put}, called by ${caller}${isStatic ? "" : ", Delta"}`] = programOf(
        `let kept = 1; class Base {} class K extends Base { constructor(readonly v: number) { super(); } } ${top.replaceAll("KEY", key).replaceAll("BODY", code)}`,
        `kept = 1; const k: K = new ${top.includes("class L") ? "L" : "K"}(a * b); ${use} const last = kept * a; kept = 1; return last * r;`,
        isStatic,
      );
const TAG = "get [Symbol.toStringTag](): string { kept = this.v * 3; return 'q'; }";
for (const isStatic of [true, false]) {
  const end = isStatic ? "" : ", Delta";
  const use =
    "const r = `${k}`.length + Object.prototype.toString.call(k).length; const last = kept * a; kept = 1; return last * r;";
  PROGRAMS[`a tag of a class${end}`] = programOf(
    `let kept = 1; class K { constructor(readonly v: number) {} ${TAG} }`,
    `const k = new K(a * b); ${use}`,
    isStatic,
  );
  PROGRAMS[`a tag of a literal${end}`] = programOf(
    `let kept = 1; const k = { v: 1, ${TAG} };`,
    `k.v = a * b; ${use.replace("return", "k.v = 1; return")}`,
    isStatic,
  );
}

/** Where literals of the program's own code are, whose accessors read and write `at`. */
const ACCESSORS: Readonly<Record<string, readonly [top: string, object: string]>> = {
  "a const": ["const o = LITERAL;", "o"],
  "an assigned variable": ["let o: Q = LITERAL; o = LITERAL;", "o"],
  "a frozen one": ["const o = Object.freeze(LITERAL);", "o"],
  "a part": ["const all = { in: LITERAL };", "all.in"],
  "an optional part": ["const all: { in?: Q } = { in: LITERAL };", "all.in!"],
  "a list": ["const all = [LITERAL];", "all[0]!"],
  "a Map": ["const all = new Map<string, Q>([['a', LITERAL]]);", "all.get('a')!"],
  "what is put into a Map": [
    "const all = new Map<string, Q>(); all.set('a', LITERAL);",
    "all.get('a')!",
  ],
  "a const that is only put into a Map": [
    "const hidden = LITERAL; const all = new Map<string, Q>([['a', hidden]]);",
    "all.get('a')!",
  ],
  "what a function makes": ["function make(): Q { return LITERAL; } const o = make();", "o"],
  "a static field": ["class C { static o = LITERAL; }", "C.o"],
  "a prototype": ["const o = Object.create(LITERAL) as Q;", "o"],
  "after a spread": ["const o = Object.assign(LITERAL, { z: 1 });", "o"],
  "a literal of the function": ["", "(LITERAL)"],
};
const NAMES: Readonly<Record<string, string>> = {
  "a name":
    "{ z: 2, get q(): number { return at * this.z; }, set q(v: number) { at = v * this.z; } }",
  "a text":
    "{ z: 2, get 'q'(): number { return at * this.z; }, set 'q'(v: number) { at = v * this.z; } }",
  "a computed text":
    "{ z: 2, get ['q'](): number { return at * this.z; }, set ['q'](v: number) { at = v * this.z; } }",
};
const READS: Readonly<Record<string, string>> = {
  "read and written": "o.q = a; return o.q * b;",
  "taken apart": "at = a * b; const { q } = o; return q * a;",
  "by a key": "at = a * b; return o['q'] * a;",
  "by a function": "at = a * b; const read = (o: Q): number => o.q; return read(o) * a;",
};
Object.entries(ACCESSORS).forEach(([owner, [top, object]], i) => {
  Object.entries(NAMES).forEach(([name, literal], k) => {
    Object.entries(READS).forEach(([way, body], j) => {
      if (!isLong && (i + k + j) % 3 !== 0) return;
      const of = (text: string): string => text.replaceAll("LITERAL", literal);
      PROGRAMS[`accessors: ${owner}, ${name}, ${way}`] = programOf(
        `interface Q { q: number; z: number } let at = 1; ${of(top)}`,
        `at = 1; ${object === "o" ? "" : `const o: Q = ${of(object)}; `}${body}`,
      );
    });
  });
});

const PROXIES: Readonly<Record<string, readonly [top: string, body: string]>> = {
  "a field": ["", "const p: any = new Proxy({ x: 0 }, {}); p.x = a * b; return p.x * p.x;"],
  "the field of its target": [
    "",
    "const t = { x: 1 }; const p = new Proxy(t, {}); p.x = a * b; t.x *= a; return t.x * p.x;",
  ],
  "a trap of writes": [
    "let kept = 1;",
    "const p: any = new Proxy({ x: 1 } as any, { set(t, k, v) { kept = v; t[k] = v * 2; return true; } }); p.x = a * b; const r = kept * p.x; kept = 1; return r;",
  ],
  "a trap of writes by another name": [
    "",
    "let seen = 1; const traps: ProxyHandler<any> = { set: (t, k, v) => { seen = v * a; t[k] = v; return true; } }; const t: any = { x: 1 }; const p: any = new Proxy(t, traps); p.x = b; return seen * t.x;",
  ],
  "a trap that writes by Reflect": [
    "",
    "let seen = 1; const p: any = new Proxy({ x: 1 } as any, { set: (t, k, v, r) => { seen = v; return Reflect.set(t, k, v * v, r); } }); Reflect.set(p, 'x', a * b); return seen * (Reflect.get(p, 'x') as number);",
  ],
  "a trap of reads": [
    "",
    "let seen = 1; const p: any = new Proxy({ x: a } as any, { get(t, k) { seen = a * b; return t[k] * b; } }); return p.x * seen;",
  ],
  "a trap that reads by Reflect": [
    "",
    "const p: any = new Proxy({ x: a * b, get y() { return this.x * 2; } } as any, { get: (t, k, r) => Reflect.get(t, k, r) }); return p.y * a;",
  ],
  "a proxy of a proxy": [
    "",
    "const p: any = new Proxy(new Proxy({ x: 1 } as any, { set: (t, k, v) => { t[k] = v * a; return true; } }), {}); p.x = b; return p.x * b;",
  ],
  "a list": [
    "",
    "const t = [1]; const p = new Proxy(t, {}); p[0] = a; p.push(b); return t[0]! * t[1]! * p.reduce((s, v) => s + v, 0);",
  ],
  "an instance": [
    "class C { x = 1; get sq(): number { return this.x * this.x; } set by(k: number) { this.x *= k; } grow(k: number): number { return (this.x *= k); } }",
    "const c = new C(); const p = new Proxy(c, {}); p.x = a; p.by = b; return p.grow(a) * c.sq;",
  ],
  "a function": ["", "const p = new Proxy((x: number) => x * a, {}); return p(b) * a;"],
  "a trap of definitions": [
    "",
    "const p: any = new Proxy({ y: 1 } as any, { defineProperty: (t, k, d) => Reflect.defineProperty(t, k, { ...d, value: d.value * a }) }); p.x = b; p.x = p.x * b; p.y = p.x; return p.x * p.y;",
  ],
  "a trap of definitions that keeps": [
    "",
    "let seen = 1; const p: any = new Proxy({} as any, { defineProperty: (t, k, d) => { seen *= d.value; t[k] = d.value * a; return true; } }); Object.defineProperty(p, 'x', { value: b }); Reflect.defineProperty(p, 'y', { value: a * b }); Object.assign(p, { z: a }); return seen * p.x * p.y * p.z;",
  ],
  "traps of writes and definitions": [
    "",
    "const p: any = new Proxy({ x: 1 } as any, { set: (t, k, v, r) => Reflect.set(t, k, v * a, r), defineProperty: (t, k, d) => Reflect.defineProperty(t, k, { ...d, value: d.value * b }) }); p.x = b; p.y = p.x * a; return p.x * p.y;",
  ],
  "a definition without a trap": [
    "",
    "const t: any = {}; const p: any = new Proxy(t, {}); Object.defineProperty(p, 'x', { value: a * b, writable: true }); Object.defineProperties(p, { y: { value: p.x * a }, z: { get: () => a * a } }); Reflect.set(t, 'w', b * b, p); return t.x * p.y * p.z * t.w;",
  ],
  "a trap of calls": [
    "",
    "const p: any = new Proxy((x: number) => x * a, { apply: (f: any, _s, [x]: any) => f(x) * x }); return p(a * b);",
  ],
  "a class": [
    "class C { constructor(readonly x: number) {} }",
    "const P: any = new Proxy(C, {}); const Q: any = new Proxy(C, { construct: (K: any, [x]: any) => new K(x * a) }); return new P(a * b).x * new Q(b).x;",
  ],
  "what copies": [
    "",
    "const p: any = new Proxy({ x: a * b, y: a } as any, {}); const { x, ...rest } = p; const o = { ...p }; return x * rest.y * o.x + Object.values<number>(p).reduce((s, v) => s + v, 0) * Object.assign({}, p).y;",
  ],
  text: [
    "",
    "const p: any = new Proxy({ x: a * b } as any, {}); return JSON.parse(JSON.stringify(p)).x * a;",
  ],
  "one that is revoked": [
    "",
    "const { proxy, revoke } = Proxy.revocable({ x: a * b }, {}); proxy.x *= 2; const r = proxy.x * a; revoke(); return r;",
  ],
  "an argument": [
    "const read = (o: { x: number }): number => o.x * o.x;",
    "const p = new Proxy({ x: 1 }, {}); p.x = a; return read(p) * b;",
  ],
};
for (const [name, [top, body]] of Object.entries(PROXIES))
  PROGRAMS[`proxy: ${name}`] = programOf(top, body);

const variants = variantsOf(PROGRAMS, { lib: ["lib.es2023.d.ts"] });

describe.each(Object.keys(PROGRAMS))("%s", (name) => {
  it("has its derivatives", () => {
    const { errors, exports } = variants(name);
    expect(errors).toEqual([]);
    expectSlopes(exports() as unknown as TwoNumbers);
  });
});

const REFUSED: Readonly<Record<string, readonly [body: string, as: RegExp, top?: string]>> = {
  "a list that is watched": [
    "const p: number[] = new Proxy([1], { set: (t: any, k, v) => { t[k] = v; return true; } }); p[0] = a; return p[0]! * b;",
    /TSG0010: a `Proxy`.* trap .*;/,
  ],
  "a trap that reads descriptors": [
    "const p: any = new Proxy({} as any, { getOwnPropertyDescriptor: (t, k) => Reflect.getOwnPropertyDescriptor(t, k) }); p.x = a; return p.x * b;",
    /TSG0010: a `Proxy`.* trap .*;/,
  ],
  "a field that a trap defines": [
    "class B { constructor() { return new Proxy({} as any, { defineProperty: (t, k, d) => Reflect.defineProperty(t, k, { ...d, value: d.value * 2 }) }); } } class L extends B { x = a; } return new L().x * b;",
    /TSG0010: a field of a class, .*;/,
  ],
  "a native that runs a trap": [
    "let seen = 1; const p: any = new Proxy({ x: 1 } as any, { defineProperty: (t, k, d) => { seen *= t.x; return Reflect.defineProperty(t, k, d); } }); p.x = a; Object.freeze(p); return seen * p.x * b;",
    /TSG0010: a field of a class, .*;/,
  ],
  "a method that a helper puts on a prototype": [
    "return (new K(a) as any) * b;",
    /TSG0010: a function without a name .*;/,
    "class K { constructor(readonly v: number) {} } function extend(o: any, f: (this: K) => any): void { o['valueOf'] = f; } extend(K.prototype, function (this: K) { return this.v; });",
  ],
};
const refused = variantsOf(
  Object.fromEntries(
    Object.entries(REFUSED).map(
      ([name, [body, , top = ""]]) => [name, programOf(top, body)] as const,
    ),
  ),
  { lib: ["lib.es2023.d.ts"] },
);

it.each(Object.keys(REFUSED))("%s is refused", (name) => {
  const { grads } = refused(name).exports() as unknown as TwoNumbers;
  for (const gradient of grads) expect(gradient).toThrow(REFUSED[name]?.[1]);
});
