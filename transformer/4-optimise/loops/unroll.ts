// Writes out short loops over array literals, so that the elements are names and the array is gone. In: an ssa function, not differentiated yet. Out: the same
// meaning, to the bit.
//   cs = [x, y] ; for i = 0 < length cs carry (s = 0) -> (e) { c = cs[i] ; p yield n }   ->   p[c := x, s := 0] ; p[c := y, s := n'] ; e := n''
// Invariant: the array is only measured and read, at places that are known once its loops are written out; a loop grows to MOST statements at the most.

import { num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt } from "../../ir/types.ts";
import { renameBody, substitute } from "../../ir/rename.ts";
import { mapBodies, namesOf, stmtAtoms, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { isNumber, Replacements } from "../atoms.ts";

/** Rounds of a loop that is written out, and statements that it may become. */
const ROUNDS = 4;
const MOST = 64;
/** Loops in loops: the rows of an outer literal are known only once its loop is written out. */
const DEEPEST = 3;
const COUNTS: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["add", "sub", "mul", "mod"]);

type Literal = Expr & { readonly kind: "array" };

export function unroll(func: Func): Func {
  let current = func;
  for (let round = 0; round < DEEPEST; round++) {
    const next = once(current);
    if (next === current) break;
    current = next;
  }
  return current;
}

function once(func: Func): Func {
  const literals = literalsIn(func.body);
  if (literals.size === 0) return func;
  const loops = shortLoops(func.body, literals);
  const read = readByRound(func.body, literals, loops);
  if (read.literals.size === 0) return func;
  const chosen: Chosen = {
    literals: new Map([...literals].filter(([name]) => read.literals.has(name))),
    loops: read.loops,
    rounds: loops,
    names: namesOf(func),
    replaced: new Replacements(),
  };
  const body = writtenOut(func.body, chosen);
  return withBody(func, chosen.replaced.finish(body));
}

// what may be written out --------------------------------------------------------------------------------------------

function literalsIn(body: Body): ReadonlyMap<string, Literal> {
  const found = new Map<string, Literal>();
  walkStmts(body, (stmt) => {
    if (
      stmt.kind !== "let" ||
      stmt.expr.kind !== "array" ||
      stmt.bind.type.kind !== "array" ||
      stmt.bind.type.store !== "Array"
    )
      return;
    if (stmt.expr.parts.length > 0 && stmt.expr.parts.every(({ spread }) => !spread))
      found.set(stmt.bind.name, stmt.expr);
  });
  return found;
}

/** By index, and what is computed from it alone: the loop and the values in its rounds. */
type Rounds = ReadonlyMap<string, { readonly loop: For; readonly indices: readonly number[] }>;

function shortLoops(body: Body, literals: ReadonlyMap<string, Literal>): Rounds {
  const lengths = new Map<string, number>();
  const found = new Map<string, { readonly loop: For; readonly indices: readonly number[] }>();
  const valueOf = (atom: Atom): number | null =>
    isNumber(atom) ? atom.value : atom.kind === "var" ? (lengths.get(atom.name) ?? null) : null;
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "length" && stmt.expr.object.kind === "var") {
      const literal = literals.get(stmt.expr.object.name);
      if (literal !== undefined) lengths.set(stmt.bind.name, literal.parts.length);
    }
    if (stmt.kind !== "for" || stmt.vector === true || stmt.schedule !== undefined) return;
    const indices = indicesOf(valueOf(stmt.from), stmt, valueOf(stmt.to));
    if (indices === null) return;
    const counted = countedBy(stmt, indices);
    if (indices.length * sizeOf(stmt.body, new Set(counted.keys()), literals) > MOST) return;
    for (const [name, values] of counted) found.set(name, { loop: stmt, indices: values });
  });
  return found;
}

