// Random neighbouring loops over shared arrays: one loop of them has the same values, to the bit, and the same gradient. Second derivatives are compared with differences.

import { expect, test } from "vitest";
import { differentiate } from "../../transformer/3-differentiate/index.ts";
import { fuseElements } from "../../transformer/4-optimise/fuse-elements/index.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { run } from "../../transformer/ir/eval.ts";
import type { CallSite } from "../../transformer/ir/facts.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { printFunc } from "../../transformer/ir/print.ts";
import type { Func, Program } from "../../transformer/ir/types.ts";
import { analysesOf } from "../analyses.ts";
import { Random } from "../ir/random.ts";
import { built } from "../nested/compiled.ts";
import { seen } from "./same-meaning.ts";

const CASES = Number(process.env["TSGRAD_CASES"] ?? 600);
const SEED = Number(process.env["TSGRAD_SEED"] ?? 1);
const ARRAYS = ["a", "b", "c"] as const;
const SITE: CallSite = {
  form: "grad",
  origin: { file: "", start: 0, end: 0 },
  target: "f",
  argnums: [0, 1],
  tuple: true,
  hasAux: false,
  into: false,
  insertAt: 0,
  specifier: null,
};

/** Writes the text of one program, most of whose loops may become one. */
class Generator {
  readonly #random: Random;
  #fresh = 0;
  /** What a statement between loops has read of a first element. */
  #first: string | null = null;
  /** What loops have added up, to be seen behind all of them. */
  readonly #sums: string[] = [];

  /** Arrays that a round has made so far; `y` is one of the round before. */
  readonly #made: string[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  text(): string {
    const arrays = ARRAYS.map(
      (name) =>
        `  ${name}: ${this.#random.chance(0.7) ? "Float64Array" : "num[]"} = alloc n fill ${this.#random.pick(["0", "0.5"])}`,
    );
    const items = Array.from({ length: 2 + this.#random.below(5) }, () => this.#item());
    // a longer array is seen by its length, and by its element behind the end
    const longer =
      this.#random.chance(0.2) && arrays[0]?.includes("num[]") === true ? ["  append a 0.5"] : [];
    items.push(this.#sums.map((sum) => `  ${this.#random.pick(ARRAYS)}[0] = ${sum}`));
    const next = this.#made.at(-1) ?? "y";
    const loop = `  for round = 0 < ${this.#random.pick([1, 2, 3])} step 1 carry (y: num[] = y0) -> (y.1) {`;
    const once = [
      "  y: num[] = alloc n fill 0.25",
      ...items.flat(),
      `  y.1: num[] = copy ${this.#random.pick(["y", next])}`,
    ];
    const round = this.#random.chance(0.3)
      ? once
      : [
          "  y0: num[] = alloc n fill 0.25",
          loop,
          ...items.flat().map((line) => `  ${line}`),
          `    yield ${next}`,
          "  }",
        ];
    const end = [...ARRAYS, "y.1"].flatMap((name, k) => [
      `    e.${k} = load ${name}[j]`,
      `    w.${k} = mul e.${k} ${k + 2}`,
    ]);
    return [
      "func f(x: Float64Array, z: Float64Array) -> num {",
      "  n = length x",
      ...arrays,
      ...longer,
      ...round,
      "  for j = 0 < n step 1 carry (total: num = 0) -> (total.1) {",
      ...end,
      "    s.1 = add total w.0",
      "    s.2 = add s.1 w.1",
      "    s.3 = add s.2 w.2",
      "    s.4 = add s.3 w.3",
      "    yield s.4",
      "  }",
      "  l = length a",
      "  l.1 = length b",
      "  l.2 = add l l.1",
      "  l.3 = length c",
      "  l.4 = add l.2 l.3",
      "  total.2 = add total.1 l.4",
      "  yield total.2",
      "}",
    ].join("\n");
  }

  #name(): string {
    return `t.${++this.#fresh}`;
  }

  #item(): readonly string[] {
    const kind = this.#random.unit();
    if (kind < 0.15) return this.#firstStore();
    if (kind < 0.25) return this.#firstLoad();
    return this.#loop();
  }

