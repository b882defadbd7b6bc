// What runs keep in objects and in the tape's steps of sums, where it could go wrong: frozen objects, runs that overlap, runs that are over, chunks, closures
// that keep numbers. Against closed forms; hand-written code in the shape of rewritten functions.

import { describe, expect, test } from "vitest";
import * as $d from "../../runtime/delta/index.ts";
import { CHUNK } from "../../runtime/delta/tape.ts";
import type { Id, Value } from "../../runtime/delta/value.ts";

const ids = ($: Id[], n: number): Id => $[n] ?? 0;

describe("what a run knows of an object", () => {
  test("of a frozen one, and of one that nothing can be added to; nothing of it is seen", () => {
    const f = (_$: Id[], o: Value): Value =>
      $d.mul($d.get(o, "x"), $d.id, $d.get(o, "list")[1], $d.keyId(o.list, 1));
    const frozen = Object.freeze({ x: 3, list: Object.freeze([1, 5]) });
    expect($d.grad(f, [frozen])).toEqual({ x: 5, list: [0, 3] });
    const sealed = Object.preventExtensions({ x: 2, list: [1, 4] });
    expect($d.grad(f, [sealed])).toEqual({ x: 4, list: [0, 2] });
    expect(Reflect.ownKeys(sealed)).toEqual(["x", "list"]);
    expect(Reflect.ownKeys(sealed.list)).toEqual(["0", "1", "length"]);
    expect(structuredClone(sealed)).toEqual(sealed);
  });

  test("a proxy's traps are not asked for it", () => {
    const asked: PropertyKey[] = [];
    const o = new Proxy(
      { x: 3 },
      {
        has: (of, k) => {
          asked.push(k);
          return k in of;
        },
      },
    );
    expect($d.grad((_$: Id[], p: Value) => $d.mul($d.get(p, "x"), $d.id, 2, 0), [o])).toEqual({
      x: 2,
    });
    expect(asked).toEqual([]);
  });

  test("in a run inside of a run each has its own ids, and the outer one's are there behind it", () => {
    const o = { x: 3 };
    const list = [1, 2];
    const inner = (_$: Id[], p: Value, q: Value): Value =>
      $d.mul($d.get(p, "x"), $d.id, $d.get(q, 1), 0);
    const outer = (_$: Id[], p: Value, q: Value): Value => {
      const before = $d.get(p, "x");
      const before$id = $d.id;
      // by code that is not rewritten: a run of its own
      const [of] = $d.grad(inner, [o, list], { argnums: [0] });
      expect(of).toEqual({ x: 2 });
      $d.set(p, "y", $d.mul(before, before$id, 10, 0), $d.id);
      const y = $d.get(p, "y");
      const y$id = $d.id;
      return $d.add($d.mul(y, y$id, $d.get(q, 1), $d.id), $d.id, $d.get(p, "x"), $d.id);
    };
    // 10 x q1 + x
    expect($d.grad(outer, [o, list], { argnums: [0, 1] })).toEqual([{ x: 21 }, [0, 30]]);
  });

  test("runs that wait for each other and share an object", async () => {
    const o = { x: 3 };
    const f = (_$: Id[], p: Value): Value =>
      $d.async(async () => {
        const x = $d.get(p, "x");
        const x$id = $d.id;
        $d.woke(await $d.wait(undefined, 0));
        return $d.box($d.mul(x, x$id, $d.get(p, "x"), $d.id), $d.id);
      });
    expect(await Promise.all([$d.grad(f, [o]), $d.grad(f, [o]), $d.grad(f, [o])])).toEqual([
      { x: 6 },
      { x: 6 },
      { x: 6 },
    ]);
  });

  test("what a run that is over left is no constant of a later one, but what a caller gives is", () => {
    const kept: Value[] = [];
    const keep = (_$: Id[], x: Value): Value => {
      kept.push(
        $d.record({ x }, { x: _$[0] ?? 0 }),
        $d.array(x, _$[0] ?? 0),
        { y: 0 },
        new Float64Array(1),
        new Map(),
      );
      $d.set(kept[2], "y", x, ids(_$, 0));
      $d.set(kept[3], 0, x, ids(_$, 0));
      $d.callMethod(kept[4], "set", "k", 0, x, ids(_$, 0));
      return x;
    };
    $d.grad(keep, [3]);
    const reads: readonly ((o: Value) => Value)[] = [
      (o) => $d.get(o, "x"),
      (o) => $d.get(o, 0),
      (o) => $d.get(o, "y"),
      (o) => $d.get(o, 0),
      (o) => $d.callMethod(o, "get", "k", 0),
    ];
    for (const [k, read] of reads.entries()) {
      const f = ($: Id[], y: Value, o: Value): Value => $d.mul(read(o), $d.id, y, ids($, 0));
      expect(() => $d.grad(($: Id[], y: Value) => f($, y, kept[k]), [5])).toThrow("TSG0015");
      expect($d.grad(f, [5, kept[k]])).toBe(3);
    }
    // it is written before it is read
    const again = ($: Id[], y: Value): Value => {
      $d.set(kept[2], "y", y, ids($, 0));
      $d.set(kept[3], 0, y, ids($, 0));
      return $d.mul($d.get(kept[2], "y"), $d.id, $d.get(kept[3], 0), $d.id);
    };
    expect([$d.grad(again, [5]), $d.grad(again, [7])]).toEqual([10, 14]);
  });
});

