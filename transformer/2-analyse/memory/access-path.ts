// Access paths: how a place is reached from a variable, a parameter or an allocation, key by key.
// persistent-state.ts uses them to name memory that outlives an execution.

import { ELEMENTS, type Region } from "./region.ts";

/**
 * A root, then keys. The root is a variable of an enclosing scope (`@…`), the position of a
 * parameter, or an allocation (`%…`). Keys: `[3]` an array element, `3` a tuple element, `[]` any
 * element, `{}` any entry of a dict. `key'` is the object found there at entry: a store that
 * replaces it writes nothing into it.
 */
export type AccessPath = readonly string[];

export const OUTSIDE = "@";
export const ALLOCATED = "%";
export const ANY_ENTRY = "{}";
const AT_ENTRY = "\u0001";
const isElement = (key: string): boolean => /^(\[-?[\d.]*\]|\d+)\u0001?$/.test(key);
export const isAtEntry = (key: string): boolean => key.endsWith(AT_ENTRY);
export const unmarked = (key: string): string => (isAtEntry(key) ? key.slice(0, -1) : key);

export const isAllocated = (path: AccessPath): boolean => path[0]?.startsWith(ALLOCATED) === true;

/** The object that the path leads to at entry. */
export const entryObject = (path: AccessPath): AccessPath =>
  path.map((key, i) =>
    i === path.length - 1 && i > 0 && !isAtEntry(key) ? `${key}${AT_ENTRY}` : key,
  );

/** The path without entry marks. */
export const withoutMarks = (path: AccessPath): AccessPath =>
  path.some(isAtEntry) ? path.map(unmarked) : path;

/** All elements of an array are one place, and so are those of a tuple with a computed index. */
export function placeOnPath(object: Region, marked: string): Region | null {
  const key = unmarked(marked);
  const { places } = object.find();
  const found =
    isElement(key) || key === ANY_ENTRY
      ? (places.get(ELEMENTS) ?? places.get(key === ELEMENTS ? "0" : key))
      : places.get(key);
  return found?.find() ?? null;
}

export const pathText = (path: AccessPath): string => path.join("\0");

/** The path with "any element" for each element key. */
export const anyElement = (path: AccessPath): AccessPath =>
  path.map((key, i) =>
    i === 0 || !isElement(key) ? key : isAtEntry(key) ? `${ELEMENTS}${AT_ENTRY}` : ELEMENTS,
  );

/** The same for tuple positions only. */
export const anyPosition = (path: AccessPath): AccessPath =>
  path.map((key, i) => (i > 0 && /^\d/.test(key) ? (anyElement(["", key])[1] ?? key) : key));

/** Text of the path with any element for array elements; tuple positions stay distinct. */
export const contentText = (path: AccessPath): string =>
  pathText(path.map((key) => (key.startsWith("[") ? (anyElement(["", key])[1] ?? key) : key)));

export const hasElement = (path: AccessPath): boolean => path.slice(1).some(isElement);

/** Whether the path names exactly one place. */
export const isSingle = (path: AccessPath): boolean =>
  !path.some((key) => unmarked(key) === ELEMENTS || unmarked(key) === ANY_ENTRY);

/**
 * The one place that all paths name, or null. A computed tuple index is lowered to several paths.
 */
export function singlePath([path, ...others]: readonly AccessPath[]): AccessPath | null {
  if (path === undefined || others.length === 0) return path ?? null;
  const text = pathText(anyPosition(path));
  return others.every((other) => pathText(anyPosition(other)) === text) ? anyElement(path) : null;
}

/** Whether one of the stores may have written the place, or an object on the path to it. */
export function mayHaveStored(path: AccessPath, stores: Iterable<AccessPath>): boolean {
  const read = withoutMarks(path);
  for (const store of stores)
    if (store.length <= read.length && store.every((key, i) => mayBeSameKey(key, read[i] ?? "")))
      return true;
  return false;
}

const mayBeSameKey = (one: string, other: string): boolean =>
  one === other ||
  (isElement(one) &&
    isElement(other) &&
    (one === ELEMENTS || other === ELEMENTS || positionOf(one) === positionOf(other)));

const positionOf = (key: string): string => key.replace(/[[\]]/g, "");
