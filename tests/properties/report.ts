// Behind scripts/fuzz.mjs and the test of random programs. In: seeds. Out: what is wrong with their programs or their code, and how much was looked at.

import { type Compiled, compiled, INVALID } from "./batch.ts";
import { randomProgram, type Size } from "./random-typescript.ts";
import { verdictOf } from "./verdict.ts";

export interface Report {
  readonly programs: number;
  /** Numbers of gradients that were compared. */
  readonly entries: number;
  /** Of these: a kink or a threshold is so near that differences cannot tell. */
  readonly blind: number;
  /** One line each, the program's name first. */
  readonly problems: readonly string[];
  /** Programs that are refused, by the first code. */
  readonly refused: Readonly<Record<string, readonly string[]>>;
  /** Programs of the generator that are no valid TypeScript. */
  readonly invalid: readonly string[];
}

export function fuzzed(seeds: readonly number[], size: Size = "mixed"): Report {
  const all = compiled(seeds.map((seed) => randomProgram(seed, size)));
  const invalid = all.filter(isInvalid).map(({ name }) => name);
  const valid = all.filter((one) => !isInvalid(one));
  const refused: Record<string, string[]> = {};
  for (const one of valid) if (one.refused.length > 0) (refused[one.refused[0] ?? ""] ??= []).push(one.name);
  const verdicts = valid.map((one) => ({ name: one.name, ...verdictOf(one) }));
  const sum = (numbers: readonly number[]): number => numbers.reduce((x, y) => x + y, 0);
  return {
    programs: valid.length, entries: sum(verdicts.map(({ entries }) => entries)), blind: sum(verdicts.map(({ blind }) => blind)), invalid, refused,
    problems: verdicts.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
  };
}

const isInvalid = (one: Compiled): boolean => one.problems.some((problem) => problem.startsWith(INVALID));

/** The program of a seed, and what becomes of it. */
export function codeOf(seed: number, size: Size = "mixed"): string {
  const [one] = compiled([randomProgram(seed, size)]);
  if (one === undefined) return "";
  return [one.text, one.edited ?? "", [...one.refused, ...verdictOf(one).problems].join("\n")].join("\n\n// ------------------------------\n\n");
}
