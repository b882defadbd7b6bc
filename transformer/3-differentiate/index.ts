// Writes all derived functions that a set of call sites needs. Input: an ssa program, the requested
// forms, and the analyses as a function. Output: functions to emit, in order.
// Invariant: the code of a derivative depends on its name alone, whoever requests it, and on
// whether pullbacks escape (`repeats`).

import { type CallSite, type Derivation, type Derived, modesOf } from "../ir/facts.ts";
import { MOST_SHOWN, type Residual } from "./reverse/residuals.ts";
import type { Problem } from "./unsupported.ts";
import { Work, type WorkRequest } from "./work.ts";

export { MOST_SHOWN, type Problem, type Residual };

export interface DifferentiateRequest extends WorkRequest {
  readonly sites: readonly CallSite[];
  /** Functions whose `revf`/`revr` pair is requested, for all arguments that hold numbers. */
  readonly marked?: readonly string[];
}

export interface Differentiated {
  readonly derived: readonly Derived[];
  /** The names of the derivatives that each site gets. */
  readonly derivativesOf: ReadonlyMap<CallSite, readonly string[]>;
  /** By marked function: the names of its pair. */
  readonly pairs: ReadonlyMap<string, { readonly revf: string; readonly revr: string }>;
  /** Derivatives that compute all of their form, so that no run-time helper is needed. */
  readonly whole: ReadonlySet<string>;
  /** By primal function: what cannot be differentiated. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** By derived function (`revf` for a pair): the primal values that its reverse code reads. */
  readonly residuals: ReadonlyMap<string, readonly Residual[]>;
  /** By derived function's name (`revf` for a pair): positions of its active arguments. */
  readonly activeOf: ReadonlyMap<string, readonly number[]>;
}

export function differentiate(request: DifferentiateRequest): Differentiated {
  const work = new Work(request);
  const first = new Map(
    request.sites.map((site) => [
      site,
      modesOf(site.form).flatMap((mode) =>
        mode === "second" ? [] : [mode === "forward" ? work.forward(site) : work.derivative(site)],
      ),
    ]),
  );
  const gradients = request.sites.flatMap((site) => {
    const of = work.gradientSite(site);
    return of === null ? [] : [{ site, of }];
  });
  for (const { of } of gradients) work.derivative(of);
  const pairs = new Map((request.marked ?? []).map((name) => [name, work.pair(name)]));
  work.finish();
  const second = work.secondDerivatives(
    gradients.map(({ site, of }) => ({ name: work.derivative(of), site, asked: of.argnums })),
  );
  const derivativesOf = new Map(
    [...first].map(([site, found]) => [site, [...found, ...(second.get(site) ?? [])]]),
  );
  return {
    derived: work.derived(),
    derivativesOf,
    pairs,
    whole: work.dense,
    problems: work.problems,
    residuals: work.residuals,
    activeOf: work.activeOf,
  };
}

/** Writes one derivative that a body calls. */
export function derivative(
  request: WorkRequest,
  name: string,
  derivation: Derivation,
): Pick<Differentiated, "derived" | "problems"> {
  const work = new Work(request);
  work.derivation(name, derivation);
  return { derived: work.derived(), problems: work.problems };
}
