// `checkGrads` on derivatives written by hand, as the build would pass them: right ones pass, each way of being wrong is found and named, and points
// where values cannot tell are said to be such.

import { describe, expect, test } from "vitest";
import {
  checkGrads,
  numericalGradient,
  tsgradMatchers,
  type CheckOptions,
  type TsgradMatchers,
} from "../../runtime/testing.ts";

expect.extend(tsgradMatchers);
declare module "vitest" {
  // the framework's own parameter
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merges with vitest's own
  interface Matchers<T = any> extends TsgradMatchers<T> {}
}

// f(x, y) = x² y + sin(y)
const f = (x: number, y: number): number => x * x * y + Math.sin(y);
const fwd = (x: number, y: number, dx: number, dy: number): [number, number] => [
  f(x, y),
  2 * x * y * dx + (x * x + Math.cos(y)) * dy,
];
const vjp = (x: number, y: number): [number, (bar: number) => [number, number]] => [
  f(x, y),
  (bar) => [2 * x * y * bar, (x * x + Math.cos(y)) * bar],
];
const gradFwd = (
  x: number,
  y: number,
  dx: number,
  dy: number,
): [[number, number], [number, number]] => [
  [2 * x * y, x * x + Math.cos(y)],
  [2 * y * dx + 2 * x * dy, 2 * x * dx - Math.sin(y) * dy],
];
const point = [1.3, -0.7] as const;
type Fwd = typeof fwd;
type Vjp = typeof vjp;
type GradFwd = typeof gradFwd;
const run =
  (options: CheckOptions, forward: Fwd = fwd, reverse: Vjp = vjp, second: GradFwd = gradFwd) =>
  (): void =>
    checkGrads(f, point, options, forward, reverse, second);

describe("the modes are compared with each other, closer than differences can tell", () => {
  // differences allow for a thousand times as much
  const off = 1 + 5e-7;
  const h = (x: number): number => Math.sin(x) * x;
  const slope = (x: number): number => Math.cos(x) * x + Math.sin(x);
  const forward =
    (by: number) =>
    (x: number, dx: number): [number, number] => [h(x), slope(x) * dx * by];
  const reverse =
    (by: number) =>
    (x: number): [number, (bar: number) => [number]] => [h(x), (bar) => [slope(x) * bar * by]];

  test.each([-2, 0.4, 1.3, 5])("at %d", (x) => {
    const check = (one: number, other: number) => (): void =>
      checkGrads(h, [x], {}, forward(one), reverse(other));
    expect(check(1, 1)).not.toThrow();
    expect(check(off, off)).not.toThrow();
    expect(check(off, 1)).toThrow(/forward.*reverse|reverse.*forward/s);
    expect(check(1, off)).toThrow(/forward.*reverse|reverse.*forward/s);
  });
});

