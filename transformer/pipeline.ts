// Every pass in order. In: a host and a request. Out: the program at each stop, derived functions, diagnostics.
// The only file that imports the phases. Invariant: a site with an error gets no derivative, and its errors are reported.

import type ts from "typescript";
import { type DeltaPlanned, deltaFor } from "./delta/plan/engine-sites.ts";
import type { Step, Steps } from "./delta/plan/steps.ts";
import { packagesOf, type Packages } from "./delta/packages/index.ts";
import { rewriteModule } from "./delta/packages/rewrite-module.ts";
import { assertAnswered, chooseEngines } from "./engines.ts";
import {
  type Asked,
  type DeltaCandidate,
  lower,
  type Lowered,
  type LoweredWithSteps,
  type LowerRequest,
  type StepWish,
  specifierFor,
} from "./1-lower/index.ts";
import { type Lacking, withAllPlaces } from "./1-lower/types/widen-records.ts";
import { type Unlisted, unlistedIn } from "./1-lower/types/excess-properties.ts";
import { outlineRounds } from "./1-lower/ssa/iterations.ts";
import { structure } from "./1-lower/ssa/structure.ts";
import { toSsa } from "./1-lower/ssa/ssa.ts";
import {
  activeCalls,
  contractOf,
  factsOf,
  findingsOf,
  constantsOfStep,
  isWritten,
  keptState,
  type Memory,
  memoryOf,
  overlap,
  type SharedView,
  sharedViews,
  type Volatile,
  volatileOf,
} from "./2-analyse/index.ts";
import {
  derivative,
  differentiate,
  type Differentiated,
  type DifferentiateRequest,
  MOST_SHOWN,
  type Problem,
  type Residual,
} from "./3-differentiate/index.ts";
import { bogTangents } from "./3-differentiate/bog-tangents.ts";
import { asViews } from "./4-optimise/memory/as-views.ts";
import { inArena } from "./4-optimise/arena/index.ts";
import { callOriginals, liftGlobals } from "./4-optimise/memory/lift-globals.ts";
import { prepare, prepareAgain, pureFunctions } from "./4-optimise/index.ts";
import { indexAppends } from "./4-optimise/loops/index-appends.ts";
import { inline, inlinedAway } from "./4-optimise/calls/inline.ts";
import { type JoinContext, withJoinedFields } from "./4-optimise/records/join-fields.ts";
import { optimiseTogether } from "./4-optimise/whole-program.ts";
import { Edits } from "./5-emit/edits.ts";
import { ModuleNames } from "./5-emit/names/module-names.ts";
import { emit, type EmitInput } from "./5-emit/emit.ts";
import { type ArrayDerivative, arraysOf } from "./arrays.ts";
import { closedAs, withoutClosed, type Written } from "./closed.ts";
import { type Group, groupsOf, isAlike, isSame } from "./groups.ts";
import { isReached, leadsTo, reportProblems } from "./problems.ts";
import { realise } from "./derive-nested.ts";
import type { Diagnostic } from "./diagnostics/report.ts";
import { Sink } from "./diagnostics/sink.ts";
import type { ArrayProgram } from "./ir/array.ts";
import { bogTypes, isSweepable } from "./ir/derivation.ts";
import { reaches } from "./ir/calls.ts";
import {
  type CallSite,
  type Derivation,
  type Derived,
  type Edit,
  type FunctionFacts,
  isOfScalar,
  isPullback,
  keepsPullback,
  type ReExport,
  type Shipped,
  takesLayout,
  takesTangents,
} from "./ir/facts.ts";
import { layoutOf, layoutText } from "./ir/layout.ts";
import { baseName, bogType, revf } from "./ir/names.ts";
import { shadowType } from "./ir/shadow.ts";
import type { Atom, Func, NamedType, Program } from "./ir/types.ts";
import { invariant } from "./ir/invariant.ts";

export { MOST_SHOWN, type Residual };

/** Statements up to which a callee is inlined (EMISSION.md rule 12: about what V8 inlines itself, and a little more). */
const INLINE_SIZE = 60;

/**
 * Statements that all calls of one function may come to. Kept apart, each call would leave a BOG on the heap; inlined, its residuals are locals or on the tape,
 * and its records are replaced by their fields.
 */
const INLINE_TOTAL = 400;

