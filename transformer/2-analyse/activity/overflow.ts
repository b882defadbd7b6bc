// Exponentials that overflow before an operator that is flat at infinity: `1 / (1 + exp(-x))`. The
// product of the two slopes is 0 in the limit, but 0 * Infinity in arithmetic. Input: the functions
// of a group. Output: where such a product arises. Numbers in objects are followed inside of a
// function, others from function to function.

import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Let, Stmt } from "../../ir/types.ts";
import { memoised, walkStmts } from "../../ir/visit.ts";
import { partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { isFlatAtInfinity, mayOverflow } from "../../rules/slopes.ts";
import { elements, initialContents, isRegion, joins, placeOfStore } from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import type { Region } from "../memory/region.ts";

/** A number's name behind that of its function, or a place of an object. */
type Place = string | Region;
type Graphs = ReadonlyMap<string, Memory>;
type Edges = Map<Place, Place[]>;

/** Which numbers may be infinite as an exponential overflows, and which of them vanish then. */
interface Overflow {
  readonly infinite: ReadonlySet<Place>;
  readonly vanishing: ReadonlySet<Place>;
}

const NONE: Overflow = { infinite: new Set(), vanishing: new Set() };

export function overflowIn(
  { func }: Memory,
  graphs: Graphs,
): Pick<FunctionFacts, "isFlattened" | "mayOverflow"> {
  const { infinite, vanishing } = overflowOf(graphs);
  return {
    isFlattened: (name) => vanishing.has(`${func.name} ${name}`),
    mayOverflow: (atom) => atom.kind === "var" && infinite.has(`${func.name} ${atom.name}`),
  };
}

const overflowOf = memoised((graphs: Graphs): Overflow => {
  const exponentials = new Set<Place>();
  for (const { func } of graphs.values())
    walkStmts(func.body, (stmt) => {
      if (isExponential(stmt)) exponentials.add(`${func.name} ${stmt.bind.name}`);
    });
  if (exponentials.size === 0) return NONE;
  const flow = new Flow(graphs);
  for (const memory of graphs.values())
    walkStmts(memory.func.body, (stmt) => {
      flow.add(stmt, memory);
    });
  const infinite = reached(exponentials, flow.next);
  const flattened = [...flow.flattened].filter((place) => infinite.has(place));
  return { infinite, vanishing: reached(flattened, flow.before) };
});

const isExponential = (stmt: Stmt): stmt is Let => {
  if (stmt.kind !== "let" || stmt.expr.kind !== "op") return false;
  const { op, args } = stmt.expr;
  return args.some((arg, i) => arg.kind === "var" && mayOverflow(op, i, args));
};

function reached(places: Iterable<Place>, edges: Edges): ReadonlySet<Place> {
  const found = new Set(places);
  for (const place of found) for (const other of edges.get(place) ?? []) found.add(other);
  return found;
}

/** Which number passes its infinite values on to which. */
class Flow {
  readonly next: Edges = new Map();
  readonly before: Edges = new Map();
  /** Operands of operators that are flat at infinity. */
  readonly flattened = new Set<Place>();
  readonly #graphs: Graphs;

  constructor(graphs: Graphs) {
    this.#graphs = graphs;
  }

  add(stmt: Stmt, memory: Memory): void {
    for (const [from, to] of joins(stmt)) this.#edge(from, to, memory);
    if (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill")
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
          else if (place !== null) this.flattened.add(place);
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
