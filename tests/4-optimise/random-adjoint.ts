// Random ssa functions like those that differentiation makes: primal code, shadows, reversed loops, tapes. In: a seed.
// Out: a program with `f` and arguments for it. Invariant: every index is in bounds, so that nothing is ever missing;
// cotangents stay small integers, so that rearranging their sums changes no bit.

import { BOOL, Builder, NUM, bool, field, index, num } from "../../transformer/ir/build.ts";
import { Names } from "../../transformer/ir/names.ts";
import type { ScalarOp } from "../../transformer/ir/ops.ts";
import type { Atom, Func, Home, Program, Type, Var } from "../../transformer/ir/types.ts";

const ORIGIN = { file: "", start: 0, end: 0 };
/** Length of every array. */
export const SIZE = 4;
const NUMS: Type = { kind: "array", store: "Array", elem: NUM };
const FLOATS: Type = { kind: "array", store: "Float64Array", elem: NUM };
const ROWS: Type = { kind: "array", store: "Array", elem: NUMS };
const POINT: Type = {
  kind: "record",
  fields: [
    { name: "u", type: NUM },
    { name: "v", type: NUM },
  ],
};
const MODEL: Type = {
  kind: "record",
  fields: [
    { name: "w", type: NUMS },
    { name: "b", type: NUM },
    { name: "p", type: POINT },
  ],
};
const PAIR: Type = { kind: "tuple", elems: [NUM, NUMS] };

export interface RandomCase {
  readonly program: Program;
  readonly args: () => unknown[];
}

/** A small generator of numbers in [0, 1) that is the same everywhere. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Scope {
  readonly nums: Atom[];
  readonly bools: Atom[];
  readonly objects: Var[];
  readonly indices: Atom[];
  depth: number;
}

const copyOf = (scope: Scope): Scope => ({
  nums: [...scope.nums],
  bools: [...scope.bools],
  objects: [...scope.objects],
  indices: [...scope.indices],
  depth: scope.depth + 1,
});

/** `floats`: primal code only, on any floating-point values, which must keep every bit. */
export function randomCase(seed: number, floats: boolean): RandomCase {
  const random = randomFrom(seed);
  const param = (name: string, type: Type): Var => ({ kind: "var", name, type });
  const params = [
    param("x", NUM),
    param("y", NUM),
    param("c", BOOL),
    param("a", FLOATS),
    param("b", NUMS),
    param("rows", ROWS),
    param("m", MODEL),
    param("a$bar", FLOATS),
    param("m$bar", MODEL),
  ];
  const names = new Names(params.map((one) => one.name));
  const scope: Scope = {
    nums: [...params.filter((one) => one.type.kind === "num"), num(0), num(1), num(-1), num(2)],
    bools: [...params.filter((one) => one.type.kind === "bool")],
    objects: params.filter((one) => one.type.kind !== "num" && one.type.kind !== "bool"),
    indices: [num(0), num(1), num(2), num(3)],
    depth: 0,
  };
  const writer = new RandomWriter(random, names, floats);
  const stmts = writer.block(scope, 14 + Math.floor(random() * 10));
  const kept = scope.objects.slice(-4, scope.objects.length - Math.floor(random() * 4));
  const builder = new Builder(names, ORIGIN, false);
  const result = builder.let(
    "r",
    { kind: "tuple", elems: [NUM, NUM, ...kept.map((one) => one.type)] },
    { kind: "tuple", elems: [writer.pick(scope.nums), writer.pick(scope.nums), ...kept] },
  );
  const body = { stmts: [...stmts, ...builder.stmts], result: [result] };
  const f: Func = { name: "f", home: "f", params, result: result.type, body, origin: ORIGIN };
  const g = helper();
  const home: Home = {
    file: "main.ts",
    name: "f",
    at: 0,
    scope: "module",
    indent: "",
    origin: ORIGIN,
  };
  const program: Program = {
    stage: "ssa",
    funcs: new Map([
      ["g", g],
      ["f", f],
    ]),
    types: new Map(),
    homes: new Map([
      ["f", home],
      ["g", home],
    ]),
  };
  return { program, args: () => argumentsFor(seed, floats) };
}

/** g(a, x): writes a[1] and returns a[2]. */
function helper(): Func {
  const params: readonly Var[] = [
    { kind: "var", name: "a", type: FLOATS },
    { kind: "var", name: "x", type: NUM },
  ];
  const [a, x] = params;
  const builder = new Builder(new Names(["a", "x"]), ORIGIN, false);
  if (a === undefined || x === undefined) throw new Error("two parameters");
  builder.store(a, index(num(1)), x);
  const t = builder.load("t", NUM, a, index(num(2)));
  return { name: "g", home: "g", params, result: NUM, body: builder.body([t]), origin: ORIGIN };
}

