// Reports functions that cannot be differentiated, each with the call that requested it first.
// Input: problems by function. Output: diagnostics in the sink, and by function.

import type { Problem } from "../3-differentiate/index.ts";
import type { Code } from "../diagnostics/registry.ts";
import type { ChainLink, Diagnostic, Span } from "../diagnostics/report.ts";
import type { Sink } from "../diagnostics/sink.ts";
import { reachable, mayCall } from "../ir/calls.ts";
import { wrapperName } from "../ir/derivation.ts";
import { invariant } from "../ir/invariant.ts";
import type { CallSite } from "../ir/facts.ts";
import type { Func, Program } from "../ir/types.ts";

/** Whether a function, its stand-in, or one that it calls is among the names. */
export const leadsTo = (
  funcs: ReadonlyMap<string, Func>,
  name: string,
  wanted: ReadonlyMap<string, unknown>,
): boolean =>
  [name, wrapperName(name)].some((each) => wanted.has(each)) ||
  [...reachable(name, (callee) => funcs.get(callee))].some((callee) => wanted.has(callee));

export const isReached = (
  target: string,
  name: string,
  funcs: ReadonlyMap<string, Func>,
): boolean =>
  [target, wrapperName(target)].some((each) => mayCall(each, name, (callee) => funcs.get(callee)));

export function reportProblems(
  all: ReadonlyMap<string, readonly Problem[]>,
  program: Program,
  sites: readonly CallSite[],
  sink: Sink,
  textOf: (span: Span) => string,
): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, readonly Diagnostic[]>();
  const refused = new Map(
    [...all]
      .map(([name, problems]) => [name, withoutEchoes(problems.filter(isRefusal))] as const)
      .filter(([, problems]) => problems.length > 0),
  );
  for (const [name, problems] of all) {
    const left = problems.find((problem) => !isRefusal(problem));
    invariant(
      left === undefined || leadsTo(program.funcs, name, refused),
      `the cotangent of ${left?.text ?? ""} is left in its body`,
    );
  }
  for (const [name, problems] of refused) {
    const requested = sites.filter((site) => isReached(site.target, name, program.funcs));
    const shown = (site: CallSite): string => program.homes.get(site.target)?.name ?? site.target;
    const chain = requested.slice(0, 1).map((site) => ({
      text: `requested by \`${site.form}(${shown(site)})\``,
      span: site.origin,
    }));
    found.set(
      name,
      problems.map((problem) => reported(problem, chain, sink, textOf(problem.origin))),
    );
  }
  return found;
}

type Refusal = Problem & { readonly kind: Exclude<Problem["kind"], "left"> };

/** A refusal leaves cotangents unconsumed; these are not reported. */
const isRefusal = (problem: Problem): problem is Refusal => problem.kind !== "left";

/** What a shipped sweep gives cannot be followed, which is no problem of its own. */
const withoutEchoes = (problems: readonly Refusal[]): readonly Refusal[] =>
  problems.filter(
    ({ kind, origin }) =>
      kind !== "opaque" ||
      !problems.some(
        (one) =>
          one.kind === "shipped" &&
          one.origin.file === origin.file &&
          one.origin.start === origin.start,
      ),
  );

/** The code of each kind of problem, and what its message names: a name, or the user's code. */
const REPORTED: Readonly<
  Record<Refusal["kind"], (text: string, code: string) => readonly [Code, ...string[]]>
> = {
  rearranged: (text) => ["TSG3002", text],
  captured: (text, code) => ["TSG3003", text, code],
  shipped: (text) => ["TSG1017", text, "they are first derivatives, for reverse mode"],
  scheduled: (text) => ["TSG3004", text],
  stopped: (_text, code) => ["TSG3005", code],
  "beyond-rule": (text, code) => ["TSG3006", code, text],
  "nested-write": (text) => ["TSG3007", text],
  untyped: (_text, code) => ["TSG3009", code],
  lacking: (text, code) => ["TSG3010", code, text],
  overridden: (text, code) => ["TSG3013", code, text],
  taken: (text, code) => ["TSG3014", code, text],
  lost: (text, code) => ["TSG3015", code, text],
  view: (_text, code) => ["TSG3012", code],
  keys: (_text, code) => ["TSG3011", code],
  unsaved: (_text, code) => ["TSG1009", code],
  opaque: (_text, code) => ["TSG3001", code],
};

function reported(
  { kind, origin, text }: Refusal,
  chain: readonly ChainLink[],
  sink: Sink,
  code: string,
): Diagnostic {
  const [id, ...names] = REPORTED[kind](text, code);
  return sink.report(id, origin, chain, ...names);
}
