// Views of typed arrays (`subarray`), which the program reads as copies. In: an ssa program. Out: the views that are no copies, by function.
// Invariant: of a view that is not listed nobody can tell: neither it nor what it shows is written, by this function or one that it calls, as far as regions say, and nobody who comes later has it.

import type { Types } from "../ir/shadow.ts";
import type { Atom, Func, Let, Origin } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import { memoryOf } from "./graphs.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, type Region } from "./region.ts";

export interface SharedView {
  readonly func: string;
  readonly view: string;
  readonly origin: Origin;
}

/** A name that is a view of others: of a slice, or of a call's arguments. */
interface View {
  readonly stmt: Let;
  readonly of: readonly Atom[];
}

/** By function, the positions of parameters that its result is a view of. */
type Returned = ReadonlyMap<string, readonly number[]>;

/** `isAsked`: functions whose results others have. */
export function sharedViews(funcs: ReadonlyMap<string, Func>, types: Types, isAsked: (func: string) => boolean): readonly SharedView[] {
  if (![...funcs.values()].some((func) => viewsIn(func, new Map()).length > 0)) return [];
  const graphs = memoryOf(funcs, types), returned = returnedIn(funcs, graphs, isAsked);
  return [...funcs.values()].flatMap((func) => {
    const memory = graphs.get(func.name), mayReturn = returned.has(func.name);
    return viewsIn(func, returned).filter((view) => memory === undefined || isShared(view, memory, mayReturn)).map(({ stmt: { bind, origin } }) => ({ func: func.name, view: bind.name, origin }));
  });
}

function viewsIn(func: Func, returned: Returned): readonly View[] {
  const found: View[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind !== "let") return;
    const { expr } = stmt;
    if (expr.kind === "slice" && expr.view === true) found.push({ stmt, of: [expr.object] });
    else if (expr.kind === "call") {
      const positions = returned.get(expr.callee);
      if (positions !== undefined) found.push({ stmt, of: positions.flatMap((i) => expr.args[i] ?? []) });
    }
  });
  return found;
}

/** Functions of the program's own whose result is a view of a parameter, and nothing else that holds one: who calls them has the view. */
function returnedIn(funcs: ReadonlyMap<string, Func>, graphs: ReadonlyMap<string, Memory>, isAsked: (func: string) => boolean): Returned {
  const found = new Map<string, readonly number[]>();
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const func of funcs.values()) {
      const memory = graphs.get(func.name);
      if (memory === undefined || isAsked(func.name) || found.has(func.name)) continue;
      const views = viewsIn(func, found).filter(({ stmt }) => memory.result !== null && memory.region(stmt.bind)?.find() === memory.result.find());
      const shown = views.flatMap(({ of }) => of.map((atom) => func.params.findIndex((param) => memory.region(param)?.find() === memory.region(atom)?.find())));
      if (shown.length > 0 && !shown.includes(-1)) found.set(func.name, [...new Set(shown)]);
    }
  }
  return found;
}

/** `mayReturn`: who calls the function knows that its result is a view. */
function isShared({ stmt: { bind }, of }: View, memory: Memory, mayReturn: boolean): boolean {
  const view = memory.region(bind);
  if (view === null || view.find().external) return true;
  const isWritten = (atom: Atom): boolean => { const region = memory.region(atom); return region === null || memory.place(region, atom.type, ELEMENTS).written; };
  if ([bind, ...of].some(isWritten)) return true;
  if (memory.result !== null && memory.reachable(memory.result).has(view.find()) && !(mayReturn && memory.result.find() === view.find())) return true;
  // what comes from outside may be one with another argument that is written
  return of.some((atom) => memory.region(atom)?.find().external === true) && [...memory.regions()].some((region) => isWrittenOutside(region.find()));
}

const isWrittenOutside = (region: Region): boolean => region.external && region.places.get(ELEMENTS)?.find().written === true;
