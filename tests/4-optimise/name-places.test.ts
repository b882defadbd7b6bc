import { expect, it } from "vitest";
import { namePlaces } from "../../transformer/4-optimise/name-places.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { preferredName } from "../../transformer/ir/names.ts";
import type { Func } from "../../transformer/ir/types.ts";
import { definedVars } from "../../transformer/ir/visit.ts";

const SOURCE = `func f(m: { w: num[] }, rows: num[][], k: num, last: num) -> num {
  t: num[] = load m.w
  t.1 = load t[k]
  t.2 = load t[last]
  t.3: num[] = load rows[0]
  t.4 = load t.3[1]
  sum = load t[k]
  t.5 = exp t.1
  t.6 = add t.5 t.2
  t.7 = add k 1
  t.8 = load t[t.7]
  t.9 = mul t.6 t.8
  t.10 = mul t.9 t.4
  t.11 = add t.10 sum
  t.12 = length t
  t.13 = div t.11 t.12
  yield t.13
}
`;

const funcOf = (text: string): Func => {
  const func = parse(text).funcs.get("f");
  if (func === undefined) throw new Error("no f");
  return func;
};
const wordsOf = (func: Func): readonly string[] =>
  definedVars(func.body).map(({ name }) => preferredName(name));

it("says of a temporary where it was read from", () => {
  const named = namePlaces(funcOf(SOURCE));
  assertValid({ ...parse(SOURCE), funcs: new Map([["f", named]]) }, "name-places");
  expect(wordsOf(named)).toEqual([
    "w",
    "wK",
    "wLast",
    "rows0",
    "rows0_1",
    "sum",
    "exp",
    "t",
    "t",
    "t",
    "t",
    "t",
    "t",
    "n",
    "t",
  ]);
});

it("gives no two values one name, and leaves a function alone in which nothing is to be said", () => {
  const names = definedVars(namePlaces(funcOf(SOURCE)).body).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const plain = funcOf("func f(x: num) -> num {\n  t = add x 1\n  yield t\n}\n");
  expect(namePlaces(plain)).toBe(plain);
});
