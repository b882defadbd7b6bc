// Lowers a program except for function bodies, which a callback lowers. Output: the raw program,
// its call sites, diagnostics, and the dependencies between files. Invariant: every function of the
// program is reachable from a site.

import type ts from "typescript";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { CallSite, ReExport } from "../ir/facts.ts";
import type { Func, Program } from "../ir/types.ts";
import type { DeltaCandidate } from "./sites/delta-candidate.ts";
import { type Functions, Incomplete, type LowerBody } from "./functions.ts";
import type { Lowering } from "./lowering.ts";
import { homeOfClass } from "./sites/homes.ts";
import { markedFunctions, mayBeMarked, reExportsOf } from "./sites/marked.ts";
import { mentionsTsgrad, namesTsgrad, type ModuleGraph } from "./sites/module-graph.ts";
import type { AskedQuestions } from "./questions.ts";
import { sitesOf, type WrittenSite } from "./sites/sites.ts";
import { type StepSite, stepSites, type StepRequest } from "./sites/steps.ts";
import { isReplacedIn, replacedBuiltins } from "./names/replaced-builtins.ts";
import { requestedFunctions, requestedSites } from "./sites/command-line-sites.ts";

import { Answers, type PendingSite, resolveSite } from "./site-answers.ts";
import {
  type ClassFacts,
  type Failures,
  type LowerHost,
  type LowerRequest,
  type Services,
  servicesOf,
} from "./services.ts";
export interface Lowered {
  readonly program: Program;
  readonly sites: readonly CallSite[];
  /** All calls that request a derivative. */
  readonly calls: readonly ts.CallExpression[];
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  /** Sites that request the Delta engine or have errors here. */
  readonly refused: readonly DeltaCandidate[];
  /** Errors of sites that only the static engine can answer. */
  readonly standingErrors: readonly Diagnostic[];
  /** Adds sites for functions whose gradients the Delta engine calls, if they can be lowered. */
  readonly withSteps: (wishes: readonly StepRequest[]) => LoweredWithSteps;
  /** Each site as a candidate for the Delta engine. */
  readonly candidates: ReadonlyMap<CallSite, DeltaCandidate>;
  /** Whether the Delta engine is requested for a function of which a package ships derivatives. */
  readonly deltaOfShipped: boolean;
  /** Functions whose derivatives are shipped, and the re-exports of their primals. */
  readonly marked: readonly string[];
  readonly reExports: readonly ReExport[];
  /** By file: the questions that lowering asked about the whole program. */
  readonly questions: ReadonlyMap<string, AskedQuestions>;
  /** Whether a `defineDerivative` or an ambient type of one file affects other files. */
  readonly isShared: boolean;
  /** The user's own files. */
  readonly files: readonly ts.SourceFile[];
  /** The mode of the `defineDerivative` rule of a function, if it has one. */
  readonly ruleOf: (symbol: ts.Symbol, at: ts.Node) => "vjp" | "jvp" | null;
  /** Whether the program replaces a function of the standard library, such as `Math.sin`. */
  readonly isReplaced: (path: string) => boolean;
}

export interface LoweredWithSteps extends Lowered {
  readonly steps: readonly StepSite[];
}

const NOTHING: Lowered = {
  program: { stage: "raw", funcs: new Map(), types: new Map(), homes: new Map() },
  sites: [],
  calls: [],
  diagnostics: [],
  dependencies: new Map(),
  refused: [],
  standingErrors: [],
  candidates: new Map(),
  withSteps: () => ({ ...NOTHING, steps: [] }),
  deltaOfShipped: false,
  marked: [],
  reExports: [],
  questions: new Map(),
  isShared: false,
  files: [],
  ruleOf: () => null,
  isReplaced: () => false,
};

/** How bodies are lowered. A test may lower heads of functions alone. */
export interface LoweringEntry {
  readonly lowerBody: LowerBody;
  readonly lowering: Lowering;
}

/**
 * Lowers the program, and again where the first run shows that classes must be treated otherwise.
 * Instances of a class with `#x` are lowered as records if they meet instances of other classes and
 * more sites can be answered so. Classes whose instances are exchanged with other code are not
 * lowered as records.
 */
export function lowerWith(
  entry: LoweringEntry,
  host: LowerHost,
  request: LowerRequest = {},
): Lowered {
  const found: ClassFacts = { left: new Set(), together: new Set() };
  const lowered = lowerOnce(entry, host, request, found);
  const left = [...found.left];
  const answered = ({ sites, marked }: Lowered): number => sites.length + marked.length;
  const hasAll = ({ sites, marked }: Lowered): boolean =>
    lowered.marked.every((name) => marked.includes(name)) &&
    lowered.sites.every(({ origin }) =>
      sites.some(({ origin: other }) => other.file === origin.file && other.start === origin.start),
    );
  let best = lowered;
  // an error may hide a later meeting of classes, so runs are repeated until none is new
  for (let known = 0; known < found.together.size;) {
    known = found.together.size;
    const met = lowerOnce(entry, host, request, found);
    if (answered(met) > answered(best) && hasAll(met)) best = met;
  }
  if (best !== lowered) return best;
  const rerun =
    left.length === 0
      ? lowered
      : lowerOnce(entry, host, request, { left: new Set(left), together: new Set() });
  // without a gain from tags, the run without tags has the better errors: at the calls themselves
  const isOfTags = !left.some(
    (node) =>
      host.ts.isClassLike(node) &&
      node.members.some(({ name }) => name !== undefined && host.ts.isPrivateIdentifier(name)),
  );
  return answered(rerun) > answered(lowered) || (isOfTags && hasAll(rerun)) ? rerun : lowered;
}

