// The factors, divisors and signs that a product is made of, each with its path, and the product
// with some of them replaced. Invariant: nothing is computed here; an `Edited` describes what would
// be.

import { num } from "../../ir/build.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Const } from "../../ir/types.ts";
import { isNumber, isValue } from "../atoms.ts";

/** The operation that bound a name. */
export interface Computation {
  readonly op: ScalarOp;
  readonly args: readonly Atom[];
  readonly adjoint: boolean;
  /** The body that the operation stands in. */
  readonly body: Body;
}

export type Definition = (atom: Atom) => Computation | null;

/** The operand to follow at each operation. */
export type Path = readonly number[];

/** `x` in `a * x`, or the whole product. */
export interface Factor {
  readonly kind: "factor" | "divisor";
  readonly atom: Atom;
  readonly path: Path;
}

/** The sign of `-x`; the path leads to the negation. */
interface Sign {
  readonly kind: "sign";
  readonly path: Path;
}

export type Part = Factor | Sign;

/** Limits of the search. */
const DEEPEST = 6;
const MOST = 24;

export function partsOf(product: Atom, definition: Definition): readonly Part[] {
  const parts: Part[] = [];
  const visit = (atom: Atom, isDivisor: boolean, path: Path): void => {
    if (parts.length >= MOST) return;
    const def = path.length < DEEPEST ? definition(atom) : null;
    const isProduct = def?.op === "mul" || def?.op === "div";
    parts.push({ kind: isDivisor ? "divisor" : "factor", atom, path });
    if (def?.op === "neg") parts.push({ kind: "sign", path });
    if (def !== null && (isProduct || def.op === "neg"))
      def.args.forEach((arg, i) => {
        visit(arg, isDivisor !== (def.op === "div" && i === 1), [...path, i]);
      });
  };
  visit(product, false, []);
  return parts;
}

/** What is computed in place of a product. */
export type Edited =
  Atom | { readonly kind: "op"; readonly op: ScalarOp; readonly args: readonly Edited[] };

/** Replaces the atom at the end of a path. A sign is removed, and its operand stays. */
interface Change {
  readonly part: Part;
  readonly to: Atom;
}

export const ONE = num(1);

/** The product with the change applied. */
export function changed(
  product: Atom,
  { part, to }: Change,
  definition: Definition,
  path: Path = part.path,
): Edited {
  const def = part.kind === "sign" || path.length > 0 ? definition(product) : null;
  const [at, ...rest] = path;
  if (at === undefined) return part.kind === "sign" ? (def?.args[0] ?? product) : to;
  if (def === null) return product;
  return combined(
    def.op,
    def.args.map((arg, i) => (i === at ? changed(arg, { part, to }, definition, rest) : arg)),
  );
}

/** An operation, where a factor or divisor of 1 needs none. */
export function combined(op: ScalarOp, args: readonly Edited[]): Edited {
  const [x, z] = args;
  if (op === "mul" && x !== undefined && z !== undefined && isOne(x)) return z;
  if ((op === "mul" || op === "div") && x !== undefined && z !== undefined && isOne(z)) return x;
  if (op === "neg" && x?.kind === "const" && isNumber(x)) return num(-x.value);
  return { kind: "op", op, args };
}

const isOne = (edited: Edited): boolean => edited.kind !== "op" && isValue(edited, 1);

export const costOf = (edited: Edited): number =>
  edited.kind === "op"
    ? edited.args.reduce((sum, arg) => sum + costOf(arg), OPS[edited.op].cost)
    : 0;

export const computed = (op: ScalarOp, ...args: readonly Edited[]): Edited => ({
  kind: "op",
  op,
  args,
});

export const isConstant = (atom: Atom): atom is Const & { readonly value: number } =>
  isNumber(atom) && atom.value !== 0 && Number.isFinite(atom.value);

interface Prices {
  readonly definition: Definition;
  freed(product: Atom, part: Part): number;
}

/**
 * The negated product at no extra cost: without a sign, or with a factor negated that satisfies
 * `isWanted`; null if there is none.
 */
export function negatedProduct(
  product: Atom,
  prices: Prices,
  isWanted: (constant: number) => boolean,
): Edited | null {
  for (const part of partsOf(product, prices.definition)) {
    const constant =
      part.kind === "factor" && part.path.length > 0 && isConstant(part.atom)
        ? part.atom.value
        : null;
    if (part.kind !== "sign" && (constant === null || !isWanted(constant))) continue;
    const edited = changed(
      product,
      { part, to: constant === null ? ONE : num(-constant) },
      prices.definition,
    );
    if (costOf(edited) <= prices.freed(product, part)) return edited;
  }
  return null;
}
