// Functions that a factory constructs and a module holds. In: ways to construct and hold one, forms,
// and instances. Out: the engine that takes it, values and slopes. Oracles: central differences of
// the plain function, and the Delta engine.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, typeErrors } from "../program.ts";
import { variantsOf } from "./variants.ts";

/** Each declares `f` and `g`, two instances of one function with other captured values. */
const STATIC: Readonly<Record<string, string>> = {
  "an arrow":
    "const power = (k: number) => (x: number) => x ** k;\nconst f = power(3), g = power(2);",
  curried:
    "const add = (a: number) => (b: number) => (c: number) => a * b + c * c * b;\nconst f = add(2)(3), g = add(4)(5);",
  "an array that a loop fills":
    "function make(n: number) { const m: number[] = []; for (let i = 0; i < n; i++) m.push(i + 1); return (x: number): number => { let s = 0; for (const k of m) s = s * x + k; return s; }; }\nconst f = make(3), g = make(4);",
  "a typed array and a helper":
    "function noise(seed: number) { const table = new Uint8Array(16); for (let i = 0; i < 16; i++) { seed = (seed * 16807) % 2147483647; table[i] = seed % 16; } const fade = (t: number) => t * t * (3 - 2 * t); return function noise(x: number): number { const i = Math.floor(x) & 15; const t = x - Math.floor(x); return table[i]! + (table[(i + 1) & 15]! - table[i]!) * fade(t); }; }\nconst f = noise(7), g = noise(8);",
  "a declared function":
    "function make(k: number) { 'use strict'; const c = [k, 2 * k]; return at; function at(x: number): number { return c[0]! * x * x + helper(x); } function helper(x: number): number { return c[1]! * x; } }\nconst f = make(2), g = make(3);",
  "methods of an object":
    "function model({ rate, steps = 3 }: { readonly rate: number; readonly steps?: number }) { const ws = Array.from({ length: steps }, (_, i) => rate * (i + 1)); return { loss(x: number): number { let s = 0; for (const w of ws) s += w * x * x; return s; }, twice(x: number): number { return 2 * ws[0]! * x; } }; }\nconst m = model({ rate: 0.5 }), n = model({ rate: 0.7, steps: 2 });\nconst f = (x: number) => m.loss(x) + n.twice(x), g = (x: number) => n.loss(x) * m.twice(x);",
  "properties of an object":
    "function make(k: number) { const sq = (x: number) => k * x * x; return { sq, cu: (x: number) => k * sq(x) * x }; }\nconst { sq, cu } = make(2);\nconst other = make(3);\nconst f = (x: number) => sq(x) + cu(x), g = (x: number) => other.cu(x) - other.sq(x);",
  "a function that is called at once":
    "const f = (() => { const c = [1, 2, 3]; return (x: number) => c.reduce((s, k, i) => s + k * x ** i, 0); })();\nconst g = (() => { const c = [4, 5]; return (x: number) => c[0]! * x * x + c[1]!; })();",
  "a counter":
    "function make(k: number) { let calls = 0; return { f: (x: number) => { calls++; return Math.sin(k * x) * x; }, calls: () => calls }; }\nconst m = make(1), n = make(2);\nconst f = m.f, g = n.f;",
  "a variable that is set later":
    "function make() { let k = 1; return { at: (x: number) => k * x * x, set(to: number) { k = to; } }; }\nconst m = make(), n = make();\nm.set(3);\nn.set(4);\nconst f = m.at, g = n.at;",
  "a function of a function":
    "const kernel = (l: number) => (d: number) => Math.exp((-d * d) / l);\nfunction gp(xs: readonly number[], k: (d: number) => number) { return (x: number) => xs.reduce((s, xi, i) => s + (i + 1) * k(x - xi), 0); }\nconst f = gp([0, 1], kernel(0.7)), g = gp([2, 1], kernel(0.9));",
  "one of two":
    "const make = (a: boolean, k: number) => (a ? (x: number) => k * x * x : (x: number) => Math.exp(k * x));\nconst f = make(true, 2), g = make(false, 3);",
  "one of a tuple":
    "const make = (k: number): [(x: number) => number, (x: number) => number] => [(x) => k * x * x, (x) => k * Math.sin(x)];\nconst [f] = make(2);\nconst [, g] = make(3);",
  "one of several, the library's among them":
    "const half = (x: number): number => x / 2;\nconst after = (h: (x: number) => number) => (x: number) => h(x) * x;\nconst f = after(Math.sin), g = after(half);\nconst third = after((x) => x * x * x);",
  "a variable that is replaced":
    "const make = (k: number) => (x: number) => k * x * x;\nlet f = make(2);\nlet g = make(3);\nfunction swap(): void { [f, g] = [g, f]; }\nswap();",
  "an object of numbers":
    "function make(p: { readonly a: number; readonly b: readonly number[] }) { return (x: number) => p.a * x * x + p.b[1]! * x; }\nconst f = make({ a: 2, b: [1, 2] }), g = make({ a: 3, b: [4, 5] });",
};

