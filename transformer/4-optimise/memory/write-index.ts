// The writes of a function by the sites that they may hit. So the writes to each of many objects
// are found in time linear in the function. Input: a body. Output: its allocations of zeros, and
// for each of them the writes after it to the object or below it, in program order.

import type { Body, Expr, Key, Let, Stmt } from "../../ir/types.ts";
import { stmtBodies } from "../../ir/visit.ts";
import { isValue } from "../atoms.ts";
import { ownAccesses } from "./access.ts";
import type { Memory } from "./memory.ts";

/** The keys that lead to a place from the object that it belongs to. */
export type Path = readonly Key[];

/** Where a statement stands: its number, and what is around it. */
interface Position {
  readonly at: number;
  /** Loops: an index, or `while` and a number. */
  readonly loops: readonly string[];
  readonly arms: readonly { readonly branch: Stmt; readonly then: boolean }[];
}

export interface Allocation extends Position {
  readonly stmt: Let;
  /** The number of the first statement outside its body. */
  readonly end: number;
}

/** Loops and arms are those between the allocation and the write. */
export interface Write extends Position {
  readonly stmt: Stmt;
  /** Null: some place of the object or below it. */
  readonly path: Path | null;
}

export interface Writes {
  readonly writes: readonly Write[];
  /** Whether no object is stored in the object or below it. */
  readonly isTree: boolean;
}

type Found = Position & { readonly stmt: Stmt };

export class WriteIndex {
  readonly allocations: Allocation[] = [];
  readonly #memory: Memory;
  readonly #bySite = new Map<string, Found[]>();
  /** Writes to whatever outside code may reach. */
  readonly #outside: Found[] = [];
  /** By site: stores of objects in it. */
  readonly #puts = new Map<string, number[]>();
  /** By name of the object: loads of objects. */
  readonly #loads = new Map<string, { readonly name: string; readonly key: Key }[]>();
  #count = 0;

  constructor(body: Body, memory: Memory) {
    this.#memory = memory;
    this.#body(body, [], []);
  }

  /** The writes after an allocation to the sites of its object and of all below it. */
  writesTo({ stmt, at, end, loops, arms }: Allocation, own: ReadonlySet<string>): Writes {
    const isWithin = (other: number): boolean => other > at && other < end;
    const found = new Set<Found>();
    let isTree = true;
    let isReached = false;
    for (const site of own) {
      for (const one of this.#bySite.get(site) ?? []) if (isWithin(one.at)) found.add(one);
      if (this.#puts.get(site)?.some(isWithin) === true) isTree = false;
      isReached ||= this.#memory.escapes(site);
    }
    if (isReached) for (const one of this.#outside) if (isWithin(one.at)) found.add(one);
    const paths = this.#pathsFrom(stmt.bind.name);
    const writes = [...found]
      .sort((one, other) => one.at - other.at)
      .map((one) => ({
        ...one,
        loops: one.loops.slice(loops.length),
        arms: one.arms.slice(arms.length),
        path: placeOf(one.stmt, paths),
      }));
    return { writes, isTree };
  }

  /** By name: the path of the object that it points to. */
  #pathsFrom(root: string): ReadonlyMap<string, Path> {
    const paths = new Map<string, Path>([[root, []]]);
    for (const [object, path] of paths)
      for (const { name, key } of this.#loads.get(object) ?? []) paths.set(name, [...path, key]);
    return paths;
  }

  #body(body: Body, loops: Position["loops"], arms: Position["arms"]): void {
    const own: Omit<Allocation, "end">[] = [];
    for (const stmt of body.stmts) {
      const here = { at: this.#count++, loops, arms };
      this.#note({ stmt, ...here });
      if (stmt.kind === "let" && isZeroed(stmt.expr)) own.push({ stmt, ...here });
      if (stmt.kind === "if") {
        this.#body(stmt.then, loops, [...arms, { branch: stmt, then: true }]);
        this.#body(stmt.else, loops, [...arms, { branch: stmt, then: false }]);
        continue;
      }
      // a lambda runs any number of times, like the body of an uncounted loop
      const loop = stmt.kind === "for" ? stmt.index.name : `while ${here.at}`;
      for (const nested of stmtBodies(stmt)) this.#body(nested, [...loops, loop], arms);
    }
    for (const one of own) this.allocations.push({ ...one, end: this.#count });
  }

  #note(found: Found): void {
    const { stmt, at } = found;
    const memory = this.#memory;
    if (stmt.kind === "let" && stmt.expr.kind === "load" && stmt.expr.object.kind === "var") {
      const { object, key } = stmt.expr;
      if (memory.isAggregate(stmt.bind.type))
        listIn(this.#loads, object.name).push({ name: stmt.bind.name, key });
    }
    for (const { write, object } of ownAccesses(stmt)) {
      if (!write) continue;
      if (object === null) this.#outside.push(found);
      else for (const site of memory.sites(object)) listIn(this.#bySite, site).push(found);
    }
    const isPut =
      (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill") &&
      memory.isAggregate(stmt.value.type);
    if (isPut) for (const site of memory.sites(stmt.object)) listIn(this.#puts, site).push(at);
  }
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}

/** Whether the expression allocates an object that may hold zeros. */
function isZeroed(expr: Expr): boolean {
  if (expr.kind === "alloc") return expr.fill !== null && isValue(expr.fill, 0);
  return (
    expr.kind === "zeros" ||
    expr.kind === "record" ||
    expr.kind === "tuple" ||
    expr.kind === "array"
  );
}

function placeOf(stmt: Stmt, paths: ReadonlyMap<string, Path>): Path | null {
  if ((stmt.kind !== "accum" && stmt.kind !== "store") || stmt.object.kind !== "var") return null;
  const outer = paths.get(stmt.object.name);
  return outer === undefined ? null : [...outer, stmt.key];
}
