// Allocation points: where the object of a name is allocated, and whether it existed before another
// allocation. A region merges what a variable holds in turn (`u = next`); allocation points tell
// the object of one iteration from the next. Unsure means unknown, or not before.

import {
  exprAtoms,
  innerBinds,
  stmtAtoms,
  stmtBinds,
  stmtBodies,
  walkStmts,
} from "../../ir/visit.ts";
import type { Atom, Body, Expr, Func, Let, Stmt, Var } from "../../ir/types.ts";
import { placeOfStore } from "./flow.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, isAggregate, type Region } from "./region.ts";

/** The position of a statement: from the function's body inwards, its index in each body. */
export type Path = readonly Step[];
interface Step {
  readonly body: Body;
  readonly at: number;
  /** The loop whose body this is, else null. */
  readonly loop: Stmt | null;
}

/** A store of an object into another, by its name `by`; null if foreign code may store anything. */
interface ObjectStore {
  readonly path: Path;
  readonly into: Region;
  readonly by: string | null;
  readonly value: Atom | null;
}

/** Allocations whose initial contents the expression shows: no clones or tapes. */
const isAllocation = ({ kind }: Expr): boolean =>
  kind === "array" || kind === "tuple" || kind === "record" || kind === "alloc" || kind === "slice";

/** Whether a statement runs after the one at `of`, in the same run of its body. */
export const runsAfter = (path: Path, of: Step): boolean =>
  path.some(({ body, at }) => body === of.body && at >= of.at);

export class AllocationPoints {
  /** Where each name of an object is bound. */
  readonly #bound = new Map<string, Path>();
  /** Where each object is allocated. */
  readonly #allocations = new Map<string, Path>();
  /** The place that each object is loaded from. */
  readonly #loadedFrom = new Map<
    string,
    { readonly object: Atom; readonly place: Region | null }
  >();
  /** Aliases. */
  readonly #aliases = new Map<string, Atom>();
  readonly #stores: ObjectStore[] = [];
  readonly #memory: Memory;

  constructor(func: Func, memory: Memory) {
    this.#memory = memory;
    for (const { name } of func.params) this.#bound.set(name, []);
    this.#body(func.body, [], null);
  }

  /** The allocation point of a name's object, in the run of the body that binds the name. */
  of(atom: Atom): Path | null {
    if (atom.kind !== "var") return null;
    const same = this.#aliases.get(atom.name);
    return same !== undefined
      ? this.of(same)
      : (this.#allocations.get(atom.name) ?? this.#ofLoaded(atom.name));
  }

  /** Whether the name is bound to an allocation that is a statement of this very body. */
  isMadeIn(atom: Atom, body: Body): boolean {
    return atom.kind === "var" && this.#allocations.get(atom.name)?.at(-1)?.body === body;
  }

  /** Whether the object existed before the allocation at `made`, in the same run of that body. */
  isBefore(atom: Atom, made: Path): boolean {
    const maker = made.at(-1);
    const path = atom.kind === "var" ? this.#bound.get(atom.name) : undefined;
    if (atom.kind !== "var" || maker === undefined || path === undefined) return false;
    if (!runsAfter(path, maker)) return true;
    const same = this.#aliases.get(atom.name);
    if (same !== undefined) return this.isBefore(same, made);
    const from = this.#loadedFrom.get(atom.name);
    if (from?.place == null || !this.isBefore(from.object, made)) return false;
    // what was stored there since may be the new allocation
    const { place } = from;
    const isThere = ({ into }: ObjectStore): boolean =>
      into.find() === place.find() || (into.find().external && place.find().external);
    return this.#stores.every(
      (store) =>
        !isThere(store) ||
        !runsAfter(store.path, maker) ||
        (store.by !== null && this.#isBehind(store.by, maker)),
    );
  }

  #isBehind(name: string, maker: Step): boolean {
    const made = this.#allocations.get(name);
    return made !== undefined && runsAfter(made, maker);
  }

