// The checker that runs after every pass. Each name is bound once per function, before its reads,
// and read in scope. Each statement occurs once. Types of atoms, operands and results agree, and
// nodes belong to the stage.

import { assignable } from "./assignable.ts";
import { ExprCheck } from "./check-expr.ts";
import { InvariantError } from "./invariant.ts";
import { printFunc, printStmt, printType } from "./print.ts";
import { partTypes } from "./shadow.ts";
import type {
  Append,
  Atom,
  Body,
  Const,
  Fill,
  For,
  Func,
  Program,
  Push,
  RawStmt,
  Stmt,
  Type,
  Var,
  While,
} from "./types.ts";
import { exprAtoms, stmtAtoms, unreachable } from "./visit.ts";

export interface Problem {
  readonly func: string;
  readonly message: string;
}

export interface CheckOptions {
  /** Whether a function outside the program may be called. */
  readonly knows?: (callee: string) => boolean;
}

export function check(program: Program, options: CheckOptions = {}): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [key, func] of program.funcs) {
    const report = (message: string): void => {
      problems.push({ func: func.name, message });
    };
    if (key !== func.name) report(`it is filed as ${key}`);
    if (!program.homes.has(func.home)) report(`its home ${func.home} is unknown`);
    new FuncCheck(program, options.knows ?? ((): boolean => false), report).func(func);
  }
  return problems;
}

/** Throws with the pass's name, the problems and the text of the faulty functions. */
export function assertValid(program: Program, passName: string, options: CheckOptions = {}): void {
  const problems = check(program, options);
  if (problems.length === 0) return;
  const faulty = new Set(problems.map((problem) => problem.func));
  const texts = [...program.funcs.values()].filter((func) => faulty.has(func.name)).map(printFunc);
  const lines = problems.map((problem) => `  ${problem.func}: ${problem.message}`);
  throw new InvariantError([`invalid IR after ${passName}`, ...lines, ...texts].join("\n"));
}

/** What encloses a statement. */
interface Context {
  /** Names in scope. */
  readonly scope: Map<string, Var>;
  /** Labels of enclosing loops and scopes (stage "raw"). */
  readonly labels: ReadonlyMap<string, "loop" | "scope">;
}

class FuncCheck {
  readonly #program: Program;
  readonly #report: (message: string) => void;
  readonly #expr: ExprCheck;
  readonly #bound = new Set<string>();
  readonly #assignable = new Set<string>();
  /** Passes memoise facts by statement, so each statement must occur once. */
  readonly #seen = new Set<Stmt>();
  /** The statement of the current problem. */
  #at: Stmt | null = null;

  constructor(
    program: Program,
    knows: (callee: string) => boolean,
    report: (message: string) => void,
  ) {
    this.#program = program;
    this.#report = (message) => {
      report(this.#at === null ? message : `${message}, at \`${summary(this.#at)}\``);
    };
    this.#expr = new ExprCheck(program, knows, (message) => this.#report(message));
  }