function argumentsFor(seed: number, floats: boolean): unknown[] {
  const random = randomFrom(seed + 77);
  const special = [NaN, -0, Infinity, 0];
  const value = (): number =>
    floats
      ? random() < 0.1
        ? (special[Math.floor(random() * 4)] ?? 0)
        : random() * 4 - 2
      : Math.floor(random() * 7) - 3;
  const list = (): number[] => Array.from({ length: SIZE }, value);
  const model = (): unknown => ({ w: list(), b: value(), p: { u: value(), v: value() } });
  const b = list();
  const rows = random() < 0.3 ? [b, b, list(), list()] : [list(), list(), list(), list()];
  return [
    value(),
    value(),
    random() < 0.5,
    Float64Array.from(list()),
    b,
    rows,
    model(),
    Float64Array.from(list()),
    model(),
  ];
}

const ARITHMETIC: readonly ScalarOp[] = ["add", "sub", "mul", "neg", "add", "mul", "max", "min"];
const COMPARISONS: readonly ScalarOp[] = ["lt", "ge", "eq", "ne"];

class RandomWriter {
  readonly #random: () => number;
  readonly #names: Names;
  readonly #floats: boolean;

  constructor(random: () => number, names: Names, floats: boolean) {
    this.#random = random;
    this.#names = names;
    this.#floats = floats;
  }

