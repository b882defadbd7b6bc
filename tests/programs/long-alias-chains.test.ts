// Arguments that long chains of recursive functions return: the result is the argument itself, so a
// write through one is seen through the other. Oracle: the closed form 4 x of 2 x², which needs it.

import { describe, expect, it } from "vitest";
import { variantsOf } from "./variants.ts";

/** The type of what is passed on, its construction, and how its two numbers are read. */
const CARRIERS: Readonly<Record<string, readonly [type: string, made: string, first: string]>> = {
  "an array": ["number[]", "[1, 2]", "[0]!"],
  "a typed array": ["Float64Array", "Float64Array.of(1, 2)", "[0]!"],
  "a record": ["{ v: number; w: number }", "{ v: 1, w: 2 }", ".v"],
  "a row in a list": ["number[][]", "[[1, 2], [3]]", "[0]![0]!"],
};
const LENGTHS = [3, 13, 20];
/** A function of the chain: `p2` ends in `p1`. Both ways recur, so that neither is inlined. */
const LINKS: Readonly<Record<string, (k: number, type: string) => string>> = {
  "by itself": (k, type) =>
    `function p${k}(a: ${type}, n: number): ${type} { return n <= 0 ? p${k - 1}(a, 2) : p${k}(a, n - 1); }`,
  "by another": (k, type) =>
    `function p${k}(a: ${type}, n: number): ${type} { return n <= 0 ? p${k - 1}(a, 2) : q${k}(a, n - 1); }
function q${k}(a: ${type}, n: number): ${type} { return n <= 0 ? p${k - 1}(a, 2) : p${k}(a, n - 1); }`,
};

const programs: Record<string, string> = {};
for (const [carrier, [type, made, first]] of Object.entries(CARRIERS))
  for (const [how, link] of Object.entries(LINKS))
    for (const length of LENGTHS)
      for (const isCallerFirst of [true, false]) {
        const end = `function p0(a: ${type}, n: number): ${type} { return n <= 0 ? a : p0(a, n - 1); }`;
        const links = Array.from({ length }, (_, k) => link(k + 1, type));
        const functions = [end, ...links];
        const second = first === ".v" ? "b.w" : first === "[0]!" ? "b[1]!" : "b[0]![1]!";
        programs[
          `${carrier}, ${length} functions ${how}, ${isCallerFirst ? "callers" : "callees"} first`
        ] = `import { grad, hvp, jvp } from "tsgrad";
${(isCallerFirst ? functions.toReversed() : functions).join("\n")}
export function f(x: number): number { const a: ${type} = ${made}; const b = p${length}(a, 2); b${first} = x * x; return a${first} * ${second}; }
export const g = grad(f), j = jvp(f);${length === 3 ? " export const h = hvp(f);" : ""}`;
      }

describe("what is returned is the argument", () => {
  const variant = variantsOf(programs);
  it.each(Object.keys(programs))("%s", (name) => {
    const { errors, exports } = variant(name);
    expect(errors).toEqual([]);
    const { f, g, j, h } = exports() as Readonly<Record<string, (...args: unknown[]) => unknown>>;
    expect(f?.(3)).toBe(18);
    expect(g?.(3)).toBe(12);
    expect(j?.([3], [1])).toEqual([18, 12]);
    if (h !== undefined) expect(h([3], 1)).toBe(4);
  });
});
