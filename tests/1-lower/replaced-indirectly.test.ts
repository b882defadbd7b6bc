// Functions of the standard library that the program replaces by way of another name, a parameter,
// Reflect, or a computed key, in the file of the differentiated function or in another one. Each is
// an error; programs that only read the library's objects have none.

import { describe, expect, it } from "vitest";
import { variantsOf } from "../programs/variants.ts";

const by = "(x: number): number => x * x";
const SIN = "Math.sin(x)";
const REPLACED: Readonly<Record<string, readonly [beside: string, differentiated: string]>> = {
  "an alias": [`const M = Math; M.sin = ${by};`, SIN],
  "an alias of an alias": [`const M = Math, N = M; N.sin = ${by};`, SIN],
  "an alias with a cast": [`const M = Math as any; M["sin"] = ${by};`, SIN],
  "a let": [`let M = Math; M = Math; M.sin = ${by};`, SIN],
  "a parameter": [
    `function patch(o: { sin(x: number): number }): void { o.sin = ${by}; } patch(Math);`,
    SIN,
  ],
  "a parameter of any type": [
    `const patch = (o: any): void => { o.sin = ${by}; }; patch(Math);`,
    SIN,
  ],
  "a parameter and a key": [
    `const patch = (o: any, k: string): void => { o[k] = ${by}; }; patch(Math, "sin");`,
    SIN,
  ],
  "a method": [`class P { patch(o: Math): void { o.sin = ${by}; } } new P().patch(Math);`, SIN],
  "a list": [`for (const o of [Math]) o.sin = ${by};`, SIN],
  "a field": [`const r = { m: Math }; r.m.sin = ${by};`, SIN],
  "a result": [`const m = (): Math => Math; m().sin = ${by};`, SIN],
  "a Map": [`const m = new Map([["m", Math]]); m.get("m")!.sin = ${by};`, SIN],
  "Reflect.set": [`Reflect.set(Math, "sin", ${by});`, SIN],
  "Reflect.defineProperty": [`Reflect.defineProperty(Math, "sin", { value: ${by} });`, SIN],
  "Reflect.set of an alias": [`const M = Math; Reflect.set(M, "sin", ${by});`, SIN],
  "defineProperty of a parameter": [
    `const patch = (o: object): void => { Object.defineProperty(o, "sin", { value: ${by} }); }; patch(Math);`,
    SIN,
  ],
  "assign to an alias": [`const M = Math; Object.assign(M, { sin: ${by} });`, SIN],
  "a key of a loop": [`for (const k of ["sin"] as const) Math[k] = ${by};`, SIN],
  "an unknown key": [`declare const k: string; (Math as any)[k] = ${by};`, SIN],
  "globalThis by a name": [`globalThis["Math"].sin = ${by};`, SIN],
  "a global": [`(globalThis as any).Math = { sin: ${by} };`, SIN],
  "a spy": ['declare const spyOn: (o: object, k: string) => void; spyOn(Math, "sin");', SIN],
  "a method of typed arrays": [
    'const F = Float64Array.prototype as any; F["fill"] = function () { return this; };',
    "new Float64Array(2).fill(x)[0]!",
  ],
  "a destructured prototype": [
    "const { prototype } = Array; prototype.map = function () { return []; };",
    "[x].map((y) => y * y)[0]!",
  ],
  "a class in a list": [
    "for (const C of [Array]) C.prototype.map = function () { return []; };",
    "[x].map((y) => y * y)[0]!",
  ],
  "a class as a parameter": [
    "const patch = (C: any): void => { C.prototype.map = function () { return []; }; }; patch(Array);",
    "[x].map((y) => y * y)[0]!",
  ],
  "an iterator": [
    "Array.prototype[Symbol.iterator] = function* () {} as any;",
    "(() => { let s = 0; for (const y of [x]) s += y; return s; })()",
  ],
  "a typed array's class": [
    "(globalThis as any).Float64Array = class {};",
    "new Float64Array([x])[0]!",
  ],
  "an inherited key": [
    "(Object.prototype as any).extra = 1;",
    "(() => { const d: Record<string, number> = { a: x }; let s = 0; for (const k in d) s += d[k]!; return s; })()",
  ],
};
/** How one file names the object for others, and by what name others import it. */
const EXPORTED: Readonly<Record<string, readonly [exported: string, imported: string]>> = {
  "a constant": ["export const A = Math;", "{ A }"],
  "a constant with a cast": ["export const A = Math as any;", "{ A }"],
  "a list of exports": ["const A = Math; export { A };", "{ A }"],
  "a renamed export": ["const M = Math; export { M as A };", "{ A }"],
  "a default export": ["export default Math;", "A"],
  "a named default export": ["const M = Math; export default M;", "A"],
  "a namespace": ["export const A = Math;", "* as m"],
};
/** What stands between that file and the one that writes. */
const BETWEEN: Readonly<Record<string, (imported: string) => readonly string[]>> = {
  nothing: () => [],
  "a file": (imported) => [reexported(imported, "a")],
  "two files": (imported) => [reexported(imported, "a"), reexported("{ A }", "b0")],
};
const valueOf = (imported: string): string => (imported.startsWith("*") ? "m.A" : "A");
const reexported = (imported: string, from: string): string =>
  `import ${imported.replace("A", "A as B").replace(/^A as B$/, "B")} from "./${from}.js"; export const A = ${imported.startsWith("*") ? "m.A" : "B"};`;

