// Variables without a declared type that hold objects with what they held before: TypeScript types the inner object by the first value
// alone. Oracle: the closed form of the same sum.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const FIRST = ["let list = null;", "let list;", "let list = undefined;"];
const STEP = [
  "list = { head: x * 2, tail: list };",
  "const head = x * 2; list = x > 50 ? list : { head, tail: list };",
  "list = { head: x * 2, ...{ tail: list } };",
];

const ways = FIRST.flatMap((first) => STEP.map((step): [string, string] => [first, step]));

test.each(ways)("%s %s", (first, step) => {
  const text = `import { grad } from "tsgrad";
export function f(xs: number[]): number {
  ${first}
  for (const x of xs) { ${step} }
  let s = 0;
  for (let at = list; at; at = at.tail) s += at.head * at.head;
  return s;
}
export const d = grad(f);`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const edited = applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text;
  const { d } = loader(new Map([["/src/a.ts", edited]]))("/src/a.ts") as unknown as {
    readonly d: (xs: number[]) => number[];
  };
  expect(d([1, 2, 3])).toEqual([8, 16, 24]);
});
