// Restores integers that count along with a loop, without a record. Input: a loop whose reverse is
// being written. Output: lazy values in its frames, and counts that the reverse loop carries.
// Invariant: only additions of constants, in the loop or in inner loops, change the integer.
//
//   for i = from < to { at' = at + c }      at = at0 + c (i - from) ; after it: at0 + c (to - from)
//   for i = from < to { a.push(v) }         position = n + (i - from)       n = a.length before it
//   for j = … { for i = from(j) < to(j) { at' = at + c } }
//                                             at = at' - c (to(j) - from(j))

import { type Builder, num, integerOf, isConst } from "../../ir/build.ts";
import { OPS } from "../../ir/ops.ts";
import type { Append, Atom, Body, Expr, For, Stmt, Var } from "../../ir/types.ts";
import { exprAtoms, mapExpr, stmtBinds } from "../../ir/visit.ts";
import { adjointLet } from "../fragments.ts";
import type { BodySweep } from "./sweep.ts";

/** An integer that the reverse loop carries: its value after the iteration, and before it. */
export interface CountedBack {
  readonly param: Var;
  readonly init: Atom;
  readonly next: Atom;
}

/** What an iteration adds to a carried integer. */
interface Growth {
  readonly constant: number;
  /** Inner loops, and what each of their iterations adds. */
  readonly loops: readonly { readonly loop: For; readonly each: number }[];
  /** All names of the integer in an iteration. */
  readonly names: readonly string[];
}

type Make = (atom: Atom, b: Builder) => Atom;

/** Notes names of integers and how to compute their final values, before the body's steps. */
export function noteCounted(loop: For, body: BodySweep): void {
  const { sweep, frame } = body;
  loop.carried.forEach(({ param, init }, i) => {
    const bind = loop.binds[i];
    const growth = growthOf(loop.body, param, loop.body.result[i]);
    if (bind === undefined || growth === null || !isWhole(init, body)) return;
    for (const name of [param.name, bind.name, ...growth.names]) sweep.integers.add(name);
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
    }
  });
}

/** Restores carried integers in the reverse loop. `counts` gets those that it must carry. */
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
        const after: Var = { ...param, name: b.names.fresh(param.name) };
        const before = b.sub(after, grownIn(growth, valuesAt(loop, index, body), body, b));
        counts.push({ param: after, init: body.value(bind), next: before });
        return before;
      });
    }
  });
}

/** The array's length before an append, if the body measures it there. */
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

/** The loop whose iterations each append once to an array from before the loop. */
function loopOfAppend(append: Append, { frame: { loop, parent } }: BodySweep): For | null {
  const { object } = append;
  return loop?.kind !== "for" ||
    parent === null ||
    Math.abs(loop.step) !== 1 ||
    !loop.body.stmts.includes(append) ||
    (object.kind === "var" && !parent.isInScope(object.name))
    ? null
    : loop;
}

/** The position of the appended element, if it follows from the loop index. */
export function positionNow(
  append: Append,
  position: Var,
  body: BodySweep,
): ((b: Builder) => Atom) | null {
  const loop = loopOfAppend(append, body);
  const from = loop?.step === 1 ? integerOf(loop.from) : null;
  const length = loop === null ? null : body.sweep.facts.lengthBeforeLoop(append, loop);
  if (loop === null || typeof length !== "number" || from === null) return null;
  body.frame.define(position);
  return (b) => plus(b, loop.index, num(length - from));
}

/** Restores the position of a loop's append, and array lengths that the body measures. */
export function restoreAppended(append: Append, position: Var, body: BodySweep): void {
  const { frame, sweep } = body;
  const { parent } = frame;
  const { object, origin } = append;
  const loop = loopOfAppend(append, body);
  if (loop === null || parent === null) return;
  const length = sweep.facts.lengthBeforeLoop(append, loop);
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
    frame.hoisted.push(adjointLet(before, { kind: "length", object }, origin));
    return plus(b, parent.value(before), grown(b, 0));
  });
}

/** Values that are the array's length plus a constant, relative to the iteration's start. */
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

/** The integer that `name` was before, and what the statement or its iterations add. */
function stepOf(stmt: Stmt, name: string): Growing | null {
  if (stmt.kind === "let" && stmt.expr.kind === "op") return constantStep(stmt.expr);
  if (stmt.kind !== "for" || Math.abs(stmt.step) !== 1) return null;
  const at = stmt.binds.findIndex((bind) => bind.name === name);
  const carried = stmt.carried[at];
  const growth =
    carried === undefined ? null : growthOf(stmt.body, carried.param, stmt.body.result[at]);
  return carried === undefined || growth === null || growth.loops.length > 0
    ? null
    : { of: carried.init, by: growth.constant, loop: stmt };
}

/** `x + c`, `c + x` or `x - c` */
function constantStep({ op, args: [x, z] }: Expr & { kind: "op" }): Growing | null {
  const [first, second] = [integerOf(x), integerOf(z)];
  if (x !== undefined && second !== null && (op === "add" || op === "sub"))
    return { of: x, by: op === "add" ? second : -second, loop: null };
  return op === "add" && z !== undefined && first !== null
    ? { of: z, by: first, loop: null }
    : null;
}

const isWhole = (atom: Atom, { sweep }: BodySweep): boolean =>
  sweep.facts.isInteger(atom) || (atom.kind === "var" && sweep.integers.has(atom.name));

/** How the body computes a value: null if not by an operator, undefined for outer values. */
function definitionIn(loop: For, name: string, body: BodySweep): Expr | null | undefined {
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

/** Whether the inner loop's bounds follow from the outer index and from outer values. */
function isComputable(inner: For, loop: For, body: BodySweep): boolean {
  const can = (atom: Atom): boolean => {
    if (atom.kind !== "var" || atom.name === loop.index.name) return true;
    const expr = definitionIn(loop, atom.name, body);
    return expr === undefined || (expr !== null && exprAtoms(expr).every(can));
  };
  return can(inner.from) && can(inner.to);
}

function valuesAt(loop: For, index: Var, body: BodySweep): Make {
  const make = (atom: Atom, b: Builder): Atom => {
    if (atom.kind !== "var") return atom;
    if (atom.name === loop.index.name) return index;
    const expr = definitionIn(loop, atom.name, body);
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

function grownIn(growth: Growth, make: Make, body: BodySweep, b: Builder): Atom {
  let total: Atom = num(growth.constant);
  for (const { loop, each } of growth.loops)
    total = plus(b, total, times(b, trips(loop, make, body, b), each));
  return total;
}

/** The number of iterations of a loop with step 1 or -1; none where a bound is NaN. */
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

/** What the iterations before the one at `index` have added, without inner loops. */
function grownSince(b: Builder, from: Atom, index: Atom, step: number, constant: number): Atom {
  const passed = step < 0 ? minus(b, from, index) : minus(b, index, from);
  return times(b, Math.abs(step) === 1 ? passed : b.div(passed, num(Math.abs(step))), constant);
}

const plus = (b: Builder, x: Atom, z: Atom): Atom =>
  isConst(z, 0) ? x : isConst(x, 0) ? z : b.add(x, z);
const minus = (b: Builder, x: Atom, z: Atom): Atom => (isConst(z, 0) ? x : b.sub(x, z));
const times = (b: Builder, count: Atom, each: number): Atom =>
  each === 1 ? count : b.mul(count, num(each));
