// Which values carry derivatives: those that depend on an active argument and reach an output. In: an ssa function, its memory, which
// arguments are active. Out: sets of names and regions. Invariant: an over-approximation; what is left out has derivative zero.

import type { Atom, Body, Expr, Func, Let, Stmt, Type } from "../ir/types.ts";
import { hasNumbers, resolve, type Types } from "../ir/shadow.ts";
import { partialOf } from "../rules/rule.ts";
import { SCALAR } from "../rules/scalar.ts";
import { definedVars, unreachable } from "../ir/visit.ts";
import { type Memory, type Region, isAggregate, SLOT } from "./memory.ts";

export interface Activity {
  readonly variedNames: ReadonlySet<string>;
  readonly usefulNames: ReadonlySet<string>;
  readonly varied: ReadonlySet<Region>;
  readonly useful: ReadonlySet<Region>;
}

export interface ActivityRequest {
  readonly func: Func;
  readonly memory: Memory;
  readonly types: Types;
  readonly graphs: ReadonlyMap<string, Memory>;
  /** Positions of the active arguments. */
  readonly active: readonly number[];
  /** Whether callers may read what the function writes into its arguments (a `revf` that others call). */
  readonly writesAreOutputs: boolean;
}

/** Integer arrays truncate what is stored, so nothing passes through them. */
const TRUNCATING: ReadonlySet<string> = new Set(["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array"]);
const truncates = (type: Type): boolean => type.kind === "array" && TRUNCATING.has(type.store);

class Flow {
  readonly names = new Set<string>();
  readonly regions = new Set<Region>();
  changed = false;
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  has(atom: Atom): boolean {
    return atom.kind === "var" && this.names.has(atom.name);
  }

  mark(atom: Atom): void {
    if (atom.kind !== "var" || this.names.has(atom.name) || !carries(atom.type)) return;
    this.names.add(atom.name);
    this.changed = true;
  }

  hasRegion(region: Region | null): boolean {
    return region !== null && this.regions.has(region.find());
  }

  markRegion(region: Region | null): void {
    if (region === null || this.regions.has(region.find())) return;
    this.regions.add(region.find());
    this.changed = true;
  }

