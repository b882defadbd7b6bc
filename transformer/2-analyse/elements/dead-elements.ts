// Numbers computed from possibly missing elements and stored into an array or record that is not
// read completely, so that the result may hide that they are missing. What is passed to calls,
// returned or external counts as read; unsure means not read.

import type { Atom, Body, Expr, For, Key, Let, Stmt } from "../../ir/types.ts";
import { stmtBodies } from "../../ir/visit.ts";
import { conditionalNames } from "../activity/conditional.ts";
import type { Memory } from "../memory/memory.ts";
import type { Region } from "../memory/region.ts";
import type { Bounds } from "./bounds-proofs.ts";

/** A read: the name it binds, the branches around it, the array, the loop that indexes it. */
interface Read {
  readonly name: string | null;
  readonly arms: readonly Body[];
  readonly array: Atom | null;
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
  /** Reads at the index of a loop that does not write the same place. */
  readonly counted: Set<string>;
}

/** Reads at a loop index only. An element that the loop also writes is assumed to exist. */
export function deadElements(body: Body, memory: Memory, ranges: Bounds): (stmt: Let) => boolean {
  let names: ReadonlySet<string> | null = null;
  return ({ bind }) => (names ??= namesIn(body, memory, ranges)).has(bind.name);
}

function namesIn(body: Body, memory: Memory, ranges: Bounds): ReadonlySet<string> {
  const found: Found = { reads: new Map(), stores: new Map(), seen: new Set(), counted: new Set() };
  new Walk(memory, found).body(body, [], []);
  if (found.counted.size === 0) return found.counted;
  if (memory.result !== null)
    for (const place of memory.reachable(memory.result)) found.seen.add(place.find());
  for (let conditional = conditionalNames(body, "joins"), places = 0; ;) {
    const unread = new Set(
      [...found.stores].flatMap(([place, into]) =>
        isRead(place, into, found, conditional, ranges) ? [] : [place],
      ),
    );
    if (unread.size === places)
      return new Set([...found.counted].filter((name) => conditional.has(name)));
    places = unread.size;
    conditional = conditionalNames(body, "joins", (stmt) =>
      placesInto(stmt, memory).some((place) => unread.has(place)),
    );
  }
}

function isRead(
  place: Region,
  into: readonly Stored[],
  { reads, seen }: Found,
  conditional: ReadonlySet<string>,
  { reachesEnd, areAlike }: Bounds,
): boolean {
  if (place.external || seen.has(place)) return true;
  const isOfAll = ({ array, loop }: Read): boolean =>
    array === null ||
    loop === null ||
    reachesEnd(loop, array) ||
    into.every(({ loops }) => loops.some((one) => areAlike(one, loop)));
  return (reads.get(place) ?? []).some(
    (read) =>
      (read.name === null || !conditional.has(read.name)) &&
      read.arms.every((arm) => into.every(({ arms }) => arms.includes(arm))) &&
      isOfAll(read),
  );
}

/** Places of arrays and records that a statement stores numbers into. */
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
    const whole = (array: Atom): void =>
      this.#note(this.#memory.placeAt(array, ANY), { name: null, arms, array: null, loop: null });
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
    if (key.kind === "field") return this.#note(place, { name, arms, array: null, loop: null });
    const { at } = key;
    const loop = at.kind === "var" ? loops.find(({ index }) => index.name === at.name) : undefined;
    if (loop === undefined) return;
    this.#note(place, { name, arms, array: object, loop });
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
