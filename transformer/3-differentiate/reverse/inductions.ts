// Whole numbers that count along with a loop need no record: their value in a round follows from the round. In: a loop whose
// reverse is being written. Out: lazy values in its frames; a count that the reverse loop carries, where one is asked for.
// Invariant: only additions of constants, in the loop or in loops inside it, make the number grow; so it is exact.
//
//   for i = from < to { at' = at + c }                       at = at0 + c (i - from)                 behind it: at0 + c (to - from)
//   for i = from < to { a.push(v) }                          position = n + (i - from)            n: the length of `a` in front of the loop
//   for j = … { for i = from(j) < to(j) { at' = at + c } }   at = at' - c (to(j) - from(j))           at' carried by the reverse loop

import { type Builder, num, wholeOf } from "../../ir/build.ts";
import { OPS } from "../../ir/ops.ts";
import type { Append, Atom, Body, Expr, For, Stmt, Var } from "../../ir/types.ts";
import { exprAtoms, mapExpr, stmtBinds } from "../../ir/visit.ts";
import type { BodySweep } from "./sweep.ts";

/** A number that the reverse loop carries: its value behind the round, and before it. */
export interface CountedBack {
  readonly param: Var;
  readonly init: Atom;
  readonly next: Atom;
}

/** What a round adds to a carried number. */
interface Growth {
  readonly constant: number;
  /** Loops inside the round, and what each of their rounds adds. */
  readonly loops: readonly { readonly loop: For; readonly each: number }[];
  /** All names that the number has in a round. */
  readonly names: readonly string[];
}

type Make = (atom: Atom, b: Builder) => Atom;

/** Notes which names of a loop hold whole numbers, and how they are found behind it. Before the steps of its body are made. */
export function noteCounted(loop: For, body: BodySweep): void {
  const { sweep, frame } = body;
  loop.carried.forEach(({ param, init }, i) => {
    const bind = loop.binds[i];
    const growth = growthOf(loop.body, param, loop.body.result[i]);
    if (bind === undefined || growth === null || !isWhole(init, body)) return;
    for (const name of [param.name, bind.name, ...growth.names]) sweep.whole.add(name);
    const { constant, loops } = growth;
    if (loops.length === 0 && Math.abs(loop.step) === 1) {
      frame.restoreLazily(bind, (b) =>
        plus(
          b,
          body.value(init),
          times(
            b,
            trips(loop, (atom) => body.value(atom), body, b),
            constant,
          ),
        ),
      );
    } else if (loops.every((one) => isComputable(one.loop, loop, body))) {
      frame.restoreLazily(bind, (b) => countAgain(loop, body.value(init), growth, body, b));
    }
  });
}

/** Makes the carried whole numbers of a loop known in its reverse rounds. `counts` takes what the reverse loop has to carry for it. */
export function restoreCounted(
  loop: For,
  index: Var,
  nested: BodySweep,
  body: BodySweep,
  counts: CountedBack[],
): void {
  loop.carried.forEach(({ param, init }, i) => {
    const bind = loop.binds[i];
    const growth = growthOf(loop.body, param, loop.body.result[i]);
    if (growth === null || bind === undefined || !isWhole(init, body)) return;
    if (growth.loops.length === 0) {
      nested.frame.restoreLazily(param, (b) =>
        plus(
          b,
          body.value(init),
          grownSince(b, body.value(loop.from), index, loop.step, growth.constant),
        ),
      );
    } else if (growth.loops.every((one) => isComputable(one.loop, loop, body))) {
      nested.frame.restoreLazily(param, (b) => {
        const behind: Var = { ...param, name: b.names.fresh(param.name) };
        const before = b.sub(behind, grownIn(growth, valuesAt(loop, index, body), body, b));
        counts.push({ param: behind, init: body.value(bind), next: before });
        return before;
      });
    }
  });
}

/** The array's length in front of an append, where the body has measured it and only computed since. */
export function measuredBefore(append: Append, { body }: BodySweep): Var | null {
  const { object } = append;
  const at = body.stmts.indexOf(append);
  for (const stmt of body.stmts.slice(0, Math.max(at, 0)).toReversed()) {
    if (
      stmt.kind !== "let" ||
      stmt.expr.kind === "removeLast" ||
      stmt.expr.kind === "call" ||
      stmt.expr.kind === "extern"
    )
      return null;
    if (
      stmt.expr.kind === "length" &&
      object.kind === "var" &&
      stmt.expr.object.kind === "var" &&
      stmt.expr.object.name === object.name
    )
      return stmt.bind;
  }
  return null;
}

