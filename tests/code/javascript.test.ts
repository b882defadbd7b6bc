// Emitted code in JavaScript files, which are JavaScript. In: untyped modules, in both engines and
// with packages. Oracles: closed forms; a parser of JavaScript for what is emitted.

import { describe, expect, test } from "vitest";
import { call, compiled, problemsOf } from "./compiled.ts";

const MAIN = (name: string, engine: string): string =>
  `import { grad } from "tsgrad";\nimport { lib } from "./${name}.js";
export function f(x: number): number { return lib(x); }
export const g = grad(f${engine});\n`;

/** A module whose `lib(x)` is x³, or a third of that elsewhere. */
const MODULES: Readonly<Record<string, string>> = {
  "two functions of one name":
    "export function lib(x) { function h(x) { return x * 2; } function h(x) { return x * x * x; } return h(x); }",
  "three functions of one name, one of them nested":
    "export function lib(x) { return h(x); function h() { return 1; } function h(x) { { function h() { return 2; } h(); } return x ** 3; } function h(x) { return x * x * x; } }",
  "a var beside a function":
    "export function lib(x) { var k = 3; function k() { return 1; } return (x * x * x * k) / 3; }",
  "a var without a value beside a function":
    "export function lib(x) { var k; function k(y) { return y * y * y; } return k(x); }",
  "a var that keeps a number beside a function":
    "export function lib(x) { function k() { return 1; } var k = x * x; return k * x; }",
  "two vars of one name": "export function lib(x) { var y = x; var y = y * x; return y * x; }",
  "a var beside a parameter": "export function lib(x) { var x = x * x * x; return x; }",
  "a function beside a parameter":
    "export function lib(x, h) { function h(y) { return y * y * y; } return h(x); }",
  "a var in a loop and after it":
    "export function lib(x) { for (var i = 0, y = 1; i < 3; i++) y = y * x; for (var i = 0; i < 1; i++); return y; }",
  "arrows in vars":
    "var put = (o, v) => { o.k = v; return o; };\nvar twice = (o, v) => put(o, v * v);\nexport function lib(x) { return twice({}, x).k * x; }",
  "arrows in lets":
    "let put = (o, v) => { o.k = v; return o; };\nlet twice = (o, v) => put(o, v * v);\nexport function lib(x) { return twice({}, x).k * x; }",
  "functions in vars":
    "var sq = function (x) { return x * x; };\nvar cube = function (x) { return sq(x) * x; };\nexport function lib(x) { return cube(x); }",
  "arrows in a list": "var all = [(x) => x * x];\nexport var lib = (x) => all[0](x) * x;",
  "a var that is assigned again":
    "var h = (x) => x;\nh = (x) => x * x * x;\nexport function lib(x) { return h(x); }",
  classes:
    "export class V { constructor(x = 0, y = 0) { this.x = x; this.y = y; } sub(a, b) { this.x = a.x - b.x; this.y = a.y - b.y; return this; } dot(o) { return this.x * o.x + this.y * o.y; } }\nconst _a = new V();\nexport function lib(x) { _a.sub(new V(x * x, 0), new V(0, 0)); return _a.dot(new V(x, 1)); }",
  "a class with private fields":
    "class P { #k; static #n = 0; constructor(k) { this.#k = k } cube() { P.#n++; return this.#k ** 3 } }\nexport function lib(x) { return new P(x).cube() }",
  "an async function beside":
    "export async function later(x) { return x }\nexport const lib = (x) => x ** 3",
  "an import of a package":
    'import { twice } from "numpkg";\nexport function lib(x) { return (twice(x) * x * x) / 2; }',
  "an import of a package without a semicolon":
    'import { twice } from "numpkg"\nexport function lib(x) { return (twice(x) * x * x) / 2 }',
  "comparisons like type arguments":
    "const is = (a, b) => a && b;\nexport function lib(x) { const [a, b, c] = [1, 2, 3]; return is(a < b, c > (x, 0)) ? x ** 3 : x; }",
};

const PACKAGE = {
  "/src/node_modules/numpkg/package.json":
    '{ "name": "numpkg", "version": "1.0.0", "main": "index.js", "types": "index.d.ts" }',
  "/src/node_modules/numpkg/index.js": "exports.twice = function (x) { return 2 * x; };",
  "/src/node_modules/numpkg/index.d.ts": "export declare function twice(x: number): number;",
};

const programs = Object.entries(MODULES).flatMap(([what, text]) =>
  ["", ', { engine: "delta" }'].map((engine) => ({ what: `${what}${engine}`, text, engine })),
);

describe("JavaScript", () => {
  const all = compiled(
    {
      ...Object.fromEntries(
        programs.flatMap(({ text, engine }, i) => [
          [`lib${i}.js`, text],
          [`a${i}.ts`, MAIN(`lib${i}`, engine)],
        ]),
      ),
    },
    {},
    PACKAGE,
  );
  test.each(programs.map(({ what }, i) => [what, i] as const))("%s", (_, i) => {
    expect([...problemsOf(all, `a${i}.`), ...problemsOf(all, `lib${i}.`)]).toEqual([]);
    expect(call(all.load(`/src/a${i}.ts`)["g"], 1.5)).toBeCloseTo(3 * 1.5 ** 2, 12);
  });
});

test("a class of a JavaScript file, whose methods the static engine differentiates", () => {
  const all = compiled({
    "lib.js": `export class V { constructor(x = 0, y = 0) { this.x = x; this.y = y; } sub(a, b) { this.x = a.x - b.x; this.y = a.y - b.y; return this; } dot(o) { return this.x * o.x + this.y * o.y; } }
const _a = new V();
export class T { constructor(a = new V(), b = new V()) { this.a = a; this.b = b; } size() { _a.sub(this.a, this.b); return _a.dot(_a); } }
`,
    "a.ts": `import { grad } from "tsgrad"; import { T, V } from "./lib.js";
export function f(x: number): number { return new T(new V(x, 1), new V(2, 3 * x)).size(); }
export const g = grad(f);\n`,
  });
  expect([...all.diagnostics, ...all.problems]).toEqual([]);
  expect(all.texts.get("/src/lib.js")).toContain("$revf(");
  // (x - 2)² + (1 - 3x)²
  expect(call(all.load("/src/a.ts")["g"], 1.5)).toBeCloseTo(2 * (1.5 - 2) - 6 * (1 - 4.5), 12);
});
