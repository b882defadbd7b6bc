// A factor of 0 hides an infinite slope of a finite number. In: slopes, ways from such a number to a
// factor of 0, forms, engines. Oracle: the derivative of the other summand, `k²`, alone. Blind to
// zeros of active factors at second order.

import { describe, expect, it } from "vitest";
import { built } from "../nested/compiled.ts";

/** A finite number of `xs[0]`, whose slope is infinite at `at`. */
const SLOPES: Readonly<Record<string, { readonly v: string; readonly at: number }>> = {
  "root of 0": { v: "Math.sqrt(xs[0]!)", at: 0 },
  "root of a product": { v: "Math.sqrt(xs[0]! * k)", at: 0 },
  "fractional power of 0": { v: "xs[0]! ** 0.75", at: 0 },
  "cube root of 0": { v: "Math.cbrt(xs[0]!)", at: 0 },
  "arc cosine of 1": { v: "Math.acos(xs[0]!)", at: 1 },
  "arc sine in a difference": { v: "(3 * Math.asin(xs[0]!) - k)", at: 1 },
};

/** Code whose value is `k²`; `z` is 0. */
const CODE: Readonly<Record<string, (v: string) => string>> = {
  "factor on the left": (v) => `return k * k + z * ${v};`,
  "factor on the right": (v) => `const v = ${v}; return v * z + k * k;`,
  "two factors": (v) => `const v = ${v}; return v * 2 * z + k * k;`,
  "of a sum": (v) => `const v = ${v} + k; return v * z + k * k;`,
  "of a join": (v) => `let v = k; if (z < 1) v = ${v}; return k * k + v * z;`,
  "in a loop": (v) => `let s = 0; for (let i = 0; i < 3; i++) s += ${v} * z; return s + k * k;`,
  "carried by a loop": (v) => `let s = ${v}; for (let i = 0; i < 3; i++) s *= i; return s + k * k;`,
  "of an element": (v) => `const e = [${v}, k]; return e[z]! * z + e[1]! * k;`,
  "of all elements": (v) =>
    `const e = [k, k].map((y, i) => (i > 0 ? y : ${v})); let s = 0; for (let i = 0; i < e.length; i++) s += i * e[i]! * k; return s;`,
  "of all elements' products": (v) =>
    `const e = [k, k].map((y, i) => (i > 0 ? y : ${v})); let s = 0; for (let i = 0; i < e.length; i++) s += i * e[i]! * e[i]!; return s;`,
  "in a recurrence": (v) =>
    `let p = k; for (let i = 0; i < 3; i++) p = p * ${v} * z + k; return p * k;`,
  "of a product over a loop": (v) =>
    `let s = 1; for (let i = 0; i < 3; i++) s = s * ${v} * z; return s + k * k;`,
  "of a field": (v) => `const o = { v: ${v}, z }; return o.v * o.z + k * k;`,
  "of a Map": (v) => `const m = new Map([["v", ${v}]]); return (m.get("v") ?? 1) * z + k * k;`,
  "of a closure": (v) =>
    `const v = ${v}; const g = (y: number): number => v * y; return g(z) + k * k;`,
  "of a callee": (v) => `return k * k + later(${v}, z, 3);`,
  "of a callee's result": (v) => `return k * k + down(${v}, 3) * z;`,
};

const HELPERS = `
function later(v: number, z: number, n: number): number { return n > 0 ? later(v, z, n - 1) : v * z; }
function down(v: number, n: number): number { return n <= 0 ? v : down(v * 0.5, n - 1) + v; }
`;

const K = 3;

type Call = (...args: readonly unknown[]) => unknown;
interface Form {
  readonly name: string;
  /** Suffix of the function that it is applied to. */
  readonly of: string;
  readonly run: (form: Call, at: number) => unknown;
  readonly expected: unknown;
}

const part = (value: unknown, i: number): unknown => (Array.isArray(value) ? value[i] : undefined);
const pulled = (pair: unknown): unknown => {
  const back = part(pair, 1);
  return typeof back === "function" ? part(Reflect.apply(back, null, [1]), 0) : null;
};
const ROWS = [
  [0, 2 * K],
  [0, 1],
];
const FORMS: readonly Form[] = [
  { name: "grad", of: "", run: (form, at) => form([at, K], 0), expected: [0, 2 * K] },
  { name: "vjp", of: "", run: (form, at) => pulled(form([at, K], 0)), expected: [0, 2 * K] },
  {
    name: "jvp",
    of: "",
    run: (form, at) => part(form([[at, K], 0], [[1, 1], 0]), 1),
    expected: 2 * K,
  },
  { name: "jacrev", of: "P", run: (form, at) => form([at, K], 0), expected: ROWS },
  { name: "jacfwd", of: "P", run: (form, at) => form([at, K], 0), expected: ROWS },
  { name: "hvp", of: "", run: (form, at) => form([[at, K], 0], [1, 1]), expected: [0, 2] },
];

/** A sign of 0 is that of a slope. */
const unsigned = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(unsigned) : Number(value) + 0;

describe.each(["static", "delta"])("%s", (engine) => {
  const options = engine === "delta" ? `, { engine: "delta" }` : "";
  const parameters = "(xs: number[], z: number)";
  describe.each(Object.keys(SLOPES))("%s", (slope) => {
    const { v = "", at = 0 } = SLOPES[slope] ?? {};
    const lines = Object.values(CODE).map(
      (code, i) => `function f${i}${parameters}: number { const k = xs[1]!; ${code(v)} }
const f${i}P = ${parameters}: number[] => [f${i}(xs, z), xs[1]!];
${FORMS.map(({ name, of }, j) => `export const r${i}_${j} = ${name}(f${i}${of}${options});`).join("\n")}`,
    );
    const { exports } = built(
      `import { grad, vjp, jvp, jacrev, jacfwd, hvp } from "tsgrad";\n${HELPERS}${lines.join("\n")}`,
    );
    it.each(Object.keys(CODE).map((kind, i) => [kind, i] as const))("%s", (_kind, i) => {
      const found = FORMS.map(({ name, run }) => {
        const form = exports[`r${i}_${FORMS.findIndex((one) => one.name === name)}`];
        const call: Call = (...args) =>
          typeof form === "function" ? Reflect.apply(form, undefined, args) : "no function";
        return [name, unsigned(run(call, at))];
      });
      expect(found).toEqual(FORMS.map(({ name, expected }) => [name, expected]));
    });
  });
});

// d/dz of z / (2 sqrt(x)) at x = 0: a multiple of z that only a zero test reads has a tangent
const MULTIPLES = ["z * v", "v * 2 * z", "v * (z + z)", "(v * z) / 3", "-v * z * k"];

it.each(["static", "delta"])("a factor that moves away from 0, %s", (engine) => {
  const { exports } = built(
    `import { hvp } from "tsgrad";\n${MULTIPLES.map(
      (code, i) =>
        `function f${i}(xs: number[]): number { const k = xs[1]!, z = xs[2]!, v = Math.sqrt(xs[0]!); return ${code} + k * k; }
export const h${i} = hvp(f${i}, { engine: "${engine}" });`,
    ).join("\n")}`,
  );
  const slopes = MULTIPLES.map((_, i) => {
    const form = exports[`h${i}`];
    return typeof form === "function"
      ? part(Reflect.apply(form, undefined, [[[0, K, 0]], [0, 0, 1]]), 0)
      : null;
  });
  expect(slopes).toEqual(MULTIPLES.map((code) => (code.startsWith("-") ? -Infinity : Infinity)));
});