/** What the Delta engine takes. */
const DELTA: Readonly<Record<string, string>> = {
  "a table that calls fill":
    "function memo(k: number) { const seen = new Map<number, number>(); return (x: number) => { const y = seen.get(x) ?? k * x * x; seen.set(x, y); return y; }; }\nconst f = memo(2), g = memo(3);",
  "a function of itself":
    "const compose = (p: (x: number) => number, q: (x: number) => number) => (x: number) => p(q(x));\nconst f = compose(compose(Math.sin, Math.exp), (x) => x / 2), g = compose(Math.cos, f);",
  "a function of other code":
    "const make = (h: (x: number) => number) => (x: number) => h(x) * x;\nlet f = make(Math.sin), g = make(Math.cos);\nexport function replace(h: (x: number) => number): void { f = make(h); g = f; }",
};

const FORMS = {
  grad: "grad(F)(x)",
  jvp: "jvp(F)([x], [1])[1]",
  hessian: "hessian(F)(x)",
  arrow: "grad((z: number) => F(z) * z)(x)",
  nested: "grad((z: number) => grad(F)(z))(x)",
} as const;
type Form = keyof typeof FORMS;

const texts = Object.entries({ ...STATIC, ...DELTA }).map(([name, way]): [string, string] => [
  name,
  [
    'import { grad, hessian, jvp } from "tsgrad";',
    way,
    ...["f", "g"].flatMap((fn) => [
      `export const plain$${fn} = (x: number): number => ${fn}(x);`,
      `export const delta$${fn} = (x: number): number => grad((z: number) => ${fn}(z), { engine: "delta" })(x);`,
      ...Object.entries(FORMS).map(
        ([form, call]) => `export const ${form}$${fn} = (x: number) => ${call.replace("F", fn)};`,
      ),
    ]),
  ].join("\n"),
]);
const variant = variantsOf(Object.fromEntries(texts));
const D = 1e-4;
/**
 * The steepest, exp(3 x) at 1.62: a third and fourth derivative of 3,500 and 10,500 leave errors of
 * 1e-5 (D² / 6 and D² / 12 of them), and rounding of f = 130 leaves 6e-6 in a second difference.
 */
const CLOSE = 3e-5;
let keys = 0;