  func(func: Func): void {
    const context: Context = { scope: new Map(), labels: new Map() };
    for (const param of func.params) this.#bind(param, context);
    this.#type(func.result);
    this.#body(func.body, context, (results) => {
      if (this.#program.stage === "raw" && results.length === 0) return;
      const wanted = func.result.kind === "void" ? 0 : 1;
      // A void function's value is dropped.
      if (results.length !== wanted && !(wanted === 0 && results.length === 1))
        this.#report(`${results.length} results, not ${wanted}`);
      if (wanted === 1 && results[0] !== undefined)
        this.#expr.fits("the function's result", results[0].type, func.result);
    });
  }

  // ----------------------------------------------------------------------------------------- names

  #bind(variable: Var, context: Context): void {
    if (this.#bound.has(variable.name)) this.#report(`${variable.name} is bound twice`);
    this.#bound.add(variable.name);
    context.scope.set(variable.name, variable);
    this.#type(variable.type);
  }

  #type(type: Type): void {
    if (type.kind === "named" && !this.#program.types.has(type.name))
      this.#report(`there is no type ${type.name}`);
    if (type.kind === "func") [...type.params, type.result].forEach((one) => this.#type(one));
    else for (const part of partTypes(type)) this.#type(part);
  }

  #atom(atom: Atom, context: Context): void {
    if (atom.kind === "const") this.#const(atom);
    if (atom.kind !== "var") return;
    const binder = context.scope.get(atom.name);
    if (binder === undefined) {
      this.#report(
        this.#bound.has(atom.name)
          ? `${atom.name} is out of scope`
          : `${atom.name} is read before it is bound`,
      );
    } else if (!this.#agree(atom.type, binder.type)) {
      this.#report(
        `${atom.name} is read as ${printType(atom.type)} and bound as ${printType(binder.type)}`,
      );
    }
  }

  /** The same type, by name or structurally. */
  #agree(x: Type, z: Type): boolean {
    return assignable(x, z, this.#program.types) && assignable(z, x, this.#program.types);
  }

  #const(atom: Const): void {
    const { kind } = this.#expr.resolved(atom.type);
    const value = atom.value === null ? "null" : typeof atom.value;
    const expected = kind === "num" ? "number" : kind === "bool" ? "boolean" : null;
    const wrong =
      expected === null
        ? kind !== "leaf" && kind !== "opt" && value !== "undefined"
        : value !== expected;
    if (wrong) this.#report(`the constant ${String(atom.value)} is typed ${printType(atom.type)}`);
  }

  // ---------------------------------------------------------------------------------------- bodies

  /** Checks a body in its own scope; `onResult` sees its results in that scope. */
  #body(body: Body, context: Context, onResult: (results: readonly Atom[]) => void): void {
    const inner: Context = { ...context, scope: new Map(context.scope) };
    for (const stmt of body.stmts) {
      this.#at = stmt;
      if (this.#seen.has(stmt)) this.#report("the same statement stands in two places");
      this.#seen.add(stmt);
      this.#stmt(stmt, inner);
    }
    body.result.forEach((atom) => this.#atom(atom, inner));
    onResult(body.result);
  }

  #yields(what: string, binds: readonly Var[]): (results: readonly Atom[]) => void {
    return (results) => {
      if (results.length !== binds.length)
        this.#report(`${what} yields ${results.length} values for ${binds.length} names`);
      results.forEach((result, i) => {
        const bind = binds[i];
        if (bind !== undefined)
          this.#expr.fits(`what ${what} yields for ${bind.name}`, result.type, bind.type);
      });
    };
  }

  readonly #nothing =
    (what: string) =>
    (results: readonly Atom[]): void => {
      if (results.length > 0) this.#report(`${what} yields ${results.length} values for no name`);
    };

  // ------------------------------------------------------------------------------------ statements

  #stmt(stmt: Stmt, context: Context): void {
    stmtAtoms(stmt).forEach((atom) => this.#atom(atom, context));
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, context);
      case "store":
      case "accum":
        return this.#store(stmt);
      case "append":
        return this.#elements("what grows", stmt, true);
      case "fill":
        this.#elements("what is filled", stmt, false);
        for (const bound of [stmt.from, stmt.to])
          if (bound !== null) this.#expr.wants("a bound", bound, "num");
        return;
      case "push":
        return this.#push(stmt);
      case "reserve":
        this.#expr.wants("what room is made on", stmt.tape, "tape");
        return this.#expr.wants("room", stmt.count, "num");
      case "if":
        this.#expr.condition("the condition", stmt.cond);
        this.#body(stmt.then, context, this.#yields("then", stmt.binds));
        this.#body(stmt.else, context, this.#yields("else", stmt.binds));
        stmt.binds.forEach((bind) => this.#bind(bind, context));
        return;
      case "for":
      case "while":
        return this.#loop(stmt, null, null, context);
      case "throw":
        return;
      default:
        if (this.#program.stage === "ssa") this.#report(`${stmt.kind} belongs to stage raw`);
        return this.#raw(stmt, context);
    }
  }

  /** Checks a statement that writes elements of an array. */
  #elements(what: string, { object, value }: Append | Fill, growing: boolean): void {
    const elem = this.#expr.elem(what, object, growing);
    if (elem !== null) this.#expr.fits("the value", value.type, elem);
  }

  #push({ tape, value }: Push): void {
    this.#expr.wants("what is pushed to", tape, "tape");
    const isScalar = ["num", "bool"].includes(this.#expr.resolved(value.type).kind);
    if (tape.type.kind === "tape" && (tape.type.of === "num") !== isScalar)
      this.#report(`${printType(value.type)} is pushed to ${printType(tape.type)}`);
  }

  #let(stmt: Stmt & { readonly kind: "let" }, context: Context): void {
    const { expr, bind } = stmt;
    exprAtoms(expr).forEach((atom) => {
      if (atom.type.kind === "void") this.#report("a void value is used");
    });
    if (expr.kind === "lambda") {
      const inner: Context = { scope: new Map(context.scope), labels: new Map() };
      expr.params.forEach((param) => this.#bind(param, inner));
      this.#body(expr.body, inner, (results) => {
        if (results.length > 1) this.#report("a lambda yields one value");
      });
      this.#at = stmt;
    }
    this.#expr.expr(expr, bind);
    this.#bind(bind, context);
  }

  #store(stmt: Stmt & { readonly kind: "store" | "accum" }): void {
    const type = this.#expr.place(stmt.object, stmt.key);
    if (type === null) return;
    this.#expr.fits("the value", stmt.value.type, type);
    const place = this.#expr.resolved(type).kind;
    if (stmt.kind === "accum" && place !== "num" && place !== "opt")
      this.#report(`cannot accumulate into ${printType(type)}`);
  }

  #loop(loop: For | While, label: string | null, update: Body | null, context: Context): void {
    const inner: Context = {
      scope: new Map(context.scope),
      labels: label === null ? context.labels : new Map([...context.labels, [label, "loop"]]),
    };
    if (loop.kind === "for") this.#range(loop, inner);
    const params = loop.carried.map((carried) => carried.param);
    loop.carried.forEach(({ param, init }) => {
      this.#bind(param, inner);
      this.#expr.fits(`the first ${param.name}`, init.type, param.type);
    });
    if (loop.kind === "while") {
      this.#body(loop.test, inner, (results) => {
        if (results.length !== 1)
          this.#report(`a test yields one boolean, not ${results.length} values`);
        results.forEach((result) => this.#expr.condition("the test", result));
      });
    }
    this.#body(loop.body, inner, this.#yields("the loop", params));
    if (update !== null) this.#body(update, inner, this.#nothing("an update"));
    this.#at = loop;
    if (loop.binds.length !== params.length)
      this.#report(`${loop.binds.length} binds for ${params.length} carried values`);
    loop.binds.forEach((bind, i) => {
      this.#expr.fits(`the last ${bind.name}`, params[i]?.type ?? bind.type, bind.type);
      this.#bind(bind, context);
    });
  }

  #range(loop: For, inner: Context): void {
    this.#bind(loop.index, inner);
    for (const atom of [loop.index, loop.from, loop.to])
      this.#expr.wants("a loop's bound or index", atom, "num");
    const upwards = loop.test === "<" || loop.test === "<=";
    if (!Number.isInteger(loop.step) || (upwards ? loop.step <= 0 : loop.step >= 0))
      this.#report(`step ${loop.step} does not go with ${loop.test}`);
    if (loop.from.kind === "const" && !Number.isInteger(loop.from.value))
      this.#report("a counted loop starts at an integer");
  }

  #raw(stmt: RawStmt, context: Context): void {
    switch (stmt.kind) {
      case "declare":
        if (stmt.init !== null)
          this.#expr.fits("the first value", stmt.init.type, stmt.variable.type);
        this.#assignable.add(stmt.variable.name);
        this.#bind(stmt.variable, context);
        return;
      case "assign":
        this.#atom(stmt.variable, context);
        if (!this.#assignable.has(stmt.variable.name))
          this.#report(`${stmt.variable.name} is not declared as assignable`);
        this.#expr.fits("the value", stmt.value.type, stmt.variable.type);
        return;
      case "break":
        if (!context.labels.has(stmt.label)) this.#report(`nothing here is labelled ${stmt.label}`);
        return;
      case "continue":
        if (context.labels.get(stmt.label) !== "loop")
          this.#report(`no loop here is labelled ${stmt.label}`);
        return;
      // A label without a scope is the function's.
      case "return":
        return;
      case "scope": {
        const inner: Context = {
          scope: context.scope,
          labels: new Map([...context.labels, [stmt.label, "scope"]]),
        };
        this.#body(stmt.body, inner, (results) => {
          if (results.length > 1) this.#report("a scope yields one value");
        });
        if (stmt.bind !== null) this.#bind(stmt.bind, context);
        return;
      }
      case "loop":
        if (stmt.loop.carried.length > 0) this.#report("a raw loop carries nothing yet");
        this.#loop(stmt.loop, stmt.label, stmt.update, context);
        return;
      default:
        unreachable(stmt);
    }
  }
}

/** The first line of a statement, without the types of its operands. */
const summary = (stmt: Stmt): string =>
  printStmt(stmt)
    .split("\n", 1)
    .join("")
    .replace(/\(([^\s():]+): [^()]*\)/gu, "$1");
