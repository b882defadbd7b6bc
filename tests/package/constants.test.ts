// What scripts/constants.mjs makes of a bundle: constants where nothing is assigned, and nothing else. That the package is written so is a part of package.test.ts.

import { expect, test } from "vitest";
import { withConstants } from "../../scripts/constants.mjs";

test("a name that nothing is assigned to is a constant", () => {
  expect(
    withConstants(
      `var W = new Float64Array(8);\nvar f = (x) => x * W[0];\nfunction g(k) {\n  W[k] = 1;\n  f.count++;\n  ({ a: f.a, ...f.b } = W);\n}\n`,
    ),
  ).toBe(
    `const W = new Float64Array(8);\nconst f = (x) => x * W[0];\nfunction g(k) {\n  W[k] = 1;\n  f.count++;\n  ({ a: f.a, ...f.b } = W);\n}\n`,
  );
});

test.each([
  ["an assignment", "var a = 1;\nfunction f() {\n  a = 2;\n}"],
  ["one that computes", "var a = 1;\nfunction f() {\n  a ??= 2;\n}"],
  ["a step", "var a = 1;\nfunction f() {\n  return a++ + --a;\n}"],
  [
    "a pattern",
    "var a = 1, b = 2, c = 3, d = 4, e = 5;\nfunction f(xs) {\n  [a, b = 1, ...c] = xs;\n  ({ x: d, e, ...(c) } = xs);\n}",
  ],
  ["a loop", "var a = 1;\nvar b = 1;\nfunction f(xs) {\n  for (a of xs) ;\n  for ([b] of xs) ;\n}"],
  ["a local one of its name", "var a = 1;\nfunction f(a) {\n  a = 2;\n}"],
  ["no value", "var a;\nvar { b } = f();"],
  ["another scope", "function f() {\n  var a = 1;\n  return a;\n}"],
  ["what is a constant, or none, as it is written", "let a = 1;\nconst b = 2;"],
])("a variable stays one: %s", (_what, text) => {
  expect(withConstants(text)).toBe(text);
});
