// Methods of arrays. In: a method call on an array. Out: its value; null for none. What takes a function is in callbacks.ts.
// Invariant: receiver, then arguments, then the effect, as JavaScript's methods do.

import type ts from "typescript";
import { BOOL, field, NUM, index, num } from "../../ir/build.ts";
import type { ArrayPart, Atom, Type, Var } from "../../ir/types.ts";
import { lowerValues } from "../calls.ts";
import { extern, isTag, optional, present, sameValue, UNDEFINED, unwrap } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import { lowerExpr } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { lowerStored } from "../functions/held-functions.ts";
import { spreadPart } from "../objects/literals.ts";
import { tupleAsArray } from "../objects/places.ts";
import { refuseReplaced } from "../names/replaced-builtins.ts";
import { sameType } from "../types/same-type.ts";
import { eachElement, find, isHoled, withCallback } from "./callbacks.ts";
import { buildArray } from "./construct.ts";
import { reverse, sort } from "./order.ts";
import {
  copyWithin,
  type Items,
  replaced,
  shift,
  splice,
  spliced,
  unshift,
  within,
} from "./resize.ts";

export interface MethodCall {
  readonly node: ts.CallExpression;
  readonly callee: ts.PropertyAccessExpression;
  readonly method: string;
  readonly wanted: string;
  readonly unused: boolean;
  readonly receiver: Atom;
}

/** A method call on an array, with what its loops need. */
export interface Call extends MethodCall {
  readonly array: Atom;
  readonly elem: Type;
}

export function lowerArrayMethod(f: Frame, call: MethodCall): Atom | null {
  const held: Atom =
    call.receiver.kind === "var"
      ? f.let("t", call.receiver.type, { kind: "copy", atom: call.receiver })
      : call.receiver;
  const shape = f.shape(held.type);
  refuseReplaced(
    f,
    `${shape.kind === "array" ? shape.store : "Array"}.prototype.${call.method}`,
    call.node,
  );
  const array =
    shape.kind === "tuple"
      ? tupleAsArray(f, call.node, held, shape.elems, call.callee.expression)
      : held;
  const arrayShape = f.shape(array.type);
  const full: Call = { ...call, array, elem: arrayShape.kind === "array" ? arrayShape.elem : NUM };
  if (shape.kind === "tuple" && WRITERS.has(call.method))
    return f.refuse("TSG1208", call.node, f.textOf(call.node));
  if (OVER_HOLES.has(call.method) && isHoled(f, full))
    return f.refuse("TSG1210", call.node, call.method, "its list may have holes");
  return CALLBACKS.has(call.method) ? withCallback(f, full) : withValues(f, full);
}

const WRITERS: ReadonlySet<string> = new Set([
  "push",
  "pop",
  "fill",
  "set",
  "sort",
  "reverse",
  "shift",
  "unshift",
  "splice",
  "copyWithin",
]);
/** What treats holes otherwise than as elements, and has no callback. */
const OVER_HOLES: ReadonlySet<string> = new Set([
  "concat",
  "flat",
  "sort",
  "reverse",
  "shift",
  "unshift",
  "splice",
  "copyWithin",
  "with",
  "toSpliced",
]);
const CALLBACKS: ReadonlySet<string> = new Set([
  "map",
  "forEach",
  "filter",
  "reduce",
  "reduceRight",
  "every",
  "some",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "flatMap",
]);

function withValues(f: Frame, call: Call): Atom | null {
  const { node, method, array, elem, wanted } = call;
  switch (method) {
    case "push":
      return push(f, call);
    case "pop":
      return f.let(wanted, optional(f, elem), { kind: "removeLast", object: array });
    case "fill":
      return fill(f, call);
    case "slice":
      return slice(f, call);
    case "subarray":
      return subarray(f, call);
    case "concat":
      return concat(f, call);
    case "at":
      return elementFrom(f, call);
    case "flat":
      return flat(f, call);
    case "set":
      return set(f, call);
    case "indexOf":
    case "lastIndexOf":
      return indexOf(f, call);
    case "includes":
      return externMethod(f, call, BOOL);
    case "join":
    case "toString":
      return externMethod(f, call, { kind: "leaf", text: "string" });
    case "keys":
    case "entries":
    case "values":
      return f.refuse("TSG1120", node, f.textOf(node));
    case "sort":
    case "toSorted":
      return sort(f, call, method === "toSorted");
    case "reverse":
    case "toReversed":
      return reverse(f, call, method === "toReversed");
    case "shift":
      return shift(f, call);
    case "unshift":
      return unshift(f, call, itemsFrom(f, call, 0).items);
    case "splice":
    case "toSpliced": {
      const { before, items } = itemsFrom(f, call, 2);
      return method === "splice" ? splice(f, call, before, items) : spliced(f, call, before, items);
    }
    case "with":
      return replaced(f, call, lowerValues(f, node));
    case "copyWithin":
      return copyWithin(f, call, lowerValues(f, node));
    default:
      return f.refuse(
        "TSG1112",
        node,
        method,
        f.ctx.checker.typeToString(f.ctx.checker.getTypeAtLocation(call.callee.expression)),
      );
  }
}