/** Facts of a function for its active arguments; `split` for a `revf`/`revr` pair. */
export type FactsOf = (func: Func, active: readonly number[], split: boolean) => FunctionFacts;

export interface Compiled {
  /** After `toSsa`: what the user wrote, as IR. */
  readonly primal: Program;
  /** After inlining: what is differentiated. */
  readonly inlined: Program;
  readonly sites: readonly CallSite[];
  readonly made: Differentiated;
  /** By derived function's name, of those that use tsgrad/vector: array code, or why there is none. */
  readonly arrays: ReadonlyMap<string, ArrayDerivative>;
  readonly factsOf: FactsOf;
  /** Optimised derivatives, in the order of emission, and the types they mention. */
  readonly derived: readonly Derived[];
  readonly types: ReadonlyMap<string, NamedType>;
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  /** Functions whose derivatives other programs may call. */
  readonly shipped: readonly Shipped[];
  readonly reExports: readonly ReExport[];
  /** The sites of the Delta engine. */
  readonly delta: DeltaPlanned<DeltaCandidate>;
  /** The above, group by group. */
  readonly parts: readonly Part[];
  /** By file: what was asked of the whole program. */
  readonly asked: ReadonlyMap<string, Asked>;
  /** Whether each site belongs to a group, and nothing was found but what the groups' own diagnostics say. */
  readonly isWhole: boolean;
}

export interface Emitted {
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** The edits of each group. */
  readonly parts: readonly ReadonlyMap<string, readonly Edit[]>[];
  /** Source of a derived function and of what it calls in its file. */
  readonly source: (func: string) => string;
}

export interface CompileHost {
  readonly ts: typeof ts;
  readonly program: ts.Program;
  /** See Host in analyse.ts. */
  readonly system?: ts.ModuleResolutionHost;
  readonly packages?: readonly string[];
}

/** What a group is compiled with, beside itself. */
interface Surroundings {
  /** Text of a file; "" where there is none. */
  readonly files: (file: string) => string;
  /** How one file imports another. */
  readonly specifier: (fromFile: string, toFile: string) => string;
  readonly options: EmitInput["options"];
}

/** What one group of sites comes to. */
export interface Part extends Pick<
  Compiled,
  | "primal"
  | "inlined"
  | "sites"
  | "made"
  | "arrays"
  | "factsOf"
  | "derived"
  | "types"
  | "shipped"
  | "reExports"
> {
  readonly group: Group;
  /** Errors and warnings of this group, and the sites that have errors. */
  readonly diagnostics: readonly Diagnostic[];
  readonly failed: readonly DeltaCandidate[];
  /** Errors of sites and functions that the static engine alone may answer. */
  readonly standing: readonly Diagnostic[];
}

/** Functions that the Delta engine calls are compiled with the rest as soon as it says which. `before`: parts of an earlier program, without errors. */
export function compile(
  host: CompileHost,
  request: LowerRequest = {},
  before: readonly Part[] = [],
): Compiled {
  const lowered = lower(host, request);
  const alone: Statically = {
    lowered,
    parts: partsOf(lowered, host, (group) => {
      const part = before.find(({ group: other }) => isAlike(group, other));
      return part && placedAs(part, group);
    }),
  };
  const first = answered(alone, host, NO_STEPS);
  const { wishes } = first.delta;
  if (wishes.length === 0) return first;
  const withSteps = (asked: readonly StepWish[]): Stepwise => {
    const more = lowered.withSteps(asked);
    return {
      lowered: more,
      parts: partsOf(more, host, (group) =>
        alone.parts.find(({ group: other }) => isSame(group, other)),
      ),
    };
  };
  const asked = withSteps(wishes);
  const granted = stepsOf(asked, host);
  const foremost = first.delta.foremost(new Set(granted.keys()));
  if (granted.size === 0) return first;
  if (foremost.size === wishes.length) return answered(asked, host, granted);
  // what is not granted, or called by a step alone, leaves nothing
  const last = withSteps([...granted.values()].filter(({ node }) => foremost.has(node)));
  return answered(last, host, stepsOf(last, host));
}

/** What the static engine makes of a request. */
interface Statically {
  readonly lowered: Lowered;
  readonly parts: readonly Part[];
}

interface Stepwise extends Statically {
  readonly lowered: LoweredWithSteps;
}

