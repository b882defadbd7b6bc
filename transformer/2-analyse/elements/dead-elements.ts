// Which numbers are made of elements that may not be there, and go into a list or a record of which not all is read: then the result does not show that they are missing.
// In: an ssa body, its memory graph, and how far its loops go. Out: a test of names.
// Invariant: what is handed to other functions, returned, or lies outside is taken to be read; unsure means not read.

import type { Atom, Body, Expr, For, Key, Let, Stmt } from "../../ir/types.ts";
import { stmtBodies } from "../../ir/visit.ts";
import { conditionalNames } from "../activity/conditional.ts";
import type { Memory } from "../memory/memory.ts";
import type { Region } from "../memory/region.ts";
import type { Ranges } from "./bounds-proofs.ts";

/** A place that is read, the branches around it, the name that it is read to, and the loop whose index it is read at. */
interface Read {
  readonly name: string | null;
  readonly arms: readonly Body[];
  readonly list: Atom | null;
  readonly loop: For | null;
}

interface Stored {
  readonly arms: readonly Body[];
  readonly loops: readonly For[];
}

interface Found {
  readonly reads: Map<Region, Read[]>;
  readonly stores: Map<Region, Stored[]>;
  readonly seen: Set<Region>;
  /** What is read at the counter of a loop that writes no such place. */
  readonly counted: Set<string>;
}

/** Of reads at the counter of a loop. What a loop reads where it also writes is taken to be there. */
export function leftUnread(body: Body, memory: Memory, ranges: Ranges): (stmt: Let) => boolean {
  let names: ReadonlySet<string> | null = null;
  return ({ bind }) => (names ??= namesIn(body, memory, ranges)).has(bind.name);
}

function namesIn(body: Body, memory: Memory, ranges: Ranges): ReadonlySet<string> {
  const found: Found = { reads: new Map(), stores: new Map(), seen: new Set(), counted: new Set() };
  new Walk(memory, found).body(body, [], []);
  if (found.counted.size === 0) return found.counted;
  if (memory.result !== null)
    for (const place of memory.reachable(memory.result)) found.seen.add(place.find());
  for (let lost = conditionalNames(body, "joins"), places = 0; ;) {
    const unread = new Set(
      [...found.stores].flatMap(([place, into]) =>
        isRead(place, into, found, lost, ranges) ? [] : [place],
      ),
    );
    if (unread.size === places) return new Set([...found.counted].filter((name) => lost.has(name)));
    places = unread.size;
    lost = conditionalNames(body, "joins", (stmt) =>
      placesInto(stmt, memory).some((place) => unread.has(place)),
    );
  }
}

function isRead(
  place: Region,
  into: readonly Stored[],
  { reads, seen }: Found,
  lost: ReadonlySet<string>,
  { reachesEnd, areAlike }: Ranges,
): boolean {
  if (place.external || seen.has(place)) return true;
  const isOfAll = ({ list, loop }: Read): boolean =>
    list === null ||
    loop === null ||
    reachesEnd(loop, list) ||
    into.every(({ loops }) => loops.some((one) => areAlike(one, loop)));
  return (reads.get(place) ?? []).some(
    (read) =>
      (read.name === null || !lost.has(read.name)) &&
      read.arms.every((arm) => into.every(({ arms }) => arms.includes(arm))) &&
      isOfAll(read),
  );
}

/** Places of lists and records that a statement puts numbers into. */
function placesInto(stmt: Stmt, memory: Memory): readonly Region[] {
  if (stmt.kind === "store" && stmt.value.type.kind === "num")
    return present([memory.placeAt(stmt.object, stmt.key)]);
  if (stmt.kind === "append" && stmt.value.type.kind === "num")
    return present([memory.placeAt(stmt.object, ANY)]);
  if (stmt.kind !== "let" || stmt.expr.kind !== "record") return [];
  const { bind, expr } = stmt;
  return present(
    expr.fields.flatMap(({ name, value }) =>
      value.type.kind === "num" ? [memory.placeAt(bind, { kind: "field", name })] : [],
    ),
  );
}

const ANY: Key = { kind: "index", at: { kind: "const", value: 0, type: { kind: "num" } } };
const present = (places: readonly (Region | null)[]): readonly Region[] =>
  places.flatMap((place) => (place === null ? [] : [place.find()]));

class Walk {
  readonly #memory: Memory;
  readonly #found: Found;

  constructor(memory: Memory, found: Found) {
    this.#memory = memory;
    this.#found = found;
  }

  body(body: Body, arms: readonly Body[], loops: readonly For[]): void {
    for (const stmt of body.stmts) {
      for (const place of placesInto(stmt, this.#memory))
        this.#found.stores.set(place, [...(this.#found.stores.get(place) ?? []), { arms, loops }]);
      if (stmt.kind === "let") this.#let(stmt, arms, loops);
      for (const nested of stmtBodies(stmt))
        this.body(
          nested,
          stmt.kind === "if" ? [...arms, nested] : arms,
          stmt.kind === "for" ? [...loops, stmt] : loops,
        );
    }
  }

  #let({ bind, expr }: Let, arms: readonly Body[], loops: readonly For[]): void {
    const whole = (list: Atom): void =>
      this.#note(this.#memory.placeAt(list, ANY), { name: null, arms, list: null, loop: null });
    if (expr.kind === "load") this.#load(bind.name, expr, arms, loops);
    else if (expr.kind === "slice") whole(expr.object);
    else if (expr.kind === "array")
      for (const { atom, spread } of expr.parts) if (spread) whole(atom);
    if (expr.kind !== "call" && expr.kind !== "extern") return;
    for (const arg of expr.args) {
      const region = this.#memory.region(arg);
      if (region !== null)
        for (const place of this.#memory.reachable(region)) this.#found.seen.add(place.find());
    }
  }

  #load(
    name: string,
    { object, key }: Expr & { kind: "load" },
    arms: readonly Body[],
    loops: readonly For[],
  ): void {
    const place = this.#memory.placeAt(object, key);
    if (key.kind === "field") return this.#note(place, { name, arms, list: null, loop: null });
    const { at } = key;
    const loop = at.kind === "var" ? loops.find(({ index }) => index.name === at.name) : undefined;
    if (loop === undefined) return;
    this.#note(place, { name, arms, list: object, loop });
    if (place !== null && !this.#writes(loops[loops.length - 1]?.body ?? loop.body, place.find()))
      this.#found.counted.add(name);
  }

  #writes(body: Body, place: Region): boolean {
    return body.stmts.some(
      (stmt) =>
        placesInto(stmt, this.#memory).includes(place) ||
        stmtBodies(stmt).some((nested) => this.#writes(nested, place)),
    );
  }

  #note(place: Region | null, read: Read): void {
    if (place !== null)
      this.#found.reads.set(place.find(), [...(this.#found.reads.get(place.find()) ?? []), read]);
  }
}
