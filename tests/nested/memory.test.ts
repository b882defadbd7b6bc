// What is kept between the forward and the backward pass of a fixed point: with Estep's rule nothing of the iterations, without it all of them.
// Counted, not timed: the numbers in what the forward sweep (`$revf`) hands to the backward one, tapes included.

import { describe, expect, it } from "vitest";
import { built, loaded } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};

/** `solve` runs as many rounds as it is told, so that their number is known. */
const PROGRAM = `import { customVjp, vjp } from "tsgrad";
function solve(f: (x: number) => number, x0: number, rounds: number): number {
  let x = x0;
  for (let i = 0; i < rounds; i++) x = f(x);
  return x;
}
const fix = customVjp(solve, (f, x0, rounds) => {
  const x = solve(f, x0, rounds);
  return [x, (bar) => {
    const [, pull] = f.vjp(x);
    let w = bar;
    for (let i = 0; i < 60; i++) { const [dx] = pull(w); w = bar + dx; }
    const [, self] = pull(w);
    return [self, 0, 0];
  }];
});
export const withRule = vjp((a: number, rounds: number): number => fix((x) => 0.5 * (x + a / x), 1, rounds) * a, { argnums: 0 });
export const without = vjp((a: number, rounds: number): number => solve((x) => 0.5 * (x + a / x), 1, rounds) * a, { argnums: 0 });
`;

/** Numbers in a value, each array and object once. */
function numbersIn(value: unknown, met = new Set<unknown>()): number {
  if (typeof value === "number") return 1;
  if (typeof value !== "object" || value === null || met.has(value)) return 0;
  met.add(value);
  return (
    ArrayBuffer.isView(value) ? Array.from(Object.values(value)) : Object.values(value)
  ).reduce((sum: number, inner) => sum + numbersIn(inner, met), 0);
}

/** Calls `count` with what each `$revf` returns. */
function watched(text: string, count: (bog: unknown) => void): Readonly<Record<string, unknown>> {
  let marked = text;
  for (const [, name] of text.matchAll(/function ([\w$]+\$revf[\w$]*)\(/g)) {
    marked =
      marked.replace(`function ${name}(`, () => `function ${name}$own(`) +
      `\nfunction ${name}(...args: any): any { const bog = (${name}$own as any)(...args); watch(bog); return bog; }\n`;
  }
  const exports = loaded(
    `${marked}\nlet watch: (bog: unknown) => void = () => {};\nexport const watchBy = (by: (bog: unknown) => void): void => { watch = by; };\n`,
  );
  callOf(exports["watchBy"])(count);
  return exports;
}

describe("residuals of a fixed point", () => {
  const { text } = built(PROGRAM);
  const keptBy = (name: string, rounds: number): number => {
    let kept = 0;
    const exports = watched(text, (bog) => {
      kept = Math.max(kept, numbersIn(bog));
    });
    const result = callOf(exports[name])(2, rounds);
    const pullback = Array.isArray(result) ? callOf(result[1]) : callOf(null);
    // d (a sqrt a) / da at 2; after ten of Newton's steps nothing is left to converge
    expect(Number(pullback(1))).toBeCloseTo(1.5 * Math.SQRT2, 12);
    expect(kept).toBeGreaterThan(0);
    return kept;
  };

  it("do not depend on the number of iterations with the rule", () => {
    const kept = [10, 1000, 100_000].map((rounds) => keptBy("withRule", rounds));
    // the arguments of the call, its value, and those of the product
    expect(kept[0]).toBeLessThanOrEqual(8);
    expect(kept).toEqual([kept[0], kept[0], kept[0]]);
  });

  it("grow by each iteration without it", () => {
    const kept = [10, 1000, 100_000].map((rounds) => keptBy("without", rounds));
    const perRound = ((kept[1] ?? 0) - (kept[0] ?? 0)) / 990;
    expect(perRound).toBeGreaterThanOrEqual(1);
    expect(kept[2]).toBe((kept[0] ?? 0) + perRound * 99_990);
  });
});
