// Lowers method calls on arrays to a value, or to null where the method returns nothing.
// Methods that take a callback are in callbacks.ts.
// Evaluation order is that of JavaScript: receiver, arguments, then the effect.

import { BOOL, field, NUM, index, num } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { lowerValues } from "../lowering.ts";
import {
  optional,
  definednessTest,
  equalityTest,
  STRING,
  UNDEFINED,
  unwrap,
  externWith,
} from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { HOLES } from "../objects/holes.ts";
import { tupleAsArray } from "../objects/tuples.ts";
import { rejectReplacedBuiltin } from "../names/replaced-builtins.ts";
import { appendAll, concat, itemsFrom, push, rowElem } from "./append.ts";
import { callbackMethod, eachElement, find, isHoled } from "./callbacks.ts";
import { buildArray } from "./construct.ts";
import { reverse, sort } from "./order.ts";
import { copyWithin, replaced, shift, splice, spliced, unshift, within } from "./resize.ts";
import type { MethodCall } from "../function-values.ts";

/** A method call on an array, with the array and its element type. */
export interface Call extends MethodCall {
  readonly array: Atom;
  readonly elem: Type;
}

export function lowerArrayMethod(f: Frame, call: MethodCall): Atom | null {
  const copied: Atom =
    call.receiver.kind === "var"
      ? f.let("t", call.receiver.type, { kind: "copy", atom: call.receiver })
      : call.receiver;
  const shape = f.shape(copied.type);
  rejectReplacedBuiltin(
    f,
    `${shape.kind === "array" ? shape.store : "Array"}.prototype.${call.method}`,
    call.node,
  );
  const array =
    shape.kind === "tuple"
      ? tupleAsArray(f, call.node, copied, shape.elems, call.callee.expression)
      : copied;
  const arrayShape = f.shape(array.type);
  const full: Call = { ...call, array, elem: arrayShape.kind === "array" ? arrayShape.elem : NUM };
  if (shape.kind === "tuple" && WRITERS.has(call.method))
    return f.refuse("TSG1208", call.node, f.textOf(call.node));
  if (OVER_HOLES.has(call.method) && isHoled(f, full))
    return f.refuse("TSG1210", call.node, call.method, HOLES);
  const lowered = METHODS.get(call.method) ?? callbackMethod(call.method) ?? refuseUnknown;
  return lowered(f, full);
}

/** Methods that write the receiver, which a tuple does not support. */
const WRITERS = setOf("push pop fill set sort reverse shift unshift splice copyWithin");
/** Methods without a callback for which a hole differs from an element. */
const OVER_HOLES = setOf("concat flat sort reverse shift unshift splice copyWithin with toSpliced");

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

type Method = (f: Frame, call: Call) => Atom | null;

/** The lowering of each method that takes no callback. */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["push", (f, call) => push(f, call)],
  ["pop", (f, call) => pop(f, call)],
  ["fill", (f, call) => fill(f, call)],
  ["slice", (f, call) => slice(f, call, {})],
  ["subarray", (f, call) => slice(f, call, { view: true })],
  ["concat", (f, call) => concat(f, call)],
  ["at", (f, call) => elementFrom(f, call)],
  ["flat", (f, call) => flat(f, call)],
  ["set", (f, call) => set(f, call)],
  ["indexOf", (f, call) => indexOf(f, call)],
  ["lastIndexOf", (f, call) => indexOf(f, call)],
  ["includes", (f, call) => externMethod(f, call, BOOL)],
  ["join", (f, call) => externMethod(f, call, STRING)],
  ["toString", (f, call) => externMethod(f, call, STRING)],
  ["keys", refuseIterator],
  ["entries", refuseIterator],
  ["values", refuseIterator],
  ["sort", (f, call) => sort(f, call, false)],
  ["toSorted", (f, call) => sort(f, call, true)],
  ["reverse", (f, call) => reverse(f, call, false)],
  ["toReversed", (f, call) => reverse(f, call, true)],
  ["shift", (f, call) => shift(f, call)],
  ["unshift", (f, call) => unshift(f, call, itemsFrom(f, call, 0).items)],
  ["splice", (f, call) => spliceWith(f, call, splice)],
  ["toSpliced", (f, call) => spliceWith(f, call, spliced)],
  ["with", (f, call) => replaced(f, call, lowerValues(f, call.node))],
  ["copyWithin", (f, call) => copyWithin(f, call, lowerValues(f, call.node))],
]);

