// Whether a function writes an argument, or a part of it. In: a function, its parameter, the memory graphs. Out: the answer. Invariant: unsure means that it does.

import type { Atom, Expr, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { isScalarType, resolve, type Types } from "../../ir/shadow.ts";
import { exprAtoms, walkStmts } from "../../ir/visit.ts";
import { joins } from "./flow.ts";
import type { Memory } from "./memory.ts";
import type { Region } from "./region.ts";

/**
 * Whether something is written that is the argument or a part of it, by the name of the argument or what is taken from it. The graph makes one what a name may mean: of a function that gives back its argument or a list that it has filled, it says that
 * both are written. Here names are followed from where the argument comes in.
 */
export function mayWrite(
  func: Func,
  param: Var,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
  open: ReadonlySet<string> = new Set(),
): boolean {
  const memory = graphs.get(func.name);
  const key = `${func.name} ${param.name}`;
  if (open.has(key)) return false;
  if (memory === undefined) return true;
  const names = new Set([param.name]);
  const holders = new Set<Region>();
  const isIn = (atom: Atom): boolean => atom.kind === "var" && names.has(atom.name);
  const isFlat = (type: Type): boolean => {
    const list = resolve(type, types);
    return list.kind === "array" && isScalarType(list.elem);
  };
  const holds = (atom: Atom): void => {
    const region = memory.region(atom);
    if (region !== null) holders.add(region);
  };
  const isHeld = (atom: Atom): boolean => {
    const region = memory.region(atom);
    return isIn(atom) || (region !== null && holders.has(region));
  };
  const follow = (stmt: Stmt): void => {
    for (const [from, to] of joins(stmt)) if (isIn(from) && to.kind === "var") names.add(to.name);
    if (
      (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill") &&
      isIn(stmt.value)
    )
      holds(stmt.object);
    if (stmt.kind === "push" && isIn(stmt.value)) holds(stmt.tape);
    if (stmt.kind !== "let") return;
    const { bind, expr } = stmt;
    const atoms = exprAtoms(expr);
    // numbers are no part of anything, and a copy of a list of numbers has none of its parts
    if (
      isScalarType(bind.type) ||
      (expr.kind === "slice" && isFlat(expr.object.type)) ||
      (expr.kind === "array" &&
        expr.parts.every(({ spread, atom }) =>
          spread ? isFlat(atom.type) : isScalarType(atom.type),
        ))
    )
      return;
    const isLiteral =
      expr.kind === "array" ||
      expr.kind === "tuple" ||
      expr.kind === "record" ||
      expr.kind === "alloc";
    if (!atoms.some(isLiteral ? isIn : isHeld)) return;
    if (isLiteral || expr.kind === "slice" || expr.kind === "clone") holds(bind);
    else names.add(bind.name);
    if (expr.kind === "call") atoms.forEach(holds);
  };
  for (let before = -1; before < names.size + holders.size;) {
    before = names.size + holders.size;
    walkStmts(func.body, follow);
  }
  const inside = new Set([...open, key]);
  const writes = ({ callee, args }: Expr & { readonly kind: "call" }): boolean =>
    args.some((arg, i) => {
      const called = graphs.get(callee)?.func;
      const own = called?.params[i];
      return (
        isHeld(arg) &&
        (called === undefined || own === undefined || mayWrite(called, own, graphs, types, inside))
      );
    });
  let found = false;
  walkStmts(func.body, (stmt) => {
    if (
      stmt.kind === "store" ||
      stmt.kind === "append" ||
      stmt.kind === "fill" ||
      stmt.kind === "accum"
    )
      found ||= isIn(stmt.object);
    if (stmt.kind !== "let") return;
    const { expr } = stmt;
    if (expr.kind === "removeLast") found ||= isIn(expr.object);
    if (expr.kind === "extern" && expr.effect === "io") found ||= expr.args.some(isHeld);
    if (expr.kind === "call") found ||= writes(expr);
    if (expr.kind === "lambda") found = true;
  });
  return found;
}
