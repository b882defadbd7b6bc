// Serialises units to plain data for another process, and back.

import type { AskedQuestions } from "../1-lower/index.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { Edit } from "../ir/facts.ts";
import type { StoredSnapshot } from "./snapshot.ts";
import type { Unit } from "./units.ts";

/** What `Kept` stores for another process. */
export interface Stored {
  readonly snapshot: StoredSnapshot;
  readonly units: readonly StoredUnit[];
}

interface StoredUnit {
  readonly sites: readonly string[];
  readonly footprint: readonly string[];
  readonly asked: readonly StoredAsked[];
  readonly outcomes: readonly {
    readonly file: string;
    readonly start: number;
    readonly edits: readonly (readonly [string, readonly Edit[]])[];
    readonly diagnostics: readonly Diagnostic[];
  }[];
  readonly dependencies: readonly (readonly [string, readonly string[]])[];
}

interface StoredAsked {
  readonly names: readonly string[];
  readonly bases: readonly string[];
  readonly flows: readonly {
    readonly type: AskedQuestions["flows"][number]["type"];
    readonly of: AskedQuestions["flows"][number]["of"];
    readonly found: readonly string[];
    readonly asking: string;
    readonly answer: string;
  }[];
}

export const storedUnit = ({
  sites,
  footprint,
  asked,
  outcomes,
  dependencies,
}: Unit): StoredUnit => ({
  sites: [...sites],
  footprint: [...footprint],
  dependencies: [...dependencies],
  asked: asked.map(({ names, bases, flows }) => ({
    names: [...names],
    bases: [...bases],
    flows: flows.map((each) => ({ ...each, found: [...each.found] })),
  })),
  outcomes: outcomes.map((outcome) => ({ ...outcome, edits: [...outcome.edits] })),
});

export const unitOf = ({ sites, footprint, asked, outcomes, dependencies }: StoredUnit): Unit => ({
  sites: new Set(sites),
  footprint: new Set(footprint),
  dependencies: new Map(dependencies),
  asked: asked.map(({ names, bases, flows }) => ({
    names: new Set(names),
    bases: new Set(bases),
    flows: flows.map((each) => ({ ...each, found: new Set(each.found) })),
  })),
  outcomes: outcomes.map((outcome) => ({ ...outcome, edits: new Map(outcome.edits) })),
});
