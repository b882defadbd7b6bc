// Moves code after a branch that throws out of its `else`, and folds comparisons of constants.
// Input and output: an SSA body. Invariant: no statement follows a `throw`, and no `if` tests a
// constant, since TypeScript reports unreachable code and comparisons of literals.

import { BOOL, bool } from "../../ir/build.ts";
import { baseName } from "../../ir/names.ts";
import { OPS } from "../../ir/ops.ts";
import type { Atom, Body, Const, If, Let, Stmt, Var } from "../../ir/types.ts";
import { mapAtoms, mapStmt } from "../../ir/visit.ts";

/** Definitions of names without a statement, and the number of names that the pass has made. */
class Aliases {
  readonly of = new Map<string, Atom>();
  readonly made: { count: number };

  constructor(made: { count: number }) {
    this.made = made;
  }

  set(name: string, value: Atom | undefined): void {
    if (value !== undefined) this.of.set(name, value);
  }
}

const EMPTY: Body = { stmts: [], result: [] };

// if c -> (y) { throw e } else { p; yield z }  ->  if c { throw e }; p     with z for y
export function flattenThrows(body: Body, made = { count: 0 }): Body {
  const stmts: Stmt[] = [];
  const aliases = new Aliases(made);
  append(body.stmts, stmts, aliases);
  return { stmts, result: body.result.map((atom) => followed(atom, aliases)) };
}

function followed(atom: Atom, aliases: Aliases): Atom {
  const next = atom.kind === "var" ? aliases.of.get(atom.name) : undefined;
  return next === undefined ? atom : followed(next, aliases);
}

/** Appends statements up to the first that throws. Returns whether control reaches the end. */
function append(from: readonly Stmt[], stmts: Stmt[], aliases: Aliases): boolean {
  const replace = (atom: Atom): Atom => followed(atom, aliases);
  for (const original of from) {
    const stmt = mapStmt(original, replace, (nested) =>
      flattenThrows(mapAtoms(nested, replace), aliases.made),
    );
    const settled = stmt.kind === "let" ? comparison(stmt) : null;
    if (stmt.kind === "let" && settled !== null) {
      aliases.set(stmt.bind.name, settled);
      continue;
    }
    if (stmt.kind === "if" && stmt.cond.kind === "const") {
      // if true { p } else { q }  ->  p
      const taken = stmt.cond.value === true ? stmt.then : stmt.else;
      const reached = append(taken.stmts, stmts, aliases);
      stmt.binds.forEach((bind, i) => aliases.set(bind.name, taken.result[i]));
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

/** The result of a comparison of two constants. */
function comparison(stmt: Let): Const | null {
  const { expr } = stmt;
  if (expr.kind !== "op" || OPS[expr.op].result !== "bool" || baseName(stmt.bind.name) !== "t")
    return null;
  const values = expr.args.filter((arg) => arg.kind === "const").map((arg) => arg.value);
  return values.length < expr.args.length ? null : bool(OPS[expr.op].eval(values) === true);
}

const throws = (body: Body): boolean => body.stmts.at(-1)?.kind === "throw";

function appendThrowing(stmt: If, stmts: Stmt[], aliases: Aliases): boolean {
  const then = throws(stmt.then);
  const both = then && throws(stmt.else);
  const [thrown, rest] = then ? [stmt.then, stmt.else] : [stmt.else, stmt.then];
  // if c { p } else { throw e }  ->  if !c { throw e }; p
  const cond = then ? stmt.cond : opposite(stmt, stmts, aliases);
  stmts.push({ ...stmt, cond, then: { ...thrown, result: [] }, else: EMPTY, binds: [] });
  stmt.binds.forEach((bind, i) => aliases.set(bind.name, rest.result[i]));
  return append(rest.stmts, stmts, aliases) && !both;
}

function opposite(stmt: If, stmts: Stmt[], aliases: Aliases): Atom {
  const bind: Var = { kind: "var", name: `t.not.${aliases.made.count++}`, type: BOOL };
  stmts.push({
    kind: "let",
    bind,
    expr: { kind: "op", op: "not", args: [stmt.cond] },
    origin: stmt.origin,
  });
  return bind;
}
