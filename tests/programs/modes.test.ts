// Forward mode and second order of every program of the shared corpus. Oracles: the original's value, bit for bit; duality with reverse mode, whose
// gradients have oracles of their own; differences of the gradient along a direction; symmetry of the Hessian.
// A long run takes every program, a short one a thirtieth; `PROGRAM=loop` those with "loop" in their name.

import { describe, expect, it } from "vitest";
import { isLong, sampled } from "../breadth.ts";
import { type Built, corpusOf } from "./corpus.ts";
import { firstOrder, secondOrder } from "./mode-problems.ts";
import { corpusSources } from "./sources.ts";
import { newProblems } from "./strict.ts";

const wanted = process.env["PROGRAM"];
const sources = corpusSources((name) =>
  wanted === undefined ? sampled(name, 30, 3) : name.includes(wanted),
);
const corpus = corpusOf(sources, {}, "modes");

function built(name: string): Built {
  const program = corpus.programs.get(name);
  if (program === undefined) throw new Error(`no program ${name}`);
  return program;
}

let differences = 0;

/** At a kink the second derivative is a choice; differences across it, and those of a policy's halves, are another. */
const KINKED: Readonly<Record<string, string>> = {};

describe("forward mode", () => {
  it.each(sources.map(({ name }) => name))("%s", (name) => {
    const program = built(name);
    if ("failure" in program.derived) {
      // what only the Delta engine takes has no second order
      expect(program.derived.failure).toMatch(/^TSG[123]\d{3} /);
      return;
    }
    for (const [i, args] of program.traits.args.entries()) {
      expect(firstOrder(program, args, 1000 * i + 17).join("\n")).toBe("");
      if (name in KINKED) continue;
      const second = secondOrder(program, args, 1000 * i + 31);
      if (second.seen) differences++;
      expect(second.problems.join("\n")).toBe("");
    }
  });

  it.runIf(isLong)("has looked at what it says", () => {
    const refused = sources.filter(({ name }) => "failure" in built(name).derived);
    expect(sources.length).toBeGreaterThan(150);
    expect(refused.length).toBeLessThan(sources.length / 4);
    expect(differences).toBeGreaterThan(50);
  });

  it("type-checks as emitted", () => {
    expect(newProblems(corpus).join("\n")).toBe("");
  });
});
