// When two pieces of IR count as the same: an optimiser that overlooks a change stops too early, one that sees a change where there is none never asks a pass less.

import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { alike, same } from "../../transformer/4-optimise/value-identity.ts";
import { optimise, PASSES } from "../../transformer/4-optimise/index.ts";
import { isTriggered } from "../../transformer/4-optimise/pass-triggers.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { print } from "../../transformer/ir/print.ts";
import type { Func } from "../../transformer/ir/types.ts";
import { everyRound } from "./every-round.ts";

const at = (start: number): unknown => ({
  kind: "const",
  value: 1,
  origin: { file: "a.ts", start, end: start },
});

test.each([
  [NaN, NaN, true],
  [0, -0, false],
  [NaN, null, false],
  [Infinity, null, false],
  [{ a: 1 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [[1, 2], [1], false],
  [[1], [1, 2], false],
  [[], {}, false],
  [new Map([[1, 2]]), new Map([[1, 2]]), false],
  ["a", "a", true],
])("%o and %o", (x, z, expected) => {
  expect(same(x, z)).toBe(expected);
  expect(alike({ in: [x] }, { in: [z] })).toBe(expected);
});

test("code from elsewhere is alike, and not the same", () => {
  expect([same(at(1), at(2)), alike(at(1), at(2)), same(at(1), at(1))]).toEqual([
    false,
    true,
    true,
  ]);
});

const FOLDER = new URL("../../fixtures/4-optimise/", import.meta.url);

test.each(readdirSync(FOLDER).filter((name) => name.endsWith(".ir")))(
  "%s: passes that are not asked again would change nothing",
  (file) => {
    const { funcs, types } = parse(
      readFileSync(new URL(file, FOLDER), "utf8").split("\n---\n")[0] ?? "",
    );
    const text = (all: ReadonlyMap<string, Func>): string =>
      print({ stage: "ssa", types: new Map(), homes: new Map(), funcs: all });
    const found = new Map([...funcs].map(([name, func]) => [name, optimise(func, { types })]));
    expect(text(found)).toBe(
      text(new Map([...funcs].map(([name, func]) => [name, everyRound(func, types)]))),
    );
  },
);

test("of settled code each pass that has an occasion is asked once", () => {
  const { funcs, types } = parse(
    readFileSync(new URL("neverWritten.still-read.ir", FOLDER), "utf8").split("\n---\n")[0] ?? "",
  );
  const asked: string[] = [];
  const wanted: string[] = [];
  for (const func of funcs.values()) {
    const settled = optimise(func, { types });
    wanted.push(...[...PASSES.keys()].filter((pass) => isTriggered(pass, settled)));
    optimise(settled, { types, onPass: (pass) => asked.push(pass) });
  }
  expect(asked.toSorted()).toEqual(wanted.toSorted());
  expect(new Set(asked).size).toBeLessThan(PASSES.size);
});
