// The forms of forward mode and dense derivatives at run time, on derivatives written by hand as the build would add them.

import { describe, expect, test } from "vitest";
import { hessian, hvp, jacfwd, jacrev, jvp, linearize } from "../../runtime/index.ts";

// f(r, t) = [r cos t, r sin t]
const polar = (r: number, t: number): [number, number] => [r * Math.cos(t), r * Math.sin(t)];
const fwd = (r: number, t: number, dr: number, dt: number): unknown => [
  polar(r, t),
  [dr * Math.cos(t) - r * Math.sin(t) * dt, dr * Math.sin(t) + r * Math.cos(t) * dt],
];
const fwdR = (r: number, t: number, dr: number): unknown => fwd(r, t, dr, 0);
const vjp = (r: number, t: number): unknown => [
  polar(r, t),
  ([a = 0, b = 0]: number[]) => [
    a * Math.cos(t) + b * Math.sin(t),
    r * (b * Math.cos(t) - a * Math.sin(t)),
  ],
];
const vjpR = (r: number, t: number): unknown => [
  polar(r, t),
  ([a = 0, b = 0]: number[]) => a * Math.cos(t) + b * Math.sin(t),
];

interface Model {
  w: number[];
  name?: string;
  b?: number;
}
const square = (m: Model, k: number): number =>
  k * m.w.reduce((sum, x) => sum + x * x, 0) + (m.b ?? 0) ** 2;
const squareFwd = (m: Model, k: number, d: Model): unknown => [
  square(m, k),
  2 * k * m.w.reduce((sum, x, i) => sum + x * (d.w[i] ?? NaN), 0) +
    (m.b === undefined ? 0 : 2 * m.b * (d.b ?? NaN)),
];
const squareGradFwd = (m: Model, k: number, d: Model): unknown => [
  { b: 2 * (m.b ?? 0), w: m.w.map((x) => 2 * k * x) },
  { b: m.b === undefined ? 0 : 2 * (d.b ?? NaN), w: d.w.map((x) => 2 * k * x) },
];

describe("jvp", () => {
  test("value and tangent", () => {
    expect(jvp(polar, fwd)([2, 0], [0, 1])).toEqual([
      [2, 0],
      [0, 2],
    ]);
  });
  test("what is left out is undefined; the rest of a callback's arguments is dropped", () => {
    const seen: unknown[][] = [];
    const f = (x: number, y?: number): number => x + (y ?? 0);
    const record = (
      x: number,
      y: number | undefined,
      dx: number,
      dy: number | undefined,
    ): unknown => {
      seen.push([x, y, dx, dy]);
      return [x, dx];
    };
    jvp(f, record)([1], [2]);
    expect(seen).toEqual([[1, undefined, 2, undefined]]);
  });
  test("aux", () => {
    const pair = (x: number): [number, string] => [x * x, "a"];
    expect(
      jvp(pair, { hasAux: true }, (x: number, dx: number) => [
        [x * x, "a"],
        [2 * x * dx, undefined],
      ])([3], [1]),
    ).toEqual([9, 6, "a"]);
  });
  test("the Delta engine takes two lists", () => {
    expect(jvp(polar, (...lists: unknown[]) => [lists, 0])([2, 1], [3, 4])).toEqual([
      [
        [2, 1],
        [3, 4],
      ],
      0,
    ]);
  });
  test("asynchronous", async () => {
    const later = async (x: number): Promise<number> => x;
    expect(await jvp(later, async (x: number, dx: number) => [x, dx])([3], [2])).toEqual([3, 2]);
  });
  test("a tangent of another shape", () => {
    const f = jvp(square, (m: Model, k: number, d: Model, _: number) => squareFwd(m, k, d));
    expect(f([{ w: [1, 2], name: "x" }, 3], [{ w: [1, 0], b: 0 }, 0])).toEqual([15, 6]);
    expect(() => f([{ w: [1, 2] }, 3], [{ w: [1], b: 0 }, 0])).toThrow(
      "`tangents[0].w` has to be an array of 2, and is an array of 1",
    );
    const untyped: (...lists: unknown[][]) => unknown = (a, b) =>
      Reflect.apply(f, undefined, [a, b]);
    const rows = jvp(
      (_m: number[][]) => 0,
      (_m: number[][], d: number[][]) => [0, d.length],
    );
    expect(rows([[[1, 2], [3]]], [[[1, 0], [0]]])).toEqual([0, 2]);
    expect(() =>
      rows(
        [[[1, 2], [3]]],
        [
          [
            [1, 0],
            [0, 0],
          ],
        ],
      ),
    ).toThrow("`tangents[0][1]` has to be an array of 1, and is an array of 2");
    // a list that holds itself
    const [own, other]: [unknown[], unknown[]] = [[1], [2]];
    own.push(own);
    other.push(other);
    const nested: (...lists: unknown[][]) => unknown = (a, b) =>
      Reflect.apply(rows, undefined, [a, b]);
    expect(nested([own], [other])).toEqual([0, 2]);
    expect(() => untyped([{ w: [1, 2] }, 3], [{ w: [1, 2] }])).toThrow(
      "`tangents[1]` has to be a number, and is undefined",
    );
  });
});

