// Views of typed arrays (`subarray`), which the program reads as copies. In: an ssa program. Out: the views that are no copies, by function.
// Invariant: of a view that is not listed nobody can tell: neither it nor what it shows is written, by this function or one that it calls, as far as regions say, and nobody who comes later has it.

import type { Types } from "../../ir/shadow.ts";
import type { Atom, Func, Let, Origin } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { memoryOf } from "./points-to.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, type Region } from "./region.ts";

export interface SharedView {
  readonly func: string;
  readonly view: string;
  readonly origin: Origin;
}

/** A view, and what it shows: of a slice, or in what a call gives. */
interface View {
  readonly stmt: Let;
  readonly view: Region | null;
  readonly of: readonly (Region | null)[];
}

/** A view that a function gives: its place in the result, and the places of what it shows, by parameter. */
interface Given {
  readonly at: Way;
  readonly of: readonly { readonly param: number; readonly at: Way }[];
}

/** The names of places on the way to an object within another one. */
type Way = readonly string[];

/** By function; what is given of views of anything but parameters is not listed. */
type Returned = ReadonlyMap<string, readonly Given[]>;

/** `isAsked`: functions whose results others have. */
export function sharedViews(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
  isAsked: (func: string) => boolean,
): readonly SharedView[] {
  if (![...funcs.values()].some(hasSlices)) return [];
  const graphs = memoryOf(funcs, types);
  const returned = returnedIn(funcs, graphs, isAsked);
  const written = writesIn(funcs, graphs);
  const writesGlobals = [...graphs.values()].some((each) =>
    each.writtenGlobals().some(({ isOwn }) => isOwn !== true),
  );
  return [...funcs.values()].flatMap((func) => {
    const memory = graphs.get(func.name);
    if (memory === undefined) return viewSlices(func).map((stmt) => listed(func, stmt));
    const writes =
      writesGlobals || [...(written.get(func.name) ?? [])].some((region) => region.find().external);
    return viewsIn(func, memory, returned)
      .filter((view) => isShared(view, memory, returned.get(func.name) ?? [], writes))
      .map(({ stmt }) => listed(func, stmt));
  });
}

const listed = (func: Func, { bind, origin }: Let): SharedView => ({
  func: func.name,
  view: bind.name,
  origin,
});

function viewSlices(func: Func): readonly Let[] {
  const found: Let[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "slice" && stmt.expr.view === true)
      found.push(stmt);
  });
  return found;
}

const hasSlices = (func: Func): boolean => viewSlices(func).length > 0;

function viewsIn(func: Func, memory: Memory, returned: Returned): readonly View[] {
  const found: View[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind !== "let") return;
    const { bind, expr } = stmt;
    const regionOf = (atom: Atom | undefined): Region | null =>
      atom === undefined ? null : memory.region(atom);
    if (expr.kind === "slice" && expr.view === true)
      found.push({ stmt, view: regionOf(bind), of: [regionOf(expr.object)] });
    for (const { at, of } of expr.kind === "call" ? (returned.get(expr.callee) ?? []) : []) {
      found.push({
        stmt,
        view: within(regionOf(bind), at),
        of: of.map((one) =>
          within(regionOf(expr.kind === "call" ? expr.args[one.param] : undefined), one.at),
        ),
      });
    }
  });
  return found;
}

/** What stands there; null where nothing says so. */
const within = (region: Region | null, way: Way): Region | null =>
  way.reduce<Region | null>((at, name) => at?.find().places.get(name) ?? null, region)?.find() ??
  null;

/** The shortest way to a region; null where there is none. */
function wayTo(from: Region, to: Region): Way | null {
  const ways = new Map<Region, Way>([[from.find(), []]]);
  for (const [region, way] of ways) {
    if (region === to.find()) return way;
    for (const [name, place] of region.places)
      if (!ways.has(place.find())) ways.set(place.find(), [...way, name]);
  }
  return null;
}

