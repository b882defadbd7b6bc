// Replaces a loop that moves all elements down by one by `shift()`, one step for the engine.
//   n = length a; …; for i = 0 < n - 1 { v = load a[i + 1]; a[i] = v }; removeLast a
//     ->   n = length a; …; a.shift()
// Invariant: `n` is the current length of an array that loses its last element next. Arrays that
// move with it (shadows, tangents) are as long or longer, and nothing reads their elements beyond.

import { withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Names } from "../../ir/names.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt, Var } from "../../ir/types.ts";
import { isPure } from "../../ir/effects.ts";
import { mapBodies, namesOf, stmtBodies, walkAtoms } from "../../ir/visit.ts";
import { letsIn } from "../../ir/lets.ts";
import { isConst } from "../../ir/build.ts";

export function shifts(func: Func): Func {
  const lets = letsIn(func.body);
  if (![...lets.values()].some(({ expr }) => expr.kind === "removeLast")) return func;
  const read = new Set<string>();
  walkAtoms(func.body, (atom) => {
    if (atom.kind === "var") read.add(atom.name);
  });
  return withBody(func, inBody(func.body, new Set(), { lets, read, names: namesOf(func) }));
}

interface Context {
  readonly lets: ReadonlyMap<string, Let>;
  /** Names that are read anywhere. */
  readonly read: ReadonlySet<string>;
  readonly names: Names;
}

/** `known`: names that hold a length which has not changed since. */
function inBody(body: Body, known: ReadonlySet<string>, context: Context): Body {
  const lengths = new Set(known);
  const out: Stmt[] = [];
  for (let at = 0; at < body.stmts.length; at++) {
    const stmt = body.stmts[at];
    if (stmt === undefined) break;
    const found =
      stmt.kind === "for" ? shiftAt(stmt, body.stmts.slice(at + 1), lengths, context) : null;
    if (found !== null) {
      out.push(
        ...found.moved.map((object) => shifted(object, stmt, context.names)),
        ...found.between,
      );
      at += found.between.length + found.taken;
      lengths.clear();
      continue;
    }
    out.push(inside(stmt, lengths, context));
    if (stmt.kind === "let" && stmt.expr.kind === "length") lengths.add(stmt.bind.name);
    else if (resizes(stmt)) lengths.clear();
  }
  return withStmts(body, out);
}

/** The nested bodies. The body of a loop knows the lengths that its test reads. */
function inside(stmt: Stmt, known: ReadonlySet<string>, context: Context): Stmt {
  if (stmt.kind === "if") return mapBodies(stmt, (nested) => inBody(nested, known, context));
  if (stmt.kind !== "while") return mapBodies(stmt, (nested) => inBody(nested, new Set(), context));
  const tested = stmt.test.stmts.some(resizes)
    ? []
    : stmt.test.stmts.flatMap((one) =>
        one.kind === "let" && one.expr.kind === "length" ? [one.bind.name] : [],
      );
  return mapBodies(stmt, (nested) =>
    inBody(nested, nested === stmt.body ? new Set(tested) : new Set(), context),
  );
}

const resizes = (stmt: Stmt): boolean =>
  stmt.kind === "append" ||
  (stmt.kind === "store" && stmt.key.kind === "index" && stmt.initial !== true) ||
  (stmt.kind === "let" && !isPure(stmt.expr)) ||
  stmtBodies(stmt).some(({ stmts }) => stmts.some(resizes));

interface Shift {
  readonly moved: readonly Atom[];
  /** Statements between the loop and the removals; they use no array. */
  readonly between: readonly Stmt[];
  /** The number of removals. */
  readonly taken: number;
}

