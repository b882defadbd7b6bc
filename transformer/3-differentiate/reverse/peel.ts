// Base cases where they are met. In: an ssa function that calls itself several times, of which both sweeps are one (merged.ts). Out: the same, in which it is not called for a base case.
//   z = f(y)        ->   if c(y) then z = b(y) else z = f(y)             where f(x) = if c(x) then b(x) else …, and b reads a number
// Half of the nodes of a binary tree are leaves, and the calls cost more than what they do there: an expansion into minors of 5 rows takes three quarters of the time. Where a function calls itself once,
// one call of all would be saved; where the sweeps are two, it is faster too (a tree, by a fifth), but both get longer by a third, and BOGs by what says which case it was.
// Invariant: same meaning, to the bit: what the call would have computed in front of its test is computed in its place, from the same memory.

import { callsIn, isCall, type CallLet } from "../../ir/calls.ts";
import { sameType } from "../../ir/print.ts";
import type { Atom, Body, Func, If, Stmt, Var } from "../../ir/types.ts";
import { renameVars, substitute } from "../../ir/rename.ts";
import {
  definedVars,
  freeVars,
  mapBodies,
  namesOf,
  stmtBinds,
  stmtBodies,
  stmtFreeVars,
  walkStmts,
} from "../../ir/visit.ts";

/** The most statements of a base case, with its test and what that reads. */
const SHORT = 8;
/** The most calls that a base case is written out at. */
const FEW = 2;

type Side = "then" | "else";
const EMPTY: Body = { stmts: [], result: [] };
const opposite = (side: Side): Side => (side === "then" ? "else" : "then");

/** What a call does where it meets the base case. */
interface Base {
  /** What the test reads. */
  readonly front: readonly Stmt[];
  /** The function's last statement, which gives its result. */
  readonly test: If;
  readonly side: Side;
  /** The base case, with what it reads of the function's beginning. */
  readonly met: Body;
}

/** Null where the function has no base case that is worth being written out. */
export function peel(func: Func): Func | null {
  const base = baseOf(func);
  if (base === null) return null;
  const { front, test, side, met } = base;
  const other = opposite(side);
  const names = namesOf(func);
  const fresh = <V extends Var>(variable: V): V => ({
    ...variable,
    name: names.fresh(variable.name),
  });
  const copy: Body = {
    stmts: [...front, { ...test, [side]: met, [other]: EMPTY, binds: [] }],
    result: [],
  };
  const unless = (call: CallLet): readonly Stmt[] => {
    const given = new Map<string, Atom>();
    const copies: Stmt[] = [];
    for (const [k, param] of func.params.entries()) {
      const arg: Atom = call.expr.args[k] ?? { kind: "const", type: param.type, value: undefined };
      const isSame = sameType(arg.type, param.type);
      const bind = isSame ? param : fresh(param);
      if (!isSame)
        copies.push({ kind: "let", bind, expr: { kind: "copy", atom: arg }, origin: call.origin });
      given.set(param.name, isSame ? arg : bind);
    }
    const own = new Map(definedVars(copy).map(({ name }) => [name, names.fresh(name)]));
    const bind = fresh(call.bind);
    const called: Body = { stmts: [{ ...call, bind }], result: [bind] };
    const here = substitute(renameVars(copy, own), given).stmts;
    return [
      ...copies,
      ...here.map((stmt): Stmt =>
        stmt.kind === "if"
          ? { ...stmt, [other]: called, binds: [call.bind], origin: call.origin }
          : stmt,
      ),
    ];
  };
  const written = (body: Body): Body => ({
    ...body,
    stmts: body.stmts.flatMap((stmt) =>
      isOwn(stmt, func) ? unless(stmt) : [mapBodies(stmt, written)],
    ),
  });
  return {
    ...func,
    body: {
      ...func.body,
      stmts: [...func.body.stmts.slice(0, -1), { ...test, [other]: written(test[other]) }],
    },
  };
}

const isOwn = (stmt: Stmt, { name }: Func): stmt is CallLet =>
  isCall(stmt) && stmt.expr.callee === name;
const ownCalls = (body: Body, { name }: Func): readonly CallLet[] =>
  callsIn(body).filter(({ expr }) => expr.callee === name);

function baseOf(func: Func): Base | null {
  const {
    stmts,
    result: [result],
  } = func.body;
  const test = stmts.at(-1);
  const before = stmts.slice(0, -1);
  if (
    test?.kind !== "if" ||
    test.binds.length !== 1 ||
    result?.kind !== "var" ||
    result.type.kind !== "num" ||
    result.name !== test.binds[0]?.name
  )
    return null;
  const side: Side = ownCalls(test.then, func).length > 0 ? "else" : "then";
  const met = test[side];
  if (
    !recurs(test[opposite(side)], func) ||
    !isRead(met) ||
    ![...before, ...met.stmts].every(isShort)
  )
    return null;
  const front = readBy(before, test.cond.kind === "var" ? [test.cond.name] : []);
  const rest = before.filter((stmt) => !front.includes(stmt));
  const own = readBy(rest, freeVars(met).keys());
  return ownCalls(met, func).length > 0 || front.length + own.length + met.stmts.length > SHORT
    ? null
    : { front, test, side, met: { ...met, stmts: [...own, ...met.stmts] } };
}

/** Of statements that bind names, those that these names come from. */
function readBy(stmts: readonly Stmt[], names: Iterable<string>): readonly Stmt[] {
  const read = new Set(names);
  return stmts
    .toReversed()
    .filter((stmt) => {
      const isRead = stmtBinds(stmt).some(({ name }) => read.has(name));
      if (isRead) for (const name of stmtFreeVars(stmt).keys()) read.add(name);
      return isRead;
    })
    .toReversed();
}

/** Whether a side gives what is there already: reverse code has nothing to do for it but to add its cotangent. */
function isRead({ stmts, result: [result] }: Body): boolean {
  const made = stmts.find(
    (stmt) => stmt.kind === "let" && result?.kind === "var" && stmt.bind.name === result.name,
  );
  return made === undefined || (made.kind === "let" && made.expr.kind === "load");
}

/** Reads and operations, which make nothing and run no code of others. */
const isShort = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  ["op", "copy", "load", "length", "unwrap", "present"].includes(stmt.expr.kind);

/** Whether one run calls the function several times, in few places, none of which is the test of a loop. */
function recurs(body: Body, func: Func): boolean {
  const calls = ownCalls(body, func);
  let isRepeated = calls.length > 1;
  let isTested = false;
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "for" && stmt.kind !== "while") return;
    isRepeated ||= stmtBodies(stmt).some((inner) => ownCalls(inner, func).length > 0);
    isTested ||= stmt.kind === "while" && ownCalls(stmt.test, func).length > 0;
  });
  return calls.length > 0 && calls.length <= FEW && isRepeated && !isTested;
}
