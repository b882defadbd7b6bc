// Rules of functions that capture variables: the cotangents of these are in a record, by name. In:
// programs in which the rule is the true derivative. Out: derivatives of the same program without
// the rule; what is not named, or named wrongly, is an error.

import { describe, expect, it, test } from "vitest";
import { programOf, typeErrors } from "../program.ts";
import { type Variant, variantsOf } from "../programs/variants.ts";

const ENGINES = ["static", "delta"] as const;
type Engine = (typeof ENGINES)[number];
const HEAD = `import { customVjp, grad, hvp, jvp } from "tsgrad";
interface M { a: number; b: number[] }
`;
const forms = (engine: Engine): string => `
export const value = f;
export const first = grad(f, { argnums: [0, 1], engine: "${engine}" });
export const pushed = (k: number, m: M, dk: number, dm: M): [number, number] => jvp(f, { engine: "${engine}" })([k, m], [dk, dm]);
export const second = (k: number, m: M, dk: number): unknown => hvp(f, { engine: "${engine}" })([k, m], dk);
`;

/** A function `s` with what it computes, its derivative by x, and the record of its captures. */
interface Body {
  readonly before?: string;
  readonly of: string;
  readonly rule: string;
  readonly uses: string;
}
const BODIES: Readonly<Record<string, Body>> = {
  "a number": {
    of: "(x: number): number => Math.sin(k * x)",
    rule: "(x) => [Math.sin(k * x), (b) => [b * k * Math.cos(k * x), { k: b * x * Math.cos(k * x) }]]",
    uses: "s(2) + k * s(k)",
  },
  "a number, of which the rule gets the value by the function": {
    of: "(x: number): number => k * k * x",
    rule: "(x) => { const d = 2 * k * x; return [k * k * x, (b) => { const dk = b * d; return [b * k * k, { k: dk }]; }]; }",
    uses: "s(2) * s(m.a)",
  },
  "in its own rule, with a shorthand": {
    of: "(x: number): number => m.a * Math.exp(k * x)",
    rule: "(x) => { const y: number = m.a * Math.exp(k * x); return [y, (b) => { const j = b * x * y; return [b * k * y, { k: j, m: { a: b * Math.exp(k * x), b: [0, 0] } }]; }]; }",
    uses: "s(0.3) + s(k)",
  },
  "a record": {
    of: "(x: number): number => m.a * x + m.b[1]! * x * x",
    rule: "(x) => [m.a * x + m.b[1]! * x * x, (b) => [b * (m.a + 2 * m.b[1]! * x), { m: { a: b * x, b: [0, b * x * x] } }]]",
    uses: "s(2) + s(k)",
  },
  "an array": {
    before: "const v = [k, m.a, k * m.a];",
    of: "(x: number): number => v[0]! * v[1]! * x + v[2]!",
    rule: "(x) => [v[0]! * v[1]! * x + v[2]!, (b) => [b * v[0]! * v[1]!, { v: [b * v[1]! * x, b * v[0]! * x, b] }]]",
    uses: "s(2) * s(k)",
  },
  "two of them, one declared constant": {
    before: "const c = Math.floor(k * 3);",
    of: "(x: number): number => c * x + k * x",
    rule: "(x) => [c * x + k * x, (b) => [b * (c + k), { c: undefined, k: b * x }]]",
    uses: "s(2) * s(k)",
  },
  "a variable of a loop": {
    before:
      "let total = 0; for (let i = 1; i < 4; i++) { const w = k * i; const one = customVjp2((x: number): number => w * x, (x) => [w * x, (b) => [b * w, { w: b * x }]]); total += one(m.a) * one(i); }",
    of: "(x: number): number => k * x",
    rule: "(x) => [k * x, (b) => [b * k, { k: b * x }]]",
    uses: "total + s(2)",
  },
  "in callbacks": {
    of: "(x: number): number => k * x * x",
    rule: "(x) => [k * x * x, (b) => [2 * b * k * x, { k: b * x * x }]]",
    uses: "m.b.map((y) => s(y) * k).reduce((p, q) => p + q, 0)",
  },
  "beside a function among its arguments": {
    of: "(g: (y: number) => number, x: number): number => k * g(x)",
    rule: "(g, x) => { const [y, p] = g.vjp(x); return [k * y, (b) => { const [dx, self] = p(b * k); return [self, dx, { k: b * y }]; }]; }",
    uses: "s((y) => y * y * k, m.a) + s((y) => y * m.b[0]!, k)",
  },
  "with branches": {
    of: "(x: number): number => (x > 1 ? k * x : x)",
    rule: "(x) => (x > 1 ? [k * x, (b) => [b * k, { k: b * x }]] : [x, (b) => [b, { k: undefined }]])",
    uses: "s(2) + s(k) * s(m.a)",
  },
};
const program = (
  { before = "", of, rule, uses }: Body,
  isRuled: boolean,
  engine: Engine = "static",
): string =>
  `${HEAD}const customVjp2: typeof customVjp = customVjp;
const f = (k: number, m: M): number => { ${before.replaceAll("customVjp2", isRuled ? "customVjp" : "without")} const s = ${isRuled ? `customVjp(${of}, ${rule})` : of}; return ${uses}; };
${isRuled ? "" : "function without<F>(f: F, _rule: unknown): F { return f; }\n"}void customVjp2;${forms(engine)}`;

