// Incremental compilation: compiles only the units that a change can reach. The result equals that
// of an analysis from scratch. Programs with errors, `defineDerivative`, marked functions, global
// types of their own or Delta calls are compiled as a whole.

import type { Diagnostic } from "../diagnostics/report.ts";
import type { Edit } from "../ir/facts.ts";
import { flowAnswer } from "../1-lower/index.ts";
import { type CompileHost, derivativesOf, type Part, TwinMemo } from "../pipeline.ts";
import { overlap, type Print, Snapshot } from "./snapshot.ts";
import { type Stored, storedUnit, unitOf } from "./stored.ts";
import { type Unit, unitsOf } from "./units.ts";

/** The part of an analysis that is assembled from units. */
export interface Found {
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

interface State {
  readonly snapshot: Snapshot;
  readonly units: readonly Unit[];
  /** The parts compiled after the last change; most of them are unchanged at the next one. */
  readonly parts: readonly Part[];
}

export class Kept {
  #state: State | null = null;
  /** Whether the state belongs to the last program. */
  #isCurrent = false;
  readonly #twins = new TwinMemo();

  analyse(of: CompileHost): Found {
    const host = { ...of, twins: this.#twins };
    const before = this.#state;
    const snapshot = Snapshot.of(host);
    const changed = before === null ? null : again(host, before, snapshot);
    if (changed !== null) return this.#current(changed.units, snapshot, changed.parts);
    const { compiled, emitted } = derivativesOf(host);
    const made = unitsOf(compiled, emitted, snapshot);
    if (made !== null) return this.#current(made, snapshot);
    // after an error, the state before it is still worth comparing with
    this.#isCurrent = false;
    return {
      edits: emitted.edits,
      diagnostics: compiled.diagnostics,
      dependencies: compiled.dependencies,
    };
  }

  #current(units: readonly Unit[], snapshot: Snapshot, parts: readonly Part[] = []): Found {
    this.#state = { snapshot, units, parts };
    this.#isCurrent = true;
    return foundOf(units, snapshot);
  }

  /** State for another process to resume from; null if the last program was compiled as a whole. */
  stored(print: Print): Stored | null {
    if (this.#state === null || !this.#isCurrent) return null;
    const { snapshot, units } = this.#state;
    const files = snapshot.stored(
      ["class", ...new Set(units.flatMap(({ asked }) => asked.flatMap(({ names }) => [...names])))],
      print,
    );
    return files === null ? null : { snapshot: files, units: units.map(storedUnit) };
  }

  /** Restores the state of another process and returns its analysis. */
  resume({ snapshot, units }: Stored, print: Print): Found {
    return this.#current(units.map(unitOf), Snapshot.from(snapshot, print));
  }
}

/** The units of the current program; null if it must be compiled as a whole. */
function again(
  host: CompileHost,
  before: State,
  snapshot: Snapshot,
): Pick<State, "units" | "parts"> | null {
  const changed = snapshot.changedSince(before.snapshot);
  if (changed === null) return null;
  let kept = before.units.filter(
    (unit) =>
      !overlap(unit.footprint, changed) &&
      !asksAbout(unit, changed, before.snapshot, snapshot) &&
      !hasOtherFlow(unit, changed, snapshot, host),
  );
  const reaching = new Set(
    [...changed].filter(
      (file) => snapshot.reachesTsgrad(file) || before.snapshot.reachesTsgrad(file),
    ),
  );
  // importers keep their sites unless the imported file re-exports names
  const passing = new Set(
    [...reaching].filter((file) => snapshot.passesNames(file) || before.snapshot.passesNames(file)),
  );
  const files = new Set([
    ...reaching,
    ...snapshot.importersOf(passing),
    ...before.units.filter((unit) => !kept.includes(unit)).flatMap(({ sites }) => [...sites]),
  ]);
  let parts = before.parts;
  while (files.size > 0) {
    const { compiled, emitted } = derivativesOf(host, { files: [...files] }, parts);
    const made = unitsOf(compiled, emitted, snapshot);
    if (made === null) return null;
    ({ parts } = compiled);
    const met = kept.filter((unit) =>
      made.some((other) => overlap(other.footprint, unit.footprint)),
    );
    kept = kept.filter((unit) => !met.includes(unit));
    if (met.length === 0) return { units: [...kept, ...made], parts };
    for (const file of met.flatMap(({ sites }) => [...sites])) files.add(file);
  }
  return { units: kept, parts };
}

/** Whether a changed file may change an answer about the whole program that the unit depends on. */
function asksAbout(
  { asked }: Unit,
  changed: ReadonlySet<string>,
  ...snapshots: readonly Snapshot[]
): boolean {
  return asked.some(({ names, bases }) =>
    snapshots.some((snapshot) =>
      [...changed].some(
        (file) =>
          [...names].some((name) => snapshot.has(file, name)) ||
          (snapshot.has(file, "class") && overlap(snapshot.closure([file]), bases)),
      ),
    ),
  );
}

/** Whether other classes flow to places of a type that the unit depends on after the change. */
function hasOtherFlow(
  { asked }: Unit,
  changed: ReadonlySet<string>,
  snapshot: Snapshot,
  { ts: api, program }: CompileHost,
): boolean {
  return asked.some(({ flows }) =>
    flows.some(
      ({ type, of, found, asking, answer }) =>
        overlap(snapshot.closure(found), changed) ||
        type === null ||
        flowAnswer(type, of, asking, api, program) !== answer,
    ),
  );
}

function foundOf(units: readonly Unit[], { order }: Snapshot): Found {
  const place = (file: string): number => order.get(file) ?? 0;
  const outcomes = units
    .flatMap((unit) => unit.outcomes)
    .sort((x, z) => place(x.file) - place(z.file) || x.start - z.start);
  return {
    edits: new Map(outcomes.flatMap(({ edits }) => [...edits])),
    diagnostics: outcomes.flatMap(({ diagnostics }) => diagnostics),
    dependencies: new Map(units.flatMap(({ dependencies }) => [...dependencies])),
  };
}
