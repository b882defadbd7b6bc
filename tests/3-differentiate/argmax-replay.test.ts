// Loops that choose one number of many, against the same rounds written one behind the other: there each `max` and each branch has its own reverse, by the rule table.
// Values are small whole numbers, so that many rounds tie; no rounding, so every comparison is exact.

import { describe, expect, test } from "vitest";
import { randomFrom } from "../4-optimise/random-adjoint.ts";
import { derive, pulledTwice, records, siteOf, valueOf } from "./gradient.ts";

interface Shape {
  /** Lines that make `v` of `y`, `x` and the array; `#` stands for the round. */
  readonly value: string;
  /** Lines that make `nm#` of `m#` and `v#`. */
  readonly choose: string;
  readonly init: string;
  readonly rounds: readonly number[];
  readonly loop: string;
}

const VALUES: readonly string[] = [
  "v# = copy y#",
  "v# = mul y# x",
  "k# = length a; for j# = 0 < k# carry (s# = 0) -> (v#) { q# = load a[j#]; d# = sub q# y#; e# = mul d# d#; ns# = add s# e#; yield ns# }",
  "k# = length a; for j# = 0 < k# carry (s# = y#) -> (v#) { q# = load a[j#]; d# = sub s# q#; e# = mul d# x; yield e# }",
  "c# = gt y# 1; if c# -> (v#: num) { w# = mul y# x; yield w# } else { yield y# }",
];
const CHOICES: readonly string[] = [
  "nm# = max m# v#",
  "nm# = max v# m#",
  "nm# = min m# v#",
  "nm# = min v# m#",
  "b# = gt v# m#; nm# = select b# v# m#",
  "b# = ge m# v#; nm# = select b# m# v#",
  "b# = le v# m#; if b# -> (nm#: num) { yield v# } else { yield m# }",
  "b# = lt v# m#; if b# -> (nm#: num) { yield m# } else { u# = mul v# x; yield u# }",
];
const INITS: readonly string[] = ["-Infinity", "x", "z"];

