// Random rounds whose carried cotangents are sums and products of anything: what is rearranged gives the same whole numbers.

import { expect, test } from "vitest";
import { factorCarried } from "../../transformer/4-optimise/algebra/factor-carried.ts";
import { Builder, NUM, index, num } from "../../transformer/ir/build.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { run } from "../../transformer/ir/eval.ts";
import { Names } from "../../transformer/ir/names.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { printFunc } from "../../transformer/ir/print.ts";
import type { Atom, Func, Program, Var } from "../../transformer/ir/types.ts";
import { randomFrom } from "./random-adjoint.ts";
import { seen, unsigned } from "./same-meaning.ts";

const ORIGIN = { file: "", start: 0, end: 0 };
const variable = (name: string): Var => ({ kind: "var", name, type: NUM });

function randomRound(seed: number, adjoint: boolean): Program {
  const random = randomFrom(seed);
  const program = parse("func f(a: num[], x: num) -> num {\n  yield x\n}");
  const func = program.funcs.get("f");
  if (func === undefined) throw new Error("no f");
  const names = new Names(["a", "x", "i"]);
  const inside = new Builder(names, ORIGIN, adjoint);
  const carried = ["s", "r"].map((name) => variable(names.fresh(name)));
  const free: readonly Atom[] = [
    inside.load("e", NUM, func.params[0] ?? num(0), index(variable("i"))),
    variable("x"),
    num(2),
    num(-1),
  ];
  const values: Atom[] = [...carried];
  const pick = (): Atom => values[Math.floor(random() * values.length)] ?? num(0);
  /** What waits for nothing that is carried. */
  const alone = (): Atom => free[Math.floor(random() * free.length)] ?? num(1);
  for (let k = 0; k < 4 + random() * 4; k++) {
    const op =
      (["mul", "mul", "add", "sub", "neg", "mul", "select"] as const)[Math.floor(random() * 7)] ??
      "add";
    values.push(
      op === "neg"
        ? inside.neg(pick())
        : op === "select"
          ? inside.select(inside.op("lt", pick(), num(1)), pick(), pick())
          : inside.op(op, pick(), random() < 0.6 ? alone() : pick()),
    );
  }
  const outside = new Builder(names, ORIGIN, adjoint);
  const binds = carried.map(({ name }) => variable(names.fresh(name)));
  outside.emit({
    kind: "for",
    index: variable("i"),
    from: num(0),
    test: "<",
    to: num(2),
    step: 1,
    carried: carried.map((param) => ({ param, init: variable("x") })),
    body: inside.body([values.at(-1) ?? num(0), pick()]),
    binds,
  });
  const result = outside.op(
    "add",
    binds[0] ?? num(0),
    outside.op("mul", num(3), binds[1] ?? num(0)),
  );
  return {
    ...program,
    funcs: new Map([["f", { ...func, body: outside.body([result]) } satisfies Func]]),
  };
}

const factoredOf = (program: Program): { readonly before: Func; readonly after: Func } => {
  const before = program.funcs.get("f");
  if (before === undefined) throw new Error("no f");
  return { before, after: factorCarried(before) };
};

test("random rounds keep their sums", () => {
  let changed = 0;
  for (let seed = 1; seed <= 1500; seed++) {
    const program = randomRound(seed, true);
    const { before, after } = factoredOf(program);
    assertValid({ ...program, funcs: new Map([["f", after]]) }, `seed ${seed}`);
    if (after === before) continue;
    changed++;
    for (const x of [-1, 1, 2]) {
      const args = (): unknown[] => [[3, -2], x];
      // what outgrows the whole numbers that a double holds is rounded
      const value: unknown = run(program, "f", args()).value;
      if (typeof value === "number" && Math.abs(value) < 2 ** 40)
        expect(
          unsigned(seen(program, after, args)),
          `seed ${seed}\n${printFunc(before)}\n${printFunc(after)}`,
        ).toEqual(unsigned(seen(program, before, args)));
    }
  }
  expect(changed).toBeGreaterThan(50);
});

test("primal code is not rearranged", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const { before, after } = factoredOf(randomRound(seed, false));
    expect(after).toBe(before);
  }
});

const text = (round: string): string =>
  `func f(a: num[], x: num) -> num {\n  ~ for i = 0 < 1 step 1 carry (s: num = x) -> (s.1) {\n    ~ e = load a[i]\n    ~ d = load a[1]\n${round}  }\n  yield s.1\n}`;
const PRODUCT =
  "    ~ t = mul s e\n    ~ u = mul t d\n    ~ v = mul s d\n    ~ w = sub u v\n    yield w\n";

test.each([
  ["an infinite factor of 0", [Infinity, 2], 0],
  ["no number", [NaN, 2], 1],
  ["a cotangent that is no number", [1, 2], NaN],
  ["an infinite cotangent", [3, 2], Infinity],
])("%s comes out as before", (_what, a, x) => {
  const program = parse(text(PRODUCT));
  const { before, after } = factoredOf(program);
  expect(after).not.toBe(before);
  const value = (func: Func): unknown =>
    run({ ...program, funcs: new Map([["f", func]]) }, "f", [[...a], x]).value;
  // an infinite cotangent gives ∞ - ∞ before; afterwards it is multiplied with a number
  if (x === Infinity) expect(value(after)).toBe(Infinity);
  else expect(value(after)).toEqual(value(before));
});

test.each([
  ["in one step", "    ~ t = mul s e\n    ~ u = add t d\n    yield u\n"],
  [
    "by a factor that waits for it, too",
    "    ~ t = mul s e\n    ~ u = lt s 1\n    ~ v = select u e d\n    ~ w = mul t v\n    yield w\n",
  ],
  [
    "on two ways of which one is no sum",
    "    ~ t = mul s e\n    ~ u = div d s\n    ~ v = add t u\n    ~ w = mul v e\n    yield w\n",
  ],
  [
    "by a dearer way only",
    "    ~ t = add s e\n    ~ u = mul t d\n    ~ v = add u d\n    ~ w = mul v e\n    yield w\n",
  ],
])("what goes round %s stays", (_what, round) => {
  const { before, after } = factoredOf(parse(text(round)));
  expect(printFunc(after)).toBe(printFunc(before));
});
