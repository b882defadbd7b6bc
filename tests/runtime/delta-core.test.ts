// The Delta run time on hand-written code in the shape of rewritten functions, against closed forms and central differences.

import { describe, expect, test } from "vitest";
import * as $d from "../../runtime/delta/index.ts";
import type { Id, Value } from "../../runtime/delta/value.ts";

const ids = ($: Id[], n: number): Id => $[n] ?? 0;
const parts = <T>(f: T): T => f;

/** What one round adds to the tape, counted by running twice as many. */
const nodesOf = (run: () => unknown): number => {
  const own = $d.begin();
  const before = $d.size();
  run();
  const grown = $d.size() - before;
  $d.end(own);
  return grown;
};

const square = parts(($: Id[], x: Value): Value => {
  const x$id = ids($, 0);
  return $d.mul(x, x$id, x, x$id);
});

test("as an object, it has all members, a live id, and stays the same object", () => {
  const engine = $d.asObject($d);
  expect($d.asObject({ ...$d })).toBe(engine);
  const members = new Map<string, unknown>(Object.entries($d));
  members.delete("id");
  expect(members.size).toBeGreaterThan(100);
  for (const [name, member] of members) expect(Reflect.get(engine, name)).toBe(member);
  for (const own of [7, 0]) {
    $d.setId(own);
    expect(engine.id).toBe(own);
  }
});

describe("arguments that nobody asks for", () => {
  const first = (_$: Id[], x: Value): Value => $d.mul($d.get(x, 0), $d.id, 5, 0);

  test.each([10, 5000])(
    "%i objects behind each other, the last of which is the argument that is asked for",
    (count) => {
      let list: Value = [];
      for (let k = 0; k < count; k++) list = { k, inner: list };
      expect($d.grad(first, [[3], list])).toEqual([5]);
      const x = [3];
      const rows = Array.from({ length: count }, (): Value => ({ row: [1] }));
      rows.push({ row: x });
      expect(() => $d.grad(first, [x, rows])).toThrow(/^TSG0004: argument 0 and argument 1/);
    },
  );

  test("objects that hold each other, and many times", () => {
    const ring: Value = { at: 1 };
    const x = [3];
    ring.next = { back: ring };
    expect($d.grad(first, [x, ring])).toEqual([5]);
    let many: Value = { x: 1 };
    for (let k = 0; k < 60; k++) many = [many, many];
    expect($d.grad(first, [x, many])).toEqual([5]);
    ring.next.x = x;
    expect(() => $d.grad(first, [x, ring])).toThrow(/^TSG0004/);
  });
});

