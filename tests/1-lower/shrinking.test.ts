// Callbacks that take elements off the array that they are called for, through functions that a table holds. Oracle: what the code does.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const text = (table: string, call: string): string => `import { hvp } from "tsgrad";
const drop = (xs: number[]): number => xs.pop() ?? 0;
const first = (xs: number[]): number => xs[0]!;
const TABLE = ${table};
export const f = (xs: number[], key: keyof typeof TABLE): number => xs.map((x) => x * ${call}).reduce((a, b) => a + b, 0);
export const h = hvp(f);
`;

/** Whose code a second derivative is: the static engine refuses what the Delta engine then takes. */
function engineOf(source: string): string {
  const { diagnostics, edits } = analyse(programOf({ "/src/a.ts": source }));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.map(({ code }) => code)).toEqual([]);
  const inserted = [...edits.values()].flat().map((edit) => edit.text);
  expect(inserted).not.toEqual([]);
  return inserted.some((one) => one.includes("f$delta")) ? "delta" : "static";
}

it.each([
  ["one of the table's", "{ drop, first }", "TABLE[key](xs)"],
  ["the one that is named", "{ drop, first }", "TABLE.drop(xs)"],
  [
    "one that stands in it",
    "{ last: (xs: number[]): number => xs.pop() ?? 0, first }",
    "TABLE[key](xs)",
  ],
  ["a method", "{ drop(xs: number[]): number { return xs.pop() ?? 0; }, first }", "TABLE.drop(xs)"],
  ["one behind another name", "{ drop: drop, first }", "TABLE[key](xs)"],
])("%s", (_, table, call) => expect(engineOf(text(table, call))).toBe("delta"));

it.each([
  ["none of the table's", "{ first, second: (xs: number[]): number => xs[1]! }", "TABLE[key](xs)"],
  ["not the one that is named", "{ drop, first }", "TABLE.first(xs)"],
])("%s", (_, table, call) => expect(engineOf(text(table, call))).toBe("static"));
