// The derivatives that are written so far, and those that are still to be written. In: an ssa program, what is asked for one by one, and the analyses as a
// function. Out: derived functions. Invariant: what a derivative calls is asked for by its signature and written before `finish` returns.

import { calleesIn } from "../ir/calls.ts";
import { bogTypes, callerName, isRuled, isSweepable, labelsOf } from "../ir/derivation.ts";
import {
  asksForAll,
  type CallSite,
  type Derivation,
  type Derived,
  type FunctionFacts,
  isPullback,
  keepsPullback,
  modesOf,
} from "../ir/facts.ts";
import { NUM } from "../ir/build.ts";
import { invariant } from "../ir/invariant.ts";
import * as names from "../ir/names.ts";
import { hasNumbers, isScalarType, resolve } from "../ir/shadow.ts";
import type { Func, Program, Type } from "../ir/types.ts";
import { isWritable } from "../ir/writable.ts";
import { bogTangents } from "./bog-tangents.ts";
import { columnsOf } from "./dense/columns.ts";
import { barTypes, rowsOf } from "./dense/rows.ts";
import { placesOf } from "./dense/shape.ts";
import { forwardOf } from "./forward/derivative.ts";
import { type ForwardSignature, forwardSignatureOf } from "./forward/signature.ts";
import type { Residual } from "./reverse/residuals.ts";
import { gradientOf, rearrangement } from "./reverse/gradient.ts";
import { MergedCalls } from "./reverse/merged-calls.ts";
import { mergedOf } from "./reverse/merged.ts";
import type { Nested } from "./nested.ts";
import { Pairs } from "./reverse/pairs.ts";
import { peel } from "./reverse/peel.ts";
import { pullbackOf } from "./reverse/pullback.ts";
import {
  isOfRounds,
  rewindOf,
  type RewindSignature,
  rewindSignature,
  type RoundsFunc,
} from "./reverse/checkpoint-schedule.ts";
import { type HandedOn, type Signature, signatureOf } from "./reverse/signature.ts";
import { type Split, splitOf } from "./reverse/split.ts";
import type { Problem } from "./unsupported.ts";
import { Wanted } from "./requested.ts";

export interface WorkRequest {
  readonly program: Program;
  /** Facts of a function for its active arguments; `split` for a `revf`/`revr` pair. */
  readonly factsOf: FactsOf;
  /** The analyses of another program: of one that holds derivatives, which are differentiated once more. */
  readonly analyse: (program: Program) => FactsOf;
  /** A derivative as it will be emitted: less to differentiate. */
  readonly tidy: (func: Func, types: Program["types"]) => Func;
  /** By pair of functions that recur: what is handed on to it. Who writes it first decides for all, since its callers may be written elsewhere, of a body that is prepared otherwise. */
  readonly handed?: Map<string, readonly HandedOn[]>;
  /** Whether somebody keeps pullbacks of what is differentiated: reverse sweeps of pairs may run twice on one BOG. */
  readonly repeats: boolean;
}

type FactsOf = (func: Func, active: readonly number[], split: boolean) => FunctionFacts;

export class Work {
  readonly problems = new Map<string, readonly Problem[]>();
  readonly residuals = new Map<string, readonly Residual[]>();
  readonly activeOf = new Map<string, readonly number[]>();
  readonly whole = new Set<string>();
  readonly #request: WorkRequest;
  readonly #done = new Map<string, readonly Derived[]>();
  readonly #pairs: Pairs;
  #mergedCalls: MergedCalls;
  readonly #merged = new Wanted<Signature>();
  readonly #forwards = new Wanted<ForwardSignature>();
  /** Forward modes of pullbacks that reverse code calls, by name: with respect to what, step by step. */
  readonly #pulls = new Map<
    string,
    {
      readonly base: Func;
      readonly asked: readonly number[];
      readonly pull: string;
      readonly steps: readonly { readonly name: string; readonly active: readonly number[] }[];
    }
  >();
  /** With derivatives that are differentiated once more. */
  #program: Program;
  #factsOf: FactsOf;

