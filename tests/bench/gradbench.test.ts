// The GradBench tool, driven over pipes as the suite does it: the protocol, numbers that the suite expects, and gradients against differences of the
// objective that the same tool computes.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../golden.ts";

interface Response {
  readonly id: number;
  readonly tool?: string;
  readonly success?: boolean;
  readonly error?: string;
  readonly output?: unknown;
  readonly timings?: readonly { readonly name: string; readonly nanoseconds: number }[];
}

const tool = spawn(process.execPath, [path.join(root, "fixtures/bench/gradbench.mjs")], {
  stdio: ["pipe", "pipe", "inherit"],
});
const ended = new Promise<number | null>((resolve) => tool.on("close", resolve));
const lines = createInterface({ input: tool.stdout })[Symbol.asyncIterator]();
let sent = 0;

/** One message, and its response. */
async function ask(message: Readonly<Record<string, unknown>>): Promise<Response> {
  const id = sent++;
  tool.stdin.write(`${JSON.stringify({ id, ...message })}\n`);
  const { value, done } = await lines.next();
  if (done === true) throw new Error("the tool ended");
  const response: Response = JSON.parse(value);
  expect(response.id).toBe(id);
  return response;
}

async function evaluated(module: string, name: string, input: unknown): Promise<unknown> {
  const { success, error, output } = await ask({ kind: "evaluate", module, function: name, input });
  expect(error).toBe(undefined);
  expect(success).toBe(true);
  return output;
}

afterAll(() => void tool.kill());

const numbers = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(numbers)
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(numbers)
        : [];

function expectClose(found: unknown, expected: unknown, tolerance: number): void {
  const [a, b] = [numbers(found), numbers(expected)];
  expect(a.length).toBe(b.length);
  a.forEach((x, i) =>
    expect(Math.abs(x - (b[i] ?? NaN)), `number ${i} is ${x} and not ${b[i]}`).toBeLessThanOrEqual(
      tolerance * Math.max(1, Math.abs(b[i] ?? NaN)),
    ),
  );
}

/** By the numbers of `x`, one after the other. `objective` can give several numbers: rows of a Jacobian. 1e-7: central differences with step 1e-4, of functions near 1. */
async function differences(
  objective: (x: readonly number[]) => Promise<unknown>,
  x: readonly number[],
): Promise<number[][]> {
  const step = 1e-4;
  const columns: number[][] = [];
  for (const i of x.keys()) {
    const moved = (by: number): number[] => x.map((value, k) => (k === i ? value + by : value));
    const [high, low] = [
      numbers(await objective(moved(step))),
      numbers(await objective(moved(-step))),
    ];
    columns.push(high.map((value, k) => (value - (low[k] ?? NaN)) / (2 * step)));
  }
  return (columns[0] ?? []).map((_, k) => columns.map((column) => column[k] ?? NaN));
}

const TOLERANCE = 1e-6;
const ramp = (n: number, from = 0.3): number[] =>
  Array.from({ length: n }, (_, i) => from + 0.1 * ((7 * i) % 11));
const chunks = (xs: readonly number[], length: number): number[][] =>
  Array.from({ length: xs.length / length }, (_, i) => xs.slice(i * length, (i + 1) * length));

describe("the protocol", () => {
  test("start, define, evaluate, analysis", async () => {
    expect(await ask({ kind: "start", eval: "hello" })).toEqual({ id: 0, tool: "tsgrad" });
    expect(await ask({ kind: "define", module: "hello" })).toMatchObject({ success: true });
    expect(await evaluated("hello", "square", 3)).toBe(9);
    expect(await evaluated("hello", "double", 3)).toBe(6);
    expect(Object.keys(await ask({ kind: "analysis", of: 3, valid: true }))).toEqual(["id"]);
  });

  test("runs as often and as long as it is told, and times each run in nanoseconds", async () => {
    const runs = async (more: object): Promise<number[]> => {
      const { timings = [] } = await ask({
        kind: "evaluate",
        module: "lse",
        function: "gradient",
        input: { x: ramp(50), ...more },
      });
      return timings
        .filter(({ name }) => name === "evaluate")
        .map(({ nanoseconds }) => nanoseconds);
    };
    expect(await runs({})).toHaveLength(1);
    expect(await runs({ min_runs: 5, min_seconds: 0 })).toHaveLength(5);
    const long = await runs({ min_runs: 1, min_seconds: 0.02 });
    expect(long.reduce((sum, nanoseconds) => sum + nanoseconds, 0)).toBeGreaterThanOrEqual(0.02e9);
    expect(long.every((nanoseconds) => Number.isInteger(nanoseconds))).toBe(true);
  });

  test("says what it does not have", async () => {
    expect(await ask({ kind: "define", module: "ht" })).toMatchObject({
      success: false,
      error: "there is no module ht here",
    });
    expect(await ask({ kind: "define", module: "../gradbench/eval" })).toMatchObject({
      success: false,
    });
    expect(
      await ask({ kind: "evaluate", module: "hello", function: "cube", input: 3 }),
    ).toMatchObject({ success: false, error: "module hello has no function cube" });
    expect(
      await ask({ kind: "evaluate", module: "det", function: "primal", input: null }),
    ).toMatchObject({ success: false });
    expect(await evaluated("hello", "square", 2)).toBe(4);
  });
});

