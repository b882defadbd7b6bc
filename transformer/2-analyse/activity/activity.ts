// Activity analysis: the values that depend on an active argument (varied) and reach an output
// (useful), as in Tapenade (Hascoët and Pascual, 2013). Only values that are both carry
// derivatives. Over-approximates.

import type {
  Accum,
  Append,
  Atom,
  Expr,
  Fill,
  Func,
  Let,
  Push,
  Stmt,
  Store,
} from "../../ir/types.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import { partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { definedVars, unreachable } from "../../ir/visit.ts";
import { type Compute, NOTHING, type Summary, summaryOf } from "../memory/call-summary.ts";
import {
  elements,
  Flow,
  isRegion,
  joins,
  markWritten,
  type Part,
  partStored,
  initialContents,
  PARTS,
  placeOfStore,
  truncates,
  visit,
  visitBackwards,
  writtenIn,
} from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import { overlap } from "../memory/alias-queries.ts";
import { type Region, isText, slotOf } from "../memory/region.ts";

export interface Activity {
  /** Whether strings in a value are computed from varying values. */
  readonly textsVary: (atom: Atom) => boolean;
  readonly variedNames: ReadonlySet<string>;
  readonly usefulNames: ReadonlySet<string>;
  readonly varied: ReadonlySet<Region>;
  readonly useful: ReadonlySet<Region>;
}

interface ActivityRequest {
  readonly func: Func;
  readonly memory: Memory;
  readonly types: Types;
  readonly graphs: ReadonlyMap<string, Memory>;
  /** Positions of the active arguments. */
  readonly active: readonly number[];
  /** Whether callers may read what the function writes into its arguments (a called `revf`). */
  readonly writesAreOutputs: boolean;
  /** Whether an object is a passive argument, never written: its numbers do not vary. */
  readonly isData?: (atom: Atom) => boolean;
}

