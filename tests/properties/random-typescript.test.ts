// Random programs, compiled and run against finite differences of the originals, as the corpus is. `TSGRAD_SEEDS=from-to` runs others than the
// standing ones; `npm run fuzz -- 10000` runs many. A failure names its seed: `npm run fuzz -- --seed 17` prints that program.

import { describe, expect, it } from "vitest";
import { type Corpus, corpusOf } from "../programs/corpus.ts";
import { CANNOT_TELL, problemsOf } from "../programs/run.ts";
import { newProblems } from "../programs/strict.ts";
import { randomProgram } from "./random-typescript.ts";

const [first = 1, last = 150] = (process.env["TSGRAD_SEEDS"] ?? "1-150").split("-").map(Number);
/** Programs in one ts.Program. */
const BATCH = 50;

const batches = Array.from({ length: Math.ceil((last - first + 1) / BATCH) }, (_, i) => {
  const from = first + i * BATCH;
  return Array.from({ length: Math.min(BATCH, last - from + 1) }, (_, k) => from + k);
});

describe.each(batches.map((seeds) => ({ seeds, name: `seeds ${seeds[0] ?? 0} to ${seeds.at(-1) ?? 0}` })))("random programs, $name", ({ seeds }) => {
  let made: Corpus | undefined;
  const corpus = (): Corpus => (made ??= corpusOf(seeds.map(randomProgram), {}, "few"));

  it("agree with differences, and values are those of the originals", () => {
    const problems = [...corpus().programs.values()].flatMap((built) => problemsOf(built).map((problem) => `${built.source.name}: ${problem}`));
    const blind = problems.filter((problem) => problem.includes(CANNOT_TELL));
    expect(problems.filter((problem) => !problem.includes(CANNOT_TELL))).toEqual([]);
    // about 40 numbers a program, each looked at in two forms; a few kinks and thresholds are near enough to hide some
    expect(blind.length).toBeLessThan(seeds.length * 8);
  });

  it("type-check as emitted", () => {
    expect(newProblems(corpus())).toEqual([]);
  });
});
