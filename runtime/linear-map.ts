// Linear maps between tangent spaces, after §2 of the ksc notes. A map is the pair of functions `m
// ⊙ s` and `t ⊙R m`, never a matrix. Above a method is its law of Figure 4, and below of Figure 5.

import { numbersAlong, numbersOf } from "./tree/numbers.ts";
import type { Layout } from "./tree/parts.ts";
import { oneHot, plus, times, zeroOf } from "./tree/space.ts";

/** The parts of a map: methods, so that TypeScript infers the spaces of a tuple of maps. */
interface Parts<S, T> {
  /** `m ⊙ s` */
  apply(s: S): T;
  /** `t ⊙R m` */
  pull(t: T): S;
  /** Zeros of both spaces, constructed on demand. */
  from(): S;
  to(): T;
  /** Absent: `S` is a space of tangents. */
  readonly seeds?: Seeds;
}

/** Which arguments are cotangents, with separate numbers for each place of a shared object. */
interface Seeds {
  readonly from: boolean;
  readonly to: boolean;
}

export const FORWARD: Seeds = { from: false, to: true };

/** What the Delta engine knows a map by. */
export interface Inside {
  readonly parts: Parts<unknown, unknown>;
  readonly layout: Layout;
}

const insides = /* @__PURE__ */ new WeakMap<object, Inside>();
export const insideOf = (map: object): Inside | undefined => insides.get(map);

/**
 * A linear map `S ⊸ T`: the effect of small changes of a function's arguments on its result.
 *
 * `linearize` returns one. `S` and `T` are spaces of tangents: numbers, arrays, typed arrays,
 * tuples, records and Maps of them. A map holds no matrix: it is applied by running derivative
 * code, and composed by running one map after the other. Every operator returns a new map.
 *
 * ksc notes §2.1, Figures 3 (operators), 4 (semantics and properties) and 5 (transposition).
 *
 * @example
 * const [value, map] = linearize((x: number, y: number): number => x * y)(3, 4);
 * value; // 12
 * map.apply([1, 0]); // 4
 * map.transpose().apply(1); // [4, 3]
 * map.toMatrix(); // [[4, 3]]
 */
export class LinearMap<S, T> {
  readonly #parts: Parts<S, T>;
  readonly #layout: Layout;

  /**
   * Takes a linear function, its transpose, and zeros of both spaces. `layout` names the fields
   * that are not numbers of these spaces. Usually called by `linearize` and the operators.
   */
  constructor(parts: Parts<S, T>, layout: Layout = {}) {
    this.#parts = parts;
    this.#layout = layout;
    insides.set(this, { parts, layout });
  }

  /** `m ⊙ s`: the tangent of the result for a tangent of the arguments. Figure 3, Apply. */
  apply(tangent: S): T {
    return this.#parts.apply(tangent);
  }

  /** `t ⊙R m` = `mᵀ ⊙ t`: the arguments' cotangent for the result's. Figure 3, Reverse apply. */
  applyReverse(cotangent: T): S {
    return this.#parts.pull(cotangent);
  }

  /** `mᵀ : T ⊸ S`, with `(mᵀ ⊙ t) • s = t • (m ⊙ s)`. Figure 3, Transpose; `(mᵀ)ᵀ = m`. */
  transpose(): LinearMap<T, S> {
    const { apply, pull, from, to, seeds = FORWARD } = this.#parts;
    return new LinearMap(
      { apply: pull, pull: apply, from: to, to: from, seeds: { from: seeds.to, to: seeds.from } },
      this.#layout,
    );
  }

