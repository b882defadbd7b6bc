// Behind scripts/fuzz.mjs. In: seeds. Out: what is wrong with their programs, or their code.

import { corpusOf } from "../programs/corpus.ts";
import { CANNOT_TELL, problemsOf } from "../programs/run.ts";
import { errorsOf, newProblems } from "../programs/strict.ts";
import { randomProgram } from "./random-typescript.ts";

export interface Report {
  readonly problems: readonly string[];
  readonly blind: number;
}

export function fuzzed(seeds: readonly number[]): Report {
  const corpus = corpusOf(seeds.map(randomProgram), {}, "few");
  const found = [...corpus.programs.values()].flatMap((built) => problemsOf(built).map((problem) => `${built.source.name}: ${problem}`));
  const invalid = errorsOf(corpus.original.program).map(({ file, message }) => `${file.fileName} is no valid TypeScript: ${message}`);
  return { problems: [...found.filter((problem) => !problem.includes(CANNOT_TELL)), ...newProblems(corpus), ...invalid], blind: found.filter((problem) => problem.includes(CANNOT_TELL)).length };
}

/** The program of a seed, and what becomes of it. */
export function codeOf(seed: number): string {
  const source = randomProgram(seed);
  const built = corpusOf([source], {}, "few").programs.get(source.name);
  return [source.files[source.main] ?? "", ...(built === undefined ? [] : built.edited.values())].join("\n\n// ------------------------------ emitted\n\n");
}
