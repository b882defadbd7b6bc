// All derived functions that a set of call sites needs. In: an ssa program, the forms asked for, and the analyses as a function. Out: functions
// to emit, in the order of emission. Invariant: the text of a derivative depends on its name alone, whoever asks for it.

import type { CallSite, Derived, FunctionFacts } from "../ir/facts.ts";
import { invariant } from "../ir/invariant.ts";
import * as names from "../ir/names.ts";
import { hasNumbers } from "../ir/shadow.ts";
import type { Func, Program } from "../ir/types.ts";
import type { Residual } from "./reverse/frame.ts";
import { gradientOf, rearrangement } from "./reverse/gradient.ts";
import { pullbackOf } from "./reverse/pullback.ts";
import { type Signature, signatureOf } from "./reverse/signature.ts";
import { splitOf } from "./reverse/split.ts";
import type { Problem } from "./reverse/sweep.ts";

export type { Problem, Residual };

export interface DifferentiateRequest {
  readonly program: Program;
  readonly sites: readonly CallSite[];
  /** Functions whose pair is asked for, for all their arguments that hold numbers. */
  readonly marked?: readonly string[];
  /** Facts of a function for its active arguments; `split` for a `revf`/`revr` pair. */
  readonly factsOf: (func: Func, active: readonly number[], split: boolean) => FunctionFacts;
}

export interface Differentiated {
  readonly derived: readonly Derived[];
  /** Name of the derivative that each site gets. */
  readonly derivativeOf: ReadonlyMap<CallSite, string>;
  /** By marked function: its pair. */
  readonly pairs: ReadonlyMap<string, { readonly revf: string; readonly revr: string }>;
  /** By primal function: what cannot be differentiated. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** By derived function's name (`revf` for a pair): which primal values its reverse code reads, and how. */
  readonly residuals: ReadonlyMap<string, readonly Residual[]>;
  /** By derived function's name (`revf` for a pair): positions of its active arguments. */
  readonly activeOf: ReadonlyMap<string, readonly number[]>;
}

export function differentiate(request: DifferentiateRequest): Differentiated {
  const work = new Work(request);
  const derivativeOf = new Map<CallSite, string>();
  for (const site of request.sites) derivativeOf.set(site, work.derivative(site));
  const pairs = new Map((request.marked ?? []).map((name) => [name, work.pair(name)]));
  work.finish();
  return { derived: work.derived(), derivativeOf, pairs, problems: work.problems, residuals: work.residuals, activeOf: work.activeOf };
}

class Work {
  readonly problems = new Map<string, readonly Problem[]>();
  readonly residuals = new Map<string, readonly Residual[]>();
  readonly activeOf = new Map<string, readonly number[]>();
  readonly #request: DifferentiateRequest;
  readonly #done = new Map<string, readonly Derived[]>();
  readonly #signatures = new Map<string, Signature>();
  readonly #queue: Signature[] = [];

  constructor(request: DifferentiateRequest) {
    this.#request = request;
  }

  #func(name: string): Func {
    const func = this.#request.program.funcs.get(name);
    invariant(func !== undefined, `no function ${name}`);
    return func;
  }

  readonly #signature = (callee: string, active: readonly number[]): Signature => {
    const signature = signatureOf(this.#func(callee), active, this.#request.program.types);
    const known = this.#signatures.get(signature.revf);
    if (known !== undefined) return known;
    this.#signatures.set(signature.revf, signature);
    if (signature.callee.shipped !== true) this.#queue.push(signature);
    return signature;
  };

  derivative(site: CallSite): string {
    const func = this.#func(site.target);
    if (site.form === "vjp" || (site.form === "derivativeSource" && func.result.kind !== "num")) return this.#pullback(func, site);
    const asked: names.Asked = { names: isDefault(site) ? null : namesAt(func, site.argnums), tuple: site.tuple };
    const withValue = site.form === "valueAndGrad";
    const name = (withValue ? names.vag : names.grad)(func.name, asked);
    if (this.#done.has(name)) return name;
    const { types } = this.#request.program;
    const facts = this.#request.factsOf(func, site.argnums, false);
    const made = gradientOf({ func, name, facts, types, asked: site.argnums, tuple: site.tuple, hasAux: site.hasAux, withValue, signatureOf: this.#signature });
    this.#done.set(name, [{ kind: "func", home: func.home, func: made.func }]);
    this.#note(func, name, site.argnums, made);
    return name;
  }

  #pullback(func: Func, site: CallSite): string {
    const chosen = site.form === "vjp" && site.argnums.length > 0 ? site.argnums : null;
    const name = names.vjp(func.name, { names: chosen === null ? null : namesAt(func, chosen), tuple: site.tuple }, site.hasAux);
    if (this.#done.has(name)) return name;
    const { types } = this.#request.program;
    const active = chosen ?? func.params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
    const signature = this.#signature(func.name, active);
    const facts = this.#request.factsOf(func, signature.active, true);
    const problems = signature.active.flatMap((i) => { const param = func.params[i]; return param === undefined ? [] : rearrangement(func, param, facts); });
    if (problems.length > 0) this.#note(func, name, active, { problems, residuals: [] });
    const made = pullbackOf({ func, facts, name, signature, types, asked: chosen, tuple: chosen === null || site.tuple, hasAux: site.hasAux });
    this.#done.set(name, [{ kind: "func", home: func.home, func: made }]);
    return name;
  }

  pair(name: string): Signature {
    const func = this.#func(name);
    return this.#signature(name, func.params.flatMap((param, i) => (hasNumbers(param.type, this.#request.program.types) ? [i] : [])));
  }

  /** Writes the pairs that calls have asked for, and those that these ask for. */
  finish(): void {
    for (let signature = this.#queue.shift(); signature !== undefined; signature = this.#queue.shift()) {
      const func = signature.callee;
      const facts = this.#request.factsOf(func, signature.active, true);
      const made = splitOf({ func, facts, types: this.#request.program.types, signature, signatureOf: this.#signature });
      this.#done.set(signature.revf, made.derived);
      this.#note(func, signature.revf, signature.active, made);
    }
  }

  #note(func: Func, name: string, active: readonly number[], made: { readonly problems: readonly Problem[]; readonly residuals: readonly Residual[] }): void {
    this.residuals.set(name, made.residuals);
    this.activeOf.set(name, active);
    if (made.problems.length > 0) this.problems.set(func.name, [...(this.problems.get(func.name) ?? []), ...made.problems]);
  }

  /** Pairs before the functions that call them, otherwise by the order of the primals in their file. */
  derived(): readonly Derived[] {
    const rank = (name: string): number => (name.includes("$revf") ? 0 : 1);
    return [...this.#done.entries()].sort(([x], [z]) => rank(x) - rank(z)).flatMap(([, items]) => items);
  }
}

const namesAt = (func: Func, positions: readonly number[]): readonly string[] => positions.map((i) => func.params[i]?.name ?? String(i));
const isDefault = (site: CallSite): boolean => !site.tuple && site.argnums.length === 1 && site.argnums[0] === 0;
