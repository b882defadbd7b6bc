// Which values carry derivatives: those that depend on an active argument and reach an output. In: an ssa function, its memory, which
// arguments are active. Out: sets of names and regions. Invariant: an over-approximation; what is left out has derivative zero.

import type { Atom, Expr, Func, Let, Stmt } from "../../ir/types.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import { partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { definedVars, unreachable } from "../../ir/visit.ts";
import { NOTHING, type Summary, summaryOf } from "../memory/call-summary.ts";
import {
  elements,
  Flow,
  isRegion,
  joins,
  markWritten,
  type Part,
  partPut,
  parts,
  PARTS,
  placeOfStore,
  truncates,
  visit,
  visitBackwards,
  writtenIn,
} from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import { type Region, isAggregate, isText, slotOf } from "../memory/region.ts";

export interface Activity {
  /** Whether texts in a value are made of what varies. */
  readonly textsVary: (atom: Atom) => boolean;
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
  /** Whether an object comes from outside, unasked for and never written: numbers in it do not vary, whatever joins the object with others. */
  readonly isData: (atom: Atom) => boolean;
}

export function activityOf(request: ActivityRequest): Activity {
  const varied = flow(
    request,
    (state) => {
      for (const position of request.active) {
        const param = request.func.params[position];
        // what is asked for are numbers
        if (param !== undefined) state.markAll(param, "numbers");
      }
      if (request.writesAreOutputs)
        for (const region of handedOut(request)) state.markRegion(region);
    },
    forward,
    visit,
  );
  const useful = flow(
    request,
    (state) => {
      for (const atom of request.func.body.result) state.markAll(atom);
      if (request.writesAreOutputs)
        for (const param of request.func.params) markWritten(param, request.memory, state);
    },
    backward,
    visitBackwards,
  );
  return {
    textsVary: (atom) => varied.reaches(atom, "texts"),
    variedNames: varied.names,
    usefulNames: useful.names,
    varied: varied.regions,
    useful: useful.regions,
  };
}

/**
 * Fresh objects in the result, without their numbers: callers may write into them what varies, and two places that are one object are one in
 * the shadow, too.
 */
function handedOut({ func, memory, types }: ActivityRequest): readonly Region[] {
  const reached = memory.result === null ? new Set<Region>() : memory.reachable(memory.result);
  return definedVars(func.body).flatMap(({ name, type }) => {
    const region =
      hasNumbers(type, types) && !truncates(resolve(type, types))
        ? memory.region({ kind: "var", name, type })
        : null;
    return region !== null && !region.external && reached.has(region) ? [region] : [];
  });
}

type FlowRequest = Pick<ActivityRequest, "func" | "memory" | "types" | "graphs"> &
  Partial<Pick<ActivityRequest, "isData">>;
type Step = (stmt: Stmt, state: Flow, request: FlowRequest) => void;

/** `order` decides how many rounds it takes, and nothing else. */
function flow(
  request: FlowRequest,
  seed: (state: Flow) => void,
  step: Step,
  order: typeof visit,
): Flow {
  const state = new Flow(request.memory);
  seed(state);
  do {
    state.changed = false;
    order(request.func.body, (stmt) => step(stmt, state, request));
  } while (state.changed);
  return state;
}

const contributes = (expr: Expr & { kind: "op" }, i: number): boolean =>
  partialOf(SCALAR[expr.op], i, expr.args.length) !== null;

const forward: Step = (stmt, state, request) => {
  for (const [from, to] of joins(stmt)) if (state.has(from)) state.mark(to);
  switch (stmt.kind) {
    case "let":
      return forwardLet(stmt, state, request);
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
      if (state.has(stmt.value) && !(stmt.kind !== "push" && truncates(stmt.object.type)))
        state.markRegion(placeOfStore(stmt, request.memory), partPut(stmt.value));
      if (
        (stmt.kind === "store" || stmt.kind === "accum") &&
        stmt.key.kind === "index" &&
        state.has(stmt.key.at)
      )
        state.markRegion(request.memory.keys(stmt.object));
      return;
    case "reserve":
    case "if":
    case "for":
    case "while":
    case "throw":
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
    case "loop":
      return;
    default:
      return unreachable(stmt);
  }
};

