// What says something about derivatives and is nothing else at run time. In: a function, or a value. Out: the same function, or value.
// Invariant: the value is `f`'s own; rules run in derivatives only.

import type { Cotangents } from "./forms.ts";
import type { Cotangent } from "./cotangent.ts";
import type { Tangent, Tangents } from "./tangent.ts";

type AnyFunction = (...args: never) => unknown;

/** What the rule of `customVjp` is for a function: value and pullback, which returns a cotangent for each argument (`undefined` for those without numbers). */
export type VjpRule<F extends AnyFunction> =
  (...args: Parameters<F>) => readonly [value: ReturnType<F>, pullback: (cotangent: Cotangent<ReturnType<F>>) => Readonly<Cotangents<Parameters<F>>>];

/** What the rule of `customJvp` is for a function: value and tangent, from the arguments and their tangents; linear in these. */
export type JvpRule<F extends AnyFunction> =
  (primals: Parameters<F>, tangents: Tangents<Parameters<F>>) => readonly [value: ReturnType<F>, tangent: Tangent<ReturnType<F>>];

/**
 * `f` with a derivative that you write: `rule(...args)` returns the value and a pullback.
 *
 * The value of the function is that of `f`; the rule runs in derivatives only, from the arguments as they were. Rules are differentiated themselves where
 * second derivatives are asked for, and forward mode takes the transpose of the pullback. What the function sees of its surroundings has no derivative by
 * a rule: it is an error to differentiate with respect to that. Nothing of what `f` computes is recorded.
 *
 * @example
 * const log1pexp = customVjp(
 *   (x: number): number => Math.log(1 + Math.exp(x)),
 *   (x) => [Math.log(1 + Math.exp(x)), (bar) => [bar * (1 - 1 / (1 + Math.exp(x)))]],
 * );
 * grad(log1pexp)(1000); // 1, not NaN
 *
 * Estep §2-3.
 */
export function customVjp<F extends AnyFunction>(f: F, _rule: VjpRule<F>): F {
  return opaque(f);
}

/**
 * `f` with a derivative that you write: `rule(primals, tangents)` returns the value and its tangent, and is linear in the tangents.
 *
 * As for {@link customVjp}; reverse mode takes the transpose of the rule.
 *
 * @example
 * const sine = customJvp((x: number): number => Math.sin(x), ([x], [dx]) => [Math.sin(x), Math.cos(x) * dx]);
 * grad(sine)(0); // 1
 *
 * Estep §2-3.
 */
export function customJvp<F extends AnyFunction>(f: F, _rule: JvpRule<F>): F {
  return opaque(f);
}

/** A function of its own: an engine that does not know the rule must not take the derivative of `f` for it. */
function opaque<F extends AnyFunction>(f: F): F {
  return new Proxy(f, {});
}

/**
 * `f`, computed again in the backward pass: its arguments are saved instead of what it computes.
 *
 * @example
 * const layer = checkpoint((x: number[]): number[] => x.map((y) => Math.tanh(y)));
 *
 * ksc notes §6 (what a BOG holds).
 */
export function checkpoint<F extends AnyFunction>(f: F): F {
  return f;
}

/**
 * `x`, taken for a constant: no derivative passes.
 *
 * @example
 * grad((x: number): number => x * stopGradient(x))(3); // 3
 */
export function stopGradient<T>(x: T): T {
  return x;
}
