// Room on the tape, made in front of the loop that fills it, so that a push is a store and nothing else. In: an ssa function that is not differentiated any more.
// Out: the same meaning. Note [Reservations].
//   for i { …; push tape x; push tape y }   ->   reserve tape 2 * n; for i { … }
// Invariant: all pushes to a tape have room, or none is made.

import { Builder, num } from "../ir/build.ts";
import type { Names } from "../ir/names.ts";
import { withStmts } from "../ir/rebuilt.ts";
import { keptTapes } from "../ir/tapes.ts";
import type { Atom, Body, For, Func, Stmt, Var, While } from "../ir/types.ts";
import { mapBodies, namesOf, stmtBodies } from "../ir/visit.ts";
import { isNumber } from "./atoms.ts";
import { isInteger, type Numbers, numbersOf } from "./rounds.ts";

/** A loop of known bounds that pushes less is part of the body around it. */
const SMALL = 64;

/** Room that is made and not used, at most, as a multiple of what is. */
const MOST_WASTE = 4;

export const reserve = (func: Func): Func =>
  keptTapes(func).reduce((current, tape) => (tape.type.kind === "tape" && tape.type.of === "num" && canReserve(func.body, tape) ? { ...current, body: new Reservations(current, tape).function() } : current), func);

/** Pushes of one run of a body, its loops aside. */
interface Pushes {
  readonly least: number;
  readonly most: number;
}

function pushesOf({ stmts }: Body, tape: Var): Pushes {
  let least = 0, most = 0;
  for (const stmt of stmts) {
    const [first, second] = stmtBodies(stmt).map((body) => pushesOf(body, tape));
    if (stmt.kind === "push" && stmt.tape.kind === "var" && stmt.tape.name === tape.name) { least++; most++; }
    if (stmt.kind === "if" && first !== undefined && second !== undefined) { least += Math.min(first.least, second.least); most += Math.max(first.most, second.most); }
    const rounds = smallRounds(stmt, tape);
    if (rounds !== null && first !== undefined) { least += rounds * first.least; most += rounds * first.most; }
  }
  return { least, most };
}

/** The rounds of a loop between constants. */
function roundsOf({ from, to, test, step }: For): number | null {
  if (!isNumber(from) || !isNumber(to)) return null;
  const distance = (step > 0 ? to.value - from.value : from.value - to.value) / Math.abs(step);
  return Math.max(0, test === "<" || test === ">" ? Math.ceil(distance) : Math.floor(distance) + 1);
}

/** The rounds of a small loop; null for any other statement. */
function smallRounds(stmt: Stmt, tape: Var): number | null {
  const rounds = stmt.kind === "for" ? roundsOf(stmt) : null;
  return stmt.kind === "for" && rounds !== null && !hasLoop(stmt.body, tape) && rounds * pushesOf(stmt.body, tape).most <= SMALL ? rounds : null;
}

const isSmall = (stmt: Stmt, tape: Var): boolean => smallRounds(stmt, tape) !== null;

/** Whether a loop in the body, not a small one, pushes to the tape. */
const hasLoop = (body: Body, tape: Var): boolean =>
  body.stmts.some((stmt) => !isSmall(stmt, tape) && stmtBodies(stmt).some((inner) => hasLoop(inner, tape) || (stmt.kind !== "if" && pushesOf(inner, tape).most > 0)));

/** Whether each loop that pushes is counted, or pushes little beside the loops in it. */
function canReserve(body: Body, tape: Var): boolean {
  return body.stmts.every((stmt) => {
    if (isSmall(stmt, tape)) return true;
    const { least, most } = stmt.kind === "for" || stmt.kind === "while" ? pushesOf(stmt.body, tape) : { least: 0, most: 0 };
    if (stmt.kind === "while" && pushesOf(stmt.test, tape).most > 0) return false;
    const fits = most === 0 || stmtBodies(stmt).some((inner) => hasLoop(inner, tape)) || (stmt.kind === "for" && most <= MOST_WASTE * least);
    return fits && stmtBodies(stmt).every((inner) => canReserve(inner, tape));
  });
}

class Reservations {
  readonly #func: Func;
  readonly #tape: Var;
  readonly #names: Names;
  readonly #numbers: Numbers;
  /** Those that make the room they say at least, because the loop's bound is not below 0. */
  readonly #sure = new Set<Stmt>();

  constructor(func: Func, tape: Var) {
    this.#func = func;
    this.#tape = tape;
    this.#names = namesOf(func);
    this.#numbers = numbersOf(func);
  }

  function(): Body {
    const { body } = this.#func;
    const own = pushesOf(body, this.#tape).most;
    const { stmts } = this.#body(body, own);
    const at = stmts.findIndex((stmt) => stmt.kind === "let" && stmt.bind.name === this.#tape.name);
    return withStmts(body, own === 0 ? stmts : stmts.toSpliced(at + 1, 0, this.#reserve(num(own), stmts[at])));
  }

  #reserve(count: Atom, { origin }: Pick<Stmt, "origin"> = this.#func): Stmt {
    return { kind: "reserve", tape: this.#tape, count, origin, adjoint: true };
  }

  /** `behind`: what the bodies around may still push when a loop in this one is done. */
  #body(body: Body, behind: number): Body {
    return withStmts(body, body.stmts.flatMap((stmt) => {
      if (isSmall(stmt, this.#tape)) return [stmt];
      return stmt.kind === "for" || stmt.kind === "while" ? this.#loop(stmt, behind) : [mapBodies(stmt, (inner) => this.#body(inner, behind))];
    }));
  }

  #loop(loop: For | While, behind: number): readonly Stmt[] {
    const { most } = pushesOf(loop.body, this.#tape);
    const isInnermost = !hasLoop(loop.body, this.#tape);
    if (most > 0 && isInnermost && loop.kind === "for") return [...this.#before(loop, most, behind), loop];
    if (most === 0) return [mapBodies(loop, (body) => this.#body(body, behind))];
    const body = this.#body(loop.body, behind + most);
    // the loop that comes first makes room for the rest of the body as well
    const first = body.stmts.find((stmt) => stmt.kind === "reserve" || this.#acts(stmt));
    if (first?.kind === "reserve" && this.#sure.has(first)) return [{ ...loop, body }];
    return [{ ...loop, body: withStmts(body, [this.#reserve(num(behind + most), loop), ...body.stmts]) }];
  }

  /** Whether the statement pushes. */
  #acts(stmt: Stmt): boolean {
    const alone: Body = { stmts: [stmt], result: [] };
    return pushesOf(alone, this.#tape).most > 0 || hasLoop(alone, this.#tape);
  }

  #before(loop: For, each: number, behind: number): readonly Stmt[] {
    const b = new Builder(this.#names, loop.origin, true);
    const rounds = this.#rounds(loop, b);
    const own = each === 1 ? rounds : b.mul(num(each), rounds);
    const room = this.#reserve(behind === 0 ? own : b.add(own, num(behind)), loop);
    if (loop.test === "<" && isNumber(loop.from) && loop.from.value === 0 && this.#isLength(loop.to)) this.#sure.add(room);
    return [...b.stmts, room];
  }

  #isLength(atom: Atom): boolean {
    return atom.kind === "var" && this.#numbers.definitions.get(atom.name)?.kind === "length";
  }

  /** At least as many as there are; below 0 or no number where there are none. */
  #rounds({ from, to, test, step }: For, b: Builder): Atom {
    const isUp = step > 0, isStrict = test === "<" || test === ">";
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
