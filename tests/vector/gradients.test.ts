// Gradients of array programs: emitted as array code (goldens), and the numbers that mathematics gives.

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { expectFile, root } from "../golden.ts";
import { callable, derivativesIn, vectorModule } from "./module.ts";

const load = (name: string) =>
  vectorModule(readFileSync(path.join(root, `fixtures/vector/${name}.ts`), "utf8"));
const f64 = (...xs: number[]): Float64Array => Float64Array.from(xs);

describe("figures of the paper", () => {
  const module = load("figures");
  const call = (name: string, ...args: unknown[]): unknown => callable(module, name)(...args);

  test("array code, type-checked", () => {
    expect([...module.arrays()].filter(([, why]) => why !== null)).toEqual([]);
    expect(module.errors()).toEqual([]);
    expectFile("fixtures/vector/figures.expect.ts", derivativesIn(module.text));
  });

  test("the page shows what is emitted", () => {
    const page = readFileSync(path.join(root, "docs/vector.md"), "utf8");
    const shown = page.match(/^function [^]*?^}$/gm) ?? [];
    expect(shown.length).toBeGreaterThan(1);
    for (const text of shown) expect(module.text).toContain(text);
  });

  test("prod: zeros among the factors, one factor, none", () => {
    expect(call("product", [2, 3, 4])).toEqual([12, 8, 6]);
    expect(call("product", [2, 0, 4])).toEqual([0, 8, 0]);
    expect(call("product", [0, 5, 0])).toEqual([0, 0, 0]);
    expect(call("product", [7])).toEqual([1]);
    expect(call("product", [])).toEqual([]);
    expect(call("product", [NaN, 2])).toEqual([2, NaN]);
  });

  test("sum and dot", () => {
    expect(call("total", f64(5, 6))).toEqual(f64(1, 1));
    expect(call("total", f64())).toEqual(f64());
    const a = f64(1, 2);
    const b = f64(3, 4);
    const cotangent = call("inner", a, b);
    expect(cotangent).toEqual(b);
    expect(cotangent).not.toBe(b);
    expect(call("both", a, b)).toEqual([b, a]);
    expect(() => call("inner", f64(1), f64(1, 2))).toThrow("arrays of different sizes");
    // one array twice: a partial derivative for each
    expect(call("both", a, a)).toEqual([a, a]);
  });

  test("maps", () => {
    expect(call("squares", [1, -2])).toEqual([2, -4]);
    expect(call("weighted", [1, 2], [3, 4])).toEqual([3, 4]);
    expect(() => call("weighted", [1], [])).toThrow(RangeError);
    expect(call("sines", f64(1, 2))).toEqual([
      Math.sin(2) + Math.sin(4),
      f64(2 * Math.cos(2), 2 * Math.cos(4)),
    ]);
  });

  test("free variables", () => {
    expect(call("scaled", 0.5, [1, 2])).toBeCloseTo(Math.exp(0.5) + 2 * Math.exp(1), 12);
    // softmax: sums to 1 but for the first value, which is far away
    const shares = call("smooth", [0.1, 0.7, -0.3]) as number[];
    const all = [0.1, 0.7, -0.3].map(Math.exp);
    const total = all.reduce((x, y) => x + y);
    shares.forEach((share, i) => expect(share).toBeCloseTo((all[i] ?? NaN) / total, 12));
  });

  test("foldl", () => {
    // p(x) = x² + 2x + 3
    expect(call("horner", 2, [1, 2, 3])).toEqual([6, [4, 2, 1]]);
    expect(call("horner", 2, [])).toEqual([0, []]);
    expect(call("started", 0.3, [0.5])).toEqual([Math.cos(0.3), [1]]);
    expect(call("started", 0.3, [])).toEqual([1, []]);
  });

  test("records and rows", () => {
    expect(
      call("norms", [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ]),
    ).toEqual([
      { x: 2, y: 4 },
      { x: 6, y: 8 },
    ]);
    expect(
      call(
        "rows",
        [1, 2],
        [
          [1, 0],
          [0, 1],
        ],
      ),
    ).toEqual([
      [2, 4],
      [
        [2, 4],
        [4, 8],
      ],
    ]);
    expect(call("rows", [1, 2], [])).toEqual([[0, 0], []]);
    expect(() => call("rows", [1, 2], [[1]])).toThrow(RangeError);
    expect(call("fitted", f64(1, 2), [f64(3, 4), f64(5, 6)], f64(1, 2))).toEqual([
      f64(105, 130),
      [f64(10, 20), f64(15, 30)],
      f64(-10, -15),
    ]);
    expect(
      call(
        "layer",
        {
          w: [
            [1, 2],
            [3, -4],
          ],
          b: [0.1, 0.2],
          name: "hidden",
        },
        f64(1, 1),
      ),
    ).toEqual([
      {
        w: [
          [1, 1],
          [0, 0],
        ],
        b: [1, 0],
      },
      f64(1, 2),
    ]);
    expect(
      call("deep", [
        [[1, 2], [3]],
        [[4], []],
      ]),
    ).toEqual([
      [[3, 3], [3]],
      [[0], []],
    ]);
  });
});

