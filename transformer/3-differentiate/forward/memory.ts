// Reads and writes of aggregates. What happens to the primal happens to its tangent shadow, at the same place.

import { dot } from "../../ir/names.ts";
import { type Builder, BOOL, field, num, NUM } from "../../ir/build.ts";
import { hasPlace, isScalarType, resolve } from "../../ir/shadow.ts";
import type { Append, Atom, Body, Expr, Fill, Let, Store, Type, Var } from "../../ir/types.ts";
import type { Pushforward } from "./pushforward.ts";

// FWD{ z = a[i] }  =  z = a[i] ; z$dot = a$dot[i]
export function loadForward(
  stmt: Let,
  expr: Expr & { kind: "load" },
  push: Pushforward,
  b: Builder,
): void {
  b.stmts.push(stmt);
  const isShadowed = push.facts.shadowed(stmt.bind);
  if (!isShadowed && !push.facts.active(stmt.bind)) return;
  const object = push.shadows.of(expr.object);
  const shape = resolve(object.type, push.types);
  if (shape.kind === "dict") return loadByKey(stmt, expr, object, shape.value, push, b);
  if (isShadowed)
    return b.emit({
      kind: "let",
      bind: push.shadows.fresh(stmt.bind),
      expr: { kind: "load", object, key: expr.key },
    });
  // a field that may be missing has a tangent all the same; an element has none
  const mayMiss = stmt.bind.type.kind === "opt" && expr.key.kind === "index";
  if (!mayMiss) return push.setDot(stmt.bind, b.load(dot(stmt.bind.name), NUM, object, expr.key));
  whenPresent(stmt.bind, push, b, (inner) => inner.load("t", NUM, object, expr.key));
}

/** `z$dot = z is there ? make() : 0` */
function whenPresent(value: Var, push: Pushforward, b: Builder, make: (b: Builder) => Atom): void {
  const isPresent = b.let("t", BOOL, { kind: "present", value });
  const then = b.nested();
  const made = make(then);
  b.emit({
    kind: "if",
    cond: isPresent,
    then: then.body([made]),
    else: b.nested().body([num(0)]),
    binds: [push.freshDot(value)],
  });
}

/** A tangent says nothing of keys that are not in it: 0 there. */
function loadByKey(
  stmt: Let,
  expr: Expr & { kind: "load" },
  object: Atom,
  value: Type,
  push: Pushforward,
  b: Builder,
): void {
  const held = b.load("t", { kind: "opt", of: value }, object, expr.key);
  const isPresent = b.let("t", BOOL, { kind: "present", value: held });
  const side = (make: (inner: Builder) => Atom): Body => {
    const inner = b.nested();
    const made = make(inner);
    return inner.body([made]);
  };
  const then = side((inner) => inner.let("t", value, { kind: "unwrap", value: held }));
  if (isScalarType(value))
    return b.emit({
      kind: "if",
      cond: isPresent,
      then,
      else: side(() => num(0)),
      binds: [push.freshDot(stmt.bind)],
    });
  const missing = side((inner) => zerosIfPresent(stmt.bind, push, inner));
  b.emit({
    kind: "if",
    cond: isPresent,
    then,
    else: missing,
    binds: [push.shadows.fresh(stmt.bind)],
  });
}

/** Of what its type says is there, too: `table[key]` may be asked for in front of the test that says whether there is such a key. */
function zerosIfPresent(value: Var, push: Pushforward, b: Builder): Atom {
  const type = push.shadowTypeOf(value.type);
  const isPresent = b.let("t", BOOL, { kind: "present", value });
  const then = b.nested();
  const inside =
    value.type.kind === "opt" ? then.let("t", value.type.of, { kind: "unwrap", value }) : value;
  const zeros = then.let("t", push.shadowTypeOf(inside.type), { kind: "zeros", like: inside });
  const bind: Var = { kind: "var", name: push.names.fresh("t"), type };
  b.emit({
    kind: "if",
    cond: isPresent,
    then: then.body([zeros]),
    else: b.nested().body([value.type.kind === "opt" ? UNDEFINED : { kind: "undef", type }]),
    binds: [bind],
  });
  return bind;
}

const UNDEFINED: Atom = {
  kind: "const",
  type: { kind: "leaf", text: "undefined" },
  value: undefined,
};

