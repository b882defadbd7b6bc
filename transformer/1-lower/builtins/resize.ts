// Methods that change how many elements there are, or shift them: `shift`, `unshift`, `splice`, `copyWithin`, `a.length = n`. In: a method call.
// Out: its value. Invariant: written out as reads, stores, appends and removals at the end, which differentiation knows; arguments come first.

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
  readonly wanted: string;
  readonly unused: boolean;
}

const lengthOf = (f: Frame, array: Atom): Atom =>
  f.let("t", NUM, { kind: "length", object: array });
const load = (f: Frame, call: Resized, array: Atom, at: Atom, wanted = "t"): Atom =>
  f.let(wanted, call.elem, { kind: "load", object: array, key: index(at) });
const removeLast = (f: Frame, array: Atom, elem: Type): Atom =>
  f.let("t", optional(f, elem), { kind: "removeLast", object: array });

/** `xs.shift()`: every element moves down by one. */
export function shift(f: Frame, call: Resized): Atom {
  const { array, elem } = call;
  const length = lengthOf(f, array);
  const type = optional(f, elem);
  return f.choose(
    call.wanted,
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

/** What is put in: values, or one array of all. */
export type Items = readonly Atom[] | Var;
const isOne = (items: Items): items is Var => "kind" in items;

function appendItems(f: Frame, call: Resized, items: Items): void {
  if (!isOne(items))
    for (const value of items) f.b.emit({ kind: "append", object: call.array, value });
  else
    emitFor(f, f.label("loop"), lengthOf(f, items), (at) =>
      f.b.emit({ kind: "append", object: call.array, value: load(f, call, items, at) }),
    );
}

/** `xs.unshift(a, b)`: every element moves up, from the last one on. */
export function unshift(f: Frame, call: Resized, items: Items): Atom | null {
  const { array } = call;
  const length = lengthOf(f, array);
  const count = isOne(items) ? lengthOf(f, items) : num(items.length);
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
  return call.unused ? null : f.let(call.wanted, NUM, { kind: "length", object: array });
}

/** `xs.splice(start, count, a, b)`: what stands behind is set aside, taken off, and appended after the new elements. */
export function splice(
  f: Frame,
  call: Resized,
  [start, count]: readonly Atom[],
  items: Items,
): Atom | null {
  const { array, elem } = call;
  const length = lengthOf(f, array);
  const from = start === undefined ? length : within(f, start, length);
  const left = f.b.op("sub", length, from);
  const gone =
    count === undefined
      ? start === undefined
        ? num(0)
        : left
      : f.b.op("min", f.b.op("max", whole(f, count), num(0)), left);
  const to = f.b.op("add", from, gone);
  const removed = call.unused
    ? null
    : f.let(call.wanted, array.type, { kind: "slice", object: array, from, to });
  const tail = f.let("tail", array.type, { kind: "slice", object: array, from: to, to: null });
  emitFor(f, f.label("loop"), left, () => void removeLast(f, array, elem));
  appendItems(f, call, items);
  emitFor(f, f.label("loop"), lengthOf(f, tail), (at) =>
    f.b.emit({ kind: "append", object: array, value: load(f, call, tail, at) }),
  );
  return removed;
}

/** `xs.toSpliced(start, count, a, b)` */
export function spliced(f: Frame, call: Resized, before: readonly Atom[], items: Items): Atom {
  const array = copyOf(f, call);
  splice(f, { ...call, array, unused: true }, before, items);
  return array;
}

/** `xs.with(at, value)`; outside of the array it throws what the method throws. */
export function replaced(
  f: Frame,
  call: Resized,
  [at = num(0), value = UNDEFINED]: readonly Atom[],
): Atom {
  const length = lengthOf(f, call.array);
  const place = whole(f, at);
  const shape = f.shape(call.array.type);
  const above = (): Atom => f.b.op("add", length, place);
  const from =
    place.kind === "const"
      ? Number(place.value) < 0
        ? above()
        : place
      : f.choose("t", NUM, f.b.op("lt", place, num(0)), above, () => place);
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

const copyOf = (f: Frame, { array, wanted }: Resized): Var =>
  f.let(wanted, array.type, { kind: "slice", object: array, from: num(0), to: null });

/** `xs.copyWithin(target, start, end)` */
export function copyWithin(
  f: Frame,
  call: Resized,
  [target = num(0), start = num(0), end]: readonly Atom[],
): Atom {
  const { array } = call;
  const length = lengthOf(f, array);
  const to = within(f, target, length);
  const part = f.let("part", array.type, {
    kind: "slice",
    object: array,
    from: start,
    to: end ?? null,
  });
  const count = f.b.op("min", lengthOf(f, part), f.b.op("sub", length, to));
  emitFor(f, f.label("loop"), count, (at) =>
    f.b.store(array, index(f.b.op("add", to, at)), load(f, call, part, at)),
  );
  return array;
}

/** `xs.length = n`: takes elements off; a longer array would have elements that are not there. */
export function setLength(f: Frame, array: Atom, elem: Type, wanted: Atom): void {
  const length = lengthOf(f, array);
  if (!(wanted.kind === "const" && wanted.value === 0)) {
    f.when(isNoLength(f, wanted, length), () => {
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
  emitFor(f, f.label("loop"), f.b.op("sub", length, wanted), () => void removeLast(f, array, elem));
}

/** Below 0, or no whole number, which JavaScript refuses; or more than there are. */
function isNoLength(f: Frame, wanted: Atom, length: Atom): Atom {
  const isMore = f.b.op("gt", wanted, length);
  if (
    wanted.kind === "const" &&
    typeof wanted.value === "number" &&
    wanted.value > 0 &&
    Number.isInteger(wanted.value)
  )
    return isMore;
  const isOutside = f.b.op("or", f.b.op("lt", wanted, num(0)), isMore);
  return isInteger(f, wanted)
    ? isOutside
    : f.b.op("or", isOutside, f.b.op("ne", wanted, f.b.op("floor", wanted)));
}

/** A position as these methods count it: from the end where it is negative, and never outside. */
export function within(f: Frame, at: Atom, length: Atom): Atom {
  if (at.kind === "const" && typeof at.value === "number" && Number.isInteger(at.value)) {
    if (at.value === 0) return at;
    return at.value > 0
      ? f.b.op("min", at, length)
      : f.b.op("max", f.b.op("sub", length, num(-at.value)), num(0));
  }
  const place = whole(f, at);
  return f.choose(
    "t",
    NUM,
    f.b.op("lt", place, num(0)),
    () => f.b.op("max", f.b.op("add", length, place), num(0)),
    () => f.b.op("min", place, length),
  );
}

/** An integer; NaN counts as 0. */
function whole(f: Frame, at: Atom): Atom {
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
