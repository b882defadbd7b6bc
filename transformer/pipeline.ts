// Every pass in order. Input: a host and a request. Output: the program at each stop, derivatives,
// edits and diagnostics. What a pass needs beside the program is put together in driver/.

import {
  lower,
  type Lowered,
  type LoweredWithSteps,
  type LowerRequest,
  outlineLoops,
  structure,
  toSsa,
  widenRecords,
} from "./1-lower/index.ts";
import { memoryOf } from "./2-analyse/index.ts";
import { checked } from "./3-differentiate/finite.ts";
import { MOST_SHOWN, type Residual } from "./3-differentiate/index.ts";
import { Rewritings } from "./delta/plan/rewritings.ts";
import type { Steps } from "./delta/plan/steps.ts";
import { arraysOf } from "./driver/arrays.ts";
import { withoutClosed } from "./driver/closed-modules.ts";
import { deriveNested } from "./driver/derive-nested.ts";
import { isChecked, quoteOf } from "./driver/checks.ts";
import { Sink } from "./diagnostics/sink.ts";
import type { Compiled, CompileHost, Emitted, Part } from "./driver/compiled.ts";
import * as derive from "./driver/derive.ts";
import { emitPart, joinEdits, surroundings, textsOf, withExtensions } from "./driver/emission.ts";
import { inlineCalls } from "./driver/inline-calls.ts";
import { answerSites, relocated, type StaticResult } from "./driver/parts.ts";
import * as reports from "./driver/reports.ts";
import { compileAlone, emitAlone } from "./driver/isolation.ts";
import { withLoopsOverChains } from "./driver/deep-chains.ts";
import { packageCodeOf } from "./driver/package-code/package-code.ts";
import {
  dividedPackages,
  errorCount,
  restoredFrom,
  withCode,
} from "./driver/package-code/restored.ts";
import { needsShippedSource } from "./driver/shipped-source.ts";
import { restoredTypes, typedJavaScriptOf } from "./driver/javascript/typed.ts";
import { withSteps } from "./driver/steps.ts";
import { type Group, groupsOf, isAlike, isSame } from "./driver/groups.ts";

export type * from "./driver/compiled.ts";
export { TwinMemo } from "./delta/packages/index.ts";
export { MOST_SHOWN, type Residual };

/**
 * Compiles a program. `before`: parts of an earlier program without errors, which may be reused.
 */
export function compile(
  given: CompileHost,
  request: LowerRequest = {},
  before: readonly Part[] = [],
): Compiled {
  const host = withLoopsOverChains(given);
  const lowered = lower(host, request);
  const shipped = compileLowered(lowered, host, before);
  if (!needsShippedSource(lowered)) return shipped;
  const following: CompileHost = { ...host, followsShipped: true };
  const followed = compileLowered(lower(following, request), following, before);
  const [least, errors] = [errorCount(shipped), errorCount(followed)];
  return errors === 0 || errors < least ? followed : shipped;
}

function compileLowered(lowered: Lowered, host: CompileHost, before: readonly Part[]): Compiled {
  const alone = compileGroups(lowered, host, (group) => {
    // guards name lines, which an edit moves
    const part = isChecked(group, host)
      ? undefined
      : before.find(({ group: other }) => isAlike(group, other));
    return part && relocated(part, group);
  });
  const known = (group: Group): Part | undefined =>
    alone.parts.find(({ group: other }) => isSame(group, other));
  const rewritings = new Rewritings();
  const answer = (result: StaticResult, steps: Steps): Compiled =>
    answerSites(result, host, steps, rewritings);
  return withSteps(answer(alone, new Map()), {
    compileWith: (requested) => compileGroups(lowered.withSteps(requested), host, known),
    answer,
    host,
  });
}

/** Compiles each group that is not known already. */
function compileGroups<L extends Lowered | LoweredWithSteps>(
  lowered: L,
  host: CompileHost,
  known: (group: Group) => Part | undefined,
): StaticResult & { readonly lowered: L } {
  const groups = groupsOf(lowered.program, lowered.sites, lowered.marked);
  const compiled = (group: Group): Part =>
    compileAlone(group, (some) => compileGroup(some, lowered, host));
  const parts = groups.map((group) => known(group) ?? compiled(group));
  return { lowered, parts };
}

