// What user code imports: typed stubs of the compile-time forms. In: the user's function, and last what the build adds to the call
// (`grad(f)` becomes `grad(f, f$grad)`). Out: that last argument. Invariant: no dependency, no state, no work at import.

import type { Cotangent, HasNumbers } from "./cotangent.ts";
import { link } from "./delta/links.ts";
import type { Term } from "./delta/term-text.ts";
import { uncompiled } from "./uncompiled.ts";

export type { Cotangent } from "./cotangent.ts";
export type { Term } from "./delta/term-text.ts";

/** What the build passes as the last argument. Users never do. */
type Derivative = (...args: never) => unknown;
type AnyFunction = (...args: never) => unknown;

// ------------------------------------------------------------------------------------------------- arguments

/** Positions of a function's parameters whose type holds numbers: what `argnums` may name. */
export type Argnum<F extends AnyFunction> = PositionsOf<Parameters<F>>;

type PositionsOf<P extends readonly unknown[]> =
  // parameters gathered by `...xs` have any position
  number extends P["length"] ? number : Positions<Required<P>, P>[number];
type Positions<All extends readonly unknown[], P> = { [K in keyof All]: K extends keyof P ? (HasNumbers<P[K]> extends true ? PositionOf<K> : never) : never };
type PositionOf<K> = K extends `${infer N extends number}` ? N : never;

/** Which arguments to differentiate with respect to, and whether `f` returns `[value, aux]`. Written as a literal. */
export interface GradOptions<F extends AnyFunction> {
  /** One position gives that cotangent; a list gives a tuple in the list's order. Absent: argument 0. */
  readonly argnums?: Argnum<F> | readonly Argnum<F>[];
  /** `true`: `f` returns `[value, aux]`; `aux` is handed on and not differentiated. */
  readonly hasAux?: boolean;
  /** "delta": derivatives are recorded while the function runs; "static": an error where they cannot be written at build time. Absent: static where it can be. */
  readonly engine?: "static" | "delta";
}

type WithAux = { readonly hasAux: true };

/** `F` where a gradient can be asked for, else a type that no function has and that says what was expected. */
type Checked<F extends AnyFunction, O> =
  O extends WithAux
    ? Awaited<ReturnType<F>> extends readonly [number, unknown] ? CheckedArgument<F, O>
      : "with `hasAux: true` the function has to return a pair [value, aux] whose value is a number"
    : IsRefused<O> extends true ? F
    : Awaited<ReturnType<F>> extends number ? CheckedArgument<F, O>
      : "the function has to return a number; for a pair [value, aux] ask for `hasAux: true`, for other results use vjp";
type CheckedArgument<F extends AnyFunction, O> =
  "argnums" extends keyof O ? F
  : HasNumbers<Parameters<F>[0]> extends true ? F
  : "argument 0 of this function holds no number to differentiate with respect to; name another one by `argnums`";
/** Whether the options are wrong, so that the compiler has put their constraint for them: it is they that it has to complain of. */
type IsRefused<O> = "hasAux" extends keyof O ? (boolean extends O["hasAux"] ? true : false) : false;
type CheckedResult<F extends AnyFunction, O> =
  O extends WithAux
    ? Awaited<ReturnType<F>> extends readonly [infer V, unknown]
      ? HasNumbers<V> extends true ? F : "the value in this function's result [value, aux] holds no number to differentiate"
      : "with `hasAux: true` the function has to return a pair [value, aux]"
    : HasNumbers<Awaited<ReturnType<F>>> extends true ? F : "the result of this function holds no number to differentiate";

/** The cotangents that `argnums` asks for. */
type Asked<F extends AnyFunction, O> =
  O extends { readonly argnums: infer A extends number } ? Cotangent<Parameters<F>[A]>
  : O extends { readonly argnums: infer A extends readonly number[] } ? { -readonly [K in keyof A]: Cotangent<Parameters<F>[A[K]]> }
  : Cotangent<Parameters<F>[0]>;

/** What a derivative gives: a promise of it where the function is asynchronous. */
type Given<F extends AnyFunction, R> = ReturnType<F> extends PromiseLike<unknown> ? Promise<R> : R;

type Aux<F extends AnyFunction> = Awaited<ReturnType<F>> extends readonly [number, infer A] ? A : never;

// ----------------------------------------------------------------------------------------------------- forms

