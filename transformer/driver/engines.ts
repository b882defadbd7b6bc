// Chooses the engine for each call. Input: calls that the static engine rejects or was not asked
// about, and all diagnostics. Output: the Delta engine's plan and the remaining diagnostics. A call
// without a derivative has an error.

import type ts from "typescript";
import { codeFromText, type DeltaCandidate, unresolvedIn } from "../1-lower/index.ts";
import { isNodeModule } from "../delta/packages/resolve.ts";
import type { DeltaPlanned } from "../delta/plan/engine-sites.ts";
import { isInternal, reportInternal } from "../diagnostics/internal.ts";
import { isCode, REGISTRY } from "../diagnostics/registry.ts";
import type { ChainLink, Diagnostic, Span } from "../diagnostics/report.ts";
import { Sink } from "../diagnostics/sink.ts";
import type { CompileHost } from "./compiled.ts";
import { isolate } from "./isolation.ts";
import { originOf } from "../syntax/places.ts";

export interface Engines {
  readonly planned: DeltaPlanned<DeltaCandidate>;
  readonly diagnostics: readonly Diagnostic[];
}

type PlanFor = (candidates: readonly DeltaCandidate[]) => DeltaPlanned<DeltaCandidate>;

/** `standing`: errors of calls and functions that are no candidates. */
export function chooseEngines(
  candidates: readonly DeltaCandidate[],
  diagnostics: readonly Diagnostic[],
  standing: ReadonlySet<Diagnostic>,
  planFor: PlanFor,
  isCopied: (span: Span) => boolean,
): Engines {
  // what the static engine cannot say of a package's code, it need not
  const tried = candidates.filter(({ errors }) =>
    errors.every((error) => isForDelta(error) || isCopied(error.span)),
  );
  const { made: planned, faults } = isolate(tried, planFor);
  const sink = new Sink();
  for (const [candidate, error] of faults)
    // a stack that both engines exhaust is reported once
    if (!candidate.errors.some(isInternal))
      reportInternal(sink, error, {
        name: shortened(candidate.target),
        span: originOf(candidate.node ?? candidate.target),
        chain: [requestOf(candidate)],
      });
  const dropped = new Set<Diagnostic>();
  const kept = new Set<Diagnostic>([
    ...standing,
    ...candidates.filter((one) => !tried.includes(one)).flatMap(({ errors }) => errors),
  ]);
  for (const [candidate, result] of planned.results) {
    if (result.kind === "accepted") {
      for (const error of candidate.errors) dropped.add(error);
      continue;
    }
    const packages = result.problems.filter(({ isPackage }) => isPackage === true);
    const problems = packages.length > 0 ? packages : result.problems;
    // if both engines reject one place, the static engine's message is the better one; its errors
    // about other places are not what prevents the derivative
    const shared =
      packages.length > 0
        ? []
        : problems.filter(({ node }) => candidate.errors.some(({ span }) => isAbout(span, node)));
    for (const error of candidate.errors) {
      const isShared = shared.some(({ node }) => isAbout(error.span, node));
      (problems.length > 0 && !isShared ? dropped : kept).add(error);
    }
    for (const { node, construct, code } of problems.filter((problem) => !shared.includes(problem)))
      sink.report(
        code ?? "TSG1301",
        originOf(node),
        [requestOf(candidate)],
        shortened(node),
        construct === `\`${shortened(node)}\`` ? "it cannot read what such code does" : construct,
      );
  }
  const left = diagnostics.filter((one) => !dropped.has(one) || kept.has(one));
  return {
    planned,
    diagnostics: [
      ...left.filter((one, at) => !left.slice(0, at).some((other) => isOne(one, other))),
      ...sink.diagnostics,
    ],
  };
}

/** Tells why the Delta engine took a call whose types TypeScript does not know. */
export function unresolvedTypes(
  { planned }: Engines,
  { ts: api, program }: CompileHost,
): readonly Diagnostic[] {
  const sink = new Sink();
  for (const [candidate, { kind }] of planned.results) {
    if (kind !== "accepted" || candidate.errors.length === 0) continue;
    for (const { node, text } of unresolvedIn(candidate, program, api))
      sink.report(
        "TSG8005",
        originOf(node),
        [requestOf(candidate)],
        text,
        shortened(candidate.target),
        remedyFor(api.isStringLiteralLike(node) ? node.text : null),
      );
  }
  return sink.diagnostics;
}

