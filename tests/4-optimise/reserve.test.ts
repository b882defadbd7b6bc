// Room on the tape. Oracle: the interpreter, which refuses a push for which a tape with room has none, and the function before the pass.

import { expect, it } from "vitest";
import { reserve } from "../../transformer/4-optimise/tapes/reserve.ts";
import { Builder, index, NUM, num } from "../../transformer/ir/build.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { Names } from "../../transformer/ir/names.ts";
import type {
  Atom,
  Body,
  For,
  Func,
  Home,
  Program,
  Type,
  Var,
} from "../../transformer/ir/types.ts";
import { walkStmts } from "../../transformer/ir/visit.ts";
import { randomFrom } from "./random-adjoint.ts";
import { seen } from "./same-meaning.ts";

const ORIGIN = { file: "", start: 0, end: 0 };
const NUMS: Type = { kind: "array", store: "Array", elem: NUM };
const TAPE: Var = { kind: "var", name: "tape", type: { kind: "tape", of: "num" } };
const XS: Var = { kind: "var", name: "xs", type: NUMS };
const PUSHED: Var = { kind: "var", name: "pushed", type: NUMS };
const BOUNDS: readonly Var[] = ["a", "b", "c"].map((name) => ({ kind: "var", name, type: NUM }));
const VALUES: readonly number[] = [0, 1, 2, 3, 7, -2, 2.5, -0.5, NaN];
const TESTS = ["<", "<=", ">", ">="] as const;

/** Loops in loops that push, a number of pushes counted in `pushed[0]`, and a loop that pops all of it into one sum. */
class Writer {
  readonly #random: () => number;
  readonly #names = new Names(["tape", "xs", "pushed", "a", "b", "c"]);

  constructor(random: () => number) {
    this.#random = random;
  }

