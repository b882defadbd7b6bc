// Reads and writes of aggregates. A shadow is aliased as its primal is: the forward sweep copies
// pointers, the reverse sweep accumulates numbers.

import { BOOL, type Builder, index, num, NUM } from "../../ir/build.ts";
import type { BoundsTests, Place } from "../../ir/facts.ts";
import { mayBeInherited } from "../../ir/inherited-keys.ts";
import { hasPlace, isScalarType, resolve } from "../../ir/shadow.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Append, Atom, Expr, Fill, Key, Let, Stmt, Store, Var } from "../../ir/types.ts";
import { countTo, freshNumber, UNDEFINED, when, whenDefined } from "../fragments.ts";
import { measuredBefore, positionNow, restoreAppended } from "./inductions.ts";
import { plainStep } from "./scalar.ts";
import type { BodySweep, Step } from "./sweep.ts";

/** The key with its index restored in the reverse sweep. */
const keyValue = (key: Key, body: BodySweep): Key =>
  key.kind === "index" ? index(body.value(key.at)) : key;

// FWD{ z = a[i] }  =  z = a[i]               saves i, unless it can be recomputed
//                     for an aggregate z also: z$bar = a$bar[i]
// REV{ z = a[i] }  =  a$bar[i] += z$bar      where a$bar may be undefined: if it is defined
//                     for an aggregate z: nothing
export function loadStep(stmt: Let, expr: Expr & { kind: "load" }, body: BodySweep): Step {
  const { sweep } = body;
  if (sweep.facts.shadowed(stmt.bind)) {
    if (sweep.facts.absence(stmt.bind) === "maybe") return partOfDataStep(stmt, expr, body);
    const load: Expr = { kind: "load", object: sweep.shadow(expr.object), key: expr.key };
    const rereadable = sweep.facts.shadowRereadable(stmt.bind.name);
    const shadow = body.shadowLet(sweep.shadowVar(stmt.bind), load, stmt.origin, rereadable);
    return { forward: () => [stmt, shadow], reverse: () => {} };
  }
  if (!sweep.facts.active(stmt.bind)) return plainStep(stmt);
  const object = sweep.shadow(expr.object);
  if (expr.key.kind === "index") body.frame.require(expr.key.at);
  // a boolean is cheaper to record than the number
  const isDefined =
    stmt.bind.type.kind === "opt" && !sweep.facts.isDefined(stmt.bind.name)
      ? body.shadowLet(
          { kind: "var", name: sweep.names.fresh("t"), type: BOOL },
          { kind: "present", value: stmt.bind },
          stmt.origin,
          true,
        )
      : null;
  return {
    forward: () => (isDefined === null ? [stmt] : [stmt, isDefined]),
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seed = env.take(rev, stmt.bind.name);
      if (seed === null) return;
      const into = body.value(object);
      const accumulate = (b: Builder): void =>
        b.accum(unwrapped(b, into), keyValue(expr.key, body), seed);
      const { key } = expr;
      const within = (b: Builder): void =>
        isDefined === null && key.kind === "index"
          ? whenWithin(
              b,
              into,
              body.value(key.at),
              sweep.facts.boundsTests(stmt, sweep.seed),
              accumulate,
            )
          : accumulate(b);
      // the test of the index reads a length, so it comes inside
      const add = (b: Builder): void =>
        sweep.facts.absence(expr.object) === "maybe" ? whenDefined(b, into, within) : within(b);
      if (isDefined !== null)
        when(rev, body.value(body.frame.definedTestOf(stmt.bind) ?? isDefined.bind), add);
      else add(rev);
    },
  };
}

// FWD{ z = a[i] }  =  z = a[i] ; z$bar = a$bar === undefined ? undefined : a$bar[i]
//                     where a$bar may be undefined
function partOfDataStep(
  stmt: Let,
  { object, key }: Expr & { kind: "load" },
  body: BodySweep,
): Step {
  const { sweep, frame } = body;
  const from = sweep.shadow(object);
  const shadow = sweep.shadowVar(stmt.bind);
  const write = (b: Builder, value: Atom, at: Key, bind: Var): Var => {
    const isPresent = b.let("t", BOOL, { kind: "present", value });
    const then = b.nested();
    const part = then.load("t", shadow.type, unwrapped(then, value), at);
    b.emit({
      kind: "if",
      cond: isPresent,
      then: then.body([part]),
      else: b.nested().body([UNDEFINED]),
      binds: [bind],
    });
    return bind;
  };
  frame.define(shadow);
  if (sweep.facts.shadowRereadable(stmt.bind.name))
    frame.restoreLazily(shadow, (b) =>
      write(b, body.value(from), keyValue(key, body), {
        ...shadow,
        name: b.names.fresh(shadow.name),
      }),
    );
  return {
    forward: () => {
      const b = sweep.entry.nested();
      b.origin = stmt.origin;
      write(b, from, key, shadow);
      return [stmt, ...b.stmts];
    },
    reverse: () => {},
  };
}

