// Objects of enclosing scopes that functions write, such as scratch buffers, become parameters of
// the functions that are called. So callers see a callee's writes and their shadows. The result has
// lifted copies of such functions beside the originals. Invariant: where a callee writes a
// variable, no call leads to an original that uses it. Variables are identified by declaration, not
// by name.

import { calleesIn } from "../../ir/calls.ts";
import type { Atom, Func, Global, Program, Stmt, Var } from "../../ir/types.ts";
import { baseName, variableOf } from "../../ir/names.ts";
import { mapAtoms, mapBodies, namesOf, walkAtoms } from "../../ir/visit.ts";

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
  // An original keeps its globals; only its calls change.
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

/** The transitive closure over calls: what each function has, and what its callees have. */
function closed(found: ReadonlyMap<string, Map<string, Global>>, calls: Calls): Used {
  for (let size = -1; size !== sizeOf(found);) {
    size = sizeOf(found);
    for (const [name, own] of found)
      for (const callee of calls.get(name) ?? []) addMissing(own, found.get(callee) ?? NONE);
  }
  return found;
}
function addMissing(own: Map<string, Global>, others: ReadonlyMap<string, Global>): void {
  for (const [key, value] of others) if (!own.has(key)) own.set(key, value);
}

const sizeOf = (found: ReadonlyMap<string, ReadonlyMap<string, Global>>): number =>
  [...found.values()].reduce((sum, own) => sum + own.size, 0);

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

  // g(x)   ->   g$with$scratch(x, scratch), where `lifted` has scratch
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
      // Under the names that the variables have here.
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
    const names = namesOf(func);
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

// g$with$scratch(x, scratch)   ->   g(x), where no derivative passes
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
