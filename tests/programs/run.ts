// Runs one compiled program against oracles that know nothing of the compiler: finite differences of the original as plain JavaScript,
// closed forms, the original itself. In: a built program. Out: what is wrong, one line each.

import { cloned } from "./clone.ts";
import type { Built, Traits } from "./corpus.ts";
import { slopeOf } from "./differences.ts";
import {
  at,
  changed,
  difference,
  field,
  inner,
  mapNumbers,
  numberPaths,
  shapeDifference,
} from "./numbers.ts";

type Call = (...args: readonly unknown[]) => unknown;
type Args = readonly unknown[];

/** How a call ended: its result and its arguments afterwards, or what it threw. */
type Outcome = { readonly result: unknown; readonly args: Args } | { readonly thrown: string };

/** What differences say where two of them never agree: a kink or a threshold nearby. Random programs have those. */
export const CANNOT_TELL = "differences cannot tell";

export function problemsOf(built: Built): readonly string[] {
  const { derived, traits } = built;
  if ("failure" in derived) return [derived.failure];
  return traits.args.flatMap((args, i) => {
    const found = problemsAt(built, derived.exports, args, derived.classes);
    return found.map((problem) => `arguments ${i}: ${problem}`);
  });
}

function problemsAt(
  built: Built,
  exports: Readonly<Record<string, unknown>>,
  args: Args,
  classes: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { traits } = built;
  const primal = outcome(built.f, args);
  const problems: string[] = [];
  const say = (what: string, found: string | null): void => {
    if (found !== null) problems.push(`${what}: ${found}`);
  };
  const forms = Object.entries(exports).filter(
    (entry): entry is [string, Call] => typeof entry[1] === "function",
  );
  for (const [name, form] of forms) {
    const [first, second] = [outcome(form, args, classes), outcome(form, args, classes)];
    if ("thrown" in first || "thrown" in primal) {
      say(
        `${name} throws as f does`,
        difference(
          "thrown" in primal ? primal.thrown : null,
          "thrown" in first ? first.thrown : null,
        ),
      );
      continue;
    }
    say(`${name} writes its arguments as f does`, difference(primal.args, first.args));
    if (name !== "v" && !("thrown" in second))
      say(`${name} twice`, difference(first.result, second.result));
    if (name === "v")
      problems.push(...attempted(() => pullbackProblems(built, args, primal.result, first.result)));
    else problems.push(...formProblems(built, name, args, primal.result, first.result));
  }
  if (forms.length === 0 && traits.args.length > 0) problems.push("no form was compiled");
  return problems;
}

/** A pullback that throws is a problem of its program. */
function attempted(check: () => readonly string[]): readonly string[] {
  try {
    return check();
  } catch (error) {
    return [`the pullback throws ${String(error)}`];
  }
}

