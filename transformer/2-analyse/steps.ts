// Functions whose call may be one step of another program's tape: a value, and how it depends on what came in. In: a function, the arguments that may be active, all functions that it calls. Out: whether it may.
// Invariants: unsure means no. Such a function does nothing but give a number that depends on its arguments and on constants. Its loops go through all lists that a gradient would be made of, and of some more often
// than once: then what a call takes beside the function is little (measured: of a product of lists, as much as three times the recording of it).

import { hasNumbers, type Types } from "../ir/shadow.ts";
import type { Atom, Body, Func, Program, Stmt, Type } from "../ir/types.ts";
import { stmtAtoms, walkStmts } from "../ir/visit.ts";
import { Coverage, dimensionsOf, listsIn } from "./coverage.ts";
import type { Memory } from "./memory.ts";
import { isAggregate } from "./region.ts";
import { contractOf } from "./shippable.ts";

export function mayBeStep(func: Func, active: readonly number[], { funcs, types }: Program, graphs: ReadonlyMap<string, Memory>): boolean {
  const contract = contractOf(func, funcs, graphs, types);
  if (contract.kind === "problem" || contract.writes.length > 0 || func.result.kind !== "num") return false;
  const all = reachedFrom(func, funcs);
  if (all === null || !all.every(({ body }) => isQuiet(body, types))) return false;
  const { lists, depth } = new Coverage(funcs).of(func);
  const asked = active.flatMap((place) => { const param = func.params[place]; return param === undefined ? [] : listsIn(param.type, String(place), types); });
  if (asked.length === 0) return depth > 1;
  return asked.every((list) => lists.has(list)) && asked.some((list) => (lists.get(list) ?? 0) > dimensionsOf(list));
}

/** The function and all that it calls; null where one is not known. */
function reachedFrom(func: Func, funcs: Program["funcs"]): readonly Func[] | null {
  const found = new Set([func]);
  let isKnown = true;
  for (const one of found) walkStmts(one.body, (stmt) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "call") return;
    const callee = funcs.get(stmt.expr.callee);
    if (callee === undefined || callee.shipped === true || callee.rule !== undefined) isKnown = false;
    else found.add(callee);
  });
  return isKnown ? [...found] : null;
}

/** Nobody sees that it ran but by its value: what it throws is made of no numbers, and what it reads of its module are constants. */
function isQuiet(body: Body, types: Types): boolean {
  let isSo = true;
  walkStmts(body, (stmt) => { isSo &&= isQuietStatement(stmt, types) && stmtAtoms(stmt).every(isConstant); });
  return isSo && body.result.every(isConstant);
}

function isQuietStatement(stmt: Stmt, types: Types): boolean {
  if (stmt.kind === "throw") return isText(stmt.value.type);
  if (stmt.kind !== "let" || stmt.expr.kind !== "extern") return true;
  return stmt.expr.effect === "pure" && stmt.expr.args.every(({ type }) => !hasNumbers(type, types) && isText(type));
}

const isText = (type: Type): boolean => type.kind === "leaf" && !isAggregate(type);

const isConstant = (atom: Atom): boolean => atom.kind !== "global" || atom.type.kind === "num" || atom.type.kind === "bool" || isText(atom.type);
