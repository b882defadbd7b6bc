// Emitted gradients of sums, products and quotients, optimised, at 1e150 and 1e-150, across powers
// of two, and where differences cancel. Oracle: the textbook adjoint of the same rounded values in
// fixed-point arithmetic. Blind where the textbook adjoint in doubles leaves their range itself.

import { describe, expect, it } from "vitest";
import { sampled } from "../breadth.ts";
import { randomFrom } from "../4-optimise/random-adjoint.ts";
import { built } from "../nested/compiled.ts";
import { type Fixed, abs, div, fixed, mul } from "./high-precision.ts";

/** Straight code over x, y and z. */
const STRAIGHT = [
  "(x - y) * z",
  "(x - y) * (x - y) * z",
  "(x - y) * (y - z) * (z - x)",
  "(x - y) / (y - z)",
  "(x * y - z) * (x * y - z)",
  "x * x * x * y",
  "x * x * x * x / z",
  "x * y / z",
  "x / y / z",
  "x / (y / z)",
  "x / (y * z)",
  "x * y * z / (x + y)",
  "(x + y) * (x - y)",
  "(x + y + z) / (x - y)",
  "1 / (x - y)",
  "1 / x - 1 / y",
  "z / x - z / y",
  "z / (x * x)",
  "z / (x * x * x)",
  "(x / y) * (y / z) * (z / x)",
  "x * (y / x)",
  "(x - y) * 3 - (x - y) * 2",
  "2 * x * y - 3 * y * z",
  "(2 * x - 2 * y) * (z / 4)",
  "x * y - y * z + z * x",
  "-(x - y) * -(y - x)",
  "(x / z - y / z) * z",
  "(x * z - y * z) / z",
  "x * 1e150 / 1e150",
  "x / 1e150 * y * 1e150",
  "(x - y) / (x + y)",
  "((x - y) / (x + y)) * ((x - y) / (x + y))",
  "(1 - x / y) * z",
  "(x * x - y * y) / z",
  "(x - 1) * (y - 2) * z",
  "x / (1 + y * y)",
  "y / (x / (1 + x))",
  "(z - x * (y / x)) * x",
];
/** Loops over elements a of xs and b of ys; s is carried, z is an argument. */
const LOOPS = [
  "s + (a - b) * (a - b)",
  "s + (a - b) * z",
  "s + a * b - z * b",
  "s + (a - b) / z",
  "s + z / (a - b)",
  "s * a + b",
  "s * (a / b) + z",
  "(s - a) * b",
  "s + a * z * b * z",
  "s / a + b * z",
  "s + (a - z) * (a - z) * (b - z)",
  "(s + a * b) / z",
];

/** Sums, products and quotients of x, y and z. */
function randomStraight(seed: number): string {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const make = (depth: number): string => {
    if (depth === 0) return pick(["x", "y", "z", "x", "y", "z", "2", "0.5", "3"]);
    const operand = (): string => make(Math.floor(random() * depth));
    return `(${operand()} ${pick(["+", "-", "-", "*", "*", "/"])} ${make(depth - 1)})`;
  };
  return `x * ${make(2 + (seed % 3))} - ${make(2)}`;
}

const EPSILON = 2 ** -53;
const NORMAL = 2 ** -1022;

// a program as a list of operations -------------------------------------------------------------

/** A constant has no operands; an input has its position. */
interface Operation {
  readonly op: "+" | "-" | "*" | "/" | "input" | "constant";
  readonly operands: readonly number[];
  readonly value: number;
}

class Tape {
  readonly operations: Operation[] = [];

  put(op: Operation["op"], operands: readonly number[], value: number): number {
    return this.operations.push({ op, operands, value }) - 1;
  }

  combine(op: "+" | "-" | "*" | "/", left: number, right: number): number {
    const [x, z] = [this.valueOf(left), this.valueOf(right)];
    const value = op === "+" ? x + z : op === "-" ? x - z : op === "*" ? x * z : x / z;
    return this.put(op, [left, right], value);
  }

  valueOf = (at: number): number => this.operations[at]?.value ?? NaN;

