// The text of `tsgrad emit` and `tsgrad explain`: what `analyse` emits for the same host. A
// function without a call site is treated as if `grad` of it were called, or `vjp` if its result is
// no number.

import type { Host } from "./analyse.ts";
import { arrayRows } from "./explain/arrays.ts";
import { reasonForDelta } from "./diagnostics/reasons.ts";
import type { Diagnostic } from "./diagnostics/report.ts";
import { BYTES, loopRows } from "./explain/loops.ts";
import { sourceText } from "./driver/emission.ts";
import { hazardsOf } from "./driver/hazards.ts";
import { hazardRows } from "./explain/hazards.ts";
import { Places, table } from "./explain/places.ts";
import { valueRows } from "./explain/values.ts";
import { calleesIn } from "./ir/calls.ts";
import { hasNumbers } from "./ir/shadow.ts";
import type { Func, Var } from "./ir/types.ts";
import { walkStmts } from "./ir/visit.ts";
import { type Compiled, derivativesOf } from "./pipeline.ts";

type Derivatives = ReturnType<typeof derivativesOf>;

/** The derivative code in `file`, or the part that belongs to `fn`; empty if there is none. */
export function sourceOf(host: Host, file: string, fn?: string): string {
  const derivatives = fn === undefined ? derivativesOf(host) : about(host, file, fn);
  const { compiled, emitted } = derivatives;
  const names = derivedFuncs(compiled)
    .filter((func) => isHome(compiled, func, file, fn))
    .map(({ name }) => name);
  // shared types and callees appear in the source of both functions
  const items = new Set(
    names.flatMap((name) =>
      emitted
        .source(name)
        .split(/\n+(?=(?:type|function) )/)
        .map((item) => item.trimEnd()),
    ),
  );
  for (const item of new Set(deltaSites(compiled, file, fn).flatMap(({ items }) => [...items])))
    if (item.file.fileName === file && item.lines.length > 0) items.add(sourceText(item).trimEnd());
  return [...items]
    .map((item) => item + (item.startsWith("type ") ? "\n" : "\n\n"))
    .join("")
    .trimEnd();
}

type DeltaSite = Compiled["delta"]["results"] extends ReadonlyMap<infer S, unknown> ? S : never;
type Accepted = Extract<
  Compiled["delta"]["results"] extends ReadonlyMap<unknown, infer R> ? R : never,
  { readonly kind: "accepted" }
>;

/** The calls that the Delta engine answers, of functions of a file or of one of them. */
const deltaSites = (
  { delta }: Compiled,
  file: string,
  fn: string | undefined,
): readonly (Accepted & { readonly site: DeltaSite })[] =>
  [...delta.results].flatMap(([site, result]) =>
    result.kind === "accepted" &&
    (site.node ?? site.target).getSourceFile().fileName === file &&
    (fn === undefined || site.named?.name === fn)
      ? [{ ...result, site }]
      : [],
  );

/** The program's derivatives, with one of `fn` added if there is none. */
function about(host: Host, file: string, fn: string): Derivatives {
  const asked = derivativesOf(host);
  if (derivedFuncs(asked.compiled).some((func) => isHome(asked.compiled, func, file, fn)))
    return asked;
  return derivativesOf(host, { also: [{ file, name: fn }] });
}

const derivedFuncs = (compiled: Compiled): readonly Func[] =>
  compiled.derived.flatMap((item) => (item.kind === "func" ? [item.func] : []));

function isHome(
  { inlined }: Compiled,
  { home: key }: Pick<Func, "home">,
  file: string,
  fn: string | undefined,
): boolean {
  const home = inlined.homes.get(key);
  return home !== undefined && home.file === file && (fn === undefined || home.name === fn);
}

export function explain(host: Host, file: string, fn: string): string {
  const { compiled } = about(host, file, fn);
  const primal = [...compiled.inlined.funcs.values()].find((func) =>
    isHome(compiled, func, file, fn),
  );
  const places = new Places(host, file);
  const derived = derivedFuncs(compiled).filter((func) => isHome(compiled, func, file, fn));
  const throughDelta = deltaText(compiled, file, fn, places);
  if (primal === undefined || derived.length === 0)
    return throughDelta ?? notExplained(host, compiled.diagnostics, file, fn, places);
  const inlined = inlinedInto(compiled, primal);
  const head = [
    `${fn}  ${places.at(primal.origin)}`,
    "engine   static: reverse mode by source transformation",
    ...(inlined.length === 0 ? [] : [`inlined  ${inlined.join(", ")}`]),
  ];
  const sections = derived
    .filter((func) => compiled.made.residuals.has(func.name))
    .map((func) => section(compiled, primal, func, derived, places));
  return [head.join("\n"), ...sections, ...(throughDelta === null ? [] : [throughDelta])].join(
    "\n\n",
  );
}

