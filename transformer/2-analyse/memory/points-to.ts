// The memory graphs of a program. In: its ssa functions. Out: for each one what its statements join, calls included: what a callee does to its arguments' memory
// is copied onto that of the call's. Invariant: a graph joins at least what one run of the function can make one.

import type { Atom, Body, Expr, Func, Stmt, Var } from "../../ir/types.ts";
import type { Types } from "../../ir/shadow.ts";
import { isStopped } from "../../ir/stopped.ts";
import { Memory } from "./memory.ts";
import { ELEMENTS, isAggregate, Region, slotOf } from "./region.ts";

/** Memory graphs of all functions of a program, callees' first; recursion is iterated until nothing changes. */
export function memoryOf(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
): ReadonlyMap<string, Memory> {
  let graphs = new Map<string, Memory>();
  let before = "";
  for (let round = 0; round < 12; round++) {
    const next = new Map<string, Memory>();
    let isOpen = false;
    const graphOf = (callee: string): Memory | undefined => {
      if (!next.has(callee) && funcs.has(callee)) isOpen = true;
      return next.get(callee) ?? graphs.get(callee);
    };
    for (const func of funcs.values()) next.set(func.name, build(func, types, graphOf));
    graphs = next;
    // each callee's graph was there before it was asked for: another round would find the same
    if (!isOpen) break;
    const now = [...graphs.values()].map(signature).join("\n");
    if (now === before) break;
    before = now;
  }
  return graphs;
}

/** Canonical text of what callers can see of a graph: params and result, their sharing and writes. */
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
    return `${node.written ? "!" : ""}${node.changed ? "~" : ""}${node.holds}${node.mixed ? "?" : ""}{${places.join(",")}}`;
  };
  const parts = memory.func.params.map((param) => {
    const region = memory.region(param);
    return region === null ? "-" : show(region);
  });
  return `${memory.func.name}(${parts.join(";")})${memory.result === null ? "" : show(memory.result)}`;
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

/** What is reachable from outside is outside. */
function spreadExternal(memory: Memory): void {
  for (const region of memory.regions()) {
    if (region.find().external) for (const inner of memory.reachable(region)) inner.external = true;
  }
}

type Callees = (name: string) => Memory | undefined;

function buildBody(body: Body, memory: Memory, callees: Callees): void {
  for (const stmt of body.stmts) buildStmt(stmt, memory, callees);
}

