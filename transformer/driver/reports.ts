// Checks of a group beside differentiation: known problems, contracts of shipped functions, state
// that outlives a call, and warnings. Output: problems by function, or diagnostics in the sink.

import { excessProperties } from "../1-lower/types/excess-properties.ts";
import type { widenRecords } from "../1-lower/types/widen-records.ts";
import {
  contractOf,
  equalitiesIn,
  equalityBranches,
  findingsOf,
  persistentState,
  type Memory,
  memoryOf,
  type ActiveRead,
  readOfActive,
  sharedViews,
} from "../2-analyse/index.ts";
import type { Quote } from "../3-differentiate/finite.ts";
import type { Differentiated, Problem } from "../3-differentiate/index.ts";
import type { Diagnostic, Span } from "../diagnostics/report.ts";
import type { Sink } from "../diagnostics/sink.ts";
import type { Group } from "./groups.ts";
import type { FactsOf } from "./compiled.ts";
import { callsIn, mayCall, reachable } from "../ir/calls.ts";
import { type CallSite, type Derivation, isOfScalar, type Shipped } from "../ir/facts.ts";
import { baseName } from "../ir/names.ts";
import { shadowType } from "../ir/shadow.ts";
import type { Atom, Func, Program } from "../ir/types.ts";

/** A problem that is found before differentiation. */
interface Known {
  readonly func: string;
  readonly problem: Problem;
}

/** Problems of a group that are found before differentiation, by function. */
export function knownProblems(
  raw: Program,
  { program, lacking, taken }: ReturnType<typeof widenRecords>,
  primal: Program,
  requested: ReadonlySet<string>,
): Differentiated["problems"] {
  const isRequested = (name: string): boolean => requested.has(name);
  const unlisted = excessProperties(raw, requested);
  const known = [
    ...lacking.map(({ func, origin, field }) => problemIn(func, "lacking", origin, field)),
    ...taken.map(({ func, origin, field }) => problemIn(func, "taken", origin, field)),
    ...unlisted.map(({ func, kind, origin, field }) => problemIn(func, kind, origin, field)),
    ...sharedViews(primal.funcs, primal.types, isRequested).map(({ func, origin }) =>
      problemIn(func, "view", origin, ""),
    ),
  ];
  return problemsByCaller(program, known);
}

const problemIn = (func: string, kind: Problem["kind"], origin: Span, text: string): Known => ({
  func,
  problem: { kind, origin, text },
});

/** Known problems by function. A caller has those of its callees, as they may be inlined. */
function problemsByCaller({ funcs }: Program, known: readonly Known[]): Differentiated["problems"] {
  const found = new Map<string, readonly Problem[]>();
  if (known.length === 0) return found;
  for (const name of funcs.keys()) {
    const own = known.filter(({ func }) => mayCall(name, func, (callee) => funcs.get(callee)));
    if (own.length > 0)
      found.set(
        name,
        own.map(({ problem }) => problem),
      );
  }
  return found;
}

/** Functions that call sites, shipped derivatives or nested forms request. */
export const requestedFunctions = ({ sites, marked, program }: Group): ReadonlySet<string> =>
  new Set([
    ...sites.map(({ target }) => target),
    ...marked,
    ...[...(program.derivations ?? [])].map(([, { of }]) => of),
  ]);

/** Marks the functions whose derivatives are shipped. */
export function markShipped(program: Program, marked: readonly string[]): Program {
  if (marked.length === 0) return program;
  const mark = (func: Func): Func => (marked.includes(func.name) ? { ...func, ships: true } : func);
  return {
    ...program,
    funcs: new Map([...program.funcs].map(([name, func]) => [name, mark(func)])),
  };
}

/**
 * For each marked function the parameters that it writes; null, and an error, where it cannot ship.
 */
