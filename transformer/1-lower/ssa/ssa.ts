// Turns assigned variables into joins and carried values. Input: a structured raw Program. Output:
// a Program of stage "ssa". Every variable that an `if` or loop assigns is joined or carried;
// joins.ts then drops the redundant ones. Invariant: every name is bound once, and effects keep
// their order. Follows structured SSA with block parameters.

import { invariant, InvariantError } from "../../ir/invariant.ts";
import { Names } from "../../ir/names.ts";
import { sameType } from "../../ir/print.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
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
  Program,
  Stmt,
  Type,
  Var,
  While,
} from "../../ir/types.ts";
import { mapExpr, mapStmt, unreachable, walkStmts } from "../../ir/visit.ts";
import { settle } from "./joins.ts";
import { targetNames, type TargetName } from "./target-names.ts";

export function toSsa(program: Program): Program {
  invariant(program.stage === "raw", "ssa runs once");
  return {
    ...program,
    stage: "ssa",
    funcs: new Map(
      [...program.funcs].map(([name, func]) => [name, funcToSsa(func, program.types)]),
    ),
  };
}

function funcToSsa(func: Func, types: Types): Func {
  const renaming = new Renaming(func, types);
  return { ...func, body: settle(func.params, renaming.body(func.body, [func.result]).body) };
}

/** A rewritten body. `ends`: it always throws, so it has no code after that and no result. */
interface Rewritten {
  readonly body: Body;
  readonly ends: boolean;
}

const undef = (type: Type): Atom => ({ kind: "undef", type });

/** The value of an uninitialised variable: `undefined` if the type has it, since it may be read. */
export function unset(type: Type, types: Types): Atom {
  const { kind } = resolve(type, types);
  return kind === "opt" || kind === "leaf"
    ? { kind: "const", type, value: undefined }
    : undef(type);
}

/** Whether an allocation takes its type from the variable that it is bound to. */
function takesAnyType(expr: Expr): boolean {
  return (
    expr.kind === "array" ||
    expr.kind === "tuple" ||
    expr.kind === "record" ||
    expr.kind === "alloc" ||
    expr.kind === "slice"
  );
}

/** The state of rewriting one function, in order of execution. */
class Renaming {
  /** The present value of each assigned variable. A branch replaces the map. */
  #held = new Map<string, Atom>();
  /** The value of each name that is bound once. */
  readonly #values = new Map<string, Atom>();
  readonly #variables = new Map<string, Var>();
  readonly #assigned = new Set<string>();
  readonly #names: Names;
  readonly #types: Types;
  readonly #targets: ReadonlyMap<string, TargetName>;

  constructor(func: Func, types: Types) {
    this.#types = types;
    this.#names = new Names(func.params.map((param) => param.name));
    this.#targets = targetNames(func);
    walkStmts(func.body, (stmt) => {
      if (stmt.kind === "assign") this.#assigned.add(stmt.variable.name);
    });
  }

