// Finds the values and objects of a derivative that depend on its seeds. Input: a function, its
// seeds, and objects of which each seed needs its own. Output: a test for names. It is null where
// one function cannot serve several seeds: its control flow, indices or arguments depend on them.
// Invariant: objects that may alias form one region, which depends on the seeds as a whole; lengths
// and definedness never depend on them.

import { variableOf } from "../../ir/names.ts";
import type {
  Atom,
  Body,
  Expr,
  For,
  Func,
  If,
  Let,
  Stmt,
  Type,
  Var,
  While,
} from "../../ir/types.ts";
import { exprAtoms, keyAtoms, unreachable } from "../../ir/visit.ts";

export type Depends = (atom: Atom) => boolean;

export function dependenceOf(
  func: Func,
  seeds: readonly Var[],
  own: readonly Atom[],
): Depends | null {
  const found = new Dependence();
  for (const atom of [...seeds, ...own]) found.mark(atom);
  do {
    found.grown = false;
    found.body(func.body);
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by `body`
  } while (found.grown && !found.failed);
  const given = func.params.filter(({ name }) => !seeds.some((seed) => seed.name === name));
  return found.failed || found.marksGlobals() || given.some((param) => found.has(param))
    ? null
    : (atom) => found.has(atom);
}

/** Whether a type is copied, never shared. */
const isValue = (type: Type): boolean =>
  type.kind === "num" ||
  type.kind === "bool" ||
  type.kind === "leaf" ||
  type.kind === "void" ||
  (type.kind === "opt" && isValue(type.of));

class Dependence {
  /** Whether the last walk found anything new. */
  grown = false;
  failed = false;
  readonly #marked = new Set<string>();
  readonly #region = new Map<string, string>();

  has(atom: Atom): boolean {
    const key = this.#keyOf(atom);
    return key !== null && this.#marked.has(key);
  }

  mark(atom: Atom): void {
    const key = this.#keyOf(atom);
    if (key === null || this.#marked.has(key)) return;
    this.#marked.add(key);
    this.grown = true;
  }

  /** Whether an object of the module depends on a seed; it exists only once. */
  marksGlobals(): boolean {
    return [...this.#region.keys()].some(
      (key) => key.startsWith(GLOBAL) && this.#marked.has(this.#root(key)),
    );
  }

  body({ stmts }: Body): void {
    stmts.forEach((stmt) => {
      this.#stmt(stmt);
    });
  }

  #keyOf(atom: Atom): string | null {
    if (atom.kind === "const" || atom.kind === "undef") return null;
    const name = atom.kind === "global" ? `${GLOBAL}${variableOf(atom)}` : atom.name;
    return isValue(atom.type) ? name : this.#root(name);
  }

