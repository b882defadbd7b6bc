// Puts temporaries back into the expressions that use them, and single-valued branches into `c ? a : b`. In: an ssa body.
// Out: lines and nested values. Invariant: every effect and every read of memory that could see it keep their order (a value
// waits in `pending` until its one use takes it, or until a line that conflicts with it flushes it); no work moves into a loop.

import { baseName } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, If, Stmt, Type, Var, While } from "../../ir/types.ts";
import { invariant } from "../../ir/invariant.ts";
import { isArena } from "../../ir/tapes.ts";
import { namesOf, stmtBinds, unreachable } from "../../ir/visit.ts";
import type { Block, Code, LetLine, Line, Value } from "../code.ts";
import {
  blockEffect,
  conflict,
  type Effect,
  isFree,
  lineEffect,
  NONE,
  ownEffect,
  union,
} from "./effects.ts";
import { earlyReturns } from "./early-returns.ts";
import { flattenThrows } from "./early-throw.ts";
import {
  BOUND,
  deferred,
  fits,
  isCheap,
  isStorage,
  keepsLengths,
  nameOf,
  textWidth,
} from "../types/fit.ts";
import { lineReads, type Read, resultReads, type Takes, valueReads } from "../places.ts";
import { toReturns } from "./returns.ts";
import { prune } from "./prune.ts";
import { standingFlags } from "./standing-flags.ts";
import { withCounter } from "./counter.ts";
import { asDo } from "./do-loop.ts";
import { COMMUTES, COMPOUND } from "../assign.ts";
import { countUses, type Uses } from "./uses.ts";

interface Pending extends LetLine {
  readonly effect: Effect;
  readonly width: number;
}

/** One block being built, inside its `outer` one. */
interface Level {
  readonly lines: Line[];
  /** Values that wait for their use, in order of definition. */
  pending: Pending[];
  readonly outer: Level | null;
  /** Whether the block runs at most once per run of the outer one. */
  readonly once: boolean;
}

/** How often `x!` is written in place of a name for it. */
const MOST_REPEATED = 2;

/** Characters beyond which an expression is not made any longer. */
const WIDEST = 88;

const initReads = ({ carried }: For | While, types: Types): readonly Read[] =>
  resultReads(
    carried.map(({ init }) => init),
    carried.map(({ param }) => param.type),
    types,
  );

const isUnnamed = ({ name }: Var): boolean => {
  const base = baseName(name);
  return base === "t" || base.includes("$");
};

export function nest(func: Func, types: Types, takes?: Takes): Code {
  const body = prune(standingFlags(earlyReturns(flattenThrows(func.body), namesOf(func))));
  const nester = new Nester(types, countUses(body), keepsLengths(body), takes, arenasOf(body));
  const block = nester.block(body, null, true, [func.result]);
  return { block: toReturns(block, func.origin), nested: nester.nested };
}

/** The arenas that the function has of its own. */
const arenasOf = ({ stmts }: Body): ReadonlySet<string> =>
  new Set(stmts.filter(isArena).flatMap((stmt) => stmtBinds(stmt).map(({ name }) => name)));

class Nester {
  readonly nested = new Map<string, Value>();
  readonly #types: Types;
  readonly #takes: Takes | undefined;
  readonly #uses: Uses;
  /** Whether nothing in the function can change the length of an `Array`. */
  readonly #fixedLengths: boolean;
  /** Next values that are computed where the round ends. */
  readonly #deferred = new Set<string>();
  /** By next value: what is carried, to which it is assigned. */
  readonly #nextOf = new Map<string, string>();

  readonly #arenas: ReadonlySet<string>;

  constructor(
    types: Types,
    uses: Uses,
    fixedLengths: boolean,
    takes: Takes | undefined,
    arenas: ReadonlySet<string>,
  ) {
    this.#arenas = arenas;
    this.#types = types;
    this.#takes = takes;
    this.#uses = uses;
    this.#fixedLengths = fixedLengths;
  }

