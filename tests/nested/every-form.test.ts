// The table of forms. In: ways, forms and engines. Out: each cell gives the derivatives by hand, or
// is refused by exactly the code that the table states. docs/every-form.md shows it.

import { expect, test } from "vitest";
import { isLong, sampled } from "../breadth.ts";
import { expectFile } from "../golden.ts";
import { CELLS, LEFT_TO_CHOICE, page, refusalOf, REFUSALS, WAYS } from "./every-form.ts";
import { outcomesOf } from "./every-form-run.ts";

test("the page is fresh", () => {
  expectFile("docs/every-form.md", page());
});

test("what is refused is a way of the table", () => {
  const names = WAYS.map(({ way }) => way);
  expect(Object.keys(REFUSALS).filter((way) => !names.includes(way))).toEqual([]);
});

/** A cell costs some 0.1 s. */
const taken = CELLS.filter(({ file }) => isLong || sampled(file, 24));

test("each cell is right, or refused as the table says", async () => {
  const outcomes = await outcomesOf(taken);
  expect(outcomes.length).toBe(taken.length);
  const others = outcomes.flatMap(({ cell: { way, form, engine }, outcome }) => {
    const stated = refusalOf(way, form, engine)?.code ?? "right";
    return outcome === stated ? [] : [`${way.way}, ${form.form}, ${engine}: ${outcome}`];
  });
  expect(others).toEqual([]);
}, 600_000);

test("what the static engine refuses goes to the Delta engine", async () => {
  const outcomes = await outcomesOf(LEFT_TO_CHOICE);
  const others = outcomes.flatMap(({ cell: { way, form }, outcome }) => {
    const stated = refusalOf(way, form, "delta")?.code ?? "right";
    return outcome === stated ? [] : [`${way.way}, ${form.form}: ${outcome}`];
  });
  expect(others).toEqual([]);
}, 600_000);
