// Forms inside of differentiated functions, of functions that a constant holds. In: ways to make
// one, each of 2 x³ by a call, a choice or a table. Oracle: closed forms. Whichever engine knows
// the function takes it.

import { describe, expect, test } from "vitest";
import { built } from "./compiled.ts";

/** Declarations of `f`. */
const WAYS: Readonly<Record<string, string>> = {
  "curried arrow": "const make = (k: number) => (x: number) => k * x ** 3; const f = make(2);",
  "curried twice":
    "const make = (k: number) => (n: number) => (x: number) => k * x ** n; const f = make(2)(3);",
  "a table that a loop fills":
    "function make(n: number) { const t: number[] = []; for (let i = 0; i <= n; i++) t.push(i === n ? 2 : 0); return (x: number): number => { let s = 0; for (let i = 0; i < t.length; i++) s += t[i]! * x ** i; return s; }; } const f = make(3);",
  "a typed array that a loop fills":
    "function make() { const t = new Float64Array(4); for (let i = 0; i < 4; i++) t[i] = i < 3 ? 0 : 2; return function poly(x: number): number { return t[3]! * x * x * x; }; } const f = make();",
  "a function called at once":
    "const f = (() => { const c = [0, 2]; return (x: number) => c[1]! * x ** 3; })();",
  composition:
    "type F = (x: number) => number; const compose = (g: F, h: F): F => (x) => g(h(x)); const f = compose((v) => 2 * v, (v) => v ** 3);",
  pipe: "type F = (x: number) => number; const pipe = (...fs: F[]): F => (x) => fs.reduce((v, g) => g(v), x); const f = pipe((v) => v ** 3, (v) => 2 * v);",
  bind: "const g = (k: number, x: number): number => k * x ** 3; const f: (x: number) => number = g.bind(null, 2);",
  "a choice of the factory":
    'const make = (kind: "a" | "b") => (kind === "a" ? (x: number) => x : (x: number) => 2 * x ** 3); const f = make("b");',
  "a field of what a factory makes":
    "function make(k: number) { let calls = 0; return { cube: (x: number) => { calls++; return k * x ** 3; }, calls: () => calls }; } const m = make(2); const f = m.cube;",
  "a pattern":
    "const make = (k: number) => ({ cube: (x: number) => k * x ** 3 }); const { cube: f } = make(2);",
  "an element of a tuple":
    "const make = (k: number): [(x: number) => number, number] => [(x) => k * x ** 3, k]; const [f] = make(2);",
  "a method that gives a function":
    "class Poly { constructor(readonly k: number) {} fn() { return (x: number) => this.k * x ** 3; } } const f = new Poly(2).fn();",
  "a table of functions":
    'const table: Record<string, F> = {}; table["cube"] = (x) => 2 * x ** 3; const f = table["cube"]!;\ntype F = (x: number) => number;',
  "a variable":
    "let f: (x: number) => number = (x) => 2 * x ** 3; export const set = (g: typeof f): void => { f = g; };",
};

/** Calls at 3, of f(x) = 2 x³. */
const FORMS: Readonly<Record<string, readonly [call: string, expected: number]>> = {
  grad: ["grad(f)(3)", 54],
  jvp: ["jvp(f)([3], [1])[1]", 54],
  vjp: ["vjp(f)(3)[1](1)[0]", 54],
  linearize: ["linearize(f)(3)[1].apply([1])", 54],
  jacfwd: ["jacfwd(f)(3)", 54],
  jacrev: ["jacrev(f)(3)", 54],
  hessian: ["hessian(f)(3)", 36],
  hvp: ["hvp(f)([3], 1)", 36],
  vmap: ["vmap(f)([3])[0] ?? NaN", 54],
  "grad of vmap": ["grad((x: number) => vmap(f)([x, 1])[0] ?? NaN)(3)", 54],
  "third order": ["grad(grad(grad(f)))(3)", 12],
  "grad of grad": ["grad((x: number) => grad(f)(x))(3)", 36],
  "grad of x times grad": ["grad((x: number) => x * grad(f)(x))(3)", 162],
  "jvp of grad": ["jvp((x: number) => grad(f)(x))([3], [1])[1]", 36],
  "grad of jvp": ["grad((x: number) => jvp(f)([x], [1])[1])(3)", 36],
  "grad of vjp": ["grad((x: number) => vjp(f)(x)[1](1)[0])(3)", 36],
  "grad of valueAndGrad": ["grad((x: number) => valueAndGrad(f)(x)[1])(3)", 36],
  "grad of hessian": ["grad((x: number) => hessian(f)(x))(3)", 12],
  "grad of hvp": ["grad((x: number) => hvp(f)([x], 1))(3)", 12],
  "hessian of grad": ["hessian((x: number) => grad(f)(x))(3)", 12],
  "hvp of grad": ["hvp((x: number) => grad(f)(x))([3], 1)", 12],
  "grad of checkpoint": ["grad((x: number) => checkpoint(f)(x))(3)", 54],
  "hessian of checkpoint": ["hessian((x: number) => checkpoint(f)(x))(3)", 36],
  "grad of a rule": [
    "grad((x: number) => customVjp(f, (v: number): [number, (ybar: number) => [number]] => [f(v), (ybar) => [ybar * 6 * v * v]])(x))(3)",
    54,
  ],
};

const NAMES =
  "checkpoint, customVjp, grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, valueAndGrad, vjp, vmap";

const calls = Object.values(FORMS).map(([call]) => call);

/** The calls, as functions of a module that begins with these declarations. */
function runsOf(declarations: string, wanted: readonly string[]): readonly (() => number)[] {
  const { exports } = built(
    `import { ${NAMES} } from "tsgrad";\n${declarations}\nexport const runs: (() => number)[] = [${wanted.map((call) => `() => ${call}`).join(", ")}];\n`,
  );
  return exports["runs"] as (() => number)[];
}

describe.each(Object.entries(WAYS))("%s", (_, way) => {
  const runs = runsOf(way, calls);

  test.each(Object.entries(FORMS).map(([form, [, expected]], k) => [form, expected, k] as const))(
    "%s",
    (_form, expected, k) => {
      const run = runs[k] ?? (() => NaN);
      for (const found of [run(), run()]) expect(found).toBeCloseTo(expected, 9);
    },
  );
});

const MEMO = `function memo(g: (x: number) => number) {
  const seen = new Map<number, number>();
  return (x: number): number => {
    const known = seen.get(x);
    if (known !== undefined) return known;
    const y = g(x);
    seen.set(x, y);
    return y;
  };
}
const f = memo((x) => 2 * x ** 3);`;

/** A cache holds a number, not how it came about: a later call says so. A rule does not ask. */
test.each([...calls.filter((call) => !/customVjp|vmap/u.test(call))])("memo: %s", (call) => {
  const [run = () => NaN] = runsOf(MEMO, [call]);
  expect(() => [run(), run()]).toThrow("TSG0015");
});
