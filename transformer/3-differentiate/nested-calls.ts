// What the engines ask about calls of derivatives, and the functions that they request: pullbacks
// that are differentiated forwards, merged functions, reversed loops of checkpoint schedules.
// Invariant: a requested function is written before `Work.finish` returns.

import { isRuled, labelsOf } from "../ir/derivation.ts";
import type { FunctionFacts } from "../ir/facts.ts";
import * as names from "../ir/names.ts";
import type { Atom, Func } from "../ir/types.ts";
import type { GrowingProgram } from "./growing-program.ts";
import type { Derivative, Nested } from "./nested.ts";
import { Requests } from "./requested.ts";
import {
  isScheduledLoop,
  rewindOf,
  type RewindSignature,
  rewindSignature,
  type ScheduledLoop,
} from "./reverse/checkpoint-schedule.ts";
import { MergedCalls } from "./reverse/merged-calls.ts";
import { type Signature, signatureOf } from "./reverse/signature.ts";

/** A requested pullback, and its forward modes, one by one. */
export interface Pull {
  readonly base: Func;
  readonly asked: readonly number[];
  readonly pull: string;
  readonly steps: readonly { readonly name: string; readonly active: readonly number[] }[];
}

export class NestedCalls implements Nested {
  /** Requested pullbacks by the name of the last forward mode. */
  readonly pulls = new Map<string, Pull>();
  readonly mergedFuncs = new Requests<Signature>();
  readonly #program: GrowingProgram;
  readonly #pairOf: (callee: string, active: readonly number[]) => Signature;
  #mergedCalls: MergedCalls;

  constructor(program: GrowingProgram, pairOf: NestedCalls["signatureOf"]) {
    this.#program = program;
    this.#pairOf = pairOf;
    this.#mergedCalls = this.#newMergedCalls();
  }

  /** The plain signature of a pair. */
  signatureOf(callee: string, active: readonly number[]): Signature {
    return signatureOf(this.func(callee), active, this.#program.types);
  }

  /** Forgets answers about the program before it grew. */
  reset(): void {
    this.#mergedCalls = this.#newMergedCalls();
  }

  #newMergedCalls(): MergedCalls {
    const facts = new Map<string, FunctionFacts>();
    const factsOf = ({ callee, active, merged }: Signature): FunctionFacts => {
      const known = facts.get(merged) ?? this.#program.factsOf(callee, active, true);
      facts.set(merged, known);
      return known;
    };
    const isPaired = (func: Func): boolean =>
      !isRuled(func) &&
      !isScheduledLoop(func) &&
      func.shipped !== true &&
      func.onceOf === undefined &&
      this.derivative(func.name) === null &&
      !this.isClosed(func.name);
    return new MergedCalls({
      func: (name) => this.func(name),
      types: this.#program.types,
      factsOf,
      nested: this,
      isPaired,
    });
  }

  func(name: string): Func {
    return this.#program.func(name);
  }

  derivative(callee: string): Derivative | null {
    return this.#program.derivative(callee);
  }

  shippedOf(callee: string): Func | null {
    return this.#program.shippedOf(callee) ?? null;
  }

  isClosed(callee: string): boolean {
    return this.#program.isClosed(callee);
  }

  writtenIn(func: Func): (atom: Atom) => boolean {
    return this.#program.writtenIn(func);
  }

  merges(callee: string, active: readonly number[]): boolean {
    return this.#mergedCalls.merges(callee, active);
  }

  merged(callee: string, active: readonly number[]): ReturnType<Nested["merged"]> {
    const wanted = this.signatureOf(callee, active);
    const signature = this.mergedFuncs.request(wanted.merged, wanted);
    return { signature, isRecursive: this.isRecursive(signature.callee) };
  }

  isRecursive(func: Func): boolean {
    return this.#mergedCalls.isRecursive(func);
  }

  /** Whether all recursive calls of a changed version of a function are merged. */
  isWholeAs(func: Func, facts: FunctionFacts): boolean {
    return this.#mergedCalls.isWholeAs(func, facts);
  }

  pull(base: Func, asked: readonly number[], active: readonly number[], times: 0 | 1 | 2): string {
    const labels = labelsOf(base.params, asked, this.#program.types);
    const pull = names.pull(base.name, { names: labels, tuple: false });
    const params = [...base.params.map(({ name }) => name), names.bar(base.name)];
    const once = active.filter((i) => i < params.length);
    const first = names.fwd(
      pull,
      once.map((i) => params[i] ?? ""),
    );
    const second = names.fwd(
      first,
      active.map((i) => params[i] ?? names.dot(params[once[i - params.length] ?? 0] ?? "")),
    );
    const steps = {
      0: [],
      1: [{ name: first, active }],
      2: [
        { name: first, active: once },
        { name: second, active },
      ],
    }[times];
    const name = steps.at(-1)?.name ?? pull;
    this.pulls.set(name, { base, asked, pull, steps });
    return name;
  }

  rewind(loop: ScheduledLoop, active: readonly number[]): RewindSignature {
    const { types } = this.#program;
    const signature = rewindSignature(loop, active, types);
    if (this.#program.has(signature.name)) return signature;
    const iteration = this.func(loop.outlined.iteration);
    const outside = iteration.params.slice(
      iteration.params.length - (loop.params.length - signature.free),
    );
    const isWritten = this.writtenIn(iteration);
    const func = rewindOf({
      loop,
      iteration,
      signature,
      types,
      pairOf: this.#pairOf,
      isWritten: (at) => {
        const param = outside[at];
        return param !== undefined && isWritten(param);
      },
    });
    this.#program.add(signature.name, [{ kind: "func", home: loop.home, func }]);
    return signature;
  }
}
