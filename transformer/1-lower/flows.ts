// Where values go within lowered functions. In: a function. Out: each value with the type of the place that takes it, and where that is.
// Invariant: what is written, joined, returned or handed to a function of the program is listed; what the standard library or code that runs as it stands is handed is not.

import { resolve, type Types } from "../ir/shadow.ts";
import { elementType, placeType } from "../ir/type-of.ts";
import type { Atom, Expr, Func, Origin, Stmt, Type } from "../ir/types.ts";
import { unreachable, walkStmts } from "../ir/visit.ts";

export interface Flow {
  readonly value: Atom;
  readonly to: Type;
  readonly origin: Origin;
}

export function flowsOf(func: Func, types: Types, funcs: ReadonlyMap<string, Func>): readonly Flow[] {
  const found: Flow[] = [];
  const labels = new Map<string, Type>();
  const take = (origin: Origin): Take => (value, to) => {
    if (value !== null && value !== undefined && to !== null && to !== undefined) found.push({ value, to, origin });
  };
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "scope" && stmt.bind !== null) labels.set(stmt.label, stmt.bind.type);
    takeStmt(stmt, types, funcs, take(stmt.origin));
    if (stmt.kind === "return") take(stmt.origin)(stmt.value, labels.get(stmt.label) ?? func.result);
  });
  take(func.origin)(func.body.result[0], func.result);
  return found;
}

type Take = (value: Atom | null | undefined, to: Type | null | undefined) => void;

function takeStmt(stmt: Stmt, types: Types, funcs: ReadonlyMap<string, Func>, take: Take): void {
  switch (stmt.kind) {
    case "let": return takeExpr(stmt.expr, stmt.bind.type, types, funcs, take);
    case "store": return take(stmt.value, placeType(stmt.object.type, stmt.key, types));
    case "append": case "fill": return take(stmt.value, elementType(stmt.object.type, types));
    case "declare": return take(stmt.init, stmt.variable.type);
    case "assign": return take(stmt.value, stmt.variable.type);
    case "if": return stmt.binds.forEach(({ type }, i) => { take(stmt.then.result[i], type); take(stmt.else.result[i], type); });
    case "scope": return take(stmt.body.result[0], stmt.bind?.type);
    case "return": case "accum": case "push": case "reserve": case "for": case "while": case "throw": case "break": case "continue": case "loop": return;
    default: return unreachable(stmt);
  }
}

function takeExpr(expr: Expr, bind: Type, types: Types, funcs: ReadonlyMap<string, Func>, take: Take): void {
  const shape = resolve(bind, types);
  switch (expr.kind) {
    case "copy": return take(expr.atom, bind);
    case "call": return funcs.get(expr.callee)?.params.forEach(({ type }, i) => take(expr.args[i], type));
    case "array": return expr.parts.forEach(({ atom, spread }) => take(atom, spread ? bind : elementType(bind, types)));
    case "alloc": return take(expr.fill, elementType(bind, types));
    case "tuple": return expr.elems.forEach((elem, i) => take(elem, shape.kind === "tuple" ? shape.elems[i] : null));
    case "record": return expr.fields.forEach(({ name, value }) => take(value, placeType(bind, { kind: "field", name }, types)));
    case "op": case "load": case "length": case "present": case "unwrap": case "slice": case "zeros": case "clone": case "extern": case "removeLast": case "newTape": case "pop":
    case "rewind": case "lambda": return;
    default: return unreachable(expr);
  }
}
