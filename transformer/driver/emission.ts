// From the derivatives of a group to text edits: the input of `5-emit`, and its output for all
// groups.

import { specifierFor } from "../1-lower/index.ts";
import { sharedViews } from "../2-analyse/index.ts";
import { inArena } from "../4-optimise/arena/index.ts";
import { asViews } from "../4-optimise/memory/as-views.ts";
import { Edits } from "../5-emit/edits.ts";
import { emit, type EmitInput } from "../5-emit/emit.ts";
import { ModuleNames } from "../5-emit/names/module-names.ts";
import type { Written } from "./closed-modules.ts";
import type { ArrayProgram } from "../ir/array.ts";
import { type CallSite, type Edit, takesLayout, takesTangents } from "../ir/facts.ts";
import { invariant } from "../ir/invariant.ts";
import { layoutOf, layoutText } from "../ir/layout.ts";
import type { Func } from "../ir/types.ts";
import type { Compiled, CompileHost, Emitted, Part, Surroundings } from "./compiled.ts";
import { calledFromOutside } from "./derive.ts";
import { writesArgument } from "./reports.ts";
import { withoutTypes } from "./without-types.ts";

export { sourceText } from "../delta/plan/engine-edits.ts";

export const textsOf =
  ({ program, packageCode }: CompileHost) =>
  (file: string): string =>
    (packageCode?.plain ?? program).getSourceFile(file)?.text ?? packageCode?.read.get(file) ?? "";

export const surroundings = (host: CompileHost): Surroundings => ({
  files: textsOf(host),
  specifier: (from, to) => specifierFor(host.ts, host.program, from, to),
  options: {
    noUncheckedIndexedAccess: host.program.getCompilerOptions().noUncheckedIndexedAccess ?? false,
    lacksFromEntries: !hasFromEntries(host),
  },
});

/** Whether `lib` declares `Object.fromEntries`: the defaults of targets below ES2019 do not. */
function hasFromEntries({ ts, program }: CompileHost): boolean {
  const checker = program.getTypeChecker();
  const object = checker.resolveName("Object", undefined, ts.SymbolFlags.Value, false);
  return (
    object !== undefined && checker.getTypeOfSymbol(object).getProperty("fromEntries") !== undefined
  );
}

/** The names that emission gives to a group's functions. */
export const namesIn = (part: Part, host: CompileHost): ModuleNames =>
  new ModuleNames(emitInput(part, surroundings(host)));

/** The edits of one group. */
export function emitPart(part: Part, around: Surroundings): Written {
  const own = new Edits(around.files);
  return { source: emit(emitInput(part, around), own), edits: own.all() };
}

/** The edits of all groups, and those that `place` adds for the Delta engine. */
export function joinEdits(
  made: readonly Written[],
  host: CompileHost,
  place: (edits: Edits) => void,
): Emitted {
  const files = textsOf(host);
  const all = new Edits(files);
  for (const { edits } of made)
    for (const [file, inFile] of edits) for (const edit of inFile) all.insert(file, edit);
  place(all);
  const edits = [...all.all()].map(([file, inFile]): [string, readonly Edit[]] => [
    file,
    withoutTypes(host.ts, file, files(file), inFile),
  ]);
  return {
    edits: new Map(edits),
    parts: made.map(({ edits }) => edits),
    source: (func) => made.map(({ source }) => source(func)).find((text) => text !== "") ?? "",
  };
}

/** Adds what modules of packages get. */
export function withExtensions(emitted: Emitted, { delta }: Compiled): Emitted {
  const all = new Edits(() => "");
  for (const [file, edits] of emitted.edits) for (const edit of edits) all.insert(file, edit);
  for (const [file, inserted] of delta.extensions())
    for (const { at, text } of inserted)
      all.insert(file, { start: at, end: at, text, mappings: [] });
  return { ...emitted, edits: all.all() };
}

const emitInput = (part: Part, around: Surroundings): EmitInput => ({
  program: part.inlined,
  derived: inArena(
    asViews(part.derived, (own) => viewsIn(part, own)),
    calledFromOutside(part.made),
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
  siteLayout: (site) => layoutAt(site, part),
});

/** The `subarray` views that must stay views, among a group's functions and its derivatives. */
function viewsIn({ inlined, types }: Part, own: readonly Func[]): ReturnType<typeof sharedViews> {
  const derived = own.map((func): [string, Func] => [func.name, func]);
  return sharedViews(new Map([...inlined.funcs, ...derived]), types, () => true);
}

/** The layout argument of a call site as text; "" where the run time needs none. */
function layoutAt(site: CallSite, { made, primal, inlined }: Part): string {
  const { form, target, hasAux } = site;
  const isWhole = made.derivativesOf.get(site)?.some((name) => made.whole.has(name)) === true;
  if (isWhole) return "{ whole: true }";
  if (takesTangents(form)) return writesArgument(inlined, target) ? "{ copies: true }" : "";
  const func = primal.funcs.get(target) ?? inlined.funcs.get(target);
  if (func === undefined || !takesLayout(form)) return "";
  return layoutText(layoutOf(func, hasAux, inlined.types));
}