/** The loop each of whose rounds appends so, to an array from in front of it. */
function appendingLoop(append: Append, { frame: { loop, parent } }: BodySweep): For | null {
  const { object } = append;
  return loop?.kind !== "for" ||
    parent === null ||
    Math.abs(loop.step) !== 1 ||
    !loop.body.stmts.includes(append) ||
    (object.kind === "var" && !parent.knows(object.name))
    ? null
    : loop;
}

/** The position of what is appended, where the number of the round says it. */
export function positionNow(
  append: Append,
  position: Var,
  body: BodySweep,
): ((b: Builder) => Atom) | null {
  const loop = appendingLoop(append, body);
  const from = loop?.step === 1 ? wholeOf(loop.from) : null;
  const length = loop === null ? null : body.sweep.facts.lengthInFront(append, loop);
  if (loop === null || typeof length !== "number" || from === null) return null;
  body.frame.define(position);
  return (b) => plus(b, loop.index, num(length - from));
}

/** Where each round of a loop appends one element to an array from in front of it; with the array's length where the body measures it. */
export function restoreAppended(append: Append, position: Var, body: BodySweep): void {
  const { frame, sweep } = body;
  const { parent } = frame;
  const { object, origin } = append;
  const loop = appendingLoop(append, body);
  if (loop === null || parent === null) return;
  const length = sweep.facts.lengthInFront(append, loop);
  if (length === null) return;
  const grown = (b: Builder, more: number): Atom =>
    plus(
      b,
      grownSince(b, parent.value(loop.from), frame.value(loop.index), loop.step, 1),
      num(more),
    );
  if (length !== "measured") {
    for (const [bind, more] of [[position, 0] as const, ...measuredIn(loop, append)])
      frame.restoreLazily(bind, (b) => grown(b, length + more));
    return;
  }
  const before: Var = { ...position, name: sweep.names.fresh(position.name) };
  parent.define(before);
  frame.restoreLazily(position, (b) => {
    frame.ahead.push({
      kind: "let",
      bind: before,
      expr: { kind: "length", object },
      origin,
      adjoint: true,
    });
    return plus(b, parent.value(before), grown(b, 0));
  });
}

/** The array's length where the body of the loop measures it, and positions counted from its end: how much more than the length in front of the round. */
function measuredIn({ body: { stmts } }: For, append: Append): ReadonlyMap<Var, number> {
  const found = new Map<string, { readonly bind: Var; readonly more: number }>();
  const at = stmts.indexOf(append);
  const { object } = append;
  for (const [i, stmt] of stmts.entries()) {
    if (stmt.kind !== "let") continue;
    const { bind, expr } = stmt;
    if (
      expr.kind === "length" &&
      expr.object.kind === "var" &&
      object.kind === "var" &&
      expr.object.name === object.name
    )
      found.set(bind.name, { bind, more: i < at ? 0 : 1 });
    const step = stepOf(stmt, bind.name);
    const of = step?.of.kind === "var" ? found.get(step.of.name) : undefined;
    if (step !== null && of !== undefined) found.set(bind.name, { bind, more: of.more + step.by });
  }
  return new Map([...found.values()].map(({ bind, more }) => [bind, more]));
}

// growth ---------------------------------------------------------------------------------------------------------

function growthOf(body: Body, param: Var, next: Atom | undefined): Growth | null {
  let constant = 0;
  const loops: { loop: For; each: number }[] = [];
  const names: string[] = [];
  let current = next;
  while (current?.kind === "var" && current.name !== param.name) {
    const { name } = current;
    const made = body.stmts.find((stmt) => stmtBinds(stmt).some((bind) => bind.name === name));
    const step = made === undefined ? null : stepOf(made, name);
    if (step === null) return null;
    if (step.loop === null) constant += step.by;
    else loops.push({ loop: step.loop, each: step.by });
    names.push(name);
    current = step.of;
  }
  return current?.kind === "var" && (constant !== 0 || loops.length > 0)
    ? { constant, loops, names }
    : null;
}

interface Growing {
  readonly of: Atom;
  readonly by: number;
  readonly loop: For | null;
}

/** The number that `name` was before the statement, and what the statement or each of its rounds adds to it. */
function stepOf(stmt: Stmt, name: string): Growing | null {
  if (stmt.kind === "let" && stmt.expr.kind === "op") {
    const {
      op,
      args: [x, z],
    } = stmt.expr;
    const [first, second] = [wholeOf(x), wholeOf(z)];
    if (x !== undefined && second !== null && (op === "add" || op === "sub"))
      return { of: x, by: op === "add" ? second : -second, loop: null };
    return op === "add" && z !== undefined && first !== null
      ? { of: z, by: first, loop: null }
      : null;
  }
  if (stmt.kind !== "for" || Math.abs(stmt.step) !== 1) return null;
  const at = stmt.binds.findIndex((bind) => bind.name === name);
  const carried = stmt.carried[at];
  const growth =
    carried === undefined ? null : growthOf(stmt.body, carried.param, stmt.body.result[at]);
  return carried === undefined || growth === null || growth.loops.length > 0
    ? null
    : { of: carried.init, by: growth.constant, loop: stmt };
}

