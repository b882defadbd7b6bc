// Whether a function may write an argument or a part of it. Follows names from the parameter on,
// since the points-to graph merges too much: in a function that returns either its argument or an
// array that it has filled, the graph says that both are written. Unsure means yes.

import type { Atom, Func, Let, Stmt, Type, Var } from "../../ir/types.ts";
import { isScalarType, resolve, type Types } from "../../ir/shadow.ts";
import { exprAtoms, walkStmts } from "../../ir/visit.ts";
import { joins } from "./flow.ts";
import type { Memory } from "./memory.ts";
import type { Region } from "./region.ts";

/** `met`: parameters that the search has met. */
export function mayWrite(
  func: Func,
  param: Var,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
  met = new Set<string>(),
): boolean {
  const memory = graphs.get(func.name);
  const key = `${func.name} ${param.name}`;
  if (met.has(key)) return false;
  if (memory === undefined) return true;
  const parts = new Parts(param, memory, types);
  parts.follow(func);
  met.add(key);
  const isWrittenByCall = (callee: string, args: readonly Atom[]): boolean => {
    const called = graphs.get(callee)?.func;
    return args.some((arg, i) => {
      const own = called?.params[i];
      return (
        parts.reaches(arg) &&
        (called === undefined || own === undefined || mayWrite(called, own, graphs, types, met))
      );
    });
  };
  let found = false;
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let") found ||= letWrites(stmt, parts, isWrittenByCall);
    if (
      stmt.kind === "store" ||
      stmt.kind === "append" ||
      stmt.kind === "fill" ||
      stmt.kind === "accum"
    )
      found ||= parts.has(stmt.object);
  });
  return found;
}

function letWrites(
  { expr }: Let,
  parts: Parts,
  isWrittenByCall: (callee: string, args: readonly Atom[]) => boolean,
): boolean {
  switch (expr.kind) {
    case "removeLast":
      return parts.has(expr.object);
    case "extern":
      return expr.effect === "io" && expr.args.some((arg) => parts.reaches(arg));
    case "call":
      return isWrittenByCall(expr.callee, expr.args);
    case "lambda":
      return true;
    default:
      return false;
  }
}

/** The names that may refer to parts of a parameter, and the objects that hold such parts. */
class Parts {
  readonly #names: Set<string>;
  readonly #holders = new Set<Region>();
  readonly #memory: Memory;
  readonly #types: Types;

  constructor(param: Var, memory: Memory, types: Types) {
    this.#names = new Set([param.name]);
    this.#memory = memory;
    this.#types = types;
  }

  follow({ body }: Func): void {
    const size = (): number => this.#names.size + this.#holders.size;
    for (let before = -1; before < size();) {
      before = size();
      walkStmts(body, (stmt) => {
        this.#follow(stmt);
      });
    }
  }

  has(atom: Atom): boolean {
    return atom.kind === "var" && this.#names.has(atom.name);
  }

  /** Whether the object is a part or may hold one. */
  reaches(atom: Atom): boolean {
    const region = this.#memory.region(atom);
    return this.has(atom) || (region !== null && this.#holders.has(region));
  }

  #hold(atom: Atom): void {
    const region = this.#memory.region(atom);
    if (region !== null) this.#holders.add(region);
  }

  #follow(stmt: Stmt): void {
    for (const [from, to] of joins(stmt))
      if (this.has(from) && to.kind === "var") this.#names.add(to.name);
    switch (stmt.kind) {
      case "store":
      case "append":
      case "fill":
        if (this.has(stmt.value)) this.#hold(stmt.object);
        return;
      case "push":
        if (this.has(stmt.value)) this.#hold(stmt.tape);
        return;
      case "let":
        return this.#followLet(stmt);
      default:
        return;
    }
  }

  #followLet(stmt: Let): void {
    const { bind, expr } = stmt;
    if (isScalarType(bind.type) || this.#isCopyOfNumbers(stmt)) return;
    const atoms = exprAtoms(expr);
    const isLiteral =
      expr.kind === "array" ||
      expr.kind === "tuple" ||
      expr.kind === "record" ||
      expr.kind === "alloc";
    if (!atoms.some((atom) => (isLiteral ? this.has(atom) : this.reaches(atom)))) return;
    if (isLiteral || expr.kind === "slice" || expr.kind === "clone") this.#hold(bind);
    else this.#names.add(bind.name);
    if (expr.kind === "call") for (const atom of atoms) this.#hold(atom);
  }

  /** A copy of an array of numbers shares no part with it. */
  #isCopyOfNumbers({ expr }: Let): boolean {
    return (
      (expr.kind === "slice" && this.#isFlat(expr.object.type)) ||
      (expr.kind === "array" &&
        expr.parts.every(({ spread, atom }) =>
          spread ? this.#isFlat(atom.type) : isScalarType(atom.type),
        ))
    );
  }

  #isFlat(type: Type): boolean {
    const array = resolve(type, this.#types);
    return array.kind === "array" && isScalarType(array.elem);
  }
}
