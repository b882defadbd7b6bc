// Redirects writes through `stopGradient(a)` to `a`, which is the same object, so that the
// derivative sees them. Input and output: a raw function. Invariant: reads through it stay without
// a derivative. Writes through a variable or a call are not redirected; they are an error later.

import { Names } from "../../ir/names.ts";
import type { Atom, Body, Expr, Func, Let, Stmt, Var } from "../../ir/types.ts";
import { definedVars, mapStmt, walkStmts } from "../../ir/visit.ts";
import { isStopGradient } from "../../ir/stop-gradient.ts";

export function redirectStoppedWrites(func: Func): Func {
  let found = false;
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && isStopGradient(stmt)) found = true;
  });
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set in a callback
  if (!found) return func;
  const names = new Names([...func.params, ...definedVars(func.body)].map(({ name }) => name));
  return { ...func, body: new Rewriting(names).body(func.body) };
}

class Rewriting {
  /** By the name of a stopped value: the object itself. */
  readonly #objects = new Map<string, Var>();
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  body(body: Body): Body {
    return { ...body, stmts: body.stmts.flatMap((stmt) => this.#stmt(stmt)) };
  }

  #stmt(stmt: Stmt): readonly Stmt[] {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt);
      case "store":
      case "append":
      case "fill":
        return [{ ...stmt, object: this.#object(stmt.object) }];
      default:
        return [
          mapStmt(
            stmt,
            (atom) => atom,
            (inner) => this.body(inner),
          ),
        ];
    }
  }

  #let(stmt: Let): readonly Stmt[] {
    const { expr } = stmt;
    const [arg] = expr.kind === "extern" ? expr.args : [];
    if (isStopGradient(stmt) && arg !== undefined)
      return [this.#held(stmt, { kind: "copy", atom: this.#object(arg) }), stmt];
    switch (expr.kind) {
      case "copy":
        return this.#follows(stmt, expr.atom, (atom) => ({ kind: "copy", atom }));
      case "unwrap":
        return this.#follows(stmt, expr.value, (value) => ({ kind: "unwrap", value }));
      case "load":
        return stmt.bind.type.kind === "num"
          ? [stmt]
          : this.#follows(stmt, expr.object, (object) => ({ ...expr, object }));
      case "removeLast":
        return this.#objects.has(nameOf(expr.object)) ? this.#removed(stmt, expr) : [stmt];
      case "extern":
        return expr.effect === "io" && expr.inert === true
          ? [{ ...stmt, expr: { ...expr, args: expr.args.map((each) => this.#object(each)) } }]
          : [stmt];
      default:
        return [stmt];
    }
  }

  // const p = stopGradient(a).q  ->  const held = a.q ; const p = …
  #follows(stmt: Let, from: Atom, make: (object: Atom) => Expr): readonly Stmt[] {
    const object = this.#objects.get(nameOf(from));
    return object === undefined ? [stmt] : [this.#held(stmt, make(object)), stmt];
  }

  // const p = stopGradient(a).pop()  ->  const held = a.pop() ; const p = held without derivative
  #removed(stmt: Let, expr: Expr & { kind: "removeLast" }): readonly Stmt[] {
    const taken: Var = { ...stmt.bind, name: this.#names.fresh("held") };
    return [
      { ...stmt, bind: taken, expr: { ...expr, object: this.#object(expr.object) } },
      {
        ...stmt,
        expr: { kind: "extern", text: ["", ""], args: [taken], effect: "pure", inert: true },
      },
    ];
  }

  #held(stmt: Let, expr: Expr): Stmt {
    const held: Var = { ...stmt.bind, name: this.#names.fresh("held") };
    this.#objects.set(stmt.bind.name, held);
    return { ...stmt, bind: held, expr };
  }

  #object(atom: Atom): Atom {
    return this.#objects.get(nameOf(atom)) ?? atom;
  }
}

const nameOf = (atom: Atom): string => (atom.kind === "var" ? atom.name : "");
