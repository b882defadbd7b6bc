// Programs of the shared corpus: compiled a hundred at a time, run against independent oracles, and type-checked
// as emitted. Programs that are sound under every strictness flag are compiled under all of them, the
// others under `strict`. A long run takes every program, a short one a twenty-fourth.
// `PROGRAM=loop npx vitest run tests/programs` runs those with "loop" in their name.

import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Compiled } from "../../transformer/pipeline.ts";
import { type Cost, costsOf } from "../asymptotics/costs.ts";
import { isLong, sampled } from "../breadth.ts";
import { programOf } from "../program.ts";
import { type Built, type Corpus, corpusOf, DIRECTORY, type Source } from "./corpus.ts";
import { problemsOf } from "./run.ts";
import { corpusSources } from "./sources.ts";
import { asserted, brokenFiles, errorsOf, newProblems, STRICTEST } from "./strict.ts";

const wanted = process.env["PROGRAM"] ?? "";
const sources = corpusSources((name) =>
  wanted === "" ? sampled(name, 24) : name.includes(wanted),
);

const pathsOf = ({ files }: Source): readonly string[] =>
  Object.keys(files).map((path) => `${DIRECTORY}${path}`);
const filesOf = (some: readonly Source[]): Record<string, string> =>
  Object.fromEntries(
    some.flatMap(({ files }) =>
      Object.entries(files).map(([path, text]) => [`${DIRECTORY}${path}`, text]),
    ),
  );
const assertedSource = (source: Source): Source => ({
  ...source,
  files: Object.fromEntries(
    Object.entries(source.files).map(([path, text]) => [path, asserted(text)]),
  ),
});

interface Halves {
  readonly strictest: Corpus;
  readonly normal: Corpus;
  readonly costs: readonly Cost[];
}

/** The IR is large: what it costs is asked at once. */
function withCosts(
  some: readonly Source[],
  options = {},
): { readonly corpus: Corpus; readonly costs: readonly Cost[] } {
  const seen: Compiled[] = [];
  const corpus = corpusOf(some, options, "run", null, (compiled) => {
    seen.push(compiled);
  });
  return { corpus, costs: seen.flatMap((compiled) => costsOf(corpus.programs.values(), compiled)) };
}

function compiled(some: readonly Source[]): Halves {
  const all = some.map(assertedSource);
  const broken = brokenFiles(programOf(filesOf(all), STRICTEST).program);
  const isSound = (source: Source): boolean => !pathsOf(source).some((path) => broken.has(path));
  const strictest = withCosts(all.filter(isSound), STRICTEST);
  const normal = withCosts(some.filter((source) => !isSound(source)));
  return {
    strictest: strictest.corpus,
    normal: normal.corpus,
    costs: [...strictest.costs, ...normal.costs],
  };
}

/** So many that a test which is the first to ask stays far from the time limit on a slow machine. */
const TOGETHER = 100;
const parts = Array.from({ length: Math.ceil(sources.length / TOGETHER) }, (_, part) => ({
  part: part + 1,
  some: sources.slice(part * TOGETHER, (part + 1) * TOGETHER),
}));

const made = new Map<number, Halves>();
function corporaOf({ part, some }: (typeof parts)[number]): Halves {
  const found = made.get(part) ?? compiled(some);
  made.set(part, found);
  return found;
}

function builtIn({ strictest, normal }: Halves, name: string): Built {
  const program = strictest.programs.get(name) ?? normal.programs.get(name);
  if (program === undefined) throw new Error(`no program ${name}`);
  return program;
}

const isForDelta = ({ source }: Built): boolean =>
  /^export const engine = "delta";$/m.test(source.files[source.main] ?? "");

describe.each(parts)("programs, part $part", (part) => {
  it.each(part.some.map(({ name }) => name))("%s", (name) => {
    expect(problemsOf(builtIn(corporaOf(part), name))).toEqual([]);
  });

  it("are normal strict TypeScript", () => {
    expect(
      errorsOf(programOf(filesOf(part.some)).program).map(
        ({ file, start, message }) => `${file.fileName}:${start} ${message}`,
      ),
    ).toEqual([]);
  });

  it("type-check as emitted", () => {
    expect(newProblems(corporaOf(part).normal)).toEqual([]);
  });

  it("type-check as emitted under every strictness flag", () => {
    expect(newProblems(corporaOf(part).strictest)).toEqual([]);
  });
});

describe("the corpus", () => {
  const all = (): readonly Halves[] => parts.map(corporaOf);

  it.runIf(isLong)("has no more programs that go to the Delta engine than it had", async () => {
    const byDelta = parts
      .flatMap((part) => part.some.map(({ name }) => builtIn(corporaOf(part), name)))
      .filter((program) =>
        [...program.edited.values()].some((text) => text.includes('from "tsgrad/delta"')),
      );
    const unasked = byDelta
      .filter((program) => !isForDelta(program))
      .map(({ source }) => `${source.name}\n`);
    await expect(unasked.join("")).toMatchFileSnapshot(
      path.join(import.meta.dirname, "by-delta.txt"),
    );
  });

  it.skipIf(wanted !== "")("is for the most part sound under every strictness flag", () => {
    // or the tests of emitted code under these flags would look at nothing; of a few programs that says nothing
    const sound = all().reduce((count, { strictest }) => count + strictest.programs.size, 0);
    expect(sound).toBeGreaterThan(0.7 * sources.length);
  });
});

// At most 4 on straight-line code: Huot and Shaikhha §5; Griewank's bound for reverse mode. By a power whose exponent is not
// constant the slope is one of two, and the interpreter computes both, so two programs are beyond: 97 for 24, and 103 for 16.
describe("operations of a gradient over those of its function", () => {
  const above = (bound: number, some: readonly Cost[]): readonly string[] =>
    some
      .filter(({ primal, gradient }) => gradient > bound * primal)
      .map(({ what, primal, gradient }) => `${what}: ${gradient} for ${primal}`);

  const costs = (): readonly Cost[] => parts.flatMap((part) => corporaOf(part).costs);

  it("at most 4 on straight-line code, 4.1 with powers", () => {
    const straight = costs().filter((one) => one.straight && one.primal > 0);
    if (isLong) expect(straight.length).toBeGreaterThan(100);
    expect(above(4.1, straight)).toEqual([]);
  });

  it("at most 6 in loops, 6.5 with powers, where there is arithmetic enough to speak of", () => {
    const looping = costs().filter((one) => !one.straight && one.primal >= 16);
    if (isLong) expect(looping.length).toBeGreaterThan(100);
    // the most is a `max` of many, whose reverse asks which of them it was
    expect(above(6.5, looping)).toEqual([]);
  });
});
