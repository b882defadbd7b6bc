// Unrolls short loops over array literals, so that the elements are names and the array is gone.
// Runs before differentiation.
//   cs = [x, y]; for i = 0 < length cs carry (s = 0) -> e { c = cs[i]; p; yield n }
//     ->   p[c := x, s := 0]; p[c := y, s := n']; e := n''
// Invariant: the array is only measured and read, at places that unrolling makes constant. A loop
// grows to at most MAX_STATEMENTS.

import { num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt } from "../../ir/types.ts";
import { renameBody, substitute } from "../../ir/rename.ts";
import { mapBodies, namesOf, stmtAtoms, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { isNumber, Replacements } from "../atoms.ts";
import { holds } from "./iterations.ts";
import { someStmt } from "../stmts.ts";

/** Limits on the iterations of an unrolled loop and on the statements that result. */
const MAX_ITERATIONS = 4;
const MAX_STATEMENTS = 64;
/** Limit on nesting: the rows of an outer literal are known only once its loop is unrolled. */
const DEEPEST = 3;
const COUNTS: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["add", "sub", "mul", "mod"]);

type Literal = Expr & { readonly kind: "array" };

export function unroll(func: Func): Func {
  let current = func;
  for (let depth = 0; depth < DEEPEST; depth++) {
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
  const read = readByIteration(func.body, literals, loops);
  if (read.literals.size === 0) return func;
  const chosen: Chosen = {
    literals: new Map([...literals].filter(([name]) => read.literals.has(name))),
    loops: read.loops,
    iterations: loops,
    names: namesOf(func),
    replaced: new Replacements(),
  };
  const body = unrolled(func.body, chosen);
  return withBody(func, chosen.replaced.finish(body));
}

// what can be unrolled ----------------------------------------------------------------------------

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

/** By index, and by names computed from it alone: the loop, and the values in its iterations. */
type Iterations = ReadonlyMap<string, { readonly loop: For; readonly indices: readonly number[] }>;

function shortLoops(body: Body, literals: ReadonlyMap<string, Literal>): Iterations {
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
    if (indices.length * sizeOf(stmt.body, new Set(counted.keys()), literals) > MAX_STATEMENTS)
      return;
    for (const [name, values] of counted) found.set(name, { loop: stmt, indices: values });
  });
  return found;
}

