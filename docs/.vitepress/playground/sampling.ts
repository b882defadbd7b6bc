// Samples functions for plots: a curve with its slope, or a grid of values with a descent.

import type { CurveSamples, Plottable, Range, Step, SurfaceSamples } from "./messages.ts";

/** A function of the user, and its gradient; null if it has none. */
export interface Sampled {
  readonly f: (...args: never[]) => number;
  readonly gradient: ((...args: never[]) => unknown) | null;
}

const POINTS = 500;
const COLUMNS = 90;
const MOST_STEPS = 2000;

/** A slope that counts as none, and a step that is none. */
const FLAT = 1e-6;
const SHORTEST = 1e-12;

const between = ([from, to]: Range, i: number, count: number): number =>
  from + ((to - from) * i) / (count - 1);

/** NaN where the function throws. */
function valueAt(f: (...args: never[]) => unknown, args: readonly unknown[]): unknown {
  try {
    return f(...(args as never[])); // the compiler has checked their types
  } catch {
    return NaN;
  }
}

const numeric = (value: unknown): number => (typeof value === "number" ? value : NaN);

export function curve({ f, gradient }: Sampled, range: Range): CurveSamples {
  const points = Array.from({ length: POINTS }, (_, i) => {
    const x = between(range, i, POINTS);
    return {
      x,
      f: numeric(valueAt(f, [x])),
      d: gradient === null ? NaN : numeric(valueAt(gradient, [x])),
    };
  });
  return { kind: "curve", points };
}

/** The arguments of a point, and the two slopes in a gradient. */
interface Form {
  readonly args: (x: number, y: number) => readonly unknown[];
  readonly slopes: (gradient: unknown) => readonly [number, number];
}

function formOf({ form, axes }: Plottable): Form {
  const [first = "x", second = "y"] = axes;
  if (form === "record")
    return {
      args: (x, y) => [{ [first]: x, [second]: y }],
      slopes: (gradient) => {
        const fields = gradient as Readonly<Record<string, unknown>>; // of the argument's shape
        return [numeric(fields[first]), numeric(fields[second])];
      },
    };
  const slopes = (gradient: unknown): [number, number] => {
    const pair = gradient as readonly unknown[]; // of two arguments, or of a pair
    return [numeric(pair[0]), numeric(pair[1])];
  };
  return form === "pair"
    ? { args: (x, y) => [[x, y]], slopes }
    : { args: (x, y) => [x, y], slopes };
}

export function surface(
  { f, gradient }: Sampled,
  plottable: Plottable,
  ranges: { readonly x: Range; readonly y: Range; readonly from: Range },
): SurfaceSamples {
  const { args, slopes } = formOf(plottable);
  const at = (x: number, y: number): number => numeric(valueAt(f, args(x, y)));
  const values = Array.from({ length: COLUMNS * COLUMNS }, (_, i) =>
    at(
      between(ranges.x, i % COLUMNS, COLUMNS),
      between(ranges.y, Math.floor(i / COLUMNS), COLUMNS),
    ),
  );
  const slopesAt =
    gradient === null
      ? null
      : (x: number, y: number): readonly [number, number] =>
          slopes(gradient(...(args(x, y) as never[])));
  const units: Range = [ranges.x[1] - ranges.x[0], ranges.y[1] - ranges.y[0]];
  const { path, slope } = descend(at, slopesAt, ranges.from, { units, longest: 0.05 });
  return { kind: "surface", values, columns: COLUMNS, path, slope };
}

/** What a step of each variable is measured in, and the longest one in these units. */
interface StepSizes {
  readonly units: Range;
  readonly longest: number;
}

/**
 * Gradient descent with backtracking (Armijo's condition): each step halves its length until it
 * goes down by half of what the slope promises. A plot has the ranges of its axes as units, so that
 * the path crosses level lines at right angles; a longest step, so that it stays in its valley.
 */
export function descend(
  f: (x: number, y: number) => number,
  gradient: ((x: number, y: number) => readonly [number, number]) | null,
  [startX, startY]: Range,
  { units: [unitX, unitY], longest }: StepSizes,
): { readonly path: readonly Step[]; readonly slope: number } {
  let x = startX;
  let y = startY;
  let value = f(x, y);
  let rate = 1;
  let slope = NaN;
  const path: Step[] = [{ x, y, f: value }];
  while (gradient !== null && path.length <= MOST_STEPS) {
    const [dx, dy] = gradient(x, y);
    slope = Math.hypot(dx, dy);
    if (!(slope > FLAT)) break;
    const [stepX, stepY] = [dx * unitX * unitX, dy * unitY * unitY];
    const steep = Math.hypot(dx * unitX, dy * unitY);
    const isLower = (by: number): boolean =>
      f(x - by * stepX, y - by * stepY) <= value - 0.5 * by * steep * steep;
    rate = Math.min(2 * rate, longest / steep);
    while (!isLower(rate) && rate * steep > SHORTEST) rate /= 2;
    if (rate * steep <= SHORTEST) break;
    x -= rate * stepX;
    y -= rate * stepY;
    value = f(x, y);
    path.push({ x, y, f: value });
  }
  return { path, slope };
}
