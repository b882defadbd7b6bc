// Records the memory events of one function: its reads, writes and appends, each with its position
// in the control flow and, where known, with the allocation point of the object that is written.
// reaching-writes.ts decides from these events which reads can be repeated.

import type { ObjectPlace } from "../../ir/facts.ts";
import type {
  Append,
  Atom,
  Body,
  Expr,
  Func,
  Key,
  Let,
  Stmt,
  Store,
  Type,
} from "../../ir/types.ts";
import { AllocationPoints, type Path } from "./allocation-points.ts";
import type { Memory } from "./memory.ts";
import { writesArguments } from "./alias-queries.ts";
import { ELEMENTS, type Region } from "./region.ts";

export interface MemoryEvent {
  readonly path: Path;
  readonly region: Region;
  /** Key of the external places that may be this one. */
  readonly alias: string;
  /** Of a write: whether it appends an element. */
  readonly isAppend?: true;
  /** Of a write: where its object is allocated, if that is known. */
  readonly made?: Made;
}

interface Made {
  readonly object: Region;
  readonly path: Path;
}

export interface Read extends MemoryEvent {
  readonly object: Region;
  /** The name by which the object is read. */
  readonly by: Atom;
  /** The element that is read: at an index, or where an append put it. */
  readonly element?: ObjectPlace;
}

/** Alias key of what a callee may write. */
export const ANYWHERE = "*";

/** External places may be the same if they have the same key and are in the same kind of object. */
function aliasKey(object: Type, key: string): string {
  if (object.kind === "opt") return aliasKey(object.of, key);
  if (object.kind === "dict") return `${object.store}{}`;
  return object.kind === "array" ? `${object.store}[]${object.elem.kind}` : key;
}

const aliasOf = (object: Type, key: string): string =>
  key === "length" ? `${aliasKey(object, key)}.length` : aliasKey(object, key);

/** A place of an object, as a statement names it. */
interface Access {
  readonly object: Atom;
  readonly key: string;
  readonly region: Region | null;
}

export class MemoryEvents {
  readonly births: AllocationPoints;
  readonly reads = new Map<string, Read>();
  /** By allocation: the place that its own body stores it into, and a later read of that place. */
  readonly kept = new Map<string, { readonly place: ObjectPlace; readonly read: Read }>();
  readonly writes: MemoryEvent[] = [];
  /** The writes of an append: the length and an element. */
  readonly appends = new Map<Append, readonly MemoryEvent[]>();
  readonly lets = new Map<string, Expr>();
  /** Array literals: their number of elements. */
  readonly literals = new Map<string, { readonly count: number; readonly path: Path }>();
  readonly #memory: Memory;
  readonly #graphs: ReadonlyMap<string, Memory>;
  readonly #originals = new Map<Region, ReadonlySet<Region>>();
  /** Regions that are places of others. */
  #held: ReadonlySet<Region> | null = null;
  /** Operands of foreign code. */
  readonly #foreignOperands: Atom[] = [];
  /** Allocation point of each region; null if there are two, or if it may outlive its iteration. */
  readonly #homes = new Map<Region, Path | null>();

  constructor(func: Func, memory: Memory, graphs: ReadonlyMap<string, Memory>) {
    this.births = new AllocationPoints(func, memory);
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

  /** Whether another object or foreign code may hold a reference to objects of the region. */
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
      this.#foreignOperands.some((atom) => {
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

  // eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
  #stmt(stmt: Stmt, path: Path): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, path);
      case "store":
        return this.#store(stmt, path);
      case "accum":
        return this.#write(this.#access(stmt.object, stmt.key), path);
      case "append":
        return this.#append(stmt, path);
      case "fill":
        this.#write(this.#place(stmt.object, ELEMENTS), path);
        return this.#escape(stmt.value);
      case "if":
        this.body(stmt.then, path, null);
        return this.body(stmt.else, path, null);
      case "while":
      case "for":
        for (const { param } of stmt.carried) this.#escape(param);
        if (stmt.kind === "while") this.body(stmt.test, path, stmt);
        return this.body(stmt.body, path, stmt);
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

  #store(stmt: Store, path: Path): void {
    if (stmt.initial === true) this.#noteStored(stmt, path);
    else this.#write(this.#access(stmt.object, stmt.key), path);
    this.#escape(stmt.value);
  }

