// Fields of classes under the options that decide how they begin. In: classes whose fields have no
// initialiser, and are written by a base constructor, a prototype or a setter; compiled for fields
// that are defined, and for fields that are assigned. Oracles: differences of the function itself.

import { describe, expect, test } from "vitest";
import ts from "typescript";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const BASE = `abstract class Base { constructor(k: number) { this.setup(k); } protected abstract setup(k: number): void; }\n`;

/** Bodies of modules that declare `f`. */
const CLASSES: Readonly<Record<string, string>> = {
  "written by the base constructor": `${BASE}class C extends Base { out: number; setup(k: number) { this.out = k; } }
function f(x: number): number { return (new C(3).out ?? 5) * x * x; }`,
  "an active number from the base constructor": `${BASE}class C extends Base { out: number; setup(k: number) { this.out = k * k; } }
function f(x: number): number { return (new C(x).out ?? 5) * x; }`,
  "a function from the base constructor": `${BASE}class C extends Base { out: (x: number) => number; setup(k: number) { this.out = (x) => k * x * x; } }
function f(x: number): number { const c = new C(3); return typeof c.out === "function" ? c.out(x) : 7 * x; }`,
  "on the prototype": `class C { scale: number; at(x: number): number { return x * (this.scale ?? 5); } }
C.prototype.scale = 2;
function f(x: number): number { return new C().at(x) * x; }`,
  "on the prototype, by a static field": `class C { scale: number; static begin = (() => { C.prototype.scale = 2; })(); at(x: number): number { return x * (this.scale ?? 5); } }
function f(x: number): number { return new C().at(x) * x; }`,
  "on the prototype, by a static block": `class C { scale: number; static { C.prototype.scale = 2; } at(x: number): number { return x * (this.scale ?? 5); } }
function f(x: number): number { return new C().at(x) * x; }`,
  "declared again": `class A { v = 3; } class C extends A { declare v: number; }
function f(x: number): number { return new C().v * x * x; }`,
  "the field of the base, again": `class A { v: number = 3; } class C extends A { override v: number; }
function f(x: number): number { return (new C().v ?? 5) * x * x; }`,
  "an active field of the base, again": `class A { v: number; constructor(v: number) { this.v = v * v; } } class C extends A { override v: number; }
function f(x: number): number { return (new C(x).v ?? 5) * x; }`,
  private: `${BASE}class C extends Base { private out: number; setup(k: number) { this.out = k * k; } get(): number { return this.out ?? 5; } }
function f(x: number): number { return new C(x).get() * x; }`,
  "#private": `class C { #out: number; constructor(k: number) { this.#out = k * k; } get(): number { return this.#out; } }
function f(x: number): number { return new C(x).get() * x; }`,
  "with a parameter property": `class C { both: number; twice = this.k * 2; constructor(readonly k: number) { this.both = this.k + (this.twice || 1); } }
function f(x: number): number { return new C(x).both * x; }`,
  static: `class C { static scale: number; v: number; constructor(v: number) { this.v = v * (C.scale ?? 2); } }
function f(x: number): number { return new C(x).v * x; }`,
  "a computed name": `const key = "out"; ${BASE}class C extends Base { [key]: number; setup(k: number) { this[key] = k * k; } }
function f(x: number): number { return (new C(x).out ?? 5) * x; }`,
  "keys that are there": `${BASE}class C extends Base { a: number; b: number; setup(k: number) { this.b = k; } }
function f(x: number): number { return Object.keys(new C(3)).length * x * x; }`,
  // an error in TypeScript, not in JavaScript
  "a setter of the base": `class A { kk = 0; start: number; constructor(s: number) { this.start = s; } set k(v: number) { this.kk = 2 * v; } }
class C extends A { k = this.start * this.start; }
function f(x: number): number { const c = new C(x); return c.kk * x + x; }`,
  "a setter of the base, inside": `function f(x: number): number { class A { kk = 0; set k(v: number) { this.kk = 2 * v; } } class C extends A { k = x * x; } return new C().kk * x + x; }`,
  "a setter of the same class": `class C { kk = 0; k = 3; constructor(s: number) { this.k = s * s; } set k2(v: number) { this.kk = v; } }
function f(x: number): number { const c = new C(x); c.k2 = c.k * x; return c.kk + c.k; }`,
  "a class inside": `function f(x: number): number { class A { constructor(k: number) { this.set(k); } set(_k: number): void {} } class C extends A { out: number; override set(k: number): void { this.out = k * k; } } return (new C(x).out ?? 5) * x; }`,
};

const OPTIONS: readonly (readonly [string, ts.CompilerOptions])[] = [
  ["fields are defined", { useDefineForClassFields: true }],
  ["fields are assigned", { useDefineForClassFields: false }],
  ["fields are assigned, by the target", { target: ts.ScriptTarget.ES2020 }],
];

describe.each(OPTIONS)("%s", (_, options) => {
  test.each(Object.entries(CLASSES))("%s", (name, text) => {
    const source = `import { grad } from "tsgrad";\n${text}\nexport { f };\nexport const g = grad(f, { engine: "delta" });\n`;
    const all = { strictPropertyInitialization: false, ...options };
    const { edits, diagnostics } = analyse(programOf({ "input.ts": source }, all));
    const refused = diagnostics.filter(({ severity }) => severity === "error");
    if (name === "a setter of the base" && OPTIONS[0]?.[1] !== options) {
      expect(refused.map(({ message }) => message)).toEqual([
        expect.stringContaining("a field over an accessor of the base class"),
      ]);
      return;
    }
    expect(refused).toEqual([]);
    const emitted = applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text;
    const { f, g } = loader(
      new Map([["/src/input.ts", emitted]]),
      undefined,
      all,
    )("/src/input.ts") as Readonly<Record<string, (x: number) => number>>; // exports are unknown
    const slope = ((f?.(1.5 + 1e-5) ?? NaN) - (f?.(1.5 - 1e-5) ?? NaN)) / 2e-5;
    // curvature is of second degree at most: what is left is rounding
    expect(g?.(1.5)).toBeCloseTo(slope, 6);
  });
});
