// What users' tests import: `tsgrad/testing`. There are no dependencies, no state and no work at
// import. A test framework is known by its structure only.

import { isDerived, type Derived } from "./added.ts";
import { check, type CheckOptions } from "./check-grads.ts";
import type { Cotangent } from "./cotangent.ts";
import { slopesAlong } from "./differences.ts";
import type { AnyFunction, Argnum, CheckedAny, Derivative } from "./forms.ts";
import { differenceOf, type TreeTolerance } from "./tree-difference.ts";
import { copied, rebuilt } from "./tree/build.ts";
import { numbersOf } from "./tree/numbers.ts";
import type { Layout } from "./tree/parts.ts";
import { uncompiled } from "./uncompiled.ts";

export type { CheckOptions } from "./check-grads.ts";
export type { TreeTolerance } from "./tree-difference.ts";

/** Which derivative is shown. Written as a literal. */
export interface SourceOptions {
  /** What gets the derivative. Absent: `grad`, or `vjp` of a function that returns no number. */
  readonly form?:
    | "grad"
    | "valueAndGrad"
    | "vjp"
    | "transpose"
    | "jvp"
    | "linearize"
    | "jacfwd"
    | "jacrev"
    | "hessian"
    | "hvp";
  /** 2: the second derivative that `hvp` gets; of `grad` alone. */
  readonly order?: 1 | 2;
  /** As for the form. Absent: its default. */
  readonly argnums?: number | readonly number[];
  /** As for the form. */
  readonly hasAux?: boolean;
  /** Which engine; absent: the one that such a call gets. */
  readonly engine?: "static" | "delta";
}

/**
 * The emitted source of the derivatives of a function and of its callees in the same file.
 *
 * For snapshots. `form`, `argnums`, `hasAux` and `order` choose the derivative. A compile-time
 * form: the build replaces the call, so `f` must be a function of the program, as for `grad`.
 *
 * @throws Error `TSG0001` if the build has not replaced the call.
 * @example
 * const loss = (x: number): number => x * x;
 * test("the derivative stays as I read it", () => {
 *   expect(derivativeSource(loss)).toContain("2 * x"); // or `toMatchSnapshot()`
 *   expect(derivativeSource(loss, { form: "jvp" })).toContain("x$dot");
 * });
 */
export function derivativeSource(f: (...args: never) => unknown, options?: SourceOptions): string;
/** As the build writes it. */
export function derivativeSource(
  f: (...args: never) => unknown,
  ...added: readonly unknown[]
): string;
export function derivativeSource(
  f: (...args: never) => unknown,
  ...added: readonly unknown[]
): string {
  const source = added[added.length - 1];
  if (typeof source !== "string") throw uncompiled("derivativeSource", f, derivativeSource);
  return source;
}

/**
 * Checks the derivatives of a function at a point against the function's own values.
 *
 * - Forward and reverse mode agree with extrapolated central differences, along each number of the
 *   arguments (up to 24) and along random directions.
 * - The Taylor remainder `|f(x + h v) - f(x) - h J v|` falls like h².
 * - The modes are dual: `<w, J v> = <Jᵀ w, v>`.
 *
 * `order: 2`, if `f` returns a number, also checks Hessian products against differences of the
 * gradient, the symmetry of the Hessian, and that the remainder of order 2 falls like h³. Other
 * functions are checked at two nearby points. Arguments are copied for each call, so a function may
 * write them. Arrays of integers are not varied; use `argnums` to leave out counts and indices. It
 * cannot see an error smaller than `tolerance`, one away from the point, or one in numbers of
 * private `#fields`. A compile-time form: the build replaces the call. Follows ksc notes §2
 * (`f(p + δ) ≈ f(p) + ∂f(p) ⊙ δ`) and Definition 2.1 (transposition).
 *
 * @throws Error with what disagrees, where, and both numbers. Error "cannot tell" if differences do
 * not settle: at a kink or a jump, or if rounding exceeds the slope. Error `TSG0001` if no build
 * step has replaced the call.
 * @example
 * const loss = (m: { w: number[]; b: number }, x: number): number =>
 *   (m.w[0] * x + m.w[1] * x * x + m.b) ** 2;
 * test("the loss has the right gradient", () => {
 *   checkGrads(loss, [{ w: [0.1, -0.2], b: 0.3 }, 1.5], { order: 2, argnums: 0 });
 * });
 */
