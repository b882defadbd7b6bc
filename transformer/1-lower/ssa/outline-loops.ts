// Outlines loops that are reversed by a checkpoint schedule: into one function for the loop and one
// for an iteration. Input: an ssa program in which such loops are marked; output: the program with
// a call in place of each. Invariant: an iteration gets the outer values that it reads as
// arguments.

import { bool, field, num, NUM } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import { withDistinctNames } from "../functions/lambda-lifting.ts";
import type {
  Atom,
  Body,
  Carried,
  Expr,
  For,
  Func,
  Let,
  Origin,
  Program,
  Stmt,
  Type,
  Var,
  While,
} from "../../ir/types.ts";
import { renameBody, substitute } from "../../ir/rename.ts";
import { freeVars, mapBodies, namesOf } from "../../ir/visit.ts";

type Loop = For | While;

export function outlineLoops(program: Program): Program {
  const funcs = new Map<string, Func>();
  const funcNames = new names.Names(program.funcs.keys());
  for (const [name, func] of program.funcs)
    funcs.set(name, new Outliner(func, funcNames, funcs).func());
  return { ...program, funcs };
}

class Outliner {
  readonly #func: Func;
  readonly #funcNames: names.Names;
  readonly #funcs: Map<string, Func>;
  readonly #names: names.Names;

  constructor(func: Func, funcNames: names.Names, funcs: Map<string, Func>) {
    this.#func = func;
    this.#funcNames = funcNames;
    this.#funcs = funcs;
    this.#names = namesOf(func);
  }

  func(): Func {
    return { ...this.#func, body: this.#body(this.#func.body) };
  }

  readonly #body = (body: Body): Body => ({
    ...body,
    stmts: body.stmts.flatMap((stmt) =>
      (stmt.kind === "for" || stmt.kind === "while") && stmt.schedule !== undefined
        ? this.#outlined(stmt)
        : [mapBodies(stmt, this.#body)],
    ),
  });

  /** A name that no function has. */
  #named(wanted: string): string {
    return this.#funcNames.fresh(wanted).replace(".", "");
  }

  // for i carry (s = s0) { p }  ->  t = f$loop(from, to, s0, x) ; s = t[0]
  #outlined(loop: Loop): readonly Stmt[] {
    const test = loop.kind === "while" ? loop.test.stmts : [];
    const own = new Set([
      ...loop.carried.map(({ param }) => param.name),
      ...(loop.kind === "for" ? [loop.index.name] : []),
    ]);
    const free = [
      ...freeVars({
        stmts: [...test, ...loop.body.stmts],
        result: [...loop.body.result, ...(loop.kind === "while" ? loop.test.result : [])],
      }).values(),
    ].filter(({ name }) => !own.has(name));
    const iteration = this.#iteration(loop, free);
    const whole = this.#loop(loop, free, iteration);
    const bounds = loop.kind === "for" ? [loop.from, loop.to] : [];
    const value: Var = { kind: "var", name: this.#names.fresh("state"), type: whole.result };
    const call: Stmt = {
      kind: "let",
      bind: value,
      expr: {
        kind: "call",
        callee: whole.name,
        args: [...bounds, ...loop.carried.map(({ init }) => definedValue(init)), ...free],
      },
      origin: loop.origin,
    };
    return [call, ...loadsOf(value, loop.binds, loop.origin, loop.binds.length > 0)];
  }

