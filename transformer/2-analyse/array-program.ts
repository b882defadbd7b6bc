// Whether a function is an array program, and which. In: an ssa function after inlining. Out: the program; or what keeps it from being one; or null
// where it does not use tsgrad/vector. Invariant: the program computes what the function does, with the same exceptions; loops are believed only
// where their shape says so, whatever `For.vector` says.

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
import { Names } from "../ir/names.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, If, Let, Origin, Stmt, Type, Var } from "../ir/types.ts";
import { definedVars, walkStmts } from "../ir/visit.ts";

export type Found =
  | { readonly kind: "program"; readonly program: ArrayProgram }
  | { readonly kind: "other"; readonly why: string; readonly origin: Origin };

/** What keeps a function from being an array program. */
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
  let uses = false;
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "for" && stmt.vector === true) uses = true;
  });
  if (!uses) return null;
  try {
    const names = new Names([...func.params, ...definedVars(func.body)].map(({ name }) => name));
    const body = new Reader(types, names).body(func.body, func.origin);
    return { kind: "program", program: { name: func.name, params: func.params, body } };
  } catch (error) {
    if (error instanceof Unfit) return { kind: "other", why: error.why, origin: error.origin };
    throw error;
  }
}

/** The round of a loop that is being read: elements at its index are parameters. */
interface Round {
  readonly index: string;
  /** The class of sizes of the arrays that it goes through. */
  readonly size: string;
  readonly params: Var[];
  readonly arrays: Var[];
}

class Reader {
  readonly #types: Types;
  readonly #names: Names;
  /** What names stand for. */
  readonly #values = new Map<string, Atom>();
  /** Lengths by name: of which array. */
  readonly #lengths = new Map<string, Var>();
  /** Arrays of one size, by name: another one that stands for it. */
  readonly #sizes = new Map<string, string>();
  /** Values that other code gives. */
  readonly #others = new Map<string, Origin>();
  /** Arrays that a loop is to fill. */
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

