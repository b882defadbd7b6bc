// Skips reverse loops that add nothing. A cotangent is exactly 0 for an operand that lost a `max`,
// or for a branch that was not taken. A loop that only adds multiples of it is not entered.
//   for i { x$bar[i] += a[i] * s }   ->   if (s !== 0) for i { x$bar[i] += a[i] * s }
// Here s comes from a choice with 0 on one side. Invariant: the loop carries nothing, pops nothing
// and only accumulates. Infinities are no longer multiplied by 0.

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import type { Atom, Body, Expr, For, Func, Stmt } from "../../ir/types.ts";
import { isPure } from "../../ir/effects.ts";
import { mapBodies, namesOf, walkStmts } from "../../ir/visit.ts";
import { isNumber } from "../atoms.ts";

export function skipZeros(func: Func): Func {
  const zeros = oftenZero(func.body);
  return zeros.size === 0
    ? func
    : {
        ...func,
        body: inBody(func.body, zeros, { names: namesOf(func), tests: testsOf(func.body) }),
      };
}

interface Context {
  readonly names: Names;
  /** By name of a condition `s !== 0`: the name s. */
  readonly tests: ReadonlyMap<string, string>;
}

function testsOf(body: Body): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  walkStmts(body, (stmt) => {
    const [x, z] =
      stmt.kind === "let" && stmt.expr.kind === "op" && stmt.expr.op === "ne" ? stmt.expr.args : [];
    if (stmt.kind === "let" && x?.kind === "var" && isZero(z)) found.set(stmt.bind.name, x.name);
  });
  return found;
}

const isZero = (atom: Atom | undefined): boolean =>
  atom !== undefined && isNumber(atom) && atom.value === 0;

/** Names of cotangents that are 0 on one side of a choice. */
function oftenZero(body: Body): ReadonlySet<string> {
  const found = new Set<string>();
  const isOne = (atom: Atom | undefined): boolean =>
    isZero(atom) || (atom?.kind === "var" && found.has(atom.name));
  walkStmts(body, (stmt) => {
    if (
      stmt.kind === "let" &&
      stmt.adjoint === true &&
      stmt.expr.kind === "op" &&
      stmt.expr.op === "select" &&
      stmt.expr.args.slice(1).some(isOne)
    )
      found.add(stmt.bind.name);
  });
  return found;
}

function inBody(body: Body, zeros: ReadonlySet<string>, context: Context): Body {
  return {
    ...body,
    stmts: body.stmts.flatMap((stmt) => {
      const factor = stmt.kind === "for" ? factorOf(stmt, zeros) : null;
      if (factor !== null && stmt.kind === "for") return guarded(stmt, factor, context.names);
      const tested =
        stmt.kind === "if" && stmt.cond.kind === "var"
          ? context.tests.get(stmt.cond.name)
          : undefined;
      const inside =
        tested === undefined ? zeros : new Set([...zeros].filter((name) => name !== tested));
      return [mapBodies(stmt, (inner) => inBody(inner, inside, context))];
    }),
  };
}

function guarded(loop: For, factor: Atom, names: Names): readonly Stmt[] {
  const b = new Builder(names, loop.origin, true);
  const cond = b.op("ne", factor, num(0));
  return [
    ...b.stmts,
    {
      kind: "if",
      cond,
      then: { stmts: [loop], result: [] },
      else: { stmts: [], result: [] },
      binds: [],
      origin: loop.origin,
      adjoint: true,
    },
  ];
}

/** The cotangent of which everything that a loop adds is a multiple. */
function factorOf(loop: For, zeros: ReadonlySet<string>): Atom | null {
  const sums: Atom[] = [];
  const values = new Map<string, Expr>();
  if (!onlySums(loop, sums, values) || sums.length === 0) return null;
  const inside = new Set(values.keys());
  for (const name of zeros)
    if (!inside.has(name) && sums.every((sum) => isMultiple(sum, name, values)))
      return { kind: "var", name, type: num(0).type };
  return null;
}

function onlySums(loop: For, sums: Atom[], values: Map<string, Expr>): boolean {
  return (
    loop.carried.length === 0 &&
    loop.body.stmts.every((stmt) => {
      if (stmt.kind === "let") values.set(stmt.bind.name, stmt.expr);
      if (stmt.kind === "accum") sums.push(stmt.value);
      return (
        stmt.kind === "accum" ||
        (stmt.kind === "let" && isPure(stmt.expr) && stmt.expr.kind !== "lambda") ||
        (stmt.kind === "for" && onlySums(stmt, sums, values))
      );
    })
  );
}

function isMultiple(atom: Atom, of: string, values: ReadonlyMap<string, Expr>): boolean {
  if (isZero(atom)) return true;
  if (atom.kind !== "var") return false;
  if (atom.name === of) return true;
  const expr = values.get(atom.name);
  if (expr?.kind !== "op") return false;
  const is = (arg: Atom | undefined): boolean => arg !== undefined && isMultiple(arg, of, values);
  switch (expr.op) {
    case "mul":
      return expr.args.some(is);
    case "neg":
      return is(expr.args[0]);
    case "div":
      return is(expr.args[0]);
    case "add":
    case "sub":
      return expr.args.every(is);
    case "select":
      return expr.args.slice(1).every(is);
    default:
      return false;
  }
}