test("logistic loss", () => {
  const module = load("logistic");
  expect([...module.arrays().values(), ...module.errors()]).toEqual([null]);
  expectFile("fixtures/vector/logistic.expect.ts", derivativesIn(module.text));
  const m = { w: [0.3, -0.2], b: 0.1 };
  const xs = [
    [1, 2],
    [-1, 0.5],
    [0.2, 0.3],
  ];
  const ys = [1, 0, 1];
  const p = xs.map((x) => 1 / (1 + Math.exp(-((x[0] ?? 0) * 0.3 + (x[1] ?? 0) * -0.2 + 0.1))));
  const errors = p.map((each, i) => (each - (ys[i] ?? 0)) / 3);
  const got = callable(module, "step")(m, xs, ys) as { w: number[]; b: number };
  [0, 1].forEach((k) =>
    expect(got.w[k]).toBeCloseTo(
      errors.reduce((sum, e, i) => sum + e * (xs[i]?.[k] ?? 0), 0),
      13,
    ),
  );
  expect(got.b).toBeCloseTo(
    errors.reduce((x, y) => x + y),
    13,
  );
});

test("branches", () => {
  const module = load("branches");
  const call = (name: string, ...args: unknown[]): unknown => callable(module, name)(...args);
  expect(module.errors()).toEqual([]);
  expectFile("fixtures/vector/branches.expect.ts", derivativesIn(module.text));
  expect(call("huber", [0.5, 3, -2], 1)).toEqual([[0.5, 1, -1], 3]);
  expect(call("chosen", [2, 3], 1)).toEqual([[3, 2], 0]);
  expect(call("chosen", [2, 3], -1)).toEqual([[-1, -1], 5]);
  expect(call("largest", [1, 3, 2])).toEqual([0, 1, 0]);
  expect(call("direction", [3, 4], [1, 0])).toEqual([
    [expect.closeTo(0.128, 12), expect.closeTo(-0.096, 12)],
    [0.6, 0.8],
  ]);
  expect(call("direction", [0, 0], [1, 0])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(() => call("direction", [3, 4], [1])).toThrow(RangeError);
  expect(call("direction", [0, 0], [1])).toEqual([[0, 0], [0]]);
  // d (x y / (x + y)) / dx = y² / (x + y)²
  expect(call("early", [2, 3])).toEqual([expect.closeTo(9 / 25, 12), expect.closeTo(4 / 25, 12)]);
  expect(call("early", [2])).toEqual([0]);
  expect(call("unread", [1, 2], [3, 4])).toEqual([
    [1, 1],
    [0, 0],
  ]);
});

test("names", () => {
  const module = load("names");
  const call = (name: string, ...args: unknown[]): unknown => callable(module, name)(...args);
  expect(module.errors()).toEqual([]);
  expect([...module.arrays()].filter(([, why]) => why !== null)).toEqual([
    ["upper$grad", "it runs other code"],
  ]);
  expectFile("fixtures/vector/names.expect.ts", derivativesIn(module.text));
  expect(call("outside", [0, 0], 2)).toEqual([[3, 3], 0]);
  // s1 = cos(0) a0³ k, s2 = cos(s1) a1³ k
  expect(call("shadowed", [1, 2])).toEqual([
    expect.closeTo(-Math.sin(3) * 24 * 9, 10),
    expect.closeTo(Math.cos(3) * 36, 10),
  ]);
  expect(call("labelled", [1, 2], "twice")).toEqual([6, [2, 2]]);
  expect(call("upper", [1, 2], "Twice")).toEqual([2, 2]);
});

test("a gradient throws where its function does", () => {
  const module = load("sizes");
  const call =
    (name: string, ...args: unknown[]) =>
    () =>
      callable(module, name)(...args);
  expect(module.errors()).toEqual([]);
  expect([...module.arrays()].filter(([, why]) => why !== null)).toEqual([]);
  expectFile("fixtures/vector/sizes.expect.ts", derivativesIn(module.text));
  for (const name of ["inWeights", "inRows", "inFactor"]) {
    for (const rows of [[[1, 2], [3]], [[1, 2, 3]], [[]]])
      expect(call(name, [1, 2], rows, 3), `${name} ${JSON.stringify(rows)}`).toThrow(
        "arrays of different sizes",
      );
    expect(call(name, [1, 2], [], 3)).not.toThrow();
  }
  expect(
    call(
      "inWeights",
      [1, 2],
      [
        [3, 4],
        [5, 6],
      ],
      3,
    )(),
  ).toEqual([8, 10]);
  expect(
    call(
      "inRows",
      [1, 2],
      [
        [3, 4],
        [5, 6],
      ],
      3,
    )(),
  ).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(call("inFactor", [1, 2], [[3, 4]], 3)()).toBe(6);
  for (const name of ["inBranch", "beside"]) {
    expect(call(name, [1, 2], [1], 1)).toThrow(RangeError);
    expect(call(name, [1, 2], [1], -1)).not.toThrow();
  }
  expect(call("beside", [1, 2], [1], -1)()).toBe(3);
  expect(call("both", [1, 2], [1], { w: [1, 2] })).toThrow(RangeError);
  expect(call("both", [1, 2], [3, 4], { w: [1] })).toThrow(RangeError);
  expect(call("both", [1, 2], [3, 4], { w: [5, 6] })()).toEqual([
    [3 + 3 * 17 + 11 * 5, 4 + 4 * 17 + 11 * 6],
    { w: [11, 22] },
  ]);
});

test("a perceptron: maps of three arrays", () => {
  const module = load("perceptron");
  expect(module.errors()).toEqual([]);
  expect([...module.arrays()]).toEqual([["loss$grad$net$xs", null]]);
  expectFile(
    "fixtures/vector/perceptron.expect.ts",
    derivativesIn(module.text).replace(/\n\nfunction loss\$vjp[^]*$/, "\n"),
  );
  const net = {
    first: {
      w: [
        [0.1, -0.2],
        [0.3, 0.4],
        [-0.5, 0.6],
      ],
      b: [0.1, 0.2, -0.3],
    },
    second: {
      w: [
        [0.5, -0.1, 0.2],
        [0.3, 0.2, 0.1],
      ],
      b: [0.05, -0.02],
    },
  };
  const xs = [
    [1, 2],
    [-1, 0.5],
  ];
  const ys = [0.3, -0.2];
  const [, pullback] = callable(module, "pull")(net, xs, ys) as [number, (seed: number) => unknown];
  const numbers = (value: unknown): number[] =>
    typeof value === "number"
      ? [value]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(numbers)
        : [];
  const [loops, arrays] = [numbers(pullback(1)), numbers(callable(module, "step")(net, xs, ys))];
  expect(arrays.length).toBe(21);
  // the same sums in another order
  arrays.forEach((x, i) => expect(x).toBeCloseTo(loops[i] ?? NaN, 13));
  expect(() =>
    callable(module, "step")({ ...net, second: { w: [[1, 2]], b: [0.1] } }, xs, ys),
  ).toThrow(RangeError);
  expect(() => callable(module, "step")(net, [[1]], [1])).toThrow(RangeError);
});
