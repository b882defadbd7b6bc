// Values as vectors: the numbers of an argument or result, in order (DESIGN.md §4 "Types"). A
// shared object counts once and stays shared in copies. Nothing is written.

/** What a walk must know of a value's type. */
export interface Layout {
  /** Leaf fields to copy, which discriminate a union. "all": extra fields do no harm. */
  readonly leaves?: readonly string[] | "all";
  /** Numeric fields that discriminate a union; they have no derivative. */
  readonly tags?: readonly string[];
  /** The derivative returns the form's whole result, so there is nothing to walk. */
  readonly whole?: true;
  /** The function writes an argument, so its forward derivative needs a copy of the tangent. */
  readonly copies?: true;
}

type Key = string | number;
type Entry = readonly [key: unknown, value: unknown, isTag: boolean];

/** The kinds of values for differentiation. */
type Kind = "number" | "leaf" | "list" | "view" | "map" | "record";

const kindOf = (value: unknown): Kind => {
  if (typeof value === "number") return "number";
  if (typeof value !== "object" || value === null) return "leaf";
  if (isView(value)) return typeof value[0] === "bigint" ? "leaf" : "view";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  return isBuiltIn(value) ? "leaf" : "record";
};

/** Typed arrays, of numbers or of bigint. */
interface View {
  readonly length: number;
  [i: number]: unknown;
}
export const isView = (value: unknown): value is View =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

const isBuiltIn = (value: object): boolean =>
  value instanceof Date ||
  value instanceof RegExp ||
  value instanceof Set ||
  (Symbol.toStringTag in value && typeof value[Symbol.toStringTag] === "string");

/** The parts of a value: elements, Map entries, own fields. Accessors and functions are none. */
function entriesOf(value: unknown, layout: Layout): Entry[] {
  if (value instanceof Map) return Array.from(value, ([key, inner]): Entry => [key, inner, false]);
  if (Array.isArray(value))
    return Array.from(value, (inner: unknown, i): Entry => [i, inner, false]);
  if (typeof value !== "object" || value === null) return [];
  const found: Entry[] = [];
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined || !("value" in property) || typeof property.value === "function")
      continue;
    found.push([
      key,
      property.value,
      typeof property.value === "number" && (layout.tags ?? []).indexOf(key) >= 0,
    ]);
  }
  return found;
}

/** The part of another value at the place `key`. */
export function inside(value: unknown, key: unknown): unknown {
  if (value instanceof Map) return value.get(key);
  if (typeof value !== "object" || value === null || !isKey(key)) return undefined;
  return isView(value) ? value[Number(key)] : Object.getOwnPropertyDescriptor(value, key)?.value;
}
const isKey = (key: unknown): key is Key => typeof key === "string" || typeof key === "number";

/** `w[2].x`, `get("a")` */
export function pathTo(path: string, key: unknown, of: unknown): string {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a function has no JSON
  if (of instanceof Map) return `${path}.get(${JSON.stringify(key) ?? String(key)})`;
  if (typeof key === "number") return `${path}[${key}]`;
  return typeof key === "string" && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
    ? `${path}.${key}`
    : `${path}[${JSON.stringify(key)}]`;
}

/** Calls `see` at each number of `shape`, with the part of `value` at the same place. */
export function eachNumber(
  shape: unknown,
  value: unknown,
  see: (number: number, other: unknown, path: () => string) => void,
  layout: Layout = {},
): void {
  const met = new Set<unknown>();
  const keys: (readonly [key: unknown, of: unknown])[] = [];
  const path = (): string => keys.reduce((text, [key, of]) => pathTo(text, key, of), "");
  const walk = (at: unknown, other: unknown): void => {
    const kind = kindOf(at);
    if (typeof at === "number") see(at, other, path);
    if (kind === "number" || kind === "leaf" || met.has(at)) return;
    met.add(at);
    if (isView(at)) {
      const numbers = isView(other) || Array.isArray(other) ? other : undefined;
      for (let i = 0; i < at.length; i++) see(Number(at[i]), numbers?.[i], () => `${path()}[${i}]`);
      return;
    }
    if (Array.isArray(at)) {
      const list = isView(other) || Array.isArray(other) ? other : [];
      at.forEach((inner: unknown, i) => {
        if (typeof inner === "number") see(inner, list[i], () => `${path()}[${i}]`);
        else {
          keys.push([i, at]);
          walk(inner, list[i]);
          keys.pop();
        }
      });
      return;
    }
    for (const [key, inner, isTag] of entriesOf(at, layout)) {
      if (isTag) continue;
      keys.push([key, at]);
      walk(inner, inside(other, key));
      keys.pop();
    }
  };
  walk(shape, value);
}

