// Ids of array elements, for the handlers of natives. Elements that are not numbers have id 0.

import { keyId, setKeyId } from "../shadows.ts";
import { elementsFor, elementsOf, keepElements, run } from "../store.ts";
import type { Id, Value } from "../value.ts";

export const idAt = (o: Value, k: number, value: Value): Id =>
  typeof value === "number" ? keyId(o, k) : 0;

export function idsOf(o: Value): Id[] {
  const ids: Id[] = [];
  if (!run.touched) return ids;
  if (Array.isArray(o)) return [...(elementsOf(o) ?? [])];
  for (let k = 0; k < o.length; k++) ids.push(keyId(o, k));
  return ids;
}

/** Sets the ids of all elements; missing ones are 0. */
export function setIds(o: Value, ids: readonly Id[]): void {
  if (Array.isArray(o)) {
    const own = elementsOf(o);
    if (own === undefined && !ids.some((id) => (id ?? 0) !== 0)) return;
    const to = elementsFor(o);
    to.length = 0;
    for (let k = 0; k < o.length; k++) to.push(typeof o[k] === "number" ? (ids[k] ?? 0) : 0);
    return;
  }
  if (!run.touched && !ids.some((id) => (id ?? 0) !== 0)) return;
  for (let k = 0; k < o.length; k++) setKeyId(o, k, typeof o[k] === "number" ? (ids[k] ?? 0) : 0);
}

/** The same for a new array; `ids` must not be used elsewhere. */
export function takeIds(o: Value, ids: Id[]): void {
  const isNew =
    Array.isArray(o) &&
    Object.getPrototypeOf(o) === Array.prototype &&
    elementsOf(o) === undefined &&
    ids.length <= o.length;
  if (!isNew) setIds(o, ids);
  else if (ids.some((each) => each !== 0)) keepElements(o, ids);
}

/** A relative position as array methods take it: `-1` is the last element. */
export function relative(position: Value, length: number, absent: number): number {
  if (position === undefined) return absent;
  const whole = Math.trunc(Number(position)) || 0;
  return whole < 0 ? Math.max(0, length + whole) : Math.min(whole, length);
}
