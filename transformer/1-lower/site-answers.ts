// Resolves call sites and decides what becomes of each: a place in the program, a candidate for the
// Delta engine, or errors. Invariant: a site that is left out has an error.

import type ts from "typescript";
import { type Code, isCode, REGISTRY } from "../diagnostics/registry.ts";
import type { ChainLink, Diagnostic } from "../diagnostics/report.ts";
import { type CallSite, isDeltaForm, modesOf } from "../ir/facts.ts";
import type { Func } from "../ir/types.ts";
import { isApplicable } from "./sites/form-preconditions.ts";
import {
  type DeltaCandidate,
  deltaCandidate,
  isCandidateApplicable,
  madeCandidate,
  valueCandidate,
} from "./sites/delta-candidate.ts";
import { instanceNamed } from "./functions/function-instances.ts";
import { type Functions } from "./functions.ts";
import { namingOf } from "./sites/homes.ts";
import type { WrittenSite } from "./sites/sites.ts";
import { specifierFor } from "./sites/specifier.ts";
import { type Target, type TargetNode } from "./sites/targets.ts";
import { shorten } from "./sites/quoted-code.ts";
import { derivativeCalled, sourcePosition } from "./sites/command-line-sites.ts";

import type { LowerHost, LowerRequest, Report, Services } from "./services.ts";
import { isBeyondNamespace, originOf } from "../syntax/places.ts";
export interface PendingSite extends WrittenSite {
  readonly name: string;
  /** Null if a form constructs the function, and of function values. */
  readonly node: TargetNode | null;
  /** Whether code of the program constructs the function, and a variable or field holds it. */
  readonly isValue?: true;
}

/** Collects the answered sites, the candidates for the Delta engine, and errors. */
export class Answers {
  readonly funcs = new Map<string, Func>();
  readonly sites: CallSite[] = [];
  readonly refused: DeltaCandidate[] = [];
  readonly standing: Diagnostic[] = [];
  /** Errors that were already reported for another site. */
  readonly again: Diagnostic[] = [];
  readonly candidates = new Map<CallSite, DeltaCandidate>();
  /** Whether the Delta engine is requested for a function that ships derivatives. */
  deltaOfShipped = false;
  readonly #services: Services;
  readonly #host: LowerHost;
  readonly #engine: LowerRequest["engine"];

  constructor(services: Services, host: LowerHost, { engine }: LowerRequest) {
    this.#services = services;
    this.#host = host;
    this.#engine = engine ?? host.engine;
  }

