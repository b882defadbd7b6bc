// A value that does not count has derivative 0, whatever its slope: Infinity, NaN, or that of a
// missing element. In: kinds of code that drop a value, slopes, forms, engines. Oracle: the
// derivative of the other summand, `k²`, alone.

import { describe, expect, it } from "vitest";
import { built } from "../nested/compiled.ts";

/** A number `v` of `xs[0]`, whose slope is not finite at `at`. */
const SLOPES: Readonly<Record<string, { readonly v: string; readonly at: number }>> = {
  "root of 0": { v: "Math.sqrt(xs[0]!)", at: 0 },
  "root of a square": { v: "Math.sqrt(xs[0]! * xs[0]!)", at: 0 },
  "reciprocal of 0": { v: "1 / xs[0]!", at: 0 },
  "logarithm of 0": { v: "Math.log(xs[0]!)", at: 0 },
  "fractional power of 0": { v: "xs[0]! ** 0.75", at: 0 },
  "arc cosine of 1": { v: "Math.acos(xs[0]!)", at: 1 },
  "exponential that overflows": { v: "Math.exp(xs[0]!)", at: 1000 },
  "logarithm of a negative number": { v: "Math.log(xs[0]!)", at: -1 },
  "square of NaN": { v: "xs[0]! * xs[0]!", at: NaN },
  "sine of infinity": { v: "Math.sin(xs[0]!)", at: Infinity },
  "missing element": { v: "xs[0]! * xs[7]!", at: 2 },
};

/** Code in which `v` does not count: `k² ` is the value. `c` is 1. */
const CODE: Readonly<Record<string, (v: string) => string>> = {
  choice: (v) => `const v = ${v}; return k * k + (c < 0 ? v : 0);`,
  branch: (v) => `const v = ${v}; let s = k * k; if (c < 0) s += v * 2; return s;`,
  join: (v) => `let r = k; if (c > 0) r = ${v}; return c < 0 ? r : k * k;`,
  "joined by a loop": (v) =>
    `let r = k; for (let i = 0; i < 2; i++) r = ${v} + i; return c < 0 ? r : k * k;`,
  element: (v) =>
    `const e = [k, k].map((y, i) => (i > 0 ? y : ${v})); let s = 0; for (let i = 0; i < e.length; i++) if (i !== c - 1) s += e[i]! * k; return s;`,
  "element that is overwritten": (v) =>
    `const e = [k, k]; e[0] = ${v}; e[0] = k; return e[0]! * e[1]!;`,
  "element of a constant index": (v) => `const e = [${v}, k * k]; return e[c]!;`,
  tuple: (v) => `const e: [number, number] = [${v}, k]; return e[1] * k;`,
  field: (v) => `const o = { v: ${v}, k }; const p = c < 0 ? o.v : o.k; return p * k;`,
  "field of one in a list": (v) =>
    `const o = [{ v: ${v}, k }]; let s = 0; for (const { v, k } of o) s += c < 0 ? v : k * k; return s;`,
  Map: (v) => `const m = new Map([["v", ${v}], ["k", k]]); return m.get(c < 0 ? "v" : "k")! * k;`,
  closure: (v) =>
    `const v = ${v}; const g = (y: number): number => (c < 0 ? v * y : y); return g(k) * k;`,
  callee: (v) => `return k * later(${v}, k, c);`,
  "result of a callee": (v) => `const r = down(${v}, 3); return c < 0 ? r : k * k;`,
  "element of a callee's list": (v) => `const e = listed(${v}, k, 2); return e[1]! * k;`,
};

const HELPERS = `
function later(v: number, k: number, n: number): number { return n > 5 ? v : n > 3 ? k : later(v * 0.5, k, n + 1); }
function down(v: number, n: number): number { return n <= 0 ? v : down(v * 0.5, n - 1) + v; }
function listed(v: number, k: number, n: number): number[] { return n <= 0 ? [] : [v, k, ...listed(v, k, n - 2)]; }
`;

const K = 3;

interface Form {
  readonly name: string;
  /** Suffix of the function that it is applied to. */
  readonly of: string;
  readonly run: (form: Call, at: number) => unknown;
  readonly expected: unknown;
}
type Call = (...args: readonly unknown[]) => unknown;

const pullback = (form: Call, at: number, seed: unknown): unknown => {
  const pair = form([at, K], 1);
  const back: unknown = Array.isArray(pair) ? pair[1] : null;
  return typeof back === "function" ? part(Reflect.apply(back, null, [seed]), 0) : null;
};

const FORMS: readonly Form[] = [
  { name: "grad", of: "", run: (form, at) => form([at, K], 1), expected: [0, 2 * K] },
  { name: "vjp", of: "", run: (form, at) => pullback(form, at, 1), expected: [0, 2 * K] },
  { name: "vjp", of: "", run: (form, at) => pullback(form, at, 0), expected: [0, 0] },
  {
    name: "jvp",
    of: "",
    run: (form, at) => part(form([[at, K], 1], [[1, 1], 0]), 1),
    expected: 2 * K,
  },
  {
    name: "jacrev",
    of: "P",
    run: (form, at) => form([at, K], 1),
    expected: [
      [0, 2 * K],
      [0, 1],
    ],
  },
  {
    name: "jacfwd",
    of: "P",
    run: (form, at) => form([at, K], 1),
    expected: [
      [0, 2 * K],
      [0, 1],
    ],
  },
  { name: "hvp", of: "", run: (form, at) => form([[at, K], 1], [1, 1]), expected: [0, 2] },
];

const part = (value: unknown, i: number): unknown => (Array.isArray(value) ? value[i] : undefined);

const PARAMS = "(xs: number[], c: number)";

type Engine = "static" | "delta";

/** The Delta engine records first derivatives only. */
const formsOf = (engine: Engine): readonly Form[] =>
  FORMS.filter(({ name }) => engine === "static" || name !== "hvp");

function textOf(slope: string, engine: Engine): string {
  const { v = "" } = SLOPES[slope] ?? {};
  const options = engine === "delta" ? `, { engine: "delta" }` : "";
  const lines = Object.values(CODE).map((code, i) => {
    const forms = formsOf(engine).map(
      ({ name, of }, j) => `export const r${i}_${j} = ${name}(f${i}${of}${options});`,
    );
    return `function f${i}${PARAMS}: number { const k = xs[1]!; ${code(v)} }
const f${i}P = ${PARAMS}: number[] => [f${i}(xs, c), xs[1]!];
${forms.join("\n")}`;
  });
  return `import { grad, vjp, jvp, jacrev, jacfwd, hvp } from "tsgrad";\n${HELPERS}${lines.join("\n")}`;
}

const called = (form: unknown, run: Form["run"], at: number): unknown =>
  typeof form === "function"
    ? run((...args) => Reflect.apply(form, undefined, args), at)
    : "no function";

describe.each(Object.keys(SLOPES))("%s", (slope) => {
  describe.each<Engine>(["static", "delta"])("%s", (engine) => {
    const { exports } = built(textOf(slope, engine));
    it.each(Object.keys(CODE).map((kind, i) => [kind, i] as const))("%s", (_, i) => {
      const at = SLOPES[slope]?.at ?? 0;
      const found = formsOf(engine).map(({ name, run }, j) => [
        name,
        called(exports[`r${i}_${j}`], run, at),
      ]);
      expect(found).toEqual(formsOf(engine).map(({ name, expected }) => [name, expected]));
    });
  });
});