  #pick<T>(list: readonly T[]): T {
    const one = list[Math.floor(this.#random() * list.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  }

  function(): Func {
    const b = this.#builder();
    b.emit({ kind: "let", bind: TAPE, expr: { kind: "newTape" } });
    b.stmts.push(...this.#body(3, []).stmts);
    const count = b.load("n", NUM, PUSHED, index(num(0)));
    const [k, sum, last, total] = ["k", "sum", "last", "total"].map((name): Var => ({
      kind: "var",
      name: this.#names.fresh(name),
      type: NUM,
    }));
    if (k === undefined || sum === undefined || last === undefined || total === undefined)
      throw new Error("names");
    const test = this.#builder();
    const body = this.#builder();
    const cond = test.op("gt", k, num(0));
    const next = body.add(body.mul(sum, num(3)), body.let("t", NUM, { kind: "pop", tape: TAPE }));
    b.emit({
      kind: "while",
      carried: [
        { param: k, init: count },
        { param: sum, init: num(0) },
      ],
      test: test.body([cond]),
      body: body.body([body.sub(k, num(1)), next]),
      binds: [last, total],
    });
    return {
      name: "f",
      home: "f",
      params: [XS, PUSHED, ...BOUNDS],
      result: NUM,
      body: b.body([total]),
      origin: ORIGIN,
    };
  }

  #builder(): Builder {
    return new Builder(this.#names, ORIGIN, false);
  }

  #body(depth: number, indices: readonly Atom[]): Body {
    const b = this.#builder();
    const count = 1 + Math.floor(this.#random() * 3);
    for (let i = 0; i < count; i++) {
      const what = this.#random();
      if (depth > 0 && what < 0.45) this.#for(b, depth, indices);
      else if (depth > 0 && what < 0.5) this.#while(b, depth, indices);
      else if (depth > 0 && what < 0.65) this.#if(b, depth, indices);
      else this.#push(b, indices);
    }
    return b.body();
  }

  #push(b: Builder, indices: readonly Atom[]): void {
    b.emit({ kind: "push", tape: TAPE, value: this.#pick([num(2), num(5), ...indices]) });
    b.store(PUSHED, index(num(0)), b.add(b.load("n", NUM, PUSHED, index(num(0))), num(1)));
  }

  #if(b: Builder, depth: number, indices: readonly Atom[]): void {
    const cond = b.op("gt", this.#pick([num(1), ...indices]), this.#pick([num(0), num(2)]));
    b.emit({
      kind: "if",
      cond,
      then: this.#body(depth - 1, indices),
      else: this.#random() < 0.5 ? { stmts: [], result: [] } : this.#body(depth - 1, indices),
      binds: [],
    });
  }

  #for(b: Builder, depth: number, indices: readonly Atom[]): void {
    const i: Var = { kind: "var", name: this.#names.fresh("i"), type: NUM };
    const length = b.let("n", NUM, { kind: "length", object: XS });
    const test = this.#pick(TESTS);
    const isUp = test === "<" || test === "<=";
    const bound = this.#pick<Atom>([...BOUNDS, length, length, num(3), ...indices]);
    const [from, to] = isUp
      ? [this.#pick([num(0), num(0), num(-1), length]), bound]
      : [this.#pick([length, num(4), ...indices]), this.#pick([num(0), ...BOUNDS])];
    const loop: Omit<For, "origin"> = {
      kind: "for",
      index: i,
      from,
      test,
      to,
      step: this.#pick([1, 1, 2, 3]) * (isUp ? 1 : -1),
      carried: [],
      body: this.#body(depth - 1, [...indices, i]),
      binds: [],
    };
    b.emit(loop);
  }

  #while(b: Builder, depth: number, indices: readonly Atom[]): void {
    const [k, last]: readonly Var[] = ["k", "last"].map((name) => ({
      kind: "var",
      name: this.#names.fresh(name),
      type: NUM,
    }));
    if (k === undefined || last === undefined) throw new Error("names");
    const test = this.#builder();
    const body = this.#builder();
    const cond = test.op("gt", k, num(0));
    body.stmts.push(...this.#body(depth - 1, indices).stmts);
    b.emit({
      kind: "while",
      carried: [{ param: k, init: num(2) }],
      test: test.body([cond]),
      body: body.body([body.sub(k, num(1))]),
      binds: [last],
    });
  }
}

const HOME: Home = {
  file: "main.ts",
  name: "f",
  at: 0,
  scope: "module",
  indent: "",
  origin: ORIGIN,
};

it("every push has room, whatever the bounds are", () => {
  let reserved = 0;
  let left = 0;
  let shared = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const random = randomFrom(seed);
    const func = new Writer(random).function();
    const program: Program = {
      stage: "ssa",
      funcs: new Map([["f", func]]),
      types: new Map(),
      homes: new Map([["f", HOME]]),
    };
    const after = reserve(func);
    assertValid({ ...program, funcs: new Map([["f", after]]) }, `seed ${seed}`);
    if (after === func) left++;
    else reserved++;
    let pushes = 0;
    let rooms = 0;
    walkStmts(after.body, ({ kind }) => {
      if (kind === "push") pushes++;
      else if (kind === "reserve") rooms++;
    });
    if (after !== func && pushes === 0) throw new Error(`seed ${seed}: room for nothing`);
    if (rooms > 0 && rooms < pushes) shared++;
    for (let call = 0; call < 6; call++) {
      const bounds = BOUNDS.map(() => VALUES[Math.floor(random() * VALUES.length)]);
      const size = Math.floor(random() * 4);
      const args = (): unknown[] => [Array.from({ length: size }, () => 1), [0], ...bounds];
      const [was, is] = [seen(program, func, args), seen(program, after, args)];
      expect(was.thrown, `seed ${seed}`).toBeNull();
      expect(is, `seed ${seed}, bounds ${bounds.join(", ")}, length ${size}`).toEqual(was);
    }
  }
  // otherwise little was tested
  expect(Math.min(reserved, left, shared)).toBeGreaterThan(30);
});
