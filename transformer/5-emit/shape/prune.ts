// Removes statements without uses, since `noUnusedLocals` rejects unused variables whatever the
// optimiser left. Input and output: an SSA body.
// Invariant: effects, their order and the result stay.

import type { Atom, Body, For, If, Stmt, Var, While } from "../../ir/types.ts";
import { isPure } from "../../ir/effects.ts";
import { freeVars, stmtAtoms } from "../../ir/visit.ts";

export function prune(body: Body): Body {
  const needed = new Needed();
  do {
    needed.grown = false;
    body.result.forEach((atom) => needed.add(atom));
    needed.body(body);
    /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
       the calls above change it */
  } while (needed.grown);
  return pruned(body, needed.names);
}

class Needed {
  readonly names = new Set<string>();
  grown = false;

  add(atom: Atom | undefined): void {
    if (atom?.kind !== "var" || this.names.has(atom.name)) return;
    this.names.add(atom.name);
    this.grown = true;
  }

  /** Marks what the statements need, but not the body's result. */
  body(body: Body): void {
    for (const stmt of body.stmts.toReversed()) this.#stmt(stmt);
  }

  #stmt(stmt: Stmt): void {
    if (stmt.kind === "let") {
      if (isPure(stmt.expr) && !this.names.has(stmt.bind.name)) return;
      if (stmt.expr.kind === "lambda") {
        stmt.expr.body.result.forEach((atom) => this.add(atom));
        this.body(stmt.expr.body);
        for (const free of freeVars(stmt.expr.body).values()) this.add(free);
      }
      stmtAtoms(stmt).forEach((atom) => this.add(atom));
    } else if (stmt.kind === "if") {
      stmt.binds.forEach((bind, i) => {
        if (this.names.has(bind.name))
          [stmt.then.result[i], stmt.else.result[i]].forEach((atom) => this.add(atom));
      });
      this.body(stmt.then);
      this.body(stmt.else);
      if (
        acts(stmt.then) ||
        acts(stmt.else) ||
        stmt.binds.some((bind) => this.names.has(bind.name))
      )
        this.add(stmt.cond);
    } else if (stmt.kind === "for" || stmt.kind === "while") this.#loop(stmt);
    else stmtAtoms(stmt).forEach((atom) => this.add(atom));
  }

  #loop(loop: For | While): void {
    loop.carried.forEach((one, i) => {
      const bind = loop.binds[i];
      if (!this.names.has(one.param.name) && (bind === undefined || !this.names.has(bind.name)))
        return;
      this.add(one.param);
      this.add(one.init);
      this.add(loop.body.result[i]);
    });
    this.body(loop.body);
    if (loop.kind === "while") {
      loop.test.result.forEach((atom) => this.add(atom));
      this.body(loop.test);
    } else if (acts(loop.body) || loop.carried.some((one) => this.names.has(one.param.name))) {
      [loop.from, loop.to].forEach((atom) => this.add(atom));
    }
  }
}

/** Whether the statements have an effect besides binding names. */
const acts = (body: Body): boolean =>
  body.stmts.some((stmt) => {
    if (stmt.kind === "let") return !isPure(stmt.expr);
    if (stmt.kind === "if") return acts(stmt.then) || acts(stmt.else);
    return stmt.kind !== "for" || acts(stmt.body);
  });

function pruned(body: Body, needed: ReadonlySet<string>): Body {
  return {
    stmts: body.stmts.map((stmt) => prunedStmt(stmt, needed)).filter((stmt) => stmt !== null),
    result: body.result,
  };
}

function prunedStmt(stmt: Stmt, needed: ReadonlySet<string>): Stmt | null {
  if (stmt.kind === "let") {
    if (isPure(stmt.expr) && !needed.has(stmt.bind.name)) return null;
    return stmt.expr.kind === "lambda"
      ? { ...stmt, expr: { ...stmt.expr, body: pruned(stmt.expr.body, needed) } }
      : stmt;
  }
  if (stmt.kind === "if") return prunedIf(stmt, needed);
  if (stmt.kind !== "for" && stmt.kind !== "while") return stmt;
  const live = stmt.carried.map((one) => needed.has(one.param.name));
  const where = <T>(all: readonly T[]): T[] => all.filter((_, i) => live[i] === true);
  const inner = pruned(stmt.body, needed);
  const body = { ...inner, result: where(inner.result) };
  const carried = where(stmt.carried);
  const binds = where(stmt.binds);
  if (stmt.kind === "while")
    return { ...stmt, carried, binds, body, test: pruned(stmt.test, needed) };
  return body.stmts.length === 0 && carried.length === 0 ? null : { ...stmt, carried, binds, body };
}

function prunedIf(stmt: If, needed: ReadonlySet<string>): Stmt | null {
  const live = stmt.binds.map((bind: Var) => needed.has(bind.name));
  const branch = (body: Body): Body => {
    const inner = pruned(body, needed);
    return { ...inner, result: inner.result.filter((_, i) => live[i] === true) };
  };
  const [then, other] = [branch(stmt.then), branch(stmt.else)];
  const binds = stmt.binds.filter((_, i) => live[i] === true);
  return binds.length === 0 && then.stmts.length === 0 && other.stmts.length === 0
    ? null
    : { ...stmt, then, else: other, binds };
}
