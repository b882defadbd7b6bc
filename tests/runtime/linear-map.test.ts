// The laws of linear maps of the ksc notes, Figures 4 and 5, and reverse application, on random maps. Numbers are small integers: no rounding, so maps
// that are equal give equal numbers. Two maps are compared by what they do to vectors, and by their matrices (Theorem 2.2).

import { describe, expect, test } from "vitest";
import { LinearMap } from "../../runtime/linear-map.ts";
import { rebuilt } from "../../runtime/tree/build.ts";
import { numbersOf } from "../../runtime/tree/numbers.ts";
import { dot, plus, times, zeroOf } from "../../runtime/tree/space.ts";

/** Integers in -4…4; the seed is in the test's name. */
function integers(seed: number): () => number {
  let state = seed * 2654435761 + 12345;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return ((state >>> 8) % 9) - 4;
  };
}

type Next = () => number;
const vector = (next: Next, n: number): number[] => Array.from({ length: n }, next);

/** Values of several spaces: the laws hold whatever the numbers stand in. */
const SPACES: readonly ((next: Next) => unknown)[] = [
  (next) => next(),
  (next) => vector(next, 3),
  (next) => Float64Array.from(vector(next, 2)),
  (next) => ({ w: vector(next, 2), b: next() }),
  (next) => [next(), { a: [next()] }],
  (next) =>
    new Map([
      ["x", next()],
      ["y", next()],
    ]),
  (next) => {
    const shared = vector(next, 2);
    return { one: shared, other: shared };
  },
];

/** A map of random integer entries between the spaces of two values; as functions, as derivative code is. */
function randomMap(next: Next, from: unknown, to: unknown): LinearMap<unknown, unknown> {
  const rows = numbersOf(to).map(() => numbersOf(from).map(next));
  const product = (matrix: readonly (readonly number[])[], x: unknown, like: unknown): unknown => {
    const numbers = numbersOf(x);
    return rebuilt(like, (i) =>
      (matrix[i] ?? []).reduce((sum, k, j) => sum + k * (numbers[j] ?? 0), 0),
    );
  };
  const transposed = numbersOf(from).map((_, j) => rows.map((row) => row[j] ?? 0));
  return new LinearMap({
    apply: (s) => product(rows, s, to),
    pull: (t) => product(transposed, t, from),
    from: () => zeroOf(from),
    to: () => zeroOf(to),
  });
}

/** Without the sign of zeros, which `k * 0` has and `0` has not. */
const plain = (value: unknown): unknown =>
  rebuilt(value, (i) => (numbersOf(value)[i] ?? NaN) + 0, { leaves: "all" });

const seeds = Array.from({ length: 40 }, (_, i) => i + 1);

/** What a law is about: values `r`, `s`, `t` of three spaces, maps between them, and numbers. */
function scene(seed: number) {
  const next = integers(seed);
  const space = (offset: number): unknown =>
    SPACES[
      (seed * (offset + 1) + Math.floor(seed / SPACES.length) * offset + offset) % SPACES.length
    ]?.(next);
  const r = space(0);
  const s = space(1);
  const t = space(2);
  return {
    next,
    r,
    s,
    t,
    k: next(),
    l: next(),
    m: randomMap(next, s, t),
    m2: randomMap(next, s, t),
    m3: randomMap(next, s, r),
    n: randomMap(next, r, s),
    n2: randomMap(next, r, s),
    o: randomMap(next, t, r),
    fromR: randomMap(next, r, t),
    /** Whether two maps from `from` to `to` are one. */
    same: (
      a: LinearMap<unknown, unknown>,
      b: LinearMap<unknown, unknown>,
      from: unknown,
      to: unknown,
    ): void => {
      for (let i = 0; i < 3; i++) {
        const x = rebuilt(from, next);
        const y = rebuilt(to, next);
        expect(plain(a.apply(x))).toEqual(plain(b.apply(x)));
        expect(plain(a.applyReverse(y))).toEqual(plain(b.applyReverse(y)));
      }
      expect(plain(a.toMatrix())).toEqual(plain(b.toMatrix()));
    },
  };
}

type Scene = ReturnType<typeof scene>;
const wide = <S, T>(map: LinearMap<S, T>): LinearMap<unknown, unknown> => {
  // the scene's maps are between spaces that only the seed knows
  const untyped: unknown = map;
  if (untyped instanceof LinearMap) return untyped;
  throw new Error("not a map");
};

