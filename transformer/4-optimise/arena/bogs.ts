// Chooses the BOGs that may lie in an arena. The result maps the name of a BOG type to its fields'
// types. Invariant: fields are numbers, booleans and other such BOGs. Only functions that other
// code does not call handle the BOGs, and nothing that outlives a call holds one.

import { privateTapesOf, tapeOf } from "../../ir/tapes.ts";
import type { Body, Expr, Func, Stmt, Type } from "../../ir/types.ts";
import {
  exprAtoms,
  innerBinds,
  stmtAtoms,
  stmtBinds,
  stmtBodies,
  walkAtoms,
  walkStmts,
} from "../../ir/visit.ts";
import { partTypes } from "../../ir/shadow.ts";
import { someStmt } from "../stmts.ts";

export type Bogs = ReadonlyMap<string, readonly Type[]>;

/** The name of the BOG type, if a value of the type is a BOG or undefined. */
export function bogOf(type: Type, bogs: Pick<Bogs, "has">): string | null {
  const inner = type.kind === "opt" ? type.of : type;
  return inner.kind === "named" && bogs.has(inner.name) ? inner.name : null;
}

/** `declared`: the types that are emitted. `isCalledOutside`: functions that other code calls. */
export function bogsOf(
  declared: ReadonlyMap<string, Type>,
  funcs: ReadonlyMap<string, Func>,
  isCalledOutside: (name: string) => boolean,
): Bogs {
  const open = new Map<string, readonly Type[]>();
  for (const [name, type] of declared) if (type.kind === "tuple") open.set(name, type.elems);
  if (open.size === 0) return open;
  const refused = new Set<string>();
  for (const func of funcs.values()) refuse(func, { all: open, funcs, isCalledOutside, refused });
  for (let before = -1; before !== refused.size;) {
    before = refused.size;
    for (const [name, elems] of open) spreadRefusal(name, elems, open, refused);
  }
  for (const name of refused) open.delete(name);
  return open;
}

/** Refuses a BOG with a field that cannot lie in an arena, and all that a refused BOG holds. */
function spreadRefusal(
  name: string,
  elems: readonly Type[],
  open: Bogs,
  refused: Set<string>,
): void {
  // What a BOG on the heap holds may outlive the arena.
  if (refused.has(name))
    for (const elem of elems) for (const inner of mentionedBogs(elem, open)) refused.add(inner);
  else if (!elems.every((elem) => isFlat(elem, open, refused))) refused.add(name);
}

const isFlat = (type: Type, all: Bogs, refused: ReadonlySet<string>): boolean => {
  const inner = bogOf(type, all);
  return inner === null
    ? (type.kind === "num" || type.kind === "bool") && type.literal === undefined
    : !refused.has(inner);
};

interface Search {
  readonly all: Bogs;
  readonly funcs: ReadonlyMap<string, Func>;
  readonly isCalledOutside: (name: string) => boolean;
  readonly refused: Set<string>;
}

/** The BOGs of `all` that a type mentions. */
export function mentionedBogs(type: Type, all: Pick<Bogs, "has">): readonly string[] {
  if (type.kind === "named") return all.has(type.name) ? [type.name] : [];
  const parts = type.kind === "func" ? [...type.params, type.result] : partTypes(type);
  return parts.flatMap((part) => mentionedBogs(part, all));
}

