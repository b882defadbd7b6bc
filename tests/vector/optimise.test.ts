// The rewrites of Huot and Shaikhha's Figure 12, one by one; and the whole optimiser against the interpreter of array programs.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { arrayGradient } from "../../transformer/3-differentiate/array/gradient.ts";
import { optimiseArray } from "../../transformer/4-optimise/array/index.ts";
import { ArrayBuilder, lambda, operator } from "../../transformer/ir/array.ts";
import { costAt, costOf, nestingOf } from "../../transformer/ir/array-cost.ts";
import { evalArray } from "../../transformer/ir/array-eval.ts";
import { printArray } from "../../transformer/ir/array-print.ts";
import { NUM, num } from "../../transformer/ir/build.ts";
import { Names } from "../../transformer/ir/names.ts";
import type { Atom, Type, Var } from "../../transformer/ir/types.ts";
import { compile } from "../../transformer/pipeline.ts";
import { root } from "../golden.ts";
import { programOf } from "../program.ts";
import { randomBody, seeded } from "./random-array.ts";

const LIST: Type = { kind: "array", store: "Array", elem: NUM };
const ORIGIN = { file: "", start: 0, end: 0 };

/** Cotangent code that `make` writes over arrays a and b and a number c, optimised. */
function optimised(
  make: (
    b: ArrayBuilder,
    a: Var,
    b2: Var,
    c: Var,
    map: (op: "add" | "mul", x: Atom, y: Atom) => Var,
    fill: (value: number, like: Atom) => Var,
  ) => Atom,
): string {
  const params = (["a", "b", "c"] as const).map((name): Var => ({
    kind: "var",
    name,
    type: name === "c" ? NUM : LIST,
  }));
  const [a, b, c] = params;
  if (a === undefined || b === undefined || c === undefined) throw new Error("three parameters");
  const builder = new ArrayBuilder(new Names(["a", "b", "c"]), ORIGIN);
  const map = (op: "add" | "mul", x: Atom, y: Atom): Var =>
    builder.let("m", LIST, {
      kind: "map",
      fn: operator(builder.names, ORIGIN, op),
      arrays: [x, y],
    });
  const fill = (value: number, like: Atom): Var =>
    builder.let("k", LIST, { kind: "fill", value: num(value), like });
  const result = make(builder, a, b, c, map, fill);
  return printArray(
    optimiseArray({ name: "f", params, body: { lets: builder.lets, result } }, new Map()),
  )
    .split("\n")
    .slice(1)
    .map((line) => line.trim())
    .join("; ");
}

describe("Figure 12", () => {
  const mul = (b: ArrayBuilder) => operator(b.names, ORIGIN, "mul");
  const fold = (b: ArrayBuilder, op: "add" | "mul", first: number, array: Atom): Var =>
    b.let("s", NUM, { kind: "fold", fn: operator(b.names, ORIGIN, op), first: num(first), array });
  test.each<readonly [string, () => string, string]>([
    ["dead code", () => optimised((_b, a, _a2, c, map) => (map("mul", a, a), c)), "c"],
    ["0 * e", () => optimised((b, _a, _b, c) => b.op("mul", num(0), c)), "0"],
    ["0 + e", () => optimised((b, _a, _b, c) => b.op("add", num(0), c)), "c"],
    ["1 * e", () => optimised((b, _a, _b, c) => b.op("mul", c, num(1))), "c"],
    [
      "map2 * A OnesLike(B)",
      () => optimised((b, a, a2, _c, map, fill) => fold(b, "add", 0, map("mul", a, fill(1, a2)))),
      "t = foldl (x, y => t.1 = add x y; t.1) 0 a; t",
    ],
    [
      "map2 + A ZerosLike(B)",
      () => optimised((b, a, a2, _c, map, fill) => fold(b, "add", 0, map("add", fill(0, a2), a))),
      "t = foldl (x, y => t.1 = add x y; t.1) 0 a; t",
    ],
    [
      "map (x.x) A",
      () =>
        optimised((b, a) =>
          fold(
            b,
            "add",
            0,
            b.let("m", LIST, {
              kind: "map",
              fn: lambda(b.names, ORIGIN, [["x", NUM]], (_b, x) => x ?? num(0)),
              arrays: [a],
            }),
          ),
        ),
      "t = foldl (x, y => t.1 = add x y; t.1) 0 a; t",
    ],
    [
      "map2 * A ZerosLike(B)",
      () => optimised((_b, a, a2, _c, map, fill) => map("mul", a, fill(0, a2))),
      "t = fill 0 a; t",
    ],
    [
      "reduce * 1 OnesLike(A)",
      () => optimised((b, a, _b, _c, _m, fill) => fold(b, "mul", 1, fill(1, a))),
      "1",
    ],
    [
      "reduce + 0 ZerosLike(A)",
      () => optimised((b, a, _b, _c, _m, fill) => fold(b, "add", 0, fill(0, a))),
      "0",
    ],
    [
      "shift1L OnesLike(n+1)",
      () =>
        optimised((b, a, _b, c, _m, fill) =>
          b.let("h", LIST, {
            kind: "shift",
            side: "left",
            array: b.let("r", LIST, {
              kind: "scan",
              from: "right",
              fn: mul(b),
              first: c,
              array: fill(1, a),
            }),
          }),
        ),
      "t = fill c a; t",
    ],
    [
      "shift1R OnesLike(n+1)",
      () =>
        optimised((b, a, _b, c, _m, fill) =>
          b.let("h", LIST, {
            kind: "shift",
            side: "right",
            array: b.let("r", LIST, {
              kind: "scan",
              from: "left",
              fn: mul(b),
              first: c,
              array: fill(1, a),
            }),
          }),
        ),
      "t = fill c a; t",
    ],
    [
      "map f (map2 g A B)",
      () =>
        optimised((b, a, a2, _c, map) =>
          b.let("m", LIST, {
            kind: "map",
            fn: lambda(b.names, ORIGIN, [["x", NUM]], (inner, x) => inner.op("sin", x ?? num(0))),
            arrays: [map("mul", a, a2)],
          }),
        ),
      "t = map2 (x, y => t.1 = mul x y; t.2 = sin t.1; t.2) a b; t",
    ],
    ["a result is no argument", () => optimised((_b, a) => a), "t = copy a; t"],
  ])("%s", (_name, run, expected) => {
    // bound names carry numbers that say nothing
    const plain = (text: string): string => {
      const names = new Map<string, string>();
      return text.replaceAll(/\b[a-z]\w*(?:\.\d+)?\b/g, (word) =>
        /^(a|b|c|map2?|foldl|fill|copy|scan[lr]|shift1[LR]|add|mul|sin)$/.test(word)
          ? word
          : (names.get(word) ?? (names.set(word, `v${names.size}`), `v${names.size - 1}`)),
      );
    };
    expect(plain(run())).toBe(plain(expected));
  });

  test("primal code keeps what holds of real numbers only", () => {
    // -0 + 0 is 0: the optimiser must not give -0
    const params: Var[] = [{ kind: "var", name: "c", type: NUM }];
    const bind: Var = { kind: "var", name: "s", type: NUM };
    const program = {
      name: "f",
      params,
      body: {
        lets: [
          {
            bind,
            expr: { kind: "op" as const, op: "add" as const, args: [params[0] ?? num(0), num(0)] },
            origin: ORIGIN,
          },
        ],
        result: bind,
      },
    };
    expect(evalArray(optimiseArray(program, new Map()), [-0])).toBe(0);
  });
});

