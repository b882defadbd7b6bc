// Which BOGs may lie in an arena. In: all that is emitted for a group. Out: by the name of its type, the types of a BOG's fields. Invariant: their fields are numbers, truth values and other
// such BOGs; they are made, read, handed on, pushed and popped by functions that nobody else calls, and held by nothing that outlives a call.

import { plainTapesOf, tapeOf } from "../../ir/tapes.ts";
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

export type Bogs = ReadonlyMap<string, readonly Type[]>;

/** The BOG that a value of the type is, which may be missing. */
export function bogOf(type: Type, bogs: Pick<Bogs, "has">): string | null {
  const inner = type.kind === "opt" ? type.of : type;
  return inner.kind === "named" && bogs.has(inner.name) ? inner.name : null;
}

/** `declared`: BOG types that are emitted. */
export function bogsOf(
  declared: ReadonlyMap<string, Type>,
  funcs: ReadonlyMap<string, Func>,
  isAsked: (name: string) => boolean,
): Bogs {
  const open = new Map<string, readonly Type[]>();
  for (const [name, type] of declared) if (type.kind === "tuple") open.set(name, type.elems);
  if (open.size === 0) return open;
  const refused = new Set<string>();
  for (const func of funcs.values()) refuse(func, { all: open, funcs, isAsked, refused });
  for (let before = -1; before !== refused.size;) {
    before = refused.size;
    for (const [name, elems] of open) {
      // what a BOG on the heap holds may outlive the arena
      if (refused.has(name))
        for (const elem of elems) for (const inner of mentionedIn(elem, open)) refused.add(inner);
      else if (!elems.every((elem) => isFlat(elem, open, refused))) refused.add(name);
    }
  }
  for (const name of refused) open.delete(name);
  return open;
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
  readonly isAsked: (name: string) => boolean;
  readonly refused: Set<string>;
}

/** The BOGs of `all` that a type speaks of. */
export function mentionedIn(type: Type, all: Pick<Bogs, "has">): readonly string[] {
  switch (type.kind) {
    case "named":
      return all.has(type.name) ? [type.name] : [];
    case "array":
      return mentionedIn(type.elem, all);
    case "tuple":
      return type.elems.flatMap((elem) => mentionedIn(elem, all));
    case "record":
      return type.fields.flatMap((each) => mentionedIn(each.type, all));
    case "opt":
    case "cotangent":
      return mentionedIn(type.of, all);
    case "dict":
      return mentionedIn(type.value, all);
    case "union":
      return type.variants.flatMap((variant) => mentionedIn(variant, all));
    case "func":
      return [...type.params, type.result].flatMap((each) => mentionedIn(each, all));
    case "num":
    case "bool":
    case "leaf":
    case "tape":
    case "void":
      return [];
  }
}

function refuse(func: Func, search: Search): void {
  const { all, isAsked, refused } = search;
  const isOutside = isAsked(func.name) || func.ships === true || func.shipped === true;
  for (const type of [...func.params.map((param) => param.type), func.result])
    if (isOutside || bogOf(type, all) === null) mark(type, search);
  if (func.result.kind === "opt") mark(func.result, search);
  const own = plainTapesOf(func);
  walkStmts(func.body, (stmt) => {
    // a tape that goes elsewhere may be read once the arena is another's
    const tape = tapeOf(stmt);
    if (tape !== null && !own.has(tape.name))
      for (const { type } of [...stmtAtoms(stmt), ...stmtBinds(stmt)]) mark(type, search);
    for (const { type } of [...stmtBinds(stmt), ...innerBinds(stmt)])
      if (bogOf(type, all) === null) mark(type, search);
    if (stmt.kind === "let" && stmt.expr.kind === "lambda")
      for (const name of inBody(stmt.expr.body, all)) refused.add(name);
    // what its rounds make would have to be handed to the body
    if (stmt.kind === "while") for (const name of madeIn(stmt.test, search)) refused.add(name);
    if (!isKnown(stmt, search)) {
      for (const atom of [...stmtAtoms(stmt), ...(stmt.kind === "let" ? exprAtoms(stmt.expr) : [])])
        mark(atom.type, search);
      for (const { type } of stmtBinds(stmt)) mark(type, search);
    }
  });
}

function mark(type: Type, { all, refused }: Search): void {
  for (const name of mentionedIn(type, all)) refused.add(name);
}

/** Whether the pass knows how the statement is written with BOGs in an arena, if it has any. */
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

/** Each BOG goes to a parameter that takes it. */
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
    for (const name of mentionedIn(type, all)) found.add(name);
  };
  walkAtoms(body, (atom) => note(atom.type));
  walkStmts(body, (stmt) => {
    for (const { type } of [...stmtBinds(stmt), ...innerBinds(stmt)]) note(type);
  });
  return found;
}

/** BOGs that a body makes, or hands to a function that may. */
function madeIn(body: Body, { all, funcs }: Search): ReadonlySet<string> {
  const found = new Set<string>();
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    const types =
      stmt.expr.kind === "call"
        ? [stmt.bind.type, ...(funcs.get(stmt.expr.callee)?.params ?? []).map(({ type }) => type)]
        : stmt.expr.kind === "tuple"
          ? [stmt.bind.type]
          : [];
    for (const type of types) for (const name of mentionedIn(type, all)) found.add(name);
  });
  return found;
}

/** Whether a BOG that is made in these bodies may be read behind them. */
export function leaves(stmt: Stmt, bogs: Bogs): boolean {
  let found = stmtBinds(stmt).some(({ type }) => bogOf(type, bogs) !== null);
  for (const body of stmtBodies(stmt))
    walkStmts(body, (inner) => {
      found ||= inner.kind === "push" && bogOf(inner.value.type, bogs) !== null;
    });
  return found;
}
