// Writes a derivative for several seeds at once. Input: a function, its seeds' names, their values
// for each copy, and what depends on them. Output: its statements, with one copy per seed of what
// depends on it, and what the function returns in each copy.
// Invariant: each copy computes what the function computes for its seeds, in the same order;
// effects on other objects happen once.

import type { Names } from "../../ir/names.ts";
import type { Atom, Body, For, Func, Stmt, Var, While } from "../../ir/types.ts";
import { mapBodies, mapExpr, mapStmt, unreachable, walkAtoms } from "../../ir/visit.ts";
import type { Depends } from "./dependence.ts";

/** What a function returns, with tuples that exist only for that taken apart. */
export type Returned = Atom | readonly Returned[];

/** The body without its returned tuples, and their elements. */
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
  /** The atom of a copy that corresponds to an atom of the function. */
  readonly at: (atom: Atom, time: number) => Atom;
}

/** `seeds[time][i]` is the i-th seed of a copy. */
export function forSeveralSeeds(
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

  /** `x  ->  x, x.1, …`, one per copy; a name that depends on no seed stays `x`. */
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

  /** `binds`: the variables that get the body's results. */
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

  // eslint-disable-next-line complexity -- flat exhaustive switch over statement kinds
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
        const binds = stmt.binds.flatMap((bind) => this.#bound(bind));
        return [{ ...stmt, cond: this.at(0)(stmt.cond), then, else: otherwise, binds }];
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
    // initial values refer to outer names, so they are written before the parameters are named
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

/** The number of statements of a function, including inner ones. */
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