describe("right derivatives pass", () => {
  test("of numbers, order 1 and 2", () => {
    expect(run({})).not.toThrow();
    expect(run({ order: 2 })).not.toThrow();
    for (let seed = 1; seed < 20; seed++) expect(run({ order: 2, seed })).not.toThrow();
  });
  test("without options", () => {
    expect(() => checkGrads(f, point, fwd, vjp)).not.toThrow();
  });
  test("of a record, a Map and a typed array with an array as result", () => {
    interface Model {
      readonly w: Float64Array;
      readonly name: string;
      readonly m: Map<string, number>;
    }
    const g = (model: Model, k: string): number[] => [
      Math.exp(model.w[0] ?? 0) * (model.m.get(k) ?? 0),
      (model.w[1] ?? 0) ** 3,
    ];
    const gFwd = (
      model: Model,
      k: string,
      d: { w: Float64Array; m: Map<string, number> },
    ): unknown => {
      const [w0 = 0, w1 = 0] = model.w;
      const [d0 = 0, d1 = 0] = d.w;
      return [
        g(model, k),
        [Math.exp(w0) * (d0 * (model.m.get(k) ?? 0) + (d.m.get(k) ?? 0)), 3 * w1 * w1 * d1],
      ];
    };
    const forward = (
      model: Model,
      k: string,
      d: { w: Float64Array; m: Map<string, number> },
      _: undefined,
    ): unknown => gFwd(model, k, d);
    const reverse = (model: Model, k: string): unknown => [
      g(model, k),
      ([a = 0, b = 0]: number[]) => {
        const [w0 = 0, w1 = 0] = model.w;
        return [
          {
            w: Float64Array.of(a * Math.exp(w0) * (model.m.get(k) ?? 0), 3 * w1 * w1 * b),
            m: new Map([[k, a * Math.exp(w0)]]),
          },
          undefined,
        ];
      },
    ];
    const args: [Model, string] = [
      { w: Float64Array.of(0.3, 2), name: "a", m: new Map([["k", 1.5]]) },
      "k",
    ];
    expect(() => checkGrads(g, args, { order: 2 }, forward, reverse)).not.toThrow();
    expect(args[0].w).toEqual(Float64Array.of(0.3, 2));
    const wrong = (
      model: Model,
      k: string,
      d: { w: Float64Array; m: Map<string, number> },
      _: undefined,
    ): unknown => gFwd(model, k, { ...d, m: new Map([[k, 0]]) });
    expect(() => checkGrads(g, args, {}, wrong, reverse)).toThrow(
      /forward mode, d\/dargs\[0\]\.m\.get\("k"\) of result\[0\]/,
    );
  });
  test("of a function that writes its argument, and of many numbers", () => {
    const total = (xs: number[]): number => {
      for (let i = 0; i < xs.length; i++) xs[i] = (xs[i] ?? 0) ** 2;
      return xs.reduce((a, b) => a + b, 0);
    };
    const reverse = (xs: number[]): unknown => {
      const own = xs.slice();
      return [total(xs), (bar: number) => [own.map((x) => 2 * x * bar)]];
    };
    const forward = (xs: number[], dxs: number[]): unknown => {
      const slope = xs.reduce((sum, x, i) => sum + 2 * x * (dxs[i] ?? 0), 0);
      return [total(xs), slope];
    };
    const xs = Array.from({ length: 60 }, (_, i) => Math.sin(i) + 0.1);
    expect(() => checkGrads(total, [xs], {}, forward, reverse)).not.toThrow();
    const short = (own: number[]): unknown => {
      const last = own.at(-1);
      return [
        total(own.slice()),
        (bar: number) => [own.map((x) => (x === last ? 0 : 2 * x * bar))],
      ];
    };
    expect(() => checkGrads(total, [xs], {}, forward, short)).toThrow(
      /reverse mode, along a random direction/,
    );
  });
  test.each([1e-6, 1e-3, 50, 1e5])("far from 1: log at %d", (x) => {
    const log = (z: number): number => Math.log(z);
    const forward = (z: number, dz: number): [number, number] => [Math.log(z), dz / z];
    const reverse = (z: number): [number, (b: number) => [number]] => [Math.log(z), (b) => [b / z]];
    expect(() => checkGrads(log, [x], forward, reverse)).not.toThrow();
    expect(() =>
      checkGrads(log, [x], forward, (z: number) => [Math.log(z), (b: number) => [(b / z) * 1.001]]),
    ).toThrow("reverse mode");
  });
  test("of single precision, as far as it goes", () => {
    const g = (xs: Float32Array): number => Math.fround((xs[0] ?? 0) * (xs[0] ?? 0) * (xs[1] ?? 0));
    const forward = (xs: Float32Array, d: Float32Array): unknown => [
      g(xs),
      2 * (xs[0] ?? 0) * (xs[1] ?? 0) * (d[0] ?? 0) + (xs[0] ?? 0) ** 2 * (d[1] ?? 0),
    ];
    const reverse = (xs: Float32Array): unknown => [
      g(xs),
      (b: number) => [Float32Array.of(2 * (xs[0] ?? 0) * (xs[1] ?? 0) * b, (xs[0] ?? 0) ** 2 * b)],
    ];
    expect(() => checkGrads(g, [Float32Array.of(1.5, 2.25)], forward, reverse)).not.toThrow();
    const wrong = (xs: Float32Array): unknown => [
      g(xs),
      (b: number) => [Float32Array.of(2 * (xs[0] ?? 0) * (xs[1] ?? 0) * b, 0)],
    ];
    expect(() => checkGrads(g, [Float32Array.of(1.5, 2.25)], forward, wrong)).toThrow(
      "reverse mode, d/dargs[0][1]",
    );
  });
});

