// Differentiates the functions of a group, and each nested derivative alone. Input: programs whose
// calls are inlined. Output: derivatives in IR, and the problems that prevent others.
// Invariant: a site with a problem gets no derivative, and its errors are reported.

import type { DeltaCandidate, Lowered } from "../1-lower/index.ts";
import { factsOf, type Memory, memoryOf, type Volatile, volatileOf } from "../2-analyse/index.ts";
import { bogTangents } from "../3-differentiate/bog-tangents.ts";
import {
  derivative,
  differentiate,
  type Differentiated,
  type DifferentiateRequest,
} from "../3-differentiate/index.ts";
import { prepareAgain, withoutEffects } from "../4-optimise/index.ts";
import { callOriginals } from "../4-optimise/memory/lift-globals.ts";
import { optimiseTogether } from "../4-optimise/whole-program.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { Sink } from "../diagnostics/sink.ts";
import type { Group } from "./groups.ts";
import { bogTypes } from "../ir/derivation.ts";
import {
  type CallSite,
  type Derivation,
  type Derived,
  isPullback,
  receivesPullback,
} from "../ir/facts.ts";
import type { Func, Program } from "../ir/types.ts";
import { isReached, leadsTo, reportProblems } from "./problems.ts";
import type { FactsOf, Part, Surroundings } from "./compiled.ts";
import { inlineEmitted, inlineNested } from "./inline-calls.ts";
import { writeOfNested } from "./reports.ts";

/** Decisions about `revf`/`revr` pairs that nested derivatives and all others must share. */
export type PairDecisions = Required<Pick<DifferentiateRequest, "passThrough" | "repeats">>;

export const pairDecisions = (group: Group): PairDecisions => ({
  passThrough: new Map(),
  repeats: mayRepeatPullbacks(group),
});

/** Whether a pullback may run more than once. Other programs may do so with shipped derivatives. */
const mayRepeatPullbacks = ({ sites, marked, program: { funcs } }: Group): boolean =>
  marked.length > 0 ||
  sites.some(({ form, target }) => isPullback(form, funcs.get(target)?.result.kind === "num"));

/**
 * Facts of a group's functions. Memory that may change before a pullback runs is not read again.
 */
export function groupFacts(
  { funcs, types }: Program,
  graphs: ReadonlyMap<string, Memory>,
  { sites, marked }: Group,
): FactsOf {
  const pullbacks = sites.filter(({ form }) => receivesPullback(form)).map(({ target }) => target);
  const volatile = volatileOf(funcs, graphs, [...pullbacks, ...marked]);
  const written = volatileOf(funcs, graphs, marked);
  const of = (found: Volatile, name: string): readonly number[] => found.get(name) ?? [];
  return (func, active, split) =>
    factsOf({
      func,
      graphs,
      types,
      active,
      split,
      volatile: split ? of(volatile, func.name) : [],
      volatileShadows: split ? of(written, func.name) : [],
    });
}

/** Facts of a program that holds derivatives. */
function derivativeFacts({ funcs, types }: Program): FactsOf {
  const graphs = memoryOf(funcs, types);
  return (func, active, split) =>
    factsOf({ func, graphs, types, active, split, volatile: [], volatileShadows: [] });
}

const tidyIn =
  ({ funcs }: Program) =>
  (func: Func, types: Program["types"]): Func =>
    prepareAgain(func, { types, calls: withoutEffects(funcs, types) });

/** `sites`: those without errors. `errorsOf`: the problems of a function that is requested. */
export interface Attempt {
  readonly made: Differentiated;
  readonly sites: readonly CallSite[];
  readonly errorsOf: (requested: Pick<CallSite, "target">) => readonly Diagnostic[];
}

interface GroupRequest {
  readonly inlined: Program;
  readonly factsOf: FactsOf;
  /** Problems found before differentiation, by function. */
  readonly known: Differentiated["problems"];
  readonly decisions: PairDecisions;
  readonly sink: Sink;
  readonly files: Surroundings["files"];
}

/** Differentiates a group. Where functions have problems, it does so again without their sites. */
export function deriveGroup(group: Group, request: GroupRequest): Attempt {
  const { inlined, known, decisions, sink, files } = request;
  const derive = (sites: readonly CallSite[], marked: readonly string[]): Differentiated =>
    differentiate({
      program: inlined,
      sites,
      marked,
      factsOf: request.factsOf,
      analyse: derivativeFacts,
      tidy: tidyIn(inlined),
      ...decisions,
    });
  const tried = withProblems(derive(group.sites, group.marked), known);
  if (tried.problems.size === 0) return { made: tried, sites: group.sites, errorsOf: () => [] };
  const found = reportProblems(tried.problems, inlined, group.sites, sink, ({ file, start, end }) =>
    files(file).slice(start, end),
  );
  const isSound = (name: string): boolean => !leadsTo(inlined.funcs, name, tried.problems);
  const sites = group.sites.filter(({ target }) => isSound(target));
  const errorsOf = ({ target }: Pick<CallSite, "target">): Diagnostic[] =>
    [...found].flatMap(([name, problems]) =>
      isReached(target, name, inlined.funcs) ? problems : [],
    );
  return { made: derive(sites, group.marked.filter(isSound)), sites, errorsOf };
}

