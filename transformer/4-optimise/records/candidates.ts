// Chooses the local objects that scalar replacement can remove. Invariant: a chosen object is used
// only at fixed places. It may also leave as a whole, in statements of the body that allocates it,
// after the last access to its places.

import { resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Accum, Atom, Body, Expr, Func, Key, Let, Stmt, Store, Type } from "../../ir/types.ts";
import { keyAtoms, stmtAtoms, stmtBodies, walkAtoms } from "../../ir/visit.ts";
import { isNumber } from "../atoms.ts";

export interface Candidate {
  readonly definition: Let;
  readonly shape: "record" | "tuple" | "array";
  /** In the order of the literal. */
  readonly places: readonly {
    readonly name: string;
    readonly type: Type;
    readonly mayLack?: true;
  }[];
  /** Optional fields that the literal omits: loads give undefined, and nothing writes them. */
  readonly lacking: ReadonlySet<string>;
  /** The statement before which the object itself is needed, or the body at whose end; or null. */
  readonly leaves: Stmt | Body | null;
}

/** Limit on the elements of an array literal. */
export const LONGEST = 16;

export function candidates(func: Func, types: Types): ReadonlyMap<string, Candidate> {
  const chosen = new Map<string, Candidate>();
  const visit = (body: Body): void => {
    const shapes = new Map<Let, Shape>();
    for (const stmt of body.stmts) {
      stmtBodies(stmt).forEach(visit);
      const shape = stmt.kind === "let" ? shapeOf(stmt.expr, stmt.bind.type, types) : null;
      if (stmt.kind === "let" && shape !== null) shapes.set(stmt, shape);
    }
    const mentions = mentionsIn(body, new Set([...shapes.keys()].map(({ bind }) => bind.name)));
    for (const [stmt, shape] of shapes) {
      const { name } = stmt.bind;
      const names = {
        places: new Set(shape.places.map((place) => place.name)),
        lacking: shape.lacking,
      };
      const uses = usesOf(name, names, body, mentions.get(name) ?? new Set());
      // A field that may be omitted decides where its value may be stored.
      const isOpen =
        stmt.expr.kind === "record" &&
        stmt.expr.fields.some(({ presentIf: there }) => there !== undefined);
      if (uses !== null && (uses.leaves === null || !isOpen))
        chosen.set(name, { ...shape, definition: stmt, leaves: uses.leaves });
    }
  };
  visit(func.body);
  return chosen;
}

