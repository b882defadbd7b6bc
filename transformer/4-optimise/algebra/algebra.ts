// Rewrites of one operator application. The result is an atom, a cheaper operator application, or
// null. Invariant: primal arithmetic keeps every bit. Cotangent arithmetic is simplified as real
// numbers are, and 0 absorbs.

import { bool, num } from "../../ir/build.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Expr } from "../../ir/types.ts";
import { isNumber, isTruth, isValue, sameAtom } from "../atoms.ts";
import { type Definition, likeTerms, type Simpler } from "./like-terms.ts";

const op = (name: ScalarOp, ...args: readonly Atom[]): Expr & { readonly kind: "op" } => ({
  kind: "op",
  op: name,
  args,
});

export function simplerOp(
  name: ScalarOp,
  args: readonly Atom[],
  adjoint: boolean,
  definition: Definition,
): Simpler {
  const logical = simplerLogic(name, args, definition);
  if (logical !== null) return logical;
  return adjoint
    ? (folded(name, args) ?? simplerArithmetic(name, args, definition))
    : foldedWhole(name, args);
}

// Truth values: the same in primal and cotangent code ---------------------------------------------

function simplerLogic(name: ScalarOp, args: readonly Atom[], definition: Definition): Simpler {
  const [x, z, w] = args;
  if (x === undefined) return null;
  if (OPS[name].result === "bool" && args.every((arg) => arg.kind === "const")) {
    const value = OPS[name].eval(args.map((arg) => arg.value));
    return typeof value === "boolean" ? bool(value) : null;
  }
  switch (name) {
    case "not":
      return simplerNot(definition(x));
    case "and":
    case "or":
      return z === undefined || x.type.kind !== "bool" ? null : junction(x, z, name === "and");
    case "select":
      return z === undefined || w === undefined ? null : simplerSelect(x, z, w);
    default:
      return null;
  }
}

function simplerNot(inner: ReturnType<Definition>): Simpler {
  // not (not x)   ->   x
  if (inner?.op === "not" && inner.args[0]?.type.kind === "bool") return inner.args[0];
  // not (x === z)   ->   x !== z, and the reverse
  if (inner?.op === "eq") return op("ne", ...inner.args);
  return inner?.op === "ne" ? op("eq", ...inner.args) : null;
}

// true && z   ->   z;   false && z   ->   false;   x && x   ->   x;   for `||` with `unit` false
function junction(x: Atom, z: Atom, unit: boolean): Atom | null {
  if (isTruth(x, unit)) return z;
  if (isTruth(x, !unit)) return x;
  if (isTruth(z, !unit)) return z;
  return isTruth(z, unit) || sameAtom(x, z) ? x : null;
}

// select true x z   ->   x;   select c x x   ->   x
function simplerSelect(cond: Atom, then: Atom, otherwise: Atom): Simpler {
  if (isTruth(cond, true)) return then;
  if (isTruth(cond, false)) return otherwise;
  if (sameAtom(then, otherwise)) return then;
  // select c true false   ->   c
  if (isTruth(then, true) && isTruth(otherwise, false)) return cond;
  if (isTruth(then, false) && isTruth(otherwise, true)) return op("not", cond);
  return null;
}

// Cotangents --------------------------------------------------------------------------------------

const FOLDED: ReadonlySet<ScalarOp> = new Set<ScalarOp>([
  "add",
  "sub",
  "mul",
  "div",
  "mod",
  "neg",
  "max",
  "min",
]);

/** Folds constants. A quotient is folded only to an integer, so that the source stays short. */
function folded(name: ScalarOp, args: readonly Atom[]): Atom | null {
  if (!FOLDED.has(name) || !args.every(isNumber)) return null;
  const value = OPS[name].eval(args.map((arg) => arg.value));
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  return name === "div" && !Number.isInteger(value) ? null : num(value);
}

// 2 * 3 + 1   ->   7 in primal code; safe integers only, so that fractions stay as written
function foldedWhole(name: ScalarOp, args: readonly Atom[]): Atom | null {
  const value = args.every((arg) => isNumber(arg) && Number.isSafeInteger(arg.value))
    ? folded(name, args)
    : null;
  return value !== null &&
    isNumber(value) &&
    Number.isSafeInteger(value.value) &&
    !Object.is(value.value, -0)
    ? value
    : null;
}

function simplerArithmetic(name: ScalarOp, args: readonly Atom[], definition: Definition): Simpler {
  const [x, z] = args;
  if (x === undefined) return null;
  if (name === "neg") return simplerNeg(x, definition);
  if (z === undefined) return null;
  switch (name) {
    case "mul":
      return simplerMul(x, z, definition);
    case "add":
      return simplerAdd(x, z, definition);
    case "sub":
      return simplerSub(x, z, definition);
    case "div":
      return simplerDiv(x, z, definition);
    default:
      return null;
  }
}

/** `x`, where the atom is `-x`. */
function negated(atom: Atom, definition: Definition): Atom | null {
  if (isNumber(atom)) return atom.value < 0 ? num(-atom.value) : null;
  const inner = definition(atom);
  return inner?.op === "neg" ? (inner.args[0] ?? null) : null;
}

