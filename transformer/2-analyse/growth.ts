// Which stores may make their array longer. In: an ssa function and its memory graph. Out: a test of stores,
// and one of arrays whose length is not always the same.
// Invariant: an array that starts as a literal or as a part of another, comes from outside or from a call, or whose elements are asked whether they are there, may grow
// by any store that is not shown to be in bounds; copies and arrays made with a length are taken to stay as long as they are.

import type { Atom, Body, Expr, For, Key, Let, Store } from "../ir/types.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import { stmtBodies, walkStmts } from "../ir/visit.ts";
import type { Memory } from "./memory.ts";
import type { Region } from "./region.ts";

export function growingStores(body: Body, memory: Memory, types: Types): ReadonlySet<Store> {
  const lets = new Map<string, Let>();
  const short = new Set<Region>();
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    lets.set(stmt.bind.name, stmt);
    const asked = stmt.expr.kind === "present" && stmt.expr.value.kind === "var" ? lets.get(stmt.expr.value.name)?.expr : undefined;
    const region = memory.region(asked?.kind === "load" ? asked.object : stmt.bind);
    if (region !== null && (asked?.kind === "load" || startsShort(stmt.expr))) short.add(region.find());
  });
  const found = new Set<Store>();
  const mayBeShort = (stmt: Store, read: ReadonlySet<string>): boolean => {
    const region = memory.region(stmt.object);
    return region !== null && (region.find().external || short.has(region.find())) && !read.has(placeOfStore(stmt)) && !isWithin(stmt, lets);
  };
  const visit = (inner: Body, seen: ReadonlySet<string>): void => {
    const read = new Set(seen);
    for (const stmt of inner.stmts) {
      // what may be missing says nothing of the length
      if (stmt.kind === "let" && stmt.expr.kind === "load" && stmt.bind.type.kind !== "opt") read.add(placeName(stmt.expr.object.kind === "var" ? stmt.expr.object.name : "", stmt.expr.key));
      if (stmt.kind === "store" && isArray(stmt, types) && (isAtEnd(stmt, lets) || mayBeShort(stmt, read))) found.add(stmt);
      const inLoop = stmt.kind === "for" ? new Set([...read, ...boundedPlaces(stmt, lets)]) : read;
      for (const nested of stmtBodies(stmt)) visit(nested, inLoop);
    }
  };
  visit(body, new Set());
  return found;
}

/**
 * Arrays whose length may be another one later: pushed to, popped from, lengthened by a store, or handed to code that may do so. `outlives`: what is
 * returned, or came in, may change behind the function's back before its reverse sweep. `shrinks`: some function takes elements off arrays, so what
 * comes in may have a shadow that is longer already.
 */
export function changingLengths(body: Body, memory: Memory, growing: ReadonlySet<Store>, outlives: boolean, shrinks: boolean): (atom: Atom) => boolean {
  const changing = new Set<Region>();
  const add = (atom: Atom): void => {
    const region = memory.region(atom);
    if (region !== null) changing.add(region.find());
  };
  const addAll = (region: Region | null): void => {
    if (region !== null) for (const inner of memory.reachable(region)) changing.add(inner);
  };
  walkStmts(body, (stmt) => {
    if (stmt.kind === "append" || (stmt.kind === "store" && growing.has(stmt))) add(stmt.object);
    if (stmt.kind !== "let") return;
    if (stmt.expr.kind === "removeLast") add(stmt.expr.object);
    if (stmt.expr.kind === "call") for (const arg of stmt.expr.args) addAll(memory.region(arg));
  });
  if (outlives) addAll(memory.result);
  return (atom) => {
    const region = memory.region(atom);
    return region !== null && (changing.has(region.find()) || [...memory.originals(region)].some((original) => changing.has(original.find())) || (outlives && region.find().external && (shrinks || region.find().written)));
  };
}

/** Whether a function takes elements off an array. */
export function takesOff(body: Body): boolean {
  let found = false;
  walkStmts(body, (stmt) => { found ||= stmt.kind === "let" && stmt.expr.kind === "removeLast"; });
  return found;
}

const startsShort = (expr: Expr): boolean =>
  expr.kind === "call" || (expr.kind === "array" && expr.parts.every((part) => !part.spread)) || (expr.kind === "alloc" && expr.length.kind === "const" && expr.length.value === 0) || (expr.kind === "slice" && expr.to !== null);

/** Typed arrays do not grow, and an initial store fills a length that is there. */
function isArray(stmt: Store, types: Types): boolean {
  const type = resolve(stmt.object.type, types);
  return stmt.key.kind === "index" && stmt.initial !== true && type.kind === "array" && type.store === "Array";
}

const placeName = (object: string, key: Key): string =>
  `${object}[${key.kind === "field" ? key.name : key.at.kind === "var" ? key.at.name : key.at.kind === "const" ? String(key.at.value) : ""}]`;

const placeOfStore = (stmt: Store): string => placeName(stmt.object.kind === "var" ? stmt.object.name : "", stmt.key);

/** `a[a.length] = v` */
const isAtEnd = ({ key }: Store, lets: ReadonlyMap<string, Let>): boolean =>
  key.kind === "index" && key.at.kind === "var" && lets.get(key.at.name)?.expr.kind === "length";

/** A constant position of a literal that has that many elements. */
function isWithin(stmt: Store, lets: ReadonlyMap<string, Let>): boolean {
  const made = stmt.object.kind === "var" ? lets.get(stmt.object.name)?.expr : undefined;
  if (made?.kind !== "array" || stmt.key.kind !== "index" || stmt.key.at.kind !== "const") return false;
  return typeof stmt.key.at.value === "number" && stmt.key.at.value < made.parts.length;
}

/** `for (i …; i < a.length; …)`, or `i < a.length - 1`: `a[i]` is there. */
function boundedPlaces(loop: For, lets: ReadonlyMap<string, Let>): readonly string[] {
  const exprOf = (atom: Atom | undefined): Expr | undefined => (atom?.kind === "var" ? lets.get(atom.name)?.expr : undefined);
  const to = exprOf(loop.to), [n, less] = to?.kind === "op" && to.op === "sub" ? to.args : [];
  const bound = less?.kind === "const" && typeof less.value === "number" && less.value >= 0 ? exprOf(n) : to;
  if (loop.test !== "<" || bound?.kind !== "length" || bound.object.kind !== "var") return [];
  return [placeName(bound.object.name, { kind: "index", at: loop.index })];
}

