// What a pullback keeps, it keeps once. In: functions whose loops ask for the same numbers, or all of whose rounds do. Out: the BOG that they emit, and derivatives.
// Reference values: derivatives by hand.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const FILE = "/src/bog.ts";

function pullbackOf(text: string): {
  readonly bog: readonly string[];
  readonly records: number;
  readonly module: Readonly<Record<string, unknown>>;
} {
  const whole = `import { vjp } from "tsgrad";\n${text}`;
  const { edits, diagnostics } = analyse(programOf({ [FILE]: whole }));
  expect(diagnostics).toEqual([]);
  const emitted = applyEdits(FILE, whole, edits.get(FILE) ?? []).text;
  const revf = /function f\$revf\([^]*?\n}/.exec(emitted)?.[0] ?? "";
  const bog = /return \[([^;]*)\];\n}$/.exec(revf)?.[1] ?? "";
  return {
    bog: bog.split(/,\s+/),
    records: revf.match(/tape\[p\d*\+\+\]/g)?.length ?? 0,
    module: loader(new Map([[FILE, emitted]]))(FILE),
  };
}

const callable = (value: unknown): ((...args: readonly unknown[]) => unknown) => {
  if (typeof value !== "function") throw new Error("not a function");
  return (...args) => value(...args);
};

test("two loops over one list keep its length once", () => {
  const { bog, module } = pullbackOf(`
function f(xs: readonly number[], k: number): number {
  let s = 0, p = 1;
  for (let i = 0; i < xs.length; i++) s = Math.sin(s + xs[i]! * k);
  for (let i = 0; i < xs.length; i++) p = Math.sin(p * xs[i]!) + s;
  return p;
}
export const run = () => vjp(f)([0.3], 2)[1](1);
export const none = () => vjp(f)([], 2)[1](1);
`);
  expect(new Set(bog).size).toBe(bog.length);
  expect(bog.filter((field) => field === "n" || field === "xs.length")).toHaveLength(1);
  // sin(x) + sin(k x)
  expect(callable(module["run"])()).toEqual([
    [expect.closeTo(Math.cos(0.3) + 2 * Math.cos(0.6), 12)],
    expect.closeTo(0.3 * Math.cos(0.6), 12),
  ]);
  expect(callable(module["none"])()).toEqual([[], 0]);
});

test("what every round reads alike is recorded in front of the loop, also where only a branch of an inner loop reads it", () => {
  const { bog, records, module } = pullbackOf(`
function f(p: { a: number; b: readonly number[] }, x: number, n: number): number {
  const { b } = p;
  for (let i = 0; i < n; i++) for (let j = 0; j < 2; j++) if (x < 5) x = x * x * p.a * b[0]!;
  return x;
}
export const run = (n: number) => vjp(f)({ a: 0.5, b: [3] }, 0.7, n)[1](1);
`);
  // of each round of the inner loop, x
  expect(records).toBe(1);
  expect(bog.filter((field) => field === "a" || field === "b0")).toHaveLength(2);
  // c x^2, c (c x^2)^2 = c^3 x^4, with c = a b: d/dc = 3 c^2 x^4, d/dx = 4 c^3 x^3
  const c = 1.5;
  const dc = 3 * c ** 2 * 0.7 ** 4;
  expect(callable(module["run"])(1)).toEqual([
    { a: expect.closeTo(dc * 3, 12), b: [expect.closeTo(dc * 0.5, 12)] },
    expect.closeTo(4 * c ** 3 * 0.7 ** 3, 12),
    0,
  ]);
  expect(callable(module["run"])(0)).toEqual([{ a: 0, b: [0] }, 1, 0]);
});

test("what a round may write or take off is recorded by each round", () => {
  const { module } = pullbackOf(`
function f(xs: readonly number[]): number {
  const own = [...xs];
  let s = 1;
  while (own.length > 0) {
    s = s * s * (own[1] ?? 2) * own[0]!;
    own.pop();
  }
  return s;
}
export const run = () => vjp(f)([3, 0.5])[1](1);
`);
  // s1 = x1 x0, s2 = s1^2 * 2 * x0 = 2 x1^2 x0^3
  expect(callable(module["run"])()).toEqual([
    [expect.closeTo(6 * 0.25 * 9, 12), expect.closeTo(4 * 0.5 * 27, 12)],
  ]);
});

test("shadows of what came in are read again, whatever becomes of the arguments meanwhile", () => {
  const { bog, module } = pullbackOf(`
interface Ball { r: number; at: readonly number[] }
function f(balls: Ball[], k: number): number {
  let s = 0;
  for (const ball of balls) if (ball.r > 0) s += ball.r * ball.r * ball.at[0]! * k;
  return s;
}
export function run() {
  const balls = [{ r: 2, at: [3] }, { r: -1, at: [4] }, { r: 5, at: [0.5] }];
  const [, pullback] = vjp(f)(balls, 2);
  balls[0] = balls[2]!;
  balls[1]!.at = balls[2]!.at;
  balls.pop();
  return [pullback(1), pullback(0.5)];
}
`);
  expect(bog).not.toContain("refs");
  const cotangents = (seed: number): unknown => [
    [
      { r: 24 * seed, at: [8 * seed] },
      { r: 0, at: [0] },
      { r: 10 * seed, at: [50 * seed] },
    ],
    (12 + 12.5) * seed,
  ];
  expect(callable(module["run"])()).toEqual([cotangents(1), cotangents(0.5)]);
});

