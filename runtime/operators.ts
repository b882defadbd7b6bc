// Functions that state facts about derivatives and return their argument. Rules run in derivatives
// only.

import { define } from "./definitions.ts";
import type { Cotangents } from "./forms.ts";
import type { Cotangent, HasNumbers } from "./cotangent.ts";
import type { Tangent, Tangents } from "./tangent.ts";
import { uncompiled } from "./uncompiled.ts";

type AnyFunction = (...args: never) => unknown;

/**
 * A function among the arguments of a rule. It can be called. Its method `vjp` returns its value
 * and its pullback, which returns the cotangents of its arguments and, last, that of the function.
 */
export type GivenFunction<G extends AnyFunction> = G & {
  vjp(
    ...args: Parameters<G>
  ): [
    value: ReturnType<G>,
    pullback: (
      ...seed: HasNumbers<ReturnType<G>> extends true
        ? [cotangent: Cotangent<ReturnType<G>>]
        : [cotangent?: undefined]
    ) => [...Cotangents<Parameters<G>>, self: FunctionCotangent],
  ];
};
type Given<P extends readonly unknown[]> = {
  [K in keyof P]: P[K] extends AnyFunction ? GivenFunction<P[K]> : P[K];
};
/** Holds nothing. Beside the type of a tuple, it lets TypeScript read `[x, y]` as a tuple. */
type Tuple = readonly [never];
type GivenCotangents<P extends readonly unknown[]> = {
  readonly [K in keyof P]:
    | Tuple
    | (P[K] extends AnyFunction
        ? FunctionCotangent | (HasNumbers<ReturnType<P[K]>> extends true ? never : undefined)
        : K extends keyof Cotangents<P>
          ? Cotangents<P>[K]
          : never);
};

/** Cotangents of variables that the function captures, by name; `undefined`: a constant. */
type CapturedCotangents = Readonly<Record<string, unknown>>;

/**
 * The type of a rule of `customVjp`. It returns the value and a pullback, which returns a cotangent
 * for each argument (`undefined` for those without numbers). After these it may return a record
 * with the cotangents of variables that the function captures, by name.
 */
export type VjpRule<F extends AnyFunction> = (
  ...args: Given<Parameters<F>>
) => readonly [
  value: ReturnType<F> | Tuple,
  pullback: (
    cotangent: Cotangent<ReturnType<F>>,
  ) =>
    | GivenCotangents<Parameters<F>>
    | readonly [...GivenCotangents<Parameters<F>>, captured: CapturedCotangents]
    | Tuple,
];

/**
 * The type of a rule of `customJvp`. From arguments and tangents it computes the value and its
 * tangent, which is linear in the tangents.
 */
export type JvpRule<F extends AnyFunction> = (
  primals: Parameters<F>,
  tangents: Tangents<Parameters<F>>,
) => readonly [value: ReturnType<F> | Tuple, tangent: Tangent<ReturnType<F>> | Tuple];

/**
 * `f` with a derivative that you write: `rule(...args)` returns the value and a pullback.
 *
 * The value is that of `f`. The rule runs in derivatives only, with the arguments as they were at
 * the call. Second derivatives differentiate the rule, and forward mode transposes the pullback.
 * After the cotangents of the arguments the pullback may return a record with those of variables
 * that `f` captures, by name. To differentiate with respect to others is an error. Nothing that `f`
 * computes is recorded. If the rule computes the value as `f` does, it runs once, and only what its
 * pullback reads is retained. Follows Estep §2-3.
 *
 * @example
 * const log1pexp = customVjp(
 *   (x: number): number => Math.log(1 + Math.exp(x)),
 *   (x) => [Math.log(1 + Math.exp(x)), (bar) => [bar * (1 - 1 / (1 + Math.exp(x)))]],
 * );
 * grad(log1pexp)(1000); // 1, not NaN
 */
export function customVjp<F extends AnyFunction>(f: F, _rule: VjpRule<F>): F {
  return opaque(f);
}

/**
 * `f` with a derivative that you write: `rule(primals, tangents)` returns value and tangent.
 *
 * The rule must be linear in the tangents. Otherwise as {@link customVjp}; reverse mode transposes
 * the rule. Follows Estep §2-3.
 *
 * @example
 * const sine = customJvp(
 *   (x: number): number => Math.sin(x),
 *   ([x], [dx]) => [Math.sin(x), Math.cos(x) * dx],
 * );
 * grad(sine)(0); // 1
 */
