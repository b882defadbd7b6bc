// Calls that are reversed where they stand, on random recursive programs in IR text: results that go into sums, times what is known in front of the call or
// only behind it, in loops and branches, between writes of what varies and of what does not. Oracles: finite differences; the pullback run twice; for second
// order, differences of the gradient.

import { describe, expect, test } from "vitest";
import { run } from "../../transformer/ir/eval.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { randomFrom } from "../4-optimise/random-adjoint.ts";
import { derive, siteOf } from "./gradient.ts";

type Random = () => number;

/** Writes one body, statement by statement. */
class Writer {
  readonly lines: string[] = [];
  readonly values: string[];
  readonly #random: Random;
  readonly #next: () => number;
  /** What a call is of, and the names it is given besides a number. */
  readonly #call: (x: string) => string;

  constructor(
    random: Random,
    next: () => number,
    values: readonly string[],
    call: (x: string) => string,
  ) {
    this.#random = random;
    this.#next = next;
    this.values = [...values];
    this.#call = call;
  }

  fresh = (): string => `v${this.#next()}`;
  pick = <T>(from: readonly [T, ...T[]]): T =>
    from[Math.floor(this.#random() * from.length)] ?? from[0];
  value = (): string =>
    this.#random() < 0.5
      ? (this.values.at(-1) ?? "x")
      : (this.values[Math.floor(this.#random() * this.values.length)] ?? "x");

  let(expr: string): string {
    const name = this.fresh();
    this.lines.push(`${name}${expr.startsWith("call") ? ": num" : ""} = ${expr}`);
    this.values.push(name);
    return name;
  }

  index = (): string => String(Math.floor(this.#random() * 3));

  /** A call's value, and mostly what is linear in it. */
  term(): string {
    const before = this.#random() < 0.5 ? this.let(`load a[${this.index()}]`) : this.value();
    const y = this.let(this.#call(this.value()));
    const behind = this.#random() < 0.3 ? this.let(`load a[${this.index()}]`) : this.value();
    return this.pick<() => string>([
      () => y,
      () => this.let(`mul ${before} ${y}`),
      () => this.let(`mul ${y} ${behind}`),
      () => this.let(`div ${y} 1.5`),
      () => this.let(`sub ${before} ${y}`),
      () => (this.#random() < 0.3 ? this.let(`sin ${y}`) : this.let(`neg ${y}`)),
    ])();
  }

  nested(write: (inner: Writer) => string): { readonly text: string; readonly result: string } {
    const inner = new Writer(this.#random, this.#next, this.values, this.#call);
    const result = write(inner);
    return { text: inner.lines.join("; "), result };
  }

  statement(writes: boolean): void {
    const kind = Math.floor(this.#random() * (writes ? 8 : 7));
    if (kind <= 1) this.term();
    else if (kind === 2)
      this.let(
        this.pick([
          `add ${this.value()} ${this.value()}`,
          `sub ${this.value()} ${this.value()}`,
          `mul ${this.value()} 0.5`,
        ]),
      );
    else if (kind === 3)
      this.let(
        this.pick([
          `sin ${this.value()}`,
          `mul ${this.value()} ${this.value()}`,
          `mul x ${this.value()}`,
        ]),
      );
    else if (kind === 4) this.loop();
    else if (kind === 5) this.branch();
    else if (kind === 6) this.counter();
    else this.lines.push(`a[${this.index()}] = ${this.let(`mul ${this.value()} 0.9`)}`);
  }

  loop(): void {
    const [param, next, bind] = [this.fresh(), this.fresh(), this.fresh()];
    const start = this.value();
    const isSum = this.#random() < 0.8;
    const { text, result } = this.nested((inner) =>
      isSum ? inner.term() : inner.let(`mul ${param} ${inner.term()}`),
    );
    this.lines.push(
      `for i${param} = 0 < 2 carry (${param} = ${start}) -> (${bind}) { ${text}; ${next} = add ${param} ${result}; yield ${next} }\n`,
    );
    this.values.push(bind);
  }

  branch(): void {
    const [cond, bind] = [this.fresh(), this.fresh()];
    const [then, other] = [
      this.nested((inner) => inner.term()),
      this.nested((inner) => (this.#random() < 0.5 ? inner.term() : inner.value())),
    ];
    this.lines.push(
      `${cond} = gt n 1`,
      `if ${cond} -> (${bind}: num) { ${then.text}; yield ${then.result} } else { ${other.text}${other.text === "" ? "" : "; "}yield ${other.result} }\n`,
    );
    this.values.push(bind);
  }

  /** Memory that holds nothing that varies, written and read in the order of the calls. */
  counter(): void {
    const k = this.let("load k[0]");
    this.lines.push(`k[0] = ${this.let(`add ${k} 0.25`)}`);
  }

  body = (): string => this.lines.join("; ").replaceAll("\n;", "\n");
}

function programOf(seed: number): string {
  const random = randomFrom(seed);
  let count = 0;
  const next = (): number => count++;
  const writes = random() < 0.25;
  const isMutual = random() < 0.3;
  const recursive = (name: string, other: string): string => {
    const inner = new Writer(random, next, ["x"], (x) => `call ${other}(a, k, ${x}, m)`);
    inner.lines.push(`m = sub n ${random() < 0.7 ? 1 : 2}`);
    for (let i = 0; i < 2 + random() * 3; i++) inner.statement(writes);
    const result = inner.let(`add ${inner.value()} ${inner.value()}`);
    const base = inner.pick([
      "yield x",
      "u = load a[1]; yield u",
      "u = load a[0]; w = mul u x; yield w",
      "u = load k[0]; w = mul u x; yield w",
    ]);
    return `func ${name}(a: num[], k: num[], x: num, n: num) -> num { c = le n 0; if c -> (r: num) { ${base} } else { ${inner.body()}; yield ${result} }\n yield r }`.replaceAll(
      "\n;",
      "\n",
    );
  };
  const outer = new Writer(random, next, ["x"], (x) => `call g(a, k, ${x}, n)`);
  outer.lines.push("k: num[] = array [1]", "a = slice b 0", `n = add 2 0`);
  for (let i = 0; i < 1 + random() * 3; i++) outer.statement(random() < 0.3);
  const result = outer.let(`add ${outer.term()} ${outer.value()}`);
  return [
    recursive("g", isMutual ? "h" : "g"),
    ...(isMutual ? [recursive("h", "g")] : []),
    `func f(b: num[], x: num) { ${outer.body()}; yield ${result} }`.replaceAll("\n;", "\n"),
  ].join("\n");
}

type Args = readonly [readonly number[], number];
const ARGS: Args = [[0.7, -0.4, 0.9], 0.6];
/** What the functions share is written between their sweeps. */
const SHARED = { volatile: [0, 1] };
const flat = (value: unknown): readonly number[] =>
  typeof value === "number" ? [value] : Array.isArray(value) ? value.flatMap(flat) : [];
const isTame = (numbers: readonly number[]): boolean =>
  numbers.every((n) => Number.isFinite(n) && Math.abs(n) < 1e4);

/** The largest difference, over the largest number. */
function distance(got: readonly number[], expected: readonly number[]): number {
  expect(got.length).toBe(expected.length);
  const size = Math.max(1, ...expected.map(Math.abs));
  return Math.max(...got.map((n, i) => Math.abs(n - (expected[i] ?? NaN)))) / size;
}

const shifted = ([b, x]: Args, direction: Args, h: number): Args => [
  b.map((n, i) => n + h * (direction[0][i] ?? 0)),
  x + h * direction[1],
];

/** Central differences of order 4. */
function slope(
  f: (args: Args) => readonly number[],
  direction: Args,
  h: number,
): readonly number[] {
  const [up, down, up2, down2] = [1, -1, 2, -2].map((k) => f(shifted(ARGS, direction, k * h)));
  return (up ?? []).map(
    (n, i) => (8 * (n - (down?.[i] ?? NaN)) - ((up2?.[i] ?? NaN) - (down2?.[i] ?? NaN))) / (12 * h),
  );
}

/** The least distance from differences of several steps: recursion makes some functions so steep or wavy that most steps cannot tell. What is wrong is far from all. */
function offBy(got: readonly number[], differences: (h: number) => readonly number[]): number {
  let least = Infinity;
  for (const h of [1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
    if (least > 1e-7) least = Math.min(least, distance(got, differences(h)));
  return least;
}

const UNITS: readonly Args[] = [
  [[1, 0, 0], 0],
  [[0, 1, 0], 0],
  [[0, 0, 1], 0],
  [[0, 0, 0], 1],
];

describe("random recursion", () => {
  const seeds = Array.from(
    { length: Number(process.env["MERGED"] ?? 32) },
    (_, i) => i + Number(process.env["FROM"] ?? 1),
  );
  test("gradients, pullbacks run twice, and products with the Hessian", () => {
    let merged = 0;
    let kept = 0;
    let judged = 0;
    for (const seed of seeds) {
      const text = programOf(seed);
      const primal = parse(text);
      const value = (args: Args): readonly number[] => [
        Number(run(primal, "f", structuredClone([...args])).value),
      ];
      const grad = derive(text, siteOf("grad", "f", [0, 1]), SHARED);
      const at = (args: Args): readonly number[] =>
        flat(run(grad.program, grad.name, structuredClone([...args])).value);
      const names = grad.made.derived.map((item) => (item.kind === "func" ? item.func.name : ""));
      if (names.some((name) => name.includes("$merged"))) merged++;
      if (names.some((name) => name.includes("$revr"))) kept++;
      const found = at(ARGS);
      if (!isTame(found)) continue;
      judged++;
      // truncation and rounding of the best step; a wrong term is off by far more
      expect(
        offBy(found, (h) => UNITS.flatMap((unit) => slope(value, unit, h))),
        `seed ${seed}\n${text}`,
      ).toBeLessThan(1e-6);
      const vjp = derive(text, siteOf("vjp", "f", []), SHARED);
      const [, pullback] = run(vjp.program, vjp.name, structuredClone([...ARGS])).value as [
        number,
        (bar: number) => unknown,
      ];
      // the same operations, but for the order of sums
      expect(distance(flat(pullback(1)), found), `pullback of seed ${seed}`).toBeLessThan(1e-12);
      expect(
        distance(
          flat(pullback(-3)),
          found.map((n) => -3 * n),
        ),
        `pullback of seed ${seed}, again`,
      ).toBeLessThan(1e-12);
      if (seed % 4 !== 0) continue;
      const hvp = derive(text, siteOf("hvp", "f", [0, 1]), SHARED);
      const direction: Args = [[0.3, -1, 0.5], 0.8];
      const pushed = run(hvp.program, hvp.name, structuredClone([...ARGS, ...direction]))
        .value as readonly [unknown, unknown];
      // differences of a gradient that is itself good to rounding: second derivatives of steep functions cost one more digit
      expect(
        offBy(flat(pushed[1]), (h) => slope(at, direction, h)),
        `Hessian of seed ${seed}\n${text}`,
      ).toBeLessThan(1e-5);
    }
    // the programs are about both: calls that are merged, and calls that must not be
    expect(judged).toBeGreaterThan(seeds.length / 2);
    expect(merged).toBeGreaterThan(judged / 8);
    expect(kept).toBeGreaterThan(judged / 8);
  });
});