/** What the iterations of a loop compute from its index alone: `(i + 1) % 3`. */
function countedBy(loop: For, indices: readonly number[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map([[loop.index.name, indices]]);
  for (const stmt of loop.body.stmts) {
    if (stmt.kind !== "let" || stmt.expr.kind !== "op" || !COUNTS.has(stmt.expr.op)) continue;
    const { op } = stmt.expr;
    const args = stmt.expr.args.map((arg) =>
      isNumber(arg)
        ? indices.map(() => arg.value)
        : arg.kind === "var"
          ? found.get(arg.name)
          : undefined,
    );
    const values = indices.map((_, at) => OPS[op].eval(args.map((arg) => arg?.[at] ?? NaN)));
    if (
      values.every(
        (value): value is number => typeof value === "number" && Number.isSafeInteger(value),
      )
    )
      found.set(stmt.bind.name, values);
  }
  return found;
}

function indicesOf(
  from: number | null,
  { test, step }: For,
  to: number | null,
): readonly number[] | null {
  if (from === null || to === null) return null;
  const indices: number[] = [];
  for (let i = from; holds(i, test, to); i += step) {
    if (indices.length === MAX_ITERATIONS) return null;
    indices.push(i);
  }
  return indices;
}

/** The statements that remain of an iteration where `counted` names are constants. */
function sizeOf(
  body: Body,
  counted: ReadonlySet<string>,
  literals: ReadonlyMap<string, Literal>,
): number {
  const isKnown = (atom: Atom): boolean =>
    isNumber(atom) || (atom.kind === "var" && counted.has(atom.name));
  const constants = new Set<string>();
  const sizes = body.stmts.map((stmt): number => {
    if (stmt.kind === "let" && stmt.expr.kind === "op" && stmt.expr.args.every(isKnown))
      constants.add(stmt.bind.name);
    if (stmt.kind === "let")
      return constants.has(stmt.bind.name) ||
        literals.has(stmt.bind.name) ||
        isOfLiteral(stmt, isKnown, literals)
        ? 0
        : 1;
    const inner = stmtBodies(stmt).map((each) => sizeOf(each, counted, literals));
    return stmt.kind === "if" && stmt.cond.kind === "var" && constants.has(stmt.cond.name)
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

/** Literals that only the iterations of such loops read, and those loops. */
function readByIteration(
  body: Body,
  literals: ReadonlyMap<string, Literal>,
  iterations: Iterations,
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
        const loop = loopOf(literal.at, literal.of, iterations);
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
  // Inner loops first; the outer ones follow in another pass.
  const all = new Set(found.flatMap(([, loops]) => loops));
  const inner = new Set(
    [...all].filter((loop) => !someStmt(loop.body, (stmt) => stmt.kind === "for" && all.has(stmt))),
  );
  const now = found.filter(([, loops]) => loops.every((loop) => inner.has(loop)));
  return {
    literals: new Set(now.map(([name]) => name)),
    loops: new Set(now.flatMap(([, loops]) => loops)),
  };
}

interface Read {
  readonly object: Atom & { readonly kind: "var" };
  readonly of: Literal;
  /** Null where the length is read. */
  readonly at: Atom | null;
}

/** A load of a literal's element, if its type is not optional, or of the literal's length. */
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

/** The loop that determines the place; undefined for a constant place, null for an unknown one. */
function loopOf(
  at: Atom | null,
  { parts }: Literal,
  iterations: Iterations,
): For | undefined | null {
  const isThere = (i: number): boolean => parts[i] !== undefined;
  if (at === null) return undefined;
  if (isNumber(at)) return isThere(at.value) ? undefined : null;
  const of = at.kind === "var" ? iterations.get(at.name) : undefined;
  return of !== undefined && of.indices.every(isThere) ? of.loop : null;
}

// unrolling ---------------------------------------------------------------------------------------

interface Chosen {
  readonly literals: ReadonlyMap<string, Literal>;
  readonly loops: ReadonlySet<For>;
  readonly iterations: Iterations;
  readonly names: Names;
  readonly replaced: Replacements;
}

function unrolled(body: Body, chosen: Chosen): Body {
  return withStmts(
    body,
    flatMapList(body.stmts, (stmt): readonly Stmt[] => {
      if (stmt.kind === "let")
        return chosen.literals.has(stmt.bind.name) || isRead(stmt, chosen) ? [] : [stmt];
      if (stmt.kind === "for" && chosen.loops.has(stmt)) return iterationsOf(stmt, chosen);
      return [mapBodies(stmt, (inner) => unrolled(inner, chosen))];
    }),
  );
}

/** Whether the load is replaced by what it reads. */
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

function iterationsOf(loop: For, chosen: Chosen): readonly Stmt[] {
  let carried: readonly Atom[] = loop.carried.map(({ init }) => init);
  const counted = [...chosen.iterations].filter(([, { loop: of }]) => of === loop);
  const stmts = (chosen.iterations.get(loop.index.name)?.indices ?? []).flatMap(
    (_, at): readonly Stmt[] => {
      const given = new Map<string, Atom>(
        counted.map(([name, { indices }]) => [name, num(indices[at] ?? NaN)]),
      );
      loop.carried.forEach(({ param }, k) => {
        const value = carried[k];
        if (value !== undefined) given.set(param.name, value);
      });
      const iteration = unrolled(renameBody(substitute(loop.body, given), chosen.names), chosen);
      carried = iteration.result;
      return iteration.stmts;
    },
  );
  loop.binds.forEach((bind, k) => {
    const value = carried[k];
    if (value !== undefined) chosen.replaced.replace(bind, value);
  });
  return stmts;
}