function refuseIterator(f: Frame, { node }: Call): never {
  return f.refuse("TSG1120", node, f.textOf(node));
}

function refuseUnknown(f: Frame, { node, method, callee }: Call): never {
  const { checker } = f.ctx;
  const type = checker.typeToString(checker.getTypeAtLocation(callee.expression));
  return f.refuse("TSG1112", node, method, type);
}

function pop(f: Frame, { hint, array, elem }: Call): Atom {
  return f.let(hint, optional(f, elem), { kind: "removeLast", object: array });
}

function spliceWith(f: Frame, call: Call, lowered: typeof splice): Atom | null {
  const { before, items } = itemsFrom(f, call, 2);
  return lowered(f, call, before, items);
}

function externMethod(f: Frame, call: Call, type: Type): Atom {
  const args = lowerValues(f, call.node);
  const text =
    args.length === 0
      ? ["", `.${call.method}()`]
      : ["", `.${call.method}(`, ...args.slice(1).map(() => ", "), ")"];
  return externWith(f, call.hint, type, {
    text: text,
    args: [call.array, ...args],
    effect: "reads",
  });
}

/** `xs.indexOf(v)` as a loop of comparisons. */
function indexOf(f: Frame, call: Call): Atom {
  const [value, ...more] = lowerValues(f, call.node);
  if (value === undefined || more.length > 0)
    return f.refuse("TSG1210", call.node, call.method, "it starts in the middle");
  return find(f, call, {
    type: NUM,
    missing: num(-1),
    found: (_item, at) => at,
    holds: (item) => equalityTest(f, "===", item, value),
  });
}

function fill(f: Frame, call: Call): Atom {
  const filled = filledAllocation(f, call);
  if (filled !== null) return filled;
  const [value, from, to] = lowerValues(f, call.node);
  // Bounds are clamped here: a shadow also has slots for removed elements, so its length differs.
  const bound = (at: Atom | undefined): Atom | null => {
    if (at === undefined) return null;
    return isFromStart(f, call, at) ? at : within(f, at, f.b.length(call.array));
  };
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

/** `new Array(n).fill(v)`: fills the allocation itself. Null where the receiver is not new. */
function filledAllocation(f: Frame, call: Call): Atom | null {
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
  return f.let(call.hint, made.bind.type, {
    kind: "alloc",
    length: made.expr.length,
    fill: value ?? UNDEFINED,
  });
}

/** `xs.slice(from, to)`; with `view`, `typed.subarray(from, to)`. */
function slice(f: Frame, call: Call, view: { readonly view?: true }): Atom {
  const [from, to] = lowerValues(f, call.node);
  const range = { from: from ?? num(0), to: to ?? null };
  return f.let(call.hint, call.array.type, {
    kind: "slice",
    object: call.array,
    ...range,
    ...view,
  });
}

/** `xs.at(k)`; a negative k counts from the end. */
function elementFrom(f: Frame, call: Call): Atom {
  const [argument] = lowerValues(f, call.node);
  const type = optional(f, call.elem);
  if (argument === undefined) return f.refuse("TSG1211", call.node, "at", "no arguments");
  if (
    argument.kind === "const" &&
    typeof argument.value === "number" &&
    Number.isInteger(argument.value)
  ) {
    const length = (): Atom => f.b.length(call.array);
    const at = argument.value >= 0 ? argument : f.b.op("sub", length(), num(-argument.value));
    return f.let(call.hint, type, { kind: "load", object: call.array, key: index(at) });
  }
  const whole = f.let("t", NUM, { kind: "op", op: "trunc", args: [argument] });
  const at = f.choose(
    "t",
    NUM,
    f.b.op("lt", whole, num(0)),
    () => f.b.op("add", f.b.length(call.array), whole),
    () => whole,
  );
  return f.let(call.hint, type, { kind: "load", object: call.array, key: index(at) });
}

/** `xss.flat()` and `xss.flat(2)`. */
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
    call.hint,
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
      f.b.length(row),
      (at) => append(f.let("row", elem, { kind: "load", object: row, key: index(at) }), deeper - 1),
      "j",
    );
  };
  eachElement(f, call, (row) => append(row, rows.length - 1));
  return result;
}

