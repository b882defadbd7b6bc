// The reference interpreter of both stages, which passes are tested against. Executes what
// ir/types.ts defines, literally; values, coercions and exceptions are JavaScript's.

import { invariant } from "./invariant.ts";
import { OPS } from "./ops.ts";
import { resolve } from "./shadow.ts";
import type {
  Accum,
  ArrayPart,
  ArrayStore,
  Atom,
  Body,
  Expr,
  Fill,
  For,
  Func,
  Key,
  Program,
  RawStmt,
  Stmt,
  Type,
  Var,
  While,
} from "./types.ts";
import {
  allocArray,
  deepCopy,
  evaluateText,
  fillArray,
  definePlace,
  getPlace,
  isNil,
  arrayOf,
  makeArray,
  places,
  setPlace,
  sliceOf,
  spreadOf,
  Tape,
  zerosOf,
} from "./value.ts";
import { unreachable } from "./visit.ts";

/** `elements`: elements and fields that were allocated, copied or filled. */
export interface Counts {
  ops: number;
  loads: number;
  stores: number;
  calls: number;
  pushes: number;
  elements: number;
}

export interface Outcome {
  readonly value: unknown;
  readonly counts: Readonly<Counts>;
}

export interface RunOptions {
  /** By the name of the `global` atom (`K`, `E.A`, `E` with a field); externs see them too. */
  readonly globals?: Readonly<Record<string, unknown>>;
  /** Replacements of externs, by their pieces joined with `$`. */
  readonly externs?: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  /** The largest number of executed statements, so that an endless loop is an error. */
  readonly fuel?: number;
}

const DEFAULT_FUEL = 20_000_000;

export function run(
  program: Program,
  name: string,
  args: readonly unknown[],
  options: RunOptions = {},
): Outcome {
  const machine = new Machine(program, options);
  const value = machine.call(name, args);
  return { value, counts: machine.counts };
}

/** An early exit from a body; stage "raw" only. */
interface Signal {
  readonly kind: "break" | "continue" | "return";
  readonly label: string;
  readonly value: unknown;
}

type Env = Map<string, unknown>;

class Machine {
  readonly counts: Counts = { ops: 0, loads: 0, stores: 0, calls: 0, pushes: 0, elements: 0 };
  readonly #program: Program;
  readonly #options: RunOptions;
  #fuel: number;

  constructor(program: Program, options: RunOptions) {
    this.#program = program;
    this.#options = options;
    this.#fuel = options.fuel ?? DEFAULT_FUEL;
  }

  call(name: string, args: readonly unknown[]): unknown {
    const func = this.#program.funcs.get(name);
    invariant(func !== undefined, `no function ${name}`);
    return this.#enter(func, args);
  }

