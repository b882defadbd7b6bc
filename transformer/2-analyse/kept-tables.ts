// Tables of a module in which a function remembers numbers that vary: the next call finds them there, as constants. In: a function whose derivative is asked for, its memory, the arguments asked for.
// Out: such tables, with a place where they are read. Invariant: a table that each call clears is none, nor is a list whose elements nobody asks for.
//   const known = cache.get(x); if (known !== undefined) return known; … cache.set(x, x * x)

import { reachable } from "../ir/calls.ts";
import { baseName, variableOf } from "../ir/names.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Func, Global, Origin } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import { activityOf } from "./activity.ts";
import type { Memory } from "./memory.ts";

interface KeptTable { readonly name: string; readonly read: Origin }

export function keptTables(func: Func, funcs: ReadonlyMap<string, Func>, graphs: ReadonlyMap<string, Memory>, types: Types, asked: readonly number[]): readonly KeptTable[] {
  const memory = graphs.get(func.name), written = memory?.writtenGlobals().filter(({ type }) => isTable(type, types)) ?? [];
  if (memory === undefined || written.length === 0) return [];
  const activity = activityOf({ func, memory, types, graphs, active: asked, writesAreOutputs: false, isData: () => false });
  const holdsVaried = (global: Global): boolean => {
    const region = memory.region(global);
    return region !== null && [...memory.reachable(region)].some((inner) => activity.varied.has(inner) && activity.useful.has(inner));
  };
  const reached = [func.name, ...reachable(func.name, (callee) => funcs.get(callee))].flatMap((name) => funcs.get(name) ?? []);
  return written.filter(holdsVaried).flatMap((global) => {
    const read = readOf(global, reached, types);
    return read === null ? [] : [{ name: global.name, read }];
  });
}

const isTable = (type: Global["type"], types: Types): boolean => { const { kind } = resolve(type, types); return kind === "dict" || kind === "array"; };

/** Where an entry of a table is read, or an element asked for, that is stored as well; null where there is no such place, or the table is cleared. */
function readOf(global: Global, funcs: readonly Func[], types: Types): Origin | null {
  const isDict = resolve(global.type, types).kind === "dict";
  let read: Origin | null = null, isStored = false, isCleared = false;
  for (const func of funcs) {
    // functions that are called may know it by a parameter of that name, behind those that the user wrote
    const lifted = func.original === undefined ? [] : func.params.slice(func.original.params).filter(({ name }) => baseName(name) === baseName(global.name));
    const isIt = (atom: Atom): boolean => (atom.kind === "global" ? variableOf(atom) === variableOf(global) : atom.kind === "var" && lifted.some(({ name }) => name === atom.name));
    walkStmts(func.body, (stmt) => {
      if (stmt.kind === "store" || stmt.kind === "append") isStored ||= isIt(stmt.object);
      if (stmt.kind !== "let") return;
      const { expr, bind } = stmt;
      if (expr.kind === "load" && isIt(expr.object) && (isDict || bind.type.kind === "opt")) read ??= stmt.origin;
      if (expr.kind === "extern" && expr.text.some((text) => text.includes(".clear()")) && expr.args.some(isIt)) isCleared = true;
    });
  }
  return isStored && !isCleared ? read : null;
}
