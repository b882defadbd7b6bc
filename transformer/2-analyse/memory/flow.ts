// The set of values in a dataflow problem: scalars by name, memory by region. Also which values
// flow into which at joins and in allocations. Sets only grow, so iterating over a body ends.

import type { Atom, Body, Let, Stmt, Type } from "../../ir/types.ts";
import { isScalarType } from "../../ir/shadow.ts";
import type { Memory } from "./memory.ts";
import { isText, type Region, slotOf } from "./region.ts";

/** Integer arrays truncate what is stored, so no derivative passes through them. */
const TRUNCATING: ReadonlySet<string> = new Set(
  "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array".split(" "),
);
export const truncates = (type: Type): boolean =>
  type.kind === "array" && TRUNCATING.has(type.store);

export class Flow {
  readonly names = new Set<string>();
  readonly regions = new Set<Region>();
  /** Regions with mixed contents whose strings are in the flow. */
  readonly #texts = new Set<Region>();
  changed = false;
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  has(atom: Atom): boolean {
    return atom.kind === "var" && this.names.has(atom.name);
  }

  mark(atom: Atom): void {
    if (atom.kind === "var" && carries(atom.type)) this.markTested(atom);
  }

  /** Marks a test, too. */
  markTested(atom: Atom): void {
    if (atom.kind !== "var" || this.names.has(atom.name)) return;
    this.names.add(atom.name);
    this.changed = true;
  }

  hasRegion(region: Region | null): boolean {
    return region !== null && this.regions.has(region.find());
  }