  #firstStore(): readonly string[] {
    const name = this.#name();
    return [
      `  ${name} = load ${this.#random.pick(["x", "z"])}[0]`,
      `  ${this.#random.pick(ARRAYS)}[0] = ${this.#random.pick([name, name, "0.25", ...(this.#first === null ? [] : [this.#first])])}`,
    ];
  }

  #firstLoad(): readonly string[] {
    this.#first = this.#name();
    return [`  ${this.#first} = load ${this.#random.pick([...ARRAYS, "x"])}[0]`];
  }

  #loop(): readonly string[] {
    const [from, index] = [this.#random.below(2), `i.${++this.#fresh}`];
    const before = from === 1 || this.#random.chance(0.05) ? `t.${++this.#fresh}` : null;
    const behind = this.#random.chance(0.05) ? `t.${++this.#fresh}` : null;
    const lines: string[] = [
      ...(before === null ? [] : [`${before} = sub ${index} 1`]),
      ...(behind === null ? [] : [`${behind} = add ${index} 1`]),
    ];
    const values = ["0.75", ...(this.#first === null ? [] : [this.#first])];
    const sum = this.#random.chance(0.2) ? { param: this.#name(), bind: this.#name() } : null;
    if (sum !== null) values.push(sum.param);
    const steps = 2 + this.#random.below(5);
    for (let k = 0; k < steps || values.length < 3; k++)
      lines.push(
        ...this.#step(
          values,
          [
            index,
            index,
            ...(before === null ? [] : [before, before]),
            ...(behind === null ? [] : [behind]),
          ],
          index,
        ),
      );
    const made = from === 0 && this.#random.chance(0.4) ? `made.${++this.#fresh}` : null;
    lines.push(
      `${made === null ? this.#random.pick(ARRAYS) : `init ${made}`}[${index}] = ${values.at(-1) ?? "0"}`,
    );
    if (made !== null) this.#made.push(made);
    return [
      ...(made === null ? [] : [`  ${made}: num[] = alloc n`]),
      ...this.#whole(from, index, lines, values, sum),
    ];
  }

  #whole(
    from: number,
    index: string,
    lines: readonly string[],
    values: readonly string[],
    sum: { readonly param: string; readonly bind: string } | null,
  ): readonly string[] {
    if (sum === null)
      return [
        `  for ${index} = ${from} < n step 1 {`,
        ...lines.map((line) => `    ${line}`),
        "  }",
      ];
    this.#sums.push(sum.bind);
    const init = this.#random.pick(["0", this.#first ?? "1"]);
    return [
      `  for ${index} = ${from} < n step 1 carry (${sum.param}: num = ${init}) -> (${sum.bind}) {`,
      ...lines.map((line) => `    ${line}`),
      `    yield ${values.at(-1) ?? sum.param}`,
      "  }",
      ...(this.#random.chance(0.8) ? [] : [`  a[0] = ${sum.bind}`]),
    ];
  }

  #step(values: string[], places: readonly string[], index: string): readonly string[] {
    const kind = this.#random.unit();
    if (kind < 0.15)
      return [`${this.#random.pick(ARRAYS)}[${index}] = ${this.#random.pick(values)}`];
    const name = this.#name();
    if (kind > 0.95) {
      // tells a number that is none from what is not there
      values.push(name);
      const value = this.#random.pick(values.slice(0, -1));
      const differs = this.#name();
      return [`${differs} = ne ${value} ${value}`, `${name} = boolToNum ${differs}`];
    }
    const line =
      kind < 0.6
        ? `load ${this.#random.pick([...ARRAYS, ...ARRAYS, ...this.#made, "x", "y", "z"])}[${this.#random.pick(places)}]`
        : kind < 0.7
          ? `sin ${this.#random.pick(values)}`
          : `${this.#random.pick(["mul", "add", "sub"])} ${this.#random.pick(values)} ${this.#random.pick(values)}`;
    values.push(name);
    return [`${name} = ${line}`];
  }
}

/** `z` is shorter than `x`, as long or longer: what is read behind its end is not there. */
const inputs =
  (count: number, aliased: boolean): (() => unknown[]) =>
  () => {
    const x = Float64Array.from({ length: count }, (_, i) => Math.cos(i + 1));
    return [
      x,
      aliased
        ? x
        : Float64Array.from(
            { length: Math.max(0, count - 1 + ((count + 2) % 3)) },
            (_, i) => Math.sin(3 * i) / 2,
          ),
    ];
  };

