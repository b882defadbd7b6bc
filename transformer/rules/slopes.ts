// Whether the slope of an operator may be infinite or NaN. It is found by running the row of the
// table on a grid of operands that holds the ends of all domains. Input: operator, position,
// operands, of which constants are fixed. Invariant: a row reads its operands only through `v`.

import { bool, Builder, num, NUM, isConst } from "../ir/build.ts";
import { Names } from "../ir/names.ts";
import { OPS, type ScalarOp } from "../ir/ops.ts";
import type { Atom } from "../ir/types.ts";
import { partialOf, type RuleValues } from "./rule.ts";
import { SCALAR } from "./scalar.ts";

/**
 * "total": finite for all operands, as that of `max`. "finite": for finite operands. "unbounded":
 * wherever the value is finite. "steep": not even there, as that of `sqrt` at 0.
 */
export type Slope = "total" | "finite" | "unbounded" | "steep";

export const isUnbounded = (slope: Slope): boolean => slope === "unbounded" || slope === "steep";

/** Ends of domains, and points inside and outside. */
const SMALL = [0, 0.5, -0.5, 1, -1, 2, -2];
/** Finite operands: exponentials of some overflow. */
const FINITE = [...SMALL, 1000, -1000];
/** Exponentials of one of the two overflow. */
const LARGE = [1e4, -1e4];
/** Far from both ends of the range of numbers. */
const HUGE = 1e150;
const OTHERS = [Infinity, -Infinity, NaN];

const known = new Map<string, Slope>();
const knownValues = new Map<string, boolean>();

/** The kind of slope by argument `i`. */
export function slopeOf(op: ScalarOp, i: number, args: readonly Atom[]): Slope {
  const key = `${i} ${keyOf(op, args)}`;
  const found = known.get(key) ?? slopeOnGrid(op, i, args);
  known.set(key, found);
  return found;
}

/** Whether the value may be infinite or NaN although the operands are finite and small. */
export function hasPole(op: ScalarOp, args: readonly Atom[]): boolean {
  return remembered(keyOf(op, args), () =>
    gridOf(args, SMALL).some((at) => !isFiniteValue(op, at)),
  );
}

/** Whether a slope is infinite because the value overflows, as that of `exp`. */
export function mayOverflow(op: ScalarOp, i: number, args: readonly Atom[]): boolean {
  return remembered(`overflow ${i} ${keyOf(op, args)}`, () => {
    const poles = (values: readonly number[]): boolean =>
      gridOf(args, values).some((at) => Math.abs(slopeAt(op, i, args, at)) === Infinity);
    return !poles(SMALL) && poles(LARGE);
  });
}

/** Whether a slope falls faster than its infinite operand grows, as that of `1 / z` or `tanh`. */
export function isFlatAtInfinity(op: ScalarOp, i: number, args: readonly Atom[]): boolean {
  return remembered(`flat ${i} ${keyOf(op, args)}`, () => {
    const at = (x: number): readonly number[] =>
      args.map((arg, k) => (k === i ? x : arg.kind === "const" ? Number(arg.value) : 1));
    const falls = (x: number): boolean =>
      Math.abs(slopeAt(op, i, args, at(x)) * x) < 1 / HUGE ** 0.5;
    return falls(HUGE) && slopeAt(op, i, args, at(Infinity)) === 0;
  });
}

function remembered(key: string, find: () => boolean): boolean {
  const found = knownValues.get(key) ?? find();
  knownValues.set(key, found);
  return found;
}

const keyOf = (op: ScalarOp, args: readonly Atom[]): string =>
  `${op} ${args.map((arg) => (arg.kind === "const" ? keyOfConstant(op, arg.value) : "x")).join()}`;

/** Operators whose slopes are alike for all constants of ordinary size. */
const LINEAR: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["add", "sub", "mul"]);
const ORDINARY = 1e100;

const keyOfConstant = (op: ScalarOp, value: unknown): string =>
  LINEAR.has(op) &&
  typeof value === "number" &&
  Math.abs(value) < ORDINARY &&
  Math.abs(value) > 1 / ORDINARY
    ? "k"
    : String(value);

const isFiniteValue = (op: ScalarOp, at: readonly number[]): boolean =>
  Number.isFinite(Number(OPS[op].eval(at)));

function slopeOnGrid(op: ScalarOp, i: number, args: readonly Atom[]): Slope {
  const isPole = (at: readonly number[]): boolean => !Number.isFinite(slopeAt(op, i, args, at));
  const poles = gridOf(args, FINITE).filter(isPole);
  if (poles.length > 0) return poles.some((at) => isFiniteValue(op, at)) ? "steep" : "unbounded";
  return gridOf(args, [...FINITE, ...OTHERS]).some(isPole) ? "finite" : "total";
}

/** Points at which one operand varies, and all others together. */
function gridOf(args: readonly Atom[], values: readonly number[]): readonly (readonly number[])[] {
  const others = args.length > 1 ? values : [0];
  return args.flatMap((_, own) =>
    values.flatMap((x) =>
      others.map((z) =>
        args.map((arg, k) => (arg.kind === "const" ? Number(arg.value) : k === own ? x : z)),
      ),
    ),
  );
}

/** Evaluates the operations of a row as it makes them. */
class Evaluation extends Builder {
  readonly #values: ReadonlyMap<string, number>;

  constructor(values: ReadonlyMap<string, number>) {
    super(new Names([]), { file: "", start: 0, end: 0 }, true);
    this.#values = values;
  }

  numberOf(atom: Atom): unknown {
    return atom.kind === "var"
      ? this.#values.get(atom.name)
      : atom.kind === "const"
        ? atom.value
        : NaN;
  }

  override op(op: ScalarOp, ...args: readonly Atom[]): Atom {
    const value = OPS[op].eval(args.map((arg) => this.numberOf(arg)));
    return typeof value === "boolean" ? bool(value) : num(Number(value));
  }
}

const RESULT: Atom = { kind: "var", name: "y", type: NUM };

function slopeAt(op: ScalarOp, i: number, args: readonly Atom[], at: readonly number[]): number {
  const partial = partialOf(SCALAR[op], i, args.length);
  if (partial === null) return 0;
  const operands = args.map((arg, k): Atom =>
    arg.kind === "const" ? arg : { kind: "var", name: `x${k}`, type: NUM },
  );
  const arg = (k: number): Atom => operands[k] ?? RESULT;
  const b = new Evaluation(
    new Map([["y", Number(OPS[op].eval(at))], ...at.map((x, k) => [`x${k}`, x] as const)]),
  );
  const values: RuleValues = {
    x: arg(0),
    z: arg(1),
    y: RESULT,
    arg,
    isConstant: (k, value) => isConst(args[k], value),
  };
  return Number(b.numberOf(partial(b, values, num(1))));
}