function forwardLet(stmt: Let, state: Flow, request: FlowRequest): void {
  const { bind, expr } = stmt;
  for (const [value, place] of parts(stmt, request.memory)) {
    if (truncates(bind.type)) continue;
    if (isRegion(value)) state.markCopied(value, place);
    else if (state.has(value)) state.markRegion(place, partPut(value));
  }
  switch (expr.kind) {
    case "copy":
      if (state.has(expr.atom)) state.mark(bind);
      return;
    case "unwrap":
      if (state.has(expr.value)) state.mark(bind);
      return;
    case "op":
      if (expr.args.some((arg, i) => state.has(arg) && contributes(expr, i))) state.mark(bind);
      return;
    case "load":
      if (
        state.hasIn(request.memory.placeAt(expr.object, expr.key), bind.type) &&
        !truncates(expr.object.type) &&
        request.isData?.(expr.object) !== true
      )
        state.mark(bind);
      return;
    case "removeLast":
      if (state.hasIn(elements(expr.object, request.memory), bind.type)) state.mark(bind);
      return;
    // a text on a tape stands among objects that vary; what is made of it was found not to, or there would be no reverse code
    case "pop":
      if (
        !isText(bind.type) &&
        state.hasRegion(request.memory.placeAt(expr.tape, slotOf(bind.type)))
      )
        state.mark(bind);
      return;
    case "call":
      return forwardCall(bind, expr, state, request);
    case "extern":
      // of what is listed of a dict, its keys
      if (
        expr.inert === true
          ? bind.type.kind === "array" &&
            expr.args.some((arg) => state.hasRegion(request.memory.keys(arg)))
          : expr.args.some((arg) => state.reaches(arg))
      )
        state.markAll(bind);
      return;
    default:
      return;
  }
}

type Around = Pick<ActivityRequest, "memory" | "graphs" | "types">;

/** What varies behind a call: what the callee makes of what varies before it. */
function forwardCall(bind: Atom, expr: Expr & { kind: "call" }, state: Flow, around: Around): void {
  expr.args.forEach((arg, i) => {
    for (const part of PARTS) {
      if (!state.reaches(arg, part)) continue;
      const made = madeOf(expr, i, part, around);
      if (made === null || made.result) state.markAll(bind, "numbers");
      if (made === null || made.texts) state.markAll(bind, "texts");
      expr.args.forEach((other, at) => {
        if (made === null || made.written.includes(at)) markWritten(other, around.memory, state);
        if (made === null || made.keyed.includes(at))
          markWritten(other, around.memory, state, true);
      });
    }
  });
}

function madeOf(
  expr: Expr & { kind: "call" },
  argument: number,
  of: Part,
  { memory, graphs, types }: Around,
): Summary | null {
  return summaryOf(expr, argument, of, memory, graphs, ({ func, position, part }) => {
    const [graph, param] = [graphs.get(func.name), func.params[position]];
    if (graph === undefined || param === undefined) return NOTHING;
    const inner = flow(
      { func, memory: graph, types, graphs },
      (state) => state.markAll(param, part),
      forward,
      visit,
    );
    const returns = (what: Part): boolean =>
      func.body.result.some((atom) => inner.reaches(atom, what));
    const written = (ofKeys: boolean): readonly number[] =>
      func.params.flatMap((other, i) =>
        writtenIn(other, graph, ofKeys).some((each) => inner.hasRegion(each)) ? [i] : [],
      );
    return {
      result: returns("numbers"),
      texts: returns("texts"),
      written: written(false),
      keyed: written(true),
      linked: isLinked(param, func, graph),
    };
  });
}