function buildStmt(stmt: Stmt, memory: Memory, callees: Callees): void {
  switch (stmt.kind) {
    case "let":
      return buildExpr(stmt.bind, stmt.expr, memory, callees);
    case "store": {
      const place = memory.placeAt(stmt.object, stmt.key);
      if (place === null) return;
      if (stmt.initial !== true) {
        place.written = true;
        change(stmt.object, memory);
      }
      const keys =
        stmt.key.kind === "index" && stmt.key.at.kind === "var" ? memory.keys(stmt.object) : null;
      if (keys !== null) keys.written = true;
      joinValue(place, stmt.value, memory);
      return;
    }
    case "append":
    case "fill": {
      const object = memory.region(stmt.object);
      if (object === null) return;
      const place = memory.place(object, stmt.object.type, ELEMENTS);
      place.written = true;
      object.changed = true;
      if (stmt.kind === "append") memory.place(object, stmt.object.type, "length").written = true;
      joinValue(place, stmt.value, memory);
      return;
    }
    case "accum": {
      const place = memory.placeAt(stmt.object, stmt.key);
      if (place !== null) place.written = true;
      change(stmt.object, memory);
      return;
    }
    case "if":
      buildBody(stmt.then, memory, callees);
      buildBody(stmt.else, memory, callees);
      stmt.binds.forEach((bind, i) => {
        for (const atom of [stmt.then.result[i], stmt.else.result[i]])
          if (atom !== undefined) memory.same(bind, atom);
      });
      return;
    case "for":
    case "while":
      if (stmt.kind === "while") buildBody(stmt.test, memory, callees);
      buildBody(stmt.body, memory, callees);
      stmt.carried.forEach(({ param, init }, i) => {
        memory.same(param, init);
        const next = stmt.body.result[i];
        const bind = stmt.binds[i];
        if (next !== undefined) memory.same(param, next);
        if (bind !== undefined) memory.same(param, bind);
      });
      return;
    case "push": {
      const place = memory.placeAt(stmt.tape, slotOf(stmt.value.type));
      if (place === null) return;
      place.written = true;
      joinValue(place, stmt.value, memory);
      return;
    }
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

function change(object: Atom, memory: Memory): void {
  const region = memory.region(object);
  if (region !== null) region.changed = true;
}

function joinValue(place: Region, value: Atom, memory: Memory): void {
  const region = memory.region(value);
  if (region !== null) place.unify(region);
}

function buildExpr(bind: Var, expr: Expr, memory: Memory, callees: Callees): void {
  // before the name gets an object of its own
  if (expr.kind === "copy") return memory.same(bind, expr.atom);
  if (expr.kind === "unwrap") return memory.same(bind, expr.value);
  // over-approximations: a copy is taken for what it is a copy of, and all slots of a tape for one
  if (expr.kind === "clone") return memory.same(bind, expr.object);
  if (expr.kind === "rewind") return memory.same(bind, expr.tape);
  if (expr.kind === "load" || expr.kind === "pop") {
    const place =
      expr.kind === "load"
        ? memory.placeAt(expr.object, expr.key)
        : memory.placeAt(expr.tape, slotOf(bind.type));
    if (place !== null && isAggregate(bind.type)) memory.means(bind, place);
    return;
  }
  const object = memory.region(bind);
  const put = (key: string, value: Atom): void => {
    if (object !== null) joinValue(memory.place(object, bind.type, key), value, memory);
  };
  switch (expr.kind) {
    case "array":
      for (const part of expr.parts)
        if (part.spread) shareElements(bind, part.atom, memory);
        else put(ELEMENTS, part.atom);
      return;
    case "tuple":
      return expr.elems.forEach((elem, i) => put(String(i), elem));
    case "record":
      return expr.fields.forEach((field) => put(field.name, field.value));
    case "alloc":
      if (expr.fill !== null) put(ELEMENTS, expr.fill);
      return;
    case "slice":
      return shareElements(bind, expr.object, memory);
    case "removeLast": {
      const from = memory.region(expr.object);
      if (from === null) return;
      memory.place(from, expr.object.type, "length").written = true;
      from.changed = true;
      if (object !== null) memory.place(from, expr.object.type, ELEMENTS).unify(object);
      return;
    }
    case "call":
      return buildCall(bind, expr.callee, expr.args, memory, callees);
    case "extern":
      // foreign code that acts may write what it is given; what it returns may be part of it
      for (const [at, arg] of expr.args.entries()) {
        // what says nothing of its operands changes the first alone: `seen.add(node)`
        if (expr.effect === "io" && (expr.inert !== true || at === 0))
          for (const region of reachableFrom(arg, memory)) region.written = region.changed = true;
        if (expr.inert !== true && memory.holdsNumbers(bind.type)) memory.same(bind, arg);
        if (expr.inert === true && bind.type.kind === "array") memory.keys(arg);
        const of = isStopped({ kind: "let", bind, expr, origin: memory.func.origin })
          ? memory.region(arg)
          : null;
        if (of !== null && object !== null) memory.seen.push({ own: object, of });
      }
      return;
    // whoever gets the function may call it
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

function reachableFrom(atom: Atom, memory: Memory): Iterable<Region> {
  const region = memory.region(atom);
  return region === null ? [] : memory.reachable(region);
}

/** A shallow copy: elements that are objects are the same objects. */
function shareElements(bind: Atom, source: Atom, memory: Memory): void {
  const into = memory.region(bind);
  const from = memory.region(source);
  if (into === null || from === null) return;
  const target = memory.place(into, bind.type, ELEMENTS);
  const origin = memory.place(from, source.type, ELEMENTS);
  const elem = memory.placeType(source.type, ELEMENTS);
  if (elem !== null && isAggregate(elem)) target.unify(origin);
}

/** A place for what a callee has at its: of a type that lies on the way to it, the object on the way. */
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

/** Copies what the callee does to its arguments' memory onto the memory of the call's arguments. */
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
    outer.find().meets(from.holds, from.mixed);
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
