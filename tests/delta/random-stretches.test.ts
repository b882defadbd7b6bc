// Random stretches: lists that are made of lists, loops that write elements, and declarations between them. In: seeds. Out: the Delta engine's gradient is the static engine's, and the value has the primal's bits.
// `SEEDS=from,to` runs others than those of the suite.

import { test } from "vitest";
import { agrees, randomOf, seedsOfRun } from "./loops.ts";

/** A function of three lists, one of which may be another, and its sums of squares, of what it is given and of what it makes. */
function programOfSeed(seed: number): string {
  const random = randomOf(seed);
  const one = <T>(all: readonly T[]): T => all[random(all.length)] as T; // there is one at least
  const made: string[] = [];
  const typed: string[] = [];
  const lines: string[] = [];
  const known = (): readonly string[] => ["v", "w", ...made, ...typed];
  const element = (at: readonly string[]): string => `${one(known())}[${one(at)}]!`;
  const value = (at: readonly string[], own: readonly string[], depth = 0): string => {
    const inner = (): string =>
      depth < 2 && random(2) === 0
        ? value(at, own, depth + 1)
        : own.length > 0 && random(2) === 0
          ? one(own)
          : element(at);
    return one([
      () => `(${inner()} * ${inner()})`,
      () => `(${inner()} * 0.5 - ${inner()})`,
      () => `Math.sin(${inner()})`,
      () => `(${inner()} / (2 + ${inner()} ** 2))`,
      () => `(0.3 * ${inner()})`,
      () => inner(),
      () => further(inner),
    ])();
  };
  /** Few of them are `?:`. */
  const further = (inner: () => string): string =>
    one([
      () => `Math.hypot(${inner()}, ${inner()})`,
      () => `Math.atan2(${inner()}, 1.5 + ${inner()} ** 2)`,
      () => `(${inner()} % (0.7 + ${inner()} ** 2))`,
      () => `Math.cbrt(1 + ${inner()} ** 2)`,
      () => `(0.5 + ${inner()} ** 2) ** (${inner()} * 0.1)`,
      () => `(${inner()} * Math.floor(${inner()} * 3))`,
      () => `Math.asinh(${inner()})`,
      () => `Math.log2(2 + ${inner()} ** 2)`,
      () => `(${inner()} > 0.5 ? ${inner()} : 0.2 * ${inner()})`,
    ])();
  const map = (): void => {
    const name = `m${made.length}`;
    const source = one(["v", "w", ...made]);
    const text = value(["j", "j", "2"], ["e"]);
    lines.push(`const ${name} = ${source}.map((e, j) => ${text});`);
    made.push(name);
  };
  const zeros = (): void => {
    const name = `z${typed.length}`;
    lines.push(`const ${name} = new Float64Array(${one(["n", "n", "v.length", "n + 2"])});`);
    typed.push(name);
  };
  const loop = (): void => {
    const lists = [...made, ...typed];
    const list = lists.length === 0 || random(8) === 0 ? "w" : one(lists);
    const from = random(2);
    const at = from === 1 ? ["i", "i", "i - 1"] : ["i", "i", "4"];
    const counted = random(4) === 0;
    if (counted) lines.push(`let at${lines.length} = ${random(3)};`);
    const place = `at${lines.length - 1}`;
    const write = (): string => `${list}[i] ${one(["=", "+="])} ${value(at, [])};`;
    if (counted)
      lines.push(
        `for (let j = 0; j < 5; j++) for (let i = j + 1; i < n - 1; i++) ${list}[i] += t[${place}++]! * ${element(["j", "i"])} * 0.1;`,
      );
    else
      lines.push(
        `for (let i = ${from}; i < ${one(["n", "n", "v.length", "12"])}; i++) { ${write()}${random(3) === 0 ? ` ${write()}` : ""} }`,
      );
  };
  for (let k = 3 + random(6); k > 0; k--) one([map, map, loop, loop, zeros])();
  if (random(4) === 0) lines.push(`w[${random(9)}] = 7;`);
  const seen = [...made, ...typed].filter(() => random(2) === 0);
  const at = random(30);
  return `const squares = (xs: ArrayLike<number> & Iterable<number>): number => { let s = 0; for (const x of xs as number[]) s += x * x; return s; };
function g(v: number[], w: number[], t: number[]): number { const n = v.length; ${lines.join(" ")} let s = 0;${seen.map((list) => ` for (let i = 0; i < ${list}.length; i++) s += ${list}[i]! * (1 + i % 3);`).join("")} return s * 0.1 + squares(${one([...known(), "v"])}) * 0.01; }
export function f(x: number[]): number { const a = x.slice(${at}, ${at} + 30), b = ${one(["x.slice(30, 60)", "[...x.slice(0, 20), 0.5, 0.2, 0.1, ...x.slice(40, 50)]", "a.map((e) => e * e)", random(3) === 0 ? "a" : "x.slice(3, 35)"])}, t = [...x, 0.3, ...x, ...x]; const s = g(a, b, t) + g(a, b, t); return Math.log(1 + s * s) + a[3]! * b[5]!; }`;
}

test.each(seedsOfRun(20))("seed %i", (seed) => {
  agrees(programOfSeed(seed));
});
