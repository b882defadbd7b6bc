// Puts what packs the result behind each branch of a last `if`, so that each branch returns for itself, as people write it. In: an ssa body, and names that it
// does not have. Out: the same program. `if c -> (y, z) { p; yield a, b } else { q; yield d, e }; t = [y, z]; yield t  ->  if c -> (t) { p; yield [a, b] } else { … }`
// Invariant: what is packed is packed once on each path, from the same values; no `if` that text says as `c ? a : b` is touched.

import { num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import type { Atom, Body, If, Let, Stmt, Var } from "../../ir/types.ts";
import { renameBody, substitute } from "../../ir/rename.ts";
import { stmtAtoms } from "../../ir/visit.ts";

/** Parts of a result, over all branches, beyond which one `return` at the end is easier to read. */
const MOST_PARTS = 16;

export function earlyReturns(body: Body, names: Names): Body {
  const [result] = body.result;
  const from = packingFrom(body.stmts);
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

/** Where the statements begin that do nothing but pack values, the last of all. */
function packingFrom(stmts: readonly Stmt[]): number {
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

/** Branches of a chain of `else if`. */
function arms({ then, else: other, binds }: If): number {
  const of = (body: Body): number => {
    const end = body.stmts.at(-1);
    return end?.kind === "if" && end.binds.length === binds.length ? arms(end) : 1;
  };
  return of(then) + of(other);
}
