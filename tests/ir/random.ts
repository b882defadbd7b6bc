// Random valid ssa programs, for property tests of passes that keep the meaning. In: a seed. Out: a program whose function `f` takes
// PARAMS, arguments for it, and what a run leaves behind. Invariant: programs end, throw only where asked for, and read in bounds.

import { Builder, NUM, bool, field, index, num } from "../../transformer/ir/build.ts";
import { run, type Counts } from "../../transformer/ir/eval.ts";
import { Names } from "../../transformer/ir/names.ts";
import { DEFAULT_FILE, defaultHome } from "../../transformer/ir/print.ts";
import type { ScalarOp } from "../../transformer/ir/ops.ts";
import type {
  Atom,
  Body,
  Func,
  NamedType,
  Program,
  Type,
  Var,
} from "../../transformer/ir/types.ts";

export const LIST: Type = { kind: "array", store: "Array", elem: NUM };
export const TYPED: Type = { kind: "array", store: "Float64Array", elem: NUM };
export const MODEL: Type = { kind: "named", name: "Model" };
const MODEL_SHAPE: NamedType = {
  type: {
    kind: "record",
    fields: [
      { name: "w", type: LIST },
      { name: "b", type: NUM },
      { name: "v", type: TYPED },
    ],
  },
  text: "Model",
  scope: [DEFAULT_FILE],
};

/** Numbers from a seed (the generator "mulberry32"). */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  below(n: number): number {
    return Math.floor(this.unit() * n);
  }
  chance(p: number): boolean {
    return this.unit() < p;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new Error("pick from nothing");
    return picked;
  }
}

const UNARY: readonly ScalarOp[] = [
  "neg",
  "sin",
  "cos",
  "exp",
  "tanh",
  "sqrt",
  "abs",
  "floor",
  "log",
  "sign",
];
const BINARY: readonly ScalarOp[] = ["add", "sub", "mul", "div", "max", "min", "pow", "atan2"];
const COMPARE: readonly ScalarOp[] = ["lt", "le", "gt", "ge", "eq", "ne"];
const CONSTANTS: readonly number[] = [0, -0, 1, 2, -1, 0.5, 3.25, -7];

/** Names in scope, by type. */
interface Scope {
  readonly nums: readonly Atom[];
  readonly bools: readonly Atom[];
  readonly lists: readonly Atom[];
  readonly typed: readonly Atom[];
  readonly models: readonly Atom[];
  /** Whole numbers from 0 up. */
  readonly indices: readonly Atom[];
}

interface Options {
  /** Whether a `throw` may occur. */
  readonly throws?: boolean;
  /** How many statements about, nested ones included. */
  readonly size?: number;
}

class Generator {
  readonly #random: Random;
  readonly #callees: readonly Func[];
  readonly #throws: boolean;
  #budget: number;

  constructor(random: Random, callees: readonly Func[], options: Options) {
    this.#random = random;
    this.#callees = callees;
    this.#throws = options.throws ?? false;
    this.#budget = options.size ?? 25;
  }

