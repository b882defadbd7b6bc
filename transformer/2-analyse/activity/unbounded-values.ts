// Numbers that may be infinite or NaN: results of operators that are not finite everywhere, as
// reciprocals of what may be 0; numbers that the program tests for being finite; and all numbers
// computed from these. Other parameters and loaded numbers count as finite.

import type { FunctionFacts } from "../../ir/facts.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Expr, Let } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { hasPole } from "../../rules/slopes.ts";

type Op = Expr & { kind: "op" };

export function unboundedIn(
  body: Body,
  lets: ReadonlyMap<string, Let>,
): Pick<FunctionFacts, "mayBeInfinite" | "mayBeZero" | "isQuotient"> {
  let bounds: Bounds | null = null;
  const mayBeZero = (atom: Atom): boolean => !(bounds ??= new Bounds(body, lets)).isNonzero(atom);
  return {
    mayBeInfinite: (atom) => (bounds ??= new Bounds(body, lets)).isInfinite(atom),
    mayBeZero,
    isQuotient: (atom) => {
      const expr = atom.kind === "var" ? lets.get(atom.name)?.expr : undefined;
      const divisor = expr?.kind === "op" && expr.op === "div" ? expr.args[1] : undefined;
      return divisor !== undefined && mayBeZero(divisor);
    },
  };
}

class Bounds {
  readonly #lets: ReadonlyMap<string, Let>;
  readonly #known = new Map<string, boolean>();

  constructor(body: Body, lets: ReadonlyMap<string, Let>) {
    this.#lets = lets;
    for (const tested of testedIn(body)) this.#note(tested);
  }

  /** A number that the program tests, and those that it is computed from. */
  #note(atom: Atom): void {
    if (atom.kind !== "var" || this.#known.get(atom.name) === true) return;
    this.#known.set(atom.name, true);
    const expr = this.#exprOf(atom);
    if (expr?.kind === "op") expr.args.forEach((arg) => this.#note(arg));
    else if (expr?.kind === "copy") this.#note(expr.atom);
    else if (expr?.kind === "unwrap") this.#note(expr.value);
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

  #isInfiniteOp({ op, args, masks }: Op): boolean {
    if (masks === true) return args.some((arg) => this.isInfinite(arg));
    if (op === "select" || OPS[op].result !== "num") return false;
    return args.some((arg) => this.isInfinite(arg)) || !this.#isBounded(op, args);
  }

  /** Whether the result is finite if the operands are. */
  #isBounded(op: ScalarOp, args: readonly Atom[]): boolean {
    if (!hasPole(op, args)) return true;
    const [x, z] = args;
    switch (op) {
      // quotients of numbers that vary are too common for a test of each
      case "div":
        return x?.kind === "var" || (z !== undefined && this.isNonzero(z));
      case "mod":
        return true;
      case "log":
      case "log2":
      case "log10":
        return x !== undefined && this.isNonzero(x);
      case "sqrt":
      case "pow":
        return x !== undefined && this.#isNonnegative(x);
      default:
        return false;
    }
  }

  /** Whether it cannot be 0, as `1 + Math.exp(x)` cannot. */
  isNonzero(atom: Atom): boolean {
    if (atom.kind === "const") return typeof atom.value === "number" && atom.value !== 0;
    const expr = this.#exprOf(atom);
    if (expr?.kind === "copy") return this.isNonzero(expr.atom);
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
        return this.isNonzero(x);
      default:
        return z !== undefined && this.#isNonzeroPair(op, x, z);
    }
  }

  #isNonzeroPair(op: Op["op"], x: Atom, z: Atom): boolean {
    switch (op) {
      case "mul":
        return this.isNonzero(x) && this.isNonzero(z);
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
      : this.isNonzero(atom) && this.#isNonnegative(atom);
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
        return isSame(x, z) || this.#areNonnegative(x, z);
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

const isSame = (x: Atom | undefined, z: Atom | undefined): boolean =>
  x?.kind === "var" && z?.kind === "var" && x.name === z.name;

/** Numbers that the program compares with themselves or with infinity, or asks for being NaN. */
function testedIn(body: Body): readonly Atom[] {
  const found: Atom[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "op" || stmt.adjoint === true) return;
    const { op, args } = stmt.expr;
    const [x, z] = args;
    if (
      op === "isNaN" ||
      op === "isFinite" ||
      (OPS[op].result === "bool" && (args.some(isInfinity) || isSame(x, z)))
    )
      found.push(...args);
  });
  return found;
}

const isInfinity = (atom: Atom): boolean =>
  atom.kind === "const" && (atom.value === Infinity || atom.value === -Infinity);