/** Functions of the program's own whose results are views of their parameters, or hold some: who calls them has the views. */
function returnedIn(
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
  isAsked: (func: string) => boolean,
): Returned {
  const found = new Map<string, readonly Given[]>();
  for (let count = -1; count !== countOf(found);) {
    count = countOf(found);
    for (const func of funcs.values()) {
      const memory = graphs.get(func.name);
      const result = memory?.result;
      if (memory === undefined || result === undefined || result === null || isAsked(func.name))
        continue;
      found.set(
        func.name,
        viewsIn(func, memory, found).flatMap((view) => givenBy(view, result, func, memory) ?? []),
      );
    }
  }
  return found;
}

const countOf = (found: Returned): number =>
  [...found.values()].reduce((sum, given) => sum + given.length, 0);

function givenBy({ view, of }: View, result: Region, func: Func, memory: Memory): Given | null {
  const at = view === null ? null : wayTo(result, view);
  const shown = of.map((region) => {
    if (region === null) return null;
    for (const [param, atom] of func.params.entries()) {
      const outer = memory.region(atom);
      const way = outer === null ? null : wayTo(outer, region);
      if (way !== null) return { param, at: way };
    }
    return null;
  });
  const known = shown.filter((one) => one !== null);
  return at === null || known.length < shown.length ? null : { at, of: known };
}

/** `given`: the views of which those who call the function know. `writes`: it writes what comes from outside. */
function isShared(
  { view, of }: View,
  memory: Memory,
  given: readonly Given[],
  writes: boolean,
): boolean {
  if (view === null || view.find().external) return true;
  if ([view, ...of].some((region) => region === null || isWritten(region))) return true;
  const { result } = memory;
  if (
    result !== null &&
    memory.reachable(result).has(view.find()) &&
    !given.some(({ at }) => within(result, at) === view.find())
  )
    return true;
  // what comes from outside may be one with another argument that is written
  return writes && of.some((region) => region?.find().external === true);
}

const isWritten = (region: Region): boolean =>
  region.find().places.get(ELEMENTS)?.find().written === true;

/**
 * By function, the arrays whose elements it writes, and those that what it calls writes of its arguments. What that writes of its own is none of these, though it may go by a name that an argument goes by,
 * too, and is one with it as far as regions say: `h = x`, then `h = layer(h)`.
 */
function writesIn(
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
): ReadonlyMap<string, ReadonlySet<Region>> {
  const found = new Map([...funcs.values()].map((func) => [func.name, new Set<Region>()]));
  const sizeOf = (): number => [...found.values()].reduce((sum, { size }) => sum + size, 0);
  for (let size = -1; size !== sizeOf();) {
    size = sizeOf();
    for (const func of funcs.values()) {
      const memory = graphs.get(func.name);
      const own = found.get(func.name);
      if (memory !== undefined && own !== undefined) noteWrites(func, memory, graphs, found, own);
    }
  }
  return found;
}

function noteWrites(
  func: Func,
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  all: ReadonlyMap<string, ReadonlySet<Region>>,
  own: Set<Region>,
): void {
  const note = (region: Region | null): void => {
    if (region !== null) own.add(region.find());
  };
  walkStmts(func.body, (stmt) => {
    if (
      stmt.kind === "fill" ||
      stmt.kind === "append" ||
      ((stmt.kind === "store" || stmt.kind === "accum") && stmt.key.kind === "index")
    )
      note(memory.region(stmt.object));
    const expr = stmt.kind === "let" ? stmt.expr : null;
    const args =
      (expr?.kind === "extern" && expr.effect === "io") || expr?.kind === "call" ? expr.args : [];
    args.forEach((arg, i) => {
      const outer = memory.region(arg);
      const callee = expr?.kind === "call" ? graphs.get(expr.callee) : undefined;
      const param = callee?.func.params[i];
      const inner = callee === undefined || param === undefined ? null : callee.region(param);
      if (outer === null || (expr?.kind === "call" && inner === null)) return;
      if (inner === null) return [...memory.reachable(outer)].forEach(note);
      for (const written of expr?.kind === "call" ? (all.get(expr.callee) ?? []) : []) {
        const way = wayTo(inner, written);
        if (way !== null) note(within(outer, way) ?? outer);
      }
    });
  });
}
