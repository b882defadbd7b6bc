// The whole phase but for bodies. In: a host, a request, and what lowers one body. Out: the raw program, the call sites whose
// functions could all be lowered, diagnostics, and which file's output depends on which others.
// Invariant: every function of the program is reachable from a site; a site that is left out has an error.

import type ts from "typescript";
import { Sink } from "../diagnostics/sink.ts";
import { type Code, isCode, REGISTRY } from "../diagnostics/registry.ts";
import type { ChainLink, Diagnostic } from "../diagnostics/report.ts";
import { type CallSite, isDeltaForm, modesOf, type ReExport } from "../ir/facts.ts";
import type { Func, Program } from "../ir/types.ts";
import { isAnswerable } from "./sites/form-preconditions.ts";
import { checkerOf } from "./checker.ts";
import type { TypeScript } from "./context.ts";
import { Classes, type ClassNode } from "./classes/classes.ts";
import { definitionsOf } from "./sites/definitions.ts";
import {
  type DeltaCandidate,
  deltaCandidate,
  isBeyondNamespace,
  isCandidateAnswerable,
  valueCandidate,
} from "./sites/delta-candidate.ts";
import { formsOf } from "./sites/forms.ts";
import { Functions, originOf, type LowerBody } from "./functions.ts";
import { homeOfClass, namingOf } from "./sites/homes.ts";
import { markedFunctions, mayBeMarked, reExportsOf } from "./sites/marked.ts";
import {
  mentionsTsgrad,
  moduleGraph,
  namesTsgrad,
  type ModuleGraph,
} from "./sites/module-graph.ts";
import type { Asked } from "./questions.ts";
import { sitesOf, type WrittenSite } from "./sites/sites.ts";
import { specifierFor } from "./sites/specifier.ts";
import { type StepSite, stepSites, type StepWish } from "./sites/steps.ts";
import { shorten, Targets, type TargetNode } from "./sites/targets.ts";
import { TypeTable } from "./types/types.ts";
import {
  type FunctionName,
  sourcePosition,
  wishedFunctions,
  wishedSites,
} from "./sites/command-line-sites.ts";

export interface LowerHost {
  readonly ts: TypeScript;
  readonly program: ts.Program;
}

export interface LowerRequest {
  /** Call sites of these files only; absent: of all user files. */
  readonly files?: readonly string[];
  /** "static": calls that do not say otherwise have no other engine. */
  readonly engine?: "static";
  /** Functions whose derivative is asked for without a call: `grad`, or `vjp` where the result is no number. They are the last sites. */
  readonly also?: readonly FunctionName[];
}

export interface Lowered {
  readonly program: Program;
  readonly sites: readonly CallSite[];
  /** All calls that ask for a derivative. */
  readonly calls: readonly ts.CallExpression[];
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  /** Sites that are forced to the Delta engine or have errors here. */
  readonly refused: readonly DeltaCandidate[];
  /** Errors of what the static engine alone may answer: they stand, whoever else has them. */
  readonly standing: readonly Diagnostic[];
  /** The same with sites for functions that the Delta engine would call by their gradients: of those that can be lowered. What is here stays as it is. */
  readonly withSteps: (wishes: readonly StepWish[]) => LoweredWithSteps;
  /** What each site would be for the Delta engine. */
  readonly candidates: ReadonlyMap<CallSite, DeltaCandidate>;
  /** Functions whose derivatives are shipped, and the ways on which their primals leave their modules. */
  readonly marked: readonly string[];
  readonly reExports: readonly ReExport[];
  /** By file: what was asked of the whole program. */
  readonly asked: ReadonlyMap<string, Asked>;
  /** Whether some function has a rule by `defineDerivative`, or some type is known to all files: what one file says of it holds in others, too. */
  readonly isShared: boolean;
  /** The user's own files. */
  readonly files: readonly ts.SourceFile[];
  /** Which rule the function that a symbol stands for at a node has by `defineDerivative`. */
  readonly ruleOf: (symbol: ts.Symbol, at: ts.Node) => "vjp" | "jvp" | null;
}

export interface LoweredWithSteps extends Lowered {
  readonly steps: readonly StepSite[];
}

type Report = (code: Code, at: ts.Node, ...args: readonly string[]) => void;

const NOTHING: Lowered = {
  program: { stage: "raw", funcs: new Map(), types: new Map(), homes: new Map() },
  sites: [],
  calls: [],
  diagnostics: [],
  dependencies: new Map(),
  refused: [],
  standing: [],
  candidates: new Map(),
  withSteps: () => ({ ...NOTHING, steps: [] }),
  marked: [],
  reExports: [],
  asked: new Map(),
  isShared: false,
  files: [],
  ruleOf: () => null,
};

interface PendingSite extends WrittenSite {
  readonly name: string;
  /** Null where the function is itself made by a form. */
  readonly node: TargetNode | null;
}

