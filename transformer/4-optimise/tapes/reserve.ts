// Reserves room on a tape before the loop that fills it, so that a push is a plain store. Runs on
// code that is not differentiated any more. See Note [Reservations].
//   for i { …; push t x; push t y }   ->   reserve t 2 * n; for i { …; push t x; push t y }
// Invariant: either all pushes to a tape have room, or none is reserved.

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { withStmts } from "../../ir/rebuilt.ts";
import { retainedTapes, tapeOf } from "../../ir/tapes.ts";
import type { Atom, Body, For, Func, Stmt, Var, While } from "../../ir/types.ts";
import { mapBodies, namesOf, memoised, stmtBodies } from "../../ir/visit.ts";
import { isNumber } from "../atoms.ts";
import { isInteger, type Numbers, numbersOf } from "../loops/iterations.ts";

/** A loop between constants with at most so many pushes counts as part of its body. */
const SMALL = 64;

/** Limit on the ratio of reserved to used room. */
const MOST_WASTE = 4;

export const reserve = (func: Func): Func =>
  retainedTapes(func).reduce((current, tape) => {
    const pushes = pushesTo(tape);
    return tape.type.kind === "tape" && tape.type.of === "num" && canReserve(func.body, pushes)
      ? { ...current, body: new Reservations(current, tape, pushes).function() }
      : current;
  }, func);

/** The pushes to a tape in one execution of a body, without those in its larger loops. */
interface Pushes {
  readonly least: number;
  readonly most: number;
  /** Whether a larger loop in it pushes. */
  readonly inLoop: boolean;
}

type PushesOf = (body: Body) => Pushes;

const pushesTo = ({ name }: Var): PushesOf => {
  const pushes: PushesOf = memoised(({ stmts }) => {
    let least = 0;
    let most = 0;
    let inLoop = false;
    for (const stmt of stmts) {
      const [first, second = first] = stmtBodies(stmt).map(pushes);
      if (stmt.kind === "push" && tapeOf(stmt)?.name === name) {
        least++;
        most++;
      }
      if (first === undefined || second === undefined) continue;
      inLoop ||= first.inLoop || second.inLoop;
      const times = timesOf(stmt, pushes);
      if (times === null) inLoop ||= first.most > 0 || second.most > 0;
      else {
        least += times * Math.min(first.least, second.least);
        most += times * Math.max(first.most, second.most);
      }
    }
    return { least, most, inLoop };
  });
  return pushes;
};

/** How often the body of a branch or a small loop runs; null for other statements. */
const timesOf = (stmt: Stmt, pushes: PushesOf): number | null =>
  stmt.kind === "if" ? 1 : stmt.kind === "for" ? smallCount(stmt, pushes) : null;

/** The number of iterations of a loop between constants. */
function tripCount({ from, to, test, step }: For): number | null {
  if (!isNumber(from) || !isNumber(to)) return null;
  const distance = (step > 0 ? to.value - from.value : from.value - to.value) / Math.abs(step);
  return Math.max(0, test === "<" || test === ">" ? Math.ceil(distance) : Math.floor(distance) + 1);
}

/** The number of iterations of a small loop; null for any other one. */
function smallCount(loop: For, pushes: PushesOf): number | null {
  const count = tripCount(loop);
  const { most, inLoop } = pushes(loop.body);
  return count !== null && !inLoop && count * most <= SMALL ? count : null;
}

const isSmall = (stmt: Stmt, pushes: PushesOf): boolean =>
  stmt.kind === "for" && smallCount(stmt, pushes) !== null;

/** Whether each loop that pushes is counted, or has a constant number of pushes of its own. */
const canReserve = (body: Body, pushes: PushesOf): boolean =>
  body.stmts.every((stmt) => {
    if (isSmall(stmt, pushes)) return true;
    if (stmt.kind === "while" && pushes(stmt.test).most > 0) return false;
    const { least, most, inLoop } =
      stmt.kind === "for" || stmt.kind === "while" ? pushes(stmt.body) : NONE;
    return (
      (most === 0 || inLoop || (stmt.kind === "for" && most <= MOST_WASTE * least)) &&
      stmtBodies(stmt).every((inner) => canReserve(inner, pushes))
    );
  });

const NONE: Pushes = { least: 0, most: 0, inLoop: false };

class Reservations {
  readonly #func: Func;
  readonly #tape: Var;
  readonly #pushes: PushesOf;
  readonly #names: Names;
  readonly #numbers: Numbers;
  /** Reservations of at least the room they name: their loop's bound is not negative. */
  readonly #sure = new Set<Stmt>();

