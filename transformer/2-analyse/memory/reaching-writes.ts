// Decides which reads can be repeated in the reverse sweep instead of recording their values, and
// which give the same value in every iteration of a loop. A read can be repeated if no write to its
// place may follow it on the same object. Unsure means no.

import type { ObjectPlace } from "../../ir/facts.ts";
import type { Append, Atom, Body, Func, Stmt } from "../../ir/types.ts";
import { isBelowLength } from "../elements/append-only-prefix.ts";
import { runsAfter, type Path } from "./allocation-points.ts";
import type { Memory } from "./memory.ts";
import { ANYWHERE, type MemoryEvent, MemoryEvents, type Read } from "./memory-events.ts";
import type { Region } from "./region.ts";

export interface ReadStability {
  rereadable(name: string): boolean;
  /** The same for the read of its shadow, which user code does not write. */
  shadowRereadable(name: string): boolean;
  /** Whether a read of an outer object gives the same value in every iteration and before them. */
  steadyIn(name: string, loop: Stmt): boolean;
  /**
   * The array's length before a loop in which only this append changes it; "measured" if unknown.
   */
  lengthInFront(append: Append, loop: Stmt): number | "measured" | null;
  /** The place that holds an iteration's allocation until the iteration is reversed. */
  keptAt(name: string): ObjectPlace | null;
  /** Whether every object of the region is allocated and dropped in one run of this loop body. */
  livesIn(region: Region, body: Body): boolean;
}

/** Memory written between the sweeps: by anyone, or by differentiated code, with its shadow. */
export interface Volatile {
  readonly by: ReadonlySet<Region>;
  readonly byUs: ReadonlySet<Region>;
}

export function readStabilityOf(
  func: Func,
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  volatile: Volatile,
): ReadStability {
  const events = new MemoryEvents(func, memory, graphs);
  events.body(func.body, [], null);
  const safe = new Set<string>();
  for (const [name, read] of events.reads) if (isSafe(read, events, volatile.by)) safe.add(name);
  const kept = new Map<string, ObjectPlace>();
  for (const [name, { place, read }] of events.kept)
    if (isSafe(read, events, volatile.by) && ("key" in place || isBelow(read, events)))
      kept.set(name, place);
  return {
    rereadable: (name) => safe.has(name),
    shadowRereadable: (name) => {
      const read = events.reads.get(name);
      return (
        safe.has(name) ||
        (volatile.byUs.size < volatile.by.size &&
          read !== undefined &&
          isSafe(read, events, volatile.byUs))
      );
    },
    steadyIn: (name, loop) => {
      const read = events.reads.get(name);
      return read !== undefined && isIn(read, loop) && isSteady(read, loop, events);
    },
    lengthInFront: (append, loop) => lengthInFront(append, loop, events),
    keptAt: (name) => kept.get(name) ?? null,
    livesIn: (region, body) => events.homeOf(region.find()).some((step) => step.body === body),
  };
}

function isSafe(read: Read, events: MemoryEvents, volatile: ReadonlySet<Region>): boolean {
  const region = read.region.find();
  if ([...volatile].some((place) => place.find() === region)) return false;
  const home = events.homeOf(read.object.find());
  return events.writes.every(
    (write) =>
      !touches(write, read, events) ||
      !mayFollow(write.path, read.path, home) ||
      isOtherObject(write, read, events) ||
      (write.isAppend === true && isBelow(read, events)),
  );
}

/**
 * Whether a write provably goes to another object than the read: `const next = u.slice(); next[i] =
 * k * u[i]; u = next`. The written object is allocated later than the one that is read.
 */
function isOtherObject({ made, path }: MemoryEvent, read: Read, { births }: MemoryEvents): boolean {
  const allocation = made?.path.at(-1);
  if (made === undefined || allocation === undefined) return false;
  return (
    !runsAfter(read.path, allocation) ||
    births.isBefore(read.by, made.path) ||
    !mayFollow(path, read.path, made.path)
  );
}

