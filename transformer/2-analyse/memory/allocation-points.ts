// Since when objects are there. In: an ssa function and its memory. Out: where the object of a name is made, and whether an object was there before what is made at a place.
// Invariant: unsure means that it is not known, or not before. A region joins what one variable holds one after the other (`u = next`); where an object is made tells one round's from the next one's.

import {
  exprAtoms,
  innerBinds,
  stmtAtoms,
  stmtBinds,
  stmtBodies,
  walkStmts,
} from "../../ir/visit.ts";
import type { Atom, Body, Expr, Func, Let, Stmt, Var } from "../../ir/types.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, isAggregate, type Region } from "./region.ts";

/** Where a statement stands: from the function's body inwards, which statement of which body, and which loop that body is. */
export type Path = readonly Step[];
interface Step {
  readonly body: Body;
  readonly at: number;
  /** The loop whose body this is, else null. */
  readonly loop: Stmt | null;
}

/** Something is put into an object, by the name that the object has there; null where code is called that may put anything there. */
interface Put {
  readonly path: Path;
  readonly into: Region;
  readonly by: string | null;
  readonly value: Atom | null;
}

/** Made with parts that the expression tells. What `ir/visit.ts` calls made may be a copy of anything, or a tape. */
const isPutTogether = ({ kind }: Expr): boolean =>
  kind === "array" || kind === "tuple" || kind === "record" || kind === "alloc" || kind === "slice";

/** Whether a statement at the path runs in the same run of the body in which the other one, of the last step of `of`, has run before. */
export const isBehind = (path: Path, of: Step): boolean =>
  path.some(({ body, at }) => body === of.body && at >= of.at);

export class Births {
  /** Where the names of objects are bound. */
  readonly #bound = new Map<string, Path>();
  /** By object: where it is made. */
  readonly #made = new Map<string, Path>();
  /** By object: the one that it is read from. */
  readonly #from = new Map<string, { readonly object: Atom; readonly place: Region | null }>();
  /** Other names of objects. */
  readonly #same = new Map<string, Atom>();
  readonly #puts: Put[] = [];
  readonly #memory: Memory;

  constructor(func: Func, memory: Memory) {
    this.#memory = memory;
    for (const { name } of func.params) this.#bound.set(name, []);
    this.#body(func.body, [], null);
  }

  /** Where the object of a name is made: in the run of the last step's body that its name is of. */
  of(atom: Atom): Path | null {
    if (atom.kind !== "var") return null;
    const same = this.#same.get(atom.name);
    return same !== undefined
      ? this.of(same)
      : (this.#made.get(atom.name) ?? this.#ofPart(atom.name));
  }

  /** Whether an object gets its name where it is made, in a body's own statements. */
  isMadeIn(atom: Atom, body: Body): boolean {
    return atom.kind === "var" && this.#made.get(atom.name)?.at(-1)?.body === body;
  }

  /** Whether the object of a name was there before what is made at `made`, in the same run of that body. */
  isBefore(atom: Atom, made: Path): boolean {
    const maker = made.at(-1);
    const path = atom.kind === "var" ? this.#bound.get(atom.name) : undefined;
    if (atom.kind !== "var" || maker === undefined || path === undefined) return false;
    if (!isBehind(path, maker)) return true;
    const same = this.#same.get(atom.name);
    if (same !== undefined) return this.isBefore(same, made);
    const from = this.#from.get(atom.name);
    if (from?.place == null || !this.isBefore(from.object, made)) return false;
    // what has been put there since may be what was made
    const { place } = from;
    const isThere = ({ into }: Put): boolean =>
      into.find() === place.find() || (into.find().external && place.find().external);
    return this.#puts.every(
      (put) =>
        !isThere(put) ||
        !isBehind(put.path, maker) ||
        (put.by !== null && this.#isBehind(put.by, maker)),
    );
  }

  #isBehind(name: string, maker: Step): boolean {
    const made = this.#made.get(name);
    return made !== undefined && isBehind(made, maker);
  }