describe("scalars", () => {
  test("a square, and what is left behind: nothing", () => {
    expect($d.grad(square, [3])).toBe(6);
    const before = $d.size();
    for (let i = 0; i < 10; i++) $d.grad(square, [i]);
    expect($d.size()).toBe(before);
    expect(before).toBe(1);
  });

  test("a recurrence over several chunks", () => {
    const f = ($: Id[], s: Value, n: Value): Value => {
      let s$id = ids($, 0);
      for (let i = 0; i < n; i++) {
        const a = $d.mul(s, s$id, 0.9, 0);
        const a$id = $d.id;
        s = $d.add(a, a$id, $d.sin(s, s$id), $d.id);
        s$id = $d.id;
      }
      return $d.ret(s, s$id);
    };
    for (const n of [10, 100_000]) {
      let s = 0.3;
      let ds = 1;
      for (let i = 0; i < n; i++) {
        ds *= 0.9 + Math.cos(s);
        s = s * 0.9 + Math.sin(s);
      }
      const [value, slope] = $d.valueAndGrad(f, [0.3, n]);
      expect(value).toBe(s);
      // products in the other order
      expect(Math.abs(slope - ds)).toBeLessThanOrEqual(1e-11 * Math.abs(ds));
    }
    expect(nodesOf(() => f([$d.input()], 0.3, 1000))).toBe(3001);
  });

  test.each<[string, (x: Value, i: Id) => Value, number, number]>([
    ["abs 0", $d.abs, 0, 0],
    ["sqrt 0", $d.sqrt, 0, Infinity],
    ["floor", $d.floor, 0.3, 0],
    ["x ** 0 at 0", (x, i) => $d.pow(x, i, 0, 0), 0, 0],
    ["x ** 2 at 0", (x, i) => $d.pow(x, i, 2, 0), 0, 0],
    ["0 ** y", (x, i) => $d.pow(0, 0, x, i), 2, 0],
    ["hypot(0, 0)", (x, i) => $d.hypot(x, i, 0, 0), 0, 0],
    ["max at a tie", (x, i) => $d.max(x, i, 2, 0), 2, 0.5],
    ["max of three", (x, i) => $d.max(2, 0, 2, 0, x, i), 2, 0.5],
    ["min, first of three", (x, i) => $d.min(x, i, 2, 0, 2, 0), 2, 0.25],
    ["rem", (x, i) => $d.rem(7, 0, x, i), 3, -2],
    ["string", (x, i) => $d.ret(Number($d.add("1", 0, x, i)), $d.id), 2, 0],
  ])("kink: %s", (_name, f, x, slope) => {
    expect($d.grad(($: Id[], at: Value) => f(at, ids($, 0)), [x])).toBe(slope);
  });

  test.each<[string, (x: Value, i: Id) => Value, (x: number) => number, number]>([
    ["sin", $d.sin, Math.sin, 0.4],
    ["cos", $d.cos, Math.cos, 0.4],
    ["tan", $d.tan, Math.tan, 0.4],
    ["exp", $d.exp, Math.exp, 0.4],
    ["log", $d.log, Math.log, 0.4],
    ["log2", $d.log2, Math.log2, 0.4],
    ["log10", $d.log10, Math.log10, 0.4],
    ["log1p", $d.log1p, Math.log1p, 0.4],
    ["expm1", $d.expm1, Math.expm1, 0.4],
    ["asin", $d.asin, Math.asin, 0.4],
    ["acos", $d.acos, Math.acos, 0.4],
    ["atan", $d.atan, Math.atan, 0.4],
    ["sinh", $d.sinh, Math.sinh, 0.4],
    ["cosh", $d.cosh, Math.cosh, 0.4],
    ["tanh", $d.tanh, Math.tanh, 0.4],
    ["asinh", $d.asinh, Math.asinh, 0.4],
    ["acosh", $d.acosh, Math.acosh, 1.7],
    ["atanh", $d.atanh, Math.atanh, 0.4],
    ["cbrt", $d.cbrt, Math.cbrt, 0.4],
    ["sqrt", $d.sqrt, Math.sqrt, 0.4],
    ["atan2", (x, i) => $d.atan2(x, i, 2, 0), (x) => Math.atan2(x, 2), 0.4],
    ["atan2 of z", (x, i) => $d.atan2(2, 0, x, i), (x) => Math.atan2(2, x), 0.4],
    ["pow of y", (x, i) => $d.pow(2, 0, x, i), (x) => 2 ** x, 0.4],
    ["div by", (x, i) => $d.div(2, 0, x, i), (x) => 2 / x, 0.4],
    ["hypot", (x, i) => $d.hypot(3, 0, x, i), (x) => Math.hypot(3, x), 0.4],
  ])("%s", (_name, f, plain, x) => {
    const h = 1e-5;
    const slope = (plain(x + h) - plain(x - h)) / (2 * h);
    // truncation h² and cancellation 1e-16 / h
    expect(Math.abs($d.grad(($: Id[], at: Value) => f(at, ids($, 0)), [x]) - slope)).toBeLessThan(
      1e-8,
    );
  });
});

