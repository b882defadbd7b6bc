// Programs of the shared corpus, called by a function that only the Delta engine takes: what the static engine differentiates alone is one step of the tape there. The oracles are those of the corpus: differences, closed
// forms, the original, and the gradient of the program itself. `PROGRAM=loop npx vitest run tests/delta/steps-of-corpus.test.ts` runs, of those with "loop" in their name, all that are steps.

import { describe, expect, it } from "vitest";
import { type Built, corpusOf } from "../programs/corpus.ts";
import { problemsOf } from "../programs/run.ts";
import { corpusSources } from "../programs/sources.ts";

/** Those that are steps, of a corpus that takes a minute to compile. */
const STEPS: ReadonlySet<string> = new Set([
  "array-matrix-builder",
  "array-stages-in-place",
  "array-stages-made-anew",
  "attention-head",
  "call-grows-constant-rows",
  "call-linear-not-inlined",
  "call-makes-constant-rows",
  "call-result-written-later",
  "closure-composed-of-composed",
  "closure-nested",
  "finance-binomial-american-option",
  "finance-bond-yield-newton",
  "fitter-gradient-descent-unrolled",
  "gaussian-mixture-1d",
  "higher-order-runge-kutta-of-closures",
  "in-place-gauss-seidel-residual",
  "k-means-cost",
  "kink-cotangent-zero-in-loop",
  "logistic-regression",
  "loop-counts-in-nested-loops",
  "loop-powers-beside-sum",
  "loop-triple-nested-matmul",
  "power-iteration",
  "softmax-regression",
  "two-body-energy",
]);

const wanted = process.env["PROGRAM"];
const sources = corpusSources((name) =>
  wanted === undefined ? STEPS.has(name) : name.includes(wanted),
);
const corpus = corpusOf(sources, {}, "few", "within");

const isStep = ({ edited }: Built): boolean =>
  /\$d\.step(?:Of)?\(|const t\$\d+: any = \w+\$vag/.test([...edited.values()].join("\n"));
const steps = [...corpus.programs].filter(([, program]) => isStep(program)).map(([name]) => name);

describe("as steps", () => {
  it.each(steps)("%s", (name) => {
    const program = corpus.programs.get(name);
    if (program === undefined) throw new Error(`no program ${name}`);
    expect(problemsOf(program)).toEqual([]);
  });

  it.runIf(wanted === undefined)("are all that are said to be", () => {
    expect(new Set(steps)).toEqual(STEPS);
  });
});