  #declare(variable: Var, value: Atom): void {
    if (!this.#assigned.has(variable.name)) {
      this.#values.set(variable.name, value);
      return;
    }
    this.#variables.set(variable.name, variable);
    this.#held.set(variable.name, value);
  }

  /** A new version of a raw name. */
  #version(raw: Var): Var {
    return { ...raw, name: this.#names.fresh(this.#targets.get(raw.name)?.name ?? raw.name) };
  }

  #bind(raw: Var): Var {
    const bound = this.#version(raw);
    this.#values.set(raw.name, bound);
    return bound;
  }

  readonly #read = (atom: Atom): Atom =>
    atom.kind !== "var" ? atom : (this.#held.get(atom.name) ?? this.#values.get(atom.name) ?? atom);

  body(body: Body, resultTypes: readonly Type[]): Rewritten {
    const stmts: Stmt[] = [];
    let ends = false;
    for (const stmt of body.stmts) {
      ends = this.#stmt(stmt, stmts);
      if (ends) break;
    }
    const result = body.result.map((atom, at) =>
      ends ? undef(resultTypes[at] ?? atom.type) : this.#read(atom),
    );
    return { body: { stmts, result }, ends };
  }

  /** Appends the rewritten statement to `out`; returns whether it always throws. */
  // eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
  #stmt(stmt: Stmt, out: Stmt[]): boolean {
    switch (stmt.kind) {
      case "let":
        this.#let(stmt, out);
        return false;
      case "declare":
        this.#declare(
          stmt.variable,
          this.#fit(
            stmt.init ?? unset(stmt.variable.type, this.#types),
            stmt.variable,
            stmt.origin,
            out,
          ),
        );
        return false;
      case "assign":
        this.#held.set(stmt.variable.name, this.#fit(stmt.value, stmt.variable, stmt.origin, out));
        return false;
      case "if":
        return this.#if(stmt, out);
      case "for":
        out.push(this.#for(stmt));
        return false;
      case "while":
        out.push(this.#while(stmt));
        return false;
      case "throw":
        out.push(mapStmt(stmt, this.#read, (body) => body));
        return true;
      case "store":
      case "accum":
      case "append":
      case "fill":
      case "push":
      case "reserve":
        out.push(mapStmt(stmt, this.#read, (body) => body));
        return false;
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        throw new InvariantError(`${stmt.kind} in structured code`);
      default:
        return unreachable(stmt);
    }
  }

  /** The value with the variable's type: constants are retyped, other values are copied. */
  #fit(value: Atom, variable: Var, origin: Origin, out: Stmt[]): Atom {
    const atom = this.#read(value);
    if (
      sameType(atom.type, variable.type) ||
      (atom.type.kind === "leaf" && variable.type.kind === "leaf")
    )
      return atom;
    if (
      atom.kind === "undef" ||
      (atom.kind === "const" && (atom.value === undefined || atom.value === null))
    )
      return { ...atom, type: variable.type };
    const bind = this.#version(variable);
    out.push({ kind: "let", bind, expr: { kind: "copy", atom }, origin });
    return bind;
  }

  // t = mul x z ; a = copy t  ->  a = mul x z
  #let(stmt: Let, out: Stmt[]): void {
    const { expr, bind } = stmt;
    if (expr.kind === "copy") {
      this.#values.set(bind.name, this.#fit(expr.atom, bind, stmt.origin, out));
      return;
    }
    const target = this.#targets.get(bind.name);
    const typed =
      target !== undefined && target.only && takesAnyType(expr) && !this.#isChoice(target.type)
        ? { ...bind, type: target.type }
        : bind;
    const read = expr.kind === "lambda" ? this.#lambda(expr) : mapExpr(expr, this.#read);
    out.push({ ...stmt, bind: this.#bind(typed), expr: read });
  }

  /** A lambda assigns no variable of the function around it. */
  #lambda(expr: Expr & { kind: "lambda" }): Expr {
    const params = expr.params.map((param) => this.#bind(param));
    return {
      ...expr,
      params,
      body: this.body(
        expr.body,
        expr.body.result.map(({ type }) => type),
      ).body,
    };
  }

  /** Whether values of the type are allocated with the type of a member. */
  #isChoice(type: Type): boolean {
    const { kind } = resolve(type, this.#types);
    return kind === "opt" || kind === "union";
  }

  // x = 1 ; if c { x = 2 }  ->  if c -> (x.1) { yield 2 } else { yield 1 }
  #if(stmt: If, out: Stmt[]): boolean {
    const before = this.#held;
    const types = stmt.binds.map((bind) => bind.type);
    const branch = (body: Body): Rewritten & { readonly held: Map<string, Atom> } => {
      this.#held = new Map(before);
      return { ...this.body(body, types), held: this.#held };
    };
    const cond = this.#read(stmt.cond);
    const onThen = branch(stmt.then);
    const onElse = branch(stmt.else);

    const after = new Map(before);
    const binds: Var[] = stmt.binds.map((bind) => this.#bind(bind));
    const fromThen: Atom[] = [...onThen.body.result];
    const fromElse: Atom[] = [...onElse.body.result];
    for (const [name, value] of before) {
      const variable = this.#variables.get(name);
      const thenValue = onThen.held.get(name);
      const elseValue = onElse.held.get(name);
      if (variable === undefined || (thenValue === value && elseValue === value)) continue;
      const bind = this.#version(variable);
      binds.push(bind);
      fromThen.push(onThen.ends || thenValue === undefined ? undef(variable.type) : thenValue);
      fromElse.push(onElse.ends || elseValue === undefined ? undef(variable.type) : elseValue);
      after.set(name, bind);
    }
    this.#held = after;
    out.push({
      ...stmt,
      cond,
      binds,
      then: { ...onThen.body, result: fromThen },
      else: { ...onElse.body, result: fromElse },
    });
    return onThen.ends && onElse.ends;
  }

  // s = 0 ; for i { s = s + i }  ->  for i carry (s.1 = 0) -> (s.3) { s.2 = add s.1 i ; yield s.2 }
  #for(stmt: For): For {
    const from = this.#read(stmt.from);
    const to = this.#read(stmt.to);
    const state = this.#enter(stmt);
    const index = this.#bind(stmt.index);
    const body = this.#carry(stmt.body, state);
    const { carried } = state;
    return { ...stmt, from, to, index, carried, body, binds: this.#leave(stmt, state) };
  }

  #while(stmt: While): While {
    const state = this.#enter(stmt);
    const test = this.body(stmt.test, [{ kind: "bool" }]).body;
    const body = this.#carry(stmt.body, state);
    return { ...stmt, carried: state.carried, test, body, binds: this.#leave(stmt, state) };
  }

  /** Enters a loop: the variables that it assigns now hold its parameters. */
  #enter(loop: For | While): LoopState {
    const outside = this.#held;
    const variables = this.#assignedIn(loop);
    const carried: Carried[] = loop.carried.map(({ param, init }) => ({
      param: this.#bind(param),
      init: this.#read(init),
    }));
    const inside = new Map(outside);
    for (const variable of variables) {
      const param = this.#version(variable);
      carried.push({ param, init: outside.get(variable.name) ?? undef(variable.type) });
      inside.set(variable.name, param);
    }
    this.#held = inside;
    return { outside, variables, carried };
  }

  /** The loop's body; its result includes the variables' values at its end. */
  #carry(body: Body, state: LoopState): Body {
    const types = state.carried.map(({ param }) => param.type);
    const rewritten = this.body(body, types);
    const next = state.variables.map((variable) =>
      rewritten.ends
        ? undef(variable.type)
        : (this.#held.get(variable.name) ?? undef(variable.type)),
    );
    return { ...rewritten.body, result: [...rewritten.body.result, ...next] };
  }

  /** Leaves a loop: the variables that it assigns now hold its binds. */
  #leave(loop: For | While, state: LoopState): readonly Var[] {
    const binds = loop.binds.map((bind) => this.#bind(bind));
    const after = new Map(state.outside);
    for (const variable of state.variables) {
      const bind = this.#version(variable);
      binds.push(bind);
      after.set(variable.name, bind);
    }
    this.#held = after;
    return binds;
  }

  /** The outer variables that the loop assigns, in order of declaration. */
  #assignedIn(loop: For | While): readonly Var[] {
    const assigned = new Set<string>();
    walkStmts({ stmts: [loop], result: [] }, (stmt) => {
      if (stmt.kind === "assign") assigned.add(stmt.variable.name);
    });
    return [...this.#held.keys()].flatMap((name) =>
      assigned.has(name) ? (this.#variables.get(name) ?? []) : [],
    );
  }
}

interface LoopState {
  readonly outside: Map<string, Atom>;
  readonly variables: readonly Var[];
  readonly carried: readonly Carried[];
}
