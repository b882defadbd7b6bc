// Groups that another thread compiles, while this one does what else there is to do. In: what is lowered, and who takes groups. Out: what each comes to.
// Invariant: it is what this thread would make of them; a program of which there is more to say than edits and warnings is left to who has the program.

import type { Diagnostic } from "../diagnostics/report.ts";
import { callsBeside } from "../engines.ts";
import { type Group, groupsOf } from "../groups.ts";
import type { Lowered } from "../1-lower/index.ts";
import type { Edit } from "../ir/facts.ts";
import { invariant } from "../ir/invariant.ts";
import type { Answered } from "./units.ts";
import { type CompileHost, dependenciesOf, isWhole, partOf, type Surroundings, surroundings, written } from "../pipeline.ts";

/** A group, and all that its compilation asks of the program, as plain data. */
export interface Job {
  readonly group: Group;
  readonly texts: ReadonlyMap<string, string>;
  readonly specifiers: ReadonlyMap<string, string>;
  readonly options: Surroundings["options"];
}

export interface Outcome {
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Who takes groups: null for one that it has not compiled. */
export interface Beside {
  /** `edited`: the only files whose text may become another. */
  readonly take: (jobs: readonly Job[], edited: ReadonlySet<string>) => readonly (Outcome | null)[];
}

/** With fewer groups, the other thread has hardly begun when this one would have come to an end. */
export const FEWEST = 4;

/** Files up to which a group's ways from each to each are looked for. */
const MOST_FILES = 8;

/** Null where the program is to be compiled as ever. */
export function madeBeside(lowered: Lowered, host: CompileHost, beside: Beside): Answered | null {
  const groups = groupsOf(lowered.program, lowered.sites, lowered.marked);
  const isWithout = callsBeside(lowered.calls, lowered.sites.map(({ origin }) => origin)).length > 0;
  if (groups.length < FEWEST || isWithout || !isWhole(lowered, []) || groups.some(({ sites }) => sites.length === 0)) return null;
  const outcomes = beside.take(groups.map((group) => jobOf(group, host)), new Set(groups.flatMap(filesOf)));
  const done = groups.flatMap(({ sites, ties }, position) => { const outcome = outcomes[position] ?? null; return outcome === null ? [] : [{ sites, ties, ...outcome }]; });
  return done.length < groups.length ? null : { asked: lowered.asked, dependencies: dependenciesOf(lowered, host), isWhole: true, groups: done };
}

const filesOf = ({ ties, program }: Group): readonly string[] => [...new Set([...[...ties].filter((tie) => !tie.startsWith("global ")), ...[...program.funcs.values()].flatMap(({ home }) => program.homes.get(home)?.file ?? [])])];

const way = (from: string, to: string): string => `${from}\n${to}`;

function jobOf(group: Group, host: CompileHost): Job {
  const { files, specifier, options } = surroundings(host), own = filesOf(group), ends = own.length > MOST_FILES ? [] : own;
  return {
    group, options, texts: new Map(own.map((file) => [file, files(file)])),
    specifiers: new Map(ends.flatMap((from) => ends.filter((to) => to !== from).map((to): [string, string] => [way(from, to), specifier(from, to)]))),
  };
}

/** On the other thread. Null where an error was found; throws where something of the program is asked for that the job does not hold. */
export function outcomeOf({ group, texts, specifiers, options }: Job): Outcome | null {
  const given = (known: ReadonlyMap<string, string>, key: string): string => {
    const found = known.get(key);
    invariant(found !== undefined, `nothing is known of ${key}`);
    return found;
  };
  const around: Surroundings = { files: (file) => given(texts, file), specifier: (from, to) => given(specifiers, way(from, to)), options };
  const part = partOf(group, { candidates: new Map(), reExports: [] }, around.files);
  if (part.sites.length < group.sites.length || part.diagnostics.some(({ severity }) => severity === "error")) return null;
  return { edits: written(part, around).edits, diagnostics: part.diagnostics };
}
