// Lowers `structuredClone(x)` to a deep copy that preserves sharing: one object stays one object.
// Two places that may hold one object have one type, and a table of each such type maps
// an original to its copy. Class instances and recursive types are rejected.

import type ts from "typescript";
import { BOOL, field, index, NUM, num } from "../../ir/build.ts";
import { InvariantError } from "../../ir/invariant.ts";
import { assignable } from "../../ir/assignable.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import {
  asOptional,
  externAt,
  inert,
  optional,
  definednessTest,
  unwrap,
  externWith,
} from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { sameType } from "../objects/tuples.ts";
import { restFields } from "../objects/spread-fields.ts";
import { copiedEntries, isOfObjects } from "./dict.ts";

/** The copy; refused where a type that is shared cannot be told from another. */
export function deepCopy(f: Frame, node: ts.CallExpression, value: Atom, hint: string): Atom {
  const met: Met[] = [];
  if (
    !gathered(f, value.type, false, [], met) ||
    met.some(({ type }, i) => met.slice(0, i).some((other) => mayBeOne(f, type, other.type)))
  )
    return f.refuse("TSG1203", node, "structuredClone");
  const copies = met
    .filter(({ isShared }) => isShared)
    .map(({ type }) => ({
      type,
      table: f.let(
        "copies",
        { kind: "dict", store: "Map", key: type, value: type },
        { kind: "record", fields: [] },
      ),
    }));
  return copied(f, value, hint, copies);
}

/** An aggregate type within the value, and whether two places may hold one object of it. */
interface Met {
  readonly type: Type;
  isShared: boolean;
}

/** The copies that exist, by original. */
interface Copies {
  readonly type: Type;
  readonly table: Var;
}

/**
 * Collects all aggregate types within a type; false where it cannot be copied.
 * `isMany`: the type is within an array or Map, so that several objects have it.
 */
function gathered(
  f: Frame,
  type: Type,
  isMany: boolean,
  outer: readonly Type[],
  met: Met[],
): boolean {
  const shape = f.shape(type);
  if (shape.kind === "opt") return gathered(f, shape.of, isMany, outer, met);
  if (isFlat(f, type)) return !(shape.kind === "leaf" && shape.opaque === true);
  if (f.ctx.classOf(type) !== null || outer.some((other) => sameType(other, type))) return false;
  const known = met.find((other) => sameType(other.type, type));
  const within = [...outer, type];
  if (known !== undefined) known.isShared = true;
  else met.push({ type, isShared: isMany && !isRowOnce(f, type, outer) });
  switch (shape.kind) {
    case "array":
      return gathered(f, shape.elem, true, within, met);
    case "dict":
      return !isOfObjects(f, shape) && gathered(f, shape.value, true, within, met);
    case "tuple":
      return shape.elems.every((elem) => gathered(f, elem, isMany, within, met));
    case "record":
      return shape.fields.every((each) => gathered(f, each.type, isMany, within, met));
    default:
      return false;
  }
}

/** Whether it is a row of an unshared array: `indexOf` finds a repeated row without a table. */
const isRowOnce = (f: Frame, type: Type, outer: readonly Type[]): boolean =>
  isRow(f, type) &&
  outer.every(
    (each, i) =>
      f.shape(each).kind === "record" || (i === outer.length - 1 && f.shape(each).kind === "array"),
  );

/** An array of numbers or leaves, or a record of these. */
function isRow(f: Frame, type: Type): boolean {
  const shape = f.shape(type);
  if (shape.kind === "array") return isFlat(f, shape.elem);
  if (shape.kind !== "record") return false;
  return shape.fields.length > 0 && shape.fields.every((each) => isFlat(f, each.type));
}

/** Whether one object may have both types. */
export function mayBeOne(f: Frame, x: Type, z: Type): boolean {
  const [one, other] = [f.shape(x), f.shape(z)];
  const { types } = f.ctx;
  return (
    assignable(one, other, types) ||
    assignable(other, one, types) ||
    isListOf(f, one, other) ||
    isListOf(f, other, one)
  );
}

/** Whether a tuple may also be typed as that array. */
const isListOf = (f: Frame, list: Type, tuple: Type): boolean =>
  list.kind === "array" &&
  tuple.kind === "tuple" &&
  list.store === "Array" &&
  tuple.elems.every((elem) => assignable(f.shape(elem), f.shape(list.elem), f.ctx.types));

const isFlat = (f: Frame, type: Type): boolean =>
  ["num", "bool", "leaf"].includes(f.shape(type).kind);

