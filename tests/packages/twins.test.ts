// A real module and its copy, here written by hand as the rewriter would write it: derivatives pass through functions and instances
// that come from the real one. Oracle: derivatives by hand.

import { expect, test } from "vitest";
import * as $d from "../../runtime/delta/index.ts";
import { exportStar } from "../../runtime/delta/modules.ts";

interface Point {
  x: number;
  double(): number;
  readonly squared: number;
}

/** The real module. */
class Shape {}
class Real extends Shape implements Point {
  x: number;
  constructor(x: number) {
    super();
    this.x = x;
  }
  double(): number {
    return 2 * this.x;
  }
  get squared(): number {
    return this.x * this.x;
  }
  static times(a: number, b: number): number {
    return a * b;
  }
}
const cube = (x: number): number => x * x * x;
const isShape = (v: unknown): boolean => v instanceof Shape;

/** Its copy; what the rewriter emits has no types. */
const copy = (): Record<string, unknown> => {
  class BaseCopy {}
  class Copy extends BaseCopy {
    x = 0;
    double(): number {
      return 0;
    }
    get squared(): number {
      return 0;
    }
    static times(): number {
      return 0;
    }
  }
  class Delta {
    constructor($: $d.Id[], x: number) {
      $d.set(this, "x", x, $[0] ?? 0);
    }
    double(): unknown {
      return $d.mul(2, 0, $d.get(this, "x"), $d.id);
    }
    get squared(): unknown {
      const x: unknown = $d.get(this, "x");
      const of = $d.id;
      return $d.mul(x, of, x, of);
    }
    static times($: $d.Id[], a: number, b: number): unknown {
      return $d.mul(a, $[0] ?? 0, b, $[1] ?? 0);
    }
  }
  $d.linkClass(Copy, Delta);
  return {
    __esModule: true,
    Real: Copy,
    cube: $d.fn(($: $d.Id[], x: number) =>
      $d.mul($d.mul(x, $[0] ?? 0, x, $[0] ?? 0), $d.id, x, $[0] ?? 0),
    ),
    isShape: $d.fn((_: $d.Id[], v: unknown) => $d.isInstance(v, 0, BaseCopy)),
    make: $d.fn(($: $d.Id[], x: number) => $d.construct(Copy, x, $[0] ?? 0)),
  };
};

const load = $d.module("twins#1", {}, function (this: unknown, exports: object) {
  Object.assign(exports, copy());
});
const make = (): never => {
  throw new Error("the real one does not run");
};
$d.linkModule(() => ({ Real, cube, isShape, make }), load);

test("a real function has the derivative of its copy", () => {
  expect($d.grad(($, x) => $d.call(cube, undefined, x, $[0]), [3])).toBe(27);
});

test("methods, accessors and static members of real instances", () => {
  expect($d.grad((_, p) => $d.callMethod(p, "double"), [new Real(3)])).toEqual({ x: 2 });
  expect($d.grad((_, p) => $d.get(p, "squared"), [new Real(3)])).toEqual({ x: 6 });
  expect($d.grad(($, x) => $d.callMethod(Real, "times", x, $[0], x, $[0]), [3])).toBe(6);
});

test("instances that the copy makes are real ones", () => {
  let made: unknown;
  expect(
    $d.grad(
      ($, x) => {
        made = $d.call(make, undefined, x, $[0]);
        return $d.callMethod(made, "double");
      },
      [3],
    ),
  ).toBe(2);
  expect(made).toBeInstanceOf(Real);
});

test("a class and its copy are one for instanceof, its parents as well", () => {
  expect($d.value(() => $d.call(isShape, undefined, new Real(1), 0), [])).toBe(true);
  expect($d.value(() => $d.call(isShape, undefined, {}, 0), [])).toBe(false);
});

test("a module is evaluated once, when it is asked for, and one in a circle sees what there is", () => {
  const order: string[] = [];
  const a: () => { name: string } = $d.module(
    "twins/a#1",
    { b: () => b() },
    (exports: { name: string }, require: (name: string) => unknown) => {
      order.push("a");
      exports.name = "a";
      require("b");
      order.push("a's end");
    },
  );
  const b: () => unknown = $d.module(
    "twins/b#1",
    { a: () => a() },
    (_exports: unknown, require: (name: string) => { name: string }) => {
      order.push(`b sees ${require("a").name}`);
    },
  );
  expect(order).toEqual([]);
  a();
  a();
  b();
  expect(order).toEqual(["a", "b sees a", "a's end"]);
  expect(() =>
    $d.module("twins/c#1", { native: null }, (_: unknown, require: (name: string) => unknown) =>
      require("native"),
    )(),
  ).toThrow("Cannot find module 'native', which twins/c requires");
});

test("a namespace of getters on both sides: a bundler's, and `export * from` in the copy", () => {
  const square = (x: number): number => x * x;
  const real = {
    get square(): (x: number) => number {
      return square;
    },
  };
  const inner = $d.module("inner#1", {}, (exports: Record<string, unknown>) => {
    Object.assign(exports, {
      __esModule: true,
      square: $d.fn(($: $d.Id[], x: number) => $d.mul(x, $[0] ?? 0, x, $[0] ?? 0)),
    });
  });
  const outer = $d.module(
    "outer#1",
    { "./inner.js": inner },
    (exports: Record<string, unknown>, require: (name: string) => unknown) => {
      const all = { __esModule: true };
      exportStar(require("./inner.js"), all);
      Object.assign(exports, { __esModule: true, all });
    },
  );
  $d.linkModule(() => ({ all: real }), outer);
  expect($d.grad(($, x) => $d.callMethod(real, "square", x, $[0]), [3])).toBe(6);
});
