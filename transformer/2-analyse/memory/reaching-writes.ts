// Whether memory that was read still holds the same when the reverse sweep runs, and whether all rounds of a loop read the same. In: an ssa function and its memory.
// Out: for each read, yes or no. A read may be repeated when no write to its place can come after it on the same object. Invariant: unsure means no.

import type { Kept } from "../../ir/facts.ts";
import type {
  Append,
  Atom,
  Body,
  Expr,
  For,
  Func,
  Key,
  Stmt,
  Store,
  Type,
} from "../../ir/types.ts";
import { isBelowLength } from "../elements/append-only-prefix.ts";
import { Births, isBehind, type Path } from "./allocation-points.ts";
import type { Memory } from "./memory.ts";
import { writesArguments } from "./objects.ts";
import { ELEMENTS, type Region } from "./region.ts";

interface Event {
  readonly path: Path;
  readonly region: Region;
  readonly alias: string;
  /** Of a write: whether it adds the element behind the others. */
  readonly isAppend?: true;
  /** Of a write: where its object is made, if that is known. */
  readonly made?: Made;
}

interface Made {
  readonly object: Region;
  readonly path: Path;
}

interface Read extends Event {
  readonly object: Region;
  /** The name by which the object is read. */
  readonly by: Atom;
  /** Of an element: whether it is of a place that an append behind it leaves alone. */
  readonly isBelow?: () => boolean;
}

/** Alias key of what a callee may write. */
const ANYWHERE = "*";

export interface Order {
  rereadable(name: string): boolean;
  /** The same of the read's shadow, which the code of users has no hand in. */
  shadowRereadable(name: string): boolean;
  /** For a read within a loop, of an object from in front of it: whether it gives the same in every round, and in front. */
  steadyIn(name: string, loop: Stmt): boolean;
  /** Where an append, once in each round, is all that changes the length of its array in the loop: that length in front of the loop, or that it is to be measured; else null. */
  lengthInFront(append: Append, loop: Stmt): number | "measured" | null;
  /** The place that an object made in a round is put into, where it still is when the reverse sweep runs. */
  keptAt(name: string): Kept | null;
  /** Whether each object of the region is made and dropped within one round of the loop whose body this is. */
  livesIn(region: Region, body: Body): boolean;
}

/** Places outside that may be one another: same kind of object, same key. */
function aliasKey(object: Type, key: string): string {
  if (object.kind === "dict") return `${object.store}{}`;
  return object.kind === "array"
    ? `${object.store}[]${object.elem.kind}`
    : object.kind === "opt"
      ? aliasKey(object.of, key)
      : key;
}

/** What may be written between the sweeps, by whom: by anyone, or by code that is differentiated, which writes shadows alike. */
export interface Volatile {
  readonly by: ReadonlySet<Region>;
  readonly byUs: ReadonlySet<Region>;
}

export function orderOf(
  func: Func,
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  volatile: Volatile,
): Order {
  const scan = new Scan(func, memory, graphs);
  scan.body(func.body, [], null);
  const safe = new Set<string>();
  for (const [name, read] of scan.reads) if (isSafe(read, scan, volatile.by)) safe.add(name);
  const kept = new Map<string, Kept>();
  for (const [name, { place, read }] of scan.kept)
    if (isSafe(read, scan, volatile.by) && ("key" in place || read.isBelow?.() === true))
      kept.set(name, place);
  return {
    rereadable: (name) => safe.has(name),
    shadowRereadable: (name) => {
      const read = scan.reads.get(name);
      return (
        safe.has(name) ||
        (volatile.byUs.size < volatile.by.size &&
          read !== undefined &&
          isSafe(read, scan, volatile.byUs))
      );
    },
    steadyIn: (name, loop) => {
      const read = scan.reads.get(name);
      return read !== undefined && isIn(read, loop) && isSteady(read, loop, scan);
    },
    lengthInFront: (append, loop) => lengthInFront(append, loop, scan),
    keptAt: (name) => kept.get(name) ?? null,
    livesIn: (region, body) => scan.homeOf(region.find()).some((step) => step.body === body),
  };
}

function isSafe(read: Read, scan: Scan, volatile: ReadonlySet<Region>): boolean {
  const region = read.region.find();
  if ([...volatile].some((place) => place.find() === region)) return false;
  const home = scan.homeOf(read.object.find());
  return scan.writes.every(
    (write) =>
      !touches(write, read, scan) ||
      !mayFollow(write.path, read.path, home) ||
      isOfAnother(write, read, scan) ||
      (write.isAppend === true && read.isBelow?.() === true),
  );
}

