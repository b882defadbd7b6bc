// Arguments that hold one object twice. What is written has one shadow, so it is an error and no wrong gradient; what is only read has a part for each place.

import { describe, expect, it } from "vitest";
import { built } from "./compiled.ts";

const { exports } = built(`import { grad, jvp } from "tsgrad";
const written = (p: { a: number[]; b: number[] }): number => { p.a[0] = p.a[0] * 2; return p.a[0] * p.b[0]; };
const rows = (m: number[][], k: number): number => { for (const r of m) r[0] = r[0] * k; let s = 0; for (const r of m) s += r[0] * r[0]; return s; };
const inside = (p: { q: { m: number[][] } }, z: number[][]): number => { z[0][0] = 2 * p.q.m[0][0]; return z[0][0] * p.q.m[0][0]; };
const read = (p: { a: number[]; b: number[] }): number => p.a[0] * p.b[0];
export const ofWritten = grad(written), ofRows = grad(rows), ofInside = grad(inside), ofRead = grad(read), forward = jvp(written);
`);
const call = (name: string, ...args: readonly unknown[]): unknown => {
  const form = exports[name];
  if (typeof form !== "function") throw new Error(`no ${name}`);
  return Reflect.apply(form, undefined, args);
};

describe("one object at two places that are written", () => {
  const shared = (): number[] => [3];
  it("of one record", () => {
    const xs = shared();
    expect(() => call("ofWritten", { a: xs, b: xs })).toThrow(
      "TSG0004: `p.a` and `p.b` are the same object",
    );
    expect(call("ofWritten", { a: shared(), b: shared() })).toEqual({ a: [6], b: [6] });
    expect(() => call("forward", [{ a: xs, b: xs }], [{ a: [1], b: [1] }])).toThrow("TSG0004");
  });

  it("of one array", () => {
    const row = shared();
    expect(() => call("ofRows", [row, row], 2)).toThrow(
      "TSG0004: argument 0 holds one object twice",
    );
    expect(call("ofRows", [shared(), shared()], 2)).toEqual([[24], [24]]);
    expect(call("ofRows", [], 2)).toEqual([]);
  });

  it("of two arguments, inside of one", () => {
    const m = [shared()];
    expect(() => call("ofInside", { q: { m } }, m)).toThrow(
      "TSG0004: `p.q.m` and argument 1 are the same object",
    );
    expect(call("ofInside", { q: { m } }, [shared()])).toEqual({ q: { m: [[12]] } });
  });
});

it("what is only read has a part for each place", () => {
  const xs = [3];
  expect(call("ofRead", { a: xs, b: xs })).toEqual({ a: [3], b: [3] });
});
