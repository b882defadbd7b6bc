// Reads and writes of aggregates. A shadow has the aliasing of its primal: pointers are copied in the forward sweep, numbers accumulate in the reverse one.

import { BOOL, type Builder, field, index, num } from "../../ir/build.ts";
import type { Beyond } from "../../ir/facts.ts";
import type { Append, Atom, Expr, Fill, Key, Let, Stmt, Store, Var } from "../../ir/types.ts";
import { placeType } from "../../ir/type-of.ts";
import { hasPlace, isScalarType, resolve } from "../../ir/shadow.ts";
import { measuredBefore, positionNow, restoreAppended } from "./inductions.ts";
import type { BodySweep, Step } from "./sweep.ts";
import { plainStep } from "./scalar.ts";

/** The key with its index restored in the reverse sweep. */
const keyValue = (key: Key, body: BodySweep): Key =>
  key.kind === "index" ? index(body.value(key.at)) : key;

// FWD{ z = a[i] }  =  z = a[i]        (an aggregate: z$bar = a$bar[i])   saves i, unless it can be computed again
// REV{ z = a[i] }  =  a$bar[i] += z$bar  (an aggregate: nothing)         where `a` may be data: if its shadow is there
export function loadStep(stmt: Let, expr: Expr & { kind: "load" }, body: BodySweep): Step {
  const { sweep } = body;
  if (sweep.facts.shadowed(stmt.bind)) {
    if (sweep.facts.absence(stmt.bind) === "maybe") return partOfDataStep(stmt, expr, body);
    const object = sweep.shadow(expr.object);
    const rereadable = sweep.facts.shadowRereadable(stmt.bind.name);
    const shadow = body.shadowLet(
      sweep.shadowVar(stmt.bind),
      { kind: "load", object, key: expr.key },
      stmt.origin,
      rereadable,
    );
    return { forward: () => [stmt, shadow], reverse: () => {} };
  }
  if (!sweep.facts.active(stmt.bind)) return plainStep(stmt);
  const object = sweep.shadow(expr.object);
  if (expr.key.kind === "index") body.frame.want(expr.key.at);
  // the answer takes less room than the number
  const isThere =
    stmt.bind.type.kind === "opt" && !sweep.facts.isThere(stmt.bind.name)
      ? body.shadowLet(
          { kind: "var", name: sweep.names.fresh("t"), type: BOOL },
          { kind: "present", value: stmt.bind },
          stmt.origin,
          true,
        )
      : null;
  return {
    forward: () => (isThere === null ? [stmt] : [stmt, isThere]),
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seed = env.take(rev, stmt.bind.name);
      if (seed === null) return;
      const into = body.value(object);
      const accumulate = (b: Builder): void =>
        b.accum(there(b, into), keyValue(expr.key, body), seed);
      const { key } = expr;
      const within = (b: Builder): void =>
        isThere === null && key.kind === "index"
          ? whenWithin(b, into, body.value(key.at), sweep.facts.beyond(stmt), accumulate)
          : accumulate(b);
      // what is no object has no length, either
      const add = (b: Builder): void =>
        sweep.facts.absence(expr.object) === "maybe" ? whenPresent(b, into, within) : within(b);
      if (isThere !== null)
        when(rev, body.value(body.frame.presenceOf(stmt.bind) ?? isThere.bind), add);
      else add(rev);
    },
  };
}