/**
 * Whether a write surely is of another object than the one that was read before: `const next = u.slice(); next[i] = k * u[i]; u = next`. What is written was made in this run of a body; what was read
 * was there before that, or is of a run before.
 */
function isOfAnother({ made, path }: Event, read: Read, { births }: Scan): boolean {
  const maker = made?.path.at(-1);
  if (made === undefined || maker === undefined) return false;
  return (
    !isBehind(read.path, maker) ||
    births.isBefore(read.by, made.path) ||
    !mayFollow(path, read.path, made.path)
  );
}

/** Whether what is written may be what is read: by what the names may mean, or, of objects that come from outside, by who has given them. */
function touches(write: Event, read: Event, scan: Scan): boolean {
  const [written, region] = [write.region.find(), read.region.find()];
  const originals = scan.originalsOf(region);
  if (written === region || originals.has(written)) return true;
  return (
    written.external &&
    (write.made === undefined || scan.isHeld(write.made.object)) &&
    ([...originals].some((original) => original.external) ||
      (region.external && (write.alias === ANYWHERE || write.alias === read.alias)))
  );
}

const isIn = ({ path }: Event, loop: Stmt): boolean => path.some((step) => step.loop === loop);

function isSteady(read: Read, loop: Stmt, scan: Scan): boolean {
  // an element that is taken off is no longer there
  const mayGo = ({ alias }: Event): boolean =>
    alias === ANYWHERE || alias === `${read.alias}.length`;
  const isOfLater = ({ made }: Event): boolean =>
    made !== undefined && scan.births.isBefore(read.by, made.path);
  return (
    !read.alias.endsWith("{}") &&
    scan.writes.every(
      (write) =>
        !isIn(write, loop) || isOfLater(write) || !(mayGo(write) || touches(write, read, scan)),
    )
  );
}

/** Whether the statement at `write` can run after the one at `read`, on an object that lives within `home` (one round of its innermost loop). */
function mayFollow(write: Path, read: Path, home: Path): boolean {
  let depth = 0;
  while (depth < write.length && depth < read.length && write[depth]?.body === read[depth]?.body) {
    const w = write[depth];
    const r = read[depth];
    if (w === undefined || r === undefined) return true;
    // both within one loop that does not make the object anew each round: the next round's write follows
    if (w.loop !== null && !home.some((step) => step.body === w.body)) return true;
    if (w.at !== r.at) return w.at > r.at;
    depth++;
  }
  // different bodies of one statement: the branches of an `if`
  return false;
}

