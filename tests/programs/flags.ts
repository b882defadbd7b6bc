// The flags that a user may set, as cells of a matrix: strictness, target with its default library,
// module system, engine. Out: what TypeScript says of emitted code in one cell, beyond what it said
// of the user's own. Invariant: a program that its user could not build says nothing.

import ts from "typescript";
import { programOf } from "../program.ts";
import { corpusOf, DIRECTORY, type Purpose, type Source, type Through } from "./corpus.ts";
import { asserted, brokenFiles, newProblems, STRICTEST } from "./strict.ts";

interface Cell {
  readonly options: ts.CompilerOptions;
  readonly engine: Through;
  readonly purpose: Purpose;
}

const STRICTNESS: readonly ts.CompilerOptions[] = [
  { strict: true },
  { strict: false },
  { strict: true, noUncheckedIndexedAccess: true },
  { strict: true, strictNullChecks: false },
  { ...STRICTEST, module: ts.ModuleKind.ESNext },
  { strict: true, exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true },
  { strict: true, noImplicitAny: false, useUnknownInCatchVariables: false },
  { strict: false, noImplicitAny: true, noUnusedLocals: true, noUnusedParameters: true },
  { strict: true, isolatedDeclarations: true, declaration: true, isolatedModules: true },
  { strict: false, strictNullChecks: true, noUncheckedIndexedAccess: true },
  {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noImplicitReturns: true,
  },
];

const TARGETS = [
  ts.ScriptTarget.ES2015,
  ts.ScriptTarget.ES2022,
  ts.ScriptTarget.ES2018,
  ts.ScriptTarget.ES2020,
  ts.ScriptTarget.ES2016,
  ts.ScriptTarget.ESNext,
  ts.ScriptTarget.ES2017,
  ts.ScriptTarget.ES2019,
  ts.ScriptTarget.ES2021,
];

const MODULES = [ts.ModuleKind.ESNext, ts.ModuleKind.CommonJS, ts.ModuleKind.Preserve];

const FORMS: readonly Pick<Cell, "engine" | "purpose">[] = [
  { engine: null, purpose: "type-check" },
  { engine: "delta", purpose: "modes" },
  { engine: null, purpose: "modes" },
  { engine: "within", purpose: "modes" },
  { engine: null, purpose: "type-check" },
  { engine: "delta", purpose: "type-check" },
  { engine: null, purpose: "modes" },
];

/** A target with the library that is its default. */
export const aimedAt = (target: ts.ScriptTarget): ts.CompilerOptions => ({
  target,
  lib: [ts.getDefaultLibFileName({ target })],
});

/** Every strictness meets every target. Forms and module systems rotate at other lengths. */
export const CELLS: readonly Cell[] = [...Array(STRICTNESS.length * TARGETS.length).keys()].map(
  (at) => cellAt(at),
);

function cellAt(at: number): Cell {
  const pick = <T>(list: readonly T[], of: number, first: T): T => list[of % list.length] ?? first;
  const options: ts.CompilerOptions = {
    module: pick(MODULES, Math.floor(at / 2), ts.ModuleKind.ESNext),
    ...pick(STRICTNESS, at, {}),
    ...aimedAt(pick(TARGETS, at, ts.ScriptTarget.ES2022)),
  };
  return { options, ...pick(FORMS, at, { engine: null, purpose: "type-check" }) };
}

const textsOf = (sources: readonly Source[]): Record<string, string> =>
  Object.fromEntries(
    sources.flatMap(({ files }) =>
      Object.entries(files).map(([path, text]) => [`${DIRECTORY}${path}`, text]),
    ),
  );

/** What TypeScript says of the emitted code, and how many programs were sound as written. */
export function problemsIn(
  { options, engine, purpose }: Cell,
  given: readonly Source[],
): { readonly problems: readonly string[]; readonly sound: number } {
  const sources = options.noUncheckedIndexedAccess === true ? given.map(assertedSource) : given;
  const broken = brokenFiles(programOf(textsOf(sources), options).program);
  const sound = sources.filter(({ files }) =>
    Object.keys(files).every((path) => !broken.has(`${DIRECTORY}${path}`)),
  );
  return {
    problems: newProblems(corpusOf(sound, options, purpose, engine)),
    sound: sound.length,
  };
}

const assertedSource = (source: Source): Source => ({
  ...source,
  files: Object.fromEntries(
    Object.entries(source.files).map(([path, text]) => [path, asserted(text)]),
  ),
});
