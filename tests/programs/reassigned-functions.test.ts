// Functions and classes that are assigned after their declaration. In: how `h`, at first 2 x, becomes x x, and how it is reached. Out: value and derivative of the function that is
// there when the code runs, or a refusal; never the derivative of the declaration.

import { describe, expect, it } from "vitest";
import { variantsOf } from "./variants.ts";

/** Declaration and assignment; `TYPED` becomes nothing in JavaScript. */
const WAYS: Readonly<Record<string, string>> = {
  "a function expression":
    "function h(x: number): number { return x * 2; }\n// @ts-ignore\nh = function (x: number): number { return x * x; };",
  "an arrow function":
    "function h(x: number): number { return x * 2; }\n// @ts-ignore\nh = (x: number): number => x * x;",
  "another declaration":
    "function k(x: number): number { return x * x; }\nfunction h(x: number): number { return x * 2; }\n// @ts-ignore\nh = k;",
  "in a branch":
    "function h(x: number): number { return x * 2; }\n// @ts-ignore\nif (Math.PI > 3) h = (x: number): number => x * x;",
  "in a pattern":
    "function h(x: number): number { return x * 2; }\n// @ts-ignore\n[h] = [(x: number): number => x * x];",
  "in a record pattern":
    "function h(x: number): number { return x * 2; }\n// @ts-ignore\n({ h } = { h: (x: number): number => x * x });",
  "in a function that was called":
    "function h(x: number): number { return x * 2; }\n// @ts-ignore\nconst swap = (): void => { h = (x: number): number => x * x; };\nswap();",
  "before its declaration":
    "// @ts-ignore\nh = (x: number): number => x * x;\nfunction h(x: number): number { return x * 2; }",
  "a variable": "let h = (x: number): number => x * 2;\nh = (x: number): number => x * x;",
  "a var": "var h = (x: number): number => x * 2;\nh = (x: number): number => x * x;",
};
const USES: Readonly<Record<string, string>> = {
  "a call": "export const f = (x: number): number => h(x);",
  itself: "export const f = h;",
  "a callback": "export const f = (x: number): number => [x].map((y) => h(y))[0]!;",
  "a callback by name": "export const f = (x: number): number => [x].map(h)[0]!;",
  "a list":
    "export const f = (x: number): number => { let s = 0; for (const q of [h]) s += q(x); return s; };",
  "a record":
    "export const f = (x: number): number => { const table = { h }; return table.h(x); };",
  "a choice": "export const f = (x: number): number => (x > 0 ? h : Math.sin)(x);",
  "an argument":
    "const by = (q: (y: number) => number, x: number): number => q(x);\nexport const f = (x: number): number => by(h, x);",
  "a declaration that calls it": "export function f(x: number): number { return h(x); }",
  "a method":
    "class C { at(x: number): number { return h(x); } }\nexport const f = (x: number): number => new C().at(x);",
};
const FORMS = {
  automatic: "export const g = valueAndGrad(f);",
  delta: 'export const g = valueAndGrad(f, { engine: "delta" });',
  vjp: "export const g = (x: number): unknown => { const [y, p] = vjp(f)(x); return [y, p(1)[0]]; };",
  jvp: "export const g = (x: number): unknown => jvp(f)([x], [1]);",
} as const;
const forms = Object.keys(FORMS) as (keyof typeof FORMS)[];
const untyped = (text: string): string =>
  text.replaceAll(/: (?:\(y: number\) => number|number|void|unknown)\b/g, "").replaceAll("]!", "]");

const cases = Object.keys(WAYS).flatMap((way, i) =>
  Object.keys(USES).map(
    (use, k) => [way, use, forms[(i + k) % forms.length] ?? "automatic"] as const,
  ),
);
const fileOf = (each: readonly string[], end: string): string =>
  `v${cases.findIndex((one) => one.join() === each.join())}.${end}`;
const HEAD = 'import { jvp, valueAndGrad, vjp } from "tsgrad";\n';
const texts = cases.map(
  (each) => [each, `${HEAD}${WAYS[each[0]]}\n${USES[each[1]]}\n${FORMS[each[2]]}\n`] as const,
);
const variants = variantsOf({
  ...Object.fromEntries(texts.map(([each, text]) => [fileOf(each, "ts"), text])),
  ...Object.fromEntries(texts.map(([each, text]) => [fileOf(each, "js"), untyped(text)])),
});

describe.each(["ts", "js"])("%s", (end) => {
  it.each(cases)("%s, %s, %s", (...each) => {
    const { errors, exports } = variants(fileOf(each, end));
    if (errors.length > 0) return expect(errors.join(" ")).toMatch(/TSG1301/);
    const { f, g } = exports() as { f: (x: number) => number; g: (x: number) => readonly number[] };
    expect(f(1.1)).toBeCloseTo(1.21, 12);
    let found: readonly number[];
    try {
      found = g(1.1);
    } catch (error) {
      // the value is unknown code where nothing links it
      return expect(String(error)).toMatch(/TSG0010/);
    }
    expect(found[0]).toBe(f(1.1));
    expect(found[1]).toBeCloseTo(2.2, 12);
  });
});

it("some of them are differentiated", () => {
  const right = cases.filter((each) => variants(fileOf(each, "ts")).errors.length === 0);
  expect(right.length).toBeGreaterThan(cases.length / 2);
});

it.each([
  [
    "a class",
    "class A { at(x: number): number { return x * 2; } }\nclass B { at(x: number): number { return x * x; } }\n// @ts-ignore\nA = B;\nexport const f = (x: number): number => new A().at(x);",
  ],
  [
    "a base class",
    "class A { at(x: number): number { return x * 2; } }\nclass B { at(x: number): number { return x * x; } }\n// @ts-ignore\nA = B;\nclass C extends A {}\nexport const f = (x: number): number => new C().at(x);",
  ],
  [
    "a static method's class",
    "class A { static at(x: number): number { return x * 2; } }\nclass B { static at(x: number): number { return x * x; } }\n// @ts-ignore\nA = B;\nexport const f = (x: number): number => A.at(x);",
  ],
])("%s is not taken for its declaration", (_, text) => {
  const { errors, exports } = variantsOf({
    class: `${HEAD}${text}\nexport const g = valueAndGrad(f);\n`,
  })("class");
  if (errors.length > 0) return;
  const { f, g } = exports() as { f: (x: number) => number; g: (x: number) => readonly number[] };
  expect(f(1.1)).toBeCloseTo(1.21, 12);
  expect(() => {
    const [value, slope] = g(1.1);
    if (value === f(1.1) && Math.abs((slope ?? NaN) - 2.2) < 1e-9)
      throw new Error("TSG0010 or right");
  }).toThrow(/TSG0010/);
});
