// Builds the points-to graph of every function of a program. A graph merges at least the objects
// that one execution can make equal. Calls copy the callee's effects onto the graph of the caller,
// until they repeat for recursion.

import type {
  Accum,
  Append,
  Atom,
  Body,
  Expr,
  Fill,
  For,
  Func,
  If,
  Push,
  Stmt,
  Store,
  Var,
  While,
} from "../../ir/types.ts";
import { calleesFirst } from "../../ir/calls.ts";
import { invariant } from "../../ir/invariant.ts";
import type { Types } from "../../ir/shadow.ts";
import { isStopGradient } from "../../ir/stop-gradient.ts";
import { Memory } from "./memory.ts";
import { ELEMENTS, isAggregate, Region, slotOf } from "./region.ts";

/**
 * Graphs that still change then may grow without end: types stop a recursion by their names, but
 * what is stored as `any` has none.
 */
const WIDENS_AFTER = 8;
const MOST_ITERATIONS = 1000;

/** The graphs of all functions, callees first; recursion iterates until the graphs repeat. */
export function memoryOf(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
): ReadonlyMap<string, Memory> {
  const order = calleesFirst(funcs);
  const graphs = new Map<string, Memory>();
  const seen = new Set<string>();
  for (let iteration = 0; ; iteration++) {
    invariant(iteration < MOST_ITERATIONS, () => `no fixpoint of ${order.length} points-to graphs`);
    const built = new Set<string>();
    let requestedEarly = 0;
    const graphOf = (callee: string): Memory | undefined => {
      if (!built.has(callee) && funcs.has(callee)) requestedEarly++;
      return graphs.get(callee);
    };
    for (const func of order) {
      const graph = build(func, types, graphOf);
      if (iteration >= WIDENS_AFTER) widen(graph);
      graphs.set(func.name, graph);
      built.add(func.name);
    }
    // no callee's graph was requested before it was built, so another iteration finds the same
    if (requestedEarly === 0) break;
    const now = [...graphs.values()].map(signature).join("\n");
    // a graph is built anew in each iteration, so a few recursive ones alternate between forms
    if (seen.has(now)) break;
    seen.add(now);
  }
  return graphs;
}

/** Canonical string of what callers see of a graph: sharing and writes of parameters and result. */
function signature(memory: Memory): string {
  const numbers = new Map<Region, number>();
  const show = (region: Region): string => {
    const node = region.find();
    const known = numbers.get(node);
    if (known !== undefined) return `#${known}`;
    numbers.set(node, numbers.size);
    const places = [...node.places]
      .sort(([x], [z]) => (x < z ? -1 : 1))
      .map(([key, place]) => `${key}:${show(place)}`);
    const flags = [node.written ? "!" : "", node.changed ? "~" : "", node.mixed ? "?" : ""];
    return `${flags.join("")}${node.holds}{${places.join(",")}}`;
  };
  const parts = memory.func.params.map((param) => {
    const region = memory.region(param);
    return region === null ? "-" : show(region);
  });
  const result = memory.result === null ? "" : show(memory.result);
  return `${memory.func.name}(${parts.join(";")})${result}`;
}

function build(func: Func, types: Types, callees: (name: string) => Memory | undefined): Memory {
  const memory = new Memory(func, types);
  for (const param of func.params) {
    const region = memory.region(param);
    if (region !== null) region.external = true;
  }
  buildBody(func.body, memory, callees);
  const result = func.body.result[0];
  if (result !== undefined) memory.result = memory.region(result);
  spreadExternal(memory);
  return memory;
}

/** Merges each object with one around it that has the same places, which bounds the graph. */
function widen(memory: Memory): void {
  const around = new Map<string, Region>();
  const done = new Set<Region>();
  let merges: number;
  const visit = (region: Region): void => {
    const node = region.find();
    const key = [...node.places.keys()].sort().join("\n");
    const same = key === "" ? undefined : around.get(key);
    if (same !== undefined) {
      if (same.unify(node)) merges++;
      return;
    }
    if (done.has(node)) return;
    done.add(node);
    around.set(key, node);
    for (const place of [...node.places.values()]) visit(place);
    around.delete(key);
  };
  do {
    merges = 0;
    done.clear();
    for (const region of memory.regions()) visit(region);
    if (memory.result !== null) visit(memory.result);
  } while (merges > 0);
}

/** What is reachable from an external object is external. */
function spreadExternal(memory: Memory): void {
  for (const region of memory.regions()) {
    if (region.find().external) for (const inner of memory.reachable(region)) inner.external = true;
  }
}

type Callees = (name: string) => Memory | undefined;

function buildBody(body: Body, memory: Memory, callees: Callees): void {
  for (const stmt of body.stmts) buildStmt(stmt, memory, callees);
}

// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
function buildStmt(stmt: Stmt, memory: Memory, callees: Callees): void {
  switch (stmt.kind) {
    case "let":
      return buildExpr(stmt.bind, stmt.expr, memory, callees);
    case "store":
      return buildStore(stmt, memory);
    case "append":
    case "fill":
      return buildAppend(stmt, memory);
    case "accum":
      return buildAccum(stmt, memory);
    case "if":
      return buildIf(stmt, memory, callees);
    case "for":
    case "while":
      return buildLoop(stmt, memory, callees);
    case "push":
      return buildPush(stmt, memory);
    case "reserve":
    case "throw":
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
    case "loop":
      return;
  }
}

function buildStore({ object, key, value, initial }: Store, memory: Memory): void {
  const place = memory.placeAt(object, key);
  if (place === null) return;
  if (initial !== true) {
    place.written = true;
    markChanged(object, memory);
  }
  const keys = key.kind === "index" && key.at.kind === "var" ? memory.keys(object) : null;
  if (keys !== null) keys.written = true;
  joinValue(place, value, memory);
}

function buildAppend({ kind, object, value }: Append | Fill, memory: Memory): void {
  const region = memory.region(object);
  if (region === null) return;
  const place = memory.place(region, object.type, ELEMENTS);
  place.written = true;
  region.changed = true;
  if (kind === "append") memory.place(region, object.type, "length").written = true;
  joinValue(place, value, memory);
}

function buildAccum({ object, key }: Accum, memory: Memory): void {
  const place = memory.placeAt(object, key);
  if (place !== null) place.written = true;
  markChanged(object, memory);
}

function buildIf(stmt: If, memory: Memory, callees: Callees): void {
  buildBody(stmt.then, memory, callees);
  buildBody(stmt.else, memory, callees);
  stmt.binds.forEach((bind, i) => {
    for (const atom of [stmt.then.result[i], stmt.else.result[i]])
      if (atom !== undefined) memory.unify(bind, atom);
  });
}

function buildLoop(stmt: For | While, memory: Memory, callees: Callees): void {
  if (stmt.kind === "while") buildBody(stmt.test, memory, callees);
  buildBody(stmt.body, memory, callees);
  stmt.carried.forEach(({ param, init }, i) => {
    memory.unify(param, init);
    const next = stmt.body.result[i];
    const bind = stmt.binds[i];
    if (next !== undefined) memory.unify(param, next);
    if (bind !== undefined) memory.unify(param, bind);
  });
}

function buildPush({ tape, value }: Push, memory: Memory): void {
  const place = memory.placeAt(tape, slotOf(value.type));
  if (place === null) return;
  place.written = true;
  joinValue(place, value, memory);
}

function markChanged(object: Atom, memory: Memory): void {
  const region = memory.region(object);
  if (region !== null) region.changed = true;
}

function joinValue(place: Region, value: Atom, memory: Memory): void {
  const region = memory.region(value);
  if (region !== null) place.unify(region);
}

function buildExpr(bind: Var, expr: Expr, memory: Memory, callees: Callees): void {
  // aliases come first: `memory.region(bind)` below allocates an object of its own
  switch (expr.kind) {
    case "copy":
      return memory.unify(bind, expr.atom);
    case "unwrap":
      return memory.unify(bind, expr.value);
    // over-approximations: a clone is its original, and a second reader of a tape is that tape
    case "clone":
      return memory.unify(bind, expr.object);
    case "rewind":
      return memory.unify(bind, expr.tape);
    case "load":
      return bindPlace(bind, memory.placeAt(expr.object, expr.key), memory);
    case "pop":
      return bindPlace(bind, memory.placeAt(expr.tape, slotOf(bind.type)), memory);
    default:
      return buildFresh(bind, expr, memory, callees);
  }
}

/** The kinds of expression whose value is an object already in the graph. */
type Alias = "copy" | "unwrap" | "clone" | "rewind" | "load" | "pop";
type Fresh = Exclude<Expr, { readonly kind: Alias }>;

function bindPlace(bind: Var, place: Region | null, memory: Memory): void {
  if (place !== null && isAggregate(bind.type)) memory.bind(bind, place);
}

function buildFresh(bind: Var, expr: Fresh, memory: Memory, callees: Callees): void {
  const object = memory.region(bind);
  const put = (key: string, value: Atom | null): void => {
    if (object !== null && value !== null)
      joinValue(memory.place(object, bind.type, key), value, memory);
  };
  switch (expr.kind) {
    case "array":
      return expr.parts.forEach(({ spread, atom }) =>
        spread ? shareElements(bind, atom, memory) : put(ELEMENTS, atom),
      );
    case "tuple":
      return expr.elems.forEach((elem, i) => put(String(i), elem));
    case "record":
      return expr.fields.forEach((field) => put(field.name, field.value));
    case "alloc":
      return put(ELEMENTS, expr.fill);
    case "slice":
      return shareElements(bind, expr.object, memory);
    case "removeLast":
      return buildRemoveLast(expr.object, object, memory);
    case "call":
      return buildCall(bind, expr.callee, expr.args, memory, callees);
    case "extern":
      return buildExtern(bind, expr, object, memory);
    // the function may be called by anyone who gets it
    case "lambda":
      return buildBody(expr.body, memory, callees);
    case "op":
    case "length":
    case "present":
    case "zeros":
    case "newTape":
      return;
  }
}

