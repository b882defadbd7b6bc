// Array and record arguments of lean programs (lean.ts). Gives ids to the numbers of the requested
// arguments and builds their cotangents, as inputs.ts does. An object has one shadow, so an object
// at two places throws. Typed arrays and Maps throw too, since types exclude them.

import { unforeseen } from "./families.ts";
import type { Cotangents } from "./lean.ts";
import { dataOf, isRow, keysOfRow, rowOf, seed } from "./rows.ts";
import { setElementId } from "./shadows.ts";
import { isMarked, seedElements, setFieldId } from "./store.ts";
import { input, inputs } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

type Build = (adjoints: Float64Array, start: Id) => Value;

interface Part {
  readonly build: Build;
  /** Whether it holds numbers; a field without numbers is omitted. */
  readonly bears: boolean;
}

const nothing = (value: Value): Part => ({ build: () => value, bears: false });

function number(put: (id: Id) => void): Part {
  const id = input();
  put(id);
  return { build: (adjoints, start) => adjoints[id - start], bears: true };
}

/** `part`: absent while the object is being walked. */
interface Meeting {
  readonly place: number;
  part?: Part;
}

/** Objects met so far. Rows, of which there may be many, are found by their marks instead. */
type Met = Map<object, Meeting>;

const placeOfRow = (row: Value, met: Met): number => {
  for (const [o, { place }] of met) if (Array.isArray(o) && o.includes(row)) return place;
  return -1;
};

const twice = (place: number): Error =>
  failure(
    "TSG0004",
    `argument ${place} holds one object twice; pass copies, for instance \`a.slice()\``,
  );

const shared = (one: number, other: number): Error =>
  failure(
    "TSG0004",
    `argument ${Math.min(one, other)} and argument ${Math.max(one, other)} are or share the same object; pass a copy, for instance \`a.slice()\``,
  );

function known(o: Value): void {
  if (ArrayBuffer.isView(o) || typeof o[Symbol.toStringTag] === "string")
    throw unforeseen("an object that is no list and no record");
}

function partOf(value: Value, place: number, met: Met): Part {
  if (typeof value !== "object" || value === null) return nothing(value);
  const before = met.get(value);
  if (before !== undefined) return again(before, place);
  refuseRow(value, place, met);
  known(value);
  const own: Meeting = { place };
  met.set(value, own);
  const inner = (one: Value, put: (id: Id) => void): Part =>
    typeof one === "number" ? number(put) : partOf(one, place, met);
  return (own.part = Array.isArray(value)
    ? (rowsPart(value, place, met) ?? listPart(value, inner))
    : recordPart(value, inner));
}

/** Only objects without numbers may be at two places. */
function again(before: Meeting, place: number): Part {
  if (before.place !== place) throw shared(before.place, place);
  if (before.part?.bears !== false) throw twice(place);
  return before.part;
}

/** Throws if the object was met as a row. */
function refuseRow(o: object, place: number, met: Met): void {
  if (!isMarked(o)) return;
  const first = placeOfRow(o, met);
  throw first === place ? twice(place) : shared(first, place);
}

type Inner = (one: Value, put: (id: Id) => void) => Part;

function listPart(list: Value[], inner: Inner): Part {
  const { length } = list;
  let isOfNumbers = true;
  for (let k = 0; k < length && isOfNumbers; k++) isOfNumbers = typeof list[k] === "number";
  if (!isOfNumbers) {
    const parts: Part[] = [];
    for (let k = 0; k < length; k++)
      parts.push(
        inner(list[k], (id) => {
          setElementId(list, k, id);
        }),
      );
    return {
      build: (adjoints, start) => parts.map(({ build }) => build(adjoints, start)),
      bears: parts.some(({ bears }) => bears),
    };
  }
  const first = length === 0 ? 0 : inputs(length);
  if (length > 0) seedElements(list, first);
  const build: Build = (adjoints, start) => {
    const made: Value[] = [];
    for (let k = 0, from = first - start; k < length; k++) made.push(adjoints[from + k]);
    return made;
  };
  return { build, bears: true };
}

