// The points-to graph of one function: which names may refer to the same object. Unification-based
// (Steensgaard) with fields. Names of different classes do not alias, except that external objects
// may be each other where their places have the same key and kind.

import { variableOf } from "../../ir/names.ts";
import type { Atom, Func, Global, Key, Type, Var } from "../../ir/types.ts";
import { hasNumbers, type Types, definedShape } from "../../ir/shadow.ts";
import {
  anchorOf,
  anchorOfPlace,
  ELEMENTS,
  heldBy,
  isAggregate,
  KEYS,
  placeOf,
  Region,
} from "./region.ts";

const withoutNil = (type: Type): Type => (type.kind === "opt" ? type.of : type);

/** Whether a place of such an object may hold strings in one variant and numbers in another. */
const mayMix = (shape: Type): boolean =>
  shape.kind === "union" ||
  shape.kind === "tuple" ||
  (shape.kind === "record" && shape.tagged === true);

export class Memory {
  readonly #regions = new Map<string, Region>();
  /** The variable of an enclosing scope, by the key of its region. */
  readonly #globals = new Map<string, Global>();
  readonly #types: Types;
  readonly func: Func;
  result: Region | null = null;

  constructor(func: Func, types: Types) {
    this.func = func;
    this.#types = types;
  }

  /** Results of calls without derivative (`own`) with the operand that they may expose (`of`). */
  readonly seen: { readonly own: Region; readonly of: Region }[] = [];

  /**
   * Regions other than its own that a place may alias: calls without derivative expose operands.
   */
  originals(place: Region): ReadonlySet<Region> {
    const found = new Set<Region>();
    for (const { own, of } of this.seen)
      if (this.reachable(own).has(place.find()))
        for (const inner of this.reachable(of)) found.add(inner);
    return found;
  }

  /** The object that an aggregate atom refers to; null for scalars. */
  region(atom: Atom): Region | null {
    if (
      atom.kind === "const" ||
      atom.kind === "undef" ||
      atom.type.kind === "num" ||
      !isAggregate(atom.type)
    )
      return null;
    const name = atom.kind === "global" ? `global ${variableOf(atom)}` : atom.name;
    const known = this.#regions.get(name);
    if (known !== undefined) return known.find();
    const made = this.#make(anchorOf(withoutNil(atom.type)), new Map());
    made.external = atom.kind === "global";
    this.#regions.set(name, made);
    if (atom.kind === "global") this.#globals.set(name, atom);
    return made;
  }

  #make(anchor: string | null, path: ReadonlyMap<string, Region>): Region {
    if (anchor === null) return new Region(path);
    const own = new Map(path);
    const region = new Region(own);
    own.set(anchor, region);
    return region;
  }

  /** The place `key` of an object of type `type`. */
  place(object: Region, type: Type, key: string): Region {
    const owner = object.find();
    const shape = this.#shape(type);
    if (shape.kind === "tuple" && key === ELEMENTS) return this.#anyPosition(owner, type, shape);
    const isDict = shape.kind === "dict";
    const name = isDict || shape.kind === "array" ? ELEMENTS : key;
    if (isDict && !owner.hasAnyKey) {
      owner.hasAnyKey = true;
      owner.joinPositions();
    }
    const known = owner.find().places.get(name)?.find();
    const placeType =
      known === undefined || known.holds !== "numbers" || (mayMix(shape) && !known.mixed)
        ? this.placeType(type, name)
        : null;
    known?.recordAccess(placeType === null ? "numbers" : heldBy(placeType));
    return known ?? this.#addPlace(owner, type, name, placeType);
  }

  /** A variable index may select any position of a tuple, so all of them become one place. */
  #anyPosition(owner: Region, type: Type, { elems }: Type & { kind: "tuple" }): Region {
    elems.forEach((_, i) => this.place(owner, type, String(i)).unify(this.place(owner, type, "0")));
    return this.place(owner, type, "0");
  }

  #addPlace(owner: Region, type: Type, name: string, placeType: Type | null): Region {
    const anchor = placeType === null ? anchorOfPlace(type, name) : anchorOf(withoutNil(placeType));
    const above = anchor === null ? undefined : owner.path.get(anchor);
    const made = above ?? this.#make(anchor, owner.path);
    if (above === undefined) made.external = owner.external;
    made.holds = placeType === null ? "numbers" : heldBy(placeType);
    owner.places.set(name, made);
    owner.find().joinPositions();
    return made.find();
  }

  #shape(type: Type): Type {
    return definedShape(type, this.#types);
  }

  holdsNumbers(type: Type): boolean {
    return hasNumbers(type, this.#types);
  }

  placeType(type: Type, key: string): Type | null {
    const shape = this.#shape(type);
    if (shape.kind === "array") return shape.elem;
    if (shape.kind === "dict") return shape.value;
    if (shape.kind === "tuple") return shape.elems[key === ELEMENTS ? 0 : Number(key)] ?? null;
    if (shape.kind === "record")
      return shape.fields.find((field) => field.name === key)?.type ?? null;
    // variants share the places of equal names
    if (shape.kind === "union")
      return (
        shape.variants
          .map((variant) =>
            key !== ELEMENTS && this.#shape(variant).kind === "array"
              ? null
              : this.placeType(variant, key),
          )
          .find((place) => place !== null) ?? null
      );
    return null;
  }

  /** The place that a load or store accesses; null if the object is no aggregate. */
  placeAt(object: Atom, key: Key): Region | null {
    const region = this.region(object);
    return region === null ? null : this.place(region, object.type, placeOf(key));
  }

  /** The keys of a dict; null for other types. Numbers may be parsed back from them. */
  keys(object: Atom): Region | null {
    const owner = this.region(object);
    if (owner === null || this.#shape(object.type).kind !== "dict") return null;
    const known = owner.places.get(KEYS);
    if (known !== undefined) return known.find();
    const made = new Region(owner.path);
    made.external = owner.external;
    made.holds = "texts";
    made.isKeys = true;
    owner.places.set(KEYS, made);
    return made;
  }

  unify(x: Atom, z: Atom): void {
    const right = this.region(z);
    if (right === null || !isAggregate(x.type)) return;
    if (x.kind === "var") this.bind(x, right);
    else this.region(x)?.unify(right);
  }

  /** Binds a new name to the object, whatever variant its type says; a known name is unified. */
  bind(name: Var, object: Region): void {
    const known = this.#regions.get(name.name);
    if (known === undefined) this.#regions.set(name.name, object.find());
    else known.find().unify(object);
  }

  /** All regions reachable from `from`, itself included. */
  reachable(from: Region): ReadonlySet<Region> {
    const seen = new Set<Region>();
    const visit = (region: Region): void => {
      const node = region.find();
      if (seen.has(node)) return;
      seen.add(node);
      for (const place of node.places.values()) visit(place);
    };
    visit(from);
    return seen;
  }

  /** Variables of enclosing scopes. */
  globals(): readonly Global[] {
    return [...this.#globals.values()];
  }

  writtenGlobals(): readonly Global[] {
    return this.globals().filter((atom) => this.reachesWritten(atom));
  }

  /** Whether any memory reachable from the atom is written. */
  reachesWritten(atom: Atom): boolean {
    const region = this.region(atom);
    return region !== null && [...this.reachable(region)].some((inner) => inner.written);
  }

  regions(): IterableIterator<Region> {
    return this.#regions.values();
  }
}