  /** `to`: the types of what takes its results. */
  block(body: Body, outer: Level | null, once: boolean, to: readonly Type[] = []): Block {
    const level: Level = { lines: [], pending: [], outer, once };
    for (const stmt of body.stmts) this.#stmt(stmt, level);
    // several results are assigned one after the other, so what acts among them must not wait
    if (body.result.length > 1) this.#flushWhere(level, (one) => one.effect.writes.size > 0);
    // const t = [a, b]; return t  ->  return [a, b]: a name for what is alone on its line makes that no shorter
    this.#take(level, resultReads(body.result, to, this.#types), NONE, {
      isAlone: body.result.length === 1,
    });
    this.#flushWhere(level, () => true);
    return { lines: level.lines, result: body.result };
  }

  #stmt(stmt: Stmt, level: Level): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, this.#value(stmt.expr), level);
      case "store":
      case "append":
      case "fill":
      case "push":
      case "reserve":
      case "throw":
        return this.#line(stmt, level);
      // reads the place before the value is computed
      case "accum": {
        const place: Effect = { reads: lineEffect(stmt, this.#types).writes, writes: NONE.writes };
        this.#flushWhere(
          level,
          (one) =>
            one.bind.name === nameOf(stmt.value) &&
            conflict({ reads: NONE.reads, writes: one.effect.writes }, place),
        );
        return this.#line(stmt, level);
      }
      case "if":
        return this.#if(stmt, level);
      case "for":
        return this.#for(stmt, level);
      case "while":
        return this.#while(stmt, level);
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        return invariant(false, `raw statement ${stmt.kind} in emission`);
      default:
        return unreachable(stmt);
    }
  }

  #value(expr: Expr): Value {
    if (expr.kind !== "lambda") return expr;
    return {
      kind: "closure",
      params: expr.params,
      block: toReturns(this.block(expr.body, null, true), null),
    };
  }

  /** `inside`: what values already nested in it do (the branches of a choice). */
  #let(
    node: Pick<LetLine, "bind" | "origin" | "adjoint">,
    value: Value,
    level: Level,
    inside: Effect = NONE,
  ): void {
    const { bind, origin, adjoint } = node;
    if (value.kind === "rewind") this.nested.set(bind.name, value);
    if (this.#isRepeatable(bind, value)) return this.#repeat(bind, value, level);
    if (value.kind === "op" && value.op === "not") this.#fetchTest(value.args[0], bind, level);
    if (this.#isOfTest(bind, value)) return this.#repeat(bind, value, level);
    const own = union(ownEffect(value, this.#types), inside);
    const waits = this.#mayWait(bind, value, adjoint === true);
    const reads = this.#assigned(
      bind,
      value,
      valueReads(value, this.#types, bind.type, this.#takes),
    );
    const { effect, width } = this.#take(level, reads, own, { waits });
    const line: LetLine = {
      kind: "let",
      bind,
      value,
      origin,
      ...(adjoint === true ? { adjoint } : {}),
    };
    if (waits)
      level.pending.push({ ...line, effect: union(effect, own), width: width + textWidth(value) });
    else level.lines.push(line);
  }

  /** `s1 = s + t; … s = s1` is written `s += t`, where t stands alone. */
  #assigned({ name }: Var, value: Value, reads: readonly Read[]): readonly Read[] {
    const carried = this.#nextOf.get(name);
    if (carried === undefined || value.kind !== "op" || !COMPOUND.has(value.op)) return reads;
    const [first, second] = reads;
    if (first === undefined || second === undefined) return reads;
    if (nameOf(first.atom) === carried) return [first, { ...second, place: "whole" }];
    return nameOf(second.atom) === carried && COMMUTES.has(value.op)
      ? [{ ...first, place: "whole" }, second]
      : reads;
  }

  #line(line: Exclude<Line, { kind: "if" | "for" | "while" | "return" }>, level: Level): void {
    this.#take(level, lineReads(line, this.#types), lineEffect(line, this.#types));
    level.lines.push(line);
  }

  /** Whether a value may be nested at all, into the right place. */
  #mayWait(bind: Var, value: Value, adjoint: boolean): boolean {
    if (this.#uses.get(bind.name) !== 1 || bind.type.kind === "tape") return false;
    if (value.kind === "closure" || value.kind === "newTape" || value.kind === "rewind")
      return false;
    // not in the `return`, before which the arena is given back
    if (value.kind === "call" && value.args.some((arg) => this.#arenas.has(nameOf(arg) ?? "")))
      return false;
    const base = baseName(bind.name);
    // a packed result needs no name, whatever differentiation calls it
    return (
      base === "t" ||
      base.includes("$") ||
      (this.#deferred.has(bind.name) && value.kind === "op") ||
      (adjoint && (value.kind === "tuple" || value.kind === "call"))
    );
  }

  /** The length of a named array that never changes, what is there for certain, and whether something is there, is written wherever it is used. */
  #isRepeatable(bind: Var, value: Value): boolean {
    if (value.kind === "present" && value.value.kind === "var")
      return (
        isUnnamed(bind) &&
        !this.nested.has(value.value.name) &&
        this.#isUsedAgain(bind) &&
        this.#isUsedAgain(value.value)
      );
    if (value.kind === "unwrap" && value.value.kind === "var" && value.value.type.kind === "opt")
      return (
        isUnnamed(bind) &&
        !this.nested.has(value.value.name) &&
        (this.#uses.get(bind.name) ?? 0) <= MOST_REPEATED
      );
    if (value.kind !== "length" || value.object.kind !== "var" || baseName(bind.name) !== "t")
      return false;
    const isFixed = this.#fixedLengths || isFree(ownEffect(value, this.#types));
    return isFixed && this.#isUsedAgain(value.object) && !this.nested.has(value.object.name);
  }

  #isUsedAgain({ name }: Var): boolean {
    return (this.#uses.get(name) ?? 0) > 1;
  }

  /** `x == null`, as often as it is asked for. */
  #isOfTest(bind: Var, value: Value): boolean {
    const test =
      value.kind === "op" && value.op === "not" && value.args[0]?.kind === "var"
        ? this.nested.get(value.args[0].name)
        : undefined;
    return test?.kind === "present" && isUnnamed(bind) && this.#isUsedAgain(bind);
  }

  /** A test of what is named, for whose opposite alone it stands. */
  #fetchTest(atom: Atom | undefined, bind: Var, level: Level): void {
    const test = level.pending.find((one) => one.bind.name === nameOf(atom));
    if (
      test?.value.kind !== "present" ||
      test.value.value.kind !== "var" ||
      !this.#isUsedAgain(bind) ||
      !this.#isUsedAgain(test.value.value) ||
      this.nested.has(test.value.value.name)
    )
      return;
    level.pending = level.pending.filter((one) => one !== test);
    this.#repeat(test.bind, test.value, level);
  }

  /** What it is read from is a line by then. */
  #repeat(bind: Var, value: Value, level: Level): void {
    const from = valueReads(value, this.#types).map(({ atom }) => nameOf(atom));
    for (let at: Level | null = level; at !== null; at = at.outer)
      for (const one of [...at.pending]) if (from.includes(one.bind.name)) this.#flushOne(at, one);
    this.nested.set(bind.name, value);
  }

  #if(stmt: If, level: Level): void {
    const { binds } = stmt;
    const to = binds.map(({ type }) => type);
    const then = this.block(stmt.then, level, true, to);
    const other = this.block(stmt.else, level, true, to);
    const choice = this.#choice(stmt, binds, then, other);
    const effect = union(
      blockEffect(then, this.nested, this.#types),
      blockEffect(other, this.nested, this.#types),
    );
    if (choice !== null)
      return this.#let({ bind: choice.bind, origin: stmt.origin }, choice.value, level, effect);
    this.#take(level, [{ atom: stmt.cond, place: "whole" }], effect);
    level.lines.push({
      kind: "if",
      cond: stmt.cond,
      then,
      else: other,
      binds,
      origin: stmt.origin,
    });
  }

  /** `if c -> (y) { yield a } else { yield b }  ->  y = c ? a : b` */
  #choice(
    stmt: If,
    binds: readonly Var[],
    then: Block,
    other: Block,
  ): { bind: Var; value: Value } | null {
    const [bind, more] = binds;
    const [x, z] = [then.result[0], other.result[0]];
    if (bind === undefined || more !== undefined || x === undefined || z === undefined) return null;
    if (x.kind === "undef" || z.kind === "undef" || bind.type.kind === "tape") return null;
    const only = [...then.lines, ...other.lines];
    if (!this.#isSimple(then) || !this.#isSimple(other)) return null;
    const width =
      [x, z].reduce((sum, atom) => sum + this.#widthOf(atom), 0) +
      only.reduce((sum, line) => sum + (line.kind === "let" ? this.#treeWidth(line.value) : 0), 0);
    if (width > WIDEST) return null;
    for (const line of only) if (line.kind === "let") this.nested.set(line.bind.name, line.value);
    return { bind, value: { kind: "choose", cond: stmt.cond, then: x, else: z } };
  }

  /** No lines, or one let that is the block's result and nothing else. */
  #isSimple(block: Block): boolean {
    const [line, more] = block.lines;
    if (line === undefined) return true;
    return (
      more === undefined &&
      line.kind === "let" &&
      line.bind.name === nameOf(block.result[0]) &&
      this.#uses.get(line.bind.name) === 1 &&
      !isStorage(line.value) &&
      line.bind.type.kind !== "tape"
    );
  }

  #for(stmt: For, level: Level): void {
    this.#fetch(level, { atom: stmt.to, place: "operand" });
    const bound = level.pending.find((one) => one.bind.name === nameOf(stmt.to));
    const body = this.#round(stmt, level);
    const effect = blockEffect(body, this.nested, this.#types);
    const inits = initReads(stmt, this.#types);
    const ends: Read[] = [
      { atom: stmt.from, place: "operand" },
      { atom: stmt.to, place: "operand" },
    ];
    // the bound is computed again in each round: only if that is cheap and gives the same
    if (
      bound !== undefined &&
      (bound.effect.writes.size > 0 ||
        conflict(bound.effect, effect) ||
        !isCheap(bound.value) ||
        bound.width > BOUND)
    ) {
      this.#flushOne(level, bound);
    }
    this.#take(level, [...inits, ...ends], effect);
    const { kind, index, from, test, to, step, carried, binds, origin } = stmt;
    level.lines.push({ kind, index, from, test, to, step, carried, body, binds, origin });
  }

  #round(loop: For | While, level: Level): Block {
    for (const name of deferred(loop, this.#uses)) this.#deferred.add(name);
    loop.carried.forEach(({ param }, i) => {
      const next = nameOf(loop.body.result[i]);
      if (next !== null) this.#nextOf.set(next, param.name);
    });
    return this.block(
      loop.body,
      level,
      false,
      loop.carried.map(({ param }) => param.type),
    );
  }

  #while(stmt: While, level: Level): void {
    const test = this.block(stmt.test, level, false);
    const body = this.#round(stmt, level);
    const effect = union(
      blockEffect(test, this.nested, this.#types),
      blockEffect(body, this.nested, this.#types),
    );
    this.#take(level, initReads(stmt, this.#types), effect);
    const { kind, carried, binds, origin } = stmt;
    level.lines.push(
      withCounter(
        asDo({ kind, first: "test", carried, test, body, binds, origin }, this.nested, this.#uses),
        this.nested,
        this.#uses,
      ),
    );
  }

  // ------------------------------------------------------------------------------------------------ the waiting list

  /**
   * Nests the pending values among `reads` (in order of evaluation) into the line or value that is being made, and flushes
   * what it would overtake. A value that itself `waits` overtakes nothing yet.
   */
  #take(
    level: Level,
    reads: readonly Read[],
    own: Effect,
    { waits = false, isAlone = false } = {},
  ): { effect: Effect; width: number } {
    for (const read of reads) this.#fetch(level, read);
    this.#flushWhere(level, (one) =>
      reads.some((read) => nameOf(read.atom) === one.bind.name && !fits(one, read.place)),
    );
    if (!isAlone) this.#fitWidth(level, reads);
    let taken = this.#orderedTaken(level, reads);
    if (waits) {
      // before  u = g(); v = a[i]; s = u + 1; … v … s   u must not fall behind v
      this.#flushWhere(
        level,
        (one) =>
          taken.includes(one) &&
          level.pending
            .slice(level.pending.indexOf(one) + 1)
            .some((v) => !taken.includes(v) && conflict(one.effect, v.effect)),
      );
    } else {
      this.#flushWhere(
        level,
        (one) =>
          !taken.includes(one) &&
          (conflict(one.effect, own) ||
            taken.some(
              (u) =>
                level.pending.indexOf(u) > level.pending.indexOf(one) &&
                conflict(one.effect, u.effect),
            )),
      );
    }
    taken = taken.filter((one) => level.pending.includes(one));
    for (const one of taken) this.nested.set(one.bind.name, one.value);
    level.pending = level.pending.filter((one) => !taken.includes(one));
    return {
      effect: union(...taken.map((one) => one.effect)),
      width: taken.reduce((sum, one) => sum + one.width, 0),
    };
  }

  /** A value pending in an outer block: taken along if it is pure and no loop is entered, else made a line there. */
  #fetch(level: Level, read: Read): void {
    const name = nameOf(read.atom);
    let once = level.once;
    for (let outer = level.outer; outer !== null; outer = outer.outer) {
      const found = outer.pending.find((one) => one.bind.name === name);
      if (found !== undefined) {
        if (once && isFree(found.effect) && !isStorage(found.value)) {
          outer.pending = outer.pending.filter((one) => one !== found);
          level.pending.push(found);
        } else this.#flushOne(outer, found);
        return;
      }
      once &&= outer.once;
    }
  }

  /** Those of `reads` that are pending and are evaluated in the order in which they were defined; others are flushed. */
  #orderedTaken(level: Level, reads: readonly Read[]): Pending[] {
    const taken: Pending[] = [];
    for (const read of reads) {
      const one = level.pending.find((pending) => pending.bind.name === nameOf(read.atom));
      if (one !== undefined) taken.push(one);
    }
    const late = taken.filter((one, i) =>
      taken
        .slice(0, i)
        .some(
          (before) =>
            level.pending.indexOf(before) > level.pending.indexOf(one) &&
            conflict(before.effect, one.effect),
        ),
    );
    for (const one of late) this.#flushOne(level, one);
    return taken.filter((one) => level.pending.includes(one));
  }

  /** Flushes the widest values until what is left is readable on one line. */
  #fitWidth(level: Level, reads: readonly Read[]): void {
    const own = (): Pending[] =>
      level.pending.filter((one) => reads.some((read) => nameOf(read.atom) === one.bind.name));
    for (let all = own(); all.reduce((sum, one) => sum + one.width, 0) > WIDEST; all = own()) {
      const widest = all.reduce((a, b) => (b.width > a.width ? b : a));
      this.#flushOne(level, widest);
    }
  }

  #flushWhere(level: Level, which: (one: Pending) => boolean): void {
    for (const one of [...level.pending])
      if (level.pending.includes(one) && which(one)) this.#flushOne(level, one);
  }

  /** Makes a pending value a line, after those defined before it that it must not overtake. */
  #flushOne(level: Level, one: Pending): void {
    if (!level.pending.includes(one)) return;
    const before = level.pending
      .slice(0, level.pending.indexOf(one))
      .filter((other) => conflict(other.effect, one.effect));
    level.pending = level.pending.filter((other) => other !== one);
    for (const other of before) {
      // it stood before `one` and stays there
      this.#flushOne(level, other);
    }
    const { kind, bind, value, origin, adjoint } = one;
    level.lines.push({ kind, bind, value, origin, ...(adjoint === true ? { adjoint } : {}) });
  }

  #widthOf(atom: Atom): number {
    const value = atom.kind === "var" ? this.nested.get(atom.name) : undefined;
    return value === undefined ? 0 : this.#treeWidth(value);
  }

  #treeWidth(value: Value): number {
    return (
      textWidth(value) +
      valueReads(value, this.#types).reduce((sum, read) => sum + this.#widthOf(read.atom), 0)
    );
  }
}
