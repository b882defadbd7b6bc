import { describe, expect, test } from "vitest";
import {
  add,
  build,
  ccl,
  dot,
  foldl,
  map,
  map2,
  mul,
  nTimes,
  onesLike,
  prod,
  reduce,
  sameSize,
  scanl,
  scanr,
  shift1L,
  shift1R,
  size,
  sum,
  zerosLike,
} from "../../runtime/vector/index.ts";

const kinds = [
  ["arrays", (...xs: number[]): number[] => xs],
  ["Float64Arrays", (...xs: number[]): Float64Array => Float64Array.from(xs)],
] as const;

describe.each(kinds)("of %s", (_name, of) => {
  // one body for both kinds: the overloads of each are in tests/types
  const f = { map, map2, scanl, scanr, shift1L, shift1R, reduce, foldl } as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const call = (name: string, ...args: unknown[]): unknown => f[name]?.(...args);

  test("maps keep the kind", () => {
    expect(call("map", (x: number) => 2 * x, of(1, 2))).toEqual(of(2, 4));
    expect(call("map2", mul, of(1, 2), of(3, 4))).toEqual(of(3, 8));
    expect(call("map", mul, of())).toEqual(of());
  });

  test("folds", () => {
    expect([sum(of(1, 2, 3)), prod(of(2, 3, 4)), dot(of(1, 2), of(3, 4)), size(of(7, 8))]).toEqual([
      6, 24, 11, 2,
    ]);
    expect([sum(of()), prod(of()), dot(of(), of()), size(of())]).toEqual([0, 1, 0, 0]);
    expect(call("reduce", (x: number, y: number) => x - y, 0, of(1, 2))).toBe(-3);
    expect(call("foldl", (s: number, x: number) => s / 2 + x, 0, of(1, 2))).toBe(2.5);
    expect([sum(of(1, NaN)), prod(of(0, NaN))]).toEqual([NaN, NaN]);
  });

  test("scans have one element more (Figure 15)", () => {
    expect(call("scanl", mul, 1, of(2, 3, 4))).toEqual(of(1, 2, 6, 24));
    expect(call("scanr", mul, 1, of(2, 3, 4))).toEqual(of(24, 12, 4, 1));
    expect(call("scanl", (s: number, x: number) => s - x, 0, of(1, 2))).toEqual(of(0, -1, -3));
    expect(call("scanr", (s: number, x: number) => s - x, 0, of(1, 2))).toEqual(of(-3, -2, 0));
    expect([call("scanl", mul, 5, of()), call("scanr", mul, 5, of())]).toEqual([of(5), of(5)]);
  });

  test("shifts", () => {
    expect([call("shift1L", of(1, 2, 3)), call("shift1R", of(1, 2, 3))]).toEqual([
      of(2, 3),
      of(1, 2),
    ]);
    expect([call("shift1L", of()), call("shift1R", of())]).toEqual([of(), of()]);
  });

  test("zeros and ones", () => {
    expect([zerosLike(of(1, 2)), onesLike(of(1, 2))]).toEqual([of(0, 0), of(1, 1)]);
    expect([zerosLike([of(1), of()]), onesLike([of(1), of()])]).toEqual([
      [of(0), of()],
      [of(1), of()],
    ]);
  });

  test("different sizes are an error", () => {
    expect(() => call("map2", mul, of(1), of())).toThrow(RangeError);
    expect(() => call("map2", mul, of(), of(1))).toThrow(RangeError);
    expect(() => dot(of(1, 2), of(1))).toThrow(RangeError);
    expect(() => sameSize(of(1), of(1, 2))).toThrow(RangeError);
  });

  test("arguments stay as they are", () => {
    const a = of(1, 2, 3);
    for (const g of [
      () => call("map", add, a),
      () => call("scanl", mul, 1, a),
      () => call("shift1L", a),
      () => zerosLike(a),
    ])
      expect(g()).not.toBe(a);
    expect(a).toEqual(of(1, 2, 3));
  });
});

test("arrays of anything", () => {
  expect(build(3, (i) => ({ at: i }))).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }]);
  expect([
    build(0, () => 1),
    build(-1, () => 1),
    build(NaN, () => 1),
    build(1.5, (i) => i),
  ]).toEqual([[], [], [], [0, 1]]);
  expect(map((p) => p.x, [{ x: 1 }, { x: 2 }])).toEqual([1, 2]);
  expect(map2((name, x) => `${name}${x}`, ["a", "b"], Float64Array.of(1, 2))).toEqual(["a1", "b2"]);
  expect(scanl((s, x) => [...s, x], [0], [1, 2])).toEqual([[0], [0, 1], [0, 1, 2]]);
});

test("loops as functions", () => {
  expect([nTimes(3, 1, (s) => 2 * s), nTimes(0, 1, (s) => 2 * s)]).toEqual([8, 1]);
  expect([ccl(4, 0, (i, s) => s + i * i), ccl(0, 7, (i, s) => s + i)]).toEqual([14, 7]);
});
