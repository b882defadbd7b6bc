// Forms asked of functions that a constant's literal holds. In: small modules. Out: derivatives, against closed forms; or codes, where another function may stand there.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const TABLE = `
import * as ad from "tsgrad";
import * as m from "./b.ts";
import { acts } from "./b.ts";
const { grad, hessian, jvp, vjp: pull } = ad;
function cube(x: number): number { return x ** 3; }
`;

const OTHER = `
const c = 3;
export const layers = { scale: (x: number): number => c * x * x, twice(x: number): number { return 2 * x * x; } };
export const acts = [(x: number): number => Math.exp(x), (x: number): number => x ** 4] as const;
`;

function got(module: string): unknown {
  const files = { "a.ts": `${TABLE}${module}\n`, "b.ts": OTHER };
  const { edits, diagnostics } = analyse(programOf(files), { engine: "static" });
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const edited = new Map(
    Object.entries(files).map(([name, text]): [string, string] => [
      `/src/${name}`,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  return loader(edited)("/src/a.ts")["got"];
}

const codes = (module: string, other = ""): readonly string[] =>
  analyse(
    programOf({
      "a.ts": `import { grad } from "tsgrad";\n${module}\n`,
      "b.ts": `${other}\nexport {};`,
    }),
    { engine: "static" },
  ).diagnostics.map(({ code }) => code);

// 3x² at 2 is 12, 6x is 12; 4x³ is 32; 2cx is 12, 2c is 6; 4x is 8
test.each([
  [
    "a function by its name",
    "const table = { cube };\nexport const got = [grad(table.cube)(2), hessian(table.cube)(2)];",
    [12, 12],
  ],
  [
    "an arrow function",
    'const table = { f: (x: number): number => x ** 3 };\nexport const got = [grad(table.f)(2), jvp(table.f)([2], [3])[1], pull(table["f"])(2)[1](3)[0]];',
    [12, 36, 36],
  ],
  [
    "a method",
    "const table = { f(x: number): number { let s = 0; for (let i = 0; i < 3; i++) { if (i > 2) break; s += x ** 3; } return s; } };\nexport const got = [grad(table.f)(2), jvp(table.f)([2], [1])[1], pull(table.f)(2)[1](2)[0], hessian(table.f)(2)];",
    [36, 36, 72, 36],
  ],
  [
    "of another module",
    "export const got = [grad(m.layers.scale)(2), hessian(m.layers.scale)(2), grad(m.layers.twice)(2), grad(acts[1])(2)];",
    [12, 6, 8, 32],
  ],
  [
    "of a list",
    "const fs = [cube, (x: number): number => x * x];\nexport const got = [grad(fs[0]!)(2), grad(fs[1]!)(2)];",
    [12, 4],
  ],
  [
    "taken out",
    "const { scale } = m.layers, [, quartic] = acts;\nexport const got = [grad(scale)(2), grad(quartic)(2), grad((x: number): number => scale(x) * quartic(x))(1)];",
    [12, 32, 18],
  ],
  [
    "by a type that says less",
    'const table: Record<string, (w: number[], x: number) => number> = { dot: (w, x) => w.reduce((s, each) => s + each * x, 0) };\nexport const got = grad(table["dot"]!)([1, 2], 3);',
    [3, 3],
  ],
  [
    "with what a function around it has",
    "const make = (k: number) => { const table = { f: (x: number): number => k * x ** 3, g(x: number): number { return k * x; } }; return [grad(table.f)(2), grad(table.g)(2)]; };\nexport const got = [...make(1), ...make(2)];",
    [12, 1, 24, 2],
  ],
])("%s", (_, module, expected) => {
  expect(got(module)).toEqual(expected);
});

const T = "const t = { f: (x: number): number => x * x };\n";
const D = "\nexport const d = grad(t.f);";

test.each([
  ["assigned", `${T}t.f = (x) => x ** 3;${D}`],
  ["by its text", `${T}t["f"] = (x) => x ** 3;${D}`],
  ["through another name", `${T}const u = t;\nu.f = (x) => x ** 3;${D}`],
  ["by assign", `${T}Object.assign(t, { f: (x: number) => x ** 3 });${D}`],
  [
    "by a function that takes it as this",
    `function set(this: { f: (x: number) => number }): void { this.f = (x) => x ** 3; }\nconst t = { f: (x: number): number => x * x, set };${D}`,
  ],
  [
    "spread behind it",
    `const more: object = { f: (x: number): number => x ** 3 };\nconst t = { f: (x: number): number => x * x, ...more };${D}`,
  ],
  [
    "a computed name behind it",
    `const name: string = "f";\nconst t = { f: (x: number): number => x * x, [name]: (x: number): number => x ** 3 };${D}`,
  ],
  ["a variable", "let t = { f: (x: number): number => x * x };\nt = { f: (x) => x ** 3 };" + D],
])("another function may stand there: %s", (_, module) => {
  expect(codes(module)).toEqual(["TSG1013"]);
});

test("a module beside may write", () => {
  const module = `export const t = { f: (x: number): number => x * x };${D}`;
  expect(codes(module, 'import { t as u } from "./a.ts";\nu.f = (x) => x ** 3;')).toEqual([
    "TSG1013",
  ]);
  expect(codes(module, 'import { t as u } from "./a.ts";\nexport const y = u.f(2);')).toEqual([]);
});

test("a static method that is replaced", () => {
  expect(
    codes(
      "class C { static f(x: number): number { return x * x; } }\nC.f = (x) => x ** 3;\nexport const d = grad(C.f);",
    ),
  ).toEqual(["TSG1012"]);
});

test("a method that reads its object", () => {
  expect(codes("const t = { k: 3, f(x: number): number { return this.k * x; } };" + D)).toEqual([
    "TSG1106",
  ]);
});

const SQUARE = "f: (x: number): number => x * x";

test.each([
  ["handed on", `${T}[t].forEach((each) => { each.f = (x) => x ** 3; });`, "", [12]],
  [
    "by a method",
    `const t = { ${SQUARE}, set(): void { this.f = (x) => x ** 3; } };`,
    "t.set();",
    [4, 12],
  ],
  [
    "by a method that keeps itself",
    `const t = { ${SQUARE}, set(): void { const self = this; self.f = (x) => x ** 3; } };`,
    "t.set();",
    [4, 12],
  ],
  ["a getter", "const t = { get f() { return (x: number): number => x ** 3; } };", "", [12]],
])("a function inside of another one may stand there: %s", (_, module, sets, expected) => {
  const asked = ["grad(t.f)(2)", "grad((x: number): number => t.f(x))(2)"];
  const all = asked.map(
    (one) => `[${one}${sets === "" ? "" : `, (() => { ${sets} return ${one}; })()`}]`,
  );
  for (const one of all) expect(got(`${module}\nexport const got = ${one};`)).toEqual(expected);
});

// (x, x²) within the pair: d(x · x²) = 3 x²; behind it there is no place
test("an element of a tuple at a computed place, and beyond its end", () => {
  const module =
    'const f = (x: number, k: number): number => { const pair: [number, number] = [x, x]; pair[k] = x * x; return pair[0] * pair[1]; };\nconst g = grad(f, { engine: "static" });\n';
  const beyond = "(() => { try { return g(3, 2); } catch (error) { return String(error); } })()";
  expect(got(`${module}export const got = [g(3, 0), g(3, 1), ${beyond}];`)).toEqual([
    27,
    27,
    "Error: TSG0023: a place is none of those that the type of its tuple or record lists",
  ]);
});
