// Fresh aggregates. The forward sweep allocates the shadow beside the primal (fresh-shadows.ts).
// The reverse sweep reads the cotangents of the numbers out of it.

import { type Builder, field, index, num, NUM } from "../../ir/build.ts";
import type { ObjectPlace } from "../../ir/facts.ts";
import { sameType } from "../../ir/print.ts";
import { isScalarType, isTag, resolve, type Types, definedShape } from "../../ir/shadow.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Expr, Key, Let, Type, Var } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import { adjointLet, countTo, freshNumber } from "../fragments.ts";
import { type Fresh, freshShadow, holdsNumbers, isEmptyDict } from "./fresh-shadows.ts";
import { zerosAlong } from "../shadows.ts";
import { sumOver } from "./memory.ts";
import { plainStep } from "./scalar.ts";
import { addInto, zeroInto } from "./structure.ts";
import type { BodySweep, Reversing, Step } from "./sweep.ts";

/** An allocation and its shadow. */
interface Allocation {
  readonly expr: Fresh;
  readonly bind: Var;
  readonly shadow: Var;
  readonly lengths: Lengths;
}

// FWD{ z = { f: x, g: a } }  =  z = { f: x, g: a } ; z$bar = { f: 0, g: a$bar }     saves nothing
// REV{ z = { f: x, g: a } }  =  x$bar += z$bar.f
//                               also z$bar.f = 0 where the sweep may run again
export function allocStep(stmt: Let, expr: Fresh, body: BodySweep): Step {
  const { sweep, rank } = body;
  const { bind, origin } = stmt;
  if (!sweep.facts.shadowed(bind)) return plainStep(stmt);
  const shadow = sweep.shadowVar(bind);
  body.frame.define(shadow);
  if (isEmptyDict(expr, bind, body)) sweep.bareDicts.add(bind.name);
  const lengths = lengthsNow(stmt, body);
  const isLate = madeLate(stmt, expr, shadow, body);
  if (!isLate) readBack(bind, shadow, body);
  return {
    forward: () => {
      if (isLate) return [stmt, ...lengths.values()];
      const b = sweep.entry.nested();
      b.origin = origin;
      const value = freshShadow(expr, bind, body, b);
      return [stmt, ...lengths.values(), ...b.stmts, adjointLet(shadow, value, origin)];
    },
    reverse: (rev, env) => {
      rev.origin = origin;
      reverseParts({ expr, bind, shadow, lengths }, { rev, env, rank, body });
      if (sweep.repeatable && !isLate)
        zeroInto(rev, shallow(bind.type, body), body.value(shadow), sweep.types);
    },
  };
}

// FWD{ z = alloc n }  =  z = alloc n      REV begins with z$bar = alloc n fill 0
/** Allocates the shadow of a loop-local array in reverse code, if only that refers to it. */
function madeLate(stmt: Let, expr: Fresh, shadow: Var, body: BodySweep): boolean {
  const { sweep, frame } = body;
  if (
    (expr.kind !== "alloc" && expr.kind !== "slice") ||
    frame.storage !== "tape" ||
    !holdsNumbers(stmt.bind, body) ||
    !sweep.staysInReverse(stmt.bind)
  )
    return false;
  frame.restoreLazily(shadow, (b) =>
    b.let(
      shadow.name,
      shadow.type,
      expr.kind === "alloc"
        ? zerosAlong(expr, body.value(expr.length), sweep.facts)
        : { kind: "zeros", like: body.value(stmt.bind) },
    ),
  );
  return true;
}

// FWD{ z = { … } ; rows[i] = z }  =  z = { … } ; rows[i] = z ; rows$bar[i] = z$bar
// REV reads z and z$bar as rows[i] and rows$bar[i]; an append `rows.push(z)` likewise, at n
/** Reads a loop-local object and its shadow back from the place that stores them. */
function readBack(bind: Var, shadow: Var, body: BodySweep): void {
  const { sweep, frame } = body;
  const place = frame.storage === "tape" ? sweep.facts.placeWhenReversed(bind.name) : null;
  if (
    place === null ||
    !sweep.facts.shadowed(place.object) ||
    !holdsWhole(place, bind.type, sweep.types)
  )
    return;
  const key = (): Key => {
    if ("append" in place) return index(body.value(sweep.positionOf(place.append)));
    return place.key.kind === "index" ? index(body.value(place.key.at)) : place.key;
  };
  frame.restoreLazily(bind, (b) => b.load(bind.name, bind.type, body.value(place.object), key()));
  frame.restoreLazily(shadow, (b) =>
    b.load(shadow.name, shadow.type, body.value(sweep.shadow(place.object)), key()),
  );
}

