// Computes each value once. In: an ssa function. Out: the same meaning; a later computation of a value that an earlier,
// dominating one gave is dropped, and a read of a place that was just written or read is what was written or read.
// Invariant: a remembered read is forgotten at every write that may touch its place.

import type { Types } from "../ir/shadow.ts";
import { resolve } from "../ir/shadow.ts";
import { OPS } from "../ir/ops.ts";
import type { Atom, Body, Expr, Func, Key, Let, ScalarOp, Stmt } from "../ir/types.ts";
import { isFresh, isPure, mapExpr, mapStmt, stmtBinds } from "../ir/visit.ts";
import { accesses, exprAccesses, interfere, ownAccesses } from "./access.ts";
import type { Access } from "./access.ts";
import { Replacements, atomKey } from "./atoms.ts";
import { Memory } from "./memory.ts";

interface Known {
  readonly value: Atom;
  /** What the value was read from; empty for values that no write changes. */
  readonly reads: readonly Access[];
}

/** What is known where a walk stands. Inner scopes start with a copy. */
type Table = Map<string, Known>;

interface State {
  readonly replaced: Replacements;
  readonly memory: Memory;
}

export function cse(func: Func, types: Types): Func {
  const state: State = { replaced: new Replacements(), memory: new Memory(func, types) };
  const body = walkBody(func.body, new Map(), state);
  return { ...func, body: state.replaced.finish(body) };
}

function walkBody(body: Body, table: Table, state: State): Body {
  const stmts = body.stmts.flatMap((stmt) => walkStmt(stmt, table, state));
  return { stmts, result: body.result.map(state.replaced.resolve) };
}

function walkStmt(stmt: Stmt, table: Table, state: State): readonly Stmt[] {
  if (stmt.kind === "let" && stmt.expr.kind !== "lambda") return walkLet(stmt, table, state);
  const isLoop = stmt.kind === "for" || stmt.kind === "while";
  // a later round may have written what the first one reads
  if (isLoop) forget(table, accesses(stmt), state);
  // a lambda runs later, when memory may hold something else
  const inner = (): Table => (stmt.kind === "let" ? new Map([...table].filter(([, known]) => known.reads.length === 0)) : new Map(table));
  let test: Table | null = null;
  const mapped = mapStmt(stmt, state.replaced.resolve, (nested) => {
    // a body runs after its loop's test, so it knows what the test computed
    const start = stmt.kind === "while" && test !== null ? test : inner();
    const result = walkBody(nested, start, state);
    test = start;
    return result;
  });
  for (const bind of stmtBinds(mapped)) state.replaced.keep(bind);
  if (mapped.kind !== "let") forget(table, accesses(mapped), state);
  remember(mapped, table, state);
  return [mapped];
}

function walkLet(stmt: Let, table: Table, state: State): readonly Stmt[] {
  const expr = mapExpr(stmt.expr, state.replaced.resolve);
  const key = isFresh(expr) || !isPure(expr) || expr.kind === "copy" ? null : exprKey(expr);
  const known = key === null ? undefined : table.get(key);
  if (known !== undefined) {
    state.replaced.replace(stmt.bind, known.value);
    return [];
  }
  const kept: Let = { ...stmt, expr };
  state.replaced.keep(stmt.bind);
  forget(table, ownAccesses(kept), state);
  if (key !== null) table.set(key, { value: stmt.bind, reads: exprAccesses(expr, stmt.bind.type) });
  return [kept];
}

/** Forgets what the writes among these accesses may change. */
function forget(table: Table, done: readonly Access[], state: State): void {
  const writes = done.filter((one) => one.write);
  if (writes.length === 0) return;
  for (const [key, known] of table) {
    if (known.reads.some((read) => writes.some((write) => interfere(read, write, state.memory)))) table.delete(key);
  }
}

/** a[i] = v  …  t = load a[i]   ->   t is v, where the store keeps every bit and `v` is not missing. */
function remember(stmt: Stmt, table: Table, state: State): void {
  if (stmt.kind !== "store" || !keepsBits(stmt.object, stmt.key, state.memory)) return;
  const expr: Expr = { kind: "load", object: stmt.object, key: stmt.key };
  table.set(exprKey(expr), { value: stmt.value, reads: exprAccesses(expr, stmt.value.type) });
}

/** A typed array may round, and drops what is written out of its bounds. */
function keepsBits(object: Atom, key: Key, memory: Memory): boolean {
  const type = resolve(object.type, memory.types);
  return key.kind === "field" ? type.kind === "record" || type.kind === "tuple" : type.kind === "array" && type.store === "Array";
}

const COMMUTES: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["add", "mul", "eq", "ne"]);

/** A text that two expressions share exactly when they compute the same from the same memory. */
function exprKey(expr: Expr): string {
  switch (expr.kind) {
    case "op": {
      const args = expr.args.map(atomKey);
      return `${expr.op} ${(COMMUTES.has(expr.op) && OPS[expr.op].arity === 2 ? args.sort() : args).join(" ")}`;
    }
    case "load": return `load ${atomKey(expr.object)} ${expr.key.kind === "index" ? `[${atomKey(expr.key.at)}]` : `.${expr.key.name}`}`;
    case "extern": return `extern ${JSON.stringify(expr.text)} ${expr.args.map(atomKey).join(" ")}`;
    case "length": return `length ${atomKey(expr.object)}`;
    case "present": case "unwrap": return `${expr.kind} ${atomKey(expr.value)}`;
    case "copy": case "array": case "tuple": case "record": case "alloc": case "slice": case "zeros": case "clone": case "call":
    case "removeLast": case "newTape": case "pop": case "rewind": case "lambda": return "";
  }
}
