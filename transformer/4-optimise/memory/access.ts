// The places that a statement reads and writes, and whether two accesses may touch the same place.
// Invariant: two accesses that could touch the same place are never called disjoint.

import { resolve, definedShape } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Key, Stmt, Store, Type } from "../../ir/types.ts";
import { stmtBodies, unreachable } from "../../ir/visit.ts";
import { areDistinctKeys, sameAtom } from "../atoms.ts";
import { isRaw } from "../stmts.ts";
import type { Memory } from "./memory.ts";

/** A place, an array's length, its elements and length, or the shape of all reachable objects. */
export type Part =
  | Key
  | { readonly kind: "length" }
  | { readonly kind: "elements" }
  | { readonly kind: "deep"; readonly numbers: boolean };

export interface Access {
  readonly write: boolean;
  /** Null: whatever outside code may reach. */
  readonly object: Atom | null;
  readonly part: Part;
  /** Type of the value read or written; null if it is no single element. */
  readonly element: Type | null;
}

const LENGTH: Part = { kind: "length" };
const ELEMENTS: Part = { kind: "elements" };

const access = (
  write: boolean,
  object: Atom | null,
  part: Part,
  element: Type | null = null,
): Access => ({ write, object, part, element });

/** What evaluating an expression reads and writes; nothing for the body of a lambda. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
export function exprAccesses(expr: Expr, result: Type): readonly Access[] {
  switch (expr.kind) {
    case "load":
      return [access(false, expr.object, expr.key, result)];
    case "length":
      return [access(false, expr.object, LENGTH)];
    case "array":
      return expr.parts.flatMap((part) =>
        part.spread ? [access(false, part.atom, ELEMENTS)] : [],
      );
    case "slice":
      return [access(false, expr.object, ELEMENTS)];
    case "zeros":
      return [access(false, expr.like, { kind: "deep", numbers: false })];
    case "clone":
      return [access(false, expr.object, { kind: "deep", numbers: true })];
    case "call":
      return expr.pure === true
        ? []
        : [access(false, null, ELEMENTS), access(true, null, ELEMENTS)];
    case "extern":
      if (expr.effect === "pure") return [];
      return expr.effect === "io"
        ? [access(false, null, ELEMENTS), access(true, null, ELEMENTS)]
        : [access(false, null, ELEMENTS)];
    case "removeLast":
      return [access(true, expr.object, ELEMENTS), access(false, expr.object, ELEMENTS)];
    case "pop":
      return [access(true, expr.tape, ELEMENTS), access(false, expr.tape, ELEMENTS)];
    case "rewind":
      return [access(false, expr.tape, ELEMENTS)];
    case "copy":
    case "op":
    case "present":
    case "unwrap":
    case "tuple":
    case "record":
    case "alloc":
    case "newTape":
    case "lambda":
      return [];
    default:
      return unreachable(expr);
  }
}

/** What a statement itself reads and writes, without its nested bodies. */
export function ownAccesses(stmt: Stmt): readonly Access[] {
  switch (stmt.kind) {
    case "let":
      return exprAccesses(stmt.expr, stmt.bind.type);
    case "store":
      return storeAccesses(stmt);
    case "accum":
      return [
        access(true, stmt.object, stmt.key, stmt.value.type),
        access(false, stmt.object, stmt.key, stmt.value.type),
      ];
    case "append":
    case "fill":
      return [access(true, stmt.object, ELEMENTS)];
    case "push":
    case "reserve":
      return [access(true, stmt.tape, ELEMENTS)];
    case "if":
    case "for":
    case "while":
    case "throw":
      return [];
    default:
      return isRaw(stmt) ? [] : unreachable(stmt);
  }
}

/** A store may lengthen an array. A shadow has its primal's length, unless `lengthens` is set. */
function storeAccesses(stmt: Store): readonly Access[] {
  const written = access(true, stmt.object, stmt.key, stmt.value.type);
  const keepsLength =
    stmt.key.kind === "field" ||
    (stmt.adjoint === true && stmt.initial !== true && stmt.lengthens !== true);
  return keepsLength ? [written] : [written, access(true, stmt.object, LENGTH)];
}

/** Cache of `accesses`: most statements survive a pass, and all enclosing bodies ask. */
const KNOWN = new WeakMap<Stmt, readonly Access[]>();

