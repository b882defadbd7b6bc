// `checkGrads` as users write it, built: right derivatives pass in both orders, wrong rules are found and their place is named, and points where values
// cannot tell are said to be such.

import { describe, expect, it } from "vitest";
import { built, emittedErrors } from "./compiled.ts";

const IMPORT = `import { customVjp, customJvp } from "tsgrad";\nimport { checkGrads } from "tsgrad/testing";\n`;

/** Right functions, by what is checked of them: declarations and a call. */
const RIGHT: Readonly<Record<string, readonly [declarations: string, call: string]>> = {
  numbers: [
    "const numbers = (x: number, y: number): number => x * x * y + Math.sin(y);",
    "checkGrads(numbers, [1.3, -0.7], { order: 2 })",
  ],
  "without options": ["", "checkGrads(numbers, [1.3, -0.7])"],
  "one mode": [
    "",
    `checkGrads(numbers, [1.3, -0.7], { modes: ["reverse"] }); checkGrads(numbers, [1.3, -0.7], { modes: ["forward"] })`,
  ],
  "options of run time": [
    "const options = { order: 2, seed: 7, tolerance: 1e-5 } as const;",
    "for (const seed of [1, 2, 3]) checkGrads(numbers, [0.3, seed], { ...options, seed })",
  ],
  "an array, a loop and writes": [
    "function running(xs: number[], k: number): number { let s = 0; for (let i = 1; i < xs.length; i++) { xs[i] = xs[i]! * xs[i - 1]! * k; s += Math.sin(xs[i]!); } return s; }",
    "checkGrads(running, [[0.5, 1.5, -0.7, 2], 0.9], { order: 2 })",
  ],
  "a result of arrays": [
    "const scaledAll = (xs: Float64Array, y: number): { all: number[]; sum: number } => { const all: number[] = []; let sum = 0; for (const x of xs) { all.push(x * y); sum += x * x; } return { all, sum }; };",
    "checkGrads(scaledAll, [Float64Array.of(1, 2.5), 3], { order: 2 })",
  ],
  "a record, and an argument without numbers": [
    'interface Model { readonly name: string; readonly w: readonly number[]; b?: number }\nconst score = (how: string, m: Model, x: number): number => { let s = m.b ?? 0; for (const w of m.w) s += Math.tanh(w * x); return how === "sq" ? s * s : s; };',
    'checkGrads(score, ["sq", { name: "a", w: [0.2, -0.4], b: 1.5 }, 0.8], { order: 2 })',
  ],
  "a class": [
    "class Spring { k: number; rest: number; constructor(k: number, rest: number) { this.k = k; this.rest = rest; } energy(x: number): number { return 0.5 * this.k * (x - this.rest) ** 2; } }\nconst stored = (s: Spring, x: number): number => s.energy(x) + s.energy(2 * x);",
    "checkGrads(stored, [new Spring(2, 0.3), 1.1], { order: 2 })",
  ],
  "a union with tags": [
    'type Shape = { kind: "circle"; r: number } | { kind: "box"; w: number; h: number };\nconst area = (s: Shape): number => (s.kind === "circle" ? Math.PI * s.r ** 2 : s.w * s.h);',
    'checkGrads(area, [{ kind: "box", w: 2, h: 3 }], { order: 2 }); checkGrads(area, [{ kind: "circle", r: 2 }], { order: 2 })',
  ],
  "a union with tags that are numbers": [
    "type Cell = { kind: 1; r: number } | { kind: 2; w: number; h: number };\nconst size = (s: Cell): number => (s.kind === 1 ? Math.PI * s.r ** 2 : s.w * s.h);",
    "checkGrads(size, [{ kind: 2, w: 2, h: 3 }], { order: 2 }); checkGrads(size, [{ kind: 1, r: 2 }], { order: 2 })",
  ],
  "a count that is left out": [
    "function power(x: number, n: number): number { let p = 1; for (let i = 0; i < n; i++) p *= x; return p; }",
    "checkGrads(power, [1.5, 3], { order: 2, argnums: 0 })",
  ],
  "an argument that may be absent": [
    "const scaled = (x: number, k?: number): number => Math.exp(x) * (k ?? 2);",
    "checkGrads(scaled, [0.5, 1.5], { order: 2 }); checkGrads(scaled, [0.5])",
  ],
  recursion: [
    "const fall = (x: number, n: number): number => (n <= 0 ? x : Math.sin(x) * fall(x * 0.5, n - 1));",
    "checkGrads(fall, [1.2, 3], { order: 2, argnums: [0] })",
  ],
  "a right rule": [
    "const softplus = customVjp((x: number): number => Math.log(1 + Math.exp(x)), (x) => [Math.log(1 + Math.exp(x)), (bar) => [bar / (1 + Math.exp(-x))]]);\nconst summed = (xs: number[]): number => { let s = 0; for (const x of xs) s += softplus(x * x); return s; };",
    "checkGrads(summed, [[0.3, -1.2]], { order: 2 })",
  ],
  "through the Delta engine": [
    "function* pairs(xs: number[]): Generator<number> { for (let i = 1; i < xs.length; i++) yield xs[i]! * xs[i - 1]!; }\nconst yielded = (xs: number[]): number => { let s = 0; for (const p of pairs(xs)) s += Math.sin(p); return s; };",
    "checkGrads(yielded, [[0.5, 1.5, -0.7]], { order: 2 })",
  ],
};