  #append(stmt: Append, path: Path): void {
    const before = this.writes.length;
    this.#write(this.#place(stmt.object, "length"), path);
    this.#write(this.#place(stmt.object, ELEMENTS), path);
    const own = this.writes
      .splice(before)
      .map((write): MemoryEvent => ({ ...write, isAppend: true }));
    this.writes.push(...own);
    this.appends.set(stmt, own);
    this.#noteAppended(stmt, path);
    this.#escape(stmt.value);
  }

  /** An allocation stored into a new element, at a loop index that reversal knows too. */
  #noteStored({ object, key, value }: Store, path: Path): void {
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
    const isLoopIndex =
      key.kind === "index" &&
      path.some(
        ({ loop }) =>
          loop?.kind === "for" && key.at.kind === "var" && loop.index.name === key.at.name,
      );
    if (!isLoopIndex) return;
    const alias = aliasOf(object.type, ELEMENTS);
    this.kept.set(value.name, {
      place: { object, key },
      read: { path, region: place, object: owner, by: object, alias },
    });
  }

  /** An allocation appended once in each iteration of a loop. */
  #noteAppended(append: Append, path: Path): void {
    const { object, value } = append;
    const [here, owner] = [path.at(-1), this.#memory.region(object)];
    if (
      here?.loop?.kind !== "for" ||
      value.kind !== "var" ||
      !this.births.isMadeIn(value, here.body) ||
      owner === null
    )
      return;
    const region = this.#memory.place(owner, object.type, ELEMENTS);
    const alias = aliasOf(object.type, ELEMENTS);
    const place = { object, append };
    this.kept.set(value.name, {
      place,
      read: { path, region, object: owner, by: object, alias, element: place },
    });
  }

  /** The length of an array, as an event that writes can be compared with. */
  lengthOf(object: Atom): MemoryEvent | null {
    const { region } = this.#place(object, "length");
    return region === null
      ? null
      : { path: [], region: region.find(), alias: aliasOf(object.type, "length") };
  }

  #let({ bind, expr }: Let, path: Path): void {
    this.lets.set(bind.name, expr);
    switch (expr.kind) {
      case "load": {
        const { object, key } = expr;
        const element = key.kind === "index" ? { object, key } : undefined;
        return this.#read(bind.name, this.#access(object, key), path, element);
      }
      case "length":
        return this.#read(bind.name, this.#place(expr.object, "length"), path);
      case "removeLast":
        return this.#write(this.#place(expr.object, "length"), path);
      case "array":
        if (expr.parts.every(({ spread }) => !spread))
          this.literals.set(bind.name, { count: expr.parts.length, path });
        return this.#allocate(bind, path);
      case "tuple":
      case "record":
      case "alloc":
      case "slice":
        return this.#allocate(bind, path);
      case "call":
        return this.#call(bind, expr, path);
      case "extern":
        if (expr.effect === "io") for (const arg of expr.args) this.#writeReachable(arg, path);
        this.#foreignOperands.push(...expr.args);
        return;
      default:
        return;
    }
  }

  #allocate(bind: Atom, path: Path): void {
    const region = this.#memory.region(bind)?.find();
    if (region !== undefined) this.#homes.set(region, this.#homes.has(region) ? null : path);
  }

  #call(bind: Atom, expr: Expr & { kind: "call" }, path: Path): void {
    if (writesArguments(expr, this.#graphs))
      for (const arg of expr.args) this.#writeReachable(arg, path);
    for (const arg of expr.args) this.#escape(arg);
    this.#escape(bind);
  }

  #writeReachable(atom: Atom, path: Path): void {
    const region = this.#memory.region(atom);
    if (region === null) return;
    for (const inner of this.#memory.reachable(region))
      if (inner.written) this.writes.push({ path, region: inner, alias: ANYWHERE });
  }

  #access(object: Atom, key: Key): Access {
    const name = key.kind === "field" ? key.name : ELEMENTS;
    return { object, key: name, region: this.#memory.placeAt(object, key) };
  }

  #place(object: Atom, key: string): Access {
    const region = this.#memory.region(object);
    const place = region === null ? null : this.#memory.place(region, object.type, key);
    return { object, key, region: place };
  }

  #write({ object, key, region }: Access, path: Path): void {
    if (region === null) return;
    const made = this.births.of(object);
    const owner = this.#memory.region(object);
    this.writes.push({
      path,
      region,
      alias: aliasOf(object.type, key),
      ...(made === null || owner === null ? {} : { made: { object: owner, path: made } }),
    });
  }

  #read(name: string, { object, key, region }: Access, path: Path, element?: ObjectPlace): void {
    const owner = this.#memory.region(object);
    if (region === null || owner === null) return;
    this.reads.set(name, {
      path,
      region,
      alias: aliasOf(object.type, key),
      object: owner,
      by: object,
      ...(element === undefined ? {} : { element }),
    });
  }

  /** Carried, stored and passed objects may outlive the iteration that allocates them. */
  #escape(atom: Atom): void {
    const region = this.#memory.region(atom);
    if (region !== null)
      for (const inner of this.#memory.reachable(region)) this.#homes.set(inner, null);
  }
}
