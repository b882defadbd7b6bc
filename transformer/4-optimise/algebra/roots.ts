// Reciprocals of square roots. A root that divides cotangents more than once gets a reciprocal, and
// reciprocals.ts makes products of the quotients.
//   d = sqrt x; ~ p = a / d; ~ q = b / d   ->   d = sqrt x; ~ r = 1 / d; ~ p = a / d; ~ q = b / d
// Invariant: a root that is not 0 lies between 2^-537 and 2^512, so its reciprocal is finite as
// well, and `c * (1 / 0)` is what `c / 0` is.

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Atom, Body, Expr, Func, Stmt } from "../../ir/types.ts";
import { mapBodies, namesOf, stmtBinds, stmtBodies, walkStmts } from "../../ir/visit.ts";

/** Names of square roots, and of joins of roots and zeros. */
export function rootsOf(func: Func): ReadonlySet<string> {
  const roots = new Set<string>();
  const isRoot = (atom: Atom | undefined): boolean =>
    atom?.kind === "undef" ||
    (atom?.kind === "const" && atom.value === 0) ||
    (atom?.kind === "var" && roots.has(atom.name));
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "op" && stmt.expr.op === "sqrt")
      roots.add(stmt.bind.name);
  });
  if (roots.size === 0) return roots;
  // Nested bodies first: a join follows what it joins.
  const visit = ({ stmts }: Body): void =>
    stmts.forEach((stmt) => {
      stmtBodies(stmt).forEach(visit);
      if (stmt.kind === "if")
        stmt.binds.forEach((bind, k) => {
          if (isRoot(stmt.then.result[k]) && isRoot(stmt.else.result[k])) roots.add(bind.name);
        });
    });
  visit(func.body);
  return roots;
}

export function withRootReciprocals(func: Func, roots: ReadonlySet<string>): Func {
  if (roots.size === 0) return func;
  const names = namesOf(func);
  return withBody(
    func,
    inBody(func.body, { bound: new Set(), known: new Set() }, { roots, names }),
  );
}

interface Context {
  readonly roots: ReadonlySet<string>;
  readonly names: Names;
}

/** The roots in scope, and those whose reciprocal is in scope. */
interface Scope {
  readonly bound: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
}

function inBody(body: Body, outer: Scope, context: Context): Body {
  const bound = new Set([
    ...outer.bound,
    ...body.stmts
      .flatMap(stmtBinds)
      .map(({ name }) => name)
      .filter((name) => context.roots.has(name)),
  ]);
  const known = new Set(outer.known);
  for (const stmt of body.stmts) {
    const divided = quotientOf(stmt);
    if (divided?.isOne === true) known.add(divided.by);
  }
  const before = new Map<Stmt, Stmt[]>();
  for (const root of rootsDividing(body, bound)) {
    if (known.has(root)) continue;
    const users = body.stmts.filter((stmt) => divisions(stmt, root) > 0);
    const [first, second] = users;
    // If one branch has all divisions, the reciprocal goes into that branch.
    if (
      first === undefined ||
      (second === undefined && first.kind !== "for" && first.kind !== "while") ||
      users.reduce((sum, stmt) => sum + divisions(stmt, root), 0) < 2
    )
      continue;
    const b = new Builder(context.names, first.origin, true);
    b.op("div", num(1), { kind: "var", name: root, type: num(1).type });
    before.set(first, [...(before.get(first) ?? []), ...b.stmts]);
    known.add(root);
  }
  const stmts = mapList(body.stmts, (stmt) =>
    mapBodies(stmt, (inner) => inBody(inner, { bound, known }, context)),
  );
  return withStmts(
    body,
    before.size === 0
      ? stmts
      : body.stmts.flatMap((stmt, at) => [...(before.get(stmt) ?? []), stmts[at] ?? stmt]),
  );
}

function rootsDividing(body: Body, roots: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  walkStmts(body, (stmt) => {
    const divided = quotientOf(stmt);
    if (stmt.adjoint === true && divided !== null && roots.has(divided.by)) found.add(divided.by);
  });
  return found;
}

/** How often a statement divides cotangents by `root`; loops count twice, lambdas not at all. */
function divisions(stmt: Stmt, root: string): number {
  if (stmt.kind === "let") return stmt.adjoint === true && quotientOf(stmt)?.by === root ? 1 : 0;
  const inside = stmtBodies(stmt).reduce(
    (sum, body) => sum + body.stmts.reduce((own, inner) => own + divisions(inner, root), 0),
    0,
  );
  return stmt.kind === "for" || stmt.kind === "while" ? 2 * inside : inside;
}

/** The divisor of `x / y`, and whether x is 1. */
export function quotientOf(stmt: Stmt): { readonly by: string; readonly isOne: boolean } | null {
  const expr: Expr | null = stmt.kind === "let" ? stmt.expr : null;
  const [x, by] = expr?.kind === "op" && expr.op === "div" ? expr.args : [];
  return by?.kind === "var" ? { by: by.name, isOne: x?.kind === "const" && x.value === 1 } : null;
}
