// Substitutes and renames variables of a body. Names are bound once per function, so both are flat
// maps and cannot capture.

import type { Names } from "./names.ts";
import type { Atom, Body, Carried, For, Stmt, Var, While } from "./types.ts";
import { definedVars, mapAtoms, mapStmt, unreachable } from "./visit.ts";

/** Replaces each read of a variable in `map` by its atom. Assigned names (stage "raw") stay. */
export function substitute(body: Body, map: ReadonlyMap<string, Atom>): Body {
  if (map.size === 0) return body;
  return mapAtoms(body, (atom) => (atom.kind === "var" ? (map.get(atom.name) ?? atom) : atom));
}

/** A copy with fresh names for all that the body binds, as inlining needs. Labels stay. */
export function renameBody(body: Body, names: Names): Body {
  const fresh = new Map<string, string>();
  for (const { name } of definedVars(body)) fresh.set(name, names.fresh(name));
  return renameVars(body, fresh);
}

/** A copy with replaced names. It shares no statement with the body, so both may coexist. */
export function renameVars(body: Body, map: ReadonlyMap<string, string>): Body {
  return mapVars(body, (one) => {
    const name = map.get(one.name);
    return name === undefined ? one : { ...one, name };
  });
}

/** A copy with variables replaced where they are bound, assigned and read. */
export function mapVars(body: Body, variable: (one: Var) => Var): Body {
  const atom = (one: Atom): Atom => (one.kind === "var" ? variable(one) : one);
  const whole = (one: Body): Body => ({
    stmts: one.stmts.map((stmt) => renameBinders(mapStmt(stmt, atom, whole), variable)),
    result: one.result.map(atom),
  });
  return whole(body);
}

// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
function renameBinders(stmt: Stmt, rename: (one: Var) => Var): Stmt {
  switch (stmt.kind) {
    case "let": {
      const expr =
        stmt.expr.kind === "lambda"
          ? { ...stmt.expr, params: stmt.expr.params.map(rename) }
          : stmt.expr;
      return { ...stmt, bind: rename(stmt.bind), expr };
    }
    case "if":
      return { ...stmt, binds: stmt.binds.map(rename) };
    case "for":
    case "while":
      return renameLoop(stmt, rename);
    case "declare":
    case "assign":
      return { ...stmt, variable: rename(stmt.variable) };
    case "scope":
      return { ...stmt, bind: stmt.bind === null ? null : rename(stmt.bind) };
    case "loop":
      return { ...stmt, loop: renameLoop(stmt.loop, rename) };
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
    case "break":
    case "continue":
    case "return":
      return { ...stmt };
    default:
      return unreachable(stmt);
  }
}

function renameLoop(loop: For | While, rename: (one: Var) => Var): For | While {
  const carried: readonly Carried[] = loop.carried.map((one) => ({
    ...one,
    param: rename(one.param),
  }));
  const binds = loop.binds.map(rename);
  return loop.kind === "for"
    ? { ...loop, index: rename(loop.index), carried, binds }
    : { ...loop, carried, binds };
}
