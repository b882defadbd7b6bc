// Names of generated code: what text calls them, and what they stay for whoever asks.

import { expect, test } from "vitest";
import {
  bar,
  baseName,
  dot,
  withHint,
  isTemporary,
  Names,
  partName,
  preferredName,
} from "../../transformer/ir/names.ts";

test.each([
  ["s", "s", "s"],
  ["s.2", "s", "s"],
  ["t", "t", "t"],
  ["t~w0", "t", "w0"],
  ["t~w0.12", "t", "w0"],
  ["t$bar~w0.3", "t$bar", "w0$bar"],
  ["t$dot~w0", "t$dot", "w0$dot"],
  ["t$bar$dot~w0", "t$bar$dot", "w0$bar$dot"],
])("%s", (name, base, text) => {
  expect([baseName(name), preferredName(name)]).toEqual([base, text]);
});

test("a temporary with a hint stays a temporary, and so does its cotangent", () => {
  const name = withHint("t", "w0");
  expect([name, bar(name), dot(name)]).toEqual(["t~w0", "t$bar~w0", "t$dot~w0"]);
  expect([name, bar(name), "s", bar("s")].map(isTemporary)).toEqual([true, true, false, false]);
});

test("names with hints are numbered among the others", () => {
  const names = new Names(["t~a.4", "t$bar"]);
  expect([
    names.fresh("t"),
    names.fresh("t~w0"),
    names.fresh("t$bar~w0"),
    names.fresh("s"),
  ]).toEqual(["t.5", "t~w0.6", "t$bar~w0.1", "s"]);
});

test.each([
  ["axis", "0", "axis0"],
  ["row1", "0", "row1_0"],
  ["pos", "x", "posX"],
  ["q", "#w", "qW"],
  ["o", "a-b", "oAb"],
])("%s at %s", (object, place, text) => {
  expect(partName(object, place)).toBe(text);
});