// FWD{ z = a[i] }  =  z = a[i] ; z$bar = a$bar === undefined ? undefined : a$bar[i]        of what may be data
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
    const part = then.load("t", shadow.type, there(then, value), at);
    b.emit({
      kind: "if",
      cond: isPresent,
      then: then.body([part]),
      else: b.nested().body([sweep.absent]),
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

/** A shadow that is known to be there. */
const there = (b: Builder, shadow: Atom): Atom =>
  shadow.type.kind === "opt"
    ? b.let("t", shadow.type.of, { kind: "unwrap", value: shadow })
    : shadow;

/** A place that is not there takes no cotangent. */
function whenPresent(rev: Builder, value: Atom, write: (b: Builder) => void): void {
  when(rev, rev.let("t", BOOL, { kind: "present", value }), write);
}

function when(b: Builder, cond: Atom, write: (b: Builder) => void): void {
  const then = b.nested();
  write(then);
  b.emit({ kind: "if", cond, then: then.body(), else: b.nested().body(), binds: [] });
}

/** An element that is not there takes none, either. */
function whenWithin(
  rev: Builder,
  shadow: Atom,
  at: Atom,
  { below, behind }: Beyond,
  write: (b: Builder) => void,
): void {
  const behindToo = (b: Builder): void => {
    if (!behind) return write(b);
    const length = b.let("t~n", num(0).type, { kind: "length", object: there(b, shadow) });
    when(b, b.let("t", BOOL, { kind: "op", op: "lt", args: [at, length] }), write);
  };
  if (below) when(rev, rev.let("t", BOOL, { kind: "op", op: "ge", args: [at, num(0)] }), behindToo);
  else behindToo(rev);
}

// FWD{ a[i] = v }  =  a[i] = v           (an aggregate: a$bar[i] = v$bar; behind the end: a$bar grows, too)   saves i
// REV{ a[i] = v }  =  v$bar += a$bar[i] ; a$bar[i] = 0   (an aggregate: nothing)
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
  // `null` in place of an aggregate: the shadow that stood there keeps what it is given
  if (stmt.value.kind === "const" && place !== null && !isScalarType(place)) return plainStep(stmt);
  if (stmt.key.kind === "index") body.frame.want(stmt.key.at);
  const rank = body.rank;
  return {
    forward: () => [stmt, ...lengthened(stmt, object, body)],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const mayMiss =
        resolve(object.type, sweep.types).kind === "dict" || sweep.facts.mayBeDropped(stmt);
      takeFrom(
        rev,
        body.value(object),
        keyValue(stmt.key, body),
        stmt.initial !== true || sweep.repeatable,
        mayMiss,
        (taken) => {
          if (sweep.facts.active(stmt.value)) env.add(stmt.value, rank, () => taken);
        },
      );
    },
  };
}

/** `while (a$bar.length <= i) a$bar.push(0)` behind a store that may make `a` longer. */
function lengthened(stmt: Store, shadow: Atom, body: BodySweep): readonly Stmt[] {
  const { sweep } = body;
  if (stmt.key.kind !== "index" || !sweep.facts.mayLengthen(stmt)) return [];
  const b = sweep.entry.nested();
  b.origin = stmt.origin;
  const test = b.nested();
  const isShort = test.let("t", BOOL, {
    kind: "op",
    op: "le",
    args: [test.let("t", num(0).type, { kind: "length", object: shadow }), stmt.key.at],
  });
  const round = b.nested();
  round.emit({ kind: "append", object: shadow, value: num(0) });
  b.emit({ kind: "while", carried: [], test: test.body([isShort]), body: round.body(), binds: [] });
  return b.stmts;
}

function pointerStoreStep(stmt: Store, body: BodySweep): Step {
  const { sweep } = body;
  const object = sweep.shadow(stmt.object);
  return {
    forward: () => {
      const b = sweep.entry.nested();
      b.origin = stmt.origin;
      const value = sweep.shadowOrZeros(b, stmt.value);
      const shadow: Stmt = {
        ...stmt,
        object,
        value,
        adjoint: true,
        ...(sweep.facts.mayLengthen(stmt) ? { lengthens: true } : {}),
      };
      return [stmt, ...b.stmts, shadow];
    },
    reverse: () => {},
  };
}

/** Reads a shadow's place and, where it will be written again, clears it. */
function takeFrom(
  rev: Builder,
  object: Atom,
  key: Key,
  clear: boolean,
  mayMiss: boolean,
  use: (taken: Var) => void,
): void {
  const taken = mayMiss ? takeIfThere(rev, object, key) : rev.load("t", num(0).type, object, key);
  if (clear) rev.store(object, key, num(0));
  use(taken);
}

/** What a shadow holds by a key; 0 where that is not there. */
function takeIfThere(rev: Builder, object: Atom, key: Key): Var {
  const held = rev.load("t", { kind: "opt", of: num(0).type }, object, key);
  const isPresent = rev.let("t", BOOL, { kind: "present", value: held });
  const then = rev.nested();
  const inside = then.let("t", num(0).type, { kind: "unwrap", value: held });
  const taken: Var = { kind: "var", name: rev.names.fresh("t"), type: num(0).type };
  rev.emit({
    kind: "if",
    cond: isPresent,
    then: then.body([inside]),
    else: rev.nested().body([num(0)]),
    binds: [taken],
  });
  return taken;
}

