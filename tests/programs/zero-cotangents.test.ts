// A value that does not count has derivative 0, whatever its slope: Infinity, NaN, or that of a
// missing element. In: kinds of code that drop a value, slopes, forms, engines. Oracle: the
// derivative of the other summand, `k²`, alone.

import { describe, expect, it } from "vitest";
import { sampled } from "../breadth.ts";
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
};

/** Kinds of code in which a choice, not memory, drops `v`: there overflow counts, too. */
const CHOOSING = ["choice", "branch", "join", "tuple", "closure"];

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

function textOf(slope: string, engine: Engine): string {
  const { v = "" } = SLOPES[slope] ?? {};
  const options = engine === "delta" ? `, { engine: "delta" }` : "";
  const lines = Object.values(CODE).map((code, i) => {
    const forms = FORMS.map(
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

const chosen = Object.keys(SLOPES).filter((slope) => sampled(slope, 3));

describe.each(chosen)("%s", (slope) => {
  describe.each<Engine>(["static", "delta"])("%s", (engine) => {
    const { exports } = built(textOf(slope, engine));
    const kinds = Object.keys(CODE).map((kind, i) => [kind, i] as const);
    const isOverflow = slope.endsWith("overflows");
    it.each(kinds.filter(([kind]) => !isOverflow || CHOOSING.includes(kind)))("%s", (_, i) => {
      const at = SLOPES[slope]?.at ?? 0;
      const found = FORMS.map(({ name, run }, j) => [name, called(exports[`r${i}_${j}`], run, at)]);
      expect(found).toEqual(FORMS.map(({ name, expected }) => [name, expected]));
    });
  });
});

/** Tests that NaN fails. */
const TESTS = [
  "v === v",
  "!(v !== v)",
  "!isNaN(v)",
  "!Number.isNaN(v)",
  "isFinite(v)",
  "Number.isFinite(v)",
  "v < Infinity",
  "v > -Infinity",
];
/** Code over `xs` that leaves out what fails a test of `v`, which is `3 x²` of an element. */
const SKIPPING: readonly ((test: string) => string)[] = [
  (test) => `for (const x of xs) { const v = 3 * x * x; if (${test}) s += v; }`,
  (test) => `for (const x of xs) { const v = 3 * x * x; if (!(${test})) continue; s += v; }`,
  (test) => `for (const x of xs) { const v = 3 * x * x; s += ${test} ? v : 0; }`,
  (test) => `const vs = xs.map((x) => 3 * x * x); for (const v of vs) if (${test}) s += v;`,
];

describe.each<Engine>(["static", "delta"])("numbers that are skipped as NaN: %s", (engine) => {
  const options = engine === "delta" ? `, { engine: "delta" }` : "";
  const programs = TESTS.flatMap((test) => SKIPPING.map((code) => code(test)));
  const lines = programs.map(
    (code, i) =>
      `export const r${i} = grad((xs: number[]): number => { let s = 0; ${code} return s; }${options});`,
  );
  const { exports } = built(`import { grad } from "tsgrad";\n${lines.join("\n")}`);
  it.each(programs.map((code, i) => [code, i] as const))("%s", (_, i) => {
    expect(called(exports[`r${i}`], (form) => form([2, NaN, 5]), 0)).toEqual([12, 0, 30]);
  });
});

/** Numbers with an infinite slope by `x` at 0. */
const STEEP = [
  "Math.sqrt(x)",
  "Math.log(x)",
  "1 / x",
  "x ** 0.75",
  "Math.cbrt(x)",
  "Math.log1p(x - 1)",
];

describe.each<Engine>(["static", "delta"])("seeds and tangents of 0: %s", (engine) => {
  const options = engine === "delta" ? `, { engine: "delta" }` : "";
  const lines = STEEP.map(
    (v, i) => `const p${i} = (x: number, y: number): number[] => [${v}, y * y];
const l${i} = ([x = 0, y = 0]: number[]): number[] => [${v}, y * y];
const s${i} = (x: number, y: number): number => ${v} + y * y;
export const r${i} = [vjp(p${i}${options}), jvp(p${i}${options}), jvp(s${i}${options}), jacrev(l${i}${options}), jacfwd(l${i}${options}), vjp(s${i}${options})];`,
  );
  const { exports } = built(
    `import { vjp, jvp, jacrev, jacfwd } from "tsgrad";\n${lines.join("\n")}`,
  );
  it.each(STEEP.map((v, i) => [v, i] as const))("%s", (_, i) => {
    const forms = exports[`r${i}`];
    const run = (k: number, ...args: readonly unknown[]): unknown => {
      const form: unknown = part(forms, k);
      return typeof form === "function" ? Reflect.apply(form, undefined, args) : null;
    };
    const pulled = (k: number, seed: unknown): unknown => {
      const back = part(run(k, 0, 3), 1);
      return typeof back === "function" ? Reflect.apply(back, undefined, [seed]) : null;
    };
    expect(pulled(0, [0, 1])).toEqual([0, 6]);
    expect(part(run(1, [0, 3], [0, 1]), 1)).toEqual([0, 6]);
    expect(part(run(2, [0, 3], [0, 1]), 1)).toBe(6);
    expect(part(run(3, [0, 3]), 1)).toEqual([0, 6]);
    expect(part(run(4, [0, 3]), 1)).toEqual([0, 6]);
    expect(pulled(5, 0)).toEqual([0, 0]);
  });
});

/** Numbers whose first or second derivatives by `x` are not finite at x = 0. */
const WITHOUT_TANGENT = [
  ...STEEP,
  "Math.acosh(x + 1)",
  "Math.asin(x + 1)",
  "Math.sqrt(x * x)",
  "Math.log(x - 1)",
  "Math.sqrt(x - 1)",
  "Math.exp(x + 1000)",
  "y / x",
  "y * y / x",
  "y / x / x",
  "y / (x * x)",
  "(1 / x) ** 2",
  "Math.sqrt(x) * y",
  "Math.log(x) * y * y",
  "Math.exp(y) / Math.sqrt(x)",
  "1 / (x * y)",
  "1 / (1 - Math.cos(x))",
];

/** A sign of 0 is that of a slope. */
const unsigned = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(unsigned) : Number(value) + 0;

// A direction in which nothing moves has no derivative; one in which y moves has that by y alone.
describe.each<Engine>(["static", "delta"])("directions of 0: %s", (engine) => {
  const options = engine === "delta" ? `, engine: "delta"` : "";
  const forward = engine === "delta" ? `, { engine: "delta" }` : "";
  const lines = WITHOUT_TANGENT.map(
    (v, i) => `const f${i} = (x: number, y: number): number => (${v}) + y * y;
export const r${i} = [jvp(f${i}${forward}), hvp(f${i}, { argnums: [0, 1]${options} } as const), jvp((y: number) => f${i}(0, y)${forward})];`,
  );
  const { exports } = built(`import { hvp, jvp } from "tsgrad";
${lines.join("\n")}`);
  it.each(WITHOUT_TANGENT.map((v, i) => [v, i] as const))("%s", (v, i) => {
    const forms = exports[`r${i}`];
    const run = (k: number, ...args: readonly unknown[]): unknown =>
      called(part(forms, k), (form) => form(...args), 0);
    expect(part(run(0, [0, 3], [0, 0]), 1)).toBe(0);
    expect(unsigned(run(1, [0, 3], [0, 0]))).toEqual([0, 0]);
    // what y contributes does not depend on whether x is an argument
    const alone = part(run(2, [3], [1]), 1);
    expect(part(run(0, [0, 3], [0, 1]), 1)).toBe(alone);
    if (!v.includes("y")) expect(unsigned(run(1, [0, 3], [0, 1]))).toEqual([0, 2]);
  });
});

/** Numbers whose slope is not finite at x = 0 by what is computed before, or since xs is short. */
const INDIRECT = [
  "y / x",
  "Math.log(x) * y",
  "Math.exp(x + 1000)",
  "Math.exp(x + 1000) * y",
  "x ** -1 * x ** -1",
  "(1 / x) ** 2",
  "Math.sin(1 / x)",
  "Math.hypot(1 / x, y)",
  "Math.tan(1 / x)",
  "(y / x) * (y / x)",
  "Math.sin(y / x)",
  "y / x / x",
  "x / (x * x + 0 * y)",
  "(x * y) / (x * x)",
  "x / x",
  "xs[7]!",
  "xs[7]! * x",
  "Math.sin(xs[7]!) * x",
].filter((v) => sampled(v, 3));

/** Code whose first number is `v`, and whose second one is `y²`. */
const LISTS: Readonly<Record<string, (v: string) => string>> = {
  list: (v) => `return [${v}, y * y];`,
  "last in a list": (v) => `return [y * y, ${v}].reverse();`,
  "made by map": (v) => `return [0, 1].map((i) => (i < 1 ? ${v} : y * y));`,
  "stored by a loop": (v) =>
    `const r = [0, 0]; for (let i = 0; i < 2; i++) { const v = ${v}; r[i] = i < 1 ? v : y * y; } return r;`,
};

describe.each<Engine>(["static", "delta"])("seeds of 0 that a user gives: %s", (engine) => {
  const options = engine === "delta" ? `, { engine: "delta" }` : "";
  const kinds = Object.values(LISTS);
  const lines = INDIRECT.map(
    (v, i) => `const s${i} = (x: number, y: number, xs: number[] = [1]): number => ${v} + y;
const t${i} = (x: number, y: number, xs: number[]): number => ${v} + y;
${kinds.map((code, k) => `const p${i}_${k} = (x: number, y: number, xs: number[]): number[] => { ${code(v)} };`).join("\n")}
${kinds.map((code, k) => `const l${i}_${k} = (z: number[]): number[] => { const x = z[0]!, y = z[1]!, xs = [x]; ${code(v)} };`).join("\n")}
export const r${i} = [[vjp(s${i}${options}), vjp(t${i}${options})], [${kinds.map((_, k) => `vjp(p${i}_${k}${options})`).join()}], [${kinds.map((_, k) => `jacrev(l${i}_${k}${options})`).join()}]];`,
  );
  const { exports } = built(`import { vjp, jacrev } from "tsgrad";\n${lines.join("\n")}`);
  it.each(INDIRECT.map((v, i) => [v, i] as const))("%s", (_, i) => {
    const pulled = (form: unknown, seed: unknown): unknown => {
      const back = part(
        called(form, (run) => run(0, 3, [1]), 0),
        1,
      );
      return typeof back === "function" ? unsigned(Reflect.apply(back, undefined, [seed])) : null;
    };
    const [scalars, lists, rows] = [0, 1, 2].map((k): readonly unknown[] => {
      const forms = part(exports[`r${i}`], k);
      return Array.isArray(forms) ? forms : [];
    });
    expect(scalars?.map((form) => pulled(form, 0))).toEqual([1, 2].map(() => [0, 0, [0]]));
    const names = Object.keys(LISTS);
    expect(lists?.map((form, k) => [names[k], pulled(form, [0, 1])])).toEqual(
      names.map((name) => [name, [0, 6, [0]]]),
    );
    expect(
      rows?.map((form) =>
        unsigned(
          part(
            called(form, (run) => run([0, 3]), 0),
            1,
          ),
        ),
      ),
    ).toEqual(names.map(() => [0, 6]));
  });
});

it("a factor of 0 hides an infinite slope of a finite number", () => {
  const { exports } = built(`import { grad, vjp } from "tsgrad";
export const f = grad((w: number, x: number): number => w * Math.sqrt(x), { argnums: [0, 1] });
export const g = grad((ws: number[], xs: number[]): number => { let s = 0; for (let i = 0; i < ws.length; i++) s += ws[i]! * Math.acos(xs[i]!); return s; }, { argnums: [1] });`);
  expect(called(exports["f"], (form) => form(0, 0), 0)).toEqual([0, 0]);
  expect(called(exports["g"], (form) => form([0, 1], [1, 0]), 0)).toEqual([[0, -1]]);
});

it("an operand that an extremum leaves out counts as dropped", () => {
  const { exports } = built(`import { grad } from "tsgrad";
export const f = grad((x: number): number => Math.min(Math.sqrt(x * x) + 10, 5) + x);
export const g = grad((x: number): number => Math.max(Math.sqrt(x * x) - 10, 5) + x);`);
  expect(called(exports["f"], (form) => form(0), 0)).toBe(1);
  expect(called(exports["g"], (form) => form(0), 0)).toBe(1);
});
