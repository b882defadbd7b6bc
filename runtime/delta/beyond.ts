// What lies beyond numbers, lists and records with values: accessors, typed arrays, iterables of all kinds. In: how they are read and written (`members` of members.ts).
// Out: the same, to those who read and write. Invariant: where types say that there are none, nobody brings it, and what is met throws.

import { unforeseen } from "./families.ts";
import type { Handle } from "./store.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

export interface Beyond {
  /** The accessors of a property, with `this`. */
  readonly getter: (f: Value, receiver: Value, key: Value) => Value;
  readonly setter: (f: Value, o: Value, value: Value, valueId: Id) => void;
  /** `o[index]` of a typed array. */
  readonly viewId: (o: Value, index: number) => Id;
  readonly setView: (o: Value, index: number, value: Value, valueId: Id) => void;
  readonly setViewId: (o: Value, index: number, to: Id) => void;
  /** Gives all elements ids, from `first` upwards. */
  readonly seedView: (o: Value, first: Id) => void;
  /** Whether elements of the view may have ids. */
  readonly hasBytes: (o: Value) => boolean;
  readonly viewHandle: (o: Value) => Handle;
  /** The elements of what is neither an array nor a typed array. */
  readonly elements: (iterable: Value) => Iterable<Value>;
  /** The same as a list whose length is asked for before each element, and their ids. */
  readonly pulled: (iterable: Value) => { readonly list: Value; readonly ids: readonly Id[] };
  /** `o[name](f, start)`, whose method is not the one that arrays have. */
  readonly method: (
    o: Value,
    name: string,
    f: DeltaFunction,
    start: readonly [] | readonly [Value, Id],
  ) => Value;
}

let known: Beyond | null = null;

export function goBeyond(by: Beyond): void {
  known = by;
}

export const isBeyondKnown = (): boolean => known !== null;

export function beyond(): Beyond {
  if (known === null) throw unforeseen("an accessor, a typed array or an iterator");
  return known;
}
