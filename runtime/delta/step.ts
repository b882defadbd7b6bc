// Calls as one node of the tape: a pure function of numbers, arrays and records, with its static
// gradient. The parents are all active numbers of the arguments. An argument with another layout
// than its type runs the function as usual.

import { isView, idsOf } from "./handles.ts";
import { attempted } from "./number-step.ts";
import { inRange } from "./ranges.ts";
import { ret } from "./register.ts";
import { elementsOf, fieldIds, fieldsOf, type Elements } from "./store.ts";
import { addTerm, firstTerm, summed, TERMS } from "./tape.ts";
import type { Id, Value } from "./value.ts";

/** Places: 0 a number, "" none, `[l]` an array, `[l, m]` a tuple, `{ k: l }` a record. */
export type Layout = 0 | "" | readonly Layout[] | { readonly [key: string]: Layout };

/** Ids in layout order. Arrays of numbers: -length, then the first id, 0, or -1 and all ids. */
export type Ids = Id[];

/** Whether any id is not 0. */
export let isActive = false;

/** Appends the ids of a value's numbers. False: its layout is not that of its type. */
function met(layout: Layout, value: Value, own: Id, ids: Ids): boolean {
  if (layout === 0) return typeof value === "number" && numberMet(own, ids);
  if (layout === "") return typeof value === "string" || typeof value === "boolean";
  if (typeof value !== "object" || value === null) return false;
  return isList(layout) ? listMet(layout, value, ids) : recordMet(layout, value, ids);
}

export const isList = (layout: Layout): layout is readonly Layout[] => Array.isArray(layout);

function numberMet(id: Id, ids: Ids): true {
  if (id !== 0) isActive = true;
  ids.push(id);
  return true;
}

const nativeIterators: readonly unknown[] = /* @__PURE__ */ (() => [
  Array.prototype[Symbol.iterator],
  Float64Array.prototype[Symbol.iterator],
])();

function listMet(layout: readonly Layout[], list: Value, ids: Ids): boolean {
  const isArray = Array.isArray(list);
  if (!nativeIterators.includes(list[Symbol.iterator])) return false;
  const each = layout[0] ?? 0;
  if (layout.length > 1) {
    if (!isArray || list.length !== layout.length) return false;
    const own = idsOf(list).ids;
    return layout.every((one, k) => met(one, list[k], own[k] ?? 0, ids));
  }
  if (each === 0)
    return isArray
      ? isOfNumbers(list) && numbersMet(idsOf(list).ids, list.length, ids)
      : isView(list) &&
          typeof list[0] !== "bigint" &&
          numbersMet(idsOf(list).ids, list.length, ids);
  if (!isArray) return false;
  for (let k = 0; k < list.length; k++) if (!met(each, list[k], 0, ids)) return false;
  return true;
}

function isOfNumbers(list: readonly unknown[]): boolean {
  for (let k = 0; k < list.length; k++) if (typeof list[k] !== "number") return false;
  return true;
}

function numbersMet(own: Elements, count: number, ids: Ids): true {
  const first = own[0] ?? 0;
  let length = 0;
  if (first === 0) while (length < count && (own[length] ?? 0) === 0) length++;
  else while (length < count && own[length] === first + length) length++;
  ids.push(-count);
  if (length === count) return numberMet(first, ids);
  ids.push(-1);
  for (let k = 0; k < count; k++) ids.push(own[k] ?? 0);
  return (isActive = true);
}

function recordMet(layout: { readonly [key: string]: Layout }, record: Value, ids: Ids): boolean {
  if (
    Array.isArray(record) ||
    isView(record) ||
    Object.keys(record).length !== Object.keys(layout).length
  )
    return false;
  const own = fieldIds(record);
  for (const key in layout) {
    const id = own[key];
    if (typeof id !== "number" && !isData(record, key)) return false;
    if (!met(layout[key] ?? "", record[key], typeof id === "number" ? id : 0, ids)) return false;
  }
  return true;
}

/** An own field without accessor. */
function isData(record: Value, key: string): boolean {
  const property = Object.getOwnPropertyDescriptor(record, key);
  return property !== undefined && "value" in property;
}

/** Takes the cotangent's numbers of arguments, in the order of the ids. */
export abstract class Cotangents {
  readonly #ids: Ids;
  #next = 0;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  protected abstract put(id: Id, amount: number): void;

  /** Takes those of at least two consecutive ids. False: they come one by one. */
  protected range(_first: Id, _bar: ArrayLike<number>, _count: number): boolean {
    return false;
  }

