// Rules of functions that take functions. In: what the function is (a choice, an element, a field, …), what it captures and by which form it is differentiated.
// Out: the cotangent of what it captures, by closed form. Invariant: a captured variable may also be an argument, under the same name.

import { describe, expect, it } from "vitest";
import { type Variant, variantsOf } from "../programs/variants.ts";

const HEAD = `import { customVjp, grad, hvp, jvp, valueAndGrad, vjp } from "tsgrad";
type F = (x: number) => number;
const sqPlain = (f: F, x: number): number => f(x) * f(x);
const sq = customVjp(sqPlain, (f, x) => { const [y, p] = f.vjp(x); return [y * y, (b) => { const [dx, s] = p(2 * y * b); return [s, dx]; }]; });
const onPlain = (f: (v: number[]) => number, v: number[]): number => f(v);
const on = customVjp(onPlain, (f, v) => { const [y, p] = f.vjp(v); return [y, (b) => { const [d, s] = p(b); return [s, d]; }]; });
`;

/** What the first argument of `sq` is; `k` picks (x a) for 1, and (x + a) for 0. */
const FUNCTIONS: Readonly<Record<string, readonly [before: string, fn: string]>> = {
  "a choice": ["", "k > 0 ? (v) => v * a : (v) => v + a"],
  "a choice of named functions": [
    "const f: F = (v) => v * a, g: F = (v) => v + a;",
    "k > 0 ? f : g",
  ],
  "an element of a list": ["const fs: F[] = [(x) => x + a, (x) => x * a];", "fs[k]!"],
  "a field of a record": [
    "const r = { f: (x: number): number => x * a, g: (x: number): number => x + a };",
    "k > 0 ? r.f : r.g",
  ],
  "a field by its name": [
    "const r = { f: (x: number): number => x * a, g: (x: number): number => x + a };",
    'r[k > 0 ? "f" : "g"]',
  ],
  "a declaration": ["function f(v: number): number { return k > 0 ? v * a : v + a; }", "f"],
  "a choice of declarations": [
    "function f(v: number): number { return v * a; } function g(v: number): number { return v + a; }",
    "k > 0 ? f : g",
  ],
  "a made function": [
    "const make = (by: number): F => (v) => v * by; const add = (by: number): F => (v) => v + by;",
    "k > 0 ? make(a) : add(a)",
  ],
  "a Map's value": [
    "const m = new Map<number, F>([[1, (v) => v * a], [0, (v) => v + a]]);",
    "m.get(k)!",
  ],
  "a method": [
    "const o = { f(v: number): number { return v * a; }, g(v: number): number { return v + a; } };",
    "k > 0 ? (v) => o.f(v) : (v) => o.g(v)",
  ],
};
/** The second argument of `sq`, a number equal to a whose derivative by a is 1. */
const ARGUMENTS: Readonly<Record<string, readonly [before: string, argument: string]>> = {
  "the captured variable": ["", "a"],
  "a variable of its name": ["const x = a;", "x"],
  "a computed number": ["", "a * 1"],
};
/** How (a a)^2 and (2 a)^2, with derivatives 4 a^3 and 8 a, come out as [value, first, second]. */
const FORMS: Readonly<Record<string, string>> = {
  grad: "export const got = (a: number, k: number): unknown[] => [f(a, k), grad(f)(a, k)];",
  valueAndGrad: "export const got = (a: number, k: number): unknown[] => valueAndGrad(f)(a, k);",
  vjp: "export const got = (a: number, k: number): unknown[] => { const [y, p] = vjp(f)(a, k); return [y, p(1)[0]]; };",
  jvp: "export const got = (a: number, k: number): unknown[] => jvp(f)([a, k], [1, 0]);",
  hvp: "export const got = (a: number, k: number): unknown[] => [f(a, k), grad(f)(a, k), hvp(f)([a, k], 1)];",
};

const cases = Object.keys(FUNCTIONS).flatMap((of) =>
  Object.keys(ARGUMENTS).flatMap((by) => Object.keys(FORMS).map((form) => [of, by, form] as const)),
);
const nameOf = (parts: readonly string[]): string => parts.join("; ");
const textOf = ([of, by, form]: (typeof cases)[number]): string => {
  const [before, fn] = FUNCTIONS[of] ?? ["", ""];
  const [first, argument] = ARGUMENTS[by] ?? ["", ""];
  return `${HEAD}export const f = (a: number, k: number): number => { ${before} ${first} return sq(${fn}, ${argument}); };\n${FORMS[form] ?? ""}`;
};
const numbers = variantsOf(Object.fromEntries(cases.map((each) => [nameOf(each), textOf(each)])));

describe("the cotangent of a captured number", () => {
  it.each(cases)("%s, by %s, %s", (...each) => {
    const { errors, exports }: Variant = numbers(nameOf(each));
    expect(errors).toEqual([]);
    const { got } = exports();
    const call = got as (a: number, k: number) => readonly number[];
    const a = 0.7;
    for (const [k, expected] of [
      [1, [a ** 4, 4 * a ** 3, 12 * a ** 2]],
      [0, [4 * a ** 2, 8 * a, 8]],
    ] as const) {
      const found = call(a, k);
      expect(found.length).toBeGreaterThan(1);
      for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[i] ?? NaN, 12);
    }
  });
});

/** Functions of arrays: w v for k = 1, w[0] + v[1] for 0, where w is v. */
const OF_ARRAYS: Readonly<Record<string, string>> = {
  "an element":
    "const fs: ((w: number[]) => number)[] = [(w) => w[0]! + v[1]!, (w) => w[0]! * v[0]! + w[1]! * v[1]!]; return on(fs[k]!, v);",
  "a choice": "return on(k > 0 ? (w) => w[0]! * v[0]! + w[1]! * v[1]! : (w) => w[0]! + v[1]!, v);",
  "a choice, and a copy":
    "return on(k > 0 ? (w) => w[0]! * v[0]! + w[1]! * v[1]! : (w) => w[0]! + v[1]!, v.slice());",
  "a field of the argument":
    "const r = { v }; return on(k > 0 ? (w) => w[0]! * r.v[0]! + w[1]! * r.v[1]! : (w) => w[0]! + r.v[1]!, r.v);",
};
const arrays = variantsOf(
  Object.fromEntries(
    Object.entries(OF_ARRAYS).map(([name, body]) => [
      name,
      `${HEAD}export const f = (v: number[], k: number): number => { ${body} };\nexport const got = grad(f);`,
    ]),
  ),
);

it.each(Object.keys(OF_ARRAYS))("the cotangent of a captured array: %s", (name) => {
  const { errors, exports } = arrays(name);
  expect(errors).toEqual([]);
  const { got } = exports();
  const call = got as (v: number[], k: number) => readonly number[];
  expect(call([0.7, 0.4], 1)).toEqual([1.4, 0.8]);
  expect(call([0.7, 0.4], 0)).toEqual([1, 1]);
});