  func(name: string): Func {
    const origin = { file: DEFAULT_FILE, start: 0, end: 0 };
    const params = PARAMS.map(([param, type]): Var => ({ kind: "var", name: param, type }));
    const b = new Builder(new Names(params.map((param) => param.name)), origin, false);
    const of = (type: Type): readonly Var[] => params.filter((param) => param.type === type);
    let scope: Scope = {
      nums: of(NUM),
      bools: [],
      lists: of(LIST),
      typed: of(TYPED),
      models: of(MODEL),
      indices: [num(0), num(1)],
    };
    while (this.#budget > 0) scope = this.#stmt(b, scope, 0);
    let result = this.#num(scope);
    for (let i = 0; i < 3; i++) result = b.add(result, this.#num(scope));
    return { name, home: name, params, result: NUM, body: b.body([result]), origin };
  }

  // ------------------------------------------------------------------------------------------------------ atoms

  /** Newer names are likelier, so that values are used. */
  #num(scope: Scope): Atom {
    if (this.#random.chance(0.15)) return num(this.#random.pick(CONSTANTS));
    return this.#random.pick(this.#random.chance(0.6) ? scope.nums.slice(-4) : scope.nums);
  }

  #bool(b: Builder, scope: Scope): Atom {
    if (scope.bools.length > 0 && this.#random.chance(0.4)) return this.#random.pick(scope.bools);
    return this.#random.chance(0.05)
      ? bool(this.#random.chance(0.5))
      : b.op(this.#random.pick(COMPARE), this.#num(scope), this.#num(scope));
  }

  /** An array, and an index within it: arrays are never empty. */
  #place(b: Builder, scope: Scope): { readonly object: Atom; readonly at: Atom } {
    const object = this.#random.pick([...scope.lists, ...scope.typed]);
    const at = this.#random.pick(scope.indices);
    if (at.kind === "const" && at.value === 0) return { object, at };
    const length = b.let("n", NUM, { kind: "length", object });
    return { object, at: b.op("mod", at, length) };
  }

  // ------------------------------------------------------------------------------------------------- statements

  #block(
    outer: Builder,
    scope: Scope,
    depth: number,
    results: (b: Builder, inner: Scope) => readonly Atom[],
  ): Body {
    const b = outer.nested();
    let inner = scope;
    const count = 1 + this.#random.below(4);
    for (let i = 0; i < count && this.#budget > 0; i++) inner = this.#stmt(b, inner, depth + 1);
    return b.body(results(b, inner));
  }

  #stmt(b: Builder, scope: Scope, depth: number): Scope {
    this.#budget--;
    const random = this.#random;
    const at = random.below(depth > 2 ? 14 : 20);
    if (at < 6) return this.#arithmetic(b, scope);
    if (at < 11) return this.#memory(b, scope);
    if (at < 13) return this.#fresh(b, scope);
    if (at < 14) return this.#call(b, scope);
    if (at < 16) return this.#if(b, scope, depth);
    if (at < 18) return this.#for(b, scope, depth);
    if (at < 19) return this.#while(b, scope, depth);
    return random.chance(0.5) ? this.#tape(b, scope) : this.#guard(b, scope);
  }

  #arithmetic(b: Builder, scope: Scope): Scope {
    const random = this.#random;
    switch (random.below(6)) {
      case 0:
        return more(scope, "bools", b.op(random.pick(COMPARE), this.#num(scope), this.#num(scope)));
      case 1:
        return more(
          scope,
          "nums",
          b.select(this.#bool(b, scope), this.#num(scope), this.#num(scope)),
        );
      case 2:
        return more(scope, "nums", b.op(random.pick(UNARY), this.#num(scope)));
      case 3:
        return more(scope, "nums", b.let("c", NUM, { kind: "copy", atom: this.#num(scope) }));
      default:
        return more(scope, "nums", b.op(random.pick(BINARY), this.#num(scope), this.#num(scope)));
    }
  }

  #memory(b: Builder, scope: Scope): Scope {
    const random = this.#random;
    const model = random.pick(scope.models);
    switch (random.below(11)) {
      case 0:
      case 1:
      case 2: {
        const { object, at } = this.#place(b, scope);
        return more(scope, "nums", b.load("x", NUM, object, index(at)));
      }
      case 3:
      case 4: {
        const { object, at } = this.#place(b, scope);
        b.store(object, index(at), this.#num(scope));
        return scope;
      }
      case 5: {
        const { object, at } = this.#place(b, scope);
        b.accum(object, index(at), this.#num(scope));
        return scope;
      }
      case 6:
        return more(scope, "lists", b.load("w", LIST, model, field("w")));
      case 7:
        return more(scope, "nums", b.load("b", NUM, model, field("b")));
      case 8: {
        if (random.chance(0.5)) b.store(model, field("b"), this.#num(scope));
        else b.store(model, field("w"), random.pick(scope.lists));
        return scope;
      }
      case 9: {
        const list = random.pick(scope.lists);
        b.emit({ kind: "append", object: list, value: this.#num(scope) });
        if (random.chance(0.5)) return scope;
        return more(scope, "nums", b.let("last", NUM, { kind: "removeLast", object: list }));
      }
      default: {
        b.emit({
          kind: "fill",
          object: random.pick([...scope.lists, ...scope.typed]),
          value: this.#num(scope),
          from: null,
          to: random.chance(0.5) ? null : num(1),
        });
        return scope;
      }
    }
  }

  #fresh(b: Builder, scope: Scope): Scope {
    const random = this.#random;
    const list = random.pick(scope.lists);
    const typed = random.pick(scope.typed);
    switch (random.below(7)) {
      case 0:
        return more(
          scope,
          "lists",
          b.let("xs", LIST, {
            kind: "array",
            parts: [part(this.#num(scope)), { atom: list, spread: true }],
          }),
        );
      case 1:
        return more(
          scope,
          "typed",
          b.let("ys", TYPED, { kind: "alloc", length: num(3), fill: this.#num(scope) }),
        );
      case 2:
        return more(scope, "lists", b.let("zs", LIST, { kind: "zeros", like: list }));
      case 3:
        return more(scope, "typed", b.let("cs", TYPED, { kind: "clone", object: typed }));
      case 4:
        return more(
          scope,
          "lists",
          b.let("ws", LIST, {
            kind: "slice",
            object: list,
            from: num(0),
            to: random.chance(0.5) ? null : num(1),
          }),
        );
      case 5: {
        const fields = [
          { name: "w", value: list },
          { name: "b", value: this.#num(scope) },
          { name: "v", value: typed },
        ];
        return more(scope, "models", b.let("m", MODEL, { kind: "record", fields }));
      }
      default: {
        const type: Type = { kind: "tuple", elems: [NUM, LIST] };
        const pair = b.let("p", type, { kind: "tuple", elems: [this.#num(scope), list] });
        return more(
          more(scope, "nums", b.load("x", NUM, pair, field("0"))),
          "lists",
          b.load("xs", LIST, pair, field("1")),
        );
      }
    }
  }

  #call(b: Builder, scope: Scope): Scope {
    if (this.#callees.length === 0) return this.#arithmetic(b, scope);
    const callee = this.#random.pick(this.#callees);
    const args = callee.params.map(({ type }) =>
      type === NUM
        ? this.#num(scope)
        : this.#random.pick(
            type === LIST ? scope.lists : type === TYPED ? scope.typed : scope.models,
          ),
    );
    return more(scope, "nums", b.let("r", NUM, { kind: "call", callee: callee.name, args }));
  }

  #if(b: Builder, scope: Scope, depth: number): Scope {
    const cond = this.#bool(b, scope);
    const results = (_: Builder, inner: Scope): readonly Atom[] => [
      this.#num(inner),
      this.#random.pick(inner.lists),
    ];
    const joins = this.#random.chance(0.7);
    const none = (): readonly Atom[] => [];
    const then = this.#block(b, scope, depth, joins ? results : none);
    const otherwise =
      this.#random.chance(0.3) && !joins
        ? b.nested().body()
        : this.#block(b, scope, depth, joins ? results : none);
    if (!joins) {
      b.emit({ kind: "if", cond, then, else: otherwise, binds: [] });
      return scope;
    }
    const [y, ys] = [variable(b, "y", NUM), variable(b, "ys", LIST)];
    b.emit({ kind: "if", cond, then, else: otherwise, binds: [y, ys] });
    return more(more(scope, "nums", y), "lists", ys);
  }

  #for(b: Builder, scope: Scope, depth: number): Scope {
    const random = this.#random;
    const length = b.let("n", NUM, { kind: "length", object: random.pick(scope.typed) });
    const downwards = random.chance(0.3);
    const last = downwards ? b.sub(length, num(1)) : length;
    const loop = this.#carried(b, scope);
    const at = variable(b, "i", NUM);
    const inner: Scope = {
      ...loop.inner,
      indices: [...scope.indices, at, at, at],
      nums: [...loop.inner.nums, at],
    };
    const body = this.#block(b, inner, depth, loop.next);
    const range = downwards
      ? ({ from: last, test: ">=", to: num(0), step: -1 } as const)
      : ({ from: num(0), test: "<", to: last, step: random.chance(0.8) ? 1 : 2 } as const);
    const binds = loop.binds();
    b.emit({ kind: "for", index: at, ...range, carried: loop.carried, body, binds });
    return loop.after(binds);
  }

  #while(b: Builder, scope: Scope, depth: number): Scope {
    const loop = this.#carried(b, scope);
    const left = variable(b, "k", NUM);
    const test = b.nested();
    const go = test.op("gt", left, num(0));
    const body = this.#block(b, loop.inner, depth, (inner, at) => [
      ...loop.next(inner, at),
      inner.sub(left, num(1)),
    ]);
    const binds = loop.binds();
    const rest = variable(b, "k", NUM);
    const carried = [...loop.carried, { param: left, init: num(this.#random.below(4)) }];
    b.emit({ kind: "while", carried, test: test.body([go]), body, binds: [...binds, rest] });
    return more(loop.after(binds), "nums", rest);
  }

  /** Two numbers and sometimes two arrays, which the body may swap. */
  #carried(b: Builder, scope: Scope): Loop {
    const random = this.#random;
    const types = random.chance(0.3)
      ? [NUM, NUM, LIST, LIST]
      : random.chance(0.8)
        ? [NUM, NUM]
        : [];
    const params = types.map((type) => variable(b, type === NUM ? "s" : "as", type));
    const carried = params.map((param) => ({
      param,
      init: param.type === NUM ? this.#num(scope) : random.pick(scope.lists),
    }));
    const take = (to: Scope, vars: readonly Var[]): Scope =>
      vars.reduce((one, v) => more(one, v.type === NUM ? "nums" : "lists", v), to);
    return {
      carried,
      inner: take(scope, params),
      next: (_, inner) =>
        params.map((param) => (param.type === NUM ? this.#num(inner) : random.pick(inner.lists))),
      binds: () => params.map((param) => variable(b, param.name, param.type)),
      after: (binds) => take(scope, binds),
    };
  }

  /** What reverse mode makes: a loop that pushes, and one downwards that pops. */
  #tape(b: Builder, scope: Scope): Scope {
    const type: Type = { kind: "tape", of: "num" };
    const tape = b.let("tape", type, { kind: "newTape" });
    const [up, down] = [variable(b, "i", NUM), variable(b, "j", NUM)];
    const forward = b.nested();
    forward.emit({ kind: "push", tape, value: forward.mul(up, this.#num(scope)) });
    b.emit({
      kind: "for",
      index: up,
      from: num(0),
      test: "<",
      to: num(3),
      step: 1,
      carried: [],
      body: forward.body(),
      binds: [],
    });
    const reader = b.let("reader", type, { kind: "rewind", tape });
    const [sum, total] = [variable(b, "s", NUM), variable(b, "s", NUM)];
    const back = b.nested();
    const popped = back.let("x", NUM, { kind: "pop", tape: reader });
    const body = back.body([back.sub(popped, sum)]);
    b.emit({
      kind: "for",
      index: down,
      from: num(2),
      test: ">=",
      to: num(0),
      step: -1,
      carried: [{ param: sum, init: this.#num(scope) }],
      body,
      binds: [total],
    });
    return more(scope, "nums", total);
  }

  #guard(b: Builder, scope: Scope): Scope {
    if (!this.#throws) return this.#arithmetic(b, scope);
    const cond = b.op("gt", this.#num(scope), num(5));
    const then = b.nested();
    then.emit({
      kind: "throw",
      value: { kind: "const", type: { kind: "leaf", text: "string" }, value: "too large" },
    });
    b.emit({ kind: "if", cond, then: then.body(), else: b.nested().body(), binds: [] });
    return scope;
  }
}

interface Loop {
  readonly carried: readonly { readonly param: Var; readonly init: Atom }[];
  readonly inner: Scope;
  readonly next: (b: Builder, inner: Scope) => readonly Atom[];
  readonly binds: () => readonly Var[];
  readonly after: (binds: readonly Var[]) => Scope;
}

const part = (atom: Atom) => ({ atom, spread: false }) as const;
const variable = (b: Builder, name: string, type: Type): Var => ({
  kind: "var",
  name: b.names.fresh(name),
  type,
});
const more = (scope: Scope, kind: keyof Scope, atom: Atom): Scope => ({
  ...scope,
  [kind]: [...scope[kind], atom],
});

const PARAMS: readonly (readonly [string, Type])[] = [
  ["x", NUM],
  ["y", NUM],
  ["a", LIST],
  ["c", LIST],
  ["v", TYPED],
  ["m", MODEL],
];

/** A valid ssa program; `f` is its main function and calls the others. The same seed gives the same program. */
export function randomProgram(seed: number, options: Options = {}): Program {
  const random = new Random(seed);
  const funcs: Func[] = [];
  for (const name of random.chance(0.5) ? ["g"] : [])
    funcs.push(new Generator(random, [], { ...options, size: 8 }).func(name));
  funcs.push(new Generator(random, [...funcs], options).func("f"));
  return {
    stage: "ssa",
    types: new Map([["Model", MODEL_SHAPE]]),
    funcs: new Map(funcs.map((func) => [func.name, func])),
    homes: new Map(funcs.map((func) => [func.name, defaultHome(func.name)])),
  };
}

/** Fresh arguments for `f`; now and then two of them are the same array. */
export function randomArgs(seed: number): readonly unknown[] {
  const random = new Random(seed ^ 0x5bd1e995);
  const value = (): number => Math.round((random.unit() * 6 - 3) * 64) / 64;
  const values = (): number[] => Array.from({ length: 1 + random.below(4) }, value);
  const a = values();
  const c = random.chance(0.2) ? a : values();
  const v = Float64Array.from(values());
  const m = {
    w: random.chance(0.2) ? a : values(),
    b: value(),
    v: random.chance(0.2) ? v : Float64Array.from(values()),
  };
  return [value(), value(), a, c, v, m];
}

export interface Trace {
  /** What `f` gives, or the value it throws. */
  readonly ends: { readonly value: unknown } | { readonly thrown: unknown };
  /** The arguments as the run leaves them. */
  readonly args: readonly unknown[];
  readonly counts: Readonly<Counts> | null;
}

/** Runs `f` on the arguments of that seed. */
export function trace(program: Program, seed: number): Trace {
  const args = randomArgs(seed);
  try {
    const { value, counts } = run(program, "f", args);
    return { ends: { value }, args, counts };
  } catch (thrown) {
    return { ends: { thrown }, args, counts: null };
  }
}
