// Fresh aggregates. The tangent shadow is made of the tangents of the primal's parts.

import { type Builder, index, num } from "../../ir/build.ts";
import { isScalarType, shadowType, definedShape } from "../../ir/shadow.ts";
import type { Atom, Expr, Let, Var } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import { leftOut, zerosAlong } from "../shadows.ts";
import type { Pushforward } from "./pushforward.ts";

const FIRST = index(num(0));

type Fresh = Expr & {
  readonly kind: "array" | "tuple" | "record" | "alloc" | "slice" | "zeros" | "clone";
};

// FWD{ z = { f: x, g: a } }  =  z = { f: x, g: a } ; z$dot = { f: x$dot, g: a$dot }
export function allocForward(stmt: Let, expr: Fresh, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(stmt.bind)) return;
  const value = tangentOf(expr, stmt.bind, push, b);
  push.emitShadow(b, stmt.bind, value);
}

/** The tangent of a part; a tape without tangents, and a part without numbers, is its own. */
function partTangent(atom: Atom, isNumber: boolean, push: Pushforward, b: Builder): Atom {
  if (atom.type.kind === "tape" && !push.facts.shadowed(atom)) return atom;
  if (isNumber || isScalarType(atom.type)) return push.dotOrZero(atom);
  return shadowType(atom.type, push.types) === null && atom.kind !== "const"
    ? atom
    : push.shadows.orZeros(b, atom);
}

function tangentOf(expr: Fresh, bind: Var, push: Pushforward, b: Builder): Expr {
  const part = (atom: Atom, isNumber: boolean): Atom => partTangent(atom, isNumber, push, b);
  switch (expr.kind) {
    case "record":
      return {
        kind: "record",
        fields: recordFields(expr, bind, push, part),
        ...(expr.bare === true ? { bare: true } : {}),
      };
    case "tuple": {
      const shape = definedShape(push.shadowTypeOf(bind.type), push.types);
      const isLeaf = (i: number): boolean =>
        shape.kind === "tuple" &&
        shape.elems[i] !== undefined &&
        shadowType(shape.elems[i], push.types) === null;
      return {
        kind: "tuple",
        elems: [
          ...expr.elems.map((elem, i) => (isLeaf(i) ? elem : part(elem, false))),
          ...leftOut(shape, expr.elems.length),
        ],
      };
    }
    case "array": {
      const shape = definedShape(bind.type, push.types);
      const isNumber = shape.kind === "array" && isScalarType(shape.elem);
      return {
        kind: "array",
        parts: expr.parts.map(({ atom, spread }) => ({
          atom: part(atom, isNumber && !spread),
          spread,
        })),
      };
    }
    case "alloc": {
      const shape = definedShape(bind.type, push.types);
      const isNumber = shape.kind === "array" && isScalarType(shape.elem);
      // inactive numbers are stored without a tangent, but callers still read one
      if (isNumber && !push.facts.placeActive(bind, FIRST))
        return zerosAlong(expr, expr.length, push.facts);
      return { ...expr, fill: expr.fill === null ? null : part(expr.fill, isNumber) };
    }
    case "slice":
      return { ...expr, object: push.shadows.orZeros(b, expr.object) };
    case "zeros":
      return { kind: "zeros", like: bind };
    case "clone":
      return { kind: "clone", object: push.shadows.orZeros(b, expr.object) };
    default:
      return unreachable(expr);
  }
}

function recordFields(
  expr: Expr & { kind: "record" },
  bind: Var,
  push: Pushforward,
  part: (atom: Atom, isNumber: boolean) => Atom,
): { readonly name: string; readonly value: Atom }[] {
  const shape = definedShape(push.shadowTypeOf(bind.type), push.types);
  if (shape.kind === "dict")
    return expr.fields.map(({ name, value }) => ({
      name,
      value: part(value, isScalarType(shape.value)),
    }));
  const given = new Map(expr.fields.map(({ name, value }) => [name, value]));
  const fields = shape.kind === "record" ? shape.fields : [];
  // an optional number that is left out has a tangent, too
  return fields.flatMap(({ name, type }) => {
    const value = given.get(name);
    if (value === undefined) return isScalarType(type) ? [{ name, value: num(0) }] : [];
    if (
      shadowType(type, push.types) === null ||
      (type.kind === "num" && type.literal !== undefined)
    )
      return [{ name, value }];
    return [{ name, value: part(value, isScalarType(type)) }];
  });
}
