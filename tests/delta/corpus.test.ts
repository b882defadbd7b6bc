// Every program of the shared corpus through the Delta engine, forced: the same oracles as for the static one (differences, closed forms, the original), and
// the gradient that the compiler chooses by itself. `PROGRAM=loop npx vitest run tests/delta/corpus.test.ts` runs those with "loop" in their name.

import { describe, expect, it } from "vitest";
import { cloned } from "../programs/clone.ts";
import { type Built, type Corpus, corpusOf } from "../programs/corpus.ts";
import { at, difference, field, numberPaths } from "../programs/numbers.ts";
import { problemsOf } from "../programs/run.ts";
import { corpusSources } from "../programs/sources.ts";

const wanted = process.env["PROGRAM"] ?? "";
const sources = corpusSources((name) => name.includes(wanted));
const delta = corpusOf(sources, {}, "few", "delta"), chosen = corpusOf(sources, {}, "few");

/** What the Delta engine does otherwise, and why; exactly these problems are found. */
const OTHERWISE: Readonly<Record<string, { readonly why: string; readonly problems: readonly RegExp[] }>> = {
  "function-dispatch-misses": {
    why: "the same error on the same inputs, with a text that does not know the variable's name",
    problems: [/^arguments 1: vg throws as f does: .*undefined is not a function$/, /^arguments 1: v throws as f does: .*undefined is not a function$/],
  },
  "nullish-optional-active": {
    why: "an optional field that is absent has no cotangent: types are gone at run time; with the static engine it is 0",
    problems: [/^arguments 1: vg\[0\]\.shift: undefined/, /^arguments 2: vg\[0\]\.scale: undefined/, /^arguments 2: vg\[0\]\.shift: undefined/],
  },
};

function builtIn(corpus: Corpus, name: string): Built {
  const program = corpus.programs.get(name);
  if (program === undefined) throw new Error(`no program ${name}`);
  return program;
}

/** Both add the same contributions, in another order: a few hundred roundings, relative to the largest number in the gradient. */
const ROUNDING = 1e-12;

/** `[value, gradient]` of a call; null where it throws. */
function gradientOf({ derived }: Built, args: readonly unknown[]): unknown {
  if ("failure" in derived) throw new Error(derived.failure);
  const form = derived.exports["vg"];
  if (typeof form !== "function") return null;
  try {
    return form(...cloned(args, derived.classes));
  } catch {
    return null;
  }
}

function disagreements(mine: unknown, other: unknown): readonly string[] {
  const paths = numberPaths(other);
  const size = Math.max(1, ...paths.map((path) => Math.abs(Number(at(other, path)))).filter(Number.isFinite));
  return paths.flatMap((path) => {
    const [a, b] = [at(mine, path), at(other, path)];
    // an absent optional field, see above
    if (Object.is(a, b) || (a === undefined && b === 0) || Math.abs(Number(a) - Number(b)) <= ROUNDING * size) return [];
    return [`${path}: ${String(a)} by Delta, ${String(b)} by the engine that was chosen`];
  });
}

describe("through Delta", () => {
  it.each(sources.map(({ name }) => name))("%s", (name) => {
    const [mine, other] = [builtIn(delta, name), builtIn(chosen, name)];
    const found = problemsOf(mine), known = OTHERWISE[name]?.problems ?? [];
    expect(found.filter((problem) => !known.some((pattern) => pattern.test(problem)))).toEqual([]);
    expect(found.length).toBe(known.length);
    for (const args of mine.traits.args) {
      const [a, b] = [gradientOf(mine, args), gradientOf(other, args)];
      expect(difference(field(a, "0"), field(b, "0"))).toBeNull();
      expect(disagreements(field(a, "1"), field(b, "1"))).toEqual([]);
    }
  });

  it.runIf(wanted === "")("runs what it says", () => {
    expect(sources.length).toBeGreaterThan(350);
    expect(sources.filter(({ name }) => name in OTHERWISE).length).toBe(Object.keys(OTHERWISE).length);
    // the compiler has chosen the other engine for most of them, or the comparison says nothing
    const isDelta = (name: string): boolean => [...builtIn(chosen, name).edited.values()].some((text) => text.includes("tsgrad/delta"));
    expect(sources.filter(({ name }) => !isDelta(name)).length).toBeGreaterThan(300);
    expect(sources.every(({ name }) => [...builtIn(delta, name).edited.values()].some((text) => text.includes("tsgrad/delta")))).toBe(true);
  });
});
