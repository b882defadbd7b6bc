// States of the solvers: NaN is found wherever it stands, and what the user's function does with
// its argument or keeps of its result does not matter.

import { describe, expect, test } from "vitest";
import { argmin, fixedPoint, solveLinear } from "../../runtime/implicit/index.ts";
import { distance, largest } from "../../runtime/implicit/state.ts";

const places = [0, 1, 2];
const withNaN = (place: number): number[] => places.map((k) => (k === place ? NaN : k + 1));

describe.each(places)("NaN at place %d of three", (place) => {
  test("is the largest entry and the distance", () => {
    expect(largest(withNaN(place))).toBeNaN();
    expect(distance(withNaN(place), [1, 2, 3])).toBeNaN();
    expect(distance([1, 2, 3], withNaN(place))).toBeNaN();
  });

  test.each(places)("of row %d of a matrix is an error", (row) => {
    const matrix = places.map((i) =>
      places.map((j) => (i === row && j === place ? NaN : Number(i === j))),
    );
    expect(() => solveLinear(matrix, [1, 1, 1])).toThrow(/TSG0018/);
  });

  test("of what a function returns is an error", () => {
    expect(() => fixedPoint(() => withNaN(place), [1, 2, 3])).toThrow(/TSG0018/);
    expect(() => fixedPoint(() => Float64Array.from(withNaN(place)), new Float64Array(3))).toThrow(
      /TSG0018/,
    );
  });

  test("of a slope at the start is an error", () => {
    // the function has no values below the start
    const f = (x: number[]): number =>
      x.reduce((sum, v, k) => sum + (k === place ? Math.sqrt(v) : (v - 1) ** 2), 0);
    expect(() => argmin(f, [0, 0, 0])).toThrow(/TSG0018/);
  });
});

const half = (x: number): number => x / 2 + 1;
const buffer = [0, 0];
const KINDS: Readonly<Record<string, (x: number[]) => number[]>> = {
  "a new list": (x) => x.map(half),
  "its argument, written": (x) => {
    x.forEach((v, k) => {
      x[k] = half(v);
    });
    return x;
  },
  "one list, each time": (x) => {
    x.forEach((v, k) => {
      buffer[k] = half(v);
    });
    return buffer;
  },
  "a new list, its argument spoilt": (x) => {
    const next = x.map(half);
    x.fill(7);
    return next;
  },
};

test.each(Object.entries(KINDS))("a function that returns %s", (_, f) => {
  const start = [5, -3];
  const x = fixedPoint(f, start);
  // halved until the step is below 1e-12 of the fixed point, 2
  expect(x).toEqual([expect.closeTo(2, 11), expect.closeTo(2, 11)]);
  expect(start).toEqual([5, -3]);
  expect(x).not.toBe(buffer);
  const typed = (y: Float64Array): Float64Array => Float64Array.from(f([...y]));
  expect(fixedPoint(typed, Float64Array.from(start))).toEqual(Float64Array.from(x));
});