  add(layout: Layout, bar: Value): void {
    if (layout === 0) this.put(this.#id(), bar);
    else if (layout === "") return;
    else if (!isList(layout)) for (const key in layout) this.add(layout[key] ?? "", bar[key]);
    else if (layout.length > 1)
      for (let k = 0; k < layout.length; k++) this.add(layout[k] ?? "", bar[k]);
    else if (layout[0] === 0) this.#addNumbers(bar);
    else for (let k = 0; k < bar.length; k++) this.add(layout[0] ?? "", bar[k]);
  }

  #addNumbers(bar: ArrayLike<number>): void {
    const count = -this.#id();
    const first = this.#id();
    if (first === 0 || (first > 0 && count > 1 && this.range(first, bar, count))) return;
    for (let k = 0; k < count; k++) this.put(first > 0 ? first + k : this.#id(), bar[k] ?? NaN);
  }

  #id(): Id {
    return this.#ids[this.#next++] ?? 0;
  }
}

/** Appends them to the terms of a node. */
class Terms extends Cotangents {
  at: number;

  constructor(ids: Ids, at: number) {
    super(ids);
    this.at = at;
  }

  protected put(id: Id, amount: number): void {
    if (amount !== 0) this.at = addTerm(this.at, id, amount);
  }

  protected override range(first: Id, bar: ArrayLike<number>, count: number): boolean {
    if (this.at + count > TERMS) return false;
    this.at = inRange(first, bar, count, this.at);
    return true;
  }
}

/** Whether an array of numbers, or a record of numbers and such arrays, has an id. */
export function holdsIds(o: Value): boolean {
  if (typeof o !== "object" || o === null) return false;
  if (Array.isArray(o)) return elementsOf(o)?.some((id) => id !== 0) ?? false;
  if (isView(o)) return o.length > 0 && isAny(idsOf(o).ids, o.length);
  const fields = fieldsOf(o);
  for (const key in o) if ((fields?.[key] ?? 0) !== 0 || holdsIds(o[key])) return true;
  return false;
}

function isAny(ids: Elements, count: number): boolean {
  for (let k = 0; k < count; k++) if ((ids[k] ?? 0) !== 0) return true;
  return false;
}

/** The ids of the arguments; null: it must run as usual. Sets `isActive`. */
export function idsMet(
  places: readonly number[],
  layouts: readonly Layout[],
  given: readonly Id[],
  args: readonly Value[],
): Ids | null {
  const ids: Ids = [];
  isActive = false;
  for (let k = 0; k < places.length; k++) {
    const place = places[k] ?? 0;
    if (!met(layouts[k] ?? "", args[place], given[place] ?? 0, ids)) return null;
  }
  return ids;
}

/**
 * `f(...args)` as one node. `derivative` gives the value and the cotangents at `places`.
 * Undefined: it must run as usual. `constants`: captured objects, which must have no ids.
 * `f` is null for a loop of a function; one that throws runs as usual, too.
 */
export function step(
  f: Value,
  derivative: Value,
  places: readonly number[],
  layouts: readonly Layout[],
  given: readonly Id[],
  args: Value[],
  constants?: readonly Value[],
): Value {
  if (constants?.some(holdsIds) === true) return undefined;
  const ids = idsMet(places, layouts, given, args);
  if (ids === null) return undefined;
  if (!isActive) return f === null ? undefined : ret(f(...args), 0);
  const made = f === null ? attempted(derivative, args) : derivative(...args);
  if (made === null) return undefined;
  return noded(made, layouts, ids);
}

function noded([value, bars]: Value, layouts: readonly Layout[], ids: Ids): Value {
  const first = firstTerm();
  const terms = new Terms(ids, first);
  for (let k = 0; k < layouts.length; k++) terms.add(layouts[k] ?? "", bars[k]);
  return ret(value, summed(0, first, terms.at));
}

/** Where derivatives of loops write, by derivative. Its lists have the lengths of the last call. */
const written = /* @__PURE__ */ new WeakMap<object, Value[]>();

/** `step` of a loop whose derivative writes numbers and lists of numbers into what it is given. */
export function stepInto(
  derivative: Value,
  places: readonly number[],
  layouts: readonly Layout[],
  given: readonly Id[],
  args: Value[],
  constants?: readonly Value[],
): Value {
  if (constants?.some(holdsIds) === true) return undefined;
  const ids = idsMet(places, layouts, given, args);
  if (ids === null || !isActive) return undefined;
  const into = written.get(derivative) ?? [];
  written.set(derivative, into);
  for (let k = 0; k < places.length; k++) {
    const length = args[places[k] ?? 0].length;
    if (layouts[k] === 0) into[k] = 0;
    else if (into[k]?.length !== length) into[k] = new Float64Array(length);
  }
  const made = attempted(derivative, [into, ...args]);
  return made === null ? undefined : noded(made, layouts, ids);
}