/** Whether the place has the type of the object: a wider type would lose fields. */
function holdsWhole(place: ObjectPlace, type: Type, types: Types): boolean {
  const held = placeType(place.object.type, "key" in place ? place.key : index(num(0)), types);
  return held === null || sameType(resolve(held, types), resolve(type, types));
}

// FWD{ z = zeros a }  =  z = zeros a ; z$bar = zeros z      forward-mode code differentiated again
// REV{ z = zeros a }  =  nothing
export function zerosStep(stmt: Let, body: BodySweep): Step {
  if (!body.sweep.facts.shadowed(stmt.bind)) return plainStep(stmt);
  const make = zeroShadow(stmt, body);
  return { forward: () => [stmt, make], reverse: () => {} };
}

// FWD{ z = clone a }  =  z = clone a ; z$bar = zeros z
// REV{ z = clone a }  =  a$bar += z$bar
//                        also z$bar = 0 where the sweep may run again
export function cloneStep(stmt: Let, object: Atom, body: BodySweep): Step {
  const { facts, types, repeatable } = body.sweep;
  if (!facts.shadowed(stmt.bind)) return plainStep(stmt);
  const make = zeroShadow(stmt, body);
  const { type } = stmt.bind;
  return {
    forward: () => [stmt, make],
    reverse: (rev) => {
      rev.origin = stmt.origin;
      addInto(rev, type, body.value(body.sweep.shadow(object)), body.value(make.bind), types);
      if (repeatable) zeroInto(rev, type, body.value(make.bind), types);
    },
  };
}

function zeroShadow({ bind, origin }: Let, body: BodySweep): Let {
  const shadow = body.sweep.shadowVar(bind);
  body.frame.define(shadow);
  return adjointLet(shadow, { kind: "zeros", like: bind }, origin);
}

/** By array: its length at the allocation, if REV needs that and the array's length changes. */
type Lengths = ReadonlyMap<string, Let>;

function lengthsNow({ bind, expr, origin }: Let, body: BodySweep): Lengths {
  const { facts, names } = body.sweep;
  const found = new Map<string, Let>();
  const add = (array: Atom): void => {
    if (array.kind !== "var" || found.has(array.name) || !facts.lengthChanges(array)) return;
    const measure: Expr = { kind: "length", object: array };
    const length = body.shadowLet(freshNumber(names, "n"), measure, origin, false);
    found.set(array.name, length);
  };
  if (!holdsNumbers(bind, body)) return found;
  if (expr.kind === "slice")
    for (const array of [bind, ...(isCountedFromEnd(expr) ? [expr.object] : [])]) add(array);
  if (expr.kind === "array") for (const part of expr.parts) if (part.spread) add(part.atom);
  return found;
}

/** The length of an array at the allocation; `now`: what has that length if it is constant. */
function lengthThen(array: Atom, lengths: Lengths, { rev, body }: Reversing, now: Atom): Atom {
  const known = array.kind === "var" ? lengths.get(array.name) : undefined;
  return known === undefined ? rev.length(now) : body.value(known.bind);
}

const isCountedFromEnd = (expr: Expr & { kind: "slice" }): boolean =>
  !(expr.from.kind === "const" && typeof expr.from.value === "number" && expr.from.value >= 0);

/** The type with only the numbers that lie directly in it: what a fresh aggregate owns. */
function shallow(type: Type, body: BodySweep): Type {
  const shape = definedShape(type, body.sweep.types);
  const own = (inner: Type): Type => (isScalarType(inner) ? inner : { kind: "void" });
  if (shape.kind === "array") return { ...shape, elem: own(shape.elem) };
  if (shape.kind === "dict") return { ...shape, value: own(shape.value) };
  if (shape.kind === "tuple") return { kind: "tuple", elems: shape.elems.map(own) };
  if (shape.kind === "record")
    return {
      kind: "record",
      fields: shape.fields.map((f) => ({
        name: f.name,
        type: shape.tagged === true && isTag(f.type) ? { kind: "void" } : own(f.type),
      })),
    };
  return shape;
}

