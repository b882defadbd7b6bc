// Names of joined objects that are used as a whole at one place only: returned, stored or passed
// once. The object can be constructed at that place instead. Invariant: each object that the name
// may denote is a literal allocated since the last execution of the place, and only joins use the
// literal. No loop around the place carries the object.

import { stmtBinds, stmtBodies } from "../../ir/visit.ts";
import type { Atom, Body, Func, Stmt, Var } from "../../ir/types.ts";

/** `to` is one of `from`. */
export interface Join {
  readonly to: Var;
  readonly from: readonly Atom[];
}

/** A use of an object as a whole. */
interface Use {
  readonly name: string;
  readonly body: Body;
  /** It stands in the body that binds the name, and no loop around it carries the object. */
  readonly isAtHome: boolean;
}

/**
 * `isMade`: whether a name is that of a literal that nothing writes later; `objects`: what a
 * statement uses as whole objects, apart from joins.
 */
export function usedOnce(
  func: Func,
  joins: readonly Join[],
  isMade: (name: string) => boolean,
  objects: (stmt: Stmt) => readonly Atom[],
): ReadonlySet<string> {
  const groups = new Groups(joins);
  const uses = new Map<string, Use[]>();
  /** By name: the bodies around its binding. */
  const homes = new Map<string, readonly Body[]>();
  const noteIn =
    (body: Body, bound: ReadonlySet<string>, carried: readonly string[]) =>
    (atom: Atom): void => {
      if (atom.kind !== "var") return;
      const group = groups.of(atom.name);
      const own = uses.get(group) ?? [];
      own.push({
        name: atom.name,
        body,
        isAtHome: bound.has(atom.name) && !carried.some((name) => groups.of(name) === group),
      });
      uses.set(group, own);
    };
  const visit = (
    path: readonly Body[],
    body: Body,
    carried: readonly string[],
  ): ReadonlySet<string> => {
    const bound = new Set<string>();
    const own = [...path, body];
    for (const stmt of body.stmts) {
      objects(stmt).forEach(noteIn(body, bound, carried));
      const inner =
        stmt.kind === "for" || stmt.kind === "while"
          ? [...carried, ...stmt.carried.map(({ param }) => param.name)]
          : carried;
      for (const each of stmtBodies(stmt)) visit(own, each, inner);
      for (const { name } of stmtBinds(stmt)) {
        bound.add(name);
        homes.set(name, own);
      }
    }
    return bound;
  };
  // The results of other bodies are joins.
  func.body.result.forEach(noteIn(func.body, visit([], func.body, []), []));
  const isNew = (atom: Atom, body: Body): boolean =>
    atom.kind === "undef" ||
    (atom.kind === "var" && isMade(atom.name) && homes.get(atom.name)?.includes(body) === true);
  const single = [...uses.values()].filter(
    ([use, other]) =>
      use !== undefined &&
      other === undefined &&
      use.isAtHome &&
      groups.sourcesOf(use.name).every((atom) => isNew(atom, use.body)),
  );
  return new Set(single.flatMap((each) => each.map(({ name }) => name)));
}

/** Names that may denote one object (union-find over joins). */
class Groups {
  readonly #above = new Map<string, string>();
  readonly #sources = new Map<string, Atom[]>();

  constructor(joins: readonly Join[]) {
    for (const { to, from } of joins)
      for (const atom of from)
        if (atom.kind === "var") this.#above.set(this.of(atom.name), this.of(to.name));
    const joined = new Set(joins.map(({ to }) => to.name));
    for (const { to, from } of joins) {
      const group = this.of(to.name);
      const own = this.#sources.get(group) ?? [];
      own.push(...from.filter((atom) => atom.kind !== "var" || !joined.has(atom.name)));
      this.#sources.set(group, own);
    }
  }

  of(name: string): string {
    let at = name;
    for (
      let next = this.#above.get(at);
      next !== undefined && next !== at;
      next = this.#above.get(at)
    )
      at = next;
    return at;
  }

  /** What flows into the group from outside. A name without joins gets a source that never fits. */
  sourcesOf(name: string): readonly Atom[] {
    return (
      this.#sources.get(this.of(name)) ?? [
        { kind: "const", type: { kind: "void" }, value: undefined },
      ]
    );
  }
}
