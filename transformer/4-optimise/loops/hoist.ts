// Loop-invariant code motion for cotangent arithmetic, loads of what the loop does not write, and
// array literals that are only read. Invariant: a load moves only if its object is known to be
// defined, so that a loop without iterations throws nothing. Before differentiation loads of
// numbers stay ("stay"): the place may not exist if the loop has no iterations.
//   for i { ~ t = a * b; … }   ->   ~ t = a * b; for i { … }

import { withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt, While } from "../../ir/types.ts";
import {
  definedVars,
  exprAtoms,
  innerBinds,
  mapBodies,
  stmtBinds,
  walkAtoms,
  walkStmts,
} from "../../ir/visit.ts";
import { accesses, bodyAccesses, exprAccesses, interfere, type Access } from "../memory/access.ts";
import { Memory } from "../memory/memory.ts";

export function hoist(func: Func, types: Types, numbers: "stay" | "move"): Func {
  const memory = Memory.of(func, types);
  const state: State = { memory, movesNumbers: numbers === "move" };
  const defined = new Set(
    func.params
      .filter((param) => param.type.kind !== "opt" && memory.isAggregate(param.type))
      .map((param) => param.name),
  );
  return withBody(func, hoistBody(func.body, defined, state));
}

interface State {
  readonly memory: Memory;
  readonly movesNumbers: boolean;
}

/** `defined`: names of objects that cannot be undefined at the current statement. */
function hoistBody(body: Body, defined: Set<string>, state: State): Body {
  const { memory } = state;
  const stmts: Stmt[] = [];
  for (const stmt of body.stmts) {
    const inner = mapBodies(stmt, (nested) => hoistBody(nested, new Set(defined), state));
    const isLoop = inner.kind === "for" || inner.kind === "while";
    for (const one of isLoop ? split(inner, defined, state) : [inner]) {
      stmts.push(one);
      noteDefined(one, defined, memory);
    }
  }
  return withStmts(body, stmts);
}

/** An object is defined once it is allocated, read from, written to or measured. */
function noteDefined(stmt: Stmt, defined: Set<string>, memory: Memory): void {
  const own =
    stmt.kind === "let"
      ? exprAccesses(stmt.expr, stmt.bind.type)
      : stmt.kind === "store" || stmt.kind === "accum"
        ? accesses(stmt)
        : [];
  for (const one of own)
    if (one.object?.kind === "var" && one.part.kind !== "deep") defined.add(one.object.name);
  if (
    stmt.kind === "let" &&
    isMade(stmt.expr) &&
    memory.isAggregate(stmt.bind.type) &&
    stmt.bind.type.kind !== "opt"
  )
    defined.add(stmt.bind.name);
}

/** Whether a value of an object type is surely an object. Elements of arrays may be undefined. */
function isMade(expr: Expr): boolean {
  return (
    !(expr.kind === "load" && expr.key.kind === "index") &&
    expr.kind !== "removeLast" &&
    expr.kind !== "copy" &&
    expr.kind !== "extern"
  );
}

/** The loop-invariant statements of a loop, and the loop without them. */
function split(loop: For | While, defined: ReadonlySet<string>, state: State): readonly Stmt[] {
  const inside = new Set(
    [
      ...innerBinds(loop),
      ...definedVars(loop.body),
      ...(loop.kind === "while" ? definedVars(loop.test) : []),
    ].map((bind) => bind.name),
  );
  const writes = [
    ...bodyAccesses(loop.body),
    ...(loop.kind === "while" ? bodyAccesses(loop.test) : []),
  ].filter((one) => one.write);
  const before: Let[] = [];
  const remaining: Stmt[] = [];
  for (const stmt of loop.body.stmts) {
    if (
      stmt.kind === "let" &&
      (isInvariant(stmt, inside, { writes, defined }, state) || isSameList(stmt, inside, loop))
    ) {
      before.push(stmt);
      for (const bind of stmtBinds(stmt)) inside.delete(bind.name);
    } else remaining.push(stmt);
  }
  return before.length === 0
    ? [loop]
    : [...before, { ...loop, body: { ...loop.body, stmts: remaining } }];
}

function isInvariant(
  stmt: Let,
  inside: ReadonlySet<string>,
  {
    writes,
    defined,
  }: { readonly writes: readonly Access[]; readonly defined: ReadonlySet<string> },
  { memory, movesNumbers }: State,
): boolean {
  const { expr } = stmt;
  if (exprAtoms(expr).some((atom) => atom.kind === "var" && inside.has(atom.name))) return false;
  if (expr.kind === "op") return stmt.adjoint === true;
  if (expr.kind !== "load" && expr.kind !== "length") return false;
  if (!movesNumbers && stmt.adjoint !== true && !memory.isAggregate(stmt.bind.type)) return false;
  const reads = exprAccesses(expr, stmt.bind.type);
  return (
    isDefined(expr.object, defined) &&
    !reads.some((read) => writes.some((write) => interfere(read, write, memory)))
  );
}

/** Whether `t = [a, b]` in a loop is the same each iteration, and only measured and read. */
function isSameList({ bind, expr }: Let, inside: ReadonlySet<string>, loop: For | While): boolean {
  if (
    expr.kind !== "array" ||
    expr.parts.length === 0 ||
    expr.parts.some(({ atom, spread }) => spread || (atom.kind === "var" && inside.has(atom.name)))
  )
    return false;
  let uses = 0;
  let reads = 0;
  const isList = (atom: Atom): boolean => atom.kind === "var" && atom.name === bind.name;
  walkAtoms(loop.body, (atom) => {
    if (isList(atom)) uses++;
  });
  walkStmts(loop.body, (stmt) => {
    if (
      stmt.kind === "let" &&
      (stmt.expr.kind === "load" || stmt.expr.kind === "length") &&
      isList(stmt.expr.object)
    )
      reads++;
  });
  return uses === reads;
}

const isDefined = (object: Atom, defined: ReadonlySet<string>): boolean =>
  object.kind === "global" || (object.kind === "var" && defined.has(object.name));
