// A rule runs once where it computes the value as the function does: what its pullback sees is kept. In: rules, and how often code of theirs runs. Oracles: counts,
// differences, closed forms; and that a rule whose value is another one leaves the value of the function alone.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { slopeOf } from "../programs/differences.ts";
import { built, emittedErrors } from "./compiled.ts";

const { exports, text } =
  built(`import { customVjp, grad, hvp, jvp, valueAndGrad, vjp } from "tsgrad";
const ofValue = customVjp((x: number): number => Math.exp(x), (x) => { const y = Math.exp(x); return [y, (bar) => [bar * y]]; });
const ofMore = customVjp((x: number): number => Math.sin(x), (x) => { const c = Math.cos(x); const s = Math.sin(x); return [s, (bar) => [bar * c]]; });
const ofRound = customVjp((x: number): number => Math.round(x), (x) => { const k = 2 * x; return [Math.round(x), (bar) => [bar * k]]; });
const ofArrays = customVjp((xs: number[], k: number): number[] => xs.map((x) => Math.exp(x * k)), (xs, k) => {
  const ys = xs.map((x) => Math.exp(x * k));
  const slopes = ys.map((y) => y * k);
  return [ys, (bar) => { let dk = 0; for (let i = 0; i < xs.length; i++) dk += bar[i] * ys[i] * xs[i]; return [slopes.map((s, i) => s * bar[i]), dk]; }];
});
function iterate(f: (x: number) => number, x0: number): number { let x = x0; for (let i = 0; i < 100; i++) x = f(x); return x; }
const fix = customVjp(iterate, (f, x0) => { const x = iterate(f, x0); return [x, (bar) => { const [, pull] = f.vjp(x); let w = bar; for (let i = 0; i < 50; i++) { const [dx] = pull(w); w = bar + dx; } const [, self] = pull(w); return [self, 0]; }]; });
const other = customVjp((x: number): number => Math.exp(x), (x) => { const y = 1 + x; return [y, (bar) => [bar * y]]; });
const written = customVjp((xs: number[]): number[] => xs.map((x) => 2 * x), (xs) => { const ys = xs.map((x) => 2 * x); ys[0] = 7; return [ys, (bar) => [bar]]; });
const value = (x: number): number => ofValue(x * 2) * x;
const more = (x: number): number => ofMore(x * x) * x;
const loop = (x: number): number => { let y = x; for (let i = 0; i < 3; i++) y = ofMore(y * 0.7) * x + ofValue(-y); return y; };
const arrays = (x: number): number => { const xs = [x, 2 * x, 1]; const ys = ofArrays(xs, x); xs[0] = 9; const t = ys[0] * ys[1]; ys[0] = x; return t * ys[0] + ys[2]; };
const point = (x: number): number => fix((y) => Math.cos(y * x), 1) * x;
export const primal = { value, more, loop, arrays, fix: point };
export const d = { value: grad(value), more: grad(more), loop: grad(loop), arrays: grad(arrays), fix: grad(point) };
export const dd = { value: grad(grad(value)), more: hvp(more), loop: grad(grad(loop)), arrays: hvp(arrays), fix: grad(grad(point)) };
export const dot = { value: jvp(value), more: jvp(more), loop: jvp(loop), arrays: jvp(arrays), fix: jvp(point) };
export const kept = { value: vjp(value), more: vjp(more), loop: vjp(loop), arrays: vjp(arrays), fix: vjp(point) };
const rounds = (x: number): number => ofRound(x) * x;
export const round = { d: grad(rounds), dd: grad(grad(rounds)), hvp: hvp(rounds) };
interface S { a: number[]; k: number }
const step = customVjp((s: S): S => { const a = s.a.map((v) => v * s.k); return { a, k: s.k * 2 }; }, (s) => {
  const a = s.a.map((v) => v * s.k);
  const next = { a, k: s.k * 2 };
  return [next, (bar) => { let k = bar.k * 2; for (let i = 0; i < s.a.length; i++) k += bar.a[i] * s.a[i]; return [{ a: bar.a.map((b, i) => b * s.k + 0 * next.a[i]), k }]; }];
});
export const states = { d: grad((x: number, n: number): number => { let s: S = { a: [x, 1], k: x }; let t = 0; for (let i = 0; i < n; i++) { s = step(s); t += s.a[0]; s.a[1] = s.k; } return t + s.a[1]; }),
  plain: grad((x: number, n: number): number => { let s: S = { a: [x, 1], k: x }; let t = 0; for (let i = 0; i < n; i++) { s = { a: s.a.map((v) => v * s.k), k: s.k * 2 }; t += s.a[0]; s.a[1] = s.k; } return t + s.a[1]; }) };
export const others = { other: valueAndGrad((x: number): number => other(x)), written: valueAndGrad((xs: number[]): number => { const ys = written(xs); return ys[0] * ys[1]; }) };
`);

