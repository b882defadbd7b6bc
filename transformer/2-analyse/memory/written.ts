// What memory of its surroundings a run has written so far. In: ways to places. Out: whether what stands at the end of a way is of this run. Invariants: a way of an element whose position is not
// known stands for all elements; an object that is put somewhere brings all that is in it, what is moved there from another place outside what was written of it.

import { ELEMENTS, type Region } from "./region.ts";

/**
 * How a place is reached: the variable (`@…`), the parameter (its position) or what is made here (`%…`), then keys. `[3]` is an element of a list, `3` one of a tuple, `[]` any of them, `{}` any
 * entry of a dict. `key'` is the object that stood there when the run began: what is put there in its stead writes nothing into it.
 */
export type Way = readonly string[];

export const OUTSIDE = "@";
export const MADE = "%";
export const ANY_ENTRY = "{}";
const EARLIER = "\u0001";
const isElement = (key: string): boolean => /^(\[-?[\d.]*\]|\d+)\u0001?$/.test(key);
export const isEarlier = (key: string): boolean => key.endsWith(EARLIER);
export const unmarked = (key: string): string => (isEarlier(key) ? key.slice(0, -1) : key);

/** The object that stood at the way's end when the run began. */
const earlier = (way: Way): Way =>
  way.map((key, i) =>
    i === way.length - 1 && i > 0 && !isEarlier(key) ? `${key}${EARLIER}` : key,
  );
/** The way as the run's beginning has it. */
export const atFirst = (way: Way): Way => (way.some(isEarlier) ? way.map(unmarked) : way);

/** All elements of a list are one place, and those of a tuple where one is reached by a computed position. */
export function placeOnWay(object: Region, keyThen: string): Region | null {
  const key = unmarked(keyThen);
  const { places } = object.find();
  const found =
    isElement(key) || key === ANY_ENTRY
      ? (places.get(ELEMENTS) ?? places.get(key === ELEMENTS ? "0" : key))
      : places.get(key);
  return found?.find() ?? null;
}

export const textOf = (way: Way): string => way.join("\0");
/** The way with any element in place of each. */
export const anyOf = (way: Way): Way =>
  way.map((key, i) =>
    i === 0 || !isElement(key) ? key : isEarlier(key) ? `${ELEMENTS}${EARLIER}` : ELEMENTS,
  );
/** The same with a tuple's positions alone. */
export const anywhereIn = (way: Way): Way =>
  way.map((key, i) => (i > 0 && /^\d/.test(key) ? (anyOf(["", key])[1] ?? key) : key));
const isSingle = (way: Way): boolean =>
  !way.some((key) => unmarked(key) === ELEMENTS || unmarked(key) === ANY_ENTRY);

/** Whether one of the stores may have put there what is read, or an object that it is in. */
export function mayHaveStored(way: Way, stores: Iterable<Way>): boolean {
  const read = atFirst(way);
  for (const store of stores)
    if (store.length <= read.length && store.every((key, i) => isSamePlace(key, read[i] ?? "")))
      return true;
  return false;
}

/** Whether two keys may be the same one: an element at any position is each of them. */
const isSamePlace = (one: string, other: string): boolean =>
  one === other ||
  (isElement(one) &&
    isElement(other) &&
    (one === ELEMENTS || other === ELEMENTS || positionOf(one) === positionOf(other)));
const positionOf = (key: string): string => key.replace(/[[\]]/g, "");

/** "one": an element at a known position. "all": elements at positions that the run computes. "behind": some were appended. */
type Extent = "one" | "all" | "behind";

export class Written {
  readonly #places = new Map<string, Way>();
  readonly #elements = new Map<string, { readonly way: Way; readonly extent: Extent }>();
  /** By place, what was moved there. */
  readonly #moved = new Map<string, { readonly way: Way; readonly from: readonly Way[] }>();
  /** Nothing comes behind it. */
  #isLeft = false;

