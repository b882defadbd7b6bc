// Finds statements of a fused body that can be reversed immediately, so that their values need no
// storage: loops whose iterations only add to sums, branches, and calls. Input: a body whose names
// the reverse code can still see. Output: a plan.
// Invariant: after the first merged statement, the reverse code needs no value that is computed
// there. See Note [Merging].

import { isCall } from "../../ir/calls.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Body, Expr, For, If, Key, Let, Stmt, While } from "../../ir/types.ts";
import { isAllocation, isPure } from "../../ir/effects.ts";
import { stmtAtoms, stmtBinds, stmtBodies, stmtFreeVars, walkStmts } from "../../ir/visit.ts";
import type { Nested } from "../nested.ts";

export interface MergePlan {
  /** Positions of the statements to reverse immediately. */
  readonly merged: ReadonlySet<number>;
  /** The first of them; its operands move before it. */
  readonly first: number;
  /** Positions of sums that their cotangents flow through: reversed before the first of them. */
  readonly ahead: ReadonlySet<number>;
  /** Positions of values that this reverse code reads; they move before it, too. */
  readonly early: ReadonlySet<number>;
}

const NOTHING: MergePlan = {
  merged: new Set(),
  first: Infinity,
  ahead: new Set(),
  early: new Set(),
};

/** The names that an operation's contribution to `name` reads; null if it is not linear in it. */
type Linear = (name: string) => readonly string[] | null;

/** Linear operations, by position, whose results only flow to others and to body results. */
type Sums = ReadonlyMap<number, Linear>;

/** `mergesCall`: whether the callee allows an immediate reversal. */
export function mergePlan(
  body: Body,
  facts: FunctionFacts,
  mergesCall: (stmt: Let) => boolean,
): MergePlan {
  const merged = new Set<number>();
  const sums = new Map<number, Linear>();
  const uses: Uses = new Map();
  for (let at = body.stmts.length - 1; at >= 0; at--) {
    const stmt = body.stmts[at];
    if (stmt === undefined || !isActive(stmt, facts)) continue;
    const flows = flowsInto(stmt, uses, facts, sums);
    for (const name of stmtFreeVars(stmt).keys()) {
      const known = uses.get(name);
      if (known === undefined) uses.set(name, [at]);
      else known.push(at);
    }
    const linear = stmt.kind === "let" ? linearity(stmt.bind, stmt.expr, facts) : null;
    if (linear !== null) {
      if (flows !== null) sums.set(at, linear);
      continue;
    }
    if (flows !== null && canMerge(stmt, facts, mergesCall) && nothingOverwritten(body, at, facts))
      merged.add(at);
  }
  // drops the first ones until the operands of the rest can move
  for (const first of [...merged].sort((x, z) => x - z)) {
    const chosen = new Set([...merged].filter((at) => at >= first));
    const { ahead, read } = pathFrom(chosen, body, { uses, facts, sums });
    const early = findEarly(body, first, read, facts);
    if (early !== null) return { merged: chosen, first, ahead, early };
  }
  return NOTHING;
}

/** A later use of an active result, and the names that its contribution reads. */
interface Flow {
  readonly at: number;
  readonly read: readonly string[];
}

/** Whether a call can be reversed immediately, once the cotangent of its result is known. */
export function mergesCall({ bind, expr }: Let, facts: FunctionFacts, nested: Nested): boolean {
  if (expr.kind !== "call" || !facts.active(bind) || facts.callStores(bind.name)) return false;
  const active = facts.callActive(bind.name);
  return active !== null && nested.merges(expr.callee, active);
}

/** The active calls of a body that are not merged, if its result's cotangent is known. */
export function unmergedCalls(
  body: Body,
  facts: FunctionFacts,
  nested: Nested,
): readonly (Expr & { kind: "call" })[] {
  const { merged } = mergePlan(body, facts, (stmt) => mergesCall(stmt, facts, nested));
  return body.stmts.flatMap((stmt, at) => {
    if (merged.has(at))
      return stmt.kind === "let"
        ? []
        : stmtBodies(stmt).flatMap((inner) => unmergedCalls(inner, facts, nested));
    const found: (Expr & { kind: "call" })[] = [];
    walkStmts({ stmts: [stmt], result: [] }, (inner) => {
      if (
        inner.kind === "let" &&
        inner.expr.kind === "call" &&
        facts.callActive(inner.bind.name) !== null
      )
        found.push(inner.expr);
    });
    return found;
  });
}

