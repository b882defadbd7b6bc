// The types of tangents and dense derivatives. Type-level only. `Jacobian<R, T>` drops from R what
// `Cotangent<R>` drops, so that the generated code and the user see one shape.

import type {
  Aggregates,
  Cotangent,
  HasNumbers,
  IsAny,
  IsLiteral,
  IsNumberLiteral,
  IsUnion,
  Leaf,
  NumberArray,
} from "./cotangent.ts";

/**
 * The tangent of a value of type `T`: the shape of `T` with a derivative in place of each number.
 *
 * The same type as {@link Cotangent}. ksc notes §2 (`δT`).
 *
 * @example
 * type D = Tangent<{ name: string; w: readonly number[] }>; // { w: number[] }
 */
export type Tangent<T> = Cotangent<T>;

/**
 * The tangents that `jvp` takes after the arguments: one per argument.
 *
 * `undefined` for an argument without numbers; optional if the argument is optional.
 *
 * @example
 * type D = Tangents<[Float64Array, string, number]>; // [Float64Array, undefined, number]
 */
export type Tangents<P extends readonly unknown[]> = {
  [K in keyof P]: HasNumbers<P[K]> extends true ? Tangent<P[K]> : undefined;
};

/**
 * The dense derivative of a result of type `R` by an argument of type `T`.
 *
 * It has the shape of `R` with a `Cotangent<T>` in place of each number. Typed arrays in `R` become
 * plain arrays. A number that may be absent from `R` may be absent here. What `Cotangent<R>` drops
 * is dropped here.
 *
 * Krawiec et al. §11 (arbitrary argument and result types).
 *
 * @example
 * type Slope = Jacobian<number, { w: number[]; b: number }>; // { w: number[]; b: number }
 * type Matrix = Jacobian<Float64Array, number[]>; // number[][]
 * type H = Jacobian<{ w: number[]; b: number }, number>; // { w: number[]; b: number }
 */
export type Jacobian<R, T> = Filled<R, Cotangent<T>>;

/** The shape of `R` with a `D` in place of each number. */
type Filled<R, D> =
  IsAny<R> extends true
    ? unknown
    : HasNumbers<R> extends false
      ? never
      : [R] extends [number]
        ? D
        : | Member<Exclude<R, null | undefined>, IsUnion<Aggregates<R>>, D>
          | (R extends null | undefined ? undefined : never);

type Member<R, Tagged, D> = R extends number
  ? D
  : R extends NumberArray
    ? D[]
    : R extends ReadonlyMap<infer K, infer V>
      ? HasNumbers<V> extends true
        ? Map<K, Filled<V, D>>
        : never
      : R extends Leaf
        ? never
        : R extends readonly unknown[]
          ? HasNumbers<R> extends true
            ? FilledElements<R, D>
            : never
          : R extends object
            ? Fields<{
                -readonly [
                  K in keyof R as HasNumbers<R[K]> extends true
                    ? K
                    : IsTag<R[K], Tagged> extends true
                      ? K
                      : never
                ]: IsTag<R[K], Tagged> extends true
                  ? R[K]
                  : HasNumbers<R[K]> extends true
                    ? Filled<R[K], D>
                    : R[K];
              }>
            : never;

type FilledElements<R extends readonly unknown[], D> =
  readonly R[number][] extends Readonly<R>
    ? Filled<R[number], D>[]
    : { -readonly [K in keyof R]: HasNumbers<R[K]> extends true ? Filled<R[K], D> : R[K] };

type IsTag<V, Tagged> = Tagged extends true
  ? IsNumberLiteral<V> extends true
    ? true
    : IsLiteral<V>
  : false;

/** Shows an intersection as one object type. */
type Fields<T> = T extends infer All ? { [K in keyof All]: All[K] } : never;

declare const carried: unique symbol;

/**
 * A function value that carries its derivative: the result of `differentiable`.
 *
 * Use it as a parameter type in code that the build cannot see into and that differentiates a
 * function. Any other function is then a type error.
 *
 * @example
 * const at = (f: Differentiable<(x: number) => number>, x: number): number => f(x);
 * at(differentiable((x: number): number => (x - 2) ** 2), 0); // 4
 */
export type Differentiable<F extends (...args: never) => unknown> = F & {
  readonly [carried]: true;
};
