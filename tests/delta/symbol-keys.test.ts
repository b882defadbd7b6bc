// Numbers under symbols are data of an argument or a result like any other. In: containers, what is
// under the symbol, forms. Oracle: the derivative of 2 a k² by hand.

import { describe, expect, it } from "vitest";
import { variantsOf } from "../programs/variants.ts";

/** The argument's type, how `made(k)` makes one, and how its number is read. */
const CONTAINERS: Readonly<Record<string, readonly [type: string, made: string, read: string]>> = {
  "a record": ["{ a: number; [key]: number }", "{ a: 2, [key]: k }", "p.a * p[key] ** 2"],
  "a symbol alone": ["{ [key]: number }", "{ [key]: k }", "2 * p[key] ** 2"],
  "a list under it": [
    "{ a: number; [key]: number[] }",
    "{ a: 2, [key]: [k] }",
    "p.a * p[key][0]! ** 2",
  ],
  "a record under it": ["{ [key]: { v: number } }", "{ [key]: { v: k } }", "2 * p[key].v ** 2"],
  "an instance": ["C", "new C(k)", "p.a * p[key] ** 2"],
  "records in a list": [
    "{ a: number; [key]: number }[]",
    "[{ a: 1, [key]: k }, { a: 1, [key]: k }]",
    "p.reduce((s, one) => s + one.a * one[key] ** 2, 0)",
  ],
  "records in a Map": [
    "Map<string, { [key]: number }>",
    'new Map([["x", { [key]: k }]])',
    '2 * p.get("x")![key] ** 2',
  ],
};
const FORMS: Readonly<Record<string, string>> = {
  grad: "grad(f)(made(3))",
  valueAndGrad: "valueAndGrad(f)(made(3))[1]",
  vjp: "vjp(f)(made(3))[1](1)[0]",
  "by Delta": 'grad(f, { engine: "delta" })(made(3))',
};

const programs: Record<string, string> = {};
for (const [container, [type, made, read]] of Object.entries(CONTAINERS))
  for (const [form, call] of Object.entries(FORMS))
    programs[`${container}, ${form}`] = `import { grad, valueAndGrad, vjp } from "tsgrad";
const key = Symbol("key");
class C { a = 2; [key]: number; constructor(k: number) { this[key] = k; } }
export type T = ${type};
export const made = (k: number): T => (${made});
export function f(p: T): number { return ${read}; }
export const slope = (): unknown => ${call};
export const step = (h: number): number => f(made(3 + h));
export const at = key;
export const unused = C;`;

/** The sum of all numbers under the symbol. */
function under(at: symbol, value: unknown): number {
  if (typeof value === "number") return value;
  if (value instanceof Map)
    return [...value.values()].reduce((s: number, v) => s + under(at, v), 0);
  if (Array.isArray(value)) return value.reduce((s: number, v) => s + under(at, v), 0);
  if (typeof value !== "object" || value === null) return 0;
  if ("v" in value) return under(at, value.v);
  const own: unknown = Object.getOwnPropertyDescriptor(value, at)?.value;
  return under(at, own);
}

describe("numbers under symbols", () => {
  const variant = variantsOf(programs);
  it.each(Object.keys(programs))("%s", (name) => {
    const { errors, exports } = variant(name);
    expect(errors).toEqual([]);
    const { slope, at, step } = exports() as {
      slope: () => unknown;
      at: symbol;
      step: (h: number) => number;
    };
    expect(step(0)).toBe(18);
    // d 2 k² / dk = 4 k
    expect(under(at, slope())).toBe(12);
  });
});
