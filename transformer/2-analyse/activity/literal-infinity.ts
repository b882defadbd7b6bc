// Numbers that may be infinite because of a literal `Infinity`, as in the margin of a table. A rule
// multiplies such a number with its seed, which is 0 where the slope is (`Math.exp(-Infinity /
// k)`), and 0 * Infinity is NaN. Parameters and carried values count as finite.

import type { Atom, Body, Expr, Let } from "../../ir/types.ts";
import { exprAtoms, stmtAtoms, walkStmts } from "../../ir/visit.ts";
import { elements, isRegion, joins, initialContents, placeOfStore } from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import type { Region } from "../memory/region.ts";

export function literalInfinitiesIn(body: Body, memory: Memory): (atom: Atom) => boolean {
  let names: ReadonlySet<string> | null = null;
  return (atom) =>
    isInfinity(atom) || (atom.kind === "var" && (names ??= namesIn(body, memory)).has(atom.name));
}

const isInfinity = (atom: Atom): boolean =>
  atom.kind === "const" && (atom.value === Infinity || atom.value === -Infinity);

function namesIn(body: Body, memory: Memory): ReadonlySet<string> {
  const names = new Set<string>();
  const regions = new Set<Region>();
  if (!mentionsInfinity(body)) return names;
  const has = (atom: Atom | undefined): boolean =>
    atom !== undefined && (isInfinity(atom) || (atom.kind === "var" && names.has(atom.name)));
  const holds = (region: Region | null): boolean => region !== null && regions.has(region.find());
  const put = (region: Region | null): void => {
    if (region !== null) regions.add(region.find());
  };
  for (let before = -1; before !== names.size + regions.size;) {
    before = names.size + regions.size;
    walkStmts(body, (stmt) => {
      if (stmt.kind === "if")
        for (const [from, to] of joins(stmt))
          if (has(from) && to.kind === "var") names.add(to.name);
      if (
        (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill") &&
        has(stmt.value)
      )
        put(placeOfStore(stmt, memory));
      if (stmt.kind !== "let") return;
      for (const [value, place] of initialContents(stmt, memory))
        if (isRegion(value) ? holds(value) : has(value)) put(place);
      if (isDerived(stmt, has, holds, memory)) names.add(stmt.bind.name);
    });
  }
  return names;
}

const mentionsInfinity = (body: Body): boolean => {
  let found = false;
  walkStmts(body, (stmt) => {
    found ||=
      stmtAtoms(stmt).some(isInfinity) ||
      (stmt.kind === "let" && exprAtoms(stmt.expr).some(isInfinity)) ||
      (stmt.kind === "if" && [...stmt.then.result, ...stmt.else.result].some(isInfinity));
  });
  return found;
};

function isDerived(
  { bind, expr }: Let,
  has: (atom: Atom | undefined) => boolean,
  holds: (region: Region | null) => boolean,
  memory: Memory,
): boolean {
  if (bind.type.kind !== "num" && !(bind.type.kind === "opt" && bind.type.of.kind === "num"))
    return false;
  switch (expr.kind) {
    case "copy":
      return has(expr.atom);
    case "unwrap":
      return has(expr.value);
    case "load":
      return holds(memory.placeAt(expr.object, expr.key));
    case "removeLast":
      return holds(elements(expr.object, memory));
    case "op":
      return passingOperands(expr).some(has);
    default:
      return false;
  }
}

/** Operands that make a result infinite. `min` and `max` count as finite: margins lose. */
function passingOperands({ op, args }: Expr & { kind: "op" }): readonly (Atom | undefined)[] {
  switch (op) {
    case "neg":
    case "add":
    case "sub":
    case "mul":
      return args;
    case "div":
      return args.slice(0, 1);
    case "select":
      return args.slice(1);
    default:
      return [];
  }
}