export function contracts(
  marked: readonly string[],
  program: Program,
  graphs: ReadonlyMap<string, Memory>,
  sink: Sink,
): ReadonlyMap<string, readonly string[] | null> {
  const contractFor = (name: string): readonly string[] | null => {
    const func = program.funcs.get(name);
    if (func === undefined) return null;
    const contract = contractOf(func, program.funcs, graphs, program.types);
    if (contract.kind === "contract") return contract.writes;
    const shown = `\`${program.homes.get(name)?.name ?? name}\``;
    sink.report("TSG1016", func.origin, [], shown, contract.text);
    return null;
  };
  return new Map(marked.map((name) => [name, contractFor(name)]));
}

/** Pairs of shipped functions, with the parameters that they write. */
export const shippedPairs = (
  { pairs }: Differentiated,
  writes: ReadonlyMap<string, readonly string[] | null>,
): readonly Shipped[] =>
  [...pairs].map(([target, { revf, revr }]) => ({
    ...{ target, revf, revr },
    writes: writes.get(target) ?? [],
  }));

/** No `argnums` are all arguments. */
const activeOf = ({ params }: Func, argnums: readonly number[]): readonly number[] =>
  argnums.length === 0 ? params.map((_, i) => i) : argnums;

/** By site: errors about reads of state of an earlier call, which no derivative knows. */
export function persistentStateErrors(
  sites: readonly CallSite[],
  { funcs, types, homes }: Program,
  graphs: ReadonlyMap<string, Memory>,
  sink: Sink,
): ReadonlyMap<CallSite, readonly Diagnostic[]> {
  const found = new Map<CallSite, readonly Diagnostic[]>();
  for (const site of sites) {
    const { target, argnums, form, origin } = site;
    const func = funcs.get(target);
    if (func === undefined) continue;
    const text = `requested by \`${form}(${homes.get(target)?.name ?? target})\``;
    const active = activeOf(func, argnums);
    const errors = persistentState(func, funcs, graphs, types, active).map(
      ({ name, read, isAmbient }) =>
        sink.report(isAmbient ? "TSG1205" : "TSG3016", read, [{ text, span: origin }], name),
    );
    if (errors.length > 0) found.set(site, errors);
  }
  return found;
}

/** Warns of arguments that a result does not depend on, or that are written. */
export function warn(
  sites: readonly CallSite[],
  program: Program,
  graphs: ReadonlyMap<string, Memory>,
  made: Differentiated,
  sink: Sink,
): void {
  for (const site of sites) {
    const func = program.funcs.get(site.target);
    const isRepeated = runsRepeatedly(site, made);
    if (func === undefined || !(isOfScalar(site.form) || isRepeated) || site.internal === true)
      continue;
    const shown = program.homes.get(func.home)?.name ?? func.name;
    for (const { kind, param } of findingsOf(func, graphs, program.types, site.argnums)) {
      if (isRepeated && kind === "written")
        sink.report("TSG8004", site.origin, [], site.form, shown, param);
      else if (!isOfScalar(site.form)) continue;
      else if (kind === "only-indexes") sink.report("TSG8001", site.origin, [], param);
      else if (kind === "independent") sink.report("TSG8002", site.origin, [], shown, param);
      else sink.report("TSG8003", site.origin, [], shown, param);
    }
  }
}

/** Warns of branches that are taken at single points, in all functions that a site reaches. */
export function warnOfEqualities(
  sites: readonly CallSite[],
  { funcs }: Program,
  factsOf: FactsOf,
  quote: Quote,
  sink: Sink,
): void {
  const ofUser = (origin: Span): boolean => EQUALITY.test(quote.code(origin));
  const hasOwn = (func: Func): boolean =>
    equalitiesIn(func.body).some(({ origin }) => ofUser(origin));
  const open = sites
    .filter(({ internal }) => internal !== true)
    .map(({ target, argnums }) => ({ name: target, argnums }));
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, argnums } = next;
    const func = funcs.get(name);
    const key = `${name} ${argnums.join(" ")}`;
    const reached = [name, ...reachable(name, (each) => funcs.get(each))];
    if (func === undefined || func.rule !== undefined || seen.has(key)) continue;
    seen.add(key);
    if (!reached.some((each) => funcs.has(each) && hasOwn(funcs.get(each) ?? func))) continue;
    const active = activeOf(func, argnums);
    const facts = factsOf(func, active, false);
    for (const { origin } of equalityBranches(func, facts))
      if (ofUser(origin)) sink.report("TSG8006", origin, [], quote.code(origin));
    for (const { bind, expr } of callsIn(func.body)) {
      const own = facts.callActive(bind.name);
      if (own !== null && own.length > 0) open.push({ name: expr.callee, argnums: own });
    }
  }
}