/** A shadow that is known to be defined. */
const unwrapped = (b: Builder, shadow: Atom): Atom =>
  shadow.type.kind === "opt"
    ? b.let("t", shadow.type.of, { kind: "unwrap", value: shadow })
    : shadow;

/** Writes code that runs only where the index is within the array. */
function whenWithin(
  rev: Builder,
  shadow: Atom,
  at: Atom,
  { below, above: behind }: BoundsTests,
  write: (b: Builder) => void,
): void {
  const belowLength = (b: Builder): void => {
    if (!behind) return write(b);
    const length = b.let("t~n", NUM, { kind: "length", object: unwrapped(b, shadow) });
    when(b, b.op("lt", at, length), write);
  };
  if (below) when(rev, rev.op("ge", at, num(0)), belowLength);
  else belowLength(rev);
}

// FWD{ a[i] = v }  =  a[i] = v                           saves i
//                     for an aggregate v also: a$bar[i] = v$bar
//                     where a grows: while (a$bar.length <= i) a$bar.push(0)
// REV{ a[i] = v }  =  v$bar += a$bar[i] ; a$bar[i] = 0
//                     for an aggregate v: nothing
export function storeStep(stmt: Store, body: BodySweep): Step {
  const { sweep } = body;
  if (
    !isScalarType(stmt.value.type) &&
    stmt.value.kind !== "const" &&
    sweep.facts.shadowed(stmt.object)
  ) {
    return hasPlace(stmt.value.type, sweep.shadow(stmt.object).type, stmt.key, sweep.types)
      ? pointerStoreStep(stmt, body)
      : plainStep(stmt);
  }
  if (!sweep.facts.placeActive(stmt.object, stmt.key)) return plainStep(stmt);
  const object = sweep.shadow(stmt.object);
  const place = placeType(object.type, stmt.key, sweep.types);
  // `null` replaces an aggregate: the shadow in the place keeps its cotangent
  if (stmt.value.kind === "const" && place !== null && !isScalarType(place)) return plainStep(stmt);
  if (stmt.key.kind === "index") body.frame.require(stmt.key.at);
  const rank = body.rank;
  const mayInherit = mayBeInheritedBy(stmt, body);
  return {
    forward: () => [
      stmt,
      ...(mayInherit ? ownKey(stmt, object, body) : lengthened(stmt, object, body)),
    ],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const clear = stmt.initial !== true || sweep.repeatable;
      const mayMiss =
        resolve(object.type, sweep.types).kind === "dict" || sweep.facts.mayBeOutOfBounds(stmt);
      const place: PlaceNow = [body.value(object), keyValue(stmt.key, body)];
      const taken = takeFrom(rev, place, { clear, mayMiss, mayInherit });
      if (sweep.facts.active(stmt.value)) env.add(stmt.value, rank, () => taken);
    },
  };
}

/** Whether the shadow of a dict may inherit the key, since it is a plain object. */
const mayBeInheritedBy = ({ object, key }: Place, { sweep }: BodySweep): boolean =>
  !(object.kind === "var" && sweep.bareDicts.has(object.name)) &&
  mayBeInherited(object.type, key, sweep.types);

/** `if (!own) a$bar[k] = 0`: later sums at the key find its own cotangent. */
function ownKey({ key, origin }: Store, shadow: Atom, { sweep }: BodySweep): readonly Stmt[] {
  const b = sweep.entry.nested();
  b.origin = origin;
  const held = b.loadOwn(NUM, shadow, key);
  const isPresent = b.let("t", BOOL, { kind: "present", value: held });
  when(b, b.op("not", isPresent), (inner) => inner.store(shadow, key, num(0)));
  return b.stmts;
}

