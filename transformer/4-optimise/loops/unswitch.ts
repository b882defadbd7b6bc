// Loop unswitching: tests before a loop, not in each iteration, whether a shadow is defined.
//   for j { p; if (x$bar is defined) q; r }
//     ->   if (x$bar is defined) for j { p; q; r } else for j { p; r }
// Here x$bar comes from outside the loop.
// Invariant: only short innermost loops, since the loop is duplicated. dce removes what only q
// needs.

import { Builder, BOOL } from "../../ir/build.ts";
import { withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Names } from "../../ir/names.ts";
import type { Atom, Body, For, Func, If, Stmt } from "../../ir/types.ts";
import { renameVars } from "../../ir/rename.ts";
import {
  definedVars,
  innerBinds,
  mapBodies,
  namesOf,
  stmtBinds,
  walkStmts,
} from "../../ir/visit.ts";
import { someStmt } from "../stmts.ts";

/** Limit on the statements of a loop that is duplicated. */
const LONGEST = 24;

export function unswitch(func: Func): Func {
  const tested = testedIn(func.body);
  return tested.size === 0
    ? func
    : withBody(func, inBody(func.body, { tested, names: namesOf(func) }));
}

interface Context {
  /** By name of a condition "x is defined": x. */
  readonly tested: ReadonlyMap<string, Atom>;
  readonly names: Names;
}

function testedIn(body: Body): ReadonlyMap<string, Atom> {
  const found = new Map<string, Atom>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "present")
      found.set(stmt.bind.name, stmt.expr.value);
  });
  return found;
}

function inBody(body: Body, context: Context): Body {
  return withStmts(
    body,
    body.stmts.flatMap((stmt): readonly Stmt[] => {
      const value =
        stmt.kind === "for" && stmt.adjoint === true ? testedValue(stmt, context.tested) : null;
      if (value !== null && stmt.kind === "for") return split(stmt, value, context);
      return [mapBodies(stmt, (inner) => inBody(inner, context))];
    }),
  );
}

/** The value from outside the loop that one of its branches tests. */
function testedValue(loop: For, tested: ReadonlyMap<string, Atom>): Atom | null {
  let size = 0;
  walkStmts(loop.body, () => {
    size++;
  });
  if (size > LONGEST || someStmt(loop.body, isLoop)) return null;
  const inside = new Set([...definedVars(loop.body), ...innerBinds(loop)].map(({ name }) => name));
  for (const stmt of loop.body.stmts) {
    const value = asks(stmt) ? tested.get(stmt.cond.name) : undefined;
    if (value?.kind === "var" && !inside.has(value.name)) return value;
  }
  return null;
}

const isLoop = ({ kind }: Stmt): boolean => kind === "for" || kind === "while";

/** A branch without else arm and result. */
const asks = (stmt: Stmt): stmt is If & { readonly cond: { readonly kind: "var" } } =>
  stmt.kind === "if" &&
  stmt.cond.kind === "var" &&
  stmt.binds.length === 0 &&
  stmt.else.stmts.length === 0;

function split(loop: For, value: Atom, { tested, names }: Context): readonly Stmt[] {
  const b = new Builder(names, loop.origin, true);
  const cond = b.let("t", BOOL, { kind: "present", value });
  const isOnValue = (stmt: Stmt): boolean => {
    const of = asks(stmt) ? tested.get(stmt.cond.name) : undefined;
    return of?.kind === "var" && value.kind === "var" && of.name === value.name;
  };
  const side = (isThere: boolean): Body => {
    const stmts = loop.body.stmts.flatMap((stmt) =>
      stmt.kind === "if" && isOnValue(stmt) ? (isThere ? stmt.then.stmts : []) : [stmt],
    );
    const one: For = { ...loop, body: { ...loop.body, stmts } };
    const fresh = new Map(
      [...innerBinds(one), ...definedVars(one.body), ...stmtBinds(one)].map(({ name }) => [
        name,
        names.fresh(name),
      ]),
    );
    return renameVars({ stmts: [one], result: loop.binds }, fresh);
  };
  b.emit({ kind: "if", cond, then: side(true), else: side(false), binds: loop.binds });
  return b.stmts;
}