  #stmts(stmts: readonly Stmt[], round: Round | null = null): void {
    for (const stmt of stmts) this.#stmt(stmt, round);
  }

  #stmt(stmt: Stmt, round: Round | null): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, round);
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

  #let(stmt: Let, round: Round | null): void {
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
        return this.#load(stmt, expr, round);
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
      // what is thrown, and nothing else
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

  /** An array that a name stands for. */
  #array(atom: Atom, at: Stmt): Var {
    const value = this.#value(atom);
    if (value.kind !== "var" || resolve(value.type, this.#types).kind !== "array")
      return this.#unfit("it uses an array that is no variable of it", at);
    if (this.#allocs.has(value.name)) return this.#unfit("it reads an array that is not full", at);
    return value;
  }

  #load(stmt: Let, expr: Expr & { kind: "load" }, round: Round | null): void {
    const { key } = expr;
    if (key.kind === "field") {
      const of = this.#value(expr.object);
      if (resolve(of.type, this.#types).kind !== "record")
        this.#unfit("it reads a place of something that is no record", stmt);
      return this.#emit(stmt.bind, { kind: "field", of, name: key.name }, stmt.origin);
    }
    if (round === null || key.at.kind !== "var" || key.at.name !== round.index)
      return this.#unfit("it reads single elements", stmt);
    const array = this.#array(expr.object, stmt);
    if (this.#sizeOf(array.name) !== round.size)
      this.#unfit(
        "it goes through arrays of which it is not known that they are of one size",
        stmt,
      );
    const known = round.arrays.findIndex(({ name }) => name === array.name);
    const param = round.params[known];
    if (param !== undefined) this.#values.set(stmt.bind.name, param);
    else {
      round.arrays.push(array);
      round.params.push(stmt.bind);
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

  #slice(stmt: Let, { object, from, to }: Expr & { kind: "slice" }): void {
    const array = this.#array(object, stmt);
    const is = (atom: Atom | null, value: number): boolean =>
      atom?.kind === "const" && atom.value === value;
    const side = is(from, 1) && to === null ? "left" : is(from, 0) && is(to, -1) ? "right" : null;
    if (side === null) return this.#unfit("it takes a part of an array", stmt);
    this.#emit(stmt.bind, { kind: "shift", array, side }, stmt.origin);
  }

  // -------------------------------------------------------------------------------------------------- sizes

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

  // -------------------------------------------------------------------------------------------------- branches

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

  /** `if (a.length !== b.length) throw …` */
  #check({ cond, then, else: otherwise, binds }: If): readonly [Var, Var] | null {
    const made =
      cond.kind === "var"
        ? this.#lets.findLast(({ bind }) => bind.name === cond.name)?.expr
        : undefined;
    const last = then.stmts.at(-1);
    if (
      binds.length > 0 ||
      otherwise.stmts.length > 0 ||
      then.stmts.length > 2 ||
      last?.kind !== "throw" ||
      made?.kind !== "op" ||
      made.op !== "ne"
    )
      return null;
    const [m, n] = made.args.map((arg) =>
      arg.kind === "var" ? this.#lengths.get(arg.name) : undefined,
    );
    const thrown = then.stmts[0];
    const isOurs =
      thrown?.kind === "let" &&
      thrown.expr.kind === "extern" &&
      thrown.expr.args.some(
        (arg) => arg.kind === "const" && arg.value === "arrays of different sizes",
      );
    return m === undefined || n === undefined || !isOurs ? null : [m, n];
  }

  // -------------------------------------------------------------------------------------------------- loops

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
    const round: Round = {
      index: loop.index.name,
      size: this.#sizeOf(over.name),
      params: [],
      arrays: [],
    };
    if (loop.carried.length === 0) this.#map(loop, round, over);
    else this.#fold(loop, round, over);
  }

  #map(loop: For, round: Round, over: Var): void {
    const { stmts } = loop.body;
    const last = stmts.at(-1);
    const made =
      last?.kind === "store" && last.object.kind === "var"
        ? this.#allocs.get(last.object.name)
        : undefined;
    if (
      last?.kind !== "store" ||
      made === undefined ||
      last.initial !== true ||
      last.key.kind !== "index" ||
      !isVar(last.key.at, round.index)
    )
      return this.#unfit("it writes into an array", loop);
    const lets = this.#within(() => this.#stmts(stmts.slice(0, -1), round));
    const value = this.#value(last.value);
    const fn = this.#lambda(round, over, { lets, result: value }, loop);
    const [first] = round.arrays;
    if (
      round.arrays.length > 2 ||
      first === undefined ||
      !this.#sameKind(made.bind.type, first.type)
    )
      this.#unfit("it makes an array of another kind than the one that it goes through", loop);
    this.#allocs.delete(made.bind.name);
    this.#join(made.bind.name, over.name);
    this.#emit(made.bind, { kind: "map", fn, arrays: round.arrays }, loop.origin);
  }

  /** The round as a function of elements: it reads nothing else of the loop. */
  #lambda(round: Round, over: Var, body: ArrayBody, loop: For, ...others: readonly Var[]): Lambda {
    if (round.arrays.length === 0) {
      const shape = resolve(over.type, this.#types);
      round.arrays.push(over);
      round.params.push({
        kind: "var",
        name: this.#names.fresh("x"),
        type: shape.kind === "array" ? shape.elem : NUM,
      });
    }
    if (freeVars(body).has(round.index))
      this.#unfit("it computes with the place of an element", loop);
    return { params: [...others, ...round.params], body };
  }

  #fold(loop: For, round: Round, over: Var): void {
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
      return this.#unfit("something else than one number goes from round to round", loop);
    const s = carried.param;
    const lets = this.#within(() => this.#stmts(loop.body.stmts, round));
    const first = this.#value(carried.init);
    const body = { lets, result: this.#value(next) };
    const fn = this.#lambda(round, over, body, loop, s);
    const summand = this.#summand(fn, s);
    const [array] = round.arrays;
    if (array === undefined) return;
    if (summand === null) {
      if (round.arrays.length > 1) this.#unfit("it goes through two arrays with a value", loop);
      return this.#emit(bind, { kind: "fold", fn, first, array }, loop.origin);
    }
    // what is added is an array of its own: the same sums in the same order
    const isPlain =
      summand.body.lets.length === 0 &&
      summand.body.result.kind === "var" &&
      summand.body.result.name === round.params[0]?.name &&
      round.arrays.length === 1;
    const shape = resolve(array.type, this.#types);
    const items: Var = isPlain
      ? array
      : {
          kind: "var",
          name: this.#names.fresh("t"),
          type: { kind: "array", store: shape.kind === "array" ? shape.store : "Array", elem: NUM },
        };
    if (!isPlain) {
      this.#join(items.name, array.name);
      this.#emit(items, { kind: "map", fn: summand, arrays: round.arrays }, loop.origin);
    }
    this.#emit(
      bind,
      { kind: "fold", fn: operator(this.#names, loop.origin, "add"), first, array: items },
      loop.origin,
    );
  }

  /** `(s, x) => s + g(x)`: g. */
  #summand({ params, body }: Lambda, s: Var): Lambda | null {
    const last = body.lets.at(-1);
    if (last?.expr.kind !== "op" || last.expr.op !== "add" || !isVar(body.result, last.bind.name))
      return null;
    const [former, added] = last.expr.args;
    const rest = body.lets.slice(0, -1);
    if (former === undefined || added === undefined || !isVar(former, s.name)) return null;
    const inner: ArrayBody = { lets: rest, result: added };
    return freeVars(inner).has(s.name) ? null : { params: params.slice(1), body: inner };
  }
}

const isVar = (atom: Atom, name: string): boolean => atom.kind === "var" && atom.name === name;
