// Moves the construction of the result into the branches of a last `if`, so that each branch
// returns, as people write it.
// before: `if c -> (y, z) { p; yield a, b } else { q; yield d, e }; t = [y, z]; yield t`
// after: `if c -> (t) { p; yield [a, b] } else { q; yield [d, e] }; yield t`
// Invariant: each path constructs the result once, from the same values. An `if` that is printed as
// `c ? a : b` stays.

import { num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import type { Atom, Body, If, Let, Stmt, Var } from "../../ir/types.ts";
import { renameBody, substitute } from "../../ir/rename.ts";
import { stmtAtoms } from "../../ir/visit.ts";

/** The most parts of a result, over all branches, before one `return` at the end reads better. */
const MOST_PARTS = 16;

export function earlyReturns(body: Body, names: Names): Body {
  const [result] = body.result;
  const from = packingStart(body.stmts);
  const last = body.stmts[from - 1];
  const tail = body.stmts.slice(from);
  const isPacked =
    result?.kind === "var" &&
    body.result.length === 1 &&
    tail.some((stmt) => stmt.kind === "let" && stmt.bind.name === result.name);
  if (!isPacked || last?.kind !== "if" || !isWorthwhile(last, tail)) return body;
  const branch = (of: Body): Body => {
    if (of.stmts.at(-1)?.kind === "throw")
      return { stmts: of.stmts, result: [{ kind: "undef", type: result.type }] };
    const own = substitute(
      renameBody({ stmts: tail, result: body.result }, names),
      valuesOf(last, of),
    );
    return earlyReturns({ stmts: [...of.stmts, ...own.stmts], result: own.result }, names);
  };
  return {
    stmts: [
      ...body.stmts.slice(0, from - 1),
      { ...last, binds: [result], then: branch(last.then), else: branch(last.else) },
    ],
    result: body.result,
  };
}

const valuesOf = ({ binds }: If, { result }: Body): ReadonlyMap<string, Atom> =>
  new Map(binds.map(({ name }, i): [string, Atom] => [name, result[i] ?? num(0)]));

/** Index of the first of the last statements that only construct tuples and records. */
function packingStart(stmts: readonly Stmt[]): number {
  let from = stmts.length;
  while (isPacking(stmts[from - 1])) from--;
  return from;
}

const isPacking = (stmt: Stmt | undefined): stmt is Let =>
  stmt?.kind === "let" && (stmt.expr.kind === "tuple" || stmt.expr.kind === "record");

function isWorthwhile(last: If, tail: readonly Stmt[]): boolean {
  const packed = tail.flatMap(stmtAtoms);
  const isPacked = ({ name }: Var): boolean =>
    packed.some((atom) => atom.kind === "var" && atom.name === name);
  const hasAll = (of: Body): boolean =>
    last.binds.every((bind, i) => of.result[i]?.kind !== "undef" || !isPacked(bind)) ||
    of.stmts.at(-1)?.kind === "throw";
  const isShort = packed.length * arms(last) <= MOST_PARTS;
  const isChoice = last.then.stmts.length + last.else.stmts.length <= last.binds.length;
  return (
    isShort && !isChoice && last.binds.some(isPacked) && hasAll(last.then) && hasAll(last.else)
  );
}

/** Number of branches in a chain of `else if`. */
function arms({ then, else: other, binds }: If): number {
  const of = (body: Body): number => {
    const end = body.stmts.at(-1);
    return end?.kind === "if" && end.binds.length === binds.length ? arms(end) : 1;
  };
  return of(then) + of(other);
}