describe("memory", () => {
  test("arrays, records, Maps: read, written, aliased", () => {
    const f = (_$: Id[], o: Value): Value => {
      const b = $d.get(o, "xs");
      $d.set(b, 0, $d.mul($d.get(b, 0), $d.id, 3, 0), $d.id);
      const x = $d.get($d.get(o, "xs"), "0");
      const x$id = $d.id;
      const k = $d.get(o, "k");
      return $d.add(x, x$id, k, $d.id);
    };
    expect($d.grad(f, [{ xs: [1, 2], k: 5, name: "n", at: new Map([["a", 1]]) }])).toEqual({
      xs: [3, 0],
      k: 1,
      at: new Map([["a", 0]]),
    });
    expect($d.grad(f, [{ xs: [1, 2], k: 5, kind: "t" }], { leaves: ["kind"] })).toEqual({
      xs: [3, 0],
      k: 1,
      kind: "t",
    });
  });

  test("views of one buffer", () => {
    const f = (_$: Id[], a: Value): Value => {
      const tail = new Float64Array(a.buffer, 8);
      $d.set(tail, 0, $d.mul($d.get(a, 0), $d.id, 2, 0), $d.id);
      return $d.get(a, 1);
    };
    expect($d.grad(f, [Float64Array.of(1, 2)])).toEqual(Float64Array.of(2, 0));
    expect(() =>
      $d.grad((_$: Id[], a: Value) => $d.get(new Int32Array(a.buffer), 1), [Float64Array.of(1, 2)]),
    ).toThrow(/^TSG0012/);
    expect(
      $d.grad(
        (_$: Id[], a: Value) => {
          $d.set(new Int32Array(a.buffer), 0, 1, 0);
          return $d.get(a, 0);
        },
        [Float64Array.of(1, 2)],
      ),
    ).toEqual(Float64Array.of(0, 0));
    expect(
      $d.grad(
        (_$: Id[], a: Value) =>
          $d.get(
            $d.set($d.get(a, "n"), 0, $d.get($d.get(a, "x"), 0), $d.id) * 0 === 0 ? a.n : a,
            0,
          ),
        [{ x: [1.5], n: new Int32Array(1) }],
      ),
    ).toEqual({ x: [0], n: Int32Array.of(0) });
  });

  test("shared arguments", () => {
    const xs = [1, 2];
    const f = (_$: Id[], a: Value, b: Value): Value =>
      $d.mul($d.get(a, 0), $d.id, $d.get(b, 0), $d.id);
    expect(() => $d.grad(f, [xs, xs])).toThrow(/^TSG0004/);
    expect($d.grad(f, [xs, [7]])).toEqual([7, 0]);
    // the static engine gives a part for each place, and there is one shadow here
    expect(() =>
      $d.grad(
        (_$: Id[], o: Value) => $d.mul($d.get(o.a, 0), $d.id, $d.get(o.b, 0), $d.id),
        [{ a: xs, b: xs }],
      ),
    ).toThrow(/^TSG0004/);
  });

  test("a module's variable, and nothing stale", () => {
    const cell$ = {};
    let last: Value = 1;
    const f = ($: Id[], x: Value): Value => {
      const y = $d.mul(last, $d.varId(cell$, "last"), x, ids($, 0));
      const y$id = $d.id;
      last = x;
      $d.setVar(cell$, "last", ids($, 0));
      const z = $d.mul(y, y$id, last, $d.varId(cell$, "last"));
      return z;
    };
    expect($d.grad(f, [3])).toBe(6);
    expect($d.grad(f, [5])).toBe(3 * 10);
  });
});

