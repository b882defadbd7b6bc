// All facts of one function for one set of active arguments. In: an ssa program's function and the memory graphs. Out: FunctionFacts.
// Invariant: changes nothing; answers are conservative (active when unsure, not rereadable when unsure).

import { isCall } from "../ir/calls.ts";
import type { FunctionFacts } from "../ir/facts.ts";
import { invariant } from "../ir/invariant.ts";
import { walkStmts } from "../ir/visit.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt, Type, While } from "../ir/types.ts";
import { hasNumbers, holdsOpaque, type Types } from "../ir/shadow.ts";
import { aliasHazards } from "./memory/alias-hazards.ts";
import {
  activityOf,
  callIsUseful,
  isIgnored,
  readsTexts,
  type Activity,
} from "./activity/activity.ts";
import { beyondIn } from "./elements/out-of-bounds-reads.ts";
import { conditionalNames } from "./activity/conditional.ts";
import { dataOf } from "./activity/passive-arguments.ts";
import { writtenFrom } from "./memory/flow.ts";
import { changingLengths, growingStores, takesOff } from "./elements/growth.ts";
import { infiniteIn } from "./activity/unbounded-values.ts";
import { infinitiesIn } from "./activity/literal-infinity.ts";
import { leftUnread } from "./elements/dead-elements.ts";
import { lengthenedIn } from "./elements/lengthened.ts";
import type { Memory } from "./memory/memory.ts";
import { ELEMENTS, isAggregate, type Region } from "./memory/region.ts";
import { overlap, writesArguments } from "./memory/objects.ts";
import { missingIn } from "./elements/missing.ts";
import { presenceIn } from "./elements/definedness.ts";
import { orderOf, type Order } from "./memory/reaching-writes.ts";
import { ownObjects } from "./memory/iteration-local-objects.ts";
import { rearrangedIn } from "./memory/rearranged.ts";
import { rangesIn } from "./elements/bounds-proofs.ts";

export interface FactsRequest {
  readonly func: Func;
  readonly graphs: ReadonlyMap<string, Memory>;
  readonly types: Types;
  readonly active: readonly number[];
  /** A `revf`/`revr` pair that others call: what it writes is an output, and its result may be written before the reverse sweep. */
  readonly split: boolean;
  /** Parameters whose memory a caller may write between the sweeps. */
  readonly volatile: readonly number[];
  /** Those of which the same holds where no user keeps a pullback: their shadows may change, too. */
  readonly volatileShadows: readonly number[];
}