const FIGURE_4: readonly (readonly [string, (scene: Scene) => void])[] = [
  [
    "0 ∘ m = 0",
    ({ m, r, s, t, same }) => same(LinearMap.zero(t, r).compose(m), LinearMap.zero(s, r), s, r),
  ],
  [
    "m ∘ 0 = 0",
    ({ m, r, s, t, same }) => same(m.compose(LinearMap.zero(r, s)), LinearMap.zero(r, t), r, t),
  ],
  ["1 ∘ m = m", ({ m, s, t, same }) => same(LinearMap.identity(t).compose(m), m, s, t)],
  ["m ∘ 1 = m", ({ m, s, t, same }) => same(m.compose(LinearMap.identity(s)), m, s, t)],
  ["m ⊕ 0 = m", ({ m, s, t, same }) => same(m.add(LinearMap.zero(s, t)), m, s, t)],
  ["0 ⊕ m = m", ({ m, s, t, same }) => same(LinearMap.zero(s, t).add(m), m, s, t)],
  [
    "m ∘ (n1 ⋈ n2) = (m ∘ n1) ⋈ (m ∘ n2)",
    ({ m, n, n2, r, t, same }) =>
      same(
        wide(m.compose(LinearMap.hori(n, n2))),
        wide(LinearMap.hori(m.compose(n), m.compose(n2))),
        [r, rebuilt(r, () => 1)],
        t,
      ),
  ],
  [
    "(m1 × m2) ∘ n = (m1 ∘ n) × (m2 ∘ n)",
    ({ m, m3, n, r, t, same }) =>
      same(
        wide(LinearMap.vert(m, m3).compose(n)),
        wide(LinearMap.vert(m.compose(n), m3.compose(n))),
        r,
        [t, rebuilt(r, () => 1)],
      ),
  ],
  [
    "(m1 ⋈ m2) ∘ (n1 × n2) = (m1 ∘ n1) ⊕ (m2 ∘ n2)",
    ({ m, m2, n, n2, r, t, same }) =>
      same(
        LinearMap.hori(m, m2).compose(LinearMap.vert(n, n2)),
        m.compose(n).add(m2.compose(n2)),
        r,
        t,
      ),
  ],
  [
    "S(k1) ∘ S(k2) = S(k1 * k2)",
    ({ k, l, s, same }) =>
      same(LinearMap.scale(k, s).compose(LinearMap.scale(l, s)), LinearMap.scale(k * l, s), s, s),
  ],
  [
    "S(k1) ⊕ S(k2) = S(k1 + k2)",
    ({ k, l, s, same }) =>
      same(LinearMap.scale(k, s).add(LinearMap.scale(l, s)), LinearMap.scale(k + l, s), s, s),
  ],
  [
    "m.scale(k) = S(k) ∘ m",
    ({ k, m, s, t, same }) => same(m.scale(k), LinearMap.scale(k, t).compose(m), s, t),
  ],
  [
    "(m ∘ n) ∘ o = m ∘ (n ∘ o)",
    ({ m, n, o, t, same }) => same(m.compose(n).compose(o), m.compose(n.compose(o)), t, t),
  ],
];

const FIGURE_5: readonly (readonly [string, (scene: Scene) => void])[] = [
  [
    "(m1 ∘ m2)ᵀ = m2ᵀ ∘ m1ᵀ",
    ({ m, n, r, t, same }) =>
      same(m.compose(n).transpose(), n.transpose().compose(m.transpose()), t, r),
  ],
  [
    "(m1 × m2)ᵀ = m1ᵀ ⋈ m2ᵀ",
    ({ m, m3, r, s, t, same }) =>
      same(
        wide(LinearMap.vert(m, m3).transpose()),
        wide(LinearMap.hori(m.transpose(), m3.transpose())),
        [t, rebuilt(r, () => 1)],
        s,
      ),
  ],
  [
    "(m1 ⋈ m2)ᵀ = m1ᵀ × m2ᵀ",
    ({ m, fromR, r, s, t, same }) =>
      same(
        wide(LinearMap.hori(m, fromR).transpose()),
        wide(LinearMap.vert(m.transpose(), fromR.transpose())),
        t,
        [s, r],
      ),
  ],
  [
    "(m1 ⊕ m2)ᵀ = m1ᵀ ⊕ m2ᵀ",
    ({ m, m2, s, t, same }) => same(m.add(m2).transpose(), m.transpose().add(m2.transpose()), t, s),
  ],
  [
    "0ᵀ = 0",
    ({ s, t, same }) => same(LinearMap.zero(s, t).transpose(), LinearMap.zero(t, s), t, s),
  ],
  ["1ᵀ = 1", ({ s, same }) => same(LinearMap.identity(s).transpose(), LinearMap.identity(s), s, s)],
  [
    "S(k)ᵀ = S(k)",
    ({ k, s, same }) => same(LinearMap.scale(k, s).transpose(), LinearMap.scale(k, s), s, s),
  ],
  ["(mᵀ)ᵀ = m", ({ m, s, t, same }) => same(m.transpose().transpose(), m, s, t)],
  [
    "V(v)ᵀ = H(map (·)ᵀ v)",
    ({ m, m2, s, t, same }) =>
      same(
        wide(LinearMap.vertAll([m, m2]).transpose()),
        wide(LinearMap.horiAll([m.transpose(), m2.transpose()])),
        [t, rebuilt(t, () => 1)],
        s,
      ),
  ],
  [
    "H(v)ᵀ = V(map (·)ᵀ v)",
    ({ m, m2, s, t, same }) =>
      same(
        wide(LinearMap.horiAll([m, m2]).transpose()),
        wide(LinearMap.vertAll([m.transpose(), m2.transpose()])),
        t,
        [s, rebuilt(s, () => 1)],
      ),
  ],
];

