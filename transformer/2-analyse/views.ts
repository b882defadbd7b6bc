// Views of typed arrays (`subarray`), which the program reads as copies. In: an ssa program. Out: the views that are no copies, by function.
// Invariant: of a view that is not listed nobody can tell: neither it nor what it shows is written, by this function or one that it calls, as far as regions say, and nobody who comes later has it.

import type { Types } from "../ir/shadow.ts";
import type { Func, Let, Origin } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import { memoryOf } from "./graphs.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, type Region } from "./region.ts";

export interface SharedView {
  readonly func: string;
  readonly view: string;
  readonly origin: Origin;
}

export function sharedViews(funcs: ReadonlyMap<string, Func>, types: Types): readonly SharedView[] {
  const views = [...funcs.values()].map((func) => ({ func, own: viewsIn(func) })).filter(({ own }) => own.length > 0);
  if (views.length === 0) return [];
  const graphs = memoryOf(funcs, types);
  return views.flatMap(({ func, own }) => {
    const memory = graphs.get(func.name);
    return own.filter((view) => memory === undefined || isShared(view, memory)).map(({ bind, origin }) => ({ func: func.name, view: bind.name, origin }));
  });
}

function viewsIn(func: Func): readonly Let[] {
  const found: Let[] = [];
  walkStmts(func.body, (stmt) => { if (stmt.kind === "let" && stmt.expr.kind === "slice" && stmt.expr.view === true) found.push(stmt); });
  return found;
}

function isShared({ bind, expr }: Let, memory: Memory): boolean {
  const view = memory.region(bind), of = expr.kind === "slice" ? memory.region(expr.object) : null;
  if (view === null || of === null || view.external || expr.kind !== "slice") return true;
  const numbers = [memory.place(view, bind.type, ELEMENTS), memory.place(of, expr.object.type, ELEMENTS)];
  if (numbers.some(({ written }) => written) || (memory.result !== null && memory.reachable(memory.result).has(view.find()))) return true;
  // what comes from outside may be one with another argument that is written
  return of.external && [...memory.regions()].some((region) => isWrittenOutside(region.find()));
}

const isWrittenOutside = (region: Region): boolean => region.external && region.places.get(ELEMENTS)?.find().written === true;
