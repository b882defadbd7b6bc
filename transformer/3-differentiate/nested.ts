// What the engines know of functions that differentiation has made itself. In: nothing. Out: types only.

import type { Derivation } from "../ir/facts.ts";
import type { Atom, Func } from "../ir/types.ts";
import type { RewindSignature, RoundsFunc } from "./reverse/checkpoint-schedule.ts";
import type { Signature } from "./reverse/signature.ts";

/** A function that differentiation has made, and that cannot be swept in reverse. */
export interface Derivative {
  readonly func: Func;
  readonly derivation: Derivation;
  /** The function whose gradient it is: `f` of `f$grad` and of `f$grad$fwd`. */
  readonly base: Func;
  /** What it is the forward mode of; null where it is a gradient or pullback itself. */
  readonly inner: Derivation | null;
}

/** What is known of derivatives, and how more of them are asked for. */
export interface Nested {
  /** Null for functions that can be swept as they are. */
  derivative(callee: string): Derivative | null;
  /** Asks for `base$pull` for these arguments, differentiated forwards `times` times with respect to `active`; gives its name. */
  pull(base: Func, asked: readonly number[], active: readonly number[], times: 0 | 1 | 2): string;
  /** Whether a function can neither be swept nor is a derivative that has a rule here. */
  isClosed(callee: string): boolean;
  /** A function of the program. */
  func(name: string): Func;
  /** Whether a function writes the memory behind an atom of its own. */
  writtenIn(func: Func): (atom: Atom) => boolean;
  /** What reverses a loop by a schedule, with respect to these arguments of it. */
  rewind(loop: RoundsFunc, active: readonly number[]): RewindSignature;
  /** Whether a call of a function with these active arguments is reversed where it stands, where the cotangent of its result is known there. */
  merges(callee: string, active: readonly number[]): boolean;
  /** Asks for `callee$merged`, which does that. */
  merged(
    callee: string,
    active: readonly number[],
  ): { readonly signature: Signature; readonly isRecursive: boolean };
}
