// Tests derivatives against differences of the function's values, without the derivative rules.
// Throws an error that says what disagrees, where, and both numbers. Where values cannot decide (a
// kink, a jump, rounding), that is an error of its own. Arguments are copied and never written.

import { slopesAlong, orderOf, type Estimate } from "./differences.ts";
import { callOf, isDerived, type Derived } from "./added.ts";
import { isPromise, push } from "./pushforward.ts";
import { copied, cotangentOf, tangentOf } from "./tree/build.ts";
import { holdsSingle, isWhole, numbersAlong, numbersOf, pathsOf } from "./tree/numbers.ts";
import type { Layout } from "./tree/parts.ts";

export interface CheckOptions {
  /**
   * 1, the default: the first derivative. 2: also the second if the function returns a number, else
   * the first at nearby points, too.
   */
  readonly order?: 1 | 2;
  /** The modes to check. Default: both, and that they agree. */
  readonly modes?: readonly ("forward" | "reverse")[];
  /** The arguments to vary. Default: all with numbers. Set it if some are counts or indices. */
  readonly argnums?: number | readonly number[];
  /**
   * The permitted relative error. Default 1e-6, as extrapolated differences of a smooth function in
   * doubles have at least eight digits; use 1e-3 for numbers in a Float32Array.
   */
  readonly tolerance?: number;
  /** The seed of the random directions. The same seed gives the same check. */
  readonly seed?: number;
}

/** Up to this many coordinates are tested singly, which names the place of an error. */
const FEW = 24;
const DIRECTIONS = 3;

type Vector = readonly number[];
type Random = () => number;

/** A function at a point, in terms of vectors of numbers. */
interface Subject {
  readonly at: (x: Vector) => Point;
  readonly x: Vector;
  readonly paths: readonly string[];
  readonly results: readonly string[];
  readonly line: (x: Vector, v: Vector) => (step: number) => Vector | null;
  readonly tolerance: number;
  readonly forward: boolean;
  readonly reverse: boolean;
  readonly seed: number;
  /** Whether an argument or the result holds single-precision numbers. */
  readonly isSingle: boolean;
}
interface Point {
  readonly push: (v: Vector) => Vector;
  readonly pull: (w: Vector) => Vector;
  /** The gradient and a Hessian-vector product; null without second derivatives. */
  readonly second: ((v: Vector) => readonly [Vector, Vector]) | null;
}

interface Direction {
  readonly v: Vector;
  /** Length of the first step. */
  readonly unit: number;
  readonly where: string;
}

export function check(f: Derived, args: readonly unknown[], added: readonly unknown[]): void {
  const options: CheckOptions = optionsIn(added[0]);
  const random = randomFrom(options.seed ?? 1);
  const subject = subjectOf(f, args, options, added);
  if (subject.x.length === 0)
    throw new Error("checkGrads: the arguments hold no number that can be varied");
  if (subject.results.length === 0) throw new Error("checkGrads: the result holds no number");
  checkAt(subject, subject.x, random);
  if (options.order !== 2) return;
  if (subject.at(subject.x).second !== null) checkSecond(subject, random);
  else
    for (let i = 0; i < 2; i++)
      checkAt(
        subject,
        subject.x.map((x) => x + 1e-2 * Math.max(Math.abs(x), 1e-2) * random()),
        random,
      );
}

// ------------------------------------------------------------------------------------------ checks

function checkAt(s: Subject, x: Vector, random: Random): void {
  const point = s.at(x);
  const few = x.length <= FEW;
  const along = few ? x.map((_, i) => s.x.map((__, k) => (k === i ? 1 : 0))) : [];
  along.forEach((v, i) => {
    compareAlong(s, point, x, { v, unit: unitOf(x[i] ?? 0), where: `d/d${s.paths[i] ?? ""}` });
  });
  for (let i = 0; i < DIRECTIONS; i++) {
    const v = x.map((number) => random() * unitOf(number));
    const where = `along a random direction (seed ${s.seed})`;
    compareAlong(s, point, x, { v, unit: 1, where });
    if (s.forward) taylor(s, x, v, point.push(v), null);
    if (s.forward && s.reverse) duality(s, point, v, s.results.map(random));
  }
}

