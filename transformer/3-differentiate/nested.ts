// Types of what both modes know about calls: calls with active arguments, calls of derivatives that
// differentiation has made itself, and how it requests more derivatives.

import type { Derivation } from "../ir/facts.ts";
import type { Ruled } from "../ir/derivation.ts";
import type { Atom, Expr, Func, Let } from "../ir/types.ts";
import type { RewindSignature, ScheduledLoop } from "./reverse/checkpoint-schedule.ts";
import type { Signature } from "./reverse/signature.ts";

/** A call with active arguments, at these positions. */
export interface ActiveCall {
  readonly stmt: Let;
  readonly expr: Expr & { kind: "call" };
  readonly active: readonly number[];
}

/** A call of a function that has a rule. */
export interface RuledCall extends ActiveCall {
  readonly callee: Ruled;
}

/** A derivative that cannot be swept in reverse itself. */
export interface Derivative {
  readonly func: Func;
  readonly derivation: Derivation;
  /** The function whose gradient it is: `f` of `f$grad` and of `f$grad$fwd`. */
  readonly base: Func;
  /** The derivative that it is the forward mode of; null if it is a gradient or pullback itself. */
  readonly inner: Derivation | null;
}

/** What is known of derivatives, and how more are requested. */
export interface Nested {
  /** Null for functions that can be swept directly. */
  derivative(callee: string): Derivative | null;
  /** Requests `base$pull` for `asked`, `times` times differentiated by `active`: its name. */
  pull(base: Func, asked: readonly number[], active: readonly number[], times: 0 | 1 | 2): string;
  /** Whether a function can neither be swept nor is a derivative with a rule here. */
  isClosed(callee: string): boolean;
  /** The function of which this is a shipped sweep, whose code the program does not have. */
  shippedOf(callee: string): Func | null;
  /** A function of the program. */
  func(name: string): Func;
  /** A test whether `func` writes the memory of one of its atoms. */
  writtenIn(func: Func): (atom: Atom) => boolean;
  /** The function that reverses a loop by a checkpoint schedule, for these active arguments. */
  rewind(loop: ScheduledLoop, active: readonly number[]): RewindSignature;
  /** Whether a call can be reversed immediately, once its cotangent is known. */
  merges(callee: string, active: readonly number[]): boolean;
  /** Requests `callee$merged`, which does that. */
  merged(
    callee: string,
    active: readonly number[],
  ): { readonly signature: Signature; readonly isRecursive: boolean };
}
