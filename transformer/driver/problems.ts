// Reports functions that cannot be differentiated, each with the call that requested it first.
// Input: problems by function. Output: diagnostics in the sink, and by function.

import type { Problem } from "../3-differentiate/index.ts";
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
      .map(([name, problems]) => [name, problems.filter(isRefusal)] as const)
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

// eslint-disable-next-line complexity -- flat exhaustive switch over the kinds of problems
function reported(
  { kind, origin, text }: Refusal,
  chain: readonly ChainLink[],
  sink: Sink,
  code: string,
): Diagnostic {
  switch (kind) {
    case "rearranged":
      return sink.report("TSG3002", origin, chain, text);
    case "captured":
      return sink.report("TSG3003", origin, chain, text, code);
    case "shipped":
      return sink.report("TSG1017", origin, chain, text, "they are for reverse mode");
    case "scheduled":
      return sink.report("TSG3004", origin, chain, text);
    case "stopped":
      return sink.report("TSG3005", origin, chain, code);
    case "beyond-rule":
      return sink.report("TSG3006", origin, chain, code, text);
    case "nested-write":
      return sink.report("TSG3007", origin, chain, text);
    case "untyped":
      return sink.report("TSG3009", origin, chain, code);
    case "lacking":
      return sink.report("TSG3010", origin, chain, code, text);
    case "overridden":
      return sink.report("TSG3013", origin, chain, code, text);
    case "taken":
      return sink.report("TSG3014", origin, chain, code, text);
    case "lost":
      return sink.report("TSG3015", origin, chain, code, text);
    case "view":
      return sink.report("TSG3012", origin, chain, code);
    case "keys":
      return sink.report("TSG3011", origin, chain, code);
    case "opaque":
      return sink.report("TSG3001", origin, chain, code);
  }
}
