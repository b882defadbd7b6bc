// IR text in, IR text out: `fixtures/4-optimise/<pass>.<what>.ir` shows one pass, `<what>.ir` all of them. Both halves of a
// file stand around a line `---`. `TSGRAD_ACCEPT=1` writes the lower half; without it a missing one fails.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FIRST, LAST, PASSES, optimise } from "../../transformer/4-optimise/index.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { print } from "../../transformer/ir/print.ts";
import type { Func, Program } from "../../transformer/ir/types.ts";
import { argumentsOf, expectClose, isCallFree } from "./fixture-values.ts";
import { randomFrom } from "./random-adjoint.ts";
import { seen, unsigned } from "./same-meaning.ts";

const FOLDER = new URL("../../fixtures/4-optimise/", import.meta.url);
const SEPARATOR = "\n---\n";
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ir"));

test("there are fixtures", () => expect(files.length).toBeGreaterThan(10));

/** Cotangents of small integers keep every bit when their sums are rearranged; only divisions and functions round. */
function checkMeaning(program: Program, name: string, after: Func): void {
  const before = program.funcs.get(name);
  if (before === undefined) throw new Error(`no ${name}`);
  for (let seed = 1; seed <= 20; seed++) {
    const args = (): unknown[] => argumentsOf(before, program.types, randomFrom(seed));
    expectClose(
      unsigned(seen(program, after, args)),
      unsigned(seen(program, before, args)),
      `${name}, seed ${seed}`,
    );
  }
}

test.each(files)("%s", (file) => {
  const [before = "", after] = readFileSync(new URL(file, FOLDER), "utf8").split(SEPARATOR);
  const program = parse(before);
  const named = file.split(".")[0] ?? "";
  const pass = PASSES.get(named) ?? FIRST.get(named) ?? LAST.get(named);
  const change = (func: Func): Func =>
    pass === undefined
      ? optimise(func, { types: program.types })
      : pass(func, { types: program.types });
  const funcs = new Map([...program.funcs].map(([name, func]) => [name, change(func)]));
  assertValid({ ...program, funcs }, file);
  if ([...funcs.values()].every(isCallFree))
    for (const [name, func] of funcs) checkMeaning(program, name, func);
  const text = print({ ...program, types: new Map(), homes: new Map(), funcs }).replace(
    /^program ssa\n+/,
    "",
  );
  if (process.env["TSGRAD_ACCEPT"] === "1")
    writeFileSync(
      new URL(file, FOLDER),
      `${before.trimEnd()}\n${SEPARATOR}${text}`.replace(/\n\n---/, "\n---"),
    );
  else expect(text).toBe(after);
});
