// What a form accepts for a function's type and options, and what it returns. A rejected call gets
// a string type that says what was expected. Type-level only.

import type { Cotangent, HasNumbers } from "./cotangent.ts";
import type { LinearMap } from "./linear-map.ts";
import type { Jacobian, Tangents } from "./tangent.ts";

/** The argument that the build appends. Users never pass it. */
export type Derivative = (...args: never) => unknown;
export type AnyFunction = (...args: never) => unknown;

// --------------------------------------------------------------------------------------- arguments

/** The message if `F` is a function. For a value TypeScript infers no parameters. */
type Why<F extends AnyFunction, Message> = [Parameters<F>] extends [never]
  ? "expected a function: write grad(f)(x), not grad(f(x))"
  : Message;

/** Whether a value's type, or that of an element or field, is `any` or `unknown`. */
type SaysNothing<T> = unknown extends T
  ? true
  : T extends readonly unknown[]
    ? SaysNothing<T[number]>
    : T extends object
      ? true extends { [K in keyof T]: unknown extends T[K] ? true : false }[keyof T]
        ? true
        : false
      : false;

/** Positions of the parameters whose type holds numbers. */
export type Argnum<F extends AnyFunction> = PositionsOf<Parameters<F>>;

type PositionsOf<P extends readonly unknown[]> =
  // A rest parameter covers any position.
  number extends P["length"] ? number : Positions<Required<P>, P>[number];
type Positions<All extends readonly unknown[], P> = {
  [K in keyof All]: K extends keyof P
    ? HasNumbers<P[K]> extends true
      ? PositionOf<K>
      : never
    : never;
};
type PositionOf<K> = K extends `${infer N extends number}` ? N : never;

/** The arguments to differentiate by, and whether `f` returns `[value, aux]`. A literal. */
export interface GradOptions<F extends AnyFunction> {
  /** A position gives that cotangent; an array gives a tuple in its order. Absent: argument 0. */
  readonly argnums?: Argnum<F> | readonly Argnum<F>[];
  /** `true`: `f` returns `[value, aux]`; `aux` is passed through, not differentiated. */
  readonly hasAux?: boolean;
  /**
   * "delta": derivatives are recorded while the function runs. "static": an error if they cannot be
   * written at build time. Absent: static where possible.
   */
  readonly engine?: "static" | "delta";
  /**
   * "nan": the derivative stops at the first number that is NaN or infinite, forwards or backwards.
   * Its error names the file, the line, the expression and its operands.
   */
  readonly debug?: "nan";
}

/** Options of the forms that can write the derivative into an object given by the caller. */
export interface IntoOptions<F extends AnyFunction> extends GradOptions<F> {
  /** `true`: the first argument is an object of the result's shape, written and returned. */
  readonly into?: boolean;
}

export type WithAux = { readonly hasAux: true };

/** `F` if a gradient can be requested, else a string type that says what was expected. */
export type Checked<F extends AnyFunction, O> = O extends WithAux
  ? Awaited<ReturnType<F>> extends readonly [number, unknown]
    ? CheckedArgument<F, O>
    : "with `hasAux: true` the function has to return a pair [value, aux] whose value is a number"
  : IsRefused<O> extends true
    ? F
    : Awaited<ReturnType<F>> extends number
      ? CheckedArgument<F, O>
      : Why<
          F,
          "the function has to return a number; for a pair [value, aux] ask for `hasAux: true`, for other results use vjp"
        >;
export type CheckedArgument<F extends AnyFunction, O> = "argnums" extends keyof O
  ? F
  : HasNumbers<Parameters<F>[0]> extends true
    ? F
    : true extends SaysNothing<Parameters<F>[0]>
      ? "the type of argument 0 of this function is `any` or `unknown`, or has a part that is: write what it holds, as in `(x: number)` or `(m: { w: number[] })`"
      : "argument 0 of this function holds no number to differentiate with respect to; name another one by `argnums`, or, for a base class or an interface, the classes in a union: `(Dense | Relu)[]`";
/** Whether the options are wrong: TypeScript then infers their constraint, and must report them. */
type IsRefused<O> = "hasAux" extends keyof O ? (boolean extends O["hasAux"] ? true : false) : false;
export type CheckedResult<F extends AnyFunction, O> = O extends WithAux
  ? Awaited<ReturnType<F>> extends readonly [infer V, unknown]
    ? HasNumbers<V> extends true
      ? F
      : "the value in this function's result [value, aux] holds no number to differentiate"
    : "with `hasAux: true` the function has to return a pair [value, aux]"
  : HasNumbers<Awaited<ReturnType<F>>> extends true
    ? F
    : Why<
        F,
        true extends SaysNothing<Awaited<ReturnType<F>>>
          ? "the type of this function's result is `any` or `unknown`, or has a part that is: write what it holds, as in `(x: number): number`"
          : "the result of this function holds no number to differentiate"
      >;

/** The cotangents that `argnums` requests. */
export type Asked<F extends AnyFunction, O> = O extends { readonly argnums: infer A extends number }
  ? Cotangent<Parameters<F>[A]>
  : O extends { readonly argnums: infer A extends readonly number[] }
    ? { -readonly [K in keyof A]: Cotangent<Parameters<F>[A[K]]> }
    : Cotangent<Parameters<F>[0]>;

