// The extra parameters of each function: the arena, and the index of its top. A function with an
// arena BOG in its signature gets the arena from its callers. Any other creates one for the time of
// its call.

import { callsIn } from "../../ir/calls.ts";
import type { Func, Stmt, Type } from "../../ir/types.ts";
import { bogOf, type Bogs } from "./bogs.ts";
import { someStmt } from "../stmts.ts";

export class Layout {
  readonly funcs: ReadonlyMap<string, Func>;
  readonly bogs: Bogs;
  /** Functions with arena BOGs in their signatures. */
  readonly #given: ReadonlySet<string>;
  readonly #arena: ReadonlySet<string>;
  readonly #top: ReadonlySet<string>;

  constructor(funcs: ReadonlyMap<string, Func>, bogs: Bogs) {
    this.funcs = funcs;
    this.bogs = bogs;
    const all = [...funcs.values()];
    const isMade = (stmt: Stmt): boolean =>
      stmt.kind === "let" && stmt.expr.kind === "tuple" && this.isBog(stmt.bind.type);
    const isRead = (stmt: Stmt): boolean =>
      stmt.kind === "let" && stmt.expr.kind === "load" && this.isBog(stmt.expr.object.type);
    this.#given = new Set(
      all
        .filter(({ params, result }) =>
          [...params.map(({ type }) => type), result].some((type) => this.isBog(type)),
        )
        .map(({ name }) => name),
    );
    this.#top = this.#withCallers(all.filter(({ body }) => someStmt(body, isMade)));
    this.#arena = this.#withCallers(
      all.filter(({ body }) => someStmt(body, (stmt) => isMade(stmt) || isRead(stmt))),
    );
  }

  isBog(type: Type): boolean {
    return bogOf(type, this.bogs) !== null;
  }

  fields(type: Type): readonly Type[] {
    return this.bogs.get(bogOf(type, this.bogs) ?? "") ?? [];
  }

  /** Whether the function changes. */
  isTouched(name: string): boolean {
    return this.#given.has(name) || this.#arena.has(name);
  }

  takesArena(name: string): boolean {
    return this.#given.has(name) && this.#arena.has(name);
  }

  takesTop(name: string): boolean {
    return this.#given.has(name) && this.#top.has(name);
  }

  /** Whether the function creates an arena. */
  makesArena(name: string): boolean {
    return !this.#given.has(name) && this.#arena.has(name);
  }

  /** These functions, and those that pass their own arena on to one of them. */
  #withCallers(first: readonly Func[]): ReadonlySet<string> {
    const found = new Set(first.map(({ name }) => name));
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const { name, body } of this.funcs.values())
        if (
          !found.has(name) &&
          callsIn(body).some(({ expr }) => this.#given.has(expr.callee) && found.has(expr.callee))
        )
          found.add(name);
    }
    return found;
  }
}
