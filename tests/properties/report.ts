// Behind scripts/fuzz.mjs and the test of random programs. In: seeds. Out: what is wrong with their programs or their code, and how much was looked at.

import { type Compiled, compiled, INVALID, WITHIN } from "./batch.ts";
import { flagsOf, saysWhatIsMissing } from "./disguise.ts";
import { randomProgram, type Size } from "./random-typescript.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

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

/** The Delta engine runs a function around each program, which is one step of its tape where it can be: `STEPS=1 npm run fuzz`. */
const STEPS = process.env["STEPS"] === "1";

/** `delta`: whether each program runs through the Delta engine, too, and both gradients are compared. */
export function fuzzed(seeds: readonly number[], size: Size = "mixed", delta = false): Report {
  const flags = flagsOf(seeds[0] ?? 0);
  const sources = seeds
    .map((seed) => randomProgram(seed, size))
    .filter(({ main, files }) => saysWhatIsMissing(files[main] ?? "", flags));
  const all = compiled(sources, "", flags);
  const invalid = all
    .filter(isInvalid)
    .map(({ name, problems }) => `${name}: ${problems.find((one) => one.startsWith(INVALID))}`);
  const valid = all.filter((one) => !isInvalid(one));
  const refused: Record<string, string[]> = {};
  for (const one of valid)
    if (one.refused.length > 0) (refused[one.refused[0] ?? ""] ??= []).push(one.name);
  const verdicts = valid.map((one) => ({ name: one.name, ...verdictOf(one) }));
  for (const { name, refused: code } of verdicts)
    if (code !== null) (refused[code] ??= []).push(name);
  const forced = delta
    ? compiled(
        sources.filter(({ name }) => valid.some((one) => one.name === name)),
        STEPS ? WITHIN : ', engine: "delta"',
        flags,
      )
    : [];
  const sum = (numbers: readonly number[]): number => numbers.reduce((x, y) => x + y, 0);
  return {
    programs: valid.length,
    entries: sum(verdicts.map(({ entries }) => entries)),
    blind: sum(verdicts.map(({ blind }) => blind)),
    invalid,
    refused,
    problems: [
      ...verdicts.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
      ...forced.flatMap((one) =>
        deltaProblems(
          one,
          verdicts.find(({ name }) => name === one.name),
        ),
      ),
    ],
  };
}

/** Both sum the same contributions in another order: some hundred roundings, relative to the largest number. */
const SAME = 1e-10;

function deltaProblems(one: Compiled, fixed: Verdict | undefined): readonly string[] {
  const verdict = verdictOf(one);
  const say = (what: string): string => `${one.name}: Delta: ${what}`;
  const wrong = verdict.problems.map(say);
  if (wrong.length > 0 || fixed === undefined) return wrong;
  return verdict.gradients.flatMap((gradient, k) => {
    const other = fixed.gradients[k];
    if (gradient === null || other === null || other === undefined) return [];
    const size = Math.max(1, ...gradient.filter(Number.isFinite).map(Math.abs));
    const far = gradient.findIndex(
      (x, i) => !Object.is(x, other[i]) && !(Math.abs(x - (other[i] ?? NaN)) <= SAME * size),
    );
    return far < 0
      ? []
      : [
          say(
            `arguments ${k}: number ${far} is ${gradient[far]}, and ${other[far]} through the static engine`,
          ),
        ];
  });
}

const isInvalid = (one: Compiled): boolean =>
  one.problems.some((problem) => problem.startsWith(INVALID));

/** The program of a seed, and what becomes of it. */
export function codeOf(seed: number, size: Size = "mixed"): string {
  const [one] = compiled([randomProgram(seed, size)], "", flagsOf(seed));
  if (one === undefined) return "";
  return [one.text, one.edited ?? "", [...one.refused, ...verdictOf(one).problems].join("\n")].join(
    "\n\n// ------------------------------\n\n",
  );
}
