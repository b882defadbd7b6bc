// Lowers array methods that change the length or move elements: `shift`, `unshift`, `splice`,
// `copyWithin`, `with`, `a.length = n`.
// Each is expanded to loads, stores, appends and removals at the end, which have derivatives.
// The caller has lowered the arguments.

import type ts from "typescript";
import { BOOL, NUM, bool, index, num } from "../../ir/build.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { extern, externCall, optional, str, UNDEFINED } from "../coerce.ts";
import { emitCounted, emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";

interface Resized {
  readonly node: ts.CallExpression;
  readonly array: Atom;
  readonly elem: Type;
  readonly hint: string;
  readonly unused: boolean;
}

const load = (f: Frame, call: Resized, array: Atom, at: Atom, hint = "t"): Atom =>
  f.let(hint, call.elem, { kind: "load", object: array, key: index(at) });
const removeLast = (f: Frame, array: Atom, elem: Type): Atom =>
  f.let("t", optional(f, elem), { kind: "removeLast", object: array });

/** `xs.shift()` moves every element down by one. */
export function shift(f: Frame, call: Resized): Atom {
  const { array, elem } = call;
  const length = f.b.length(array);
  const type = optional(f, elem);
  return f.choose(
    call.hint,
    type,
    f.b.op("gt", length, num(0)),
    () => {
      const first = load(f, call, array, num(0), "first");
      const last = f.b.op("sub", length, num(1));
      emitFor(f, f.label("loop"), last, (at) =>
        f.b.store(array, index(at), load(f, call, array, f.b.op("add", at, num(1)))),
      );
      removeLast(f, array, elem);
      return first.type === type ? first : f.let("t", type, { kind: "copy", atom: first });
    },
    () => UNDEFINED,
  );
}

/** The inserted elements: values, or one array of them. */
export type Items = readonly Atom[] | Var;
const isOne = (items: Items): items is Var => "kind" in items;

function appendItems(f: Frame, call: Resized, items: Items): void {
  if (!isOne(items))
    for (const value of items) f.b.emit({ kind: "append", object: call.array, value });
  else
    emitFor(f, f.label("loop"), f.b.length(items), (at) =>
      f.b.emit({ kind: "append", object: call.array, value: load(f, call, items, at) }),
    );
}

/** `xs.unshift(a, b)` moves every element up, beginning with the last. */
export function unshift(f: Frame, call: Resized, items: Items): Atom | null {
  const { array } = call;
  const length = f.b.length(array);
  const count = isOne(items) ? f.b.length(items) : num(items.length);
  appendItems(f, call, items);
  emitCounted(
    f,
    f.label("loop"),
    "i",
    { from: f.b.op("sub", length, num(1)), test: ">=", to: num(0), step: -1 },
    (at) => {
      f.b.store(array, index(f.b.op("add", at, count)), load(f, call, array, at));
    },
  );
  if (isOne(items))
    emitFor(f, f.label("loop"), count, (at) =>
      f.b.store(array, index(at), load(f, call, items, at)),
    );
  else for (const [at, value] of items.entries()) f.b.store(array, index(num(at)), value);
  return call.unused ? null : f.b.length(array, call.hint);
}

/** `xs.splice(start, count, a, b)` copies the tail, removes it, and appends it after `a, b`. */
export function splice(
  f: Frame,
  call: Resized,
  [start, count]: readonly Atom[],
  items: Items,
): Atom | null {
  const { array, elem } = call;
  const length = f.b.length(array);
  const from = start === undefined ? length : within(f, start, length);
  const rest = f.b.op("sub", length, from);
  const to = f.b.op("add", from, removedCount(f, start, count, rest));
  const removed = call.unused
    ? null
    : f.let(call.hint, array.type, { kind: "slice", object: array, from, to });
  const tail = f.let("tail", array.type, { kind: "slice", object: array, from: to, to: null });
  emitFor(f, f.label("loop"), rest, () => void removeLast(f, array, elem));
  appendItems(f, call, items);
  emitFor(f, f.label("loop"), f.b.length(tail), (at) =>
    f.b.emit({ kind: "append", object: array, value: load(f, call, tail, at) }),
  );
  return removed;
}

function removedCount(
  f: Frame,
  start: Atom | undefined,
  count: Atom | undefined,
  rest: Atom,
): Atom {
  if (count !== undefined) return f.b.op("min", f.b.op("max", toInteger(f, count), num(0)), rest);
  return start === undefined ? num(0) : rest;
}

/** `xs.toSpliced(start, count, a, b)` */
export function spliced(f: Frame, call: Resized, before: readonly Atom[], items: Items): Atom {
  const array = copyOf(f, call);
  splice(f, { ...call, array, unused: true }, before, items);
  return array;
}

/** `xs.with(at, value)`; out of bounds, it throws what the method throws. */
export function replaced(
  f: Frame,
  call: Resized,
  [at = num(0), value = UNDEFINED]: readonly Atom[],
): Atom {
  const length = f.b.length(call.array);
  const place = toInteger(f, at);
  const shape = f.shape(call.array.type);
  const above = (): Atom => f.b.op("add", length, place);
  const isNegative: Atom =
    place.kind === "const" ? bool(Number(place.value) < 0) : f.b.op("lt", place, num(0));
  const from = f.choose("t", NUM, isNegative, above, () => place);
  const isWithin = f.choose(
    "t",
    BOOL,
    f.b.op("ge", from, num(0)),
    () => f.b.op("lt", from, length),
    () => bool(false),
  );
  f.when(
    isWithin,
    () => undefined,
    () => {
      const isTyped = shape.kind === "array" && shape.store !== "Array";
      const error = isTyped
        ? externCall(f, "t", RANGE_ERROR, "new RangeError", [str("Invalid typed array index")])
        : extern(f, "t", RANGE_ERROR, ["new RangeError(`Invalid index : ${", "}`)"], [at]);
      f.b.emit({ kind: "throw", value: error });
    },
  );
  const array = copyOf(f, call);
  f.b.store(array, index(from), value);
  return array;
}

const RANGE_ERROR: Type = { kind: "leaf", text: "RangeError" };

const copyOf = (f: Frame, { array, hint }: Resized): Var =>
  f.let(hint, array.type, { kind: "slice", object: array, from: num(0), to: null });

/** `xs.copyWithin(target, start, end)` */
export function copyWithin(
  f: Frame,
  call: Resized,
  [target = num(0), start = num(0), end]: readonly Atom[],
): Atom {
  const { array } = call;
  const length = f.b.length(array);
  const to = within(f, target, length);
  const part = f.let("part", array.type, {
    kind: "slice",
    object: array,
    from: start,
    to: end ?? null,
  });
  const count = f.b.op("min", f.b.length(part), f.b.op("sub", length, to));
  emitFor(f, f.label("loop"), count, (at) =>
    f.b.store(array, index(f.b.op("add", to, at)), load(f, call, part, at)),
  );
  return array;
}

/** `xs.length = n` removes elements; growing would add undefined ones, so it throws. */
export function setLength(f: Frame, array: Atom, elem: Type, hint: Atom): void {
  const length = f.b.length(array);
  if (!(hint.kind === "const" && hint.value === 0)) {
    f.when(isInvalidLength(f, hint, length), () => {
      const message =
        "tsgrad: `length` is set to more than there are elements, or to no whole number; push what is missing";
      f.b.emit({
        kind: "throw",
        value: externCall(f, "t", { kind: "leaf", text: "RangeError" }, "new RangeError", [
          str(message),
        ]),
      });
    });
  }
  emitFor(f, f.label("loop"), f.b.op("sub", length, hint), () => void removeLast(f, array, elem));
}

/** Whether it is negative or no integer, which JavaScript rejects, or exceeds the length. */
function isInvalidLength(f: Frame, hint: Atom, length: Atom): Atom {
  const isMore = f.b.op("gt", hint, length);
  if (
    hint.kind === "const" &&
    typeof hint.value === "number" &&
    hint.value > 0 &&
    Number.isInteger(hint.value)
  )
    return isMore;
  const isOutside = f.b.op("or", f.b.op("lt", hint, num(0)), isMore);
  return isInteger(f, hint)
    ? isOutside
    : f.b.op("or", isOutside, f.b.op("ne", hint, f.b.op("floor", hint)));
}

/** A position clamped to the array; a negative one counts from the end. */
export function within(f: Frame, at: Atom, length: Atom): Atom {
  if (at.kind === "const" && typeof at.value === "number" && Number.isInteger(at.value)) {
    if (at.value === 0) return at;
    return at.value > 0
      ? f.b.op("min", at, length)
      : f.b.op("max", f.b.op("sub", length, num(-at.value)), num(0));
  }
  const place = toInteger(f, at);
  return f.choose(
    "t",
    NUM,
    f.b.op("lt", place, num(0)),
    () => f.b.op("max", f.b.op("add", length, place), num(0)),
    () => f.b.op("min", place, length),
  );
}

/** The value truncated to an integer; 0 for NaN. */
function toInteger(f: Frame, at: Atom): Atom {
  if (at.kind === "const" && typeof at.value === "number")
    return num(Math.trunc(Number.isNaN(at.value) ? 0 : at.value));
  if (isInteger(f, at)) return at;
  return f.choose(
    "t",
    NUM,
    f.b.op("isNaN", at),
    () => num(0),
    () => f.b.op("trunc", at),
  );
}

const isInteger = (f: Frame, at: Atom): at is Var => at.kind === "var" && f.integers.has(at.name);
