// The types of tsgrad/vector: kinds of arrays are kept, elements of any type pass, and what cannot be is an error. The assertions are types.

import { expectTypeOf, test } from "vitest";
import {
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
  scanl,
  scanr,
  shift1L,
  shift1R,
  size,
  sum,
  zerosLike,
} from "../../runtime/vector/index.ts";

declare const a: number[];
declare const r: readonly number[];
declare const f: Float64Array;
declare const ps: { x: number; y: number }[];
declare const rows: number[][];

test("kinds", () => {
  const never = (): void => {
    expectTypeOf(map((x) => x * x, a)).toEqualTypeOf<number[]>();
    expectTypeOf(map((x) => x * x, r)).toEqualTypeOf<number[]>();
    expectTypeOf(map((x) => x * x, f)).toEqualTypeOf<Float64Array>();
    expectTypeOf(map(Math.sin, f)).toEqualTypeOf<Float64Array>();
    expectTypeOf(map2(mul, f, a)).toEqualTypeOf<Float64Array>();
    expectTypeOf(map2(mul, a, f)).toEqualTypeOf<number[]>();
    expectTypeOf(scanl(mul, 1, f)).toEqualTypeOf<Float64Array>();
    expectTypeOf(scanr(mul, 1, r)).toEqualTypeOf<number[]>();
    expectTypeOf(shift1L(f)).toEqualTypeOf<Float64Array>();
    expectTypeOf(shift1R(r)).toEqualTypeOf<number[]>();
    expectTypeOf(zerosLike(f)).toEqualTypeOf<Float64Array>();
    expectTypeOf(onesLike(rows)).toEqualTypeOf<number[][]>();
    expectTypeOf(zerosLike(r)).toEqualTypeOf<number[]>();
    for (const value of [sum(a), prod(f), dot(a, f), size(ps)])
      expectTypeOf(value).toEqualTypeOf<number>();
  };
  expectTypeOf(never).toBeFunction();
});

test("elements", () => {
  const never = (): void => {
    expectTypeOf(map((p) => p.x, ps)).toEqualTypeOf<number[]>();
    expectTypeOf(map((x) => ({ x }), a)).toEqualTypeOf<{ x: number }[]>();
    expectTypeOf(map2((p, x) => p.x * x, ps, a)).toEqualTypeOf<number[]>();
    expectTypeOf(map2((row, x) => dot(row, row) * x, rows, f)).toEqualTypeOf<number[]>();
    expectTypeOf(map2((x, row) => dot(row, row) * x, f, rows)).toEqualTypeOf<Float64Array>();
    expectTypeOf(reduce((x, y) => map2(mul, x, y), a, rows)).toEqualTypeOf<number[]>();
    expectTypeOf(foldl((s, p) => ({ x: s.x + p.x }), { x: 0 }, ps)).toEqualTypeOf<{ x: number }>();
    expectTypeOf(foldl((s, x) => s + x, 0, f)).toEqualTypeOf<number>();
    expectTypeOf(scanl((s, p) => ({ x: s.x + p.x }), { x: 0 }, ps)).toEqualTypeOf<
      { x: number }[]
    >();
    expectTypeOf(build(3, (i) => ({ i }))).toEqualTypeOf<{ i: number }[]>();
    expectTypeOf(nTimes(3, 1, (s) => 2 * s)).toEqualTypeOf<number>();
    expectTypeOf(ccl(3, "", (i, s) => s + i)).toEqualTypeOf<string>();
  };
  expectTypeOf(never).toBeFunction();
});

test("what is not", () => {
  const never = (): void => {
    // @ts-expect-error: no numbers
    sum(ps);
    // @ts-expect-error: a Float64Array holds numbers
    map((x) => ({ x }), f);
    // @ts-expect-error: no such field
    map((p) => p.z, ps);
    // @ts-expect-error -- strings
    dot(["a"], a);
    // @ts-expect-error: zeros of records are not made here
    zerosLike(ps);
  };
  expectTypeOf(never).toBeFunction();
});
