// Spreads of what may be missing. In: an expression that spreads `o`, a parameter of each kind, and whether types say that it may be missing. Out: value and derivative as
// JavaScript has them: a missing object adds no properties, a missing array throws.

import { describe, expect, it } from "vitest";
import { type Variant, variantsOf } from "./variants.ts";

const HEAD = `import { grad, jvp, valueAndGrad } from "tsgrad";
interface O { a?: number; b?: number }
interface P { a: number; b: number }
const D: O = { a: 2, b: 3 };
`;
/** An expression of a record with a and b, and the type of `o`. */
const SPREADS: Readonly<Record<string, readonly [expression: string, type: string]>> = {
  "behind a constant": ["{ ...D, ...o }", "O"],
  "behind properties": ["{ a: 2, b: 3, ...o }", "O"],
  "of required fields": ["{ a: 2, b: 3, ...o }", "P"],
  "with a number of the argument": ["{ a: 2, b: 3 * x / x, ...o }", "O"],
  "in front": ["{ ...o, a: 2, b: 3 }", "O"],
  between: ["{ a: 2, ...o, b: 3 }", "O"],
  twice: ["{ ...D, ...o, ...o }", "O"],
  "in a record in a record": ["{ ...{ ...D, ...o } }", "O"],
  "of a field": ["{ ...D, ...{ o }.o }", "O"],
  "beside null": ["{ ...D, ...null, ...o }", "O"],
  "beside undefined": ["{ ...D, ...undefined, ...o }", "O"],
  "Object.assign": ["Object.assign({ a: 2, b: 3 }, o)", "P"],
  "Object.assign of optional fields": ["Object.assign({}, D, o)", "O"],
  "Object.assign of undefined": ["Object.assign({ a: 2, b: 3 }, undefined, o)", "P"],
  "into a dictionary": [
    "({ a: 2, b: 3, ...o } as Record<string, number> as unknown as P)",
    "Record<string, number>",
  ],
};
const FUNCTIONS: Readonly<Record<string, (expression: string, type: string) => string>> = {
  "an optional parameter": (e, t) =>
    `const f = (x: number, o?: ${t}): number => { const p = ${e}; return x * x * p.a! * p.b!; };`,
  "a declaration's parameter": (e, t) =>
    `function k(x: number, o?: ${t}): number { const p = ${e}; return x * x * p.a! * p.b!; }\nfunction f(x: number, o?: ${t}): number { return k(x, o); }`,
  "a call without it": (e, t) =>
    `function k(x: number, o?: ${t}): number { const p = ${e}; return x * x * p.a! * p.b!; }\nfunction f(x: number, o?: ${t}): number { return o ? k(x, o) : k(x); }`,
  "a method's parameter": (e, t) =>
    `class C { k(x: number, o?: ${t}): number { const p = ${e}; return x * x * p.a! * p.b!; } }\nconst f = (x: number, o?: ${t}): number => new C().k(x, o);`,
};
const cases = Object.keys(SPREADS).flatMap((spread) =>
  Object.keys(FUNCTIONS).map((fn) => [spread, fn] as const),
);
const textOf = (spread: string, fn: string): string => {
  const [expression, type] = SPREADS[spread] ?? ["", ""];
  return `${HEAD}${FUNCTIONS[fn]?.(expression, type) ?? ""}\nexport { f };\nexport const g = valueAndGrad(f);\nexport const j = (x: number, o?: ${type}): unknown => o === undefined ? [f(x), grad(f)(x)] : jvp((y: number): number => f(y, o))([x], [1]);`;
};
const texts = Object.fromEntries(
  cases.map(([spread, fn]) => [`${spread}, ${fn}`, textOf(spread, fn)]),
);
const all: Readonly<Record<string, (name: string) => Variant>> = {
  strict: variantsOf(texts),
  "not strict": variantsOf(texts, { strict: false }),
};

describe.each(Object.keys(all))("%s", (strictness) => {
  it.each(cases)("%s, %s", (spread, fn) => {
    const { errors, exports } = all[strictness]?.(`${spread}, ${fn}`) ?? ({} as Variant);
    expect(errors).toEqual([]);
    const { f, g, j } = exports() as Record<"f" | "g" | "j", (x: number, o?: unknown) => unknown>;
    for (const o of [undefined, { a: 4, b: 5 }]) {
      const value = Number(f(1.5, o));
      // of c x x
      expect([g(1.5, o), j(1.5, o)]).toEqual([
        [value, (value / 1.5) * 2],
        [value, (value / 1.5) * 2],
      ]);
    }
    if (spread.startsWith("into")) return;
    expect(Number(f(1.5))).toBe(13.5);
  });
});

const LISTS = variantsOf(
  {
    list: `import { grad } from "tsgrad";\nexport const f = (x: number, o: number[]): number => { const p = [x, 3, ...o]; return p[0]! * p[0]! * p[1]!; };\nexport const g = grad(f);`,
  },
  { strict: false },
);

it("a missing array is no array", () => {
  const { f, g } = LISTS("list").exports() as Record<
    "f" | "g",
    (x: number, o?: number[]) => number
  >;
  expect(() => f(1.5)).toThrow(TypeError);
  expect(() => g(1.5)).toThrow(TypeError);
  expect(g(1.5, [])).toBe(9);
});
