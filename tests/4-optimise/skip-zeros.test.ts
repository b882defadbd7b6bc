import { expect, test } from "vitest";
import { assertValid } from "../../transformer/ir/check.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { printFunc } from "../../transformer/ir/print.ts";
import type { Func, Program } from "../../transformer/ir/types.ts";
import { skipZeros } from "../../transformer/4-optimise/loops/skip-zeros.ts";
import { seen } from "./same-meaning.ts";

const text = (
  loop: string,
  bar = "select c z$bar 0",
): string => `func f(a: num[], b: num[], x: num, z$bar: num, tape: num[]) -> void {
  n = length a
  c = lt x 1
  ~ s$bar = ${bar}
  ~ for i = 0 < n step 1 {
${loop}
  }
}`;
const SUMS = "    ~ t = load a[i]\n    ~ u = mul t s$bar\n    ~ v = neg u\n    ~ b[i] += v";

function skipped(source: string): {
  readonly program: Program;
  readonly before: Func;
  readonly after: Func;
} {
  const program = parse(source);
  const before = program.funcs.get("f");
  if (before === undefined) throw new Error("no f");
  const after = skipZeros(before);
  assertValid({ ...program, funcs: new Map([["f", after]]) }, "skipZeros");
  return { program, before, after };
}

test("a loop that adds multiples of what may be 0 is skipped where it is", () => {
  const { program, before, after } = skipped(text(SUMS));
  expect(printFunc(after)).toMatch(/~ t\S*: bool = ne s\$bar 0\n\s+~ if t\S* \{\n\s+~ for i/);
  for (const x of [0, 2])
    expect(seen(program, after, () => [[1, 2], [3, 4], x, 5, []])).toEqual(
      seen(program, before, () => [[1, 2], [3, 4], x, 5, []]),
    );
  // what is not finite is not multiplied by 0
  expect(seen(program, after, () => [[Infinity], [3], 2, 5, []]).args[1]).toEqual([3]);
  expect(seen(program, before, () => [[Infinity], [3], 2, 5, []]).args[1]).toEqual([Number.NaN]);
  // a cotangent that is no number is seen
  expect(seen(program, after, () => [[1], [3], 0, Number.NaN, []]).args[1]).toEqual([Number.NaN]);
});

test("a loop that is skipped already stays as it is", () => {
  const { after } = skipped(text(SUMS));
  expect(printFunc(skipZeros(after))).toBe(printFunc(after));
});

test.each([
  ["adds something else, too", text(`${SUMS}\n    ~ b[i] += t`)],
  ["writes", text(`${SUMS}\n    ~ b[0] = t`)],
  ["adds what is no multiple", text("    ~ t = load a[i]\n    ~ u = add t s$bar\n    ~ b[i] += u")],
  ["divides by it", text("    ~ t = load a[i]\n    ~ u = div t s$bar\n    ~ b[i] += u")],
  ["has a cotangent that is nothing chosen", text(SUMS, "mul z$bar x")],
])("a loop that %s is entered", (_, source) => {
  const { before, after } = skipped(source);
  expect(printFunc(after)).toBe(printFunc(before));
});
