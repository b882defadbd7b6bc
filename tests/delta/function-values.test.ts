// Functions that rewritten code meets as values, and does not name. In: small modules. Out: gradients, against closed forms; what no name leads to is refused when it is called.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, typeErrors } from "../program.ts";
import { loader } from "../programs/modules.ts";

const HEAD =
  'import { grad, jvp, valueAndGrad } from "tsgrad";\nimport { type Stage, square } from "./b.ts";\n' +
  "function run(stages: Stage[], x: number): number { let h = x; for (const s of stages) { try { h = s.g(s.w * h); } finally { void 0; } } return h; }\nconst d = grad(run);\n";
const STAGE =
  "export interface Stage { w: number; g: (x: number) => number }\nexport const square = (x: number): number => x * x;\nexport const table = { cube: (x: number): number => x ** 3 };\n";

function got(module: string): unknown {
  const texts: Readonly<Record<string, string>> = { "a.ts": `${HEAD}${module}\n`, "b.ts": STAGE };
  const { edits, diagnostics } = analyse(programOf(texts));
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const edited = Object.entries(texts).map(([name, text]): [string, string] => [
    `/src/${name}`,
    applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
  ]);
  expect(typeErrors(programOf(Object.fromEntries(edited)))).toEqual([]);
  return loader(new Map(edited))("/src/a.ts")["got"];
}

// the derivative of g(2 w) by w at 0.5 is 2 g'(1)
test.each([
  ["of another module", "export const got = d([{ w: 0.5, g: square }], 2);", 4],
  [
    "written in place in a constant's literal",
    "const net: Stage[] = [{ w: 0.5, g: (x) => x * x * x }];\nexport const got = d(net, 2);",
    6,
  ],
  [
    "a method of a literal",
    "const net: Stage[] = [{ w: 0.5, g(x) { return x * x * this.w; } }];\nexport const got = d(net, 2);",
    0.5 * 4 + 1,
  ],
  [
    "of a table of another module",
    'import { table } from "./b.ts";\nexport const got = d([{ w: 0.5, g: table.cube }], 2);',
    6,
  ],
  [
    "of a function's own",
    "function made(k: number): Stage[] { const own = (x: number): number => k * x * x; return [{ w: 0.5, g: own }]; }\nexport const got = d(made(3), 2);",
    12,
  ],
  [
    "in a literal of a function's own",
    "function made(k: number): Stage[] { const own: Stage[] = [{ w: 0.5, g: (x) => k * x * x }]; return own; }\nexport const got = d(made(3), 2);",
    12,
  ],
])("are linked: %s", (_, module, expected) => {
  expect(got(module)).toEqual([{ w: expected }]);
});

// of functions that know nothing of derivatives, and make what is differentiated within them
test.each([
  [
    "an arrow function",
    "const of = (k: number) => (x: number): number => k * x * x;\nfunction at(k: number, x: number): number { const g = of(k); return grad((x: number) => g(x))(x); }",
    12,
  ],
  [
    "a function expression",
    "function of(k: number): (x: number) => number { return function (x) { return k * x * x; }; }\nfunction at(k: number, x: number): number { const g = of(k); return grad((x: number) => g(x))(x); }",
    12,
  ],
  [
    "of a choice",
    "const of = (k: number): ((x: number) => number) => k > 2 ? (x) => k * x * x : (x) => x;\nfunction at(k: number, x: number): number { const g = of(k); return grad((x: number) => g(x))(x); }",
    12,
  ],
  [
    "a name",
    "const of = (k: number) => { const g = (x: number): number => k * x * x; return g; };\nfunction at(k: number, x: number): number { const g = of(k); return grad((x: number) => g(x) + of(x)(1))(x); }",
    13,
  ],
  [
    "a field",
    "const of = (k: number) => ({ k, g: (x: number): number => k * x * x });\nfunction at(k: number, x: number): number { const m = of(k); return grad((x: number) => m.g(x))(x); }",
    12,
  ],
  [
    "a method",
    "const of = (k: number) => ({ k, g(x: number): number { return this.k * x * x; } });\nfunction at(k: number, x: number): number { const m = of(k); return grad((x: number) => m.g(x))(x); }",
    12,
  ],
  [
    "a counter",
    "function of(k: number) { let calls = 0; return { g: (x: number): number => { calls++; return k * x * x; }, calls: () => calls }; }\nfunction at(k: number, x: number): number { const m = of(k); return grad((x: number) => m.g(x))(x) + m.calls(); }",
    13,
  ],
  [
    "an instance's",
    "class Of { constructor(readonly k: number) {} g(n: number): (x: number) => number { return (x) => this.k * x ** n; } }\nfunction at(k: number, x: number): number { const g = new Of(k).g(2); return grad((x: number) => g(x))(x); }",
    12,
  ],
  [
    "a field of a class",
    "class Of { k = 3; g = (x: number): number => this.k * x * x; static #k = 3; static readonly h = (x: number): number => Of.#k * x; }\nfunction at(_: number, x: number): number { const { g } = new Of(); return grad((x: number) => g(x) + Of.h(x))(x); }",
    15,
  ],
  [
    "elements of a list",
    "const of = (n: number) => Array.from({ length: n }, (_, k) => (x: number): number => k * x ** k);\nfunction at(n: number, x: number): number { const all = of(n); return grad((x: number) => all.reduce((s, g) => s + g(x), 0))(x); }",
    9,
  ],
  [
    "an argument",
    "const slope = (g: (x: number) => number, x: number): number => grad((x: number) => g(x))(x);\nfunction at(k: number, x: number): number { return slope((x) => k * x * x, x); }",
    12,
  ],
  [
    "an argument of a derivative",
    "const twice = grad((g: (x: number) => number, x: number): number => { try { return g(g(x)); } finally { void 0; } }, { argnums: 1 });\nfunction at(k: number, x: number): number { return twice((x) => k * x + x, x) - k; }",
    13,
  ],
  [
    "a default",
    "const slope = (x: number, g: (x: number) => number = (x) => 3 * x * x): number => grad((x: number) => g(x))(x);\nfunction at(_: number, x: number): number { return slope(x); }",
    12,
  ],
])("are linked where a function makes them: %s", (_, module, expected) => {
  expect(got(`${module}\nexport const got = at(3, 2);`)).toBe(expected);
});

