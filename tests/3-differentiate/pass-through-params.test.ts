// What the reverse sweep of a recursive function is given by its caller. Oracle: the signature that the recursion of each program leaves room for; numbers are
// compared in merged.test.ts (random recursions) and in the programs.

import { describe, expect, test } from "vitest";
import {
  differentiate,
  type DifferentiateRequest,
} from "../../transformer/3-differentiate/index.ts";
import { parse } from "../../transformer/ir/parse.ts";
import type { Func } from "../../transformer/ir/types.ts";
import { analysesOf } from "../analyses.ts";
import { siteOf } from "./gradient.ts";

/** `g` reads `w` and hands it on; `next`: what it hands on in place of it. */
const recursion = (next = "w", callee = "g"): string =>
  `func g(w: num[], x: num, n: num) -> num { c = le n 0; if c -> (r: num) { yield x } else { m = sub n 1; o = slice w 0; y: num = call ${callee}(${next}, x, m); a = load w[0]; s = sin y; z = mul a s; yield z }\n yield r }`;

const ASKING = "func f(w: num[], x: num) { u: num = call g(w, x, 3); v = mul u u; yield v }";

/** Parameters of `g$revr`, of f's gradient by its first argument. */
function paramsOf(
  text: string,
  {
    of = "g",
    ships = false,
    handed = new Map(),
  }: {
    of?: string;
    ships?: boolean;
    handed?: NonNullable<DifferentiateRequest["passThrough"]>;
  } = {},
): readonly string[] {
  const parsed = parse(text);
  const funcs = new Map(
    [...parsed.funcs].map(([name, func]): [string, Func] => [
      name,
      ships && name === "g" ? { ...func, ships: true } : func,
    ]),
  );
  const program = { ...parsed, funcs };
  const made = differentiate({
    program,
    sites: [siteOf("grad", "f", [0])],
    ...analysesOf(program),
    passThrough: handed,
  });
  const reverse = made.derived.find(
    (item) => item.kind === "func" && item.func.name.startsWith(`${of}$revr`),
  );
  return reverse?.kind === "func" ? reverse.func.params.map(({ name }) => name) : [];
}

describe("what recursion hands on", () => {
  test("an argument that goes into each call as it came in, and its shadow", () => {
    expect(paramsOf(`${recursion()}\n${ASKING}`)).toEqual(["bog", "g$bar", "w", "w$bar"]);
  });

  test("not one that is replaced on the way", () => {
    expect(paramsOf(`${recursion("o")}\n${ASKING}`)).toEqual(["bog", "g$bar"]);
  });

  const through = (arg: string): string =>
    `func h(w: num[], x: num, n: num) -> num { o = slice w 0; y: num = call g(${arg}, x, n); z = mul y y; yield z }`;

  test("through another function that recurs with it, though that does nothing else with it", () => {
    expect(paramsOf(`${recursion("w", "h")}\n${through("w")}\n${ASKING}`)).toEqual([
      "bog",
      "g$bar",
      "w",
      "w$bar",
    ]);
    expect(paramsOf(`${recursion("w", "h")}\n${through("w")}\n${ASKING}`, { of: "h" })).toEqual([
      "bog",
      "h$bar",
      "w",
      "w$bar",
    ]);
  });

  test("not where another function replaces it on the way", () => {
    expect(paramsOf(`${recursion("w", "h")}\n${through("o")}\n${ASKING}`)).toEqual([
      "bog",
      "g$bar",
    ]);
  });

  test("not to one that reads it nowhere", () => {
    // the number of rounds goes round, and no reverse sweep reads it
    const counting =
      "func g(w: num[], x: num, n: num, m: num) -> num { c = le n 0; if c -> (r: num) { yield x } else { k = sub n m; y: num = call g(w, x, k, m); a = load w[0]; z = mul a y; yield z }\n yield r }";
    expect(
      paramsOf(
        `${counting}\nfunc f(w: num[], x: num) { u: num = call g(w, x, 3, 1); v = mul u u; yield v }`,
      ),
    ).toEqual(["bog", "g$bar", "w", "w$bar"]);
  });

  // bodies are prepared apart for derivatives that other bodies call: one may read what the other does not
  test("what the first writing of a pair has decided, for all", () => {
    const linear = recursion().replace("s = sin y; z = mul a s", "z = add a y");
    const handed = new Map();
    expect(paramsOf(`${linear}\n${ASKING}`, { handed })).toEqual(["bog", "g$bar", "w$bar"]);
    expect(paramsOf(`${recursion()}\n${ASKING}`, { handed })).toEqual(["bog", "g$bar", "w$bar"]);
    expect(paramsOf(`${recursion()}\n${ASKING}`)).toEqual(["bog", "g$bar", "w", "w$bar"]);
  });

  test("nothing where other programs call the pair", () => {
    expect(paramsOf(`${recursion()}\n${ASKING}`, { ships: true })).toEqual(["bog", "g$bar"]);
  });
});