/** By name: the statements of the body that mention it, inside them included. */
function mentionsIn(
  body: Body,
  names: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<Stmt>> {
  const found = new Map([...names].map((name) => [name, new Set<Stmt>()]));
  if (names.size > 0)
    for (const stmt of body.stmts)
      walkAtoms({ stmts: [stmt], result: [] }, (atom) => {
        if (atom.kind === "var") found.get(atom.name)?.add(stmt);
      });
  return found;
}

type Shape = Pick<Candidate, "shape" | "places" | "lacking">;
type Names = { readonly places: ReadonlySet<string>; readonly lacking: ReadonlySet<string> };
const NONE: ReadonlySet<string> = new Set();

function shapeOf(expr: Expr, type: Type, types: Types): Shape | null {
  const resolved = resolve(type, types);
  if (expr.kind === "zeros") return zeroShape(expr.like, resolved, types);
  if (expr.kind === "record") {
    // A dict may hold more keys than the literal lists.
    if (resolved.kind === "dict") return null;
    const typeOf = (name: string): Type | undefined =>
      resolved.kind === "record"
        ? resolved.fields.find((each) => each.name === name)?.type
        : undefined;
    return {
      shape: "record",
      places: expr.fields.map(({ name, value, omitIfUndefined: mayLack }) => ({
        name,
        type: typeOf(name) ?? value.type,
        ...(mayLack === true ? { mayLack } : {}),
      })),
      lacking: lackingIn(expr, resolved),
    };
  }
  if (expr.kind === "tuple")
    return {
      shape: "tuple",
      places: numbered(expr.elems, resolved.kind === "tuple" ? resolved.elems : []),
      lacking: NONE,
    };
  if (
    expr.kind !== "array" ||
    expr.parts.length > LONGEST ||
    expr.parts.some((part) => part.spread)
  )
    return null;
  if (resolved.kind !== "array" || resolved.store !== "Array") return null;
  return {
    shape: "array",
    places: numbered(
      expr.parts.map((part) => part.atom),
      expr.parts.map(() => resolved.elem),
    ),
    lacking: NONE,
  };
}

/** Fields of the type that the literal omits. Unknown for copies of objects. */
function lackingIn(
  { fields, copies }: Expr & { readonly kind: "record" },
  type: Type,
): ReadonlySet<string> {
  if (
    type.kind !== "record" ||
    copies !== undefined ||
    fields.some(
      ({ presentIf: there, omitIfUndefined: mayLack }) => there !== undefined || mayLack === true,
    )
  )
    return NONE;
  return new Set(
    type.fields
      .filter(({ name }) => !fields.some((each) => each.name === name))
      .map(({ name }) => name),
  );
}

const numbered = (atoms: readonly Atom[], types: readonly Type[]): Shape["places"] =>
  atoms.map((atom, at) => ({ name: String(at), type: types[at] ?? atom.type }));

/** A zero shadow of a record or tuple without optional parts; those are left to `zeros`. */
function zeroShape(like: Atom, resolved: Type, types: Types): Shape | null {
  const source = resolve(like.type, types);
  const hasPlace = (name: string): boolean =>
    source.kind === "record" &&
    source.fields.some((each) => each.name === name && isPlain(each.type, types));
  if (resolved.kind === "record") {
    const whole = source.kind === "record" && resolved.fields.every((each) => hasPlace(each.name));
    return whole ? { shape: "record", places: resolved.fields, lacking: NONE } : null;
  }
  if (
    resolved.kind !== "tuple" ||
    source.kind !== "tuple" ||
    source.elems.length !== resolved.elems.length
  )
    return null;
  if (!source.elems.every((elem) => isPlain(elem, types))) return null;
  return {
    shape: "tuple",
    places: resolved.elems.map((type, at) => ({ name: String(at), type })),
    lacking: NONE,
  };
}

/** Whether the shadow of a part surely has the part's shape. */
const isPlain = (type: Type, types: Types): boolean => {
  const resolved = resolve(type, types);
  return resolved.kind !== "opt" && (resolved.kind !== "leaf" || shadowType(type, types) === null);
};

interface Uses {
  readonly leaves: Stmt | Body | null;
}

/** How the object is used; null if it cannot be removed, or if that gains nothing. */
function usesOf(name: string, names: Names, body: Body, mentions: ReadonlySet<Stmt>): Uses | null {
  let leaves: Stmt | Body | null = null;
  let accessed = 0;
  for (const stmt of mentions) {
    const found = { accesses: 0, fixed: true };
    inspect(stmt, name, names, found, false);
    accessed += found.accesses;
    const leavesHere = isNamed(otherAtoms(stmt), name);
    const leavesInside = stmtBodies(stmt).some((nested) => leavesBody(nested, name));
    if (!found.fixed || leavesInside || (leaves !== null && found.accesses > 0)) return null;
    if (leavesHere && found.accesses > 0) return null;
    if (leavesHere) leaves ??= stmt;
  }
  if (isNamed(body.result, name)) leaves ??= body;
  return accessed > 0 ? { leaves } : null;
}

const isNamed = (atoms: readonly Atom[], name: string): boolean =>
  atoms.some((atom) => atom.kind === "var" && atom.name === name);

/** Atoms of a statement, except the object whose place it reads or writes. */
function otherAtoms(stmt: Stmt): readonly Atom[] {
  if (stmt.kind === "let" && stmt.expr.kind === "load") return keyAtoms(stmt.expr.key);
  if (stmt.kind === "store" || stmt.kind === "accum") return [...keyAtoms(stmt.key), stmt.value];
  return stmtAtoms(stmt);
}

/** Whether a nested body uses the object as a whole. */
function leavesBody(body: Body, name: string): boolean {
  if (isNamed(body.result, name)) return true;
  return body.stmts.some(
    (stmt) =>
      isNamed(otherAtoms(stmt), name) ||
      stmtBodies(stmt).some((nested) => leavesBody(nested, name)),
  );
}

/** The place that a statement reads or writes. */
export const placeIn = (stmt: Stmt): Store | Accum | (Expr & { readonly kind: "load" }) | null => {
  if (stmt.kind === "store" || stmt.kind === "accum") return stmt;
  return stmt.kind === "let" && stmt.expr.kind === "load" ? stmt.expr : null;
};

/** The fixed place that a key names, or null. */
export const fixedPlace = (key: Key): string | null =>
  key.kind === "field" ? key.name : isNumber(key.at) ? String(key.at.value) : null;

/** Counts accesses to places. Clears `fixed` at an access to an unknown place. */
function inspect(
  stmt: Stmt,
  name: string,
  names: Names,
  found: { accesses: number; fixed: boolean },
  inTest: boolean,
): void {
  const place = placeIn(stmt);
  if (place !== null && isNamed([place.object], name)) {
    found.accesses++;
    if (!isFixed(place, names, inTest)) found.fixed = false;
  }
  if (stmt.kind === "let" && stmt.expr.kind === "lambda")
    walkAtoms(stmt.expr.body, (atom) => {
      if (isNamed([atom], name)) found.fixed = false;
    });
  for (const nested of stmtBodies(stmt)) {
    const isTest = stmt.kind === "while" && nested === stmt.test;
    for (const inner of nested.stmts) inspect(inner, name, names, found, inTest || isTest);
  }
}

function isFixed(
  { kind, key }: NonNullable<ReturnType<typeof placeIn>>,
  { places, lacking }: Names,
  inTest: boolean,
): boolean {
  const name = fixedPlace(key);
  // What a `while` test writes would have to be carried from the test into the body.
  if (name === null || (inTest && kind !== "load")) return false;
  return places.has(name) || (kind === "load" && lacking.has(name));
}