function shapeOf(random: () => number, n: number): Shape {
  const pick = <T>(all: readonly T[]): T => {
    const one = all[Math.floor(random() * all.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  };
  const up = (from: number, step: number): number[] =>
    Array.from({ length: Math.max(0, Math.ceil((n - from) / step)) }, (_, k) => from + k * step);
  const order = pick<Pick<Shape, "rounds" | "loop">>([
    { rounds: up(0, 1), loop: "i = 0 < n" },
    { rounds: up(1, 1), loop: "i = 1 < n" },
    { rounds: up(0, 2), loop: "i = 0 < n step 2" },
    { rounds: up(0, 1).reverse(), loop: "i = l >= 0 step -1" },
    { rounds: up(1, 1).reverse(), loop: "i = l > 0 step -1" },
  ]);
  return { value: pick(VALUES), choose: pick(CHOICES), init: pick(INITS), ...order };
}

const HEAD = "func f(a: num[], x: num) -> num { z = mul x 2; n = length a; l = sub n 1";
const TAIL = "r = mul me x; u = add r me; w = add u z; yield w }";
/** Statements stand on lines of their own; what `#` stands for keeps names apart. */
const lines = (text: string, round: string): string => text.replaceAll("#", round);

const inLoop = ({ value, choose, init, loop }: Shape): string =>
  `${HEAD}; for ${loop} carry (m = ${init}) -> (me) { y = load a[i]; ${lines(value, "")}; ${lines(choose, "")}; yield nm }\n ${TAIL}`;

const unrolled = ({ value, choose, init, rounds }: Shape): string => {
  const each = rounds.map(
    (i, k) =>
      `mr${i}: num = copy ${k === 0 ? "m" : `nmr${rounds[k - 1]}`}; yr${i} = load a[${i}]; ${lines(value, `r${i}`)}; ${lines(choose, `r${i}`)}`,
  );
  return `${HEAD}; m: num = copy ${init}; ${each.map((one) => `${one}; `).join("")}me = copy ${rounds.length === 0 ? "m" : `nmr${rounds.at(-1)}`}; ${TAIL}`;
};

const CASES = Number(process.env["TSGRAD_CASES"] ?? 60);
const FIRST = Number(process.env["TSGRAD_SEED"] ?? 1);

describe("a chosen value", () => {
  test("has the cotangents that its rounds give it one by one", () => {
    let bare = 0;
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      const random = randomFrom(seed);
      const a = Array.from({ length: Math.floor(random() * 6) }, () => Math.floor(random() * 3));
      const shape = shapeOf(random, a.length);
      const args = [a, Math.floor(random() * 3) + 1];
      const what = `seed ${seed}, ${JSON.stringify(args)}\n${inLoop(shape)}`;
      const [loop, flat] = [inLoop(shape), unrolled(shape)];
      const grads = [loop, flat].map((text) => derive(text, siteOf("grad", "f", [0, 1])));
      const [ofLoop, ofFlat] = grads;
      if (ofLoop === undefined || ofFlat === undefined) throw new Error("two derivatives");
      if (!records(ofLoop)) bare++;
      expect(valueOf(ofLoop, args), what).toEqual(valueOf(ofFlat, args));
      // a pullback, which runs twice
      const [forLoop, forFlat] = [loop, flat].map((text) =>
        pulledTwice(derive(text, siteOf("vjp", "f", [0, 1]), { volatile: [0, 1] }), args),
      );
      expect(forLoop, what).toEqual(forFlat);
      // second derivatives: of each array a tangent, of x one
      const tangents = [...args, a.map((_, k) => k - 1), 2];
      const [second, secondFlat] = [loop, flat].map((text) =>
        valueOf(derive(text, siteOf("hvp", "f", [0, 1])), tangents),
      );
      expect(second, what).toEqual(secondFlat);
    }
    // most have nothing to record
    expect(bare).toBeGreaterThan(0.7 * CASES);
  });

  test("that is no number is nobody's", () => {
    for (const a of [
      [1, NaN, 3],
      [NaN, 2, 2],
      [1, 1, NaN],
    ])
      for (const op of ["max", "min"]) {
        const shape: Shape = {
          value: VALUES[0] ?? "",
          choose: `nm# = ${op} m# v#`,
          init: "x",
          rounds: [0, 1, 2],
          loop: "i = 0 < n",
        };
        expect(valueOf(derive(inLoop(shape), siteOf("grad", "f", [0])), [a, 1])).toEqual([
          [0, 0, 0],
        ]);
      }
  });
});

describe("rounds that cannot run again are recorded", () => {
  test.each([
    [
      "the array changes behind the loop",
      "func f(a: num[], x: num) -> num { n = length a; for i = 0 < n carry (m = x) -> (me) { y = load a[i]; nm = max m y; yield nm }\n a[0] = x; t = load a[0]; r = mul t me; yield r }",
      [[3, 1, 2], 2],
      [[2, 0, 0], 3],
    ],
    [
      "the value depends on what was chosen before",
      "func f(a: num[], x: num) -> num { n = length a; for i = 0 < n carry (m = x) -> (me) { y = load a[i]; v = mul y m; nm = max m v; yield nm }\n yield me }",
      [[3, 0, 2], 2],
      [[4, 0, 6], 6],
    ],
    [
      "another number goes round, too",
      "func f(a: num[], x: num) -> num { n = length a; for i = 0 < n carry (m = x, s = 0) -> (me, se) { y = load a[i]; nm = max m y; ns = add s y; yield nm ns }\n r = mul me se; yield r }",
      [[3, 1, 2], 2],
      [[9, 3, 3], 0],
    ],
    [
      "the round writes",
      "func f(a: num[], x: num) -> num { b = slice a 0; n = length a; for i = 0 < n carry (m = x) -> (me) { y = load b[i]; b[0] = x; nm = max m y; yield nm }\n t = load b[0]; r = mul t me; yield r }",
      [[1, 4, 2], 2],
      [[0, 2, 0], 4],
    ],
  ] as const)("%s", (_what, text, args, expected) => {
    expect(valueOf(derive(text, siteOf("grad", "f", [0, 1])), args)).toEqual(expected);
  });
});
