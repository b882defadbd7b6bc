// All facts about one function for one set of active arguments. Input: the function in ssa form and
// the points-to graphs; output: FunctionFacts. The program is not changed. Unsure means active, and
// not rereadable.

import { isCall } from "../ir/calls.ts";
import type { FunctionFacts, SeedOrigin, ZeroCotangent } from "../ir/facts.ts";
import { invariant } from "../ir/invariant.ts";
import { CHOICES } from "../ir/ops.ts";
import { memoised, walkStmts } from "../ir/visit.ts";
import type { Atom, For, Func, Let, Stmt, While } from "../ir/types.ts";
import { hasNumbers, holdsOpaque, type Types, isScalarType } from "../ir/shadow.ts";
import { activityOf } from "./activity/activity.ts";
import { literalInfinitiesIn } from "./activity/literal-infinity.ts";
import { passivityOf } from "./activity/passive-arguments.ts";
import { unboundedIn } from "./activity/unbounded-values.ts";
import { overflowIn } from "./activity/overflow.ts";
import { DROPS_NAN, zeroCotangentsIn } from "./activity/zero-cotangents.ts";
import { callFacts, storedBy } from "./call-facts.ts";
import { boundsIn } from "./elements/bounds-proofs.ts";
import { deadElements } from "./elements/dead-elements.ts";
import { definednessIn } from "./elements/definedness.ts";
import { changingLengths, growingStores, removesElements } from "./elements/growth.ts";
import { integersIn } from "./elements/integers.ts";
import { lengthenedIn } from "./elements/lengthened.ts";
import { undefinedIn } from "./elements/missing.ts";
import { outOfBoundsIn } from "./elements/out-of-bounds-reads.ts";
import { aliasHazards } from "./memory/alias-hazards.ts";
import { writtenFrom } from "./memory/flow.ts";
import { iterationLocalObjects } from "./memory/iteration-local-objects.ts";
import type { Memory } from "./memory/memory.ts";
import { overlap } from "./memory/alias-queries.ts";
import { rearrangedIn } from "./memory/rearranged.ts";
import { readStabilityOf, type ReadStability } from "./memory/reaching-writes.ts";
import type { Region } from "./memory/region.ts";
import { letsIn } from "../ir/lets.ts";

export interface FactsRequest {
  readonly func: Func;
  readonly graphs: ReadonlyMap<string, Memory>;
  readonly types: Types;
  readonly active: readonly number[];
  /**
   * A `revf`/`revr` pair that others call: its writes are outputs, and callers may write its
   * result.
   */
  readonly split: boolean;
  /** Parameters whose memory a caller may write between the sweeps. */
  readonly volatile: readonly number[];
  /** Those of them whose shadows may change too: no user retains a pullback. */
  readonly volatileShadows: readonly number[];
}

export function factsOf(request: FactsRequest): FunctionFacts {
  const { func, graphs, types } = request;
  const memory = graphs.get(func.name);
  invariant(memory !== undefined, `no memory graph of ${func.name}`);
  const data = passivityOf({ func, graphs, active: request.active });
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
  const order = readStabilityOf(func, memory, graphs, {
    by: volatile,
    byUs: volatileRegions(request, request.volatileShadows, memory),
  });
  const lets = letsIn(func.body);
  const elements = elementFacts(request, memory, lets);
  const isActive = (region: Region): boolean =>
    activity.varied.has(region) && activity.useful.has(region);
  const shadowed = (atom: Atom): boolean => {
    const region =
      hasNumbers(atom.type, types) || holdsOpaque(atom.type, types) ? memory.region(atom) : null;
    return region !== null && [...memory.reachable(region)].some(isActive);
  };
  const active = (atom: Atom): boolean =>
    atom.kind === "var" &&
    isScalarType(atom.type) &&
    activity.variedNames.has(atom.name) &&
    activity.usefulNames.has(atom.name);
  return {
    active,
    shadowed,
    ...callFacts(lets, { activity, memory, graphs, types, isActive, active, shadowed }),
    ...writeFacts(memory, volatile, (region) => activity.varied.has(region), shadowed),
    ...orderFacts(func, lets, order),
    ...elements,
    absence: data.absence,
    placeActive: (object, key) => {
      const place = memory.placeAt(object, key);
      return place !== null && isActive(place.find());
    },
    writesArguments: func.params.some((param) => memory.reachesWritten(param)),
    aliasHazards: () => aliasHazards(func, { memory, graphs, types, activity }),
    storesOutside: (loop) => storesOutside(loop, memory, graphs, order, isActive),
    mayOverlap: (x, z) => overlap(x, z, memory),
    keysVary: (object) => {
      const keys = memory.keys(object);
      return keys !== null && activity.varied.has(keys.find());
    },
    varied: (atom) => atom.kind === "var" && activity.variedNames.has(atom.name),
  };
}

