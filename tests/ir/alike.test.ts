// Plain data compared. Out: what differs anywhere, in kind, order, sign of zero or absence, is not alike.

import { expect, test } from "vitest";
import { deepEqual } from "../../transformer/ir/deep-equal.ts";

const span = { file: "a.ts", start: 1, end: 2 };
const made = (): unknown => ({
  name: "f",
  at: { ...span },
  list: [1, [2, null]],
  map: new Map<unknown, unknown>([
    ["a", { x: NaN }],
    ["b", new Set([1, 2])],
  ]),
  missing: undefined,
});

test("what was made alike", () => {
  expect(deepEqual(made(), made())).toBe(true);
  expect(deepEqual([span, span], [{ ...span }, { ...span }])).toBe(true);
});

test.each<[string, unknown, unknown]>([
  ["zeros of two signs", [0], [-0]],
  ["a number and its text", [1], ["1"]],
  ["null and an object", null, {}],
  ["a shorter list", [1, 2], [1]],
  ["a list and an object of its fields", [1], { 0: 1 }],
  ["a longer list", [1], [1, 2]],
  ["another order", [1, 2], [2, 1]],
  ["a field more", { a: 1 }, { a: 1, b: 2 }],
  ["another name", { a: 1 }, { b: 1 }],
  ["an absent field", { a: undefined }, { b: undefined }],
  [
    "a map in another order",
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
    new Map([
      ["b", 2],
      ["a", 1],
    ]),
  ],
  ["a map's value", new Map([["a", 1]]), new Map([["a", 2]])],
  ["a map and a set", new Map(), new Set()],
  ["a set's member", new Set([1]), new Set([2])],
  ["a place far down", { a: [{ at: { ...span } }] }, { a: [{ at: { ...span, end: 3 } }] }],
])("%s", (_what, x, z) => {
  expect([deepEqual(x, z), deepEqual(z, x)]).toEqual([false, false]);
});

test("one object that stands for two others is compared with both", () => {
  const x = { k: 1 };
  expect(deepEqual([x, x], [{ k: 1 }, { k: 2 }])).toBe(false);
});

test("what is shared at each level is compared once", () => {
  // compared at each place, 2^40 times
  const tower = (): unknown => {
    let top: unknown = { k: 1 };
    for (let level = 0; level < 40; level++) top = [top, top];
    return top;
  };
  expect(deepEqual(tower(), tower())).toBe(true);
});
