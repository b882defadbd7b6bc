// `this` and `arguments` in scripts that are not strict: a copy is strict. Oracle: the function run both ways; where the values
// differ the construct must be named, and where they are the same it need not be.

import ts from "typescript";
import { expect, test } from "vitest";
import { isStrictText, sloppyUse } from "../../transformer/delta/packages/sloppy.ts";

const FUNCTIONS: readonly string[] = [
  "function (x) { arguments[0] = x * x; return x; }",
  "function (x, y) { y = x * x; return arguments[1]; }",
  "function (x, y) { y += x; return arguments[1]; }",
  "function (x, y) { y++; return arguments[1]; }",
  "function (x, y) { x = 2; return [].slice.call(arguments)[0]; }",
  "function (x, y) { if (arguments.length < 3) y = 7; return x * y; }",
  "function (x, y) { return arguments[0] * arguments[1]; }",
  "function (x, ...y) { x = 2; return arguments[0]; }",
  "function (x, y = 2) { x = 2; return arguments[0]; }",
  "function (x) { return (function () { return this === undefined ? 0 : x * x; })(); }",
  "function (x) { return (function () { return this == null ? x : x * x; }()); }",
  "function (x) { return (() => x * x)(); }",
  "function (x) { return (function () { return this.k * x; }).call({ k: 2 }); }",
  "function (x) { return { k: 2, f: function () { return this.k * x; } }.f(); }",
  "function (x) { function P() { this.k = x; } return new P().k; }",
  "function (x) { if (x > 0) { function f(y) { return y * 3; } } return f(x); }",
  "function (x) { if (x > 0) { function f(y) { return y * 3; } return f(x); } return 0; }",
  "function (x) { function f(y) { return y * 3; } return f(x); }",
  "function (x) { { function f(y) { return y * 3; } } return { f: x }.f; }",
  "function (x) { class P { constructor() { this.k = x; } } return new P().k; }",
];

/** The constructs that are named in an export of a module. */
function usesIn(text: string): readonly string[] {
  const module = `(function (exports) { exports.f = ${text}; })`;
  const file = ts.createSourceFile("a.js", module, ts.ScriptTarget.ESNext, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const use = sloppyUse(ts, node);
    if (use !== null) found.push(use);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function resultOf(text: string, isStrict: boolean): unknown {
  const made: unknown = new Function(`${isStrict ? '"use strict"; ' : ""}return (${text})`)();
  try {
    return typeof made === "function" ? Reflect.apply(made, undefined, [3, 5]) : undefined;
  } catch (error) {
    return String(error);
  }
}

test.each(FUNCTIONS)("%s", (text) => {
  const isSame = resultOf(text, false) === resultOf(text, true);
  expect(usesIn(text).length === 0).toBe(isSame);
});

test("what runs at load is left as it is", () => {
  expect(usesIn("(function () { return (function () { return this; })(); })()")).toEqual([]);
  expect(usesIn("(function () { return this; })()")).toEqual([]);
});

test("which texts are strict", () => {
  expect(isStrictText('"use strict";\nexports.f = 1;')).toBe(true);
  expect(isStrictText("export const f = 1;")).toBe(true);
  expect(isStrictText("exports.f = function () { return 1; };")).toBe(false);
});