/** Transposes of functions whose pullbacks read what depends on their arguments. */
export function nonLinearErrors(
  { sites, made }: { readonly sites: readonly CallSite[]; readonly made: Differentiated },
  { funcs, homes }: Program,
  factsOf: FactsOf,
  quote: Quote,
  sink: Sink,
): ReadonlyMap<CallSite, readonly Diagnostic[]> {
  const { derived, derivativesOf, residuals, activeOf } = made;
  const written = new Map(
    derived.flatMap((one) => (one.kind === "func" ? [[one.func.name, one.func] as const] : [])),
  );
  const readIn = (name: string): ActiveRead | null => {
    const func = funcs.get(written.get(name)?.home ?? "");
    const read = residuals.get(name)?.map(({ value }) => value);
    if (func === undefined || read === undefined) return null;
    return readOfActive(func, factsOf(func, activeOf.get(name) ?? [], true), read);
  };
  const found = new Map<CallSite, readonly Diagnostic[]>();
  for (const site of sites.filter(({ form }) => form === "transpose")) {
    const shown = homes.get(site.target)?.name ?? site.target;
    const chain = [{ text: `requested by \`transpose(${shown})\``, span: site.origin }];
    const [pullback = ""] = derivativesOf.get(site) ?? [];
    const errors = [...reachable(pullback, (each) => written.get(each))]
      .flatMap((name) => readIn(name) ?? [])
      .map(({ origin, param }) => {
        const code = param === null ? quote.code(origin) : baseName(param);
        return sink.report("TSG3017", origin, chain, shown, code);
      });
    if (errors.length > 0) found.set(site, errors);
  }
  return found;
}

/** What the user compares: lowering makes other equalities, of methods such as `indexOf`. */
const EQUALITY = /[!=]==?|^switch\b/;

/** Whether the derivative runs the function once for each input. */
const runsRepeatedly = (site: CallSite, { derivativesOf, whole }: Differentiated): boolean =>
  (site.form === "jacfwd" || site.form === "hessian") &&
  !whole.has(derivativesOf.get(site)?.[0] ?? "");

/** Whether a function may write an argument, or memory that is reachable from one. */
export function writesArgument({ funcs, types }: Program, name: string): boolean {
  const func = funcs.get(name);
  return (
    func !== undefined &&
    findingsOf(func, memoryOf(funcs, types), types, []).some(({ kind }) => kind === "written")
  );
}

/**
 * A write that a nested derivative must not repeat: to an argument or to a variable of the module.
 */
export function writeOfNested(program: Program, derivation: Derivation): Problem | null {
  const { of, pure, preservesTangents: keepsTangents } = derivation;
  const isForbidden = pure === true || (keepsTangents === true && writesArgument(program, of));
  return isForbidden ? writtenBy(program, of) : null;
}

function writtenBy({ funcs, types }: Program, name: string): Problem | null {
  const memory = memoryOf(funcs, types).get(name);
  const func = funcs.get(name);
  if (memory === undefined || func === undefined) return null;
  const isWritten = (atom: Atom): boolean => {
    const region = memory.region(atom);
    return region !== null && [...memory.reachable(region)].some((inner) => inner.written);
  };
  const param = func.params.find(
    (each) => shadowType(each.type, types) !== null && isWritten(each),
  );
  const text = param?.name ?? memory.writtenGlobals()[0]?.name;
  return text === undefined
    ? null
    : { kind: "nested-write", origin: func.origin, text: baseName(text) };
}