/** `while (a$bar.length <= i) a$bar.push(0)` after a store that may make `a` longer. */
function lengthened(stmt: Store, shadow: Atom, body: BodySweep): readonly Stmt[] {
  const { sweep } = body;
  if (stmt.key.kind !== "index" || !sweep.facts.mayLengthen(stmt)) return [];
  const b = sweep.entry.nested();
  b.origin = stmt.origin;
  const test = b.nested();
  const length = test.length(shadow);
  const isShort = test.op("le", length, stmt.key.at);
  const grow = b.nested();
  grow.emit({ kind: "append", object: shadow, value: num(0) });
  b.emit({ kind: "while", carried: [], test: test.body([isShort]), body: grow.body(), binds: [] });
  return b.stmts;
}

function pointerStoreStep(stmt: Store, body: BodySweep): Step {
  const { sweep } = body;
  const object = sweep.shadow(stmt.object);
  const { defines, ...plain } = stmt;
  const isDefined = defines === true && mayBeInheritedBy(stmt, body);
  return {
    forward: () => {
      const b = sweep.entry.nested();
      b.origin = stmt.origin;
      const value = sweep.shadowOrZeros(b, stmt.value);
      const shadow: Stmt = {
        ...plain,
        object,
        value,
        adjoint: true,
        ...(isDefined ? { defines: true } : {}),
        ...(sweep.facts.mayLengthen(stmt) ? { lengthens: true } : {}),
      };
      return [stmt, ...b.stmts, shadow];
    },
    reverse: () => {},
  };
}

type PlaceNow = readonly [object: Atom, key: Key];

interface Taking {
  readonly clear: boolean;
  readonly mayMiss: boolean;
  readonly mayInherit?: boolean;
}

/** Reads a place of a shadow, and clears it if it will be written again. */
function takeFrom(
  rev: Builder,
  [object, key]: PlaceNow,
  { clear, mayMiss, mayInherit = false }: Taking,
): Var {
  if (mayMiss) return takeIfDefined(rev, [object, key], clear, mayInherit);
  const taken = rev.load("t", NUM, object, key);
  if (clear) rev.store(object, key, num(0));
  return taken;
}

/** The number of a place; 0 if it is undefined. A list gets no place that it has not. */
function takeIfDefined(
  rev: Builder,
  [object, key]: PlaceNow,
  clear: boolean,
  mayInherit: boolean,
): Var {
  const held = mayInherit
    ? rev.loadOwn(NUM, object, key)
    : rev.load("t", { kind: "opt", of: NUM }, object, key);
  const isPresent = rev.let("t", BOOL, { kind: "present", value: held });
  const then = rev.nested();
  const inside = then.let("t", NUM, { kind: "unwrap", value: held });
  const isList = object.type.kind === "array" && object.type.store === "Array";
  if (clear && isList) then.store(object, key, num(0));
  const taken = freshNumber(rev.names, "t");
  rev.emit({
    kind: "if",
    cond: isPresent,
    then: then.body([inside]),
    else: rev.nested().body([num(0)]),
    binds: [taken],
  });
  if (clear && !isList) rev.store(object, key, num(0));
  return taken;
}

// FWD{ a.push(v) }  =  n = a.length ; a.push(v) ; a$bar[n] = 0       saves n, unless it follows
//                      for an aggregate v: a$bar[n] = v$bar           from the loop index
// REV{ a.push(v) }  =  v$bar += a$bar[n] ; a$bar[n] = 0
//                      for an aggregate v: nothing
export function appendStep(stmt: Append, body: BodySweep): Step {
  const { sweep, rank } = body;
  if (!sweep.facts.shadowed(stmt.object)) return plainStep(stmt);
  const object = sweep.shadow(stmt.object);
  const measured = measuredBefore(stmt, body);
  const position = sweep.positionOf(stmt, measured);
  const known = positionNow(stmt, position, body);
  const length =
    known === null && measured === null
      ? [body.shadowLet(position, { kind: "length", object: stmt.object }, stmt.origin, false)]
      : [];
  restoreAppended(stmt, position, body);
  const isNumber = isScalarType(stmt.value.type);
  return {
    forward: () => {
      const b = sweep.entry.nested();
      b.origin = stmt.origin;
      const value = isNumber ? num(0) : sweep.shadowOrZeros(b, stmt.value);
      b.emit({
        kind: "store",
        object,
        key: index(known === null ? position : known(b)),
        value,
        lengthens: true,
      });
      return [...length, stmt, ...b.stmts];
    },
    reverse: (rev, env) => {
      if (!isNumber) return;
      rev.origin = stmt.origin;
      const place: PlaceNow = [body.value(object), index(body.value(position))];
      const taken = takeFrom(rev, place, { clear: true, mayMiss: false });
      if (sweep.facts.active(stmt.value)) env.add(stmt.value, rank, () => taken);
    },
  };
}

