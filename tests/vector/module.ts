// A module that uses tsgrad/vector, built. In: its text. Out: its exports; the text of each derivative; which of them are array code, and why others are not.
// Invariant: what is emitted type-checks under every strictness flag.

import { compile } from "../../transformer/pipeline.ts";
import { built, type Built, emittedErrors } from "../nested/compiled.ts";
import { programOf } from "../program.ts";

export interface VectorModule extends Built {
  /** By derivative: null where it is array code, else what keeps it from being that. */
  readonly arrays: () => ReadonlyMap<string, string | null>;
  readonly errors: () => readonly string[];
}

export function vectorModule(text: string): VectorModule {
  const module = built(text);
  return {
    ...module,
    errors: () => emittedErrors(module.text),
    arrays: () =>
      new Map(
        [...compile(programOf({ "/src/nested.ts": text })).arrays].map(([name, found]) => [
          name,
          found.kind === "array" ? null : found.why,
        ]),
      ),
  };
}

/** The derivatives' text: what the build adds at the end. */
export const derivativesIn = (text: string): string =>
  text.slice(text.search(/^function [\p{ID_Continue}$]*\$(?:grad|vag)/mu));

/** A callable export. */
export function callable(module: Built, name: string): (...args: readonly unknown[]) => unknown {
  const value = module.exports[name];
  if (typeof value !== "function") throw new Error(`no function ${name}`);
  return (...args) => value(...args);
}