describe.each([
  ["Figure 4", FIGURE_4],
  ["Figure 5", FIGURE_5],
] as const)("%s", (_, laws) => {
  test.each(laws)("%s", (__, law) => {
    for (const seed of seeds) law(scene(seed));
  });
});

describe("definitions", () => {
  test.each(seeds)("(LM1), (LM2), (TP), seed %i", (seed) => {
    const { m, s, t, k, next } = scene(seed);
    const x = rebuilt(s, next);
    const y = rebuilt(s, next);
    const z = rebuilt(t, next);
    expect(plain(m.apply(plus(x, y)))).toEqual(plain(plus(m.apply(x), m.apply(y))));
    expect(plain(times(k, m.apply(x)))).toEqual(plain(m.apply(times(k, x))));
    expect(dot(m.transpose().apply(z), x)).toBe(dot(z, m.apply(x)));
  });

  test("Figure 4's semantics of juxtaposition", () => {
    const twice = LinearMap.scale(2, 0);
    const thrice = LinearMap.scale(3, 0);
    expect(LinearMap.vert(twice, thrice).apply(5)).toEqual([10, 15]);
    expect(LinearMap.hori(twice, thrice).apply([5, 7])).toBe(31);
    expect(LinearMap.vertAll([twice, thrice, twice]).apply(1)).toEqual([2, 3, 2]);
    expect(LinearMap.horiAll([twice, thrice, twice]).apply([1, 10, 100])).toBe(232);
    expect(LinearMap.hori(twice, thrice).applyReverse(1)).toEqual([2, 3]);
  });

  test("a matrix has a row per number of the result", () => {
    const map = LinearMap.hori(
      LinearMap.vert(LinearMap.scale(1, 0), LinearMap.scale(2, 0)),
      LinearMap.vert(LinearMap.scale(3, 0), LinearMap.scale(4, 0)),
    );
    expect(map.toMatrix()).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(map.transpose().toMatrix()).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("it runs over the smaller side", () => {
    let runs = 0;
    const long = Array.from({ length: 50 }, () => 0);
    const total = new LinearMap<number[], number>({
      apply: (s) => {
        runs++;
        return s.reduce((a, b) => a + b, 0);
      },
      pull: (t) => {
        runs++;
        return long.map(() => t);
      },
      from: () => long,
      to: () => 0,
    });
    expect(total.toMatrix()).toEqual([long.map(() => 1)]);
    expect(total.transpose().toMatrix()).toEqual(long.map(() => [1]));
    expect(runs).toBe(2);
  });
});

describe("what does not fit", () => {
  test("a vector with another number of components", () => {
    const map = LinearMap.horiAll([LinearMap.identity(0), LinearMap.identity(0)]);
    expect(() => map.apply([1])).toThrow(
      "a vector of 1 components is given to a linear map with 2",
    );
    expect(() => LinearMap.vertAll([])).toThrow("at least one linear map");
    expect(() => LinearMap.horiAll([])).toThrow("or a second argument");
  });
  test("a sum of values of different shapes", () => {
    const odd = new LinearMap<number, number[]>({
      apply: (s) => [s],
      pull: () => 0,
      from: () => 0,
      to: () => [0],
    });
    const even = new LinearMap<number, number[]>({
      apply: (s) => [s, s],
      pull: () => 0,
      from: () => 0,
      to: () => [0, 0],
    });
    expect(() => even.add(odd).apply(1)).toThrow("1 elements at the root, not 2");
    expect(() => odd.add(even).apply(1)).toThrow("2 elements at the root, not 1");
  });
});