/** What the rounds of a loop compute from its index alone: `(i + 1) % 3`. */
function countedBy(loop: For, indices: readonly number[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map([[loop.index.name, indices]]);
  for (const stmt of loop.body.stmts) {
    if (stmt.kind !== "let" || stmt.expr.kind !== "op" || !COUNTS.has(stmt.expr.op)) continue;
    const {
      bind,
      expr: { op, args: given },
    } = stmt;
    const args = given.map((arg) =>
      isNumber(arg)
        ? indices.map(() => arg.value)
        : arg.kind === "var"
          ? found.get(arg.name)
          : undefined,
    );
    const values = indices.map((_, round) => OPS[op].eval(args.map((arg) => arg?.[round] ?? NaN)));
    if (
      values.every(
        (value): value is number => typeof value === "number" && Number.isSafeInteger(value),
      )
    )
      found.set(bind.name, values);
  }
  return found;
}

function indicesOf(
  from: number | null,
  { test, step }: For,
  to: number | null,
): readonly number[] | null {
  if (from === null || to === null) return null;
  const runs = (i: number): boolean =>
    test === "<" ? i < to : test === "<=" ? i <= to : test === ">" ? i > to : i >= to;
  const indices: number[] = [];
  for (let i = from; runs(i); i += step) {
    if (indices.length === ROUNDS) return null;
    indices.push(i);
  }
  return indices;
}

/** Statements that are left of a round where what is `counted` is a constant, and elements of literals are names. */
function sizeOf(
  body: Body,
  counted: ReadonlySet<string>,
  literals: ReadonlyMap<string, Literal>,
): number {
  const isKnown = (atom: Atom): boolean =>
    isNumber(atom) || (atom.kind === "var" && counted.has(atom.name));
  const told = new Set<string>();
  const sizes = body.stmts.map((stmt): number => {
    if (stmt.kind === "let" && stmt.expr.kind === "op" && stmt.expr.args.every(isKnown))
      told.add(stmt.bind.name);
    if (stmt.kind === "let")
      return told.has(stmt.bind.name) ||
        literals.has(stmt.bind.name) ||
        isOfLiteral(stmt, isKnown, literals)
        ? 0
        : 1;
    const inner = stmtBodies(stmt).map((each) => sizeOf(each, counted, literals));
    return stmt.kind === "if" && stmt.cond.kind === "var" && told.has(stmt.cond.name)
      ? Math.max(...inner)
      : inner.reduce((sum, size) => sum + size, 1);
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

const isOfLiteral = (
  stmt: Let,
  isKnown: (atom: Atom) => boolean,
  literals: ReadonlyMap<string, Literal>,
): boolean => {
  const read = readsOf(stmt, literals);
  return read !== null && (read.at === null || isKnown(read.at));
};

/** Literals that are read by the rounds of such loops and nothing else is done with, and those loops. */
function readByRound(
  body: Body,
  literals: ReadonlyMap<string, Literal>,
  rounds: Rounds,
): { readonly literals: ReadonlySet<string>; readonly loops: ReadonlySet<For> } {
  const reads = new Map<string, For[]>();
  const spoilt = new Set<string>();
  const spoil = (atom: Atom): void => {
    if (atom.kind === "var") spoilt.add(atom.name);
  };
  const visit = (inner: Body): void => {
    for (const stmt of inner.stmts) {
      const literal = readsOf(stmt, literals);
      if (literal === null) stmtAtoms(stmt).forEach(spoil);
      else {
        const loop = loopOf(literal.at, literal.of, rounds);
        if (loop === null) spoil(literal.object);
        else if (loop !== undefined)
          reads.set(literal.object.name, [...(reads.get(literal.object.name) ?? []), loop]);
      }
      stmtBodies(stmt).forEach(visit);
    }
    inner.result.forEach(spoil);
  };
  visit(body);
  const found = [...reads].filter(([name]) => !spoilt.has(name));
  // inner loops first: the outer ones have their turn
  const all = new Set(found.flatMap(([, loops]) => loops));
  const inner = new Set([...all].filter((loop) => !containsOneOf(loop.body, all)));
  const now = found.filter(([, loops]) => loops.every((loop) => inner.has(loop)));
  return {
    literals: new Set(now.map(([name]) => name)),
    loops: new Set(now.flatMap(([, loops]) => loops)),
  };
}

function containsOneOf(body: Body, loops: ReadonlySet<Stmt>): boolean {
  let found = false;
  walkStmts(body, (stmt) => {
    found ||= loops.has(stmt);
  });
  return found;
}

interface Read {
  readonly object: Atom & { readonly kind: "var" };
  readonly of: Literal;
  /** Null where the length is read. */
  readonly at: Atom | null;
}

/** A read of a literal's element, if that is there by its type, or of its length. */
function readsOf(stmt: Stmt, literals: ReadonlyMap<string, Literal>): Read | null {
  if (stmt.kind !== "let" || (stmt.expr.kind !== "load" && stmt.expr.kind !== "length"))
    return null;
  const { object } = stmt.expr;
  const of = object.kind === "var" ? literals.get(object.name) : undefined;
  if (of === undefined || object.kind !== "var") return null;
  if (stmt.expr.kind === "length") return { object, of, at: null };
  return stmt.expr.key.kind === "index" && stmt.bind.type.kind !== "opt"
    ? { object, of, at: stmt.expr.key.at }
    : null;
}

/** The loop whose rounds the place depends on; undefined where it is known already, null where it is not known or there is nothing. */
function loopOf(at: Atom | null, { parts }: Literal, rounds: Rounds): For | undefined | null {
  const isThere = (i: number): boolean => parts[i] !== undefined;
  if (at === null) return undefined;
  if (isNumber(at)) return isThere(at.value) ? undefined : null;
  const of = at.kind === "var" ? rounds.get(at.name) : undefined;
  return of !== undefined && of.indices.every(isThere) ? of.loop : null;
}

// writing out --------------------------------------------------------------------------------------------------------

interface Chosen {
  readonly literals: ReadonlyMap<string, Literal>;
  readonly loops: ReadonlySet<For>;
  readonly rounds: Rounds;
  readonly names: Names;
  readonly replaced: Replacements;
}

function writtenOut(body: Body, chosen: Chosen): Body {
  return withStmts(
    body,
    flatMapList(body.stmts, (stmt): readonly Stmt[] => {
      if (stmt.kind === "let")
        return chosen.literals.has(stmt.bind.name) || isRead(stmt, chosen) ? [] : [stmt];
      if (stmt.kind === "for" && chosen.loops.has(stmt)) return roundsOf(stmt, chosen);
      return [mapBodies(stmt, (inner) => writtenOut(inner, chosen))];
    }),
  );
}

/** Whether the read is replaced by what it reads. */
function isRead(stmt: Let, { literals, replaced }: Chosen): boolean {
  const read = readsOf(stmt, literals);
  if (read === null) return false;
  const value =
    read.at === null
      ? num(read.of.parts.length)
      : isNumber(read.at)
        ? read.of.parts[read.at.value]?.atom
        : undefined;
  if (value === undefined) return false;
  replaced.replace(stmt.bind, value);
  return true;
}

function roundsOf(loop: For, chosen: Chosen): readonly Stmt[] {
  let carried: readonly Atom[] = loop.carried.map(({ init }) => init);
  const counted = [...chosen.rounds].filter(([, { loop: of }]) => of === loop);
  const stmts = (chosen.rounds.get(loop.index.name)?.indices ?? []).flatMap(
    (_, at): readonly Stmt[] => {
      const given = new Map<string, Atom>(
        counted.map(([name, { indices }]) => [name, num(indices[at] ?? NaN)]),
      );
      loop.carried.forEach(({ param }, k) => {
        const value = carried[k];
        if (value !== undefined) given.set(param.name, value);
      });
      const round = writtenOut(renameBody(substitute(loop.body, given), chosen.names), chosen);
      carried = round.result;
      return round.stmts;
    },
  );
  loop.binds.forEach((bind, k) => {
    const value = carried[k];
    if (value !== undefined) chosen.replaced.replace(bind, value);
  });
  return stmts;
}