  /** A function value of unknown code is a candidate for the Delta engine. */
  refuseValue(site: WrittenSite, error: Diagnostic): void {
    const { checker, report } = this.#services;
    const isValue =
      error.code === "TSG1013" ||
      error.code === "TSG1014" ||
      (error.code === "TSG1012" && this.#host.ts.isIdentifier(site.target));
    const candidate = isValue ? valueCandidate(site, [error], this.#engine, checker) : null;
    if (candidate === null) this.standing.push(error);
    else if (isCandidateApplicable(candidate, this.#host.ts, checker, report))
      this.refused.push(candidate);
  }

  refuse(
    site: WrittenSite & Partial<PendingSite>,
    node: TargetNode | null,
    errors: readonly Diagnostic[],
  ): void {
    const { checker, report } = this.#services;
    const { ts: api } = this.#host;
    const candidate = this.#candidate(site, node, errors);
    if (candidate !== null) {
      // the Delta engine's own errors are reported only if the static ones do not name the cause
      const isRefused =
        errors.some(({ code }) => isCode(code) && REGISTRY[code].delta !== true) ||
        isCandidateApplicable(candidate, api, checker, report);
      if (isRefused) this.refused.push(candidate);
      return;
    }
    this.#stand(site, errors);
    if (node !== null && this.#isHiddenInNamespace(site, node, errors))
      report(
        "TSG1011",
        site.target,
        shorten(site.target.getText()),
        "only the Delta engine takes what it does, and that where a function outside calls it, as `(x) => N.f(x)`",
      );
    else if (isForDelta(site))
      report(
        "TSG1301",
        site.target,
        shorten(site.target.getText()),
        "it is not a function that stands for itself",
      );
  }

  #candidate(
    site: WrittenSite & Partial<PendingSite>,
    node: TargetNode | null,
    errors: readonly Diagnostic[],
  ): DeltaCandidate | null {
    const { checker } = this.#services;
    const { ts: api } = this.#host;
    if (site.isValue === true) return valueCandidate(site, errors, this.#engine, checker);
    return node === null
      ? madeCandidate(site, errors, this.#engine, { api, checker })
      : deltaCandidate(site, node, errors, this.#engine, api);
  }

  #stand(site: WrittenSite, errors: readonly Diagnostic[]): void {
    // another site may have requested the function first, and be answered by the Delta engine
    const own = isSecondOrder(site)
      ? errors.map((error): Diagnostic => ({
          ...error,
          chain: [
            requestedBy(site),
            ...(error.chain[0]?.span.start === site.call.getStart() ? error.chain.slice(1) : []),
          ],
        }))
      : [];
    this.again.push(...own);
    this.standing.push(...(own.length > 0 ? own : errors));
  }

  /** Whether the Delta engine would answer, but cannot name the function where the site is. */
  #isHiddenInNamespace(
    site: WrittenSite,
    node: TargetNode,
    errors: readonly Diagnostic[],
  ): boolean {
    const { ts: api } = this.#host;
    if ((site.options.engine ?? this.#engine) === "static" || isSecondOrder(site)) return false;
    const naming = namingOf(node, api);
    return (
      naming !== null &&
      isBeyondNamespace(naming, site.call, api) &&
      !errors.some(({ code }) => code === "TSG1011")
    );
  }

  /** Answers a site after all functions are lowered. */
  answer(site: PendingSite): void {
    const { functions, types, sink, checker } = this.#services;
    const { ts: api } = this.#host;
    const reached = functions.reachable(site.name);
    const func = reached?.get(site.name);
    if (reached === null || func === undefined)
      return this.refuse(site, site.node, functions.errorsOf(site.name));
    const errors: Diagnostic[] = [];
    const report: Report = (code, at, ...args) =>
      void errors.push(sink.report(code, originOf(at), [], ...args));
    const shown = functions.homes.get(site.name)?.name ?? site.name;
    const target = { site, func, node: site.node, name: shown };
    if (!isApplicable(target, { types: types.types, api, checker, report }))
      return this.refuse(site, site.node, errors);
    const made = callSite(site, func, sourcePosition(func, types.types), functions, this.#host);
    const candidate = this.#candidate(site, site.node, []);
    if (candidate !== null) this.candidates.set(made, candidate);
    this.add(made, reached);
  }

  add(site: CallSite, reached: ReadonlyMap<string, Func>): void {
    this.#take(reached);
    this.sites.push(site);
  }

  /** Whether a marked function could be lowered. */
  ships(name: string): boolean {
    const { functions } = this.#services;
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
const isSecondOrder = ({ form }: WrittenSite): boolean => modesOf(form).includes("second");

/** The site with the function that it names; none if that is an error or the Delta engine's. */
export function resolveSite(
  site: WrittenSite,
  services: Services,
  answers: Answers,
  host: LowerHost,
): PendingSite[] {
  const target = services.targets.ofExpression(site.target);
  const held =
    target.kind === "problem" && (target.code === "TSG1013" || target.code === "TSG1012")
      ? valueSite(site, services, host)
      : null;
  return held === null ? siteOf(site, target, services, answers) : [held];
}

/** The site of a function that code of the program constructs and a variable or field holds. */
function valueSite(
  site: WrittenSite,
  { functions, checker }: Services,
  { ts: api, program }: LowerHost,
): PendingSite | null {
  const value = isForDelta(site) ? null : instanceNamed(site.target, { api, checker, program });
  const name = value === null ? null : functions.registerValue(value, [requestedBy(site)]);
  return name === null ? null : { ...site, name, node: null, isValue: true };
}

function siteOf(
  site: WrittenSite,
  target: Target,
  { functions, sink }: Services,
  answers: Answers,
): PendingSite[] {
  const isDelta = isForDelta(site);
  const report = (code: Code, ...args: readonly string[]): Diagnostic =>
    sink.report(code, originOf(site.target), [], ...args);
  const shown = (): string => shorten(site.target.getText());
  const registered = (
    name: string | null,
    node: TargetNode | null,
    key: ts.Node,
  ): PendingSite[] => {
    if (name !== null) return [{ ...site, name, node }];
    const why = functions.homeless.get(key);
    answers.refuse(site, node, why === undefined ? [] : [why]);
    return [];
  };
  switch (target.kind) {
    case "problem":
      if (target.node === undefined) answers.refuseValue(site, report(target.code, ...target.args));
      else answers.refuse(site, target.node, isDelta ? [] : [report(target.code, ...target.args)]);
      return [];
    case "shipped": {
      const { node, shipped } = target;
      const chain = [requestedBy(site)];
      if (isDelta) {
        answers.deltaOfShipped = true;
        report("TSG1017", shown(), "the Delta engine needs its source");
      }
      const caller = isDelta
        ? null
        : functions.registerCaller(node, shipped, site.call.getSourceFile(), chain);
      return caller === null ? [] : [{ ...site, name: caller, node }];
    }
    case "made":
      if (!isDelta)
        return registered(
          functions.registerMade(target.call, [requestedBy(site)]),
          null,
          target.call,
        );
      answers.refuse(site, null, []);
      return [];
    case "function":
      if (!isDelta)
        return registered(
          functions.register(target.node, [requestedBy(site)]),
          target.node,
          target.node,
        );
      answers.refuse(site, target.node, []);
      return [];
  }
}

const requestedBy = (site: WrittenSite): ChainLink => ({
  text: `requested by \`${site.form}(${shorten(site.target.getText())})\``,
  span: originOf(site.call),
});

/** `position`: the argument whose gradient `derivativeSource` shows. */
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
    ...(options.debug === undefined ? {} : { debug: true }),
    ...(site.asText === true ? { asText: true } : {}),
    insertAt: call.arguments.at(-1)?.end ?? call.end - 1,
    specifier: home === file ? null : specifierFor(host.ts, host.program, file, home),
  };
}
