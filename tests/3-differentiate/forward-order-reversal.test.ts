// Loops that only add to sums, whose inactive numbers are computed again: against the same rounds written one behind the other. Whole numbers, so sums may be made in any order.

import { expect, test } from "vitest";
import { randomFrom } from "../4-optimise/random-adjoint.ts";
import { derive, pulledTwice, records, siteOf, valueOf } from "./gradient.ts";

const UPDATES: readonly string[] = [
  "np# = mul p# t",
  "np# = add p# q#",
  "np# = sub q# i#",
  "np# = copy t",
  "u# = mul p# t; np# = sub u# p#",
  "u# = exp p#; np# = floor u#",
  "c# = lt p# q#; np# = select c# t p#",
];
const TERMS: readonly string[] = [
  "v# = mul y# p#",
  "u.1# = mul p# q#; v# = mul y# u.1#",
  "u.1# = mul y# y#; v# = mul u.1# q#",
  "v# = mul y# i#",
  "u.1# = exp p#; u.2# = floor u.1#; v# = mul y# u.2#",
  "c.1# = gt p# 2; u.1# = mul y# p#; v# = select c.1# u.1# x",
];
const LOOPS: readonly {
  readonly text: string;
  readonly rounds: (n: number) => readonly number[];
}[] = [
  { text: "i = 0 < n", rounds: (n) => Array.from({ length: n }, (_, k) => k) },
  { text: "i = 1 < n step 2", rounds: (n) => Array.from({ length: n >> 1 }, (_, k) => 2 * k + 1) },
  { text: "i = l >= 0 step -1", rounds: (n) => Array.from({ length: n }, (_, k) => n - 1 - k) },
];

interface Case {
  readonly loop: string;
  readonly flat: string;
  readonly args: readonly unknown[];
}

const HEAD = "func f(a: num[], x: num, t: num) -> num { n = length a; l = sub n 1";
const TAIL = "r = mul se se; w = mul r pe; yield w }";
/** `u.1#` is `ux1#`, so that what `#` stands for may follow. */
const lines = (text: string, round: string): string =>
  text.replaceAll(".", "x").replaceAll("#", round);

function caseOf(seed: number): Case {
  const random = randomFrom(seed);
  const pick = <T>(all: readonly T[]): T => {
    const one = all[Math.floor(random() * all.length)];
    if (one === undefined) throw new Error("nothing to pick from");
    return one;
  };
  const a = Array.from({ length: Math.floor(random() * 5) }, () => Math.floor(random() * 5) - 2);
  const [update, other, term, order] = [
    pick(UPDATES),
    pick(UPDATES).replaceAll("np#", "nq#").replaceAll("u#", "w#").replaceAll("c#", "d#"),
    pick(TERMS),
    pick(LOOPS),
  ];
  const round = `${update}; ${other}; ${term}; ns# = ${pick(["add s# v#", "add v# s#", "sub s# v#"])}`;
  const names = ["s", "p", "q"] as const;
  const inits = { s: "x", p: "1", q: "t" };
  const loop = `${HEAD}; for ${order.text} carry (${names.map((name) => `${name} = ${inits[name]}`).join(", ")}) -> (se, pe, qe) { y = load a[i]; ${lines(round, "")}; yield ns np nq }\n ${TAIL}`;
  const rounds = order.rounds(a.length);
  const behind = (name: string, k: number): string =>
    k === 0 ? `${name}0` : `n${name}r${rounds[k - 1]}`;
  const each = rounds.map(
    (i, k) =>
      `${names.map((name) => `${name}r${i}: num = copy ${behind(name, k)}`).join("; ")}; yr${i} = load a[${i}]; ir${i}: num = copy ${i}; ${lines(round, `r${i}`)}; `,
  );
  const flat = `${HEAD}; ${names.map((name) => `${name}0: num = copy ${inits[name]}`).join("; ")}; ${each.join("")}${names.map((name) => `${name}e: num = copy ${behind(name, rounds.length)}`).join("; ")}; ${TAIL}`;
  return { loop, flat, args: [a, Math.floor(random() * 3) + 1, Math.floor(random() * 3) - 1] };
}

test("rounds in any order give the same cotangents", () => {
  let bare = 0;
  let recorded = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { loop, flat, args } = caseOf(seed);
    const what = `seed ${seed}, ${JSON.stringify(args)}\n${loop}`;
    const [ofLoop, ofFlat] = [loop, flat].map((text) => derive(text, siteOf("grad", "f", [0, 1])));
    if (ofLoop === undefined || ofFlat === undefined) throw new Error("two derivatives");
    if (records(ofLoop)) recorded++;
    else bare++;
    expect(valueOf(ofLoop, args), what).toEqual(valueOf(ofFlat, args));
    const [forLoop, forFlat] = [loop, flat].map((text) =>
      pulledTwice(derive(text, siteOf("vjp", "f", [0, 1]), { volatile: [0, 1] }), args),
    );
    expect(forLoop, what).toEqual(forFlat);
    if (seed % 3 !== 0) continue;
    const tangents = [
      ...args.slice(0, 2),
      args[2],
      Array.isArray(args[0]) ? args[0].map((_, k) => k - 1) : [],
      2,
    ];
    const [second, secondFlat] = [loop, flat].map((text) =>
      valueOf(derive(text, siteOf("hvp", "f", [0, 1])), tangents),
    );
    expect(second, what).toEqual(secondFlat);
  }
  // what is dear to compute is recorded, the rest is not
  expect(bare).toBeGreaterThan(20);
  expect(recorded).toBeGreaterThan(3);
});
