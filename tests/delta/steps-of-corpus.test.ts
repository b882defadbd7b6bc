// Every program of the shared corpus, called by a function that only the Delta engine takes: what the static engine differentiates alone is one step of the tape there. The oracles are those of the corpus: differences, closed
// forms, the original, and the gradient of the program itself. `PROGRAM=loop npx vitest run tests/delta/steps-of-corpus.test.ts` runs those with "loop" in their name.

import { describe, expect, it } from "vitest";
import { type Built, corpusOf } from "../programs/corpus.ts";
import { problemsOf } from "../programs/run.ts";
import { corpusSources } from "../programs/sources.ts";

const wanted = process.env["PROGRAM"] ?? "";
const sources = corpusSources((name) => name.includes(wanted));
const corpus = corpusOf(sources, {}, "few", "within");

const textOf = ({ edited }: Built): string => [...edited.values()].join("\n");
const isStep = (name: string): boolean => { const program = corpus.programs.get(name); return program !== undefined && textOf(program).includes("$d.step("); };
const steps = sources.map(({ name }) => name).filter(isStep);

describe("as steps", () => {
  it.each(steps)("%s", (name) => {
    const program = corpus.programs.get(name);
    if (program === undefined) throw new Error(`no program ${name}`);
    expect(problemsOf(program)).toEqual([]);
  });

  it.runIf(wanted === "")("are many", () => {
    expect(steps.length).toBeGreaterThan(20);
  });
});
