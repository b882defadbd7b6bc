// Twins of modules from earlier analyses. In: a module, and what surrounds it. Out: what `twinsOf`
// makes of it. Invariant: twins are used again only while everything that they were made from is
// the same: the text, and the answer to each question that was asked about what surrounds it.

import type ts from "typescript";
import { Trace } from "../trace.ts";
import type { Insertion } from "./package-source.ts";
import { twinsOf, type TwinModule } from "./twins.ts";

interface Made {
  readonly fixed: string;
  readonly text: string;
  readonly trace: Trace<TwinModule>;
  readonly twins: readonly Insertion[];
}

export class TwinMemo {
  /** By file. */
  readonly #made = new Map<string, Made>();

  twinsOf(api: typeof ts, module: TwinModule): readonly Insertion[] {
    const { fileName, text } = module.source;
    const fixed = fixedPart(module);
    const known = this.#made.get(fileName);
    if (known?.fixed === fixed && known.text === text && known.trace.holds(module))
      return known.twins;
    const trace = new Trace<TwinModule>();
    const twins = twinsOf(api, recording(module, trace));
    this.#made.set(fileName, { fixed, text, trace, twins });
    return twins;
  }
}

function fixedPart(module: TwinModule): string {
  const { isEsm, isHigher, hasNumberMethods, runTime, statements } = module;
  return JSON.stringify([
    { isEsm, isHigher, hasNumberMethods, runTime },
    statements.map(({ pos }) => pos),
  ]);
}

/** Questions see only what they ask for: they outlive the analysis that asked them. */
const QUESTIONS = {
  isExported: (name: string) => (of: TwinModule) => of.isExported(name),
  importedCell: (name: string) => (of: TwinModule) => of.importedCell(name),
  isAssignedIn: (namespace: string, name: string | null) => (of: TwinModule) =>
    of.isAssignedIn(namespace, name),
  exportedCell: (name: string) => (of: TwinModule) => of.exportedCell(name),
};

const recording = (module: TwinModule, trace: Trace<TwinModule>): TwinModule => ({
  ...module,
  isExported: (name) => trace.ask(module, QUESTIONS.isExported(name)),
  importedCell: (name) => trace.ask(module, QUESTIONS.importedCell(name)),
  isAssignedIn: (namespace, name) => trace.ask(module, QUESTIONS.isAssignedIn(namespace, name)),
  exportedCell: (name) => trace.ask(module, QUESTIONS.exportedCell(name)),
});
