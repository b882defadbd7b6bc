// Room on the tape, made in front of the loop that fills it, so that a push is a store and nothing else. In: an ssa function that is not differentiated any more.
// Out: the same meaning. Note [Reservations].
//   for i { …; push tape x; push tape y }   ->   reserve tape 2 * n; for i { … }
// Invariant: all pushes to a tape have room, or none is made.

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { withStmts } from "../../ir/rebuilt.ts";
import { keptTapes, tapeOf } from "../../ir/tapes.ts";
import type { Atom, Body, For, Func, Stmt, Var, While } from "../../ir/types.ts";
import { mapBodies, namesOf, remembered, stmtBodies } from "../../ir/visit.ts";
import { isNumber } from "../atoms.ts";
import { isInteger, type Numbers, numbersOf } from "../loops/iterations.ts";

/** A loop of known bounds that pushes less is part of the body around it. */
const SMALL = 64;

/** Room that is made and not used, at most, as a multiple of what is. */
const MOST_WASTE = 4;

export const reserve = (func: Func): Func =>
  keptTapes(func).reduce((current, tape) => {
    const pushes = pushesTo(tape);
    return tape.type.kind === "tape" && tape.type.of === "num" && canReserve(func.body, pushes)
      ? { ...current, body: new Reservations(current, tape, pushes).function() }
      : current;
  }, func);

/** Pushes to a tape in one run of a body, its loops aside. */
interface Pushes {
  readonly least: number;
  readonly most: number;
  /** A loop in it, not a small one, pushes. */
  readonly inLoop: boolean;
}

type PushesOf = (body: Body) => Pushes;

const pushesTo = ({ name }: Var): PushesOf => {
  const pushes: PushesOf = remembered(({ stmts }) => {
    let least = 0;
    let most = 0;
    let inLoop = false;
    for (const stmt of stmts) {
      const [first, second = first] = stmtBodies(stmt).map(pushes);
      const rounds = stmt.kind === "for" ? smallRounds(stmt, pushes) : 1;
      if (stmt.kind === "push" && tapeOf(stmt)?.name === name) {
        least++;
        most++;
      }
      if (first === undefined || second === undefined) continue;
      inLoop ||= first.inLoop || second.inLoop;
      if (stmt.kind === "if" || (stmt.kind === "for" && rounds !== null)) {
        least += (rounds ?? 1) * Math.min(first.least, second.least);
        most += (rounds ?? 1) * Math.max(first.most, second.most);
      } else inLoop ||= first.most > 0 || second.most > 0;
    }
    return { least, most, inLoop };
  });
  return pushes;
};

/** The rounds of a loop between constants. */
function roundsOf({ from, to, test, step }: For): number | null {
  if (!isNumber(from) || !isNumber(to)) return null;
  const distance = (step > 0 ? to.value - from.value : from.value - to.value) / Math.abs(step);
  return Math.max(0, test === "<" || test === ">" ? Math.ceil(distance) : Math.floor(distance) + 1);
}

/** The rounds of a small loop; null for any other one. */
function smallRounds(loop: For, pushes: PushesOf): number | null {
  const rounds = roundsOf(loop);
  const { most, inLoop } = pushes(loop.body);
  return rounds !== null && !inLoop && rounds * most <= SMALL ? rounds : null;
}

const isSmall = (stmt: Stmt, pushes: PushesOf): boolean =>
  stmt.kind === "for" && smallRounds(stmt, pushes) !== null;

/** Whether each loop that pushes is counted, or pushes little beside the loops in it. */
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
  /** Those that make the room they say at least, because the loop's bound is not below 0. */
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

  /** `behind`: what the bodies around may still push when a loop in this one is done. */
  #body(body: Body, behind: number): Body {
    return withStmts(
      body,
      body.stmts.flatMap((stmt) => {
        if (isSmall(stmt, this.#pushes)) return [stmt];
        return stmt.kind === "for" || stmt.kind === "while"
          ? this.#loop(stmt, behind)
          : [mapBodies(stmt, (inner) => this.#body(inner, behind))];
      }),
    );
  }

  #loop(loop: For | While, behind: number): readonly Stmt[] {
    const { most, inLoop } = this.#pushes(loop.body);
    if (most > 0 && !inLoop && loop.kind === "for")
      return [...this.#before(loop, most, behind), loop];
    if (most === 0) return [mapBodies(loop, (body) => this.#body(body, behind))];
    const body = this.#body(loop.body, behind + most);
    // the loop that comes first makes room for the rest of the body as well
    const first = body.stmts.find((stmt) => stmt.kind === "reserve" || this.#acts(stmt));
    if (first?.kind === "reserve" && this.#sure.has(first)) return [{ ...loop, body }];
    return [
      { ...loop, body: withStmts(body, [this.#reserve(num(behind + most), loop), ...body.stmts]) },
    ];
  }

  /** Whether the statement pushes. */
  #acts(stmt: Stmt): boolean {
    const { most, inLoop } = this.#pushes({ stmts: [stmt], result: [] });
    return most > 0 || inLoop;
  }

  #before(loop: For, each: number, behind: number): readonly Stmt[] {
    const b = new Builder(this.#names, loop.origin, true);
    const rounds = this.#rounds(loop, b);
    const own = each === 1 ? rounds : b.mul(num(each), rounds);
    const room = this.#reserve(behind === 0 ? own : b.add(own, num(behind)), loop);
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

  /** At least as many as there are; below 0 or no number where there are none. */
  #rounds({ from, to, test, step }: For, b: Builder): Atom {
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
// A tape that grows with each push is a `number[]`: every push asks how long it is, and may copy it. One with room is a `Float64Array`, and a push one store: a step
// of an LSTM takes 0.86 of the time, of the Lorenz equations 0.90, RK4 0.94. The check must not stand in the innermost loop, where the tape would be a variable that
// changes: the logistic map takes twice the time then. So the tape of a loop whose rounds nobody knows beforehand grows.
//
// A check in front of an innermost loop makes room for all of its rounds, and for what the bodies around it push behind it (`behind`); a body that pushes beside such
// loops makes room for its own pushes as each round begins. So a loop that is done leaves room for all that follows until the next check.
