// Every row of the rule table: over its domain against an oracle that does not read the table, at kinks against literals of
// the policy below, and what each partial reads (its residuals).

import { describe, expect, test } from "vitest";
import { OPS, type ScalarOp } from "../../transformer/ir/ops.ts";
import { type Domain, partialOf } from "../../transformer/rules/rule.ts";
import { SCALAR } from "../../transformer/rules/scalar.ts";
import { type Oracle, ORACLE } from "./oracle.ts";
import { runPartial } from "./partials.ts";

type Args = readonly (number | boolean)[];

const SAMPLES = 200;
const ops = Object.keys(OPS).filter((op): op is ScalarOp => op in OPS);

/** A linear congruential generator: the same points in every run. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function sample(domain: Domain, random: () => number): number | boolean {
  if (domain === "bool") return random() < 0.5;
  const interval = domain[Math.floor(random() * domain.length)];
  if (interval === undefined) throw new Error("empty domain");
  const [low, high] = interval;
  // the ends themselves are worth a visit
  const t = random() * 1.1 - 0.05;
  return low + Math.min(1, Math.max(0, t)) * (high - low);
}

function* points(op: ScalarOp): Generator<Args> {
  const random = generator(op.length * 7919 + op.charCodeAt(0));
  const { domain } = SCALAR[op];
  const arity = OPS[op].arity;
  for (let round = 0; round < SAMPLES; round++) {
    const count = arity === "n" ? 1 + (round % 4) : arity;
    yield Array.from({ length: count }, (_, i) => {
      const own = domain[Math.min(i, domain.length - 1)];
      if (own === undefined) throw new Error(`${op} has no domain`);
      return sample(own, random);
    });
  }
}

/** Whether two arguments are so near that a difference would step over the tie. */
const nearTie = (args: Args): boolean =>
  args.some((x, i) => args.some((z, j) => i < j && Math.abs(Number(x) - Number(z)) < 0.01));

/** Relative; a partial of 0 must be hit exactly. What it cannot see: a wrong last digit, and kinks (pinned below). */
function near(actual: number, expected: number, accuracy: number): boolean {
  return (
    Object.is(actual, expected) || Math.abs(actual - expected) <= accuracy * Math.abs(expected)
  );
}

describe("over its domain", () => {
  test.each(ops)("%s", (op) => {
    const oracle = ORACLE[op];
    for (const args of points(op)) {
      if ((op === "max" || op === "min" || oracle === "constant") && nearTie(args)) continue;
      args.forEach((arg, i) => {
        if (oracle === "constant") expectConstant(op, args, i);
        else if (typeof arg === "number") expectAgreement(op, oracle, args, i);
      });
    }
  });
});

function expectConstant(op: ScalarOp, args: Args, i: number): void {
  expect(partialOf(SCALAR[op], i, args.length), `${op} argument ${i}`).toBeNull();
  const moved = (by: number): unknown =>
    OPS[op].eval(args.map((arg, j) => (j === i && typeof arg === "number" ? arg + by : arg)));
  expect(moved(1e-3), `${op} at ${args.join()}`).toBe(moved(-1e-3));
}

function expectAgreement(op: ScalarOp, oracle: Oracle, args: Args, i: number): void {
  const expected = oracle.partial(args, i);
  for (const seed of [1, -2.5]) {
    const { value } = runPartial(op, args, i, { seed });
    const ok = near(value, seed * expected, oracle.accuracy);
    expect(
      ok,
      `${op}(${args.join()}), argument ${i}, seed ${seed}: ${value} instead of ${seed * expected}`,
    ).toBe(true);
  }
}

describe("at the kinks written on the row", () => {
  test.each(ops.filter((op) => SCALAR[op].kinks.length > 0))("%s", (op) => {
    for (const { at, d } of SCALAR[op].kinks) expectPartials(op, at, d);
  });
});

