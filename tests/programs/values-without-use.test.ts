// Values that are computed and do not count: lists that stay empty, numbers that are overwritten.
// Oracles: closed forms, and the type checker on emitted code.

import { expect, it } from "vitest";
import { problemsOf } from "../5-emit/type-check.ts";
import { variantsOf } from "./variants.ts";

const HEAD = `import { grad, jvp } from "tsgrad";`;
const FORMS = `export const g = grad(f), j = jvp(f), d = grad(f, { engine: "delta" });`;

const PROGRAMS: Readonly<Record<string, readonly [text: string, slope: (x: number) => number]>> = {
  "a loop over a list that stays empty": [
    `${HEAD}
interface Link { v: number; next: Link | null }
function f(x: number): number {
  let first: Link | null = null;
  for (let i = 0; i < 3; i++) {
    const one: Link = { v: x * i, next: first };
    if (-0.2 >= -1.2) continue;
    first = one;
  }
  let s = 0.1;
  for (let at: Link | null = first; at !== null; at = at.next) s = 0.6 * s + Math.sin(at.v);
  return s + x * x;
}
${FORMS}`,
    (x) => 2 * x,
  ],
  "a default of a number that branches compute": [
    `${HEAD}
function opt(p: number, k = 0.5 * p): number { return p + k; }
function f(x: number): number {
  const t = x > 0 ? x * x : x - 1;
  return opt(t, t);
}
${FORMS}`,
    (x) => (x > 0 ? 4 * x : 2),
  ],
  "a number that a loop overwrites": [
    `${HEAD}
const TABLE = [0.7, -0.3, 1.1];
function f(x: number): number {
  const n: number = 2;
  for (let i = n - 1; i >= 0; i--) {
    let s = Math.tanh(Math.sqrt(1 + x ** 2));
    s *= Math.cos(Math.sin(Math.atan2(s, 2.25 + x)));
    s = Math.sin(Math.min(TABLE[i % TABLE.length]!, TABLE[1]!));
  }
  return x * x;
}
${FORMS}`,
    (x) => 2 * x,
  ],
};

const variant = variantsOf(Object.fromEntries(Object.entries(PROGRAMS).map(([k, [t]]) => [k, t])));

it.each(Object.entries(PROGRAMS))("%s", (name, [, slope]) => {
  const { errors, text, exports } = variant(name);
  expect(errors).toEqual([]);
  expect(
    problemsOf(
      { "/src/input.ts": text },
      { noUnusedLocals: false, isolatedDeclarations: false, declaration: false },
    ),
  ).toEqual([]);
  const { g, j, d } = exports() as Record<string, (...args: unknown[]) => unknown>;
  for (const x of [0.3, -1.1]) {
    expect(g?.(x)).toBeCloseTo(slope(x), 12);
    expect(d?.(x)).toBeCloseTo(slope(x), 12);
    expect((j?.([x], [1]) as number[])[1]).toBeCloseTo(slope(x), 12);
  }
});