describe("nodes of three parents", () => {
  const sums = ($: Id[], x: Value, n: Value): Value => {
    let s = 0;
    let s$id: Id = 0;
    const x$id = ids($, 0);
    for (let i = 0; i < n; i++) {
      s$id = $d.linear3(s$id, 1, x$id, i, x$id, 1);
      s += x * i + x;
    }
    return $d.ret(s, s$id);
  };

  test("over the border of columns, downwards and upwards", () => {
    const own = $d.begin();
    const before = $d.size();
    sums([$d.input()], 0.5, 1000);
    const grown = $d.size() - before;
    $d.end(own);
    // an input, and a node of two parents for the first step; then a node and two terms for each step
    expect(grown).toBe(3 * 1000 - 1);
    const n = 2 * CHUNK + 1000;
    const slope = (n * (n - 1)) / 2 + n;
    expect($d.grad(sums, [0.5, n])).toBe(slope);
    expect($d.jvp(sums, [0.5, n], [1, 0])[1]).toBe(slope);
    expect($d.vjp(sums, [0.5, n], { argnums: 0 })[1](2)).toBe(2 * slope);
  });

  test("a term says all three", () => {
    const { term } = $d.delta(
      ($: Id[]): Value => {
        const z$id = $d.linear2(ids($, 0), 2, ids($, 1), 3);
        return $d.ret(0, $d.linear3(z$id, 1, ids($, 0), 4, ids($, 1), 5));
      },
      ["x", "y"],
    )(1, 1);
    expect(term.toString()).toMatchInlineSnapshot(`
      "Let x1 = Add (Scale 2 (Var x)) (Scale 3 (Var y)) in
      Let x2 = Add (Var x1) (Add (Scale 4 (Var x)) (Scale 5 (Var y))) in
      Var x2"
    `);
  });

  test("a node of a run that is over is no node before", () => {
    let old: Id = 0;
    $d.grad(
      ($: Id[], x: Value) => {
        old = $d.linear1(ids($, 0), 2);
        return $d.ret(x, old);
      },
      [1],
    );
    // the first node of a run stands right behind the last one of the run before: its parents are named
    expect(() =>
      $d.grad(
        ($: Id[], x: Value) => $d.ret(x, $d.linear3(old, 1, ids($, 0), 1, ids($, 0), 1)),
        [1],
      ),
    ).toThrow("TSG0015");
  });
});

describe("functions and lists", () => {
  test("function values say how many parameters they have, and what they are called", () => {
    const made = [
      $d.fn((_$: Id[]) => 0),
      $d.fn((_$: Id[], a: Value) => a),
      $d.fn((_$: Id[], a: Value, b: Value) => a + b),
      $d.fn((_$: Id[], a: Value, b: Value, c: Value) => a + b + c, "three"),
    ];
    expect(made.map((f) => [f.length, f.name, f(1, 2, 3)])).toEqual([
      [0, "", 0],
      [1, "", 1],
      [2, "", 3],
      [3, "three", 6],
    ]);
  });

  test("a setter as a callback finds the id of its value", () => {
    class Sum {
      total = 0;
      set next(value: number) {
        this.total += value;
      }
    }
    class Sum$delta {
      set next(value: Value) {
        const own = $d.id;
        $d.set(this, "total", $d.add($d.get(this, "total"), $d.id, value, own), $d.id);
      }
    }
    $d.linkClass(Sum, Sum$delta);
    const next = Object.getOwnPropertyDescriptor(Sum.prototype, "next")?.set;
    const f = (_$: Id[], xs: Value): Value => {
      const sum = $d.record({ total: 0 }, { total: 0 });
      $d.callMethod(xs, "forEach", next, 0, sum, 0);
      return $d.get(sum, "total");
    };
    expect($d.grad(f, [[1, 2, 3]])).toEqual([1, 1, 1]);
  });

  test("a list that grows while it is walked, and a walk that another run goes on with", () => {
    const grow = (_$: Id[], xs: Value): Value => {
      const list = $d.callMethod(xs, "slice");
      let s: Value = 0;
      let s$id: Id = 0;
      for (const x of $d.each(list)) {
        const x$id = $d.id;
        if (list.length < 4) $d.callMethod(list, "push", $d.mul(x, x$id, 2, 0), $d.id);
        s$id = $d.linear2(s$id, 1, x$id, 1);
        s += x;
      }
      return $d.ret(s, s$id);
    };
    expect($d.valueAndGrad(grow, [[1, 10]])).toEqual([33, [3, 3]]);
    const list = [2, 3];
    const walk = $d.each(list)[Symbol.iterator]();
    const step = (_$: Id[], xs: Value): Value =>
      xs === list ? $d.ret(walk.next().value, $d.id) : 0;
    expect($d.grad(step, [list])).toEqual([1, 0]);
    expect($d.grad(step, [list])).toEqual([0, 1]);
    expect(walk.next().done).toBe(true);
  });

  test("typed arrays: written by one view, read by another", () => {
    const f = (_$: Id[], x: Value): Value => {
      const all = $d.construct(Float64Array, 4, 0);
      const part = all.subarray(1, 3);
      const whole = new Int32Array(2);
      for (let i = 0; i < 4; i++) $d.set(all, i, $d.mul(x, _$[0] ?? 0, i + 1, 0), $d.id);
      $d.set(part, 0, $d.mul($d.get(all, 1), $d.id, 10, 0), $d.id);
      $d.set(whole, 0, $d.get(all, 0), $d.id); // whole numbers have no derivative
      $d.set(all, 3, 1, 0);
      const parts: [Value, Id][] = [0, 1, 2, 3].map((i) => [$d.get(all, i), $d.id]);
      let s: Value = $d.get(whole, 0);
      let s$id: Id = $d.id;
      for (const [value, id] of parts) {
        s$id = $d.linear2(s$id, 1, id, 1);
        s += value;
      }
      return $d.ret(s, s$id);
    };
    expect($d.grad(f, [2])).toBe(1 + 20 + 3);
  });
});
