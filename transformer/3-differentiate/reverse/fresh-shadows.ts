// The shadow of a fresh aggregate. Input: an allocation. Output: the expression that allocates the
// shadow: zeros in place of numbers, and the shadows of the aggregates that the primal contains.

import { type Builder, NUM, num } from "../../ir/build.ts";
import { isScalarType, isTag, shadowType, definedShape } from "../../ir/shadow.ts";
import type { Atom, Expr, Type, Var } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import { UNDEFINED } from "../fragments.ts";
import { leftOut, zerosAlong } from "../shadows.ts";
import type { BodySweep } from "./sweep.ts";

export type Fresh = Extract<Expr, { kind: "array" | "tuple" | "record" | "alloc" | "slice" }>;

/** The type of an array's elements; a number for other aggregates. */
export function elementOf(type: Type, body: BodySweep): Type {
  const shape = definedShape(type, body.sweep.types);
  return shape.kind === "array" ? shape.elem : NUM;
}

export const holdsNumbers = (array: Var, body: BodySweep): boolean =>
  isScalarType(elementOf(array.type, body));

export function freshShadow(expr: Fresh, bind: Var, body: BodySweep, b: Builder): Expr {
  const part = (atom: Atom): Atom => partShadow(atom, body, b);
  switch (expr.kind) {
    case "record": {
      const fields = fieldShadows(expr, bind, body, part);
      const isBare = body.sweep.bareDicts.has(bind.name);
      return { kind: "record", fields, ...(isBare ? { bare: true } : {}) };
    }
    case "tuple": {
      const shape = definedShape(body.sweep.shadowTypeOf(bind.type), body.sweep.types);
      const types = shape.kind === "tuple" ? shape.elems : [];
      const elems = expr.elems.map((elem, i) =>
        isScalarType(types[i] ?? elem.type) ? num(0) : part(elem),
      );
      return { kind: "tuple", elems: [...elems, ...leftOut(shape, expr.elems.length)] };
    }
    case "array":
      if (holdsNumbers(bind, body)) return zerosOf(expr, bind, body);
      return {
        kind: "array",
        parts: expr.parts.map(({ atom, spread }) => ({
          atom: spread ? asLong(atom, part(atom), body, b) : part(atom),
          spread,
        })),
      };
    case "alloc": {
      const { length, fill } = expr;
      if (holdsNumbers(bind, body)) return zerosAlong(expr, length, body.sweep.facts);
      return { kind: "alloc", length, fill: fill === null ? null : part(fill) };
    }
    case "slice":
      if (holdsNumbers(bind, body)) return { kind: "zeros", like: bind };
      return { ...expr, object: asLong(expr.object, body.sweep.shadow(expr.object), body, b) };
    default:
      return unreachable(expr);
  }
}

/** Whether it allocates an empty object for keys. Its shadow has no prototype to inherit from. */
export function isEmptyDict(expr: Fresh, bind: Var, body: BodySweep): boolean {
  const shape = definedShape(bind.type, body.sweep.types);
  return (
    shape.kind === "dict" &&
    shape.store === "Object" &&
    expr.kind === "record" &&
    expr.fields.length === 0
  );
}

/** The shadow of a part: `null` in the primal is `undefined` in the shadow. */
function partShadow(atom: Atom, { sweep }: BodySweep, b: Builder): Atom {
  if (isScalarType(atom.type)) return num(0);
  if (atom.kind === "const" && atom.value === null) return UNDEFINED;
  return shadowType(atom.type, sweep.types) === null ? atom : sweep.shadowOrZeros(b, atom);
}

function fieldShadows(
  expr: Expr & { kind: "record" },
  bind: Var,
  body: BodySweep,
  part: (atom: Atom) => Atom,
): (Expr & { kind: "record" })["fields"] {
  const shape = definedShape(body.sweep.shadowTypeOf(bind.type), body.sweep.types);
  if (shape.kind === "dict")
    return expr.fields.map(({ name, value }) => ({
      name,
      value: isScalarType(shape.value) ? num(0) : part(value),
    }));
  const given = new Map(expr.fields.map(({ name, value }) => [name, value]));
  const fields = shape.kind === "record" ? shape.fields : [];
  // number fields get a 0 even if the primal has none yet: they may be set later
  return fields.flatMap(({ name, type }) => {
    const value = given.get(name);
    if (value === undefined) return isScalarType(type) ? [{ name, value: num(0) }] : [];
    if (isTag(type)) return [{ name, value }];
    return [{ name, value: isScalarType(type) ? num(0) : part(value) }];
  });
}

/** `a$bar.slice(0, a.length)` where `a` may have lost elements, which its shadow still has. */
function asLong(array: Atom, shadow: Atom, body: BodySweep, b: Builder): Atom {
  if (array.kind !== "var" || !body.sweep.facts.lengthChanges(array)) return shadow;
  const length = b.length(array, "n");
  return b.let("t", shadow.type, { kind: "slice", object: shadow, from: num(0), to: length });
}

/** The shadow of an array literal up to this length is a literal, too. */
const LITERAL = 16;

function zerosOf(expr: Expr & { kind: "array" }, bind: Var, body: BodySweep): Expr {
  const shape = definedShape(bind.type, body.sweep.types);
  const isShort =
    expr.parts.length <= LITERAL &&
    expr.parts.every(({ spread }) => !spread) &&
    shape.kind === "array" &&
    shape.store === "Array";
  return isShort
    ? { kind: "array", parts: expr.parts.map(() => ({ atom: num(0), spread: false })) }
    : { kind: "zeros", like: bind };
}