function simplerNeg(x: Atom, definition: Definition): Simpler {
  const inner = definition(x);
  const [first, second] = inner?.args ?? [];
  // -(-x)   ->   x
  if (inner?.op === "neg") return first ?? null;
  if (inner === null || first === undefined || second === undefined) return null;
  // -(x - z)   ->   z - x
  if (inner.op === "sub") return op("sub", second, first);
  if (inner.op !== "mul" && inner.op !== "div") return null;
  // -((-x) * z)   ->   x * z, and likewise of quotients
  const plusFirst = negated(first, definition);
  if (plusFirst !== null) return op(inner.op, plusFirst, second);
  const plusSecond = negated(second, definition);
  return plusSecond === null ? null : op(inner.op, first, plusSecond);
}

// 0 * x   ->   0;   1 * x   ->   x;   -1 * x   ->   -x
function simplerMul(x: Atom, z: Atom, definition: Definition): Simpler {
  if (isValue(x, 0) || isValue(z, 0)) return num(0);
  if (isValue(x, 1)) return z;
  if (isValue(z, 1)) return x;
  if (isValue(x, -1)) return op("neg", z);
  if (isValue(z, -1)) return op("neg", x);
  return rescaled(x, z, definition) ?? rescaled(z, x, definition) ?? withoutSigns(x, z, definition);
}

// (-x) * (-z)   ->   x * z;   c * (-x)   ->   (-c) * x
function withoutSigns(x: Atom, z: Atom, definition: Definition): Simpler {
  const minusX = isNumber(x) ? null : negated(x, definition);
  const minusZ = isNumber(z) ? null : negated(z, definition);
  if (minusX !== null && minusZ !== null) return op("mul", minusX, minusZ);
  if (minusX !== null && isNumber(z)) return op("mul", minusX, num(-z.value));
  if (minusZ !== null && isNumber(x)) return op("mul", num(-x.value), minusZ);
  return null;
}

// c * (d * x)   ->   (c * d) * x, where the product of the constants is exact in few digits
function rescaled(factor: Atom, product: Atom, definition: Definition): Simpler {
  const inner = definition(product);
  const [first, second] = inner?.args ?? [];
  if (!isNumber(factor) || inner?.op !== "mul" || first === undefined || second === undefined)
    return null;
  const other = isNumber(first) ? second : first;
  const constant = isNumber(first) ? first : second;
  if (!isNumber(constant) || !Number.isInteger(constant.value * factor.value * 8)) return null;
  return op("mul", num(constant.value * factor.value), other);
}

// 0 + x   ->   x
function simplerAdd(x: Atom, z: Atom, definition: Definition): Simpler {
  if (isValue(x, 0)) return z;
  if (isValue(z, 0)) return x;
  // x + (-z)   ->   x - z
  const minusZ = negated(z, definition);
  if (minusZ !== null) return op("sub", x, minusZ);
  const minusX = negated(x, definition);
  if (minusX !== null) return op("sub", z, minusX);
  // x + x   ->   2 * x
  if (sameAtom(x, z)) return op("mul", num(2), x);
  return (
    cancelled("sub", x, z, definition) ??
    cancelled("sub", z, x, definition) ??
    likeTerms(x, z, 1, definition)
  );
}

// (x + z) - z   ->   x;   (x - z) + z   ->   x, where x depends on z, so that NaN survives
function cancelled(by: "add" | "sub", sum: Atom, z: Atom, definition: Definition): Atom | null {
  const inner = definition(sum);
  const [left, right] = inner?.args ?? [];
  if (inner?.op !== by || left === undefined || right === undefined || isNumber(z)) return null;
  const rest = sameAtom(right, z) ? left : by === "add" && sameAtom(left, z) ? right : null;
  return rest !== null && dependsOn(rest, z, definition, DEEPEST) ? rest : null;
}

/** Limit on the operations between a term and what it depends on. */
const DEEPEST = 3;

const dependsOn = (atom: Atom, on: Atom, definition: Definition, depth: number): boolean =>
  sameAtom(atom, on) ||
  (depth > 0 &&
    (definition(atom)?.args ?? []).some((arg) => dependsOn(arg, on, definition, depth - 1)));

// x - 0   ->   x;   0 - x   ->   -x
function simplerSub(x: Atom, z: Atom, definition: Definition): Simpler {
  if (isValue(z, 0)) return x;
  if (isValue(x, 0)) return op("neg", z);
  // x - (-z)   ->   x + z
  const minusZ = negated(z, definition);
  if (minusZ !== null) return op("add", x, minusZ);
  return cancelled("add", x, z, definition) ?? likeTerms(x, z, -1, definition);
}

// 0 / x   ->   0;   x / 1   ->   x;   x / -1   ->   -x;   (-x) / (-z)   ->   x / z
function simplerDiv(x: Atom, z: Atom, definition: Definition): Simpler {
  if (isValue(x, 0)) return num(0);
  if (isValue(z, 1)) return x;
  if (isValue(z, -1)) return op("neg", x);
  const minusX = isNumber(x) ? null : negated(x, definition);
  const minusZ = isNumber(z) ? null : negated(z, definition);
  if (minusX !== null && minusZ !== null) return op("div", minusX, minusZ);
  return null;
}