/** Compares both modes with differences of values. */
function compareAlong(s: Subject, point: Point, x: Vector, { v, unit, where }: Direction): void {
  const estimates = slopesAlong(s.line(x, v), unit, s.isSingle);
  if (s.forward)
    point.push(v).forEach((slope, r) => {
      compare(s, slope, estimates, r, `forward mode, ${where} of ${s.results[r] ?? ""}`);
    });
  if (!s.reverse) return;
  // One pullback per result number, so that an error names its place.
  for (let r = 0; r < Math.min(estimates.length, FEW); r++) {
    const pulled = point.pull(s.results.map((_, k) => (k === r ? 1 : 0)));
    compare(s, product(pulled, v), estimates, r, `reverse mode, ${where} of ${s.results[r] ?? ""}`);
  }
}

function compare(
  s: Subject,
  derivative: number,
  estimates: readonly Estimate[],
  r: number,
  what: string,
): void {
  const estimate = estimates[r];
  if (estimate === undefined)
    throw new Error(`checkGrads: ${what}: the derivative has more numbers than the result`);
  const size = Math.max(Math.abs(derivative), Math.abs(estimate.value));
  // The tolerance is relative to the number, or to the largest number beside it if it is 0.
  const allowed =
    s.tolerance *
    Math.max(
      size,
      1e-3 * Math.max(...estimates.map((one) => Math.abs(one.value)).filter(Number.isFinite), 0),
    );
  const apart = Math.abs(derivative - estimate.value);
  if (apart <= allowed) return;
  const numbers = `the derivative code gives ${derivative}, differences of values give ${estimate.value}`;
  const blur = 10 * estimate.error;
  if (Number.isFinite(derivative) && !(apart > allowed + blur)) {
    // Not visibly wrong, and the estimate is precise enough.
    if (blur <= Math.max(1e-3 * size, 1e-9)) return;
    throw new Error(
      `checkGrads cannot tell: ${what}: ${numbers}, which may be wrong by ${estimate.error}. ${kink(estimate)}`,
    );
  }
  const apartSides = Math.abs(estimate.left - estimate.right);
  const scale = Math.max(Math.abs(estimate.left), Math.abs(estimate.right));
  const hint = apartSides > 1e-2 * scale ? ` ${kink(estimate)}` : "";
  throw new Error(`checkGrads: ${what}: ${numbers} (± ${estimate.error}).${hint}`);
}

const kink = ({ left, right }: Estimate): string =>
  `The slope is ${left} on the left and ${right} on the right. At a kink or a jump no derivative can be checked: take another point; where the argument is a count or an index, leave it out with \`argnums\`.`;

/** `<w, J v> = <Jᵀ w, v>`. It cannot see an error that both modes share. */
function duality(s: Subject, point: Point, v: Vector, w: Vector): void {
  const pushed = point.push(v);
  const pulled = point.pull(w);
  const forward = product(w, pushed);
  const reverse = product(pulled, v);
  const size = sizeOf(w, pushed) + sizeOf(pulled, v);
  // Both are the same sum in another order, so they differ by rounding only.
  if (!(Math.abs(forward - reverse) <= s.tolerance * 1e-2 * size + Number.MIN_VALUE)) {
    throw new Error(
      `checkGrads: forward and reverse mode disagree (seed ${s.seed}): <w, J v> is ${forward}, <Jᵀ w, v> is ${reverse}`,
    );
  }
}

/** `|f(x + h v) - f(x) - h J v|` falls like h², and without `h² vᵀ H v / 2` like h³. */
function taylor(s: Subject, x: Vector, v: Vector, slope: Vector, curvature: number | null): void {
  const order = curvature === null ? 1 : 2;
  const line = s.line(x, v);
  const start = line(0) ?? [];
  const noise = Math.max(...slopesAlong(line, 1, s.isSingle).map((one) => one.noise));
  const rate = orderOf((step) => {
    const end = line(step);
    if (end === null) return NaN;
    return Math.max(
      ...end.map((value, r) =>
        Math.abs(
          value -
            (start[r] ?? NaN) -
            step * (slope[r] ?? 0) -
            (curvature === null ? 0 : (step ** 2 / 2) * curvature),
        ),
      ),
    );
  }, noise);
  // A wrong term of order p leaves rate p; the right one leaves p + 1 or more.
  if (rate < order + 0.5) {
    throw new Error(
      `checkGrads: along a random direction the error of the derivative of order ${order} falls like h^${rate.toFixed(2)}, not like h^${order + 1} (seed ${s.seed}): the derivative is wrong, or the function has a kink here; try another point`,
    );
  }
}

