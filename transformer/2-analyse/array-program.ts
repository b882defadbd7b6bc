// Recognises a function of `tsgrad/vector` calls as an array program. Input: an ssa function after
// inlining. Output: the program, or what prevents it, or null without such calls. The program
// computes what the function does, with the same exceptions. Loops are checked; `For.vector` alone
// proves nothing.

import { NUM } from "../ir/build.ts";
import {
  type ArrayBody,
  type ArrayExpr,
  type ArrayLet,
  type ArrayProgram,
  freeVars,
  type Lambda,
  operator,
} from "../ir/array.ts";
import { isIdentity, isVar, sideOf, summandOf, throwsSizeError } from "./array-patterns.ts";
import { Names } from "../ir/names.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, If, Let, Origin, Stmt, Type, Var } from "../ir/types.ts";
import { definedVars, walkStmts } from "../ir/visit.ts";

export type Found =
  | { readonly kind: "program"; readonly program: ArrayProgram }
  | { readonly kind: "other"; readonly why: string; readonly origin: Origin };

/** Thrown when a function is no array program, with the reason. */
class Unfit extends Error {
  override readonly name = "Unfit";
  readonly why: string;
  readonly origin: Origin;

  constructor(why: string, origin: Origin) {
    super(why);
    this.why = why;
    this.origin = origin;
  }
}

export function arrayProgramOf(func: Func, types: Types): Found | null {
  let vectorLoops = 0;
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "for" && stmt.vector === true) vectorLoops++;
  });
  if (vectorLoops === 0) return null;
  try {
    const names = new Names([...func.params, ...definedVars(func.body)].map(({ name }) => name));
    const body = new Reader(types, names).body(func.body, func.origin);
    return { kind: "program", program: { name: func.name, params: func.params, body } };
  } catch (error) {
    if (error instanceof Unfit) return { kind: "other", why: error.why, origin: error.origin };
    throw error;
  }
}

/** The loop iteration being read: elements at its index become parameters. */
interface Iteration {
  readonly index: string;
  /** The size class of the arrays that the loop iterates over. */
  readonly size: string;
  readonly params: Var[];
  readonly arrays: Var[];
}

class Reader {
  readonly #types: Types;
  readonly #names: Names;
  /** Definitions of names that are copies or elements. */
  readonly #values = new Map<string, Atom>();
  /** The array that each length is of. */
  readonly #lengths = new Map<string, Var>();
  /** Union-find of arrays of one size, by name. */
  readonly #sizes = new Map<string, string>();
  /** Values computed by foreign code. */
  readonly #others = new Map<string, Origin>();
  /** Allocations that a loop has yet to fill. */
  readonly #allocs = new Map<string, Let>();
  #lets: ArrayLet[] = [];

  constructor(types: Types, names: Names) {
    this.#types = types;
    this.#names = names;
  }

  body(body: Body, origin: Origin): ArrayBody {
    const [result, ...more] = body.result;
    if (result === undefined || more.length > 0)
      throw new Unfit("it does not give one value", origin);
    return { lets: this.#within(() => this.#stmts(body.stmts)), result: this.#value(result) };
  }

  #within(read: () => void): readonly ArrayLet[] {
    const outer = this.#lets;
    const own: ArrayLet[] = [];
    this.#lets = own;
    read();
    this.#lets = outer;
    return own;
  }