/**
 * A function with the parameters of `f`. It is a conditional type so that TypeScript infers the
 * inner function of `grad(grad(f), { argnums: [0, 1] })` before it checks the options.
 */
export type CalledAs<F extends AnyFunction, R> = [F] extends [AnyFunction]
  ? (...args: Parameters<F>) => R
  : never;

/** {@link CalledAs}; with `into: true`, after the object that is written. */
export type CalledInto<F extends AnyFunction, O, I, R> = [F] extends [AnyFunction]
  ? O extends { readonly into: true }
    ? (into: I, ...args: Parameters<F>) => R
    : (...args: Parameters<F>) => R
  : never;

/** The result of a derivative: a promise if the function is asynchronous. */
export type Given<F extends AnyFunction, R> =
  ReturnType<F> extends PromiseLike<unknown> ? Promise<R> : R;

export type Aux<F extends AnyFunction> =
  Awaited<ReturnType<F>> extends readonly [number, infer A] ? A : never;

/** The result of `vjp`: `hasAux` splits the function's result, `argnums` selects the cotangents. */
export type Pulled<F extends AnyFunction, O> = O extends WithAux
  ? Awaited<ReturnType<F>> extends readonly [infer V, infer A]
    ? [value: V, pullback: (cotangent: Cotangent<V>) => PulledBack<F, O>, aux: A]
    : never
  : [
      value: Awaited<ReturnType<F>>,
      pullback: (cotangent: Cotangent<Awaited<ReturnType<F>>>) => PulledBack<F, O>,
    ];
type PulledBack<F extends AnyFunction, O> = "argnums" extends keyof O
  ? Asked<F, O>
  : Cotangents<Parameters<F>>;

/** A pullback's result without `argnums`: per argument, its cotangent; `undefined` if none. */
export type Cotangents<P extends readonly unknown[]> = Entries<Required<P>, P>;
type Entries<All extends readonly unknown[], P> = {
  [K in keyof All]: K extends keyof P
    ? HasNumbers<P[K]> extends true
      ? Cotangent<P[K]>
      : undefined
    : never;
};

// ------------------------------------------------------------------------------------ forward mode

/** Whether `f` returns `[value, aux]`. Written as a literal. */
export interface PushOptions {
  /** `true`: `f` returns `[value, aux]`; `aux` is passed through, not differentiated. */
  readonly hasAux?: boolean;
  /** As for `grad`. */
  readonly engine?: "static" | "delta";
  /** As for `grad`. */
  readonly debug?: "nan";
}

/** `F` if it has an argument to differentiate by, else what was expected. */
export type CheckedAny<F extends AnyFunction, O> =
  HasNumbers<Parameters<F>> extends true
    ? CheckedResult<F, O>
    : Why<
        F,
        true extends SaysNothing<Parameters<F>[number]>
          ? "the type of an argument of this function is `any` or `unknown`, or has a part that is: write what it holds, as in `(x: number)` or `(m: { w: number[] })`"
          : "no argument of this function holds a number to differentiate with respect to"
      >;

/** `F` if the result and the requested arguments hold numbers. */
export type CheckedBoth<F extends AnyFunction, O> =
  CheckedResult<F, O> extends F ? CheckedArgument<F, O> : CheckedResult<F, O>;

/** The differentiated part of the result, and the rest. */
export type Result<F extends AnyFunction, O> = O extends WithAux
  ? Awaited<ReturnType<F>> extends readonly [infer V, unknown]
    ? V
    : never
  : Awaited<ReturnType<F>>;
export type ResultAux<F extends AnyFunction> =
  Awaited<ReturnType<F>> extends readonly [unknown, infer A] ? A : never;

/** The result of `jvp`. */
export type Pushed<F extends AnyFunction, O> = O extends WithAux
  ? [value: Result<F, O>, tangent: Cotangent<Result<F, O>>, aux: ResultAux<F>]
  : [value: Result<F, O>, tangent: Cotangent<Result<F, O>>];

/** The result of `linearize`. */
export type Linearized<F extends AnyFunction, O> = O extends WithAux
  ? [value: Result<F, O>, map: MapOf<F, O>, aux: ResultAux<F>]
  : [value: Result<F, O>, map: MapOf<F, O>];
type MapOf<F extends AnyFunction, O> = LinearMap<
  "argnums" extends keyof O ? Asked<F, O> : Tangents<Parameters<F>>,
  Cotangent<Result<F, O>>
>;

/** A dense derivative, with the result of `hasAux`. */
export type Dense<F extends AnyFunction, O, J> = Given<
  F,
  O extends WithAux ? [jacobian: J, aux: ResultAux<F>] : J
>;

/** A Jacobian by each requested argument. */
export type JacobianBy<F extends AnyFunction, O, R> = O extends {
  readonly argnums: infer A extends number;
}
  ? Jacobian<R, Parameters<F>[A]>
  : O extends { readonly argnums: infer A extends readonly number[] }
    ? { -readonly [K in keyof A]: Jacobian<R, Parameters<F>[A[K]]> }
    : Jacobian<R, Parameters<F>[0]>;

/** The Jacobian of the gradient by each argument: `H[i][j]` for arrays. */
export type HessianBy<F extends AnyFunction, O> = O extends {
  readonly argnums: infer A extends readonly number[];
}
  ? { -readonly [I in keyof A]: JacobianBy<F, O, Cotangent<Parameters<F>[A[I]]>> }
  : JacobianBy<F, O, Asked<F, O>>;
