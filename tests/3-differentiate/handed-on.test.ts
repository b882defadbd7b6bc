// What the reverse sweep of a recursive function is given by its caller. Oracle: the signature that the recursion of each program leaves room for; numbers are
// compared in merged.test.ts (random recursions) and in the programs.

import { describe, expect, test } from "vitest";
import { differentiate } from "../../transformer/3-differentiate/index.ts";
import { parse } from "../../transformer/ir/parse.ts";
import type { Func } from "../../transformer/ir/types.ts";
import { analysesOf } from "../analyses.ts";
import { siteOf } from "./gradient.ts";

/** `g` reads `w` and hands it on; `next`: what it hands on in place of it. */
const recursion = (next = "w", callee = "g"): string =>
  `func g(w: num[], x: num, n: num) -> num { c = le n 0; if c -> (r: num) { yield x } else { m = sub n 1; o = slice w 0; y: num = call ${callee}(${next}, x, m); a = load w[0]; s = sin y; z = mul a s; yield z }\n yield r }`;

const ASKING = "func f(w: num[], x: num) { u: num = call g(w, x, 3); v = mul u u; yield v }";

/** Parameters of `g$revr`, of f's gradient by its first argument. */
function paramsOf(text: string, ships = false): readonly string[] {
  const parsed = parse(text);
  const funcs = new Map([...parsed.funcs].map(([name, func]): [string, Func] => [name, ships && name === "g" ? { ...func, ships: true } : func]));
  const program = { ...parsed, funcs };
  const made = differentiate({ program, sites: [siteOf("grad", "f", [0])], ...analysesOf(program) });
  const reverse = made.derived.find((item) => item.kind === "func" && /^g\$revr/.test(item.func.name));
  return reverse?.kind === "func" ? reverse.func.params.map(({ name }) => name) : [];
}

describe("what recursion hands on", () => {
  test("an argument that goes into each call as it came in, and its shadow", () => {
    expect(paramsOf(`${recursion()}\n${ASKING}`)).toEqual(["bog", "g$bar", "w", "w$bar"]);
  });

  test("not one that is replaced on the way", () => {
    expect(paramsOf(`${recursion("o")}\n${ASKING}`)).toEqual(["bog", "g$bar"]);
  });

  test("nothing where functions recur through each other", () => {
    const other = "func h(w: num[], x: num, n: num) -> num { y: num = call g(w, x, n); z = mul y y; yield z }";
    expect(paramsOf(`${recursion("w", "h")}\n${other}\n${ASKING}`)).toEqual(["bog", "g$bar"]);
  });

  test("nothing where other programs call the pair", () => {
    expect(paramsOf(`${recursion()}\n${ASKING}`, true)).toEqual(["bog", "g$bar"]);
  });
});
