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
    const [run, state] = runs[k]!;
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
