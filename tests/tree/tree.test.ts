// tsgrad/tree where random values do not lead: depth, number tags, what does not fit, extremes,
// classes, views of integers, and gradients as both conventions of sharing give them.

import { describe, expect, test } from "vitest";
import { axpy, dot, map, norm, ravel, reduce, unravel, zip } from "../../runtime/tree/index.ts";

interface List {
  value: number;
  next: List | null;
}
const chain = (length: number): List => {
  let list: List = { value: 1, next: null };
  for (let i = 1; i < length; i++) list = { value: 1, next: list };
  return list;
};

describe("depth", () => {
  const length = 100_000;
  const long = chain(length);
  test("a linked list of 100,000 nodes", () => {
    expect(dot(long, long)).toBe(length);
    expect(norm(axpy(3, long, long))).toBeCloseTo(4 * Math.sqrt(length), 8);
    expect(ravel(long, long)).toEqual(ravel(long));
    expect(reduce((sum, x) => sum + x, 0, unravel(ravel(long).fill(2), long))).toBe(2 * length);
    const both = { one: long, other: long };
    const parts = { one: chain(length), other: chain(length) };
    expect(dot(both, parts)).toBe(2 * length);
    expect(ravel(parts, both)).toEqual(new Float64Array(length).fill(2));
  });
  test("numbers after what nests, as deep", () => {
    let nested: unknown = [];
    for (let i = 0; i < length; i++) nested = { inner: nested, value: 1 };
    expect(
      reduce(
        (sum, x) => sum + x,
        0,
        map((x) => 2 * x, nested),
      ),
    ).toBe(2 * length);
  });
  test("a lattice in which each object is shared counts each once", () => {
    let at: unknown = { value: 1 };
    for (let i = 0; i < 60; i++) at = { left: at, right: at, value: 1 };
    expect(dot(at, at)).toBe(61);
    expect(dot(at, unravel(ravel(at), at))).toBe(61);
    expect(
      ravel(
        at,
        map((x) => x, at),
      ),
    ).toHaveLength(61);
  });
  test("a ring", () => {
    const ring: List = { value: 2, next: null };
    ring.next = { value: 3, next: ring };
    const twice = axpy(1, ring, ring);
    expect([twice.value, twice.next?.value, twice.next?.next === twice]).toEqual([4, 6, true]);
    expect(dot(ring, twice)).toBe(26);
  });
});

describe("number tags", () => {
  const options = { tags: ["kind"] };
  const shape = [
    { kind: 1, r: 2 },
    { kind: 2, a: 3, b: 4 },
  ] as ({ kind: 1; r: number } | { kind: 2; a: number; b: number })[];
  test("stay as they are", () => {
    expect(ravel(shape, shape, options)).toEqual(Float64Array.of(2, 3, 4));
    const doubled = [
      { kind: 1, r: 4 },
      { kind: 2, a: 6, b: 8 },
    ];
    expect(map((x) => 2 * x, shape, options)).toEqual(doubled);
    expect(axpy(1, shape, shape, options)).toEqual(doubled);
    expect(zip((x, y) => x + y, [shape, shape], options)).toEqual(doubled);
    expect(unravel([4, 6, 8], shape, options)).toEqual(doubled);
    expect(dot(shape, shape, options)).toBe(29);
    expect(norm(shape, options)).toBeCloseTo(Math.sqrt(29), 12);
    const [circle] = shape;
    const twice = [circle, circle];
    const parts = [
      { kind: 1, r: 1 },
      { kind: 1, r: 2 },
    ];
    expect(ravel(parts as typeof twice, twice, options)).toEqual(Float64Array.of(3));
  });
});

describe("gradients leave out what has no derivative", () => {
  const shape: { name: string; w?: number[]; rate?: number; m: Map<string, number>; any: unknown } =
    {
      name: "a",
      w: [1, 2],
      m: new Map([
        ["x", 5],
        ["y", 6],
      ]),
      any: 7,
    };
  const gradient = { w: [3, 4], rate: 0, m: new Map([["x", 1]]) };
  test("and extra numbers of theirs have no place", () => {
    expect(axpy(1, gradient, shape)).toEqual({
      name: "a",
      w: [4, 6],
      m: new Map([
        ["x", 6],
        ["y", 6],
      ]),
      any: 7,
    });
    expect(ravel(gradient, shape)).toEqual(Float64Array.of(3, 4, 1, 0, 0));
    expect(dot(shape, gradient)).toBe(16);
    expect(dot(gradient, shape)).toBe(16);
    expect(zip(() => 9, [shape, { ...gradient, w: undefined }]).w).toEqual([1, 2]);
  });
});

