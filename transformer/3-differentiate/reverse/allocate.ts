// Fresh aggregates. The forward sweep makes the shadow beside the primal: zeros where numbers are, the shadows of what it is made of elsewhere.
// The reverse sweep reads the numbers' cotangents out of it.

import { type Builder, field, index, num } from "../../ir/build.ts";
import { sameType } from "../../ir/print.ts";
import type { Kept } from "../../ir/facts.ts";
import { isScalarType, isTag, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Expr, Key, Let, Stmt, Type, Var } from "../../ir/types.ts";
import { invariant } from "../../ir/invariant.ts";
import { unreachable } from "../../ir/visit.ts";
import { ABSENT, leftOut } from "../shadows.ts";
import type { Cotangents, Rank } from "./cotangents.ts";
import { sumOver } from "./memory.ts";
import { plainStep } from "./scalar.ts";
import { addInto, zeroInto } from "./structure.ts";
import type { BodySweep, Step } from "./sweep.ts";

const text = (value: string): Atom => ({
  kind: "const",
  type: { kind: "leaf", text: "string" },
  value,
});

type Fresh = Extract<Expr, { kind: "array" | "tuple" | "record" | "alloc" | "slice" }>;

// FWD{ z = { f: x, g: a } }  =  z = { f: x, g: a } ; z$bar = { f: 0, g: a$bar }     saves nothing
// REV{ z = { f: x, g: a } }  =  x$bar += z$bar.f        (and z$bar.f = 0 where the sweep may run again)
export function allocStep(stmt: Let, body: BodySweep): Step {
  const { sweep } = body;
  const { expr } = stmt;
  if (!sweep.facts.shadowed(stmt.bind)) return plainStep(stmt);
  invariant(
    expr.kind === "array" ||
      expr.kind === "tuple" ||
      expr.kind === "record" ||
      expr.kind === "alloc" ||
      expr.kind === "slice",
    "not an allocation",
  );
  const shadow = sweep.shadowVar(stmt.bind);
  body.frame.define(shadow);
  const rank = body.rank;
  const lengths = lengthsNow(stmt, body);
  const isLate = madeLate(stmt, expr, shadow, body);
  if (!isLate) readWhereKept(stmt.bind, shadow, body);
  return {
    forward: () => {
      if (isLate) return [stmt, ...lengths.values()];
      const b = sweep.entry.nested();
      b.origin = stmt.origin;
      const value = shadowOf(expr, stmt.bind, body, b);
      const make: Stmt = {
        kind: "let",
        bind: shadow,
        expr: value,
        origin: stmt.origin,
        adjoint: true,
      };
      return [stmt, ...lengths.values(), ...b.stmts, make];
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      takeApart(expr, stmt.bind, shadow, rank, rev, env, body, lengths);
      if (sweep.repeatable && !isLate)
        zeroInto(rev, shallow(stmt.bind.type, body), body.value(shadow), sweep.types);
    },
  };
}

// FWD{ z = alloc n }  =  z = alloc n                    z$bar = alloc n fill 0 where a round's reverse begins, if only that names it
/** A round's numbers whose cotangents are added up and read in its reverse alone need no record. */
function madeLate(stmt: Let, expr: Fresh, shadow: Var, body: BodySweep): boolean {
  const { sweep, frame } = body;
  const isArray = expr.kind === "alloc" || expr.kind === "slice";
  if (
    !isArray ||
    frame.storage !== "tape" ||
    !isScalarType(elementType(stmt.bind.type, body)) ||
    !sweep.staysInReverse(stmt.bind)
  )
    return false;
  frame.restoreLazily(shadow, (b) =>
    b.let(
      shadow.name,
      shadow.type,
      expr.kind === "alloc"
        ? { kind: "alloc", length: body.value(expr.length), fill: num(0) }
        : { kind: "zeros", like: body.value(stmt.bind) },
    ),
  );
  return true;
}

