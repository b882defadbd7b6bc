// Which statements of a fused body can be reversed on the spot, so that their values need no storage: a loop whose rounds only add to sums, a
// branch, when nothing behind them needs more than those sums. In: a body whose names the reverse code can still see. Out: a plan.
// Invariant: behind the first merged statement the reverse code needs no value that is computed there. See Note [Merging].

import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Body, Expr, For, If, Stmt, While } from "../../ir/types.ts";
import { isPure, stmtAtoms, stmtBinds, stmtFreeVars, walkStmts } from "../../ir/visit.ts";

export interface MergePlan {
  /** Positions of the statements to reverse on the spot. */
  readonly merged: ReadonlySet<number>;
  /** The first of them; the reverse code of what stands behind goes in front of it. */
  readonly first: number;
  /** Positions of values that this reverse code reads: computed in front of it too. */
  readonly early: ReadonlySet<number>;
}

const NOTHING: MergePlan = { merged: new Set(), first: Infinity, early: new Set() };

export function mergePlan(body: Body, facts: FunctionFacts): MergePlan {
  const merged = new Set<number>();
  const operands = new Set<string>();
  const early = new Set<number>();
  let stop = -1;
  for (let at = body.stmts.length - 1; at >= 0; at--) {
    const stmt = body.stmts[at];
    if (stmt === undefined) continue;
    if (stmt.kind === "let" && isLinear(stmt.bind, stmt.expr, facts, operands)) continue;
    if (!isActive(stmt, facts)) continue;
    if (canMerge(stmt, facts) && usedLinearly(stmt, body, at, facts)) { merged.add(at); continue; }
    stop = at;
    break;
  }
  if (merged.size === 0) return NOTHING;
  const first = Math.min(...merged);
  return findEarly(body, first, operands, early) && stop < first ? { merged, first, early } : NOTHING;
}

/** `z = x + y`, `-x`, `x * k`, `x / k` with k inactive; notes k as an operand of the reverse code. */
function isLinear(bind: Atom, expr: Expr, facts: FunctionFacts, operands: Set<string>): boolean {
  if (!facts.active(bind)) return false;
  if (expr.kind === "copy") return true;
  if (expr.kind !== "op") return false;
  const [x, z] = expr.args;
  const factor = (atom: Atom | undefined): boolean => {
    if (atom === undefined || facts.active(atom)) return false;
    if (atom.kind === "var") operands.add(atom.name);
    return true;
  };
  switch (expr.op) {
    case "add": case "sub": case "neg": case "plus": return true;
    case "mul": return x !== undefined && facts.active(x) ? factor(z) : factor(x);
    case "div": return factor(z);
    default: return false;
  }
}

/** Whether the reverse sweep has anything to do for a statement. */
function isActive(stmt: Stmt, facts: FunctionFacts): boolean {
  let found = false;
  const check = (inner: Stmt): void => {
    if (stmtBinds(inner).some((bind) => facts.active(bind) || facts.shadowed(bind))) found = true;
    if (inner.kind === "store" || inner.kind === "append" || inner.kind === "fill") found ||= facts.shadowed(inner.object);
    if (inner.kind === "let" && inner.expr.kind === "removeLast") found ||= facts.shadowed(inner.expr.object);
    if (inner.kind === "let" && inner.expr.kind === "call") found ||= facts.callActive(inner.bind.name) !== null;
  };
  walkStmts({ stmts: [stmt], result: [] }, check);
  return found;
}

function canMerge(stmt: Stmt, facts: FunctionFacts): boolean {
  if (stmt.kind === "if") return !writesOutside(stmt, facts) && stmt.binds.every((bind) => !facts.shadowed(bind));
  if (stmt.kind !== "for" && stmt.kind !== "while") return false;
  if (facts.storesOutside(stmt) || stmt.carried.some(({ param }) => facts.shadowed(param))) return false;
  return stmt.carried.every(({ param }, i) => {
    const next = stmt.body.result[i];
    const bind = stmt.binds[i];
    if (!facts.active(param) && (bind === undefined || !facts.active(bind))) return true;
    return next !== undefined && onlySums(stmt.body, param, next);
  });
}

/** A branch has no rounds to live in, so any active write counts. */
function writesOutside(stmt: If, facts: FunctionFacts): boolean {
  let found = false;
  walkStmts({ stmts: [stmt], result: [] }, (inner) => {
    if (inner.kind === "store" || inner.kind === "append" || inner.kind === "fill") found ||= facts.shadowed(inner.object);
    if (inner.kind === "let" && (inner.expr.kind === "removeLast" || inner.expr.kind === "call")) found ||= inner.expr.kind === "removeLast" || facts.callActive(inner.bind.name) !== null;
  });
  return found;
}

/** Whether `param` gets to `next` by additions alone and nowhere else, so that its cotangent is the same in every round. */
export function onlySums(body: Body, param: Atom, next: Atom): boolean {
  if (param.kind !== "var") return false;
  const sums = new Set([param.name]);
  return sumsThrough(body, sums) && isIn(next, sums) && body.result.filter((atom) => isIn(atom, sums)).length === 1;
}