// FWD{ a[i] = v }  =  a[i] = v ; a$dot[i] = v$dot      also where v is known to be inactive and a[i] may be new
export function storeForward(stmt: Store, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  const isPointer =
    !isScalarType(stmt.value.type) &&
    stmt.value.kind !== "const" &&
    push.facts.shadowed(stmt.object) &&
    hasPlace(stmt.value.type, push.shadowTypeOf(stmt.object.type), stmt.key, push.types);
  const mayLengthen = push.facts.shadowed(stmt.object) && push.facts.mayLengthen(stmt);
  if (!isPointer && !mayLengthen && !push.facts.placeActive(stmt.object, stmt.key)) return;
  const object = push.shadows.of(stmt.object);
  const value =
    isScalarType(stmt.value.type) || (stmt.value.kind === "const" && isNumberPlace(stmt, push))
      ? push.dotOrZero(stmt.value)
      : push.shadows.orZeros(b, stmt.value);
  const isDict = resolve(object.type, push.types).kind === "dict";
  const isMissing = value.kind === "const" && value.value === undefined;
  b.emit({
    kind: "store",
    object,
    key: stmt.key,
    value,
    ...(stmt.initial === true ? { initial: true } : {}),
    ...(mayLengthen ? { lengthens: true } : {}),
    ...((stmt.removed === true && (isDict || isMissing)) || (isDict && isMissing)
      ? { removed: true }
      : {}),
  });
}

/** Whether the tangent's place is a number, whatever the primal's place may hold instead. */
function isNumberPlace({ object, key }: Store, push: Pushforward): boolean {
  const shape = resolve(push.shadowTypeOf(object.type), push.types);
  if (shape.kind === "array") return isScalarType(shape.elem);
  if (shape.kind === "dict") return isScalarType(shape.value);
  if (key.kind !== "field") return false;
  const type =
    shape.kind === "record"
      ? shape.fields.find(({ name }) => name === key.name)?.type
      : shape.kind === "tuple"
        ? shape.elems[Number(key.name)]
        : undefined;
  return type !== undefined && isScalarType(type);
}

// FWD{ a.push(v) }  =  a.push(v) ; a$dot.push(v$dot)
export function appendForward(stmt: Append, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(stmt.object)) return;
  const value = isScalarType(stmt.value.type)
    ? push.dotOrZero(stmt.value)
    : push.shadows.orZeros(b, stmt.value);
  b.emit({ kind: "append", object: push.shadows.of(stmt.object), value });
}

// FWD{ a.fill(v) }  =  a.fill(v) ; a$dot.fill(v$dot)
export function fillForward(stmt: Fill, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(stmt.object)) return;
  const value = isScalarType(stmt.value.type)
    ? push.dotOrZero(stmt.value)
    : push.shadows.orZeros(b, stmt.value);
  b.emit({ ...stmt, object: push.shadows.of(stmt.object), value });
}

// FWD{ z = a.pop() }  =  z = a.pop() ; z$dot = a$dot.pop()
export function removeLastForward(stmt: Let, object: Atom, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(object)) return;
  const shadow = push.shadows.of(object);
  if (push.facts.shadowed(stmt.bind))
    return b.emit({
      kind: "let",
      bind: push.shadows.fresh(stmt.bind),
      expr: { kind: "removeLast", object: shadow },
    });
  const taken = b.let("t", stmt.bind.type, { kind: "removeLast", object: shadow });
  if (!push.facts.active(stmt.bind)) return;
  if (stmt.bind.type.kind !== "opt") return push.setDot(stmt.bind, taken);
  whenPresent(stmt.bind, push, b, (inner) => inner.let("t", NUM, { kind: "unwrap", value: taken }));
}

// FWD{ a[i] += v }  =  a[i] += v ; a$dot[i] += v$dot      (cotangent code that is differentiated again)
export function accumForward(
  stmt: Body["stmts"][number] & { kind: "accum" },
  push: Pushforward,
  b: Builder,
): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.placeActive(stmt.object, stmt.key)) return;
  const value = push.dot(stmt.value);
  if (value !== null) b.accum(push.shadows.of(stmt.object), stmt.key, value);
}

export const pairKey = (i: 0 | 1) => field(String(i));