export function customJvp<F extends AnyFunction>(f: F, _rule: JvpRule<F>): F {
  return opaque(f);
}

/** A rule for a function of type `F`: one of the two. */
export type DerivativeRule<F extends AnyFunction> =
  | { readonly vjp: VjpRule<F>; readonly jvp?: never }
  | { readonly jvp: JvpRule<F>; readonly vjp?: never };

/**
 * Gives a derivative to a function whose code the build does not have, such as one of a package.
 *
 * Every call of the function in differentiated code uses the rule, which is one of
 * {@link customVjp} or {@link customJvp}. The function is identified by its symbol, however it is
 * imported. It has one signature, returns a new value, and does not write its arguments. The call
 * is a statement of a module, once per function. Follows Estep §2-3.
 *
 * @example
 * import { defineDerivative, grad } from "tsgrad";
 * import { erf } from "special-functions";
 *
 * const slope = (x: number): number => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
 * defineDerivative(erf, { vjp: (x) => [erf(x), (bar) => [bar * slope(x)]] });
 * grad(erf)(0); // 1.128…
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

/** How much of a function is recomputed. Written as a literal. */
export interface CheckpointOptions {
  /**
   * "log": the function's outermost loops are reversed from few copies of their state. A loop of n
   * iterations retains log2(n) states and runs n log2(n) / 2 iterations more. Absent: the whole
   * function runs again.
   */
  readonly schedule?: "log";
}

/**
 * `f`, recomputed in the backward pass: its arguments are saved instead of what it computes.
 *
 * With `schedule: "log"` its loops are recomputed from a logarithmic number of states each. The
 * value and the gradient are those of `f`. Follows ksc notes §6 (what a BOG holds).
 *
 * @example
 * const layer = checkpoint((x: number[]): number[] => x.map((y) => Math.tanh(y)));
 *
 * const iterated = checkpoint((x: number): number => {
 *   let s = x;
 *   for (let i = 0; i < 1e6; i++) s = Math.sin(s * x);
 *   return s;
 * }, { schedule: "log" });
 * iterated(0); // 0, and its gradient records 20 states, not a million
 */
export function checkpoint<F extends AnyFunction>(f: F, _options?: CheckpointOptions): F {
  return f;
}

/**
 * Returns `x` as a constant: no derivative passes through it.
 *
 * @example
 * grad((x: number): number => x * stopGradient(x))(3); // 3
 */
export function stopGradient<T>(x: T): T {
  return x;
}

/**
 * Returns `x`, and shows what derivatives pass back to it: `show(cotangent, "cotangent")`.
 *
 * `show` runs in derivatives only, once for each execution of the call in a backward pass, in no
 * fixed order. In forward mode it gets the tangent, `show(tangent, "tangent")`; in `hvp` and
 * `hessian` both. What it returns is dropped. Of an array, inspect the elements.
 *
 * @example
 * const seen: number[] = [];
 * const f = (x: number): number => inspect(x * x, (bar) => seen.push(bar)) * x;
 * grad(f)(3); // 27
 * seen; // [3]
 */
export function inspect(
  x: number,
  _show: (value: number, kind: "cotangent" | "tangent") => void,
): number {
  return x;
}

declare const ofFunction: unique symbol;

/** The cotangent of the variables that a function captures. Rules only add, scale and return it. */
export interface FunctionCotangent {
  readonly [ofFunction]: unknown;
}

/**
 * The sum of two cotangents of one function, in a rule of {@link customVjp}.
 *
 * Estep §2 (⊕ on cotangents of closures).
 */
export function addCotangents(_x: FunctionCotangent, _z: FunctionCotangent): FunctionCotangent {
  throw uncompiled("addCotangents", undefined, addCotangents);
}

/**
 * A multiple of the cotangent of a function, in a rule of {@link customVjp}.
 *
 * Estep §2 (cotangents of closures).
 */
export function scaleCotangent(_by: number, _x: FunctionCotangent): FunctionCotangent {
  throw uncompiled("scaleCotangent", undefined, scaleCotangent);
}
