// Which values of a round are recorded, against all choices tried one by one.

import { describe, expect, test } from "vitest";
import {
  type Candidate,
  minimumRecords,
} from "../../transformer/3-differentiate/reverse/residual-min-cut.ts";
import { randomFrom } from "../4-optimise/random-adjoint.ts";

/** What a choice costs; infinite where it leaves out something that cannot be computed. */
function costOf(
  recorded: ReadonlySet<string>,
  candidates: ReadonlyMap<string, Candidate>,
  asked: readonly string[],
): number {
  const needed = new Set(asked);
  let cost = 0;
  for (const name of needed) {
    const { again, record, operands } = candidates.get(name) ?? {
      again: 0,
      record: 0,
      operands: [],
    };
    cost += recorded.has(name) ? record : (again ?? Infinity);
    if (!recorded.has(name)) for (const operand of operands) needed.add(operand);
  }
  return cost;
}

function randomCase(seed: number): { candidates: Map<string, Candidate>; asked: string[] } {
  const random = randomFrom(seed);
  const size = 1 + Math.floor(random() * 9);
  const names = Array.from({ length: size }, (_, k) => `v${k}`);
  const candidates = new Map(
    names.map((name, k): [string, Candidate] => [
      name,
      {
        again: random() < 0.25 ? null : Math.floor(random() * 5),
        record: random() < 0.8 ? 4 : 12,
        operands: names.slice(0, k).filter(() => random() < 0.35),
      },
    ]),
  );
  return { candidates, asked: names.filter(() => random() < 0.4) };
}

describe("the values to record", () => {
  test.each(Array.from({ length: 60 }, (_, seed) => seed))(
    "cost no more than any others, %i",
    (seed) => {
      const { candidates, asked } = randomCase(seed);
      const names = [...candidates.keys()];
      const all = Array.from({ length: 2 ** names.length }, (_, bits) =>
        costOf(new Set(names.filter((_name, k) => (bits >> k) & 1)), candidates, asked),
      );
      expect(costOf(minimumRecords(candidates, asked), candidates, asked)).toBe(Math.min(...all));
    },
  );

  test("are what others are made of where that is less", () => {
    // t stands for itself; x, y and z are `o + t * d`
    const candidates = new Map<string, Candidate>([
      ["t", { again: null, record: 4, operands: [] }],
      ...["x", "y", "z"].map((name): [string, Candidate] => [
        name,
        { again: 2, record: 4, operands: ["t"] },
      ]),
    ]);
    expect([...minimumRecords(candidates, ["x", "y", "z"])]).toEqual(["t"]);
    expect([...minimumRecords(candidates, ["x"])]).toEqual(["x"]);
    expect([...minimumRecords(candidates, [])]).toEqual([]);
    expect([...minimumRecords(new Map(), ["elsewhere"])]).toEqual([]);
  });

  test("are found at once in a long chain", () => {
    const names = Array.from({ length: 20_000 }, (_, k) => `v${k}`);
    const candidates = new Map(
      names.map((name, k): [string, Candidate] => [
        name,
        { again: 2, record: 4, operands: names.slice(Math.max(0, k - 1), k) },
      ]),
    );
    const recorded = minimumRecords(candidates, names);
    expect(recorded.size).toBe(0);
  });
});
