// Which names may mean the same memory. In: an ssa function and the memory graphs of its callees. Out: a graph of abstract objects.
// Unification (Steensgaard) with fields: two names of one class may be aliases, names of different classes are not, except that objects
// that come from outside may be each other wherever their places have the same key and kind. Invariant: graphs only ever merge.

import type { Atom, Body, Expr, Func, Key, Stmt, Type, Var } from "../ir/types.ts";
import { printType } from "../ir/print.ts";
import { hasNumbers, resolve, type Types } from "../ir/shadow.ts";
import { isStopped } from "../ir/stopped.ts";

/** An abstract object and its places. A place of scalar type is a node without places of its own. */
export class Region {
  #forward: Region | null = null;
  readonly places = new Map<string, Region>();
  /** Reached from a parameter or a global: other names outside may mean the same object. */
  external = false;
  /** Something is stored here after the object was made. */
  written = false;
  /** Named types on the way to this node, so that recursive types stay finite. */
  path: ReadonlyMap<string, Region>;

  constructor(path: ReadonlyMap<string, Region>) {
    this.path = path;
  }

  find(): Region {
    let region: Region = this;
    while (region.#forward !== null) region = region.#forward;
    return region;
  }

  /** Makes both one; true if anything changed. */
  unify(that: Region): boolean {
    const into = this.find();
    const from = that.find();
    if (into === from) return false;
    from.#forward = into;
    into.external ||= from.external;
    into.written ||= from.written;
    // either's way back to a type ends a recursion
    if ([...from.path.keys()].some((anchor) => !into.path.has(anchor))) into.path = new Map([...from.path, ...into.path]);
    for (const [key, place] of from.places) {
      const known = into.places.get(key);
      if (known === undefined) into.places.set(key, place);
      else known.unify(place);
    }
    return true;
  }
}

/** The place of all elements of an array. */
export const ELEMENTS = "[]";

/** Any slot of a tape. */
export const SLOT: Key = { kind: "field", name: ELEMENTS };

/** Name of the place that a key means: all elements of an array are one place. */
export function placeOf(key: Key): string {
  if (key.kind === "field") return key.name;
  return key.at.kind === "const" && typeof key.at.value === "number" ? String(key.at.value) : ELEMENTS;
}

/** What makes a type come back to itself: its name, or of a union or a shadow without one its text. */
const anchorOf = (type: Type): string | null => (type.kind === "named" ? type.name : type.kind === "union" || type.kind === "cotangent" ? printType(type) : null);

/** Opaque values count: what goes in may come out again. */
export const isAggregate = (type: Type): boolean =>
  (type.kind === "leaf" && type.opaque === true) ||
  type.kind === "tape" || type.kind === "array" || type.kind === "tuple" || type.kind === "record" || type.kind === "dict" || type.kind === "union" || type.kind === "named" || type.kind === "cotangent" || (type.kind === "opt" && isAggregate(type.of));

export class Memory {
  readonly #regions = new Map<string, Region>();
  readonly #types: Types;
  readonly func: Func;
  result: Region | null = null;

  constructor(func: Func, types: Types) {
    this.func = func;
    this.#types = types;
  }

  /** Objects that are seen without derivative, with what they are. */
  readonly seen: { readonly own: Region; readonly of: Region }[] = [];

  /** The places that a place may be though its region is another one: it is seen without derivative. */
  originals(place: Region): ReadonlySet<Region> {
    const found = new Set<Region>();
    for (const { own, of } of this.seen) if (this.reachable(own).has(place.find())) for (const inner of this.reachable(of)) found.add(inner);
    return found;
  }

  /** The object that an aggregate atom means; null for scalars. */
  region(atom: Atom): Region | null {
    if (atom.kind === "const" || atom.kind === "undef" || atom.type.kind === "num" || !isAggregate(atom.type)) return null;
    const name = atom.kind === "global" ? `global ${atom.name}` : atom.name;
    const known = this.#regions.get(name);
    if (known !== undefined) return known.find();
    const made = this.#make(atom.type, new Map());
    made.external = atom.kind === "global";
    this.#regions.set(name, made);
    return made;
  }

  #make(type: Type, path: ReadonlyMap<string, Region>): Region {
    const name = type.kind === "opt" ? type.of : type;
    const anchor = anchorOf(name);
    if (anchor === null) return new Region(path);
    const own = new Map(path);
    const region = new Region(own);
    own.set(anchor, region);
    return region;
  }