  /** A part of a local object that only holds objects of the same run belongs to that run too. */
  #ofLoaded(name: string): Path | null {
    const from = this.#loadedFrom.get(name);
    if (from?.place == null || from.object.kind !== "var") return null;
    const owner = from.object.name;
    const made = this.#allocations.get(owner);
    const maker = made?.at(-1);
    if (made === undefined || maker === undefined || !isOnlyAccessed(owner, maker.body))
      return null;
    const { place } = from;
    const own = this.#stores.filter(
      (store) =>
        store.into.find() === place.find() &&
        runsAfter(store.path, maker) &&
        (store.by === null || store.by === owner),
    );
    return own.every(
      ({ by, value }) => by !== null && value?.kind === "var" && this.#isBehind(value.name, maker),
    )
      ? made
      : null;
  }

  #body(body: Body, path: Path, loop: Stmt | null): void {
    body.stmts.forEach((stmt, at) => {
      const here = [...path, { body, at, loop }];
      for (const { name, type } of [...stmtBinds(stmt), ...innerBinds(stmt)])
        if (isAggregate(type)) this.#bound.set(name, here);
      this.#note(stmt, here);
      for (const inner of stmtBodies(stmt))
        this.#body(inner, here, stmt.kind === "for" || stmt.kind === "while" ? stmt : null);
    });
  }

  #note(stmt: Stmt, path: Path): void {
    if (stmt.kind === "let") this.#let(stmt, path);
    if (stmt.kind !== "store" && stmt.kind !== "append" && stmt.kind !== "fill") return;
    const { object, value } = stmt;
    const into = placeOfStore(stmt, this.#memory);
    const by = object.kind === "var" ? object.name : null;
    if (into !== null && isAggregate(value.type)) this.#stores.push({ path, into, by, value });
  }

  #let({ bind, expr }: Let, path: Path): void {
    if (isAllocation(expr)) {
      this.#allocations.set(bind.name, path);
      this.#parts(bind, expr, path);
    }
    if (expr.kind === "copy" || expr.kind === "unwrap")
      this.#aliases.set(bind.name, expr.kind === "copy" ? expr.atom : expr.value);
    if (expr.kind === "load" && isAggregate(bind.type))
      this.#loadedFrom.set(bind.name, {
        object: expr.object,
        place: this.#memory.placeAt(expr.object, expr.key),
      });
    if (expr.kind === "call" || expr.kind === "extern" || expr.kind === "lambda")
      for (const atom of exprAtoms(expr)) this.#exposed(atom, path);
  }

  /** The initial contents of an allocation; unknown for copies. */
  #parts(bind: Var, expr: Expr, path: Path): void {
    const owner = this.#memory.region(bind);
    const put = (key: string, value: Atom | null): void => {
      const into = owner === null ? null : this.#memory.place(owner, bind.type, key);
      if (into !== null && (value === null || isAggregate(value.type)))
        this.#stores.push({ path, into, by: bind.name, value });
    };
    switch (expr.kind) {
      case "array":
        for (const { atom, spread } of expr.parts) put(ELEMENTS, spread ? null : atom);
        return;
      case "tuple":
        for (const [i, elem] of expr.elems.entries()) put(String(i), elem);
        return;
      case "record":
        for (const { name, value } of expr.fields) put(name, value);
        return;
      case "alloc":
        if (expr.fill !== null) put(ELEMENTS, expr.fill);
        return;
      case "slice":
        put(ELEMENTS, null);
        return;
      default:
        return;
    }
  }

  #exposed(atom: Atom, path: Path): void {
    const region = this.#memory.region(atom);
    if (region !== null)
      for (const inner of this.#memory.reachable(region))
        this.#stores.push({ path, into: inner, by: null, value: null });
  }
}

/** Whether a body only reads and writes the object's places, and nothing else sees the object. */
function isOnlyAccessed(name: string, body: Body): boolean {
  const isIt = (atom: Atom | null): boolean => atom?.kind === "var" && atom.name === name;
  let handled = true;
  walkStmts(body, (stmt) => {
    const own = isIt(accessedObject(stmt)) ? 1 : 0;
    const named = stmtAtoms(stmt).filter(isIt).length;
    handled &&= named === own && !stmtBodies(stmt).some(({ result }) => result.some(isIt));
  });
  return handled;
}

/** The object whose place a statement reads or writes. */
function accessedObject(stmt: Stmt): Atom | null {
  if (
    stmt.kind === "store" ||
    stmt.kind === "accum" ||
    stmt.kind === "append" ||
    stmt.kind === "fill"
  )
    return stmt.object;
  return stmt.kind === "let" && (stmt.expr.kind === "load" || stmt.expr.kind === "length")
    ? stmt.expr.object
    : null;
}
