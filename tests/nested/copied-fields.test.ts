// Fields that a type does not list, in a copy by `{ ...m }` whose fields are then counted. Oracle: the gradient of a sum of squares, twice its numbers, which is exact;
// and the value of the original code.

import { expect, test } from "vitest";
import { built } from "./compiled.ts";

const module = (body: string): string => `import { valueAndGrad } from "tsgrad";
interface Part { a: number }
const f = (m: Part): number => { let sum = 0; ${body} return sum; };
const whole = { a: 3, b: 5 };
export const found = (): unknown => [f(whole), valueAndGrad(f)(whole)];`;

test.each([
  ["values", "for (const v of Object.values({ ...m, x: 2 })) sum += v * v;"],
  [
    "values of a variable",
    "const n = { ...m, x: 2 }; for (const v of Object.values(n)) sum += v * v;",
  ],
  [
    "a variable with a type",
    "const n: { a: number; x: number } = { ...m, x: 2 }; for (const v of Object.values(n)) sum += v * v;",
  ],
  [
    "a copy of a copy",
    "const n = { ...m }; for (const v of Object.values({ ...n, x: 2 })) sum += v * v;",
  ],
  ["entries", "for (const [, v] of Object.entries({ ...m, x: 2 })) sum += v * v;"],
  [
    "for … in",
    'const n: { a: number; x: number } = { ...m, x: 2 }; for (const k in n) { const v = n[k as "a" | "x"]; sum += v * v; }',
  ],
])("%s", (_, body) => {
  const { found } = built(module(body)).exports;
  expect(typeof found === "function" && Reflect.apply(found, undefined, [])).toEqual([
    38,
    [38, { a: 6, b: 10 }],
  ]);
});

test("a copy of a literal has the fields of the literal", () => {
  const {
    exports: { found },
    text,
  } = built(
    module("const n = { ...{ y: m.a }, x: 2 }; for (const v of Object.values(n)) sum += v * v;"),
  );
  expect(text).not.toContain("tsgrad/delta");
  expect(typeof found === "function" && Reflect.apply(found, undefined, [])).toEqual([
    13,
    [13, { a: 6 }],
  ]);
});