/**
 * The gradient of a function that returns a number: `(...args) => cotangent` of argument 0, or of the arguments listed in `argnums`.
 *
 * The result has the shape of the argument (see {@link Cotangent}). With `hasAux: true`, `f` returns `[value, aux]` and the gradient
 * returns `[cotangent, aux]`. A compile-time form: the build replaces the call, and options must be literals.
 *
 * @throws Error `TSG0001` where no build step has replaced the call.
 * @example
 * const square = (x: number): number => x * x;
 * grad(square)(3); // 6
 *
 * const area = (width: number, height: number): number => width * height;
 * grad(area, { argnums: [0, 1] })(2, 3); // [3, 2]
 *
 * Reverse mode by the BOG split: ksc notes §6 (Ellis, Peyton Jones, Fitzgibbon).
 */
export function grad<F extends AnyFunction, const O extends GradOptions<F> | Derivative = {}>(
  f: Checked<F, O>, options?: O, derivative?: Derivative,
): (...args: Parameters<F>) => Given<F, O extends WithAux ? [cotangent: Asked<F, O>, aux: Aux<F>] : Asked<F, O>>;
export function grad(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("grad", f, added);
}

/**
 * The value of a function that returns a number, and its gradient: `(...args) => [value, cotangent]`.
 *
 * The value is the one that `f` itself returns, bit for bit; arguments and cotangents as for {@link grad}. With `hasAux: true`, `f` returns
 * `[value, aux]` and the result is `[[value, aux], cotangent]`. A compile-time form: the build replaces the call.
 *
 * @throws Error `TSG0001` where no build step has replaced the call.
 * @example
 * const loss = (m: { w: number; b: number }, x: number): number => (m.w * x + m.b) ** 2;
 * valueAndGrad(loss)({ w: 1, b: 2 }, 3); // [25, { w: 30, b: 10 }]
 *
 * Reverse mode by the BOG split: ksc notes §6 (Ellis, Peyton Jones, Fitzgibbon).
 */
export function valueAndGrad<F extends AnyFunction, const O extends GradOptions<F> | Derivative = {}>(
  f: Checked<F, O>, options?: O, derivative?: Derivative,
): (...args: Parameters<F>) => Given<F, [value: O extends WithAux ? [value: number, aux: Aux<F>] : number, cotangent: Asked<F, O>]>;
export function valueAndGrad(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("valueAndGrad", f, added);
}

/** What `vjp` gives with its options: `hasAux` splits the function's result, `argnums` says which cotangents the pullback returns. */
type Pulled<F extends AnyFunction, O> = O extends WithAux
  ? Awaited<ReturnType<F>> extends readonly [infer V, infer A] ? [value: V, pullback: (cotangent: Cotangent<V>) => PulledBack<F, O>, aux: A] : never
  : [value: Awaited<ReturnType<F>>, pullback: (cotangent: Cotangent<Awaited<ReturnType<F>>>) => PulledBack<F, O>];
type PulledBack<F extends AnyFunction, O> = "argnums" extends keyof O ? Asked<F, O> : Cotangents<Parameters<F>>;

/** What a pullback returns without `argnums`: one entry per argument, `undefined` where the argument holds no number. */
export type Cotangents<P extends readonly unknown[]> = Entries<Required<P>, P>;
type Entries<All extends readonly unknown[], P> =
  { [K in keyof All]: K extends keyof P ? (HasNumbers<P[K]> extends true ? Cotangent<P[K]> : undefined) : never };

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
  f: CheckedResult<F, O>, options?: O, derivative?: Derivative,
): (...args: Parameters<F>) => Given<F, Pulled<F, O>>;
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
export function differentiable<F extends (...args: never[]) => unknown>(f: F, derived?: Derivative): F {
  return link(f, derivativeIn("differentiable", f, [derived]));
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
export function delta<F extends AnyFunction>(f: F, derived?: Derivative): (...args: Parameters<F>) => Given<F, Recorded<Awaited<ReturnType<F>>>>;
export function delta(f: unknown, ...added: readonly unknown[]): unknown {
  return derivativeIn("delta", f, added);
}

/** What the build has added behind the user's own arguments. */
function derivativeIn(form: string, f: unknown, added: readonly unknown[]): unknown {
  const last = added[added.length - 1];
  if (typeof last !== "function") throw uncompiled(form, f);
  return last;
}