function compileGroup(group: Group, lowered: Lowered, host: CompileHost): Part {
  const sink = new Sink();
  const { marked } = group;
  const requested = reports.requestedFunctions(group);
  // 1-lower, its later passes: records get slots for all numbers, then SSA form.
  const widened = widenRecords(group.program, requested);
  const ssa = outlineLoops(toSsa(structure(widened.program)));
  const primal = reports.markShipped(
    isChecked(group, host) ? checked(ssa, quoteOf(host)) : ssa,
    marked,
  );
  // Derivatives that function bodies request, innermost first.
  const decisions = derive.pairDecisions(group);
  const nested = deriveNested(primal, (program, name, derivation) =>
    derive.deriveNested(program, name, derivation, decisions),
  );
  const { flat, inlined } = inlineCalls(nested.program, group);
  // 2-analyse: aliasing and activity, and what cannot be differentiated.
  const graphs = memoryOf(inlined.funcs, inlined.types);
  const factsOf = derive.groupFacts(inlined, graphs, group);
  const contracts = reports.contracts(marked, inlined, graphs, sink);
  const found = reports.knownProblems(group.program, widened, primal, requested);
  const known = new Map([...nested.problems, ...found]);
  // 3-differentiate, then 4-optimise for all derivatives together.
  const shippable = { ...group, marked: marked.filter((name) => contracts.get(name) !== null) };
  const request = { inlined, factsOf, known, decisions, sink, files: textsOf(host) };
  const first = derive.deriveGroup(shippable, request);
  const stateful = reports.persistentStateErrors(first.sites, inlined, graphs, sink);
  const second = derive.withoutSites(first, stateful, shippable, request);
  const nonLinear = reports.nonLinearErrors(second, inlined, factsOf, quoteOf(host), sink);
  const attempt = derive.withoutSites(second, nonLinear, shippable, request);
  const { made, sites } = attempt;
  reports.warn(sites, inlined, graphs, made, sink);
  reports.warnOfEqualities(sites, inlined, factsOf, quoteOf(host), sink);
  return {
    ...{ group, primal, inlined, sites, made, factsOf, diagnostics: sink.diagnostics },
    arrays: arraysOf(sites, made, flat),
    ...derive.optimiseEmitted(inlined, nested.derived, made),
    ...derive.refusedSites(group, attempt, lowered),
    shipped: reports.shippedPairs(made, contracts),
    reExports: lowered.reExports.filter(({ target }) => marked.includes(target)),
  };
}

export interface Derivatives {
  readonly compiled: Compiled;
  readonly emitted: Emitted;
}

/** Compiles a program and emits its derivatives as text. */
export function derivativesOf(
  host: CompileHost,
  request: LowerRequest = {},
  before?: readonly Part[],
): Derivatives {
  const typed = typedJavaScriptOf(host);
  if (typed === null) return withPackages(host, request, before);
  const found = restoredTypes(typed, withPackages(typed.host, request, before));
  if (errorCount(found.compiled) === 0) return found;
  const plain = withPackages(host, request, before);
  return errorCount(plain.compiled) < errorCount(found.compiled) ? plain : found;
}

/**
 * With the code of packages that calls mean. `left`: packages whose code stays where it is, since
 * the other engine would not see what the copied part of it does.
 */
function withPackages(
  host: CompileHost,
  request: LowerRequest,
  before: readonly Part[] | undefined,
  left: ReadonlySet<string> = new Set(),
): Derivatives {
  const code = packageCodeOf(host, { isAsked: request.also !== undefined, left });
  if (code === null) return derivativesIn(host, request, before);
  const found = restoredFrom(code, derivativesIn(withCode(host, code), request, before));
  if (errorCount(found.compiled) === 0) return found;
  const apart = dividedPackages(host, found.compiled).filter((name) => !left.has(name));
  if (apart.length > 0) return withPackages(host, request, before, new Set([...left, ...apart]));
  const plain = derivativesIn(host, request, before);
  return errorCount(plain.compiled) < errorCount(found.compiled) ? plain : found;
}

function derivativesIn(
  host: CompileHost,
  request: LowerRequest,
  before: readonly Part[] | undefined,
): Derivatives {
  const around = surroundings(host);
  const compiled = compile(host, request, before);
  const { texts, faults } = emitAlone(compiled.parts, (part) => emitPart(part, around));
  const { made, found } = withoutClosed(compiled.parts, texts, host);
  const joined = joinEdits(made, host, (edits) => compiled.delta.place(edits));
  const emitted = withExtensions(joined, compiled);
  if (found.length + faults.length === 0) return { compiled, emitted };
  const diagnostics = [...compiled.diagnostics, ...found, ...faults];
  return { compiled: { ...compiled, diagnostics, isWhole: false }, emitted };
}
