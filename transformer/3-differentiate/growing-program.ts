// The program while it is differentiated: the user's functions, the derivatives written so far, and
// those of them that can be differentiated again. Invariant: a derivative becomes a function of the
// program only by `grow`, which analyses the program anew.

import { bogTypes, wrapperName, isSweepable } from "../ir/derivation.ts";
import type { Derived, FunctionFacts } from "../ir/facts.ts";
import { invariant } from "../ir/invariant.ts";
import { revf, revr } from "../ir/names.ts";
import type { Func, Program } from "../ir/types.ts";
import { bogTangents } from "./bog-tangents.ts";
import type { Derivative, Nested } from "./nested.ts";

/** Facts of a function for its active arguments; `split` for a `revf`/`revr` pair. */
export type FactsOf = (func: Func, active: readonly number[], split: boolean) => FunctionFacts;

export interface ProgramRequest {
  readonly program: Program;
  readonly factsOf: FactsOf;
  /** The analyses of a program that also holds derivatives. */
  readonly analyse: (program: Program) => FactsOf;
  /** Simplifies a derivative as it will be emitted, before it is differentiated. */
  readonly tidy: (func: Func, types: Program["types"]) => Func;
}

export class GrowingProgram {
  readonly #request: ProgramRequest;
  readonly #done = new Map<string, readonly Derived[]>();
  /** Pairs and tangents of BOGs, which only other derivatives use. */
  readonly #parts = new Set<string>();
  #program: Program;
  #factsOf: FactsOf;

  constructor(request: ProgramRequest) {
    this.#request = request;
    this.#program = request.program;
    this.#factsOf = request.factsOf;
  }

  get types(): Program["types"] {
    return this.#program.types;
  }

  get funcs(): Program["funcs"] {
    return this.#program.funcs;
  }

  func(name: string): Func {
    const func = this.#program.funcs.get(name) ?? this.shippedOf(name);
    invariant(func !== undefined, `no function ${name}`);
    return func;
  }

  /** The function of which this is a shipped sweep, whose code the program does not have. */
  shippedOf(callee: string): Func | undefined {
    if (this.funcs.has(callee)) return undefined;
    const isOf = ({ name, shipped }: Func): boolean =>
      shipped === true && [revf(name, null), revr(name, null)].includes(callee);
    return [...this.funcs.values()].find(isOf);
  }

  factsOf(func: Func, active: readonly number[], split: boolean): FunctionFacts {
    return this.#factsOf(func, active, split);
  }

  /** Facts of a changed version of a function. */
  factsOfVersion(func: Func, active: readonly number[]): FunctionFacts {
    const funcs = new Map(this.#program.funcs).set(func.name, func);
    return this.#request.analyse({ ...this.#program, funcs })(func, active, true);
  }

  tidied(func: Func): Func {
    return this.#request.tidy(func, this.types);
  }

  has(derivative: string): boolean {
    return this.#done.has(derivative);
  }

  add(name: string, items: readonly Derived[]): void {
    this.#done.set(name, items);
  }

  addPart(name: string, items: readonly Derived[]): void {
    this.#parts.add(name);
    this.add(name, items);
  }

  /**
   * The derivatives so far, parts and those with `isCallee` first, otherwise in the order of the
   * primals.
   */
  derived(isCallee: (name: string) => boolean): readonly Derived[] {
    const rank = (name: string): number => (this.#parts.has(name) || isCallee(name) ? 0 : 1);
    return [...this.#done.entries()]
      .sort(([x], [z]) => rank(x) - rank(z))
      .flatMap(([, items]) => items);
  }

  /** Makes functions of all derivatives so far, so that they can be differentiated. */
  grow(made: readonly Derived[]): void {
    const { homes } = this.#program;
    const types = new Map([...this.#program.types, ...bogTypes(made, homes)]);
    const tangents = bogTangents(made, types);
    for (const item of tangents) this.addPart(item.name, [item]);
    for (const [name, type] of bogTypes(tangents, homes)) types.set(name, type);
    const funcs = new Map(this.#program.funcs);
    for (const item of made)
      if (item.kind === "func" && !funcs.has(item.func.name))
        funcs.set(item.func.name, this.#request.tidy(item.func, types));
    this.#program = { ...this.#program, funcs, types };
    this.#factsOf = this.#request.analyse(this.#program);
  }

  /** A function that can be swept in reverse: `func` itself, or one that calls it. */
  swept(func: Func): Func {
    invariant(func.rule === undefined, `${func.name} has a rule of its own`);
    return func.derivation === undefined || isSweepable(func, this.funcs)
      ? func
      : this.func(wrapperName(func.name));
  }

  #isSwept(func: Func): boolean {
    return (
      func.rule === undefined &&
      func.isSweep !== true &&
      (func.derivation === undefined ||
        isSweepable(func, this.funcs) ||
        this.funcs.has(wrapperName(func.name)))
    );
  }

  /** How a derivative that cannot be swept came about; null for other functions. */
  derivative(callee: string): Derivative | null {
    const func = this.funcs.get(callee);
    if (func?.derivation === undefined || isSweepable(func, this.funcs)) return null;
    const { derivation } = func;
    const of = this.func(derivation.of);
    if (derivation.mode !== "fwd") return { func, derivation, base: this.swept(of), inner: null };
    const inner = of.derivation;
    if (inner === undefined || inner.mode === "fwd" || inner.mode === "pull")
      return this.#isSwept(of) ? { func, derivation, base: this.swept(of), inner: null } : null;
    return { func, derivation, base: this.swept(this.func(inner.of)), inner };
  }

  /** Whether a function cannot be swept. */
  isClosed(callee: string): boolean {
    const func = this.func(callee);
    return (
      func.isSweep === true || (func.derivation !== undefined && !isSweepable(func, this.funcs))
    );
  }

  /** A test whether `func` writes the memory of one of its atoms. */
  writtenIn(func: Func): ReturnType<Nested["writtenIn"]> {
    const facts = this.factsOf(func, [], false);
    return (atom) => !facts.isUnchanged(atom);
  }
}