/**
 * One run; adds what it learns about classes to `known`. A function on which it fails by an
 * internal error is left out in the next try.
 */
function lowerOnce(
  entry: LoweringEntry,
  host: LowerHost,
  request: LowerRequest,
  known: ClassFacts,
): Lowered {
  if (request.also === undefined && !mayHaveSites(host)) return NOTHING;
  const failures: Failures = new Map();
  for (;;) {
    const services = servicesOf(host, entry.lowering, known, failures);
    try {
      return lowerServed(services, entry, host, request, known);
    } catch (error) {
      if (!(error instanceof Incomplete)) throw error;
    }
  }
}

function lowerServed(
  services: Services,
  { lowerBody }: LoweringEntry,
  host: LowerHost,
  request: LowerRequest,
  known: ClassFacts,
): Lowered {
  const { ts: api } = host;
  const { checker, sink, report, graph, classes, types, definitions, functions } = services;
  const answers = new Answers(services, host, request);
  const written = searchedIn(graph, request).flatMap((file) =>
    sitesOf(file, services.forms, api, checker, report),
  );
  const pending = written.flatMap((site) => resolveSite(site, services, answers, host));
  const also = requestedFunctions(request.also ?? [], services.targets, functions, host, report);
  const marked = markedFunctions(graph.files, functions, { ts: api, checker }, report);
  functions.run(lowerBody);

  for (const site of pending) answers.answer(site);
  for (const { reached, site } of requestedSites(also, functions, types.types, report))
    answers.add(site, reached);
  const shipped = marked.filter(({ name }) => answers.ships(name));
  const { funcs, sites, refused, standing, candidates } = answers;
  for (const node of functions.boundaryNodes) known.left.add(node);
  for (const node of classes.mixed) known.together.add(node);
  const lowered: Lowered = {
    program: programOf(funcs, services, host),
    sites,
    calls: written.map(({ call }) => call),
    diagnostics: [...sink.diagnostics, ...answers.again],
    dependencies: dependenciesOf(written, pending, functions, graph),
    refused,
    standingErrors: standing,
    candidates,
    deltaOfShipped: answers.deltaOfShipped,
    marked: shipped.map(({ name }) => name),
    reExports: reExportsOf(graph.files, shipped, api, checker),
    questions: classes.questions.byFile,
    isShared: !definitions.isEmpty || types.hasAmbient(),
    files: graph.files,
    ruleOf: (symbol, at) => definitions.of(symbol, at)?.mode ?? null,
    isReplaced: (path) => isReplacedIn(replacedBuiltins(host.program, api), path),
    withSteps: (wishes) => {
      const steps = stepSites(wishes, functions, lowerBody);
      const all = new Map([...funcs, ...steps.flatMap(({ reached }) => [...reached])]);
      return {
        ...lowered,
        steps,
        sites: [...sites, ...steps.map(({ site }) => site)],
        program: programOf(all, services, host),
      };
    },
  };
  return lowered;
}

const mayHaveSites = ({ program }: LowerHost): boolean =>
  mentionsTsgrad(program) ||
  program.getSourceFiles().some((file) => !file.isDeclarationFile && mayBeMarked(file));

function programOf(
  funcs: ReadonlyMap<string, Func>,
  { checker, types, functions }: Services,
  { ts: api, program, packageCode }: LowerHost,
): Program {
  const files = [...new Set([...funcs.values()].map((func) => func.origin.file))].flatMap(
    (file) => program.getSourceFile(file) ?? [],
  );
  const homes = new Map([...functions.homes].filter(([name]) => funcs.has(name)));
  for (const [key, node] of types.classes) {
    const home = homeOfClass(node, null, api, checker);
    const imported = packageCode?.importOf(node) ?? null;
    homes.set(key, imported === null ? home : { ...home, ...imported, name: imported.exportName });
  }
  return {
    stage: "raw",
    funcs,
    types: types.named(files),
    homes,
    derivations: functions.derivationsOf(funcs.keys()),
  };
}

function searchedIn(graph: ModuleGraph, { files }: LowerRequest): readonly ts.SourceFile[] {
  const wanted = files === undefined ? null : new Set(files);
  return graph.files.filter(
    (file) =>
      (wanted === null || wanted.has(file.fileName)) &&
      (graph.reachesTsgrad(file) || namesTsgrad(file)),
  );
}

/** All files of a site depend on each other and on their imports. */
function dependenciesOf(
  written: readonly WrittenSite[],
  pending: readonly PendingSite[],
  functions: Functions,
  graph: ModuleGraph,
): ReadonlyMap<string, readonly string[]> {
  const groups = [
    ...written.map((site) => new Set([site.call.getSourceFile().fileName])),
    ...pending.map(
      (site) => new Set([site.call.getSourceFile().fileName, ...functions.filesOf(site.name)]),
    ),
  ];
  const found = new Map<string, Set<string>>();
  for (const group of groups) {
    const all = graph.closure(group);
    for (const file of group) {
      const others = found.get(file) ?? new Set<string>();
      for (const other of all) if (other !== file) others.add(other);
      found.set(file, others);
    }
  }
  return new Map([...found].map(([file, others]) => [file, [...others].sort()]));
}
