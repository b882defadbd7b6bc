// Which numbers may be infinite, or none, though what they are made of is finite: reciprocals of what may be 0, and all that is made of them. In: what names are bound to. Out: a test of
// atoms. A rule that reads such a number multiplies it with its seed, which must not be an exact 0 of a choice that fell on something else. Invariant: says no where nothing is known; a
// number that comes in, or from memory, is taken for finite.

import type { Atom, Let } from "../../ir/types.ts";

export function infiniteIn(lets: ReadonlyMap<string, Let>): (atom: Atom) => boolean {
  const known = new Map<string, boolean>();
  const find = (atom: Atom): boolean => {
    if (atom.kind === "const")
      return typeof atom.value === "number" && !Number.isFinite(atom.value);
    const expr = atom.kind === "var" ? lets.get(atom.name)?.expr : undefined;
    if (expr?.kind === "copy") return isInfinite(expr.atom);
    if (expr?.kind !== "op") return false;
    const [x, z] = expr.args;
    switch (expr.op) {
      case "div":
        return (
          (x?.kind === "const" && z !== undefined && !isPositive(z)) ||
          (x !== undefined && isInfinite(x))
        );
      case "log":
      case "log2":
      case "log10":
        return x !== undefined && !isPositive(x);
      case "neg":
      case "add":
      case "sub":
      case "mul":
      case "min":
      case "max":
        return expr.args.some(isInfinite);
      default:
        return false;
    }
  };
  const isInfinite = (atom: Atom): boolean => {
    if (atom.kind !== "var") return find(atom);
    const found = known.get(atom.name) ?? find(atom);
    known.set(atom.name, found);
    return found;
  };
  /** Whether it cannot be 0, as `1 + Math.exp(x)` cannot. */
  const isPositive = (atom: Atom): boolean => {
    if (atom.kind === "const") return typeof atom.value === "number" && atom.value !== 0;
    const expr = atom.kind === "var" ? lets.get(atom.name)?.expr : undefined;
    if (expr?.kind === "copy") return isPositive(expr.atom);
    if (expr?.kind !== "op") return false;
    const [x, z] = expr.args;
    if (x === undefined) return false;
    switch (expr.op) {
      case "exp":
      case "cosh":
        return true;
      case "neg":
      case "abs":
      case "sqrt":
        return isPositive(x);
      case "mul":
      case "max":
        return (
          z !== undefined &&
          (expr.op === "mul" ? isPositive(x) && isPositive(z) : [x, z].some(isAbove))
        );
      case "add":
        return z !== undefined && ((isAbove(x) && isNotBelow(z)) || (isAbove(z) && isNotBelow(x)));
      default:
        return false;
    }
  };
  const isAbove = (atom: Atom): boolean =>
    atom.kind === "const"
      ? typeof atom.value === "number" && atom.value > 0
      : isPositive(atom) && isNotBelow(atom);
  const isNotBelow = (atom: Atom): boolean => {
    if (atom.kind === "const") return typeof atom.value === "number" && atom.value >= 0;
    const expr = atom.kind === "var" ? lets.get(atom.name)?.expr : undefined;
    if (expr?.kind === "copy") return isNotBelow(expr.atom);
    if (expr?.kind === "length") return true;
    if (expr?.kind !== "op") return false;
    const [x, z] = expr.args;
    switch (expr.op) {
      case "exp":
      case "cosh":
      case "abs":
      case "sqrt":
        return true;
      case "mul":
        return (
          x !== undefined &&
          z !== undefined &&
          ((x.kind === "var" && z.kind === "var" && x.name === z.name) ||
            (isNotBelow(x) && isNotBelow(z)))
        );
      case "pow":
        return z?.kind === "const" && typeof z.value === "number" && z.value % 2 === 0;
      case "add":
      case "div":
        return x !== undefined && z !== undefined && isNotBelow(x) && isNotBelow(z);
      case "max":
        return expr.args.some(isNotBelow);
      default:
        return false;
    }
  };
  return isInfinite;
}
