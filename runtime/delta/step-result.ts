// Calls whose result is an array or a record of numbers: one node for each number, of one pullback.
// The pullback reads copies of the arguments, which the program may write meanwhile, and the
// program gets a copy of the result. An array twice in a result is left to ordinary code.

import { beyond } from "./general-hooks.ts";
import { isView } from "./handles.ts";
import { ret } from "./register.ts";
import { Cotangents, holdsIds, idsMet, isActive, isList, type Ids, type Layout } from "./step.ts";
import { keepElements, run, seedElements, setFieldId } from "./store.ts";
import { callNodes, CHUNK, type Contribute } from "./tape.ts";
import type { Id, Value } from "./value.ts";

/** A deep copy of arrays and records, by slices and spreads, which V8 makes as a whole. */
function copyOf(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (isView(value)) return value.slice();
  if (Array.isArray(value)) return listCopy(value.slice());
  const copy: Value = { ...value };
  for (const key in copy) if (typeof copy[key] === "object") copy[key] = copyOf(copy[key]);
  return copy;
}

function listCopy(list: Value[]): Value[] {
  for (let k = 0; k < list.length; k++) if (typeof list[k] === "object") list[k] = copyOf(list[k]);
  return list;
}

/** The numbers of a result without inner objects; -1: it has some. */
function flatCount(layout: Layout, value: Value): number {
  if (layout === "") return 0;
  if (layout === 0) return 1;
  if (isList(layout)) return layout.length > 1 || layout[0] !== 0 ? -1 : value.length;
  let count = 0;
  for (const key in layout) {
    if (layout[key] === 0) count++;
    else if (layout[key] !== "") return -1;
  }
  return count;
}

/** The numbers of a result; NaN where an object is there twice. */
function countOf(layout: Layout, value: Value, seen: Set<Value>): number {
  const flat = flatCount(layout, value);
  if (layout === 0 || layout === "") return flat;
  if (seen.has(value)) return NaN;
  seen.add(value);
  if (flat >= 0) return flat;
  let count = 0;
  if (!isList(layout))
    for (const key in layout) count += countOf(layout[key] ?? "", value[key], seen);
  else
    for (let k = 0; k < value.length; k++)
      count += countOf(layout[layout.length > 1 ? k : 0] ?? "", value[k], seen);
  return count;
}

/** Gives the numbers of a result consecutive ids. Returns the next one. */
function seeded(layout: Layout, value: Value, first: Id): Id {
  if (layout === 0 || layout === "") return first;
  let next = first;
  if (!isList(layout))
    for (const key in layout) {
      if (layout[key] === 0) setFieldId(value, key, next++);
      else next = seeded(layout[key] ?? "", value[key], next);
    }
  else if (layout.length === 1 && layout[0] === 0) {
    if (Array.isArray(value)) seedElements(value, first);
    else beyond().seedView(value, first);
    return first + value.length;
  } else {
    const ids: Id[] = [];
    for (let k = 0; k < value.length; k++) {
      const inner = layout[layout.length > 1 ? k : 0] ?? "";
      ids.push(inner === 0 ? next++ : 0);
      if (inner !== 0) next = seeded(inner, value[k], next);
    }
    keepElements(value, ids);
  }
  return next;
}

/** Takes the adjoints of a result's nodes, in their order, and leaves zeros. */
class Adjoints {
  readonly #adjoints: Float64Array;
  #at: number;

  constructor(adjoints: Float64Array, at: number) {
    this.#adjoints = adjoints;
    this.#at = at;
  }

  /** The cotangent of a result. */
  of(layout: Layout, value: Value): Value {
    if (layout === 0) return this.#next();
    if (layout === "") return value;
    if (!isList(layout)) {
      const bar: Value = { ...value };
      for (const key in layout)
        bar[key] = layout[key] === 0 ? this.#next() : this.of(layout[key] ?? "", value[key]);
      return bar;
    }
    const bar: Value = value.slice();
    if (layout.length === 1 && layout[0] === 0)
      for (let k = 0; k < bar.length; k++) bar[k] = this.#next();
    else
      for (let k = 0; k < bar.length; k++)
        bar[k] = this.of(layout[layout.length > 1 ? k : 0] ?? "", value[k]);
    return bar;
  }

  #next(): number {
    const adjoint = this.#adjoints[this.#at] ?? 0;
    this.#adjoints[this.#at++] = 0;
    return adjoint;
  }
}

/** Adds them to the adjoints of the arguments' nodes. */
class Contributions extends Cotangents {
  readonly #contribute: Contribute;
  readonly #adjoints: Float64Array;
  /** The id of the first of the adjoints. */
  readonly #start: Id;

  constructor(ids: Ids, contribute: Contribute, adjoints: Float64Array, start: Id) {
    super(ids);
    this.#contribute = contribute;
    this.#adjoints = adjoints;
    this.#start = start;
  }

  protected put(id: Id, amount: number): void {
    if (id !== 0 && amount !== 0) this.#contribute(id, amount);
  }

  protected override range(first: Id, bar: ArrayLike<number>, count: number): boolean {
    const adjoints = this.#adjoints;
    const from = first - this.#start;
    if (from < 0) return false;
    for (let k = 0; k < count; k++)
      adjoints[from + k] = (adjoints[from + k] ?? 0) + (bar[k] ?? NaN);
    return true;
  }
}

/**
 * `f(...args)` with a node for each number of its result. `derivative` gives the value and the
 * pullback. Undefined: it must run as usual.
 */
export function stepOf(
  result: Layout,
  f: Value,
  derivative: Value,
  places: readonly number[],
  layouts: readonly Layout[],
  given: readonly Id[],
  args: Value[],
  constants?: readonly Value[],
): Value {
  if (run.isInner || run.isPushed === true || constants?.some(holdsIds) === true) return undefined;
  const ids = idsMet(places, layouts, given, args);
  if (ids === null) return undefined;
  if (!isActive) return ret(f(...args), 0);
  const [made, pullback] = derivative(...args.map(copyOf));
  const flat = flatCount(result, made);
  const count = flat >= 0 ? flat : countOf(result, made, new Set());
  if (!(count < CHUNK)) return undefined;
  const value = copyOf(made);
  const first = callNodes((_adjoint, contribute, adjoints, start) => {
    const bars = pullback(new Adjoints(adjoints, first - start).of(result, made));
    const all = new Contributions(ids, contribute, adjoints, start);
    for (let k = 0; k < places.length; k++) all.add(layouts[k] ?? "", bars[k]);
  }, count);
  seeded(result, value, first);
  return ret(value, 0);
}