export function factsOf(request: FactsRequest): FunctionFacts {
  const { func, graphs, types } = request;
  const memory = graphs.get(func.name);
  invariant(memory !== undefined, `no memory graph of ${func.name}`);
  const data = dataOf({ func, graphs, active: request.active });
  const activity = activityOf({
    func,
    memory,
    types,
    graphs,
    active: request.active,
    writesAreOutputs: request.split,
    isData: data.isData,
  });
  const volatile = volatileRegions(request, request.volatile, memory);
  const order = orderOf(func, memory, graphs, {
    by: volatile,
    byUs: volatileRegions(request, request.volatileShadows, memory),
  });
  const lets = letsOf(func.body);
  const growing = growingStores(func.body, memory, types);
  const ranges = rangesIn(
    func.body,
    memory,
    changingLengths(func.body, memory, growing, false, false),
  );
  const beyond = beyondIn(func.body, types, ranges.isWithin, leftUnread(func.body, memory, ranges));
  const isActive = (region: Region): boolean =>
    activity.varied.has(region) && activity.useful.has(region);
  const shadowed = (atom: Atom): boolean => {
    const region =
      hasNumbers(atom.type, types) || holdsOpaque(atom.type, types) ? memory.region(atom) : null;
    return region !== null && [...memory.reachable(region)].some(isActive);
  };
  const active = (atom: Atom): boolean =>
    atom.kind === "var" &&
    isNumber(atom.type) &&
    activity.variedNames.has(atom.name) &&
    activity.usefulNames.has(atom.name);
  return {
    active,
    shadowed,
    ...callFacts(lets, { activity, memory, graphs, types, isActive, active, shadowed }),
    ...writeFacts(memory, volatile, (region) => activity.varied.has(region), shadowed),
    absence: data.absence,
    placeActive: (object, key) => {
      const place = memory.placeAt(object, key);
      return place !== null && isActive(place.find());
    },
    rereadable: order.rereadable,
    shadowRereadable: order.shadowRereadable,
    steadyIn: (name, loop) =>
      isSurelyThere(objectOf(lets.get(name)), func, lets) && order.steadyIn(name, loop),
    keptAt: order.keptAt,
    lengthInFront: order.lengthInFront,
    aliasHazards: () => aliasHazards(func, { memory, graphs, types, activity }),
    rearranged: rearrangedIn(func, graphs, types),
    lengthened: lengthenedIn(memory, graphs, types),
    storesOutside: (loop) => storesOutside(loop, memory, graphs, order, isActive),
    mayLengthen: (store) => growing.has(store),
    lengthChanges: changingLengths(func.body, memory, growing, request.split, anyTakesOff(graphs)),
    conditional: conditionalIn(func.body, "joins"),
    mayBeUnread: conditionalIn(func.body, "records"),
    beyond: beyond.write,
    mayBeDropped: beyond.dropped,
    ...missingIn(func.body, beyond.read),
    mayBeInfinite: infiniteIn(lets),
    saysInfinity: infinitiesIn(func.body, memory),
    isThere: presenceIn(func.body, request.split),
    isInteger: (atom) => isInteger(atom, lets, indices(func.body)),
    overlap: (x, z) => overlap(x, z, memory),
    keysVary: (object) => {
      const keys = memory.keys(object);
      return keys !== null && activity.varied.has(keys.find());
    },
    varied: (atom) => atom.kind === "var" && activity.variedNames.has(atom.name),
  };
}

const objectOf = (stmt: Let | undefined): Atom | null =>
  stmt?.expr.kind === "load" || stmt?.expr.kind === "length" ? stmt.expr.object : null;

/** Whether an object is one wherever its name is known: an element read may miss whatever its type says. */
function isSurelyThere(
  object: Atom | null,
  { params }: Func,
  lets: ReadonlyMap<string, Let>,
): boolean {
  if (object === null || object.kind !== "var") return object?.kind === "global";
  const expr = lets.get(object.name)?.expr;
  if (object.type.kind === "opt") return false;
  if (expr === undefined) return params.some(({ name }) => name === object.name);
  return (
    expr.kind === "array" ||
    expr.kind === "tuple" ||
    expr.kind === "record" ||
    expr.kind === "alloc" ||
    expr.kind === "slice" ||
    (expr.kind === "load" && expr.key.kind === "field")
  );
}

interface CallContext {
  readonly activity: Activity;
  readonly memory: Memory;
  readonly graphs: ReadonlyMap<string, Memory>;
  readonly types: Types;
  readonly isActive: (region: Region) => boolean;
  readonly active: (atom: Atom) => boolean;
  readonly shadowed: (atom: Atom) => boolean;
}

/** Of a call, by the name that its result is bound to. */
function callFacts(
  lets: ReadonlyMap<string, Let>,
  context: CallContext,
): Pick<
  FunctionFacts,
  "callActive" | "callReadsTexts" | "callWrites" | "callStores" | "callReturns"
> {
  const { activity, memory, graphs, isActive, active, shadowed } = context;
  const call = (name: string): (Expr & { kind: "call" }) | null => {
    const expr = lets.get(name)?.expr;
    return expr?.kind === "call" ? expr : null;
  };
  return {
    callActive: (name) => {
      const made = lets.get(name);
      const positions = callPositions(
        made,
        activity,
        context,
        (arg) => active(arg) || shadowed(arg),
      );
      return positions?.length === 0 &&
        !(made !== undefined && shadowed(made.bind) && sharesInResult(made.expr, graphs))
        ? null
        : positions;
    },
    callReadsTexts: (name) => {
      const expr = call(name);
      return (
        expr !== null &&
        expr.args.some((arg, i) => activity.textsVary(arg) && readsTexts(expr, i, context))
      );
    },
    callWrites: (name) => {
      const expr = call(name);
      return expr !== null && writesArguments(expr, graphs);
    },
    callStores: (name) => {
      const expr = call(name);
      return expr !== null && storedBy(expr, memory, graphs, isActive).length > 0;
    },
    callReturns: (name) => returnedOf(lets.get(name)?.expr, graphs),
  };
}

