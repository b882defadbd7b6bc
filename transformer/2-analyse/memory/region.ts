// Abstract objects: what memory.ts makes its graphs of. In: types and keys. Out: nodes that can be made one, and names of places.
// Invariant: nodes only ever merge; whoever holds one asks `find` for what it has become.

import type { Key, Type } from "../../ir/types.ts";
import { isBogType } from "../../ir/names.ts";
import { printType } from "../../ir/print.ts";

/** An abstract object and its places. A place of scalar type is a node without places of its own. */
export class Region {
  #forward: Region | null = null;
  readonly places = new Map<string, Region>();
  /** Reached from a parameter or a global: other names outside may mean the same object. */
  external = false;
  /** Something is stored here after the object was made. */
  written = false;
  /** The same, seen from the object: one of its places is stored into. A place that holds an object is one with it in this graph; whose place it is tells them apart. */
  changed = false;
  /** Not what stands under the keys of a dict, but the keys. */
  isKeys = false;
  /** Under some name it is an object with any keys. */
  hasAnyKey = false;
  /** What a place holds, whoever reads or writes it. */
  holds: Holds = "numbers";
  /** It holds texts, too: one member of a union has a text where another has a number. */
  mixed = false;
  /** Named types on the way to this node, so that recursive types stay finite. */
  path: ReadonlyMap<string, Region>;

  constructor(path: ReadonlyMap<string, Region>) {
    this.path = path;
  }

  find(): Region {
    let region: Region = this;
    while (region.#forward !== null) region = region.#forward;
    return region;
  }

  /** Makes both one; true if anything changed. */
  unify(that: Region): boolean {
    const into = this.find();
    const from = that.find();
    if (into === from) return false;
    from.#forward = into;
    into.external ||= from.external;
    into.written ||= from.written;
    into.changed ||= from.changed;
    into.hasAnyKey ||= from.hasAnyKey;
    into.meets(from.holds, from.mixed);
    // either's way back to a type ends a recursion
    if ([...from.path.keys()].some((anchor) => !into.path.has(anchor)))
      into.path = new Map([...from.path, ...into.path]);
    for (const [key, place] of from.places) {
      const known = into.places.get(key);
      if (known === undefined) into.places.set(key, place);
      else known.unify(place);
    }
    into.joinPositions();
    return true;
  }

  /** Somebody reads or writes the place as one that holds `other`. */
  meets(other: Holds, mixed = false): void {
    this.mixed ||= mixed || (this.holds !== other && (this.holds === "texts" || other === "texts"));
    if (this.holds !== other) this.holds = "numbers";
  }

  /** What is an array under one name and a tuple under another (`xs.map(f) as [number, number]`), or an object with any keys and a record, has one place for all that stands in it. */
  joinPositions(): void {
    const { places, hasAnyKey } = this.find();
    const elements = places.get(ELEMENTS);
    if (elements === undefined || places.size === 1) return;
    for (const [key, place] of places)
      if (/^\d+$/.test(key) || (hasAnyKey && key !== KEYS)) elements.unify(place);
  }
}

/**
 * "texts": what no derivative passes through, but is made of numbers and may become a number again: a text, a date. "truths": booleans, which never vary. "numbers": all else,
 * objects included.
 */
export type Holds = "numbers" | "texts" | "truths";

/** The place of all elements of an array. */
export const ELEMENTS = "[]";

/** The place of all keys of a dict. */
export const KEYS = "[keys]";

/**
 * Any slot of a tape that holds values of such a type. Texts and lists of them stand apart from the objects beside them, which vary, and so do BOGs, whose fields would be one with
 * the elements of lists: what is pushed as one is popped as one.
 */
export const slotOf = (type: Type): Key => ({ kind: "field", name: slotName(type) });

function slotName(type: Type): string {
  if (isText(type) || (type.kind === "array" && isText(type.elem))) return "[texts]";
  const held = type.kind === "opt" ? type.of : type;
  return held.kind === "named" && isBogType(held.name) ? `[${held.name}]` : ELEMENTS;
}

/** Name of the place that a key means: all elements of an array are one place. */
export function placeOf(key: Key): string {
  if (key.kind === "field") return key.name;
  return key.at.kind === "const" && typeof key.at.value === "number"
    ? String(key.at.value)
    : ELEMENTS;
}

/** What makes a type come back to itself: its name, or of a union or a shadow without one its text. */
export const anchorOf = (type: Type): string | null =>
  type.kind === "named"
    ? type.name
    : type.kind === "union" || type.kind === "cotangent"
      ? printType(type)
      : null;

/** Opaque values count: what goes in may come out again. */
export const isAggregate = (type: Type): boolean =>
  (type.kind === "leaf" && type.opaque === true) ||
  type.kind === "tape" ||
  type.kind === "array" ||
  type.kind === "tuple" ||
  type.kind === "record" ||
  type.kind === "dict" ||
  type.kind === "union" ||
  type.kind === "named" ||
  type.kind === "cotangent" ||
  (type.kind === "opt" && isAggregate(type.of));

export const isText = (type: Type): boolean =>
  (type.kind === "leaf" && !isAggregate(type)) || (type.kind === "opt" && isText(type.of));

export const heldBy = (type: Type): Holds =>
  isText(type) ? "texts" : isTruth(type) ? "truths" : "numbers";

const isTruth = (type: Type): boolean =>
  type.kind === "bool" || (type.kind === "opt" && isTruth(type.of));
