// Writes the derivatives that are requested one by one, and those that these call. Input: an ssa
// program, requests, and the analyses as a function. Output: derived functions. Invariant: whatever
// a derivative calls is requested by its signature and written before `finish` returns.

import {
  defaultsToAllArguments,
  type CallSite,
  type Derivation,
  type Derived,
  type FunctionFacts,
  isPullback,
  receivesPullback,
  modesOf,
} from "../ir/facts.ts";
import * as names from "../ir/names.ts";
import { hasNumbers, resolve } from "../ir/shadow.ts";
import type { Func } from "../ir/types.ts";
import {
  type Dense,
  denseColumns,
  denseName,
  type DenseRequest,
  denseRows,
} from "./dense/forms.ts";
import { forwardOf } from "./forward/derivative.ts";
import { type ForwardSignature, forwardSignatureOf } from "./forward/signature.ts";
import { GrowingProgram, type ProgramRequest } from "./growing-program.ts";
import { NestedCalls } from "./nested-calls.ts";
import { Requests } from "./requested.ts";
import { gradientOf, rearrangement } from "./reverse/gradient.ts";
import { mergedOf } from "./reverse/merged.ts";
import { Pairs } from "./reverse/pairs.ts";
import { peel } from "./reverse/peel.ts";
import { pullbackOf } from "./reverse/pullback.ts";
import type { Residual } from "./reverse/residuals.ts";
import type { PassThrough, Signature } from "./reverse/signature.ts";
import { type Split, splitOf } from "./reverse/split.ts";
import type { SweepRequest } from "./reverse/sweep.ts";
import type { Problem } from "./unsupported.ts";

export interface WorkRequest extends ProgramRequest {
  /** By recursive pair: its pass-through values, as decided by the first program that writes it. */
  readonly passThrough?: Map<string, readonly PassThrough[]>;
  /** Whether pullbacks escape: then the reverse sweep of a pair may run twice on one BOG. */
  readonly repeats: boolean;
}

interface GradientTask {
  readonly name: string;
  readonly asked: readonly number[];
  readonly tuple: boolean;
  readonly mode: "grad" | "vag" | "pull";
  readonly hasAux?: boolean;
  readonly into?: Func["into"];
}

export class Work {
  readonly problems = new Map<string, readonly Problem[]>();
  readonly residuals = new Map<string, readonly Residual[]>();
  readonly activeOf = new Map<string, readonly number[]>();
  /** Names of dense derivatives, which are complete in one function. */
  readonly dense = new Set<string>();
  readonly #request: WorkRequest;
  readonly #program: GrowingProgram;
  readonly #pairs: Pairs;
  readonly #nested: NestedCalls;
  readonly #forwards = new Requests<ForwardSignature>();

