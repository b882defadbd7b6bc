// Sums of two multiples of one product. In: the two atoms, and how to look up what an atom was computed from. Out: one of them, scaled; null where they are not multiples
// of the same factors.
//   a * (r * r) + (a * r) * 2 * r   ->   3 * (a * (r * r))
// Invariant: for cotangent code, which may be associated otherwise; the factor is exact in few digits and not 0, so nothing that is not finite is lost.

import { num } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import type { Definition, Simpler } from "./algebra.ts";
import { atomKey, isNumber, sameAtom } from "../atoms.ts";

/** More factors than this are not looked through. */
const MOST = 12;

/** A constant times factors. */
interface Product {
  readonly constant: number;
  /** Keys of the factors, sorted; with `1/` in front those that are divided by. */
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
  const [kept, by] =
    one.operations <= other.operations ? [x, sum / one.constant] : [z, sum / other.constant];
  if (by === 0 || !Number.isInteger(by * 8)) return null;
  return by === 1
    ? kept
    : by === -1
      ? { kind: "op", op: "neg", args: [kept] }
      : { kind: "op", op: "mul", args: [num(by), kept] };
}

function productOf(atom: Atom, definition: Definition): Product | null {
  if (isNumber(atom)) return { constant: atom.value, factors: [], operations: 0 };
  const made = definition(atom);
  const [x, z] = made?.args ?? [];
  const isDouble = made?.op === "add" && x !== undefined && z !== undefined && sameAtom(x, z);
  const isProduct = isDouble || made?.op === "neg" || made?.op === "mul" || made?.op === "div";
  if (x === undefined || !isProduct)
    return { constant: 1, factors: [atomKey(atom)], operations: 0 };
  const first = productOf(x, definition);
  const second =
    first === null || z === undefined || made.op !== "mul" ? null : productOf(z, definition);
  if (first === null || z === undefined)
    return first === null
      ? null
      : { ...first, constant: -first.constant, operations: first.operations + 1 };
  if (isDouble) return { ...first, constant: 2 * first.constant, operations: first.operations + 1 };
  if (made.op === "div")
    return bounded({
      ...first,
      factors: [...first.factors, `1/${atomKey(z)}`],
      operations: first.operations + 1,
    });
  return second === null
    ? null
    : bounded({
        constant: first.constant * second.constant,
        factors: [...first.factors, ...second.factors],
        operations: first.operations + second.operations + 1,
      });
}

const bounded = (product: Product): Product | null =>
  product.factors.length > MOST ? null : { ...product, factors: product.factors.toSorted() };