function externMethod(f: Frame, call: Call, type: Type): Atom {
  const args = lowerValues(f, call.node);
  const text =
    args.length === 0
      ? ["", `.${call.method}()`]
      : ["", `.${call.method}(`, ...args.slice(1).map(() => ", "), ")"];
  return extern(f, call.wanted, type, text, [call.array, ...args], "reads");
}

/** `xs.indexOf(v)`: comparisons, as a loop of its own. */
function indexOf(f: Frame, call: Call): Atom {
  const [value, ...more] = lowerValues(f, call.node);
  if (value === undefined || more.length > 0)
    return f.refuse("TSG1210", call.node, call.method, "it starts in the middle");
  return find(
    f,
    call,
    NUM,
    num(-1),
    (_item, at) => at,
    (item) => sameValue(f, "===", item, value),
  );
}

function push(f: Frame, call: Call): Atom | null {
  if (call.node.arguments.some((argument) => f.api.isSpreadElement(argument)))
    return pushAll(f, call);
  // what stands for functions in a list of such
  const values = isTag(f, call.elem)
    ? call.node.arguments.map((argument) => lowerStored(f, argument, "t", call.elem))
    : lowerValues(f, call.node);
  for (const value of values) f.b.emit({ kind: "append", object: call.array, value });
  return call.unused ? null : f.let(call.wanted, NUM, { kind: "length", object: call.array });
}

/** `xs.push(...ys, z)`: the values are all there before the first is appended. */
function pushAll(f: Frame, call: Call): Atom | null {
  const given = call.node.arguments;
  const appends = given.map((argument, at): (() => void) => {
    if (!f.api.isSpreadElement(argument)) {
      const value = lowerExpr(f, argument);
      return () => f.b.emit({ kind: "append", object: call.array, value });
    }
    const source = spreadPart(f, argument, given.slice(at + 1)).atom;
    const shape = f.shape(source.type);
    if (shape.kind !== "array") return f.refuse("TSG1111", argument, f.textOf(call.callee));
    const length = f.let("t", NUM, { kind: "length", object: source });
    return () =>
      emitFor(f, f.label("loop"), length, (at) =>
        f.b.emit({
          kind: "append",
          object: call.array,
          value: f.let("t", shape.elem, { kind: "load", object: source, key: index(at) }),
        }),
      );
  });
  for (const append of appends) append();
  return call.unused ? null : f.let(call.wanted, NUM, { kind: "length", object: call.array });
}

/** The arguments in front of a position, and what stands from there on: atoms, or where a list is spread there, one array of all. */
function itemsFrom(
  f: Frame,
  call: Call,
  position: number,
): { readonly before: readonly Atom[]; readonly items: Items } {
  const given = call.node.arguments;
  const at = given.findIndex(
    (argument) =>
      f.api.isSpreadElement(argument) &&
      f.shape(f.ctx.typeOf(argument.expression)).kind !== "tuple",
  );
  if (at < position) {
    const values = lowerValues(f, call.node);
    return { before: values.slice(0, position), items: values.slice(position) };
  }
  const before = given.slice(0, position).map((argument) => lowerExpr(f, argument));
  const parts = given
    .slice(position)
    .map((argument, i): ArrayPart =>
      f.api.isSpreadElement(argument)
        ? spreadPart(f, argument, given.slice(position + i + 1))
        : { atom: lowerExpr(f, argument), spread: false },
    );
  return {
    before,
    items: f.let("t", { kind: "array", store: "Array", elem: call.elem }, { kind: "array", parts }),
  };
}

function fill(f: Frame, call: Call): Atom {
  const made = filledAtOnce(f, call);
  if (made !== null) return made;
  const [value, from, to] = lowerValues(f, call.node);
  // a shadow keeps the places of elements that were taken off, so its end is no place to count from
  const bound = (at: Atom | undefined): Atom | null =>
    at === undefined
      ? null
      : isFromStart(f, call, at)
        ? at
        : within(f, at, f.let("t", NUM, { kind: "length", object: call.array }));
  f.b.emit({
    kind: "fill",
    object: call.array,
    value: value ?? UNDEFINED,
    from: bound(from),
    to: bound(to),
  });
  return call.array;
}

/** Whether a bound cannot be negative, or the array's length cannot change. */
function isFromStart(f: Frame, call: Call, at: Atom): boolean {
  const shape = f.shape(call.array.type);
  return (
    (shape.kind === "array" && shape.store !== "Array") ||
    (at.kind === "const" && Number(at.value) >= 0)
  );
}