const isWhole = (atom: Atom, { sweep }: BodySweep): boolean =>
  sweep.facts.isInteger(atom) || (atom.kind === "var" && sweep.whole.has(atom.name));

// values in a round ----------------------------------------------------------------------------------------------

/** What the body of a loop computes itself: operators, and lengths that stay. */
function madeIn(loop: For, name: string, body: BodySweep): Expr | null | undefined {
  const made = loop.body.stmts.find((stmt) => stmtBinds(stmt).some((bind) => bind.name === name));
  if (made === undefined)
    return loop.carried.some(({ param }) => param.name === name) ? null : undefined;
  if (made.kind !== "let") return null;
  const { expr } = made;
  return (expr.kind === "op" && !OPS[expr.op].expensive) ||
    (expr.kind === "length" && body.sweep.facts.rereadable(name))
    ? expr
    : null;
}

/** Whether the bounds of a loop can be computed from the index of the loop around it and from what is known outside of that. */
function isComputable(inner: For, loop: For, body: BodySweep): boolean {
  const can = (atom: Atom): boolean => {
    if (atom.kind !== "var" || atom.name === loop.index.name) return true;
    const expr = madeIn(loop, atom.name, body);
    return expr === undefined || (expr !== null && exprAtoms(expr).every(can));
  };
  return can(inner.from) && can(inner.to);
}

function valuesAt(loop: For, index: Var, body: BodySweep): Make {
  const make = (atom: Atom, b: Builder): Atom => {
    if (atom.kind !== "var") return atom;
    if (atom.name === loop.index.name) return index;
    const expr = madeIn(loop, atom.name, body);
    return expr === undefined || expr === null
      ? body.value(atom)
      : b.let(
          atom.name,
          atom.type,
          mapExpr(expr, (one) => make(one, b)),
        );
  };
  return make;
}

// code -----------------------------------------------------------------------------------------------------------

function grownIn(growth: Growth, make: Make, body: BodySweep, b: Builder): Atom {
  let total: Atom = num(growth.constant);
  for (const { loop, each } of growth.loops)
    total = plus(b, total, times(b, trips(loop, make, body, b), each));
  return total;
}

/** The number behind all rounds of a loop. */
function countAgain(loop: For, init: Atom, growth: Growth, body: BodySweep, b: Builder): Var {
  const fresh = (name: string): Var => ({
    kind: "var",
    name: b.names.fresh(name),
    type: num(0).type,
  });
  const [index, param, bind] = [fresh(loop.index.name), fresh("count"), fresh("count")];
  const round = b.nested();
  const next = round.add(param, grownIn(growth, valuesAt(loop, index, body), body, round));
  const { test, step } = loop;
  b.emit({
    kind: "for",
    index,
    from: body.value(loop.from),
    test,
    to: body.value(loop.to),
    step,
    carried: [{ param, init }],
    body: round.body([next]),
    binds: [bind],
  });
  return bind;
}

/** Rounds of a loop with step 1 or -1; none where a bound is no number. */
function trips(loop: For, make: Make, body: BodySweep, b: Builder): Atom {
  const [from, to] = [make(loop.from, b), make(loop.to, b)];
  const isUp = loop.step > 0;
  const isStrict = loop.test === "<" || loop.test === ">";
  const runs = b.op(OPERATORS[loop.test], from, to);
  const whole = isWhole(loop.to, body) ? to : b.op(isUp === isStrict ? "ceil" : "floor", to);
  const distance = isUp ? minus(b, whole, from) : minus(b, from, whole);
  return b.select(runs, isStrict ? distance : b.add(distance, num(1)), num(0));
}

const OPERATORS = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge" } as const;

/** What all rounds before the one at `index` have added, for a growth without inner loops. */
function grownSince(b: Builder, from: Atom, index: Atom, step: number, constant: number): Atom {
  const passed = step < 0 ? minus(b, from, index) : minus(b, index, from);
  return times(b, Math.abs(step) === 1 ? passed : b.div(passed, num(Math.abs(step))), constant);
}

const isZero = (atom: Atom): boolean => atom.kind === "const" && atom.value === 0;
const plus = (b: Builder, x: Atom, z: Atom): Atom => (isZero(z) ? x : isZero(x) ? z : b.add(x, z));
const minus = (b: Builder, x: Atom, z: Atom): Atom => (isZero(z) ? x : b.sub(x, z));
const times = (b: Builder, count: Atom, each: number): Atom =>
  each === 1 ? count : b.mul(count, num(each));