describe.each(texts)("%s", (name) => {
  test("has no errors, and the engine that is meant", () => {
    const { errors, text } = variant(name);
    expect(errors).toEqual([]);
    const deltas = text.match(/\$d\.grad\(/g) ?? [];
    // the two that request it
    expect(deltas.length === 2).toBe(name in STATIC);
  });

  test.each(["f", "g"])("%s", (fn) => {
    const all = variant(name).exports() as Record<string, (x: number) => number>;
    const at = (form: Form | "plain" | "delta", x: number): number =>
      all[`${form}$${fn}`]?.(x) ?? NaN;
    const f = (x: number): number => at("plain", x);
    for (const x of [0.37, 1.62, 0.37]) {
      const slope = (f(x + D) - f(x - D)) / (2 * D);
      const second = (f(x + D) - 2 * f(x) + f(x - D)) / D ** 2;
      // a key that the table has would be a number of an earlier call
      const given = name === "a table that calls fill" ? x + ++keys * 1e-9 : x;
      const isClose = (form: Form | "delta", expected: number): void =>
        expect(Math.abs(at(form, given) - expected), form).toBeLessThan(CLOSE);
      isClose("grad", slope);
      if (name === "a table that calls fill") continue;
      isClose("delta", slope);
      isClose("jvp", slope);
      isClose("hessian", second);
      isClose("arrow", slope * x + f(x));
      isClose("nested", second);
    }
  });
});

test("each call of a derivative calls the function once", () => {
  const text =
    'import { grad, hessian } from "tsgrad";\nfunction make() { let calls = 0; return { f: (x: number) => { calls++; return x * x * calls; }, calls: () => calls }; }\nconst m = make();\nexport const slope = grad(m.f);\nexport const second = hessian(m.f);\nexport const calls = (): number => m.calls();\n';
  const all = variantsOf({ once: text })("once").exports() as Record<string, (x: number) => number>;
  const { slope, second, calls } = all;
  expect([slope?.(3), slope?.(3), second?.(3), calls?.(0)]).toEqual([6, 12, 6, 3]);
});

test("names, and the types of emitted code", () => {
  const files = {
    "make.ts":
      "export const make = (k: number) => {\n  const named = (x: number): number => k * x;\n  return { named, other: (x: number): number => named(x) * k, own(x: number): number { return k * x * x; } };\n};\n",
    "main.ts":
      'import { grad } from "tsgrad";\nimport { make } from "./make.ts";\nconst m = make(3);\nexport const { named } = m;\nexport const slopes = (x: number): number[] => [grad(m.named)(x), grad(m.other)(x), grad(m.own)(x), grad(named)(x)];\nexport const names = (): string[] => [m.named.name, m.other.name, m.own.name, Object.keys(m).join()];\n',
    "user.ts":
      'import { grad } from "tsgrad";\nimport { named } from "./main.ts";\nexport const slope = grad((x: number) => named(x) * x);\n',
  };
  const host = programOf(files);
  const { edits, diagnostics, dependencies } = analyse(host);
  expect(diagnostics).toEqual([]);
  expect(dependencies.get("/src/make.ts")).toContain("/src/main.ts");
  const emitted = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      applyEdits(name, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  expect(typeErrors(programOf(emitted))).toEqual([]);
  expect(Object.values(emitted).join("\n")).not.toContain("$d.");
  const { exports } = variantsOf(files)("main.ts");
  const { slopes, names } = exports() as Record<string, (x: number) => unknown>;
  expect(slopes?.(2)).toEqual([3, 9, 12, 3]);
  expect(names?.(0)).toEqual(["named", "other", "own", "named,other,own"]);
  const { slope } = variantsOf(files)("user.ts").exports() as { slope: (x: number) => number };
  expect(slope(2)).toBe(12);
});

test("functions of one name in two files are told apart, also in one variable", () => {
  const files = {
    "a.ts": "export const make = (k: number) => (x: number): number => k * x;\n",
    "b.ts": "export const make = (k: number) => (x: number): number => k * x * x * x;\n",
    "main.ts": `import { grad } from "tsgrad";
import { make as a } from "./a.ts";
import { make as b } from "./b.ts";
const is = (k: number): boolean => k > Math.random();
const f = is(0) ? a(2) : b(3);
const g = is(1) ? a(2) : b(3);
export const slopes = (x: number): number[] => [grad((z: number) => f(z))(x), grad((z: number) => g(z))(x)];
`,
  };
  const main = variantsOf(files)("main.ts");
  const { slopes } = main.exports() as Record<string, (x: number) => unknown>;
  expect(slopes?.(2)).toEqual([36, 2]);
  expect(main.text).not.toContain("$d.");
});
