// Run-time values of the reference interpreter: places, arrays, shadows and tapes. Reads and writes
// are JavaScript's: a missing place reads undefined, typed arrays coerce.

import { invariant } from "./invariant.ts";
import { membersOf } from "./literal-types.ts";
import { hasNumbers, isTag, resolve, type Types } from "./shadow.ts";
import type { ArrayStore, Type, TypeOf } from "./types.ts";
import { TYPED_ARRAYS } from "./typed-arrays.ts";
import { unreachable } from "./visit.ts";

export type TypedArray =
  | Float64Array
  | Float32Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

const CONSTRUCTORS = {
  Float64Array,
  Float32Array,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
} as const;

export const isTyped = (value: unknown): value is TypedArray =>
  Object.values(CONSTRUCTORS).some((one) => value instanceof one);

/** `own`: undefined where an object inherits the place. */
export function getPlace(object: unknown, key: unknown, own = false): unknown {
  if (typeof object === "string") return getPlace(Object(object), key);
  if (!isObject(object))
    throw new TypeError(`Cannot read properties of ${String(object)} (reading '${String(key)}')`);
  if (own && !(object instanceof Map) && !Object.hasOwn(object, String(key))) return undefined;
  const value: unknown = object instanceof Map ? object.get(key) : Reflect.get(object, String(key));
  return value;
}

export function setPlace(object: unknown, key: unknown, value: unknown): void {
  if (!isObject(object))
    throw new TypeError(`Cannot set properties of ${String(object)} (setting '${String(key)}')`);
  if (object instanceof Map) return void object.set(key, value);
  const done = Reflect.set(object, String(key), value);
  // A write past the end of a typed array is ignored.
  if (!done && !isTyped(object))
    throw new TypeError(`Cannot assign to read only property '${String(key)}'`);
}

/** Makes the key the object's own, even `__proto__`. */
export function definePlace(object: unknown, key: unknown, value: unknown): void {
  if (!isObject(object) || String(key) !== "__proto__") setPlace(object, key, value);
  else
    Object.defineProperty(object, "__proto__", {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

export function arrayOf(value: unknown): unknown[] {
  invariant(isList(value), () => `expected an array, found ${String(value)}`);
  return value;
}

/** An array with that constructor and those elements. */
export function makeArray(store: ArrayStore, elems: readonly unknown[]): unknown {
  return store === "Array" ? [...elems] : CONSTRUCTORS[store].from(elems.map(Number));
}

/** `new Store(length)`. Elements of an `Array` are undefined until the first store. */
export function allocArray(store: ArrayStore, length: number): unknown[] | TypedArray {
  return store === "Array"
    ? new Array<unknown>(length).fill(undefined)
    : new CONSTRUCTORS[store](length);
}

export const spreadOf = (value: unknown): readonly unknown[] =>
  isTyped(value) ? [...value] : arrayOf(value);

export function sliceOf(value: unknown, from: number, to: number | undefined): unknown {
  return isTyped(value) ? value.slice(from, to) : arrayOf(value).slice(from, to);
}

export function fillArray(value: unknown, fill: unknown, from?: number, to?: number): void {
  if (isTyped(value)) value.fill(Number(fill), from, to);
  else arrayOf(value).fill(fill, from, to);
}

/** A fresh shadow of `value`, all zero. */
export function zerosOf(value: unknown, declared: Type, types: Types): unknown {
  const type = resolve(declared, types);
  switch (type.kind) {
    case "num":
      return 0;
    case "array":
      return arrayZeros(value, type.elem, types);
    case "tuple":
      return tupleZeros(arrayOf(value), type, types);
    case "record":
      return recordZeros(value, type, types);
    case "dict":
      return dictZeros(value, type, types);
    case "union": {
      const variant = type.variants.find((one) => isOf(value, one, types));
      invariant(variant !== undefined, "a value of no variant of its union");
      return zerosOf(value, variant, types);
    }
    case "opt":
      return optZeros(value, type.of, types);
    case "bool":
    case "leaf":
    case "named":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      invariant(false, `zeros of a ${type.kind}`);
      return undefined;
    default:
      return unreachable(type);
  }
}

const arrayZeros = (value: unknown, elem: Type, types: Types): unknown =>
  isTyped(value)
    ? new CONSTRUCTORS[storeOf(value)](value.length)
    : arrayOf(value).map((one) => zerosOf(one, elem, types));

const tupleZeros = (elems: readonly unknown[], type: TypeOf<"tuple">, types: Types): unknown =>
  type.elems.map((elem, i) =>
    hasNumbers(elem, types) ? zerosOf(elems[i], elem, types) : elems[i],
  );

function recordZeros(value: unknown, type: TypeOf<"record">, types: Types): unknown {
  const shadow: Record<string, unknown> = {};
  for (const field of type.fields) {
    const held = getPlace(value, field.name);
    if (type.tagged === true && isTag(field.type)) shadow[field.name] = held;
    else if (hasNumbers(field.type, types)) shadow[field.name] = zerosOf(held, field.type, types);
  }
  return shadow;
}

function dictZeros(value: unknown, type: TypeOf<"dict">, types: Types): unknown {
  const of = type.value.kind === "opt" ? type.value.of : type.value;
  const zeros = ([key, one]: readonly [unknown, unknown]): [unknown, unknown] => [
    key,
    isNil(one) ? undefined : zerosOf(one, of, types),
  ];
  if (value instanceof Map) return new Map([...value].map(zeros));
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).map(zeros));
}

function optZeros(value: unknown, of: Type, types: Types): unknown {
  if (resolve(of, types).kind === "num") return 0;
  return isNil(value) ? undefined : zerosOf(value, of, types);
}

export const isNil = (value: unknown): boolean => value === undefined || value === null;

/** Whether a value has the type of a union's variant, by its kind, fields and tags. */
function isOf(value: unknown, declared: Type, types: Types): boolean {
  const type = resolve(declared, types);
  if (type.kind === "array")
    return type.store === "Array" ? isList(value) : isTyped(value) && storeOf(value) === type.store;
  if (type.kind === "tuple") return isList(value) && value.length === type.elems.length;
  if (type.kind !== "record" || !isObject(value) || isList(value)) return false;
  return type.fields.every((field) =>
    field.name in value
      ? allows(field.type, getPlace(value, field.name))
      : field.type.kind === "opt" || field.type.kind === "leaf",
  );
}

/** Whether a literal type allows the value. Members of enums are not discriminated. */
function allows(type: Type, value: unknown): boolean {
  const text =
    type.kind === "leaf"
      ? type.text
      : type.kind === "num" || type.kind === "bool"
        ? type.literal
        : undefined;
  const literals = text === undefined ? [] : membersOf(text);
  if (literals.length === 0 || literals.some((one) => !/^("|-?\d|true$|false$)/.test(one)))
    return true;
  return literals.some((one) => JSON.stringify(value) === one);
}

function storeOf(value: TypedArray): Exclude<ArrayStore, "Array"> {
  const entry = Object.entries(CONSTRUCTORS).find(([, one]) => value instanceof one);
  const name = TYPED_ARRAYS.find((one) => one === entry?.[0]);
  invariant(name !== undefined, "an array of an unknown store");
  return name;
}

/** Deep copy of arrays and plain objects; other values (leaves) are shared. */
export function deepCopy(value: unknown): unknown {
  if (isTyped(value)) return value.slice();
  if (isList(value)) return value.map(deepCopy);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, deepCopy(one)]));
  const prototype: unknown = isObject(value) ? Object.getPrototypeOf(value) : undefined;
  if (!isObject(value) || (prototype !== Object.prototype && prototype !== null)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, deepCopy(field)]));
}

