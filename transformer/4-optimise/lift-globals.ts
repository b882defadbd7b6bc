// Objects of enclosing scopes that the program writes (scratch buffers, caches) become explicit parameters of the functions that are called, so that a
// callee's writes and their shadows are seen by its callers. In: an ssa program, which globals are written. Out: the same program with lifted
// copies of such functions beside the originals. Invariant: no call in the program leads to an original that touches a written global.

import type { Atom, Func, Global, Program, Stmt, Var } from "../ir/types.ts";
import { baseName, Names } from "../ir/names.ts";
import { definedVars, mapAtoms, mapBodies, walkAtoms, walkStmts } from "../ir/visit.ts";

export function liftGlobals(program: Program, isWritten: (global: Global) => boolean): Program {
  const used = usedGlobals(program, isWritten);
  if ([...used.values()].every((globals) => globals.size === 0)) return program;
  const lifted = new Map<string, string>();
  for (const [name, globals] of used) if (globals.size > 0) lifted.set(name, [name, ...[...globals.keys()].map((global) => global.replaceAll(".", "_"))].join("$with$"));
  const funcs = new Map<string, Func>();
  for (const func of program.funcs.values()) {
    const globals = [...(used.get(func.name)?.values() ?? [])];
    // the original keeps its globals; only its calls change
    funcs.set(func.name, { ...func, body: mapBodiesOf(func, lifted, used, (global) => global) });
    const name = lifted.get(func.name);
    if (name !== undefined) funcs.set(name, liftedCopy(func, name, globals, lifted, used));
  }
  return { ...program, funcs };
}

type Used = ReadonlyMap<string, ReadonlyMap<string, Global>>;

/** By function: the written globals that it or a function it calls touches. */
function usedGlobals(program: Program, isWritten: (global: Global) => boolean): Used {
  const used = new Map<string, Map<string, Global>>();
  for (const func of program.funcs.values()) {
    const own = new Map<string, Global>();
    walkAtoms(func.body, (atom) => { if (atom.kind === "global" && isWritten(atom)) own.set(atom.name, atom); });
    used.set(func.name, own);
  }
  for (let changed = true; changed;) {
    changed = false;
    for (const func of program.funcs.values()) {
      const own = used.get(func.name) ?? new Map<string, Global>();
      walkStmts(func.body, (stmt) => {
        if (stmt.kind !== "let" || stmt.expr.kind !== "call") return;
        for (const [name, global] of used.get(stmt.expr.callee) ?? []) {
          if (own.has(name)) continue;
          own.set(name, global);
          changed = true;
        }
      });
    }
  }
  return used;
}

function liftedCopy(func: Func, name: string, globals: readonly Global[], lifted: ReadonlyMap<string, string>, used: Used): Func {
  const names = new Names([...func.params, ...definedVars(func.body)].map((v) => v.name));
  const params = new Map(globals.map((global): [string, Var] => [global.name, { kind: "var", name: names.fresh(baseName(global.name)), type: global.type }]));
  const asParam = (global: Global): Atom => params.get(global.name) ?? global;
  return {
    ...func, name, params: [...func.params, ...params.values()],
    body: mapAtoms(mapBodiesOf(func, lifted, used, asParam), (atom) => (atom.kind === "global" ? asParam(atom) : atom)),
    ...(func.paramText === undefined ? {} : { paramText: [...func.paramText, ...globals.map(() => null)] }),
    original: { name: func.name, params: func.params.length },
  };
}

// g(x)  ->  g$with$scratch(x, scratch)
function mapBodiesOf(func: Func, lifted: ReadonlyMap<string, string>, used: Used, atomOf: (global: Global) => Atom): Func["body"] {
  const inStmt = (stmt: Stmt): Stmt => {
    const inner = mapBodies(stmt, (body) => ({ ...body, stmts: body.stmts.map(inStmt) }));
    if (inner.kind !== "let" || inner.expr.kind !== "call") return inner;
    const callee = lifted.get(inner.expr.callee);
    if (callee === undefined) return inner;
    const extra = [...(used.get(inner.expr.callee)?.values() ?? [])].map(atomOf);
    return { ...inner, expr: { ...inner.expr, callee, args: [...inner.expr.args, ...extra] } };
  };
  return { ...func.body, stmts: func.body.stmts.map(inStmt) };
}

/** Where no derivative passes, the user's own function is called: `g$with$scratch(x, scratch)  ->  g(x)`. */
export function callOriginals(func: Func, funcs: ReadonlyMap<string, Func>): Func {
  const inStmt = (stmt: Stmt): Stmt => {
    const inner = mapBodies(stmt, (body) => ({ ...body, stmts: body.stmts.map(inStmt) }));
    if (inner.kind !== "let" || inner.expr.kind !== "call") return inner;
    const original = funcs.get(inner.expr.callee)?.original;
    if (original === undefined) return inner;
    return { ...inner, expr: { ...inner.expr, callee: original.name, args: inner.expr.args.slice(0, original.params) } };
  };
  return { ...func, body: { ...func.body, stmts: func.body.stmts.map(inStmt) } };
}
