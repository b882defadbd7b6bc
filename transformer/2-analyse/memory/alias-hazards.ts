// Finds places of arguments and globals that may hold one object although it is written, so that
// their shadows must be one too. Output: pairs of places that a derivative compares when it runs. A
// pair is left out only if nothing active is written through one place and used or written through
// the other.

import type { AliasHazard, ArgumentPlace, Within } from "../../ir/facts.ts";
import { mayBeOne } from "../../ir/assignable.ts";
import { isTypedArray } from "../../ir/overlap.ts";
import { isRecursive, resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Global, Type, Var } from "../../ir/types.ts";
import type { Activity } from "../activity/activity.ts";
import { mayWrite } from "./may-write.ts";
import type { Memory } from "./memory.ts";
import { ELEMENTS, isAggregate, type Region } from "./region.ts";

/** The number of places of a root that are looked at, the nearest first. */
const MOST = 200;

interface Found {
  readonly place: ArgumentPlace;
  readonly region: Region;
}

/** The analyses of a function. */
export interface Around {
  readonly memory: Memory;
  readonly graphs: ReadonlyMap<string, Memory>;
  readonly types: Types;
  readonly activity: Activity;
}

export function aliasHazards(
  func: Func,
  { memory, graphs, types, activity }: Around,
): readonly AliasHazard[] {
  const held = (type: Type): Type => heldIn(type, types);
  const places = [...func.params, ...memory.globals()].flatMap((root) => {
    const region = isAggregate(root.type) ? memory.region(root) : null;
    return region === null
      ? []
      : placesIn({ place: { root, path: [], within: [], type: root.type }, region }, memory, types);
  });
  const isOwn = ({ root }: ArgumentPlace): boolean =>
    root.kind === "global" && root.isExclusive === true;
  const written = new Map<Atom, boolean>();
  const isWrittenBelow = (root: Var | Global): boolean => {
    const known =
      written.get(root) ?? (root.kind === "global" || mayWrite(func, root, graphs, types));
    written.set(root, known);
    return known;
  };
  const isWritten = (...ones: readonly ArgumentPlace[]): boolean =>
    ones.some(({ root }) => isWrittenBelow(root));
  const matters = (x: Region, z: Region): boolean =>
    clashesWithin(x.find(), z.find(), memory, activity, new Map());
  const pairs = places.flatMap(({ place, region }, i) =>
    places
      .slice(i + 1)
      .flatMap((other): AliasHazard[] =>
        mayShare(held(place.type), held(other.place.type), types) &&
        !(isOwn(place) && isOwn(other.place)) &&
        matters(region, other.region) &&
        isWritten(place, other.place)
          ? [{ x: place, z: other.place }]
          : [],
      ),
  );
  const repeated = places
    .filter(
      ({ place, region }) =>
        place.within.length > 0 && !isOwn(place) && matters(region, region) && isWritten(place),
    )
    .map(({ place }): AliasHazard => ({ x: place, z: null }));
  return [...pairs, ...repeated];
}

/** Whether the values can share memory. Typed arrays of any kinds can be views of one buffer. */
const mayShare = (x: Type, z: Type, types: Types): boolean =>
  (isTypedArray(x) && isTypedArray(z)) || mayBeOne(x, z, types);

type Seen = Map<Region, Set<Region>>;

/** Whether both objects clash if they are one. Replacing the object itself writes nothing in it. */
function clashesWithin(
  x: Region,
  z: Region,
  memory: Memory,
  activity: Activity,
  seen: Seen,
): boolean {
  const known = seen.get(x) ?? new Set();
  if (known.has(z)) return false;
  seen.set(x, known.add(z));
  // elements move, or the writer is unknown
  const isAnywhere = ({ changed, places }: Region): boolean =>
    changed &&
    (places.get("length")?.find().written === true ||
      ![...places.values()].some((place) => place.find().written));
  if (isAnywhere(x) || isAnywhere(z)) return clashes(x, z, memory, activity);
  return partners(x, z).some(
    ([p, q]) =>
      ((p.written || q.written) && clashes(p, q, memory, activity)) ||
      clashesWithin(p, q, memory, activity, seen),
  );
}

/** Whether the merged object is active: varied in one, useful in one, written or useful in both. */
function clashes(x: Region, z: Region, memory: Memory, { varied, useful }: Activity): boolean {
  const [first, second] = [memory.reachable(x), memory.reachable(z)];
  const both = [...first, ...second];
  const isMet = (inner: Region): boolean => inner.written || useful.has(inner);
  return (
    both.some((inner) => varied.has(inner)) &&
    both.some((inner) => useful.has(inner)) &&
    [first, second].every((regions) => [...regions].some(isMet))
  );
}

/** Places that are one if the objects are; an element or dict entry may be any of the other's. */
function partners(x: Region, z: Region): readonly (readonly [Region, Region])[] {
  const isOpen = [x, z].some(({ places, hasAnyKey }) => hasAnyKey || places.has(ELEMENTS));
  return [...x.places].flatMap(([key, p]) =>
    [...z.places].flatMap(([other, q]) =>
      isOpen || key === other ? [[p.find(), q.find()] as const] : [],
    ),
  );
}

/** A place and the places inside it that hold objects. */
function placesIn(outer: Found, memory: Memory, types: Types): readonly Found[] {
  const found = [outer];
  for (const each of found) {
    if (found.length >= MOST) break;
    found.push(...partsOf(each, memory, types));
  }
  return found;
}

/** The places of its elements, or of its fields, that hold objects. */
function partsOf({ place, region }: Found, memory: Memory, types: Types): readonly Found[] {
  const type = heldIn(place.type, types);
  const shape = resolve(type, types);
  const isObject = (part: Type): boolean => isAggregate(part) && part.kind !== "leaf";
  const of = shape.kind === "array" ? "array" : shape.kind === "dict" ? shape.store : null;
  const elem = shape.kind === "array" ? shape.elem : shape.kind === "dict" ? shape.value : null;
  // objects of a recursive type share one shadow wherever they are
  if (
    of !== null &&
    elem !== null &&
    isObject(elem) &&
    !isRecursive(elem.kind === "opt" ? elem.of : elem, types)
  ) {
    return [
      {
        place: { ...place, within: [...place.within, { kind: "elements", of }], type: elem },
        region: memory.place(region, type, ELEMENTS),
      },
    ];
  }
  const fields =
    shape.kind === "record"
      ? shape.fields
      : shape.kind === "tuple"
        ? shape.elems.map((part, i) => ({ name: String(i), type: part }))
        : [];
  return fields
    .filter((field) => isObject(field.type))
    .map((field) => {
      const step: Within = { kind: "field", field };
      const at =
        place.within.length === 0
          ? { path: [...place.path, field], within: [] }
          : { path: place.path, within: [...place.within, step] };
      return {
        place: { root: place.root, ...at, type: field.type },
        region: memory.place(region, type, field.name),
      };
    });
}

/** The type without nil. Objects of a recursive type share one shadow, however they are reached. */
const heldIn = (type: Type, types: Types): Type =>
  type.kind === "opt" && !isRecursive(type.of, types) ? type.of : type;
