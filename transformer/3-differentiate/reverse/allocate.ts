// Fresh aggregates. The forward sweep makes the shadow beside the primal: zeros where numbers are, the shadows of what it is made of elsewhere.
// The reverse sweep reads the numbers' cotangents out of it.

import { type Builder, field, index, num } from "../../ir/build.ts";
import { resolve, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Let, Stmt, Type, Var } from "../../ir/types.ts";
import { invariant } from "../../ir/invariant.ts";
import { unreachable } from "../../ir/visit.ts";
import type { Cotangents, Rank } from "./cotangents.ts";
import { sumOver } from "./memory.ts";
import { plainStep } from "./scalar.ts";
import { isScalarType } from "./signature.ts";
import { zeroInto } from "./structure.ts";
import type { BodySweep, Step } from "./sweep.ts";

type Fresh = Extract<Expr, { kind: "array" | "tuple" | "record" | "alloc" | "slice" }>;

// FWD{ z = { f: x, g: a } }  =  z = { f: x, g: a } ; z$bar = { f: 0, g: a$bar }     saves nothing
// REV{ z = { f: x, g: a } }  =  x$bar += z$bar.f        (and z$bar.f = 0 where the sweep may run again)
export function allocStep(stmt: Let, body: BodySweep): Step {
  const { sweep } = body;
  const { expr } = stmt;
  if (!sweep.facts.shadowed(stmt.bind)) return plainStep(stmt);
  invariant(expr.kind === "array" || expr.kind === "tuple" || expr.kind === "record" || expr.kind === "alloc" || expr.kind === "slice", "not an allocation");
  const shadow = sweep.shadowVar(stmt.bind);
  body.frame.define(shadow);
  const rank = body.rank;
  return {
    forward: () => {
      const b = sweep.entry.nested();
      b.origin = stmt.origin;
      const value = shadowOf(expr, stmt.bind, body, b);
      const make: Stmt = { kind: "let", bind: shadow, expr: value, origin: stmt.origin, adjoint: true };
      return [stmt, ...b.stmts, make];
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      takeApart(expr, stmt.bind, shadow, rank, rev, env, body);
      if (sweep.repeatable) zeroInto(rev, shallow(stmt.bind.type, body), body.value(shadow), sweep.types);
    },
  };
}

/** The type with only the numbers that lie directly in it: what a fresh aggregate owns. */
function shallow(type: Type, body: BodySweep): Type {
  const shape = resolve(type, body.sweep.types);
  const own = (inner: Type): Type => (isScalarType(inner) ? inner : { kind: "void" });
  if (shape.kind === "array") return { ...shape, elem: own(shape.elem) };
  if (shape.kind === "tuple") return { kind: "tuple", elems: shape.elems.map(own) };
  if (shape.kind === "record") return { kind: "record", fields: shape.fields.map((f) => ({ name: f.name, type: own(f.type) })) };
  return shape;
}

function elementType(type: Type, body: BodySweep): Type {
  const shape = resolve(type, body.sweep.types);
  return shape.kind === "array" ? shape.elem : num(0).type;
}

function shadowOf(expr: Fresh, bind: Var, body: BodySweep, b: Builder): Expr {
  const { sweep } = body;
  const part = (atom: Atom): Atom => (isScalarType(atom.type) ? num(0) : shadowType(atom.type, sweep.types) === null ? atom : sweep.shadowOrZeros(b, atom));
  switch (expr.kind) {
    case "record": {
      const shape = resolve(sweep.shadowTypeOf(bind.type), sweep.types);
      const given = new Map(expr.fields.map(({ name, value }) => [name, value]));
      const fields = shape.kind === "record" ? shape.fields : [];
      // an optional number that is left out has a cotangent all the same
      return { kind: "record", fields: fields.flatMap(({ name, type }) => {
        const value = given.get(name);
        if (value === undefined) return isScalarType(type) ? [{ name, value: num(0) }] : [];
        return [{ name, value: part(value) }];
      }) };
    }
    case "tuple": return { kind: "tuple", elems: expr.elems.map(part) };
    case "array":
      if (isScalarType(elementType(bind.type, body))) return zerosOf(expr, bind, body);
      return { kind: "array", parts: expr.parts.map(({ atom, spread }) => ({ atom: part(atom), spread })) };
    case "alloc":
      if (isScalarType(elementType(bind.type, body))) return { kind: "alloc", length: expr.length, fill: num(0) };
      return { kind: "alloc", length: expr.length, fill: expr.fill === null ? null : part(expr.fill) };
    case "slice":
      if (isScalarType(elementType(bind.type, body))) return { kind: "zeros", like: bind };
      return { ...expr, object: sweep.shadow(expr.object) };
    default: return unreachable(expr);
  }
}