/** The calls of the function that the Delta engine answers, and why; null if there are none. */
function deltaText(compiled: Compiled, file: string, fn: string, places: Places): string | null {
  const own = deltaSites(compiled, file, fn);
  const [first] = own;
  if (first === undefined) return null;
  const reasons = [
    ...new Map(
      own
        .flatMap(({ site }) => site.errors)
        .map((error) => [`${error.code} ${error.span.file} ${error.span.start}`, error]),
    ).values(),
  ];
  const rewritten = [...new Set(own.flatMap(({ items }) => [...items].map((item) => item.name)))];
  const packages = new Set(
    own.flatMap(({ site }) => packageFiles(compiled, site.call.getSourceFile().fileName)),
  );
  return [
    `${fn}  ${places.at(originOf(first.site.node ?? first.site.target))}`,
    "engine   delta: the function runs with an id beside each number, and what it does is recorded at run time",
    ...(reasons.length === 0
      ? ["because  the call asks for it"]
      : reasons.map(
          (error, i) =>
            `${i === 0 ? "because" : "       "}  ${places.at(error.span)}  ${error.code}  ${reasonForDelta(error.message)}`,
        )),
    `rewritten  ${rewritten.join(", ")}`,
    ...(packages.size === 0 ? [] : [`follows  ${[...packages].join(", ")}`]),
    ...stepsText(compiled, rewritten),
    ...own.map(
      ({ site }) =>
        `  asked for by ${places.code(originOf(site.call))} at ${places.at(originOf(site.call))}`,
    ),
  ].join("\n");
}

/** Files of packages whose code stands in the output of a file. */
const packageFiles = ({ dependencies }: Compiled, file: string): readonly string[] =>
  (dependencies.get(file) ?? []).flatMap((each) =>
    /\.[cm]?js$/.test(each) && each.includes("/node_modules/")
      ? [each.slice(each.lastIndexOf("/node_modules/") + "/node_modules/".length)]
      : [],
  );

/** Rewritten functions that the Delta engine records as one step, with their gradients. */
function stepsText({ delta }: Compiled, rewritten: readonly string[]): readonly string[] {
  const own = delta.steps.filter(({ rewritten: name }) => rewritten.includes(name));
  return own.length === 0
    ? []
    : [`one step  ${own.map(({ name, derivative }) => `${name} by ${derivative}`).join(", ")}`];
}

const originOf = (node: {
  getSourceFile(): { readonly fileName: string };
  getStart(): number;
  readonly end: number;
}): { readonly file: string; readonly start: number; readonly end: number } => ({
  file: node.getSourceFile().fileName,
  start: node.getStart(),
  end: node.end,
});

function notExplained(
  host: Host,
  diagnostics: readonly Diagnostic[],
  file: string,
  fn: string,
  places: Places,
): string {
  const own = diagnostics.filter(
    (one) =>
      one.severity === "error" &&
      (one.span.file === file || one.chain.some((link) => link.span.file === file)),
  );
  // a name that stands nowhere in the file is misspelt, whatever else is wrong there
  const words = host.program.getSourceFile(file)?.text.split(/[^\p{ID_Continue}$]+/u) ?? [];
  if (own.length === 0 || !words.includes(fn.split(".").at(-1) ?? ""))
    return `There is no function '${fn}' in this file that tsgrad could differentiate.`;
  return own
    .map((one) => `${places.at(one.span)}  ${one.code}  ${one.message}\n  ${one.help}`)
    .join("\n");
}

/** Functions that the source calls and the inlined program does not. */
function inlinedInto(compiled: Compiled, primal: Func): readonly string[] {
  const left = calleesIn(primal.body);
  const own = compiled.primal.funcs.get(primal.name);
  return [...(own === undefined ? [] : calleesIn(own.body))]
    .filter((name) => !left.has(name))
    .map((name) => compiled.inlined.homes.get(name)?.name ?? name);
}

/** `loss.2$grad` is `loss$grad` in its file: the program has another `loss`, in another one. */
const inItsFile = (name: string): string => name.replace(/\.\d+(?=\$)/, "");

