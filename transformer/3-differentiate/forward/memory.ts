// Reads and writes of aggregates. The tangent shadow is read and written as the primal is, at the
// same place.

import { BOOL, type Builder, num, NUM } from "../../ir/build.ts";
import { dot } from "../../ir/names.ts";
import { hasPlace, isScalarType, resolve } from "../../ir/shadow.ts";
import type {
  Accum,
  Append,
  Atom,
  Body,
  Expr,
  Fill,
  Let,
  Store,
  Type,
  Var,
} from "../../ir/types.ts";
import { UNDEFINED } from "../fragments.ts";
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
  if (shape.kind === "dict")
    return loadByKey(stmt, { kind: "load", object, key: expr.key }, shape.value, push, b);
  if (isShadowed) return push.emitShadow(b, stmt.bind, { kind: "load", object, key: expr.key });
  // an optional field that is undefined has a tangent; a missing element has none
  const mayMiss = stmt.bind.type.kind === "opt" && expr.key.kind === "index";
  if (!mayMiss) return push.setDot(stmt.bind, b.load(dot(stmt.bind.name), NUM, object, expr.key));
  whenPresent(stmt.bind, push, b, (inner) => inner.load("t", NUM, object, expr.key));
}

/** `z$dot = z !== undefined ? make() : 0` */
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

/** The tangent at a key that the tangent dict lacks is 0. `load`: the read of the shadow. */
function loadByKey(
  stmt: Let,
  load: Expr & { kind: "load" },
  value: Type,
  push: Pushforward,
  b: Builder,
): void {
  const held = b.let("t", { kind: "opt", of: value }, load);
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

/** Zeros shaped as `value`, if defined: `table[key]` may be read before it is tested. */
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

// FWD{ a[i] = v }  =  a[i] = v ; a$dot[i] = v$dot      also for an inactive v where a may grow
export function storeForward(stmt: Store, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  const mayLengthen = push.facts.shadowed(stmt.object) && push.facts.mayLengthen(stmt);
  if (!storesPointer(stmt, push) && !mayLengthen && !push.facts.placeActive(stmt.object, stmt.key))
    return;
  const object = push.shadows.of(stmt.object);
  const value =
    isScalarType(stmt.value.type) || (stmt.value.kind === "const" && isNumberPlace(stmt, push))
      ? push.dotOrZero(stmt.value)
      : push.shadows.orZeros(b, stmt.value);
  b.emit({
    kind: "store",
    object,
    key: stmt.key,
    value,
    ...(stmt.initial === true ? { initial: true } : {}),
    ...(mayLengthen ? { lengthens: true } : {}),
    ...(stmt.defines === true ? { defines: true } : {}),
    ...(isRemoval(stmt, object, value, push) ? { removed: true } : {}),
  });
}

/** Whether a store puts an aggregate where the shadow has a place for its tangent. */
const storesPointer = ({ value, object, key }: Store, push: Pushforward): boolean =>
  !isScalarType(value.type) &&
  value.kind !== "const" &&
  push.facts.shadowed(object) &&
  hasPlace(value.type, push.shadowTypeOf(object.type), key, push.types);

/** Whether a store removes the key from the shadow. */
function isRemoval(stmt: Store, object: Atom, value: Atom, push: Pushforward): boolean {
  const isDict = resolve(object.type, push.types).kind === "dict";
  const isMissing = value.kind === "const" && value.value === undefined;
  return (stmt.removed === true && (isDict || isMissing)) || (isDict && isMissing);
}

/** Whether the shadow's place holds a number, whatever the primal's place may hold. */
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
  const value = push.tangent(b, stmt.value);
  b.emit({ kind: "append", object: push.shadows.of(stmt.object), value });
}

// FWD{ a.fill(v) }  =  a.fill(v) ; a$dot.fill(v$dot)
export function fillForward(stmt: Fill, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(stmt.object)) return;
  const value = push.tangent(b, stmt.value);
  b.emit({ ...stmt, object: push.shadows.of(stmt.object), value });
}

// FWD{ z = a.pop() }  =  z = a.pop() ; z$dot = a$dot.pop()
export function removeLastForward(stmt: Let, object: Atom, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(object)) return;
  const shadow = push.shadows.of(object);
  if (push.facts.shadowed(stmt.bind))
    return push.emitShadow(b, stmt.bind, { kind: "removeLast", object: shadow });
  const taken = b.let("t", stmt.bind.type, { kind: "removeLast", object: shadow });
  if (!push.facts.active(stmt.bind)) return;
  if (stmt.bind.type.kind !== "opt") return push.setDot(stmt.bind, taken);
  whenPresent(stmt.bind, push, b, (inner) => inner.let("t", NUM, { kind: "unwrap", value: taken }));
}

// FWD{ a[i] += v }  =  a[i] += v ; a$dot[i] += v$dot      reverse code differentiated again
export function accumForward(stmt: Accum, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.placeActive(stmt.object, stmt.key)) return;
  const value = push.dot(stmt.value);
  if (value !== null) b.accum(push.shadows.of(stmt.object), stmt.key, value);
}