  #enter(func: Func, args: readonly unknown[]): unknown {
    const env: Env = new Map();
    func.params.forEach((param, i) => env.set(param.name, args[i]));
    const signal = this.#stmts(func.body, env);
    if (signal !== null) return signal.value;
    return this.#results(func.body, env)[0];
  }

  // ----------------------------------------------------------------------------------------- atoms

  #atom(atom: Atom, env: Env): unknown {
    switch (atom.kind) {
      case "var":
        invariant(env.has(atom.name), `${atom.name} is read before it is bound`);
        return env.get(atom.name);
      case "const":
        return atom.value;
      case "global":
        return this.#global(atom.name);
      case "undef":
        return undefined;
      default:
        return unreachable(atom);
    }
  }

  #number(atom: Atom, env: Env): number {
    return Number(this.#atom(atom, env));
  }

  #optional(atom: Atom | null, env: Env): number | undefined {
    return atom === null ? undefined : this.#number(atom, env);
  }

  #global(name: string): unknown {
    const globals = this.#options.globals ?? {};
    if (Object.hasOwn(globals, name)) return globals[name];
    const [root = "", ...path] = name.split(".");
    const start: unknown = Object.hasOwn(globals, root)
      ? globals[root]
      : Reflect.get(globalThis, root);
    const value = path.reduce((object: unknown, field) => getPlace(object, field), start);
    invariant(
      value !== undefined || Object.hasOwn(globals, root) || root === "undefined",
      `no global ${name}`,
    );
    return value;
  }

  #key(key: Key, env: Env): unknown {
    return key.kind === "field" ? key.name : this.#atom(key.at, env);
  }

  #results(body: Body, env: Env): readonly unknown[] {
    return body.result.map((atom) => this.#atom(atom, env));
  }

  // ----------------------------------------------------------------------------------- expressions

  // eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
  #expr(expr: Expr, type: Type, env: Env): unknown {
    const read = (atom: Atom): unknown => this.#atom(atom, env);
    switch (expr.kind) {
      case "copy":
        return read(expr.atom);
      case "op":
        this.counts.ops++;
        return OPS[expr.op].eval(expr.args.map(read));
      case "load":
        this.counts.loads++;
        return getPlace(read(expr.object), this.#key(expr.key, env), expr.own);
      case "length":
        return getPlace(read(expr.object), "length");
      case "present":
        return !isNil(read(expr.value));
      case "unwrap": {
        const value = read(expr.value);
        invariant(!isNil(value), "unwrap of an absent value");
        return value;
      }
      case "array":
        return makeArray(this.#store(type), this.#elements(expr.parts, env));
      case "tuple":
        return expr.elems.map(read);
      case "record":
        return this.#record(expr, type, env);
      case "alloc": {
        const array = allocArray(this.#store(type), this.#number(expr.length, env));
        if (expr.fill !== null) fillArray(array, read(expr.fill));
        return array;
      }
      case "slice":
        return sliceOf(
          read(expr.object),
          this.#number(expr.from, env),
          this.#optional(expr.to, env),
        );
      case "zeros":
        return zerosOf(read(expr.like), expr.like.type, this.#program.types);
      case "clone":
        return deepCopy(read(expr.object));
      case "call":
        this.counts.calls++;
        return this.call(expr.callee, expr.args.map(read));
      case "extern":
        return this.#extern(expr.text, expr.args.map(read));
      case "removeLast":
        return arrayOf(read(expr.object)).pop();
      case "newTape":
        return new Tape();
      case "pop":
        return this.#tape(expr.tape, env).pop();
      case "rewind":
        return this.#tape(expr.tape, env).rewind();
      case "lambda":
        return this.#lambda(expr.params, expr.body, env);
      default:
        return unreachable(expr);
    }
  }

  #elements(parts: readonly ArrayPart[], env: Env): readonly unknown[] {
    return parts.flatMap(({ atom, spread }) => {
      const value = this.#atom(atom, env);
      return spread ? spreadOf(value) : [value];
    });
  }

  #record({ fields: parts, bare }: Expr & { kind: "record" }, type: Type, env: Env): unknown {
    if (bare === true) return Object.create(null);
    const bound = resolve(type, this.#program.types);
    if (bound.kind === "dict" && bound.store === "Map")
      return new Map(parts.map(({ name, value }) => [name, this.#atom(value, env)]));
    const entries = parts.flatMap(({ name, value, omitIfUndefined: mayLack, presentIf: there }) => {
      const held = this.#atom(value, env);
      const isLeftOut =
        (mayLack === true && held === undefined) ||
        (there !== undefined && this.#atom(there, env) === false);
      return isLeftOut ? [] : [[name, held]];
    });
    return Object.fromEntries(entries);
  }

  /** Counts the elements of a new aggregate. */
  #tally(expr: Expr, value: unknown): unknown {
    const deep = expr.kind === "zeros" || expr.kind === "clone";
    if (deep || AGGREGATES.has(expr.kind)) this.counts.elements += places(value, deep);
    return value;
  }

  #store(declared: Type): ArrayStore {
    const type = resolve(declared, this.#program.types);
    return type.kind === "array" ? type.store : "Array";
  }

  #tape(atom: Atom, env: Env): Tape {
    const tape = this.#atom(atom, env);
    invariant(tape instanceof Tape, "not a tape");
    return tape;
  }

  #extern(text: readonly string[], args: readonly unknown[]): unknown {
    const given = this.#options.externs?.[text.join("$")];
    return given !== undefined
      ? given(...args)
      : evaluateText(text, args, this.#options.globals ?? {});
  }

  #lambda(params: readonly Var[], body: Body, captured: Env): unknown {
    const env: Env = new Map(captured);
    return (...args: readonly unknown[]): unknown => {
      const frame: Env = new Map(env);
      params.forEach((param, i) => frame.set(param.name, args[i]));
      const signal = this.#stmts(body, frame);
      return signal === null ? this.#results(body, frame)[0] : signal.value;
    };
  }

  // ------------------------------------------------------------------------------------ statements

  #stmts(body: Body, env: Env): Signal | null {
    for (const stmt of body.stmts) {
      const signal = this.#stmt(stmt, env);
      if (signal !== null) return signal;
    }
    return null;
  }

  #stmt(stmt: Stmt, env: Env): Signal | null {
    this.#fuel--;
    invariant(this.#fuel > 0, "the program runs for too long");
    switch (stmt.kind) {
      case "let":
        env.set(stmt.bind.name, this.#tally(stmt.expr, this.#expr(stmt.expr, stmt.bind.type, env)));
        return null;
      case "store":
        this.counts.stores++;
        (stmt.defines === true ? definePlace : setPlace)(
          this.#atom(stmt.object, env),
          this.#key(stmt.key, env),
          this.#atom(stmt.value, env),
        );
        return null;
      case "accum":
        this.#accum(stmt, env);
        return null;
      case "append":
        this.counts.stores++;
        arrayOf(this.#atom(stmt.object, env)).push(this.#atom(stmt.value, env));
        return null;
      case "fill":
        this.#fill(stmt, env);
        return null;
      case "push":
        this.counts.pushes++;
        this.#tape(stmt.tape, env).push(this.#atom(stmt.value, env));
        return null;
      case "reserve":
        this.#tape(stmt.tape, env).reserve(this.#number(stmt.count, env));
        return null;
      case "if":
        return this.#if(stmt, env);
      case "for":
      case "while":
        return this.#loop(stmt, null, null, env);
      case "throw":
        throw this.#atom(stmt.value, env);
      default:
        return this.#raw(stmt, env);
    }
  }

  #accum(stmt: Accum, env: Env): void {
    this.counts.stores++;
    const [object, key] = [this.#atom(stmt.object, env), this.#key(stmt.key, env)];
    const isDict = resolve(stmt.object.type, this.#program.types).kind === "dict";
    const former = getPlace(object, key, isDict);
    const sum =
      (isDict && former === undefined ? 0 : Number(former)) + this.#number(stmt.value, env);
    setPlace(object, key, sum);
  }

  #fill({ object, value, from, to }: Fill, env: Env): void {
    const filled = this.#atom(object, env);
    this.counts.elements += places(filled, false);
    fillArray(filled, this.#atom(value, env), this.#optional(from, env), this.#optional(to, env));
  }

  #raw(stmt: RawStmt, env: Env): Signal | null {
    switch (stmt.kind) {
      case "declare":
        env.set(stmt.variable.name, stmt.init === null ? undefined : this.#atom(stmt.init, env));
        return null;
      case "assign":
        env.set(stmt.variable.name, this.#atom(stmt.value, env));
        return null;
      case "break":
      case "continue":
        return { kind: stmt.kind, label: stmt.label, value: undefined };
      case "return":
        return {
          kind: "return",
          label: stmt.label,
          value: stmt.value === null ? undefined : this.#atom(stmt.value, env),
        };
      case "scope":
        return this.#scope(stmt, env);
      case "loop":
        return this.#loop(stmt.loop, stmt.label, stmt.update, env);
      default:
        return unreachable(stmt);
    }
  }

  #scope(stmt: Stmt & { readonly kind: "scope" }, env: Env): Signal | null {
    const signal = this.#stmts(stmt.body, env);
    if (signal !== null && (signal.kind === "continue" || signal.label !== stmt.label))
      return signal;
    const value = signal === null ? this.#results(stmt.body, env)[0] : signal.value;
    if (stmt.bind !== null) env.set(stmt.bind.name, value);
    return null;
  }

  #if(stmt: Stmt & { readonly kind: "if" }, env: Env): Signal | null {
    const body = this.#atom(stmt.cond, env) ? stmt.then : stmt.else;
    const signal = this.#stmts(body, env);
    if (signal !== null) return signal;
    const values = this.#results(body, env);
    stmt.binds.forEach((bind, i) => env.set(bind.name, values[i]));
    return null;
  }

  #loop(loop: For | While, label: string | null, update: Body | null, env: Env): Signal | null {
    let values = loop.carried.map((carried) => this.#atom(carried.init, env));
    const hasNext = loop.kind === "for" ? this.#counted(loop, env) : this.#tested(loop, env);
    for (;;) {
      loop.carried.forEach(({ param }, i) => env.set(param.name, values[i]));
      if (!hasNext()) break;
      const signal = this.#stmts(loop.body, env);
      const own = signal !== null && signal.label === label && signal.kind !== "return";
      if (signal !== null && !own) return signal;
      if (own && signal.kind === "break") break;
      if (!own) values = [...this.#results(loop.body, env)];
      const late = update === null ? null : this.#stmts(update, env);
      if (late !== null) return late;
    }
    loop.binds.forEach((bind, i) => env.set(bind.name, values[i]));
    return null;
  }

  /** A function that starts the next iteration of a counted loop, if there is one. */
  #counted(loop: For, env: Env): () => boolean {
    let next = this.#number(loop.from, env);
    const to = this.#number(loop.to, env);
    return () => {
      this.#fuel--;
      invariant(this.#fuel > 0, "the program runs for too long");
      if (!OPS[TESTS[loop.test]].eval([next, to])) return false;
      env.set(loop.index.name, next);
      next += loop.step;
      return true;
    };
  }

  #tested(loop: While, env: Env): () => boolean {
    return () => {
      this.#fuel--;
      invariant(this.#fuel > 0, "the program runs for too long");
      const signal = this.#stmts(loop.test, env);
      invariant(signal === null, "a loop's test exits");
      return Boolean(this.#results(loop.test, env)[0]);
    };
  }
}

const MADE: readonly Expr["kind"][] = ["array", "tuple", "record", "alloc", "slice"];
const AGGREGATES: ReadonlySet<Expr["kind"]> = new Set(MADE);

const TESTS = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge" } as const;