export function activityOf(request: ActivityRequest): Activity {
  const varied = flow(
    request,
    (state) => {
      for (const position of request.active) {
        const param = request.func.params[position];
        // derivatives are requested of numbers, not of strings
        if (param !== undefined) state.markAll(param, "numbers");
      }
      if (request.writesAreOutputs)
        for (const region of allocationsInResult(request)) state.markRegion(region);
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

/** Allocations in the result: callers may write varying values into them. */
function allocationsInResult({ func, memory, types }: ActivityRequest): readonly Region[] {
  const reached = memory.result === null ? new Set<Region>() : memory.reachable(memory.result);
  return definedVars(func.body).flatMap(({ name, type }) => {
    const region =
      hasNumbers(type, types) && !truncates(resolve(type, types))
        ? memory.region({ kind: "var", name, type })
        : null;
    return region !== null && !region.external && reached.has(region) ? [region] : [];
  });
}

type FlowRequest = Pick<ActivityRequest, "func" | "memory" | "types" | "graphs" | "isData">;
type Step = (stmt: Stmt, state: Flow, request: FlowRequest) => void;

/** `order` affects the number of iterations only. */
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
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by the walk above
  } while (state.changed);
  return state;
}

const contributes = (expr: Expr & { kind: "op" }, i: number): boolean =>
  partialOf(SCALAR[expr.op], i, expr.args.length) !== null;

// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
const forward: Step = (stmt, state, request) => {
  for (const [from, to] of joins(stmt)) if (state.has(from)) state.mark(to);
  switch (stmt.kind) {
    case "let":
      return forwardLet(stmt, state, request);
    case "store":
    case "accum":
      forwardStore(stmt, state, request.memory);
      if (stmt.key.kind === "index" && state.has(stmt.key.at))
        state.markRegion(request.memory.keys(stmt.object));
      return;
    case "append":
    case "fill":
    case "push":
      return forwardStore(stmt, state, request.memory);
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

function forwardStore(
  stmt: Store | Accum | Append | Fill | Push,
  state: Flow,
  memory: Memory,
): void {
  if (state.has(stmt.value) && !(stmt.kind !== "push" && truncates(stmt.object.type)))
    state.markRegion(placeOfStore(stmt, memory), partStored(stmt.value));
}

function forwardLet(stmt: Let, state: Flow, request: FlowRequest): void {
  const { bind, expr } = stmt;
  for (const [value, place] of initialContents(stmt, request.memory)) {
    if (truncates(bind.type)) continue;
    if (isRegion(value)) state.markCopied(value, place);
    else if (state.has(value)) state.markRegion(place, partStored(value));
  }
  if (expr.kind === "call") forwardCall(bind, expr, state, request);
  else if (expr.kind === "extern") {
    if (externVaries(bind, expr, state, request.memory)) state.markAll(bind);
  } else if (isVaried(stmt, state, request)) state.mark(bind);
}

function isVaried({ bind, expr }: Let, state: Flow, { memory, isData }: FlowRequest): boolean {
  switch (expr.kind) {
    case "copy":
      return state.has(expr.atom);
    case "unwrap":
      return state.has(expr.value);
    case "op":
      return expr.args.some((arg, i) => state.has(arg) && contributes(expr, i));
    case "load":
      return (
        state.hasIn(memory.placeAt(expr.object, expr.key), bind.type) &&
        !truncates(expr.object.type) &&
        isData?.(expr.object) !== true
      );
    case "removeLast":
      return state.hasIn(elements(expr.object, memory), bind.type);
    // strings on a tape share its slots with varying values, but reverse code exists only if none
    // of its numbers are parsed from strings
    case "pop":
      return !isText(bind.type) && state.hasRegion(memory.placeAt(expr.tape, slotOf(bind.type)));
    default:
      return false;
  }
}

/** An inert call lists the keys of a dict at most; any other may use all that it reaches. */
const externVaries = (
  bind: Atom,
  { inert, args }: Expr & { kind: "extern" },
  state: Flow,
  memory: Memory,
): boolean =>
  inert === true
    ? bind.type.kind === "array" && args.some((arg) => state.hasRegion(memory.keys(arg)))
    : args.some((arg) => state.reaches(arg));

type Around = Pick<ActivityRequest, "memory" | "graphs" | "types">;

/** Marks what varies after a call, by the callee's summary for each varying argument. */
function forwardCall(bind: Atom, expr: Expr & { kind: "call" }, state: Flow, around: Around): void {
  expr.args.forEach((arg, i) => {
    for (const part of PARTS) {
      if (!state.reaches(arg, part)) continue;
      const summary = summaryOfArgument(expr, i, part, around);
      if (summary === null || summary.result) state.markAll(bind, "numbers");
      if (summary === null || summary.texts) state.markAll(bind, "texts");
      expr.args.forEach((other, at) => {
        if (summary === null || summary.written.includes(at))
          markWritten(other, around.memory, state);
        if (summary === null || summary.keyed.includes(at))
          markWritten(other, around.memory, state, true);
      });
    }
  });
}

/** The effect of one part of an argument, from the callee's own flow; null if it is unknown. */
function summaryOfArgument(
  expr: Expr & { kind: "call" },
  argument: number,
  of: Part,
  { memory, graphs, types }: Around,
): Summary | null {
  const compute: Compute = ({ func, position, part }) => {
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
      linked: func.params.some((other) => other !== param && overlap(param, other, graph)),
    };
  };
  return summaryOf(expr, { position: argument, part: of }, memory, graphs, compute);
}

/** Whether a callee does not use the numbers of an argument. */
export const isIgnored = (
  expr: Expr & { kind: "call" },
  position: number,
  around: Around,
): boolean => {
  const summary = summaryOfArgument(expr, position, "numbers", around);
  return (
    summary !== null &&
    !summary.result &&
    !summary.texts &&
    !summary.linked &&
    summary.written.length === 0 &&
    summary.keyed.length === 0
  );
};

/** Whether a callee parses numbers from strings in an argument: no derivative follows those. */
export function readsTexts(
  expr: Expr & { kind: "call" },
  position: number,
  around: Around,
): boolean {
  const summary = summaryOfArgument(expr, position, "texts", around);
  const arg = expr.args[position];
  // an unknown callee may only append to an object that it is given, such as a log
  if (summary === null) return arg !== undefined && around.memory.region(arg) === null;
  return summary.result || summary.written.length > 0;
}

// eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
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
  for (const [value, place] of initialContents(stmt, request.memory)) {
    if (!state.hasRegion(place)) continue;
    if (isRegion(value)) state.markRegion(value);
    else state.mark(value);
  }
  if (expr.kind === "call") {
    if (callIsUseful(bind, expr, state, request)) for (const arg of expr.args) state.markAll(arg);
  } else if (state.has(bind)) backwardOperands(stmt, state, request.memory);
}

function backwardOperands({ bind, expr }: Let, state: Flow, memory: Memory): void {
  switch (expr.kind) {
    case "copy":
      return state.mark(expr.atom);
    case "unwrap":
      return state.mark(expr.value);
    case "op":
      return expr.args.forEach((arg, i) => {
        // a zero test of reverse code: its derivative reads the tangent of what is tested
        if (bind.type.kind === "bool" || (expr.masks === true && i === 0)) state.markTested(arg);
        if (contributes(expr, i)) state.mark(arg);
      });
    case "load":
      return state.markRegion(memory.placeAt(expr.object, expr.key));
    case "removeLast":
      return state.markRegion(elements(expr.object, memory));
    case "pop":
      return state.markRegion(memory.placeAt(expr.tape, slotOf(bind.type)));
    default:
      return;
  }
}

/** A call is useful if its result is, or if it writes into memory that it gets. */
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
      const arg = expr.args[i];
      return arg !== undefined && graph.reachesWritten(param) && memory.region(arg) !== null;
    })
  );
}