function writeFacts(
  memory: Memory,
  volatile: ReadonlySet<Region>,
  isVaried: (region: Region) => boolean,
  shadowed: (atom: Atom) => boolean,
): Pick<FunctionFacts, "unchanging" | "writtenThrough"> {
  const isStable = (region: Region): boolean => !region.written && !volatile.has(region);
  return {
    unchanging: (atom) => {
      const region = memory.region(atom);
      return (
        region === null ||
        [...memory.reachable(region)].every(
          (inner) => isStable(inner) && [...memory.originals(inner)].every(isStable),
        )
      );
    },
    writtenThrough: (bind, of) => {
      const region = memory.region(bind);
      const written = region === null ? [] : [...writtenFrom(region, memory)];
      return written.length > 0 && (shadowed(of) || written.some(isVaried));
    },
  };
}

function conditionalIn(body: Body, leavesOut: "joins" | "records"): (name: string) => boolean {
  let names: ReadonlySet<string> | null = null;
  return (name) => (names ??= conditionalNames(body, leavesOut)).has(name);
}

const shrinking = new WeakMap<ReadonlyMap<string, Memory>, boolean>();

/** Whether some function of the program takes elements off an array. */
function anyTakesOff(graphs: ReadonlyMap<string, Memory>): boolean {
  const known =
    shrinking.get(graphs) ?? [...graphs.values()].some(({ func }) => takesOff(func.body));
  shrinking.set(graphs, known);
  return known;
}

const isNumber = (type: Type): boolean =>
  type.kind === "num" || (type.kind === "opt" && isNumber(type.of));

function volatileRegions(
  { func, split }: FactsRequest,
  volatile: readonly number[],
  memory: Memory,
): ReadonlySet<Region> {
  const regions = new Set<Region>();
  const add = (region: Region | null): void => {
    if (region !== null) for (const inner of memory.reachable(region)) regions.add(inner);
  };
  for (const position of volatile) {
    const param = func.params[position];
    if (param !== undefined) add(memory.region(param));
  }
  if (volatile.length > 0) for (const global of memory.globals()) add(memory.region(global));
  // what is returned may be written by the caller, unless it is what came in
  if (split && memory.result !== null && !memory.result.find().external) add(memory.result);
  return regions;
}

function letsOf(body: Body): ReadonlyMap<string, Let> {
  const lets = new Map<string, Let>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let") lets.set(stmt.bind.name, stmt);
  });
  return lets;
}

const indexCache = new WeakMap<Body, ReadonlySet<string>>();

function indices(body: Body): ReadonlySet<string> {
  const known = indexCache.get(body);
  if (known !== undefined) return known;
  const names = new Set<string>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "for") names.add(stmt.index.name);
  });
  indexCache.set(body, names);
  return names;
}

function callPositions(
  stmt: Let | undefined,
  activity: Activity,
  context: { memory: Memory; graphs: ReadonlyMap<string, Memory>; types: Types },
  isActive: (arg: Atom) => boolean,
): readonly number[] | null {
  if (stmt === undefined || stmt.expr.kind !== "call") return null;
  const useful = {
    reaches: (atom: Atom): boolean => {
      const region = context.memory.region(atom);
      if (region === null) return atom.kind === "var" && activity.usefulNames.has(atom.name);
      return [...context.memory.reachable(region)].some((inner) => activity.useful.has(inner));
    },
  };
  if (!callIsUseful(stmt.bind, stmt.expr, useful, context)) return null;
  const { expr } = stmt;
  return expr.args.flatMap((arg, i) => (isActive(arg) && !isIgnored(expr, i, context) ? [i] : []));
}