const orderFacts = (
  func: Func,
  lets: ReadonlyMap<string, Let>,
  order: ReadStability,
): Pick<
  FunctionFacts,
  "rereadable" | "shadowRereadable" | "isLoopInvariant" | "placeWhenReversed" | "lengthBeforeLoop"
> => ({
  rereadable: order.rereadable,
  shadowRereadable: order.shadowRereadable,
  isLoopInvariant: (name, loop) =>
    isSurelyDefined(objectOf(lets.get(name)), func, lets) && order.steadyIn(name, loop),
  placeWhenReversed: order.keptAt,
  lengthBeforeLoop: order.lengthInFront,
});

/** Which elements exist, how long arrays are, and which numbers may be missing or unbounded. */
function elementFacts(
  { func, graphs, types, split }: FactsRequest,
  memory: Memory,
  lets: ReadonlyMap<string, Let>,
) {
  const { body } = func;
  const growing = growingStores(body, memory, types);
  const ranges = boundsIn(body, memory, changingLengths(body, memory, growing, false, false));
  const isLeftUnread = deadElements(body, memory, ranges);
  const dropped = zeroCotangentsIn({ body, memory, ranges, choices: DROPS_NAN });
  // loops over arrays are trusted whoever gives the seed
  // what a caller leaves out is its own; what a user leaves out may hide a missing element
  const dropOf = (name: string, seed: SeedOrigin): ZeroCotangent =>
    dropped(name, seed === "user" ? "caller" : "one");
  const isParam = (name: string): boolean => func.params.some((param) => param.name === name);
  const beyond = outOfBoundsIn({ body, types, ...ranges, isLeftUnread, isParam, dropOf });
  return {
    storedObjects: rearrangedIn(func, graphs, types),
    grownArrays: lengthenedIn(memory, graphs, types),
    mayLengthen: (store) => growing.has(store),
    lengthChanges: changingLengths(body, memory, growing, split, anyTakesOff(graphs)),
    boundsTests: beyond.write,
    mayBeOutOfBounds: beyond.dropped,
    zeroCotangent: zeroCotangentsIn({ body, memory, ranges, choices: CHOICES }),
    ...overflowIn(memory, graphs),
    mayBeUndefined: undefinedIn(body, beyond.read),
    ...unboundedIn(body, lets),
    hasLiteralInfinity: literalInfinitiesIn(body, memory),
    isDefined: definednessIn(body, split),
    isInteger: integersIn(body, lets),
  } satisfies Partial<FunctionFacts>;
}

const objectOf = (stmt: Let | undefined): Atom | null =>
  stmt?.expr.kind === "load" || stmt?.expr.kind === "length" ? stmt.expr.object : null;

/** Whether a name always refers to an object: a loaded element may be missing. */
function isSurelyDefined(
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

function writeFacts(
  memory: Memory,
  volatile: ReadonlySet<Region>,
  isVaried: (region: Region) => boolean,
  shadowed: (atom: Atom) => boolean,
): Pick<FunctionFacts, "isUnchanged" | "writtenThrough"> {
  const isStable = (region: Region): boolean => !region.written && !volatile.has(region);
  return {
    isUnchanged: (atom) => {
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

/** Whether some function of the program removes elements from an array. */
const anyTakesOff = memoised((graphs: ReadonlyMap<string, Memory>): boolean =>
  [...graphs.values()].some(({ func }) => removesElements(func.body)),
);

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
  // callers may write the result, unless it is external
  if (split && memory.result !== null && !memory.result.find().external) add(memory.result);
  return regions;
}

function storesOutside(
  loop: For | While,
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  order: ReadStability,
  isActive: (region: Region) => boolean,
): boolean {
  let found = false;
  const own = iterationLocalObjects(loop.body);
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
