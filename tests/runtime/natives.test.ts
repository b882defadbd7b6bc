// Natives on values with ids, called as rewritten code calls them. In: small functions. Out: gradients, compared with closed forms.

import { expect, test } from "vitest";
import * as $d from "../../runtime/delta/index.ts";
import type { Value } from "../../runtime/delta/value.ts";

const g = (f: Value, ...args: Value[]): Value => $d.grad(f, args, {});
const cases: [string, Value, Value][] = [];
const A = (name: string, found: Value, wanted: Value): void =>
  void cases.push([name, found, wanted]);
const cm = $d.callMethod;
A(
  "map",
  g(
    (_: Value, xs: Value) => {
      const r = cm(
        xs,
        "map",
        $d.fn(($: Value, x: Value) => $d.mul(x, $[0], x, $[0])),
        0,
      );
      return cm(
        r,
        "reduce",
        $d.fn(($: Value, a: Value, b: Value) => $d.add(a, $[0], b, $[1])),
        0,
      );
    },
    [1, 2, 3],
  ),
  [2, 4, 6],
);
A(
  "sort",
  g(
    (_: Value, xs: Value) => {
      const r = cm(xs, "slice");
      cm(
        r,
        "sort",
        $d.fn(($: Value, a: Value, b: Value) => $d.sub(a, $[0], b, $[1])),
        0,
      );
      return $d.get(r, 0);
    },
    [3, 1, 2],
  ),
  [0, 1, 0],
);
A(
  "splice",
  g(
    (_: Value, xs: Value) => {
      const r = cm(xs, "slice");
      const s = cm(r, "splice", 1, 0, 1, 0);
      return $d.add($d.mul($d.get(r, 1), $d.id, 3, 0), $d.id, $d.get(s, 0), $d.id);
    },
    [3, 1, 2],
  ),
  [0, 1, 3],
);
A(
  "assign",
  g(
    (_: Value, o: Value) => {
      const r = cm(Object, "assign", {}, 0, o, 0);
      return $d.mul($d.get(r, "a"), $d.id, $d.get(r, "b"), $d.id);
    },
    { a: 2, b: 5 },
  ),
  { a: 5, b: 2 },
);
A(
  "entries",
  g(
    (_: Value, o: Value) => {
      let s = 0;
      let s$ = 0;
      for (const e of $d.each(cm(Object, "entries", o, 0))) {
        s = $d.add(s, s$, $d.get(e, 1), $d.id);
        s$ = $d.id;
      }
      return $d.ret(s, s$);
    },
    { a: 2, b: 5 },
  ),
  { a: 1, b: 1 },
);
A(
  "apply",
  g((_: Value, xs: Value) => cm(Math.max, "apply", null, 0, xs, 0), [1, 5, 3]),
  [0, 1, 0],
);
A(
  "call",
  g(
    ($: Value, x: Value) =>
      cm(
        $d.fn(function (this: Value, $: Value, y: Value) {
          return $d.mul(y, $[0], y, $[0]);
        }),
        "call",
        null,
        0,
        x,
        $[0],
      ),
    3,
  ),
  6,
);
A(
  "bind",
  g(
    ($: Value, x: Value) =>
      $d.call(
        cm(
          $d.fn(function (this: Value, $: Value, y: Value, z: Value) {
            return $d.mul(y, $[0], z, $[1]);
          }),
          "bind",
          null,
          0,
          4,
          0,
        ),
        undefined,
        x,
        $[0],
      ),
    3,
  ),
  4,
);
A(
  "clone",
  g(
    (_: Value, o: Value) => {
      const r = $d.call(structuredClone, undefined, o, 0);
      return $d.get($d.get(r, "a"), 1);
    },
    { a: [2, 3] },
  ),
  { a: [0, 1] },
);
A(
  "json",
  g(
    (_: Value, o: Value) => {
      const r = cm(JSON, "parse", cm(JSON, "stringify", o, 0), 0);
      return $d.get($d.get(r, "a"), 1);
    },
    { a: [2, 3] },
  ),
  { a: [0, 1] },
);
A(
  "Map",
  g(($: Value, x: Value) => {
    const m = $d.construct(Map);
    cm(m, "set", "k", 0, $d.mul(x, $[0], 2, 0), $d.id);
    let s = 0;
    let s$ = 0;
    for (const e of $d.each(cm(m, "values"))) {
      s = $d.add(s, s$, e, $d.id);
      s$ = $d.id;
    }
    return $d.add(s, s$, cm(m, "get", "k", 0), $d.id);
  }, 3),
  4,
);
A(
  "sqrt as value",
  g(
    (_: Value, xs: Value) =>
      cm(
        cm(xs, "map", Math.sqrt, 0),
        "reduce",
        $d.fn(($: Value, a: Value, b: Value) => $d.add(a, $[0], b, $[1])),
        0,
      ),
    [4, 9],
  ),
  [0.25, 1 / 6],
);
A(
  "Number",
  g(($: Value, x: Value) => $d.call(Number, undefined, x, $[0]), 3),
  1,
);
A(
  "f64",
  g(
    (_: Value, xs: Value) => {
      const f = $d.construct(Float64Array, xs, 0);
      const h = cm(f, "subarray", 1, 0);
      $d.set(h, 0, $d.mul($d.get(h, 0), $d.id, 5, 0), $d.id);
      return $d.get(f, 1);
    },
    [1, 2, 3],
  ),
  [0, 5, 0],
);
A(
  "from",
  g(
    (_: Value, xs: Value) => {
      const f = cm(
        Array,
        "from",
        xs,
        0,
        $d.fn(($: Value, x: Value) => $d.mul(x, $[0], 3, 0)),
        0,
      );
      return $d.get(f, 2);
    },
    [1, 2, 3],
  ),
  [0, 0, 3],
);
A(
  "isArray",
  g(
    (_: Value, xs: Value) => {
      if (!cm(Array, "isArray", xs, 0)) throw new Error("no array");
      if (cm(Number, "isInteger", $d.get(xs, 0), $d.id)) return $d.get(xs, 0);
      return 0;
    },
    [1, 2, 3],
  ),
  [1, 0, 0],
);
A(
  "getProto",
  g(
    (_: Value, xs: Value) => {
      cm(Object, "getPrototypeOf", xs, 0);
      cm($d.get(Object.prototype, "toString"), "call", xs, 0);
      return $d.get(xs, 0);
    },
    [1, 2, 3],
  ),
  [1, 0, 0],
);
A(
  "all",
  $d.grad(
    ($: Value, x: Value) =>
      $d.async(async () => {
        const all = $d.woke(
          await $d.wait(
            cm(
              Promise,
              "all",
              $d.array(
                $d.async(async () => $d.box($d.mul(x, $[0], x, $[0]), $d.id)),
                0,
                x,
                $[0],
              ),
              0,
            ),
            0,
          ),
        );
        const v = $d.add($d.get(all, 0), $d.id, $d.get(all, 1), $d.id);
        return $d.box(v, $d.id);
      }),
    [3],
    {},
  ),
  7,
);
A(
  "then",
  $d.grad(
    ($: Value, x: Value) =>
      cm(
        cm(Promise, "resolve", x, $[0]),
        "then",
        $d.fn(($: Value, v: Value) => $d.mul(v, $[0], v, $[0])),
        0,
      ),
    [3],
    {},
  ),
  6,
);

