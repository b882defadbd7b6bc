// A derivative for several seeds at once. In: a function, its seeds' names, for each time what stands for them, and what depends on them. Out: its statements, in which what
// depends on a seed stands once for each time, and all else once; what the function returns, each time. Invariant: each time computes what the
// function computes for those seeds, in the same order; effects on what does not depend on a seed happen once.

import type { Names } from "../../ir/names.ts";
import type { Atom, Body, For, Func, Stmt, Var, While } from "../../ir/types.ts";
import { mapBodies, mapExpr, mapStmt, unreachable, walkAtoms } from "../../ir/visit.ts";
import type { Depends } from "./dependence.ts";

/** What a function returns: the elements of tuples that are made for that alone. */
export type Returned = Atom | readonly Returned[];

/** The body without the tuples that it returns, and what stands in them. */
export function unpacked(body: Body): { readonly body: Body; readonly returned: Returned } {
  const reads = new Map<string, number>();
  walkAtoms(body, (atom) => {
    if (atom.kind === "var") reads.set(atom.name, (reads.get(atom.name) ?? 0) + 1);
  });
  const gone = new Set<Stmt>();
  const open = (atom: Atom): Returned => {
    if (atom.kind !== "var" || reads.get(atom.name) !== 1) return atom;
    const made = body.stmts.find((stmt) => stmt.kind === "let" && stmt.bind.name === atom.name);
    if (made?.kind !== "let" || made.expr.kind !== "tuple") return atom;
    gone.add(made);
    return made.expr.elems.map(open);
  };
  const [result] = body.result;
  const returned = result === undefined ? [] : open(result);
  return { body: { stmts: body.stmts.filter((stmt) => !gone.has(stmt)), result: [] }, returned };
}

export const atomsIn = (returned: Returned): readonly Atom[] =>
  isList(returned) ? returned.flatMap(atomsIn) : [returned];
export const isList = (returned: Returned): returned is readonly Returned[] =>
  Array.isArray(returned);

/** An element of what is returned; all of it for null. */
export function part(returned: Returned, i: number | null): Returned | null {
  if (i === null) return returned;
  return isList(returned) ? (returned[i] ?? null) : null;
}

export interface Several {
  readonly stmts: readonly Stmt[];
  /** What stands for an atom of the function, each time. */
  readonly at: (atom: Atom, time: number) => Atom;
}

/** `seeds[time][i]` stands for the i-th seed. */
export function several(
  body: Body,
  seedNames: readonly string[],
  seeds: readonly (readonly Atom[])[],
  depends: Depends,
  names: Names,
): Several {
  const writer = new Writer(depends, names, seeds.length);
  seedNames.forEach((name, i) => {
    writer.give(
      name,
      seeds.flatMap((own) => own[i] ?? []),
    );
  });
  return { stmts: writer.body(body, []).stmts, at: (atom, time) => writer.at(time)(atom) };
}

class Writer {
  readonly #depends: Depends;
  readonly #names: Names;
  readonly #times: readonly number[];
  readonly #copies = new Map<string, readonly Atom[]>();

  constructor(depends: Depends, names: Names, count: number) {
    this.#depends = depends;
    this.#names = names;
    this.#times = Array.from({ length: count }, (_, time) => time);
  }

  give(name: string, atoms: readonly Atom[]): void {
    this.#copies.set(name, atoms);
  }

  at(time: number): (atom: Atom) => Atom {
    return (atom) => (atom.kind === "var" ? (this.#copies.get(atom.name)?.[time] ?? atom) : atom);
  }

  /** `x  ->  x, x.1, …`, once for each time; what depends on no seed stays `x`. */
  #bound(bind: Var): readonly Var[] {
    if (!this.#depends(bind)) return [bind];
    const copies = this.#times.map((time): Var =>
      time === 0 ? bind : { ...bind, name: this.#names.fresh(bind.name) },
    );
    this.give(bind.name, copies);
    return copies;
  }

  #each(bind: Var, atom: Atom): readonly Atom[] {
    return (this.#depends(bind) ? this.#times : [0]).map((time) => this.at(time)(atom));
  }

  /** `binds`: what the body's results become. */
  body({ stmts, result }: Body, binds: readonly Var[]): Body {
    const written = stmts.flatMap((stmt) => this.#stmt(stmt));
    return {
      stmts: written,
      result:
        binds.length === 0
          ? result.map(this.at(0))
          : binds.flatMap((bind, i) => {
              const atom = result[i];
              return atom === undefined ? [] : this.#each(bind, atom);
            }),
    };
  }

  #stmt(stmt: Stmt): readonly Stmt[] {
    switch (stmt.kind) {
      case "let": {
        const { expr } = stmt;
        return this.#bound(stmt.bind).map((bind, time): Stmt => ({
          ...stmt,
          bind,
          expr: mapExpr(expr, this.at(time)),
        }));
      }
      case "store":
      case "accum":
      case "append":
      case "fill":
        return this.#write(stmt, stmt.object);
      case "push":
        return this.#write(stmt, stmt.tape);
      case "if": {
        const then = this.body(stmt.then, stmt.binds);
        const otherwise = this.body(stmt.else, stmt.binds);
        return [
          {
            ...stmt,
            cond: this.at(0)(stmt.cond),
            then,
            else: otherwise,
            binds: stmt.binds.flatMap((bind) => this.#bound(bind)),
          },
        ];
      }
      case "for":
      case "while":
        return [this.#loop(stmt)];
      case "throw":
      case "reserve":
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        return [mapBodies(stmt, (inner) => this.body(inner, []))];
      default:
        return unreachable(stmt);
    }
  }

  #write(stmt: Stmt, object: Atom): readonly Stmt[] {
    return (this.#depends(object) ? this.#times : [0]).map((time) =>
      mapStmt(stmt, this.at(time), (inner) => inner),
    );
  }

  #loop(loop: For | While): For | While {
    const params = loop.carried.map(({ param }) => param);
    // what goes in is of the names outside, so it is written before the parameters are named
    const inits = loop.carried.map(({ param, init }) => this.#each(param, init));
    const carried = params.flatMap((param, i) =>
      this.#bound(param).map((copy, time) => ({ param: copy, init: inits[i]?.[time] ?? copy })),
    );
    const test = loop.kind === "while" ? this.body(loop.test, []) : null;
    const body = this.body(loop.body, params);
    const binds = loop.binds.flatMap((bind) => this.#bound(bind));
    if (loop.kind === "while") return { ...loop, carried, body, binds, test: test ?? loop.test };
    return { ...loop, from: this.at(0)(loop.from), to: this.at(0)(loop.to), carried, body, binds };
  }
}

/** Statements of a function, inner ones included. */
export function sizeOf({ body }: Pick<Func, "body">): number {
  const count = (inner: Body): number =>
    inner.stmts.reduce((sum, stmt) => {
      let own = 1;
      mapBodies(stmt, (nested) => {
        own += count(nested);
        return nested;
      });
      return sum + own;
    }, 0);
  return count(body);
}
