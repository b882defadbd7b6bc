// Numbers computed from an element that may be missing. They are NaN then, and a slope that reads
// them must not meet a cotangent of 0. A name that the program tests for undefined counts as
// defined where it is used.

import type { BoundsTests, SeedOrigin } from "../../ir/facts.ts";
import type { Atom, Body, Let } from "../../ir/types.ts";
import { exprAtoms, stmtBodies, walkStmts } from "../../ir/visit.ts";

export function undefinedIn(
  body: Body,
  beyond: (stmt: Let, seed: SeedOrigin) => BoundsTests,
): (atom: Atom, seed: SeedOrigin) => boolean {
  const found = new Map<SeedOrigin, ReadonlySet<string>>();
  return (atom, seed) => {
    if (atom.kind !== "var") return false;
    const names = found.get(seed) ?? missingNames(body, (stmt) => beyond(stmt, seed));
    found.set(seed, names);
    return names.has(atom.name);
  };
}

function missingNames(body: Body, beyond: (stmt: Let) => BoundsTests): ReadonlySet<string> {
  const tested = new Set<string>();
  const computed: string[] = [];
  const constant: string[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    const { bind, expr } = stmt;
    if (expr.kind === "present" && expr.value.kind === "var") tested.add(expr.value.name);
    if (expr.kind !== "load") return;
    const { below, above: behind } = beyond(stmt);
    if (below || behind)
      (expr.key.kind === "index" && expr.key.at.kind === "const" ? constant : computed).push(
        bind.name,
      );
  });
  // a loop over an array starts at its constant element, which exists if there are iterations
  return new Set([
    ...derivedFrom(computed, body, tested, true),
    ...derivedFrom(constant, body, tested, false),
  ]);
}

/** The names and all numbers computed from them, across iterations if `inLoops`. */
function derivedFrom(
  names: readonly string[],
  body: Body,
  tested: ReadonlySet<string>,
  inLoops: boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (!tested.has(name)) found.add(name);
  };
  const has = (atom: Atom | undefined): boolean => atom?.kind === "var" && found.has(atom.name);
  names.forEach(add);
  for (let before = found.size === 0 ? 0 : -1; before !== found.size;) {
    before = found.size;
    walkStmts(body, (stmt) => {
      if (stmt.kind === "let") {
        if (isDerived(stmt) && exprAtoms(stmt.expr).some(has)) add(stmt.bind.name);
      } else if (stmt.kind === "if") {
        stmt.binds.forEach((bind, i) => {
          if (stmtBodies(stmt).some(({ result }) => has(result[i]))) add(bind.name);
        });
      } else if (inLoops && (stmt.kind === "for" || stmt.kind === "while")) {
        stmt.carried.forEach(({ param, init }, i) => {
          if (has(init) || has(stmt.body.result[i]))
            [param.name, stmt.binds[i]?.name ?? param.name].forEach(add);
        });
      }
    });
  }
  return found;
}

const isDerived = ({ bind, expr }: Let): boolean =>
  bind.type.kind === "num" &&
  (expr.kind === "op" || expr.kind === "copy" || expr.kind === "unwrap");