/** The allocation that the receiver just made takes the fill's value, when that is known without running anything. */
function filledAtOnce(f: Frame, call: Call): Atom | null {
  const made = f.b.stmts.at(-2);
  const copied = f.b.stmts.at(-1);
  if (
    made?.kind !== "let" ||
    made.expr.kind !== "alloc" ||
    made.expr.fill?.kind !== "undef" ||
    call.node.arguments.length !== 1
  )
    return null;
  if (copied?.kind !== "let" || copied.expr.kind !== "copy" || copied.expr.atom !== made.bind)
    return null;
  f.b.stmts.splice(-2);
  const [value] = lowerValues(f, call.node);
  return f.let(call.wanted, made.bind.type, {
    kind: "alloc",
    length: made.expr.length,
    fill: value ?? UNDEFINED,
  });
}

function slice(f: Frame, call: Call): Atom {
  const [from, to] = lowerValues(f, call.node);
  return f.let(call.wanted, call.array.type, {
    kind: "slice",
    object: call.array,
    from: from ?? num(0),
    to: to ?? null,
  });
}

function subarray(f: Frame, call: Call): Atom {
  const [from, to] = lowerValues(f, call.node);
  return f.let(call.wanted, call.array.type, {
    kind: "slice",
    object: call.array,
    from: from ?? num(0),
    to: to ?? null,
    view: true,
  });
}

function concat(f: Frame, call: Call): Atom {
  const shape = f.shape(call.array.type);
  if (shape.kind !== "array" || shape.store !== "Array")
    return f.refuse("TSG1112", call.node, "concat", "a typed array");
  const parts: ArrayPart[] = [{ atom: call.array, spread: true }];
  for (const atom of lowerValues(f, call.node)) {
    const kind = f.shape(atom.type);
    if (
      kind.kind === "tuple" ||
      (kind.kind === "array" && kind.store !== "Array" && shape.elem.kind === "num")
    )
      return f.refuse("TSG1210", call.node, "concat", "it mixes kinds of arrays");
    parts.push({ atom, spread: kind.kind === "array" });
  }
  return f.let(call.wanted, call.array.type, { kind: "array", parts });
}

/** `xs.at(k)`: from the end where k is negative. */
function elementFrom(f: Frame, call: Call): Atom {
  const [argument] = lowerValues(f, call.node);
  const type = optional(f, call.elem);
  if (argument === undefined) return f.refuse("TSG1211", call.node, "at", "no arguments");
  if (
    argument.kind === "const" &&
    typeof argument.value === "number" &&
    Number.isInteger(argument.value)
  ) {
    const length = (): Atom => f.let("t", NUM, { kind: "length", object: call.array });
    const at = argument.value >= 0 ? argument : f.b.op("sub", length(), num(-argument.value));
    return f.let(call.wanted, type, { kind: "load", object: call.array, key: index(at) });
  }
  const whole = f.let("t", NUM, { kind: "op", op: "trunc", args: [argument] });
  const at = f.choose(
    "t",
    NUM,
    f.b.op("lt", whole, num(0)),
    () => f.b.op("add", f.let("t", NUM, { kind: "length", object: call.array }), whole),
    () => whole,
  );
  return f.let(call.wanted, type, { kind: "load", object: call.array, key: index(at) });
}

/** `xss.flat()`, and as many levels as `xss.flat(2)` says. */
function flat(f: Frame, call: Call): Atom {
  const [given] = lowerValues(f, call.node);
  const levels =
    given === undefined
      ? 1
      : given.kind === "const" && typeof given.value === "number"
        ? given.value
        : NaN;
  const rows: Type[] = [];
  for (
    let elem: Type | null = call.elem;
    rows.length < levels && elem !== null && rowElem(f, elem) !== null;
    elem = rowElem(f, elem)
  )
    rows.push(elem);
  const last = rows.length === 0 ? null : rowElem(f, rows.at(-1) ?? call.elem);
  if (last === null || f.shape(last).kind === "union")
    return f.refuse(
      "TSG1210",
      call.node,
      "flat",
      "how many levels of arrays it flattens is not known",
    );
  const result = f.let(
    call.wanted,
    { kind: "array", store: "Array", elem: last },
    { kind: "array", parts: [] },
  );
  const append = (row: Atom, deeper: number): void => {
    if (deeper === 0) return appendAll(f, result, row);
    const shape = f.shape(row.type);
    const elem = shape.kind === "array" ? shape.elem : NUM;
    if (shape.kind === "tuple")
      return shape.elems.forEach((each, at) =>
        append(
          f.let("row", each, { kind: "load", object: row, key: field(String(at)) }),
          deeper - 1,
        ),
      );
    emitFor(
      f,
      f.label("loop"),
      f.let("t", NUM, { kind: "length", object: row }),
      (at) => append(f.let("row", elem, { kind: "load", object: row, key: index(at) }), deeper - 1),
      "j",
    );
  };
  eachElement(f, call, (row) => append(row, rows.length - 1));
  return result;
}