/** Whether two places in what a callee makes may be one object: then only the callee can make the shadow. */
function sharesInResult(expr: Expr, graphs: ReadonlyMap<string, Memory>): boolean {
  const graph = expr.kind === "call" ? graphs.get(expr.callee) : undefined;
  if (
    graph === undefined ||
    graph.result === null ||
    graph.func.derivation !== undefined ||
    graph.func.rule !== undefined ||
    graph.func.shipped === true
  )
    return false;
  if (graph.func.half === true) return true;
  const named = new Set([...graph.regions()].map((region) => region.find()));
  const seen = new Set<Region>([graph.result.find()]);
  for (const region of seen) {
    for (const [key, place] of region.places) {
      const inner = place.find();
      if (seen.has(inner) || (key === ELEMENTS && (named.has(inner) || inner.places.size > 0)))
        return true;
      seen.add(inner);
    }
  }
  return false;
}

function storesOutside(
  loop: For | While,
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  order: Order,
  isActive: (region: Region) => boolean,
): boolean {
  let found = false;
  const own = ownObjects(loop.body);
  const check = (object: Atom): void => {
    const region = object.kind === "var" && own.has(object.name) ? null : memory.region(object);
    if (
      region !== null &&
      !order.livesIn(region, loop.body) &&
      [...memory.reachable(region)].some(isActive)
    )
      found = true;
  };
  walkStmts(loop.body, (stmt: Stmt) => {
    if (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill") check(stmt.object);
    if (stmt.kind === "let" && stmt.expr.kind === "removeLast") check(stmt.expr.object);
    if (isCall(stmt)) storedBy(stmt.expr, memory, graphs, isActive).forEach(check);
  });
  return found;
}

/** Arguments of a call that lead to active numbers which the callee may write: in its own graph something is written there, and in the caller's something that is active. */
function storedBy(
  expr: Expr & { kind: "call" },
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  isActive: (region: Region) => boolean,
): readonly Atom[] {
  const graph = graphs.get(expr.callee);
  return expr.args.filter((arg, i) => {
    const region = memory.region(arg);
    const param = graph?.func.params[i];
    const inside = param === undefined ? null : (graph?.region(param) ?? null);
    if (region === null) return false;
    if (
      graph !== undefined &&
      inside !== null &&
      ![...graph.reachable(inside)].some((inner) => inner.written)
    )
      return false;
    return [...(graph === undefined ? memory.reachable(region) : writtenFrom(region, memory))].some(
      isActive,
    );
  });
}

/** By the callee's own graph: in the caller's, a loop that hands the result on makes it one with the argument. */
function returnedOf(
  expr: Expr | undefined,
  graphs: ReadonlyMap<string, Memory>,
): readonly number[] {
  const graph = expr?.kind === "call" ? graphs.get(expr.callee) : undefined;
  if (graph === undefined || graph.result === null) return [];
  const returned = graph.reachable(graph.result);
  return graph.func.params.flatMap((param, i) => {
    const region = isAggregate(param.type) ? graph.region(param) : null;
    return region !== null && [...graph.reachable(region)].some((inner) => returned.has(inner))
      ? [i]
      : [];
  });
}

/** Operators whose result is whole whenever their operands are. */
const WHOLE: ReadonlySet<string> = new Set([
  "add",
  "sub",
  "mul",
  "mod",
  "neg",
  "plus",
  "min",
  "max",
  "abs",
]);
/** Operators whose result is always whole. */
const ROUNDING: ReadonlySet<string> = new Set([
  "floor",
  "ceil",
  "round",
  "trunc",
  "sign",
  "band",
  "bor",
  "bxor",
  "bnot",
  "shl",
  "shr",
  "ushr",
  "imul",
  "clz32",
]);

function isInteger(
  atom: Atom,
  lets: ReadonlyMap<string, Let>,
  loopIndices: ReadonlySet<string>,
): boolean {
  if (atom.kind === "const") return typeof atom.value === "number" && Number.isInteger(atom.value);
  if (atom.kind !== "var") return false;
  if (loopIndices.has(atom.name)) return true;
  const expr = lets.get(atom.name)?.expr;
  if (expr === undefined) return false;
  if (expr.kind === "length") return true;
  if (expr.kind === "copy") return isInteger(expr.atom, lets, loopIndices);
  if (expr.kind !== "op") return false;
  return (
    ROUNDING.has(expr.op) ||
    (WHOLE.has(expr.op) && expr.args.every((arg) => isInteger(arg, lets, loopIndices)))
  );
}
