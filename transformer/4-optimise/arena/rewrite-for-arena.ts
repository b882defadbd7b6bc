// Rewrites one function for BOGs in the arena. A BOG becomes the index at which it begins, -1 for
// none.
//   b = [x, y]   ->   arena[top] = x; arena[top + 1] = y; b = top
// Invariant: the top is above all that is read later. It rises with each BOG, and falls again after
// a body that none of its BOGs leaves.

import { BOOL, index, num, NUM } from "../../ir/build.ts";
import { ARENA, BOG, withHint, type Names, preferredName } from "../../ir/names.ts";
import type {
  Atom,
  Body,
  Carried,
  Expr,
  For,
  Func,
  If,
  Let,
  Origin,
  Stmt,
  Type,
  Var,
  While,
} from "../../ir/types.ts";
import { renameVars } from "../../ir/rename.ts";
import { mapStmt, namesOf, walkStmts } from "../../ir/visit.ts";
import { anyBogLeaves } from "./bogs.ts";
import type { Layout } from "./layout.ts";
import { someStmt } from "../stmts.ts";

const NUMBERS: Type = { kind: "array", store: "Array", elem: NUM };
const NONE = num(-1);

/** `base + plus`. */
interface Top {
  readonly base: Atom;
  readonly plus: number;
}

interface Written {
  readonly body: Body;
  readonly top: Top;
}

export function rewriteForArena(func: Func, layout: Layout): Func {
  return new Mover(func, layout).func();
}

class Mover {
  readonly #func: Func;
  readonly #layout: Layout;
  readonly #names: Names;
  readonly #arena: Var;
  /** The indices of BOGs that were copied, unwrapped or constructed here. */
  readonly #places = new Map<string, Atom>();
  #stmts: Stmt[] = [];
  #origin: Origin;

  constructor(func: Func, layout: Layout) {
    this.#func = func;
    this.#layout = layout;
    this.#names = namesOf(func);
    this.#arena = { kind: "var", name: this.#names.fresh(ARENA), type: NUMBERS };
    this.#origin = func.origin;
  }