/** What is found out about classes: those whose instances come from outside or go there, and those whose instances meet records that stand for others. */
interface Found {
  readonly left: Set<ts.Node>;
  readonly together: Set<ClassNode>;
}

/**
 * Where instances of classes with `#x` meet those of other classes, records stand for these, too, if more has a derivative then; else, where instances of such classes, or
 * objects with tags of functions, come from outside or go there, no records stand for them.
 */
export function lowerWith(
  lowerBody: LowerBody,
  host: LowerHost,
  request: LowerRequest = {},
): Lowered {
  const found: Found = { left: new Set(), together: new Set() };
  const lowered = lowerOnce(lowerBody, host, request, found);
  const left = [...found.left];
  const answered = ({ sites, marked }: Lowered): number => sites.length + marked.length;
  const hasAll = ({ sites, marked }: Lowered): boolean =>
    lowered.marked.every((name) => marked.includes(name)) &&
    lowered.sites.every(({ origin }) =>
      sites.some(({ origin: other }) => other.file === origin.file && other.start === origin.start),
    );
  let best = lowered;
  // what is refused in front of a meeting hides it
  for (let known = 0; known < found.together.size;) {
    known = found.together.size;
    const met = lowerOnce(lowerBody, host, request, found);
    if (answered(met) > answered(best) && hasAll(met)) best = met;
  }
  if (best !== lowered) return best;
  const again =
    left.length === 0
      ? lowered
      : lowerOnce(lowerBody, host, request, { left: new Set(left), together: new Set() });
  // where nothing is gained by tags of functions, the errors of lowering without them say where the functions are called
  const isOfTags = !left.some(
    (node) =>
      host.ts.isClassLike(node) &&
      node.members.some(({ name }) => name !== undefined && host.ts.isPrivateIdentifier(name)),
  );
  return answered(again) > answered(lowered) || (isOfTags && hasAll(again)) ? again : lowered;
}

/** `known`: to which what is found is added. */
function lowerOnce(
  lowerBody: LowerBody,
  host: LowerHost,
  request: LowerRequest,
  known: Found,
): Lowered {
  const { ts: api, program } = host;
  if (
    request.also === undefined &&
    !mentionsTsgrad(program) &&
    !program.getSourceFiles().some((file) => !file.isDeclarationFile && mayBeMarked(file))
  )
    return NOTHING;
  const tools = toolsOf(host, known);
  const { checker, sink, report, graph, classes, types, definitions, functions } = tools;
  const answers = new Answers(tools, host, request);
  const written = searchedIn(graph, request).flatMap((file) =>
    sitesOf(file, tools.forms, api, checker, report),
  );
  const pending = written.flatMap((site) => resolved(site, tools, answers));
  const also = wishedFunctions(request.also ?? [], tools.targets, functions, host, report);
  const marked = markedFunctions(graph.files, functions, api, report);
  functions.run(lowerBody);

  for (const site of pending) answers.answer(site);
  for (const { reached, site } of wishedSites(also, functions, types.types, report))
    answers.add(site, reached);
  const shipped = marked.filter(({ name }) => answers.ships(name));
  const programOf = (funcs: ReadonlyMap<string, Func>): Program => {
    const files = [...new Set([...funcs.values()].map((func) => func.origin.file))].flatMap(
      (file) => program.getSourceFile(file) ?? [],
    );
    const homes = new Map([...functions.homes].filter(([name]) => funcs.has(name)));
    for (const [key, node] of types.classes) homes.set(key, homeOfClass(node, null, api, checker));
    return {
      stage: "raw",
      funcs,
      types: types.named(files),
      homes,
      derivations: functions.derivationsOf(funcs.keys()),
    };
  };
  const { funcs, sites, refused, standing, candidates } = answers;
  for (const node of functions.left) known.left.add(node);
  for (const node of classes.met) known.together.add(node);
  const lowered: Lowered = {
    program: programOf(funcs),
    sites,
    calls: written.map(({ call }) => call),
    diagnostics: [...sink.diagnostics, ...answers.again],
    dependencies: dependenciesOf(written, pending, functions, graph),
    refused,
    standing,
    candidates,
    marked: shipped.map(({ name }) => name),
    reExports: reExportsOf(graph.files, shipped, api, checker),
    asked: classes.questions.byFile,
    isShared: !definitions.isEmpty || types.hasAmbient(),
    files: graph.files,
    ruleOf: (symbol, at) => definitions.of(symbol, at)?.mode ?? null,
    withSteps: (wishes) => {
      const steps = stepSites(wishes, functions, lowerBody);
      return {
        ...lowered,
        steps,
        sites: [...sites, ...steps.map(({ site }) => site)],
        program: programOf(new Map([...funcs, ...steps.flatMap(({ reached }) => [...reached])])),
      };
    },
  };
  return lowered;
}

