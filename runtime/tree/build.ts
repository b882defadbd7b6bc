// Values of a given shape with other numbers: cotangents, tangents and copies. A shared object
// stays shared. Depth costs heap, not stack.

import { holdsNumbers, isFlat } from "./numbers.ts";
import { enter, entriesOf, isKey, isView, kindOf, type Layout, type View } from "./parts.ts";

/** How `rebuilt` constructs a value. By default, typed arrays keep their kind. */
export interface Building extends Layout {
  readonly keepViews?: boolean;
  /** A shared object has its numbers at its first place, zeros at others: places are summed. */
  readonly isApart?: boolean;
  /** Objects without numbers stay, since derivative code reads the fields that their type has. */
  readonly keepsEmpty?: boolean;
}

/** What differs between cotangents and copies. */
interface Construction {
  readonly layout: Layout;
  /** The number in place of the next one, `own`. */
  readonly number: (own: number) => unknown;
  readonly view: (like: View) => { [i: number]: unknown };
  /** An empty aggregate like a list, Map or record. */
  readonly empty: (like: object) => object;
  readonly isKept: (key: unknown, inner: unknown) => boolean;
  /** What stands for an object that has been constructed before. */
  readonly again: (at: unknown, made: unknown) => unknown;
}

/** What is to be constructed, and where it is placed then. */
interface Order {
  readonly into: object;
  readonly key: unknown;
  readonly at: unknown;
  readonly isTag: boolean;
}

function construct(shape: unknown, how: Construction): unknown {
  const made = new Map<unknown, unknown>();
  const result: unknown[] = [];
  const open: Order[] = [{ into: result, key: 0, at: shape, isTag: false }];
  const valueFor = (at: unknown, isTag: boolean): unknown => {
    if (typeof at === "number") return isTag ? at : how.number(at);
    if (typeof at !== "object" || at === null || kindOf(at) === "leaf") return at;
    if (made.has(at)) return how.again(at, made.get(at));
    if (isView(at) || isFlat(at)) {
      const numbers = Array.isArray(at) ? new Array<unknown>(at.length) : how.view(at);
      made.set(at, numbers);
      for (let i = 0; i < at.length; i++) numbers[i] = how.number(Number(at[i]));
      return numbers;
    }
    const into = how.empty(at);
    made.set(at, into);
    orderParts(at, into, how, open);
    return into;
  };
  for (let order = open.pop(); order !== undefined; order = open.pop())
    place(order.into, order.key, valueFor(order.at, order.isTag));
  return result[0];
}

function orderParts(at: object, into: object, how: Construction, open: Order[]): void {
  const kept = entriesOf(at, how.layout).filter(
    ([key, inner, isTag]) => isTag || Array.isArray(at) || how.isKept(key, inner),
  );
  enter(
    open,
    kept.map(([key, inner, isTag]) => ({ into, key, at: inner, isTag })),
  );
}

/** A value like `shape`, with `number(i)` as i-th number. Fields without numbers are dropped. */
export function rebuilt(
  shape: unknown,
  number: (i: number) => unknown,
  building: Building = {},
): unknown {
  let count = 0;
  return construct(shape, {
    layout: building,
    number: () => number(count++),
    view: (like) =>
      building.keepViews === false ? new Array<unknown>(like.length) : viewLike(like),
    empty: (like) => (Array.isArray(like) ? [] : like instanceof Map ? new Map() : {}),
    isKept: (key, inner) => isKept(key, inner, building),
    again: (at, made) =>
      building.isApart === true ? rebuilt(at, () => 0, { ...building, isApart: false }) : made,
  });
}

function isKept(
  key: unknown,
  inner: unknown,
  { leaves = [], keepsEmpty = false }: Building,
): boolean {
  if (kindOf(inner) === "leaf")
    return leaves === "all" || (typeof key === "string" && leaves.indexOf(key) >= 0);
  return keepsEmpty || holdsNumbers(inner);
}

function place(into: object, key: unknown, value: unknown): void {
  if (into instanceof Map) into.set(key, value);
  else if (Array.isArray(into)) into[Number(key)] = value;
  else if (isKey(key))
    Object.defineProperty(into, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

function viewLike(view: View): View {
  if (view instanceof Float32Array) return new Float32Array(view.length);
  if (view instanceof Int8Array) return new Int8Array(view.length);
  if (view instanceof Uint8ClampedArray) return new Uint8ClampedArray(view.length);
  if (view instanceof Uint8Array) return new Uint8Array(view.length);
  if (view instanceof Int16Array) return new Int16Array(view.length);
  if (view instanceof Uint16Array) return new Uint16Array(view.length);
  if (view instanceof Int32Array) return new Int32Array(view.length);
  if (view instanceof Uint32Array) return new Uint32Array(view.length);
  return new Float64Array(view.length);
}

/** `undefined` for a leaf, as in derivative code. */
export const tangentOf = (
  shape: unknown,
  number: (i: number) => number,
  layout: Layout = {},
): unknown =>
  kindOf(shape) === "leaf"
    ? undefined
    : rebuilt(shape, number, { ...layout, leaves: "all", keepsEmpty: true });

/** The cotangent whose product with a change sums `number(i)` times the i-th number's change. */
export const cotangentOf = (
  shape: unknown,
  number: (i: number) => number,
  layout: Layout = {},
): unknown =>
  kindOf(shape) === "leaf"
    ? undefined
    : rebuilt(shape, number, { ...layout, leaves: "all", isApart: true, keepsEmpty: true });

/**
 * A deep copy, with `number(i, own)` in place of the i-th number if given. Leaves are shared;
 * `#fields` cannot be copied.
 */
export function copied(
  value: unknown,
  number: ((i: number, own: number) => number) | null,
  layout: Layout = {},
): unknown {
  let count = 0;
  return construct(value, {
    layout,
    number: (own) => (number === null ? own : number(count++, own)),
    view: viewLike,
    empty: emptyLike,
    isKept: () => true,
    again: (_, made) => made,
  });
}

/** Of the same class. */
function emptyLike(like: object): object {
  if (Array.isArray(like)) return new Array<unknown>(like.length);
  if (like instanceof Map) return new Map();
  // eslint-disable-next-line @typescript-eslint/no-unsafe-argument -- object or null
  const into: object = Object.create(Object.getPrototypeOf(like), accessorsOf(like)) as object;
  return into;
}

/** Own properties that are not data: accessors, functions, hidden ones and symbols. */
function accessorsOf(value: object): PropertyDescriptorMap {
  const found: PropertyDescriptorMap = {};
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (
      property !== undefined &&
      (typeof key === "symbol" ||
        !("value" in property) ||
        typeof property.value === "function" ||
        property.enumerable !== true)
    )
      Object.defineProperty(found, key, { value: property, enumerable: true });
  }
  return found;
}