function checkSecond(s: Subject, random: Random): void {
  const point = s.at(s.x);
  const gradient = point.pull([1]);
  const names: Subject = { ...s, results: s.paths.map((path) => `the gradient at ${path}`) };
  const second = (v: Vector): Vector => point.second?.(v)[1] ?? [];
  const gradientLine =
    (v: Vector) =>
    (step: number): Vector | null =>
      s.at(stepped(s.x, v, step)).pull([1]);
  const compareRow = (v: Vector, unit: number, where: string): void => {
    const estimates = slopesAlong(gradientLine(v), unit, s.isSingle);
    second(v).forEach((slope, r) => {
      compare(
        names,
        slope,
        estimates,
        r,
        `second derivative, ${where} of ${names.results[r] ?? ""}`,
      );
    });
  };
  (point.second?.(s.x.map(() => 0))[0] ?? []).forEach((number, i) => {
    // Both gradients are the same sums, computed in two ways.
    const size = Math.max(...gradient.map(Math.abs));
    if (!(Math.abs(number - (gradient[i] ?? NaN)) <= s.tolerance * size))
      throw new Error(
        `checkGrads: the gradient under \`hessian\` is ${number} at ${s.paths[i] ?? ""}, that of \`grad\` ${gradient[i]}`,
      );
  });
  if (s.x.length <= FEW)
    s.x.forEach((number, i) => {
      compareRow(
        s.x.map((_, k) => (k === i ? 1 : 0)),
        unitOf(number),
        `d/d${s.paths[i] ?? ""}`,
      );
    });
  for (let i = 0; i < DIRECTIONS; i++) {
    const u = s.x.map((number) => random() * unitOf(number));
    const v = s.x.map((number) => random() * unitOf(number));
    const hu = second(u);
    const hv = second(v);
    compareRow(v, 1, `along a random direction (seed ${s.seed})`);
    const a = product(u, hv);
    const b = product(v, hu);
    if (
      !(Math.abs(a - b) <= s.tolerance * 1e-2 * (sizeOf(u, hv) + sizeOf(v, hu)) + Number.MIN_VALUE)
    )
      throw new Error(
        `checkGrads: the Hessian is not symmetric (seed ${s.seed}): <u, H v> is ${a}, <v, H u> is ${b}`,
      );
    taylor(s, s.x, v, [product(gradient, v)], product(v, hv));
  }
}

// ----------------------------------------------------------------------------------------- subject

function subjectOf(
  f: Derived,
  args: readonly unknown[],
  options: CheckOptions,
  added: readonly unknown[],
): Subject {
  const { fwd, vjp, layout } = callOf("checkGrads", f, added, 2, undefined);
  const gradFwd = added.filter(isDerived)[2];
  const { x, paths, moved, tangents, gathered } = argumentSpace(args, options, layout);
  const value = f(...moved(x));
  if (isPromise(value))
    throw new Error("checkGrads: the function is asynchronous; check the function that it awaits");
  const shape = pathsOf(value, layout).join();
  const isSingle = holdsSingle([args, value]);
  const valueAt = (to: Vector): Vector | null => {
    const result = f(...moved(to));
    return pathsOf(result, layout).join() === shape ? numbersOf(result, layout) : null;
  };
  const tangentAt = (to: Vector, v: Vector): unknown =>
    settled(push(fwd, moved(to), tangents(v), "all", false)).tangent;
  const modes = options.modes ?? ["forward", "reverse"];
  return {
    x,
    isSingle,
    tolerance: options.tolerance ?? (isSingle ? 1e-3 : 1e-6),
    seed: options.seed ?? 1,
    forward: modes.includes("forward"),
    reverse: modes.includes("reverse"),
    paths,
    results: pathsOf(value, layout).map((path) => `result${path}`),
    line: (from, v) => (step) => valueAt(stepped(from, v, step)),
    at: (to) => ({
      push: (v) => numbersAlong(value, tangentAt(to, v), layout, 0),
      pull: (w) => {
        const pulled = vjp(...moved(to));
        const pullback: unknown = Array.isArray(pulled) ? pulled[1] : undefined;
        if (!isDerived(pullback)) throw new Error("checkGrads got no pullback");
        return gathered(pullback(cotangentOf(value, (i) => w[i] ?? 0, layout)));
      },
      second:
        gradFwd === undefined || typeof value !== "number"
          ? null
          : (v) => {
              const [gradient, hv] = secondOf(gradFwd, fwd.length / 2, moved(to), tangents(v));
              return [gathered(gradient), gathered(hv)];
            },
    }),
  };
}