describe("functions", () => {
  test("closures with a captured variable, recursion, exceptions", () => {
    const f = ($: Id[], x: Value): Value => {
      const x$id = ids($, 0);
      let s: Value = 0;
      let s$id = 0;
      const push = $d.fn(($: Id[], y: Value): Value => {
        s = $d.add(s, s$id, y, ids($, 0));
        s$id = $d.id;
        return undefined;
      });
      const power: Value = $d.fn(($: Id[], y: Value, n: Value): Value =>
        n === 0
          ? $d.ret(1, 0)
          : $d.mul(y, ids($, 0), $d.call(power, undefined, y, ids($, 0), n - 1, 0), $d.id),
      );
      try {
        $d.call(push, undefined, $d.call(power, undefined, x, x$id, 3, 0), $d.id);
        throw $d.thrown(x, x$id);
      } catch (e: Value) {
        const e$id = $d.caught(e);
        $d.call(push, undefined, e, e$id);
      }
      return $d.ret(s, s$id);
    };
    expect($d.grad(f, [2])).toBe(13);
  });

  test("classes: inheritance, accessors, static members", () => {
    class A {
      r: number;
      constructor(r: number) {
        this.r = r;
      }
      area(): number {
        return this.r;
      }
      get twice(): number {
        return this.r * 2;
      }
      set twice(v: number) {
        this.r = v / 2;
      }
      static of(r: number): A {
        return new A(r);
      }
    }
    class B extends A {
      override area(): number {
        return super.area() * this.r;
      }
    }
    class A$delta {
      r: Value = $d.field(this, "r", undefined, 0);
      constructor($: Value, r: Value) {
        $d.set(this, "r", r, ids($, 0));
      }
      area(_$: Value): Value {
        return $d.get(this, "r");
      }
      get twice(): Value {
        return $d.mul($d.get(this, "r"), $d.id, 2, 0);
      }
      set twice(v: Value) {
        const v$id = $d.id;
        $d.set(this, "r", $d.div(v, v$id, 2, 0), $d.id);
      }
      static of($: Value, r: Value): Value {
        return $d.construct(A, r, ids($, 0));
      }
    }
    class B$delta extends A$delta {
      override area($: Value): Value {
        return $d.mul($d.call(super.area, this), $d.id, $d.get(this, "r"), $d.id) ?? $;
      }
    }
    $d.linkClass(A, A$delta);
    $d.linkClass(B, B$delta);
    const f = ($: Id[], x: Value): Value => {
      const b = $d.construct(B, x, ids($, 0));
      expect(b).toBeInstanceOf(B);
      const a = $d.callMethod(A, "of", x, ids($, 0));
      $d.set(b, "twice", $d.mul($d.get(b, "twice"), $d.id, 3, 0), $d.id);
      return $d.add($d.callMethod(b, "area"), $d.id, $d.get(a, "twice"), $d.id);
    };
    expect($d.valueAndGrad(f, [2])).toEqual([40, 38]);
    expect($d.grad((_$: Id[], b: Value) => $d.callMethod(b, "area"), [new B(3)])).toEqual({ r: 6 });
  });

  test("generators, spreads, rest, arguments", () => {
    const gen = $d.fn(function* ($: Id[], x: Value): Value {
      const got = yield $d.ret(x, ids($, 0));
      yield $d.mul(x, ids($, 0), x, ids($, 0));
      return got;
    });
    const sum = function ($: Id[], ...r: Value[]): Value {
      $d.restIds(r, $, 0);
      let s: Value = 0;
      let s$id = 0;
      for (const y of $d.each(r)) {
        const y$id = $d.id;
        s = $d.add(s, s$id, y, y$id);
        s$id = $d.id;
      }
      return $d.ret(s, s$id);
    };
    const viaArguments = function ($: Id[], ..._x: Value[]): Value {
      const arguments$ = $d.argumentsOf(arguments, $);
      return $d.mul($d.get(arguments$, 0), $d.id, $d.get(arguments$, 1), $d.id);
    };
    const f = ($: Id[], x: Value): Value =>
      $d.add(
        $d.invoke(
          sum,
          undefined,
          $d.spreadOf($d.call(gen, undefined, x, ids($, 0))),
          0,
          x,
          ids($, 0),
        ),
        $d.id,
        $d.invoke(viaArguments, undefined, x, ids($, 0), 5, 0),
        $d.id,
      );
    expect($d.grad(f, [3])).toBe(1 + 6 + 1 + 5);
    const o = (_$: Id[], a: Value): Value => $d.get($d.object("p", 1, 0, $d.spread, a, 0), "p");
    expect($d.grad(o, [{ p: 2, q: 3 }])).toEqual({ p: 1, q: 0 });
  });

  test("what is not known throws", () => {
    const foreign = (x: number): number => x * 2;
    expect(() =>
      $d.grad(($: Id[], x: Value) => $d.call(foreign, undefined, x, ids($, 0)), [1]),
    ).toThrow(/^TSG0010: `foreign`/);
    expect(() =>
      $d.grad((_$: Id[], x: Value) => $d.call(foreign, undefined, $d.array(x, 0), 0), [[1]]),
    ).toThrow(/^TSG0010/);
    expect(() => $d.grad(($: Id[], x: Value) => $d.fn(() => $d.ret(x, ids($, 0)))(), [1])).toThrow(
      /^TSG0011/,
    );
    expect(() => $d.grad(() => "x", [1])).toThrow(/^TSG0013/);
    expect($d.size()).toBe(1);
  });

  test("a run inside of a run", () => {
    const inner = ($: Id[], x: Value): Value => $d.mul($d.grad(square, [3]), $d.id, x, ids($, 0));
    expect($d.grad(inner, [3])).toBe(6);
    const derivative = (x: number): number => $d.grad(square, [x]);
    expect(() =>
      $d.grad(($: Id[], x: Value) => $d.call(derivative, undefined, x, ids($, 0)), [3]),
    ).toThrow(/^TSG0010/);
    const captures = ($: Id[], x: Value): Value =>
      $d.ret(
        $d.grad((_in: Id[], y: Value) => $d.mul(x, ids($, 0), y, ids(_in, 0)), [2]),
        0,
      );
    expect(() => $d.grad(captures, [3])).toThrow(/^TSG0014/);
  });
});