function toolsOf({ ts: api, program }: LowerHost, { left, together }: Found) {
  const checker = checkerOf(program);
  const sink = new Sink();
  const report: Report = (code, at, ...args) => void sink.report(code, originOf(at), [], ...args);
  const graph = moduleGraph(api, program);
  const forms = formsOf(api, checker, graph);
  const classes = new Classes(api, program, new Set(left), new Set(together));
  const types = new TypeTable(api, program, classes, graph);
  const definitions = definitionsOf(graph.files, forms, api, checker, report);
  const targets = new Targets(api, program, forms, definitions, classes);
  return {
    checker,
    sink,
    report,
    graph,
    forms,
    classes,
    types,
    definitions,
    targets,
    functions: new Functions(api, program, graph, targets, types, classes, sink),
  };
}

type Tools = ReturnType<typeof toolsOf>;

function searchedIn(graph: ModuleGraph, { files }: LowerRequest): readonly ts.SourceFile[] {
  const wanted = files === undefined ? null : new Set(files);
  return graph.files.filter(
    (file) =>
      (wanted === null || wanted.has(file.fileName)) &&
      (graph.reachesTsgrad(file) || namesTsgrad(file)),
  );
}

/** What becomes of each site: a place in the program, or a candidate for the Delta engine, or errors that stand. */
class Answers {
  readonly funcs = new Map<string, Func>();
  readonly sites: CallSite[] = [];
  readonly refused: DeltaCandidate[] = [];
  readonly standing: Diagnostic[] = [];
  /** Errors that others have been told of already. */
  readonly again: Diagnostic[] = [];
  readonly candidates = new Map<CallSite, DeltaCandidate>();
  readonly #tools: Tools;
  readonly #host: LowerHost;
  readonly #engine: LowerRequest["engine"];

  constructor(tools: Tools, host: LowerHost, { engine }: LowerRequest) {
    this.#tools = tools;
    this.#host = host;
    this.#engine = engine;
  }

