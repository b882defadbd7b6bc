// Which statements of a fused body can be reversed on the spot, so that their values need no storage: a loop whose rounds only add to sums, a
// branch, when nothing behind them needs more than those sums. In: a body whose names the reverse code can still see. Out: a plan.
// Invariant: behind the first merged statement the reverse code needs no value that is computed there. See Note [Merging].

import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Body, Expr, For, If, Stmt, While } from "../../ir/types.ts";
import { isFresh, isPure, stmtAtoms, stmtBinds, stmtFreeVars, walkStmts } from "../../ir/visit.ts";

export interface MergePlan {
  /** Positions of the statements to reverse on the spot. */
  readonly merged: ReadonlySet<number>;
  /** The first of them; what it needs goes in front of it. */
  readonly first: number;
  /** Positions of the additions and scalings through which their cotangents come: reversed in front of the first. */
  readonly ahead: ReadonlySet<number>;
  /** Positions of values that this reverse code reads: computed in front of it too. */
  readonly early: ReadonlySet<number>;
}

const NOTHING: MergePlan = { merged: new Set(), first: Infinity, ahead: new Set(), early: new Set() };

export function mergePlan(body: Body, facts: FunctionFacts): MergePlan {
  const merged = new Set<number>();
  /** Additions and scalings whose results only flow into others of them, and into what the body yields. */
  const sums = new Map<number, readonly string[]>();
  for (let at = body.stmts.length - 1; at >= 0; at--) {
    const stmt = body.stmts[at];
    if (stmt === undefined || !isActive(stmt, facts)) continue;
    const flows = flowsInto(stmt, body, at, facts, sums);
    const factors = stmt.kind === "let" ? linearFactors(stmt.bind, stmt.expr, facts) : null;
    if (factors !== null) { if (flows !== null) sums.set(at, factors); continue; }
    if (flows !== null && canMerge(stmt, facts) && nothingOverwritten(body, at, facts)) merged.add(at);
  }
  // try with fewer and fewer, since what has to move in front of the first one may not be able to
  for (const first of [...merged].sort((x, z) => x - z)) {
    const chosen = new Set([...merged].filter((at) => at >= first));
    const ahead = pathFrom(chosen, body, facts, sums);
    const early = findEarly(body, first, new Set([...ahead].flatMap((at) => sums.get(at) ?? [])));
    if (early !== null) return { merged: chosen, first, ahead, early };
  }
  return NOTHING;
}

/** Positions behind `at` that use its active binds, if they are all sums; null if one is not. */
function flowsInto(stmt: Stmt, body: Body, at: number, facts: FunctionFacts, sums: ReadonlyMap<number, unknown>): readonly number[] | null {
  const names = new Set(stmtBinds(stmt).filter((bind) => facts.active(bind)).map(({ name }) => name));
  const users: number[] = [];
  for (let later = at + 1; later < body.stmts.length; later++) {
    const user = body.stmts[later];
    if (user === undefined || !isActive(user, facts) || ![...stmtFreeVars(user).keys()].some((name) => names.has(name))) continue;
    if (!sums.has(later)) return null;
    users.push(later);
  }
  return users;
}

/** The sums through which the cotangents of the chosen statements come. */
function pathFrom(chosen: ReadonlySet<number>, body: Body, facts: FunctionFacts, sums: ReadonlyMap<number, unknown>): ReadonlySet<number> {
  const path = new Set<number>();
  const visit = (at: number): void => {
    const stmt = body.stmts[at];
    if (stmt === undefined) return;
    for (const user of flowsInto(stmt, body, at, facts, sums) ?? []) {
      if (path.has(user)) continue;
      path.add(user);
      visit(user);
    }
  };
  for (const at of chosen) visit(at);
  return path;
}

/** Behind a merged statement, active memory that it can see must not be written: its own contributions would be cleared. */
function nothingOverwritten(body: Body, at: number, facts: FunctionFacts): boolean {
  const later = body.stmts.slice(at + 1);
  const fresh = new Set<string>();
  walkStmts({ stmts: later, result: [] }, (stmt) => { if (stmt.kind === "let" && isFresh(stmt.expr)) fresh.add(stmt.bind.name); });
  const isSafe = (object: Atom): boolean => !facts.shadowed(object) || (object.kind === "var" && fresh.has(object.name));
  let safe = true;
  walkStmts({ stmts: later, result: [] }, (stmt) => {
    if (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill") safe &&= isSafe(stmt.object);
    if (stmt.kind === "let" && stmt.expr.kind === "removeLast") safe &&= isSafe(stmt.expr.object);
    if (stmt.kind === "let" && stmt.expr.kind === "call") safe &&= !facts.callWrites(stmt.bind.name);
  });
  return safe;
}

/** For `z = x + y`, `-x`, `x * k`, `x / k` with k inactive: the names that its reverse reads (k). Null for anything else. */
function linearFactors(bind: Atom, expr: Expr, facts: FunctionFacts): readonly string[] | null {
  if (!facts.active(bind)) return null;
  if (expr.kind === "copy") return [];
  if (expr.kind !== "op") return null;
  const [x, z] = expr.args;
  const factor = (atom: Atom | undefined): readonly string[] | null => {
    if (atom === undefined || facts.active(atom)) return null;
    return atom.kind === "var" ? [atom.name] : [];
  };
  switch (expr.op) {
    case "add": case "sub": case "neg": case "plus": return [];
    case "mul": return x !== undefined && facts.active(x) ? factor(z) : factor(x);
    case "div": return factor(z);
    default: return null;
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
    if (inner.kind === "let" && inner.expr.kind === "removeLast") found ||= facts.shadowed(inner.expr.object);
    if (inner.kind === "let" && inner.expr.kind === "call") found ||= facts.callWrites(inner.bind.name);
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

/** Positions of what the reverse code in front of `first` reads; null if one of them cannot move there. */
function findEarly(body: Body, first: number, operands: ReadonlySet<string>): ReadonlySet<number> | null {
  const early = new Set<number>();
  const needed = new Set(operands);
  for (let at = body.stmts.length - 1; at >= first; at--) {
    const stmt = body.stmts[at];
    if (stmt === undefined || !stmtBinds(stmt).some(({ name }) => needed.has(name))) continue;
    if (stmt.kind !== "let" || !isPure(stmt.expr) || !canMoveUp(stmt.expr, body, first, at)) return null;
    early.add(at);
    for (const name of stmtFreeVars(stmt).keys()) needed.add(name);
  }
  return early;
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
// FWD{ loop } ; FWD{ rest } ; REV{ rest } ; REV{ loop }  becomes  REV{ sums } ; loop { FWD ; REV } ; FWD{ rest } ; REV{ the rest of rest } when
// (1) what the loop adds up flows only into sums behind it, so that its cotangent needs nothing the loop or the rest computes; (2) the cotangents that
// the reverse loop would carry are the same in every round, because the forward loop only adds to what it carries; (3) no round writes active memory
// that another round sees, and nothing behind the loop writes active memory that the loop can see. Then every residual of a round is a local of that
// round. A branch is the same with a single round.
