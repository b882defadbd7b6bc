// Lowers array methods that take a callback to loops with the callback's body inlined.
// As in JavaScript, the length is read once, and an element when its iteration comes.
// A callback that may shorten the array is rejected.

import type ts from "typescript";
import { assignable } from "../../ir/assignable.ts";
import { BOOL, NUM, bool, index, num } from "../../ir/build.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { applyCallback, lowerExpr } from "../lowering.ts";
import { externAt, externCall, not, optional, truthTest, UNDEFINED } from "../coerce.ts";
import { effectsIn, mayShrink } from "../effects.ts";
import { emitCounted, emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import type { Fn } from "../function-values.ts";
import { HOLES, mayHaveHoles } from "../objects/holes.ts";
import { literalType } from "../objects/expected-types.ts";
import { resolveFn } from "../resolve.ts";
import { appendAll, rowElem } from "./append.ts";
import type { Call } from "./array.ts";
import {
  undefinedElement,
  buildArray,
  knownArrayType,
  lowerArrayFrom,
  callbackResult,
} from "./construct.ts";

const BACKWARDS: ReadonlySet<string> = new Set(["findLast", "findLastIndex", "lastIndexOf"]);

type Method = (f: Frame, call: Call, fn: Fn) => Atom | null;

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["map", (f, call, fn) => map(f, call, fn)],
  ["forEach", (f, call, fn) => forEach(f, call, fn)],
  ["filter", (f, call, fn) => filter(f, call, fn)],
  ["reduce", (f, call, fn) => reduce(f, call, fn)],
  ["reduceRight", (f, call, fn) => reduce(f, call, fn)],
  ["every", (f, call, fn) => quantify(f, call, fn, true)],
  ["some", (f, call, fn) => quantify(f, call, fn, false)],
  ["find", (f, call, fn) => findElement(f, call, fn)],
  ["findLast", (f, call, fn) => findElement(f, call, fn)],
  ["findIndex", (f, call, fn) => findIndex(f, call, fn)],
  ["findLastIndex", (f, call, fn) => findIndex(f, call, fn)],
  ["flatMap", (f, call, fn) => flatMap(f, call, fn)],
]);

/** The lowering of a method with a callback; undefined for all other methods. */
export function callbackMethod(name: string): ((f: Frame, call: Call) => Atom | null) | undefined {
  const lowered = METHODS.get(name);
  return lowered === undefined ? undefined : (f, call) => lowered(f, call, callbackOf(f, call));
}

function callbackOf(f: Frame, call: Call): Fn {
  const [callback] = call.node.arguments;
  const fn = callback === undefined ? null : resolveFn(f, callback);
  if (callback === undefined || fn === null)
    return f.refuse("TSG1209", callback ?? call.node, "which function it is, is not known here");
  const shape = f.shape(call.array.type);
  const isResizable = shape.kind === "array" && shape.store === "Array";
  return isResizable && maybeShrinks(f, fn, call.callee.expression)
    ? f.refuse("TSG1209", callback, "it may take elements off the array")
    : fn;
}

function findElement(f: Frame, call: Call, fn: Fn): Atom {
  const type = optional(f, call.elem);
  const holds = predicate(f, call, fn);
  return find(f, call, { type, missing: UNDEFINED, found: (item) => item, holds });
}

function findIndex(f: Frame, call: Call, fn: Fn): Atom {
  const holds = predicate(f, call, fn);
  return find(f, call, { type: NUM, missing: num(-1), found: (_item, at) => at, holds });
}

/** The truth of what the callback returns for an element. */
const predicate =
  (f: Frame, call: Call, fn: Fn) =>
  (item: Atom, at: Var): Atom =>
    truthTest(f, applyCallback(f, fn, [item, at, call.array], call.node) ?? UNDEFINED);

const bodyOf = (f: Frame, fn: Fn): ts.Node | undefined =>
  fn.kind === "closure"
    ? fn.node
    : fn.kind === "program"
      ? (f.ctx.bodyOf(fn.symbol) ?? undefined)
      : undefined;

