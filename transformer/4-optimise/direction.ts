// Turns a loop that runs downwards into one that runs upwards, where its rounds commute: nothing flows from round to round
// but sums of cotangents. In: an ssa function. Out: the same meaning, sums of cotangents in another order.
// Invariant: no round reads what another one writes, and none may throw or act.

import { num } from "../ir/build.ts";
import type { Types } from "../ir/shadow.ts";
import type { Atom, Body, Carried, Expr, For, Func, Stmt } from "../ir/types.ts";
import { definedVars, mapBodies, stmtBodies, unreachable, walkAtoms, walkStmts } from "../ir/visit.ts";
import { interfere, ownAccesses } from "./access.ts";
import type { Access } from "./access.ts";
import { isNumber, sameAtom } from "./atoms.ts";
import { Memory } from "./memory.ts";

interface State {
  readonly memory: Memory;
  readonly definitions: ReadonlyMap<string, Expr>;
  /** Names that hold integers, whatever they are computed from. */
  readonly integers: ReadonlySet<string>;
  readonly pureCalls: ReadonlySet<string>;
}

export function direction(func: Func, types: Types, pureCalls: ReadonlySet<string>): Func {
  const definitions = new Map<string, Expr>();
  const integers = new Set<string>();
  const noteInteger = (atom: Atom): void => { if (atom.kind === "var") integers.add(atom.name); };
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let") {
      definitions.set(stmt.bind.name, stmt.expr);
      if (stmt.expr.kind === "length") noteInteger(stmt.bind);
    }
    if (stmt.kind === "for") [stmt.index, stmt.from].forEach(noteInteger);
  });
  return { ...func, body: turnBody(func.body, { memory: new Memory(func, types), definitions, integers, pureCalls }) };
}

function turnBody(body: Body, state: State): Body {
  return { ...body, stmts: body.stmts.map((stmt) => {
    const inner = mapBodies(stmt, (nested) => turnBody(nested, state));
    return inner.kind === "for" ? turn(inner, state) : inner;
  }) };
}

/** for i = hi - 1 >= lo step -1   ->   for i = lo < hi step 1 */
function turn(loop: For, state: State): For {
  if (loop.test !== ">=" || loop.step !== -1 || !isInteger(loop.to, state)) return loop;
  if (!commutes(loop, state)) return loop;
  return { ...loop, from: loop.to, step: 1, ...upperBound(loop.from, state) };
}

/** `from` is an integer by contract, so `hi` in `from = hi - 1` is one too. */
function upperBound(from: Atom, state: State): { readonly test: "<" | "<="; readonly to: Atom } {
  if (isNumber(from)) return { test: "<", to: num(from.value + 1) };
  const made = from.kind === "var" ? state.definitions.get(from.name) : undefined;
  const [hi, one] = made?.kind === "op" && made.op === "sub" ? made.args : [];
  return hi !== undefined && one !== undefined && isNumber(one) && one.value === 1 ? { test: "<", to: hi } : { test: "<=", to: from };
}

function isInteger(atom: Atom, state: State): boolean {
  if (isNumber(atom)) return Number.isInteger(atom.value);
  if (atom.kind !== "var") return false;
  if (state.integers.has(atom.name)) return true;
  const made = state.definitions.get(atom.name);
  return made?.kind === "op" && (made.op === "add" || made.op === "sub" || made.op === "mul") && made.args.every((arg) => isInteger(arg, state));
}

function commutes(loop: For, state: State): boolean {
  if (!loop.carried.every((one, k) => isSum(one, loop.body.result[k], loop.body))) return false;
  const stmts: Stmt[] = [];
  walkStmts(loop.body, (stmt) => stmts.push(stmt));
  if (stmts.some((stmt) => !isTame(stmt, state.pureCalls))) return false;
  const inside = new Set(definedVars(loop.body).map((bind) => bind.name));
  const done = stmts.flatMap((stmt) => ownAccesses(stmt).map((access) => ({ access, sums: stmt.kind === "accum" && stmt.adjoint === true })));
  return done.every((x, at) => done.slice(at).every((z) =>
    (x.sums && z.sums) || !interfere(x.access, z.access, state.memory) || isOwnPlace(x.access, z.access, loop, inside)));
}

/** Whether the two touch one place only, which no other round touches: `a[i]` of an array that the loop does not choose. */
function isOwnPlace(x: Access, z: Access, loop: For, inside: ReadonlySet<string>): boolean {
  return [x, z].every((one) => one.object?.kind === "var" && !inside.has(one.object.name)
    && one.part.kind === "index" && sameAtom(one.part.at, loop.index))
    && x.object !== null && z.object !== null && sameAtom(x.object, z.object);
}

/** Whether the order of two runs of the statement can only be seen in memory. */
function isTame(stmt: Stmt, pureCalls: ReadonlySet<string>): boolean {
  switch (stmt.kind) {
    case "let": return isTameExpr(stmt.expr, pureCalls);
    case "store": case "accum": case "if": case "for": case "while": return true;
    case "append": case "fill": case "push": case "throw": return false;
    case "declare": case "assign": case "break": case "continue": case "return": case "scope": case "loop": return false;
    default: return unreachable(stmt);
  }
}

function isTameExpr(expr: Expr, pureCalls: ReadonlySet<string>): boolean {
  switch (expr.kind) {
    case "call": return pureCalls.has(expr.callee);
    case "extern": return expr.effect !== "io";
    case "removeLast": case "pop": case "rewind": case "lambda": return false;
    case "copy": case "op": case "load": case "length": case "present": case "unwrap": case "array": case "tuple": case "record":
    case "alloc": case "slice": case "zeros": case "clone": case "newTape": return true;
    default: return unreachable(expr);
  }
}

/** Whether the rounds only add cotangents to the carried value: s, s + x, s + x + z, s - x. */
export function isSum(one: Carried, next: Atom | undefined, body: Body): boolean {
  const uses = new Map<string, number>();
  walkAtoms(body, (atom) => { if (atom.kind === "var") uses.set(atom.name, (uses.get(atom.name) ?? 0) + 1); });
  let current = one.param.name;
  for (;;) {
    if (uses.get(current) !== 1) return false;
    if (next?.kind === "var" && next.name === current) return true;
    const step = body.stmts.find((stmt) => stmtBodies(stmt).length === 0 && stmt.kind === "let" && stmt.adjoint === true && isTerm(stmt.expr, current));
    if (step?.kind !== "let") return false;
    current = step.bind.name;
  }
}

function isTerm(expr: Expr, name: string): boolean {
  if (expr.kind !== "op") return false;
  const at = expr.args.findIndex((arg) => arg.kind === "var" && arg.name === name);
  return expr.op === "add" ? at >= 0 : expr.op === "sub" && at === 0;
}