/** The attempt without the sites that have errors of their own. */
export function withoutSites(
  attempt: Attempt,
  errors: ReadonlyMap<Pick<CallSite, "target">, readonly Diagnostic[]>,
  group: Group,
  request: GroupRequest,
): Attempt {
  if (errors.size === 0) return attempt;
  const sites = attempt.sites.filter((site) => !errors.has(site));
  const rest = deriveGroup({ ...group, sites }, request);
  const errorsOf: Attempt["errorsOf"] = (site) => errors.get(site) ?? attempt.errorsOf(site);
  return { ...rest, errorsOf };
}

const withProblems = (made: Differentiated, more: Differentiated["problems"]): Differentiated =>
  more.size === 0 ? made : { ...made, problems: new Map([...made.problems, ...more]) };

/**
 * Sites that the static engine refuses: those that Delta may answer, and the errors of the others.
 */
export function refusedSites(
  group: Group,
  { sites, errorsOf }: Attempt,
  { candidates }: Lowered,
): Pick<Part, "failed" | "standingErrors"> {
  const refused = group.sites.filter((site) => !sites.includes(site));
  const failed = refused.flatMap((site): DeltaCandidate[] => {
    const candidate = candidates.get(site);
    return candidate === undefined ? [] : [{ ...candidate, errors: errorsOf(site) }];
  });
  const alone = refused.filter((site) => !candidates.has(site));
  const marked = group.marked.map((target) => ({ target }));
  return { failed, standingErrors: [...alone, ...marked].flatMap(errorsOf) };
}

/** One nested derivative, from a program of the functions that it needs. */
export function deriveNested(
  program: Program,
  name: string,
  derivation: Derivation,
  decisions: PairDecisions,
): Pick<Differentiated, "derived" | "problems"> {
  const ready = inlineNested(program);
  const tidy = tidyIn(ready);
  const factsOfReady = derivativeFacts(ready);
  const made = derivative(
    { program: ready, factsOf: factsOfReady, analyse: derivativeFacts, tidy, ...decisions },
    name,
    derivation,
  );
  const types = new Map([...ready.types, ...bogTypes(made.derived, program.homes)]);
  // Whether a derivative can be swept as it is depends on the shadows that optimisation leaves.
  const derived = made.derived.map((item): Derived =>
    item.kind === "type" ? item : { ...item, func: tidy(item.func, types) },
  );
  const written = writeOfNested(program, derivation);
  return {
    problems: written === null ? made.problems : new Map([[derivation.of, [written]]]),
    derived: [...derived, ...bogTangents(made.derived, types)],
  };
}

/** The last optimisation of all functions that are emitted. */
export function optimiseEmitted(
  inlined: Program,
  nested: readonly Derived[],
  made: Differentiated,
): Pick<Part, "derived" | "types"> {
  const bogs = bogTypes([...nested, ...made.derived], inlined.homes);
  const types = new Map([...inlined.types, ...bogs]);
  const calls = withoutEffects(inlined.funcs, types);
  const own = [...inlined.funcs.values()]
    .filter((func) => func.isLifted === true)
    .map((func): Derived => ({ kind: "func", home: func.home, func }));
  const isNested = (item: Derived): boolean =>
    nested.some((other) => nameOf(other) === nameOf(item));
  const all = [...own, ...nested, ...made.derived.filter((item) => !isNested(item))];
  const isCalledOutside = calledFromOutside(made);
  const flat = inlineEmitted(all, { ...inlined, types }, isCalledOutside);
  const derived = optimiseTogether(flat, isCalledOutside, { types, calls });
  return {
    types: new Map([...types, ...bogTypes(derived, inlined.homes)]),
    derived: derived.map((item): Derived =>
      item.kind === "type" ? item : { ...item, func: callOriginals(item.func, inlined.funcs) },
    ),
  };
}

const nameOf = (item: Derived): string => (item.kind === "type" ? item.name : item.func.name);

/** Whether call sites or other programs name a derivative. */
export function calledFromOutside({
  derivativesOf,
  pairs,
}: Differentiated): (name: string) => boolean {
  const named = new Set([
    ...[...derivativesOf.values()].flat(),
    ...[...pairs.values()].flatMap(({ revf, revr }) => [revf, revr]),
  ]);
  return (name) => named.has(name);
}