describe("wrong derivatives are found", () => {
  const scaled: Vjp = (x, y) => [
    f(x, y),
    (b) => [2 * x * y * b * 1.0001, (x * x + Math.cos(y)) * b],
  ];
  const sign: Vjp = (x, y) => [f(x, y), (b) => [-2 * x * y * b, (x * x + Math.cos(y)) * b]];
  const zero: Vjp = (x, y) => [f(x, y), (b) => [2 * x * y * b, 0 * b]];
  const swapped: Vjp = (x, y) => [f(x, y), (b) => [(x * x + Math.cos(y)) * b, 2 * x * y * b]];
  const nan: Vjp = (x, y) => [f(x, y), (b) => [NaN * b, (x * x + Math.cos(y)) * b]];
  test.each([
    ["scaled", scaled, 0],
    ["sign", sign, 0],
    ["zero entry", zero, 1],
    ["swapped", swapped, 0],
    ["NaN", nan, 0],
  ] as const)("reverse: %s", (_, wrong, arg) => {
    expect(run({}, fwd, wrong)).toThrow(`reverse mode, d/dargs[${arg}]`);
    expect(run({ modes: ["forward"] }, fwd, wrong)).not.toThrow();
  });
  const forwards: readonly (readonly [string, Fwd, number])[] = [
    [
      "scaled",
      (x, y, dx, dy) => [f(x, y), 2 * x * y * dx + (x * x + Math.cos(y)) * dy * 1.0001],
      1,
    ],
    ["sign", (x, y, dx, dy) => [f(x, y), 2 * x * y * dx - (x * x + Math.cos(y)) * dy], 1],
    ["zero entry", (x, y, _, dy) => [f(x, y), (x * x + Math.cos(y)) * dy], 0],
    ["swapped", (x, y, dx, dy) => [f(x, y), 2 * x * y * dy + (x * x + Math.cos(y)) * dx], 0],
  ];
  test.each(forwards)("forward: %s", (_, wrong, arg) => {
    expect(run({}, wrong)).toThrow(`forward mode, d/dargs[${arg}]`);
    expect(run({ modes: ["reverse"] }, wrong)).not.toThrow();
  });
  const seconds: readonly (readonly [string, GradFwd, string])[] = [
    [
      "a term is missing",
      (x, y, dx, dy) => [
        [2 * x * y, x * x + Math.cos(y)],
        [2 * y * dx + 2 * x * dy, 2 * x * dx + 0 * dy],
      ],
      "d/dargs[1] of the gradient at args[1]",
    ],
    [
      "scaled",
      (x, y, dx, dy) => [
        [2 * x * y, x * x + Math.cos(y)],
        [1.001 * 2 * y * dx + 2 * x * dy, 2 * x * dx - Math.sin(y) * dy],
      ],
      "d/dargs[0] of the gradient at args[0]",
    ],
    [
      "not symmetric",
      (x, y, dx, dy) => [
        [2 * x * y, x * x + Math.cos(y)],
        [2 * y * dx, 2 * x * dx - Math.sin(y) * dy],
      ],
      "d/dargs[1] of the gradient at args[0]",
    ],
    [
      "another gradient",
      (x, y, dx, dy) => [
        [2 * x * y, x * x],
        [2 * y * dx + 2 * x * dy, 2 * x * dx - Math.sin(y) * dy],
      ],
      "the gradient under `hessian`",
    ],
  ];
  test.each(seconds)("second order: %s", (_, wrong, where) => {
    expect(run({ order: 2 }, fwd, vjp, wrong)).toThrow(where);
    expect(run({ order: 1 }, fwd, vjp, wrong)).not.toThrow();
  });
  test("both numbers are named", () => {
    expect(run({}, fwd, sign)).toThrow(
      /the derivative code gives 1\.8\d*, differences of values give -1\.8/,
    );
  });
  test("an error that depends on the point, with order 2 of a vector-valued function", () => {
    const g = (x: number): number[] => [x * x];
    const forward = (x: number, dx: number): unknown => [
      [x * x],
      [x === 1 ? 2 * dx : 2.1 * x * dx],
    ];
    const reverse = (x: number): unknown => [[x * x], ([b = 0]: number[]) => [2 * x * b]];
    expect(() => checkGrads(g, [1], { modes: ["forward"] }, forward, reverse)).not.toThrow();
    expect(() => checkGrads(g, [1], { modes: ["forward"], order: 2 }, forward, reverse)).toThrow(
      "forward mode",
    );
  });
});