describe("jacfwd and jacrev", () => {
  test("agree", () => {
    expect(jacfwd(polar, fwdR)(2, 0)).toEqual([1, 0]);
    expect(jacrev(polar, vjpR)(2, 0)).toEqual([1, 0]);
    expect(jacfwd(polar, { argnums: [0, 1] }, fwd)(2, 0)).toEqual([
      [1, 0],
      [0, 2],
    ]);
    expect(jacrev(polar, { argnums: [0, 1] }, vjp)(2, 0)).toEqual([
      [1, 0],
      [0, 2],
    ]);
  });
  test("records drop what holds no number; typed arrays keep their kind", () => {
    expect(jacfwd(square, squareFwd)({ w: [1, 2], name: "a", b: 4 }, 3)).toEqual({
      w: [6, 12],
      b: 8,
    });
    const scale = (xs: Float64Array): Float64Array => xs.map((x) => 2 * x);
    const expected = [Float64Array.of(2, 0), Float64Array.of(0, 2)];
    expect(
      jacfwd(scale, (xs: Float64Array, d: Float64Array) => [scale(xs), scale(d)])(
        Float64Array.of(1, 2),
      ),
    ).toEqual(expected);
    expect(jacrev(scale, (xs: Float64Array) => [scale(xs), scale])(Float64Array.of(1, 2))).toEqual(
      expected,
    );
  });
  test("tags that the build names stay", () => {
    interface Circle {
      readonly kind: "circle";
      readonly r: number;
      readonly id: string;
    }
    const area = (c: Circle): number => c.r ** 2;
    const areaFwd = (c: Circle, d: { r: number }): unknown => [area(c), 2 * c.r * d.r];
    expect(jacfwd(area, areaFwd, { leaves: ["kind"] })({ kind: "circle", r: 3, id: "x" })).toEqual({
      kind: "circle",
      r: 6,
    });
    expect(jacfwd(area, areaFwd)({ kind: "circle", r: 3, id: "x" })).toEqual({ r: 6 });
  });
  test("what is shared is one set of numbers, and stays shared", () => {
    interface Twice {
      a: number[];
      b: number[];
    }
    const f = (t: Twice): number => (t.a[0] ?? 0) * (t.b[0] ?? 0);
    const shared = [3];
    const runs: Twice[] = [];
    const forward = (t: Twice, d: Twice): unknown => {
      runs.push(d);
      return [f(t), (t.a[0] ?? 0) * (d.b[0] ?? 0) + (t.b[0] ?? 0) * (d.a[0] ?? 0)];
    };
    const jacobian = jacfwd(f, forward)({ a: shared, b: shared });
    expect(jacobian).toEqual({ a: [6], b: [6] });
    expect(jacobian.a).toBe(jacobian.b);
    expect(runs).toEqual([{ a: [1], b: [1] }]);
    expect(runs[0]?.a).toBe(runs[0]?.b);
  });
  test("Maps, empty arguments, aux", () => {
    const f = (m: Map<string, number>): Map<string, number> =>
      new Map([...m].map(([k, x]) => [k, x * x]));
    const forward = (m: Map<string, number>, d: Map<string, number>): unknown => [
      f(m),
      new Map([...m].map(([k, x]) => [k, 2 * x * (d.get(k) ?? NaN)])),
    ];
    expect(
      jacfwd(
        f,
        forward,
      )(
        new Map([
          ["a", 1],
          ["b", 2],
        ]),
      ),
    ).toEqual(
      new Map([
        [
          "a",
          new Map([
            ["a", 2],
            ["b", 0],
          ]),
        ],
        [
          "b",
          new Map([
            ["a", 0],
            ["b", 4],
          ]),
        ],
      ]),
    );
    const sums = (xs: number[]): [number, number] => [xs.length, 0];
    expect(
      jacfwd(sums, () => [
        [0, 0],
        [0, 0],
      ])([]),
    ).toEqual([[], []]);
    const pair = (x: number): [number, string] => [x, "a"];
    expect(
      jacfwd(pair, { hasAux: true }, (x: number, dx: number) => [
        [x, "a"],
        [dx, undefined],
      ])(3),
    ).toEqual([1, "a"]);
    expect(jacrev(pair, { hasAux: true }, (x: number) => [x, (b: number) => b, "a"])(3)).toEqual([
      1,
      "a",
    ]);
  });
  test("a function that writes its argument is refused", () => {
    const f = (xs: number[]): number => (xs[0] = (xs[0] ?? 0) ** 2);
    const forward = (xs: number[], d: number[]): unknown => {
      const x = xs[0] ?? 0;
      return [f(xs), 2 * x * (d[0] ?? 0)];
    };
    expect(() => jacfwd(f, forward)([3, 4])).toThrow(
      "argument 0 was written at `args[0][0]`: jacfwd runs the function once per number",
    );
  });
  test("asynchronous: one run after the other", async () => {
    let running = 0;
    let most = 0;
    const f = async (xs: number[]): Promise<number> => xs[0] ?? 0;
    const forward = async (xs: number[], d: number[]): Promise<unknown> => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return [xs[0], (d[0] ?? 0) + 2 * (d[1] ?? 0)];
    };
    expect(await jacfwd(f, forward)([1, 2])).toEqual([1, 2]);
    expect(most).toBe(1);
  });
});

