// Random raw programs for the passes that lower control flow. In: a seed. Out: a Program of stage "raw" whose function `f` takes
// (x, y, a, log): two numbers, an array that it reads and writes, an array that it appends to, so that order is seen.
// Invariant: every loop ends; indices stay within 4 elements.

import { bool, Builder, index, num, NUM, VOID } from "../../transformer/ir/build.ts";
import { Names } from "../../transformer/ir/names.ts";
import type { ScalarOp } from "../../transformer/ir/ops.ts";
import type { Atom, Body, Origin, Program, Type, Var } from "../../transformer/ir/types.ts";

const ORIGIN: Origin = { file: "random.ts", start: 0, end: 0 };
const NUMS: Type = { kind: "array", store: "Array", elem: NUM };
const variable = (name: string, type: Type): Var => ({ kind: "var", name, type });

/** mulberry32: a small generator with a full period of 2^32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
  };
}

/** What is in scope: names bound once, variables, and the labels that can be left. */
interface Scope {
  readonly values: Atom[];
  readonly variables: Var[];
  readonly loops: readonly string[];
  readonly blocks: readonly string[];
  /** Scopes whose `return` takes a value. */
  readonly returns: readonly string[];
  readonly depth: number;
}

class Generator {
  readonly #random: () => number;
  readonly #names = new Names(["x", "y", "a", "log"]);
  #labels = 0;
  /** Statements that may still be made. */
  #fuel = 45;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }
  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#below(items.length)];
  }
  #label(): string {
    return `L${this.#labels++}`;
  }
  builder(): Builder {
    return new Builder(this.#names, ORIGIN, false);
  }

  #inner(scope: Scope, more: Partial<Scope> = {}): Scope {
    return {
      ...scope,
      values: [...scope.values],
      variables: [...scope.variables],
      depth: scope.depth + 1,
      ...more,
    };
  }

  #value(scope: Scope): Atom {
    const all: readonly Atom[] = [...scope.values, ...scope.variables, num(this.#below(5) - 1)];
    return this.#pick(all) ?? num(1);
  }

  #cond(b: Builder, scope: Scope): Atom {
    return b.op(
      this.#pick<ScalarOp>(["lt", "ge", "eq"]) ?? "lt",
      this.#value(scope),
      this.#value(scope),
    );
  }

  /** A number of small size, so that sums stay exact. */
  #computed(b: Builder, scope: Scope): Atom {
    const wide = b.op(
      this.#pick<ScalarOp>(["add", "sub", "mul", "max"]) ?? "add",
      this.#value(scope),
      this.#value(scope),
    );
    return this.#random() < 0.5 ? b.op("mod", wide, num(7)) : wide;
  }

  block(b: Builder, scope: Scope): void {
    for (let n = 1 + this.#below(scope.depth === 0 ? 7 : 4); n > 0 && this.#fuel > 0; n--)
      this.#stmt(b, scope);
  }

  #nested(scope: Scope): Body {
    const b = this.builder();
    this.block(b, scope);
    return b.body();
  }

  #stmt(b: Builder, scope: Scope): void {
    this.#fuel--;
    const roll = this.#below(20);
    if (roll < 3) this.#declare(b, scope);
    else if (roll < 7) this.#assign(b, scope);
    else if (roll < 8)
      scope.values.push(b.let("c", NUM, { kind: "copy", atom: this.#value(scope) }));
    else if (roll < 9)
      b.emit({ kind: "append", object: variable("log", NUMS), value: this.#value(scope) });
    else if (roll < 10)
      b.store(variable("a", NUMS), index(num(this.#below(4))), this.#value(scope));
    else if (roll < 11)
      scope.values.push(b.load("e", NUM, variable("a", NUMS), index(num(this.#below(4)))));
    else if (roll < 14) this.#exit(b, scope);
    else if (scope.depth > 4) this.#assign(b, scope);
    else if (roll < 17) this.#if(b, scope);
    else if (roll < 18) this.#scope(b, scope);
    else this.#loop(b, scope);
  }

  #declare(b: Builder, scope: Scope): void {
    const made = variable(this.#names.fresh(this.#pick(["s", "u", "v"]) ?? "s"), NUM);
    b.emit({ kind: "declare", variable: made, init: this.#computed(b, scope) });
    scope.variables.push(made);
  }

  #assign(b: Builder, scope: Scope): void {
    const target = this.#pick(scope.variables);
    if (target !== undefined)
      b.emit({ kind: "assign", variable: target, value: this.#computed(b, scope) });
  }

  #exit(b: Builder, scope: Scope): void {
    const value = this.#value(scope);
    const then = this.builder();
    const label = (labels: readonly string[]): string | undefined => this.#pick(labels);
    const roll = this.#below(10);
    const loop = label(scope.loops);
    const block = label(scope.blocks);
    const closure = label(scope.returns);
    if (roll < 3 && loop !== undefined) then.emit({ kind: "break", label: loop });
    else if (roll < 6 && loop !== undefined) then.emit({ kind: "continue", label: loop });
    else if (roll < 7 && block !== undefined) then.emit({ kind: "break", label: block });
    else if (roll < 8 && closure !== undefined)
      then.emit({ kind: "return", label: closure, value });
    else if (roll < 9) then.emit({ kind: "return", label: "f", value });
    else then.emit({ kind: "throw", value });
    if (this.#below(12) === 0) {
      for (const stmt of then.stmts) b.stmts.push(stmt);
      return;
    }
    const cond = this.#cond(b, scope);
    const orElse = this.#below(3) === 0 ? this.#nested(this.#inner(scope)) : this.builder().body();
    const exits = then.body();
    b.emit({
      kind: "if",
      cond,
      binds: [],
      ...(this.#below(2) === 0 ? { then: exits, else: orElse } : { then: orElse, else: exits }),
    });
  }

  #if(b: Builder, scope: Scope): void {
    const cond = this.#cond(b, scope);
    const onThen = this.#nested(this.#inner(scope));
    const onElse = this.#below(2) === 0 ? this.#nested(this.#inner(scope)) : this.builder().body();
    if (this.#below(3) > 0) {
      b.emit({ kind: "if", cond, then: onThen, else: onElse, binds: [] });
      return;
    }
    const joined = variable(this.#names.fresh("t"), NUM);
    b.emit({
      kind: "if",
      cond,
      then: { ...onThen, result: [this.#value(scope)] },
      else: { ...onElse, result: [this.#value(scope)] },
      binds: [joined],
    });
    scope.values.push(joined);
  }

  #scope(b: Builder, scope: Scope): void {
    const label = this.#label();
    if (this.#below(2) === 0) {
      b.emit({
        kind: "scope",
        label,
        bind: null,
        body: this.#nested(this.#inner(scope, { blocks: [...scope.blocks, label] })),
      });
      return;
    }
    const inside = this.#inner(scope, { returns: [...scope.returns, label] });
    const body = this.builder();
    this.block(body, inside);
    body.emit({ kind: "return", label, value: this.#value(inside) });
    const bind = variable(this.#names.fresh("t"), NUM);
    b.emit({ kind: "scope", label, bind, body: body.body() });
    scope.values.push(bind);
  }

  #loop(b: Builder, scope: Scope): void {
    const label = this.#label();
    const loops = [...scope.loops, label];
    if (this.#below(2) === 0) {
      const at = variable(this.#names.fresh("i"), NUM);
      const up = this.#below(2) === 0;
      const body = this.#nested(this.#inner(scope, { loops, values: [...scope.values, at] }));
      const range = up
        ? { from: num(0), test: "<" as const, to: num(this.#below(4)), step: 1 }
        : { from: num(3), test: ">=" as const, to: num(0), step: -2 };
      b.emit({
        kind: "loop",
        label,
        update: null,
        loop: { kind: "for", index: at, ...range, carried: [], binds: [], body, origin: ORIGIN },
      });
      return;
    }
    this.#while(b, this.#inner(scope, { loops }), label);
  }

  /** A loop that counts its rounds in the test or at the start of the body, where no `continue` skips it. */
  #while(b: Builder, scope: Scope, label: string): void {
    const rounds = variable(this.#names.fresh("k"), NUM);
    b.emit({ kind: "declare", variable: rounds, init: num(0) });
    const count = (on: Builder): void => {
      on.emit({ kind: "assign", variable: rounds, value: on.add(rounds, num(1)) });
    };
    const form = this.#below(4);
    const test = this.builder();
    const body = this.builder();
    let go: Atom = bool(true);
    if (form === 1) count(test);
    if (form === 2) test.emit({ kind: "append", object: variable("log", NUMS), value: rounds });
    if (form !== 3) go = test.op("lt", rounds, num(1 + this.#below(3)));
    if (form !== 1) count(body);
    if (form === 3) {
      const enough = body.op("gt", rounds, num(this.#below(4)));
      body.emit({
        kind: "if",
        cond: enough,
        then: { stmts: [{ kind: "break", label, origin: ORIGIN }], result: [] },
        else: { stmts: [], result: [] },
        binds: [],
      });
    }
    this.block(
      body,
      this.#inner(scope, { values: [...scope.values, rounds], variables: [...scope.variables] }),
    );
    const update = this.#below(2) === 0 ? this.builder() : null;
    if (update !== null) this.#assign(update, scope);
    const loop = {
      kind: "while" as const,
      carried: [],
      binds: [],
      test: test.body([go]),
      body: body.body(),
      origin: ORIGIN,
    };
    b.emit({ kind: "loop", label, loop, update: update?.body() ?? null });
  }
}

export function randomRaw(seed: number): Program {
  const generator = new Generator(seed);
  const params = [
    variable("x", NUM),
    variable("y", NUM),
    variable("a", NUMS),
    variable("log", NUMS),
  ];
  const b = generator.builder();
  const scope: Scope = {
    values: [variable("x", NUM), variable("y", NUM)],
    variables: [],
    loops: [],
    blocks: [],
    returns: [],
    depth: 0,
  };
  const voided = seed % 7 === 0;
  generator.block(b, scope);
  const last = scope.variables.at(-1) ?? num(0);
  if (!voided) b.emit({ kind: "return", label: "f", value: last });
  const body: Body = voided ? withoutValues(b.body()) : b.body();
  const func = { name: "f", home: "f", params, result: voided ? VOID : NUM, body, origin: ORIGIN };
  const home = {
    file: "random.ts",
    name: "f",
    at: 0,
    scope: "module" as const,
    indent: "",
    origin: ORIGIN,
  };
  return {
    stage: "raw",
    funcs: new Map([["f", func]]),
    types: new Map(),
    homes: new Map([["f", home]]),
  };
}

/** The body of a function that returns nothing. */
function withoutValues(body: Body): Body {
  return {
    ...body,
    stmts: body.stmts.map((stmt) => {
      switch (stmt.kind) {
        case "return":
          return stmt.label === "f" ? { ...stmt, value: null } : stmt;
        case "if":
          return { ...stmt, then: withoutValues(stmt.then), else: withoutValues(stmt.else) };
        case "scope":
          return { ...stmt, body: withoutValues(stmt.body) };
        case "loop":
          return { ...stmt, loop: { ...stmt.loop, body: withoutValues(stmt.loop.body) } };
        default:
          return stmt;
      }
    }),
  };
}