const WRONG: Readonly<Record<string, readonly [code: string, rule: string]>> = {
  "not named": ["TSG3003", "(x) => [k * x, (b) => [b * k]]"],
  "not named, but others are": ["TSG3003", "(x) => [k * x, (b) => [b * k, { m: undefined }]]"],
  "a name of nothing": ["TSG1019", "(x) => [k * x, (b) => [b * k, { nothing: b }]]"],
  "of another type": ["TSG1019", "(x) => [k * x, (b) => [b * k, { k: [b] }]]"],
};
/** What the Delta engine says when the code runs. */
const WRONG_BY_DELTA: Readonly<Record<string, readonly [message: RegExp, body: string]>> = {
  "by Delta, not named": [
    /TSG0010.*`k`/,
    "const s = customVjp((x: number): number => k * x, (x) => [k * x, (b) => [b * k]]); return s(2);",
  ],
  "by Delta, not named, and its parts cancel": [
    /TSG0010.*`k`/,
    "const s = customVjp((x: number): number[] => [k * x, -k * x], (x) => [[k * x, -k * x], (b) => [(b[0]! - b[1]!) * k]]); return s(2)[0]!;",
  ],
  "by Delta, a name of nothing": [
    /TSG0010.*`nothing`/,
    "const s = customVjp((x: number): number => k * x, (x) => [k * x, (b) => [b * k, { k: b * x, nothing: b }]]); return s(2);",
  ],
  "by Delta, inside of a function that is captured": [
    /TSG0010.*around it/,
    "const g = (x: number): number => k * x; const s = customVjp((x: number): number => g(x), (x) => [k * x, (b) => [b * k]]); return s(2);",
  ],
  "by Delta, written after the call": [
    /TSG0010.*changes after/,
    "const s = customVjp((x: number): number => v[0]! * x, (x) => [v[0]! * x, (b) => [b * v[0]!, { v: [b * x] }]]); const y = s(2); v[0] = 5; return y;",
  ],
  "by Delta, returned": [
    /TSG0010.*copy/,
    "const s = customVjp((x: number): number[] => (x > 0 ? v : [x]), () => [v, (b) => [0, { v: b }]]); return s(2)[0]!;",
  ],
};
const variants = variantsOf(
  Object.fromEntries([
    ...Object.entries(BODIES).flatMap(([name, body]) => [
      ...ENGINES.map((engine) => [`${name}, ${engine}`, program(body, true, engine)]),
      [`${name}, plain`, program(body, false)],
    ]),
    ...Object.entries(WRONG).map(([name, [, rule]]) => [
      name,
      `${HEAD}export const g = grad((k: number, m: M): number => { const s = customVjp((x: number): number => k * x, ${rule}); return s(2) + m.a; });`,
    ]),
    ...Object.entries(WRONG_BY_DELTA).map(([name, [, body]]) => [
      name,
      `${HEAD}export const g = grad((k: number): number => { const v = [k]; ${body} }, { engine: "delta" });`,
    ]),
  ]),
);

interface M {
  readonly a: number;
  readonly b: readonly number[];
}
interface Module {
  readonly value: (k: number, m: M) => number;
  readonly first: (k: number, m: M) => unknown;
  readonly pushed: (k: number, m: M, dk: number, dm: M) => unknown;
  readonly second: (k: number, m: M, dk: number) => unknown;
}
const moduleOf = ({ errors, exports }: Variant): Module => {
  expect(errors).toEqual([]);
  return exports() as unknown as Module;
};
const numbersOf = (value: unknown): number[] =>
  typeof value === "number" ? [value] : Object.values(value as object).flatMap(numbersOf);
const expectClose = (found: unknown, wanted: unknown): void => {
  const [x, z] = [numbersOf(found), numbersOf(wanted)];
  expect(x.length).toBe(z.length);
  // rounding of another order of the same operations
  for (const [i, each] of x.entries()) expect(each).toBeCloseTo(z[i] ?? NaN, 12);
};
const M1: M = { a: 1.2, b: [0.4, -0.9] };
const DM: M = { a: 0.5, b: [1, -2] };

describe("a rule gives the cotangents of what its function captures", () => {
  const named = ENGINES.flatMap((engine) =>
    Object.keys(BODIES).map((name): readonly [string, Engine] => [name, engine]),
  );
  it.each(named)("%s, %s", (name, engine) => {
    const ruled = moduleOf(variants(`${name}, ${engine}`));
    const plain = moduleOf(variants(`${name}, plain`));
    expect(ruled.value(1.3, M1)).toBe(plain.value(1.3, M1));
    expectClose(ruled.first(1.3, M1), plain.first(1.3, M1));
    expectClose(ruled.pushed(1.3, M1, 0.7, DM), plain.pushed(1.3, M1, 0.7, DM));
    expectClose(ruled.second(1.3, M1, 0.7), plain.second(1.3, M1, 0.7));
  });
});

test("such rules have the type of rules", () => {
  const texts = Object.values(BODIES).map((body, i) => [`rule${i}.ts`, program(body, true)]);
  expect(typeErrors(programOf(Object.fromEntries(texts)))).toEqual([]);
});

test.each(Object.entries(WRONG))("%s", (name, [code]) => {
  expect(variants(name).errors).toEqual([code]);
});

test.each(Object.entries(WRONG_BY_DELTA))("%s", (name, [message]) => {
  const { g } = variants(name).exports() as { readonly g: (k: number) => number };
  expect(() => g(3)).toThrow(message);
});
