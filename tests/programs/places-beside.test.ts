// Stores at places beside a list: before its first element, or beyond its end in a loop over
// another list. In: list, store. Out: value, gradient, tangent. Oracle: the same code without
// derivatives, and differences of it; the gradient is as long as the argument. Blind to places that
// a search has not found (-1).

import { describe, expect, it } from "vitest";
import { slopeOf } from "./differences.ts";
import { variantsOf } from "./variants.ts";

/** `xs` has five elements, the list three. */
const LISTS: readonly (readonly [list: string, made: string, name: string])[] = [
  ["literal", "const a = [x, x * x, 0.4];", "a"],
  ["copy", "const a = given.slice(); a[0]! *= x;", "a"],
  ["argument", "given[1]! *= x;", "given"],
  ["field", "const o = { a: [x, x * x, 0.4] };", "o.a"],
];

const STORES: readonly (readonly [store: string, code: string])[] = [
  [
    "from the end",
    "for (let i = 0; i < xs.length; i++) LIST[LIST.length - 1 - i] = Math.sin(xs[i]! - x);",
  ],
  ["to the end", "for (let i = 0; i < xs.length; i++) LIST[2 - i]! += Math.sin(xs[i]! * x);"],
  [
    "a stack",
    "let p = 1; for (let i = 0; i < xs.length; i++) { LIST[--p]! *= Math.cos(x); LIST[p - 1]! += 0.3 * Math.sin(x); p = Math.max(1, p); }",
  ],
  [
    "over another",
    "let s = 0; for (let i = 0; i < LIST.length; i++) s += LIST[i]!; for (let i = 0; i < xs.length; i++) LIST[i]! += Math.sin(xs[i]! * x); LIST[0]! += s;",
  ],
  [
    "entries of another",
    "for (const [i, y] of xs.entries()) { LIST[i]! += Math.sin(y * x * LIST.length); }",
  ],
];

const programs: Record<string, string> = {};
for (const [list, made, name] of LISTS)
  for (const [store, code] of STORES)
    programs[`${list}, ${store}`] =
      `import { jvp, valueAndGrad } from "tsgrad";\nexport function f(x: number, given: number[], xs: number[]): number { ${made} ${code} return LIST[0]! * x + LIST[1]! * LIST[2]!; }\nexport const g = valueAndGrad(f, { argnums: [0, 1] }), j = jvp(f);\n`.replaceAll(
        "LIST",
        name,
      );

type Call = (...args: unknown[]) => unknown;

describe("places beside a list", () => {
  const variants = variantsOf(programs);
  it.each(Object.keys(programs))("%s", (name) => {
    const { f, g, j } = variants(name).exports() as Record<"f" | "g" | "j", Call>;
    const given = [0.7, 1.2, 0.3];
    const at = (x: number, moved = given): number => Number(f(x, [...moved], [1, 2, 3, 4, 5]));
    const near = (slope: number): unknown => expect.closeTo(slope, 7);
    const slopes = [
      slopeOf((t) => at(1.3 + t), 1.3).value,
      given.map(
        (y, k) =>
          slopeOf(
            (t) =>
              at(
                1.3,
                given.map((z, i) => (i === k ? z + t : z)),
              ),
            y,
          ).value,
      ),
    ] as const;
    const args = (): unknown[] => [1.3, [...given], [1, 2, 3, 4, 5]];
    expect(g(...args())).toEqual([at(1.3), [near(slopes[0]), slopes[1].map(near)]]);
    expect(j(args(), [1, [0, 0, 0], [0, 0, 0, 0, 0]])).toEqual([at(1.3), near(slopes[0])]);
  });
});
