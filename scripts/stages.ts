// A program at every stop of the pipeline, as text. In: a host, and the file and function to show (absent: all). Out: named texts, in order.
// For scripts/show.mjs and the life document; the one place outside pipeline.ts that runs phases one by one.

import { lower } from "../transformer/1-lower/index.ts";
import { structure } from "../transformer/1-lower/ssa/structure.ts";
import { type Memory, memoryOf } from "../transformer/2-analyse/index.ts";
import type { Host } from "../transformer/analyse.ts";
import { derivativesOf } from "../transformer/pipeline.ts";
import type { CallSite, Derived, Edit } from "../transformer/ir/facts.ts";
import { printFunc, printType } from "../transformer/ir/print.ts";
import type { Func, Program, Var } from "../transformer/ir/types.ts";
import { definedVars } from "../transformer/ir/visit.ts";

export const STAGES = [
  "site",
  "raw",
  "structured",
  "ssa",
  "inlined",
  "aliasing",
  "activity",
  "reverse",
  "residuals",
  "optimised",
  "emitted",
  "edits",
] as const;
export type Stage = (typeof STAGES)[number];

export interface Wanted {
  readonly file: string;
  readonly fn?: string;
}

export function stagesOf(host: Host, wanted: Wanted): ReadonlyMap<Stage, string> {
  const asked = derivativesOf(host);
  const isAsked =
    wanted.fn === undefined ||
    asked.compiled.made.derived.some(({ home }) => isHome(asked.compiled.inlined, home, wanted));
  const also = isAsked ? [] : [{ file: wanted.file, name: wanted.fn }];
  const raw = lower(host, { also }).program;
  const { compiled, emitted } = isAsked ? asked : derivativesOf(host, { also });
  const isWanted = (home: string): boolean => isHome(compiled.inlined, home, wanted);
  const funcs = ({ funcs: all }: Program): string =>
    [...all.values()]
      .filter((func) => isWanted(func.home))
      .map(printFunc)
      .join("\n\n");
  const derived = (items: readonly Derived[]): string =>
    items
      .filter(({ home }) => isWanted(home))
      .map(printDerived)
      .join("\n\n");
  const roots = compiled.derived.flatMap((item) =>
    item.kind === "func" && isWanted(item.home) ? [item.func.name] : [],
  );
  const graphs = memoryOf(compiled.inlined.funcs, compiled.inlined.types);
  const wantedFuncs = [...compiled.inlined.funcs.values()].filter((func) => isWanted(func.home));
  return new Map<Stage, string>([
    [
      "site",
      compiled.sites
        .filter((site) => isWanted(site.target))
        .map(siteText)
        .join("\n"),
    ],
    ["raw", funcs(raw)],
    ["structured", funcs(structure(raw))],
    ["ssa", funcs(compiled.primal)],
    ["inlined", funcs(compiled.inlined)],
    ["aliasing", wantedFuncs.map((func) => aliasing(func, graphs.get(func.name))).join("\n\n")],
    ["activity", activity(compiled, isWanted)],
    ["reverse", derived(compiled.made.derived)],
    [
      "residuals",
      roots
        .flatMap((name) =>
          (compiled.made.residuals.get(name) ?? []).map(
            ({ value, storage, reason }) => `${name}: ${value.name}: ${storage}, ${reason}`,
          ),
        )
        .join("\n"),
    ],
    ["optimised", derived(compiled.derived)],
    ["emitted", [...new Set(roots.map((name) => emitted.source(name)))].join("\n")],
    ["edits", (emitted.edits.get(wanted.file) ?? []).map(editText).join("\n")],
  ]);
}

function isHome({ homes }: Program, key: string, { file, fn }: Wanted): boolean {
  const home = homes.get(key);
  return home !== undefined && home.file === file && (fn === undefined || home.name === fn);
}

const siteText = (site: CallSite): string =>
  JSON.stringify(site, (key, value: unknown) => (key === "file" ? undefined : value));
const printDerived = (item: Derived): string =>
  item.kind === "func" ? printFunc(item.func) : `type ${item.name} = ${printType(item.type)}`;

/** The first line of what an edit puts in, and how many lines there are. */
function editText({ start, end, text, mappings }: Edit): string {
  const lines = text.trim().split("\n");
  const shown =
    lines.length === 1
      ? JSON.stringify(text)
      : `${JSON.stringify(lines[0])} and ${lines.length - 1} more lines`;
  return `${start}..${end}: ${shown}, ${mappings.length} ${mappings.length === 1 ? "mapping" : "mappings"} to user code`;
}

/** Names that may mean the same object, one class a line. */
function aliasing(func: Func, memory: Memory | undefined): string {
  if (memory === undefined) return "";
  const classes = new Map<unknown, { names: string[]; note: string }>();
  for (const variable of [...func.params, ...definedVars(func.body)]) {
    const region = memory.region(variable)?.find();
    if (region === undefined) continue;
    const known = classes.get(region) ?? {
      names: [],
      note: `${region.external ? "from outside" : "made here"}${region.written ? ", written" : ""}`,
    };
    known.names.push(variable.name);
    classes.set(region, known);
  }
  return [...classes.values()]
    .map(({ names, note }) => `{ ${names.join(", ")} }  ${note}`)
    .join("\n");
}

function activity(
  { made, inlined, factsOf, sites }: ReturnType<typeof derivativesOf>["compiled"],
  isWanted: (home: string) => boolean,
): string {
  return made.derived
    .flatMap((item) => {
      const positions = item.kind === "func" ? made.activeOf.get(item.func.name) : undefined;
      if (item.kind !== "func" || positions === undefined || !isWanted(item.home)) return [];
      const primal = inlined.funcs.get(item.home);
      if (primal === undefined) return [];
      const facts = factsOf(
        primal,
        positions,
        !sites.some((site) => made.derivativesOf.get(site)?.includes(item.func.name) === true),
      );
      const vars = [...primal.params, ...definedVars(primal.body)];
      const list = (title: string, holds: (variable: Var) => boolean): string =>
        `${title}: ${
          vars
            .filter(holds)
            .map(({ name }) => name)
            .join(", ") || "none"
        }`;
      return [
        [
          item.func.name,
          list("  active numbers", facts.active),
          list("  shadowed", facts.shadowed),
          list("  read again", ({ name }) => facts.rereadable(name)),
        ].join("\n"),
      ];
    })
    .join("\n");
}
