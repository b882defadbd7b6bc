// Every program of the shared corpus: compiled in one go, run against independent oracles, and type-checked as it is emitted.
// `PROGRAM=loop npx vitest run tests/programs` runs those with "loop" in their name.

import { describe, expect, it } from "vitest";
import { type Built, type Corpus, corpusOf } from "./corpus.ts";
import { problemsOf } from "./run.ts";
import { corpusSources } from "./sources.ts";
import { errorsOf, newProblems, STRICTEST } from "./strict.ts";

const wanted = process.env["PROGRAM"] ?? "";
const sources = corpusSources((name) => name.includes(wanted));

const made = new Map<string, Corpus>();
function corpus(strictest: boolean): Corpus {
  const key = String(strictest);
  const known = made.get(key) ?? corpusOf(sources, strictest ? STRICTEST : {});
  made.set(key, known);
  return known;
}

function built(name: string): Built {
  const program = corpus(false).programs.get(name);
  if (program === undefined) throw new Error(`no program ${name}`);
  return program;
}

describe("programs", () => {
  it.each(sources.map(({ name }) => name))("%s", (name) => {
    expect(problemsOf(built(name))).toEqual([]);
  });
});

describe("the corpus", () => {
  it("is normal strict TypeScript", () => {
    expect(errorsOf(corpus(false).original.program).map(({ file, start, message }) => `${file.fileName}:${start} ${message}`)).toEqual([]);
  });

  it("type-checks as emitted", () => {
    expect(newProblems(corpus(false))).toEqual([]);
  });

  it("type-checks as emitted under every strictness flag", () => {
    expect(newProblems(corpus(true))).toEqual([]);
  });
});
