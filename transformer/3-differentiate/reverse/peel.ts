// Inlines the base case of a recursive function at its recursive calls. Input: an ssa function of
// which both sweeps are one (merged.ts), and that calls itself several times. Output: the function
// with a test before each such call, or null. Invariant: same result, to the bit. What the call
// would compute before its test is computed in its place, from the same memory.
//
//   z = f(y)  ->  if c(y) then z = b(y) else z = f(y)
//                 where f(x) = if c(x) then b(x) else …, and b reads a number
//
// Half of the nodes of a binary tree are leaves, and the calls there cost more than their work.
// With one recursive call only one call of all would be saved. With two separate sweeps it is
// faster, too (a tree, by a fifth), but both get longer by a third, and so do the BOGs.

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

/** The most statements of a base case, including its test and the operands of that. */
const MOST_STATEMENTS = 8;
/** The most recursive calls at which a base case is inlined. */
const MOST_CALLS = 2;

type Side = "then" | "else";
const EMPTY: Body = { stmts: [], result: [] };
const opposite = (side: Side): Side => (side === "then" ? "else" : "then");

/** The base case of a function. */
interface Base {
  /** Statements that the test reads. */
  readonly front: readonly Stmt[];
  /** The function's last statement, which gives its result. */
  readonly test: If;
  readonly side: Side;
  /** The base case, with the statements from the function's beginning that it reads. */
  readonly leaf: Body;
}

/** The function with its base case inlined; null if that is impossible or not worth it. */
export function peel(func: Func): Func | null {
  const base = baseOf(func);
  if (base === null) return null;
  const { front, test, side, leaf } = base;
  const other = opposite(side);
  const names = namesOf(func);
  const fresh = <V extends Var>(variable: V): V => ({
    ...variable,
    name: names.fresh(variable.name),
  });
  const copy: Body = {
    stmts: [...front, { ...test, [side]: leaf, [other]: EMPTY, binds: [] }],
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
  const test = finalBranch(func);
  if (test === null) return null;
  const before = func.body.stmts.slice(0, -1);
  const side: Side = ownCalls(test.then, func).length > 0 ? "else" : "then";
  const leaf = test[side];
  if (
    !recurs(test[opposite(side)], func) ||
    !isRead(leaf) ||
    ![...before, ...leaf.stmts].every(isShort)
  )
    return null;
  const front = readBy(before, test.cond.kind === "var" ? [test.cond.name] : []);
  const rest = before.filter((stmt) => !front.includes(stmt));
  const own = readBy(rest, freeVars(leaf).keys());
  const count = front.length + own.length + leaf.stmts.length;
  return ownCalls(leaf, func).length > 0 || count > MOST_STATEMENTS
    ? null
    : { front, test, side, leaf: { ...leaf, stmts: [...own, ...leaf.stmts] } };
}

/** The branch that ends the function and gives its number. */
function finalBranch({ body: { stmts, result } }: Func): If | null {
  const test = stmts.at(-1);
  const [value] = result;
  if (test?.kind !== "if" || value?.kind !== "var" || value.type.kind !== "num") return null;
  return test.binds.length === 1 && test.binds[0]?.name === value.name ? test : null;
}

/** The statements that these names depend on. */
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

/** Whether a side returns an existing value, so that its reverse only adds to a cotangent. */
function isRead({ stmts, result: [result] }: Body): boolean {
  const made = stmts.find(
    (stmt) => stmt.kind === "let" && result?.kind === "var" && stmt.bind.name === result.name,
  );
  return made === undefined || (made.kind === "let" && made.expr.kind === "load");
}

/** Whether a statement only reads or computes: it allocates nothing and calls nothing. */
const isShort = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  ["op", "copy", "load", "length", "unwrap", "present"].includes(stmt.expr.kind);

/** Whether one execution calls the function several times, in few places, and in no loop test. */
function recurs(body: Body, func: Func): boolean {
  const calls = ownCalls(body, func);
  let isRepeated = calls.length > 1;
  let isTested = false;
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "for" && stmt.kind !== "while") return;
    isRepeated ||= stmtBodies(stmt).some((inner) => ownCalls(inner, func).length > 0);
    isTested ||= stmt.kind === "while" && ownCalls(stmt.test, func).length > 0;
  });
  return calls.length > 0 && calls.length <= MOST_CALLS && isRepeated && !isTested;
}