/** One derivative: its callers, its arguments, its residuals and its stacks. */
function section(
  compiled: Compiled,
  primal: Func,
  func: Func,
  derived: readonly Func[],
  places: Places,
): string {
  const isPair = !compiled.sites.some(
    (site) => compiled.made.derivativesOf.get(site)?.includes(func.name) === true,
  );
  const reverse = isPair ? reverseOf(compiled, func) : undefined;
  const active = compiled.made.activeOf.get(func.name) ?? [];
  const facts = compiled.factsOf(primal, active, isPair);
  const args = primal.params.map((param, i) => [
    param.name,
    argumentText(
      param,
      active.includes(i),
      facts.active(param) || facts.shadowed(param),
      compiled,
      isPair && !compiled.sites.some(({ target }) => target === primal.name),
    ),
  ]);
  const own = derived.filter(({ name }) => name === func.name || name === reverse);
  const recorded = recordedIn(own);
  const residuals = (compiled.made.residuals.get(func.name) ?? []).filter(
    ({ storage, value }) =>
      storage !== "elsewhere" && (storage !== "tape" || recorded.has(value.name)),
  );
  const values = valueRows(residuals, primal, isPair, places);
  const hazards = hazardsOf(primal, facts, (origin) => places.code(origin));
  const loops = loopRows(primal, own, places, (bog) => fieldsOf(compiled, bog));
  return [
    [func.name, ...(reverse === undefined ? [] : [reverse])].map(inItsFile).join(", "),
    ...askers(compiled, func, places).map((text) => `  asked for by ${text}`),
    ...part("arguments", args, ""),
    ...part("arrays", arrayRows(compiled.arrays.get(func.name), compiled.types, places), ""),
    ...(compiled.arrays.get(func.name)?.kind === "array" ? [] : loopParts(values, loops)),
    ...part("memory", memoryRows(compiled, func), ""),
    ...part("may be infinite or not a number", hazardRows(hazards, "pole", places), ""),
    ...part("is a choice", hazardRows(hazards, "choice", places), ""),
  ].join("\n");
}

/** Names of the values that are still pushed after optimisation. */
function recordedIn(funcs: readonly Func[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { body } of funcs)
    walkStmts(body, (stmt) => {
      if (stmt.kind === "push" && stmt.record?.description !== undefined)
        names.add(stmt.record.description);
    });
  return names;
}

/** What a call records beside its stacks. */
function memoryRows(compiled: Compiled, func: Func): readonly (readonly string[])[] {
  const bog = func.result.kind === "named" ? fieldsOf(compiled, func.result.name) : 0;
  return bog === 0 ? [] : [["BOG", `${bog * BYTES} bytes per call (${bog} fields)`]];
}

function fieldsOf({ types }: Compiled, bog: string): number {
  const type = types.get(bog)?.type;
  return type?.kind === "tuple" ? type.elems.length : 0;
}

const loopParts = (
  values: readonly (readonly string[])[],
  loops: readonly (readonly string[])[],
): readonly string[] => [
  ...part(
    "values that the reverse sweep reads",
    values,
    "none: the derivative is computed from cotangents and shadows alone",
  ),
  ...part("loops", loops, ""),
];

const part = (
  title: string,
  rows: readonly (readonly string[])[],
  none: string,
): readonly string[] =>
  rows.length === 0
    ? none === ""
      ? []
      : [`  ${title}`, `    ${none}`]
    : [`  ${title}`, ...table(rows, "    ")];

/** The `revr` of a `revf`: the function that takes its BOG. */
function reverseOf(compiled: Compiled, revf: Func): string | undefined {
  const bog = revf.result.kind === "named" ? revf.result.name : null;
  return derivedFuncs(compiled).find(
    ({ params }) => params[0]?.type.kind === "named" && params[0].type.name === bog,
  )?.name;
}

function argumentText(
  param: Var,
  isAsked: boolean,
  isActive: boolean,
  compiled: Compiled,
  isCallee: boolean,
): string {
  if (!hasNumbers(param.type, compiled.types)) return "data: holds no numbers";
  if (!isAsked)
    return isCallee
      ? "data: what is passed to it does not depend on what is differentiated"
      : "data: not asked for";
  if (!isActive) return "asked for, but the result does not depend on it: always zero";
  return isCallee
    ? "active: what is passed to it may be differentiated, and reaches the result"
    : "active: asked for, and reaches the result";
}

function askers(compiled: Compiled, func: Func, places: Places): readonly string[] {
  const { derivativesOf } = compiled.made;
  const bySite = (name: string): readonly string[] =>
    compiled.sites
      .filter((site) => derivativesOf.get(site)?.includes(name) === true)
      .map((site) =>
        site.internal === true
          ? "the Delta engine, which calls it as one step of its tape"
          : site.insertAt === site.origin.end
            ? "this command"
            : `${places.code(site.origin)} at ${places.at(site.origin)}`,
      );
  const callers = derivedFuncs(compiled).filter(
    (other) => other.name !== func.name && calleesIn(other.body).has(func.name),
  );
  const byCallers = callers.flatMap(({ name }) =>
    bySite(name).length > 0 ? bySite(name) : [name],
  );
  return [...new Set([...bySite(func.name), ...byCallers])];
}