/** `typed.set(xs, offset)`. A range error is thrown before the first store. */
function set(f: Frame, call: Call): null {
  const [source, start] = lowerValues(f, call.node);
  const offset = start === undefined ? undefined : offsetOf(f, call, start);
  if (source === undefined) return refuseSource(f, call);
  const shape = f.shape(source.type);
  if (shape.kind === "tuple" && shape.always === undefined && areNumbers(f, shape.elems))
    return setTuple(f, call, source, shape.elems, offset);
  const copy = readable(f, call, source);
  const length = f.b.length(copy);
  throwUnlessItFits(f, call.array, offset, shifted(f, offset, length));
  emitFor(f, f.label("loop"), length, (at) =>
    f.b.store(call.array, index(shifted(f, offset, at)), numberAt(f, copy, at)),
  );
  return null;
}

function setTuple(
  f: Frame,
  { array }: Call,
  source: Atom,
  elems: readonly Type[],
  offset: Atom | undefined,
): null {
  const items = elems.map((elem, at) =>
    f.let("t", elem, { kind: "load", object: source, key: field(String(at)) }),
  );
  throwUnlessItFits(f, array, offset, shifted(f, offset, num(items.length)));
  items.forEach((item, at) => f.b.store(array, index(shifted(f, offset, num(at))), item));
  return null;
}

const refuseSource = (f: Frame, { node }: Call): never =>
  f.refuse("TSG1210", node, "set", "its argument is no array");

const areNumbers = (f: Frame, elems: readonly Type[]): boolean =>
  elems.every((elem) => f.shape(elem).kind === "num");

/** The array to read from: a copy, unless the source is of another kind than the receiver. */
function readable(f: Frame, call: Call, source: Atom): Atom {
  const shape = f.shape(source.type);
  if (shape.kind === "array") {
    const target = f.shape(call.array.type);
    const isDisjoint = target.kind !== "array" || shape.store !== target.store;
    if (isDisjoint) return source;
    return f.let("t", source.type, { kind: "slice", object: source, from: num(0), to: null });
  }
  const isAnyArray =
    shape.kind === "union" &&
    shape.variants.every((each) => each.kind === "array" && areNumbers(f, [each.elem]));
  if (!isAnyArray) return refuseSource(f, call);
  return buildArray(f, "t", null, f.b.length(source), (at) => numberAt(f, source, at));
}

/** An element of an array, or of a union of arrays of numbers. */
function numberAt(f: Frame, array: Atom, at: Atom): Atom {
  const shape = f.shape(array.type);
  const elem = shape.kind === "array" ? shape.elem : NUM;
  return f.let("t", elem, { kind: "load", object: array, key: index(at) });
}

/** The start as a number: 0 where it is undefined. A type that excludes undefined needs no test. */
function offsetOf(f: Frame, { node }: Call, start: Atom): Atom {
  const [, argument] = node.arguments;
  const { checker } = f.ctx;
  const type = argument === undefined ? null : checker.getTypeAtLocation(argument);
  const isDefined = type === null || checker.getNonNullableType(type) === type;
  return isDefined ? unwrap(f, start) : orZero(f, start);
}

function shifted(f: Frame, offset: Atom | undefined, at: Atom): Atom {
  if (offset === undefined) return at;
  return at.kind === "const" && at.value === 0 ? offset : f.b.op("add", offset, at);
}

const orZero = (f: Frame, start: Atom): Atom =>
  f.choose(
    "start",
    NUM,
    definednessTest(f, start),
    () => unwrap(f, start),
    () => num(0),
  );

function throwUnlessItFits(f: Frame, array: Atom, start: Atom | undefined, end: Atom): void {
  const isBeyond = f.b.op("gt", end, f.b.length(array));
  const isKnown = start === undefined || (start.kind === "const" && Number(start.value) >= 0);
  f.when(isKnown ? isBeyond : f.b.op("or", f.b.op("lt", start, num(0)), isBeyond), () =>
    f.b.raise("RangeError", "offset is out of bounds"),
  );
}