describe("hessian and hvp", () => {
  test("of a record: the gradient says which numbers there are", () => {
    expect(hessian(square, squareGradFwd)({ w: [1, 2], name: "a", b: 4 }, 3)).toEqual({
      w: [
        { w: [6, 0], b: 0 },
        { w: [0, 6], b: 0 },
      ],
      b: { w: [0, 0], b: 2 },
    });
    // `b` is absent: its derivatives are zeros, as in the gradient
    expect(hessian(square, squareGradFwd)({ w: [1] }, 3)).toEqual({
      w: [{ w: [6], b: 0 }],
      b: { w: [0], b: 0 },
    });
    expect(hvp(square, squareGradFwd)([{ w: [1, 2], b: 1 }, 3], { w: [1, 10], b: 1 })).toEqual({
      w: [6, 60],
      b: 2,
    });
  });
  test("of several arguments: a tuple of tuples", () => {
    const f = (x: number[], y: number): number => (x[0] ?? 0) * y * y;
    const gradFwd = (x: number[], y: number, dx: number[], dy: number): unknown => {
      const x0 = x[0] ?? 0;
      const d0 = dx[0] ?? 0;
      return [
        [[y * y], 2 * x0 * y],
        [[2 * y * dy], 2 * d0 * y + 2 * x0 * dy],
      ];
    };
    expect(hessian(f, { argnums: [0, 1] }, gradFwd)([3], 5)).toEqual([
      [[[0]], [10]],
      [[10], 6],
    ]);
    expect(hvp(f, { argnums: [0, 1] }, gradFwd)([[3], 5], [[1], 1])).toEqual([[10], 16]);
    expect(() => hvp(f, { argnums: [0, 1] }, gradFwd)([[3], 5], [[1, 2], 1])).toThrow(
      "`tangent[0]` has to be an array of 1",
    );
  });
  test("aux", () => {
    const pair = (x: number): [number, string] => [x ** 3, "a"];
    const gradFwd = (x: number, dx: number): unknown => [
      [3 * x * x, "a"],
      [6 * x * dx, undefined],
    ];
    expect(hessian(pair, { hasAux: true }, gradFwd)(2)).toEqual([12, "a"]);
    expect(hvp(pair, { hasAux: true }, gradFwd)([2], 2)).toEqual([24, "a"]);
  });
});

describe("linearize", () => {
  test("apply, transpose, toMatrix", () => {
    const [value, map] = linearize(polar, fwd, vjp)(2, 0);
    expect(value).toEqual([2, 0]);
    expect(map.apply([0, 1])).toEqual([0, 2]);
    expect(map.transpose().apply([0, 1])).toEqual([0, 2]);
    expect(map.toMatrix()).toEqual([
      [1, 0],
      [0, 2],
    ]);
    const [, byR] = linearize(polar, { argnums: 0 }, fwdR, vjpR)(2, 0);
    expect(byR.apply(3)).toEqual([3, 0]);
    expect(byR.toMatrix()).toEqual([[1], [0]]);
    expect(byR.transpose().compose(byR).apply(2)).toBe(2);
  });
  test("arguments that were written since", () => {
    const f = (xs: number[]): number => (xs[0] ?? 0) ** 2;
    const x = [3];
    const [, map] = linearize(
      f,
      (xs: number[], d: number[]) => [f(xs), 2 * (xs[0] ?? 0) * (d[0] ?? 0)],
      (xs: number[]) => {
        const x0 = xs[0] ?? 0;
        return [f(xs), (b: number) => [[2 * x0 * b]]];
      },
    )(x);
    expect(map.apply([[1]])).toBe(6);
    x[0] = 4;
    expect(() => map.apply([[1]])).toThrow("argument 0 was written at `args[0][0]`");
  });
  test("asynchronous: by the pullback", async () => {
    const f = async (x: number[]): Promise<number[]> => x;
    const [, map] = await linearize(
      f,
      async () => [0, 0],
      async (x: number[]) => [x, ([a = 0, b = 0]: number[]) => [[a + 2 * b, 3 * b]]],
    )([1, 1]);
    expect(map.apply([[1, 10]])).toEqual([1, 32]);
    expect(map.toMatrix()).toEqual([
      [1, 0],
      [2, 3],
    ]);
  });
});

test.each<[string, () => unknown]>([
  ["jvp(polar)", () => jvp(polar)],
  ["jacfwd(polar)", () => jacfwd(polar, { argnums: 1 })],
  ["jacrev(polar)", () => jacrev(polar)],
  ["hessian(square)", () => hessian(square)],
  ["hvp(square)", () => hvp(square)],
  ["linearize(polar)", () => linearize(polar)],
  ["linearize(polar)", () => linearize(polar, fwd)],
])("%s without a build step", (call, run) => {
  expect(run).toThrow(`TSG0001: this call of \`${call}\` has no derivative`);
});