/**
 * The numbers of `value` at the places of those of `shape`, in order.
 * @throws Error if one is missing, unless `missing` replaces it.
 */
export function numbersAlong(
  shape: unknown,
  value: unknown,
  layout: Layout = {},
  missing?: number,
): number[] {
  const numbers: number[] = [];
  eachNumber(
    shape,
    value,
    (_, other, path) => {
      const number = typeof other === "number" ? other : missing;
      if (number === undefined)
        throw new Error(
          `there is no number at \`value${path()}\`, which the shape of the space has one at`,
        );
      numbers.push(number);
    },
    layout,
  );
  return numbers;
}

export const numbersOf = (value: unknown, layout: Layout = {}): number[] =>
  numbersAlong(value, value, layout);

/** The path of each number, in order: `w[0]`, `b`. */
export function pathsOf(value: unknown, layout: Layout = {}): string[] {
  const paths: string[] = [];
  eachNumber(
    value,
    value,
    (_, __, path) => {
      paths.push(path());
    },
    layout,
  );
  return paths;
}

/** Whether a derivative can pass into a value. Empty aggregates might hold numbers. */
export function holdsNumbers(value: unknown, before: Set<unknown> | null = null): boolean {
  // The most frequent case, decided by one look.
  if (Array.isArray(value) && (value.length === 0 || typeof value[0] === "number")) return true;
  const kind = kindOf(value);
  if (kind === "number" || kind === "view") return true;
  if (kind === "leaf" || before?.has(value) === true) return false;
  const met = before ?? new Set<unknown>();
  met.add(value);
  if (Array.isArray(value)) return value.some((one) => holdsNumbers(one, met));
  const inner = entriesOf(value, {});
  return (
    (inner.length === 0 && kind !== "record") || inner.some(([, one]) => holdsNumbers(one, met))
  );
}

/** How `rebuilt` constructs a value. By default, typed arrays keep their kind. */
export interface Building extends Layout {
  readonly keepViews?: boolean;
  /** A shared object has its numbers at its first place, zeros at others: places are summed. */
  readonly isApart?: boolean;
  /** Objects without numbers stay, since derivative code reads the fields that their type has. */
  readonly keepsEmpty?: boolean;
}