  /** A part of an object that its body makes, fills with what it makes there, and does not show to anybody: it is of this run of the body. */
  #ofPart(name: string): Path | null {
    const from = this.#from.get(name);
    if (from?.place == null || from.object.kind !== "var") return null;
    const owner = from.object.name;
    const made = this.#made.get(owner);
    const maker = made?.at(-1);
    if (made === undefined || maker === undefined || !isHandled(owner, maker.body)) return null;
    const { place } = from;
    const own = this.#puts.filter(
      (put) =>
        put.into.find() === place.find() &&
        isBehind(put.path, maker) &&
        (put.by === null || put.by === owner),
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
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, path);
      case "store":
        return this.#put(
          stmt.object,
          this.#memory.placeAt(stmt.object, stmt.key),
          stmt.value,
          path,
        );
      case "append":
      case "fill": {
        const owner = this.#memory.region(stmt.object);
        return this.#put(
          stmt.object,
          owner === null ? null : this.#memory.place(owner, stmt.object.type, ELEMENTS),
          stmt.value,
          path,
        );
      }
      default:
        return;
    }
  }

  #let({ bind, expr }: Let, path: Path): void {
    if (isPutTogether(expr)) {
      this.#made.set(bind.name, path);
      this.#parts(bind, expr, path);
    }
    if (expr.kind === "copy" || expr.kind === "unwrap")
      this.#same.set(bind.name, expr.kind === "copy" ? expr.atom : expr.value);
    if (expr.kind === "load" && isAggregate(bind.type))
      this.#from.set(bind.name, {
        object: expr.object,
        place: this.#memory.placeAt(expr.object, expr.key),
      });
    if (expr.kind === "call" || expr.kind === "extern" || expr.kind === "lambda")
      for (const atom of exprAtoms(expr)) this.#shown(atom, path);
  }

  /** What an object begins with. Of what is copied, nothing is known. */
  #parts(bind: Var, expr: Expr, path: Path): void {
    const owner = this.#memory.region(bind);
    const put = (key: string, value: Atom | null): void => {
      const into = owner === null ? null : this.#memory.place(owner, bind.type, key);
      if (into !== null && (value === null || isAggregate(value.type)))
        this.#puts.push({ path, into, by: bind.name, value });
    };
    switch (expr.kind) {
      case "array":
        expr.parts.forEach(({ atom, spread }) => {
          put(ELEMENTS, spread ? null : atom);
        });
        return;
      case "tuple":
        expr.elems.forEach((elem, i) => {
          put(String(i), elem);
        });
        return;
      case "record":
        expr.fields.forEach(({ name, value }) => {
          put(name, value);
        });
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

  #put(object: Atom, place: Region | null, value: Atom, path: Path): void {
    if (place !== null && isAggregate(value.type))
      this.#puts.push({ path, into: place, by: object.kind === "var" ? object.name : null, value });
  }

  #shown(atom: Atom, path: Path): void {
    const region = this.#memory.region(atom);
    if (region !== null)
      for (const inner of this.#memory.reachable(region))
        this.#puts.push({ path, into: inner, by: null, value: null });
  }
}

/** Whether a body does nothing with an object but read and write its places, and give it to who comes after. */
function isHandled(name: string, body: Body): boolean {
  const isIt = (atom: Atom | null): boolean => atom?.kind === "var" && atom.name === name;
  let handled = true;
  walkStmts(body, (stmt) => {
    const own = isIt(handledBy(stmt)) ? 1 : 0;
    const named = stmtAtoms(stmt).filter(isIt).length;
    handled &&= named === own && !stmtBodies(stmt).some(({ result }) => result.some(isIt));
  });
  return handled;
}

/** The object of which a statement reads or writes a place. */
function handledBy(stmt: Stmt): Atom | null {
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
