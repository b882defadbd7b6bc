// Which views of typed arrays are more than copies. In: functions as IR text. Out: whether the view is listed, written out by hand.

import { expect, test } from "vitest";
import { sharedViews } from "../../transformer/2-analyse/memory/views.ts";
import { parse } from "../../transformer/ir/parse.ts";

const HEAD = `func fill(v: Float64Array, x: num) -> num { v[0] = x; yield x }
func read(v: Float64Array) -> num { y = load v[0]; yield y }
func part(v: Float64Array, x: num) -> Float64Array { p: Float64Array = slice view v x; yield p }
func inner(v: Float64Array) -> Float64Array { p: Float64Array = call part(v, 1); yield p }
func held(v: Float64Array) -> {v: Float64Array} { p: Float64Array = slice view v 1; r: {v: Float64Array} = record {v: p}; yield r }
func outer(v: Float64Array) -> {r: {v: Float64Array}} { r: {v: Float64Array} = call held(v); o: {r: {v: Float64Array}} = record {r: r}; yield o }
func fillHeld(r: {v: Float64Array}, x: num) -> num { v: Float64Array = load r.v; v[0] = x; yield x }
func double(v: Float64Array) -> Float64Array { d: Float64Array = alloc 2 fill 0; y = load v[0]; d[0] = y; yield d }
func keep(box: {v: Float64Array}, v: Float64Array) -> num { box.v = v; yield 0 }
func f(w: Float64Array, out: Float64Array, box: {v: Float64Array}, x: num) -> num {`;
const sharedIn = (text: string): readonly string[] => {
  const { funcs, types } = parse(`${HEAD} ${text}; yield x }`);
  return sharedViews(funcs, types, (name) => name === "f").map(({ func }) => func);
};

const VIEW = "v: Float64Array = slice view w 0 2";
const OWN = "own: Float64Array = alloc 3 fill x; v: Float64Array = slice view own 1";

test.each<[string, string, boolean]>([
  ["it is read", `${VIEW}; y = load v[0]; n = length v`, false],
  ["a copy is written", `v: Float64Array = slice w 0 2; v[0] = x`, false],
  ["a callee reads it", `${VIEW}; y = call read(v)`, false],
  ["a view of it is read", `${VIEW}; u: Float64Array = slice view v 1; y = load u[0]`, false],
  [
    "another array of the function's own is written",
    `${VIEW}; own: Float64Array = alloc 3 fill x; own[0] = x`,
    false,
  ],
  [
    "it is put into an object of the function's own",
    `${VIEW}; r: {v: Float64Array} = record {v: v}; u: Float64Array = load r.v; y = load u[0]`,
    false,
  ],
  ["a callee gives it, and it is read", `v: Float64Array = call part(w, 1); y = load v[0]`, false],
  [
    "a callee gives it by way of another one, and a view of it is read",
    `v: Float64Array = call inner(w); u: Float64Array = call part(v, 1); y = call read(u)`,
    false,
  ],
  ["a callee gives it, and it is written", `v: Float64Array = call part(w, 1); v[0] = x`, true],
  [
    "a callee gives it by way of another one, and a view of it is written",
    `v: Float64Array = call inner(w); u: Float64Array = call part(v, 1); y = call fill(u, x)`,
    true,
  ],
  [
    "a callee gives it, and the array is written",
    `own: Float64Array = alloc 3 fill x; v: Float64Array = call inner(own); own[0] = x; y = load v[0]`,
    true,
  ],
  [
    "a callee gives it, and it is put into an argument",
    `v: Float64Array = call part(w, 1); box.v = v`,
    true,
  ],
  [
    "a callee gives an object that holds it, and it is read",
    "r: {v: Float64Array} = call held(w); v: Float64Array = load r.v; y = load v[0]",
    false,
  ],
  [
    "the object stands in another one",
    "o: {r: {v: Float64Array}} = call outer(w); r: {v: Float64Array} = load o.r; v: Float64Array = load r.v; y = call read(v)",
    false,
  ],
  [
    "a callee gives an object that holds it, and it is written",
    "r: {v: Float64Array} = call held(w); v: Float64Array = load r.v; v[0] = x",
    true,
  ],
  [
    "the object stands in another one, and it is written",
    "o: {r: {v: Float64Array}} = call outer(w); r: {v: Float64Array} = load o.r; v: Float64Array = load r.v; v[1] = x",
    true,
  ],
  [
    "another callee writes what the object holds",
    "r: {v: Float64Array} = call held(w); y = call fillHeld(r, x)",
    true,
  ],
  [
    "a callee gives an object that holds it, and the array is written",
    "own: Float64Array = alloc 3 fill x; r: {v: Float64Array} = call held(own); own[0] = x",
    true,
  ],
  [
    "a callee gives an object that holds it, and another argument is written",
    "r: {v: Float64Array} = call held(w); y = call fill(out, x)",
    true,
  ],
  [
    "what the object holds is put into an argument",
    "r: {v: Float64Array} = call held(w); v: Float64Array = load r.v; box.v = v",
    true,
  ],
  [
    "what a callee makes and writes has one name with an argument",
    `${VIEW}; c = gt x 0; if c -> (h: Float64Array) { yield out } else { d: Float64Array = call double(v); yield d }; y = load h[0]`,
    false,
  ],
  [
    "what has one name with an argument is written",
    `${VIEW}; c = gt x 0; if c -> (h: Float64Array) { yield out } else { d: Float64Array = call double(v); yield d }; h[0] = x`,
    true,
  ],
  ["it is written", `${VIEW}; v[0] = x`, true],
  ["a view of it is written", `${VIEW}; u: Float64Array = slice view v 1; u[0] = x`, true],
  ["the array is written", `${OWN}; own[2] = x; y = load v[0]`, true],
  ["a callee writes it", `${VIEW}; y = call fill(v, x)`, true],
  ["a callee writes the array", `${OWN}; y = call fill(own, x)`, true],
  ["another argument is written, which may be the array", `${VIEW}; out[0] = x`, true],
  ["it is put into an argument", `${VIEW}; box.v = v`, true],
  ["a callee puts it there", `${VIEW}; y = call keep(box, v)`, true],
])("%s", (_, text, is) => {
  expect(sharedIn(text).includes("f")).toBe(is);
});

test("it is the result, or in it", () => {
  for (const [type, text] of [
    ["Float64Array", "yield v"],
    ["{v: Float64Array}", "r: {v: Float64Array} = record {v: v}; yield r"],
  ]) {
    const { funcs, types } = parse(
      `func f(w: Float64Array) -> ${type} { v: Float64Array = slice view w 0 2; ${text} }`,
    );
    expect(sharedViews(funcs, types, () => true).map(({ func }) => func)).toEqual(["f"]);
  }
});