/** By name: positions of the active statements that use it, the last one first. */
type Uses = Map<string, number[]>;

/** The later uses of a statement's active results; null if one of them is not linear. */
function flowsInto(
  stmt: Stmt,
  uses: Uses,
  facts: FunctionFacts,
  sums: Sums,
): readonly Flow[] | null {
  const flows: Flow[] = [];
  for (const bind of stmtBinds(stmt)) {
    if (!facts.active(bind)) continue;
    for (const at of uses.get(bind.name) ?? []) {
      const read = sums.get(at)?.(bind.name) ?? null;
      if (read === null) return null;
      flows.push({ at, read });
    }
  }
  return flows.sort((one, other) => one.at - other.at);
}

/** The sums that the chosen statements' cotangents flow through, and what these read. */
function pathFrom(
  chosen: ReadonlySet<number>,
  body: Body,
  {
    uses,
    facts,
    sums,
  }: { readonly uses: Uses; readonly facts: FunctionFacts; readonly sums: Sums },
): { readonly ahead: ReadonlySet<number>; readonly read: ReadonlySet<string> } {
  const ahead = new Set<number>();
  const read = new Set<string>();
  const todo = [...chosen].reverse();
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const stmt = body.stmts[at];
    if (stmt === undefined) continue;
    for (const flow of flowsInto(stmt, uses, facts, sums) ?? []) {
      for (const name of flow.read) read.add(name);
      if (ahead.has(flow.at)) continue;
      ahead.add(flow.at);
      todo.push(flow.at);
    }
  }
  return { ahead, read };
}