describe("classes, integers and single precision", () => {
  class Ball {
    static made = 0;
    readonly tag: symbol = Symbol.for("ball");
    r: number;
    readonly at: Float32Array;
    constructor(r: number, at: Float32Array) {
      Ball.made++;
      this.r = r;
      this.at = at;
    }
    area(): number {
      return this.r ** 2;
    }
  }
  test("a copy is of the same class, and no constructor runs", () => {
    const ball = Object.assign(new Ball(2, Float32Array.of(0.5)), { [Symbol.for("s")]: 4 });
    const before = Ball.made;
    const moved = axpy(0.5, { r: 2, at: Float32Array.of(1) }, ball);
    expect(moved).toBeInstanceOf(Ball);
    expect([moved.area(), [...moved.at], moved[Symbol.for("s")], Ball.made]).toEqual([
      9,
      [1],
      4,
      before,
    ]);
    expect(ball.r).toBe(2);
  });
  test("frozen trees are read", () => {
    const frozen = Object.freeze({ w: Object.freeze([1, 2]) });
    const moved = axpy(1, { w: [1, 1] }, frozen);
    expect([moved, Object.isFrozen(moved)]).toEqual([{ w: [2, 3] }, false]);
  });
  test("kinds of typed arrays stay", () => {
    const views = [
      Int8Array,
      Uint8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
      Float32Array,
      Float64Array,
    ];
    for (const View of views) {
      const tree = { view: View.of(1, 2) };
      expect(map((x) => x + 1, tree).view).toEqual(View.of(2, 3));
    }
    const big = { view: new BigInt64Array(0) };
    expect(map((x) => x, big).view).toBe(big.view);
  });
});

describe("what does not fit is an error with its place", () => {
  const tree: unknown = { w: [1, [2]], m: new Map([["a", { b: 1 }]]), n: 3 };
  test.each<[unknown, string, typeof TypeError | typeof RangeError]>([
    [{ w: [1, [2, 3]] }, "trees do not fit: 2 elements at `w[1]`, not 1", RangeError],
    [{ w: [1] }, "trees do not fit: 1 elements at `w`, not 2", RangeError],
    [{ w: { 0: 1 } }, "trees do not fit: an object at `w`, not an array", TypeError],
    [{ m: { a: 1 } }, "trees do not fit: an object at `m`, not a Map", TypeError],
    [{ m: new Map([["a", 3]]) }, 'trees do not fit: a number at `m.get("a")`', TypeError],
    [{ n: "3" }, "trees do not fit: a string at `n`, not a number", TypeError],
    [{ n: [3] }, "trees do not fit: an array at `n`, not a number", TypeError],
    [[1], "trees do not fit: an array at the root, not an object", TypeError],
    [{ n: new Date(3) }, "trees do not fit: another object at `n`, not a number", TypeError],
  ])("%o", (other, message, Kind) => {
    const calls = [
      (): unknown => zip((x, y) => x + y, [tree, other]),
      (): unknown => axpy(1, other, tree),
      (): unknown => dot(tree, other),
      (): unknown => ravel(other, tree),
    ];
    for (const call of calls) {
      expect(call).toThrow(Kind);
      expect(call).toThrow(message);
    }
  });
  test("a vector of another length", () => {
    const message = "the vector has 2 numbers, the tree 3";
    expect(() => unravel([1, 2], { w: [1, 2], b: 3 })).toThrow(message);
  });
});

test("norm neither overflows nor underflows", () => {
  expect(norm([3e200, 4e200]) / 5e200).toBeCloseTo(1, 14);
  expect(norm([3e-200, 4e-200]) / 5e-200).toBeCloseTo(1, 14);
  expect(norm([3, Infinity])).toBe(Infinity);
  expect(norm([3, NaN])).toBeNaN();
  expect(norm({})).toBe(0);
});

test("numbers alone are trees", () => {
  expect([map((x) => x + 1, 2), axpy(2, 3, 4), dot(2, 3), norm(-2)]).toEqual([3, 10, 6, 2]);
  expect([...ravel(5), unravel([6], 5), zip((x, y) => x - y, [5, 3])]).toEqual([5, 6, 2]);
  expect(zip((x, y, z, u) => x - y * z + u, [5, 3, 2, 7])).toBe(6);
  expect(zip((x) => x + 1, [{ x: 1 }])).toEqual({ x: 2 });
});