  /** `this ∘ inner`: first `inner`, then this map. Figure 3, Compose. */
  compose<R>(inner: LinearMap<R, S>): LinearMap<R, T> {
    const m = this.#parts;
    const n = inner.#parts;
    return new LinearMap<R, T>(
      {
        // (m1 ∘ m2) ⊙ x = m1 ⊙ (m2 ⊙ x)
        apply: (r) => m.apply(n.apply(r)),
        // r ⊙R (m1 ∘ m2) = (r ⊙R m1) ⊙R m2
        pull: (t) => n.pull(m.pull(t)),
        from: n.from,
        to: m.to,
        seeds: { from: (n.seeds ?? FORWARD).from, to: (m.seeds ?? FORWARD).to },
      },
      both(this.#layout, inner.#layout),
    );
  }

  /** `this ⊕ other`: the sum of two maps between the same spaces. Figure 3, Sum. */
  add(other: LinearMap<S, T>): LinearMap<S, T> {
    const m = this.#parts;
    const n = other.#parts;
    const layout = both(this.#layout, other.#layout);
    return new LinearMap<S, T>(
      {
        // (m1 ⊕ m2) ⊙ x = (m1 ⊙ x) + (m2 ⊙ x)
        apply: (s) => plus(m.apply(s), n.apply(s), layout),
        // r ⊙R (m1 ⊕ m2) = (r ⊙R m1) + (r ⊙R m2)
        pull: (t) => plus(m.pull(t), n.pull(t), layout),
        from: m.from,
        to: m.to,
        seeds: m.seeds ?? FORWARD,
      },
      layout,
    );
  }

  /** `S(k) ∘ this`. */
  scale(k: number): LinearMap<S, T> {
    const { apply, pull, from, to, seeds = FORWARD } = this.#parts;
    const layout = this.#layout;
    return new LinearMap<S, T>(
      {
        apply: (s) => times(k, apply(s), layout),
        pull: (t) => times(k, pull(t), layout),
        from,
        to,
        seeds,
      },
      layout,
    );
  }

  /**
   * The matrix: a row per number of the result, a column per number of the arguments, in the order
   * of the derivatives. A shared object counts once. Runs the map once per column, or its transpose
   * once per row if there are fewer rows. ksc notes §2.5.
   */
  toMatrix(): number[][] {
    const { apply, pull, seeds = FORWARD } = this.#parts;
    const layout = this.#layout;
    const from = this.#parts.from();
    const to = this.#parts.to();
    const width = numbersOf(from, layout).length;
    const height = numbersOf(to, layout).length;
    if (height < width)
      return Array.from({ length: height }, (_, r) =>
        numbersAlong(from, pull(oneHot(to, r, { ...layout, isApart: seeds.to })), layout),
      );
    const columns = Array.from({ length: width }, (_, c) =>
      numbersAlong(to, apply(oneHot(from, c, { ...layout, isApart: seeds.from })), layout),
    );
    return Array.from({ length: height }, (_, r) => columns.map((column) => column[r] ?? 0));
  }

  /** `0 : S ⊸ T`, between the spaces of two values. Figure 3, Zero. */
  static zero<S, T>(from: S, to: T): LinearMap<S, T> {
    // 0 ⊙ x = 0
    // r ⊙R 0 = 0
    return new LinearMap({
      apply: () => zeroOf(to),
      pull: () => zeroOf(from),
      from: () => zeroOf(from),
      to: () => zeroOf(to),
    });
  }

  /** `1 : S ⊸ S`, of the space of a value. Figure 3, Unit. */
  static identity<S>(like: S): LinearMap<S, S> {
    // 1 ⊙ x = x
    // r ⊙R 1 = r
    return new LinearMap<S, S>({
      apply: (s) => s,
      pull: (t) => t,
      from: () => zeroOf(like),
      to: () => zeroOf(like),
    });
  }

  /** `S(k) : S ⊸ S`: `k` times, in the space of a value. Figure 3, Scale. */
  static scale<S>(k: number, like: S): LinearMap<S, S> {
    // S(k) ⊙ x = k * x
    // r ⊙R S(k) = k * r
    return new LinearMap<S, S>({
      apply: (s) => times(k, s),
      pull: (t) => times(k, t),
      from: () => zeroOf(like),
      to: () => zeroOf(like),
    });
  }

  /** `m1 × m2 : S ⊸ (T1, T2)`, of any number of maps: their results as a tuple. Figure 3, VCat. */
  static vert<S, Ts extends readonly [unknown, ...unknown[]]>(
    ...maps: { [K in keyof Ts]: LinearMap<S, Ts[K]> }
  ): LinearMap<S, Ts>;
  static vert(...maps: readonly LinearMap<unknown, unknown>[]): LinearMap<unknown, unknown[]> {
    return LinearMap.vertAll(maps);
  }

  /**
   * `m1 ⋈ m2 : (S1, S2) ⊸ T`, of any number of maps: the sum of their results, each for its part of
   * a tuple. Figure 3, HCat.
   */
  static hori<Ss extends readonly [unknown, ...unknown[]], T>(
    ...maps: { [K in keyof Ss]: LinearMap<Ss[K], T> }
  ): LinearMap<Ss, T>;
  static hori(...maps: readonly LinearMap<unknown, unknown>[]): LinearMap<unknown[], unknown> {
    return LinearMap.horiAll(maps);
  }

  /**
   * `V(m) : S ⊸ Vec T`. Figure 3, VCatV. Of no maps, `like` says what the space `S` is.
   *
   * @throws Error if there is neither a map nor `like`.
   */
  static vertAll<S, T>(maps: readonly LinearMap<S, T>[], like?: S): LinearMap<S, T[]> {
    if (maps.length === 0 && like !== undefined) return LinearMap.zero<S, T[]>(like, []);
    const first = firstOf(maps);
    const layout = maps.map((m) => m.#layout).reduce(both);
    return new LinearMap<S, T[]>(
      {
        // V(m) ⊙ x = build(sz(m), λi. m[i] ⊙ x)
        apply: (s) => maps.map((m) => m.apply(s)),
        // r ⊙R V(v) = Σi (r[i] ⊙R v[i])
        pull: (t) =>
          sum(
            maps.map((m, i) => m.applyReverse(componentOf(t, i, maps.length))),
            layout,
          ),
        from: () => first.#parts.from(),
        to: () => maps.map((m) => m.#parts.to()),
        seeds: first.#parts.seeds ?? FORWARD,
      },
      layout,
    );
  }

  /**
   * `H(m) : Vec S ⊸ T`. Figure 3, HCatV. Of no maps, `like` says what the space `T` is.
   *
   * @throws Error if there is neither a map nor `like`.
   */
  static horiAll<S, T>(maps: readonly LinearMap<S, T>[], like?: T): LinearMap<S[], T> {
    // V(v)ᵀ = H(map (·)ᵀ v)
    return LinearMap.vertAll(
      maps.map((m) => m.transpose()),
      like,
    ).transpose();
  }
}

export const both = (a: Layout, b: Layout): Layout =>
  b.tags === undefined ? a : { tags: [...(a.tags ?? []), ...b.tags] };

function firstOf<A>(list: readonly A[]): A {
  const [first] = list;
  if (first === undefined)
    throw new Error(
      "a juxtaposition needs at least one linear map, or a second argument, which says what its spaces are",
    );
  return first;
}

function sum<S>(terms: readonly S[], layout: Layout): S {
  return terms.slice(1).reduce((total, term) => plus(total, term, layout), firstOf(terms));
}

/** One component of a vector, which must have `count` of them. */
export function componentOf<A>(vector: readonly A[], i: number, count: number): A {
  const component = vector[i];
  if (vector.length !== count || component === undefined)
    throw new Error(
      `a vector of ${vector.length} components is given to a linear map with ${count}`,
    );
  return component;
}