  /** Whether a read of the place at that type is in the flow. */
  hasIn(region: Region | null, type: Type): boolean {
    return (
      region !== null && (isText(type) ? this.#has(region.find(), "texts") : this.hasRegion(region))
    );
  }

  #has(region: Region, part: Part): boolean {
    return (
      this.regions.has(region) &&
      (part === "numbers" || region.holds === "texts" || this.#texts.has(region))
    );
  }

  /** `part`: which part, if the place holds both. */
  markRegion(region: Region | null, part: Part | null = null): void {
    const place = region?.find();
    if (place === undefined || place.holds === "truths") return;
    const known = this.regions.size + this.#texts.size;
    this.regions.add(place);
    if (part !== "numbers") this.#texts.add(place);
    this.changed ||= this.regions.size + this.#texts.size > known;
  }

  /** Copies the contents of one place to another. */
  markCopied(from: Region, to: Region | null): void {
    if (this.hasRegion(from))
      this.markRegion(to, this.#has(from.find(), "texts") ? null : "numbers");
  }

  /** Marks all that an aggregate reaches, or a part of it. */
  markAll(atom: Atom, part: Part | null = null): void {
    const region = this.#memory.region(atom);
    if (region !== null)
      for (const inner of this.#reached(region, part)) this.markRegion(inner, part);
    if (part === null || part === partOf(atom)) this.mark(atom);
  }

  #reached(region: Region, part: Part | null): readonly Region[] {
    const all = [...this.#memory.reachable(region)];
    return part === null
      ? all
      : all.filter((inner) => inner.holds === part || (part === "texts" && inner.mixed));
  }

  /** Whether the atom, or any place that it reaches, is in the flow. */
  reaches(atom: Atom, part: Part | null = null): boolean {
    const region = this.#memory.region(atom);
    if (region === null) return this.has(atom) && (part === null || part === partOf(atom));
    if (![...this.#memory.reachable(region)].some((inner) => this.regions.has(inner))) return false;
    return part === null || this.#reached(region, part).some((inner) => this.#has(inner, part));
  }
}

/** The parts of a value. A string varies if it is computed from varying numbers. */
export type Part = "numbers" | "texts";
export const PARTS: readonly Part[] = ["numbers", "texts"];
const partOf = ({ type }: Atom): Part => (isText(type) ? "texts" : "numbers");
/** The part of a place that a stored value belongs to; null if it may be both. */
export const partStored = ({ type }: Atom): Part | null => (isScalarType(type) ? "numbers" : null);

/** Numbers of literal type only discriminate a union. Strings count: they may be parsed back. */
const carries = (type: Type): boolean =>
  (type.kind === "num" && type.literal === undefined) ||
  type.kind === "leaf" ||
  (type.kind === "opt" && carries(type.of));

/** Written memory of an argument, of dict keys or of all else, with the numbers stored there. */
export const writtenIn = (param: Atom, memory: Memory, ofKeys = false): readonly Region[] => {
  const region = memory.region(param);
  return region === null
    ? []
    : [...writtenFrom(region, memory)].filter((inner) => inner.isKeys === ofKeys);
};

/** Written places reachable from an object, with what is stored in them. */
export function writtenFrom(region: Region, memory: Memory): ReadonlySet<Region> {
  const written = [...memory.reachable(region)].filter((inner) => inner.written);
  return new Set(
    written.flatMap((place) => [
      place,
      ...[...memory.reachable(place)].filter(({ holds, isKeys }) => holds === "numbers" && !isKeys),
    ]),
  );
}

export function markWritten(param: Atom, memory: Memory, state: Flow, ofKeys = false): void {
  for (const inner of writtenIn(param, memory, ofKeys)) state.markRegion(inner);
}

/** Visits inner statements before outer ones. */
export function visit(body: Body, step: (stmt: Stmt) => void): void {
  for (const stmt of body.stmts) {
    if (stmt.kind === "if") {
      visit(stmt.then, step);
      visit(stmt.else, step);
    }
    if (stmt.kind === "for" || stmt.kind === "while") visit(stmt.body, step);
    if (stmt.kind === "while") visit(stmt.test, step);
    step(stmt);
  }
}

/** Visits last statements first and outer ones before inner ones. */
export function visitBackwards({ stmts }: Body, step: (stmt: Stmt) => void): void {
  for (let at = stmts.length - 1; at >= 0; at--) {
    const stmt = stmts[at];
    if (stmt === undefined) continue;
    step(stmt);
    if (stmt.kind === "while") visitBackwards(stmt.test, step);
    if (stmt.kind === "for" || stmt.kind === "while") visitBackwards(stmt.body, step);
    if (stmt.kind === "if") {
      visitBackwards(stmt.else, step);
      visitBackwards(stmt.then, step);
    }
  }
}

const NONE: readonly never[] = [];

/** Pairs (source, target) of the values that a statement joins or carries. */
export function joins(stmt: Stmt): readonly (readonly [from: Atom, to: Atom])[] {
  if (stmt.kind !== "if" && stmt.kind !== "for" && stmt.kind !== "while") return NONE;
  const pairs: [Atom, Atom][] = [];
  const add = (from: Atom | undefined, to: Atom | undefined): void => {
    if (from !== undefined && to !== undefined) pairs.push([from, to]);
  };
  if (stmt.kind === "if")
    stmt.binds.forEach((bind, i) => {
      add(stmt.then.result[i], bind);
      add(stmt.else.result[i], bind);
    });
  else
    stmt.carried.forEach(({ param, init }, i) => {
      add(init, param);
      add(stmt.body.result[i], param);
      add(param, stmt.binds[i]);
    });
  return pairs;
}

export function placeOfStore(stmt: Stmt, memory: Memory): Region | null {
  if (stmt.kind === "store" || stmt.kind === "accum") return memory.placeAt(stmt.object, stmt.key);
  if (stmt.kind === "push") return memory.placeAt(stmt.tape, slotOf(stmt.value.type));
  if (stmt.kind !== "append" && stmt.kind !== "fill") return null;
  return elements(stmt.object, memory);
}

export function elements(object: Atom, memory: Memory): Region | null {
  const region = memory.region(object);
  return region === null ? null : memory.place(region, object.type, "[]");
}

/** The initial contents of an allocation: pairs (value, place). */
export function initialContents(
  { bind, expr }: Let,
  memory: Memory,
): readonly (readonly [value: Atom | Region, place: Region | null])[] {
  const region = memory.region(bind);
  if (region === null) return [];
  const at = (key: string): Region => memory.place(region, bind.type, key);
  const from = (object: Atom): Region | Atom => elements(object, memory) ?? object;
  switch (expr.kind) {
    case "array":
      return expr.parts.map(
        (part) => [part.spread ? from(part.atom) : part.atom, at("[]")] as const,
      );
    case "tuple":
      return expr.elems.map((elem, i) => [elem, at(String(i))] as const);
    case "record":
      return expr.fields.map(({ name, value }) => [value, at(name)] as const);
    case "alloc":
      return expr.fill === null ? [] : [[expr.fill, at("[]")]];
    case "slice":
      return [[from(expr.object), at("[]")]];
    default:
      return [];
  }
}

export const isRegion = (value: Atom | Region): value is Region => !("kind" in value);