// FWD{ a.push(v) }  =  n = a.length ; a.push(v) ; a$bar[n] = 0   (an aggregate: a$bar[n] = v$bar)   saves n, unless the number of the round says it
// REV{ a.push(v) }  =  v$bar += a$bar[n] ; a$bar[n] = 0
export function appendStep(stmt: Append, body: BodySweep): Step {
  const { sweep } = body;
  if (!sweep.facts.shadowed(stmt.object)) return plainStep(stmt);
  const object = sweep.shadow(stmt.object);
  const rank = body.rank;
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
      takeFrom(rev, body.value(object), index(body.value(position)), true, false, (taken) => {
        if (sweep.facts.active(stmt.value)) env.add(stmt.value, rank, () => taken);
      });
    },
  };
}

// FWD{ z = a.pop() }  =  z = a.pop() ; n = a.length   (an aggregate: z$bar = a$bar[n])   saves n
// REV{ z = a.pop() }  =  a$bar[n] += z$bar
// where nothing might be taken off, the result would not say so and the body does not ask, either:
// FWD{ z = a.pop() }  =  n = a.length ; z = a.pop()                                      saves n
// REV{ z = a.pop() }  =  if (n > 0) a$bar[n - 1] += z$bar
export function removeLastStep(stmt: Let, object: Atom, body: BodySweep): Step {
  const { sweep } = body;
  if (!sweep.facts.shadowed(object)) return plainStep(stmt);
  const shadow = sweep.shadow(object);
  const position: Var = { kind: "var", name: sweep.names.fresh("n"), type: num(0).type };
  const length = body.shadowLet(position, { kind: "length", object }, stmt.origin, false);
  if (sweep.facts.shadowed(stmt.bind)) {
    const load = body.shadowLet(
      sweep.shadowVar(stmt.bind),
      { kind: "load", object: shadow, key: index(position) },
      stmt.origin,
      false,
    );
    return { forward: () => [stmt, length, load], reverse: () => {} };
  }
  const isThere = stmt.bind.type.kind !== "opt" || sweep.facts.isThere(stmt.bind.name);
  return {
    forward: () =>
      isThere || body.frame.presenceOf(stmt.bind) !== null ? [stmt, length] : [length, stmt],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seed = env.take(rev, stmt.bind.name);
      if (seed === null) return;
      const n = body.value(position);
      const presence = body.frame.presenceOf(stmt.bind);
      const add = (b: Builder, at: Atom): void => b.accum(body.value(shadow), index(at), seed);
      if (isThere) add(rev, n);
      else if (presence !== null) when(rev, body.value(presence), (b) => add(b, n));
      else
        when(rev, rev.let("t", BOOL, { kind: "op", op: "gt", args: [n, num(0)] }), (b) =>
          add(b, b.let("t", num(0).type, { kind: "op", op: "sub", args: [n, num(1)] })),
        );
    },
  };
}

// FWD{ a.fill(v) }  =  a.fill(v)                         saves nothing (bounds, if given)
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
      // bounds may be negative or beyond the end: a slice counts them as `fill` does
      const filled =
        from === null && to === null
          ? shadow
          : rev.let("filled", shadow.type, {
              kind: "slice",
              object: shadow,
              from: from ?? num(0),
              to,
            });
      const sum = sumOver(
        rev,
        filled,
        num(0),
        rev.let("t", num(0).type, { kind: "length", object: filled }),
      );
      rev.emit({ kind: "fill", object: shadow, value: num(0), from, to });
      if (sweep.facts.active(stmt.value)) env.add(stmt.value, rank, () => sum);
    },
  };
}

/** Sum of the elements of a shadow from `from` up to `to`. */
export function sumOver(rev: Builder, shadow: Atom, from: Atom, to: Atom): Var {
  const position: Var = { kind: "var", name: rev.names.fresh("k"), type: num(0).type };
  const sum: Var = { kind: "var", name: rev.names.fresh("sum"), type: num(0).type };
  const total: Var = { kind: "var", name: rev.names.fresh("sum"), type: num(0).type };
  const body = rev.nested();
  const next = body.add(sum, body.load("t", num(0).type, shadow, index(position)));
  rev.emit({
    kind: "for",
    index: position,
    from,
    test: "<",
    to,
    step: 1,
    carried: [{ param: sum, init: num(0) }],
    body: body.body([next]),
    binds: [total],
  });
  return total;
}

export const tupleKey = (i: number): Key => field(String(i));