function refuse(func: Func, search: Search): void {
  const { all, isCalledOutside, refused } = search;
  const isOutside = isCalledOutside(func.name) || func.ships === true || func.shipped === true;
  for (const type of [...func.params.map((param) => param.type), func.result])
    if (isOutside || bogOf(type, all) === null) mark(type, search);
  if (func.result.kind === "opt") mark(func.result, search);
  const own = privateTapesOf(func);
  walkStmts(func.body, (stmt) => {
    // A tape that leaves the function may be read after the arena is reused.
    const tape = tapeOf(stmt);
    if (tape !== null && !own.has(tape.name))
      for (const { type } of [...stmtAtoms(stmt), ...stmtBinds(stmt)]) mark(type, search);
    for (const { type } of [...stmtBinds(stmt), ...innerBinds(stmt)])
      if (bogOf(type, all) === null) mark(type, search);
    if (stmt.kind === "let" && stmt.expr.kind === "lambda")
      for (const name of inBody(stmt.expr.body, all)) refused.add(name);
    // The body would have to receive the BOGs that the test constructs.
    if (stmt.kind === "while")
      for (const name of constructedIn(stmt.test, search)) refused.add(name);
    if (!isKnown(stmt, search)) {
      for (const atom of [...stmtAtoms(stmt), ...(stmt.kind === "let" ? exprAtoms(stmt.expr) : [])])
        mark(atom.type, search);
      for (const { type } of stmtBinds(stmt)) mark(type, search);
    }
  });
}

function mark(type: Type, { all, refused }: Search): void {
  for (const name of mentionedBogs(type, all)) refused.add(name);
}

/** Whether rewrite-for-arena.ts can rewrite the statement, if it handles BOGs. */
function isKnown(stmt: Stmt, search: Search): boolean {
  if (stmt.kind === "push" || stmt.kind === "if" || stmt.kind === "for" || stmt.kind === "while")
    return true;
  return stmt.kind === "let" && isKnownExpr(stmt.expr, stmt.bind.type, search);
}

function isKnownExpr(expr: Expr, type: Type, { all, funcs }: Search): boolean {
  const isBog = bogOf(type, all) !== null;
  switch (expr.kind) {
    case "copy":
    case "unwrap":
    case "present":
      return true;
    case "tuple":
      return isBog;
    case "pop":
      return isBog;
    case "load":
      return bogOf(expr.object.type, all) !== null ? expr.key.kind === "field" : !isBog;
    case "op":
      return expr.op === "select";
    case "call":
      return isKnownCall(
        expr.args.map((arg) => bogOf(arg.type, all)),
        funcs.get(expr.callee),
        all,
      );
    default:
      return false;
  }
}

/** Whether each BOG is passed to a parameter of its type. */
const isKnownCall = (
  args: readonly (string | null)[],
  callee: Func | undefined,
  all: Bogs,
): boolean =>
  args.every(
    (bog, i) => bog === null || bog === bogOf(callee?.params[i]?.type ?? { kind: "void" }, all),
  );

function inBody(body: Body, all: Bogs): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (type: Type): void => {
    for (const name of mentionedBogs(type, all)) found.add(name);
  };
  walkAtoms(body, (atom) => note(atom.type));
  walkStmts(body, (stmt) => {
    for (const { type } of [...stmtBinds(stmt), ...innerBinds(stmt)]) note(type);
  });
  return found;
}

/** BOGs that a body constructs, or passes to a function that may construct one. */
function constructedIn(body: Body, { all, funcs }: Search): ReadonlySet<string> {
  const found = new Set<string>();
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    const types =
      stmt.expr.kind === "call"
        ? [stmt.bind.type, ...(funcs.get(stmt.expr.callee)?.params ?? []).map(({ type }) => type)]
        : stmt.expr.kind === "tuple"
          ? [stmt.bind.type]
          : [];
    for (const type of types) for (const name of mentionedBogs(type, all)) found.add(name);
  });
  return found;
}

/** Whether a BOG constructed in these bodies may be read after them. */
export function anyBogLeaves(stmt: Stmt, bogs: Bogs): boolean {
  const isPushed = (inner: Stmt): boolean =>
    inner.kind === "push" && bogOf(inner.value.type, bogs) !== null;
  return (
    stmtBinds(stmt).some(({ type }) => bogOf(type, bogs) !== null) ||
    stmtBodies(stmt).some((body) => someStmt(body, isPushed))
  );
}
