// Places of arguments and of objects of enclosing scopes that may be one object though it is written. In: a function, its memory graph, what is active. Out: pairs of places, to be compared
// when a derivative runs. Invariant: shadows are made per place, so an object that two places have is not listed only where nothing active is written in it.

import type { AliasHazard, ArgumentPlace, Within } from "../ir/facts.ts";
import { sameType } from "../ir/print.ts";
import { isRecursive, resolve, type Types } from "../ir/shadow.ts";
import type { Func, Type } from "../ir/types.ts";
import type { Activity } from "./activity.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, isAggregate, type Region } from "./region.ts";

/** Fields and elements of those further down are not looked at. */
const DEEPEST = 3;

interface Found {
  readonly place: ArgumentPlace;
  readonly region: Region;
}

export function aliasHazards(func: Func, memory: Memory, types: Types, { varied, useful }: Activity): readonly AliasHazard[] {
  const held = (type: Type): Type => heldIn(type, types);
  const places = [...func.params, ...memory.globals()].flatMap((root) => {
    const region = isAggregate(root.type) ? memory.region(root) : null;
    return region === null ? [] : placesIn({ place: { root, path: [], within: [], type: root.type }, region }, memory, types, 0);
  });
  const isOwn = ({ root }: ArgumentPlace): boolean => root.kind === "global" && root.isOwn === true;
  // that the object is put into a list writes nothing in it
  const isWritten = (region: Region): boolean => [...memory.reachable(region)].some((inner) => inner.changed);
  const has = (regions: ReadonlySet<Region>) => (region: Region): boolean => [...memory.reachable(region)].some((inner) => regions.has(inner));
  // what varies in one of them and is of use in the other is active if they are one
  const matters = (...regions: readonly Region[]): boolean => regions.some(isWritten) && regions.some(has(varied)) && regions.some(has(useful));
  const pairs = places.flatMap(({ place, region }, i) => places.slice(i + 1).flatMap((other): AliasHazard[] =>
    (sameType(held(place.type), held(other.place.type)) && !(isOwn(place) && isOwn(other.place)) && matters(region, other.region) ? [{ x: place, z: other.place }] : [])));
  const repeated = places.flatMap(({ place, region }): AliasHazard[] => {
    const shape = resolve(held(place.type), types);
    return place.within.length === 0 && shape.kind === "array" && isAggregate(shape.elem) && !isOwn(place) && matters(memory.place(region, held(place.type), ELEMENTS)) ? [{ x: place, z: null }] : [];
  });
  return [...pairs, ...repeated];
}

/** A place with those in it that hold objects. */
function placesIn(found: Found, memory: Memory, types: Types, depth: number): readonly Found[] {
  if (depth === DEEPEST) return [found];
  const { place, region } = found, type = heldIn(place.type, types), shape = resolve(type, types);
  const isObject = (part: Type): boolean => isAggregate(part) && part.kind !== "leaf";
  const of = shape.kind === "array" ? "array" : shape.kind === "dict" && place.within.length === 0 ? shape.store : null;
  const elem = shape.kind === "array" ? shape.elem : shape.kind === "dict" ? shape.value : null;
  // an object that leads back to its own kind has one shadow wherever it stands
  if (of !== null && elem !== null && isObject(elem) && !isRecursive(elem.kind === "opt" ? elem.of : elem, types)) {
    const inner = { place: { ...place, within: [...place.within, { kind: "elements", of } as const], type: elem }, region: memory.place(region, type, ELEMENTS) };
    return [found, ...placesIn(inner, memory, types, depth + 1)];
  }
  const fields = shape.kind === "record" ? shape.fields : shape.kind === "tuple" ? shape.elems.map((part, i) => ({ name: String(i), type: part })) : [];
  return [found, ...fields.filter((field) => isObject(field.type)).flatMap((field) => {
    const step: Within = { kind: "field", field };
    const at = place.within.length === 0 ? { path: [...place.path, field], within: [] } : { path: place.path, within: [...place.within, step] };
    return placesIn({ place: { root: place.root, ...at, type: field.type }, region: memory.place(region, type, field.name) }, memory, types, depth + 1);
  })];
}

/** What is there where the place is not empty. An object that leads back to its own kind has one shadow however it is reached. */
const heldIn = (type: Type, types: Types): Type => (type.kind === "opt" && !isRecursive(type.of, types) ? type.of : type);