  copy(): Written {
    const made = new Written();
    for (const [text, way] of this.#places) made.#places.set(text, way);
    for (const [text, one] of this.#elements) made.#elements.set(text, one);
    for (const [text, one] of this.#moved) made.#moved.set(text, one);
    made.#isLeft = this.#isLeft;
    return made;
  }

  leave(): void {
    this.#isLeft = true;
  }

  store(way: Way): void {
    if (way.at(-1) === ANY_ENTRY) return;
    if (isSingle(way)) {
      this.#places.set(textOf(way), way);
      this.#moved.delete(textOf(way));
    }
    if (way.slice(1).some(isElement)) this.#element(way, isSingle(way) ? "one" : "all");
  }

  /** An object that stands elsewhere, too, and is written as far as it was there. Says whether the place is known. */
  move(way: Way, from: readonly Way[]): boolean {
    if (!isSingle(way)) return false;
    this.#places.delete(textOf(way));
    this.#moved.set(textOf(way), { way, from });
    return true;
  }

  /** Where the objects stand that are read there: one that this run has not put there is the one of the run's beginning. */
  standingAt(way: Way, isStack: boolean): readonly Way[] {
    if (way[0]?.startsWith(MADE) === true) return [way];
    return this.#moved.get(textOf(way))?.from ?? [this.reaches(way, isStack) ? way : earlier(way)];
  }

  /** How much has been moved so far. */
  get moves(): number {
    let count = 0;
    for (const { from } of this.#moved.values()) count += from.length;
    return count;
  }

  /** `way`: of the elements. */
  append(way: Way): void {
    this.#element(way, "behind");
  }

  #element(way: Way, extent: Extent): void {
    const any = anyOf(way);
    const text = textOf(any);
    const known = this.#elements.get(text)?.extent;
    if (known !== "all" && !(known === "behind" && extent === "one"))
      this.#elements.set(text, { way: any, extent });
  }

  /** Whether what is read there was written, as far as can be told. `isStack`: what was appended is what is read. */
  reaches(way: Way, isStack: boolean): boolean {
    return this.#covered(
      way,
      (extent, isOne) =>
        extent === "all" || (extent === "one" && !isOne) || (extent === "behind" && isStack),
    );
  }

  /** The same, where one element says nothing of others. */
  covers(way: Way): boolean {
    return this.#covered(way, (extent) => extent === "all");
  }

  #covered(way: Way, isEnough: (extent: Extent, isOne: boolean) => boolean): boolean {
    if (this.#isLeft) return true;
    for (let end = way.length; end > 0; end--) {
      const part = way.slice(0, end);
      const of = this.#elements.get(textOf(anyOf(part)));
      if (
        this.#places.has(textOf(part)) ||
        (of !== undefined && isEnough(of.extent, isSingle(part)))
      )
        return true;
    }
    return false;
  }

  /** Whether anything in the object there was written. */
  hasBelow(way: Way): boolean {
    const single = `${textOf(way)}\0`;
    const any = `${textOf(anyOf(way))}\0`;
    return (
      this.covers(way) ||
      [...this.#places.keys()].some((text) => text.startsWith(single)) ||
      [...this.#elements.keys()].some((text) => text.startsWith(any))
    );
  }

  /** What a callee writes, by its own ways. */
  add(other: Written, here: (way: Way) => readonly Way[]): void {
    for (const way of other.#places.values()) {
      const [one, ...more] = here(way);
      if (one !== undefined && more.length === 0) this.store(one);
    }
    for (const { way, extent } of other.#elements.values())
      for (const one of here(way)) this.#element(one, extent);
    for (const { way, from } of other.#moved.values()) {
      const [one, ...more] = here(way);
      if (one !== undefined && more.length === 0) this.move(one, from.flatMap(here));
    }
  }

  /** Behind one of two branches. `isChosen`: what an earlier run left decides which. */
  static either(one: Written, other: Written, isChosen: boolean): Written {
    if (one.#isLeft || other.#isLeft) return one.#isLeft ? other : one;
    const made = new Written();
    for (const [text, way] of one.#places) if (other.covers(way)) made.#places.set(text, way);
    for (const [text, way] of other.#places) if (one.covers(way)) made.#places.set(text, way);
    for (const [text, { way, extent }] of [...one.#elements, ...other.#elements]) {
      const mine = one.#elements.get(text)?.extent;
      const theirs = other.#elements.get(text)?.extent;
      if (!isChosen) made.#element(way, extent);
      else if (mine !== undefined && theirs !== undefined)
        made.#element(way, mine === "all" ? theirs : mine);
    }
    for (const [text, { way, from }] of [...one.#moved, ...other.#moved]) {
      const theirs = [one, other].flatMap((each) =>
        each.#places.has(text) ? [] : each.standingAt(way, false),
      );
      made.#moved.set(text, {
        way,
        from: [...new Map([...from, ...theirs].map((each) => [textOf(each), each])).values()],
      });
    }
    return made;
  }

  /** Elements that one of two branches writes and the other one does not, nor what ran before. */
  static lacking(one: Written, other: Written, before: Written): readonly Way[] {
    if (one.#isLeft || other.#isLeft) return [];
    const only = (mine: Written, theirs: Written): readonly Way[] =>
      [...mine.#elements].flatMap(([text, { way, extent }]) =>
        extent === "all" && theirs.#elements.get(text)?.extent !== "all" && !before.covers(way)
          ? [way]
          : [],
      );
    return [...only(one, other), ...only(other, one)];
  }
}
