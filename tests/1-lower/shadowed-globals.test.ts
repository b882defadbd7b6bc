// Names of the standard library that mean something else. In: programs that declare, import or extend them. Out: whether a call is taken for the library's. Values of
// derivatives are checked by the fixtures `name-of-library` and `delta-name-of-library`.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const PACKAGE = {
  "node_modules/pkg/package.json": '{ "name": "pkg", "version": "1.0.0", "types": "index.d.ts" }',
  "node_modules/pkg/index.d.ts":
    "export declare const Math: { sin(x: number): number };\nexport declare function isNaN(x: number): boolean;\nexport declare class Map<K, V> { set(k: K, v: V): void; get(k: K): V | undefined }\n",
};

const codes = (text: string): readonly string[] =>
  analyse(programOf({ "a.ts": `import { grad } from "tsgrad";\n${text}`, ...PACKAGE }), {
    engine: "static",
  }).diagnostics.map(({ code }) => code);

test.each([
  ["an object", "Math", "Math.sin(x)"],
  ["a function", "isNaN", "isNaN(x) ? x : 1"],
  ["a class", "Map", "new Map<number, number>().get(x)!"],
])("%s of a package is not the library's", (_, name, body) => {
  expect(
    codes(`import { ${name} } from "pkg";\nexport const d = grad((x: number): number => ${body});`),
  ).not.toEqual([]);
});

test.each([
  ["globalThis.Math", "globalThis.Math.sin(x) * globalThis.Math.PI"],
  ["globalThis.Array", "new globalThis.Array<number>(2).fill(x)[1]!"],
  ["globalThis.isNaN", "globalThis.isNaN(x) ? 1 : x"],
])("%s is", (_, body) => {
  expect(codes(`export const d = grad((x: number): number => ${body});`)).toEqual([]);
});

test("a library that the program's types say more of is the library", () => {
  expect(
    codes(
      "declare global { interface Array<T> { first(): T } interface Math { tau: number } }\nexport const d = grad((xs: number[]): number => Math.sin(xs.map((x) => x * x)[0]!));",
    ),
  ).toEqual([]);
});

test("a name is written otherwise only where something hides it", () => {
  const text =
    'import { grad } from "tsgrad";\nexport const outside = grad((x: number): number => Math.sin(x));\n' +
    "export const inside = (Math: number): ((x: number) => number) => { function g(x: number): number { return x ** Math; } return grad(g); };";
  const edits =
    analyse(programOf({ "a.ts": text }))
      .edits.get("/src/a.ts")
      ?.map((edit) => edit.text)
      .join("\n") ?? "";
  expect(edits).toContain("return Math.cos(x);");
  expect(edits).toContain("Math * x ** (Math - 1)");
});
