// Comparison and replacement of atoms. `Replacements` collects the names that a pass drops and the
// atoms that stand for them, then rewrites a body. Invariant: an atom that replaces a name is in
// scope wherever that name was.

import { baseName, isTemporary, variableOf } from "../ir/names.ts";
import { mapList, rebuilt, withStmts } from "../ir/rebuilt.ts";
import type { Atom, Body, Carried, Const, Stmt, Var } from "../ir/types.ts";
import { mapStmt, unreachable, walkAtoms } from "../ir/visit.ts";
import { isRaw } from "./stmts.ts";

export function sameAtom(x: Atom, z: Atom): boolean {
  switch (x.kind) {
    case "var":
      return z.kind === "var" && z.name === x.name;
    case "const":
      return z.kind === "const" && Object.is(z.value, x.value);
    case "global":
      return z.kind === "global" && variableOf(z) === variableOf(x);
    case "undef":
      return z.kind === "undef";
    default:
      return unreachable(x);
  }
}

/** A string that two atoms share exactly when they are the same. */
export function atomKey(atom: Atom): string {
  switch (atom.kind) {
    case "var":
      return atom.name;
    case "const":
      return Object.is(atom.value, -0) ? "#-0" : `#${typeof atom.value}:${String(atom.value)}`;
    case "global":
      return `@${variableOf(atom)}`;
    case "undef":
      return "?";
    default:
      return unreachable(atom);
  }
}

export const isNumber = (atom: Atom): atom is Const & { readonly value: number } =>
  atom.kind === "const" && typeof atom.value === "number";
export const isValue = (atom: Atom, value: number): boolean =>
  isNumber(atom) && atom.value === value;
/** Whether two keys are distinct numbers. NaN equals itself, since a `Map` finds NaN under NaN. */
export const areDistinctKeys = (x: Atom, z: Atom): boolean =>
  isNumber(x) &&
  isNumber(z) &&
  x.value !== z.value &&
  !(Number.isNaN(x.value) && Number.isNaN(z.value));
export const isTruth = (atom: Atom, value: boolean): boolean =>
  atom.kind === "const" && atom.value === value;

const isCotangent = (name: string): boolean => baseName(name).endsWith("$bar");

/** How often each name is read in a body, nested bodies and results included. */
export function countReads(body: Body): Map<string, number> {
  const reads = new Map<string, number>();
  walkAtoms(body, (atom) => {
    if (atom.kind === "var") reads.set(atom.name, (reads.get(atom.name) ?? 0) + 1);
  });
  return reads;
}

/** Names that a pass drops, and their replacements. A temporary may inherit the user's name. */
export class Replacements {
  readonly #atoms = new Map<string, Atom>();
  readonly #names = new Map<string, string>();
  /** Names for temporaries that replace no user variable. */
  readonly #suggested = new Map<string, string>();
  /** Temporaries whose binders stay, and whether they are cotangents. */
  readonly #renamable = new Map<string, boolean>();

  /** Notes that the binder of `bind` stays, so it may get a better name. */
  keep(bind: Var, adjoint: boolean): void {
    if (isTemporary(bind.name)) this.#renamable.set(bind.name, adjoint);
  }

  replace(bind: Var, atom: Atom): void {
    this.#atoms.set(bind.name, atom);
    if (atom.kind !== "var" || isTemporary(bind.name) || this.#names.has(atom.name)) return;
    const adjoint = this.#renamable.get(atom.name);
    // A primal value does not take the name of a cotangent that happens to equal it.
    if (adjoint === undefined || (!adjoint && isCotangent(bind.name))) return;
    // A shadow does not lose its `$bar`: memory.ts tells shadows from primals by their names.
    if (isCotangent(atom.name) && !isCotangent(bind.name)) return;
    this.#names.set(atom.name, bind.name);
  }

  /** Suggests a name for a primal temporary that replaces no user variable. */
  suggest(atom: Atom, name: () => string): void {
    if (
      atom.kind === "var" &&
      this.#renamable.get(atom.name) === false &&
      !this.#suggested.has(atom.name)
    )
      this.#suggested.set(atom.name, name());
  }

  readonly resolve = (atom: Atom): Atom => {
    let current = atom;
    while (current.kind === "var") {
      const next = this.#atoms.get(current.name);
      if (next === undefined) return current;
      current = next;
    }
    return current;
  };

  /** The body with every replacement and every better name applied. */
  finish(body: Body): Body {
    if (this.#atoms.size + this.#suggested.size === 0) return body;
    const named = (bind: Var): Var => {
      const name = this.#names.get(bind.name) ?? this.#suggested.get(bind.name);
      return name === undefined ? bind : { ...bind, name };
    };
    const onAtom = (atom: Atom): Atom => {
      const resolved = this.resolve(atom);
      return resolved.kind === "var" ? named(resolved) : resolved;
    };
    return mapNames(body, onAtom, named);
  }
}

/** The body with every atom that is read mapped by `onAtom`, and every binder by `named`. */
export function mapNames(
  body: Body,
  onAtom: (atom: Atom) => Atom,
  named: (bind: Var) => Var,
): Body {
  const onBody = (inner: Body): Body =>
    withStmts(
      inner,
      mapList(inner.stmts, (stmt) => renameBinders(mapStmt(stmt, onAtom, onBody), named)),
      mapList(inner.result, onAtom),
    );
  return onBody(body);
}

/** The statement with the names that it binds itself, outside or inside, mapped. */
function renameBinders(stmt: Stmt, named: (bind: Var) => Var): Stmt {
  const carried = (all: readonly Carried[]): readonly Carried[] =>
    mapList(all, (one) => rebuilt(one, { param: named(one.param) }));
  switch (stmt.kind) {
    case "let":
      return rebuilt(stmt, {
        bind: named(stmt.bind),
        expr:
          stmt.expr.kind === "lambda"
            ? rebuilt(stmt.expr, { params: mapList(stmt.expr.params, named) })
            : stmt.expr,
      });
    case "if":
      return rebuilt(stmt, { binds: mapList(stmt.binds, named) });
    case "for":
      return rebuilt(stmt, {
        index: named(stmt.index),
        carried: carried(stmt.carried),
        binds: mapList(stmt.binds, named),
      });
    case "while":
      return rebuilt(stmt, { carried: carried(stmt.carried), binds: mapList(stmt.binds, named) });
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
      return stmt;
    default:
      return isRaw(stmt) ? stmt : unreachable(stmt);
  }
}
