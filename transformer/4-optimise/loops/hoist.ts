// Moves out of a loop what every round computes alike: cotangent arithmetic, reads of what the loop does not write, and lists that are only read.
// In: an ssa function. Out: the same meaning. Invariant: a read moves only if its object is known to be there, so that a loop
// without rounds still throws nothing. Before differentiation numbers stay: where a loop has no rounds, their place may be missing.

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
import { accesses, bodyAccesses, exprAccesses, interfere } from "../memory/access.ts";
import type { Access } from "../memory/access.ts";
import { Memory } from "../memory/memory.ts";

export function hoist(func: Func, types: Types, numbers: "stay" | "move"): Func {
  const memory = Memory.of(func, types);
  const state: State = { memory, movesNumbers: numbers === "move" };
  const there = new Set(
    func.params
      .filter((param) => param.type.kind !== "opt" && memory.isAggregate(param.type))
      .map((param) => param.name),
  );
  return withBody(func, hoistBody(func.body, there, state));
}

interface State {
  readonly memory: Memory;
  readonly movesNumbers: boolean;
}

/** `there`: names of objects that cannot be missing where the walk stands. */
function hoistBody(body: Body, there: Set<string>, state: State): Body {
  const { memory } = state;
  const stmts: Stmt[] = [];
  for (const stmt of body.stmts) {
    const inner = mapBodies(stmt, (nested) => hoistBody(nested, new Set(there), state));
    if (inner.kind === "for" || inner.kind === "while") {
      const { before, loop } = split(inner, there, state);
      for (const one of [...before, loop]) {
        stmts.push(one);
        noteThere(one, there, memory);
      }
    } else {
      stmts.push(inner);
      noteThere(inner, there, memory);
    }
  }
  return withStmts(body, stmts);
}

/** An object is there once it was made here or was read from, written to or measured. */
function noteThere(stmt: Stmt, there: Set<string>, memory: Memory): void {
  const own =
    stmt.kind === "let"
      ? exprAccesses(stmt.expr, stmt.bind.type)
      : stmt.kind === "store" || stmt.kind === "accum"
        ? accesses(stmt)
        : [];
  for (const one of own)
    if (one.object?.kind === "var" && one.part.kind !== "deep") there.add(one.object.name);
  if (
    stmt.kind === "let" &&
    isMade(stmt.expr) &&
    memory.isAggregate(stmt.bind.type) &&
    stmt.bind.type.kind !== "opt"
  )
    there.add(stmt.bind.name);
}

/** Whether the value is surely an object, if its type says so. An element read may miss whatever its type says. */
function isMade(expr: Expr): boolean {
  return (
    !(expr.kind === "load" && expr.key.kind === "index") &&
    expr.kind !== "removeLast" &&
    expr.kind !== "copy" &&
    expr.kind !== "extern"
  );
}

function split(
  loop: For | While,
  there: ReadonlySet<string>,
  state: State,
): { readonly before: readonly Let[]; readonly loop: For | While } {
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
  const kept: Stmt[] = [];
  for (const stmt of loop.body.stmts) {
    if (
      stmt.kind === "let" &&
      (isInvariant(stmt, inside, writes, there, state) || isSameList(stmt, inside, loop))
    ) {
      before.push(stmt);
      for (const bind of stmtBinds(stmt)) inside.delete(bind.name);
    } else kept.push(stmt);
  }
  return before.length === 0
    ? { before, loop }
    : { before, loop: { ...loop, body: { ...loop.body, stmts: kept } } };
}

function isInvariant(
  stmt: Let,
  inside: ReadonlySet<string>,
  writes: readonly Access[],
  there: ReadonlySet<string>,
  { memory, movesNumbers }: State,
): boolean {
  const { expr } = stmt;
  if (exprAtoms(expr).some((atom) => atom.kind === "var" && inside.has(atom.name))) return false;
  if (expr.kind === "op") return stmt.adjoint === true;
  if (expr.kind !== "load" && expr.kind !== "length") return false;
  if (!movesNumbers && stmt.adjoint !== true && !memory.isAggregate(stmt.bind.type)) return false;
  const reads = exprAccesses(expr, stmt.bind.type);
  return (
    isThere(expr.object, there) &&
    !reads.some((read) => writes.some((write) => interfere(read, write, memory)))
  );
}

/** for … { t = [a, b]; … t[i] … }: a list of what is there before the loop, of which nobody sees that it is made anew */
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

const isThere = (object: Atom, there: ReadonlySet<string>): boolean =>
  object.kind === "global" || (object.kind === "var" && there.has(object.name));
