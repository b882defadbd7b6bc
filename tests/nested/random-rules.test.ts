// Random rules of functions that take functions, each the true derivative of its function. In:
// random-rules.ts. Out: gradients, tangents and second derivatives are those of central differences,
// by both engines, and for some programs those of the same program without rules.
// `SEEDS=1,200 npx vitest run tests/nested/random-rules.test.ts` takes other seeds.

import { expect, test } from "vitest";
import { type Slope, slopeOf } from "../programs/differences.ts";
import { type Variant, variantsOf } from "../programs/variants.ts";
import { randomRules } from "./random-rules.ts";

const [from = 1, until = 24] = (process.env["SEEDS"] ?? "1,24").split(",").map(Number);
const SEEDS = Array.from({ length: until - from + 1 }, (_, i) => from + i);
/** One in so many programs is also compiled without its rules. */
const PLAIN = 4;

const variants = variantsOf(
  Object.fromEntries(
    SEEDS.flatMap((seed) => {
      const { text, plain } = randomRules(seed);
      return [[String(seed), text], ...(seed % PLAIN === 0 ? [[`${seed}, plain`, plain]] : [])];
    }),
  ),
);

interface M {
  a: number;
  b: number;
  w: number[][];
  in: { c: number; d: number[] };
}
type Gradient = (v: number[], m: M) => [number[], M];
interface Module {
  readonly value: (v: number[], m: M) => number;
  readonly first: Gradient;
  readonly byDelta?: Gradient;
  readonly pushed: (v: number[], m: M, dv: number[], dm: M) => [number, number];
  readonly second: (v: number[], m: M, dv: number[]) => number[];
}

const V = [0.7, -0.4];
const DV = [1, -2];
const at = (t: number, a = 0.6): readonly [number[], M] => [
  V.map((x, i) => x + t * (DV[i] ?? 0)),
  {
    a,
    b: 0.3 + t,
    w: [
      [0.9, 1.1 - t],
      [0.2, 0.5],
    ],
    in: { c: 1.2 + 2 * t, d: [0.8, -0.6 + t] },
  },
];
/** The direction of `at`. */
const DM: M = {
  a: 0,
  b: 1,
  w: [
    [0, -1],
    [0, 0],
  ],
  in: { c: 2, d: [0, 1] },
};

const numbersOf = (value: unknown): number[] =>
  typeof value === "number" ? [value] : Object.values(value as object).flatMap(numbersOf);
const dot = (x: readonly number[], z: readonly number[]): number =>
  x.reduce((so, one, i) => so + one * (z[i] ?? NaN), 0);
function expectClose(found: unknown, wanted: unknown, tolerance: number, what: string): void {
  const [x, z] = [numbersOf(found), numbersOf(wanted)];
  const size = Math.max(1, ...z.map(Math.abs));
  const wrong = x.flatMap((one, i) =>
    Math.abs(one - (z[i] ?? NaN)) <= tolerance * size ? [] : [`${what} ${i}: ${one}, not ${z[i]}`],
  );
  expect(wrong).toEqual([]);
  expect(x.length).toBe(z.length);
}

const moduleOf = ({ errors, exports }: Variant): Module => {
  expect(errors).toEqual([]);
  return exports() as unknown as Module;
};

/** Where the program oscillates too fast for differences, the one without rules is the oracle. */
const isSure = ({ value, error }: Slope): boolean => error <= 1e-7 * Math.max(1, Math.abs(value));

test.each(SEEDS)("program %i", (seed) => {
  const ruled = moduleOf(variants(String(seed)));
  const first = ruled.first(...at(0));
  const tangent = dot(numbersOf(first), [...DV, ...numbersOf(DM)]);
  const slopes: readonly (readonly [found: number, of: Slope])[] = [
    [tangent, slopeOf((t) => ruled.value(...at(t)), 0)],
    [first[1].a, slopeOf((t) => ruled.value(...at(0, 0.6 + t)), 0)],
  ];
  // ten times the error that the extrapolation estimates
  for (const [found, of] of slopes) if (isSure(of)) expectClose(found, of.value, 1e-6, "gradient");
  // rounding alone
  expectClose(ruled.pushed(...at(0), DV, DM)[1], tangent, 1e-10, "tangent");
  if (ruled.byDelta !== undefined) expectClose(ruled.byDelta(...at(0)), first, 1e-10, "Delta");
  const second = ruled.second(...at(0), DV);
  const ofGradient = V.map((_, i) =>
    slopeOf((t) => {
      const [v, m] = at(0);
      return ruled.first(
        v.map((x, k) => x + t * (DV[k] ?? 0)),
        m,
      )[0][i] as number;
    }, 0),
  );
  ofGradient.forEach((of, i) => {
    if (isSure(of)) expectClose(second[i], of.value, 1e-6, "second");
  });
  const isUnsure = ![...slopes.map(([, of]) => of), ...ofGradient].every(isSure);
  if (seed % PLAIN !== 0 && !isUnsure) return;
  const plain = moduleOf(
    seed % PLAIN === 0
      ? variants(`${seed}, plain`)
      : variantsOf({ plain: randomRules(seed).plain })("plain"),
  );
  expectClose(ruled.value(...at(0)), plain.value(...at(0)), 1e-14, "value");
  expectClose(first, plain.first(...at(0)), 1e-10, "plain gradient");
  expectClose(second, plain.second(...at(0), DV), 1e-10, "plain second");
});
