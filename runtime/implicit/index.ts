// `tsgrad/implicit`: solvers with derivatives by the implicit function theorem. The build
// differentiates the equation that defines the solution, not the iterations.

import { minimised } from "./argmin.ts";
import { iterated, type Limits } from "./fixed-point.ts";
import { rooted } from "./root-find.ts";
import { entriesOf, stateLike, type State } from "./state.ts";

export { solveLinear } from "./linear.ts";

/** When a solver stops. */
export interface SolveOptions {
  /** Size of the last step, relative to the largest entry of the state if that exceeds 1. */
  readonly tolerance?: number;
  /** More steps are an error. */
  readonly maxSteps?: number;
}

const limits = ({ tolerance, maxSteps }: SolveOptions, usual: Limits): Limits => ({
  tolerance: tolerance ?? usual.tolerance,
  maxSteps: maxSteps ?? usual.maxSteps,
});

/**
 * The fixed point `x` with `f(x, params) = x`, by iteration from `start`.
 *
 * `x` is a number, a `number[]` or a `Float64Array`. By the implicit function theorem, the solution
 * has a derivative with respect to `params` and to the variables that `f` captures; iterations are
 * not recorded. The derivative with respect to `start` and `options` is zero. A derivative costs
 * one forward derivative of `f` per entry of the state, and one linear system of that size. Follows
 * Estep §2-3 (`fix`).
 *
 * @throws Error `TSG0016` after `maxSteps` (10,000) steps above `tolerance` (1e-12), `TSG0018` at
 * NaN or Infinity; in derivatives `TSG0017` if the solution is not unique.
 * @example
 * fixedPoint((x) => Math.cos(x), 1); // 0.73908513321…
 */
export function fixedPoint(
  f: (x: number) => number,
  start: number,
  params?: undefined,
  options?: SolveOptions,
): number;
export function fixedPoint(
  f: (x: number[]) => number[],
  start: number[],
  params?: undefined,
  options?: SolveOptions,
): number[];
export function fixedPoint(
  f: (x: Float64Array) => Float64Array,
  start: Float64Array,
  params?: undefined,
  options?: SolveOptions,
): Float64Array;
export function fixedPoint<P>(
  f: (x: number, params: P) => number,
  start: number,
  params: P,
  options?: SolveOptions,
): number;
export function fixedPoint<P>(
  f: (x: number[], params: P) => number[],
  start: number[],
  params: P,
  options?: SolveOptions,
): number[];
export function fixedPoint<P>(
  f: (x: Float64Array, params: P) => Float64Array,
  start: Float64Array,
  params: P,
  options?: SolveOptions,
): Float64Array;
export function fixedPoint<S extends State>(
  f: (x: S, params: unknown) => S,
  start: S,
  params?: unknown,
  options: SolveOptions = {},
): S {
  return iterated(
    (x) => f(x, params),
    start,
    limits(options, { tolerance: 1e-12, maxSteps: 10_000 }),
  );
}

/**
 * A root `x` with `f(x, params) = 0`, by Newton's method from `start`.
 *
 * The Jacobian is computed by differences. States, derivatives and cost are those of
 * {@link fixedPoint}. Follows Estep §2-3 (rules of functions that take functions).
 *
 * @throws Error `TSG0016` without convergence to `tolerance` (1e-10) within `maxSteps` (100) steps,
 * `TSG0017` if the Jacobian is singular, `TSG0018` at NaN or Infinity.
 * @example
 * rootFind((x) => x * x - 2, 1); // 1.41421356237…
 */
export function rootFind(
  f: (x: number) => number,
  start: number,
  params?: undefined,
  options?: SolveOptions,
): number;
export function rootFind(
  f: (x: number[]) => number[],
  start: number[],
  params?: undefined,
  options?: SolveOptions,
): number[];
export function rootFind(
  f: (x: Float64Array) => Float64Array,
  start: Float64Array,
  params?: undefined,
  options?: SolveOptions,
): Float64Array;
export function rootFind<P>(
  f: (x: number, params: P) => number,
  start: number,
  params: P,
  options?: SolveOptions,
): number;
export function rootFind<P>(
  f: (x: number[], params: P) => number[],
  start: number[],
  params: P,
  options?: SolveOptions,
): number[];
export function rootFind<P>(
  f: (x: Float64Array, params: P) => Float64Array,
  start: Float64Array,
  params: P,
  options?: SolveOptions,
): Float64Array;
export function rootFind<S extends State>(
  f: (x: S, params: unknown) => S,
  start: S,
  params?: unknown,
  options: SolveOptions = {},
): S {
  return rooted((x) => f(x, params), start, limits(options, { tolerance: 1e-10, maxSteps: 100 }));
}

/**
 * A local minimum `x` of `f(x, params)`, by Newton's method from `start`.
 *
 * Gradient and Hessian are computed by differences. The function must be smooth. If you have its
 * gradient, `rootFind(grad(f), start)` is more accurate. States are those of {@link fixedPoint}.
 * The derivative is that of the gradient's root. It costs one Hessian-vector product per entry of
 * the state, and one linear system of that size. Follows Estep §2-3 (rules of functions that take
 * functions).
 *
 * @throws Error `TSG0016` without convergence to `tolerance` (1e-8) within `maxSteps` (200) steps,
 * `TSG0018` at NaN or Infinity; in derivatives `TSG0017` if the Hessian is singular.
 * @example
 * argmin((x) => (x - 3) ** 2 + 1, 0).toFixed(9); // 3.000000000
 */
export function argmin(
  f: (x: number) => number,
  start: number,
  params?: undefined,
  options?: SolveOptions,
): number;
export function argmin(
  f: (x: number[]) => number,
  start: number[],
  params?: undefined,
  options?: SolveOptions,
): number[];
export function argmin(
  f: (x: Float64Array) => number,
  start: Float64Array,
  params?: undefined,
  options?: SolveOptions,
): Float64Array;
export function argmin<P>(
  f: (x: number, params: P) => number,
  start: number,
  params: P,
  options?: SolveOptions,
): number;
export function argmin<P>(
  f: (x: number[], params: P) => number,
  start: number[],
  params: P,
  options?: SolveOptions,
): number[];
export function argmin<P>(
  f: (x: Float64Array, params: P) => number,
  start: Float64Array,
  params: P,
  options?: SolveOptions,
): Float64Array;
export function argmin<S extends State>(
  f: (x: S, params: unknown) => number,
  start: S,
  params?: unknown,
  options: SolveOptions = {},
): S {
  const g = onEntries(f, start, params);
  return stateLike(
    start,
    minimised(
      (x) => g(x)[0] ?? NaN,
      entriesOf(start),
      limits(options, { tolerance: 1e-8, maxSteps: 200 }),
    ),
  );
}

/** A function of states as a function of their entries. */
const onEntries =
  <S extends State>(f: (x: S, params: unknown) => State, start: S, params: unknown) =>
  (x: readonly number[]): number[] =>
    entriesOf(f(stateLike(start, x), params));