A(
  "push and pop",
  g(($: Value, x: Value) => {
    const a: Value[] = [];
    cm(a, "push", 1, 0, x, $[0], x, $[0]);
    cm(a, "pop");
    cm(a, "push", 5, 0);
    const y = $d.get(a, 2);
    const y$ = $d.id;
    const z = $d.get(a, 1);
    return $d.add(y, y$, z, $d.id);
  }, 3),
  1,
);
A(
  "keys of a Map",
  g(($: Value, x: Value) => {
    const m = $d.construct(Map);
    cm(m, "set", x, $[0], 1, 0);
    cm(m, "set", 7, 0, 1, 0);
    let s = 0;
    let s$ = 0;
    for (const k of $d.each(cm(m, "keys"))) {
      s = $d.add(s, s$, k, $d.id);
      s$ = $d.id;
    }
    for (const e of $d.each(m)) {
      s = $d.add(s, s$, $d.get(e, 0), $d.id);
      s$ = $d.id;
    }
    cm(
      m,
      "forEach",
      $d.fn(($: Value, _v: Value, k: Value) => {
        s = $d.add(s, s$, k, $[1]);
        s$ = $d.id;
      }),
      0,
    );
    return $d.ret(s, s$);
  }, 3),
  3,
);
A(
  "entries of a Set",
  g(($: Value, x: Value) => {
    const m = $d.construct(Set, $d.array(x, $[0]), 0);
    let s = 0;
    let s$ = 0;
    for (const e of $d.each(cm(m, "entries"))) {
      s = $d.mul($d.get(e, 0), $d.id, $d.get(e, 1), $d.id);
      s$ = $d.id;
    }
    return $d.ret(s, s$);
  }, 3),
  6,
);
const method = $d.fn(function (this: Value) {
  return this * 2;
}, "twice");
test("a number's own method has no derivative", () => {
  expect(() => g(($: Value, x: Value) => cm(method, "call", x, $[0]), 3)).toThrow(/TSG0010.*twice/);
  expect(() => g((_: Value, x: Value) => cm(x, "valueOf"), 3)).toThrow(/TSG0010.*valueOf/);
  expect(() => g(($: Value, x: Value) => $d.construct(Number, x, $[0]), 3)).toThrow(/TSG0010/);
});

test.each(cases)("%s", async (_name, found, wanted) => {
  expect(await found).toEqual(wanted);
});