/** Whether no later write to active memory clears a merged statement's contributions. */
function nothingOverwritten(body: Body, at: number, facts: FunctionFacts): boolean {
  const later = body.stmts.slice(at + 1);
  const fresh = new Set<string>();
  walkStmts({ stmts: later, result: [] }, (stmt) => {
    if (stmt.kind === "let" && isAllocation(stmt.expr)) fresh.add(stmt.bind.name);
  });
  const isSafe = (object: Atom): boolean =>
    !facts.shadowed(object) || (object.kind === "var" && fresh.has(object.name));
  let safe = true;
  walkStmts({ stmts: later, result: [] }, (stmt) => {
    if (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill")
      safe &&= isSafe(stmt.object);
    if (stmt.kind === "let" && stmt.expr.kind === "removeLast") safe &&= isSafe(stmt.expr.object);
    if (isCall(stmt)) safe &&= !facts.callStores(stmt.bind.name);
  });
  return safe;
}

/** Where `x + y`, `-x`, `x * k`, `k * x` and `x / k` are linear; other operands may be active. */
function linearity(bind: Atom, expr: Expr, facts: FunctionFacts): Linear | null {
  if (!facts.active(bind)) return null;
  if (expr.kind === "copy") return () => [];
  if (expr.kind !== "op") return null;
  const [x, z] = expr.args;
  const isNamed = (atom: Atom | undefined, name: string): boolean =>
    atom?.kind === "var" && atom.name === name;
  const factor = (atom: Atom | undefined, of: string): readonly string[] | null =>
    isNamed(atom, of) ? null : atom?.kind === "var" ? [atom.name] : [];
  switch (expr.op) {
    case "add":
    case "sub":
    case "neg":
    case "plus":
      return () => [];
    case "mul":
      return (name) => (isNamed(x, name) ? factor(z, name) : factor(x, name));
    case "div":
      return (name) => (isNamed(x, name) ? factor(z, name) : null);
    default:
      return null;
  }
}

/** Whether the reverse sweep has work to do for a statement. */
function isActive(stmt: Stmt, facts: FunctionFacts): boolean {
  let found = false;
  const check = (inner: Stmt): void => {
    if (stmtBinds(inner).some((bind) => facts.active(bind) || facts.shadowed(bind))) found = true;
    if (inner.kind === "store" || inner.kind === "append" || inner.kind === "fill")
      found ||= facts.shadowed(inner.object);
    if (inner.kind === "let" && inner.expr.kind === "removeLast")
      found ||= facts.shadowed(inner.expr.object);
    if (inner.kind === "let" && inner.expr.kind === "call")
      found ||= facts.callActive(inner.bind.name) !== null;
  };
  walkStmts({ stmts: [stmt], result: [] }, check);
  return found;
}

function canMerge(stmt: Stmt, facts: FunctionFacts, mergesCall: (stmt: Let) => boolean): boolean {
  if (stmt.kind === "let") return mergesCall(stmt);
  if (stmt.kind === "if")
    return !writesOutside(stmt, facts) && stmt.binds.every((bind) => !facts.shadowed(bind));
  if (stmt.kind !== "for" && stmt.kind !== "while") return false;
  if (facts.storesOutside(stmt) || stmt.carried.some(({ param }) => facts.shadowed(param)))
    return false;
  return stmt.carried.every(({ param }, i) => {
    const next = stmt.body.result[i];
    const bind = stmt.binds[i];
    if (!facts.active(param) && (bind === undefined || !facts.active(bind))) return true;
    return next !== undefined && onlySums(stmt.body, param, next);
  });
}

/** Whether a branch writes active memory. Unlike in a loop, any such write counts. */
function writesOutside(stmt: If, facts: FunctionFacts): boolean {
  let found = false;
  walkStmts({ stmts: [stmt], result: [] }, (inner) => {
    if (inner.kind === "store" || inner.kind === "append" || inner.kind === "fill")
      found ||= facts.shadowed(inner.object);
    if (inner.kind === "let" && inner.expr.kind === "removeLast")
      found ||= facts.shadowed(inner.expr.object);
    if (inner.kind === "let" && inner.expr.kind === "call")
      found ||= facts.callStores(inner.bind.name);
  });
  return found;
}

/** Whether `param` only flows to `next`, by additions: its cotangent never changes. */
export function onlySums(body: Body, param: Atom, next: Atom): boolean {
  if (param.kind !== "var") return false;
  const sums = new Set([param.name]);
  return (
    sumsThrough(body, sums) &&
    isIn(next, sums) &&
    body.result.filter((atom) => isIn(atom, sums)).length === 1
  );
}

const isIn = (atom: Atom | undefined, sums: ReadonlySet<string>): boolean =>
  atom !== undefined && atom.kind === "var" && sums.has(atom.name);

/** Follows the sums through a body. False if one is used twice, or other than to add to it. */
function sumsThrough(body: Body, sums: Set<string>): boolean {
  return body.stmts.every((stmt) => {
    if (stmt.kind === "let") {
      const uses = stmtAtoms(stmt).filter((atom) => isIn(atom, sums)).length;
      if (uses === 0) return true;
      const { expr } = stmt;
      const isSum =
        uses === 1 &&
        ((expr.kind === "op" &&
          (expr.op === "add" || (expr.op === "sub" && isIn(expr.args[0], sums)))) ||
          expr.kind === "copy");
      if (isSum) sums.add(stmt.bind.name);
      return isSum;
    }
    if (stmt.kind === "if") return sumsThroughBranch(stmt, sums);
    if (stmt.kind === "for" || stmt.kind === "while") return sumsThroughLoop(stmt, sums);
    return !stmtAtoms(stmt).some((atom) => isIn(atom, sums));
  });
}

function sumsThroughBranch(stmt: If, sums: Set<string>): boolean {
  if (isIn(stmt.cond, sums) || !sumsThrough(stmt.then, sums) || !sumsThrough(stmt.else, sums))
    return false;
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
  // the inner loop may only use the sum as an initial value
  if (
    [
      ...stmtFreeVars({
        ...stmt,
        carried: stmt.carried.filter(({ init }) => !isIn(init, sums)),
      }).keys(),
    ].some((name) => sums.has(name) && !inner.has(name))
  )
    return false;
  for (const name of binds) sums.add(name);
  return true;
}

/** Positions of values that early reverse code reads; null if one cannot move before `first`. */
function findEarly(
  body: Body,
  first: number,
  read: ReadonlySet<string>,
  facts: FunctionFacts,
): ReadonlySet<number> | null {
  const early = new Set<number>();
  const needed = new Set(read);
  for (let at = body.stmts.length - 1; at >= first; at--) {
    const stmt = body.stmts[at];
    if (stmt === undefined || !stmtBinds(stmt).some(({ name }) => needed.has(name))) continue;
    if (stmt.kind !== "let" || !isPure(stmt.expr) || !canMoveUp(stmt, body, first, at, facts))
      return null;
    early.add(at);
    for (const name of stmtFreeVars(stmt).keys()) needed.add(name);
  }
  return early;
}

function canMoveUp(
  { bind, expr }: Let,
  body: Body,
  first: number,
  at: number,
  facts: FunctionFacts,
): boolean {
  if (expr.kind === "op" || expr.kind === "copy") return true;
  const between = body.stmts.slice(first, at);
  if (expr.kind === "load")
    return (
      bind.type.kind === "num" &&
      isDefinedBefore(expr.object, between) &&
      !mayChange(expr.object, expr.key, between, facts)
    );
  if (expr.kind !== "length") return false;
  let changes = false;
  walkStmts({ stmts: between, result: [] }, (stmt) => {
    if (stmt.kind === "append" || (stmt.kind === "let" && !isPure(stmt.expr))) changes = true;
  });
  return !changes;
}

/** Whether an object is defined before these statements. */
const isDefinedBefore = (object: Atom, stmts: readonly Stmt[]): boolean =>
  !stmts.some((stmt) =>
    stmtBinds(stmt).some(({ name }) => object.kind === "var" && name === object.name),
  );

/** Whether statements may write a place: arguments may alias, fresh objects do not. */
function mayChange(object: Atom, key: Key, stmts: readonly Stmt[], facts: FunctionFacts): boolean {
  if (!facts.isUnchanged(object)) return true;
  const made = new Set<string>();
  let changes = false;
  const write = (written: Atom, field: string | null): void => {
    changes ||=
      !(written.kind === "var" && made.has(written.name)) &&
      field === (key.kind === "field" ? key.name : null);
  };
  walkStmts({ stmts, result: [] }, (stmt) => {
    if (stmt.kind === "store") write(stmt.object, stmt.key.kind === "field" ? stmt.key.name : null);
    if (stmt.kind === "append" || stmt.kind === "fill") write(stmt.object, null);
    if (stmt.kind !== "let") return;
    if (isAllocation(stmt.expr)) made.add(stmt.bind.name);
    if (stmt.expr.kind === "removeLast") write(stmt.expr.object, null);
    if (stmt.expr.kind === "call") changes ||= facts.callWrites(stmt.bind.name);
    if (stmt.expr.kind === "extern") changes ||= stmt.expr.effect === "io";
  });
  return changes;
}

// Note [Merging]
// FWD{ loop } ; FWD{ rest } ; REV{ rest } ; REV{ loop }  becomes
// REV{ sums } ; loop { FWD ; REV } ; FWD{ rest } ; REV{ the rest of rest }  when
// (1) the loop's results only flow to later sums, so that their cotangents need no value that the
//     loop or the rest computes;
// (2) the forward loop only adds to carried values, so that the cotangents which the reverse loop
//     would carry are the same in every iteration;
// (3) no iteration writes active memory that another one sees, and nothing after the loop writes
//     active memory that the loop sees.
// Then every residual of an iteration is a local of it. A branch is a loop with one iteration, and
// so is a call: its derivative runs with the cotangent of its result (merged.ts). For example, in
// `y = f(x); s = s + t * y` the contribution to y reads t, which is known before the call. The
// contribution to t reads y, and comes after the call.
