// Keeps an internal error with what caused it. Input: a step of the compiler and the things that it
// is done for. Output: its result for those that it can be done for, and errors for the others.
// Invariant: one fault disables one site.

import { reportInternal } from "../diagnostics/internal.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import { Sink } from "../diagnostics/sink.ts";
import { reachable } from "../ir/calls.ts";
import { wrapperName } from "../ir/derivation.ts";
import type { CallSite, Derivation } from "../ir/facts.ts";
import { fwd, pull } from "../ir/names.ts";
import type { Func } from "../ir/types.ts";
import type { Written } from "./closed-modules.ts";
import type { Part } from "./compiled.ts";
import type { Group } from "./groups.ts";

export interface Isolated<T, R> {
  readonly made: R;
  /** What was thrown for those that were left out. */
  readonly faults: ReadonlyMap<T, unknown>;
}

/** Runs `make` for all, or without those for which it throws. It must not throw for none. */
export function isolate<T, R>(all: readonly T[], make: (some: readonly T[]) => R): Isolated<T, R> {
  try {
    return { made: make(all), faults: new Map() };
  } catch (error) {
    if (all.length === 0) throw error;
    const faults = new Map(all.length === 1 ? all.map((one) => [one, error]) : faultsIn(all, make));
    // none fails alone, so they fail together
    if (faults.size === 0) for (const one of all) faults.set(one, error);
    const rest = isolate(
      all.filter((one) => !faults.has(one)),
      make,
    );
    return { made: rest.made, faults: new Map([...faults, ...rest.faults]) };
  }
}

const faultsIn = <T>(all: readonly T[], make: (some: readonly T[]) => unknown): [T, unknown][] =>
  all.flatMap((one): [T, unknown][] => {
    try {
      make([one]);
      return [];
    } catch (error) {
      return [[one, error]];
    }
  });

/** What a group is compiled for: call sites, and functions whose derivatives are shipped. */
type Purpose = CallSite | string;

/** Compiles a group, or the rest of it without the sites on which the compiler fails. */
export function compileAlone(group: Group, compile: (group: Group) => Part): Part {
  const purposes: readonly Purpose[] = [...group.sites, ...group.marked];
  const { made, faults } = isolate(purposes, (some) =>
    compile(some.length === purposes.length ? group : restricted(group, some)),
  );
  if (faults.size === 0) return made;
  const sink = new Sink();
  const errors = [...faults].map(([purpose, error]) => faultOf(purpose, error, group, sink));
  return {
    ...made,
    group,
    diagnostics: [...made.diagnostics, ...errors],
    standingErrors: [...made.standingErrors, ...errors],
  };
}

/** Emits all parts; where that fails, the part has no text and its sites have errors. */
export function emitAlone(
  parts: readonly Part[],
  emit: (part: Part) => Written,
): { readonly texts: readonly Written[]; readonly faults: readonly Diagnostic[] } {
  const sink = new Sink();
  const texts = parts.map((part): Written => {
    try {
      return emit(part);
    } catch (error) {
      const { sites, marked } = part.group;
      for (const purpose of [...sites, ...marked]) faultOf(purpose, error, part.group, sink);
      return { source: () => "", edits: new Map() };
    }
  });
  return { texts, faults: sink.diagnostics };
}

/** Reports an internal error at the function that a site or a shipped derivative is of. */
function faultOf(
  purpose: Purpose,
  error: unknown,
  { program: { funcs, homes } }: Pick<Group, "program">,
  sink: Sink,
): Diagnostic {
  const target = typeof purpose === "string" ? purpose : purpose.target;
  const name = homes.get(target)?.name ?? target;
  const span =
    funcs.get(target)?.origin ?? (typeof purpose === "string" ? NOWHERE : purpose.origin);
  const chain =
    typeof purpose === "string"
      ? []
      : [{ text: `requested by \`${purpose.form}(${name})\``, span: purpose.origin }];
  return reportInternal(sink, error, { name, span, chain });
}

const NOWHERE = { file: "", start: 0, end: 0 };

/** The group for some of its purposes: the functions that these need and no others. */
function restricted({ program, sites, marked, ties }: Group, some: readonly Purpose[]): Group {
  const { funcs, derivations = new Map<string, Derivation>() } = program;
  const needed = new Set(some.map((one) => (typeof one === "string" ? one : one.target)));
  for (const name of needed) {
    const related = [
      ...reachable(name, (callee) => funcs.get(callee)),
      ...[pull(name, { names: null, tuple: false }), fwd(name, null), wrapperName(name)],
      derivations.get(name)?.of ?? name,
    ];
    for (const other of related) if (funcs.has(other) || derivations.has(other)) needed.add(other);
  }
  const own = <V>(all: ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
    new Map([...all].filter(([name]) => needed.has(name)));
  return {
    program: { ...program, funcs: own<Func>(funcs), derivations: own(derivations) },
    sites: sites.filter((site) => some.includes(site)),
    marked: marked.filter((name) => some.includes(name)),
    ties,
  };
}
