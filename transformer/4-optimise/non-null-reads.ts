// Non-null assertions. A load whose value is only ever unwrapped gets the unwrapped type, and
// emission writes `!` after it. Invariant: the value is never tested for `undefined`, nor used in
// another way.
//   t: num? = load m[k]; v: num = unwrap t   ->   t: num = load m[k]; v: num = copy t

import { withBody, withStmts } from "../ir/rebuilt.ts";
import { sameType } from "../ir/print.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import type { Body, Expr, Func, Stmt, Var } from "../ir/types.ts";
import { mapBodies, walkAtoms, walkStmts } from "../ir/visit.ts";

export function nonNullReads(func: Func, types: Types): Func {
  const found = onlyUnwrapped(func.body, types);
  return found.size === 0 ? func : withBody(func, inBody(func.body, found));
}

type Found = ReadonlyMap<string, Var>;

/** Optional numbers that only `unwrap` uses, with the type that they are unwrapped to. */
function onlyUnwrapped(body: Body, types: Types): Found {
  const found = new Map<string, Var>();
  const otherReads = new Map<string, number>();
  walkStmts(body, (stmt) => {
    if (
      stmt.kind === "let" &&
      stmt.bind.type.kind === "opt" &&
      stmt.bind.type.of.kind === "num" &&
      isAsserted(stmt.expr, types)
    )
      found.set(stmt.bind.name, { ...stmt.bind, type: stmt.bind.type.of });
  });
  if (found.size === 0) return found;
  const count = (name: string, by: number): void => {
    if (found.has(name)) otherReads.set(name, (otherReads.get(name) ?? 0) + by);
  };
  walkAtoms(body, (atom) => {
    if (atom.kind === "var") count(atom.name, 1);
  });
  walkStmts(body, (stmt) => {
    if (isUnwrapOf(stmt, found)) count(stmt.expr.value.name, -1);
  });
  return new Map([...found].filter(([name]) => otherReads.get(name) === 0));
}

/** Whether emission writes `!` after the expression where its type is a number. */
const isAsserted = (expr: Expr, types: Types): boolean =>
  expr.kind === "removeLast" ||
  (expr.kind === "load" &&
    expr.key.kind === "index" &&
    resolve(expr.object.type, types).kind === "dict");

type UnwrapOf = Stmt & {
  readonly kind: "let";
  readonly expr: { readonly kind: "unwrap"; readonly value: Var };
};

function isUnwrapOf(stmt: Stmt, found: Found): stmt is UnwrapOf {
  if (stmt.kind !== "let" || stmt.expr.kind !== "unwrap" || stmt.expr.value.kind !== "var")
    return false;
  const one = found.get(stmt.expr.value.name);
  return one !== undefined && sameType(one.type, stmt.bind.type);
}

const inBody = (body: Body, found: Found): Body =>
  withStmts(
    body,
    body.stmts.map((stmt): Stmt => {
      if (isUnwrapOf(stmt, found))
        return {
          ...stmt,
          expr: { kind: "copy", atom: found.get(stmt.expr.value.name) ?? stmt.expr.value },
        };
      if (stmt.kind === "let") return { ...stmt, bind: found.get(stmt.bind.name) ?? stmt.bind };
      return mapBodies(stmt, (nested) => inBody(nested, found));
    }),
  );
