// Every program of the shared corpus through the Delta engine, forced: the same oracles as for the static one (differences, closed forms, the original), and
// the gradient that the compiler chooses by itself. A long run takes every program, a short one a fifteenth;
// `PROGRAM=loop npx vitest run tests/delta/corpus.test.ts` those with "loop" in their name.

import { describe, expect, it } from "vitest";
import { isLong, sampled } from "../breadth.ts";
import { cloned } from "../programs/clone.ts";
import { type Built, corpusOf } from "../programs/corpus.ts";
import { at, difference, field, numberPaths } from "../programs/numbers.ts";
import { problemsOf } from "../programs/run.ts";
import { corpusSources } from "../programs/sources.ts";

const wanted = process.env["PROGRAM"];
/** What the Delta engine does otherwise, and why; exactly these problems are found. */
const OTHERWISE: Readonly<
  Record<string, { readonly why: string; readonly problems: readonly RegExp[] }>
> = {
  "function-dispatch-misses": {
    why: "the same error on the same inputs, with a text that does not know the variable's name",
    problems: [
      /^arguments 1: vg throws as f does: .*undefined is not a function$/,
      /^arguments 1: v throws as f does: .*undefined is not a function$/,
    ],
  },
  "nullish-optional-active": {
    why: "an optional field that is absent has no cotangent: types are gone at run time; with the static engine it is 0",
    problems: [
      /^arguments 1: vg\[0\]\.shift: undefined/,
      /^arguments 2: vg\[0\]\.scale: undefined/,
      /^arguments 2: vg\[0\]\.shift: undefined/,
    ],
  },
};

const sources = corpusSources((name) =>
  wanted === undefined ? sampled(name, 15, 3) || name in OTHERWISE : name.includes(wanted),
);
const corpus = corpusOf(sources, {}, "few", "delta");

function built(name: string): Built {
  const program = corpus.programs.get(name);
  if (program === undefined) throw new Error(`no program ${name}`);
  return program;
}

/** Both add the same contributions, in another order: a few hundred roundings, relative to the largest number in the gradient. */
const ROUNDING = 1e-12;

/** `[value, gradient]` by either engine; null where there is none. */
function gradients(
  { derived }: Built,
  args: readonly unknown[],
): { readonly mine: unknown; readonly other: unknown } {
  if ("failure" in derived) throw new Error(derived.failure);
  const result = (form: unknown): unknown => {
    try {
      return typeof form === "function" ? form(...cloned(args, derived.classes)) : null;
    } catch {
      return null;
    }
  };
  return {
    mine: result(derived.exports["vg"]),
    other: result(field(derived.exports["other"], "chosen")),
  };
}

function disagreements(mine: unknown, other: unknown): readonly string[] {
  const paths = numberPaths(other);
  const size = Math.max(
    1,
    ...paths.map((path) => Math.abs(Number(at(other, path)))).filter(Number.isFinite),
  );
  return paths.flatMap((path) => {
    const [a, b] = [at(mine, path), at(other, path)];
    // an absent optional field, see above
    if (
      Object.is(a, b) ||
      (a === undefined && b === 0) ||
      Math.abs(Number(a) - Number(b)) <= ROUNDING * size
    )
      return [];
    return [`${path}: ${String(a)} by Delta, ${String(b)} by the engine that was chosen`];
  });
}

describe("through Delta", () => {
  it.each(sources.map(({ name }) => name))("%s", (name) => {
    const program = built(name);
    const found = problemsOf(program);
    const known = OTHERWISE[name]?.problems ?? [];
    expect(found.filter((problem) => !known.some((pattern) => pattern.test(problem)))).toEqual([]);
    expect(found.length).toBe(known.length);
    for (const args of program.traits.args) {
      const { mine, other } = gradients(program, args);
      expect(difference(field(mine, "0"), field(other, "0"))).toBeNull();
      expect(disagreements(field(mine, "1"), field(other, "1"))).toEqual([]);
    }
  });

  it.runIf(wanted === undefined)("runs what it says", () => {
    if (isLong) expect(sources.length).toBeGreaterThan(150);
    expect(sources.filter(({ name }) => name in OTHERWISE).length).toBe(
      Object.keys(OTHERWISE).length,
    );
    // the compiler has chosen the other engine for most of them, or the comparison says nothing
    const callerOf = (name: string): string =>
      [...built(name).edited].find(([file]) => file.endsWith(".caller.ts"))?.[1] ?? "";
    const withOther = sources
      .map(({ name }) => callerOf(name))
      .filter((text) => text.includes("chosen:"));
    expect(withOther.filter((text) => !/chosen: .*\$d\./.test(text)).length).toBeGreaterThan(
      0.7 * sources.length,
    );
    expect(sources.filter(({ name }) => !/const v.*\$d\./.test(callerOf(name)))).toEqual([]);
  });
});
