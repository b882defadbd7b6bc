// Which engine answers a call. In: candidates that the static engine refuses or was not asked about, all diagnostics so far. Out: the Delta
// engine's plan, and the diagnostics that are left. Invariant: a call without a derivative has an error.

import type ts from "typescript";
import type { DeltaCandidate } from "./1-lower/index.ts";
import type { DeltaPlanned } from "./delta/engine-sites.ts";
import { isCode, REGISTRY } from "./diagnostics/registry.ts";
import type { Diagnostic, Span } from "./diagnostics/report.ts";
import { Sink } from "./diagnostics/sink.ts";

export interface Engines {
  readonly planned: DeltaPlanned<DeltaCandidate>;
  readonly diagnostics: readonly Diagnostic[];
}

type PlanFor = (candidates: readonly DeltaCandidate[]) => DeltaPlanned<DeltaCandidate>;

export function chooseEngines(candidates: readonly DeltaCandidate[], diagnostics: readonly Diagnostic[], planFor: PlanFor): Engines {
  const tried = candidates.filter(({ errors }) => errors.every(isForDelta));
  const planned = planFor(tried);
  const sink = new Sink();
  const dropped = new Set<Diagnostic>();
  const kept = new Set<Diagnostic>(candidates.filter((one) => !tried.includes(one)).flatMap(({ errors }) => errors));
  for (const [candidate, result] of planned.results) {
    const packages = result.kind === "refused" ? result.problems.filter(({ isPackage }) => isPackage === true) : [];
    for (const error of candidate.errors) (result.kind === "accepted" || packages.length > 0 ? dropped : kept).add(error);
    if (result.kind === "accepted") continue;
    const chain = [{ text: `requested by \`${candidate.form}(${shortened(candidate.target)})\``, span: spanOf(candidate.call) }];
    // the static engine's words are the better ones where both stumble over one thing
    if (candidate.errors.length === 0 || packages.length > 0) {
      for (const { node, construct } of packages.length > 0 ? packages : result.problems) sink.report("TSG1301", spanOf(node), chain, shortened(node), construct);
    }
  }
  return { planned, diagnostics: [...diagnostics.filter((one) => !dropped.has(one) || kept.has(one)), ...sink.diagnostics] };
}

const isForDelta = ({ code }: Diagnostic): boolean => isCode(code) && REGISTRY[code].delta === true;

const spanOf = (node: ts.Node): Span => ({ file: node.getSourceFile().fileName, start: node.getStart(), end: node.end });

function shortened(node: ts.Node): string {
  const line = node.getText().replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