export function checkGrads<F extends AnyFunction, const O extends CheckOptions | Derivative = {}>(
  f: CheckedAny<F, {}>,
  args: Readonly<Parameters<F>>,
  options?: O,
  ...derived: readonly (Derivative | Layout)[]
): void;
export function checkGrads(
  f: unknown,
  args: readonly unknown[],
  ...added: readonly unknown[]
): void {
  if (!isDerived(f) || added.filter(isDerived).length < 2)
    throw uncompiled("checkGrads", f, checkGrads);
  check(f, args, added);
}

/**
 * The gradient of a function that returns a number, by differences of its values.
 *
 * It has the shape of argument 0, or of argument `argnum`. Central differences, extrapolated: about
 * ten digits for a smooth function of size 1, and 22 calls per number. No build step is needed.
 *
 * @throws Error if the function does not return a number.
 * @example
 * const f = (m: { w: number[] }): number => m.w[0] * m.w[1];
 * numericalGradient(f, [{ w: [2, 3] }]).w.map(Math.round); // [3, 2]
 */
export function numericalGradient<
  F extends (...args: never) => number,
  const A extends Argnum<F> = Argnum<F> & 0,
>(f: F, args: Readonly<Parameters<F>>, argnum?: A): Cotangent<Parameters<F>[A]>;
export function numericalGradient(
  f: Derived,
  args: readonly unknown[],
  argnum: number = 0,
): unknown {
  return slopesBy(f, args, argnum);
}

function slopesBy(f: Derived, args: readonly unknown[], argnum: number): unknown {
  const x = numbersOf(args[argnum]);
  const slopes = x.map((_, i) => {
    const line = (step: number): number[] => {
      const value = f(
        ...args.map((arg, k) =>
          copied(arg, k === argnum ? (n) => (x[n] ?? NaN) + (n === i ? step : 0) : null),
        ),
      );
      if (typeof value !== "number")
        throw new Error("numericalGradient: the function has to return a number");
      return [value];
    };
    return slopesAlong(line)[0]?.value ?? NaN;
  });
  return rebuilt(args[argnum], (i) => slopes[i] ?? NaN);
}

/** The result of a matcher, as `expect.extend` of vitest and jest takes it. */
interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

const matched = (difference: string | null, what: string): MatcherResult => ({
  pass: difference === null,
  message: () =>
    difference === null
      ? `expected the numbers to differ from ${what}`
      : `the numbers differ from ${what}: ${difference}`,
});

/**
 * Matchers for vitest and jest: `expect.extend(tsgradMatchers)`.
 *
 * - `toBeCloseToTree(expected, tolerance?)`: every number is close to the expected one. A failure
 *   prints the first place that differs, and both numbers.
 * - `toMatchGradient(f, args, argnum?, tolerance?)`: the same against {@link numericalGradient}.
 *
 * @example
 * expect.extend(tsgradMatchers);
 * declare module "vitest" { interface Matchers<T = any> extends TsgradMatchers<T> {} }
 *
 * const loss = (x: number): number => Math.sin(x);
 * test("the gradient is that of the function", () => {
 *   expect(grad(loss)(1)).toMatchGradient(loss, [1]);
 * });
 */
export const tsgradMatchers: {
  toBeCloseToTree(received: unknown, expected: unknown, tolerance?: TreeTolerance): MatcherResult;
  toMatchGradient(
    received: unknown,
    f: (...args: never) => number,
    args: readonly unknown[],
    argnum?: number,
    tolerance?: TreeTolerance,
  ): MatcherResult;
} = {
  toBeCloseToTree: (received, expected, tolerance = {}) =>
    matched(differenceOf(received, expected, tolerance), "those expected"),
  // Differences of a smooth function have about eight correct digits.
  toMatchGradient: (
    received,
    f,
    args,
    argnum = 0,
    tolerance = { relative: 1e-6, absolute: 1e-8 },
  ) =>
    matched(
      differenceOf(received, numerical(f, args, argnum), tolerance),
      "differences of the function's values",
    ),
};

function numerical(f: unknown, args: readonly unknown[], argnum: number): unknown {
  if (!isDerived(f)) throw new Error("toMatchGradient: the first argument has to be the function");
  return slopesBy(f, args, argnum);
}

/** The types of {@link tsgradMatchers}, for extending the test framework's types. */
export interface TsgradMatchers<R = unknown> {
  toBeCloseToTree(expected: unknown, tolerance?: TreeTolerance): R;
  toMatchGradient(
    f: (...args: never) => number,
    args: readonly unknown[],
    argnum?: number,
    tolerance?: TreeTolerance,
  ): R;
}