  /** One iteration: maps the carried values and the free variables to the next carried values. */
  #iteration(loop: Loop, free: readonly Var[]): Func {
    const { origin } = this.#func;
    const tested = loop.kind === "while" ? loop.test.stmts : [];
    const made = resultOf(
      loop.body.result,
      loop.carried.map(({ param }) => param.type),
      this.#names,
      loop.origin,
    );
    const func: Func = {
      name: this.#named(names.iteration(this.#func.name)),
      home: this.#func.home,
      origin,
      isLifted: true,
      result: made.type,
      ...withDistinctNames(
        [
          ...(loop.kind === "for" ? [loop.index] : []),
          ...loop.carried.map(({ param }) => param),
          ...free,
        ],
        { stmts: [...tested, ...loop.body.stmts, ...made.stmts], result: made.result },
      ),
    };
    this.#funcs.set(func.name, func);
    return func;
  }

  /** The loop as a function, which also counts its iterations. */
  #loop(loop: Loop, free: readonly Var[], iteration: Func): Func {
    const { origin } = loop;
    const own = new names.Names([...free, ...iteration.params].map(({ name }) => name));
    const variable = (wanted: string, type: Type): Var => ({
      kind: "var",
      name: own.fresh(wanted),
      type,
    });
    const carriedVars = (): Var[] =>
      loop.carried.map(({ param }) => variable(param.name, param.type));
    const bind = (to: Var, expr: Expr): Let => ({ kind: "let", bind: to, expr, origin });
    const inits = carriedVars();
    const bounds = loop.kind === "for" ? [variable("from", NUM), variable("to", NUM)] : [];
    const params = carriedVars();
    const count = variable("rounds", NUM);
    const counted = variable("rounds", NUM);
    const last = variable("rounds", NUM);
    const index = loop.kind === "for" ? [variable(loop.index.name, NUM)] : [];
    const value = variable("state", iteration.result);
    const next = carriedVars();
    const binds = carriedVars();
    const args = [...index, ...params, ...free];
    const body: Body = {
      stmts: [
        bind(value, { kind: "call", callee: iteration.name, args }),
        ...loadsOf(value, next, origin, next.length > 1),
        bind(counted, { kind: "op", op: "add", args: [count, num(1)] }),
      ],
      result: [...next, counted],
    };
    const carried: Carried[] = [
      ...params.map((param, i): Carried => ({ param, init: inits[i] ?? param })),
      { param: count, init: num(0) },
    ];
    const stmt = this.#rebuilt(
      loop,
      { bounds, index, params, own },
      { carried, body, binds: [...binds, last], origin },
    );
    const made = resultOf([...binds, last], [...binds.map(({ type }) => type), NUM], own, origin);
    const func: Func = {
      name: this.#named(names.loop(this.#func.name)),
      home: this.#func.home,
      origin,
      isLifted: true,
      ...withDistinctNames([...bounds, ...inits, ...free], {
        stmts: [stmt, ...made.stmts],
        result: made.result,
      }),
      result: made.type,
      outlined: {
        iteration: iteration.name,
        step: loop.kind === "for" ? loop.step : null,
        carried: loop.carried.length,
      },
    };
    this.#funcs.set(func.name, func);
    return func;
  }

  /** The loop statement over the variables of its own function. */
  #rebuilt(
    loop: Loop,
    { bounds, index, params, own }: LoopVars,
    parts: Pick<For, "carried" | "body" | "binds" | "origin">,
  ): Loop {
    if (loop.kind === "for")
      return {
        kind: "for",
        index: index[0] ?? loop.index,
        from: bounds[0] ?? loop.from,
        test: loop.test,
        to: bounds[1] ?? loop.to,
        step: loop.step,
        ...parts,
      };
    const renamed = new Map<string, Atom>(
      loop.carried.map(({ param }, i) => [param.name, params[i] ?? param]),
    );
    return { kind: "while", test: substitute(renameBody(loop.test, own), renamed), ...parts };
  }
}

interface LoopVars {
  readonly bounds: readonly Var[];
  readonly index: readonly Var[];
  readonly params: readonly Var[];
  readonly own: names.Names;
}

/** The argument for a carried value; an undefined one, which is never read, becomes zero. */
function definedValue(init: Atom): Atom {
  if (init.kind !== "undef") return init;
  return init.type.kind === "num" ? num(0) : init.type.kind === "bool" ? bool(false) : init;
}

/** Loads the parts of an outlined function's result. */
function loadsOf(
  value: Var,
  binds: readonly Var[],
  origin: Origin,
  isTuple: boolean,
): readonly Let[] {
  return binds.map((bind, i): Let => ({
    kind: "let",
    bind,
    expr: isTuple
      ? { kind: "load", object: value, key: field(String(i)) }
      : { kind: "copy", atom: value },
    origin,
  }));
}

/** A result of no value, of one, or of a tuple. */
function resultOf(
  atoms: readonly Atom[],
  types: readonly Type[],
  own: names.Names,
  origin: Origin,
): { readonly stmts: readonly Stmt[]; readonly result: readonly Atom[]; readonly type: Type } {
  const [type] = types;
  if (type === undefined) return { stmts: [], result: [], type: { kind: "void" } };
  if (types.length === 1) return { stmts: [], result: atoms, type };
  const bind: Var = {
    kind: "var",
    name: own.fresh("state"),
    type: { kind: "tuple", elems: types },
  };
  return {
    stmts: [{ kind: "let", bind, expr: { kind: "tuple", elems: atoms }, origin }],
    result: [bind],
    type: bind.type,
  };
}
