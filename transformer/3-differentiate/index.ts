// All derived functions that a set of call sites needs. In: an ssa program, the forms asked for, and the analyses as a function. Out: functions
// to emit, in the order of emission. Invariant: the text of a derivative depends on its name alone, whoever asks for it, and on whether pullbacks are kept (`repeats`).

import { type CallSite, type Derivation, type Derived, modesOf } from "../ir/facts.ts";
import { MOST_SHOWN, type Residual } from "./reverse/residuals.ts";
import type { Problem } from "./unsupported.ts";
import { Work, type WorkRequest } from "./work.ts";

export { MOST_SHOWN, type Problem, type Residual };

export interface DifferentiateRequest extends WorkRequest {
  readonly sites: readonly CallSite[];
  /** Functions whose pair is asked for, for all their arguments that hold numbers. */
  readonly marked?: readonly string[];
}

export interface Differentiated {
  readonly derived: readonly Derived[];
  /** Names of the derivatives that each site gets. */
  readonly derivativesOf: ReadonlyMap<CallSite, readonly string[]>;
  /** By marked function: its pair. */
  readonly pairs: ReadonlyMap<string, { readonly revf: string; readonly revr: string }>;
  /** Derivatives that give all that their form gives, so that nothing is left to do at run time. */
  readonly whole: ReadonlySet<string>;
  /** By primal function: what cannot be differentiated. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** By derived function's name (`revf` for a pair): which primal values its reverse code reads, and how. */
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
  const second = work.again(
    gradients.map(({ site, of }) => ({ name: work.derivative(of), site, asked: of.argnums })),
  );
  const derivativesOf = new Map(
    [...first].map(([site, found]) => [site, [...found, ...(second.get(site) ?? [])]]),
  );
  return {
    derived: work.derived(),
    derivativesOf,
    pairs,
    whole: work.whole,
    problems: work.problems,
    residuals: work.residuals,
    activeOf: work.activeOf,
  };
}

/** One derivative that a body calls. */
export function derivative(
  request: WorkRequest,
  name: string,
  derivation: Derivation,
): Pick<Differentiated, "derived" | "problems"> {
  const work = new Work(request);
  work.derivation(name, derivation);
  return { derived: work.derived(), problems: work.problems };
}
