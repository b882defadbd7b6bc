// What user code imports: typed stubs of the compile-time forms. The build appends the derivative
// to each call (`grad(f)` becomes `grad(f, f$grad)`), and the stub returns it. There are no
// dependencies, no state and no work at import.

import { derivativeIn } from "./added.ts";
import { link } from "./delta/links.ts";
import type { Term } from "./delta/term-text.ts";
import type { Differentiable } from "./tangent.ts";
import type {
  AnyFunction,
  Asked,
  Aux,
  CalledAs,
  CalledInto,
  Checked,
  CheckedResult,
  Derivative,
  Given,
  GradOptions,
  IntoOptions,
  Pulled,
  WithAux,
} from "./forms.ts";

export type { Cotangent } from "./cotangent.ts";
export type { Term } from "./delta/term-text.ts";
export type { Argnum, Cotangents, GradOptions, IntoOptions, PushOptions } from "./forms.ts";
export { jvp, linearize } from "./forward.ts";
export {
  addCotangents,
  checkpoint,
  type CheckpointOptions,
  customJvp,
  customVjp,
  defineDerivative,
  type DerivativeRule,
  type FunctionCotangent,
  type GivenFunction,
  type JvpRule,
  scaleCotangent,
  stopGradient,
  type VjpRule,
} from "./operators.ts";
export { hessian, hvp, jacfwd, jacrev } from "./jacobian.ts";
export { LinearMap } from "./linear-map.ts";
export type { Differentiable, Jacobian, Tangent, Tangents } from "./tangent.ts";

/**
 * The gradient of a function that returns a number: `(...args) => cotangent` of argument 0, or of the arguments listed in `argnums`.
 *
 * The result has the shape of the argument (see {@link Cotangent}). With `hasAux: true`, `f` returns `[value, aux]` and the gradient
 * returns `[cotangent, aux]`. With `into: true` the gradient takes, before the arguments, an object of the cotangent's shape, writes into
 * that and returns it. A compile-time form: the build replaces the call, and options must be literals.
 *
 * @throws Error `TSG0001` where no build step has replaced the call; RangeError `TSG0020` where an array of `into` has another length than the cotangent's.
 * @example
 * const square = (x: number): number => x * x;
 * grad(square)(3); // 6
 *
 * const area = (width: number, height: number): number => width * height;
 * grad(area, { argnums: [0, 1] })(2, 3); // [3, 2]
 *
 * Reverse mode by the BOG split: ksc notes §6 (Ellis, Peyton Jones, Fitzgibbon).
 */
export function grad<F extends AnyFunction, const O extends IntoOptions<F> | Derivative = {}>(
  f: Checked<F, O>,
  options?: O,
  derivative?: Derivative,
): CalledInto<
  F,
  O,
  Asked<F, O>,
  Given<F, O extends WithAux ? [cotangent: Asked<F, O>, aux: Aux<F>] : Asked<F, O>>
>;
export function grad(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("grad", f, added);
}

/**
 * The value of a function that returns a number, and its gradient: `(...args) => [value, cotangent]`.
 *
 * The value is the one that `f` itself returns, bit for bit; arguments, cotangents and `into` as for {@link grad}. With `hasAux: true`, `f` returns
 * `[value, aux]` and the result is `[[value, aux], cotangent]`. A compile-time form: the build replaces the call.
 *
 * @throws Error `TSG0001` where no build step has replaced the call.
 * @example
 * const loss = (m: { w: number; b: number }, x: number): number => (m.w * x + m.b) ** 2;
 * valueAndGrad(loss)({ w: 1, b: 2 }, 3); // [25, { w: 30, b: 10 }]
 *
 * Reverse mode by the BOG split: ksc notes §6 (Ellis, Peyton Jones, Fitzgibbon).
 */
export function valueAndGrad<
  F extends AnyFunction,
  const O extends IntoOptions<F> | Derivative = {},
>(
  f: Checked<F, O>,
  options?: O,
  derivative?: Derivative,
): CalledInto<
  F,
  O,
  Asked<F, O>,
  Given<
    F,
    [value: O extends WithAux ? [value: number, aux: Aux<F>] : number, cotangent: Asked<F, O>]
  >
>;
export function valueAndGrad(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("valueAndGrad", f, added);
}

/**
 * The value of a function of any result type, and its pullback: `(...args) => [value, pullback]`.
 *
 * `pullback(cotangent)` takes a cotangent of the result and returns the cotangents of all arguments, one entry per argument, `undefined` for
 * those that hold no number; with `argnums` that cotangent alone, or a tuple of those listed. With `hasAux: true`, `f` returns `[value, aux]`
 * and the result is `[value, pullback, aux]`, where the pullback takes a cotangent of the value. It can be called more than once, and does not
 * write its argument. A compile-time form: the build replaces the call, and options must be literals.
 *
 * @throws Error `TSG0001` where no build step has replaced the call.
 * @example
 * const polar = (r: number, t: number): [number, number] => [r * Math.cos(t), r * Math.sin(t)];
 * const [point, pullback] = vjp(polar)(2, 0); // [2, 0]
 * pullback([1, 0]); // [1, 0]
 * pullback([0, 1]); // [0, 2]
 * const [, byAngle] = vjp(polar, { argnums: 1 })(2, 0);
 * byAngle([0, 1]); // 2
 *
 * Krawiec et al. §11 (arbitrary result types and seeds).
 */
export function vjp<F extends AnyFunction, const O extends GradOptions<F> | Derivative = {}>(
  f: CheckedResult<F, O>,
  options?: O,
  derivative?: Derivative,
): CalledAs<F, Given<F, Pulled<F, O>>>;
export function vjp(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("vjp", f, added);
}

/**
 * A function value that carries its derivative, to pass to code that cannot see it: `f` itself.
 *
 * A compile-time form: the build puts the derivative behind the function.
 *
 * @throws Error `TSG0001` where no build step has replaced the call.
 * @example
 * const square = differentiable((x: number): number => x * x);
 *
 * Estep §2 (functions as arguments of functions).
 */
export function differentiable<F extends (...args: never[]) => unknown>(
  f: F,
  derived?: Derivative,
): Differentiable<F>;
export function differentiable(f: unknown, ...added: readonly unknown[]): unknown {
  return link(f, derivativeIn("differentiable", f, added));
}

/** One run of a function by the Delta engine: its value, and the linear term that was recorded. */
export interface Recorded<R> {
  readonly value: R;
  /** Prints as the paper writes it: a `Let` for each operation, in the order in which they ran, around what the result depends on. */
  readonly term: Term;
}

/**
 * The Delta term that a function records when it runs: `(...args) => { value, term }`.
 *
 * The term is linear in the tangents of all numbers in the arguments; its variables are called by the parameters' names. It is data
 * (`bindings`, `body`) and a text. A compile-time form: the build replaces the call.
 *
 * @throws Error `TSG0001` where no build step has replaced the call.
 * @example
 * const { value, term } = delta((x: number, y: number): number => x * y + x)(3, 4); // 15
 * String(term);
 * // Let x1 = Add (Scale 4 (Var x)) (Scale 3 (Var y)) in
 * // Let x2 = Add (Var x1) (Var x) in
 * // Var x2
 *
 * Krawiec et al. Figures 7, 10 and 12.
 */
export function delta<F extends AnyFunction>(
  f: F,
  derived?: Derivative,
): CalledAs<F, Given<F, Recorded<Awaited<ReturnType<F>>>>>;
export function delta(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("delta", f, added);
}
