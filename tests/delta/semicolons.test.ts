// Programs of the corpus without semicolons, through the Delta engine. In: a sample of it, formatted
// so. Oracles: those of the corpus, on the values; TypeScript, on the emitted code.

import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { sampled } from "../breadth.ts";
import { corpusOf, type Source } from "../programs/corpus.ts";
import { problemsOf } from "../programs/run.ts";
import { corpusSources } from "../programs/sources.ts";
import { newProblems } from "../programs/strict.ts";

/** Programs whose problems do not come from semicolons: corpus.test.ts names them. */
const OTHERWISE = ["function-dispatch-misses", "nullish-optional-active"];

async function withoutSemicolons(source: Source): Promise<Source> {
  const files = await Promise.all(
    Object.entries(source.files).map(async ([file, text]): Promise<[string, string]> => [
      file,
      /\.ts$/.test(file) ? await format(text, { parser: "typescript", semi: false }) : text,
    ]),
  );
  return { ...source, files: Object.fromEntries(files) };
}

const sources = await Promise.all(
  corpusSources((name) => sampled(name, 25, 3) && !OTHERWISE.includes(name)).map(withoutSemicolons),
);
const corpus = corpusOf(sources, {}, "few", "delta");

describe("without semicolons", () => {
  it.each(sources.map(({ name }) => name))("%s", (name) => {
    const program = corpus.programs.get(name);
    expect(program === undefined ? ["no program"] : problemsOf(program)).toEqual([]);
  });

  it("type-checks", () => {
    expect(newProblems(corpus)).toEqual([]);
  });
});
