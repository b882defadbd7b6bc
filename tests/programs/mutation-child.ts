// The child of scripts/mutate.mjs. It compiles and runs one program of the corpus with one mutant active: statically, forwards
// and to second order, through the Delta engine. It answers with the first problem, and with the mutants that each way meets.

import { sampled } from "../breadth.ts";
import { type Built, corpusOf, type Source } from "./corpus.ts";
import { firstOrder, secondOrder } from "./mode-problems.ts";
import { problemsOf } from "./run.ts";
import { corpusSources } from "./sources.ts";

interface Question {
  readonly kind: "names" | "run";
  readonly name: string;
  readonly active: number;
  readonly ways: readonly number[];
}

const sources = new Map(
  corpusSources((name) => sampled(name, Number(process.env["SAMPLE"] ?? 4))).map((source) => [
    source.name,
    source,
  ]),
);

const modeProblems = (built: Built): readonly string[] => {
  // a program whose second order is refused is no problem of the mutant's
  if ("failure" in built.derived)
    return /^TSG[123]/.test(built.derived.failure) ? [] : [built.derived.failure];
  return built.traits.args.flatMap((args, i) => [
    ...firstOrder(built, args, 1000 * i + 17),
    ...secondOrder(built, args, 1000 * i + 31).problems,
  ]);
};

const WAYS: readonly ((source: Source) => ReturnType<typeof corpusOf>)[] = [
  (source) => corpusOf([source], {}, "run"),
  (source) => corpusOf([source], {}, "modes"),
  (source) => corpusOf([source], {}, "few", "delta"),
];

function problemIn(name: string, way: number): string | null {
  const source = sources.get(name);
  const compile = WAYS[way];
  if (source === undefined || compile === undefined) return null;
  try {
    const built = compile(source).programs.get(name);
    if (built === undefined) return "not compiled";
    return (way === 1 ? modeProblems(built) : problemsOf(built))[0] ?? null;
  } catch (error) {
    return String(error);
  }
}

function answer({ kind, name, active, ways }: Question): unknown {
  if (kind === "names") return { names: [...sources.keys()] };
  const results = ways.map((way) => {
    const met = new Set<number>();
    Object.assign(globalThis, { $active: active, $met: met });
    const problem = problemIn(name, way);
    Object.assign(globalThis, { $active: -1, $met: undefined });
    return { way, problem, met: active < 0 ? [...met] : [] };
  });
  return { results };
}

process.send?.({ isReady: true });
process.on("message", (question: Question) => process.send?.(answer(question)));
