// Takes what follows a branch that throws out of its `else`, and settles what TypeScript itself would call unreachable or a
// comparison of two literals. In: an ssa body. Out: the same program, flatter. Invariant: no statement stands behind a `throw`;
// no `if` tests a constant.

import { bool } from "../ir/build.ts";
import { baseName } from "../ir/names.ts";
import { OPS } from "../ir/ops.ts";
import type { Atom, Body, Const, If, Let, Stmt } from "../ir/types.ts";
import { mapAtoms, mapStmt } from "../ir/visit.ts";

type Aliases = Map<string, Atom>;

const EMPTY: Body = { stmts: [], result: [] };

/** `if c -> (y) { throw e } else { p; yield z }  ->  if c { throw e }; p` and z for y from there on. */
export function flattenThrows(body: Body): Body {
  const stmts: Stmt[] = [];
  const aliases: Aliases = new Map();
  append(body.stmts, stmts, aliases);
  return { stmts, result: body.result.map((atom) => followed(atom, aliases)) };
}

function followed(atom: Atom, aliases: Aliases): Atom {
  const next = atom.kind === "var" ? aliases.get(atom.name) : undefined;
  return next === undefined ? atom : followed(next, aliases);
}

/** Whether control reaches the end. */
function append(from: readonly Stmt[], stmts: Stmt[], aliases: Aliases): boolean {
  const replace = (atom: Atom): Atom => followed(atom, aliases);
  for (const original of from) {
    const stmt = mapStmt(original, replace, (nested) => flattenThrows(mapAtoms(nested, replace)));
    const settled = stmt.kind === "let" ? comparison(stmt) : null;
    if (stmt.kind === "let" && settled !== null) {
      aliases.set(stmt.bind.name, settled);
      continue;
    }
    if (stmt.kind === "if" && stmt.cond.kind === "const") {
      // if true { p } else { q }  ->  p
      const taken = stmt.cond.value === true ? stmt.then : stmt.else;
      const reached = append(taken.stmts, stmts, aliases);
      stmt.binds.forEach((bind, i) => alias(bind.name, taken.result[i], aliases));
      if (!reached) return false;
      continue;
    }
    if (stmt.kind === "if" && (throws(stmt.then) || throws(stmt.else))) {
      if (!appendThrowing(stmt, stmts, aliases)) return false;
      continue;
    }
    stmts.push(stmt);
    if (stmt.kind === "throw") return false;
  }
  return true;
}

/** What a comparison of two constants gives. */
function comparison(stmt: Let): Const | null {
  const { expr } = stmt;
  if (expr.kind !== "op" || OPS[expr.op].result !== "bool" || baseName(stmt.bind.name) !== "t") return null;
  const values = expr.args.filter((arg) => arg.kind === "const").map((arg) => arg.value);
  return values.length < expr.args.length ? null : bool(OPS[expr.op].eval(values) === true);
}

const throws = (body: Body): boolean => body.stmts.at(-1)?.kind === "throw";

function appendThrowing(stmt: If, stmts: Stmt[], aliases: Aliases): boolean {
  const both = throws(stmt.then) && throws(stmt.else);
  if (!throws(stmt.then)) {
    // the test is kept as it stands, so the throwing branch stays an `else`
    stmt.binds.forEach((bind, i) => alias(bind.name, stmt.then.result[i], aliases));
    if (stmt.then.stmts.length === 0) {
      stmts.push({ ...stmt, then: EMPTY, else: { ...stmt.else, result: [] }, binds: [] });
      return true;
    }
    // names of the branch are read behind it: leave the `if` as it was
    stmt.binds.forEach((bind) => aliases.delete(bind.name));
    stmts.push(stmt);
    return true;
  }
  stmts.push({ ...stmt, then: { ...stmt.then, result: [] }, else: EMPTY, binds: [] });
  stmt.binds.forEach((bind, i) => alias(bind.name, stmt.else.result[i], aliases));
  const reached = append(stmt.else.stmts, stmts, aliases);
  return reached && !both;
}

function alias(name: string, value: Atom | undefined, aliases: Aliases): void {
  if (value !== undefined) aliases.set(name, value);
}