  /** Records an expression; `names` are the places of its variables. */
  record(text: string, names: Readonly<Record<string, number>>): number {
    const tokens = text.match(/[\d.]+(?:e\d+)?|\w+|[-+*/()]/g) ?? [];
    let at = 0;
    const atom = (): number => {
      const token = tokens[at++] ?? "";
      if (token === "(") {
        const inside = sum();
        at++;
        return inside;
      }
      if (token === "-") return this.combine("*", this.put("constant", [], -1), atom());
      return names[token] ?? this.put("constant", [], Number(token));
    };
    const chain = (next: () => number, ops: readonly string[]): number => {
      let left = next();
      for (let op = tokens[at]; op !== undefined && ops.includes(op); op = tokens[at]) {
        at++;
        left = this.combine(op as "+", left, next());
      }
      return left;
    };
    const product = (): number => chain(atom, ["*", "/"]);
    const sum = (): number => chain(product, ["+", "-"]);
    return sum();
  }
}

/** Arithmetic of one kind of numbers. */
interface Arithmetic<N> {
  readonly of: (value: number) => N;
  readonly mul: (x: N, z: N) => N;
  readonly div: (x: N, z: N) => N;
  readonly neg: (x: N) => N;
  readonly add: (x: N, z: N) => N;
}
const DOUBLES: Arithmetic<number> = {
  of: (x) => x,
  mul: (x, z) => x * z,
  div: (x, z) => x / z,
  neg: (x) => -x,
  add: (x, z) => x + z,
};
const EXACT: Arithmetic<Fixed> = { of: fixed, mul, div, neg: (x) => -x, add: (x, z) => x + z };
/** Sums of the sizes of all products: what rounding is measured against. */
const SIZES: Arithmetic<Fixed> = { ...EXACT, of: (x) => abs(fixed(x)), neg: (x) => x };

/** The adjoints of all operations as one writes them by hand. */
function adjoints<N>(tape: Tape, result: number, n: Arithmetic<N>): readonly N[] {
  const bars = tape.operations.map((_, i) => n.of(i === result ? 1 : 0));
  const add = (to: number, part: N): void => {
    bars[to] = n.add(bars[to] ?? n.of(0), part);
  };
  for (let i = result; i >= 0; i--) {
    const { op, operands, value } = tape.operations[i] ?? { op: "input", operands: [], value: 0 };
    const [bar, [left = 0, right = 0]] = [bars[i] ?? n.of(0), operands];
    const [x, z] = [n.of(tape.valueOf(left)), n.of(tape.valueOf(right))];
    if (op === "+" || op === "-") {
      add(left, bar);
      add(right, op === "+" ? bar : n.neg(bar));
    } else if (op === "*") {
      add(left, n.mul(bar, z));
      add(right, n.mul(bar, x));
    } else if (op === "/") {
      add(left, n.div(bar, z));
      add(right, n.neg(n.mul(n.div(bar, z), n.of(value))));
    }
  }
  return bars;
}

const isInRange = (x: number): boolean => Number.isFinite(x) && (x === 0 || Math.abs(x) > NORMAL);

/** Whether a value is in range, and no product or quotient of what is not 0 became 0. */
const isRounded = ({ op, operands, value }: Operation, tape: Tape): boolean =>
  isInRange(value) &&
  (value !== 0 || (op !== "*" && op !== "/") || operands.some((at) => tape.valueOf(at) === 0));

/** What is wrong with a gradient; null where the adjoint by hand leaves the range of doubles. */
function faultOf(tape: Tape, result: number, found: readonly unknown[]): string | null {
  const byHand = adjoints(tape, result, DOUBLES);
  if (!byHand.every(isInRange) || !tape.operations.every((own) => isRounded(own, tape)))
    return null;
  const exact = adjoints(tape, result, EXACT);
  const sizes = adjoints(tape, result, SIZES);
  // each operation rounds its slope, the product with it, and a sum of cotangents
  const allowed = 4 * tape.operations.length * EPSILON;
  const isNear = (own: unknown, i: number): boolean =>
    typeof own === "number" &&
    Number.isFinite(own) &&
    abs(fixed(own) - (exact[i] ?? 0n)) <= mul(fixed(allowed), sizes[i] ?? 0n) + fixed(NORMAL);
  // products within it became 0
  if (!byHand.every(isNear)) return null;
  return found
    .flatMap((own, i) =>
      isNear(own, i) ? [] : [`${i}: ${String(own)}, by hand ${byHand[i] ?? 0}`],
    )
    .join("; ");
}