/** What holds at kinks; these do not come from the table. */
const POLICY: readonly (readonly [ScalarOp, Args, readonly number[]])[] = [
  ["abs", [0], [0]],
  ["abs", [-0], [0]],
  ["max", [1.5, 1.5], [0.5, 0.5]],
  ["min", [1.5, 1.5], [0.5, 0.5]],
  ["max", [0, -0], [0.5, 0.5]],
  ["max", [2, 2, 1], [0.5, 0.5, 0]],
  ["min", [4, 2, 2], [0, 0.5, 0.5]],
  ["max", [7], [1]],
  ["max", [NaN, 1], [0, 0]],
  ["sign", [0], [0]],
  ["floor", [2], [0]],
  ["ceil", [2], [0]],
  ["round", [2.5], [0]],
  ["trunc", [-2], [0]],
  ["mod", [7.5, 2], [1, -3]],
  ["mod", [-7.5, 2], [1, 3]],
  ["mod", [7.5, -2], [1, 3]],
  ["mod", [6, 2], [1, -3]],
  ["mod", [1, Infinity], [1, 0]],
  ["sqrt", [0], [Infinity]],
  ["hypot", [0, 0], [0, 0]],
  ["hypot", [0, 0, 0], [0, 0, 0]],
  ["hypot", [3, 4], [0.6, 0.8]],
  ["hypot", [1e200, 1e200], [Math.SQRT1_2, Math.SQRT1_2]],
  ["pow", [0, 2], [0, 0]],
  ["pow", [0, 1], [1, 0]],
  ["pow", [0, 0], [0, 0]],
  ["pow", [3, 0], [0, Math.log(3)]],
  ["pow", [-3, 0], [0, NaN]],
  ["pow", [0, 0.5], [Infinity, 0]],
  ["pow", [0, 3], [0, 0]],
  ["pow", [-2, 3], [12, NaN]],
  ["pow", [-2, -1], [-0.25, NaN]],
];

test.each(POLICY)("policy: %s at %j", (op, args, expected) => {
  expectPartials(op, args, expected);
});

function expectPartials(op: ScalarOp, at: Args, expected: readonly number[]): void {
  expect(expected.length).toBe(at.length);
  for (const seed of [1, -2.5]) {
    at.forEach((_, i) => {
      const { value } = runPartial(op, at, i, { seed });
      const want = seed * (expected[i] ?? NaN);
      // one rounding of a division or a logarithm, one of the product with the seed
      const ok = Object.is(value, want) || Math.abs(value - want) <= 1e-15 * Math.abs(want);
      expect(
        ok,
        `${op}(${at.join()}), argument ${i}, seed ${seed}: ${value} instead of ${want}`,
      ).toBe(true);
    });
  }
}

test("a masked contribution is 0 whatever the seed", () => {
  const masked: readonly (readonly [ScalarOp, Args, number])[] = [
    ["abs", [0], 0],
    ["max", [1, 2], 0],
    ["max", [1, 2, 3], 1],
    ["min", [1, 2], 1],
    ["min", [2, 1, 3], 2],
    ["hypot", [0, 0], 1],
    ["pow", [0, 0], 0],
    ["pow", [0, 2], 1],
    ["select", [false, 1, 2], 1],
    ["select", [true, 1, 2], 2],
  ];
  for (const [op, args, i] of masked) {
    for (const seed of [Infinity, NaN])
      expect(runPartial(op, args, i, { seed }).value, `${op}(${args.join()}) ${i}`).toBe(0);
  }
});

/** Shares of each argument where `op` takes them one after another. */
function nestedShares(op: "max" | "min", args: readonly number[]): readonly number[] {
  const [first = NaN, ...others] = args;
  let shares = [1];
  let best = first;
  for (const arg of others) {
    const isBetter = op === "max" ? arg > best : arg < best;
    const own = best === arg ? 0.5 : isBetter ? 1 : 0;
    shares = [...shares.map((share) => share * (1 - own)), own];
    best = Number(OPS[op].eval([best, arg]));
  }
  return shares;
}

const VALUES = [0, 1, 2];
const PAIRS = VALUES.flatMap((a) => VALUES.map((b): readonly number[] => [a, b]));
const FOURS = PAIRS.flatMap((left) => PAIRS.map((right) => [...left, ...right]));

test.each(["max", "min"] as const)(
  "%s of several arguments splits ties as nested calls do",
  (op) => {
    for (const args of FOURS) {
      const found = args.map((_, i) => runPartial(op, args, i).value);
      expect(found, `${op}(${args.join()})`).toEqual(nestedShares(op, args));
    }
  },
);

