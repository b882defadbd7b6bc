// Forward mode and second order of a random program. Oracles: its value, duality with its gradient, differences of its gradient along a direction, symmetry.
// In: what was compiled, a point, the gradient there. Out: what is wrong. Blind to second derivatives at kinks, where slopes of the gradient from the left
// and from the right differ.

import { cloned } from "../programs/clone.ts";
import { slopeOf } from "../programs/differences.ts";
import { at, difference, field, innerOnce, mapNumbers, numberPaths } from "../programs/numbers.ts";
import { moved, randomTangents } from "../programs/tangents.ts";

type Call = (...args: readonly unknown[]) => unknown;
type Args = readonly unknown[];
type Derived = Readonly<Record<string, unknown>>;

const formOf = (derived: Derived, name: string): Call | null => {
  const form = derived[name];
  return typeof form === "function" ? (...args) => Reflect.apply(form, undefined, args) : null;
};

const holdsNumbers = (value: unknown): boolean =>
  typeof value === "number" || numberPaths(value).length > 0;
const sizeOf = (value: unknown): number =>
  numberPaths({ value }).reduce((sum, path) => sum + Math.abs(Number(at({ value }, path))), 1);

/** The same products, summed in another order. */
const ROUNDING = 1e-9;

export function forwardProblems(
  derived: Derived,
  point: Args,
  argnums: readonly number[],
  [value, near]: readonly [value: unknown, near: number],
  gradient: unknown,
): readonly string[] {
  const jvp = formOf(derived, "j");
  if (jvp === null) return [];
  const tangents = point.map((arg, i) =>
    argnums.includes(i)
      ? randomTangents(arg, 7 * i + 3)
      : holdsNumbers(arg)
        ? mapNumbers(arg, () => 0)
        : undefined,
  );
  const pushed = jvp(cloned(point), cloned(tangents));
  const wrong = difference(value, field(pushed, "0"), "value", near);
  if (wrong !== null) return [`jvp: value ${wrong}`];
  const [forward, back, size] = [
    Number(field(pushed, "1")),
    innerOnce(tangents, gradient),
    sizeOf(gradient),
  ];
  // where the value is NaN, by an element that is missing, its tangent is; the cotangent ends there
  return Object.is(forward, back) ||
    Math.abs(forward - back) <= ROUNDING * size ||
    !Number.isFinite(size) ||
    (Number.isNaN(value) && Number.isNaN(forward))
    ? []
    : [`jvp: ${forward} forwards, ${back} backwards`];
}

/** Differences of a gradient, and what they must agree to. */
const [SURE, NEAR] = [1e-4, 1e-5];

export function secondProblems(
  derived: Derived,
  point: Args,
  argnums: readonly number[],
  numbers: number,
): readonly string[] {
  const hvp = formOf(derived, "h");
  if (hvp === null || numbers === 0) return [];
  const [v, w] = [3, 104].map((seed) =>
    argnums.map((argnum, i) => randomTangents(point[argnum], seed + i)),
  );
  if (v === undefined || w === undefined) return [];
  const [hv, hw] = [hvp(cloned(point), cloned(v)), hvp(cloned(point), cloned(w))];
  const [one, other] = [innerOnce(w, hv), innerOnce(v, hw)];
  // a product that is no number is for the differences to judge
  const size = Math.max(1, ...[hv, hw].map(sizeOf).filter(Number.isFinite));
  if (Math.abs(one - other) > ROUNDING * size) return [`hvp: not symmetric, ${one} and ${other}`];
  const along = (t: number): number => {
    try {
      return innerOnce(w, gradientOf(derived, moved(cloned(point), argnums, v, t)));
    } catch {
      return NaN;
    }
  };
  const slope = slopeOf(along, 0);
  const sides = [1, -1].map((sign) => oneSided(along, sign));
  const isKink = !(Math.abs((sides[0] ?? NaN) - (sides[1] ?? NaN)) <= 1e-2 * size);
  const isFar =
    slope.error < SURE * size &&
    !(
      Math.abs(slope.value - one) <=
      NEAR * Math.max(size, Math.abs(slope.value)) + 10 * slope.error
    );
  return isFar && !isKink
    ? [
        `hvp: ${one}, but differences of the gradient give ${slope.value} (from the right ${sides[0]}, from the left ${sides[1]})`,
      ]
    : [];
}

function gradientOf(derived: Derived, args: Args): unknown {
  const vg = formOf(derived, "vg");
  if (vg !== null) return field(vg(...args), "1");
  const pullback = field(formOf(derived, "v")?.(...args), "1");
  return typeof pullback === "function" ? pullback(1) : NaN;
}

/** About 1e-4 where the gradient is smooth. */
const oneSided = (f: (t: number) => number, sign: number): number => {
  const [h, f0] = [2 ** -20 * sign, f(0)];
  return 2 * ((f(h / 2) - f0) / (h / 2)) - (f(h) - f0) / h;
};

/** Of `f` as a function of one argument: its gradient is the other one's part; the derivative of that, forwards and backwards, is one matrix, and symmetric. */
export function composedProblems(
  derived: Derived,
  point: Args,
  argnum: number,
  gradient: unknown,
): readonly string[] {
  const [captured, pulled, pushed] = ["captured", "pulled", "pushed"].map((name) =>
    formOf(derived, name),
  );
  if (captured === null || captured === undefined || pulled == null || pushed == null) return [];
  const expected = field(gradient, String(argnum));
  const alone = far(expected, captured(...cloned(point)));
  if (alone !== null) return [`captured: ${alone}`];
  const v = randomTangents(point[argnum], 11);
  const back = pulled(...cloned(point));
  const push = pushed(...cloned(point));
  const pull = field(back, "1");
  if (typeof push !== "function" || typeof pull !== "function")
    return ["pulled or pushed gives no function"];
  const forward = push(cloned(v));
  const second = [
    far(expected, field(back, "0")),
    far(expected, field(forward, "0")),
    far(field(forward, "1"), field(pull(cloned(v)), "0")),
  ];
  return second.flatMap((wrong, i) =>
    wrong === null
      ? []
      : [`${["value backwards", "value forwards", "second derivative"][i]}: ${wrong}`],
  );
}

/** The first number that is not the same, but for rounding. */
function far(expected: unknown, found: unknown): string | null {
  const size = Math.max(sizeOf(expected), sizeOf(found));
  const path = numberPaths({ value: expected }).find((one) => {
    const [x, z] = [Number(at({ value: expected }, one)), Number(at({ value: found }, one))];
    return !Object.is(x, z) && !(Math.abs(x - z) <= ROUNDING * size);
  });
  return path === undefined
    ? null
    : `${String(at({ value: expected }, path))} and ${String(at({ value: found }, path))} at ${path}`;
}
