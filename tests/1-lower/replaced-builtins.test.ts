// Functions of the standard library in whose place the program puts another one. In: what stands beside a differentiated function. Out: an error where the function
// is reached, none where it is another one or the library's own.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const codes = (beside: string, other = ""): readonly string[] => {
  const text = `import { grad } from "tsgrad";\nexport const d = grad((xs: number[]): number => Math.sin(xs.map((x) => x * x)[0]!));\n${beside}`;
  return analyse(programOf({ "a.ts": text, "b.ts": `${other}\nexport {};` })).diagnostics.map(
    ({ code }) => code,
  );
};

test.each([
  ["a function of Math", "Math.sin = (x: number): number => x;"],
  ["by a cast", "(Math as { sin: unknown }).sin = 1;"],
  ["by its name", 'Math["sin"] = (x: number): number => x;'],
  ["through globalThis", "globalThis.Math.sin = (x: number): number => x;"],
  ["by defineProperty", 'Object.defineProperty(Math, "sin", { value: (x: number): number => x });'],
  ["by assign", "Object.assign(Math, { sin: (x: number): number => x });"],
  ["a method of arrays", "Array.prototype.map = function () { return []; };"],
  ["in a function", "export function install(): void { Math.sin = (x: number): number => x; }"],
])("%s is refused", (_, beside) => {
  expect(codes(beside)).toEqual(["TSG1213"]);
  expect(codes("", beside)).toEqual(["TSG1213"]);
});

test.each([
  ["another function", "Math.cos = (x: number): number => x;"],
  ["another method", "Array.prototype.filter = function () { return []; };"],
  ["a polyfill", "Math.sin ??= (x: number): number => x;"],
  [
    "a polyfill below a test",
    "if (!Array.prototype.map) { Array.prototype.map = function () { return []; }; }",
  ],
  ["an object of the program's own", "{ const Math = { sin: 1 }; Math.sin = 2; }"],
  ["a variable beside", "export let y = Math.sin(1); y = Math.sin(2);"],
])("%s is not", (_, beside) => {
  expect(codes(beside)).toEqual([]);
});
