// Forward mode and second order of one program. Oracles: the original's value, bit for bit; duality with reverse mode, whose
// gradients have oracles of their own; differences of the gradient along a direction; symmetry of the Hessian.

import { cloned } from "./clone.ts";
import type { Built } from "./corpus.ts";
import { slopeOf } from "./differences.ts";
import { at, difference, field, inner, innerOnce, numberPaths } from "./numbers.ts";
import { moved, randomTangents } from "./tangents.ts";

type Call = (...args: readonly unknown[]) => unknown;

const formOf = (program: Built, form: string): Call | null => {
  if ("failure" in program.derived) return null;
  const found = program.derived.exports[form];
  return typeof found === "function" ? (...args) => Reflect.apply(found, undefined, args) : null;
};

/** undefined where it throws. */
function tried(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return { threw: String(error) };
  }
}
const threw = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "threw" in value;

/** Sums of the same products in another order: a few hundred roundings of the largest. */
const ROUNDING = 1e-10;
/** Numbers of an argument that choose and do not vary: their tangents are 0. */
const still = ({ traits }: Built, position: number): readonly string[] =>
  [...traits.tags, ...traits.integers].flatMap((path) =>
    path.startsWith(`${position}.`) ? [path.slice(`${position}.`.length)] : [],
  );

/** Where a program says that its numbers are rounded to fewer bits, so are its tangents. */
const roundingOf = ({ traits }: Built): number =>
  traits.tolerance > 1e-7 ? traits.tolerance : ROUNDING;
const near = (a: number, b: number, size: number, tolerance: number): boolean =>
  Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(1, size);

export function firstOrder(
  program: Built,
  args: readonly unknown[],
  seed: number,
): readonly string[] {
  const [jvp, vjp] = [formOf(program, "j"), formOf(program, "v")];
  if (jvp === null || vjp === null || "failure" in program.derived) return ["no derivative"];
  const { classes } = program.derived;
  const fresh = (): unknown[] => [...cloned(args, classes)];
  const primal = tried(() => program.f(...cloned(args)));
  const pulled = tried(() => vjp(...fresh()));
  if (threw(primal) || threw(pulled))
    return threw(primal) === threw(pulled) ? [] : [`vjp: ${JSON.stringify(pulled)}`];
  const value = program.traits.hasAux ? field(primal, "0") : primal;
  const weight = randomTangents(value, seed);
  const pullback = field(pulled, "1");
  const bars = typeof pullback === "function" ? cloned(pullback(weight)) : null;
  const tangents = args.map((arg, i) =>
    field(bars, String(i)) === undefined
      ? undefined
      : randomTangents(arg, seed + 1 + i, still(program, i)),
  );
  const pushed = tried(() =>
    jvp(
      fresh(),
      tangents.map((one) => cloned(one)),
    ),
  );
  if (threw(pushed)) return [`jvp throws ${JSON.stringify(pushed)}`];
  const found = difference(value, field(pushed, "0"));
  if (found !== null) return [`value ${found}`];
  const [along, back] = [inner(weight, field(pushed, "1")), innerOnce(tangents, bars)];
  const size = numberPaths(bars).reduce((sum, path) => sum + Math.abs(Number(at(bars, path))), 0);
  return near(along, back, size, roundingOf(program)) || !Number.isFinite(size)
    ? []
    : [`duality: ${along} forwards, ${back} backwards`];
}

/** Extrapolated differences of a gradient that is exact to rounding. */
const NEAR = 1e-6;

export function secondOrder(
  program: Built,
  args: readonly unknown[],
  seed: number,
): { readonly problems: readonly string[]; readonly seen: boolean } {
  const [vg, hvp] = [formOf(program, "vg"), formOf(program, "h")];
  const { argnums } = program.traits;
  const nothing = { problems: [], seen: false };
  if (vg === null || hvp === null || "failure" in program.derived) return nothing;
  const { classes } = program.derived;
  const fresh = (): unknown[] => [...cloned(args, classes)];
  const value = tried(() => vg(...fresh()));
  if (threw(value)) return nothing;
  const tangents = (s: number): unknown[] =>
    argnums.map((position, i) => randomTangents(args[position], s + i, still(program, position)));
  const product = (v: readonly unknown[]): unknown => {
    const made = hvp(
      fresh(),
      v.map((one) => cloned(one)),
    );
    return program.traits.hasAux ? field(made, "0") : made;
  };
  const [v, w] = [tangents(seed), tangents(seed + 100)];
  const [hv, hw] = [tried(() => product(v)), tried(() => product(w))];
  if (threw(hv) || threw(hw))
    return { problems: [`hvp throws ${JSON.stringify([hv, hw])}`], seen: true };
  const gradient = (t: number): unknown => {
    const made = tried(() => vg(...moved(fresh(), argnums, v, t)));
    return threw(made) ? NaN : field(made, "1");
  };
  const slope = slopeOf((t) => innerOnce(w, gradient(t)), 0);
  const product1 = innerOnce(w, hv);
  const product2 = innerOnce(v, hw);
  const sizes = [hv, hw].map((one) =>
    numberPaths(one).reduce((sum, path) => sum + Math.abs(Number(at(one, path))), 0),
  );
  // a product that is no number is as large as the gradient says
  const size = Math.max(
    ...[...sizes, Math.abs(inner(w, field(value, "1")))].filter(Number.isFinite),
    0,
  );
  const problems: string[] = [];
  const rounding = Math.max(1e-9, roundingOf(program));
  if (!near(product1, product2, size, rounding))
    problems.push(`not symmetric: ${product1} and ${product2}`);
  // points that are rounded are no points on a line
  const isSure =
    rounding === 1e-9 && Number.isFinite(slope.error) && slope.error < 1e-4 * Math.max(1, size);
  if (isSure && !near(product1, slope.value, size + slope.error / NEAR, NEAR))
    problems.push(`Hessian: ${product1}, but differences of the gradient give ${slope.value}`);
  return { problems, seen: isSure };
}
