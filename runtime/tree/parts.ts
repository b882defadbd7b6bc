// What values consist of: numbers, aggregates of them, and leaves. Nothing is
// written, and no accessor is called.

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

export const kindOf = (value: unknown): Kind => {
  if (typeof value === "number") return "number";
  if (typeof value !== "object" || value === null) return "leaf";
  if (isView(value)) return isOfNumbers(value) ? "view" : "leaf";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  return isBuiltIn(value) ? "leaf" : "record";
};

/** Typed arrays, of numbers or of bigint. */
export interface View {
  readonly length: number;
  [i: number]: unknown;
}
export const isView = (value: unknown): value is View =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Views of bigints are known by their tag: libraries before ES2020 have no name for them. */
const isOfNumbers = (value: object): boolean =>
  !/Big(?:Int|Uint)64Array/.test(Object.prototype.toString.call(value));

const isBuiltIn = (value: object): boolean =>
  value instanceof Date ||
  value instanceof RegExp ||
  value instanceof Set ||
  (Symbol.toStringTag in value && typeof value[Symbol.toStringTag] === "string");

/** The parts of a value: elements, Map entries, own fields. Accessors and functions are none. */
export function entriesOf(value: unknown, layout: Layout): Entry[] {
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

/** Adds parts to a stack. The first is on top, so that a walk keeps their order. */
export function enter<Part>(stack: Part[], parts: readonly Part[]): void {
  parts
    .slice()
    .reverse()
    .forEach((part) => stack.push(part));
}

/** The part of another value at the place `key`. */
export function inside(value: unknown, key: unknown): unknown {
  if (value instanceof Map) return value.get(key);
  if (typeof value !== "object" || value === null || !isKey(key)) return undefined;
  return isView(value) ? value[Number(key)] : Object.getOwnPropertyDescriptor(value, key)?.value;
}
export const isKey = (key: unknown): key is Key =>
  typeof key === "string" || typeof key === "number";

/** `w[2].x`, `get("a")` */
export function pathTo(path: string, key: unknown, of: unknown): string {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a function has no JSON
  if (of instanceof Map) return `${path}.get(${JSON.stringify(key) ?? String(key)})`;
  if (typeof key === "number") return `${path}[${key}]`;
  return typeof key === "string" && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
    ? `${path}.${key}`
    : `${path}[${JSON.stringify(key)}]`;
}

/** A place inside a value, by the way to it. */
export interface Place {
  readonly key: unknown;
  readonly of: unknown;
  readonly outer: Place | null;
}

export function pathOf(place: Place | null): string {
  const steps: Place[] = [];
  for (let at = place; at !== null; at = at.outer) steps.push(at);
  return steps.reduceRight((path, { key, of }) => pathTo(path, key, of), "");
}