  constructor(request: WorkRequest) {
    this.#request = request;
    this.#program = new GrowingProgram(request);
    this.#nested = new NestedCalls(this.#program, (callee, active) =>
      this.#pairs.signature(callee, active),
    );
    this.#pairs = new Pairs({
      func: (name) => this.#program.func(name),
      signatureOf: (callee, active) => this.#nested.signatureOf(callee, active),
      write: (signature) => this.#split(signature),
      handed: request.passThrough ?? new Map<string, readonly PassThrough[]>(),
    });
  }

  /** What every derivative is written from. */
  #shared(func: Func, facts: FunctionFacts): Omit<SweepRequest, "signatureOf"> {
    return { func, facts, types: this.#program.types, nested: this.#nested };
  }

  #split(signature: Signature): Split {
    const { callee: func, active } = signature;
    return splitOf({
      ...this.#shared(func, this.#program.factsOf(func, active, true)),
      signature,
      repeats: this.#request.repeats,
      signatureOf: this.#pairs.signature,
    });
  }

  readonly #forwardSignature = (callee: string, active: readonly number[]): ForwardSignature => {
    const signature = forwardSignatureOf(this.#program.func(callee), active, this.#program.types);
    return this.#forwards.request(signature.name, signature);
  };

  /** Positions of the parameters that hold numbers. */
  #numeric({ params }: Func): readonly number[] {
    const { types } = this.#program;
    return params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
  }

  /** The reverse-mode derivative that a call site needs: its name. */
  derivative(site: CallSite): string {
    const target = this.#program.func(site.target);
    const func = this.#program.swept(target);
    const jacobian = site.form === "jacrev" ? this.#jacobian(func, target.name, site) : null;
    if (jacobian !== null) return jacobian;
    if (isPullback(site.form, func.result.kind === "num")) return this.#pullback(func, site);
    const { argnums, tuple, hasAux } = site;
    const mode = site.form === "valueAndGrad" ? "vag" : "grad";
    const own = names[mode](target.name, askedAt(func, site));
    const into = placeToWrite(site);
    const name = into === undefined ? own : names.into(own);
    if (!this.#program.has(name))
      this.#gradient(func, { name, asked: argnums, tuple, mode, hasAux, into });
    return name;
  }

  /** Adds the dense derivative that `write` gives; null if it gives none. */
  #dense(
    func: Func,
    own: string,
    site: CallSite,
    write: (request: DenseRequest) => Dense | null,
    split: boolean,
  ): string | null {
    const name = denseName(own, site);
    if (this.dense.has(name)) return name;
    const made = write({
      func,
      site,
      name,
      types: this.#program.types,
      funcs: this.#program.funcs,
      nested: this.#nested,
      factsFor: () => this.#program.factsOf(func, site.argnums, split),
      tidied: (each) => this.#program.tidied(each),
    });
    if (made === null) return null;
    this.#program.add(name, [{ kind: "func", home: func.home, func: made.func }]);
    this.activeOf.set(name, site.argnums);
    if (site.form === "jacrev") this.residuals.set(name, made.residuals);
    this.dense.add(name);
    return name;
  }

  #jacobian(func: Func, of: string, site: CallSite): string | null {
    const own = names.jacrev(of, askedAt(func, site), site.hasAux);
    const write = (request: DenseRequest): Dense | null =>
      denseRows(request, this.#pairs.signature);
    return this.#dense(func, own, site, write, false);
  }

  /** The Jacobian of a function, or the Hessian as the Jacobian of a gradient. */
  #matrix(func: Func, nameOf: typeof names.jacfwd, site: CallSite): string | null {
    const own = nameOf(site.target, askedAt(func, site), site.hasAux);
    const write = (request: DenseRequest): Dense | null =>
      denseColumns(request, this.#forwardSignature);
    return this.#dense(func, own, site, write, true);
  }

  #pullback(func: Func, site: CallSite): string {
    const { tuple, hasAux } = site;
    const chosen = receivesPullback(site.form) && site.argnums.length > 0 ? site.argnums : null;
    const asked = { names: chosen === null ? null : namesAt(func, chosen), tuple };
    const name = names.vjp(site.target, asked, hasAux);
    if (this.#program.has(name)) return name;
    const active = chosen ?? this.#numeric(func);
    const signature = this.#pairs.signature(func.name, active);
    const facts = this.#program.factsOf(func, signature.active, true);
    const problems = signature.active.flatMap((i) => {
      const param = func.params[i];
      return param === undefined ? [] : rearrangement(func, param, facts);
    });
    if (problems.length > 0) this.#note(func, name, active, { problems, residuals: [] });
    const made = pullbackOf({
      func,
      facts,
      name,
      signature,
      types: this.#program.types,
      asked: chosen,
      tuple: chosen === null || tuple,
      hasAux,
    });
    this.#program.add(name, [{ kind: "func", home: func.home, func: made }]);
    return name;
  }

  /** `f$fwd` for a call site, with a tangent for each requested argument: its name. */
  forward(site: CallSite): string {
    const func = this.#program.func(site.target);
    const whole = site.form === "jacfwd" ? this.#matrix(func, names.jacfwd, site) : null;
    if (whole !== null) return whole;
    return this.#entry(
      func,
      defaultsToAllArguments(site.form) && site.argnums.length === 0 ? null : site.argnums,
    );
  }

  /** Forward mode for users. `asked`: null for all arguments, also those without numbers. */
  #entry(func: Func, asked: readonly number[] | null): string {
    const numeric = this.#numeric(func);
    const active = asked ?? func.params.map((_, i) => i);
    const signature = forwardSignatureOf(func, active, this.#program.types);
    const name =
      asked === null && numeric.length < func.params.length ? names.jvp(func.name) : signature.name;
    if (!this.#program.has(name)) {
      const varied = active.filter((i) => numeric.includes(i));
      this.#writeForward({ ...signature, name, active }, varied, true);
    }
    return name;
  }

  #writeForward(signature: ForwardSignature, varied: readonly number[], isEntry: boolean): void {
    const { callee: func, name, active } = signature;
    const made = forwardOf({
      ...this.#shared(func, this.#program.factsOf(func, varied, true)),
      name,
      active,
      isEntry,
      signatureOf: this.#forwardSignature,
      signature,
    });
    // the forward mode of a derivative may be differentiated again
    const derivation: Pick<Func, "derivation"> =
      func.derivation === undefined
        ? {}
        : { derivation: { mode: "fwd", of: func.name, requested: active, tuple: false } };
    this.#program.add(name, [
      { kind: "func", home: func.home, func: { ...made.func, ...derivation } },
    ]);
    this.activeOf.set(name, varied);
    this.#report(func, made.problems);
  }

  /** The gradient whose forward mode a site needs; null if it needs none. */
  gradientSite(site: CallSite): CallSite | null {
    if (modesOf(site.form).includes("second")) return site;
    const func = this.#program.func(site.target);
    const argnums = this.#numeric(func);
    return site.form !== "checkGrads" ||
      argnums.length === 0 ||
      resolve(func.result, this.#program.types).kind !== "num"
      ? null
      : { ...site, form: "grad", argnums, tuple: true };
  }

  /** Second derivatives: the forward modes of existing derivatives, by call site. */
  secondDerivatives(
    wanted: readonly {
      readonly name: string;
      readonly site: CallSite;
      readonly asked: readonly number[];
    }[],
  ): ReadonlyMap<CallSite, readonly string[]> {
    if (wanted.length === 0) return new Map();
    this.#grow();
    const found = new Map(
      wanted.map(({ name, site, asked }) => {
        const func = this.#program.func(name);
        const whole = site.form === "hessian" ? this.#matrix(func, names.hessian, site) : null;
        return [site, [whole ?? this.#entry(func, asked)]];
      }),
    );
    this.finish();
    return found;
  }

  #grow(): void {
    this.#program.grow(this.derived());
    this.#nested.reset();
  }

  /** Writes one derivative by name, as a body calls it. */
  derivation(name: string, { mode, of, requested: asked, tuple }: Derivation): void {
    const func = this.#program.func(of);
    if (mode === "fwd") this.#writeForwardAs(name, func, asked);
    else this.#gradient(this.#program.swept(func), { name, asked, tuple, mode });
    this.finish();
  }

  #writeForwardAs(name: string, func: Func, active: readonly number[]): void {
    const signature = forwardSignatureOf(func, active, this.#program.types);
    this.#writeForward({ ...signature, name, active }, active, false);
  }

  #gradient(func: Func, { name, asked, tuple, mode, hasAux, into }: GradientTask): void {
    const made = gradientOf({
      ...this.#shared(func, this.#program.factsOf(func, asked, false)),
      name,
      asked,
      tuple,
      hasAux: hasAux ?? false,
      withValue: mode !== "grad",
      seeded: mode === "pull" ? "user" : undefined,
      signatureOf: this.#pairs.signature,
    });
    const written = into === undefined ? made.func : { ...made.func, into };
    this.#program.add(name, [{ kind: "func", home: func.home, func: written }]);
    this.#note(func, name, asked, made);
  }

  /** Writes the requested forward modes of pullbacks, and what these call. */
  #finishPulls(): void {
    for (const [wanted, { base, asked, pull, steps }] of this.#nested.pulls) {
      this.#nested.pulls.delete(wanted);
      if (this.#exists(wanted)) continue;
      if (!this.#exists(pull))
        this.#gradient(this.#program.func(base.name), {
          name: pull,
          asked,
          tuple: true,
          mode: "pull",
        });
      this.finish();
      let of = pull;
      for (const { name, active } of steps) {
        this.#grow();
        if (!this.#program.has(name)) this.#writeForwardAs(name, this.#program.func(of), active);
        this.finish();
        of = name;
      }
    }
  }

  #exists(name: string): boolean {
    return this.#program.has(name) || this.#program.funcs.has(name);
  }

  /** The pair of a marked function, for all its arguments that hold numbers. */
  pair(name: string): Signature {
    return this.#pairs.signature(name, this.#numeric(this.#program.func(name)));
  }

  /** Writes all requested functions, and those that these request. */
  finish(): void {
    for (const signature of this.#forwards.taken())
      if (!this.#program.has(signature.name))
        this.#writeForward(signature, signature.active, false);
    for (const signature of this.#pairs.taken()) {
      const made = this.#split(signature);
      this.#program.addPart(signature.revf, made.derived);
      this.#note(signature.callee, signature.revf, signature.active, made);
    }
    for (const signature of this.#nested.mergedFuncs.taken()) this.#writeMerged(signature);
    if (!this.#pairs.isEmpty()) this.finish();
    this.#finishPulls();
  }

  #writeMerged(signature: Signature): void {
    const { callee, active, merged } = signature;
    const isRecursive = this.#nested.isRecursive(callee);
    const { func, facts } = (isRecursive ? this.#peeled(signature) : null) ?? {
      func: callee,
      facts: this.#program.factsOf(callee, active, true),
    };
    const made = mergedOf({
      ...this.#shared(func, facts),
      signature,
      signatureOf: this.#pairs.signature,
      isRecursive,
    });
    this.#program.add(merged, [{ kind: "func", home: func.home, func: made.func }]);
    this.#note(callee, merged, active, made);
  }

  /** The function with its base case inlined; null without one, or if some call is not merged. */
  #peeled({
    callee,
    active,
  }: Signature): { readonly func: Func; readonly facts: FunctionFacts } | null {
    const func = peel(callee);
    if (func === null) return null;
    const facts = this.#program.factsOfVersion(func, active);
    return this.#nested.isWholeAs(func, facts) ? { func, facts } : null;
  }

  #note(
    func: Func,
    name: string,
    active: readonly number[],
    made: { readonly problems: readonly Problem[]; readonly residuals: readonly Residual[] },
  ): void {
    this.residuals.set(name, made.residuals);
    this.activeOf.set(name, active);
    this.#report(func, made.problems);
  }

  #report({ name }: Func, problems: readonly Problem[]): void {
    if (problems.length > 0)
      this.problems.set(name, [...(this.problems.get(name) ?? []), ...problems]);
  }

  /** All derivatives: pairs before the functions that call them. */
  derived(): readonly Derived[] {
    return this.#program.derived(
      (name) => this.#nested.mergedFuncs.has(name) || this.#forwards.has(name),
    );
  }
}

const namesAt = (func: Func, positions: readonly number[]): readonly string[] =>
  positions.map((i) => func.params[i]?.name ?? String(i));

/** The requested arguments as a part of a name; nothing for the first one alone. */
const askedAt = (func: Func, { argnums, tuple }: CallSite): names.Requested => ({
  names: !tuple && argnums.length === 1 && argnums[0] === 0 ? null : namesAt(func, argnums),
  tuple,
});

/** Which part of the result is written into a given array, if the site gives one. */
function placeToWrite({ form, into, hasAux }: CallSite): Func["into"] {
  if (!into || (form !== "grad" && form !== "valueAndGrad")) return undefined;
  if (form === "valueAndGrad") return "1";
  return hasAux ? "0" : "whole";
}
