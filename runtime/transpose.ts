// The form `transpose`, which calls a generated pullback. The build has seen that the function is
// linear; the Delta engine compares two points.

import { derivativeIn, isDerived } from "./added.ts";
import type {
  AnyFunction,
  CalledAs,
  CheckedResult,
  Derivative,
  Given,
  GradOptions,
  Pulled,
} from "./forms.ts";
import { later } from "./pushforward.ts";

/** The arguments that a function is linear in. Written as a literal. */
export type TransposeOptions<F extends AnyFunction> = Omit<GradOptions<F>, "hasAux">;

/**
 * The transpose of a linear function: `(...example) => (cotangent) => cotangents`.
 *
 * `example` are arguments of the shapes that are meant; the numbers of those that `f` is linear in
 * do not matter. `argnums` names these if there are others, which are constants of the linear map.
 * The cotangents are those of {@link vjp}: one entry per argument, or with `argnums` that of the
 * argument named, or a tuple. `<f(x), y> = <x, transpose(f)(x)(y)>`; of an affine function, what is
 * added drops out. A function that is seen not to be linear is an error (TSG3017). A compile-time
 * form: the build replaces the call, and options must be literals. Ksc notes Figure 5
 * (transposition).
 *
 * @throws Error `TSG0001` if the build has not replaced the call.
 * @example
 * const differences = (xs: number[]): number[] => xs.slice(1).map((x, i) => x - xs[i]);
 * const back = transpose(differences, { argnums: 0 })([0, 0, 0]);
 * back([1, 10]); // [-1, -9, 10]
 */
export function transpose<
  F extends AnyFunction,
  const O extends TransposeOptions<F> | Derivative = {},
>(
  f: CheckedResult<F, O>,
  options?: O,
  derivative?: Derivative,
): CalledAs<F, Given<F, Pulled<F, O>[1]>>;
export function transpose(f: unknown, ...added: readonly unknown[]): unknown {
  const pulled = derivativeIn("transpose", f, added, transpose);
  if (!isDerived(pulled)) return pulled;
  return (...example: readonly unknown[]) =>
    later(pulled(...example), (result: unknown): unknown =>
      Array.isArray(result) ? (result as readonly unknown[])[1] : undefined,
    );
}
