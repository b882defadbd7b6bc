// Sums of two multiples of one product. The result is one of the operands, scaled, or null.
//   a * (r * r) + (a * r) * 2 * r   ->   3 * (a * (r * r))
// Invariant: for cotangent code, which may be reassociated. The scale is exact in few digits and
// not 0, so NaN and infinities survive.

import { num } from "../../ir/build.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom, Expr } from "../../ir/types.ts";
import { atomKey, isNumber, sameAtom } from "../atoms.ts";

/** The operator application that bound an atom, if one did. */
export type Definition = (
  atom: Atom,
) => { readonly op: ScalarOp; readonly args: readonly Atom[] } | null;

/** An atom, a cheaper operator application, or null where nothing simpler is known. */
export type Simpler = Atom | (Expr & { readonly kind: "op" }) | null;

/** Limit on the factors of a product. */
const MOST = 12;

/** A constant times factors. */
interface Product {
  readonly constant: number;
  /** Sorted keys of the factors; those of divisors begin with `1/`. */
  readonly factors: readonly string[];
  /** Operations from the factors to the product. */
  readonly operations: number;
}

/** `x + sign * z`. */
export function likeTerms(x: Atom, z: Atom, sign: 1 | -1, definition: Definition): Simpler {
  if (sameAtom(x, z) || isNumber(x) || isNumber(z)) return null;
  const [one, other] = [productOf(x, definition), productOf(z, definition)];
  if (
    one === null ||
    other === null ||
    one.factors.length !== other.factors.length ||
    one.factors.some((factor, i) => factor !== other.factors[i])
  )
    return null;
  const sum = one.constant + sign * other.constant;
  const [base, by] =
    one.operations <= other.operations ? [x, sum / one.constant] : [z, sum / other.constant];
  if (by === 0 || !Number.isInteger(by * 8)) return null;
  return by === 1
    ? base
    : by === -1
      ? { kind: "op", op: "neg", args: [base] }
      : { kind: "op", op: "mul", args: [num(by), base] };
}

function productOf(atom: Atom, definition: Definition): Product | null {
  if (isNumber(atom)) return { constant: atom.value, factors: [], operations: 0 };
  const def = definition(atom);
  const [x, z] = def?.args ?? [];
  if (def === null || x === undefined || !isProduct(def.op, x, z))
    return { constant: 1, factors: [atomKey(atom)], operations: 0 };
  const first = productOf(x, definition);
  if (first === null) return null;
  const operations = first.operations + 1;
  if (z === undefined) return { ...first, constant: -first.constant, operations };
  if (def.op === "add") return { ...first, constant: 2 * first.constant, operations };
  if (def.op === "div")
    return bounded({ ...first, factors: [...first.factors, `1/${atomKey(z)}`], operations });
  const second = productOf(z, definition);
  return second === null
    ? null
    : bounded({
        constant: first.constant * second.constant,
        factors: [...first.factors, ...second.factors],
        operations: operations + second.operations,
      });
}

/** Whether an operation multiplies: `x + x` doubles, `-x` scales by -1. */
const isProduct = (op: ScalarOp, x: Atom, z: Atom | undefined): boolean =>
  op === "mul" ||
  op === "div" ||
  op === "neg" ||
  (op === "add" && z !== undefined && sameAtom(x, z));

const bounded = (product: Product): Product | null =>
  product.factors.length > MOST ? null : { ...product, factors: product.factors.toSorted() };