/** How TypeScript finds a module; null: a name that is declared nowhere. */
function remedyFor(specifier: string | null): string {
  if (specifier === null) return "declare or import what is named here, or correct its name";
  if (isNodeModule(specifier))
    return 'install the types of Node, `npm install --save-dev @types/node`, and list them in tsconfig.json, `"types": ["node"]`';
  return /^[./#]/.test(specifier)
    ? 'mend the import; with `"module": "nodenext"` it names the file that runs, `./types.js`; for a JavaScript file of yours set `"allowJs": true`'
    : `install \`${specifier}\`, and its types, \`@types/…\`, if it has none of its own; an alias needs \`paths\` in tsconfig.json`;
}

/** Warns of branches at equality in functions of the Delta engine, once for each place. */
export function equalityBranchesIn({ planned, diagnostics }: Engines): readonly Diagnostic[] {
  const sink = new Sink();
  for (const node of planned.equalities)
    sink.report("TSG8006", originOf(node), [], shortened(node));
  return sink.diagnostics.filter((one) => !diagnostics.some((other) => isOne(one, other)));
}

/** Warns of functions made from text, in what the Delta engine runs. */
export function functionsFromText(
  { planned }: Engines,
  { ts: api, program }: CompileHost,
): readonly Diagnostic[] {
  const sink = new Sink();
  const madeIn = codeFromText(program, api);
  for (const [candidate, result] of planned.results) {
    if (result.kind !== "accepted") continue;
    for (const { node: root } of result.items)
      for (const node of madeIn(root))
        sink.report("TSG8007", originOf(node), [requestOf(candidate)], shortened(node));
  }
  const { diagnostics } = sink;
  return diagnostics.filter((one, at) => !diagnostics.slice(0, at).some((d) => isOne(d, one)));
}

const requestOf = ({ form, target, call }: DeltaCandidate): ChainLink => ({
  text: `requested by \`${form}(${shortened(target)})\``,
  span: originOf(call),
});

/** Whether both are one error, reported for two calls. */
const isOne = (one: Diagnostic, other: Diagnostic): boolean =>
  one.code === other.code &&
  one.span.file === other.span.file &&
  one.span.start === other.span.start &&
  one.span.end === other.span.end;

/** Throws if a build would succeed with a call that neither engine answers. */
export function assertAnswered(
  calls: readonly ts.CallExpression[],
  answeredBefore: readonly Span[],
  { planned, diagnostics }: Engines,
): void {
  if (diagnostics.some(({ severity }) => severity === "error")) return;
  const answered = new Set([
    ...answeredBefore.map(({ file, start }) => `${file} ${start}`),
    ...[...planned.results].flatMap(([{ call }, { kind }]) =>
      kind === "accepted" ? [keyOf(call)] : [],
    ),
  ]);
  const lost = calls.find((call) => !answered.has(keyOf(call)));
  if (lost !== undefined)
    throw new Error(`\`${shortened(lost)}\` has neither a derivative nor an error`);
}

const keyOf = (call: ts.CallExpression): string =>
  `${call.getSourceFile().fileName} ${call.getStart()}`;

const isForDelta = ({ code }: Diagnostic): boolean => isCode(code) && REGISTRY[code].delta === true;

/** Whether an error is about this piece of code, or a few characters around it. */
function isAbout(span: Span, node: ts.Node): boolean {
  const [start, end] = [node.getStart(), node.end];
  return (
    span.file === node.getSourceFile().fileName &&
    span.start <= end &&
    start <= span.end &&
    span.end - span.start <= end - start + AROUND
  );
}

/** Allows for `eval("x")` around `eval`. */
const AROUND = 40;

function shortened(node: ts.Node): string {
  const line = node.getText().replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
