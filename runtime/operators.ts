// Functions that state facts about derivatives and return their argument. Rules run in derivatives
// only.

import { define } from "./definitions.ts";
import type { Cotangents } from "./forms.ts";
import type { Cotangent } from "./cotangent.ts";
import type { Tangent, Tangents } from "./tangent.ts";
import { uncompiled } from "./uncompiled.ts";

type AnyFunction = (...args: never) => unknown;

/** A function among the arguments of a rule: it can be called, and gives its value with its pullback, which returns cotangents of its arguments and, last, of itself. */
export type GivenFunction<G extends AnyFunction> = G & {
  vjp(
    ...args: Parameters<G>
  ): [
    value: ReturnType<G>,
    pullback: (
      cotangent: Cotangent<ReturnType<G>>,
    ) => [...Cotangents<Parameters<G>>, self: FunctionCotangent],
  ];
};
type Given<P extends readonly unknown[]> = {
  [K in keyof P]: P[K] extends AnyFunction ? GivenFunction<P[K]> : P[K];
};
type GivenCotangents<P extends readonly unknown[]> = {
  readonly [K in keyof P]: P[K] extends AnyFunction
    ? FunctionCotangent
    : K extends keyof Cotangents<P>
      ? Cotangents<P>[K]
      : never;
};

/** What the rule of `customVjp` is for a function: value and pullback, which returns a cotangent for each argument (`undefined` for those without numbers). */
export type VjpRule<F extends AnyFunction> = (
  ...args: Given<Parameters<F>>
) => readonly [
  value: ReturnType<F>,
  pullback: (cotangent: Cotangent<ReturnType<F>>) => GivenCotangents<Parameters<F>>,
];

/** What the rule of `customJvp` is for a function: value and tangent, from the arguments and their tangents; linear in these. */
export type JvpRule<F extends AnyFunction> = (
  primals: Parameters<F>,
  tangents: Tangents<Parameters<F>>,
) => readonly [value: ReturnType<F>, tangent: Tangent<ReturnType<F>>];

/**
 * `f` with a derivative that you write: `rule(...args)` returns the value and a pullback.
 *
 * The value of the function is that of `f`; the rule runs in derivatives only, from the arguments as they were. Rules are differentiated themselves where
 * second derivatives are asked for, and forward mode takes the transpose of the pullback. What the function sees of its surroundings has no derivative by
 * a rule: it is an error to differentiate with respect to that. Nothing of what `f` computes is recorded; where the rule computes the value as `f` does, it runs once, and
 * what its pullback sees is kept.
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

/** A rule for a function of type `F`: one of the two. */
export type DerivativeRule<F extends AnyFunction> =
  | { readonly vjp: VjpRule<F>; readonly jvp?: never }
  | { readonly jvp: JvpRule<F>; readonly vjp?: never };

/**
 * Gives a function whose code the build does not have (of a package) a derivative: wherever the program calls it in code that is differentiated, the rule is used.
 *
 * Rules as for {@link customVjp} and {@link customJvp}. The function is known by its symbol, however it is imported; it has one signature, returns something of
 * its own, and does not write its arguments. A statement of a module, once for each function.
 *
 * @example
 * import { erf } from "a-package";
 * defineDerivative(erf, { vjp: (x) => [erf(x), (bar) => [bar * 2 / Math.sqrt(Math.PI) * Math.exp(-x * x)]] });
 * grad(erf)(0); // 1.128…
 *
 * Estep §2-3.
 */
export function defineDerivative<F extends AnyFunction>(
  f: F,
  rule: DerivativeRule<NoInfer<F>>,
): void {
  if (rule.vjp !== undefined) define({ f, mode: "vjp", rule: rule.vjp });
  else define({ f, mode: "jvp", rule: rule.jvp });
}

/** A new function, so that an engine without the rule does not use the derivative of `f`. */
function opaque<F extends AnyFunction>(f: F): F {
  return new Proxy(f, {});
}

/** How much of a function is computed again. Written as a literal. */
export interface CheckpointOptions {
  /**
   * "log": the outermost loops of the function are reversed from a logarithmic number of copies of their state, by running rounds again: n rounds keep
   * log2(n) states and take n log2(n) / 2 rounds more. Absent: the whole function is run again.
   */
  readonly schedule?: "log";
}

/**
 * `f`, computed again in the backward pass: its arguments are saved instead of what it computes.
 *
 * With `schedule: "log"` its loops are: of each, a logarithmic number of states is kept. What the function returns, and its gradient, are the same.
 *
 * @example
 * const layer = checkpoint((x: number[]): number[] => x.map((y) => Math.tanh(y)));
 *
 * const iterated = checkpoint((x: number): number => {
 *   let s = x;
 *   for (let i = 0; i < 1e6; i++) s = Math.sin(s * x);
 *   return s;
 * }, { schedule: "log" }); // 20 states in the backward pass, not a million
 *
 * ksc notes §6 (what a BOG holds).
 */
export function checkpoint<F extends AnyFunction>(f: F, _options?: CheckpointOptions): F {
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

declare const ofFunction: unique symbol;

/** The cotangent of a function: of what it sees of its surroundings. Only added, scaled and returned. */
export interface FunctionCotangent {
  readonly [ofFunction]: unknown;
}

/**
 * The sum of two cotangents of one function, in a rule of {@link customVjp}.
 *
 * Estep §2 (⊕ on cotangents of closures).
 */
export function addCotangents(_x: FunctionCotangent, _z: FunctionCotangent): FunctionCotangent {
  throw uncompiled("addCotangents", undefined);
}

/**
 * A multiple of the cotangent of a function, in a rule of {@link customVjp}.
 *
 * Estep §2 (cotangents of closures).
 */
export function scaleCotangent(_by: number, _x: FunctionCotangent): FunctionCotangent {
  throw uncompiled("scaleCotangent", undefined);
}