/** Whether the callback may shorten the array; true where the function is not known. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Fn kinds
export function maybeShrinks(f: Frame, fn: Fn, array: ts.Expression): boolean {
  switch (fn.kind) {
    case "closure":
    case "program":
    case "builtin":
      return mayShrink(
        f,
        effectsIn(f, fn.kind === "closure" ? fn.env : f.outside, bodyOf(f, fn)),
        array,
        [bodyOf(f, fn)],
      );
    case "bound":
      return maybeShrinks(f, fn.fn, array);
    case "choice":
      return maybeShrinks(f, fn.then, array) || maybeShrinks(f, fn.otherwise, array);
    case "table":
      return fn.cases.some((each) => maybeShrinks(f, each.fn, array));
    case "held":
      return fn.sources.some((each) => maybeShrinks(f, each.fn, array));
    case "members":
    case "getter":
    case "spread":
      return true;
    case "linear":
    case "derived":
    case "pullback":
    case "custom":
    case "mapped":
    case "operator":
    case "solver":
    case "defined":
    case "outside":
    case "givenVjp":
      return false;
    case "given":
      return maybeShrinks(f, fn.fn, array);
  }
}

/** A loop over the elements; holes are skipped. */
export function eachElement(
  f: Frame,
  call: Call,
  body: (item: Atom, at: Var, label: string) => void,
): void {
  const label = f.label("loop");
  const holds = unlessHole(f, call);
  emitFor(f, label, f.b.length(call.array), (at) =>
    holds(at, () => body(itemOf(f, call, at), at, label)),
  );
}

/** Emits code for an index, guarded by a test for a hole where the array may have any. */
function unlessHole(f: Frame, call: Call): (at: Var, then: () => void) => void {
  if (!isHoled(f, call)) return (_at, then) => then();
  return (at, then) =>
    f.when(
      externAt(f, "holds", BOOL, {
        text: ["", " in ", ""],
        args: [at, call.array],
        effect: "reads",
      }),
      then,
    );
}

export function isHoled(f: Frame, { array, callee }: Call): boolean {
  const shape = f.shape(array.type);
  return shape.kind === "array" && shape.store === "Array" && mayHaveHoles(f, callee.expression);
}

const itemOf = (f: Frame, call: Call, at: Atom): Atom =>
  f.let("t", call.elem, { kind: "load", object: call.array, key: index(at) });

function map(f: Frame, call: Call, fn: Fn): Atom {
  const shape = f.shape(call.array.type);
  const type =
    shape.kind === "array" && shape.store !== "Array"
      ? call.array.type
      : knownArrayType(f, call.node);
  if (isHoled(f, call)) return mapWithHoles(f, call, fn, type);
  return buildArray(f, call.hint, type, f.b.length(call.array), (at) =>
    callbackResult(f, fn, [itemOf(f, call, at), at, call.array], call.node),
  );
}

/** A hole in the receiver is a hole in the result. */
function mapWithHoles(f: Frame, call: Call, fn: Fn, type: Type | null): Atom {
  const shape = type === null ? null : f.shape(type);
  if (type === null || shape?.kind !== "array") return f.refuse("TSG1210", call.node, "map", HOLES);
  const result = f.let(call.hint, type, {
    kind: "alloc",
    length: f.b.length(call.array),
    fill: undefinedElement(shape.elem),
  });
  eachElement(f, call, (item, at) =>
    f.b.store(result, index(at), callbackResult(f, fn, [item, at, call.array], call.node)),
  );
  return result;
}

function forEach(f: Frame, call: Call, fn: Fn): null {
  eachElement(f, call, (item, at) => void applyCallback(f, fn, [item, at, call.array], call.node));
  return null;
}

function filter(f: Frame, call: Call, fn: Fn): Atom {
  const shape = f.shape(call.array.type);
  const isTyped = shape.kind === "array" && shape.store !== "Array";
  const type: Type = isTyped
    ? { kind: "array", store: "Array", elem: NUM }
    : literalType(f, call.node, ["array"]);
  const result = f.let(call.hint, f.shape(type).kind === "array" ? type : call.array.type, {
    kind: "array",
    parts: [],
  });
  const holds = predicate(f, call, fn);
  eachElement(f, call, (item, at) =>
    f.when(holds(item, at), () =>
      f.b.emit({ kind: "append", object: result, value: guarded(f, item, result) }),
    ),
  );
  return isTyped ? lowerArrayFrom(f, result, call.array.type, call.hint) : result;
}

/** The item as the result's element type, which a type guard may have narrowed. */
function guarded(f: Frame, item: Atom, result: Atom): Atom {
  const shape = f.shape(result.type);
  if (
    shape.kind !== "array" ||
    assignable(item.type, shape.elem, f.ctx.types) ||
    !["opt", "union"].includes(f.shape(item.type).kind)
  )
    return item;
  return f.let("t", shape.elem, { kind: "unwrap", value: item });
}