  /** The place `key` of an object of type `type`. */
  place(object: Region, type: Type, key: string): Region {
    const owner = object.find();
    const shape = this.#shape(type);
    // an element read by a variable index may be any position
    if (shape.kind === "tuple" && key === ELEMENTS) {
      shape.elems.forEach((_, i) => this.place(owner, type, String(i)).unify(this.place(owner, type, "0")));
      return this.place(owner, type, "0");
    }
    const name = shape.kind === "array" || shape.kind === "dict" ? ELEMENTS : key;
    const known = owner.find().places.get(name);
    if (known !== undefined) return known.find();
    const placeType = this.placeType(type, name);
    const inner = placeType?.kind === "opt" ? placeType.of : placeType;
    const anchor = inner === null || inner === undefined ? null : anchorOf(inner);
    const above = anchor === null ? undefined : owner.path.get(anchor);
    const made = above ?? this.#make(placeType ?? type, owner.path);
    if (above === undefined) made.external = owner.external;
    owner.places.set(name, made);
    return made.find();
  }

  #shape(type: Type): Type {
    const resolved = resolve(type, this.#types);
    return resolved.kind === "opt" ? resolve(resolved.of, this.#types) : resolved;
  }

  holdsNumbers(type: Type): boolean {
    return hasNumbers(type, this.#types);
  }

  placeType(type: Type, key: string): Type | null {
    const shape = this.#shape(type);
    if (shape.kind === "array") return shape.elem;
    if (shape.kind === "dict") return shape.value;
    if (shape.kind === "tuple") return shape.elems[key === ELEMENTS ? 0 : Number(key)] ?? null;
    if (shape.kind === "record") return shape.fields.find((field) => field.name === key)?.type ?? null;
    // the variants' places of one name are one place
    if (shape.kind === "union") return shape.variants.map((variant) => (key !== ELEMENTS && this.#shape(variant).kind === "array" ? null : this.placeType(variant, key))).find((place) => place !== null) ?? null;
    return null;
  }

  /** The place that a load or store means, with the object it lies in; null if the object is no aggregate. */
  placeAt(object: Atom, key: Key): Region | null {
    const region = this.region(object);
    return region === null ? null : this.place(region, object.type, placeOf(key));
  }

  same(x: Atom, z: Atom): void {
    const right = this.region(z);
    if (right === null || !isAggregate(x.type)) return;
    if (x.kind === "var") this.means(x, right);
    else this.region(x)?.unify(right);
  }

  /** A name that is new is one more for the object, whatever variant of its type it says. */
  means(name: Var, object: Region): void {
    const known = this.#regions.get(name.name);
    if (known === undefined) this.#regions.set(name.name, object.find());
    else known.find().unify(object);
  }

  /** All regions reachable from `from`, itself included. */
  reachable(from: Region): ReadonlySet<Region> {
    const seen = new Set<Region>();
    const visit = (region: Region): void => {
      const node = region.find();
      if (seen.has(node)) return;
      seen.add(node);
      for (const place of node.places.values()) visit(place);
    };
    visit(from);
    return seen;
  }

  /** Objects of enclosing scopes. */
  globals(): readonly Region[] {
    return [...this.#regions].flatMap(([name, region]) => (name.startsWith("global ") ? [region.find()] : []));
  }

  /** Names of globals of which some memory is written. */
  writtenGlobals(): readonly string[] {
    return [...this.#regions].flatMap(([name, region]) => (name.startsWith("global ") && [...this.reachable(region)].some((inner) => inner.written) ? [name.slice(7)] : []));
  }

  regions(): IterableIterator<Region> {
    return this.#regions.values();
  }
}

/** Memory graphs of all functions of a program, callees' first; recursion is iterated until nothing changes. */
export function memoryOf(funcs: ReadonlyMap<string, Func>, types: Types): ReadonlyMap<string, Memory> {
  let graphs = new Map<string, Memory>();
  let before = "";
  for (let round = 0; round < 12; round++) {
    const next = new Map<string, Memory>();
    for (const func of funcs.values()) next.set(func.name, build(func, types, (callee) => next.get(callee) ?? graphs.get(callee)));
    graphs = next;
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
    const places = [...node.places].sort(([x], [z]) => (x < z ? -1 : 1)).map(([key, place]) => `${key}:${show(place)}`);
    return `${node.written ? "!" : ""}{${places.join(",")}}`;
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
    case "let": return buildExpr(stmt.bind, stmt.expr, memory, callees);
    case "store": {
      const place = memory.placeAt(stmt.object, stmt.key);
      if (place === null) return;
      if (stmt.initial !== true) place.written = true;
      joinValue(place, stmt.value, memory);
      return;
    }
    case "append": case "fill": {
      const object = memory.region(stmt.object);
      if (object === null) return;
      const place = memory.place(object, stmt.object.type, ELEMENTS);
      place.written = true;
      if (stmt.kind === "append") memory.place(object, stmt.object.type, "length").written = true;
      joinValue(place, stmt.value, memory);
      return;
    }
    case "accum": {
      const place = memory.placeAt(stmt.object, stmt.key);
      if (place !== null) place.written = true;
      return;
    }
    case "if":
      buildBody(stmt.then, memory, callees);
      buildBody(stmt.else, memory, callees);
      stmt.binds.forEach((bind, i) => {
        for (const atom of [stmt.then.result[i], stmt.else.result[i]]) if (atom !== undefined) memory.same(bind, atom);
      });
      return;
    case "for": case "while":
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
      const place = memory.placeAt(stmt.tape, SLOT);
      if (place === null) return;
      place.written = true;
      joinValue(place, stmt.value, memory);
      return;
    }
    case "throw": case "declare": case "assign": case "break": case "continue": case "return": case "scope": case "loop": return;
  }
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
    const place = expr.kind === "load" ? memory.placeAt(expr.object, expr.key) : memory.placeAt(expr.tape, SLOT);
    if (place !== null && isAggregate(bind.type)) memory.means(bind, place);
    return;
  }
  const object = memory.region(bind);
  const put = (key: string, value: Atom): void => {
    if (object !== null) joinValue(memory.place(object, bind.type, key), value, memory);
  };
  switch (expr.kind) {
    case "array":
      for (const part of expr.parts) if (part.spread) shareElements(bind, part.atom, memory); else put(ELEMENTS, part.atom);
      return;
    case "tuple": return expr.elems.forEach((elem, i) => put(String(i), elem));
    case "record": return expr.fields.forEach((field) => put(field.name, field.value));
    case "alloc": if (expr.fill !== null) put(ELEMENTS, expr.fill); return;
    case "slice": return shareElements(bind, expr.object, memory);
    case "removeLast": {
      const from = memory.region(expr.object);
      if (from === null) return;
      memory.place(from, expr.object.type, "length").written = true;
      if (object !== null) memory.place(from, expr.object.type, ELEMENTS).unify(object);
      return;
    }
    case "call": return buildCall(bind, expr.callee, expr.args, memory, callees);
    case "extern":
      // foreign code that acts may write what it is given; what it returns may be part of it
      for (const arg of expr.args) {
        if (expr.effect === "io") for (const region of reachableFrom(arg, memory)) region.written = true;
        if (expr.inert !== true && memory.holdsNumbers(bind.type)) memory.same(bind, arg);
        const of = isStopped({ kind: "let", bind, expr, origin: memory.func.origin }) ? memory.region(arg) : null;
        if (of !== null && object !== null) memory.seen.push({ own: object, of });
      }
      return;
    // whoever gets the function may call it
    case "lambda": return buildBody(expr.body, memory, callees);
    case "op": case "length": case "present": case "zeros": case "newTape": return;
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
  const anchors = [...inner.path].flatMap(([anchor, region]) => (region.find() === inner ? [anchor] : []));
  for (const anchor of anchors) {
    const above = owner.path.get(anchor);
    if (above !== undefined) return above.find();
  }
  const path = new Map(owner.path);
  const made = new Region(path);
  for (const anchor of anchors) path.set(anchor, made);
  made.external = owner.external;
  return made;
}

/** Copies what the callee does to its arguments' memory onto the memory of the call's arguments. */
function buildCall(bind: Atom, callee: string, args: readonly Atom[], memory: Memory, callees: Callees): void {
  const graph = callees(callee);
  if (graph === undefined) return;
  const image = new Map<Region, Region>();
  const visit = (inner: Region, outer: Region): void => {
    const from = inner.find();
    const known = image.get(from);
    if (known !== undefined) { known.unify(outer); return; }
    image.set(from, outer);
    if (from.written) outer.find().written = true;
    for (const [key, place] of from.places) {
      const at = outer.find().places.get(key);
      if (at !== undefined) visit(place, at);
      else if (image.has(place.find())) outer.find().places.set(key, image.get(place.find()) ?? place);
      else {
        const made = placeLike(place.find(), outer.find());
        outer.find().places.set(key, made);
        visit(place, made);
      }
    }
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
    if (outer !== undefined && original !== undefined) memory.seen.push({ own: outer, of: original });
  }
}
