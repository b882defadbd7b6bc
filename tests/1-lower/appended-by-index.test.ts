// Arrays that grow while a loop goes over them, by a store behind the last element. In: ways to
// store, and loops. Out: closed forms.

import { describe, expect, test } from "vitest";
import { variantsOf } from "../programs/variants.ts";

const STORES: Readonly<Record<string, string>> = {
  push: "if (xs.length < 4) xs.push(x * 2);",
  "at the length": "if (xs.length < 4) xs[xs.length] = x * 2;",
  "at a sum": "if (xs.length < 4) xs[xs.length + 0] = x * 2;",
  "at a counter": "if (n < 4) { xs[n] = x * 2; n++; }",
  "at a counter that counts there": "if (n < 4) xs[n++] = x * 2;",
  "at a constant": "const end = xs.length; if (end < 4) xs[end] = x * 2;",
  "at an argument": "if (xs.length < 4) putAt(xs, xs.length, x * 2);",
  "in a function": "if (xs.length < 4) put(xs, x * 2);",
  "in a function, by another name": "const ys = xs; if (ys.length < 4) ys[ys.length] = x * 2;",
};
const LOOPS: Readonly<Record<string, readonly [string, string]>> = {
  "for of": ["for (const x of xs) {", "}"],
  entries: ["for (const [, x] of xs.entries()) {", "}"],
  for: ["for (let i = 0; i < xs.length; i++) { const x = xs[i]!;", "}"],
  while: ["let i = 0; while (i < xs.length) { const x = xs[i]!; i++;", "}"],
  "do while": ["let i = 0; do { const x = xs[i]!; i++;", "} while (i < xs.length);"],
  forEach: ["xs.forEach((x) => {", "});"],
};
const nameOf = (store: string, loop: string): string => `${store}, ${loop}`;
const cases = Object.keys(STORES).flatMap((store) =>
  Object.keys(LOOPS).map((loop): readonly [string, string] => [store, loop]),
);
const variants = variantsOf(
  Object.fromEntries(
    cases.map(([store, loop]) => {
      const [head, tail] = LOOPS[loop] ?? ["", ""];
      return [
        nameOf(store, loop),
        `import { grad } from "tsgrad";
const put = (xs: number[], y: number): void => { xs[xs.length] = y; };
const putAt = (xs: number[], at: number, y: number): void => { xs[at] = y; };
export const f = (given: number[]): number => { const xs = given.slice(); let s = 0; let n = 2; ${head} ${STORES[store] ?? ""} s += x * x; ${tail} return s + 0 * n; };
export const g = grad(f);
void [put, putAt];
`,
      ];
    }),
  ),
);

describe("arrays that grow while a loop goes over them", () => {
  test.each(cases)("%s, %s", (store, loop) => {
    const { errors, exports } = variants(nameOf(store, loop));
    expect(errors).toEqual([]);
    const { f, g } = exports() as {
      readonly f: (xs: number[]) => number;
      readonly g: (xs: number[]) => number[];
    };
    // 1, 2, 2, 4 but for `forEach`, which visits what was there
    expect(f([1, 2])).toBe(loop === "forEach" ? 5 : 25);
    expect(g([1, 2])).toEqual(loop === "forEach" ? [2, 4] : [10, 20]);
  });
});
