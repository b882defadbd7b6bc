// Independent compilation units: groups that are compiled together whenever one of them is. Each
// unit records what it depends on and what it produced. No two units share a file or a module
// variable, so types found for one say nothing about another.

import type { AskedQuestions } from "../1-lower/index.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { Edit } from "../ir/facts.ts";
import type { Compiled, Emitted } from "../pipeline.ts";
import { overlap, type Snapshot } from "./snapshot.ts";

interface Outcome {
  /** The file of its first call site. */
  readonly file: string;
  readonly start: number;
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Unit {
  /** Files with its call sites. */
  readonly sites: ReadonlySet<string>;
  /** All files that it depends on, and the module variables that it names. */
  readonly footprint: ReadonlySet<string>;
  readonly asked: readonly AskedQuestions[];
  readonly outcomes: readonly Outcome[];
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** Null if the outcome is more than the sum of its groups. */
export function unitsOf(
  { parts, asked, dependencies, isWhole }: Compiled,
  emitted: Emitted,
  snapshot: Snapshot,
): readonly Unit[] | null {
  if (!isWhole) return null;
  let units: readonly Unit[] = [];
  for (const [
    position,
    {
      sites,
      group: { ties },
      diagnostics,
    },
  ] of parts.entries()) {
    const [first] = sites;
    if (first === undefined) return null;
    const footprint = snapshot.closure(ties);
    const unit: Unit = {
      sites: new Set(sites.map(({ origin }) => origin.file)),
      footprint,
      asked: [],
      dependencies: new Map([...dependencies].filter(([file]) => footprint.has(file))),
      outcomes: [
        {
          file: first.origin.file,
          start: first.origin.start,
          edits: emitted.parts[position] ?? new Map(),
          diagnostics,
        },
      ],
    };
    const others = units.filter((other) => overlap(other.footprint, footprint));
    units = [...units.filter((other) => !others.includes(other)), others.reduce(united, unit)];
  }
  return units.map((unit) => ({
    ...unit,
    asked: [...unit.footprint].flatMap((file) => asked.get(file) ?? []),
  }));
}

const united = (x: Unit, z: Unit): Unit => ({
  sites: new Set([...x.sites, ...z.sites]),
  footprint: new Set([...x.footprint, ...z.footprint]),
  asked: [...x.asked, ...z.asked],
  outcomes: [...z.outcomes, ...x.outcomes],
  dependencies: new Map([...x.dependencies, ...z.dependencies]),
});
