// Lists with holes, which methods with callbacks skip. In: where a list comes from, how a store
// leaves a place out, how the list is read. Out: value, gradient and tangent. Oracle: the same code
// without derivatives, and differences of it. Blind to holes that other files leave.

import { describe, expect, it } from "vitest";
import { slopeOf } from "./differences.ts";
import { variantsOf } from "./variants.ts";

/** Statements that make LIST of `x`, of two or three numbers. */
const LISTS: readonly (readonly [list: string, made: string, name: string])[] = [
  ["literal", "const a = [x, 2 * x];", "a"],
  ["copy", "const a = TABLE.slice();", "a"],
  ["mapped", "const a = TABLE.map((e) => e * x);", "a"],
  ["spread", "const a = [...TABLE, x];", "a"],
  ["from", "const a = Array.from({ length: 2 }, () => x);", "a"],
  ["variable", "let a = TABLE.slice(); a = a.map((e) => e * x);", "a"],
  ["field", "const o = { a: [x, 2] };", "o.a"],
  ["element", "const o = [[x, 2], [3]];", "o[0]!"],
  ["entry of a Map", `const m = new Map([["a", [x, 2]]]);`, `m.get("a")!`],
  ["alias", "const a = [x, 2]; const b = a;", "b"],
  ["instance", "const o = new Box(x);", "o.a"],
  ["result", "const a = made(x);", "a"],
];

const STORES: readonly (readonly [store: string, code: string])[] = [
  ["beyond", "LIST[n + 5] = x * x;"],
  ["by a constant", "const at = n + 6; LIST[at] = x * x;"],
  [
    "counter that skips",
    "let k = LIST.length; for (let i = 0; i < n; i++) { k++; LIST[k++] = x * i; }",
  ],
  ["two steps", "let k = LIST.length; for (let i = 0; i < n; i++) { LIST[k++] = x; k += 2; }"],
  [
    "counter in the value",
    "let k = LIST.length; for (let i = 0; i < n; i++) LIST[k++] = LIST[k++ - 1] = x * i;",
  ],
  ["every other", "for (let i = 4; i < n + 9; i += 2) LIST[i] = x * i;"],
  ["by a function", "put(LIST, n + 5, x * x);"],
];

const READS: readonly (readonly [read: string, code: string])[] = [
  ["reduce", "return LIST.reduce((s, e, i) => s + e * e * (i + 1), 0);"],
  ["forEach", "let s = 0; LIST.forEach((e, i) => { s += e * x * (i + 1); }); return s;"],
  [
    "map and filter",
    "return LIST.map((e) => e * e).filter((e) => e >= 0).reduce((s, e) => s + e, 0);",
  ],
];

const HELPERS = `const TABLE = [0.7, -0.3, 1.1];
class Box { a: number[]; constructor(x: number) { this.a = [x, 2]; } }
const made = (x: number): number[] => [x, 2 * x];
const put = (list: number[], i: number, x: number): void => { list[i] = x; };
`;

const programs: Record<string, string> = {};
for (const [list, made, name] of LISTS)
  for (const [store, code] of STORES)
    // compiling takes long: each list has two ways to be read
    for (const [read, result] of READS.filter((_, k) => (k + list.length) % 3 !== 0))
      programs[`${list}, ${store}, ${read}`] =
        `import { jvp, valueAndGrad } from "tsgrad";\n${HELPERS}\nexport function f(x: number, n: number): number { ${made} ${code} ${result} }\nexport const g = valueAndGrad(f), j = jvp(f);\n`.replaceAll(
          "LIST",
          name,
        );

type Call = (...args: unknown[]) => unknown;
const [X, N] = [1.3, 3];

/** Differences are good to about this, relative to the slope. */
const NEAR = 1e-8;

describe("holes", () => {
  const variants = variantsOf(programs);
  for (const [list] of LISTS)
    it(list, () => {
      const wrong = Object.keys(programs).filter((name) => {
        if (!name.startsWith(`${list},`)) return false;
        const { f, g, j } = variants(name).exports() as Record<"f" | "g" | "j", Call>;
        const slope = slopeOf((t) => Number(f(X + t, N)), X).value;
        const [value, gradient] = g(X, N) as number[];
        const [primal, tangent] = j([X, N], [1, 0]) as number[];
        const isNear = (given = NaN): boolean =>
          Math.abs(given - slope) <= NEAR * Math.max(1, Math.abs(slope));
        return !(value === f(X, N) && primal === value && isNear(gradient) && isNear(tangent));
      });
      expect(wrong).toEqual([]);
    });
});
