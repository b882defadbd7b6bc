// Instances that an execution constructs itself have nothing of an earlier one, whatever their
// fields are; an instance in a module's variable has. In: classes that store numbers in arrays,
// typed arrays and Maps; places where an instance is constructed. Oracle: 3 x² of x² x.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

/** The store's field, and what adds to a place of it and reads it. */
const STORES: Readonly<Record<string, readonly [field: string, add: string, get: string]>> = {
  array: ["s: number[] = [0, 0, 0];", "this.s[i] += u", "this.s[i]!"],
  "private array": ["private s: number[] = [0, 0, 0];", "this.s[i]! += u", "this.s[i]!"],
  "#array": ["#s: number[] = [0, 0, 0];", "this.#s[i]! += u", "this.#s[i]!"],
  "typed array": ["s = new Float64Array(3);", "this.s[i]! += u", "this.s[i]!"],
  "#typed array": ["#s = new Float64Array(3);", "this.#s[i]! += u", "this.#s[i]!"],
  rows: ["s = [[0, 0], [0, 0], [0, 0]];", "this.s[i]![1]! += u", "this.s[i]![1]!"],
  Map: [
    "private readonly s = new Map<number, number>();",
    "this.s.set(i, (this.s.get(i) ?? 0) + u)",
    "this.s.get(i)!",
  ],
  record: [
    "s = { a: 0, b: 0 };",
    "if (i === 1) this.s.a += u; else this.s.b += u",
    "i === 1 ? this.s.a : this.s.b",
  ],
  numbers: [
    "a = 0; b = 0;",
    "if (i === 1) this.a += u; else this.b += u",
    "i === 1 ? this.a : this.b",
  ],
  "table of a memo": [
    "private s = new Map<number, number>(); private last = NaN;",
    "if (this.last !== u) { this.last = u; this.s.set(i, u); }",
    "this.s.get(i)!",
  ],
};
/** The class, with what is around its members. */
const KINDS: Readonly<Record<string, (members: string) => string>> = {
  "a class": (members) => `class C { ${members} }`,
  "an exported class": (members) => `export class C { ${members} }`,
  "a constructor that calls a method": (members) =>
    `class C { ${members} constructor() { this.add(1, 0); } }`,
  "a subclass": (members) =>
    `class B { ${members} }\nclass C extends B { extra = 0; constructor() { super(); this.add(2, 0); } }`,
};
/** Where it is constructed, and a `catch` or none. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  "in the function":
    "const c = new C(); try { c.add(1, x * x); c.add(2, x); } catch { return 0; } return c.get(1) * c.get(2);",
  "in another function":
    "const made = (): C => new C(); const c = made(); c.add(1, x * x); c.add(2, x); return c.get(1) * c.get(2);",
  "in a list":
    "const cs = [0, 1].map(() => new C()); for (const [k, c] of cs.entries()) c.add(k + 1, k === 0 ? x * x : x); return cs[0]!.get(1) * cs[1]!.get(2);",
};
const CASES = Object.entries(STORES).flatMap(([store, [field, add, get]]) =>
  Object.entries(KINDS).map(([kind, kindOf]): [string, string] => [
    `${kind}, ${store}`,
    kindOf(
      `${field} add(i: number, u: number): void { ${add}; } get(i: number): number { return ${get}; }`,
    ),
  ]),
);

function exportsOf(source: string): Readonly<Record<string, (x: number) => number>> {
  const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
  expect(diagnostics).toEqual([]);
  return loader(
    new Map([
      ["/src/input.ts", applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text],
    ]),
  )("/src/input.ts") as Readonly<Record<string, (x: number) => number>>; // exports are unknown
}

describe("instances of an execution", () => {
  test.each(CASES)("%s", (_, text) => {
    const functions = Object.values(FUNCTIONS).map(
      (body, k) =>
        `function f${k}(x: number): number { ${body} }\nexport const g${k} = grad(f${k}, { engine: "delta" });\n`,
    );
    const all = exportsOf(`import { grad } from "tsgrad";\n${text}\n${functions.join("")}`);
    for (const k of functions.keys())
      for (const x of [1.5, 2, 1.5]) expect(all[`g${k}`]?.(x)).toBeCloseTo(3 * x * x, 12);
  });

  // 43 = d/dx (4 + x²) (2 + x) at 3 (a subclass has added nothing to what f(2) has left)
  test.each(CASES)("kept in a module: %s", (name, text) => {
    const { f, g } = exportsOf(
      `import { grad } from "tsgrad";\n${text}\nconst c = new C();\nexport function f(x: number): number { c.add(1, x * x); c.add(2, x); return c.get(1) * c.get(2); }\nexport const g = grad(f, { engine: "delta" });\n`,
    );
    f?.(2);
    const isFilledAgain = name.endsWith("memo");
    expect(g?.(3)).toBeCloseTo(isFilledAgain ? 27 : 43, 12);
    if (isFilledAgain) expect(g?.(3)).toBeCloseTo(27, 12);
    else expect(() => g?.(3)).toThrow("TSG0015");
  });
});
