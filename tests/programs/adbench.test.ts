// The demo's objective at ADBench's sizes, where its data lies beside the checkout: the published objective and gradient of gmm_test, and the
// hand-written adjoint on gmm_1k. The data is not part of the project; without it the hand-written adjoint is checked on a small mixture.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const DATA = path.resolve(ROOT, "../shared/data/adbench");
const SOURCES = path.join(ROOT, "fixtures/projects/gmm/src");

interface Mixture {
  alphas: number[];
  means: number[][];
  icf: number[][];
}
interface Prior {
  gamma: number;
  m: number;
  weight: number;
}
type Step = (q: Mixture, xs: Float64Array[], prior: Prior) => [number, Mixture];

/** `valueAndGrad(logPosterior)` as emitted, and the adjoint written by hand. */
function functions(): {
  step: Step;
  byHand: (...args: Parameters<Step>) => Mixture;
  flatten: (q: Mixture) => number[];
} {
  const read = (name: string): string => fs.readFileSync(path.join(SOURCES, name), "utf8");
  const caller =
    'import { valueAndGrad } from "tsgrad";\nimport { logPosterior } from "./model.js";\nexport const step = valueAndGrad(logPosterior);\n';
  const host = programOf({
    "model.ts": read("model.ts"),
    "by-hand.ts": read("by-hand.ts"),
    "caller.ts": caller,
  });
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics).toEqual([]);
  const texts = new Map(
    ["model", "by-hand", "caller"].map((name) => {
      const file = `/src/${name}.ts`;
      return [
        file,
        applyEdits(file, host.program.getSourceFile(file)?.text ?? "", edits.get(file) ?? []).text,
      ];
    }),
  );
  const load = loader(texts);
  const { step } = load("/src/caller.ts") as { step: Step };
  const hand = load("/src/by-hand.ts") as {
    gradientByHand: (...args: Parameters<Step>) => Mixture;
    flatten: (q: Mixture) => number[];
  };
  return { step, byHand: hand.gradientByHand, flatten: hand.flatten };
}

/** ADBench's text form: d K n; K alphas; K rows of means; K rows of icf; the points (one for all where replicated); gamma m. */
function read(file: string): { q: Mixture; xs: Float64Array[]; prior: Prior } {
  const numbers = fs
    .readFileSync(file, "utf8")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(Number);
  const take = (count: number): number[] => numbers.splice(0, count);
  const [d = 0, k = 0, n = 0] = take(3);
  const rows = (count: number, size: number): number[][] =>
    Array.from({ length: count }, () => take(size));
  const q = { alphas: take(k), means: rows(k, d), icf: rows(k, (d * (d + 1)) / 2) };
  const xs = rows(n, d).map((row) => Float64Array.from(row));
  const [gamma = 0, m = 0] = take(2);
  return { q, xs, prior: { gamma, m, weight: 1 } };
}

const relative = (x: number, z: number): number =>
  Math.abs(x - z) / Math.max(1, Math.abs(x) + Math.abs(z));

function largestDifference(x: readonly number[], z: readonly number[]): number {
  expect(x.length).toBe(z.length);
  const scale = Math.max(...z.map(Math.abs));
  return Math.max(...x.map((value, i) => Math.abs(value - (z[i] ?? NaN)))) / scale;
}

describe("the demo's objective", () => {
  const { step, byHand, flatten } = functions();

  test("a small mixture: the adjoint written by hand", () => {
    const q = {
      alphas: [0.1, -0.4],
      means: [
        [0.2, 1],
        [-0.5, 0.3],
      ],
      icf: [
        [0.1, -0.2, 0.4],
        [0.3, 0.2, -0.6],
      ],
    };
    const xs = [
      [0.4, 0.9],
      [-1, 0.2],
      [0.3, -0.7],
    ].map((row) => Float64Array.from(row));
    const prior = { gamma: 0.7, m: 2, weight: -1 };
    // both sum the same terms in another order: a few units in the last place of the largest entry
    expect(
      largestDifference(flatten(step(q, xs, prior)[1]), flatten(byHand(q, xs, prior))),
    ).toBeLessThan(1e-14);
  });

  test.runIf(fs.existsSync(DATA))("gmm_test: the published values", () => {
    const expected = JSON.parse(
      fs.readFileSync(path.join(DATA, "expected.json"), "utf8"),
    ) as Record<string, { objective: number; gradient: number[] }>;
    const { q, xs, prior } = read(path.join(DATA, "gmm_test.txt"));
    const [value, gradient] = step(q, xs, prior);
    const published = expected["gmm_test.txt"];
    // ADBench's own tolerance and measure, which also covers its single-precision inputs
    expect(relative(value, published?.objective ?? NaN)).toBeLessThan(1e-8);
    flatten(gradient).forEach((part, i) => {
      expect(relative(part, published?.gradient[i] ?? NaN)).toBeLessThan(1e-8);
    });
  });

  const sizes = fs.existsSync(DATA)
    ? fs.readdirSync(path.join(DATA, "gmm_1k")).filter((name) => name.endsWith(".txt"))
    : [];
  test.runIf(sizes.length > 0).each(sizes)("gmm_1k/%s: the adjoint written by hand", (name) => {
    const { q, xs, prior } = read(path.join(DATA, "gmm_1k", name));
    // sums of a thousand terms in another order
    expect(
      largestDifference(flatten(step(q, xs, prior)[1]), flatten(byHand(q, xs, prior))),
    ).toBeLessThan(1e-12);
  });
});