  #stmts(stmts: readonly Stmt[], iteration: Iteration | null = null): void {
    for (const stmt of stmts) this.#stmt(stmt, iteration);
  }

  #stmt(stmt: Stmt, iteration: Iteration | null): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, iteration);
      case "if":
        return this.#if(stmt);
      case "for":
        return stmt.vector === true
          ? this.#loop(stmt)
          : this.#unfit("it has a loop of its own", stmt);
      case "store":
      case "accum":
      case "append":
      case "fill":
        return this.#unfit("it writes into an array", stmt);
      case "while":
        return this.#unfit("it has a loop of its own", stmt);
      default:
        return this.#unfit("it does more than compute a value", stmt);
    }
  }

  #unfit(why: string, { origin }: Stmt): never {
    throw new Unfit(why, origin);
  }

  #value(atom: Atom): Atom {
    const other = atom.kind === "var" ? this.#others.get(atom.name) : undefined;
    if (other !== undefined) throw new Unfit("it runs other code", other);
    return atom.kind === "var" ? (this.#values.get(atom.name) ?? atom) : atom;
  }

  #emit(bind: Var, expr: ArrayExpr, origin: Origin): void {
    this.#lets.push({ bind, expr, origin });
  }

  #let(stmt: Let, iteration: Iteration | null): void {
    const { bind, expr, origin } = stmt;
    if (bind.type.kind === "opt") this.#unfit("a value may be missing", stmt);
    switch (expr.kind) {
      case "copy":
        this.#values.set(bind.name, this.#value(expr.atom));
        return;
      case "op":
        return this.#emit(
          bind,
          { kind: "op", op: expr.op, args: expr.args.map((arg) => this.#value(arg)) },
          origin,
        );
      case "length": {
        const of = this.#array(expr.object, stmt);
        this.#lengths.set(bind.name, of);
        return this.#emit(bind, { kind: "size", of }, origin);
      }
      case "load":
        return this.#load(stmt, expr, iteration);
      case "record":
        return this.#emit(
          bind,
          {
            kind: "record",
            fields: expr.fields.map(({ name, value }) => ({ name, value: this.#value(value) })),
          },
          origin,
        );
      case "alloc":
        return this.#alloc(stmt, expr);
      case "slice":
        return this.#slice(stmt, expr);
      // foreign code may only construct errors
      case "extern":
        if (bind.type.kind !== "leaf" || expr.effect !== "pure")
          this.#unfit("it runs other code", stmt);
        this.#others.set(bind.name, origin);
        return;
      case "call":
        return this.#unfit("it calls a function that is not inlined", stmt);
      default:
        return this.#unfit("it makes or reads other things than vectors", stmt);
    }
  }

  /** The array that a name refers to. */
  #array(atom: Atom, at: Stmt): Var {
    const value = this.#value(atom);
    if (value.kind !== "var" || resolve(value.type, this.#types).kind !== "array")
      return this.#unfit("it uses an array that is no variable of it", at);
    if (this.#allocs.has(value.name)) return this.#unfit("it reads an array that is not full", at);
    return value;
  }

  #load(stmt: Let, expr: Expr & { kind: "load" }, iteration: Iteration | null): void {
    const { key } = expr;
    if (key.kind === "field") {
      const of = this.#value(expr.object);
      if (resolve(of.type, this.#types).kind !== "record")
        this.#unfit("it reads a place of something that is no record", stmt);
      return this.#emit(stmt.bind, { kind: "field", of, name: key.name }, stmt.origin);
    }
    if (iteration === null || key.at.kind !== "var" || key.at.name !== iteration.index)
      return this.#unfit("it reads single elements", stmt);
    const array = this.#array(expr.object, stmt);
    if (this.#sizeOf(array.name) !== iteration.size)
      this.#unfit(
        "it goes through arrays of which it is not known that they are of one size",
        stmt,
      );
    const known = iteration.arrays.findIndex(({ name }) => name === array.name);
    const param = iteration.params[known];
    if (param !== undefined) this.#values.set(stmt.bind.name, param);
    else {
      iteration.arrays.push(array);
      iteration.params.push(stmt.bind);
    }
  }

  #alloc(stmt: Let, expr: Expr & { kind: "alloc" }): void {
    if (expr.fill === null) {
      this.#allocs.set(stmt.bind.name, stmt);
      return;
    }
    const like = expr.length.kind === "var" ? this.#lengths.get(expr.length.name) : undefined;
    const value = this.#value(expr.fill);
    if (
      like === undefined ||
      value.kind === "undef" ||
      value.type.kind !== "num" ||
      !this.#sameKind(stmt.bind.type, like.type)
    )
      return this.#unfit("it makes an array of another size or kind", stmt);
    this.#join(stmt.bind.name, like.name);
    this.#emit(stmt.bind, { kind: "fill", value, like }, stmt.origin);
  }

  #slice(stmt: Let, expr: Expr & { kind: "slice" }): void {
    const array = this.#array(expr.object, stmt);
    const side = sideOf(expr);
    if (side === null) return this.#unfit("it takes a part of an array", stmt);
    this.#emit(stmt.bind, { kind: "shift", array, side }, stmt.origin);
  }

  // sizes ----------------------------------------------------------------------------------------

  #sizeOf(name: string): string {
    const next = this.#sizes.get(name);
    return next === undefined ? name : this.#sizeOf(next);
  }

  #join(x: string, y: string): void {
    const [p, q] = [this.#sizeOf(x), this.#sizeOf(y)];
    if (p !== q) this.#sizes.set(p, q);
  }

  #sameKind(x: Type, y: Type): boolean {
    const [p, q] = [resolve(x, this.#types), resolve(y, this.#types)];
    return p.kind === "array" && q.kind === "array" && p.store === q.store;
  }

  // branches -------------------------------------------------------------------------------------

  #if(stmt: If): void {
    const check = this.#check(stmt);
    if (check !== null) {
      const [a, b] = check;
      this.#join(a.name, b.name);
      this.#emit(
        { kind: "var", name: this.#names.fresh("t"), type: { kind: "void" } },
        { kind: "check", a, b },
        stmt.origin,
      );
      return;
    }
    if (stmt.binds.length === 0) this.#unfit("it does more than compute a value", stmt);
    const cond = this.#value(stmt.cond);
    const [then, otherwise] = [stmt.then, stmt.else].map((body) =>
      this.#within(() => this.#stmts(body.stmts)),
    );
    stmt.binds.forEach((bind, i) => {
      const [p, q] = [stmt.then.result[i], stmt.else.result[i]].map((atom) =>
        atom === undefined ? undefined : this.#value(atom),
      );
      if (
        then === undefined ||
        otherwise === undefined ||
        p === undefined ||
        q === undefined ||
        p.kind === "undef" ||
        q.kind === "undef"
      )
        return this.#unfit("a value may be missing", stmt);
      this.#emit(
        bind,
        {
          kind: "choose",
          cond,
          then: { lets: then, result: p },
          else: { lets: otherwise, result: q },
        },
        stmt.origin,
      );
    });
  }

  /** The two arrays of `if (a.length !== b.length) throw …` */
  #check(stmt: If): readonly [Var, Var] | null {
    const { cond } = stmt;
    const test =
      cond.kind === "var"
        ? this.#lets.findLast(({ bind }) => bind.name === cond.name)?.expr
        : undefined;
    if (test?.kind !== "op" || test.op !== "ne" || !throwsSizeError(stmt)) return null;
    const [m, n] = test.args.map((arg) =>
      arg.kind === "var" ? this.#lengths.get(arg.name) : undefined,
    );
    return m === undefined || n === undefined ? null : [m, n];
  }

  // loops ----------------------------------------------------------------------------------------

  #loop(loop: For): void {
    const over = loop.to.kind === "var" ? this.#lengths.get(loop.to.name) : undefined;
    if (
      over === undefined ||
      loop.step !== 1 ||
      loop.test !== "<" ||
      loop.from.kind !== "const" ||
      loop.from.value !== 0
    )
      return this.#unfit("it has a loop over something else than an array, or from its end", loop);
    const iteration: Iteration = {
      index: loop.index.name,
      size: this.#sizeOf(over.name),
      params: [],
      arrays: [],
    };
    if (loop.carried.length === 0) this.#map(loop, iteration, over);
    else this.#fold(loop, iteration, over);
  }

  #map(loop: For, iteration: Iteration, over: Var): void {
    const { stmts } = loop.body;
    const last = stmts.at(-1);
    const allocation =
      last?.kind === "store" && last.object.kind === "var"
        ? this.#allocs.get(last.object.name)
        : undefined;
    if (
      last?.kind !== "store" ||
      allocation === undefined ||
      last.initial !== true ||
      last.key.kind !== "index" ||
      !isVar(last.key.at, iteration.index)
    )
      return this.#unfit("it writes into an array", loop);
    const lets = this.#within(() => this.#stmts(stmts.slice(0, -1), iteration));
    const value = this.#value(last.value);
    const fn = this.#lambda(iteration, over, { lets, result: value }, loop);
    const [first] = iteration.arrays;
    if (
      iteration.arrays.length > 2 ||
      first === undefined ||
      !this.#sameKind(allocation.bind.type, first.type)
    )
      this.#unfit("it makes an array of another kind than the one that it goes through", loop);
    this.#allocs.delete(allocation.bind.name);
    this.#join(allocation.bind.name, over.name);
    this.#emit(allocation.bind, { kind: "map", fn, arrays: iteration.arrays }, loop.origin);
  }

  /** The iteration as a function of the elements; it must use nothing else of the loop. */
  #lambda(
    iteration: Iteration,
    over: Var,
    body: ArrayBody,
    loop: For,
    ...others: readonly Var[]
  ): Lambda {
    if (iteration.arrays.length === 0) {
      const shape = resolve(over.type, this.#types);
      iteration.arrays.push(over);
      iteration.params.push({
        kind: "var",
        name: this.#names.fresh("x"),
        type: shape.kind === "array" ? shape.elem : NUM,
      });
    }
    if (freeVars(body).has(iteration.index))
      this.#unfit("it computes with the place of an element", loop);
    return { params: [...others, ...iteration.params], body };
  }

  #fold(loop: For, iteration: Iteration, over: Var): void {
    const [carried, ...more] = loop.carried;
    const [bind] = loop.binds;
    const [next] = loop.body.result;
    if (
      carried === undefined ||
      bind === undefined ||
      next === undefined ||
      more.length > 0 ||
      carried.param.type.kind !== "num"
    )
      return this.#unfit("something else than one number goes from iteration to iteration", loop);
    const s = carried.param;
    const lets = this.#within(() => this.#stmts(loop.body.stmts, iteration));
    const first = this.#value(carried.init);
    const body = { lets, result: this.#value(next) };
    const fn = this.#lambda(iteration, over, body, loop, s);
    const summand = summandOf(fn, s);
    const [array] = iteration.arrays;
    if (array === undefined) return;
    if (summand !== null) {
      const items = this.#items(summand, array, iteration, loop);
      const add = operator(this.#names, loop.origin, "add");
      return this.#emit(bind, { kind: "fold", fn: add, first, array: items }, loop.origin);
    }
    if (iteration.arrays.length > 1) this.#unfit("it goes through two arrays with a value", loop);
    this.#emit(bind, { kind: "fold", fn, first, array }, loop.origin);
  }

  /** The summands as an array of their own: the same sums in the same order. */
  #items(summand: Lambda, array: Var, iteration: Iteration, loop: For): Var {
    if (isIdentity(summand) && iteration.arrays.length === 1) return array;
    const shape = resolve(array.type, this.#types);
    const store = shape.kind === "array" ? shape.store : "Array";
    const items: Var = {
      kind: "var",
      name: this.#names.fresh("t"),
      type: { kind: "array", store, elem: NUM },
    };
    this.#join(items.name, array.name);
    this.#emit(items, { kind: "map", fn: summand, arrays: iteration.arrays }, loop.origin);
    return items;
  }
}
