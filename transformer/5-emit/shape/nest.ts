// Nests temporaries into the expressions that use them; turns branches with one value into
// `c ? a : b`. Input: an SSA body. Output: lines and nested values. Invariant: effects, and reads
// of memory that could see them, keep their order. No computation moves into a loop.

import { baseName } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type {
  Accum,
  Atom,
  Body,
  Expr,
  For,
  Func,
  If,
  Stmt,
  Type,
  Var,
  While,
} from "../../ir/types.ts";
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
import {
  BOUND,
  deferred,
  isCheap,
  isStorage,
  keepsLengths,
  nameOf,
  textWidth,
} from "../types/fit.ts";
import { lineReads, type Read, resultReads, type ParameterTypes, valueReads } from "../places.ts";
import { asDo, withCounter } from "./loop-heads.ts";
import { type Level, type Pending, Queue, WIDEST } from "./pending.ts";
import { toReturns } from "./returns.ts";
import { prune } from "./prune.ts";
import { reuseLoopFlags } from "./loop-flags.ts";
import { COMMUTES, COMPOUND } from "../assign.ts";
import { countUses, type Uses } from "./uses.ts";

/** The most uses of `x!` without a name for it. */
const MOST_REPEATED = 2;

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

export function nest(func: Func, types: Types, takes?: ParameterTypes): Code {
  const body = prune(reuseLoopFlags(earlyReturns(func.body, namesOf(func))));
  const nester = new Nester(types, countUses(body), keepsLengths(body), takes, arenasOf(body));
  const block = nester.block(body, null, true, [func.result]);
  return { block: toReturns(block, func.origin), nested: nester.nested };
}

/** The tape arenas that the function allocates. */
const arenasOf = ({ stmts }: Body): ReadonlySet<string> =>
  new Set(stmts.filter(isArena).flatMap((stmt) => stmtBinds(stmt).map(({ name }) => name)));

class Nester {
  readonly nested = new Map<string, Value>();
  readonly #queue = new Queue(this.nested);
  readonly #types: Types;
  readonly #takes: ParameterTypes | undefined;
  readonly #uses: Uses;
  /** Whether no statement of the function changes the length of an `Array`. */
  readonly #fixedLengths: boolean;
  /** Next values of a loop that are computed at the end of the iteration. */
  readonly #deferred = new Set<string>();
  /** By next value: the carried name that it is assigned to. */
  readonly #nextOf = new Map<string, string>();

  readonly #arenas: ReadonlySet<string>;

  constructor(
    types: Types,
    uses: Uses,
    fixedLengths: boolean,
    takes: ParameterTypes | undefined,
    arenas: ReadonlySet<string>,
  ) {
    this.#arenas = arenas;
    this.#types = types;
    this.#takes = takes;
    this.#uses = uses;
    this.#fixedLengths = fixedLengths;
  }

