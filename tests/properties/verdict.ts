// What a compiled random program does, against oracles that know nothing of the compiler: its original as plain JavaScript, and differences of it.
// In: a compiled program. Out: what is wrong, the gradients, and for how many numbers differences could not tell. Blind at kinks and thresholds, where
// slopes from the left and from the right differ.

import { cloned } from "../programs/clone.ts";
import { composedProblems, forwardProblems, secondProblems } from "./modes.ts";
import { slopeOf } from "../programs/differences.ts";
import {
  at,
  changed,
  difference,
  field,
  numberPaths,
  shapeDifference,
} from "../programs/numbers.ts";
import type { Compiled } from "./batch.ts";
import { dice } from "./random-scope.ts";

export interface Verdict {
  readonly problems: readonly string[];
  /** The code with which the derivative says, while it runs, that it knows no derivative; null where it does not. */
  readonly refused: string | null;
  /** Numbers of gradients that were compared, and those for which differences cannot tell. */
  readonly entries: number;
  readonly blind: number;
  /** Per arguments: the numbers of the gradient in order; null where f throws. */
  readonly gradients: readonly (readonly number[] | null)[];
}

type Call = (...args: readonly unknown[]) => unknown;
type Args = readonly unknown[];
type Outcome = { readonly result: unknown; readonly args: Args } | { readonly thrown: string };

const isCall = (value: unknown): value is Call => typeof value === "function";
const isList = (value: unknown): value is Args => Array.isArray(value);

export function verdictOf(one: Compiled): Verdict {
  const { f, args, argnums } = one.original;
  if (one.derived === null || !isCall(f) || !isList(args) || !isList(argnums))
    return { problems: one.problems, refused: null, entries: 0, blind: 0, gradients: [] };
  const problems = [...one.problems];
  let refused: string | null = null;
  const gradients: (readonly number[] | null)[] = [];
  let [entries, blind] = [0, 0];
  for (const [k, point] of args.filter(isList).entries()) {
    const found = verdictAt(one, f, one.derived, point, argnums.map(Number));
    refused ??=
      found.problems
        .map((problem) => RUN_TIME.exec(problem)?.[1] ?? null)
        .find((code) => code !== null) ?? null;
    problems.push(
      ...found.problems
        .filter((problem) => !RUN_TIME.test(problem))
        .map((problem) => `arguments ${k}: ${problem}`),
    );
    gradients.push(found.gradient);
    entries += found.gradient?.length ?? 0;
    blind += found.blind;
  }
  return { problems, refused, entries, blind, gradients };
}

/** What the Delta engine says it does not know: unknown functions, derivatives within its derivatives. Never a silent zero. */
const RUN_TIME = /\b(TSG001[014]): /;

interface Found {
  readonly problems: readonly string[];
  readonly gradient: readonly number[] | null;
  readonly blind: number;
}

/** What is derived may throw anywhere: that is a problem like another. */
function verdictAt(
  one: Compiled,
  f: Call,
  derived: Readonly<Record<string, unknown>>,
  point: Args,
  argnums: readonly number[],
): Found {
  try {
    return comparedAt(one, f, derived, point, argnums);
  } catch (error) {
    return { problems: [`the derivative throws ${String(error)}`], gradient: null, blind: 0 };
  }
}

/** Closed forms multiply in their own order; a few roundings, which the rest of a program magnifies. */
const CLOSED_FORM = 1e-12;

function comparedAt(
  { isClosedForm }: Compiled,
  f: Call,
  derived: Readonly<Record<string, unknown>>,
  point: Args,
  argnums: readonly number[],
): Found {
  const [primal, first] = [outcome(f, point), outcome(formOf(derived), point)];
  // without end: where the stack overflows, and in which words, is not the derivative's to keep
  if ("thrown" in primal && "thrown" in first && primal.thrown.includes("Maximum call stack"))
    return { problems: [], gradient: null, blind: 0 };
  if ("thrown" in primal || "thrown" in first) {
    const wrong = difference(
      "thrown" in primal ? primal.thrown : null,
      "thrown" in first ? first.thrown : null,
    );
    return {
      problems: wrong === null ? [] : [`throws as f does: ${wrong}`],
      gradient: null,
      blind: 0,
    };
  }
  const problems: string[] = [];
  const say = (what: string, wrong: string | null): void => {
    if (wrong !== null) problems.push(`${what}: ${wrong}`);
  };
  const near = isClosedForm ? CLOSED_FORM : 0;
  say("value", difference(primal.result, field(first.result, "0"), "value", near));
  say("writes its arguments as f does", difference(primal.args, first.args, "value", near));
  const second = outcome(formOf(derived), point);
  const gradient = gradientOf(field(first.result, "1"), say);
  say(
    "twice",
    "thrown" in second
      ? second.thrown
      : difference(gradient, gradientOf(field(second.result, "1"), say)),
  );
  const paths = argnums.flatMap((argnum) => numberPaths({ [argnum]: point[argnum] }));
  for (const argnum of argnums)
    say(
      "shape",
      shapeDifference(point[argnum], field(gradient, String(argnum)), `gradient[${argnum}]`),
    );
  if (problems.length > 0) return { problems, gradient: null, blind: 0 };
  const numbers = paths.map((path) => Number(at(gradient, path)));
  const slopes = slopeProblems(f, point, paths, numbers);
  const forward = [
    ...forwardProblems(derived, point, argnums, [primal.result, near], gradient),
    ...secondProblems(derived, point, argnums, paths.length),
    ...composedProblems(derived, point, argnums[0] ?? 0, gradient),
  ];
  return { problems: [...slopes.problems, ...forward], gradient: numbers, blind: slopes.blind };
}