/** A value like `shape`, with `number(i)` as i-th number. Fields without numbers are dropped. */
export function rebuilt(
  shape: unknown,
  number: (i: number) => unknown,
  building: Building = {},
): unknown {
  const made = new Map<unknown, unknown>();
  let count = 0;
  const build = (at: unknown): unknown => {
    const kind = kindOf(at);
    if (kind === "number") return number(count++);
    if (kind === "leaf") return at;
    if (made.has(at))
      return building.isApart === true
        ? rebuilt(at, () => 0, { ...building, isApart: false })
        : made.get(at);
    if (isView(at)) return buildView(at);
    if (Array.isArray(at)) {
      const list: unknown[] = [];
      made.set(at, list);
      for (let i = 0; i < at.length; i++)
        list.push(typeof at[i] === "number" ? number(count++) : build(at[i]));
      return list;
    }
    const into: object = kind === "map" ? new Map<unknown, unknown>() : {};
    made.set(at, into);
    for (const [key, inner, isTag] of entriesOf(at, building)) {
      if (isTag || isKept(key, inner, building)) place(into, key, isTag ? inner : build(inner));
    }
    return into;
  };
  const buildView = (at: View): unknown => {
    const view = building.keepViews === false ? new Array<unknown>(at.length) : viewLike(at);
    made.set(at, view);
    for (let i = 0; i < at.length; i++) view[i] = number(count++);
    return view;
  };
  return build(shape);
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

// ----------------------------------------------------------------------------------- vector spaces
// ksc notes §2.2: what is made of numbers is a vector space with a dot product.

/** A value of the same type with other numbers and the leaves and tags of `shape`. */
function combined<T>(shape: T, number: (i: number) => number, layout: Layout): T;
function combined(shape: unknown, number: (i: number) => number, layout: Layout): unknown {
  return rebuilt(shape, number, { ...layout, leaves: "all" });
}

/** `0`, in the shape of a value. */
export const zeroOf = <T>(shape: T, layout: Layout = {}): T => combined(shape, () => 0, layout);

/** `a + b` */
export function plus<T>(a: T, b: T, layout: Layout = {}): T {
  const left = numbersOf(a, layout);
  const right = numbersAlong(a, b, layout);
  return combined(a, (i) => (left[i] ?? 0) + (right[i] ?? 0), layout);
}

/** `k * a` */
export function times<T>(k: number, a: T, layout: Layout = {}): T {
  const numbers = numbersOf(a, layout);
  return combined(a, (i) => k * (numbers[i] ?? 0), layout);
}

/** `a • b` */
export function dot<T>(a: T, b: T, layout: Layout = {}): number {
  const right = numbersAlong(a, b, layout);
  return numbersOf(a, layout).reduce((sum, number, i) => sum + number * (right[i] ?? 0), 0);
}

/** The i-th basis vector of a value's space; of the dual space with `isApart`. */
export const oneHot = <T>(shape: T, at: number, building: Building = {}): T =>
  combined(shape, (i) => (i === at ? 1 : 0), building);

// ------------------------------------------------------------------------------------------ copies

/** A deep copy, with other numbers if given. Leaves are shared; `#fields` cannot be copied. */
export function copied(
  value: unknown,
  number: ((i: number) => number) | null,
  layout: Layout = {},
): unknown {
  const made = new Map<unknown, unknown>();
  let count = 0;
  const next = (own: number): number => (number === null ? own : number(count++));
  const copy = (at: unknown): unknown => {
    if (typeof at === "number") return next(at);
    const kind = kindOf(at);
    if (kind === "leaf" || typeof at !== "object" || at === null) return at;
    if (made.has(at)) return made.get(at);
    if (isView(at)) {
      const view = viewLike(at);
      made.set(at, view);
      for (let i = 0; i < at.length; i++) view[i] = next(Number(at[i]));
      return view;
    }
    // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- `Object.create` is `any`
    const into: object = Array.isArray(at)
      ? new Array<unknown>(at.length)
      : at instanceof Map
        ? new Map<unknown, unknown>()
        : // eslint-disable-next-line @typescript-eslint/no-unsafe-argument -- object or null
          Object.create(Object.getPrototypeOf(at), accessorsOf(at));
    made.set(at, into);
    for (const [key, inner, isTag] of entriesOf(at, layout))
      place(into, key, isTag ? inner : copy(inner));
    return into;
  };
  return copy(value);
}

/** Own properties that are not data: accessors, functions and hidden ones. */
function accessorsOf(value: object): PropertyDescriptorMap {
  const found: PropertyDescriptorMap = {};
  for (const key of Object.getOwnPropertyNames(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (
      property !== undefined &&
      (!("value" in property) ||
        typeof property.value === "function" ||
        property.enumerable !== true)
    )
      found[key] = property;
  }
  return found;
}

/** An integer array: constant data, in which a small step would be rounded away. */
export const isWhole = (value: unknown): boolean =>
  isView(value) && !(value instanceof Float64Array) && !(value instanceof Float32Array);

/** Whether a value contains a single-precision array. */
export function holdsSingle(value: unknown, met: Set<unknown> = new Set()): boolean {
  if (value instanceof Float32Array) return true;
  const kind = kindOf(value);
  if ((kind !== "list" && kind !== "map" && kind !== "record") || met.has(value)) return false;
  met.add(value);
  return entriesOf(value, {}).some(([, inner]) => holdsSingle(inner, met));
}