  /** `to`: the types of the names or the result that the block's results flow to. */
  block(body: Body, outer: Level | null, once: boolean, to: readonly Type[] = []): Block {
    const level: Level = { lines: [], pending: new Map(), outer, once };
    for (const stmt of body.stmts) this.#stmt(stmt, level);
    // several results are assigned in sequence, so a value with an effect must not be among them
    if (body.result.length > 1) this.#queue.flushWhere(level, (one) => one.effect.writes.size > 0);
    // const t = [a, b]; return t  ->  return [a, b], however long
    this.#take(level, resultReads(body.result, to, this.#types), NONE, {
      isAlone: body.result.length === 1,
    });
    this.#queue.flushWhere(level, () => true);
    return { lines: level.lines, result: body.result };
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
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
      case "accum":
        return this.#accum(stmt, level);
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
        return invariant(false, `statement ${stmt.kind} of the structured IR in emission`);
      default:
        return unreachable(stmt);
    }
  }

  /** `a[i] += v` reads `a[i]` before it computes v, so a v that writes `a[i]` goes before. */
  #accum(stmt: Accum, level: Level): void {
    const place: Effect = { reads: lineEffect(stmt, this.#types).writes, writes: NONE.writes };
    this.#queue.flushWhere(
      level,
      (one) =>
        one.bind.name === nameOf(stmt.value) &&
        conflict({ reads: NONE.reads, writes: one.effect.writes }, place),
    );
    this.#line(stmt, level);
  }

  #value(expr: Expr): Value {
    if (expr.kind !== "lambda") return expr;
    return {
      kind: "closure",
      params: expr.params,
      block: toReturns(this.block(expr.body, null, true), null),
    };
  }

  /** `inside`: the effect of values nested in it, such as branches of a choice. */
  #let(
    node: Pick<LetLine, "bind" | "origin" | "adjoint">,
    value: Value,
    level: Level,
    inside: Effect = NONE,
  ): void {
    const { bind, origin, adjoint } = node;
    if (value.kind === "rewind") this.nested.set(bind.name, value);
    if (this.#isRepeatable(bind, value)) return this.#repeat(bind, value, level);
    if (value.kind === "op" && value.op === "not") this.#nestTest(value.args[0], bind, level);
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
      this.#queue.add(level, {
        ...line,
        effect: union(effect, own),
        width: width + textWidth(value),
      });
    else level.lines.push(line);
  }

  /** `s1 = s + t; … s = s1` is printed `s += t`, so t is a whole right-hand side. */
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

  /** Whether the value may be nested, at the right position. */
  #mayWait(bind: Var, value: Value, adjoint: boolean): boolean {
    if (this.#uses.get(bind.name) !== 1 || bind.type.kind === "tape") return false;
    if (value.kind === "closure" || value.kind === "newTape" || value.kind === "rewind")
      return false;
    // not into `return`, before which the arena is given back
    if (value.kind === "call" && value.args.some((arg) => this.#arenas.has(nameOf(arg) ?? "")))
      return false;
    const base = baseName(bind.name);
    // a constructed result needs no name, whatever its name in the derivative
    return (
      base === "t" ||
      base.includes("$") ||
      (this.#deferred.has(bind.name) && value.kind === "op") ||
      (adjoint && (value.kind === "tuple" || value.kind === "call"))
    );
  }

  /** Whether the value is printed at each use: a fixed length, `x!`, or a test for null. */
  #isRepeatable(bind: Var, value: Value): boolean {
    if (value.kind === "length") return this.#isFixedLength(bind, value);
    if (value.kind !== "present" && value.kind !== "unwrap") return false;
    const object = value.value;
    if (object.kind !== "var" || !isUnnamed(bind) || this.nested.has(object.name)) return false;
    return value.kind === "present"
      ? this.#isUsedAgain(bind) && this.#isUsedAgain(object)
      : object.type.kind === "opt" && (this.#uses.get(bind.name) ?? 0) <= MOST_REPEATED;
  }

  #isFixedLength(bind: Var, value: Extract<Value, { kind: "length" }>): boolean {
    if (value.object.kind !== "var" || baseName(bind.name) !== "t") return false;
    const isFixed = this.#fixedLengths || isFree(ownEffect(value, this.#types));
    return isFixed && this.#isUsedAgain(value.object) && !this.nested.has(value.object.name);
  }

  #isUsedAgain({ name }: Var): boolean {
    return (this.#uses.get(name) ?? 0) > 1;
  }

  /** `x == null`, which is printed at each use. */
  #isOfTest(bind: Var, value: Value): boolean {
    const test =
      value.kind === "op" && value.op === "not" && value.args[0]?.kind === "var"
        ? this.nested.get(value.args[0].name)
        : undefined;
    return test?.kind === "present" && isUnnamed(bind) && this.#isUsedAgain(bind);
  }

  /** Nests a pending test for null, so that its negation can be printed at each use. */
  #nestTest(atom: Atom | undefined, bind: Var, level: Level): void {
    const test = level.pending.get(nameOf(atom) ?? "");
    if (
      test?.value.kind !== "present" ||
      test.value.value.kind !== "var" ||
      !this.#isUsedAgain(bind) ||
      !this.#isUsedAgain(test.value.value) ||
      this.nested.has(test.value.value.name)
    )
      return;
    level.pending.delete(test.bind.name);
    this.#repeat(test.bind, test.value, level);
  }

  /** Nests the value at each use, after its object has got a line. */
  #repeat(bind: Var, value: Value, level: Level): void {
    const from = valueReads(value, this.#types).map(({ atom }) => nameOf(atom));
    for (let at: Level | null = level; at !== null; at = at.outer)
      this.#queue.flushWhere(at, (one) => from.includes(one.bind.name));
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

  /** Whether the block has no lines, or one line that defines its only result. */
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
    this.#queue.fetch(level, { atom: stmt.to, place: "operand" });
    const bound = level.pending.get(nameOf(stmt.to) ?? "");
    const body = this.#body(stmt, level);
    const effect = blockEffect(body, this.nested, this.#types);
    const inits = initReads(stmt, this.#types);
    const ends: Read[] = [
      { atom: stmt.from, place: "operand" },
      { atom: stmt.to, place: "operand" },
    ];
    // each iteration computes the bound again, so it must be cheap and invariant
    if (
      bound !== undefined &&
      (bound.effect.writes.size > 0 ||
        conflict(bound.effect, effect) ||
        !isCheap(bound.value) ||
        bound.width > BOUND)
    ) {
      this.#queue.flushOne(level, bound);
    }
    this.#take(level, [...inits, ...ends], effect);
    const { kind, index, from, test, to, step, carried, binds, origin } = stmt;
    level.lines.push({ kind, index, from, test, to, step, carried, body, binds, origin });
  }

  #body(loop: For | While, level: Level): Block {
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
    const body = this.#body(stmt, level);
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

  /** Nests the pending values among `reads` into the line or value with effect `own`. */
  #take(
    level: Level,
    reads: readonly Read[],
    own: Effect,
    how?: { readonly waits?: boolean; readonly isAlone?: boolean },
  ): Pick<Pending, "effect" | "width"> {
    return this.#queue.take(level, reads, own, how);
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