/** A short literal's shadow is a literal too. */
const LITERAL = 16;

function zerosOf(expr: Expr & { kind: "array" }, bind: Var, body: BodySweep): Expr {
  const shape = resolve(bind.type, body.sweep.types);
  const isShort = expr.parts.length <= LITERAL && expr.parts.every(({ spread }) => !spread) && shape.kind === "array" && shape.store === "Array";
  return isShort ? { kind: "array", parts: expr.parts.map(() => ({ atom: num(0), spread: false })) } : { kind: "zeros", like: bind };
}

function takeApart(expr: Fresh, bind: Var, shadowName: Var, rank: Rank, rev: Builder, env: Cotangents, body: BodySweep): void {
  const { facts } = body.sweep;
  const take = (atom: Atom, key: Parameters<Builder["load"]>[3]): void => {
    if (!isScalarType(atom.type) || !facts.active(atom)) return;
    const taken = rev.load("t", num(0).type, body.value(shadowName), key);
    env.add(atom, rank, () => taken);
  };
  switch (expr.kind) {
    case "record": return expr.fields.forEach(({ name, value }) => take(value, field(name)));
    case "tuple": return expr.elems.forEach((elem, i) => take(elem, field(String(i))));
    case "array":
      if (isScalarType(elementType(bind.type, body))) takeParts(expr, shadowName, rank, rev, env, body);
      return;
    case "alloc": {
      if (expr.fill === null || !facts.active(expr.fill) || !isScalarType(expr.fill.type)) return;
      const shadow = body.value(shadowName);
      const sum = sumOver(rev, shadow, num(0), rev.let("t", num(0).type, { kind: "length", object: shadow }));
      env.add(expr.fill, rank, () => sum);
      return;
    }
    case "slice":
      if (!isScalarType(elementType(bind.type, body)) || !facts.shadowed(expr.object)) return;
      return addBack(rev, body.value(shadowName), num(0), body.value(body.sweep.shadow(expr.object)), startOf(expr, rev, body));
    default: return unreachable(expr);
  }
}

/** Elements from the left; behind a spread array, positions count on from its length. */
function takeParts(expr: Expr & { kind: "array" }, shadowName: Var, rank: Rank, rev: Builder, env: Cotangents, body: BodySweep): void {
  const { facts } = body.sweep;
  let position: Atom = num(0);
  const advance = (by: Atom): Atom =>
    position.kind === "const" && by.kind === "const" && typeof position.value === "number" && typeof by.value === "number" ? num(position.value + by.value) : rev.add(position, by);
  for (const { atom, spread } of expr.parts) {
    if (!spread) {
      if (facts.active(atom)) {
        const taken = rev.load("t", num(0).type, body.value(shadowName), index(position));
        env.add(atom, rank, () => taken);
      }
      position = advance(num(1));
      continue;
    }
    const length = rev.let("t", num(0).type, { kind: "length", object: facts.shadowed(atom) ? body.value(body.sweep.shadow(atom)) : body.value(atom) });
    if (facts.shadowed(atom)) addBack(rev, body.value(shadowName), position, body.value(body.sweep.shadow(atom)), num(0), length);
    position = advance(length);
  }
}

/** `into[to + k] += from[start + k]` for each k of `count` (absent: all of `from`). */
function addBack(rev: Builder, from: Atom, start: Atom, into: Atom, to: Atom, count?: Atom): void {
  const length = count ?? rev.let("t", num(0).type, { kind: "length", object: from });
  const k: Var = { kind: "var", name: rev.names.fresh("k"), type: num(0).type };
  const b = rev.nested();
  const at = (base: Atom): Atom => (base.kind === "const" && base.value === 0 ? k : b.add(base, k));
  const value = b.load("t", num(0).type, from, index(at(start)));
  b.accum(into, index(at(to)), value);
  rev.emit({ kind: "for", index: k, from: num(0), test: "<", to: length, step: 1, carried: [], body: b.body(), binds: [] });
}

/** First position of a slice: negative ones count from the end. */
function startOf(expr: Expr & { kind: "slice" }, rev: Builder, body: BodySweep): Atom {
  const from = body.value(expr.from);
  if (from.kind === "const" && typeof from.value === "number" && from.value >= 0) return from;
  const length = rev.let("t", num(0).type, { kind: "length", object: body.value(body.sweep.shadow(expr.object)) });
  const fromEnd = rev.op("max", rev.add(length, from), num(0));
  return rev.select(rev.op("lt", from, num(0)), fromEnd, from);
}