const at =
  (group: string, name: string) =>
  (...args: readonly unknown[]): unknown => {
    const form: unknown = Object.entries(Object(exports[group])).find(([key]) => key === name)?.[1];
    if (typeof form !== "function") throw new Error(`no ${group}.${name}`);
    return Reflect.apply(form, undefined, args);
  };

it("what is emitted type-checks", () => {
  expect(emittedErrors(text)).toEqual([]);
});

describe.each(["value", "more", "loop", "arrays", "fix"])("%s", (name) => {
  it("has the derivatives of its code", () => {
    const f = at("primal", name);
    const d = at("d", name);
    const dd = at("dd", name);
    for (const x of [0.4, 0.9]) {
      expect(d(x)).toBeCloseTo(slopeOf((t) => Number(f(x + t)), 0).value, 7);
      expect(Number(name === "more" || name === "arrays" ? dd([x], 1) : dd(x))).toBeCloseTo(
        slopeOf((t) => Number(d(x + t)), 0).value,
        6,
      );
      const pushed = at("dot", name)([x], [2]);
      const pulled = at("kept", name)(x);
      const [value, slope]: readonly unknown[] = Array.isArray(pushed) ? pushed : [];
      const [same, pullback]: readonly unknown[] = Array.isArray(pulled) ? pulled : [];
      expect([value, same]).toEqual([f(x), f(x)]);
      // the transpose, in another order
      expect(slope).toBeCloseTo(2 * Number(d(x)), 11);
      if (typeof pullback !== "function") throw new Error("no pullback");
      for (const seed of [3, 3, -1])
        expect(Number(Reflect.apply(pullback, undefined, [seed])[0])).toBeCloseTo(
          seed * Number(d(x)),
          11,
        );
    }
  });
});

describe("counts", () => {
  const { exp, cos, sin } = Math;
  const count = { exp: 0, cos: 0, sin: 0 };
  beforeEach(() => {
    Math.exp = (x) => {
      count.exp++;
      return exp(x);
    };
    Math.cos = (x) => {
      count.cos++;
      return cos(x);
    };
    Math.sin = (x) => {
      count.sin++;
      return sin(x);
    };
  });
  afterEach(() => {
    Math.exp = exp;
    Math.cos = cos;
    Math.sin = sin;
  });
  const counted = (name: string): typeof count => {
    Object.assign(count, { exp: 0, cos: 0, sin: 0 });
    at("d", name)(0.7);
    return { ...count };
  };

  it("an evaluation of the rule for each call", () => {
    expect(counted("value")).toEqual({ exp: 1, cos: 0, sin: 0 });
    expect(counted("more")).toEqual({ exp: 0, cos: 1, sin: 1 });
    expect(counted("loop")).toEqual({ exp: 3, cos: 3, sin: 3 });
    expect(counted("arrays")).toEqual({ exp: 3, cos: 0, sin: 0 });
  });

  it("of a fixed point nothing but the point is kept, and it is found once", () => {
    // 100 rounds forwards; the function is linearised in the backward pass, 51 times
    const { cos: found } = counted("fix");
    expect(found).toBeLessThanOrEqual(100 + 51);
    expect(/function [^\n]*point\$grad\([^]*?\n}/.exec(text)?.[0] ?? "").not.toMatch(/tape/);
  });
});

describe("the rule's derivative is that of the value in second derivatives, too", () => {
  it("where the code has another one", () => {
    // d = 2 x x + round(x), whose derivative is 4 x + 2 x
    expect(at("round", "d")(3.2)).toBeCloseTo(2 * 3.2 * 3.2 + 3, 12);
    expect(at("round", "dd")(3.2)).toBeCloseTo(6 * 3.2, 12);
    expect(at("round", "hvp")([3.2], 1)).toBeCloseTo(6 * 3.2, 12);
  });
});

describe("the value is that of the function", () => {
  it("where the rule has another one, or writes it", () => {
    expect(at("others", "other")(2)).toEqual([Math.exp(2), 3]);
    expect(at("others", "written")([3, 5])).toEqual([60, [10, 6]]);
  });
});

it("states that go from round to round, and are written", () => {
  for (const n of [1, 3])
    expect(at("states", "d")(1.1, n)).toBeCloseTo(Number(at("states", "plain")(1.1, n)), 11);
});
