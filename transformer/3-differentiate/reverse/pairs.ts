// Signatures of the `revf`/`revr` pairs that derivatives request. Input: a callee and its active
// arguments. Output: the signature, with the pass-through values of its reverse sweep.
// Invariant: these values are decided once, for all callers of the pair.

import type { FuncOf } from "../../ir/calls.ts";
import type { Func } from "../../ir/types.ts";
import { invariant } from "../../ir/invariant.ts";
import { Requests } from "../requested.ts";
import { passThroughCandidates, passThroughRead, type Trial } from "./pass-through-params.ts";
import type { PassThrough, Signature } from "./signature.ts";
import type { Split } from "./split.ts";

export interface PairsOptions {
  readonly func: FuncOf;
  /** The signature of a pair without pass-through values. */
  readonly signatureOf: (callee: string, active: readonly number[]) => Signature;
  readonly write: (signature: Signature) => Split;
  /** By pair: the pass-through values decided so far. */
  readonly handed: Map<string, readonly PassThrough[]>;
}

export class Pairs {
  readonly #options: PairsOptions;
  readonly #wanted = new Requests<Signature>();
  /** Pairs of a recursive group that are written to see what their reverse sweeps read. */
  readonly #tried = new Map<string, Signature>();

  constructor(options: PairsOptions) {
    this.#options = options;
  }

  readonly signature = (callee: string, active: readonly number[]): Signature => {
    const plain = this.#options.signatureOf(callee, active);
    return this.#wanted.get(plain.revf) ?? this.#tried.get(plain.revf) ?? this.#decided(plain);
  };

  /** Pairs that are still to be written. */
  taken(): Iterable<Signature> {
    return this.#wanted.taken();
  }

  isEmpty(): boolean {
    return this.#wanted.isEmpty();
  }

  #decided(plain: Signature): Signature {
    const { callee, revf } = plain;
    // callers of shipped code, in other programs, expect the plain signature
    if (callee.shipped === true || callee.ships === true) return this.#wanted.request(revf, plain);
    const before = this.#options.handed.get(revf);
    if (before !== undefined) return this.#wanted.request(revf, { ...plain, passThrough: before });
    const handed = passThroughCandidates(plain, this.#options.func);
    return handed.length === 0 ? this.#decide(plain) : this.#try({ ...plain, passThrough: handed });
  }

  #decide(signature: Signature): Signature {
    this.#options.handed.set(signature.revf, signature.passThrough);
    return this.#wanted.request(signature.revf, signature);
  }

  /** Writes a recursive group once with all candidates, to see which ones are read. */
  #try(signature: Signature): Signature {
    const isFirst = this.#tried.size === 0;
    this.#tried.set(signature.revf, signature);
    // the first function of the group decides for all
    if (!isFirst) return signature;
    const trials: Trial[] = [];
    for (const one of this.#tried.values())
      trials.push({ signature: one, reverse: this.#reverseOf(one) });
    this.#tried.clear();
    for (const [{ signature: one }, read] of passThroughRead(trials))
      this.#decide({ ...one, passThrough: read });
    const decided = this.#wanted.get(signature.revf);
    invariant(decided !== undefined, `${signature.revf} is not decided`);
    return decided;
  }

  #reverseOf(signature: Signature): Func {
    const reverse = this.#options
      .write(signature)
      .derived.find((item) => item.kind === "func" && item.func.name === signature.revr);
    invariant(reverse?.kind === "func", `${signature.revr} is not written`);
    return reverse.func;
  }
}