// FWD{ z = { … } ; rows[i] = z }  =  z = { … } ; rows[i] = z ; rows$bar[i] = z$bar        z and z$bar are rows[i] and rows$bar[i] in the reverse of the round, and not recorded
// FWD{ z = { … } ; rows.push(z) }  =  z = { … } ; n = rows.length ; rows.push(z) ; rows$bar[n] = z$bar        likewise, with n
function readWhereKept(bind: Var, shadow: Var, body: BodySweep): void {
  const { sweep, frame } = body;
  const place = frame.storage === "tape" ? sweep.facts.keptAt(bind.name) : null;
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

/** A place of a wider type does not say all that stands there. */
function holdsWhole(place: Kept, type: Type, types: Types): boolean {
  const held = placeType(place.object.type, "key" in place ? place.key : index(num(0)), types);
  return held === null || sameType(resolve(held, types), resolve(type, types));
}

// FWD{ z = zeros a }  =  z = zeros a ; z$bar = zeros z        (forward mode's, differentiated again)
export function zerosStep(stmt: Let, body: BodySweep): Step {
  const { sweep } = body;
  if (!sweep.facts.shadowed(stmt.bind)) return plainStep(stmt);
  const shadow = sweep.shadowVar(stmt.bind);
  body.frame.define(shadow);
  const make: Stmt = {
    kind: "let",
    bind: shadow,
    expr: { kind: "zeros", like: stmt.bind },
    origin: stmt.origin,
    adjoint: true,
  };
  return { forward: () => [stmt, make], reverse: () => {} };
}

// FWD{ z = clone a }  =  z = clone a ; z$bar = zeros z
// REV{ z = clone a }  =  a$bar += z$bar                        (and z$bar = 0 where the sweep may run again)
export function cloneStep(stmt: Let, object: Atom, body: BodySweep): Step {
  const { sweep } = body;
  if (!sweep.facts.shadowed(stmt.bind)) return plainStep(stmt);
  const shadow = sweep.shadowVar(stmt.bind);
  body.frame.define(shadow);
  const make: Stmt = {
    kind: "let",
    bind: shadow,
    expr: { kind: "zeros", like: stmt.bind },
    origin: stmt.origin,
    adjoint: true,
  };
  return {
    forward: () => [stmt, make],
    reverse: (rev) => {
      rev.origin = stmt.origin;
      addInto(
        rev,
        stmt.bind.type,
        body.value(sweep.shadow(object)),
        body.value(shadow),
        sweep.types,
      );
      if (sweep.repeatable) zeroInto(rev, stmt.bind.type, body.value(shadow), sweep.types);
    },
  };
}

/** Lengths that REV needs as they are now, of arrays that may be longer or shorter then; by the array's name. */
function lengthsNow({ bind, expr, origin }: Let, body: BodySweep): Lengths {
  const { facts, names } = body.sweep;
  const found = new Map<string, Let>();
  const add = (array: Atom): void => {
    if (array.kind !== "var" || found.has(array.name) || !facts.lengthChanges(array)) return;
    found.set(
      array.name,
      body.shadowLet(
        { kind: "var", name: names.fresh("n"), type: num(0).type },
        { kind: "length", object: array },
        origin,
        false,
      ),
    );
  };
  if (!isScalarType(elementType(bind.type, body))) return found;
  if (expr.kind === "slice")
    for (const array of [bind, ...(isCountedFromEnd(expr) ? [expr.object] : [])]) add(array);
  if (expr.kind === "array") for (const part of expr.parts) if (part.spread) add(part.atom);
  return found;
}

type Lengths = ReadonlyMap<string, Let>;

/** The length that an array had when the value was made. */
function lengthThen(
  array: Atom,
  lengths: Lengths,
  rev: Builder,
  body: BodySweep,
  otherwise: Atom,
): Atom {
  const known = array.kind === "var" ? lengths.get(array.name) : undefined;
  return known === undefined
    ? rev.let("t", num(0).type, { kind: "length", object: otherwise })
    : body.value(known.bind);
}

const isCountedFromEnd = (expr: Expr & { kind: "slice" }): boolean =>
  !(expr.from.kind === "const" && typeof expr.from.value === "number" && expr.from.value >= 0);

/** The type with only the numbers that lie directly in it: what a fresh aggregate owns. */
function shallow(type: Type, body: BodySweep): Type {
  const shape = madeType(type, body);
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

/** What stands in a variable that may hold nothing, too, is made as if it could not. */
function madeType(type: Type, body: BodySweep): Type {
  const shape = resolve(type, body.sweep.types);
  return shape.kind === "opt" ? madeType(shape.of, body) : shape;
}

function elementType(type: Type, body: BodySweep): Type {
  const shape = madeType(type, body);
  return shape.kind === "array" ? shape.elem : num(0).type;
}

function shadowOf(expr: Fresh, bind: Var, body: BodySweep, b: Builder): Expr {
  const { sweep } = body;
  // what may be missing is undefined in a cotangent, however the primal says so
  const part = (atom: Atom): Atom =>
    isScalarType(atom.type)
      ? num(0)
      : atom.kind === "const" && atom.value === null
        ? ABSENT
        : shadowType(atom.type, sweep.types) === null
          ? atom
          : sweep.shadowOrZeros(b, atom);
  switch (expr.kind) {
    case "record": {
      const shape = madeType(sweep.shadowTypeOf(bind.type), body);
      if (shape.kind === "dict")
        return {
          kind: "record",
          fields: expr.fields.map(({ name, value }) => ({
            name,
            value: isScalarType(shape.value) ? num(0) : part(value),
          })),
        };
      const given = new Map(expr.fields.map(({ name, value }) => [name, value]));
      const fields = shape.kind === "record" ? shape.fields : [];
      // an optional number that is left out has a cotangent all the same
      return {
        kind: "record",
        fields: fields.flatMap(({ name, type }) => {
          const value = given.get(name);
          if (value === undefined) return isScalarType(type) ? [{ name, value: num(0) }] : [];
          if (isTag(type)) return [{ name, value }];
          // a number that is missing for now may be put there later
          if (isScalarType(type)) return [{ name, value: num(0) }];
          return [{ name, value: part(value) }];
        }),
      };
    }
    case "tuple": {
      const shape = madeType(sweep.shadowTypeOf(bind.type), body);
      const types = shape.kind === "tuple" ? shape.elems : [];
      return {
        kind: "tuple",
        elems: [
          ...expr.elems.map((elem, i) =>
            isScalarType(types[i] ?? elem.type) ? num(0) : part(elem),
          ),
          ...leftOut(shape, expr.elems.length),
        ],
      };
    }
    case "array":
      if (isScalarType(elementType(bind.type, body))) return zerosOf(expr, bind, body);
      return {
        kind: "array",
        parts: expr.parts.map(({ atom, spread }) => ({
          atom: spread ? asLong(atom, part(atom), body, b) : part(atom),
          spread,
        })),
      };
    case "alloc":
      if (isScalarType(elementType(bind.type, body)))
        return { kind: "alloc", length: expr.length, fill: num(0) };
      return {
        kind: "alloc",
        length: expr.length,
        fill: expr.fill === null ? null : part(expr.fill),
      };
    case "slice":
      if (isScalarType(elementType(bind.type, body))) return { kind: "zeros", like: bind };
      return { ...expr, object: asLong(expr.object, sweep.shadow(expr.object), body, b) };
    default:
      return unreachable(expr);
  }
}

/** `a$bar.slice(0, a.length)` where `a` may have lost elements: its shadow keeps their places. */
function asLong(array: Atom, shadow: Atom, body: BodySweep, b: Builder): Atom {
  if (array.kind !== "var" || !body.sweep.facts.lengthChanges(array)) return shadow;
  const length = b.let("n", num(0).type, { kind: "length", object: array });
  return b.let("t", shadow.type, { kind: "slice", object: shadow, from: num(0), to: length });
}

/** A short literal's shadow is a literal too. */
const LITERAL = 16;

function zerosOf(expr: Expr & { kind: "array" }, bind: Var, body: BodySweep): Expr {
  const shape = madeType(bind.type, body);
  const isShort =
    expr.parts.length <= LITERAL &&
    expr.parts.every(({ spread }) => !spread) &&
    shape.kind === "array" &&
    shape.store === "Array";
  return isShort
    ? { kind: "array", parts: expr.parts.map(() => ({ atom: num(0), spread: false })) }
    : { kind: "zeros", like: bind };
}

function takeApart(
  expr: Fresh,
  bind: Var,
  shadowName: Var,
  rank: Rank,
  rev: Builder,
  env: Cotangents,
  body: BodySweep,
  lengths: Lengths,
): void {
  const { facts } = body.sweep;
  const take = (atom: Atom, key: Parameters<Builder["load"]>[3]): void => {
    if (!isScalarType(atom.type) || !facts.active(atom)) return;
    const taken = rev.load("t", num(0).type, body.value(shadowName), key);
    env.add(atom, rank, () => taken);
  };
  switch (expr.kind) {
    case "record": {
      const isDict = madeType(bind.type, body).kind === "dict";
      return expr.fields.forEach(({ name, value }) =>
        take(value, isDict ? index(text(name)) : field(name)),
      );
    }
    case "tuple":
      return expr.elems.forEach((elem, i) => take(elem, field(String(i))));
    case "array":
      if (isScalarType(elementType(bind.type, body)))
        takeParts(expr, shadowName, rank, rev, env, body, lengths);
      return;
    case "alloc": {
      if (expr.fill === null || !facts.active(expr.fill) || !isScalarType(expr.fill.type)) return;
      const shadow = body.value(shadowName);
      const sum = sumOver(
        rev,
        shadow,
        num(0),
        rev.let("t", num(0).type, { kind: "length", object: shadow }),
      );
      env.add(expr.fill, rank, () => sum);
      return;
    }
    case "slice": {
      if (!isScalarType(elementType(bind.type, body)) || !facts.shadowed(expr.object)) return;
      const [from, into] = [body.value(shadowName), body.value(body.sweep.shadow(expr.object))];
      const start = startOf(expr, rev, body, () =>
        lengthThen(expr.object, lengths, rev, body, into),
      );
      return addBack(rev, from, num(0), into, start, lengthThen(bind, lengths, rev, body, from));
    }
    default:
      return unreachable(expr);
  }
}

/** Elements from the left; behind a spread array, positions count on from its length. */
function takeParts(
  expr: Expr & { kind: "array" },
  shadowName: Var,
  rank: Rank,
  rev: Builder,
  env: Cotangents,
  body: BodySweep,
  lengths: Lengths,
): void {
  const { facts } = body.sweep;
  let position: Atom = num(0);
  const advance = (by: Atom): Atom =>
    position.kind === "const" &&
    by.kind === "const" &&
    typeof position.value === "number" &&
    typeof by.value === "number"
      ? num(position.value + by.value)
      : rev.add(position, by);
  for (const { atom, spread } of expr.parts) {
    if (!spread) {
      if (facts.active(atom)) {
        const taken = rev.load("t", num(0).type, body.value(shadowName), index(position));
        env.add(atom, rank, () => taken);
      }
      position = advance(num(1));
      continue;
    }
    const length = lengthThen(
      atom,
      lengths,
      rev,
      body,
      facts.shadowed(atom) ? body.value(body.sweep.shadow(atom)) : body.value(atom),
    );
    if (facts.shadowed(atom))
      addBack(
        rev,
        body.value(shadowName),
        position,
        body.value(body.sweep.shadow(atom)),
        num(0),
        length,
      );
    position = advance(length);
  }
}

/** `into[to + k] += from[start + k]` for each k of `length`. */
function addBack(rev: Builder, from: Atom, start: Atom, into: Atom, to: Atom, length: Atom): void {
  const k: Var = { kind: "var", name: rev.names.fresh("k"), type: num(0).type };
  const b = rev.nested();
  const at = (base: Atom): Atom => (base.kind === "const" && base.value === 0 ? k : b.add(base, k));
  const value = b.load("t", num(0).type, from, index(at(start)));
  b.accum(into, index(at(to)), value);
  rev.emit({
    kind: "for",
    index: k,
    from: num(0),
    test: "<",
    to: length,
    step: 1,
    carried: [],
    body: b.body(),
    binds: [],
  });
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