/** What a forward sweep pushed. Readers share the items, and each has its own cursor. */
export class Tape {
  readonly #items: unknown[];
  #cursor: number;
  /** The reserved number of values; null if the tape grows. */
  #room: number | null = null;

  constructor(items: unknown[] = []) {
    this.#items = items;
    this.#cursor = items.length;
  }

  /** Overwrites popped values. */
  push(value: unknown): void {
    invariant(this.#room === null || this.#cursor < this.#room, "push behind the end of a tape");
    this.#items.length = this.#cursor;
    this.#items.push(value);
    this.#cursor++;
  }

  reserve(count: number): void {
    this.#room ??= 0;
    if (this.#cursor + count > this.#room) this.#room = this.#cursor + count;
  }

  pop(): unknown {
    invariant(this.#cursor > 0, "pop from an empty tape");
    this.#cursor--;
    return this.#items[this.#cursor];
  }

  rewind(): Tape {
    return new Tape(this.#items);
  }

  /** The number of unread values. */
}

/** Runs user code whose source text is cut at its operands. */
export function evaluateText(
  text: readonly string[],
  args: readonly unknown[],
  globals: Readonly<Record<string, unknown>>,
): unknown {
  const visible = Object.entries(globals).filter(([name]) =>
    /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name),
  );
  const operands = args.map((_, i) => `$arg${i}`);
  const source = text.map((piece, i) => piece + (operands[i] ?? "")).join("");
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- an extern is source text
  const compiled: unknown = new Function(
    ...visible.map(([name]) => name),
    ...operands,
    `"use strict"; return (${source});`,
  );
  invariant(typeof compiled === "function", "extern");
  const value: unknown = Reflect.apply(compiled, undefined, [
    ...visible.map(([, one]) => one),
    ...args,
  ]);
  return value;
}

/** How many elements and fields a value has, those of nested values included where `deep`. */
export function places(value: unknown, deep: boolean): number {
  if (typeof value !== "object" || value === null) return 0;
  const held: readonly unknown[] = Array.isArray(value)
    ? value
    : ArrayBuffer.isView(value)
      ? []
      : Object.values(value);
  const own = ArrayBuffer.isView(value) ? value.byteLength / 8 : held.length;
  return deep ? held.reduce<number>((sum, one) => sum + places(one, true), own) : own;
}