test("where what is differentiated puts other objects into a list between two calls, each call has the shadows that it saw", () => {
  const { module } = pullbackOf(`
interface Ball { r: number }
function total(balls: Ball[], k: number): number {
  return k < 1 ? 0 : balls[k - 1]!.r ** 2 + total(balls, k - 1) * 2;
}
function f(x: number, y: number): number {
  const balls = [{ r: x }, { r: y }];
  const before = total(balls, 2);
  balls[0] = balls[1]!;
  const between = total(balls, 2);
  balls[1] = { r: x * y };
  return before + between + total(balls, 2);
}
export const run = () => vjp(f)(0.7, 1.1)[1](1);
`);
  // total is r1^2 + 2 r0^2: (y^2 + 2 x^2) + 3 y^2 + (x^2 y^2 + 2 y^2)
  const [x, y] = [0.7, 1.1];
  expect(callable(module["run"])()).toEqual([
    expect.closeTo(4 * x + 2 * x * y * y, 12),
    expect.closeTo(12 * y + 2 * x * x * y, 12),
  ]);
});

const FORWARDERS = `
interface Pair { a: number[]; b: number[]; v: number }
function make(depth: number, x: number): Pair {
  if (depth > 0) return make(depth - 1, x * 1.5);
  const shared = [0, 0];
  return { a: shared, b: shared, v: x };
}
function still(depth: number): Pair {
  if (depth > 0) return still(depth - 1);
  const shared = [0, 1];
  return { a: shared, b: shared, v: 1 };
}
export function f(x: number, y: number): number {
  const p = make(2, x), q = still(1);
  p.a[0] = x * y;
  q.a[1] = y * y;
  return Math.sin(p.b[0]) * p.v + q.b[1] * x;
}
`;
// sin(x y) 2.25 x + y^2 x
const BY_HAND = (x: number, y: number): unknown => [
  expect.closeTo(2.25 * (Math.sin(x * y) + x * y * Math.cos(x * y)) + y * y, 12),
  expect.closeTo(2.25 * x * x * Math.cos(x * y) + 2 * x * y, 12),
];

function gradientOf(text: string): {
  readonly emitted: string;
  readonly run: (...args: readonly unknown[]) => unknown;
} {
  const whole = `import { grad } from "tsgrad";\n${text}export const run = grad(f, { argnums: [0, 1] });\n`;
  const { edits, diagnostics } = analyse(programOf({ [FILE]: whole }));
  expect(diagnostics).toEqual([]);
  const emitted = applyEdits(FILE, whole, edits.get(FILE) ?? []).text;
  return { emitted, run: callable(loader(new Map([[FILE, emitted]]))(FILE)["run"]) };
}

test.each([
  // x k^3 + x k, and what is taken off behind the loop would be missing
  [
    "a list that rounds append to is read again",
    false,
    "path.push(path[path.length - 1]! * k);",
    "return path[3]! + path[1]!;",
  ],
  [
    "a list that something is taken off is not",
    true,
    "path.push(path[path.length - 1]! * k);",
    "const last = path.pop()!; return last + path[1]!;",
  ],
])("%s", (_, hasTape, round, end) => {
  const { emitted, run } = gradientOf(
    `function f(x: number, k: number): number {\n  const path = [x];\n  for (let i = 0; i < 3; i++) ${round}\n  ${end}\n}\n`,
  );
  expect(/\btape\b/.test(emitted)).toBe(hasTape);
  const [x, k] = [0.7, 1.3];
  expect(run(x, k)).toEqual([
    expect.closeTo(k ** 3 + k, 12),
    expect.closeTo(3 * x * k * k + x, 12),
  ]);
});

test("who keeps no pullback has no reverse sweep that only clears shadows", () => {
  const { emitted, run } = gradientOf(FORWARDERS);
  expect(emitted).not.toMatch(/still\$revr|fill\(0\)/);
  expect(emitted).toContain("type still$Bog$0 = [still: Pair, still$bar: Pair];");
  expect(run(0.7, 1.3)).toEqual(BY_HAND(0.7, 1.3));
});

test.each(["export const more = grad(f);", ""])(
  "a pullback runs twice, where somebody else asks for a gradient, too: '%s'",
  (more) => {
    const { module } = pullbackOf(
      `import { grad } from "tsgrad";${FORWARDERS}${more}\nexport function run(x: number, y: number) { const [, pullback] = vjp(f)(x, y); return [pullback(1), pullback(1)]; }\n`,
    );
    expect(callable(module["run"])(0.7, 1.3)).toEqual([BY_HAND(0.7, 1.3), BY_HAND(0.7, 1.3)]);
  },
);
