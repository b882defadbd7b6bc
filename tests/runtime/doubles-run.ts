// Run by delta-doubles.test.ts in a process of its own. Out: as JSON, how many lists of doubles there are, and how many V8 holds in another way when the run time is compiled.

import v8 from "node:v8";
import * as $d from "../../runtime/delta/index.ts";
import type { Id, Value } from "../../runtime/delta/value.ts";

v8.setFlagsFromString("--allow-natives-syntax");
const isOfDoubles: (list: Value) => boolean = Object(
  new Function("list", "return %HasDoubleElements(list)"),
);

const row = (): number[] => [0.5, 1.5, 2.5];
/** Until code that meets so many elements is compiled. */
const CALLS = 3000;

const sum = (_$: Id[], rows: Value): Value => $d.get(rows[0], 1);

/** Lists of arguments, whether they are asked for or not. */
function inArguments(): readonly Value[] {
  const all = Array.from({ length: 20 }, () => ({
    rows: [row(), row()],
    others: [[{ rows: row() }], row()],
  }));
  for (let k = 0; k < CALLS; k++) {
    const { rows, others } = all[k % all.length] ?? { rows: [], others: [] };
    $d.grad(sum, [rows, others]);
  }
  return all.flatMap(({ rows, others }) => [...rows, others[1]]);
}

/** What `map` goes through, and what it makes. */
function inMaps(): readonly Value[] {
  const lists = Array.from({ length: 20 }, row);
  const made: Value[] = [];
  const run = (_$: Id[], list: Value): Value => {
    $d.mapped([list, list], (_ids, inner: Value): Value => $d.ret(inner, 0));
    made.push($d.mapped(list, ($, x: Value): Value => $d.mul(x, $[0] ?? 0, 1.5, 0)));
    return $d.get(list, 0);
  };
  for (let k = 0; k < CALLS; k++) $d.grad(run, [lists[k % lists.length]]);
  return [...lists, ...made.slice(-20)];
}

const counted = (lists: readonly Value[]): readonly number[] => [
  lists.length,
  lists.filter((list) => !isOfDoubles(list)).length,
];
console.log(
  JSON.stringify({
    arguments: counted(inArguments()),
    maps: counted(inMaps()),
    mixed: counted([["text", 0.5]]),
  }),
);