function lengthInFront(append: Append, loop: Stmt, scan: Scan): number | "measured" | null {
  const own = scan.appends.get(append) ?? [];
  const others = scan.writes.filter(
    (write) => !own.includes(write) && own.some((one) => touches(write, one, scan)),
  );
  if (own.length === 0 || others.some((write) => isIn(write, loop))) return null;
  const made = append.object.kind === "var" ? scan.literals.get(append.object.name) : undefined;
  // where the loop stands, and whether it is there that the array is made, and changed behind the loop alone
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

class Scan {
  readonly births: Births;
  readonly reads = new Map<string, Read>();
  /** By object made in a body: the place that it is put into there, and what a read of that place would be. */
  readonly kept = new Map<string, { readonly place: Kept; readonly read: Read }>();
  readonly writes: Event[] = [];
  /** What an append writes: a length, and an element. */
  readonly appends = new Map<Append, readonly Event[]>();
  readonly #lets = new Map<string, Expr>();
  /** Lists that are written out: how many elements they begin with. */
  readonly literals = new Map<string, { readonly count: number; readonly path: Path }>();
  readonly #memory: Memory;
  readonly #graphs: ReadonlyMap<string, Memory>;
  readonly #originals = new Map<Region, ReadonlySet<Region>>();
  /** Regions that are places of others. */
  #held: ReadonlySet<Region> | null = null;
  /** What is handed to code that is not seen. */
  readonly #shown: Atom[] = [];
  /** Where each region's object is made; null once it is made twice or kept across rounds. */
  readonly #homes = new Map<Region, Path | null>();

  constructor(func: Func, memory: Memory, graphs: ReadonlyMap<string, Memory>) {
    this.births = new Births(func, memory);
    this.#memory = memory;
    this.#graphs = graphs;
  }

  originalsOf(region: Region): ReadonlySet<Region> {
    const known = this.#originals.get(region);
    if (known !== undefined) return known;
    const found = this.#memory.originals(region);
    this.#originals.set(region, found);
    return found;
  }

  /** Whether some object, or code that is not seen, may hold objects of the region: who reads there may read them. */
  isHeld(region: Region): boolean {
    this.#held ??= new Set(
      [...this.#memory.regions()].flatMap((one) =>
        [...this.#memory.reachable(one)].flatMap(({ places }) =>
          [...places.values()].map((place) => place.find()),
        ),
      ),
    );
    return (
      this.#held.has(region.find()) ||
      this.#shown.some((atom) => {
        const one = this.#memory.region(atom);
        return one !== null && this.#memory.reachable(one).has(region.find());
      })
    );
  }

  homeOf(region: Region): Path {
    if (region.external) return [];
    for (const [known, path] of this.#homes) if (known.find() === region) return path ?? [];
    return [];
  }

  body(body: Body, path: Path, loop: Stmt | null): void {
    body.stmts.forEach((stmt, at) => this.#stmt(stmt, [...path, { body, at, loop }]));
  }

  #stmt(stmt: Stmt, path: Path): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, path);
      case "store":
        if (stmt.initial !== true) this.#write(stmt.object, stmt.key, path);
        else this.#noteKept(stmt, path);
        this.#keep(stmt.value);
        return;
      case "accum":
        return this.#write(stmt.object, stmt.key, path);
      case "append": {
        const before = this.writes.length;
        this.#writePlace(stmt.object, "length", path);
        this.#writePlace(stmt.object, "[]", path);
        const own = this.writes
          .splice(before)
          .map((write): Event => ({ ...write, isAppend: true }));
        this.writes.push(...own);
        this.appends.set(stmt, own);
        this.#noteAppended(stmt, path);
        this.#keep(stmt.value);
        return;
      }
      case "fill":
        this.#writePlace(stmt.object, "[]", path);
        this.#keep(stmt.value);
        return;
      case "if":
        this.body(stmt.then, path, null);
        this.body(stmt.else, path, null);
        return;
      case "while":
      case "for":
        for (const { param } of stmt.carried) this.#keep(param);
        if (stmt.kind === "while") this.body(stmt.test, path, stmt);
        this.body(stmt.body, path, stmt);
        return;
      case "push":
      case "reserve":
      case "throw":
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        return;
    }
  }

  /** The first write of a place, at a position that the reverse of the same round has as well. */
  #noteKept({ object, key, value }: Store, path: Path): void {
    const [here, place] = [path.at(-1), this.#memory.placeAt(object, key)];
    const owner = this.#memory.region(object);
    if (
      here === undefined ||
      value.kind !== "var" ||
      !this.births.isMadeIn(value, here.body) ||
      place === null ||
      owner === null
    )
      return;
    const isIndex =
      key.kind === "index" &&
      path.some(
        ({ loop }) =>
          loop?.kind === "for" && key.at.kind === "var" && loop.index.name === key.at.name,
      );
    if (isIndex)
      this.kept.set(value.name, {
        place: { object, key },
        read: {
          path,
          region: place,
          object: owner,
          by: object,
          alias: aliasKey(object.type, ELEMENTS),
        },
      });
  }

  /** What is appended once in each round of a loop. */
  #noteAppended(append: Append, path: Path): void {
    const { object, value } = append;
    const [here, owner] = [path.at(-1), this.#memory.region(object)];
    const loop = here?.loop;
    if (
      here === undefined ||
      loop?.kind !== "for" ||
      value.kind !== "var" ||
      !this.births.isMadeIn(value, here.body) ||
      owner === null
    )
      return;
    const read: Read = {
      path,
      region: this.#memory.place(owner, object.type, "[]"),
      object: owner,
      by: object,
      alias: aliasKey(object.type, ELEMENTS),
      isBelow: () => !this.#mayShrink(object) && lengthInFront(append, loop, this) !== null,
    };
    this.kept.set(value.name, { place: { object, append }, read });
  }

  /** Whether anything but an append may change the array's length. */
  #mayShrink(object: Atom): boolean {
    const region = this.#memory.region(object);
    if (region === null) return true;
    const length = this.#memory.place(region, object.type, "length").find();
    const read: Event = {
      path: [],
      region: length,
      alias: `${aliasKey(object.type, "length")}.length`,
    };
    return this.writes.some((write) => write.isAppend !== true && touches(write, read, this));
  }

  #isBelow(object: Atom, at: Atom, path: Path): boolean {
    const loops = path.flatMap(({ loop }) => loop ?? []);
    const arrays = {
      lets: this.#lets,
      literals: this.literals,
      appends: [...this.appends.keys()],
      lengthInFront: (append: Append, loop: For) => lengthInFront(append, loop, this),
    };
    return isBelowLength(object, at, loops, arrays) && !this.#mayShrink(object);
  }

  #let(stmt: Stmt & { kind: "let" }, path: Path): void {
    const { bind, expr } = stmt;
    this.#lets.set(bind.name, expr);
    if (expr.kind === "array" && expr.parts.every(({ spread }) => !spread))
      this.literals.set(bind.name, { count: expr.parts.length, path });
    switch (expr.kind) {
      case "load": {
        const { object, key } = expr;
        return this.#read(
          bind.name,
          object,
          key.kind === "field" ? key.name : "[]",
          this.#memory.placeAt(object, key),
          path,
          key.kind === "index" ? () => this.#isBelow(object, key.at, path) : undefined,
        );
      }
      case "length": {
        const region = this.#memory.region(expr.object);
        return this.#read(
          bind.name,
          expr.object,
          "length",
          region === null ? null : this.#memory.place(region, expr.object.type, "length"),
          path,
        );
      }
      case "removeLast":
        return this.#writePlace(expr.object, "length", path);
      case "array":
      case "tuple":
      case "record":
      case "alloc":
      case "slice": {
        const region = this.#memory.region(bind)?.find();
        if (region !== undefined) this.#homes.set(region, this.#homes.has(region) ? null : path);
        return;
      }
      case "call":
        return this.#call(bind, expr, path);
      case "extern":
        if (expr.effect === "io") for (const arg of expr.args) this.#writeReachable(arg, path);
        this.#shown.push(...expr.args);
        return;
      default:
        return;
    }
  }

  #call(bind: Atom, expr: Expr & { kind: "call" }, path: Path): void {
    if (writesArguments(expr, this.#graphs))
      for (const arg of expr.args) this.#writeReachable(arg, path);
    for (const arg of expr.args) this.#keep(arg);
    this.#keep(bind);
  }

  #writeReachable(atom: Atom, path: Path): void {
    const region = this.#memory.region(atom);
    if (region === null) return;
    for (const inner of this.#memory.reachable(region))
      if (inner.written) this.writes.push({ path, region: inner, alias: ANYWHERE });
  }

  #write(object: Atom, key: Key, path: Path): void {
    this.#event(
      object,
      key.kind === "field" ? key.name : "[]",
      this.#memory.placeAt(object, key),
      path,
    );
  }

  #writePlace(object: Atom, key: string, path: Path): void {
    const region = this.#memory.region(object);
    this.#event(
      object,
      key,
      region === null ? null : this.#memory.place(region, object.type, key),
      path,
    );
  }

  #event(object: Atom, key: string, region: Region | null, path: Path): void {
    if (region === null) return;
    const made = this.births.of(object);
    const owner = this.#memory.region(object);
    this.writes.push({
      path,
      region,
      alias: key === "length" ? `${aliasKey(object.type, key)}.length` : aliasKey(object.type, key),
      ...(made === null || owner === null ? {} : { made: { object: owner, path: made } }),
    });
  }

  #read(
    name: string,
    object: Atom,
    key: string,
    region: Region | null,
    path: Path,
    isBelow?: () => boolean,
  ): void {
    const owner = this.#memory.region(object);
    if (region === null || owner === null) return;
    const alias =
      key === "length" ? `${aliasKey(object.type, key)}.length` : aliasKey(object.type, key);
    this.reads.set(name, {
      path,
      region,
      alias,
      object: owner,
      by: object,
      ...(isBelow === undefined ? {} : { isBelow }),
    });
  }

  /** An object that is carried, stored or handed on may outlive the round that makes it. */
  #keep(atom: Atom): void {
    const region = this.#memory.region(atom);
    if (region !== null)
      for (const inner of this.#memory.reachable(region)) this.#homes.set(inner, null);
  }
}