/** Adds the shadow's numbers to the cotangents of the allocation's operands. */
function reverseParts(allocation: Allocation, reversing: Reversing): void {
  const { expr, bind } = allocation;
  switch (expr.kind) {
    case "record": {
      const isDict = definedShape(bind.type, reversing.body.sweep.types).kind === "dict";
      return expr.fields.forEach(({ name, value }) => {
        if (isScalarType(value.type))
          take(value, isDict ? index(stringConst(name)) : field(name), allocation, reversing);
      });
    }
    case "tuple":
      return expr.elems.forEach((elem, i) => {
        if (isScalarType(elem.type)) take(elem, field(String(i)), allocation, reversing);
      });
    case "array":
      return holdsNumbers(bind, reversing.body)
        ? takeElements(expr, allocation, reversing)
        : undefined;
    case "alloc":
      return takeFill(expr, allocation, reversing);
    case "slice":
      return takeSlice(expr, allocation, reversing);
    default:
      return unreachable(expr);
  }
}

const stringConst = (value: string): Atom => ({
  kind: "const",
  type: { kind: "leaf", text: "string" },
  value,
});

// REV{ z = { f: x } }  =  x$bar += z$bar.f
function take(
  atom: Atom,
  key: Key,
  { shadow }: Allocation,
  { rev, env, rank, body }: Reversing,
): void {
  if (!body.sweep.facts.active(atom)) return;
  const taken = rev.load("t", NUM, body.value(shadow), key);
  env.add(atom, rank, () => taken);
}

// REV{ z = alloc n fill x }  =  x$bar += sum(z$bar)
function takeFill(
  { fill }: Expr & { kind: "alloc" },
  { shadow }: Allocation,
  { rev, env, rank, body }: Reversing,
): void {
  if (fill === null || !body.sweep.facts.active(fill) || !isScalarType(fill.type)) return;
  const sum = sumOver(rev, body.value(shadow));
  env.add(fill, rank, () => sum);
}

// REV{ z = a.slice(i) }  =  for each k: a$bar[i + k] += z$bar[k]
function takeSlice(
  expr: Expr & { kind: "slice" },
  { bind, shadow, lengths }: Allocation,
  reversing: Reversing,
): void {
  const { rev, body } = reversing;
  const { object } = expr;
  if (!holdsNumbers(bind, body) || !body.sweep.facts.shadowed(object)) return;
  const [from, into] = [body.value(shadow), body.value(body.sweep.shadow(object))];
  const start = startOf(expr, rev, body, () => lengthThen(object, lengths, reversing, into));
  const length = lengthThen(bind, lengths, reversing, from);
  addBack(rev, [from, num(0)], [into, start], length);
}

// REV{ z = [x, ...a] }  =  x$bar += z$bar[0] ; for each k: a$bar[k] += z$bar[1 + k]
function takeElements(
  { parts }: Expr & { kind: "array" },
  allocation: Allocation,
  reversing: Reversing,
): void {
  const { rev, body } = reversing;
  const { facts } = body.sweep;
  let position: Atom = num(0);
  for (const { atom, spread } of parts) {
    if (!spread) {
      take(atom, index(position), allocation, reversing);
      position = advanced(position, num(1), rev);
      continue;
    }
    const isShadowed = facts.shadowed(atom);
    const now = body.value(isShadowed ? body.sweep.shadow(atom) : atom);
    const length = lengthThen(atom, allocation.lengths, reversing, now);
    if (isShadowed) addBack(rev, [body.value(allocation.shadow), position], [now, num(0)], length);
    position = advanced(position, length, rev);
  }
}

/** `position + by`, folded where both are constants. */
const advanced = (position: Atom, by: Atom, rev: Builder): Atom =>
  position.kind === "const" &&
  by.kind === "const" &&
  typeof position.value === "number" &&
  typeof by.value === "number"
    ? num(position.value + by.value)
    : rev.add(position, by);

type Start = readonly [array: Atom, start: Atom];

/** `into[to + k] += from[start + k]` for each k of `length`. */
function addBack(rev: Builder, [from, start]: Start, [into, to]: Start, length: Atom): void {
  const k = freshNumber(rev.names, "k");
  const b = rev.nested();
  const at = (base: Atom): Atom => (base.kind === "const" && base.value === 0 ? k : b.add(base, k));
  const value = b.load("t", NUM, from, index(at(start)));
  b.accum(into, index(at(to)), value);
  rev.emit(countTo(k, length, b.body()));
}

/** First position of a slice: negative ones count from the end. */
function startOf(
  expr: Expr & { kind: "slice" },
  rev: Builder,
  body: BodySweep,
  lengthOfSource: () => Atom,
): Atom {
  const from = body.value(expr.from);
  if (!isCountedFromEnd(expr)) return from;
  const fromEnd = rev.op("max", rev.add(lengthOfSource(), from), num(0));
  return rev.select(rev.op("lt", from, num(0)), fromEnd, from);
}