/** The program with its gradient in it, by name. */
function withGradient(program: Program): { readonly program: Program; readonly name: string } {
  const made = differentiate({ program, sites: [SITE], ...analysesOf(program) });
  expect([...made.problems]).toEqual([]);
  const funcs = new Map<string, Func>(program.funcs);
  for (const item of made.derived) if (item.kind === "func") funcs.set(item.func.name, item.func);
  return { program: { ...program, funcs }, name: made.derivativesOf.get(SITE)?.[0] ?? "" };
}

const gradientOf = (program: Program): ((count: number) => readonly number[]) => {
  const { program: whole, name } = withGradient(program);
  return (count) => {
    const { value } = run(whole, name, inputs(count, false)());
    return Array.isArray(value)
      ? value.flatMap((part: unknown) => (part instanceof Float64Array ? [...part] : []))
      : [];
  };
};

test("random loops", () => {
  let changed = 0;
  let compared = 0;
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const text = new Generator(seed).text();
    const program = parse(text);
    const before = program.funcs.get("f");
    if (before === undefined) throw new Error("no f");
    const after = fuseElements(before, program.types);
    if (after === before) continue;
    changed++;
    const fused: Program = { ...program, funcs: new Map([["f", after]]) };
    const what = `seed ${seed}\n${printFunc(before)}\n${printFunc(after)}`;
    assertValid(fused, what);
    for (const count of [0, 1, 2, 3])
      for (const aliased of [false, true])
        expect(seen(fused, after, inputs(count, aliased)), `${count} ${what}`).toEqual(
          seen(program, before, inputs(count, aliased)),
        );
    const [was, is] = [gradientOf(program), gradientOf(fused)];
    for (const count of [0, 1, 4]) {
      const [expected, got] = [was(count), is(count)];
      expect(got.length).toBe(expected.length);
      // sums of a hundred terms at most, in another order; what cancels is small beside the largest
      const scale = Math.max(1, ...expected.map(Math.abs));
      if (!Number.isFinite(scale)) continue;
      compared++;
      got.forEach((one, k) =>
        expect(Math.abs(one - (expected[k] ?? NaN)) / scale, `${count} ${what}`).toBeLessThan(
          1e-11,
        ),
      );
    }
  }
  expect([changed > CASES / 5, compared > changed]).toEqual([true, true]);
});

test("a step in stages, in both modes and both orders", () => {
  const { exports, text } =
    built(`import { grad } from "tsgrad";\nimport { checkGrads } from "tsgrad/testing";
function last(x: number[], z: number[]): number {
  const n = x.length, y: number[] = new Array<number>(n).fill(0.5), k: number[] = new Array<number>(n).fill(0), mid: number[] = new Array<number>(n).fill(1);
  for (let step = 0; step < 3; step++) {
    for (let i = 1; i < n; i++) k[i] = x[i]! * y[i - 1]!;
    for (let i = 0; i < n; i++) mid[i] = y[i]! + 0.3 * z[i]! * k[i]!;
    for (let i = 1; i < n; i++) k[i] = x[i]! * Math.sin(mid[i - 1]!);
    for (let i = 0; i < n; i++) y[i] = y[i]! + k[i]! * mid[i]!;
  }
  let s = 0;
  for (let i = 0; i < n; i++) s += y[i]! * y[i]!;
  return s;
}
const own = (x: number[]): number => last(x, x);
export const gradient = grad(last);
export const checks = (): void => { checkGrads(last, [[0.5, 1.2, -0.4, 0.8], [1, 0.7, -0.3, 2]], { order: 2 }); checkGrads(own, [[0.9, -0.6, 1.1]], { order: 2 }); checkGrads(own, [[0.9]], { order: 2 }); };
`);
  expect(text).not.toContain("mid$bar[");
  const { checks, gradient } = exports;
  if (typeof checks !== "function" || typeof gradient !== "function") throw new Error("no checks");
  checks();
  expect(gradient([], [])).toEqual([]);
});
