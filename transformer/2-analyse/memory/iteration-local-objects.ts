// Objects that a loop iteration allocates and that do not escape it, by the names bound to the
// allocations. A region merges what a variable holds in turn (`layer = input`, then `layer =
// next`); names keep `next` and `input` apart. Unsure means that the object escapes.

import { isAllocation } from "../../ir/effects.ts";
import {
  freeVars,
  memoised,
  stmtAtoms,
  stmtBodies,
  unreachable,
  walkStmts,
} from "../../ir/visit.ts";
import type { Atom, Body, Let, Stmt, Type } from "../../ir/types.ts";
import { isAggregate } from "./region.ts";

export const iterationLocalObjects: (body: Body) => ReadonlySet<string> = memoised((body) => {
  const flow = new Flow();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && isAllocation(stmt.expr)) flow.made.add(stmt.bind.name);
  });
  for (const atom of body.result) flow.leaves(atom);
  walkStmts(body, (stmt) => {
    note(stmt, flow);
  });
  return flow.kept();
});

/** The names that an allocation flows to, and the objects that it is stored into. */
class Flow {
  readonly made = new Set<string>();
  /** Backward edges: the names whose object a name may be, or may reach. */
  readonly #from = new Map<string, string[]>();
  readonly #left = new Set<string>();

  goes(from: Atom | undefined, to: Atom | undefined): void {
    if (from?.kind !== "var" || to?.kind !== "var" || !isObject(from.type) || !isObject(to.type))
      return;
    const known = this.#from.get(to.name);
    if (known === undefined) this.#from.set(to.name, [from.name]);
    else known.push(from.name);
  }

  leaves(atom: Atom): void {
    if (atom.kind === "var" && isObject(atom.type)) this.#left.add(atom.name);
  }

  /** `value` is stored into `object`, which may have escaped. */
  into(object: Atom, value: Atom): void {
    if (object.kind === "var" && this.made.has(object.name)) this.goes(value, object);
    else this.leaves(value);
  }

  kept(): ReadonlySet<string> {
    const left = new Set(this.#left);
    for (const name of left) for (const before of this.#from.get(name) ?? []) left.add(before);
    return new Set([...this.made].filter((name) => !left.has(name)));
  }
}

const isObject = (type: Type): boolean => isAggregate(type) || type.kind === "func";

// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
function note(stmt: Stmt, flow: Flow): void {
  switch (stmt.kind) {
    case "let":
      return noteLet(stmt, flow);
    case "store":
    case "append":
    case "fill":
      return flow.into(stmt.object, stmt.value);
    case "if":
      stmt.binds.forEach((bind, i) => {
        for (const { result } of [stmt.then, stmt.else]) flow.goes(result[i], bind);
      });
      return;
    case "for":
    case "while":
      stmt.carried.forEach(({ param, init }, i) => {
        for (const value of [init, stmt.body.result[i]])
          for (const to of [param, stmt.binds[i]]) flow.goes(value, to);
      });
      return;
    case "accum":
    case "reserve":
      return;
    case "push":
    case "throw":
    case "declare":
    case "assign":
    case "return":
    case "break":
    case "continue":
    case "scope":
    case "loop":
      for (const atom of stmtAtoms(stmt)) flow.leaves(atom);
      return;
    default:
      return unreachable(stmt);
  }
}

// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
function noteLet(stmt: Let, flow: Flow): void {
  const { bind, expr } = stmt;
  switch (expr.kind) {
    case "copy":
    case "unwrap":
    case "load":
    case "removeLast":
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
      for (const atom of stmtAtoms(stmt)) flow.goes(atom, bind);
      return;
    case "op":
    case "length":
    case "present":
    case "zeros":
    case "clone":
    case "newTape":
      return;
    case "call":
    case "extern":
    case "pop":
    case "rewind":
      for (const atom of stmtAtoms(stmt)) flow.leaves(atom);
      return;
    case "lambda":
      for (const inner of stmtBodies(stmt))
        for (const atom of freeVars(inner).values()) flow.leaves(atom);
      return;
    default:
      return unreachable(expr);
  }
}