/** `known`: what a group has come to in another program. */
const partsOf = (
  lowered: Lowered,
  host: CompileHost,
  known: (group: Group) => Part | undefined,
): readonly Part[] =>
  groupsOf(lowered.program, lowered.sites, lowered.marked).map(
    (group) => known(group) ?? partOf(group, lowered, textsOf(host)),
  );

/** What came of a group that is like this one, put where this one's is put. */
function placedAs(part: Part, group: Group): Part {
  const { homes } = group.program;
  return { ...part, group, primal: { ...part.primal, homes }, inlined: { ...part.inlined, homes } };
}

const NO_STEPS: Steps = new Map();

/** Of the functions that were asked for as steps those that may be, and have a derivative. */
function stepsOf({ lowered, parts }: Stepwise, host: CompileHost): Steps {
  const found = new Map<ts.Node, Step>();
  for (const part of parts) {
    const own = lowered.steps.filter(({ site }) => part.sites.includes(site));
    if (own.length === 0) continue;
    const { inlined, made } = part;
    const memory = memoryOf(inlined.funcs, inlined.types);
    const names = namesIn(part, host);
    for (const { wish, site } of own) {
      const func = inlined.funcs.get(site.target);
      const [derivative] = made.derivativesOf.get(site) ?? [];
      const constants =
        func === undefined ? null : constantsOfStep(func, wish.argnums, inlined, memory);
      if (constants !== null && derivative !== undefined)
        found.set(wish.node, { ...wish, derivative: names.own(derivative), constants });
    }
  }
  return found;
}

function answered({ lowered, parts }: Statically, host: CompileHost, steps: Steps): Compiled {
  const standing = new Set([lowered, ...parts].flatMap((one) => one.standing));
  const packages = packagesOf({
    ts: host.ts,
    program: host.program,
    ...(host.system === undefined ? {} : { system: host.system }),
    untyped: host.packages ?? [],
    rewrite: rewriteModule,
    runtime: "$d",
  });
  const engines = chooseEngines(
    [...lowered.refused, ...parts.flatMap(({ failed }) => failed)],
    [...lowered.diagnostics, ...parts.flatMap(({ diagnostics }) => diagnostics)],
    standing,
    (candidates) =>
      deltaFor(candidates, {
        ts: host.ts,
        program: host.program,
        files: lowered.files,
        ruleOf: lowered.ruleOf,
        steps,
        packages,
        closedAs: (file) => closedAs(file, host.ts, host.program.getTypeChecker()),
        specifier: (from, to) => specifierFor(host.ts, host.program, from, to),
      }),
  );
  const whole = joined(parts, lowered.program);
  assertAnswered(
    lowered.calls,
    whole.sites.map(({ origin }) => origin),
    engines,
  );
  return {
    ...whole,
    parts,
    diagnostics: engines.diagnostics,
    dependencies: withPackages(lowered.dependencies, packages),
    delta: engines.planned,
    asked: lowered.asked,
    isWhole: isWhole(lowered, parts),
  };
}

/** With the files of packages whose code stands in the generated text. */
const withPackages = (
  dependencies: Compiled["dependencies"],
  packages: Packages,
): Compiled["dependencies"] =>
  new Map(
    [...dependencies].map(([file, others]) => [
      file,
      [
        ...new Set([
          ...others,
          ...[file, ...others].flatMap((each) => packages.packageText(each).dependencies),
        ]),
      ],
    ]),
  );

const isWhole = (
  { diagnostics, refused, marked, reExports, isShared }: Lowered,
  parts: readonly Part[],
): boolean =>
  diagnostics.length + refused.length + marked.length + reExports.length === 0 &&
  !isShared &&
  parts.every(
    ({ failed, diagnostics: own }) =>
      failed.length === 0 && own.every(({ severity }) => severity !== "error"),
  );

