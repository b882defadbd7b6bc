// What V8 holds the numbers of a list in. In: lists of doubles, beside lists of objects, derived again and again until the run time is compiled. Out: how their elements are kept. Invariant: a list
// of doubles stays one; else every number in it is an object, and what the user's code does with the list is slower for good.

import v8 from "node:v8";
import { expect, test } from "vitest";
import * as $d from "../../runtime/delta/index.ts";
import type { Id, Value } from "../../runtime/delta/value.ts";

v8.setFlagsFromString("--allow-natives-syntax");
const isOfDoubles: (list: Value) => boolean = Object(new Function("list", "return %HasDoubleElements(list)"));

const row = (): number[] => [0.5, 1.5, 2.5];
/** Until code that meets so many elements is compiled. */
const CALLS = 3000;

const sum = (_$: Id[], rows: Value): Value => $d.get(rows[0], 1);

test("lists of arguments, whether they are asked for or not", () => {
  const all = Array.from({ length: 20 }, () => ({ rows: [row(), row()], others: [[{ rows: row() }], row()] }));
  for (let k = 0; k < CALLS; k++) {
    const { rows, others } = all[k % all.length] ?? { rows: [], others: [] };
    $d.grad(sum, [rows, others]);
  }
  const lists = all.flatMap(({ rows, others }) => [...rows, others[1]]);
  expect(lists.filter((list) => !isOfDoubles(list))).toEqual([]);
});

test("what `map` goes through, and what it makes", () => {
  const lists = Array.from({ length: 20 }, row), made: Value[] = [];
  const run = (_$: Id[], list: Value): Value => {
    $d.mapped([list, list], (_ids, inner: Value): Value => $d.ret(inner, 0));
    made.push($d.mapped(list, ($, x: Value): Value => $d.mul(x, $[0] ?? 0, 1.5, 0)));
    return $d.get(list, 0);
  };
  for (let k = 0; k < CALLS; k++) $d.grad(run, [lists[k % lists.length]]);
  expect([...lists, ...made.slice(-20)].filter((list) => !isOfDoubles(list))).toEqual([]);
});
