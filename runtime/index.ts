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
  inspect,
  type JvpRule,
  scaleCotangent,
  stopGradient,
  type VjpRule,
} from "./operators.ts";
export { scan } from "./scan.ts";
export { transpose, type TransposeOptions } from "./transpose.ts";
export { vmap, type VmapOptions } from "./vmap.ts";
export { hessian, hvp, jacfwd, jacrev } from "./jacobian.ts";
export { LinearMap } from "./linear-map.ts";
export type { Differentiable, Jacobian, Tangent, Tangents } from "./tangent.ts";

/**
 * The gradient of a function that returns a number: `(...args) => cotangent`.
 *
 * The cotangent is that of argument 0, or of the arguments that `argnums` names; it has the shape
 * of its argument (see {@link Cotangent}). With `hasAux: true`, `f` returns `[value, aux]`, and the
 * gradient returns `[cotangent, aux]`. With `into: true`, the gradient takes an object of the
 * cotangent's shape before the arguments, writes into it and returns it. A compile-time form: the
 * build replaces the call, and options must be literals. Reverse mode by the BOG split: ksc notes
 * §6 (Ellis, Peyton Jones, Fitzgibbon).
 *
 * @throws Error `TSG0001` if the build has not replaced the call; RangeError `TSG0020` if an array
 * of `into` has another length than the cotangent's.
 * @example
 * const square = (x: number): number => x * x;
 * grad(square)(3); // 6
 *
 * const area = (width: number, height: number): number => width * height;
 * grad(area, { argnums: [0, 1] })(2, 3); // [3, 2]
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
  return derivativeIn("grad", f, added, grad);
}

/**
 * The value of a function that returns a number, and its gradient.
 *
 * The result is `(...args) => [value, cotangent]`. The value is bit for bit that of `f`. Arguments,
 * cotangents and `into` are those of {@link grad}. With `hasAux: true`, `f` returns `[value, aux]`,
 * and the result is `[[value, aux], cotangent]`. A compile-time form: the build replaces the call.
 * Reverse mode by the BOG split: ksc notes §6 (Ellis, Peyton Jones, Fitzgibbon).
 *
 * @throws Error `TSG0001` if the build has not replaced the call.
 * @example
 * const loss = (m: { w: number; b: number }, x: number): number => (m.w * x + m.b) ** 2;
 * valueAndGrad(loss)({ w: 1, b: 2 }, 3); // [25, { w: 30, b: 10 }]
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
  return derivativeIn("valueAndGrad", f, added, valueAndGrad);
}

/**
 * The value of a function of any result type, and its pullback: `(...args) => [value, pullback]`.
 *
 * `pullback(cotangent)` takes a cotangent of the result. It returns an array with the cotangent of
 * each argument, `undefined` for an argument without numbers. With `argnums` it returns only the
 * cotangent of the argument named, or a tuple of those listed. It does not write its argument and
 * can be called repeatedly. With `hasAux: true`, `f` returns `[value, aux]`, the result is
 * `[value, pullback, aux]`, and the pullback takes a cotangent of the value. A compile-time form:
 * the build replaces the call, and options must be literals. Follows Krawiec et al. §11 (arbitrary
 * result types and seeds).
 *
 * @throws Error `TSG0001` if the build has not replaced the call.
 * @example
 * const polar = (r: number, t: number): [number, number] => [r * Math.cos(t), r * Math.sin(t)];
 * const [point, pullback] = vjp(polar)(2, 0);
 * point; // [2, 0]
 * pullback([1, 0]); // [1, 0]
 * pullback([0, 1]); // [0, 2]
 * const [, byAngle] = vjp(polar, { argnums: 1 })(2, 0);
 * byAngle([0, 1]); // 2
 */
export function vjp<F extends AnyFunction, const O extends GradOptions<F> | Derivative = {}>(
  f: CheckedResult<F, O>,
  options?: O,
  derivative?: Derivative,
): CalledAs<F, Given<F, Pulled<F, O>>>;
export function vjp(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("vjp", f, added, vjp);
}

/**
 * Returns `f` itself, with its derivative attached, to pass to code that the build cannot see into.
 *
 * A compile-time form: the build appends the derivative to the call. Follows Estep §2 (functions as
 * arguments of functions).
 *
 * @throws Error `TSG0001` if the build has not replaced the call.
 * @example
 * const square = differentiable((x: number): number => x * x);
 * square(3); // 9
 */
export function differentiable<F extends (...args: never[]) => unknown>(
  f: F,
  derived?: Derivative,
): Differentiable<F>;
export function differentiable(f: unknown, ...added: readonly unknown[]): unknown {
  return link(f, derivativeIn("differentiable", f, added, differentiable));
}

/** One execution of a function by the Delta engine: its value, and the linear term it recorded. */
export interface Recorded<R> {
  readonly value: R;
  /** Prints in the paper's notation: a `Let` per operation, in execution order, and the result. */
  readonly term: Term;
}

/**
 * The Delta term that a function records when it runs: `(...args) => { value, term }`.
 *
 * The term is linear in the tangents of all numbers in the arguments. Its variables have the names
 * of the parameters. It can be read as data (`bindings`, `body`) or printed as a string. A
 * compile-time form: the build replaces the call. Follows Krawiec et al. Figures 7, 10 and 12.
 *
 * @throws Error `TSG0001` if the build has not replaced the call.
 * @example
 * const { value, term } = delta((x: number, y: number): number => x * y + x)(3, 4);
 * value; // 15
 * String(term); // Let x1 = Add (Scale 4 (Var x)) (Scale 3 (Var y)) in
 *               // Let x2 = Add (Var x1) (Var x) in
 *               // Var x2
 */
export function delta<F extends AnyFunction>(
  f: F,
  derived?: Derivative,
): CalledAs<F, Given<F, Recorded<Awaited<ReturnType<F>>>>>;
export function delta(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("delta", f, added, delta);
}