/** What a statement reads and writes, nested bodies included; nothing for a lambda. */
export function accesses(stmt: Stmt): readonly Access[] {
  const known = KNOWN.get(stmt);
  if (known !== undefined) return known;
  const bodies = stmt.kind === "let" ? [] : stmtBodies(stmt);
  const found =
    bodies.length === 0
      ? ownAccesses(stmt)
      : [...ownAccesses(stmt), ...bodies.flatMap(bodyAccesses)];
  KNOWN.set(stmt, found);
  return found;
}

export const bodyAccesses = (body: Body): readonly Access[] => body.stmts.flatMap(accesses);

/** Whether two accesses may touch the same place. */
export function mayMeet(x: Access, z: Access, memory: Memory): boolean {
  return partsMeet(x, z, memory) && objectsMeet(x, z, memory);
}

/** Whether two accesses may touch the same place, and one of them writes. */
export const interfere = (x: Access, z: Access, memory: Memory): boolean =>
  (x.write || z.write) && mayMeet(x, z, memory);

/** Whether two accesses may be to the same object. */
export function objectsMeet(x: Access, z: Access, memory: Memory): boolean {
  const inX = reached(x, memory);
  const inZ = reached(z, memory);
  if (inX === null && inZ === null) return true;
  if (inX === null || inZ === null)
    return [...(inX ?? inZ ?? [])].some((site) => memory.escapes(site));
  for (const site of inX) if (inZ.has(site)) return true;
  return false;
}

function reached(one: Access, memory: Memory): ReadonlySet<string> | null {
  if (one.object === null) return null;
  const sites = memory.sites(one.object);
  return one.part.kind === "deep" ? memory.reach(sites) : sites;
}

function partsMeet(x: Access, z: Access, memory: Memory): boolean {
  const p = x.part;
  const q = z.part;
  if (x.object === null || z.object === null) return true;
  if (p.kind === "deep") return deepMeets(p.numbers, z, memory);
  if (q.kind === "deep") return deepMeets(q.numbers, x, memory);
  if (p.kind === "elements") return q.kind !== "field" || isPosition(q) || isDict(x.object, memory);
  if (q.kind === "elements") return p.kind !== "field" || isPosition(p) || isDict(z.object, memory);
  if (p.kind === "length" || q.kind === "length") return p.kind === q.kind;
  return keysMeet(x, p, z, q, memory);
}

/** A field of a tuple, which may also be accessed as an array. */
const isPosition = (key: Key): boolean => key.kind === "field" && /^\d+$/.test(key.name);

/** Whether a field of a record may also be accessed by key. */
const isDict = (object: Atom | null, memory: Memory): boolean =>
  object !== null && definedShape(object.type, memory.types).kind === "dict";

const mayName = (key: Key, name: string): boolean =>
  key.kind === "field" || key.at.kind !== "const" || String(key.at.value) === name;

function deepMeets(numbers: boolean, other: Access, memory: Memory): boolean {
  if (numbers || other.element === null || other.part.kind === "deep") return true;
  return memory.isAggregate(other.element) || other.element.kind === "leaf";
}

function keysMeet(x: Access, p: Key, z: Access, q: Key, memory: Memory): boolean {
  if (!elementsMeet(x.element, z.element, memory)) return false;
  if (p.kind === "field" && q.kind === "field") return p.name === q.name;
  if (p.kind === "field") return isPosition(p) || (isDict(z.object, memory) && mayName(q, p.name));
  if (q.kind === "field") return isPosition(q) || (isDict(x.object, memory) && mayName(p, q.name));
  if (!storesMeet(x.object, z.object, memory)) return false;
  const same = x.object !== null && z.object !== null && sameAtom(x.object, z.object);
  return !(same && areDistinctKeys(p.at, q.at));
}

/** Whether one place may be accessed with both types; null matches all. */
function elementsMeet(x: Type | null, z: Type | null, memory: Memory): boolean {
  return x === null || z === null || typesMeet(x, z, memory);
}

function storesMeet(x: Atom | null, z: Atom | null, memory: Memory): boolean {
  const [p, q] = [x, z].map((atom) => (atom === null ? null : resolve(atom.type, memory.types)));
  return p?.kind !== "array" || q?.kind !== "array" || p.store === q.store;
}

/** Whether one place may be accessed with both types: the kinds agree, or one is a leaf. */
function typesMeet(x: Type, z: Type, memory: Memory): boolean {
  const p = definedShape(x, memory.types);
  const q = definedShape(z, memory.types);
  if (p.kind === "leaf" || q.kind === "leaf") return true;
  const inX = memory.isAggregate(p);
  const inZ = memory.isAggregate(q);
  return inX === inZ && (inX || p.kind === q.kind);
}