function outcome(f: Call, args: Args, classes: Readonly<Record<string, unknown>> = {}): Outcome {
  const own: Args = cloned(args, classes);
  try {
    return { result: f(...own), args: own };
  } catch (error) {
    return { thrown: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

/** `grad` (`g`, `g0`, `g1`, …) and `valueAndGrad` (`vg`). */
function formProblems(
  built: Built,
  name: string,
  args: Args,
  value: unknown,
  result: unknown,
): readonly string[] {
  const { traits } = built;
  if (name === "vg") {
    const wrong = difference(value, field(result, "0"));
    return [
      ...(wrong === null ? [] : [`vg value: ${wrong}`]),
      ...gradientProblems(built, name, args, traits.argnums, field(result, "1")),
    ];
  }
  const gradient = traits.hasAux ? field(result, "0") : result;
  const aux = traits.hasAux ? difference(field(value, "1"), field(result, "1")) : null;
  const single = name !== "g";
  const argnums = single ? [Number(name.slice(1))] : traits.argnums;
  return [
    ...(aux === null ? [] : [`${name} aux: ${aux}`]),
    ...gradientProblems(built, name, args, argnums, single ? [gradient] : gradient),
  ];
}

function gradientProblems(
  built: Built,
  name: string,
  args: Args,
  argnums: readonly number[],
  gradient: unknown,
): readonly string[] {
  const { traits } = built;
  const problems: string[] = [];
  const value = (point: Args): number =>
    numberFrom(() =>
      inner(1, traits.hasAux ? field(built.f(...cloned(point)), "0") : built.f(...cloned(point))),
    );
  const expected = traits.expected?.(...cloned(args));
  argnums.forEach((argnum, i) => {
    const mine = field(gradient, String(i));
    const shape = shapeDifference(args[argnum], mine, `${name}[${i}]`);
    if (shape !== null) return problems.push(shape);
    // a gradient over the same inputs as the closed form: rounding alone tells them apart
    const closed =
      expected === undefined ? null : field(expected, String(traits.argnums.indexOf(argnum)));
    if (closed !== null) problems.push(...closedFormProblems(`${name}[${i}]`, mine, closed));
    problems.push(
      ...differenceProblems(built, `${name}[${i}]`, args, argnum, mine, value, closed !== null),
    );
  });
  return problems;
}

/** NaN where f throws beside a point at which it does not: no oracle there. */
function numberFrom(compute: () => number): number {
  try {
    return compute();
  } catch {
    return NaN;
  }
}

/** Rounding only: a thousand operations of 1e-16 each, ten times over. */
const CLOSED_FORM = 1e-12;

function closedFormProblems(name: string, mine: unknown, closed: unknown): readonly string[] {
  const wrong = typeof closed === "number" ? [""] : numberPaths(closed);
  return wrong.flatMap((path) => {
    const [a, b] = [path === "" ? mine : at(mine, path), path === "" ? closed : at(closed, path)];
    return near(a, b, CLOSED_FORM)
      ? []
      : [`${name}.${path}: ${String(a)}, but the closed form gives ${String(b)}`];
  });
}

/** Differences that agree with each other to less than this do not count as an oracle. */
const BLIND = 1e-5;

function differenceProblems(
  built: Built,
  name: string,
  args: Args,
  argnum: number,
  mine: unknown,
  value: (args: Args) => number,
  known: boolean,
): readonly string[] {
  const { traits } = built;
  const paths = typeof args[argnum] === "number" ? [""] : numberPaths(args[argnum]);
  return paths.flatMap((path) => {
    const full = path === "" ? String(argnum) : `${argnum}.${path}`;
    const got = path === "" ? mine : at(mine, path);
    if (traits.integers.includes(full))
      return got === 0 ? [] : [`${name}.${path}: ${String(got)} for a number that only chooses`];
    const x = Number(at(args, full));
    if (traits.tags.includes(full))
      return got === x ? [] : [`${name}.${path}: ${String(got)} for a tag that is ${x}`];
    const slope = slopeOf((t) => value(changed(args, full, (old) => old + t)), x);
    const scale = Math.max(1, Math.abs(slope.value));
    if (!(slope.error <= BLIND * scale))
      return known
        ? []
        : [
            `${name}.${path}: ${CANNOT_TELL} (${slope.value} ± ${slope.error}); gradient ${String(got)}`,
          ];
    const allowed = Math.max(traits.tolerance, (4 * slope.error) / scale);
    return near(got, slope.value, allowed)
      ? []
      : [`${name}.${path}: ${String(got)}, but differences give ${slope.value} ± ${slope.error}`];
  });
}

/** Relative to the larger, or to 1. */
function near(a: unknown, b: unknown, tolerance: number): boolean {
  if (Object.is(a, b)) return true;
  return (
    typeof a === "number" &&
    typeof b === "number" &&
    Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))
  );
}

// --------------------------------------------------------------------------------------------------- pullbacks

/** Numbers of both signs that are not multiples of each other. */
const seedOf = (value: unknown, k: number): unknown =>
  mapNumbers(value, (_, i) => Math.sin(1 + 3 * i + 7 * k));

function pullbackProblems(
  built: Built,
  args: Args,
  value: unknown,
  result: unknown,
): readonly string[] {
  const pullback = field(result, "1");
  const problems: string[] = [];
  const wrong = difference(value, field(result, "0"));
  if (wrong !== null) problems.push(`vjp value: ${wrong}`);
  if (typeof pullback !== "function") return [...problems, "vjp gives no pullback"];
  const pull = (seed: unknown): unknown => pullback(seed);
  const [a, b] = [seedOf(value, 0), seedOf(value, 1)];
  const before = cloned(a);
  const once = cloned(pull(a));
  if (difference(before, a) !== null) problems.push("the pullback writes its seed");
  const [other, again] = [cloned(pull(b)), pull(a)];
  const repeat = difference(once, again);
  if (repeat !== null) problems.push(`pullback twice: ${repeat}`);
  const sum = pull(mapNumbers(a, (x, i) => x + 2 * numberAt(b, i)));
  problems.push(...linearityProblems(once, other, sum, built.traits));
  for (const argnum of built.traits.argnums) {
    const mine = field(once, String(argnum));
    const shape = shapeDifference(args[argnum], mine, `pullback[${argnum}]`);
    if (shape !== null) problems.push(shape);
    else
      problems.push(
        ...differenceProblems(
          built,
          `pullback[${argnum}]`,
          args,
          argnum,
          mine,
          (point) => numberFrom(() => inner(a, built.f(...cloned(point)))),
          false,
        ),
      );
  }
  return problems;
}

function numberAt(value: unknown, index: number): number {
  const path = numberPaths(value)[index];
  return Number(path === undefined ? value : at(value, path));
}

/** Sums of rounded products: a few hundred ulps, relative to the largest number in the three. */
const LINEAR = 1e-11;

function linearityProblems(
  once: unknown,
  other: unknown,
  sum: unknown,
  traits: Traits,
): readonly string[] {
  const tolerance = traits.tolerance > 1e-7 ? traits.tolerance : LINEAR;
  const paths = numberPaths(sum).filter((path) => !traits.tags.includes(path));
  const size = Math.max(
    1,
    ...[once, other]
      .flatMap((value) => paths.map((path) => Math.abs(Number(at(value, path)))))
      .filter(Number.isFinite),
  );
  return paths.flatMap((path) => {
    const [a, b, c] = [once, other, sum].map((value) => Number(at(value, path)));
    if (a === undefined || b === undefined || c === undefined || !Number.isFinite(a + b)) return [];
    return Math.abs(a + 2 * b - c) <= tolerance * size
      ? []
      : [`pullback is not linear at ${path}: ${a} + 2 · ${b} and ${c}`];
  });
}