describe.each(Object.entries(EXPORTED))("%s in another file", (_, [exported, imported]) => {
  it.each(Object.entries(BETWEEN))("behind %s", (_, between) => {
    const files = between(imported);
    const [own, from] = files.length === 0 ? [imported, "a"] : ["{ A }", `b${files.length - 1}`];
    const program = variantsOf({
      "f.ts": `import { grad } from "tsgrad";\nimport ${own} from "./${from}.js";\n${valueOf(own)}.sin = ${by};\nexport const g = grad((x: number): number => ${SIN});`,
      "a.ts": exported,
      ...Object.fromEntries(files.map((file, i) => [`b${i}.ts`, file])),
    });
    expect(program("f.ts").errors).toEqual(["TSG1213"]);
  });
});

const READ: Readonly<Record<string, string>> = {
  "an alias that is read": "const M = Math; export const y = M.cos(1) + M.PI;",
  "a parameter that is read":
    "const use = (m: Math): number => m.cos(1); export const y = use(Math);",
  "a list that is read": "export const ys = [Math, Math].map((m) => m.cos(1));",
  "a class as a parameter":
    "const make = (C: Float64ArrayConstructor): Float64Array => new C(2); export const y = make(Float64Array);",
  "keys and values":
    "export const y = Object.keys(Math).length + Object.getOwnPropertyNames(Math).length;",
  "a copy": "export const M = { ...Math, sin: (x: number): number => x };",
  "an inheriting object": "export const M = Object.create(Math); M.sin = 1;",
  "an own object of the same shape":
    "const o = { sin: (x: number): number => x }; o.sin = (x) => x * 2; export const y = o.sin(1);",
  "a field of any": "const o: any = {}; o.sin = 1; export const y = o;",
  "another member": "const M = Math; M.cos = (x: number): number => x;",
  "another member through a parameter":
    "const patch = (o: { cos(x: number): number }): void => { o.cos = (x) => x; }; patch(Math);",
  "instanceof and typeof": 'export const y = [1] instanceof Array || typeof Math === "object";',
  "a subclass": "export class L extends Array<number> { sum(): number { return this.length; } }",
  "a polyfill of an alias": "const M = Math; M.sin ??= (x: number): number => x;",
  "a callback beside writes by a key":
    'const o: any = {}; for (const k of ["1", "2"]) o[k] = 1; export const ys = ["1"].map(Number).filter(Boolean); export const y = o;',
  "an own prototype": "class P { declare w: number; } P.prototype.w = 2;",
};
const text = (beside: string, differentiated: string): string =>
  `import { grad } from "tsgrad";\nexport const g = grad((x: number): number => ${differentiated});\n${beside}`;
// one program each, since a replacement concerns all of its files
const errorsOf = (beside: string, differentiated: string, isOther: boolean): readonly string[] =>
  variantsOf(
    isOther
      ? { "a.ts": text("", differentiated), "b.ts": `${beside}\nexport {};` }
      : { "a.ts": text(beside, differentiated) },
  )("a.ts").errors;

it.each(Object.keys(REPLACED))("%s", (name) => {
  const [beside, differentiated] = REPLACED[name] ?? ["", ""];
  expect(errorsOf(beside, differentiated, Object.keys(REPLACED).indexOf(name) % 2 === 1)).toEqual([
    "TSG1213",
  ]);
});

it.each(Object.keys(READ))("not %s", (name) => {
  expect(errorsOf(READ[name] ?? "", SIN, Object.keys(READ).indexOf(name) % 2 === 1)).toEqual([]);
});

it.each(Object.keys(REPLACED).filter((name) => REPLACED[name]?.[1] === SIN))(
  "%s, by Delta",
  (name) => {
    const [beside] = REPLACED[name] ?? ["", ""];
    const errors = variantsOf({
      "a.ts": `import { grad } from "tsgrad";\nexport const g = grad((x: number): number => ${SIN}, { engine: "delta" });\n${beside}`,
    })("a.ts").errors;
    expect(errors).toEqual(["TSG1301"]);
  },
);
