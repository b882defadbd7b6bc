// Reads of zeros, and zeros written for nobody. In: an ssa function. Out: the same meaning.
//   a$bar = zeros a, never written … t = load a$bar[i]   ->   t is 0
//   t = load a$bar[i]; a$bar[i] = 0, not read again      ->   t = load a$bar[i]
// Invariant: only objects made here that nobody outside can see; every read that may come after a dropped store is at
// another place.

import { num } from "../../ir/build.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Expr, For, Func, Stmt, Store, While } from "../../ir/types.ts";
import { mapBodies, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { accesses, ownAccesses } from "./access.ts";
import type { Access, Part } from "./access.ts";
import { Replacements, areOtherKeys, isValue, sameAtom } from "../atoms.ts";
import { Memory } from "./memory.ts";

export function neverWritten(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  const made = new Map<string, { readonly expr: Expr; readonly scope: readonly Stmt[] }>();
  const written = new Set<string>();
  const stored = new Set<string>();
  const visit = (body: Body): void =>
    body.stmts.forEach((stmt, at) => {
      if (stmt.kind === "let" && (stmt.expr.kind === "zeros" || stmt.expr.kind === "alloc"))
        made.set(stmt.bind.name, { expr: stmt.expr, scope: body.stmts.slice(at + 1) });
      if (stmt.kind === "store" && stmt.object.kind === "var") stored.add(stmt.object.name);
      for (const one of ownAccesses(stmt))
        if (one.write && one.object !== null)
          for (const site of memory.sites(one.object)) written.add(site);
      stmtBodies(stmt).forEach(visit);
    });
  visit(func.body);
  const replaced = new Replacements();
  const isZero = (site: string): boolean => {
    const expr = made.get(site.endsWith("/") ? site.slice(0, -1) : site)?.expr;
    return (
      !written.has(site) &&
      !memory.escapes(site) &&
      (expr?.kind === "zeros" ||
        (!site.endsWith("/") &&
          expr?.kind === "alloc" &&
          expr.fill !== null &&
          isValue(expr.fill, 0)))
    );
  };
  const dead = new Set<Stmt>();
  let reads: ReadonlyMap<string, readonly Access[]> | null = null;
  for (const [site, { scope }] of made) {
    if (stored.has(site) && !memory.outlives(site))
      findDead(site, scope, (reads ??= readsIn(func.body, memory)).get(site) ?? [], dead);
  }
  if (dead.size === 0 && ![...made.keys()].some((site) => isZero(site) || isZero(`${site}/`)))
    return func;
  const rewrite = (body: Body): Body =>
    withStmts(
      body,
      flatMapList(body.stmts, (stmt) => {
        if (dead.has(stmt)) return [];
        if (
          stmt.kind === "let" &&
          stmt.adjoint === true &&
          stmt.expr.kind === "load" &&
          stmt.bind.type.kind === "num"
        ) {
          const sites = [...memory.sites(stmt.expr.object)];
          if (sites.length > 0 && sites.every(isZero)) {
            replaced.replace(stmt.bind, num(0));
            return [];
          }
        }
        return [mapBodies(stmt, rewrite)];
      }),
    );
  return withBody(func, replaced.finish(rewrite(func.body)));
}

/** By site that they may reach. */
function readsIn(body: Body, memory: Memory): ReadonlyMap<string, readonly Access[]> {
  const reads = new Map<string, Access[]>();
  walkStmts(body, (stmt) => {
    for (const one of ownAccesses(stmt)) {
      if (!one.write && one.object !== null)
        for (const site of memory.reach(memory.sites(one.object))) entry(reads, site).push(one);
    }
  });
  return reads;
}

function entry<V>(lists: Map<string, V[]>, key: string): V[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: V[] = [];
  lists.set(key, made);
  return made;
}

interface Around {
  readonly loop: For | While;
  readonly reads: () => readonly Access[];
}

/** Marks the stores into an object, made right before `scope`, that no read can see. */
function findDead(
  site: string,
  scope: readonly Stmt[],
  reads: readonly Access[],
  dead: Set<Stmt>,
): void {
  const isOwn = (one: Access): boolean => one.object?.kind === "var" && one.object.name === site;
  // another name for the object might be read where `scope` does not reach
  if (!reads.every(isOwn)) return;
  const ownReads = (stmts: readonly Stmt[]): readonly Access[] =>
    stmts.flatMap(readsOf).filter(isOwn);
  /** `later`: reads behind the statements; `around`: the loops between the making and here. Both are only looked for where a store is. */
  const walk = (
    stmts: readonly Stmt[],
    later: () => readonly Access[],
    around: readonly Around[],
  ): void =>
    stmts.forEach((stmt, at) => {
      const behind = (): readonly Access[] => [...ownReads(stmts.slice(at + 1)), ...later()];
      if (stmt.kind === "store" && stmt.object.kind === "var" && stmt.object.name === site) {
        const seen =
          behind().some((read) => maySee(stmt, read)) ||
          around.some(({ loop, reads: inLoop }) =>
            inLoop().some((read) => maySeeLater(stmt, read, loop)),
          );
        if (!seen) dead.add(stmt);
      } else if (stmt.kind === "if")
        [stmt.then, stmt.else].forEach((arm) => walk(arm.stmts, behind, around));
      else if (stmt.kind === "for" || stmt.kind === "while")
        walk(stmt.body.stmts, behind, [...around, { loop: stmt, reads: () => ownReads([stmt]) }]);
    });
  walk(scope, () => [], []);
}

const readsOf = (stmt: Stmt): readonly Access[] => accesses(stmt).filter((one) => !one.write);

/** Whether a read behind the store may be at its place. */
function maySee(store: Store, read: Access): boolean {
  const [key, part] = [store.key, read.part];
  // an array without its initial stores may be shorter
  if (part.kind === "length")
    return store.adjoint !== true || store.initial === true || store.lengthens === true;
  if (key.kind === "field" && part.kind === "field") return key.name === part.name;
  return !(key.kind === "index" && part.kind === "index" && areOtherKeys(key.at, part.at));
}

/** Whether a read in a later round of the loop may be at the place of the store: not if both are at `a[i]`. */
function maySeeLater(store: Store, read: Access, loop: For | While): boolean {
  const isAt = (key: Part): boolean =>
    loop.kind === "for" && key.kind === "index" && sameAtom(key.at, loop.index);
  return maySee(store, read) && !(isAt(store.key) && isAt(read.part));
}