/** Whether both may access the same place: by their regions, or by alias keys if external. */
function touches(write: MemoryEvent, read: MemoryEvent, events: MemoryEvents): boolean {
  const [written, region] = [write.region.find(), read.region.find()];
  const originals = events.originalsOf(region);
  if (written === region || originals.has(written)) return true;
  return (
    written.external &&
    (write.made === undefined || events.isHeld(write.made.object)) &&
    ([...originals].some((original) => original.external) ||
      (region.external && (write.alias === ANYWHERE || write.alias === read.alias)))
  );
}

const isIn = ({ path }: MemoryEvent, loop: Stmt): boolean =>
  path.some((step) => step.loop === loop);

function isSteady(read: Read, loop: Stmt, events: MemoryEvents): boolean {
  // `removeLast` removes elements, so a change of length counts
  const mayShorten = ({ alias }: MemoryEvent): boolean =>
    alias === ANYWHERE || alias === `${read.alias}.length`;
  const isLaterObject = ({ made }: MemoryEvent): boolean =>
    made !== undefined && events.births.isBefore(read.by, made.path);
  return (
    !read.alias.endsWith("{}") &&
    events.writes.every(
      (write) =>
        !isIn(write, loop) ||
        isLaterObject(write) ||
        !(mayShorten(write) || touches(write, read, events)),
    )
  );
}

/** Whether `write` can run after `read`, on an object that lives in one iteration at `home`. */
function mayFollow(write: Path, read: Path, home: Path): boolean {
  let depth = 0;
  while (depth < write.length && depth < read.length && write[depth]?.body === read[depth]?.body) {
    const w = write[depth];
    const r = read[depth];
    if (w === undefined || r === undefined) return true;
    // in a loop that does not reallocate the object, the write of the next iteration follows
    if (w.loop !== null && !home.some((step) => step.body === w.body)) return true;
    if (w.at !== r.at) return w.at > r.at;
    depth++;
  }
  // different bodies of one statement: the branches of an `if`
  return false;
}

function lengthInFront(
  append: Append,
  loop: Stmt,
  events: MemoryEvents,
): number | "measured" | null {
  const own = events.appends.get(append) ?? [];
  const others = events.writes.filter(
    (write) => !own.includes(write) && own.some((one) => touches(write, one, events)),
  );
  if (own.length === 0 || others.some((write) => isIn(write, loop))) return null;
  const made = append.object.kind === "var" ? events.literals.get(append.object.name) : undefined;
  // the count is known if the loop's own body allocates the array, and changes it after the loop
  // only
  const at = own[0]?.path.findIndex((step) => step.loop === loop) ?? -1;
  const here = own[0]?.path[at - 1];
  if (made === undefined || here === undefined || made.path.at(-1)?.body !== here.body)
    return "measured";
  return others.every(({ path }) =>
    path.some((step) => step.body === here.body && step.at > here.at),
  )
    ? made.count
    : "measured";
}

/** Whether an element is below the current length, so that appends do not write it. */
function isBelow({ element, path }: Read, events: MemoryEvents): boolean {
  if (element === undefined) return false;
  if ("append" in element) {
    const loop = path.at(-1)?.loop;
    return (
      loop != null &&
      !mayShrink(element.object, events) &&
      lengthInFront(element.append, loop, events) !== null
    );
  }
  if (element.key.kind === "field") return false;
  const loops = path.flatMap((step) => step.loop ?? []);
  const arrays = {
    lets: events.lets,
    literals: events.literals,
    appends: [...events.appends.keys()],
    lengthInFront: (append: Append, loop: Stmt) => lengthInFront(append, loop, events),
  };
  return (
    isBelowLength(element.object, element.key.at, loops, arrays) &&
    !mayShrink(element.object, events)
  );
}

/** Whether anything but an append may change the array's length. */
function mayShrink(object: Atom, events: MemoryEvents): boolean {
  const length = events.lengthOf(object);
  return (
    length === null ||
    events.writes.some((write) => write.isAppend !== true && touches(write, length, events))
  );
}
