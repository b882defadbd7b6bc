// Variables of a module and static fields that a differentiated function assigns: counters, seeds,
// modes. In: ways to declare and to assign one. Oracles: closed forms, and the state that the plain
// function leaves. Numbers that do not depend on the argument are the static engine's; others are
// right by Delta.

import { describe, expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

interface Place {
  /** Code around the function. */
  readonly around: readonly [string, string];
  readonly state: string;
  /** Whether the static engine may leave it to Delta. */
  readonly isForDelta?: true;
}

/** Places of a number that starts at 1. */
const PLACES: Readonly<Record<string, (k: number) => Place>> = {
  let: (k) => ({ around: [`let s${k} = 1;`, ""], state: `s${k}` }),
  var: (k) => ({ around: [`var s${k} = 1;`, ""], state: `s${k}` }),
  "export let": (k) => ({ around: [`export let s${k} = 1;`, ""], state: `s${k}` }),
  "let of a namespace": (k) => ({
    around: [`namespace N${k} { export let s = 1; `, "}"],
    state: "s",
    isForDelta: true,
  }),
  "let of a block": (k) => ({ around: [`{ let s = ${k} - ${k - 1};`, "}"], state: "s" }),
  "static field": (k) => ({ around: [`class C${k} { static s = 1; }`, ""], state: `C${k}.s` }),
  "static field, inherited": (k) => ({
    around: [`class B${k} { static s = 1; } class C${k} extends B${k} {}`, ""],
    state: `B${k}.s`,
  }),
  "static field by a class expression": (k) => ({
    around: [`const C${k} = class { static s = 1; };`, ""],
    state: `C${k}.s`,
  }),
};

const WAYS: readonly ((state: string) => string)[] = [
  (s) => `${s}++;`,
  (s) => `++${s};`,
  (s) => `${s} += 1;`,
  (s) => `${s} = ${s} + 1;`,
  (s) => `${s} = x < 0 ? 7 : ${s} + Math.sign(2);`,
  (s) => `const step = 1; ${s} = step + ${s};`,
  (s) => `${s} &&= ${s} + 1;`,
  (s) => `if (x > -1e9) ${s}++;`,
  (s) => `(() => { ${s}++; })();`,
];

/** f(x) = n x², where n is the state after the assignment. */
const BODIES: Readonly<Record<string, (way: string, state: string) => string>> = {
  "read after": (way, s) => `${way} return ${s} * x * x;`,
  "read before and after": (way, s) =>
    `const before = ${s}; ${way} return (${s} - before) * ${s} * x * x;`,
  "in a loop": (way, s) =>
    `let t = 0; for (let i = 0; i < 3; i++) { t += x * x; if (i === 1) { ${way} } } return (t / 3) * ${s};`,
};

const FORMS: Readonly<Record<string, readonly [(f: string) => string, (n: number) => number]>> = {
  grad: [(f) => `grad(${f})(3)`, (n) => 6 * n],
  jvp: [(f) => `jvp(${f})([3], [1])[1]`, (n) => 6 * n],
  vjp: [(f) => `vjp(${f})(3)[1](1)[0]`, (n) => 6 * n],
  hvp: [(f) => `hvp(${f})([3], 1)`, (n) => 2 * n],
  hessian: [(f) => `hessian(${f})(3)`, (n) => 2 * n],
};

const CASES = Object.entries(BODIES).flatMap(([body, write]) =>
  WAYS.flatMap((way) =>
    Object.entries(FORMS).map(([form, [call, expected]]) => ({
      name: `${way("s")} ${body}, ${form}`,
      write: (state: string) => write(way(state), state),
      call,
      expected,
    })),
  ),
);

describe.each(Object.entries(PLACES))("%s", (_, place) => {
  const made = CASES.map(({ write, call }, k) => {
    const { around, state } = place(k + 1);
    return `${around[0]}\nconst f = (x: number): number => { ${write(state)} };\nruns.push([() => ${call("f")}, () => ${state}]);\n${around[1]}`.replaceAll(
      /\bf\b/gu,
      around[1] === "" ? `f${k}` : "f",
    );
  });
  const { exports, text } = built(
    `import { grad, hessian, hvp, jvp, vjp } from "tsgrad";\nexport const runs: [() => unknown, () => number][] = [];\n${made.join("\n")}\n`,
  );
  const runs = exports["runs"] as [() => unknown, () => number][];

  test.each(CASES.map((one, k) => ({ ...one, k })))("$name", ({ expected, k }) => {
    const [run, state] = runs[k] ?? [() => NaN, () => NaN];
    for (const n of [2, 3]) {
      expect(Number(run())).toBeCloseTo(expected(n), 10);
      expect(state()).toBe(n);
    }
  });

  test("the static engine does it", () => {
    if (place(1).isForDelta !== true) expect(text).not.toContain("$d.");
  });
});

/** Numbers that depend on the argument: f(x) is 2 x², but for the last. */
const ACTIVE: readonly string[] = [
  "s = x; return 2 * s * x;",
  "s = 0; for (let i = 0; i < 2; i++) s += x; return s * x;",
  "s = x * x; return s + g(x);",
  "set(x); return 2 * s * x;",
  "C.s = x; return 2 * C.s * x;",
];

describe("numbers that depend on the argument", () => {
  const { exports } = built(
    `import { grad, hvp, jvp } from "tsgrad";\nlet s = 1;\nclass C { static s = 1; }\nconst set = (v: number): void => { s = v; };\nconst g = (x: number): number => s + 0 * x;\n${ACTIVE.map((code, k) => `const f${k} = (x: number): number => { ${code} };\nexport const d${k} = (): unknown[] => [grad(f${k})(3), jvp(f${k})([3], [1])[1], hvp(f${k})([3], 1)];`).join("\n")}\n`,
  );

  test.each(ACTIVE.map((code, k): [string, number] => [code, k]))("%s", (_, k) => {
    const run = exports[`d${k}`] as () => number[];
    for (const found of [run(), run()]) expect(found).toEqual([12, 12, 4]);
  });
});

/** Functions that call others which assign the variables. */
const CALLS: Readonly<Record<string, string>> = {
  "two draws of one expression": "x * (random() - random())",
  "a draw that nobody uses": "(random(), x * random())",
  "draws in a loop":
    "{ let t = 0; for (let i = 0; i < 4; i++) { random(); t += x * x * random(); } return t; }",
  "recursion, read before and after":
    "{ const before = n; const y = deep(x, 5); return y * (n - before); }",
  "recomputed by a checkpoint": "again(x) * again(x + 1) * n",
  "a while loop":
    "{ let t = x; while (t < 100 && n < 40) { n += 2; t = t * 1.5 + n; } return t * n; }",
  callbacks: "[x, 2 * x].map((v) => { n++; return v * n; }).reduce((p, q) => p + q * random(), 0)",
  "a branch that throws": "x > 0 ? x * random() : fail()",
};

describe("calls of functions that assign", () => {
  const { exports, text } = built(
    `import { checkpoint, grad, hvp, jvp, vjp } from "tsgrad";
let seed = 42;
let n = 0;
export const reset = (): void => { seed = 42; n = 0; };
export const left = (): number[] => [seed, n];
const random = (): number => { seed = (seed * 16807) % 2147483647; return seed / 2147483647; };
const fail = (): never => { n++; throw new Error("no"); };
function deep(x: number, k: number): number { n++; if (k <= 0) return x * n; return deep(x * 1.1, k - 1) + deep(x, k - 2) * n; }
const again = checkpoint((u: number): number => { n++; return u * u * random(); });
${Object.values(CALLS)
  .map(
    (code, k) =>
      `export const f${k} = (x: number): number => ${code};\nexport const d${k} = [(x: number): unknown => grad(f${k})(x), (x: number): unknown => jvp(f${k})([x], [1])[1], (x: number): unknown => vjp(f${k})(x)[1](1)[0], (x: number): unknown => hvp(f${k})([x], 1)];`,
  )
  .join("\n")}\n`,
  );
  const { reset, left } = exports as { reset: () => void; left: () => number[] };

  test.each(Object.keys(CALLS).map((name, k): [string, number] => [name, k]))("%s", (_, k) => {
    const f = exports[`f${k}`] as (x: number) => number;
    const at = (x: number): number => {
      reset();
      return f(x);
    };
    const h = 1e-3; // the functions are polynomials of degree 4 at most
    const slope = (8 * (at(2 + h) - at(2 - h)) - (at(2 + 2 * h) - at(2 - 2 * h))) / (12 * h);
    const curve = (at(2 + h) - 2 * at(2) + at(2 - h)) / (h * h);
    at(2);
    const expected = left();
    for (const [order, run] of (exports[`d${k}`] as ((x: number) => unknown)[]).entries()) {
      reset();
      const found = Number(run(2));
      const exact = order < 3 ? slope : curve;
      // rounding of the differences, for values up to 1e7
      expect(Math.abs(found - exact) / Math.max(1, Math.abs(exact))).toBeLessThan(1e-5);
      expect(left()).toEqual(expected);
    }
  });

  test("the static engine does it", () => {
    expect(text).not.toContain("$d.");
  });
});
