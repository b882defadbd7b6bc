// What a product is made of. In: an atom, and how to look up what it was computed from. Out: its factors and divisors, each with the way to it, and the product with some of
// them replaced or left out. Invariant: what is left out stands for 1; nothing is computed here, `Edited` says what would be.

import { num } from "../../ir/build.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Const } from "../../ir/types.ts";
import { isNumber, isValue } from "../atoms.ts";

/** An operation that bound a name. */
export interface Made {
  readonly op: ScalarOp;
  readonly args: readonly Atom[];
  readonly adjoint: boolean;
  /** The body that it stands in. */
  readonly body: Body;
}

export type Definition = (atom: Atom) => Made | null;

/** Which operand to go to, from operation to operation. */
export type Path = readonly number[];

/** `x` in `a * x`, the whole product included. */
export interface Factor {
  readonly kind: "factor" | "divisor";
  readonly atom: Atom;
  readonly path: Path;
}

/** The sign of `-x`: the way leads to the negation. */
export interface Sign {
  readonly kind: "sign";
  readonly path: Path;
}

export type Part = Factor | Sign;

/** Deeper, or with more parts, nobody looks. */
const DEEPEST = 6;
const MOST = 24;

export function partsOf(product: Atom, definition: Definition): readonly Part[] {
  const parts: Part[] = [];
  const visit = (atom: Atom, isDivisor: boolean, path: Path): void => {
    if (parts.length >= MOST) return;
    const made = path.length < DEEPEST ? definition(atom) : null;
    const isProduct = made?.op === "mul" || made?.op === "div";
    parts.push({ kind: isDivisor ? "divisor" : "factor", atom, path });
    if (made?.op === "neg") parts.push({ kind: "sign", path });
    if (made !== null && (isProduct || made.op === "neg"))
      made.args.forEach((arg, i) => {
        visit(arg, isDivisor !== (made.op === "div" && i === 1), [...path, i]);
      });
  };
  visit(product, false, []);
  return parts;
}

/** What is computed in place of a product. */
export type Edited =
  Atom | { readonly kind: "op"; readonly op: ScalarOp; readonly args: readonly Edited[] };

/** At the end of a way stands another atom; a sign goes, and its operand stays. */
export interface Change {
  readonly part: Part;
  readonly to: Atom;
}

export const ONE = num(1);

/** The product without a part, or with another atom in its place. */
export function changed(
  product: Atom,
  { part, to }: Change,
  definition: Definition,
  path: Path = part.path,
): Edited {
  const made = part.kind === "sign" || path.length > 0 ? definition(product) : null;
  const [at, ...rest] = path;
  if (at === undefined) return part.kind === "sign" ? (made?.args[0] ?? product) : to;
  if (made === null) return product;
  return combined(
    made.op,
    made.args.map((arg, i) => (i === at ? changed(arg, { part, to }, definition, rest) : arg)),
  );
}

/** An operation on what is there, where 1 needs none. */
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

export interface Prices {
  readonly made: Definition;
  freed(product: Atom, part: Part): number;
}

/** The product of the opposite sign, for no more than it costs now: without a sign, or with the opposite of a constant that is wanted. */
export function opposite(
  product: Atom,
  prices: Prices,
  isWanted: (constant: number) => boolean,
): Edited | null {
  for (const part of partsOf(product, prices.made)) {
    const constant =
      part.kind === "factor" && part.path.length > 0 && isConstant(part.atom)
        ? part.atom.value
        : null;
    if (part.kind !== "sign" && (constant === null || !isWanted(constant))) continue;
    const edited = changed(
      product,
      { part, to: constant === null ? ONE : num(-constant) },
      prices.made,
    );
    if (costOf(edited) <= prices.freed(product, part)) return edited;
  }
  return null;
}
