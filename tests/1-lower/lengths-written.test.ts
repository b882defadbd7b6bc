// What a list's length may be set to. In: a function that sets it to a number that comes in. Oracle: JavaScript, which throws where there can be no such list.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const SOURCE = `import { grad } from "tsgrad";
export function f(n: number, x: number): number { const xs = [1, x, 3, x * x]; xs.length = n; let s = 0; for (const y of xs) s += y * y; return s; }
export const d = grad(f, { argnums: 1, engine: "static" });
`;
const host = programOf({ "input.ts": SOURCE });
const { edits } = analyse(host);
const { f, d } = loader(
  new Map([
    ["/src/input.ts", applyEdits("/src/input.ts", SOURCE, edits.get("/src/input.ts") ?? []).text],
  ]),
)("/src/input.ts") as Record<"f" | "d", (n: number, x: number) => number>; // exports are unknown

it.each([
  [0, 0],
  [1, 0],
  [2, 6],
  [3, 6],
  [4, 6 + 4 * 27],
])("%s", (n, expected) => expect(d(n, 3)).toBe(expected));

it.each([-1, 1.5, NaN, Infinity])("%s, as the function itself", (n) => {
  expect(() => f(n, 3)).toThrow(RangeError);
  expect(() => d(n, 3)).toThrow(RangeError);
});

it("more than there are elements, which would have holes", () =>
  expect(() => d(5, 3)).toThrow(/push what is missing/));
