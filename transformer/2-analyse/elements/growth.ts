// Stores that may lengthen their array, and arrays whose length may change. A store may lengthen
// its array unless its index has been read as an existing element or bounds-proofs.ts shows it in
// bounds. What a loop over another array reads may be missing if the program reads both lengths.

import type { Atom, Body, Key, Let, Store } from "../../ir/types.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import { stmtBodies, walkStmts } from "../../ir/visit.ts";
import type { Memory } from "../memory/memory.ts";
import type { Region } from "../memory/region.ts";
import { boundsIn } from "./bounds-proofs.ts";
import { extreme, type Indices, indicesOf, sumOf } from "./index-ranges.ts";

export function growingStores(body: Body, memory: Memory, types: Types): ReadonlySet<Store> {
  const unread = storesBeforeRead(body, types);
  // a store that lengthens its array makes more lengths uncertain
  for (let found: ReadonlySet<Store> = new Set(); ;) {
    const changing = changingLengths(body, memory, found, false, false);
    const { isWithin } = boundsIn(body, memory, changing);
    const growing = new Set(
      [...unread].flatMap(([store, isAtEnd]) => (isAtEnd || !isWithin(store) ? [store] : [])),
    );
    if (growing.size === found.size) return found;
    found = growing;
  }
}

/** Stores at an index that was not read before, each with whether it is the end of its array. */
function storesBeforeRead(body: Body, types: Types): ReadonlyMap<Store, boolean> {
  const indices = indicesOf(body);
  const { lets } = indices;
  const found = new Map<Store, boolean>();
  const measured = new Set(
    [...lets.values()].flatMap(({ expr }) =>
      expr.kind === "length" && expr.object.kind === "var" ? [expr.object.name] : [],
    ),
  );
  const isTrusted = ({ object, key }: Place): boolean =>
    key.kind !== "index" ||
    object.kind !== "var" ||
    !measured.has(object.name) ||
    !isBoundByOther(key.at, object.name, indices);
  const visit = (inner: Body, seen: ReadonlySet<string>): void => {
    const read = new Set(seen);
    for (const stmt of inner.stmts) {
      // a possibly undefined element says nothing about the length
      if (
        stmt.kind === "let" &&
        stmt.expr.kind === "load" &&
        stmt.bind.type.kind !== "opt" &&
        isTrusted(stmt.expr)
      )
        read.add(placeName(stmt.expr.object, stmt.expr.key));
      if (
        stmt.kind === "store" &&
        isArray(stmt, types) &&
        (isAtEnd(stmt, lets) || !read.has(placeName(stmt.object, stmt.key)))
      )
        found.set(stmt, isAtEnd(stmt, lets));
      for (const nested of stmtBodies(stmt)) visit(nested, read);
    }
  };
  visit(body, new Set());
  return found;
}

interface Place {
  readonly object: Atom;
  readonly key: Key;
}

/** Whether an index counts up to the length of another array. */
function isBoundByOther(at: Atom, array: string, indices: Indices): boolean {
  const [only, ...others] = extreme(sumOf(at, indices), "most", indices).terms.keys();
  const length = only === undefined ? undefined : indices.lets.get(only)?.expr;
  return (
    others.length === 0 &&
    length?.kind === "length" &&
    length.object.kind === "var" &&
    length.object.name !== array
  );
}

/**
 * Arrays whose length may change: by push, pop, a lengthening store, or a call. `outlives`: results
 * and parameters may change after the function returns. `shrinks`: some function removes elements,
 * so a parameter's shadow may be longer than the parameter.
 */
export function changingLengths(
  body: Body,
  memory: Memory,
  growing: ReadonlySet<Store>,
  outlives: boolean,
  shrinks: boolean,
): (atom: Atom) => boolean {
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
    return (
      region !== null &&
      (changing.has(region.find()) ||
        [...memory.originals(region)].some((original) => changing.has(original.find())) ||
        (outlives && region.find().external && (shrinks || region.find().written)))
    );
  };
}

/** Whether a function removes elements from an array. */
export function removesElements(body: Body): boolean {
  let found = false;
  walkStmts(body, (stmt) => {
    found ||= stmt.kind === "let" && stmt.expr.kind === "removeLast";
  });
  return found;
}

/** Typed arrays do not grow, and an initial store fills an allocated length. */
function isArray(stmt: Store, types: Types): boolean {
  const type = resolve(stmt.object.type, types);
  return (
    stmt.key.kind === "index" &&
    stmt.initial !== true &&
    type.kind === "array" &&
    type.store === "Array"
  );
}

const placeName = (object: Atom, key: Key): string =>
  `${object.kind === "var" ? object.name : ""}[${key.kind === "field" ? key.name : indexName(key.at)}]`;

function indexName(at: Atom): string {
  if (at.kind === "var") return at.name;
  return at.kind === "const" ? String(at.value) : "";
}

/** `a[a.length] = v` */
const isAtEnd = ({ key }: Store, lets: ReadonlyMap<string, Let>): boolean =>
  key.kind === "index" && key.at.kind === "var" && lets.get(key.at.name)?.expr.kind === "length";
