// Lists the value flows of a lowered function: writes, joins, returns, and arguments of program
// functions. Output: each value with its destination and the destination's type. Values that flow
// to the standard library or to extern code are not listed.

import { resolve, type Types } from "../ir/shadow.ts";
import { elementType, placeType } from "../ir/type-of.ts";
import type { Atom, Expr, Func, Key, Origin, Stmt, Type, Var } from "../ir/types.ts";
import { unreachable, walkStmts } from "../ir/visit.ts";

export interface Flow {
  readonly value: Atom;
  readonly to: Type;
  readonly origin: Origin;
  readonly destination: Destination;
}

/**
 * The destination of a value: a name, a place `key` of the object that a name holds (any element if
 * "elements"), or a parameter or the result of a function.
 */
export type Destination =
  | { readonly kind: "name"; readonly of: Atom }
  | { readonly kind: "place"; readonly of: Atom; readonly key: Key | "elements" }
  | { readonly kind: "param"; readonly func: string; readonly at: number }
  | { readonly kind: "result"; readonly func: string };

export function flowsOf(
  func: Func,
  types: Types,
  funcs: ReadonlyMap<string, Func>,
): readonly Flow[] {
  const found: Flow[] = [];
  const labels = new Map<string, Var>();
  const take =
    (origin: Origin): Take =>
    (value, to, into) => {
      if (value !== null && value !== undefined && to !== null && to !== undefined)
        found.push({ value, to, origin, destination: into });
    };
  const result: Destination = { kind: "result", func: func.name };
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "scope" && stmt.bind !== null) labels.set(stmt.label, stmt.bind);
    takeStmt(stmt, types, funcs, take(stmt.origin));
    if (stmt.kind !== "return") return;
    const bind = labels.get(stmt.label);
    take(stmt.origin)(
      stmt.value,
      bind?.type ?? func.result,
      bind === undefined ? result : named(bind),
    );
  });
  take(func.origin)(func.body.result[0], func.result, result);
  return found;
}

type Take = (
  value: Atom | null | undefined,
  to: Type | null | undefined,
  into: Destination,
) => void;

const named = (of: Var): Destination => ({ kind: "name", of });
const elements = (of: Atom): Destination => ({ kind: "place", of, key: "elements" });

// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
function takeStmt(stmt: Stmt, types: Types, funcs: ReadonlyMap<string, Func>, take: Take): void {
  switch (stmt.kind) {
    case "let":
      return takeExpr(stmt.expr, stmt.bind, types, funcs, take);
    case "store":
      return take(stmt.value, placeType(stmt.object.type, stmt.key, types), {
        kind: "place",
        of: stmt.object,
        key: stmt.key,
      });
    case "append":
    case "fill":
      return take(stmt.value, elementType(stmt.object.type, types), elements(stmt.object));
    case "declare":
      return take(stmt.init, stmt.variable.type, named(stmt.variable));
    case "assign":
      return take(stmt.value, stmt.variable.type, named(stmt.variable));
    case "if":
      return stmt.binds.forEach((bind, i) => {
        take(stmt.then.result[i], bind.type, named(bind));
        take(stmt.else.result[i], bind.type, named(bind));
      });
    case "scope":
      return stmt.bind === null
        ? undefined
        : take(stmt.body.result[0], stmt.bind.type, named(stmt.bind));
    case "return":
    case "accum":
    case "push":
    case "reserve":
    case "for":
    case "while":
    case "throw":
    case "break":
    case "continue":
    case "loop":
      return;
    default:
      return unreachable(stmt);
  }
}

// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
function takeExpr(
  expr: Expr,
  bind: Var,
  types: Types,
  funcs: ReadonlyMap<string, Func>,
  take: Take,
): void {
  const made = madeType(bind.type, types);
  const shape = resolve(made, types);
  const at = (name: string): Destination => ({
    kind: "place",
    of: bind,
    key: { kind: "field", name },
  });
  switch (expr.kind) {
    case "copy":
      return take(expr.atom, bind.type, named(bind));
    case "call":
      return funcs
        .get(expr.callee)
        ?.params.forEach(({ type }, i) =>
          take(expr.args[i], type, { kind: "param", func: expr.callee, at: i }),
        );
    case "array":
      return expr.parts.forEach(({ atom, spread }) =>
        spread
          ? take(atom, made, named(bind))
          : take(atom, elementType(made, types), elements(bind)),
      );
    case "alloc":
      return take(expr.fill, elementType(made, types), elements(bind));
    case "tuple":
      return expr.elems.forEach((elem, i) =>
        take(elem, shape.kind === "tuple" ? shape.elems[i] : null, at(String(i))),
      );
    case "record":
      return expr.fields.forEach(({ name, value }) =>
        take(value, placeType(made, { kind: "field", name }, types), at(name)),
      );
    case "op":
    case "load":
    case "length":
    case "present":
    case "unwrap":
    case "slice":
    case "zeros":
    case "clone":
    case "extern":
    case "removeLast":
    case "newTape":
    case "pop":
    case "rewind":
    case "lambda":
      return;
    default:
      return unreachable(expr);
  }
}

/** The type that a value for a place of this type is allocated with: the type without `opt`. */
function madeType(type: Type, types: Types): Type {
  const shape = resolve(type, types);
  return shape.kind === "opt" ? madeType(shape.of, types) : type;
}
