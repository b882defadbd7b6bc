// Every program of the shared corpus: compiled in one go, run against independent oracles, and type-checked as it is emitted.
// `PROGRAM=loop npx vitest run tests/programs` runs those with "loop" in their name.

import { describe, expect, it } from "vitest";
import { type Built, type Corpus, corpusOf, type Source } from "./corpus.ts";
import { problemsOf } from "./run.ts";
import { corpusSources } from "./sources.ts";
import { asserted, brokenFiles, errorsOf, newProblems, STRICTEST } from "./strict.ts";

const wanted = process.env["PROGRAM"] ?? "";
const sources = corpusSources((name) => name.includes(wanted));

const made = new Map<string, Corpus>();
const corpus = (kind: string, make: () => Corpus): Corpus => {
  const known = made.get(kind) ?? make();
  made.set(kind, known);
  return known;
};
const normal = (): Corpus => corpus("normal", () => corpusOf(sources));
const strictest = (): Corpus => corpus("strictest", () => corpusOf(sources.map(assertedSource), STRICTEST, "type-check"));

const assertedSource = (source: Source): Source => ({ ...source, files: Object.fromEntries(Object.entries(source.files).map(([path, text]) => [path, asserted(text)])) });

function built(name: string): Built {
  const program = normal().programs.get(name);
  if (program === undefined) throw new Error(`no program ${name}`);
  return program;
}

const isForDelta = ({ source }: Built): boolean => /^export const engine = "delta";$/m.test(source.files[source.main] ?? "");
const isRefused = ({ derived }: Built): boolean => "failure" in derived && derived.failure.split("\n").every((line) => /^TSG[12]\d{3} /.test(line));

describe("programs", () => {
  it.each(sources.map(({ name }) => name))("%s", (name) => {
    const program = built(name);
    // for the Delta engine alone: right, or refused with a code where it does not run
    if (isForDelta(program) && isRefused(program)) return;
    expect(problemsOf(program)).toEqual([]);
  });
});

describe("the corpus", () => {
  it("is normal strict TypeScript", () => {
    expect(errorsOf(normal().original.program).map(({ file, start, message }) => `${file.fileName}:${start} ${message}`)).toEqual([]);
  });

  it("type-checks as emitted", () => {
    expect(newProblems(normal())).toEqual([]);
  });

  it("type-checks as emitted under every strictness flag", () => {
    const { original } = strictest();
    const sound = original.program.getSourceFiles().filter(({ fileName }) => fileName.startsWith("/src/")).length - brokenFiles(original.program).size;
    // a program and its caller: most must be sound under these flags as written, or the test would look at nothing; of a few programs it says nothing
    if (wanted === "") expect(sound).toBeGreaterThan(1.7 * sources.length);
    expect(newProblems(strictest())).toEqual([]);
  });
});
