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

function copyOf(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (isView(value)) return value.slice();
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Value = {};
  for (const key of Object.keys(value)) copy[key] = copyOf(value[key]);
  return copy;
}

/** The numbers of a result; NaN where an object is there twice. */
function countOf(layout: Layout, value: Value, seen: Set<Value>): number {
  if (layout === 0) return 1;
  if (layout === "") return 0;
  if (seen.has(value)) return NaN;
  seen.add(value);
  let count = 0;
  if (!isList(layout))
    for (const key in layout) count += countOf(layout[key] ?? "", value[key], seen);
  else if (layout.length === 1 && layout[0] === 0) return value.length;
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
      const bar: Value = {};
      for (const key in layout) bar[key] = this.of(layout[key] ?? "", value[key]);
      return bar;
    }
    const bar: Value = isView(value) ? new Float64Array(value.length) : [];
    for (let k = 0; k < value.length; k++)
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

  constructor(ids: Ids, contribute: Contribute) {
    super(ids);
    this.#contribute = contribute;
  }

  protected put(id: Id, amount: number): void {
    if (id !== 0 && amount !== 0) this.#contribute(id, amount);
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
  const count = countOf(result, made, new Set());
  if (!(count < CHUNK)) return undefined;
  const value = copyOf(made);
  const first = callNodes((_adjoint, contribute, adjoints, start) => {
    const bars = pullback(new Adjoints(adjoints, first - start).of(result, made));
    const all = new Contributions(ids, contribute);
    for (let k = 0; k < places.length; k++) all.add(layouts[k] ?? "", bars[k]);
  }, count);
  seeded(result, value, first);
  return ret(value, 0);
}