function shiftAt(
  loop: For,
  after: readonly Stmt[],
  lengths: ReadonlySet<string>,
  { lets, read }: Context,
): Shift | null {
  const moved = movedIn(loop);
  const shorter = oneLess(loop.to, lengths, lets);
  if (moved === null || shorter === null) return null;
  const first = after.findIndex((stmt) => !(stmt.kind === "let" && stmt.expr.kind === "op"));
  const removals: string[] = [];
  for (const stmt of after.slice(Math.max(first, 0))) {
    if (
      stmt.kind !== "let" ||
      stmt.expr.kind !== "removeLast" ||
      stmt.expr.object.kind !== "var" ||
      read.has(stmt.bind.name)
    )
      break;
    removals.push(stmt.expr.object.name);
  }
  const own = moved.flatMap((object) => (object.kind === "var" ? [object.name] : []));
  const isAll =
    removals.includes(shorter) &&
    removals.every((name, i) => own.includes(name) && removals.indexOf(name) === i);
  return isAll ? { moved, between: after.slice(0, first), taken: removals.length } : null;
}

/** The array whose length minus one an atom is. */
function oneLess(
  atom: Atom,
  lengths: ReadonlySet<string>,
  lets: ReadonlyMap<string, Let>,
): string | null {
  const sum = exprOf(atom, lets);
  if (sum?.kind !== "op" || sum.op !== "sub" || !isConst(sum.args[1], 1)) return null;
  const [n] = sum.args;
  const length = n === undefined ? null : exprOf(n, lets);
  return n?.kind === "var" &&
    lengths.has(n.name) &&
    length?.kind === "length" &&
    length.object.kind === "var"
    ? length.object.name
    : null;
}

/** The arrays whose elements a loop moves down by one, if it does nothing else. */
function movedIn(loop: For): readonly Atom[] | null {
  if (!isConst(loop.from, 0) || loop.test !== "<" || loop.step !== 1 || loop.carried.length > 0)
    return null;
  const next = new Set<string>();
  const loaded = new Map<string, string>();
  const moved: Atom[] = [];
  for (const stmt of loop.body.stmts) {
    if (stmt.kind === "let") {
      const from = loadedFrom(stmt.expr, next);
      if (isNextIndex(stmt.expr, loop)) next.add(stmt.bind.name);
      else if (from !== null) loaded.set(stmt.bind.name, from);
      else return null;
    } else {
      const value = storedAt(stmt, loop);
      if (value === null || loaded.get(value.name) !== value.array.name) return null;
      loaded.delete(value.name);
      moved.push(value.array);
    }
  }
  return moved.length > 0 && loaded.size === 0 ? moved : null;
}

/** `i + 1` */
const isNextIndex = (expr: Expr, loop: For): boolean =>
  expr.kind === "op" &&
  expr.op === "add" &&
  isIndex(expr.args[0], loop) &&
  isConst(expr.args[1], 1);

/** `a`, where the expression is `load a[k]` for a name k in `indices`. */
const loadedFrom = (expr: Expr, indices: ReadonlySet<string>): string | null =>
  expr.kind === "load" &&
  expr.object.kind === "var" &&
  expr.key.kind === "index" &&
  expr.key.at.kind === "var" &&
  indices.has(expr.key.at.name)
    ? expr.object.name
    : null;

/** The array and the name of the value, where the statement is `a[i] = v`. */
const storedAt = (stmt: Stmt, loop: For): { readonly array: Var; readonly name: string } | null =>
  stmt.kind === "store" &&
  stmt.object.kind === "var" &&
  stmt.value.kind === "var" &&
  stmt.key.kind === "index" &&
  isIndex(stmt.key.at, loop)
    ? { array: stmt.object, name: stmt.value.name }
    : null;

const shifted = (object: Atom, { origin }: Stmt, names: Names): Stmt => ({
  kind: "let",
  bind: { kind: "var", name: names.fresh("t"), type: { kind: "void" } },
  expr: { kind: "extern", text: ["", ".shift()"], args: [object], effect: "io", inert: true },
  origin,
});

const exprOf = (atom: Atom, lets: ReadonlyMap<string, Let>): Expr | null =>
  atom.kind === "var" ? (lets.get(atom.name)?.expr ?? null) : null;
const isIndex = (atom: Atom | undefined, { index }: For): boolean =>
  atom?.kind === "var" && atom.name === index.name;