function flatMap(f: Frame, call: Call, fn: Fn): Atom {
  const result = f.let(call.hint, literalType(f, call.node, ["array"]), {
    kind: "array",
    parts: [],
  });
  eachElement(f, call, (item, at) => {
    const row = callbackResult(f, fn, [item, at, call.array], call.node);
    if (f.shape(row.type).kind === "array" || rowElem(f, row.type) !== null)
      appendAll(f, result, row);
    else f.b.emit({ kind: "append", object: result, value: row });
  });
  return result;
}

function reduce(f: Frame, call: Call, fn: Fn): Atom {
  const [, start] = call.node.arguments;
  const backwards = call.method === "reduceRight";
  const holds = unlessHole(f, call);
  if (start === undefined && isHoled(f, call))
    return f.refuse("TSG1210", call.node, call.method, `${HOLES}, and it begins with an element`);
  const type = start === undefined ? call.elem : literalType(f, call.node, null);
  const seed = start === undefined ? null : lowerExpr(f, start);
  const length = f.b.length(call.array);
  const last = (): Atom => f.b.op("sub", length, num(1));
  if (seed === null) throwIfEmpty(f, length);
  const first = seed ?? itemOf(f, call, backwards ? last() : num(0));
  const variable = f.declare(
    nameOfAccumulator(f, fn),
    f.shape(type).kind === "leaf" ? first.type : type,
    first,
  );
  const body = (at: Var): void =>
    holds(at, () => {
      const former = f.let("t", variable.type, { kind: "copy", atom: variable });
      f.assign(
        variable,
        callbackResult(f, fn, [former, itemOf(f, call, at), at, call.array], call.node),
      );
    });
  if (!backwards)
    emitCounted(
      f,
      f.label("loop"),
      "i",
      { from: num(seed === null ? 1 : 0), test: "<", to: length, step: 1 },
      body,
    );
  else
    emitCounted(
      f,
      f.label("loop"),
      "i",
      {
        from: seed === null ? f.b.op("sub", length, num(2)) : last(),
        test: ">=",
        to: num(0),
        step: -1,
      },
      body,
    );
  return f.let(call.hint, variable.type, { kind: "copy", atom: variable });
}

function nameOfAccumulator(f: Frame, fn: Fn): string {
  const name = fn.kind === "closure" ? fn.node.parameters[0]?.name : undefined;
  return name !== undefined && f.api.isIdentifier(name) ? name.text : "acc";
}

function throwIfEmpty(f: Frame, length: Atom): void {
  f.when(f.b.op("eq", length, num(0)), () => {
    const text: Atom = {
      kind: "const",
      type: { kind: "leaf", text: "string" },
      value: "Reduce of empty array with no initial value",
    };
    f.b.emit({
      kind: "throw",
      value: externCall(f, "t", { kind: "leaf", text: "TypeError" }, "new TypeError", [text]),
    });
  });
}

/** `every` and `some`; the loop stops at the first element that decides. */
function quantify(f: Frame, call: Call, fn: Fn, every: boolean): Atom {
  const result = f.declare(call.method, BOOL, bool(every));
  const holds = predicate(f, call, fn);
  eachElement(f, call, (item, at, label) => {
    const isTrue = holds(item, at);
    f.when(every ? not(f, isTrue) : isTrue, () => {
      f.assign(result, bool(!every));
      f.b.emit({ kind: "break", label });
    });
  });
  return f.let(call.hint, BOOL, { kind: "copy", atom: result });
}

/** What a search yields. */
interface Search {
  readonly type: Type;
  readonly missing: Atom;
  readonly found: (item: Atom, at: Var) => Atom;
  readonly holds: (item: Atom, at: Var) => Atom;
}

/** A loop that stops at the first element for which `holds`; at the last one for `findLast`. */
export function find(f: Frame, call: Call, { type, missing, found, holds }: Search): Atom {
  const result = f.declare("found", type, missing);
  const label = f.label("loop");
  const body = (at: Var): void => {
    const item = itemOf(f, call, at);
    f.when(holds(item, at), () => {
      f.assign(result, found(item, at));
      f.b.emit({ kind: "break", label });
    });
  };
  const length = f.b.length(call.array);
  if (!BACKWARDS.has(call.method)) emitFor(f, label, length, body);
  else
    emitCounted(
      f,
      label,
      "i",
      { from: f.b.op("sub", length, num(1)), test: ">=", to: num(0), step: -1 },
      body,
    );
  return f.let(call.hint, type, { kind: "copy", atom: result });
}