  /** All that an aggregate reaches. */
  markAll(atom: Atom): void {
    const region = this.#memory.region(atom);
    if (region !== null) for (const inner of this.#memory.reachable(region)) this.markRegion(inner);
    this.mark(atom);
  }

  /** Whether any number that the atom is or reaches is in the flow. */
  reaches(atom: Atom): boolean {
    const region = this.#memory.region(atom);
    return region === null ? this.has(atom) : [...this.#memory.reachable(region)].some((inner) => this.regions.has(inner));
  }
}

/** A number whose type lists its values tells the members of a union apart and never varies. Leaves count, too: a text made of an active number may be turned into a number again. */
const carries = (type: Type): boolean => (type.kind === "num" && type.literal === undefined) || type.kind === "leaf" || (type.kind === "opt" && carries(type.of));

export function activityOf(request: ActivityRequest): Activity {
  const varied = flow(request, (state) => {
    for (const position of request.active) {
      const param = request.func.params[position];
      if (param !== undefined) state.markAll(param);
    }
    if (request.writesAreOutputs) for (const region of handedOut(request)) state.markRegion(region);
  }, forward);
  const useful = flow(request, (state) => {
    for (const atom of request.func.body.result) state.markAll(atom);
    if (request.writesAreOutputs) for (const param of request.func.params) markWritten(param, request.memory, state);
  }, backward);
  return { variedNames: varied.names, usefulNames: useful.names, varied: varied.regions, useful: useful.regions };
}

/**
 * Fresh objects in the result, without their numbers: callers may write into them what varies, and two places that are one object are one in
 * the shadow, too.
 */
function handedOut({ func, memory, types }: ActivityRequest): readonly Region[] {
  const reached = memory.result === null ? new Set<Region>() : memory.reachable(memory.result);
  return definedVars(func.body).flatMap(({ name, type }) => {
    const region = hasNumbers(type, types) && !truncates(resolve(type, types)) ? memory.region({ kind: "var", name, type }) : null;
    return region !== null && !region.external && reached.has(region) ? [region] : [];
  });
}

function markWritten(param: Atom, memory: Memory, state: Flow): void {
  const region = memory.region(param);
  if (region === null) return;
  for (const inner of memory.reachable(region)) if (inner.written) state.markRegion(inner);
}

type Step = (stmt: Stmt, state: Flow, request: ActivityRequest) => void;

function flow(request: ActivityRequest, seed: (state: Flow) => void, step: Step): Flow {
  const state = new Flow(request.memory);
  seed(state);
  do {
    state.changed = false;
    visit(request.func.body, (stmt) => step(stmt, state, request));
  } while (state.changed);
  return state;
}

function visit(body: Body, step: (stmt: Stmt) => void): void {
  for (const stmt of body.stmts) {
    if (stmt.kind === "if") { visit(stmt.then, step); visit(stmt.else, step); }
    if (stmt.kind === "for" || stmt.kind === "while") visit(stmt.body, step);
    if (stmt.kind === "while") visit(stmt.test, step);
    step(stmt);
  }
}

/** Pairs of (what flows in, what it flows into) at the joins of a statement. */
function joins(stmt: Stmt): readonly (readonly [from: Atom, to: Atom])[] {
  const pairs: [Atom, Atom][] = [];
  const add = (from: Atom | undefined, to: Atom | undefined): void => { if (from !== undefined && to !== undefined) pairs.push([from, to]); };
  if (stmt.kind === "if") stmt.binds.forEach((bind, i) => { add(stmt.then.result[i], bind); add(stmt.else.result[i], bind); });
  if (stmt.kind === "for" || stmt.kind === "while") {
    stmt.carried.forEach(({ param, init }, i) => {
      add(init, param); add(stmt.body.result[i], param); add(param, stmt.binds[i]);
    });
  }
  return pairs;
}

const contributes = (expr: Expr & { kind: "op" }, i: number): boolean => partialOf(SCALAR[expr.op], i, expr.args.length) !== null;

const forward: Step = (stmt, state, request) => {
  for (const [from, to] of joins(stmt)) if (state.has(from)) state.mark(to);
  switch (stmt.kind) {
    case "let": return forwardLet(stmt, state, request);
    case "store": case "accum": case "append": case "fill": case "push":
      if (state.has(stmt.value) && !(stmt.kind !== "push" && truncates(stmt.object.type))) state.markRegion(placeOfStore(stmt, request.memory));
      return;
    case "if": case "for": case "while": case "throw": case "declare": case "assign": case "break": case "continue": case "return": case "scope": case "loop": return;
    default: return unreachable(stmt);
  }
};

function placeOfStore(stmt: Stmt, memory: Memory): Region | null {
  if (stmt.kind === "store" || stmt.kind === "accum") return memory.placeAt(stmt.object, stmt.key);
  if (stmt.kind === "push") return memory.placeAt(stmt.tape, SLOT);
  if (stmt.kind !== "append" && stmt.kind !== "fill") return null;
  return elements(stmt.object, memory);
}

function elements(object: Atom, memory: Memory): Region | null {
  const region = memory.region(object);
  return region === null ? null : memory.place(region, object.type, "[]");
}

/** What a fresh aggregate is made of: (value, place it goes to). */
function parts({ bind, expr }: Let, memory: Memory): readonly (readonly [value: Atom | Region, place: Region | null])[] {
  const region = memory.region(bind);
  if (region === null) return [];
  const at = (key: string): Region => memory.place(region, bind.type, key);
  const from = (object: Atom): Region | Atom => elements(object, memory) ?? object;
  switch (expr.kind) {
    case "array": return expr.parts.map((part) => [part.spread ? from(part.atom) : part.atom, at("[]")] as const);
    case "tuple": return expr.elems.map((elem, i) => [elem, at(String(i))] as const);
    case "record": return expr.fields.map(({ name, value }) => [value, at(name)] as const);
    case "alloc": return expr.fill === null ? [] : [[expr.fill, at("[]")]];
    case "slice": return [[from(expr.object), at("[]")]];
    default: return [];
  }
}

const isRegion = (value: Atom | Region): value is Region => !("kind" in value);

function forwardLet(stmt: Let, state: Flow, request: ActivityRequest): void {
  const { bind, expr } = stmt;
  for (const [value, place] of parts(stmt, request.memory)) {
    if (truncates(bind.type)) continue;
    if (isRegion(value) ? state.hasRegion(value) : state.has(value)) state.markRegion(place);
  }
  switch (expr.kind) {
    case "copy": if (state.has(expr.atom)) state.mark(bind); return;
    case "unwrap": if (state.has(expr.value)) state.mark(bind); return;
    case "op": if (expr.args.some((arg, i) => state.has(arg) && contributes(expr, i))) state.mark(bind); return;
    case "load": if (state.hasRegion(request.memory.placeAt(expr.object, expr.key)) && !truncates(expr.object.type)) state.mark(bind); return;
    case "removeLast": if (state.hasRegion(elements(expr.object, request.memory))) state.mark(bind); return;
    case "pop": if (state.hasRegion(request.memory.placeAt(expr.tape, SLOT))) state.mark(bind); return;
    case "call":
      if (!expr.args.some((arg) => state.reaches(arg))) return;
      state.markAll(bind);
      markCallWrites(expr, state, request);
      return;
    case "extern": if (expr.inert !== true && expr.args.some((arg) => state.reaches(arg))) state.markAll(bind); return;
    default: return;
  }
}

/** Memory that the callee may write, through its arguments. */
function markCallWrites(expr: Expr & { kind: "call" }, state: Flow, { memory }: ActivityRequest): void {
  for (const arg of expr.args) markWritten(arg, memory, state);
}

const backward: Step = (stmt, state, request) => {
  for (const [from, to] of joins(stmt)) if (state.has(to)) state.mark(from);
  switch (stmt.kind) {
    case "let": return backwardLet(stmt, state, request);
    case "store": case "accum": case "append": case "fill": case "push":
      if (state.hasRegion(placeOfStore(stmt, request.memory))) state.mark(stmt.value);
      return;
    case "if": case "for": case "while": case "throw": case "declare": case "assign": case "break": case "continue": case "return": case "scope": case "loop": return;
    default: return unreachable(stmt);
  }
};

function backwardLet(stmt: Let, state: Flow, request: ActivityRequest): void {
  const { bind, expr } = stmt;
  const { memory } = request;
  for (const [value, place] of parts(stmt, memory)) {
    if (!state.hasRegion(place)) continue;
    if (isRegion(value)) state.markRegion(value);
    else state.mark(value);
  }
  switch (expr.kind) {
    case "copy": if (state.has(bind)) state.mark(expr.atom); return;
    case "unwrap": if (state.has(bind)) state.mark(expr.value); return;
    case "op": if (state.has(bind)) expr.args.forEach((arg, i) => { if (contributes(expr, i)) state.mark(arg); }); return;
    case "load": if (state.has(bind)) state.markRegion(memory.placeAt(expr.object, expr.key)); return;
    case "removeLast": if (state.has(bind)) state.markRegion(elements(expr.object, memory)); return;
    case "pop": if (state.has(bind)) state.markRegion(memory.placeAt(expr.tape, SLOT)); return;
    case "call": if (callIsUseful(bind, expr, state, request)) for (const arg of expr.args) state.markAll(arg); return;
    default: return;
  }
}

/** A call matters when its result does, or when it writes memory that does. */
export function callIsUseful(bind: Atom, expr: Expr & { kind: "call" }, state: Pick<Flow, "reaches">, { memory, graphs, types }: Pick<ActivityRequest, "memory" | "graphs" | "types">): boolean {
  if (hasNumbers(bind.type, types) && state.reaches(bind)) return true;
  const graph = graphs.get(expr.callee);
  return graph !== undefined && graph.func.params.some((param, i) => {
    const region = isAggregate(param.type) ? graph.region(param) : null;
    const arg = expr.args[i];
    return region !== null && arg !== undefined && [...graph.reachable(region)].some((inner) => inner.written) && memory.region(arg) !== null;
  });
}
