// Objects of enclosing scopes that a function and what it calls write (scratch buffers, caches) become explicit parameters of the functions that it calls, so
// that a callee's writes and their shadows are seen by its callers. In: an ssa program, and which variables each function writes. Out: the same program with
// lifted copies of such functions beside the originals. Invariant: where something that a call leads to writes a variable, no call leads to an original that
// touches it. Variables are told apart by what they are, not by their names.

import { calleesIn } from "../../ir/calls.ts";
import type { Atom, Func, Global, Program, Stmt, Var } from "../../ir/types.ts";
import { baseName, Names, variableOf } from "../../ir/names.ts";
import { definedVars, mapAtoms, mapBodies, walkAtoms } from "../../ir/visit.ts";

/** By function: the variables that it writes. */
type Written = (func: string) => readonly Global[];

export function liftGlobals(program: Program, written: Written): Program {
  const calls = callsOf(program);
  const writes = closed(
    new Map(
      [...program.funcs.keys()].map((name) => [
        name,
        new Map(written(name).map((global) => [variableOf(global), global])),
      ]),
    ),
    calls,
  );
  const all = new Set([...writes.values()].flatMap((variables) => [...variables.keys()]));
  if (all.size === 0) return program;
  const used = closed(
    new Map([...program.funcs.values()].map((func) => [func.name, globalsIn(func, all)])),
    calls,
  );
  const lifting = new Lifting(program, used);
  // the original keeps its globals; only its calls change
  const originals = [...program.funcs.values()].map((func) => ({
    ...func,
    body: lifting.body(func, writes.get(func.name) ?? NONE, (global) => global),
  }));
  return {
    ...program,
    funcs: new Map([...originals, ...lifting.copies()].map((func) => [func.name, func])),
  };
}

const NONE: ReadonlyMap<string, Global> = new Map();

type Calls = ReadonlyMap<string, ReadonlySet<string>>;
type Used = ReadonlyMap<string, ReadonlyMap<string, Global>>;

function callsOf({ funcs }: Program): Calls {
  return new Map([...funcs.values()].map(({ name, body }) => [name, calleesIn(body)]));
}

/** The written variables that a body names. */
function globalsIn({ body }: Func, written: ReadonlySet<string>): Map<string, Global> {
  const own = new Map<string, Global>();
  walkAtoms(body, (atom) => {
    if (atom.kind === "global" && written.has(variableOf(atom))) own.set(variableOf(atom), atom);
  });
  return own;
}

/** What each function has, and what those have that it calls. */
function closed(found: ReadonlyMap<string, Map<string, Global>>, calls: Calls): Used {
  for (let changed = true; changed;) {
    changed = false;
    for (const [name, own] of found) {
      for (const callee of calls.get(name) ?? []) {
        for (const [key, value] of found.get(callee) ?? []) {
          if (own.has(key)) continue;
          own.set(key, value);
          changed = true;
        }
      }
    }
  }
  return found;
}

class Lifting {
  readonly #program: Program;
  readonly #used: Used;
  /** By original: its copy, once something calls it. */
  readonly #copies = new Map<string, Func | null>();

  constructor(program: Program, used: Used) {
    this.#program = program;
    this.#used = used;
  }

  copies(): readonly Func[] {
    return [...this.#copies.values()].filter((copy) => copy !== null);
  }

  // g(x)  ->  g$with$scratch(x, scratch)      where one of `lifted` is scratch
  body(
    func: Func,
    lifted: ReadonlyMap<string, Atom>,
    atomOf: (global: Global) => Atom,
  ): Func["body"] {
    const here = this.#used.get(func.name) ?? NONE;
    const inStmt = (stmt: Stmt): Stmt => {
      const inner = mapBodies(stmt, (body) => ({ ...body, stmts: body.stmts.map(inStmt) }));
      if (inner.kind !== "let" || inner.expr.kind !== "call") return inner;
      const globals = this.#used.get(inner.expr.callee) ?? NONE;
      if (![...globals.keys()].some((variable) => lifted.has(variable))) return inner;
      // under the names that they have here
      const passed = [...globals].map(([variable, global]) => atomOf(here.get(variable) ?? global));
      return {
        ...inner,
        expr: {
          ...inner.expr,
          callee: this.#copyOf(inner.expr.callee, [...globals.values()]),
          args: [...inner.expr.args, ...passed],
        },
      };
    };
    return { ...func.body, stmts: func.body.stmts.map(inStmt) };
  }

  #copyOf(original: string, globals: readonly Global[]): string {
    const name = [original, ...globals.map((global) => global.name.replaceAll(".", "_"))].join(
      "$with$",
    );
    const func = this.#program.funcs.get(original);
    if (this.#copies.has(original) || func === undefined) return name;
    this.#copies.set(original, null);
    this.#copies.set(original, this.#copy(func, name, globals));
    return name;
  }

  #copy(func: Func, name: string, globals: readonly Global[]): Func {
    const names = new Names([...func.params, ...definedVars(func.body)].map((v) => v.name));
    const params = new Map(
      globals.map((global): [string, Var] => [
        variableOf(global),
        { kind: "var", name: names.fresh(baseName(global.name)), type: global.type },
      ]),
    );
    const asParam = (global: Global): Atom => params.get(variableOf(global)) ?? global;
    return {
      ...func,
      name,
      params: [...func.params, ...params.values()],
      body: mapAtoms(this.body(func, params, asParam), (atom) =>
        atom.kind === "global" ? asParam(atom) : atom,
      ),
      ...(func.paramText === undefined
        ? {}
        : { paramText: [...func.paramText, ...globals.map(() => null)] }),
      original: { name: func.name, params: func.params.length },
    };
  }
}

/** Where no derivative passes, the user's own function is called: `g$with$scratch(x, scratch)  ->  g(x)`. */
export function callOriginals(func: Func, funcs: ReadonlyMap<string, Func>): Func {
  const inStmt = (stmt: Stmt): Stmt => {
    const inner = mapBodies(stmt, (body) => ({ ...body, stmts: body.stmts.map(inStmt) }));
    if (inner.kind !== "let" || inner.expr.kind !== "call") return inner;
    const original = funcs.get(inner.expr.callee)?.original;
    if (original === undefined) return inner;
    return {
      ...inner,
      expr: {
        ...inner.expr,
        callee: original.name,
        args: inner.expr.args.slice(0, original.params),
      },
    };
  };
  return { ...func, body: { ...func.body, stmts: func.body.stmts.map(inStmt) } };
}