describe("promises and pullbacks", () => {
  const slow = ($: Id[], x: Value): Value =>
    $d.async(async () => {
      const x$id = ids($, 0);
      const y = $d.woke(await $d.wait(x, x$id));
      const y$id = $d.id;
      try {
        $d.woke(await $d.wait(Promise.reject(new Error("no")), 0));
      } catch {
        return $d.box($d.mul(y, y$id, x, x$id), $d.id);
      }
      return $d.box(0, 0);
    });

  test("two at once", async () => {
    const twice = ($: Id[], x: Value): Value =>
      $d.async(async () => {
        const y = $d.woke(await $d.wait($d.invoke(slow, undefined, x, ids($, 0)), 0));
        const y$id = $d.id;
        return $d.box($d.mul(y, y$id, x, ids($, 0)), $d.id);
      });
    expect(
      await Promise.all([
        $d.grad(twice, [2]),
        $d.grad(slow, [5]),
        Promise.resolve($d.grad(square, [7])),
      ]),
    ).toEqual([12, 10, 14]);
    expect($d.size()).toBe(1);
  });

  test("vjp", () => {
    const polar = ($: Id[], r: Value, t: Value): Value =>
      $d.array(
        $d.mul(r, ids($, 0), $d.cos(t, ids($, 1)), $d.id),
        $d.id,
        $d.mul(r, ids($, 0), $d.sin(t, ids($, 1)), $d.id),
        $d.id,
      );
    const [value, pullback] = $d.vjp(polar, [2, 0]);
    $d.grad(square, [3]);
    expect(value).toEqual([2, 0]);
    expect(pullback([1, 0])).toEqual([1, 0]);
    expect(pullback([0, 1])).toEqual([0, 2]);
    expect($d.vjp(polar, [2, 0], { argnums: 1 })[1]([0, 1])).toBe(2);
  });
});

describe("bytes", () => {
  test("off the grid, overlapping and not", () => {
    const own = $d.begin();
    const buffer = new ArrayBuffer(32);
    const a = $d.input();
    const b = $d.input();
    $d.setBytesId(buffer, "Float64Array", 4, a);
    expect($d.bytesId(buffer, "Float64Array", 4)).toBe(a);
    expect(() => $d.bytesId(buffer, "Float64Array", 8)).toThrow(/^TSG0012/);
    expect(() => $d.bytesId(buffer, "Uint8Array", 11)).toThrow(/^TSG0012/);
    expect($d.bytesId(buffer, "Uint8Array", 12)).toBe(0);
    expect($d.bytesId(buffer, "Uint8Array", 3)).toBe(0);
    $d.setBytesId(buffer, "Float64Array", 8, b);
    expect($d.bytesId(buffer, "Float64Array", 8)).toBe(b);
    $d.end(own);
  });
});

describe("literals", () => {
  test("accessors among members", () => {
    const f = ($: Id[], x: Value): Value => {
      const o = $d.join(
        $d.accessor(
          $d.object("a", x, ids($, 0)),
          "b",
          function (this: Value) {
            return $d.mul($d.get(this, "a"), $d.id, $d.get(this, "c"), $d.id);
          },
          undefined,
        ),
        $d.object("c", x, ids($, 0)),
      );
      $d.accessor(
        o,
        "d",
        undefined,
        $d.fn(function (this: Value, $: Id[], v: Value) {
          $d.set(this, "a", $d.mul(v, ids($, 0), 5, 0), $d.id);
        }),
      );
      $d.set(o, "d", x, ids($, 0));
      return $d.get(o, "b");
    };
    expect($d.valueAndGrad(f, [3])).toEqual([45, 30]);
  });

  test("arguments in one list, strings of a template", () => {
    expect($d.packed(1, 4, "s", 7)).toEqual([[4, 0], 1, "s"]);
    expect($d.strings`a${1}b`).toEqual(["a", "b"]);
  });
});