/** What a row holds, of a list and of a tuple whose elements are all there and of one type; null of what is no such row. */
export function rowElem(f: Frame, row: Type): Type | null {
  const shape = f.shape(row);
  if (shape.kind === "array") return shape.store === "Array" ? shape.elem : null;
  const [first, ...others] = shape.kind === "tuple" ? shape.elems : [];
  return first !== undefined &&
    f.shape(first).kind !== "opt" &&
    others.every((each) => sameType(each, first))
    ? first
    : null;
}

export function appendAll(f: Frame, result: Var, row: Atom): void {
  const shape = f.shape(row.type);
  if (shape.kind === "tuple")
    return shape.elems.forEach((each, at) =>
      f.b.emit({
        kind: "append",
        object: result,
        value: f.let("t", each, { kind: "load", object: row, key: field(String(at)) }),
      }),
    );
  const elem = shape.kind === "array" ? shape.elem : NUM;
  const length = f.let("t", NUM, { kind: "length", object: row });
  emitFor(
    f,
    f.label("loop"),
    length,
    (at) =>
      f.b.emit({
        kind: "append",
        object: result,
        value: f.let("t", elem, { kind: "load", object: row, key: index(at) }),
      }),
    "j",
  );
}

/** `typed.set(xs, offset)`: xs may be the array itself, so it is copied first, unless it is of another kind. What does not fit throws, and nothing is written. */
function set(f: Frame, call: Call): null {
  const [source, start] = lowerValues(f, call.node);
  const shape = source === undefined ? undefined : f.shape(source.type);
  const [, startAt] = call.node.arguments;
  // a start that is left out is 0; one that the user has tested is there
  const isThere =
    startAt === undefined ||
    f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(startAt)) ===
      f.ctx.checker.getTypeAtLocation(startAt);
  const offset = start === undefined ? undefined : isThere ? unwrap(f, start) : orZero(f, start);
  const isOfNumbers = (elems: readonly Type[]): boolean =>
    elems.every((elem) => f.shape(elem).kind === "num");
  const from = (at: Atom): Atom =>
    offset === undefined
      ? at
      : at.kind === "const" && at.value === 0
        ? offset
        : f.b.op("add", offset, at);
  if (
    source !== undefined &&
    shape?.kind === "tuple" &&
    shape.always === undefined &&
    isOfNumbers(shape.elems)
  ) {
    const items = shape.elems.map((elem, at) =>
      f.let("t", elem, { kind: "load", object: source, key: field(String(at)) }),
    );
    throwUnlessItFits(f, call.array, offset, from(num(items.length)));
    items.forEach((item, at) => f.b.store(call.array, index(from(num(at))), item));
    return null;
  }
  const isAnyList =
    shape?.kind === "union" &&
    shape.variants.every((each) => each.kind === "array" && isOfNumbers([each.elem]));
  if (source === undefined || !(shape?.kind === "array" || isAnyList))
    return f.refuse("TSG1210", call.node, "set", "its argument is no array");
  const elem = shape?.kind === "array" ? shape.elem : NUM;
  const load = (list: Atom, at: Atom): Atom =>
    f.let("t", elem, { kind: "load", object: list, key: index(at) });
  const lengthOf = (list: Atom): Atom => f.let("t", NUM, { kind: "length", object: list });
  const target = f.shape(call.array.type);
  const isApart =
    shape?.kind === "array" && (target.kind !== "array" || shape.store !== target.store);
  const copy = isApart
    ? source
    : isAnyList
      ? buildArray(f, "t", null, lengthOf(source), (at) => load(source, at))
      : f.let("t", source.type, { kind: "slice", object: source, from: num(0), to: null });
  const length = lengthOf(copy);
  throwUnlessItFits(f, call.array, offset, from(length));
  emitFor(f, f.label("loop"), length, (at) =>
    f.b.store(call.array, index(from(at)), load(copy, at)),
  );
  return null;
}

const orZero = (f: Frame, start: Atom): Atom =>
  f.choose(
    "start",
    NUM,
    present(f, start),
    () => unwrap(f, start),
    () => num(0),
  );

function throwUnlessItFits(f: Frame, array: Atom, start: Atom | undefined, end: Atom): void {
  const isBehind = f.b.op("gt", end, f.let("t", NUM, { kind: "length", object: array }));
  const isKnown = start === undefined || (start.kind === "const" && Number(start.value) >= 0);
  f.when(isKnown ? isBehind : f.b.op("or", f.b.op("lt", start, num(0)), isBehind), () =>
    f.b.raise("RangeError", "offset is out of bounds"),
  );
}