function isLinked(param: Atom, { params }: Func, memory: Memory): boolean {
  const region = memory.region(param);
  if (region === null) return false;
  const reached = new Set([...memory.reachable(region)].map((inner) => inner.find()));
  return params.some((other) => {
    const at = other === param ? null : memory.region(other);
    return at !== null && [...memory.reachable(at)].some((inner) => reached.has(inner.find()));
  });
}

/** Whether a callee makes nothing of an argument: its derivative does not need it. */
export const isIgnored = (
  expr: Expr & { kind: "call" },
  position: number,
  around: Around,
): boolean => {
  const made = madeOf(expr, position, "numbers", around);
  return (
    made !== null &&
    !made.result &&
    !made.texts &&
    !made.linked &&
    made.written.length === 0 &&
    made.keyed.length === 0
  );
};

/** Whether a callee makes numbers of the texts in an argument, of which its derivative would know nothing. */
export function readsTexts(
  expr: Expr & { kind: "call" },
  position: number,
  around: Around,
): boolean {
  const made = madeOf(expr, position, "texts", around);
  const arg = expr.args[position];
  // what is known of nothing may write into an object that it sees, such as a list of messages
  if (made === null) return arg !== undefined && around.memory.region(arg) === null;
  return made.result || made.written.length > 0;
}

const backward: Step = (stmt, state, request) => {
  for (const [from, to] of joins(stmt)) if (state.has(to)) state.mark(from);
  switch (stmt.kind) {
    case "let":
      return backwardLet(stmt, state, request);
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
      if (state.hasRegion(placeOfStore(stmt, request.memory))) state.mark(stmt.value);
      return;
    case "reserve":
    case "if":
    case "for":
    case "while":
    case "throw":
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
    case "loop":
      return;
    default:
      return unreachable(stmt);
  }
};

function backwardLet(stmt: Let, state: Flow, request: FlowRequest): void {
  const { bind, expr } = stmt;
  const { memory } = request;
  for (const [value, place] of parts(stmt, memory)) {
    if (!state.hasRegion(place)) continue;
    if (isRegion(value)) state.markRegion(value);
    else state.mark(value);
  }
  switch (expr.kind) {
    case "copy":
      if (state.has(bind)) state.mark(expr.atom);
      return;
    case "unwrap":
      if (state.has(bind)) state.mark(expr.value);
      return;
    case "op":
      if (state.has(bind))
        expr.args.forEach((arg, i) => {
          if (contributes(expr, i)) state.mark(arg);
        });
      return;
    case "load":
      if (state.has(bind)) state.markRegion(memory.placeAt(expr.object, expr.key));
      return;
    case "removeLast":
      if (state.has(bind)) state.markRegion(elements(expr.object, memory));
      return;
    case "pop":
      if (state.has(bind)) state.markRegion(memory.placeAt(expr.tape, slotOf(bind.type)));
      return;
    case "call":
      if (callIsUseful(bind, expr, state, request)) for (const arg of expr.args) state.markAll(arg);
      return;
    default:
      return;
  }
}

/** A call matters when its result does, or when it writes memory that does. */
export function callIsUseful(
  bind: Atom,
  expr: Expr & { kind: "call" },
  state: Pick<Flow, "reaches">,
  { memory, graphs, types }: Pick<ActivityRequest, "memory" | "graphs" | "types">,
): boolean {
  if (hasNumbers(bind.type, types) && state.reaches(bind)) return true;
  const graph = graphs.get(expr.callee);
  return (
    graph !== undefined &&
    graph.func.params.some((param, i) => {
      const region = isAggregate(param.type) ? graph.region(param) : null;
      const arg = expr.args[i];
      return (
        region !== null &&
        arg !== undefined &&
        [...graph.reachable(region)].some((inner) => inner.written) &&
        memory.region(arg) !== null
      );
    })
  );
}