/** The numbers of the varied arguments as a vector, and the way back. */
interface ArgumentSpace {
  readonly x: Vector;
  readonly paths: readonly string[];
  readonly moved: (to: Vector) => unknown[];
  readonly tangents: (v: Vector) => unknown[];
  readonly gathered: (cotangents: unknown) => number[];
}

function argumentSpace(
  args: readonly unknown[],
  { argnums = args.map((_, i) => i) }: CheckOptions,
  layout: Layout,
): ArgumentSpace {
  const active = typeof argnums === "number" ? [argnums] : argnums;
  const isActive = (i: number): boolean => active.includes(i) && !isWhole(args[i]);
  const numbers = args.map((arg, i) => (isActive(i) ? numbersOf(arg, layout) : []));
  const offsets = args.map((_, i) => numbers.slice(0, i).flat().length);
  return {
    x: numbers.flat(),
    paths: args.flatMap((arg, i) =>
      isActive(i) ? pathsOf(arg, layout).map((path) => `args[${i}]${path}`) : [],
    ),
    moved: (to) =>
      args.map((arg, i) =>
        copied(arg, isActive(i) ? (k) => to[(offsets[i] ?? 0) + k] ?? NaN : null, layout),
      ),
    tangents: (v) =>
      args.map((arg, i) =>
        tangentOf(arg, (k) => (isActive(i) ? (v[(offsets[i] ?? 0) + k] ?? 0) : 0), layout),
      ),
    // a cotangent may lack numbers that are unknown to the arguments' types
    gathered: (cotangents) =>
      args.flatMap((arg, i) =>
        isActive(i)
          ? numbersAlong(arg, Array.isArray(cotangents) ? cotangents[i] : undefined, layout, 0)
          : [],
      ),
  };
}

/** Passes tangents for all arguments, or for those with numbers. `count`: the arity. */
function secondOf(
  gradFwd: Derived,
  count: number,
  point: readonly unknown[],
  tangents: readonly unknown[],
): readonly [gradient: unknown, product: unknown] {
  const places = point.map((_, i) => i);
  const holding = places.filter((i) => tangents[i] !== undefined);
  const asked = gradFwd.length - count;
  const listed = gradFwd.length === 0 || asked === holding.length ? holding : places;
  if (gradFwd.length > 0 && asked !== listed.length)
    throw new Error(
      "checkGrads: second derivatives need a value for each argument whose type holds numbers",
    );
  const pushed = settled(
    push(
      gradFwd,
      point,
      listed.map((i) => tangents[i]),
      listed.length,
      false,
    ),
  );
  const spread = (list: unknown): unknown =>
    Array.isArray(list) && list.length === listed.length
      ? places.map((i): unknown => (listed.includes(i) ? list[listed.indexOf(i)] : undefined))
      : list;
  return [spread(pushed.value), spread(pushed.tangent)];
}

function settled<A>(value: A | PromiseLike<A>): A {
  if (isSettled(value)) return value;
  throw new Error("checkGrads: the derivative is asynchronous");
}
const isSettled = <A>(value: A | PromiseLike<A>): value is A => !isPromise(value);

function optionsIn(value: unknown): CheckOptions {
  return typeof value === "object" && value !== null ? value : {};
}

const product = (a: Vector, b: Vector): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
const sizeOf = (a: Vector, b: Vector): number =>
  a.reduce((sum, x, i) => sum + Math.abs(x * (b[i] ?? 0)), 0);
/** A small step for a number. The function may be undefined beyond the distance to 0. */
const unitOf = (x: number): number => (x === 0 ? 1 : Math.min(1, Math.max(Math.abs(x), 1e-9)));
const stepped = (x: Vector, v: Vector, step: number): Vector =>
  x.map((number, i) => number + step * (v[i] ?? 0));

/** Numbers in -1…1 away from 0, since a direction would not test a coordinate with a tiny entry. */
function randomFrom(seed: number): Random {
  let state = (seed * 2654435761) | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    const unit = (state >>> 1) / 2 ** 31;
    return unit < 0.5 ? -0.3 - 1.4 * unit : 0.3 + 1.4 * (unit - 0.5);
  };
}