test.each([
  [
    "a call",
    "const of = (k: number) => (x: number): number => k * x * x;\nfunction at(k: number, x: number): number { return grad(of(k))(x); }",
  ],
  [
    "a curried call",
    "const of = (k: number) => (n: number) => (x: number): number => k * x ** n;\nfunction at(k: number, x: number): number { return grad(of(k)(2))(x); }",
  ],
  [
    "a const",
    "const of = (k: number) => (x: number): number => k * x * x;\nfunction at(k: number, x: number): number { const g = of(k), slope = grad(g); return slope(x); }",
  ],
  [
    "a parameter",
    "type Of<P> = (p: P) => number;\nfunction slope(g: Of<number[]>, x: number): number { return grad(g)([x])[0] ?? 0; }\nfunction at(k: number, x: number): number { return slope(([v = 0]) => k * v * v, x); }",
  ],
  [
    "of a generic function",
    "const both = <P>(g: (p: P) => number, h: (p: P) => number) => (p: P): number => g(p) + h(p);\nfunction at(k: number, x: number): number { return grad(both((v: number) => k * v * v, (v) => v - v))(x); }",
  ],
  [
    "a field",
    "const of = (k: number) => ({ k, g: (x: number): number => k * x * x });\nfunction at(k: number, x: number): number { const { g } = of(k); return (grad(g)(x) + grad(of(k).g)(x)) / 2; }",
  ],
  [
    "a variable",
    "let g = (x: number): number => x;\nfunction at(k: number, x: number): number { g = (x) => k * x * x; return grad(g)(x); }",
  ],
  [
    "a bound method",
    "class Of { constructor(readonly k: number) {} g(x: number): number { return this.k * x * x; } }\nfunction at(k: number, x: number): number { const of = new Of(k), g = of.g.bind(of); return grad(g)(x); }",
  ],
  [
    "a bound function",
    "const power = (k: number, n: number, x: number): number => k * x ** n;\nfunction at(k: number, x: number): number { return grad(power.bind(null, k, 2))(x); }",
  ],
  [
    "one that calls private functions",
    "class Of { #k = 3; static #power(x: number, n: number): number { return n === 0 ? 1 : x * Of.#power(x, n - 1); } #g(x: number): number { return this.#k * Of.#power(x, 2); } made(): (x: number) => number { return (x) => this.#g(x); } slope(x: number): number { return grad((v: number): number => this.#g(v))(x); } }\nfunction at(_: number, x: number): number { const of = new Of(); return (grad(of.made())(x) + of.slope(x)) / 2; }",
  ],
  [
    "with options",
    "const of = (k: number) => (n: number, x: number): number => k * x ** n;\nfunction at(k: number, x: number): number { return valueAndGrad(of(k), { argnums: 1 })(2, x)[1]; }",
  ],
  [
    "by forward mode",
    "const of = (k: number) => (x: number): number => k * x * x;\nfunction at(k: number, x: number): number { return jvp(of(k))([x], [1])[1]; }",
  ],
])("are given to a form: %s", (_, module) => {
  expect(got(`${module}\nexport const got = at(3, 2);`)).toBe(12);
});

test("are called what they were", () => {
  const module =
    "const of = (k: number) => ({ g: (x: number): number => k * x, h: function own(x: number): number { return k * x; } });\nconst m = of(2), slope = grad((x: number) => m.g(x) + m.h(x));\nexport const got = [m.g.name, m.h.name, slope(1)];";
  expect(got(module)).toEqual(["g", "own", 4]);
});

test("what is not of the program is refused when it is called", () => {
  const made =
    'const power = (k: number) => new Function("x", `return x ** ${k}`) as (x: number) => number;\nexport const got = [power(2)].map((g) => { try { return d([{ w: 0.5, g }], 2); } catch (error) { return String(error); } });';
  expect(got(made)).toEqual([expect.stringContaining("TSG0010")]);
});
