// The generator of random programs keeps its promises, and print, parse and the interpreter hold on what it makes.

import { expect, test } from "vitest";
import { check } from "../../transformer/ir/check.ts";
import { Names } from "../../transformer/ir/names.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { print } from "../../transformer/ir/print.ts";
import type { Func, Program, Stmt } from "../../transformer/ir/types.ts";
import { renameBody } from "../../transformer/ir/rename.ts";
import { walkStmts } from "../../transformer/ir/visit.ts";
import { randomProgram, trace } from "./random.ts";

const SEEDS = Array.from({ length: 300 }, (_, i) => i + 1);

function everySeed(fn: (program: Program, seed: number) => void): void {
  for (const seed of SEEDS) fn(randomProgram(seed, { throws: seed % 5 === 0 }), seed);
}

test("programs are valid", () =>
  everySeed((program, seed) => expect(check(program), `seed ${seed}`).toEqual([])));

test("text and back", () =>
  everySeed((program, seed) => {
    const text = print(program);
    expect(print(parse(text)), `seed ${seed}`).toBe(text);
    expect(trace(parse(text), seed), `seed ${seed}`).toEqual(trace(program, seed));
  }));

test("renaming keeps the meaning", () =>
  everySeed((program, seed) => {
    const rename = (func: Func): Func => ({
      ...func,
      body: renameBody(func.body, new Names(func.params.map((param) => param.name))),
    });
    const renamed: Program = {
      ...program,
      funcs: new Map([...program.funcs].map(([name, func]) => [name, rename(func)])),
    };
    expect(check(renamed), `seed ${seed}`).toEqual([]);
    expect(trace(renamed, seed), `seed ${seed}`).toEqual(trace(program, seed));
  }));

test("runs end, in a number or in the one exception", () =>
  everySeed((program, seed) => {
    const { ends } = trace(program, seed);
    if ("thrown" in ends) expect(ends.thrown, `seed ${seed}`).toBe("too large");
    else expect(typeof ends.value, `seed ${seed}`).toBe("number");
  }));

test("all kinds of statements and most results occur", () => {
  const stmts = new Set<Stmt["kind"]>();
  const values = new Set<unknown>();
  everySeed((program, seed) => {
    for (const func of program.funcs.values()) walkStmts(func.body, (stmt) => stmts.add(stmt.kind));
    const { ends } = trace(program, seed);
    values.add("value" in ends ? ends.value : "thrown");
  });
  expect([...stmts].sort()).toEqual([
    "accum",
    "append",
    "fill",
    "for",
    "if",
    "let",
    "push",
    "store",
    "throw",
    "while",
  ]);
  // not all NaN: a test that compares NaN with NaN sees nothing
  expect(values.size).toBeGreaterThan(150);
});