/** Wrong derivatives and points that cannot be checked: declarations, a call, what the error says. */
const WRONG: Readonly<
  Record<string, readonly [declarations: string, call: string, message: RegExp]>
> = {
  "a rule with a wrong sign": [
    "const cosine = customVjp((x: number): number => Math.cos(x), (x) => [Math.cos(x), (bar) => [bar * Math.sin(x)]]);\nconst waves = (xs: number[]): number => { let s = 0; for (const x of xs) s += cosine(x); return s; };",
    "checkGrads(waves, [[0.3, 1.2]])",
    /checkGrads: .*args\[0\]\[0\].* gives 0\.2955/,
  ],
  "a forward rule that forgets an argument": [
    "const product = customJvp((x: number, y: number): number => x * y, ([x, y], [dx]) => [x * y, dx * y]);\nconst products = (x: number, y: number): number => product(x, y) + x;",
    "checkGrads(products, [2, 3])",
    /args\[1\].* gives 0, differences of values give (2|1\.99999|2\.00000)/,
  ],
  "a rule whose own derivative is wrong": [
    "const stop = customJvp((x: number): number => x, ([x], [dx]) => [x, dx]);\nconst cubic = customJvp((x: number): number => x ** 3, ([x], [dx]) => [x ** 3, 3 * slope(x) * dx]);\nconst slope = customJvp((x: number): number => x * x, ([x], [dx]) => [x * x, x * dx]);\nconst cubes = (x: number): number => stop(cubic(x));",
    "checkGrads(cubes, [2]); checkGrads(cubes, [2], { order: 2 })",
    /second derivative, d\/dargs\[0\] of the gradient at args\[0\]: the derivative code gives 6, .* 11\.9999/,
  ],
  "a kink": [
    "const absolute = (x: number): number => Math.abs(x);",
    "checkGrads(absolute, [0])",
    /kink/,
  ],
  "a tie": [
    "const larger = (x: number, y: number): number => Math.max(x, y) * 3;",
    "checkGrads(larger, [1, 1])",
    /kink/,
  ],
  "a jump": [
    "const stepped = (x: number): number => x * x + (x > 1 ? 1 : 0);",
    "checkGrads(stepped, [1])",
    /kink|jump/,
  ],
  "no number": [
    "const empty = (xs: number[]): number => xs.length;",
    "checkGrads(empty, [[]])",
    /hold no number/,
  ],
};

const entries = [...Object.entries(RIGHT), ...Object.entries(WRONG)];
const { exports, text } = built(
  `${IMPORT}${entries.map(([, [declarations]]) => declarations).join("\n")}\nexport const checks: (() => void)[] = [\n${entries.map(([, [, call]]) => `  () => { ${call}; },`).join("\n")}\n];\n`,
);
const run = (name: string) => (): void => {
  const { checks } = exports;
  const check: unknown = Array.isArray(checks)
    ? checks[entries.findIndex(([other]) => other === name)]
    : undefined;
  if (typeof check !== "function") throw new Error(`no check ${name}`);
  check();
};

describe("checkGrads", () => {
  it("compiles to code that type-checks", () => {
    expect(emittedErrors(text)).toEqual([]);
  });
  it.each(Object.keys(RIGHT))("passes: %s", (name) => {
    expect(run(name)).not.toThrow();
  });
  it.each(Object.keys(WRONG))("finds: %s", (name) => {
    expect(run(name)).toThrow(WRONG[name]?.[2]);
  });
});