const numbers = (random: () => number, n: number): number[] =>
  Array.from({ length: n }, () => random() * 2 - 1);
const flat = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : ArrayBuffer.isView(value) || Array.isArray(value)
      ? Array.from(value as ArrayLike<unknown>).flatMap(flat)
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(flat)
        : [];

describe("against the interpreter", () => {
  const random = seeded(7);
  const bodies = Array.from({ length: 12 }, () => randomBody(random));
  const text =
    `import { grad } from "tsgrad";\nimport { add, dot, foldl, map, map2, mul, onesLike, prod, reduce, sum } from "tsgrad/vector";\n` +
    bodies
      .map(
        (body, i) =>
          `function f${i}(w: number, a: number[], b: number[], rows: number[][]): number { ${body} }\nexport const g${i} = grad(f${i}, { argnums: [0, 1, 2, 3] });`,
      )
      .join("\n");
  const { arrays, types } = compile(programOf({ "/src/random.ts": text }));

  test.each(
    [...arrays].flatMap(([name, found]) =>
      found.kind === "array" ? [[name, found] as const] : [],
    ),
  )("%s", (name, { primal, program }) => {
    const raw = arrayGradient({
      program: primal,
      name,
      asked: [0, 1, 2, 3],
      tuple: true,
      withValue: false,
      types,
      origin: ORIGIN,
    });
    if (typeof raw === "string") throw new Error(raw);
    for (const [n, m] of [
      [3, 2],
      [1, 1],
      [0, 1],
      [2, 0],
    ] as const) {
      const args = [
        random() - 0.5,
        numbers(random, n),
        numbers(random, n),
        Array.from({ length: m }, () => numbers(random, n)),
      ];
      const [before, after] = [
        flat(evalArray(raw, args, types)),
        flat(evalArray(program, args, types)),
      ];
      expect(after.length).toBe(before.length);
      // cotangents are simplified as real numbers are: a few roundings
      after.forEach((x, i) =>
        expect(
          Math.abs(x - (before[i] ?? NaN)),
          `${printArray(program)}\n${JSON.stringify(args)}`,
        ).toBeLessThanOrEqual(1e-11 * (1 + Math.abs(x))),
      );
    }
  });
});

describe("cost (Theorem 5.4)", () => {
  const files = readdirSync(path.join(root, "fixtures/vector")).filter(
    (name) => !name.includes(".expect."),
  );
  test.each(files)("%s", (file) => {
    const { arrays, types } = compile(
      programOf({
        [`/src/${file}`]: readFileSync(path.join(root, "fixtures/vector", file), "utf8"),
      }),
    );
    const found = [...arrays].flatMap(([name, each]) =>
      each.kind === "array" && !name.includes("$vag") ? [{ name, ...each }] : [],
    );
    expect(found.length).toBeGreaterThan(0);
    for (const { name, primal, program } of found) {
      const bound = 4 * 3 ** nestingOf(primal.body);
      for (const n of [0, 1, 2, 5, 10, 100, 1000]) {
        expect(
          costAt(costOf(program.body, types), n),
          `${name} at ${n}\n${printArray(program)}`,
        ).toBeLessThanOrEqual(bound * costAt(costOf(primal.body, types), n));
      }
    }
  });

  test("counts what Figure 11 counts", () => {
    const params: Var[] = [{ kind: "var", name: "a", type: LIST }];
    const b = new ArrayBuilder(new Names(["a"]), ORIGIN);
    const total = b.let("s", NUM, {
      kind: "fold",
      fn: operator(b.names, ORIGIN, "add"),
      first: num(0),
      array: params[0] ?? num(0),
    });
    // n * (Cost(x + y) + 2 moves) + the atoms; x + y is three moves and an addition, its operands and its name a move each, its result one
    expect(costAt(costOf({ lets: b.lets, result: total }, new Map()), 10)).toBe(
      10 * (3 + 1 + 2 + 1 + 1 + 2) + 2 + 1 + 1,
    );
  });
});
