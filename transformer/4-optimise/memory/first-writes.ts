// Turns the first accumulation into a zeroed place into a store. See Note [Places].
//   a$bar[i] += v   ->   a$bar[i] = v
// Invariant: on no path is the place written between the allocation of its object and the
// accumulation.

import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import { resolve, somePart, type Types } from "../../ir/shadow.ts";
import type { Accum, Body, Expr, Func, Stmt, Store, Type } from "../../ir/types.ts";
import { mapBodies, walkStmts } from "../../ir/visit.ts";
import { areDistinctKeys, isNumber, isValue } from "../atoms.ts";
import { Memory } from "./memory.ts";
import { type Allocation, type Path, type Write, type Writes, WriteIndex } from "./write-index.ts";

export function firstWrites(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  const first = new Set<Stmt>();
  const shared = sharedShadows(func, types);
  const accumulated = accumulatedSites(func.body, memory);
  const index = new WriteIndex(func.body, memory);
  for (const allocation of index.allocations) {
    const { bind } = allocation.stmt;
    const own = memory.reach([bind.name]);
    if (!shared.has(bind.name) && [...own].some((site) => accumulated.has(site)))
      noteFirst(allocation, index.writesTo(allocation, own), memory, first);
  }
  return first.size === 0 ? func : withBody(func, rewrite(func.body, first));
}

/** The objects that adjoint code accumulates into. */
function accumulatedSites(body: Body, memory: Memory): ReadonlySet<string> {
  const found = new Set<string>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "accum" && stmt.adjoint === true)
      for (const site of memory.sites(stmt.object)) found.add(site);
  });
  return found;
}

/** Shadows of recursive types: two that one function makes of one object are the same one. */
function sharedShadows(func: Func, types: Types): ReadonlySet<string> {
  const found = new Set<string>();
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "zeros")
      if (isRecursive(stmt.bind.type, types, new Set())) found.add(stmt.bind.name);
  });
  return found.size > 1 ? found : new Set();
}

function rewrite(body: Body, first: ReadonlySet<Stmt>): Body {
  return withStmts(
    body,
    mapList(body.stmts, (stmt) =>
      stmt.kind === "accum" && first.has(stmt)
        ? asStore(stmt)
        : mapBodies(stmt, (nested) => rewrite(nested, first)),
    ),
  );
}

const asStore = (stmt: Accum): Store => ({ ...stmt, kind: "store" });

/** Whether the place holds 0 right after the allocation. */
function startsZero(expr: Expr, path: Path): boolean {
  if (expr.kind === "zeros") return true;
  const [key] = path;
  if (key === undefined || path.length > 1) return false;
  if (expr.kind === "alloc") return key.kind === "index";
  if (expr.kind === "record")
    return expr.fields.some(
      (field) => key.kind === "field" && field.name === key.name && isValue(field.value, 0),
    );
  const at = key.kind === "field" ? Number(key.name) : isNumber(key.at) ? key.at.value : -1;
  const elem =
    expr.kind === "tuple"
      ? expr.elems[at]
      : expr.kind === "array" && expr.parts.every((part) => !part.spread)
        ? expr.parts[at]?.atom
        : undefined;
  return elem !== undefined && isValue(elem, 0);
}

function noteFirst(
  { stmt: { bind, expr: def } }: Allocation,
  { writes, isTree }: Writes,
  memory: Memory,
  first: Set<Stmt>,
): void {
  const found =
    isTree && !isRecursive(bind.type, memory.types, new Set())
      ? writes
      : writes.map((write) =>
          write.path !== null && write.path.length > 1 ? { ...write, path: null } : write,
        );
  found.forEach((write, at) => {
    const { stmt, path } = write;
    if (
      stmt.kind !== "accum" ||
      stmt.adjoint !== true ||
      path === null ||
      !startsZero(def, path) ||
      !covers(path, write.loops)
    )
      return;
    const isFirst = found.every(
      (other, otherAt) => otherAt === at || !mayPrecede(other, write, otherAt < at),
    );
    if (isFirst) first.add(stmt);
  });
}

/** Whether a value of the type may hold another one of it. */
function isRecursive(type: Type, types: Types, around: ReadonlySet<string>): boolean {
  if (type.kind === "named" || type.kind === "cotangent") {
    const key = JSON.stringify(type);
    return around.has(key) || isRecursive(resolve(type, types), types, new Set(around).add(key));
  }
  return somePart(type, (one) => isRecursive(one, types, around));
}

/** Whether each iteration of each loop has a different place. */
const covers = (path: Path, loops: readonly string[]): boolean =>
  loops.every((loop) =>
    path.some((key) => key.kind === "index" && key.at.kind === "var" && key.at.name === loop),
  );

/** Whether `other` may write the place of `write` first. `earlier`: it comes first in the code. */
function mayPrecede(other: Write, write: Write, earlier: boolean): boolean {
  if (other.path !== null && write.path !== null && areApart(other.path, write.path)) return false;
  const shared = other.loops.filter((loop) => write.loops.includes(loop));
  const samePlace =
    other.path !== null && write.path !== null && isSamePath(other.path, write.path);
  const isApartLater = shared.length === 0 || (samePlace && covers(write.path, shared));
  if (!isApartLater) return true;
  const excluded = other.arms.some((arm) =>
    write.arms.some((mine) => mine.branch === arm.branch && mine.then !== arm.then),
  );
  return earlier && !excluded;
}

/** Whether two paths differ in a constant key. */
const areApart = (p: Path, q: Path): boolean =>
  p.some((key, depth) => {
    const other = q[depth];
    if (other === undefined) return false;
    if (key.kind === "field" && other.kind === "field") return key.name !== other.name;
    return key.kind === "index" && other.kind === "index" && areDistinctKeys(key.at, other.at);
  });

const isSamePath = (p: Path, q: Path): boolean =>
  p.length === q.length &&
  p.every((key, depth) => {
    const other = q[depth];
    if (key.kind === "field") return other?.kind === "field" && other.name === key.name;
    return (
      other?.kind === "index" &&
      key.at.kind === "var" &&
      other.at.kind === "var" &&
      key.at.name === other.at.name
    );
  });

// Note [Places]
// The object is allocated by one `let`, and its name and those of its rows are visible only after
// it in the same body. So all writes that can hit this object are there. A path names one place, as
// long as no object is stored below. A loop around the `let` allocates a new object each iteration.
// A write in loops after the allocation hits each place once if its path has the index of each of
// these loops.
