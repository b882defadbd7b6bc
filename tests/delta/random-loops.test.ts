// Random loops over elements. In: seeds. Out: the Delta engine's gradient is the static engine's, and the value has the primal's bits. `SEEDS=from,to` runs others than those of the suite.

import { test } from "vitest";
import { agrees, randomOf, seedsOfRun, SUM } from "./loops.ts";

function programOfSeed(seed: number): string {
  const random = randomOf(seed);
  const one = <T>(all: readonly T[]): T => all[random(all.length)] as T; // there is one at least
  const lists = ["y", "a", "b", "c"];
  const element = (at: string, before: boolean): string => {
    const list = one(lists);
    const place =
      before && random(2) === 0
        ? `${at} - 1`
        : at === "i" && random(12) === 0
          ? "i + 1"
          : random(12) === 0
            ? "3"
            : at;
    return random(3) === 0
      ? `x[${at === "0" ? random(5) : one(["i", "k", "3"])}]!`
      : `${list}[${place}]!`;
  };
  const value = (at: string, before: boolean, depth = 0): string => {
    const inner = (): string =>
      depth < 2 && random(2) === 0 ? value(at, before, depth + 1) : element(at, before);
    return one([
      () => `(${inner()} * ${inner()})`,
      () => `(${inner()} * 0.5 - ${inner()})`,
      () => `Math.sin(${inner()})`,
      () => `(${inner()} / (2 + ${inner()} ** 2))`,
      () => `(0.3 * ${inner()})`,
      () => `Math.exp(-(${inner()} ** 2))`,
    ])();
  };
  const write = (at: string, before: boolean): string =>
    `${one(lists)}[${at}] ${one(["=", "=", "+="])} ${value(at, before)};`;
  const step = (): string => {
    if (random(4) === 0) return write("0", false);
    const from = random(2);
    const bound = one(["n", "n", "n", "x.length", "n", "40"]);
    const count = 1 + random(2);
    return `for (let i = ${from}; i < ${bound}; i++) { ${Array.from({ length: count }, () => write("i", from === 1)).join(" ")} }`;
  };
  const steps = (): string => Array.from({ length: 3 + random(6) }, step).join(" ");
  const body = random(4) === 0 ? `${steps()} for (let j = 0; j < 2; j++) { ${steps()} }` : steps();
  const own = ["a", "b", "c"].filter((name) => body.includes(`${name}[`));
  return `export function f(x: number[]): number { const n = x.length, ${["y", ...own].map((name) => `${name} = new Float64Array(n + ${1 + random(2)})`).join(", ")}; for (let k = 0; k < 3; k++) { ${body} }${random(4) === 0 && own.length > 0 ? ` y[1]! += ${own[0] ?? ""}[4]!;` : ""} ${SUM} return s * 0.1; }`;
}

test.each(seedsOfRun(24))("seed %i", (seed) => {
  agrees(programOfSeed(seed));
});
