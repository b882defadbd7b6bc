// Numbers that may be infinite or NaN although their operands are finite: reciprocals and
// logarithms of what may be 0, and values computed from them. A rule multiplies such a number with
// its seed, which must not be the exact 0 of a branch not taken. Parameters and loaded numbers
// count as finite; unsure means finite.

import type { Atom, Expr, Let } from "../../ir/types.ts";

type Op = Expr & { kind: "op" };

/** Operators whose result is unbounded where an operand is. */
const PASSING: ReadonlySet<Op["op"]> = new Set<Op["op"]>([
  "neg",
  "add",
  "sub",
  "mul",
  "min",
  "max",
]);

export function unboundedIn(lets: ReadonlyMap<string, Let>): (atom: Atom) => boolean {
  const bounds = new Bounds(lets);
  return (atom) => bounds.isInfinite(atom);
}

class Bounds {
  readonly #lets: ReadonlyMap<string, Let>;
  readonly #known = new Map<string, boolean>();

  constructor(lets: ReadonlyMap<string, Let>) {
    this.#lets = lets;
  }

  isInfinite(atom: Atom): boolean {
    if (atom.kind !== "var")
      return (
        atom.kind === "const" && typeof atom.value === "number" && !Number.isFinite(atom.value)
      );
    const known = this.#known.get(atom.name);
    if (known !== undefined) return known;
    const expr = this.#lets.get(atom.name)?.expr;
    const found =
      expr?.kind === "copy"
        ? this.isInfinite(expr.atom)
        : expr?.kind === "op" && this.#isInfiniteOp(expr);
    this.#known.set(atom.name, found);
    return found;
  }

  #isInfiniteOp({ op, args }: Op): boolean {
    const [x, z] = args;
    switch (op) {
      case "div":
        if (x?.kind === "const" && z !== undefined && !this.#isNonzero(z)) return true;
        return x !== undefined && this.isInfinite(x);
      case "log":
      case "log2":
      case "log10":
        return x !== undefined && !this.#isNonzero(x);
      default:
        return PASSING.has(op) && args.some((arg) => this.isInfinite(arg));
    }
  }

  /** Whether it cannot be 0, as `1 + Math.exp(x)` cannot. */
  #isNonzero(atom: Atom): boolean {
    if (atom.kind === "const") return typeof atom.value === "number" && atom.value !== 0;
    const expr = this.#exprOf(atom);
    if (expr?.kind === "copy") return this.#isNonzero(expr.atom);
    return expr?.kind === "op" && this.#isNonzeroOp(expr);
  }

  #isNonzeroOp({ op, args: [x, z] }: Op): boolean {
    if (x === undefined) return false;
    switch (op) {
      case "exp":
      case "cosh":
        return true;
      case "neg":
      case "abs":
      case "sqrt":
        return this.#isNonzero(x);
      default:
        return z !== undefined && this.#isNonzeroPair(op, x, z);
    }
  }

  #isNonzeroPair(op: Op["op"], x: Atom, z: Atom): boolean {
    switch (op) {
      case "mul":
        return this.#isNonzero(x) && this.#isNonzero(z);
      case "max":
        return this.#isPositive(x) || this.#isPositive(z);
      case "add":
        return (
          (this.#isPositive(x) && this.#isNonnegative(z)) ||
          (this.#isPositive(z) && this.#isNonnegative(x))
        );
      default:
        return false;
    }
  }

  #isPositive(atom: Atom): boolean {
    return atom.kind === "const"
      ? typeof atom.value === "number" && atom.value > 0
      : this.#isNonzero(atom) && this.#isNonnegative(atom);
  }

  #isNonnegative(atom: Atom): boolean {
    if (atom.kind === "const") return typeof atom.value === "number" && atom.value >= 0;
    const expr = this.#exprOf(atom);
    if (expr?.kind === "copy") return this.#isNonnegative(expr.atom);
    return expr?.kind === "length" || (expr?.kind === "op" && this.#isNonnegativeOp(expr));
  }

  #isNonnegativeOp({ op, args }: Op): boolean {
    const [x, z] = args;
    switch (op) {
      case "exp":
      case "cosh":
      case "abs":
      case "sqrt":
        return true;
      case "pow":
        return z?.kind === "const" && typeof z.value === "number" && z.value % 2 === 0;
      case "max":
        return args.some((arg) => this.#isNonnegative(arg));
      case "mul":
        return isSquare(x, z) || this.#areNonnegative(x, z);
      case "add":
      case "div":
        return this.#areNonnegative(x, z);
      default:
        return false;
    }
  }

  #areNonnegative(x: Atom | undefined, z: Atom | undefined): boolean {
    return x !== undefined && z !== undefined && this.#isNonnegative(x) && this.#isNonnegative(z);
  }

  #exprOf(atom: Atom): Expr | undefined {
    return atom.kind === "var" ? this.#lets.get(atom.name)?.expr : undefined;
  }
}

const isSquare = (x: Atom | undefined, z: Atom | undefined): boolean =>
  x?.kind === "var" && z?.kind === "var" && x.name === z.name;