describe("where values cannot tell", () => {
  const one = (g: (x: number) => number, slope: (x: number) => number) =>
    [
      (x: number, dx: number): [number, number] => [g(x), slope(x) * dx],
      (x: number): [number, (b: number) => [number]] => [g(x), (b) => [slope(x) * b]],
    ] as const;
  test("a kink", () => {
    const relu = (x: number): number => (x > 0 ? x : 0);
    expect(() => checkGrads(relu, [0], ...one(relu, () => 0))).toThrow(
      /The slope is 0 on the left and 1 on the right. At a kink/,
    );
    const abs = (x: number): number => Math.abs(x);
    expect(() => checkGrads(abs, [0], ...one(abs, Math.sign))).toThrow("has a kink here");
    // near one, but not at it
    expect(() => checkGrads(abs, [1e-3], ...one(abs, Math.sign))).not.toThrow();
    expect(() => checkGrads(relu, [-1e-3], ...one(relu, () => 0))).not.toThrow();
  });
  test("a jump, as a count makes it", () => {
    const sum = (n: number): number => {
      let total = 0;
      for (let i = 0; i < n; i++) total += i + 1;
      return total;
    };
    expect(() => checkGrads(sum, [5], ...one(sum, () => 0))).toThrow("leave it out with `argnums`");
    const mixed = (x: number, n: number): number => x * sum(n);
    expect(() =>
      checkGrads(
        mixed,
        [2, 5],
        { argnums: 0 },
        (x: number, n: number, dx: number, _: number) => [mixed(x, n), sum(n) * dx],
        (x: number, n: number) => [mixed(x, n), (b: number) => [sum(n) * b, 0]],
      ),
    ).not.toThrow();
  });
  test("nothing to vary, or an asynchronous function", async () => {
    const whole = (bytes: Uint8Array): number => bytes[0] ?? 0;
    expect(() =>
      checkGrads(
        whole,
        [Uint8Array.of(1)],
        () => [1, 0],
        () => [1, () => [undefined]],
      ),
    ).toThrow("no number that can be varied");
    const later = async (x: number): Promise<number> => x;
    expect(() =>
      checkGrads(
        later,
        [1],
        (x: number, dx: number) => [x, dx],
        (x: number) => [x, (b: number) => [b]],
      ),
    ).toThrow("asynchronous");
  });
  test("without a build step", () => {
    expect(() => checkGrads(f, point)).toThrow("TSG0001");
    expect(() => checkGrads(f, point, { order: 2 })).toThrow("TSG0001");
    expect(() => checkGrads(f, point, fwd)).toThrow("TSG0001");
  });
});

describe("numericalGradient and matchers", () => {
  const loss = (m: { w: number[]; b: number; name: string }): number =>
    (m.w[0] ?? 0) * (m.w[1] ?? 0) + Math.exp(m.b);
  const model = { w: [2, 3], b: 0.5, name: "a" };
  test("the shape of the argument", () => {
    // eight digits of a smooth function of size 10
    expect(numericalGradient(loss, [model])).toBeCloseToTree(
      { w: [3, 2], b: Math.exp(0.5) },
      { relative: 1e-8 },
    );
    expect(numericalGradient(f, point, 1)).toBeCloseToTree(1.3 ** 2 + Math.cos(-0.7), {
      relative: 1e-8,
    });
  });
  test("a gradient matches", () => {
    expect({ w: [3, 2], b: Math.exp(0.5) }).toMatchGradient(loss, [model]);
    expect(() =>
      expect({ w: [3, 2.001], b: Math.exp(0.5) }).toMatchGradient(loss, [model]),
    ).toThrow(/`\.w\[1\]` there is 2\.001, expected (2|1\.9999)/);
    expect({ w: [3, 2.001], b: Math.exp(0.5) }).not.toMatchGradient(loss, [model]);
  });
  const differing: readonly (readonly [unknown, unknown, string])[] = [
    [{ a: [1, 2] }, { a: [1, 3] }, "`.a[1]` there is 2, expected 3 (apart by 1)"],
    [{ a: 1 }, { a: 1, b: 2 }, "`.b` is missing, expected 2"],
    [{ a: 1, c: 2 }, { a: 1 }, "`.c` is 2, and nothing was expected there"],
    [[1], Float64Array.of(1), "there is an array, expected Float64Array"],
    [new Map([["k", NaN]]), new Map([["k", 1]]), '`.get("k")` there is NaN, expected 1'],
    [1, undefined, "there is 1, expected undefined"],
    [0, 1e-9, "there is 0, expected 1e-9"],
  ];
  test.each(differing)("%o is not %o", (a, b, message) => {
    expect(() => expect(a).toBeCloseToTree(b)).toThrow(message);
    expect(a).not.toBeCloseToTree(b);
    expect(a).toBeCloseToTree(a);
  });

  test.each([1e-2, "1e-2", null, { rel: 1e-2 }, { relative: 1, abs: 1 }])(
    "a tolerance of another kind is an error, not the usual one: %j",
    (other) => {
      const tolerance = other as { relative: number }; // as code that no compiler checks
      expect(() => expect(1.0005).toBeCloseToTree(1, tolerance)).toThrow(
        "a tolerance is an object",
      );
      expect(() => expect(2).toMatchGradient((x: number) => x * x, [1], 0, tolerance)).toThrow(
        "a tolerance is an object",
      );
    },
  );
});