  constructor(request: WorkRequest) {
    this.#request = request;
    this.#program = request.program;
    this.#factsOf = request.factsOf;
    this.#pairs = new Pairs({
      func: (name) => this.#func(name),
      signatureOf: this.#signatureOf,
      write: (signature) => this.#split(signature),
      handed: request.handed ?? new Map<string, readonly HandedOn[]>(),
    });
    this.#mergedCalls = this.#newMergedCalls();
  }

  #newMergedCalls(): MergedCalls {
    const facts = new Map<string, FunctionFacts>();
    const factsOf = ({ callee, active, merged }: Signature): FunctionFacts => {
      const known = facts.get(merged) ?? this.#factsOf(callee, active, true);
      facts.set(merged, known);
      return known;
    };
    const isPaired = (func: Func): boolean =>
      !isRuled(func) &&
      !isOfRounds(func) &&
      func.shipped !== true &&
      func.onceOf === undefined &&
      this.#nested.derivative(func.name) === null &&
      !this.#nested.isClosed(func.name);
    return new MergedCalls({
      func: (name) => this.#func(name),
      types: this.#program.types,
      factsOf,
      nested: this.#nested,
      isPaired,
    });
  }

  #func(name: string): Func {
    const func = this.#program.funcs.get(name);
    invariant(func !== undefined, `no function ${name}`);
    return func;
  }

  readonly #signatureOf = (callee: string, active: readonly number[]): Signature =>
    signatureOf(this.#func(callee), active, this.#program.types);

  #split(signature: Signature): Split {
    const { callee: func, active } = signature;
    return splitOf({
      func,
      facts: this.#factsOf(func, active, true),
      types: this.#program.types,
      signature,
      repeats: this.#request.repeats,
      signatureOf: this.#pairs.signature,
      nested: this.#nested,
    });
  }

  readonly #forwardSignature = (callee: string, active: readonly number[]): ForwardSignature => {
    const signature = forwardSignatureOf(this.#func(callee), active, this.#program.types);
    return this.#forwards.once(signature.name, signature);
  };

  derivative(site: CallSite): string {
    const target = this.#func(site.target);
    const func = this.#swept(target);
    const jacobian = site.form === "jacrev" ? this.#jacobian(func, target.name, site) : null;
    if (jacobian !== null) return jacobian;
    if (isPullback(site.form, func.result.kind === "num")) return this.#pullback(func, site);
    const asked = askedAt(func, site);
    const withValue = site.form === "valueAndGrad";
    const own = (withValue ? names.vag : names.grad)(target.name, asked);
    const into =
      !site.into || (site.form !== "grad" && !withValue)
        ? undefined
        : withValue
          ? "1"
          : site.hasAux
            ? "0"
            : "whole";
    const name = into === undefined ? own : names.into(own);
    if (!this.#done.has(name))
      this.#gradient(
        func,
        name,
        site.argnums,
        site.tuple,
        withValue ? "vag" : "grad",
        site.hasAux,
        into,
      );
    return name;
  }

  /** A dense derivative in one function, where `write` can give it: of the function's value and by the numbers that are asked for. Else null. */
  #whole(
    func: Func,
    own: string,
    { argnums, hasAux, into }: CallSite,
    write: (value: Type, name: string) => Func | null,
  ): string | null {
    const name = into ? names.into(own) : own;
    if (this.whole.has(name)) return name;
    const { types } = this.#program;
    const first = (type: Type): Type => {
      const shape = resolve(type, types);
      return hasAux && shape.kind === "tuple" ? (shape.elems[0] ?? type) : type;
    };
    const value = first(func.result);
    const whole = new Set(argnums).size < argnums.length ? null : write(value, name);
    if (whole === null || (into && !isWritable(first(whole.result), types))) return null;
    this.#done.set(name, [
      {
        kind: "func",
        home: func.home,
        func: into ? { ...whole, into: hasAux ? "0" : "whole" } : whole,
      },
    ]);
    this.activeOf.set(name, argnums);
    this.whole.add(name);
    return name;
  }

  /** The Jacobian, where the result's numbers are known. */
  #jacobian(func: Func, of: string, site: CallSite): string | null {
    const { argnums, tuple, hasAux } = site;
    const { types } = this.#program;
    return this.#whole(func, names.jacrev(of, askedAt(func, site), hasAux), site, (value, name) => {
      if (placesOf(value, types) === null) return null;
      const facts = this.#factsOf(func, argnums, false);
      const made = gradientOf({
        func,
        name,
        facts,
        types,
        asked: argnums,
        tuple: true,
        hasAux,
        withValue: false,
        seeded: true,
        signatureOf: this.#pairs.signature,
        nested: this.#nested,
      });
      if (made.problems.length > 0 || !callsKnown(made.func, this.#program.funcs)) return null;
      const whole = rowsOf({
        pull: this.#request.tidy(made.func, types),
        name,
        value,
        hasAux,
        bars: barTypes(func.params, argnums, types),
        tuple,
        types,
      });
      if (whole !== null) this.residuals.set(name, made.residuals);
      return whole;
    });
  }

  #pullback(func: Func, site: CallSite): string {
    const chosen = keepsPullback(site.form) && site.argnums.length > 0 ? site.argnums : null;
    const name = names.vjp(
      site.target,
      { names: chosen === null ? null : namesAt(func, chosen), tuple: site.tuple },
      site.hasAux,
    );
    if (this.#done.has(name)) return name;
    const { types } = this.#program;
    const active =
      chosen ?? func.params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
    const signature = this.#pairs.signature(func.name, active);
    const facts = this.#factsOf(func, signature.active, true);
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
      types,
      asked: chosen,
      tuple: chosen === null || site.tuple,
      hasAux: site.hasAux,
    });
    this.#done.set(name, [{ kind: "func", home: func.home, func: made }]);
    return name;
  }

  /** `f$fwd`, with a tangent for each argument that is asked for. */
  forward(site: CallSite): string {
    const whole =
      site.form === "jacfwd" ? this.#matrix(this.#func(site.target), names.jacfwd, site) : null;
    if (whole !== null) return whole;
    return this.#entry(
      this.#func(site.target),
      asksForAll(site.form) && site.argnums.length === 0 ? null : site.argnums,
    );
  }

  /** The Jacobian of a function, where the numbers that it is by are known, or, of its gradient, the Hessian. */
  #matrix(func: Func, nameOf: typeof names.jacfwd, site: CallSite): string | null {
    const { argnums, tuple, hasAux } = site;
    const { types } = this.#program;
    return this.#whole(
      func,
      nameOf(site.target, askedAt(func, site), hasAux),
      site,
      (value, name) => {
        const signature = forwardSignatureOf(func, argnums, types);
        const facts = this.#factsOf(func, argnums, true);
        const isWritten = this.#nested.writtenIn(func);
        if (
          !signature.isPair ||
          func.params.some((param) => !isScalarType(param.type) && isWritten(param))
        )
          return null;
        const push = forwardOf({
          func,
          facts,
          types,
          name,
          active: argnums,
          isEntry: true,
          signatureOf: this.#forwardSignature,
          signature,
          nested: this.#nested,
        });
        if (push.problems.length > 0 || !callsKnown(push.func, this.#program.funcs)) return null;
        const by = argnums.map((i) => func.params[i]?.type ?? NUM);
        return columnsOf({
          push: this.#request.tidy(push.func, types),
          name,
          by,
          value,
          hasAux,
          isHessian: site.form === "hessian",
          tuple,
          types,
        });
      },
    );
  }

  /** `asked`: null for all arguments, those without numbers included. */
  #entry(func: Func, asked: readonly number[] | null): string {
    const all = func.params.map((_, i) => i);
    const numeric = all.filter((i) => {
      const param = func.params[i];
      return param !== undefined && hasNumbers(param.type, this.#program.types);
    });
    const active = asked ?? all;
    const signature = forwardSignatureOf(func, active, this.#program.types);
    const name =
      asked === null && numeric.length < all.length ? names.jvp(func.name) : signature.name;
    if (!this.#done.has(name))
      this.#writeForward(
        { ...signature, name, active },
        active.filter((i) => numeric.includes(i)),
        true,
      );
    return name;
  }

  #writeForward(signature: ForwardSignature, varied: readonly number[], isEntry: boolean): void {
    const func = signature.callee;
    const facts = this.#factsOf(func, varied, true);
    const made = forwardOf({
      func,
      facts,
      types: this.#program.types,
      name: signature.name,
      active: signature.active,
      isEntry,
      signatureOf: this.#forwardSignature,
      signature,
      nested: this.#nested,
    });
    // of a derivative: it may be differentiated again as one
    const derivation =
      func.derivation === undefined
        ? {}
        : {
            derivation: {
              mode: "fwd" as const,
              of: func.name,
              asked: signature.active,
              tuple: false,
            },
          };
    this.#done.set(signature.name, [
      { kind: "func", home: func.home, func: { ...made.func, ...derivation } },
    ]);
    this.activeOf.set(signature.name, varied);
    if (made.problems.length > 0)
      this.problems.set(func.name, [...(this.problems.get(func.name) ?? []), ...made.problems]);
  }

  /** The gradient that a site gets forward mode of; null where it gets none. */
  gradientSite(site: CallSite): CallSite | null {
    if (modesOf(site.form).includes("second")) return site;
    const func = this.#func(site.target);
    const { types } = this.#program;
    const argnums = func.params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
    return site.form !== "checkGrads" ||
      argnums.length === 0 ||
      resolve(func.result, types).kind !== "num"
      ? null
      : { ...site, form: "grad", argnums, tuple: true };
  }

  /** Forward mode of derivatives that are there: of each, with respect to what is asked for. */
  again(
    wanted: readonly {
      readonly name: string;
      readonly site: CallSite;
      readonly asked: readonly number[];
    }[],
  ): ReadonlyMap<CallSite, readonly string[]> {
    if (wanted.length === 0) return new Map();
    this.#grow();
    const found = new Map(
      wanted.map(({ name, site, asked }) => [
        site,
        [
          (site.form === "hessian" ? this.#matrix(this.#func(name), names.hessian, site) : null) ??
            this.#entry(this.#func(name), asked),
        ],
      ]),
    );
    this.finish();
    return found;
  }

  /** All derivatives so far become functions that can be differentiated. */
  #grow(): void {
    const { homes } = this.#program;
    const made = this.derived();
    const types = new Map([...this.#program.types, ...bogTypes(made, homes)]);
    const tangents = bogTangents(made, types);
    for (const item of tangents) this.#done.set(item.name, [item]);
    for (const [name, type] of bogTypes(tangents, homes)) types.set(name, type);
    const funcs = new Map(this.#program.funcs);
    for (const item of made)
      if (item.kind === "func" && !funcs.has(item.func.name))
        funcs.set(item.func.name, this.#request.tidy(item.func, types));
    this.#program = { ...this.#program, funcs, types };
    this.#factsOf = this.#request.analyse(this.#program);
    this.#mergedCalls = this.#newMergedCalls();
  }

  // ---------------------------------------------------------------------------------------------- derivatives of derivatives

  readonly #nested: Nested = {
    derivative: (callee) => {
      const { funcs } = this.#program;
      const func = funcs.get(callee);
      if (func?.derivation === undefined || isSweepable(func, funcs)) return null;
      const { derivation } = func;
      const of = this.#func(derivation.of);
      if (derivation.mode !== "fwd")
        return { func, derivation, base: this.#swept(of), inner: null };
      const inner = of.derivation;
      if (inner === undefined || inner.mode === "fwd" || inner.mode === "pull")
        return this.#isSwept(of) ? { func, derivation, base: this.#swept(of), inner: null } : null;
      return { func, derivation, base: this.#swept(this.#func(inner.of)), inner };
    },
    func: (name) => this.#func(name),
    writtenIn: (func) => {
      const facts = this.#factsOf(func, [], false);
      return (atom) => !facts.unchanging(atom);
    },
    rewind: (loop, active) => this.#rewind(loop, active),
    merges: (callee, active) => this.#mergedCalls.merges(callee, active),
    merged: (callee, active) => {
      const wanted = this.#signatureOf(callee, active);
      const signature = this.#merged.once(wanted.merged, wanted);
      return { signature, isRecursive: this.#mergedCalls.isRecursive(signature.callee) };
    },
    isClosed: (callee) => {
      const func = this.#func(callee);
      return (
        func.half === true ||
        (func.derivation !== undefined && !isSweepable(func, this.#program.funcs))
      );
    },
    pull: (base, asked, active, times) => {
      const pull = names.pull(base.name, {
        names: labelsOf(base.params, asked, this.#program.types),
        tuple: false,
      });
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
      const name = times === 0 ? pull : times === 1 ? first : second;
      this.#pulls.set(name, {
        base,
        asked,
        pull,
        steps:
          times === 0
            ? []
            : times === 1
              ? [{ name: first, active }]
              : [
                  { name: first, active: once },
                  { name: second, active },
                ],
      });
      return name;
    },
  };

  #rewind(loop: RoundsFunc, active: readonly number[]): RewindSignature {
    const { types } = this.#program;
    const signature = rewindSignature(loop, active, types);
    if (this.#done.has(signature.name)) return signature;
    const round = this.#func(loop.rounds.round);
    const outside = round.params.slice(round.params.length - (loop.params.length - signature.free));
    const isWritten = this.#nested.writtenIn(round);
    const func = rewindOf({
      loop,
      round,
      signature,
      types,
      pairOf: this.#pairs.signature,
      isWritten: (at) => {
        const param = outside[at];
        return param !== undefined && isWritten(param);
      },
    });
    this.#done.set(signature.name, [{ kind: "func", home: loop.home, func }]);
    return signature;
  }

  #isSwept(func: Func): boolean {
    return (
      func.rule === undefined &&
      func.half !== true &&
      (func.derivation === undefined ||
        isSweepable(func, this.#program.funcs) ||
        this.#program.funcs.has(callerName(func.name)))
    );
  }

  /** A function that can be swept in reverse: itself, or one that calls it. */
  #swept(func: Func): Func {
    invariant(func.rule === undefined, `${func.name} has a rule of its own`);
    return func.derivation === undefined || isSweepable(func, this.#program.funcs)
      ? func
      : this.#func(callerName(func.name));
  }

  /** One derivative by name, as a body calls it. */
  derivation(name: string, { mode, of, asked, tuple }: Derivation): void {
    if (mode === "fwd") {
      const func = this.#func(of);
      this.#writeForward(
        { ...forwardSignatureOf(func, asked, this.#program.types), name, active: asked },
        asked,
        false,
      );
    } else {
      this.#gradient(this.#swept(this.#func(of)), name, asked, tuple, mode);
    }
    this.finish();
  }

  #gradient(
    func: Func,
    name: string,
    asked: readonly number[],
    tuple: boolean,
    mode: "grad" | "vag" | "pull",
    hasAux = false,
    into?: Func["into"],
  ): void {
    const { types } = this.#program;
    const facts = this.#factsOf(func, asked, false);
    const made = gradientOf({
      func,
      name,
      facts,
      types,
      asked,
      tuple,
      hasAux,
      withValue: mode !== "grad",
      seeded: mode === "pull",
      signatureOf: this.#pairs.signature,
      nested: this.#nested,
    });
    this.#done.set(name, [
      {
        kind: "func",
        home: func.home,
        func: into === undefined ? made.func : { ...made.func, into },
      },
    ]);
    this.#note(func, name, asked, made);
  }

  /** Pullbacks that reverse code calls forwards, and what these call. */
  #finishPulls(): void {
    for (const [wanted, { base, asked, pull, steps }] of this.#pulls) {
      this.#pulls.delete(wanted);
      if (this.#done.has(wanted) || this.#program.funcs.has(wanted)) continue;
      if (!this.#done.has(pull) && !this.#program.funcs.has(pull))
        this.#gradient(this.#func(base.name), pull, asked, true, "pull");
      this.finish();
      let of = pull;
      for (const { name, active } of steps) {
        this.#grow();
        if (!this.#done.has(name))
          this.#writeForward(
            { ...forwardSignatureOf(this.#func(of), active, this.#program.types), name, active },
            active,
            false,
          );
        this.finish();
        of = name;
      }
    }
  }

  pair(name: string): Signature {
    const func = this.#func(name);
    return this.#pairs.signature(
      name,
      func.params.flatMap((param, i) => (hasNumbers(param.type, this.#program.types) ? [i] : [])),
    );
  }

  /** Writes the pairs and the forward functions that calls have asked for, and those that these ask for. */
  finish(): void {
    for (const signature of this.#forwards.taken()) {
      if (!this.#done.has(signature.name)) this.#writeForward(signature, signature.active, false);
    }
    for (const signature of this.#pairs.taken()) {
      const made = this.#split(signature);
      this.#done.set(signature.revf, made.derived);
      this.#note(signature.callee, signature.revf, signature.active, made);
    }
    for (const signature of this.#merged.taken()) this.#writeMerged(signature);
    if (!this.#pairs.isEmpty()) this.finish();
    this.#finishPulls();
  }

  #writeMerged(signature: Signature): void {
    const { callee, active, merged } = signature;
    const isRecursive = this.#mergedCalls.isRecursive(callee);
    const { func, facts } = (isRecursive ? this.#peeled(signature) : null) ?? {
      func: callee,
      facts: this.#factsOf(callee, active, true),
    };
    const made = mergedOf({
      func,
      facts,
      types: this.#program.types,
      signature,
      signatureOf: this.#pairs.signature,
      nested: this.#nested,
      isRecursive,
    });
    this.#done.set(merged, [{ kind: "func", home: func.home, func: made.func }]);
    this.#note(callee, merged, active, made);
  }

  /** The function without calls of itself for its base case; null where it has none, or not all of its calls would be merged any more. */
  #peeled({
    callee,
    active,
  }: Signature): { readonly func: Func; readonly facts: FunctionFacts } | null {
    const func = peel(callee);
    if (func === null) return null;
    const facts = this.#request.analyse({
      ...this.#program,
      funcs: new Map(this.#program.funcs).set(func.name, func),
    })(func, active, true);
    return this.#mergedCalls.isWholeAs(func, facts) ? { func, facts } : null;
  }

  #note(
    func: Func,
    name: string,
    active: readonly number[],
    made: { readonly problems: readonly Problem[]; readonly residuals: readonly Residual[] },
  ): void {
    this.residuals.set(name, made.residuals);
    this.activeOf.set(name, active);
    if (made.problems.length > 0)
      this.problems.set(func.name, [...(this.problems.get(func.name) ?? []), ...made.problems]);
  }

  /** Pairs before the functions that call them, otherwise by the order of the primals in their file. */
  derived(): readonly Derived[] {
    const rank = (name: string): number =>
      name.includes("$revf") ||
      name.includes("$Bog") ||
      this.#merged.has(name) ||
      this.#forwards.has(name)
        ? 0
        : 1;
    return [...this.#done.entries()]
      .sort(([x], [z]) => rank(x) - rank(z))
      .flatMap(([, items]) => items);
  }
}

const namesAt = (func: Func, positions: readonly number[]): readonly string[] =>
  positions.map((i) => func.params[i]?.name ?? String(i));

/** What a name says of the arguments that are asked for: nothing where that is the first alone. */
const askedAt = (func: Func, { argnums, tuple }: CallSite): names.Asked => ({
  names: !tuple && argnums.length === 1 && argnums[0] === 0 ? null : namesAt(func, argnums),
  tuple,
});

/** Whether all that is called is there: not half of a pair that is still to be written. */
const callsKnown = (func: Func, funcs: Program["funcs"]): boolean =>
  [...calleesIn(func.body)].every((callee) => funcs.has(callee));