describe("a constant exponent", () => {
  test.each([0, 1, 2, 3, 4, 7, -1, -2, -3, 0.5, 2.5, -0.5, 1.5, 1 / 3])("x ** %d", (exponent) => {
    const bases = [0.3, 1, 2.5, ...(Number.isInteger(exponent) ? [-0.7, -3] : [])];
    for (const base of bases) {
      // written out by repeated use of the definition, with logarithms for exponents that are not whole
      const expected = Number.isInteger(exponent)
        ? wholePower(base, exponent)
        : exponent * Math.exp((exponent - 1) * Math.log(base));
      for (const seed of [1, -2.5]) {
        const { value } = runPartial("pow", [base, exponent], 0, { constants: [1], seed });
        // exp(log) loses a digit
        expect(
          near(value, seed * expected, 1e-14),
          `${base} ** ${exponent}: ${value} instead of ${seed * expected}`,
        ).toBe(true);
      }
    }
  });

  test("is finite at 0 wherever the mathematics is", () => {
    const at0 = (exponent: number): number =>
      runPartial("pow", [0, exponent], 0, { constants: [1] }).value;
    expect([0, 1, 2, 3, 4, 1.5].map(at0)).toEqual([0, 1, 0, 0, 0, 0]);
    expect([0.5, 1 / 3].map(at0)).toEqual([Infinity, Infinity]);
    expect([-1, -2, -0.5].map(at0)).toEqual([-Infinity, -Infinity, -Infinity]);
  });

  test("and a constant base", () => {
    for (const base of [0, 0.5, 1, 2, 10]) {
      const expected = base === 0 ? 0 : base ** 1.5 * Math.log(base);
      for (const seed of [1, -2.5]) {
        const { value } = runPartial("pow", [base, 1.5], 1, { constants: [0], seed });
        // one rounding more or less
        expect(near(value, seed * expected, 1e-15)).toBe(true);
      }
    }
  });

  test("saves what its form reads", () => {
    const reads = (exponent: number): string =>
      runPartial("pow", [2, exponent], 0, { constants: [1] }).reads.join("");
    expect([0, 1, 2, 3, 7, 0.5, 1.5, -1, -2].map(reads)).toEqual([
      "",
      "",
      "0",
      "0",
      "0",
      "y",
      "0",
      "y",
      "0y",
    ]);
  });
});

/** n times the product of n - 1 factors. */
function wholePower(base: number, exponent: number): number {
  let product = 1;
  for (let k = 0; k < Math.abs(exponent - 1); k++) product *= base;
  return exponent === 0 ? 0 : exponent * (exponent >= 1 ? product : 1 / product);
}

/** Per argument what its partial reads: operands by position, `y` for the result. What is read must be saved. */
const RESIDUALS: readonly (readonly [ScalarOp, Args, readonly string[]])[] = [
  ["add", [1, 2], ["", ""]],
  ["sub", [1, 2], ["", ""]],
  ["neg", [1], [""]],
  ["mul", [1, 2], ["1", "0"]],
  ["div", [1, 2], ["1", "1y"]],
  ["select", [true, 1, 2], ["", "0", "0"]],
  ["exp", [1], ["y"]],
  ["sqrt", [1], ["y"]],
  ["cbrt", [1], ["y"]],
  ["tanh", [1], ["0y"]],
  ["tan", [1], ["y"]],
  ["sin", [1], ["0"]],
  ["log", [1], ["0"]],
  ["max", [1, 2], ["01", "01"]],
  ["hypot", [1, 2], ["0y", "1y"]],
  ["atan2", [1, 2], ["01", "01"]],
  ["pow", [1, 2], ["01y", "01y"]],
];

test.each(RESIDUALS)("%s reads no more than it needs", (op, args, expected) => {
  expect(args.map((_, i) => runPartial(op, args, i).reads.join(""))).toEqual(expected);
});

test("of 1 / z the result is enough", () => {
  for (const z of [2, -0.5, 1e-3])
    expect(runPartial("div", [1, z], 1, { constants: [0], seed: 3 })).toEqual({
      value: expect.closeTo(-3 / (z * z), 6),
      reads: ["y"],
    });
  expect(runPartial("div", [2, 4], 1, { constants: [0] })).toEqual({
    value: -0.125,
    reads: ["1", "y"],
  });
});

test("what a row reads does not depend on the values", () => {
  for (const op of ops) {
    const seen = new Map<string, string>();
    for (const args of points(op)) {
      args.forEach((_, i) => {
        const key = `${args.length}.${i}`;
        const reads = runPartial(op, args, i).reads.join();
        expect(reads).toBe(seen.get(key) ?? reads);
        seen.set(key, reads);
      });
    }
  }
});
