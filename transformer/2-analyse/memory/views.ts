// Finds views of typed arrays (`subarray`) that cannot be treated as copies, by function. For every
// other view, neither it nor its array is written by this function or its callees, and no caller
// gets it.

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

/** A view and the arrays it shows: from a slice, or inside the result of a call. */
interface View {
  readonly stmt: Let;
  readonly view: Region | null;
  readonly of: readonly (Region | null)[];
}

/** A view that a function returns: its place in the result, and what it shows, by parameter. */
interface ReturnedView {
  readonly at: Path;
  readonly of: readonly { readonly param: number; readonly at: Path }[];
}

/** Names of places from an object to one inside it. */
type Path = readonly string[];

/** By function; only views of parameters are listed. */
type Returned = ReadonlyMap<string, readonly ReturnedView[]>;

/** `isVisible`: whether the results of the function are visible to user code. */
export function sharedViews(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
  isVisible: (func: string) => boolean,
): readonly SharedView[] {
  if (![...funcs.values()].some(hasViews)) return [];
  const graphs = memoryOf(funcs, types);
  const returned = returnedIn(funcs, graphs, isVisible);
  const written = writesIn(funcs, graphs);
  const writesGlobals = [...graphs.values()].some((each) =>
    each.writtenGlobals().some(({ isExclusive: isOwn }) => isOwn !== true),
  );
  return [...funcs.values()].flatMap((func) => {
    const memory = graphs.get(func.name);
    if (memory === undefined) return viewSlices(func).map((stmt) => sharedViewOf(func, stmt));
    const writes =
      writesGlobals || [...(written.get(func.name) ?? [])].some((region) => region.find().external);
    return viewsIn(func, memory, returned)
      .filter((view) => isShared(view, memory, returned.get(func.name) ?? [], writes))
      .map(({ stmt }) => sharedViewOf(func, stmt));
  });
}

const sharedViewOf = (func: Func, { bind, origin }: Let): SharedView => ({
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

const hasViews = (func: Func): boolean => viewSlices(func).length > 0;

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
        view: regionAt(regionOf(bind), at),
        of: of.map((one) =>
          regionAt(regionOf(expr.kind === "call" ? expr.args[one.param] : undefined), one.at),
        ),
      });
    }
  });
  return found;
}

/** The region at the end of the path; null if unknown. */
const regionAt = (region: Region | null, path: Path): Region | null =>
  path.reduce<Region | null>((at, name) => at?.find().places.get(name) ?? null, region)?.find() ??
  null;

/** The shortest path to a region; null if there is none. */
function pathTo(from: Region, to: Region): Path | null {
  const paths = new Map<Region, Path>([[from.find(), []]]);
  for (const [region, path] of paths) {
    if (region === to.find()) return path;
    for (const [name, place] of region.places)
      if (!paths.has(place.find())) paths.set(place.find(), [...path, name]);
  }
  return null;
}

/** Views that functions return in their results, to a fixpoint over calls. */
function returnedIn(
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
  isVisible: (func: string) => boolean,
): Returned {
  const found = new Map<string, readonly ReturnedView[]>();
  for (let count = -1; count !== countOf(found);) {
    count = countOf(found);
    for (const func of funcs.values()) {
      const memory = graphs.get(func.name);
      const result = memory?.result;
      if (memory === undefined || result === undefined || result === null || isVisible(func.name))
        continue;
      found.set(
        func.name,
        viewsIn(func, memory, found).flatMap(
          (view) => returnedView(view, result, func, memory) ?? [],
        ),
      );
    }
  }
  return found;
}

const countOf = (found: Returned): number =>
  [...found.values()].reduce((sum, given) => sum + given.length, 0);

function returnedView(
  { view, of }: View,
  result: Region,
  func: Func,
  memory: Memory,
): ReturnedView | null {
  const at = view === null ? null : pathTo(result, view);
  const shown = of.map((region) => {
    if (region === null) return null;
    for (const [param, atom] of func.params.entries()) {
      const outer = memory.region(atom);
      const path = outer === null ? null : pathTo(outer, region);
      if (path !== null) return { param, at: path };
    }
    return null;
  });
  const known = shown.filter((one) => one !== null);
  return at === null || known.length < shown.length ? null : { at, of: known };
}

/** `given`: views known to callers. `writes`: the function writes external memory. */
function isShared(
  { view, of }: View,
  memory: Memory,
  given: readonly ReturnedView[],
  writes: boolean,
): boolean {
  if (view === null || view.find().external) return true;
  if ([view, ...of].some((region) => region === null || isWritten(region))) return true;
  const { result } = memory;
  if (
    result !== null &&
    memory.reachable(result).has(view.find()) &&
    !given.some(({ at }) => regionAt(result, at) === view.find())
  )
    return true;
  // an external array may be the same as another argument that is written
  return writes && of.some((region) => region?.find().external === true);
}

const isWritten = (region: Region): boolean =>
  region.find().places.get(ELEMENTS)?.find().written === true;

/**
 * The arrays whose elements each function and its callees write. Memory that a callee allocates is
 * left out, even if its region merges with an argument's: `h = x`, then `h = layer(h)`.
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
    if (stmt.kind !== "let") return;
    const { expr } = stmt;
    if (expr.kind === "extern" && expr.effect === "io")
      for (const arg of expr.args) {
        const outer = memory.region(arg);
        if (outer !== null) [...memory.reachable(outer)].forEach(note);
      }
    if (expr.kind === "call") {
      const callee = graphs.get(expr.callee);
      const written = all.get(expr.callee) ?? [];
      expr.args.forEach((arg, i) => {
        const param = callee?.func.params[i];
        const inner = callee === undefined || param === undefined ? null : callee.region(param);
        const outer = memory.region(arg);
        if (outer !== null && inner !== null) writtenInCall(inner, outer, written).forEach(note);
      });
    }
  });
}

/** The regions of the caller for what a callee writes below its parameter `inner`. */
function writtenInCall(inner: Region, outer: Region, written: Iterable<Region>): readonly Region[] {
  return [...written].flatMap((region) => {
    const path = pathTo(inner, region);
    return path === null ? [] : [regionAt(outer, path) ?? outer];
  });
}