/** Whether all values of a leaf type are primitives, which are their own copies. */
const isPrimitive = (text: string): boolean =>
  text
    .split("|")
    .every((part) => /^\s*(?:string|bigint|symbol|null|undefined|"[^"]*")\s*$/.test(part));

function copied(f: Frame, value: Atom, hint: string, copies: readonly Copies[]): Atom {
  const shape = f.shape(value.type);
  if (
    shape.kind === "num" ||
    shape.kind === "bool" ||
    (shape.kind === "leaf" && isPrimitive(shape.text))
  )
    return value;
  if (shape.kind === "leaf") return inert(f, hint, value.type, ["structuredClone(", ")"], [value]);
  if (shape.kind === "opt")
    return isFlat(f, shape.of)
      ? value
      : f.choose(
          hint,
          value.type,
          definednessTest(f, value),
          () => asOptional(f, copied(f, unwrap(f, value), "t", copies)),
          () => value,
        );
  const known = copies.find(({ type }) => sameType(type, value.type));
  if (known === undefined) return copiedOnce(f, value, hint, copies);
  const copy = f.let("copy", optional(f, value.type), {
    kind: "load",
    object: known.table,
    key: index(value),
  });
  return f.choose(
    hint,
    value.type,
    definednessTest(f, copy),
    () => unwrap(f, copy),
    () => {
      const made = copiedOnce(f, value, "t", copies);
      f.b.store(known.table, index(value), made);
      return made;
    },
  );
}

function copiedOnce(f: Frame, value: Atom, hint: string, copies: readonly Copies[]): Atom {
  const shape = f.shape(value.type);
  const part = (type: Type, name: string): Atom =>
    copied(f, f.let("t", type, { kind: "load", object: value, key: field(name) }), name, copies);
  switch (shape.kind) {
    case "array": {
      if (isFlat(f, shape.elem))
        return f.let(hint, value.type, { kind: "slice", object: value, from: num(0), to: null });
      if (isRow(f, shape.elem) && !copies.some(({ type }) => sameType(type, shape.elem)))
        return rowsCopied(f, value, shape.elem, hint, (row) => copied(f, row, "row", copies));
      return arrayCopied(f, { array: value, elem: shape.elem }, hint, (each) =>
        copied(f, each, "t", copies),
      );
    }
    case "tuple":
      return f.let(hint, value.type, {
        kind: "tuple",
        elems: shape.elems.map((elem, i) => part(elem, String(i))),
      });
    case "record": {
      const fields = restFields(f, value, shape.fields, "t");
      for (const [name, each] of fields) fields.replace(name, copied(f, each, name, copies));
      return f.let(hint, value.type, fields.record());
    }
    case "dict":
      return copiedEntries(f, value, shape, hint, (each) => copied(f, each, "t", copies));
    default:
      throw new InvariantError(`${shape.kind} was found to have no copy`);
  }
}

/** `copy` gets an element, its index, and the array that is built. */
function arrayCopied(
  f: Frame,
  { array, elem, length = f.b.length(array) }: Copied,
  hint: string,
  copy: (each: Atom, at: Var, into: Var) => Atom,
): Atom {
  const into = f.let(hint, array.type, { kind: "array", parts: [] });
  emitFor(f, f.label("loop"), length, (at) => {
    const each = f.let("row", elem, { kind: "load", object: array, key: index(at) });
    f.b.emit({ kind: "append", object: into, value: copy(each, at, into) });
  });
  return into;
}

interface Copied {
  readonly array: Atom;
  readonly elem: Type;
  readonly length?: Atom;
}

/** Copies rows; a row that occurs several times is copied once. */
function rowsCopied(
  f: Frame,
  rows: Atom,
  elem: Type,
  hint: string,
  copy: (row: Atom) => Atom,
): Atom {
  const list = { array: rows, elem, length: f.b.length(rows) };
  const copyOnce = (row: Atom, at: Var, into: Var): Atom => {
    const first = externAt(f, "first", NUM, {
      text: ["", ".indexOf(", ")"],
      args: [rows, row],
      effect: "reads",
    });
    return f.choose(
      "row",
      elem,
      f.b.op("lt", first, at),
      () => f.let("row", elem, { kind: "load", object: into, key: index(first) }),
      () => copy(row),
    );
  };
  const hasRepeats = externWith(f, "t", BOOL, {
    text: ["new Set(", ").size < ", ".length"],
    args: [rows, rows],
    effect: "reads",
  });
  return f.choose(
    hint,
    rows.type,
    hasRepeats,
    () => arrayCopied(f, list, hint, copyOnce),
    () => arrayCopied(f, list, hint, copy),
  );
}