// programs and points ---------------------------------------------------------------------------

const near = (x: number, digits: number): number => x * (1 + 2 ** -digits);
const POINTS: readonly (readonly [number, number, number])[] = [
  [1.3, 0.7, -2.9],
  [1.1e150, 0.9e-150, 1.7],
  [0.9e-150, 1.1e150, 3.1e-150],
  [2.3e150, 1.7e150, 1.9e150],
  [2.3e-150, 1.7e-150, 1.9e-150],
  [2 - 2 ** -52, 2 + 2 ** -51, 1 + 2 ** -52],
  [1 / 3, near(1 / 3, 50), near(1 / 3, 49)],
  [1e150 / 3, near(1e150 / 3, 45), 1e-150],
  [1e-150 / 7, near(1e-150 / 7, 48), 1e150],
  [near(-7e75, 40), -7e75, 1e80],
  [1e-75, 3e-75, near(1e-75, 51)],
];
const LENGTH = 3;

interface Program {
  readonly code: string;
  readonly isLoop: boolean;
}
const RANDOM = Array.from({ length: 100 }, (_, seed) => randomStraight(seed + 1));
const PROGRAMS: readonly Program[] = [
  ...[...STRAIGHT, ...RANDOM].map((code) => ({ code, isLoop: false })),
  ...LOOPS.map((code) => ({ code, isLoop: true })),
].filter(({ code }) => sampled(code, 4));

const textOf = ({ code, isLoop }: Program, i: number): string =>
  isLoop
    ? `export const r${i} = grad((xs: number[], ys: number[], z: number): number => { let s = z; for (let i = 0; i < xs.length; i++) { const a = xs[i]!, b = ys[i]!; s = ${code}; } return s; }, { argnums: [0, 1, 2] });`
    : `export const r${i} = grad((x: number, y: number, z: number): number => ${code}, { argnums: [0, 1, 2] });`;

/** The points of a loop: elements that differ by little. */
const elements = (x: number): readonly number[] =>
  Array.from({ length: LENGTH }, (_, k) => x * (1 + k * 2 ** -44));

function recorded({ code, isLoop }: Program, [x, y, z]: readonly [number, number, number]) {
  const tape = new Tape();
  const input = (value: number): number => tape.put("input", [], value);
  if (!isLoop) {
    const names = { x: input(x), y: input(y), z: input(z) };
    return { tape, result: tape.record(code, names), args: [x, y, z] };
  }
  const [xs, ys] = [elements(x), elements(y)];
  const [as, bs] = [xs.map(input), ys.map(input)];
  const last = input(z);
  const result = as.reduce((s, a, k) => tape.record(code, { s, a, b: bs[k] ?? 0, z: last }), last);
  return { tape, result, args: [xs, ys, z] };
}

describe("gradients keep the digits of an adjoint by hand", () => {
  const { exports } = built(`import { grad } from "tsgrad";\n${PROGRAMS.map(textOf).join("\n")}`);
  let compared = 0;
  it.each(PROGRAMS.map((program, i) => [program.code, program, i] as const))(
    "%s",
    (_, program, i) => {
      const form = exports[`r${i}`];
      const bad = POINTS.flatMap((point) => {
        const { tape, result, args } = recorded(program, point);
        const found: unknown =
          typeof form === "function" ? Reflect.apply(form, undefined, args) : null;
        const fault = faultOf(tape, result, Array.isArray(found) ? found.flat() : []);
        if (fault !== null) compared++;
        return fault === null || fault === "" ? [] : [`at ${point.join()}: ${fault}`];
      });
      expect(bad).toEqual([]);
    },
  );
  it("compares most programs at several points", () => {
    expect(compared).toBeGreaterThan(3 * PROGRAMS.length);
  });
});
