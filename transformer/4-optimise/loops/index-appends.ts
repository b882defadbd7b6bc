// Turns an array that a counted loop fills by one `push` per iteration into one of known length
// that is stored into by index. The reverse sweep then knows the position of each element, and no
// iteration depends on the one before. Invariant: the array is empty before the loop, which uses it
// only here.

import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Append, Body, For, Func, Let, Program, Stmt } from "../../ir/types.ts";
import { mapBodies, stmtFreeVars } from "../../ir/visit.ts";

export function indexAppends(program: Program): Program {
  return {
    ...program,
    funcs: new Map([...program.funcs].map(([name, func]) => [name, inFunc(func)])),
  };
}

const inFunc = (func: Func): Func => withBody(func, inBody(func.body));

function inBody(body: Body): Body {
  let stmts = mapList(body.stmts, (stmt) => mapBodies(stmt, inBody));
  for (let at = 0; at < stmts.length; at++) {
    const rewritten = rewrite(stmts, at);
    if (rewritten !== null) stmts = rewritten;
  }
  return withStmts(body, stmts);
}

// xs = array []; …; for i = 0 < n { …; append xs v }
//   ->   …; xs = alloc n; for i = 0 < n { …; xs[i] = v }
function rewrite(stmts: readonly Stmt[], at: number): readonly Stmt[] | null {
  const def = stmts[at];
  if (def?.kind !== "let" || def.expr.kind !== "array" || def.expr.parts.length > 0) return null;
  if (def.bind.type.kind !== "array" || def.bind.type.store !== "Array") return null;
  const name = def.bind.name;
  const loopAt = stmts.findIndex((stmt, i) => i > at && stmtFreeVars(stmt).has(name));
  const loop = stmts[loopAt];
  if (
    loop?.kind !== "for" ||
    loop.step !== 1 ||
    loop.test !== "<" ||
    loop.from.kind !== "const" ||
    loop.from.value !== 0
  )
    return null;
  const filled = fill(loop, name);
  if (filled === null) return null;
  const alloc: Let = { ...def, expr: { kind: "alloc", length: loop.to, fill: null } };
  return [
    ...stmts.slice(0, at),
    ...stmts.slice(at + 1, loopAt),
    alloc,
    filled,
    ...stmts.slice(loopAt + 1),
  ];
}

function fill(loop: For, name: string): For | null {
  const users = loop.body.stmts.filter((stmt) => stmtFreeVars(stmt).has(name));
  const only = users[0];
  const isFree = ![...loop.body.result, ...loop.carried.map(({ init }) => init)].some(
    (atom) => atom.kind === "var" && atom.name === name,
  );
  if (
    users.length !== 1 ||
    only?.kind !== "append" ||
    !isFree ||
    !isTarget(only, name) ||
    !isWhole(loop)
  )
    return null;
  const store: Stmt = {
    kind: "store",
    object: only.object,
    key: { kind: "index", at: loop.index },
    value: only.value,
    initial: true,
    origin: only.origin,
  };
  return {
    ...loop,
    body: { ...loop.body, stmts: loop.body.stmts.map((stmt) => (stmt === only ? store : stmt)) },
  };
}

const isTarget = (stmt: Append, name: string): boolean =>
  stmt.object.kind === "var" &&
  stmt.object.name === name &&
  !(stmt.value.kind === "var" && stmt.value.name === name);

/** Whether the length is an integer: a constant, or a bound that acts like one in the loop. */
function isWhole(loop: For): boolean {
  return (
    loop.to.kind !== "const" ||
    (typeof loop.to.value === "number" && Number.isInteger(loop.to.value))
  );
}
