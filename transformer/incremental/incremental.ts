// What a host keeps from one analysis to the next. In: programs, one after another. Out: their analyses; what no change since the last one reaches is not
// compiled again. Invariant: an analysis is what it would be without anything kept. A program with errors, rules by `defineDerivative`, marked functions, global
// types of its own or calls of the Delta engine is compiled as a whole.

import type { Diagnostic } from "../diagnostics/report.ts";
import type { Edit } from "../ir/facts.ts";
import { fitsIn } from "../1-lower/index.ts";
import { type CompileHost, derivativesOf, type Part } from "../pipeline.ts";
import { overlap, type Print, Snapshot } from "./snapshot.ts";
import { type Stored, storedUnit, unitOf } from "./stored.ts";
import { type Unit, unitsOf } from "./units.ts";

/** The part of an analysis that is put together from units. */
export interface Found {
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

interface State {
  readonly snapshot: Snapshot;
  readonly units: readonly Unit[];
  /** What the last change has had compiled: while a file is edited, most of what is in it stays as it is. */
  readonly parts: readonly Part[];
}

export class Kept {
  #state: State | null = null;
  /** Whether the state is that of the last program. */
  #isCurrent = false;

  analyse(host: CompileHost): Found {
    const before = this.#state;
    const snapshot = Snapshot.of(host);
    const changed = before === null ? null : again(host, before, snapshot);
    if (changed !== null) return this.#current(changed.units, snapshot, changed.parts);
    const { compiled, emitted } = derivativesOf(host);
    const made = unitsOf(compiled, emitted, snapshot);
    if (made !== null) return this.#current(made, snapshot);
    // after a mistake, what held before it is still worth comparing with
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

  /** What another process can begin with in place of nothing; null where the last program was compiled as a whole. */
  stored(print: Print): Stored | null {
    if (this.#state === null || !this.#isCurrent) return null;
    const { snapshot, units } = this.#state;
    const files = snapshot.stored(
      ["class", ...new Set(units.flatMap(({ asked }) => asked.flatMap(({ names }) => [...names])))],
      print,
    );
    return files === null ? null : { snapshot: files, units: units.map(storedUnit) };
  }

  /** Gives what the other process found. */
  resume({ snapshot, units }: Stored, print: Print): Found {
    return this.#current(units.map(unitOf), Snapshot.from(snapshot, print));
  }
}

/** The units of the program as it is now; null where it has to be looked at as a whole. */
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
      !isFitAnew(unit, changed, snapshot, host),
  );
  const reaching = new Set(
    [...changed].filter(
      (file) => snapshot.reachesTsgrad(file) || before.snapshot.reachesTsgrad(file),
    ),
  );
  // what imports another file has the sites that it had, unless that one passes names on
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

/** Whether the unit has asked something of the whole program that a changed file may answer otherwise now. */
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

/** Whether other classes may fit the types that the unit has asked about: those that did are others now, or one that is, or that imports what is, fits. */
function isFitAnew(
  { asked }: Unit,
  changed: ReadonlySet<string>,
  snapshot: Snapshot,
  { ts: api, program }: CompileHost,
): boolean {
  return asked.some(({ fitting }) =>
    fitting.some(
      ({ type, found }) =>
        overlap(snapshot.closure(found), changed) ||
        type === null ||
        fitsIn(snapshot.importersOf(changed), type, api, program),
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