function buildRemoveLast(array: Atom, removed: Region | null, memory: Memory): void {
  const from = memory.region(array);
  if (from === null) return;
  memory.place(from, array.type, "length").written = true;
  from.changed = true;
  if (removed !== null) memory.place(from, array.type, ELEMENTS).unify(removed);
}

/** Foreign code with effects may write its operands; its result may be part of one of them. */
function buildExtern(
  bind: Var,
  expr: Expr & { kind: "extern" },
  object: Region | null,
  memory: Memory,
): void {
  for (const [at, arg] of expr.args.entries()) {
    // an inert call changes its first operand alone: `seen.add(node)`
    if (expr.effect === "io" && (expr.inert !== true || at === 0))
      for (const region of reachableFrom(arg, memory)) region.written = region.changed = true;
    if (expr.inert !== true && memory.holdsNumbers(bind.type)) memory.unify(bind, arg);
    if (expr.inert === true && bind.type.kind === "array") memory.keys(arg);
    const of = isStopGradient({ kind: "let", bind, expr, origin: memory.func.origin })
      ? memory.region(arg)
      : null;
    if (of !== null && object !== null) memory.seen.push({ own: object, of });
  }
}

function reachableFrom(atom: Atom, memory: Memory): Iterable<Region> {
  const region = memory.region(atom);
  return region === null ? [] : memory.reachable(region);
}

/** A shallow copy: elements that are objects are shared. */
function shareElements(bind: Atom, source: Atom, memory: Memory): void {
  const into = memory.region(bind);
  const from = memory.region(source);
  if (into === null || from === null) return;
  const target = memory.place(into, bind.type, ELEMENTS);
  const origin = memory.place(from, source.type, ELEMENTS);
  const elem = memory.placeType(source.type, ELEMENTS);
  if (elem !== null && isAggregate(elem)) target.unify(origin);
}

/** The caller's region for a callee's place; a recursive type maps to the region above it. */
function placeLike(inner: Region, owner: Region): Region {
  const anchors = [...inner.path].flatMap(([anchor, region]) =>
    region.find() === inner ? [anchor] : [],
  );
  for (const anchor of anchors) {
    const above = owner.path.get(anchor);
    if (above !== undefined) return above.find();
  }
  const path = new Map(owner.path);
  const made = new Region(path);
  for (const anchor of anchors) path.set(anchor, made);
  made.external = owner.external;
  made.holds = inner.holds;
  made.mixed = inner.mixed;
  made.isKeys = inner.isKeys;
  return made;
}

/** Copies the callee's effects on its parameters' memory onto the memory of the arguments. */
function buildCall(
  bind: Atom,
  callee: string,
  args: readonly Atom[],
  memory: Memory,
  callees: Callees,
): void {
  const graph = callees(callee);
  if (graph === undefined) return;
  const image = new Map<Region, Region>();
  const visit = (inner: Region, outer: Region): void => {
    const from = inner.find();
    const known = image.get(from);
    if (known !== undefined) {
      known.unify(outer);
      return;
    }
    image.set(from, outer);
    if (from.written) outer.find().written = true;
    if (from.changed) outer.find().changed = true;
    outer.find().recordAccess(from.holds, from.mixed);
    for (const [key, place] of from.places) {
      const at = outer.find().places.get(key);
      if (at !== undefined) visit(place, at);
      else if (image.has(place.find()))
        outer.find().places.set(key, image.get(place.find()) ?? place);
      else {
        const made = placeLike(place.find(), outer.find());
        outer.find().places.set(key, made);
        visit(place, made);
      }
    }
    outer.find().hasAnyKey ||= from.hasAnyKey;
    outer.find().joinPositions();
  };
  graph.func.params.forEach((param, i) => {
    const inner = graph.region(param);
    const arg = args[i];
    const outer = arg === undefined ? null : memory.region(arg);
    if (inner !== null && outer !== null) visit(inner, outer);
  });
  const result = memory.region(bind);
  if (graph.result !== null && result !== null) visit(graph.result, result);
  for (const { own, of } of graph.seen) {
    const [outer, original] = [image.get(own.find()), image.get(of.find())];
    if (outer !== undefined && original !== undefined)
      memory.seen.push({ own: outer, of: original });
  }
}
