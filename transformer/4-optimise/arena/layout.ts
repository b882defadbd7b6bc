// What each function takes for the BOGs in the arena. In: functions, and the fields of BOGs. Out: who takes the arena, who its top, and who makes it. Invariant: a function with such a BOG
// in its signature is given the arena by those who call it; any other makes one for the time of its call.

import { callsIn } from "../../ir/calls.ts";
import type { Func, Stmt, Type } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { bogOf, type Bogs } from "./bogs.ts";

export class Layout {
  readonly funcs: ReadonlyMap<string, Func>;
  readonly bogs: Bogs;
  /** Functions that have BOGs of these in their signatures. */
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
    this.#top = this.#withCallers(all.filter(({ body }) => isAny(body, isMade)));
    this.#arena = this.#withCallers(
      all.filter(({ body }) => isAny(body, (stmt) => isMade(stmt) || isRead(stmt))),
    );
  }

  isBog(type: Type): boolean {
    return bogOf(type, this.bogs) !== null;
  }

  fields(type: Type): readonly Type[] {
    return this.bogs.get(bogOf(type, this.bogs) ?? "") ?? [];
  }

  /** Whether the function's text changes. */
  isTouched(name: string): boolean {
    return this.#given.has(name) || this.#arena.has(name);
  }

  takesArena(name: string): boolean {
    return this.#given.has(name) && this.#arena.has(name);
  }

  takesTop(name: string): boolean {
    return this.#given.has(name) && this.#top.has(name);
  }

  /** Whether the function has an arena of its own. */
  makesArena(name: string): boolean {
    return !this.#given.has(name) && this.#arena.has(name);
  }

  /** These functions, and those that hand on to them what they are given. */
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

function isAny(body: Func["body"], isWanted: (stmt: Stmt) => boolean): boolean {
  let found = false;
  walkStmts(body, (stmt) => {
    found ||= isWanted(stmt);
  });
  return found;
}
