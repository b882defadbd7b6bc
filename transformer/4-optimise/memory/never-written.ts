// Removes loads of places that hold 0, and stores of values that nothing reads.
//   a$bar = zeros a, never written; …; t = load a$bar[i]   ->   t is 0
//   t = load a$bar[i]; a$bar[i] = 0, not read again        ->   t = load a$bar[i]
// Invariant: only for objects allocated here that outside code cannot see. Each read that may
// follow a removed store is at another place.

import { num } from "../../ir/build.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Expr, For, Func, Let, Stmt, Store, While } from "../../ir/types.ts";
import { mapBodies, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { accesses, ownAccesses, type Access, type Part } from "./access.ts";
import { Replacements, areDistinctKeys, isValue, sameAtom } from "../atoms.ts";
import { Memory } from "./memory.ts";

export function neverWritten(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  const objects = objectsIn(func.body, memory);
  const dead = deadStores(func.body, objects, memory);
  const isZero = (site: string): boolean => isNeverWritten(site, objects, memory);
  if (
    dead.size === 0 &&
    ![...objects.allocations.keys()].some((one) => isZero(one) || isZero(`${one}/`))
  )
    return func;
  const replaced = new Replacements();
  const isZeroLoad = (stmt: Stmt): stmt is Let => {
    if (stmt.kind !== "let" || stmt.adjoint !== true || stmt.expr.kind !== "load") return false;
    const sites = stmt.bind.type.kind === "num" ? [...memory.sites(stmt.expr.object)] : [];
    return sites.length > 0 && sites.every(isZero);
  };
  const rewrite = (body: Body): Body =>
    withStmts(
      body,
      flatMapList(body.stmts, (stmt) => {
        if (dead.has(stmt)) return [];
        if (!isZeroLoad(stmt)) return [mapBodies(stmt, rewrite)];
        replaced.replace(stmt.bind, num(0));
        return [];
      }),
    );
  return withBody(func, replaced.finish(rewrite(func.body)));
}

interface Objects {
  /** By name of an allocation: its expression, and the statements after it in its body. */
  readonly allocations: ReadonlyMap<
    string,
    { readonly expr: Expr; readonly scope: readonly Stmt[] }
  >;
  /** Sites that any statement writes, and names of objects that are stored into. */
  readonly written: ReadonlySet<string>;
  readonly stored: ReadonlySet<string>;
}

function objectsIn(body: Body, memory: Memory): Objects {
  const allocations = new Map<string, { readonly expr: Expr; readonly scope: readonly Stmt[] }>();
  const written = new Set<string>();
  const stored = new Set<string>();
  const visit = ({ stmts }: Body): void =>
    stmts.forEach((stmt, at) => {
      if (stmt.kind === "let" && (stmt.expr.kind === "zeros" || stmt.expr.kind === "alloc"))
        allocations.set(stmt.bind.name, { expr: stmt.expr, scope: stmts.slice(at + 1) });
      if (stmt.kind === "store" && stmt.object.kind === "var") stored.add(stmt.object.name);
      for (const { write, object } of ownAccesses(stmt))
        if (write && object !== null) for (const site of memory.sites(object)) written.add(site);
      stmtBodies(stmt).forEach(visit);
    });
  visit(body);
  return { allocations, written, stored };
}

/** Whether all places of the site hold their initial 0. */
function isNeverWritten(site: string, { allocations, written }: Objects, memory: Memory): boolean {
  if (written.has(site) || memory.escapes(site)) return false;
  const isBelow = site.endsWith("/");
  const expr = allocations.get(isBelow ? site.slice(0, -1) : site)?.expr;
  if (expr?.kind === "zeros") return true;
  return !isBelow && expr?.kind === "alloc" && expr.fill !== null && isValue(expr.fill, 0);
}

function deadStores(
  body: Body,
  { allocations, stored }: Objects,
  memory: Memory,
): ReadonlySet<Stmt> {
  const dead = new Set<Stmt>();
  let reads: ReadonlyMap<string, readonly Access[]> | null = null;
  for (const [site, { scope }] of allocations)
    if (stored.has(site) && !memory.outlives(site))
      findDead(site, scope, (reads ??= readsIn(body, memory)).get(site) ?? [], dead);
  return dead;
}

/** The reads of a body, by the sites that they may reach. */
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
  const fresh: V[] = [];
  lists.set(key, fresh);
  return fresh;
}

interface Around {
  readonly loop: For | While;
  readonly reads: () => readonly Access[];
}

/** Marks the stores that no read can see. `scope` follows the allocation of the object `site`. */
function findDead(
  site: string,
  scope: readonly Stmt[],
  reads: readonly Access[],
  dead: Set<Stmt>,
): void {
  const isOwn = (one: Access): boolean => one.object?.kind === "var" && one.object.name === site;
  // Another name for the object might be read outside of `scope`.
  if (!reads.every(isOwn)) return;
  const ownReads = (stmts: readonly Stmt[]): readonly Access[] =>
    stmts.flatMap(readsOf).filter(isOwn);
  /** `later`: the reads after `stmts`; `around`: the enclosing loops. Both are computed lazily. */
  const walk = (
    stmts: readonly Stmt[],
    later: () => readonly Access[],
    around: readonly Around[],
  ): void =>
    stmts.forEach((stmt, at) => {
      const after = (): readonly Access[] => [...ownReads(stmts.slice(at + 1)), ...later()];
      if (stmt.kind === "store" && stmt.object.kind === "var" && stmt.object.name === site) {
        const seen =
          after().some((read) => maySee(stmt, read)) ||
          around.some(({ loop, reads: inLoop }) =>
            inLoop().some((read) => maySeeLater(stmt, read, loop)),
          );
        if (!seen) dead.add(stmt);
      } else if (stmt.kind === "if")
        [stmt.then, stmt.else].forEach((arm) => walk(arm.stmts, after, around));
      else if (stmt.kind === "for" || stmt.kind === "while")
        walk(stmt.body.stmts, after, [...around, { loop: stmt, reads: () => ownReads([stmt]) }]);
    });
  walk(scope, () => [], []);
}

const readsOf = (stmt: Stmt): readonly Access[] => accesses(stmt).filter((one) => !one.write);

/** Whether a read after the store may be at its place. */
function maySee(store: Store, read: Access): boolean {
  const [key, part] = [store.key, read.part];
  // Without its initial stores an array may be shorter.
  if (part.kind === "length")
    return store.adjoint !== true || store.initial === true || store.lengthens === true;
  if (key.kind === "field" && part.kind === "field") return key.name === part.name;
  return !(key.kind === "index" && part.kind === "index" && areDistinctKeys(key.at, part.at));
}

/** Whether a read in a later iteration may be at the place of the store; not if both are `a[i]`. */
function maySeeLater(store: Store, read: Access, loop: For | While): boolean {
  const isAt = (key: Part): boolean =>
    loop.kind === "for" && key.kind === "index" && sameAtom(key.at, loop.index);
  return maySee(store, read) && !(isAt(store.key) && isAt(read.part));
}
