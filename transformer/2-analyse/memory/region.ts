// Abstract objects: the nodes of the points-to graphs that memory.ts builds. Nodes only ever merge
// (union-find), so whoever holds one calls `find` for its representative.

import type { Key, Type } from "../../ir/types.ts";
import { isBogType } from "../../ir/names.ts";
import { printType } from "../../ir/print.ts";

/** An abstract object and its places. A place of scalar type has no places of its own. */
export class Region {
  #forward: Region | null = null;
  readonly places = new Map<string, Region>();
  /** Reachable from a parameter or a global, so it may alias other such objects. */
  external = false;
  /** Written after the object is allocated. */
  written = false;
  /**
   * Some place of this object is written. `written` cannot say which object owns a written place: a
   * place that holds an object is the same node as that object.
   */
  changed = false;
  /** The keys of a dict, as opposed to its values. */
  isKeys = false;
  /** Some name has it as an object with arbitrary keys (a dict). */
  hasAnyKey = false;
  /** What the place holds, over all reads and writes. */
  holds: Holds = "numbers";
  /** Holds both strings and numbers: one union member has a string where another has a number. */
  mixed = false;
  /** Enclosing regions by type name. A recursive type maps back to one of them and stays finite. */
  path: ReadonlyMap<string, Region>;

  constructor(path: ReadonlyMap<string, Region>) {
    this.path = path;
  }

  find(): Region {
    if (this.#forward === null) return this;
    let region = this.#forward;
    while (region.#forward !== null) region = region.#forward;
    return region;
  }

  /** Merges both nodes; true if anything changed. */
  unify(that: Region): boolean {
    const into = this.find();
    const from = that.find();
    if (into === from) return false;
    from.#forward = into;
    into.external ||= from.external;
    into.written ||= from.written;
    into.changed ||= from.changed;
    into.hasAnyKey ||= from.hasAnyKey;
    into.recordAccess(from.holds, from.mixed);
    // the type names of either path stop a recursion
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

  /** Records an access that treats the place as holding `other`. */
  recordAccess(other: Holds, mixed = false): void {
    this.mixed ||= mixed || (this.holds !== other && (this.holds === "texts" || other === "texts"));
    if (this.holds !== other) this.holds = "numbers";
  }

  /**
   * Merges positions and elements where one object is accessed both ways: as a tuple and as an
   * array (`xs.map(f) as [number, number]`), or as a record and as a dict.
   */
  joinPositions(): void {
    const { places, hasAnyKey } = this.find();
    const elements = places.get(ELEMENTS);
    if (elements === undefined || places.size === 1) return;
    for (const [key, place] of places)
      if (/^\d+$/.test(key) || (hasAnyKey && key !== KEYS)) elements.unify(place);
  }
}

/**
 * "texts": values no derivative passes through but that are computed from numbers and may be parsed
 * back (a string, a date). "truths": booleans, which never vary. "numbers": all else, objects
 * included.
 */
export type Holds = "numbers" | "texts" | "truths";

/** The place of all elements of an array. */
export const ELEMENTS = "[]";

/** The place of all keys of a dict. */
export const KEYS = "[keys]";

/**
 * The tape slot for values of a type. Strings, arrays of strings and each BOG type have slots of
 * their own; otherwise they would merge with the active objects on the same tape.
 */
export const slotOf = (type: Type): Key => ({ kind: "field", name: slotName(type) });

function slotName(type: Type): string {
  if (isText(type) || (type.kind === "array" && isText(type.elem))) return "[texts]";
  const held = type.kind === "opt" ? type.of : type;
  return held.kind === "named" && isBogType(held.name) ? `[${held.name}]` : ELEMENTS;
}

/** The place that a key names: all elements at variable indices share one place. */
export function placeOf(key: Key): string {
  if (key.kind === "field") return key.name;
  return key.at.kind === "const" && typeof key.at.value === "number"
    ? String(key.at.value)
    : ELEMENTS;
}

/** The name by which a recursive type is recognised; an anonymous union or shadow uses its text. */
export const anchorOf = (type: Type): string | null =>
  type.kind === "named"
    ? type.name
    : type.kind === "union" || type.kind === "cotangent"
      ? printType(type)
      : null;

/** The same for a place without a type: a BOG may hold a tape of such BOGs, which is a slot. */
export const anchorOfPlace = (owner: Type, name: string): string | null =>
  owner.kind === "tape" && name !== ELEMENTS ? name : anchorOf(owner);

/** Opaque values are aggregates too: what is stored in one may be read back. */
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
