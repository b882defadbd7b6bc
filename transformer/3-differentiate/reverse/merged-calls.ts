// Decides which functions have a `merged` form that is worth having (merged.ts). Input: the
// functions of a program and their facts. Output: an answer for each call.
// Invariant: a recursive function has one only if its calls of itself are merged, too; otherwise
// the extra copy would run once. The answer is a greatest fixpoint, so it does not depend on the
// first query.

import { calleesIn, mayCall } from "../../ir/calls.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Func } from "../../ir/types.ts";
import type { Nested } from "../nested.ts";
import { unmergedCalls } from "./immediate-reversal.ts";
import { type Signature, signatureOf } from "./signature.ts";

export interface MergedCallsOptions {
  readonly func: (name: string) => Func;
  readonly types: Types;
  /** Facts of the callee, for its active arguments. */
  readonly factsOf: (signature: Signature) => FunctionFacts;
  readonly nested: Nested;
  /** Whether a function is called by its pair and has a body. */
  readonly isPaired: (func: Func) => boolean;
}

interface Candidate {
  readonly signature: Signature;
  merges: boolean;
}

export class MergedCalls {
  readonly #options: MergedCallsOptions;
  readonly #known = new Map<string, boolean>();
  #open: Map<string, Candidate> | null = null;

  constructor(options: MergedCallsOptions) {
    this.#options = options;
  }

  merges(callee: string, active: readonly number[]): boolean {
    const func = this.#options.func(callee);
    if (!this.#options.isPaired(func)) return false;
    const signature = signatureOf(func, active, this.#options.types);
    const known = this.#known.get(signature.merged);
    if (known !== undefined) return known;
    if (signature.result !== "scalar") return false;
    if (this.#open !== null) {
      const open = this.#open.get(signature.merged) ?? { signature, merges: true };
      this.#open.set(signature.merged, open);
      return open.merges;
    }
    const open = new Map<string, Candidate>([[signature.merged, { signature, merges: true }]]);
    this.#open = open;
    for (let changed = true; changed;) {
      changed = false;
      for (const one of open.values()) {
        if (!one.merges || this.#isWhole(one.signature)) continue;
        one.merges = false;
        changed = true;
      }
    }
    this.#open = null;
    for (const [name, one] of open) this.#known.set(name, one.merges);
    return this.#known.get(signature.merged) ?? false;
  }

  /** Whether all calls through which the function calls itself are merged. */
  #isWhole(signature: Signature): boolean {
    return this.isWholeAs(signature.callee, this.#options.factsOf(signature));
  }

  /** The same for a function as it is about to be written. */
  isWholeAs({ name, body }: Func, facts: FunctionFacts): boolean {
    return unmergedCalls(body, facts, this.#options.nested).every(
      (call) => !this.#reaches(call.callee, name),
    );
  }

  isRecursive({ name, body }: Func): boolean {
    return [...calleesIn(body)].some((callee) => this.#reaches(callee, name));
  }

  #reaches(from: string, to: string): boolean {
    return mayCall(from, to, this.#options.func);
  }
}