  #root(name: string): string {
    const up = this.#region.get(name);
    if (up === undefined) {
      this.#region.set(name, name);
      return name;
    }
    if (up === name) return name;
    const root = this.#root(up);
    this.#region.set(name, root);
    return root;
  }

  /** Notes that two names may refer to one value or object. */
  #same(x: Atom, z: Atom): void {
    const [a, c] = [this.#keyOf(x), this.#keyOf(z)];
    if (a === null || c === null || a === c) return;
    if (this.#marked.has(a) || this.#marked.has(c)) {
      this.mark(x);
      this.mark(z);
    }
    if (!isValue(x.type) && !isValue(z.type)) {
      this.#region.set(a, c);
      this.grown = true;
    }
  }

  /** Notes that `part` is put into `whole`, or (`isPut` false) read from it. */
  #inside(part: Atom, whole: Atom, isPut: boolean): void {
    if (!isValue(part.type)) this.#same(part, whole);
    else if (isPut && this.has(part)) this.mark(whole);
    else if (!isPut && this.has(whole)) this.mark(part);
  }

  #refuse(atoms: readonly (Atom | null)[]): void {
    if (atoms.some((atom) => atom !== null && this.has(atom))) this.failed = true;
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over statement kinds
  #stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, stmt.expr);
      case "store":
      case "accum":
        this.#refuse(keyAtoms(stmt.key));
        return this.#inside(stmt.value, stmt.object, true);
      case "append":
        return this.#inside(stmt.value, stmt.object, true);
      case "fill":
        this.#refuse([stmt.from, stmt.to]);
        return this.#inside(stmt.value, stmt.object, true);
      case "push":
        return this.#inside(stmt.value, stmt.tape, true);
      case "throw":
        return this.#refuse([stmt.value]);
      case "if":
        return this.#branch(stmt);
      case "for":
      case "while":
        return this.#loop(stmt);
      // other stages
      case "reserve":
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        this.failed = true;
        return undefined;
      default:
        return unreachable(stmt);
    }
  }

  #branch({ cond, then, else: otherwise, binds }: If): void {
    this.#refuse([cond]);
    [then, otherwise].forEach((side) => {
      this.body(side);
      binds.forEach((bind, i) => {
        this.#joined(bind, side.result[i]);
      });
    });
  }

  #joined(bind: Atom, from: Atom | undefined): void {
    if (from === undefined) return;
    if (!isValue(bind.type)) this.#same(bind, from);
    else if (this.has(from)) this.mark(bind);
  }

  #loop(loop: For | While): void {
    if (loop.kind === "for") this.#refuse([loop.from, loop.to]);
    if (loop.kind === "while") this.body(loop.test);
    this.body(loop.body);
    loop.carried.forEach(({ param, init }, i) => {
      const bind = loop.binds[i];
      this.#joined(param, init);
      this.#joined(param, loop.body.result[i]);
      if (bind !== undefined) this.#same(bind, param);
    });
    if (loop.kind === "while") this.#refuse(loop.test.result);
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over expression kinds
  #let({ bind }: Let, expr: Expr): void {
    switch (expr.kind) {
      case "copy":
        return this.#joined(bind, expr.atom);
      case "unwrap":
        return this.#joined(bind, expr.value);
      case "present":
        return isValue(expr.value.type) ? this.#joined(bind, expr.value) : undefined;
      case "op":
        return expr.args.some((arg) => this.has(arg)) ? this.mark(bind) : undefined;
      case "load":
        this.#refuse(keyAtoms(expr.key));
        return this.#inside(bind, expr.object, false);
      case "array":
      case "tuple":
      case "record":
        return exprAtoms(expr).forEach((atom) => {
          this.#inside(atom, bind, true);
        });
      case "alloc":
        this.#refuse([expr.length]);
        return expr.fill === null ? undefined : this.#inside(expr.fill, bind, true);
      case "slice":
        this.#refuse([expr.from, expr.to]);
        return this.#same(bind, expr.object);
      case "clone":
        return this.has(expr.object) ? this.mark(bind) : undefined;
      case "removeLast":
        return this.#inside(bind, expr.object, false);
      case "pop":
        return this.#inside(bind, expr.tape, false);
      case "rewind":
        return this.#same(bind, expr.tape);
      case "call":
        return this.#call(bind, expr.args);
      case "extern":
        return this.#extern(bind, expr);
      case "length":
      case "zeros":
      case "newTape":
        return undefined;
      case "lambda":
        this.failed = true;
        return undefined;
      default:
        return unreachable(expr);
    }
  }

  #extern(bind: Var, { args, inert }: Expr & { kind: "extern" }): void {
    if (inert === true) return;
    this.#refuse(args);
    if (isValue(bind.type)) return;
    args.forEach((arg) => {
      if (!isValue(arg.type)) this.#same(bind, arg);
    });
  }

  /** A callee may store its arguments in each other, and return any of them. */
  #call(bind: Var, args: readonly Atom[]): void {
    const objects = args.filter((arg) => !isValue(arg.type));
    const [first] = objects;
    if (args.some((arg) => this.has(arg)))
      [bind, ...objects].forEach((atom) => {
        this.mark(atom);
      });
    if (first === undefined) return;
    objects.forEach((object) => {
      this.#same(first, object);
    });
    if (!isValue(bind.type)) this.#same(bind, first);
    else if (this.has(first)) this.mark(bind);
  }
}

const GLOBAL = "global ";
