// Which values and objects of a derivative depend on its seeds. In: a function, its seeds, objects that each seed has to have for itself. Out: a test for
// names, or null where the function cannot be written for several seeds at once: its control flow, its indices or its own arguments depend on them.
// Invariant: objects that may share memory are one region, and a region depends on the seeds where anything in it does; lengths and absence never do.

import { variableOf } from "../../ir/names.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt, Type, Var, While } from "../../ir/types.ts";
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
  } while (found.grown && !found.failed);
  const given = func.params.filter(({ name }) => !seeds.some((seed) => seed.name === name));
  return found.failed || found.marksGlobals() || given.some((param) => found.has(param))
    ? null
    : (atom) => found.has(atom);
}

/** Not an object: what is copied, never shared. */
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

  /** What the function does not own cannot be there once for each seed. */
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

  /** Two names of what may be one value or object. */
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

  /** `part` goes into `whole`, or comes out of it. */
  #inside(part: Atom, whole: Atom, isPut: boolean): void {
    if (!isValue(part.type)) this.#same(part, whole);
    else if (isPut && this.has(part)) this.mark(whole);
    else if (!isPut && this.has(whole)) this.mark(part);
  }

  #refuse(atoms: readonly (Atom | null)[]): void {
    if (atoms.some((atom) => atom !== null && this.has(atom))) this.failed = true;
  }

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
        this.#refuse([stmt.cond]);
        [stmt.then, stmt.else].forEach((side) => {
          this.body(side);
          stmt.binds.forEach((bind, i) => {
            this.#joined(bind, side.result[i]);
          });
        });
        return undefined;
      case "for":
      case "while":
        return this.#loop(stmt);
      // stage "raw", and what is made when all is differentiated
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
        if (expr.inert === true) return undefined;
        this.#refuse(expr.args);
        return isValue(bind.type)
          ? undefined
          : expr.args.forEach((arg) => {
              if (!isValue(arg.type)) this.#same(bind, arg);
            });
      // shape alone
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

  /** A callee may write what it is given into all else that it is given, and return any of it. */
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
