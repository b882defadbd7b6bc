// Parameters whose memory may change between the two sweeps of a `revf`/`revr` pair, by function.
// `pullbacks`: functions whose pullbacks users retain. Everything else is equal in both sweeps.

import type { Func } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import type { Memory } from "./memory.ts";
import type { Region } from "./region.ts";

export type Volatile = ReadonlyMap<string, readonly number[]>;

export function volatileOf(
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
  pullbacks: Iterable<string>,
): Volatile {
  const found = new Map<string, Set<number>>();
  for (const func of funcs.values()) found.set(func.name, new Set());
  for (const name of pullbacks) funcs.get(name)?.params.forEach((_, i) => found.get(name)?.add(i));
  for (let changed = true; changed;) {
    changed = false;
    for (const func of funcs.values()) {
      const memory = graphs.get(func.name);
      if (memory !== undefined && markCallees(func, memory, found)) changed = true;
    }
  }
  return new Map(
    [...found].map(([name, positions]) => [name, [...positions].sort((x, z) => x - z)]),
  );
}

/** Marks parameters of callees that get memory written later, by this function or its caller. */
function markCallees(func: Func, memory: Memory, found: ReadonlyMap<string, Set<number>>): boolean {
  const own = found.get(func.name) ?? new Set();
  const unsafe = new Set<Region>();
  const add = (region: Region | null): void => {
    if (region !== null) for (const inner of memory.reachable(region)) unsafe.add(inner);
  };
  for (const position of own) {
    const param = func.params[position];
    if (param !== undefined) add(memory.region(param));
  }
  if (memory.result !== null) add(memory.result);
  let changed = false;
  walkStmts(func.body, (stmt) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "call") return;
    const positions = found.get(stmt.expr.callee);
    stmt.expr.args.forEach((arg, i) => {
      const region = memory.region(arg);
      if (region === null || positions === undefined || positions.has(i)) return;
      const mayChange = (inner: Region): boolean =>
        inner.written || unsafe.has(inner) || (own.size > 0 && arg.kind === "global");
      if (![...memory.reachable(region)].some(mayChange)) return;
      positions.add(i);
      changed = true;
    });
  });
  return changed;
}