describe("numbers of the suite", () => {
  // the suite compares with these numbers
  test.each(["rr", "rf", "fr", "ff"])("particle %s", async (mode) =>
    expectClose(await evaluated("particle", mode, { w: 0 }), 0.2071918746486116, 1e-12),
  );
  test.each(["rr", "rf", "fr", "ff"])("saddle %s", async (mode) =>
    expectClose(
      await evaluated("saddle", mode, { start: [1, 1] }),
      Array(4).fill(8.246324826140356e-6),
      1e-12,
    ),
  );

  const DATA = path.join(root, "../shared/data/adbench");
  test.runIf(existsSync(DATA))("lstm and ba of ADBench", async () => {
    const expected = JSON.parse(readFileSync(path.join(DATA, "expected.json"), "utf8"));
    const rows = readFileSync(path.join(DATA, "lstm/lstm_l2_c1024.txt"), "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter((row) => row.length > 1);
    const input = {
      main_params: rows.slice(0, 4),
      extra_params: rows.slice(4, 7),
      state: rows.slice(7, 11),
      sequence: rows.slice(11),
    };
    const lstm = expected["lstm/lstm_l2_c1024.txt"];
    // what ADBench allows
    expectClose(await evaluated("lstm", "objective", input), lstm.objective, 1e-8);
    expectClose(await evaluated("lstm", "jacobian", input), lstm.gradient, 1e-8);
    const [[n, m, p] = [], cam, x, [w] = [], feat] = readFileSync(
      path.join(DATA, "ba_test.txt"),
      "utf8",
    )
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number));
    const { vals } = JSON.parse(
      JSON.stringify(await evaluated("ba", "jacobian", { n, m, p, cam, x, w, feat })),
    );
    const all: number[] = expected["ba_test.txt"].J_vals_csr;
    expectClose(vals, [...all.slice(0, 30), all.at(-1)], 1e-8);
  });
});

describe("gradients against differences of the objective", () => {
  test.each([
    ["llsq", "primal", "gradient", ramp(4), (x: readonly number[]) => ({ x, n: 9 })],
    ["lse", "primal", "gradient", ramp(7), (x: readonly number[]) => ({ x })],
    ["det", "primal", "gradient", ramp(16), (A: readonly number[]) => ({ A, ell: 4 })],
    [
      "lstm",
      "objective",
      "jacobian",
      ramp(57, -0.4),
      (x: readonly number[]) => ({
        main_params: chunks(x.slice(0, 48), 12),
        extra_params: chunks(x.slice(48), 3),
        state: chunks(ramp(12), 3),
        sequence: [
          [0, 1, 1],
          [1, 0, 1],
          [1, 1, 0],
        ],
      }),
    ],
    [
      "gmm",
      "objective",
      "jacobian",
      ramp(12, -0.2),
      (x: readonly number[]) => ({
        d: 2,
        k: 2,
        n: 3,
        x: chunks(ramp(6), 2),
        m: 1,
        gamma: 0.9,
        alpha: x.slice(0, 2),
        mu: chunks(x.slice(2, 6), 2),
        q: chunks(x.slice(6, 10), 2),
        l: chunks(x.slice(10, 12), 1),
      }),
    ],
  ])("%s", async (module, objective, gradient, x, inputOf) => {
    const [expected] = await differences((at) => evaluated(module, objective, inputOf(at)), x);
    expectClose(await evaluated(module, gradient, inputOf(x)), expected, TOLERANCE);
  });

  test("ode: the gradient is that of the last variable", async () => {
    const x = ramp(5, 0.5);
    const rows = await differences((at) => evaluated("ode", "primal", { x: at, s: 4 }), x);
    expectClose(await evaluated("ode", "gradient", { x, s: 4 }), rows.at(-1), TOLERANCE);
  });

  test("kmeans: the gradient over the diagonal of the Hessian is the way to the mean", async () => {
    const points = chunks(ramp(24), 3);
    const centroids = [points[6] ?? [], points[7] ?? []].map((row) =>
      row.map((value) => value + 0.013),
    );
    const distance = (a: readonly number[], b: readonly number[]): number =>
      a.reduce((sum, value, i) => sum + (value - (b[i] ?? NaN)) ** 2, 0);
    const expected = centroids.map((centroid) => {
      const own = points.filter((point) =>
        centroids.every((other) => distance(point, centroid) <= distance(point, other)),
      );
      return centroid.map(
        (value, i) => own.reduce((sum, point) => sum + value - (point[i] ?? NaN), 0) / own.length,
      );
    });
    expectClose(await evaluated("kmeans", "dir", { points, centroids }), expected, 1e-12);
  });

  test.each([
    ["turned", [0.2, -0.1, 0.3]],
    ["not turned", [0, 0, 0]],
  ])("ba: a block, the camera %s", async (_name, rotation) => {
    const x = [...rotation, 0.5, -0.2, 0.1, 4, 0.3, -0.2, 0.05, 0.01, 0.7, 0.9, 6, 0.8];
    const inputOf = (at: readonly number[]): object => ({
      n: 1,
      m: 1,
      p: 1,
      cam: at.slice(0, 11),
      x: at.slice(11, 14),
      w: at[14],
      feat: [0.4, -0.3],
    });
    // two errors, how often, the weight's error, how often
    const errorsAt = async (at: readonly number[]): Promise<number[]> =>
      numbers(await evaluated("ba", "objective", inputOf(at))).filter(
        (_number, k) => k !== 2 && k !== 4,
      );
    const [u = [], v = [], w = []] = await differences(errorsAt, x);
    const { vals, rows, cols } = JSON.parse(
      JSON.stringify(await evaluated("ba", "jacobian", inputOf(x))),
    );
    expectClose(vals, [...u, ...v, w.at(-1)], TOLERANCE);
    expect(rows).toEqual([0, 15, 30, 31, 31]);
    expect(cols).toEqual([...x.keys(), ...x.keys(), 14]);
  });
});

test("it ends when its input ends", async () => {
  tool.stdin.end();
  expect(await ended).toBe(0);
});