function partOf(group: Group, lowered: Lowered, files: Surroundings["files"]): Part {
  const asked = askedIn(group);
  const { program, lacking, taken } = withAllPlaces(group.program, asked);
  const primal = shipping(outlineRounds(toSsa(structure(program))), group.marked);
  const decided: Decided = { handed: new Map(), repeats: keepsPullbacks(group) };
  const nested = realise(primal, (program, name, derivation) =>
    madeAlone(program, name, derivation, decided),
  );
  const { flat, inlined } = inlinedOf(nested.program, group);
  const graphs = memoryOf(inlined.funcs, inlined.types);
  const factsOf = factsIn(inlined, graphs, group);
  const sink = new Sink();
  const contracts = new Map(
    group.marked.map((name) => [name, contractIn(inlined, name, graphs, sink)]),
  );
  const known = [
    ...lacking.map(lackingProblem),
    ...taken.map((one) => unlistedProblem({ ...one, kind: "taken" })),
    ...unlistedIn(group.program, asked).map(unlistedProblem),
    ...sharedViews(primal.funcs, primal.types, (name) => asked.has(name)).map(viewProblem),
  ];
  const problems = new Map([...nested.problems, ...knownBy(program, known)]);
  const { made, sites, errorsOf } = differentiated(
    { ...group, marked: group.marked.filter((name) => contracts.get(name) !== null) },
    inlined,
    factsOf,
    problems,
    decided,
    sink,
    files,
  );
  refuseKept(sites, inlined, graphs, sink);
  warn(sites, inlined, graphs, made, sink);
  return {
    primal,
    inlined,
    sites,
    made,
    arrays: arraysOf(sites, made, flat),
    factsOf,
    ...finished(inlined, nested.derived, made),
    ...refusedOf(group, sites, lowered, errorsOf),
    diagnostics: sink.diagnostics,
    shipped: [...made.pairs].map(([target, { revf, revr }]) => ({
      target,
      revf,
      revr,
      writes: contracts.get(target) ?? [],
    })),
    reExports: lowered.reExports.filter(({ target }) => group.marked.includes(target)),
    group,
  };
}

/** Functions that others call, or whose derivatives code that is lowered does. */
const askedIn = ({ sites, marked, program }: Group): ReadonlySet<string> =>
  new Set([
    ...sites.map(({ target }) => target),
    ...marked,
    ...[...(program.derivations ?? [])].map(([, { of }]) => of),
  ]);

/** What is found before anything is differentiated. */
interface Known {
  readonly func: string;
  readonly problem: Problem;
}
const lackingProblem = ({ func, origin, field }: Lacking): Known => ({
  func,
  problem: { kind: "lacking", origin, text: field },
});
const unlistedProblem = ({ func, origin, field, kind }: Unlisted): Known => ({
  func,
  problem: { kind, origin, text: field },
});
const viewProblem = ({ func, origin }: SharedView): Known => ({
  func,
  problem: { kind: "view", origin, text: "" },
});

/** By function, those that call it included, since it may be inlined. */
const knownBy = ({ funcs }: Program, known: readonly Known[]): Differentiated["problems"] =>
  new Map(
    known.length === 0
      ? []
      : [...funcs.keys()].flatMap((name): [string, readonly Problem[]][] => {
          const own = known.filter(({ func }) =>
            reaches(name, func, (callee) => funcs.get(callee)),
          );
          return own.length === 0 ? [] : [[name, own.map(({ problem }) => problem)]];
        }),
  );

/** What has been decided of pairs: derivatives that bodies call are written before the others. */
type Decided = Required<Pick<DifferentiateRequest, "handed" | "repeats">>;

/** Whether somebody has pullbacks, and may run them more than once: other programs may, of what is shipped. */
const keepsPullbacks = ({ sites, marked, program: { funcs } }: Group): boolean =>
  marked.length > 0 ||
  sites.some(({ form, target }) => isPullback(form, funcs.get(target)?.result.kind === "num"));

const shipping = (program: Program, marked: readonly string[]): Program =>
  marked.length === 0
    ? program
    : {
        ...program,
        funcs: new Map(
          [...program.funcs].map(([name, func]) => [
            name,
            marked.includes(name) ? { ...func, ships: true } : func,
          ]),
        ),
      };

/** `flat`: calls inlined. `inlined`: what of it is differentiated, prepared for that. */
function inlinedOf(
  program: Program,
  { sites, marked }: Group,
): { readonly flat: Program; readonly inlined: Program } {
  const lifted = liftWritten(program);
  const active = activeCalls(lifted, sites, marked);
  const flat = withJoinedFields(
    indexAppends(
      inline(lifted, {
        maxSize: INLINE_SIZE,
        maxTotal: INLINE_TOTAL,
        isWanted: (caller, bind) => active.has(`${caller} ${bind}`),
        isKept: isKeptIn(lifted),
      }),
    ),
    joinContexts,
  );
  const asked = new Set([...sites.map(({ target }) => target), ...marked]);
  const away = inlinedAway(lifted, flat);
  const isDone = ({ name, shipped, made }: Func): boolean =>
    shipped === true || (made !== true && away.has(name) && !asked.has(name));
  // a read that is made once is recorded once
  return {
    flat,
    inlined: {
      ...flat,
      types: withShipped(flat),
      funcs: new Map(
        [...flat.funcs].map(([name, func]) => [
          name,
          isDone(func) ? func : prepare(func, flat.types),
        ]),
      ),
    },
  };
}