  /** A value that is a function is for the Delta engine. */
  refuseValue(site: WrittenSite, error: Diagnostic): void {
    const { checker, report } = this.#tools;
    const isValue =
      error.code === "TSG1013" ||
      (error.code === "TSG1012" && this.#host.ts.isIdentifier(site.target));
    const candidate = isValue ? valueCandidate(site, [error], this.#engine, checker) : null;
    if (candidate === null) this.standing.push(error);
    else if (isCandidateAnswerable(candidate, this.#host.ts, checker, report))
      this.refused.push(candidate);
  }

  refuse(site: WrittenSite, node: TargetNode | null, errors: readonly Diagnostic[]): void {
    const { checker, report } = this.#tools;
    const { ts: api } = this.#host;
    const candidate = node === null ? null : deltaCandidate(site, node, errors, this.#engine, api);
    // the function may have been asked for by another call first, which the Delta engine answers
    const own =
      candidate === null && modesOf(site.form).includes("second")
        ? errors.map((error): Diagnostic => ({
            ...error,
            chain: [
              requestedBy(site),
              ...(error.chain[0]?.span.start === site.call.getStart() ? error.chain.slice(1) : []),
            ],
          }))
        : [];
    this.again.push(...own);
    if (candidate === null) this.standing.push(...(own.length > 0 ? own : errors));
    const isStatic =
      (site.options.engine ?? this.#engine) === "static" || modesOf(site.form).includes("second");
    const naming = node === null || candidate !== null || isStatic ? null : namingOf(node, api);
    if (
      naming !== null &&
      isBeyondNamespace(naming, site.call, api) &&
      !errors.some(({ code }) => code === "TSG1011")
    ) {
      return report(
        "TSG1011",
        site.target,
        shorten(site.target.getText()),
        "only the Delta engine takes what it does, and that where a function outside calls it, as `(x) => N.f(x)`",
      );
    }
    // another answer is asked for where the static one is refused for another reason
    const isAsked =
      errors.some(({ code }) => isCode(code) && REGISTRY[code].delta !== true) ||
      candidate === null ||
      isCandidateAnswerable(candidate, api, checker, report);
    if (candidate !== null && isAsked) this.refused.push(candidate);
    else if (candidate === null && isForDelta(site))
      report(
        "TSG1301",
        site.target,
        shorten(site.target.getText()),
        "it is not a function that stands for itself",
      );
  }

  /** Once the functions are lowered. */
  answer(site: PendingSite): void {
    const { functions, types, sink, checker } = this.#tools;
    const { ts: api } = this.#host;
    const reached = functions.reachable(site.name);
    const func = reached?.get(site.name);
    if (reached === null || func === undefined)
      return this.refuse(site, site.node, functions.errorsOf(site.name));
    const errors: Diagnostic[] = [];
    const report: Report = (code, at, ...args) =>
      void errors.push(sink.report(code, originOf(at), [], ...args));
    const shown = functions.homes.get(site.name)?.name ?? site.name;
    if (
      !isAnswerable(
        { site, func, node: site.node, name: shown },
        { types: types.types, api, checker, report },
      )
    )
      return this.refuse(site, site.node, errors);
    const made = callSite(site, func, sourcePosition(func, types.types), functions, this.#host);
    const candidate =
      site.node === null ? null : deltaCandidate(site, site.node, [], this.#engine, api);
    if (candidate !== null) this.candidates.set(made, candidate);
    this.add(made, reached);
  }

  add(site: CallSite, reached: ReadonlyMap<string, Func>): void {
    this.#take(reached);
    this.sites.push(site);
  }

  /** Whether a marked function could be lowered. */
  ships(name: string): boolean {
    const { functions } = this.#tools;
    const reached = functions.reachable(name);
    if (reached === null) this.standing.push(...functions.errorsOf(name));
    else this.#take(reached);
    return reached !== null;
  }

  #take(reached: ReadonlyMap<string, Func>): void {
    for (const [name, func] of reached) this.funcs.set(name, func);
  }
}

const isForDelta = ({ form, options }: WrittenSite): boolean =>
  options.engine === "delta" || isDeltaForm(form);

function resolved(
  site: WrittenSite,
  { targets, functions, sink }: Tools,
  answers: Answers,
): PendingSite[] {
  const target = targets.ofExpression(site.target);
  if (target.kind === "problem") {
    const error =
      isForDelta(site) && target.node !== undefined
        ? []
        : [sink.report(target.code, originOf(site.target), [], ...target.args)];
    if (target.node !== undefined) answers.refuse(site, target.node, error);
    else if (error[0] !== undefined) answers.refuseValue(site, error[0]);
    return [];
  }
  if (target.kind === "shipped") {
    if (isForDelta(site)) {
      sink.report(
        "TSG1017",
        originOf(site.target),
        [],
        shorten(site.target.getText()),
        "the Delta engine needs its source",
      );
      return [];
    }
    const caller = functions.registerCaller(
      target.node,
      target.shipped,
      site.call.getSourceFile(),
      [requestedBy(site)],
    );
    return caller === null ? [] : [{ ...site, name: caller, node: target.node }];
  }
  if (target.kind === "made") {
    if (isForDelta(site)) {
      sink.report("TSG1009", originOf(site.target), [], shorten(site.target.getText()));
      return [];
    }
    const name = functions.registerMade(target.call, [requestedBy(site)]);
    if (name !== null) return [{ ...site, name, node: null }];
    const why = functions.homeless.get(target.call);
    answers.refuse(site, null, why === undefined ? [] : [why]);
    return [];
  }
  if (isForDelta(site)) {
    answers.refuse(site, target.node, []);
    return [];
  }
  const name = functions.register(target.node, [requestedBy(site)]);
  if (name !== null) return [{ ...site, name, node: target.node }];
  const why = functions.homeless.get(target.node);
  answers.refuse(site, target.node, why === undefined ? [] : [why]);
  return [];
}

const requestedBy = (site: WrittenSite): ChainLink => ({
  text: `requested by \`${site.form}(${shorten(site.target.getText())})\``,
  span: originOf(site.call),
});

/** `f$grad` where a function does nothing but call it. */
function derivativeCalled(
  { name, params, body }: Func,
  derivations: ReadonlyMap<string, unknown>,
): string {
  const [stmt, ...others] = body.stmts;
  if (stmt?.kind !== "let" || stmt.expr.kind !== "call" || others.length > 0) return name;
  const { args, callee } = stmt.expr;
  return derivations.has(callee) &&
    args.length === params.length &&
    args.every((arg, i) => arg === params[i]) &&
    body.result[0] === stmt.bind
    ? callee
    : name;
}

/** `position`: the argument that `derivativeSource` shows the gradient of. */
function callSite(
  site: PendingSite,
  func: Func,
  position: number,
  functions: Functions,
  host: LowerHost,
): CallSite {
  const { call, options, form } = site;
  const file = call.getSourceFile().fileName;
  const home = functions.homes.get(site.name)?.file ?? file;
  return {
    form,
    origin: originOf(call),
    target:
      site.node === null ? derivativeCalled(func, functions.derivationsOf([site.name])) : site.name,
    argnums: form === "derivativeSource" ? [position] : options.argnums,
    tuple: options.tuple,
    hasAux: options.hasAux,
    into: options.into,
    insertAt: call.arguments.at(-1)?.end ?? call.end - 1,
    specifier: home === file ? null : specifierFor(host.ts, host.program, file, home),
  };
}

/** Each file a site involves depends on all the others, and on what those import: a type or a constant may decide about the output. */
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