  pick<T>(all: readonly T[]): T {
    const one = all[Math.floor(this.#random() * all.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  }

  /** The newest names are the likeliest. */
  #recent(all: readonly Atom[]): Atom {
    return this.#random() < 0.6 ? this.pick(all.slice(-4)) : this.pick(all);
  }

  block(scope: Scope, count: number): Builder["stmts"] {
    const builder = new Builder(this.#names, ORIGIN, false);
    for (let k = 0; k < count; k++) this.#stmt(builder, scope);
    return builder.stmts;
  }

  #stmt(into: Builder, scope: Scope): void {
    const builder = new Builder(this.#names, ORIGIN, !this.#floats && this.#random() < 0.7);
    const kinds = [
      "op",
      "op",
      "op",
      "quotient",
      "compare",
      "load",
      "load",
      "store",
      "accum",
      "accum",
      "object",
      "object",
      "row",
      "length",
      "call",
      "copy",
      "nested",
      "for",
      "for",
      "if",
      "while",
      "tape",
    ];
    const kind = this.pick(scope.depth > 2 ? kinds.slice(0, 17) : kinds);
    switch (kind) {
      case "op":
        this.#op(builder, scope);
        break;
      case "quotient":
        this.#quotient(builder, scope);
        break;
      case "compare":
        scope.bools.push(
          builder.op(this.pick(COMPARISONS), this.#recent(scope.nums), this.#recent(scope.nums)),
        );
        break;
      case "load":
        this.#place(builder, scope, (object, key) =>
          scope.nums.push(builder.load("t", NUM, object, key)),
        );
        break;
      case "store":
        this.#place(builder, scope, (object, key) =>
          builder.store(object, key, this.#recent(scope.nums)),
        );
        break;
      case "accum":
        this.#place(builder, scope, (object, key) =>
          builder.accum(object, key, this.#recent(scope.nums)),
        );
        break;
      case "object":
        this.#object(builder, scope);
        break;
      case "row":
        this.#row(builder, scope);
        break;
      case "length": {
        const array = this.#one(scope, ["array"]);
        if (array !== null) builder.let("n", NUM, { kind: "length", object: array });
        break;
      }
      case "call":
        this.#call(builder, scope);
        break;
      case "copy": {
        const atom = this.#recent(scope.nums);
        scope.nums.push(builder.let("k", NUM, { kind: "copy", atom }));
        break;
      }
      case "nested":
        this.#select(builder, scope);
        break;
      case "for":
        this.#for(builder, scope);
        break;
      case "if":
        this.#if(builder, scope);
        break;
      case "while":
        this.#while(builder, scope);
        break;
      case "tape":
        this.#tape(builder, scope);
        break;
    }
    into.stmts.push(...builder.stmts);
  }

  #op(builder: Builder, scope: Scope): void {
    const op = this.pick(ARITHMETIC);
    const value =
      op === "neg"
        ? builder.neg(this.#recent(scope.nums))
        : builder.op(op, this.#recent(scope.nums), this.#recent(scope.nums));
    // products must not outgrow the integers
    scope.nums.push(
      this.#floats || (op !== "mul" && op !== "add") ? value : builder.op("mod", value, num(97)),
    );
  }

  /** A quotient by 2 or 4, which may be a root, in front of or behind the primal's reciprocal of the same: four times of each are integers. */
  #quotient(builder: Builder, scope: Scope): void {
    const cond = scope.bools.length > 0 ? this.pick(scope.bools) : bool(true);
    const divisor =
      this.#random() < 0.5
        ? builder.select(cond, num(2), num(4))
        : builder.op("sqrt", builder.select(cond, num(4), num(16)));
    const numerator = builder.op("mod", this.#recent(scope.nums), num(97));
    const quotient = (by: Builder, of: Atom): void => {
      scope.nums.push(by.op("mul", by.op("div", of, divisor), num(4)));
      if (by !== builder) builder.stmts.push(...by.stmts);
    };
    const primal = new Builder(this.#names, ORIGIN, false);
    const isFirst = this.#random() < 0.5;
    if (isFirst) quotient(primal, num(1));
    quotient(builder, numerator);
    if (!isFirst) quotient(primal, num(1));
  }

  #select(builder: Builder, scope: Scope): void {
    const cond = scope.bools.length > 0 ? this.pick(scope.bools) : bool(true);
    scope.nums.push(builder.select(cond, this.#recent(scope.nums), this.#recent(scope.nums)));
  }

  #one(scope: Scope, kinds: readonly Type["kind"][]): Var | null {
    const all = scope.objects.filter((one) => kinds.includes(one.type.kind));
    return all.length === 0
      ? null
      : this.#random() < 0.5
        ? this.pick(all.slice(-3))
        : this.pick(all);
  }

  /** Some place that holds a number. */
  #place(
    _builder: Builder,
    scope: Scope,
    then: (object: Var, key: ReturnType<typeof index>) => void,
  ): void {
    const object = this.#one(scope, ["array", "record", "tuple"]);
    if (object === null) return;
    const { type } = object;
    if (type.kind === "array" && type.elem.kind === "num")
      then(object, index(this.#recent(scope.indices)));
    else if (type.kind === "record")
      then(object, field(this.pick(type.fields.filter((one) => one.type.kind === "num")).name));
    else if (type.kind === "tuple") then(object, field("0"));
  }

  #row(builder: Builder, scope: Scope): void {
    const object = this.#one(scope, ["array", "record", "tuple"]);
    if (object === null) return;
    const { type } = object;
    if (type.kind === "array" && type.elem.kind !== "num")
      scope.objects.push(
        builder.load("row", type.elem, object, index(this.#recent(scope.indices))),
      );
    if (type === MODEL)
      scope.objects.push(
        this.#random() < 0.5
          ? builder.load("w", NUMS, object, field("w"))
          : builder.load("p", POINT, object, field("p")),
      );
    if (type === PAIR) scope.objects.push(builder.load("q", NUMS, object, field("1")));
  }

  #object(builder: Builder, scope: Scope): void {
    const n = (): Atom => this.#recent(scope.nums);
    const like = this.#one(scope, ["array", "record"]);
    const vector = scope.objects.filter((one) => one.type === NUMS);
    switch (Math.floor(this.#random() * 7)) {
      case 0:
        scope.objects.push(
          builder.let("o", POINT, {
            kind: "record",
            fields: [
              { name: "u", value: n() },
              { name: "v", value: n() },
            ],
          }),
        );
        return;
      case 1:
        scope.objects.push(
          builder.let("l", NUMS, {
            kind: "array",
            parts: [n(), n(), n(), n()].map((atom) => ({ atom, spread: false })),
          }),
        );
        return;
      case 2:
        scope.objects.push(
          builder.let("z", this.pick([FLOATS, NUMS]), {
            kind: "alloc",
            length: num(SIZE),
            fill: num(0),
          }),
        );
        return;
      case 3:
      case 4:
        if (like !== null)
          scope.objects.push(builder.let("s$bar", like.type, { kind: "zeros", like }));
        return;
      case 5:
        if (like !== null)
          scope.objects.push(builder.let("d$bar", like.type, { kind: "clone", object: like }));
        return;
      case 6:
        if (vector.length > 0)
          scope.objects.push(
            builder.let("pair", PAIR, { kind: "tuple", elems: [n(), this.pick(vector)] }),
          );
        return;
    }
  }

  #call(builder: Builder, scope: Scope): void {
    const arrays = scope.objects.filter((one) => one.type === FLOATS);
    if (arrays.length > 0)
      scope.nums.push(
        builder.let("t", NUM, {
          kind: "call",
          callee: "g",
          args: [this.pick(arrays), this.#recent(scope.nums)],
        }),
      );
  }

  #for(builder: Builder, scope: Scope): void {
    const inner = copyOf(scope);
    const down = this.#random() < 0.5;
    const loopIndex: Var = { kind: "var", name: this.#names.fresh("i"), type: NUM };
    const carried = Array.from({ length: Math.floor(this.#random() * 3) }, () => ({
      param: { kind: "var", name: this.#names.fresh("s"), type: NUM } satisfies Var,
      init: this.#recent(scope.nums),
    }));
    inner.indices.push(loopIndex, loopIndex, loopIndex);
    inner.nums.push(...carried.map((one) => one.param));
    const stmts = this.block(inner, 2 + Math.floor(this.#random() * 4));
    const result = carried.map((one) =>
      this.#random() < 0.2 ? one.param : this.#recent(inner.nums),
    );
    const binds = carried.map(
      () => ({ kind: "var", name: this.#names.fresh("s"), type: NUM }) satisfies Var,
    );
    const array = !this.#floats && this.#random() < 0.3 ? this.#one(scope, ["array"]) : null;
    const cleared = array?.type.kind === "array" && array.type.elem.kind === "num" ? array : null;
    if (cleared !== null)
      stmts.splice(Math.floor(this.#random() * (stmts.length + 1)), 0, {
        kind: "store",
        object: cleared,
        key: { kind: "index", at: loopIndex },
        value: num(0),
        origin: ORIGIN,
        adjoint: true,
      });
    const zero = this.#random() < 0.1;
    builder.emit({
      kind: "for",
      index: loopIndex,
      from: num(down ? SIZE - 1 : 0),
      test: down ? ">=" : "<",
      to: num(zero ? (down ? SIZE : 0) : down ? 0 : SIZE),
      step: down ? -1 : 1,
      carried,
      body: { stmts, result },
      binds,
    });
    if (cleared !== null)
      builder.stmts.push({
        kind: "fill",
        object: cleared,
        value: num(0),
        from: null,
        to: null,
        origin: ORIGIN,
        adjoint: true,
      });
    scope.nums.push(...binds);
  }

  #if(builder: Builder, scope: Scope): void {
    if (scope.bools.length === 0) return;
    const arms = [copyOf(scope), copyOf(scope)].map((inner) => ({
      stmts: this.block(inner, 1 + Math.floor(this.#random() * 3)),
      inner,
    }));
    const [then, otherwise] = arms;
    if (then === undefined || otherwise === undefined) return;
    const count = Math.floor(this.#random() * 3);
    const binds = Array.from(
      { length: count },
      () => ({ kind: "var", name: this.#names.fresh("j"), type: NUM }) satisfies Var,
    );
    const body = (arm: typeof then) => ({
      stmts: arm.stmts,
      result: binds.map(() => this.#recent(arm.inner.nums)),
    });
    builder.emit({
      kind: "if",
      cond: this.pick(scope.bools.slice(-3)),
      then: body(then),
      else: body(otherwise),
      binds,
    });
    scope.nums.push(...binds);
  }

  #while(builder: Builder, scope: Scope): void {
    const inner = copyOf(scope);
    const [count, sum, last, lastSum] = ["k", "s", "k", "s"].map(
      (name) => ({ kind: "var", name: this.#names.fresh(name), type: NUM }) satisfies Var,
    );
    if (count === undefined || sum === undefined || last === undefined || lastSum === undefined)
      return;
    const test = new Builder(this.#names, ORIGIN, false);
    const cond = test.op("lt", count, num(3));
    inner.nums.push(sum);
    inner.indices.push(count);
    const stmts = this.block(inner, 2);
    const step = new Builder(this.#names, ORIGIN, false);
    const next = step.add(count, num(1));
    builder.emit({
      kind: "while",
      carried: [
        { param: count, init: num(0) },
        { param: sum, init: this.#recent(scope.nums) },
      ],
      test: test.body([cond]),
      body: { stmts: [...stmts, ...step.stmts], result: [next, this.#recent(inner.nums)] },
      binds: [last, lastSum],
    });
    scope.nums.push(lastSum);
  }

  /** A forward loop that pushes, and a reverse one that pops. */
  #tape(builder: Builder, scope: Scope): void {
    const tape = builder.let("tape", { kind: "tape", of: "num" }, { kind: "newTape" });
    for (const down of [false, true]) {
      const inner = copyOf(scope);
      const loopIndex: Var = { kind: "var", name: this.#names.fresh("i"), type: NUM };
      inner.indices.push(loopIndex, loopIndex);
      const body = new Builder(this.#names, ORIGIN, down && !this.#floats);
      if (down) inner.nums.push(body.let("t", NUM, { kind: "pop", tape }));
      body.stmts.push(...this.block(inner, 2));
      if (!down) body.emit({ kind: "push", tape, value: this.#recent(inner.nums) });
      builder.emit({
        kind: "for",
        index: loopIndex,
        from: num(down ? SIZE - 1 : 0),
        test: down ? ">=" : "<",
        to: num(down ? 0 : SIZE),
        step: down ? -1 : 1,
        carried: [],
        body: body.body(),
        binds: [],
      });
    }
  }
}