  constructor(func: Func, tape: Var, pushes: PushesOf) {
    this.#func = func;
    this.#tape = tape;
    this.#pushes = pushes;
    this.#names = namesOf(func);
    this.#numbers = numbersOf(func);
  }

  function(): Body {
    const { body } = this.#func;
    const own = this.#pushes(body).most;
    const { stmts } = this.#body(body, own);
    const at = stmts.findIndex((stmt) => stmt.kind === "let" && stmt.bind.name === this.#tape.name);
    return withStmts(
      body,
      own === 0 ? stmts : stmts.toSpliced(at + 1, 0, this.#reserve(num(own), stmts[at])),
    );
  }

  #reserve(count: Atom, { origin }: Pick<Stmt, "origin"> = this.#func): Stmt {
    return { kind: "reserve", tape: this.#tape, count, origin, adjoint: true };
  }

  /** `after`: what enclosing bodies may still push after a loop in this one. */
  #body(body: Body, after: number): Body {
    return withStmts(
      body,
      body.stmts.flatMap((stmt) => {
        if (isSmall(stmt, this.#pushes)) return [stmt];
        return stmt.kind === "for" || stmt.kind === "while"
          ? this.#loop(stmt, after)
          : [mapBodies(stmt, (inner) => this.#body(inner, after))];
      }),
    );
  }

  #loop(loop: For | While, after: number): readonly Stmt[] {
    const { most, inLoop } = this.#pushes(loop.body);
    if (most > 0 && !inLoop && loop.kind === "for")
      return [...this.#before(loop, most, after), loop];
    if (most === 0) return [mapBodies(loop, (body) => this.#body(body, after))];
    const body = this.#body(loop.body, after + most);
    // The reservation of the first loop covers the rest of the body.
    const first = body.stmts.find((stmt) => stmt.kind === "reserve" || this.#acts(stmt));
    if (first?.kind === "reserve" && this.#sure.has(first)) return [{ ...loop, body }];
    return [
      { ...loop, body: withStmts(body, [this.#reserve(num(after + most), loop), ...body.stmts]) },
    ];
  }

  /** Whether the statement pushes. */
  #acts(stmt: Stmt): boolean {
    const { most, inLoop } = this.#pushes({ stmts: [stmt], result: [] });
    return most > 0 || inLoop;
  }

  #before(loop: For, each: number, after: number): readonly Stmt[] {
    const b = new Builder(this.#names, loop.origin, true);
    const count = this.#count(loop, b);
    const own = each === 1 ? count : b.mul(num(each), count);
    const room = this.#reserve(after === 0 ? own : b.add(own, num(after)), loop);
    if (
      loop.test === "<" &&
      isNumber(loop.from) &&
      loop.from.value === 0 &&
      this.#isLength(loop.to)
    )
      this.#sure.add(room);
    return [...b.stmts, room];
  }

  #isLength(atom: Atom): boolean {
    return atom.kind === "var" && this.#numbers.definitions.get(atom.name)?.kind === "length";
  }

  /** An upper bound on the number of iterations; negative or NaN if there are none. */
  #count({ from, to, test, step }: For, b: Builder): Atom {
    const isUp = step > 0;
    const isStrict = test === "<" || test === ">";
    const [high, low] = isUp ? [to, from] : [from, to];
    const distance = isNumber(low) && low.value === 0 ? high : b.sub(high, low);
    const steps = Math.abs(step) === 1 ? distance : b.div(distance, num(Math.abs(step)));
    const isWhole = Math.abs(step) === 1 && isInteger(to, this.#numbers);
    const whole = isWhole ? steps : b.op(isStrict ? "ceil" : "floor", steps);
    return isStrict ? whole : b.add(whole, num(1));
  }
}

// Note [Reservations]
// A tape that grows with each push is a `number[]`: each push checks its length and may copy it. A
// tape with room is a `Float64Array`, and a push is one store: an LSTM step takes 0.86 of the time,
// the Lorenz equations 0.90, RK4 0.94. The check must stay out of the innermost loop, where the
// tape would be a variable that changes: the logistic map takes twice the time then. So the tape of
// a loop without a known number of iterations grows.
//
// A check before an innermost loop makes room for all of its iterations, and for what the enclosing
// bodies push after it (`after`). A body that pushes beside such loops makes room for its own
// pushes at the start of each iteration. So a finished loop leaves room for all pushes until the
// next check.
