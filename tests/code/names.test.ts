// Names of the user's that generated code would choose, which give way to them. In: one program with
// a variable of such a name, of several kinds. Oracle: the closed form of its derivative.

import { describe, expect, test } from "vitest";
import { call, compiled, problemsOf } from "./compiled.ts";

const NAMES =
  "s$bar x$bar f$bar s$dot x$dot t t$bar t1 bog tape refs p f$grad f$revf f$Bog f$vjp f$fwd f$pull x$id s$id s$ids s$fields $ ids$ $1 $d $e $d1 $args args tangents arguments$ this$fields t$1 k$1 each$1 self pullback seed".split(
    " ",
  );

/** `@` is the name; the value is 3x². */
const KINDS: Readonly<Record<string, string>> = {
  "a number": "let @ = x * x; @ = @ * 2; const s = x * x; return @ + s;",
  "a const": "const @ = x * x; const s = 2 * @; return @ + s;",
  "a list":
    "const @ = [x, x]; @[0] = @[0] * 3; let s = 0; for (const x of [0]) s += x; return @[0] * @[1] + s;",
  "a list in a loop":
    "const @ = [x, 2 * x]; let s = 0; for (let i = 0; i < @.length; i++) { for (const e of [1]) s += @[i] * x * e; } return s;",
  "a record": "const @ = { y: x * x }; @.y *= 3; const s = { y: 0 }; return @.y + s.y;",
  "an iteration variable": "let s = 0; for (const @ of [x, x, x]) s += @ * @; return s;",
  "a parameter": "const s = (@: number): number => 3 * @ * @; return s(x);",
  "a function":
    "function @(y: number): number { return y * y; } const s = @(x); return 2 * s + @(x);",
  "a pattern": "const { y: @, z: s } = { y: x * x, z: 2 * x * x }; return @ + s;",
  "beside x and s": "const s = x; let @ = 2; @ += 1; return @ * s * x;",
  "of a carried list":
    "let @: readonly (readonly number[])[] = CONFIG.rows; let s = 0; for (let i = 0; i < 2; i++) { s += @[i]![0]! * x * x; if (i === 0) @ = [[x, 1], [2, 3]]; } return s;",
};

/** One function for each call, as the calls of one function share code. */
const TEXT = (body: string): string => `import { grad, jvp, vjp } from "tsgrad";
export const CONFIG = { rows: [[1, 2], [2, 3]] as const };
function f(x: number): number { ${body} }
export const byGrad = grad(f);
export const byVjp = vjp(f);
export const byJvp = jvp(f);
function h(x: number): number { ${body} }
export const byDelta = grad(h, { engine: "delta" });
export const byPullback: unknown = vjp(h, { engine: "delta" });
`;

const programs = Object.entries(KINDS).flatMap(([kind, body]) =>
  NAMES.filter((name) => name !== "t" || !body.includes("CONFIG")).map((name) => ({
    kind,
    name,
    text: TEXT(body.replaceAll("@", () => name)),
  })),
);

const values = (exports: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const pulled = (result: unknown): unknown =>
    Array.isArray(result) && typeof result[1] === "function" ? result[1](1)[0] : result;
  const tangent = call(exports["byJvp"], [1.5], [1]);
  return [
    call(exports["byGrad"], 1.5),
    pulled(call(exports["byVjp"], 1.5)),
    Array.isArray(tangent) ? tangent[1] : tangent,
    call(exports["byDelta"], 1.5),
    pulled(call(exports["byPullback"], 1.5)),
  ];
};

describe("names of the user's that generated code would choose", () => {
  const all = compiled(Object.fromEntries(programs.map(({ text }, i) => [`a${i}.ts`, text])));
  test.each(programs.map(({ kind, name }, i) => [kind, name, i] as const))(
    "%s `%s`",
    (_k, _n, i) => {
      expect(problemsOf(all, `a${i}.`)).toEqual([]);
      // the derivative of 3x², exactly: a few products of 1.5
      expect(values(all.load(`/src/a${i}.ts`))).toEqual([9, 9, 9, 9, 9]);
    },
  );
});
