// Hooks for accessors, typed arrays and general iterables. `members` (members.ts) installs them. In
// programs without them by type they stay out of the bundle, and an unexpected one throws.

import { unforeseen } from "./families.ts";
import type { Handle } from "./store.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

export interface Beyond {
  readonly getter: (f: Value, receiver: Value, key: Value) => Value;
  readonly setter: (f: Value, o: Value, value: Value, valueId: Id) => void;
  readonly viewId: (o: Value, index: number) => Id;
  readonly setView: (o: Value, index: number, value: Value, valueId: Id) => void;
  readonly setViewId: (o: Value, index: number, to: Id) => void;
  /** Gives all elements consecutive ids from `first` on. */
  readonly seedView: (o: Value, first: Id) => void;
  readonly areActive: (buffer: object) => boolean;
  /** Marks what plain code has left in a place. */
  readonly leave: (value: Value) => void;
  readonly viewHandle: (o: Value) => Handle;
  /** The elements of an iterable that is neither an array nor a typed array. */
  readonly elements: (iterable: Value) => Iterable<Value>;
  /** `o[name](f, start)` with a method that is not the built-in one. */
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