/** The part of an array of records of the same shape; null for other arrays. */
function rowsPart(list: Value[], place: number, met: Met): Part | null {
  const keys = keysOfRow(list[0]);
  const count = list.length;
  if (keys === null) return null;
  for (let k = 1; k < count; k++) if (!isRow(list[k], keys)) return null;
  const first = inputs(count * keys.length);
  for (let k = 0; k < count; k++) {
    const record = list[k];
    const before = met.get(record);
    if (before !== undefined) again(before, place);
    refuseRow(record, place, met);
    known(record);
    seed(record, keys, first + k * keys.length);
  }
  const build: Build = (adjoints, start) => {
    const made: Value[] = [];
    for (let k = 0, from = first - start; k < count; k++, from += keys.length)
      made.push(rowOf(keys, adjoints, from));
    return made;
  };
  return { build, bears: true };
}

function recordPart(record: Value, inner: Inner): Part {
  const keys = keysOfRow(record);
  if (keys !== null) {
    const first = inputs(keys.length);
    seed(record, keys, first);
    return { build: (adjoints, start) => rowOf(keys, adjoints, first - start), bears: true };
  }
  const fields: (readonly [string | symbol, Part])[] = [];
  for (const [key, value] of dataOf(record)) {
    if (typeof value === "function") continue;
    const part = inner(value, (id) => {
      setFieldId(record, key, id);
    });
    if (part.bears) fields.push([key, part]);
  }
  return {
    build: (adjoints, start) =>
      Object.fromEntries(fields.map(([key, { build }]) => [key, build(adjoints, start)])),
    bears: fields.length > 0,
  };
}

/** Up to this many objects are compared one by one. */
const FEW = 8;

/** Throws if an unrequested argument shares an object with a requested one, down to `depth`. */
function refuseShared(arg: Value, place: number, depth: number, met: Met): void {
  const few = met.size > FEW ? undefined : [...met.keys()];
  refuse(arg, place, met, few);
  refuseInside(arg, place, depth, met, few);
}

/** `few`: all objects of requested arguments. */
function refuse(o: Value, place: number, met: Met, few: readonly object[] | undefined): void {
  if (few === undefined) {
    if (met.has(o)) throw shared(met.get(o)?.place ?? place, place);
  } else
    for (let k = 0; k < few.length; k++)
      if (few[k] === o) throw shared(met.get(o)?.place ?? place, place);
  if (typeof o === "object" && o !== null) refuseRow(o, place, met);
}

/** Checks the innermost objects, which may be many, without a call each. */
function refuseInside(
  o: Value,
  place: number,
  left: number,
  met: Met,
  few: readonly object[] | undefined,
): void {
  if (left <= 1 || typeof o !== "object" || o === null) return;
  known(o);
  const isList = Array.isArray(o);
  const keys = isList ? o : Object.keys(o);
  for (let k = 0; k < keys.length; k++) {
    const inner: Value = isList ? o[k] : Object.getOwnPropertyDescriptor(o, keys[k])?.value;
    refuse(inner, place, met, few);
    if (left > 2) refuseInside(inner, place, left - 1, met, few);
  }
}

/** `$d.gradOf(f$delta, args, [0, 1], $d.aggregates, [1, 1, 2])` */
export const aggregates: Cotangents = (args, places, depths) => {
  const met: Met = new Map();
  const builds: Build[] = [];
  for (const place of places)
    if (typeof args[place] === "object" && args[place] !== null)
      builds[place] = partOf(args[place], place, met).build;
  if (met.size > 0)
    for (let place = 0; place < args.length; place++)
      if (!places.includes(place)) refuseShared(args[place], place, depths?.[place] ?? 0, met);
  return builds;
};
