// What plain code, the function itself included, has left in variables and fields that outlive runs is a constant, unless an active number finds itself there as a key (TSG0015).
// In: programs, each a module of its own. Oracles: derivatives by hand on the state that is left. Plain code runs before each of two calls.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

interface Program {
  readonly code: string;
  /** What plain code does. */ readonly plain?: string;
  readonly of?: string;
  readonly gives: readonly (number | string)[];
}

const LEFT = ["TSG0015"];
const BY_DELTA = 'grad(f, { engine: "delta" })';
const LAST_OF =
  "const lastOf = (g: (x: number) => number) => { let at = NaN, value = 0; return (x: number): number => { if (x !== at) { at = x; value = g(x); } return value; }; };\nconst square = lastOf((x) => x * x);\n";
const MEMO =
  "at(x: number): number { if (x !== this.last) { this.last = x; this.value = x * x; } return this.value; }";
const PROGRAMS: Readonly<Record<string, Program>> = {
  numbers: {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x === last) return value; last = x; value = x * x; return value; }",
    gives: LEFT,
  },
  "a number beside a flag": {
    code: "let done = false, value = 0;\nfunction f(x: number): number { if (done) return value; value = x * x; done = true; return value; }",
    gives: [0, 0],
  },
  "what happens to be what it began with": {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x === last) return value; last = x; value = Math.sin(x - 3); return value; }",
    gives: LEFT,
  },
  "a closure": {
    code: `${LAST_OF}function f(x: number): number { return square(x) + x; }`,
    gives: LEFT,
  },
  "an object": {
    code: "let last: { x: number; v: number } | null = null;\nfunction f(x: number): number { if (last !== null && last.x === x) return last.v; last = { x, v: x * x }; return last.v; }",
    gives: LEFT,
  },
  "an object that is there from the beginning": {
    code: "let last = { x: NaN, v: 0 };\nfunction f(x: number): number { if (last.x !== x) last = { x, v: x * x }; return last.v; }",
    gives: LEFT,
  },
  "a list in an object": {
    code: "let last: { x: number; of: { ys: Float64Array } } | undefined;\nfunction f(x: number): number { if (last?.x !== x) last = { x, of: { ys: new Float64Array([x, x * x]) } }; return last.of.ys[1]!; }",
    gives: LEFT,
  },
  "a table that is made anew": {
    code: "let known = new Map<number, number>();\nfunction f(x: number): number { const k = known.get(x); if (k !== undefined) return k; if (known.size > 9) known = new Map([[x, x * x]]); else known.set(x, x * x); return x * x; }",
    gives: LEFT,
  },
  "what a derivative by another argument has left": {
    code: "let last = 0, value = 0;\nfunction h(x: number, y: number): number { if (last !== x) { last = x; value = x * x; } return value * y; }\nconst byY = grad(h, { argnums: 1 }), byX = grad(h);\nconst f = (x: number): number => h(x, 2);",
    plain: "void byY(3, 2)",
    of: "(x: number) => byX(x, 2)",
    gives: LEFT,
  },
  "what was computed for another argument": {
    code: "let last = NaN, value = 0;\nfunction f(x: number): number { if (x === last) return value; last = x; value = x * x; return value; }",
    plain: "void f(8)",
    gives: [6, 6],
  },
  "the seed of a generator": {
    code: "let seed = 1;\nconst rand = (): number => { seed = (seed * 16807) % 2147483647; return seed / 2147483647; };\nfunction f(x: number): number { return x * x + rand() * 0; }",
    gives: [6, 6],
  },
  "a constant that is computed once": {
    code: "let scale = 0;\nconst computed = (): number => Math.sqrt(4);\nfunction f(x: number): number { if (scale === 0) scale = computed(); return x * x * scale; }",
    gives: [12, 12],
  },
  "a table that is computed once": {
    code: "let table: number[] | null = null;\nconst built = (): number[] => [1, 2, 3];\nconst tableOf = (): number[] => { if (table === null) table = built(); return table; };\nfunction f(x: number): number { return x * x * tableOf()[1]!; }",
    gives: [12, 12],
  },
  "what is known of data": {
    code: "let last: number[] | null = null, norm = 0;\nconst data = [1, 2, 3];\nfunction h(w: number, xs: number[]): number { if (last !== xs) { last = xs; norm = xs.reduce((s, x) => s + x * x, 0); } return w * w * norm; }\nconst byW = grad(h);\nconst f = (w: number): number => h(w, data);",
    of: "(w: number) => byW(w, data)",
    gives: [84, 84],
  },
  "a counter": {
    code: "let calls = 0;\nfunction f(x: number): number { calls++; return x * x * (calls > 0 ? 1 : 2); }",
    gives: [6, 6],
  },
  "the best so far": {
    code: "let best = Infinity;\nfunction f(x: number): number { const v = x * x; if (v < best) best = v; return v; }",
    gives: [6, 6],
  },
  "a sum that each call begins": {
    code: "let total = 0;\nconst add = (x: number): void => { total += x * x; };\nfunction f(x: number): number { total = 0; add(x); add(x); return total; }",
    gives: [12, 12],
  },
  "a sum that plain code begins": {
    code: "let total = 0;\nfunction f(x: number): number { for (let i = 0; i < 3; i++) total += x * x; return total; }",
    plain: "total = 0",
    gives: [18, 18],
  },
  "a number that plain code sets": {
    code: "let scale = 2;\nfunction f(x: number): number { const y = scale * x; scale = x * x; return y; }\nconst set = (to: number): void => { scale = to; };",
    plain: "set(7)",
    gives: [7, 7],
  },
  "a list that each call fills": {
    code: "let xs: number[] = [];\nfunction f(x: number): number { xs = []; for (let i = 0; i < 3; i++) xs.push(x * i); return xs[2]!; }",
    gives: [2, 2],
  },
  "what is meant to be a constant": {
    code: "let mean = 0;\nfunction f(x: number): number { const m = 0.9 * mean + 0.1 * x; mean = stopGradient(m); return m; }",
    gives: [0.1, 0.1],
  },
  "a record's fields": {
    code: "const s = { at: NaN, value: 0 };\nfunction f(x: number): number { if (s.at !== x) { s.at = x; s.value = x * x; } return s.value; }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a record of a closure": {
    code: "const slow = (() => { const s = { at: NaN, value: 0 }; return (x: number): number => { if (s.at !== x) { s.at = x; s.value = x * x; } return s.value; }; })();\nfunction f(x: number): number { return slow(x) + x; }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "an object in a record": {
    code: "const s: { last: { x: number; v: number } | null } = { last: null };\nfunction f(x: number): number { if (s.last === null || s.last.x !== x) s.last = { x, v: x * x }; return s.last.v; }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a table": {
    code: "const known = new Map<number, number>();\nfunction f(x: number): number { let y = known.get(x); if (y === undefined) { y = x * x; known.set(x, y); } return y; }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a table by text": {
    code: "const known: Record<string, number> = {};\nfunction f(x: number): number { return (known[x.toFixed(3)] ??= x * x); }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a list": {
    code: "const memo: [number, number] = [NaN, 0];\nfunction f(x: number): number { if (memo[0] !== x) { memo[0] = x; memo[1] = x * x; } return memo[1]; }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a list that each call fills at computed places": {
    code: "const memo: number[] = [];\nfunction f(x: number): number { for (let i = 0; i < 3; i++) memo[i] = x * i; return memo[2]!; }",
    of: BY_DELTA,
    gives: [2, 2],
  },
  "fields of an instance": {
    code: `class Model { private last = NaN; private value = 0; ${MEMO} }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }`,
    of: BY_DELTA,
    gives: LEFT,
  },
  "fields of an instance of each call": {
    code: `class Model { private last = NaN; private value = 0; ${MEMO} }\nfunction f(x: number): number { const m = new Model(); return m.at(x) + m.at(x); }`,
    of: BY_DELTA,
    gives: [12, 12],
  },
  "fields of an instance that is not private": {
    code: `class Model { last = NaN; value = 0; ${MEMO} }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }`,
    of: BY_DELTA,
    gives: LEFT,
  },
  "fields that plain code sets back": {
    code: `class Model { private last = NaN; private value = 0; ${MEMO} clear(): void { this.last = NaN; this.value = 0; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }`,
    plain: "void f(3); m.clear()",
    of: BY_DELTA,
    gives: [6, 6],
  },
  "private names": {
    code: `class Model { #last = NaN; #value = 0; #hits = 0; ${MEMO.replaceAll("this.", "this.#")} hit(): number { return ++this.#hits; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x) + 0 * m.hit(); }`,
    of: BY_DELTA,
    gives: LEFT,
  },
  "a private name that a private method fills": {
    code: "class Model { #last = NaN; #value = 0; #fill(x: number): void { this.#last = x; this.#value = x * x; } at(x: number): number { if (x !== this.#last) this.#fill(x); return this.#value; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "what is computed of another field": {
    code: "class Model { private done = false; private a = 0; private b = 0; at(x: number): number { if (!this.done) { this.a = x * x; this.b = this.a + 1; this.done = true; } return this.b; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    of: BY_DELTA,
    gives: [0, 0],
  },
  "an object in a field": {
    code: "class Model { #last: { x: number; v: number } | null = null; at(x: number): number { if (this.#last === null || this.#last.x !== x) this.#last = { x, v: x * x }; return this.#last.v; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a record of a field": {
    code: "class Model { private s = { at: NaN, value: 0 }; at(x: number): number { if (this.s.at !== x) { this.s.at = x; this.s.value = x * x; } return this.s.value; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a table of a field": {
    code: "class Model { #known = new Map<number, number>(); at(x: number): number { let y = this.#known.get(x); if (y === undefined) { y = x * x; this.#known.set(x, y); } return y; } }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "two instances, of which one is filled": {
    code: `class Model { private last = NaN; private value = 0; ${MEMO} }\nconst a = new Model(), b = new Model();\nfunction f(x: number): number { return b.at(x) + a.at(x); }`,
    plain: "void a.at(3)",
    of: BY_DELTA,
    gives: LEFT,
  },
  "static fields": {
    code: `class Model { private static last = NaN; private static value = 0; static ${MEMO.replaceAll("this.", "Model.")} }\nfunction f(x: number): number { return Model.at(x); }`,
    of: BY_DELTA,
    gives: LEFT,
  },
  "fields that a function in a field fills": {
    code: `class Model { private last = NaN; private value = 0; ${MEMO.replace("at(x: number): number {", "readonly at = (x: number): number => {")}; }\nconst m = new Model();\nfunction f(x: number): number { return m.at(x); }`,
    of: BY_DELTA,
    gives: LEFT,
  },
  "a getter that remembers": {
    code: "class Circle { #area: number | undefined; constructor(readonly r: number) {} get area(): number { return (this.#area ??= Math.PI * this.r * this.r); } }\nfunction f(x: number): number { const c = new Circle(x); return (c.area + c.area) / Math.PI; }",
    of: BY_DELTA,
    gives: [12, 12],
  },
  "fields that a constructor sets, and a method moves": {
    code: "class Walk { private at: number; constructor(start: number) { this.at = start; } step(x: number): number { this.at = this.at + x; return this.at; } reset(): void { this.at = 0; } }\nfunction f(x: number): number { const w = new Walk(x * x); w.step(x); w.reset(); return w.step(x) + w.step(x); }",
    of: BY_DELTA,
    gives: [3, 3],
  },
  "fields that are there to be set": {
    code: "class Model { private scale = 1; set(to: number): void { this.scale = to; } of(x: number): number { return x * x * this.scale; } }\nconst m = new Model();\nfunction f(x: number): number { return m.of(x); }",
    plain: "m.set(Math.sqrt(9))",
    of: BY_DELTA,
    gives: [18, 18],
  },
  "fields that plain code sets by the instance's name": {
    code: "class Model { scale = 1; step(x: number): number { const y = this.scale * x; this.scale = y; return y; } }\nlet m = new Model();\nfunction f(x: number): number { return m.step(x); }",
    plain: "m = new Model(); m.scale = Math.sqrt(9)",
    of: BY_DELTA,
    gives: [3, 3],
  },
  "fields that each call begins": {
    code: "class Sum { #of = 0; #n = 0; begin(): void { this.#of = 0; this.#n = 0; } add(x: number): void { this.#of += x * x; this.#n++; } get mean(): number { return this.#of / this.#n; } }\nconst s = new Sum();\nfunction f(x: number): number { s.begin(); s.add(x); s.add(x); return s.mean; }",
    of: BY_DELTA,
    gives: [6, 6],
  },
  "fields of an instance that comes in": {
    code: 'class Model { w = 1; step(x: number): number { const y = this.w * x; this.w = y; return y; } }\nconst m = new Model();\nconst h = (o: Model, x: number): number => o.step(x) * x;\nconst byX = grad(h, { argnums: 1, engine: "delta" });\nconst f = (x: number): number => byX(m, x);',
    plain: "m.w = Math.sqrt(4)",
    of: "f",
    gives: [12, 12],
  },
  "fields that training has set": {
    code: "class Model { private w = 1; fit(xs: readonly number[]): void { for (const x of xs) this.w = this.w - 0.5 * grad((w: number) => w * x)(this.w); } of(x: number): number { return this.w * x * x; } }\nconst m = new Model();\nm.fit([1, 2]);\nfunction f(x: number): number { return m.of(x); }",
    plain: "",
    of: BY_DELTA,
    gives: [-3, -3],
  },
  "what was handed out, and is kept": {
    code: 'const s: { x: number; out: { v: number } | null } = { x: NaN, out: null };\nfunction h(x: number): { v: number } { if (s.out === null || s.x !== x) { s.x = x; s.out = { v: x * x }; } return s.out; }\nconst back = vjp(h, { engine: "delta" });',
    plain: "",
    of: "(x: number) => back(x)[1]({ v: 1 })[0]",
    gives: [6, "TSG0015"],
  },
  "what was handed out, and is kept in a variable": {
    code: "let last = NaN, out: number[] = [];\nfunction h(x: number): number[] { if (last !== x) { last = x; out = [x, x * x]; } return out; }\nconst back = vjp(h);",
    plain: "",
    of: "(x: number) => back(x)[1]([0, 1])[0]",
    gives: [6, "TSG0015"],
  },
  "what was handed out, and put there by plain code": {
    code: 'const s = { h: { v: 1 } };\nfunction h(x: number): { v: number } { return { v: x * s.h.v }; }\nconst back = vjp(h, { engine: "delta" });\nfunction step(x: number): number { const [out, pullback] = back(x); s.h = out; return pullback({ v: 1 })[0]; }',
    plain: "",
    of: "step",
    gives: [1, 3],
  },
  "a record that each call begins, beside a counter": {
    code: "const s = { sum: 0, n: 0 };\nconst add = (x: number): void => { s.sum += x * x; s.n++; };\nfunction f(x: number): number { s.sum = 0; add(x); add(x); return s.sum / s.n * s.n; }",
    of: BY_DELTA,
    gives: [12, 12],
  },
  "a record that plain code begins": {
    code: "const s = { sum: 0, n: 0 };\nfunction f(x: number): number { s.sum += x * x; s.n++; return s.sum; }",
    plain: "void f(2); s.sum = 0",
    of: BY_DELTA,
    gives: [6, 6],
  },
  "what a closure is there to set": {
    code: "const made = () => { let scale = 1; return { set: (to: number): void => { scale = to; }, of: (x: number): number => x * x * scale }; };\nconst o = made();\nconst f = (x: number): number => o.of(x);",
    plain: "o.set(Math.sqrt(9))",
    gives: [18, 18],
  },
  "what a literal is there to set": {
    code: "let scale = 1;\nconst o = { set(to: number): void { scale = to; }, of(x: number): number { return x * x * scale; } };\nconst f = (x: number): number => o.of(x);",
    plain: "o.set(Math.sqrt(9))",
    of: BY_DELTA,
    gives: [18, 18],
  },
  "a record that a literal is there to set": {
    code: "const s = { scale: 1 };\nconst o = { set(to: number): void { s.scale = to; }, of(x: number): number { return x * x * s.scale; } };\nconst f = (x: number): number => o.of(x);",
    plain: "o.set(Math.sqrt(9))",
    of: BY_DELTA,
    gives: [18, 18],
  },
  "a memo that another function fills": {
    code: "let last = NaN, value = 0;\nconst fill = (x: number): void => { last = x; value = x * x; };\nfunction f(x: number): number { if (x !== last) fill(x); return value; }",
    gives: LEFT,
  },
  "a record that another function fills": {
    code: "const s = { last: NaN, value: 0 };\nfunction fill(x: number): void { s.last = x; s.value = x * x; }\nfunction f(x: number): number { if (x !== s.last) fill(x); return s.value; }",
    of: BY_DELTA,
    gives: LEFT,
  },
  "a record that plain code sets": {
    code: "const s = { k: 2, hits: 0 };\nfunction f(x: number): number { s.hits++; return x * x * s.k; }",
    plain: "void f(2); s.k = Math.sqrt(9)",
    of: BY_DELTA,
    gives: [18, 18],
  },
  "variables of loops' heads, beside others": {
    code: "interface Link { v: number; next: Link | null }\nconst at = (g: (u: number) => number, u: number): number => g(u);\nfunction f(x: number): number { let sum = 0; for (let k = 0; k < 2; k++) { const z = x * x; let links: Link | null = null; for (let i = 0; i < 3; i++) { const one: Link = { v: at((u) => u + 0 * (links === null ? 0 : 1), z), next: links }; links = one; } for (let one: Link | null = links; one !== null; one = one.next) sum += one.v; } return sum; }",
    of: BY_DELTA,
    gives: [36, 36],
  },
  "a table of data": {
    code: 'const known = new Map<string, number>();\nconst of = (k: string): number => { let v = known.get(k); if (v === undefined) { v = k.length; known.set(k, v); } return v; };\nfunction f(x: number): number { return x * x * of("ab"); }',
    of: BY_DELTA,
    gives: [12, 12],
  },
};

const names = Object.keys(PROGRAMS);
const fileOf = (name: string): string => `p${names.indexOf(name)}.ts`;
const texts = Object.fromEntries(
  Object.entries(PROGRAMS).map(([name, { code, plain = "void f(3)", of = "grad(f)" }]) => [
    fileOf(name),
    `import { ${["grad", "stopGradient", "vjp"].filter((each) => `${code}${of}`.includes(`${each}(`)).join(", ")} } from "tsgrad";\n${code}\nexport function tried(): unknown {\n  const said: unknown[] = [];\n  try { const g = ${of}; for (let k = 0; k < 2; k++) { ${plain}; said.push(g(3)); } } catch (e) { said.push(String(e).slice(7, 14)); }\n  return said;\n}\n`,
  ]),
);
const { edits, diagnostics } = analyse(programOf(texts));
const emitted = Object.fromEntries(
  Object.entries(texts).map(([file, text]) => [
    file,
    applyEdits(`/src/${file}`, text, edits.get(`/src/${file}`) ?? []).text,
  ]),
);
const load = loader(new Map(Object.entries(emitted).map(([file, text]) => [`/src/${file}`, text])));

test("what is emitted type-checks", () => {
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  expect(typeErrors(programOf(emitted))).toEqual([]);
});

test.each(names)("%s", (name) => {
  const { tried } = load(`/src/${fileOf(name)}`) as { readonly tried: () => unknown }; // exports are unknown
  expect(tried()).toEqual(PROGRAMS[name]?.gives);
});