  func(): Func {
    const { name, params, paramText, result, resultText, ...rest } = this.#func;
    const top: Var = { kind: "var", name: this.#names.fresh("top"), type: NUM };
    const takesTop = this.#layout.takesTop(name);
    const added = [
      ...(this.#layout.takesArena(name) ? [this.#arena] : []),
      ...(takesTop ? [top] : []),
    ];
    const { body } = this.#body(
      renameVars(this.#func.body, this.#values()),
      { base: takesTop ? top : num(0), plus: 0 },
      [result],
    );
    const creation: readonly Stmt[] = this.#layout.makesArena(name)
      ? [{ kind: "let", bind: this.#arena, expr: { kind: "newTape" }, origin: this.#func.origin }]
      : [];
    const isBog = this.#layout.isBog(result);
    return {
      ...rest,
      name,
      params: [...params.map((param) => this.#variable(param)), ...added],
      result: isBog ? NUM : result,
      body: { ...body, stmts: [...creation, ...body.stmts] },
      ...(paramText === undefined ? {} : { paramText: [...paramText, ...added.map(() => null)] }),
      ...(resultText === undefined || isBog ? {} : { resultText }),
    };
  }

  /** Better names for unnamed results: `value`. */
  #values(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    walkStmts(this.#func.body, (stmt) => {
      const [value] =
        stmt.kind === "let" && stmt.expr.kind === "tuple" && this.#layout.isBog(stmt.bind.type)
          ? stmt.expr.elems
          : [];
      if (value?.kind === "var" && preferredName(value.name) === "t")
        found.set(value.name, this.#names.fresh(withHint("t", "value")));
    });
    return found;
  }

  #variable(variable: Var): Var {
    return this.#layout.isBog(variable.type) ? { ...variable, type: NUM } : variable;
  }

  /** An atom as a value of `type`. */
  #value(atom: Atom, type: Type): Atom {
    if (!this.#layout.isBog(type) && !this.#layout.isBog(atom.type)) return atom;
    return atom.kind === "var" ? (this.#places.get(atom.name) ?? this.#variable(atom)) : NONE;
  }

  #let(hint: string, type: Type, expr: Expr): Var {
    const bind: Var = { kind: "var", name: this.#names.fresh(hint), type };
    this.#stmts.push({ kind: "let", bind, expr, origin: this.#origin });
    return bind;
  }

  #plus(base: Atom, plus: number, hint = "t"): Atom {
    if (plus === 0) return base;
    return base.kind === "const"
      ? num(Number(base.value) + plus)
      : this.#let(hint, NUM, { kind: "op", op: "add", args: [base, num(plus)] });
  }

  #body(body: Body, top: Top, types: readonly Type[]): Written {
    const outside = this.#stmts;
    this.#stmts = [];
    const last = body.stmts.reduce((at, stmt) => this.#stmt(stmt, at), top);
    const written: Body = {
      stmts: this.#stmts,
      result: body.result.map((atom, i) => this.#value(atom, types[i] ?? atom.type)),
    };
    this.#stmts = outside;
    return { body: written, top: last };
  }

  /** Rewrites the statement; the result is the top after it. */
  #stmt(stmt: Stmt, top: Top): Top {
    this.#origin = stmt.origin;
    switch (stmt.kind) {
      case "let":
        return this.#definition(stmt, top);
      case "if":
        return this.#if(stmt, top);
      case "for":
      case "while":
        return this.#loop(stmt, top);
      default:
        this.#stmts.push(
          mapStmt(
            stmt,
            (atom) => this.#value(atom, atom.type),
            (body) => body,
          ),
        );
        return top;
    }
  }

  #definition(stmt: Let, top: Top): Top {
    const { bind, expr } = stmt;
    const isBog = this.#layout.isBog(bind.type);
    if (expr.kind === "tuple" && isBog) return this.#bog(stmt, expr.elems, top);
    if ((expr.kind === "copy" || expr.kind === "unwrap") && isBog) {
      this.#places.set(
        bind.name,
        this.#value(expr.kind === "copy" ? expr.atom : expr.value, bind.type),
      );
      return top;
    }
    if (expr.kind === "call" && this.#layout.isTouched(expr.callee))
      return this.#call(stmt, expr, top);
    if (expr.kind === "load" && this.#layout.isBog(expr.object.type)) {
      this.#load(stmt, expr);
      return top;
    }
    if (expr.kind === "present" && this.#layout.isBog(expr.value.type)) {
      this.#stmts.push({
        ...stmt,
        expr: { kind: "op", op: "ge", args: [this.#value(expr.value, expr.value.type), num(0)] },
      });
      return top;
    }
    this.#stmts.push(
      mapStmt(
        { ...stmt, bind: this.#variable(bind) },
        (atom) => this.#value(atom, isBog && atom.type.kind !== "bool" ? bind.type : atom.type),
        (body) => body,
      ),
    );
    return top;
  }

  /** Constructs a BOG at the top. */
  #bog({ bind }: Let, elems: readonly Atom[], top: Top): Top {
    const place = this.#plus(top.base, top.plus, BOG);
    const types = this.#layout.fields(bind.type);
    this.#places.set(bind.name, place);
    for (const [i, elem] of elems.entries()) {
      const type = types[i] ?? NUM;
      const value =
        type.kind === "bool"
          ? this.#let("t", NUM, { kind: "op", op: "select", args: [elem, num(1), num(0)] })
          : this.#value(elem, type);
      this.#stmts.push({
        kind: "store",
        object: this.#arena,
        key: index(this.#plus(place, i)),
        value,
        origin: this.#origin,
      });
    }
    return { base: place, plus: types.length };
  }

  #load({ bind, ...rest }: Let, { object, key }: Extract<Expr, { kind: "load" }>): void {
    const field = key.kind === "field" ? Number(key.name) : 0;
    const type = this.#layout.fields(object.type)[field] ?? NUM;
    const load: Expr = {
      kind: "load",
      object: this.#arena,
      key: index(this.#plus(this.#value(object, object.type), field)),
    };
    const put = (expr: Expr): void =>
      void this.#stmts.push({ ...rest, bind: this.#variable(bind), expr });
    // `| 0` tells V8 that the element is an integer.
    if (this.#layout.isBog(type))
      put({ kind: "op", op: "bor", args: [this.#let("t", NUM, load), num(0)] });
    else if (type.kind === "bool")
      put({ kind: "op", op: "eq", args: [this.#let("t", NUM, load), num(1)] });
    else put(load);
  }

  #call(stmt: Let, { pure: _, ...call }: Extract<Expr, { kind: "call" }>, top: Top): Top {
    const { callee } = call;
    const params = this.#layout.funcs.get(callee)?.params ?? [];
    const args = call.args.map((arg, i) => this.#value(arg, params[i]?.type ?? arg.type));
    const given = [
      ...(this.#layout.takesArena(callee) ? [this.#arena] : []),
      ...(this.#layout.takesTop(callee) ? [this.#plus(top.base, top.plus, "top")] : []),
    ];
    const bind = this.#variable(stmt.bind);
    this.#stmts.push({ ...stmt, bind, expr: { ...call, args: [...args, ...given] } });
    return this.#layout.isBog(stmt.bind.type)
      ? { base: bind, plus: this.#layout.fields(stmt.bind.type).length }
      : top;
  }

  #if(stmt: If, top: Top): Top {
    const types = stmt.binds.map(({ type }) => type);
    const sides = [this.#body(stmt.then, top, types), this.#body(stmt.else, top, types)] as const;
    const isHigher =
      anyBogLeaves(stmt, this.#layout.bogs) && sides.some((side) => side.top !== top);
    const [then, otherwise] = isHigher
      ? [this.#withTop(sides[0]), this.#withTop(sides[1])]
      : [sides[0].body, sides[1].body];
    const highest: Var | null = isHigher
      ? { kind: "var", name: this.#names.fresh("top"), type: NUM }
      : null;
    this.#stmts.push({
      ...stmt,
      cond: this.#value(stmt.cond, BOOL),
      then,
      else: otherwise,
      binds: [
        ...stmt.binds.map((bind) => this.#variable(bind)),
        ...(highest === null ? [] : [highest]),
      ],
    });
    return highest === null ? top : { base: highest, plus: 0 };
  }

  /** The body, with its top as a further result. */
  #withTop({ body, top }: Written): Body {
    const outside = this.#stmts;
    this.#stmts = [...body.stmts];
    const last = this.#plus(top.base, top.plus, "top");
    const stmts = this.#stmts;
    this.#stmts = outside;
    return { stmts, result: [...body.result, last] };
  }

  #loop(stmt: For | While, top: Top): Top {
    const isHigher = anyBogLeaves(stmt, this.#layout.bogs) && this.#makesAny(stmt.body);
    const param: Var = { kind: "var", name: this.#names.fresh("top"), type: NUM };
    const last: Var = { ...param, name: isHigher ? this.#names.fresh("top") : param.name };
    const types = stmt.carried.map((carried) => carried.param.type);
    const carried = stmt.carried.map(({ param: own, init }): Carried => ({
      param: this.#variable(own),
      init: this.#value(init, own.type),
    }));
    const from: Carried[] = isHigher
      ? [...carried, { param, init: this.#plus(top.base, top.plus, "top") }]
      : carried;
    const written = this.#body(stmt.body, isHigher ? { base: param, plus: 0 } : top, types);
    const body = isHigher ? this.#withTop(written) : written.body;
    const binds = [...stmt.binds.map((bind) => this.#variable(bind)), ...(isHigher ? [last] : [])];
    this.#stmts.push(
      stmt.kind === "for"
        ? { ...stmt, carried: from, body, binds }
        : { ...stmt, carried: from, test: this.#body(stmt.test, top, [BOOL]).body, body, binds },
    );
    return isHigher ? { base: last, plus: 0 } : top;
  }

  /** Whether the body constructs a BOG, itself or by a call. */
  #makesAny(body: Body): boolean {
    return someStmt(
      body,
      (stmt) =>
        stmt.kind === "let" &&
        (stmt.expr.kind === "tuple" || stmt.expr.kind === "call") &&
        this.#layout.isBog(stmt.bind.type),
    );
  }
}