const formOf = (derived: Readonly<Record<string, unknown>>): Call => {
  const form = derived["vg"] ?? derived["v"];
  return isCall(form)
    ? form
    : () => {
        throw new Error("no form was compiled");
      };
};

/** A gradient as it is, or what the pullback gives for 1: the same whenever it is asked, and twice that for 2. */
function gradientOf(given: unknown, say: (what: string, wrong: string | null) => void): unknown {
  if (!isCall(given)) return given;
  const once = cloned(given(1));
  const double = given(2);
  say("pullback twice", difference(once, given(1)));
  // times 2 is exact, but sums round after products: a few units in the last place
  const far = numberPaths(once).find((path) => {
    const [x, z] = [Number(at(once, path)), Number(at(double, path))];
    return Math.abs(2 * x - z) > 1e-9 * (1 + Math.abs(z));
  });
  say(
    "pullback of 2",
    far === undefined
      ? null
      : `${String(at(double, far))} at ${far}, and ${String(at(once, far))} for 1`,
  );
  return once;
}

function outcome(f: Call, args: Args): Outcome {
  const own: Args = cloned(args);
  try {
    return { result: f(...own), args: own };
  } catch (error) {
    return { thrown: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

// ------------------------------------------------------------------------------------------------------ slopes

/** Extrapolated differences are good to about this, relative to the largest number in sight. */
const NEAR = 1e-6;

function slopeProblems(
  f: Call,
  point: Args,
  paths: readonly string[],
  gradient: readonly number[],
): { readonly problems: readonly string[]; readonly blind: number } {
  const bad = paths.find((_, i) => !Number.isFinite(gradient[i]));
  const value = (moves: readonly number[], t: number): number => {
    const own = paths.reduce(
      (args, path, i) => (moves[i] === 0 ? args : moved(args, path, t * (moves[i] ?? 0))),
      cloned(point),
    );
    try {
      return Number(f(...own));
    } catch {
      return NaN;
    }
  };
  // two random directions see every number at once; only where they disagree is each looked at alone
  const d = dice(paths.length * 31 + 7);
  const agrees = (): boolean => {
    const moves = paths.map(() => (d.below(2) === 0 ? 1 : -1) * (0.5 + d.below(1000) / 1000));
    const along = moves.reduce((sum, move, i) => sum + move * (gradient[i] ?? 0), 0);
    const [h, size] = [2 ** -9, Math.max(1, ...gradient.map(Math.abs))];
    const central = (step: number): number =>
      (value(moves, step) - value(moves, -step)) / (2 * step);
    const slope =
      ((16 * (4 * central(h / 4) - central(h / 2))) / 3 - (4 * central(h / 2) - central(h)) / 3) /
      15;
    return Math.abs(slope - along) <= NEAR * size;
  };
  if (bad === undefined && agrees() && agrees()) return { problems: [], blind: 0 };
  const each = paths.map((path, i) =>
    slopeAlone(
      (t) =>
        value(
          paths.map((_, k) => (k === i ? 1 : 0)),
          t,
        ),
      path,
      Number(at(point, path)),
      gradient[i] ?? NaN,
      Math.max(1, ...gradient.filter(Number.isFinite).map(Math.abs)),
    ),
  );
  return {
    problems: each.flatMap((one) => (typeof one === "string" ? [one] : [])),
    blind: each.filter((one) => one === null).length,
  };
}

const moved = (args: Args, path: string, by: number): Args => changed(args, path, (x) => x + by);

/** undefined: agrees. null: a kink or a threshold is at or too near to the point. */
function slopeAlone(
  f: (t: number) => number,
  path: string,
  x: number,
  gradient: number,
  size: number,
): string | null | undefined {
  const slope = slopeOf(f, x);
  const scale = Math.max(size, Math.abs(slope.value));
  if (
    Math.abs(slope.value - gradient) <= NEAR * scale + 4 * slope.error &&
    slope.error < 1e-3 * scale
  )
    return undefined;
  const sides = [1, -1].map((sign) => oneSided(f, sign));
  const [right = NaN, left = NaN] = sides;
  // from both sides the same, to what one-sided differences can tell, and another number than ours
  if (!(Math.abs(right - left) <= 1e-3 * scale) || !(slope.error < 1e-3 * scale)) return null;
  if (
    Math.abs(slope.value - gradient) <= 1e-4 * scale &&
    Math.abs(right - gradient) <= 1e-3 * scale
  )
    return null;
  return `${path}: ${gradient}, but differences give ${slope.value} (from the right ${right}, from the left ${left})`;
}

/** Two steps, extrapolated: about 1e-4 where f is smooth. */
function oneSided(f: (t: number) => number, sign: number): number {
  const [h, f0] = [2 ** -20 * sign, f(0)];
  return 2 * ((f(h / 2) - f0) / (h / 2)) - (f(h) - f0) / h;
}