const isIn = (atom: Atom | undefined, sums: ReadonlySet<string>): boolean => atom !== undefined && atom.kind === "var" && sums.has(atom.name);

/** Follows the sums through a body; false if one is used for anything but adding to it, or twice. */
function sumsThrough(body: Body, sums: Set<string>): boolean {
  return body.stmts.every((stmt) => {
    if (stmt.kind === "let") {
      const uses = stmtAtoms(stmt).filter((atom) => isIn(atom, sums)).length;
      if (uses === 0) return true;
      const { expr } = stmt;
      const isSum = uses === 1 && ((expr.kind === "op" && (expr.op === "add" || (expr.op === "sub" && isIn(expr.args[0], sums)))) || expr.kind === "copy");
      if (isSum) sums.add(stmt.bind.name);
      return isSum;
    }
    if (stmt.kind === "if") return sumsThroughBranch(stmt, sums);
    if (stmt.kind === "for" || stmt.kind === "while") return sumsThroughLoop(stmt, sums);
    return !stmtAtoms(stmt).some((atom) => isIn(atom, sums));
  });
}

function sumsThroughBranch(stmt: If, sums: Set<string>): boolean {
  if (isIn(stmt.cond, sums) || !sumsThrough(stmt.then, sums) || !sumsThrough(stmt.else, sums)) return false;
  return stmt.binds.every((bind, i) => {
    const sides = [isIn(stmt.then.result[i], sums), isIn(stmt.else.result[i], sums)];
    if (sides[0] !== sides[1]) return false;
    if (sides[0] === true) sums.add(bind.name);
    return true;
  });
}

function sumsThroughLoop(stmt: For | While, sums: Set<string>): boolean {
  if (![...stmtFreeVars(stmt).keys()].some((name) => sums.has(name))) return true;
  if (stmt.kind === "for" && [stmt.from, stmt.to].some((atom) => isIn(atom, sums))) return false;
  const inner = new Set<string>();
  const binds: string[] = [];
  const started = new Set<string>();
  for (const [i, { param, init }] of stmt.carried.entries()) {
    if (!isIn(init, sums)) continue;
    const next = stmt.body.result[i];
    const bind = stmt.binds[i];
    if (next === undefined || bind === undefined || !onlySums(stmt.body, param, next)) return false;
    inner.add(param.name);
    binds.push(bind.name);
    if (init.kind === "var") started.add(init.name);
  }
  // the sum may enter as an initial value only
  if ([...stmtFreeVars({ ...stmt, carried: stmt.carried.filter(({ init }) => !isIn(init, sums)) }).keys()].some((name) => sums.has(name) && !inner.has(name))) return false;
  for (const name of binds) sums.add(name);
  return true;
}

/** Behind the statement, its active binds are only added up. */
function usedLinearly(stmt: Stmt, body: Body, at: number, facts: FunctionFacts): boolean {
  const names = new Set(stmtBinds(stmt).filter((bind) => facts.active(bind)).map(({ name }) => name));
  return body.stmts.slice(at + 1).every((later) => {
    if (!isActive(later, facts)) return true;
    if (later.kind === "let" && isLinear(later.bind, later.expr, facts, new Set())) return true;
    return ![...stmtFreeVars(later).keys()].some((name) => names.has(name));
  });
}

/** Moves the operands of the reverse code in front; false if one of them cannot be. */
function findEarly(body: Body, first: number, operands: ReadonlySet<string>, early: Set<number>): boolean {
  const needed = new Set(operands);
  for (let at = body.stmts.length - 1; at >= first; at--) {
    const stmt = body.stmts[at];
    if (stmt === undefined || !stmtBinds(stmt).some(({ name }) => needed.has(name))) continue;
    if (stmt.kind !== "let" || !isPure(stmt.expr) || !canMoveUp(stmt.expr, body, first, at)) return false;
    early.add(at);
    for (const name of stmtFreeVars(stmt).keys()) needed.add(name);
  }
  return true;
}

function canMoveUp(expr: Expr, body: Body, first: number, at: number): boolean {
  if (expr.kind === "op" || expr.kind === "copy") return true;
  if (expr.kind !== "length") return false;
  let changes = false;
  walkStmts({ stmts: body.stmts.slice(first, at), result: [] }, (stmt) => {
    if (stmt.kind === "append" || (stmt.kind === "let" && !isPure(stmt.expr))) changes = true;
  });
  return !changes;
}

// Note [Merging]
// FWD{ loop } ; FWD{ rest } ; REV{ rest } ; REV{ loop }  becomes  REV{ rest } ; loop { FWD ; REV } ; FWD{ rest } when (1) REV{ rest } reads nothing
// that the loop or the rest computes, because the rest only adds up and scales; (2) the cotangents that the reverse loop would carry are the same in
// every round, because the forward loop only adds to what it carries; (3) no round writes active memory that another round or the rest sees. Then
// every residual of a round is a local of that round. A branch is the same with a single round.
