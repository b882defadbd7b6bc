// Products of slopes that are 0 * Infinity in arithmetic. Exponentials that overflow before an
// operator that is flat at infinity: `1 / (1 + exp(-x))`; and infinite tangents, as that of
// `sqrt(x)` at 0, before a factor of 0. Input: the functions of a group. Numbers in objects are
// followed inside of a function, others from function to function.

import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Let, Stmt } from "../../ir/types.ts";
import { memoised, walkStmts } from "../../ir/visit.ts";
import { partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { isFlatAtInfinity, mayOverflow, slopeOf } from "../../rules/slopes.ts";
import { elements, initialContents, isRegion, joins, placeOfStore } from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import { type Region, slotOf } from "../memory/region.ts";

/** A number's name behind that of its function, or a place of an object. */
type Place = string | Region;
type Graphs = ReadonlyMap<string, Memory>;
type Edges = Map<Place, Place[]>;

/**
 * Which numbers may be infinite as an exponential overflows, which of them vanish then, and which
 * may have an infinite tangent although they are finite.
 */
interface Overflow {
  readonly infinite: ReadonlySet<Place>;
  readonly vanishing: ReadonlySet<Place>;
  readonly steep: ReadonlySet<Place>;
}

const NONE: Overflow = { infinite: new Set(), vanishing: new Set(), steep: new Set() };

export function overflowIn(
  { func }: Memory,
  graphs: Graphs,
): Pick<FunctionFacts, "isFlattened" | "isSteep" | "mayOverflow"> {
  const { infinite, vanishing, steep } = overflowOf(graphs);
  return {
    isSteep: (atom) => atom.kind === "var" && steep.has(`${func.name} ${atom.name}`),
    isFlattened: (name) => vanishing.has(`${func.name} ${name}`),
    mayOverflow: (atom) => atom.kind === "var" && infinite.has(`${func.name} ${atom.name}`),
  };
}

const overflowOf = memoised((graphs: Graphs): Overflow => {
  const exponentials = new Set<Place>();
  const roots = new Set<Place>();
  for (const { func } of graphs.values())
    walkStmts(func.body, (stmt) => {
      if (stmt.kind !== "let" || stmt.expr.kind !== "op") return;
      const { op, args } = stmt.expr;
      const place = `${func.name} ${stmt.bind.name}`;
      const hasSlope = (is: typeof mayOverflow): boolean =>
        args.some((arg, i) => arg.kind === "var" && is(op, i, args));
      if (hasSlope(mayOverflow)) exponentials.add(place);
      if (hasSlope((...of) => slopeOf(...of) === "steep")) roots.add(place);
    });
  if (exponentials.size === 0 && roots.size === 0) return NONE;
  const flow = new Flow(graphs);
  for (const memory of graphs.values())
    walkStmts(memory.func.body, (stmt) => {
      flow.add(stmt, memory);
    });
  const infinite = reached(exponentials, flow.next);
  const flattened = [...flow.flattened.keys()].filter((place) => infinite.has(place));
  return {
    infinite,
    vanishing: reached(flattened, flow.before),
    steep: reached(roots, flow.next, flow.flattened),
  };
});

function reached(places: Iterable<Place>, ...all: readonly Edges[]): ReadonlySet<Place> {
  const found = new Set(places);
  for (const place of found)
    for (const edges of all) for (const other of edges.get(place) ?? []) found.add(other);
  return found;
}

/** Which number passes its infinite values on to which. */
class Flow {
  readonly next: Edges = new Map();
  readonly before: Edges = new Map();
  /** From operands of operators that are flat at infinity to the results. */
  readonly flattened: Edges = new Map();
  readonly #graphs: Graphs;

  constructor(graphs: Graphs) {
    this.#graphs = graphs;
  }

  add(stmt: Stmt, memory: Memory): void {
    for (const [from, to] of joins(stmt)) this.#edge(from, to, memory);
    if ("value" in stmt && stmt.kind !== "throw")
      this.#edge(stmt.value, placeOfStore(stmt, memory), memory);
    if (stmt.kind !== "let") return;
    for (const [value, place] of initialContents(stmt, memory)) this.#edge(value, place, memory);
    this.#let(stmt, memory);
  }

  #let({ bind, expr }: Let, memory: Memory): void {
    switch (expr.kind) {
      case "op":
        expr.args.forEach((arg, i) => {
          if (partialOf(SCALAR[expr.op], i, expr.args.length) === null) return;
          const place = placeOf(arg, memory);
          if (!isFlatAtInfinity(expr.op, i, expr.args)) this.#edge(arg, bind, memory);
          else if (place !== null) put(this.flattened, place, `${memory.func.name} ${bind.name}`);
        });
        return;
      case "copy":
        return this.#edge(expr.atom, bind, memory);
      case "unwrap":
        return this.#edge(expr.value, bind, memory);
      case "load":
        return this.#edge(memory.placeAt(expr.object, expr.key), bind, memory);
      case "removeLast":
        return this.#edge(elements(expr.object, memory), bind, memory);
      case "pop":
        return this.#edge(memory.placeAt(expr.tape, slotOf(bind.type)), bind, memory);
      case "call": {
        const called = this.#graphs.get(expr.callee);
        if (called === undefined) return;
        const { params, body } = called.func;
        params.forEach((param, i) => {
          const arg = expr.args[i];
          if (arg !== undefined) this.#passed([arg, memory], [param, called]);
        });
        const [result] = body.result;
        return result === undefined ? undefined : this.#passed([result, called], [bind, memory]);
      }
      default:
    }
  }

  // what is written into an object shows on both sides of a call
  #passed([from, home]: Passed, [to, target]: Passed): void {
    this.#edge(from, to, home, target);
    for (const [mine, theirs] of sharedPlaces(home.region(from), target.region(to))) {
      this.#edge(mine, theirs, home, target);
      this.#edge(theirs, mine, target, home);
    }
  }

  #edge(from: Atom | Region | null, to: Atom | Region | null, home: Memory, target = home): void {
    const [start, end] = [placeOf(from, home), placeOf(to, target)];
    if (start === null || end === null) return;
    put(this.next, start, end);
    put(this.before, end, start);
  }
}

type Passed = readonly [atom: Atom, home: Memory];

/** Pairs of places with equal keys, of an object as two functions see it. */
function sharedPlaces(
  mine: Region | null,
  theirs: Region | null,
): readonly (readonly [Region, Region])[] {
  const pairs: (readonly [Region, Region])[] = [];
  const met = new Map<Region, Set<Region>>();
  const meet = (own: Region, other: Region): void => {
    const known = met.get(own) ?? new Set();
    if (!known.has(other)) pairs.push([own, other]);
    met.set(own, known.add(other));
  };
  if (mine !== null && theirs !== null) meet(mine.find(), theirs.find());
  for (const [own, other] of pairs)
    for (const [key, place] of own.places) {
      const same = other.places.get(key);
      if (same !== undefined) meet(place.find(), same.find());
    }
  return pairs;
}

function placeOf(value: Atom | Region | null, { func }: Memory): Place | null {
  if (value === null) return null;
  if (isRegion(value)) return value.find();
  return value.kind === "var" ? `${func.name} ${value.name}` : null;
}

function put(edges: Edges, from: Place, to: Place): void {
  const known = edges.get(from);
  if (known === undefined) edges.set(from, [to]);
  else known.push(to);
}
