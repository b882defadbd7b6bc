// tsgrad/tree on random values: its laws, against a plain recursive walk. It cannot see a fault
// that a value of a few dozen numbers does not show.

import { describe, expect, test } from "vitest";
import { axpy, dot, map, norm, ravel, reduce, unravel, zip } from "../../runtime/tree/index.ts";
import { apart, indicesOf, partsOf, randomFrom, randomTree, waysToNumbers } from "./random-tree.ts";

const numbersByWays = (value: unknown): number[] =>
  waysToNumbers(value).map(([holder, key]) =>
    holder === null ? Number(value) : Number(partsOf(holder)?.find(([k]) => k === key)?.[1]),
  );

/** What is the same object where, as text. */
function sharing(value: unknown): string {
  const ids = new Map<unknown, number>();
  const walk = (at: unknown): string => {
    const parts = partsOf(at);
    if (parts === null) return typeof at === "number" ? "n" : String(at);
    if (ids.has(at)) return `#${ids.get(at)}`;
    ids.set(at, ids.size);
    const name = Object.getPrototypeOf(at) === null ? "null" : (at as object).constructor.name;
    return `${name}(${parts.map(([key, part]) => `${String(key)}:${walk(part)}`).join()})`;
  };
  return walk(value);
}

/** A gradient with a part for each way, and the sums of the parts, as numbers of `tree`. */
function partedGradient(tree: unknown, random: () => number): { parts: unknown; sums: number[] } {
  const numbers: number[] = [];
  const parts = apart(tree, () => {
    const number = Math.fround(Math.round(random() * 64) / 64);
    numbers.push(number);
    return number;
  });
  const indices = indicesOf(tree);
  const sums = new Array<number>(Math.max(-1, ...indices) + 1).fill(0);
  indices.forEach((at, way) => (sums[at] = (sums[at] ?? 0) + (numbers[way] ?? NaN)));
  return { parts, sums };
}

describe.each(Array.from({ length: 300 }, (_, seed) => seed))("seed %i", (seed) => {
  const random = randomFrom(seed);
  const tree = randomTree(random);
  const distinct: number[] = [];
  indicesOf(tree).forEach((at, way) => (distinct[at] = numbersByWays(tree)[way] ?? NaN));

  test("ravel and unravel", () => {
    expect([...ravel(tree)]).toEqual(distinct);
    const copy = unravel(ravel(tree), tree);
    expect(sharing(copy)).toBe(sharing(tree));
    expect(copy).toEqual(tree);
    const other = distinct.map((_, i) => i + 0.5);
    expect([...ravel(unravel(other, tree))]).toEqual(other);
    expect([...ravel(tree)]).toEqual(distinct); // the tree is as it was
    expect(() => unravel([...other, 1], tree)).toThrow(RangeError);
  });
  test("map, reduce and norm", () => {
    expect(sharing(map((x) => 2 * x, tree))).toBe(sharing(tree));
    expect([...ravel(map((x) => 2 * x + 1, tree))]).toEqual(distinct.map((x) => 2 * x + 1));
    expect(reduce((so: number[], x) => [...so, x], [], tree)).toEqual(distinct);
    expect(norm(tree)).toBeCloseTo(Math.hypot(...distinct), 12);
    expect(dot(tree, tree)).toBeCloseTo(Math.hypot(...distinct) ** 2, 12);
  });
  test("beside gradients, in parts and shared", () => {
    const { parts, sums } = partedGradient(tree, random);
    const shared = unravel(sums, tree);
    for (const gradient of [parts, shared]) {
      expect([...ravel(gradient, tree)]).toEqual(sums);
      expect([...ravel(axpy(2, gradient, tree))]).toEqual(
        distinct.map((x, i) => 2 * (sums[i] ?? NaN) + x),
      );
      const product = distinct.reduce((sum, x, i) => sum + x * (sums[i] ?? NaN), 0);
      expect(dot(tree, gradient)).toBeCloseTo(product, 10);
      expect(dot(gradient, tree)).toBeCloseTo(product, 10);
      const stepped = zip((x, y, z) => x * y - z, [tree, gradient, tree]);
      expect(sharing(stepped)).toBe(sharing(tree));
      expect([...ravel(stepped)]).toEqual(distinct.map((x, i) => x * (sums[i] ?? NaN) - x));
    }
  });
});