// FWD{ z = a.pop() }  =  z = a.pop() ; n = a.length      saves n
//                        for an aggregate z also: z$bar = a$bar[n]
// REV{ z = a.pop() }  =  a$bar[n] += z$bar
//                        for an aggregate z: nothing
// where a may be empty and the body does not test whether z is defined:
// FWD{ z = a.pop() }  =  n = a.length ; z = a.pop()      saves n
// REV{ z = a.pop() }  =  if (n > 0) a$bar[n - 1] += z$bar
export function removeLastStep(stmt: Let, object: Atom, body: BodySweep): Step {
  const { sweep } = body;
  if (!sweep.facts.shadowed(object)) return plainStep(stmt);
  const shadow = sweep.shadow(object);
  const position = freshNumber(sweep.names, "n");
  const length = body.shadowLet(position, { kind: "length", object }, stmt.origin, false);
  if (sweep.facts.shadowed(stmt.bind)) {
    const load: Expr = { kind: "load", object: shadow, key: index(position) };
    const own = body.shadowLet(sweep.shadowVar(stmt.bind), load, stmt.origin, false);
    return { forward: () => [stmt, length, own], reverse: () => {} };
  }
  const isDefined = stmt.bind.type.kind !== "opt" || sweep.facts.isDefined(stmt.bind.name);
  return {
    forward: () =>
      isDefined || body.frame.definedTestOf(stmt.bind) !== null ? [stmt, length] : [length, stmt],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seed = env.take(rev, stmt.bind.name);
      if (seed === null) return;
      const n = body.value(position);
      const test = body.frame.definedTestOf(stmt.bind);
      const add = (b: Builder, at: Atom): void => b.accum(body.value(shadow), index(at), seed);
      if (isDefined) add(rev, n);
      else if (test !== null) when(rev, body.value(test), (b) => add(b, n));
      else when(rev, rev.op("gt", n, num(0)), (b) => add(b, b.sub(n, num(1))));
    },
  };
}

// FWD{ a.fill(v) }  =  a.fill(v)                                     saves the bounds, if given
//                      for an aggregate v also: a$bar.fill(v$bar)
// REV{ a.fill(v) }  =  for each k: v$bar += a$bar[k] ; a$bar[k] = 0
export function fillStep(stmt: Fill, body: BodySweep): Step {
  const { sweep } = body;
  if (!sweep.facts.shadowed(stmt.object)) return plainStep(stmt);
  const object = sweep.shadow(stmt.object);
  const rank = body.rank;
  if (!isScalarType(stmt.value.type)) {
    const shadow: Stmt = { ...stmt, object, value: sweep.shadow(stmt.value), adjoint: true };
    return { forward: () => [stmt, shadow], reverse: () => {} };
  }
  return {
    forward: () => [stmt],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const shadow = body.value(object);
      const from = stmt.from === null ? null : body.value(stmt.from);
      const to = stmt.to === null ? null : body.value(stmt.to);
      // bounds may be negative or beyond the end: `slice` counts them as `fill` does
      const filled =
        from === null && to === null
          ? shadow
          : rev.let("filled", shadow.type, {
              kind: "slice",
              object: shadow,
              from: from ?? num(0),
              to,
            });
      const sum = sumOver(rev, filled);
      rev.emit({ kind: "fill", object: shadow, value: num(0), from, to });
      if (sweep.facts.active(stmt.value)) env.add(stmt.value, rank, () => sum);
    },
  };
}

/** The sum of all elements of a shadow. */
export function sumOver(rev: Builder, shadow: Atom): Var {
  const length = rev.length(shadow);
  const k = freshNumber(rev.names, "k");
  const sum = freshNumber(rev.names, "sum");
  const total = freshNumber(rev.names, "sum");
  const body = rev.nested();
  const next = body.add(sum, body.load("t", NUM, shadow, index(k)));
  rev.emit({
    ...countTo(k, length, body.body([next])),
    carried: [{ param: sum, init: num(0) }],
    binds: [total],
  });
  return total;
}