function factsIn(
  { funcs, types }: Program,
  graphs: ReadonlyMap<string, Memory>,
  { sites, marked }: Group,
): FactsOf {
  const pullbacks = sites
    .filter(({ form }) => keepsPullback(form))
    .map(({ target }) => target)
    .concat(marked);
  const volatile = volatileOf(funcs, graphs, pullbacks);
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

/** `sites`: those that have no errors; `errorsOf`: what was found in a function and in those that it calls. */
interface Attempt {
  readonly made: Differentiated;
  readonly sites: readonly CallSite[];
  readonly errorsOf: (target: string) => readonly Diagnostic[];
}

function differentiated(
  group: Group,
  inlined: Program,
  facts: FactsOf,
  known: Differentiated["problems"],
  decided: Decided,
  sink: Sink,
  files: Surroundings["files"],
): Attempt {
  const tidy = (func: Func, types: Program["types"]): Func =>
    prepareAgain(func, { types, pureCalls: pureFunctions(inlined.funcs, types) });
  const derive = (sites: readonly CallSite[], marked: readonly string[]): Differentiated =>
    differentiate({
      program: inlined,
      sites,
      marked,
      factsOf: facts,
      analyse: analysed,
      tidy,
      ...decided,
    });
  const tried = withProblems(derive(group.sites, group.marked), known);
  if (tried.problems.size === 0) return { made: tried, sites: group.sites, errorsOf: () => [] };
  const found = reportProblems(tried.problems, inlined, group.sites, sink, ({ file, start, end }) =>
    files(file).slice(start, end),
  );
  const isSound = (name: string): boolean => !leadsTo(inlined.funcs, name, tried.problems);
  const sites = group.sites.filter(({ target }) => isSound(target));
  const errorsOf = (target: string): Diagnostic[] =>
    [...found].flatMap(([name, problems]) =>
      isReached(target, name, inlined.funcs) ? problems : [],
    );
  return { made: derive(sites, group.marked.filter(isSound)), sites, errorsOf };
}

/** Sites without a derivative of the static engine: those that the Delta engine may answer, and the errors of those that it may not. */
function refusedOf(
  group: Group,
  sites: readonly CallSite[],
  { candidates }: Lowered,
  errorsOf: Attempt["errorsOf"],
): Pick<Part, "failed" | "standing"> {
  const refused = group.sites.filter((site) => !sites.includes(site));
  const failed = refused.flatMap((site): DeltaCandidate[] => {
    const candidate = candidates.get(site);
    return candidate === undefined ? [] : [{ ...candidate, errors: errorsOf(site.target) }];
  });
  const alone = [
    ...refused.filter((site) => !candidates.has(site)).map(({ target }) => target),
    ...group.marked,
  ];
  return { failed, standing: alone.flatMap(errorsOf) };
}

/** All that is emitted, optimised for the last time. */
function finished(
  inlined: Program,
  nested: readonly Derived[],
  made: Differentiated,
): Pick<Part, "derived" | "types"> {
  const types = new Map([
    ...inlined.types,
    ...bogTypes([...nested, ...made.derived], inlined.homes),
  ]);
  const pureCalls = pureFunctions(inlined.funcs, types);
  const own = [...inlined.funcs.values()]
    .filter((func) => func.made === true)
    .map((func): Derived => ({ kind: "func", home: func.home, func }));
  const all = [
    ...own,
    ...nested,
    ...made.derived.filter((item) => !nested.some((other) => nameOf(other) === nameOf(item))),
  ];
  const derived = optimiseTogether(all, askedOf(made), { types, pureCalls });
  return {
    types: new Map([...types, ...bogTypes(derived, inlined.homes)]),
    derived: derived.map((item): Derived =>
      item.kind === "type" ? item : { ...item, func: callOriginals(item.func, inlined.funcs) },
    ),
  };
}

/** Functions that sites and shipped functions name. */
function askedOf({ derivativesOf, pairs }: Differentiated): (name: string) => boolean {
  const asked = new Set([
    ...[...derivativesOf.values()].flat(),
    ...[...pairs.values()].flatMap(({ revf, revr }) => [revf, revr]),
  ]);
  return (name) => asked.has(name);
}

/** The parts as one, for those who look at the whole program. */
function joined(
  parts: readonly Part[],
  raw: Program,
): Omit<Part, "diagnostics" | "failed" | "standing" | "group"> {
  const whole = (of: (part: Part) => Program): Program => ({
    stage: "ssa",
    homes: raw.homes,
    funcs: new Map(parts.flatMap((part) => [...of(part).funcs])),
    types: new Map([...raw.types, ...parts.flatMap((part) => [...of(part).types])]),
  });
  const union = <V>(of: (part: Part) => ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
    new Map(parts.flatMap((part) => [...of(part)]));
  return {
    primal: whole(({ primal }) => primal),
    inlined: whole(({ inlined }) => inlined),
    sites: parts.flatMap(({ sites }) => sites),
    made: {
      derived: parts.flatMap(({ made }) => made.derived),
      derivativesOf: new Map(parts.flatMap(({ made }) => [...made.derivativesOf])),
      pairs: union(({ made }) => made.pairs),
      whole: new Set(parts.flatMap(({ made }) => [...made.whole])),
      problems: union(({ made }) => made.problems),
      residuals: union(({ made }) => made.residuals),
      activeOf: union(({ made }) => made.activeOf),
    },
    factsOf: (func, active, split) => {
      const part = parts.find(({ inlined }) => inlined.funcs.has(func.name));
      invariant(part !== undefined, `no function ${func.name}`);
      return part.factsOf(func, active, split);
    },
    arrays: union(({ arrays }) => arrays),
    derived: parts.flatMap(({ derived }) => derived),
    types: union(({ types }) => types),
    shipped: parts.flatMap(({ shipped }) => shipped),
    reExports: parts.flatMap((part) => part.reExports),
  };
}

/** One derivative that bodies call, of a program of what it needs. */
function madeAlone(
  program: Program,
  name: string,
  derivation: Derivation,
  decided: Decided,
): Pick<Differentiated, "derived" | "problems"> {
  const flat = withJoinedFields(
    indexAppends(inline(liftWritten(program), { maxSize: INLINE_SIZE, isKept: isKeptIn(program) })),
    joinContexts,
  );
  const ready: Program = {
    ...flat,
    funcs: new Map(
      [...flat.funcs].map(([each, func]) => [
        each,
        func.shipped === true || func.derivation !== undefined ? func : prepare(func, flat.types),
      ]),
    ),
  };
  const tidy = (func: Func, known: Program["types"]): Func =>
    prepareAgain(func, { types: known, pureCalls: pureFunctions(ready.funcs, known) });
  const made = derivative(
    { program: ready, factsOf: analysed(ready), analyse: analysed, tidy, ...decided },
    name,
    derivation,
  );
  const isHeld =
    derivation.pure === true ||
    (derivation.keepsTangents === true && writesArgument(program, derivation.of));
  const written = isHeld ? writtenBy(program, derivation.of) : null;
  const types = new Map([...ready.types, ...bogTypes(made.derived, program.homes)]);
  // what is left of its shadows says whether it can be swept as it stands
  const derived = made.derived.map((item): Derived =>
    item.kind === "type" ? item : { ...item, func: tidy(item.func, types) },
  );
  return {
    problems: written === null ? made.problems : new Map([[derivation.of, [written]]]),
    derived: [...derived, ...bogTangents(made.derived, types)],
  };
}

/** What a function writes of what it is given, or of its module. */
function writtenBy({ funcs, types }: Program, name: string): Problem | null {
  const memory = memoryOf(funcs, types).get(name);
  const func = funcs.get(name);
  if (memory === undefined || func === undefined) return null;
  const isWritten = (atom: Atom): boolean => {
    const region = memory.region(atom);
    return region !== null && [...memory.reachable(region)].some((inner) => inner.written);
  };
  const text =
    func.params.find((param) => shadowType(param.type, types) !== null && isWritten(param))?.name ??
    memory.writtenGlobals()[0]?.name;
  return text === undefined
    ? null
    : { kind: "nested-write", origin: func.origin, text: baseName(text) };
}

function joinContexts({ funcs, types }: Program): (func: Func) => JoinContext | null {
  const graphs = memoryOf(funcs, types);
  return ({ name }) => {
    const memory = graphs.get(name);
    return memory === undefined
      ? null
      : {
          types,
          isWritten: (object) => isWritten(object, memory),
          overlap: (x, z) => overlap(x, z, memory),
        };
  };
}

/** Derivatives that reverse code calls, and does not sweep. */
const isKeptIn = ({ funcs }: Program): ((callee: string) => boolean) => {
  // one round of a loop that is reversed by a schedule: what reverses it calls it
  const rounds = new Set([...funcs.values()].flatMap((func) => func.rounds?.round ?? []));
  return (callee) => {
    const func = funcs.get(callee);
    return (
      func !== undefined &&
      (func.half === true ||
        func.rule !== undefined ||
        func.onceOf !== undefined ||
        func.rounds !== undefined ||
        rounds.has(callee) ||
        (func.derivation !== undefined && !isSweepable(func, funcs)))
    );
  };
};

const withProblems = (made: Differentiated, more: Differentiated["problems"]): Differentiated =>
  more.size === 0 ? made : { ...made, problems: new Map([...made.problems, ...more]) };

const nameOf = (item: Derived): string => (item.kind === "type" ? item.name : item.func.name);

/** The analyses of a program that holds derivatives. */
function analysed(program: Program): FactsOf {
  const graphs = memoryOf(program.funcs, program.types);
  return (func, active, split) =>
    factsOf({
      func,
      graphs,
      types: program.types,
      active,
      split,
      volatile: [],
      volatileShadows: [],
    });
}

/** Of the BOG of a shipped function only its leading fields are known; it is called what its maker returns. */
function withShipped({ funcs, types, homes }: Program): ReadonlyMap<string, NamedType> {
  const all = new Map(types);
  const scope = [...new Set([...homes.values()].map(({ file }) => file))];
  for (const func of funcs.values()) {
    if (func.shipped !== true) continue;
    const { result } = func;
    const shadow = shadowType(result, types);
    const elems =
      result.kind === "void"
        ? []
        : shadow === null || result.kind === "num"
          ? [result]
          : [result, shadow];
    all.set(bogType(func.name, null), {
      type: { kind: "tuple", elems },
      text: `ReturnType<typeof ${revf(homes.get(func.home)?.name ?? func.name, null)}>`,
      scope,
    });
  }
  return all;
}

/** Globals whose memory a function or one that it calls writes become parameters of the functions that it calls. */
function liftWritten(program: Program): Program {
  const graphs = memoryOf(program.funcs, program.types);
  return liftGlobals(program, (name) => graphs.get(name)?.writtenGlobals() ?? []);
}

/** The parameters that a marked function writes; null where it cannot be shipped, which is reported. */
function contractIn(
  program: Program,
  name: string,
  graphs: ReadonlyMap<string, Memory>,
  sink: Sink,
): readonly string[] | null {
  const func = program.funcs.get(name);
  const contract =
    func === undefined ? null : contractOf(func, program.funcs, graphs, program.types);
  if (func === undefined || contract === null) return null;
  if (contract.kind === "contract") return contract.writes;
  sink.report(
    "TSG1016",
    func.origin,
    [],
    `\`${program.homes.get(name)?.name ?? name}\``,
    contract.text,
  );
  return null;
}

/** No derivative knows what an earlier call has left. */
function refuseKept(
  sites: readonly CallSite[],
  { funcs, types, homes }: Program,
  graphs: ReadonlyMap<string, Memory>,
  sink: Sink,
): void {
  for (const { target, argnums, form, origin } of sites) {
    const func = funcs.get(target);
    const chain = [
      { text: `requested by \`${form}(${homes.get(target)?.name ?? target})\``, span: origin },
    ];
    for (const { name, read } of func === undefined
      ? []
      : keptState(func, funcs, graphs, types, argnums))
      sink.report("TSG3016", read, chain, name);
  }
}

function warn(
  sites: readonly CallSite[],
  program: Program,
  graphs: ReadonlyMap<string, Memory>,
  { derivativesOf, whole }: Differentiated,
  sink: Sink,
): void {
  for (const site of sites) {
    const func = program.funcs.get(site.target);
    const runsAgain =
      (site.form === "jacfwd" || site.form === "hessian") &&
      !whole.has(derivativesOf.get(site)?.[0] ?? "");
    if (func === undefined || !(isOfScalar(site.form) || runsAgain) || site.silent === true)
      continue;
    const shown = program.homes.get(func.home)?.name ?? func.name;
    for (const { kind, param } of findingsOf(func, graphs, program.types, site.argnums)) {
      if (runsAgain && kind === "written")
        sink.report("TSG8004", site.origin, [], site.form, shown, param);
      else if (!isOfScalar(site.form)) continue;
      else if (kind === "only-indexes") sink.report("TSG8001", site.origin, [], param);
      else if (kind === "independent") sink.report("TSG8002", site.origin, [], shown, param);
      else sink.report("TSG8003", site.origin, [], shown, param);
    }
  }
}

/** Whether a function may write an argument, and with it what moves along. */
function writesArgument({ funcs, types }: Program, name: string): boolean {
  const func = funcs.get(name);
  return (
    func !== undefined &&
    findingsOf(func, memoryOf(funcs, types), types, []).some(({ kind }) => kind === "written")
  );
}

const textsOf =
  ({ program }: CompileHost) =>
  (file: string): string =>
    program.getSourceFile(file)?.text ?? "";

const surroundings = (host: CompileHost): Surroundings => ({
  files: textsOf(host),
  specifier: (from, to) => specifierFor(host.ts, host.program, from, to),
  options: {
    noUncheckedIndexedAccess: host.program.getCompilerOptions().noUncheckedIndexedAccess ?? false,
  },
});

/** What emission will call what is emitted. */
const namesIn = (part: Part, host: CompileHost): ModuleNames =>
  new ModuleNames(emission(part, surroundings(host)));

/** The last stop: text. */
export function derivativesOf(
  host: CompileHost,
  request: LowerRequest = {},
  before?: readonly Part[],
): { readonly compiled: Compiled; readonly emitted: Emitted } {
  const around = surroundings(host);
  const tried = compile(host, request, before);
  const { made, found } = withoutClosed(
    tried.parts,
    tried.parts.map((part) => written(part, around)),
    host,
  );
  const compiled =
    found.length === 0
      ? tried
      : { ...tried, diagnostics: [...tried.diagnostics, ...found], isWhole: false };
  const all = new Edits(around.files);
  for (const { edits } of made)
    for (const [file, list] of edits) for (const edit of list) all.insert(file, edit);
  compiled.delta.place(all);
  return {
    compiled,
    emitted: {
      edits: all.all(),
      parts: made.map(({ edits }) => edits),
      source: (func) => made.map(({ source }) => source(func)).find((text) => text !== "") ?? "",
    },
  };
}

/** One group as text. */
function written(part: Part, around: Surroundings): Written {
  const own = new Edits(around.files);
  return { source: emit(emission(part, around), own), edits: own.all() };
}

const emission = (part: Part, around: Surroundings): EmitInput => ({
  program: part.inlined,
  derived: inArena(
    asViews(part.derived, (own) =>
      sharedViews(
        new Map([...part.inlined.funcs, ...own.map((func): [string, Func] => [func.name, func])]),
        part.types,
        () => true,
      ),
    ),
    askedOf(part.made),
    part.types,
  ),
  sites: part.sites,
  arrays: new Map(
    [...part.arrays].flatMap(([name, found]): [string, ArrayProgram][] =>
      found.kind === "array" ? [[name, found.program]] : [],
    ),
  ),
  shipped: part.shipped,
  reExports: part.reExports,
  ...around,
  siteDerivatives: (site) => {
    const names = part.made.derivativesOf.get(site);
    invariant(names !== undefined, `no derivative for the call of ${site.form}`);
    return names;
  },
  siteLayout: (site) => {
    const { form, target, hasAux } = site;
    if (part.made.derivativesOf.get(site)?.some((name) => part.made.whole.has(name)) === true)
      return "{ whole: true }";
    if (takesTangents(form)) return writesArgument(part.inlined, target) ? "{ copies: true }" : "";
    const func = part.primal.funcs.get(target) ?? part.inlined.funcs.get(target);
    return func === undefined || !takesLayout(form)
      ? ""
      : layoutText(layoutOf(func, hasAux, part.inlined.types));
  },
});
