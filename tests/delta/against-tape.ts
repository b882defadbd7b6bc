// One function twice: as a run, and with a node of the tape for each operation. In: an expression of x and z. Out: its gradient at once, its pullback by a run, and that by the tape.

import { expect } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";
import { randomOf } from "./loops.ts";

type Pull = (
  x: number,
  z: number,
) => readonly [number, (seed: number) => readonly [number, number]];

export interface Both {
  readonly text: string;
  readonly f: (x: number, z: number) => number;
  readonly atOnce: (x: number, z: number) => readonly [number, readonly [number, number]];
  readonly byRun: Pull;
  readonly byTape: Pull;
}

const DELTA = `engine: "delta"`;

function loaded(
  files: Readonly<Record<string, string>>,
  name: string,
): { readonly text: string; readonly exports: Readonly<Record<string, unknown>> } {
  const { edits, diagnostics } = analyse(programOf(files));
  // random conditions compare for equality, of which the build warns
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const file = `/src/${name}`;
  const { text } = applyEdits(file, files[name] ?? "", edits.get(file) ?? []);
  return { text, exports: loader(new Map([[file, text]]))(file) };
}

/** `f`: body of a function of x and z, with what it calls; somebody who asks for the term has a node for each operation. */
export function both(body: string, others = ""): Both {
  const f = `(x: number, z: number): number { ${body} }`;
  const run = loaded(
    {
      "run.ts": `import { valueAndGrad, vjp } from "tsgrad";\n${others}\nexport function f${f}\nfunction g${f}\nexport const atOnce: unknown = valueAndGrad(f, { argnums: [0, 1], ${DELTA} });\nexport const byRun: unknown = vjp(g, { ${DELTA} });\n`,
    },
    "run.ts",
  );
  const tape = loaded(
    {
      "tape.ts": `import { delta, vjp } from "tsgrad";\n${others}\nfunction f${f}\nexport const term = delta(f);\nexport const byTape = vjp(f, { ${DELTA} });\n`,
    },
    "tape.ts",
  );
  expect(tape.text).not.toContain("$d.linear2");
  return {
    text: run.text,
    ...(run.exports as unknown as Omit<Both, "text" | "byTape">),
    ...(tape.exports as unknown as Pick<Both, "byTape">),
  }; // as they say above
}

/** Whether two numbers are the same, or differ by what another order of multiplying rounds. */
const isClose = (a: number, b: number): boolean =>
  Object.is(a + 0, b + 0) || Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b));

/** Ties, zeros, edges of domains, and what is no number. */
export const NUMBERS: readonly number[] = [
  -2,
  -1,
  -0,
  0,
  0.25,
  0.5,
  1,
  2,
  3.5,
  Infinity,
  -Infinity,
  NaN,
  1e300,
];
export const PLACES: readonly (readonly [number, number])[] = NUMBERS.flatMap((x) =>
  NUMBERS.map((z) => [x, z] as const),
);

/** Where they do not say the same. `isFinite`: only where gradients are finite, as between runs `a Infinity + b Infinity` is not `(a + b) Infinity`, and an adjoint that is infinite meets partials of 0. */
export function differing(
  { f, atOnce, byRun, byTape }: Both,
  places: readonly (readonly [number, number])[] = PLACES,
  isFinite = false,
): readonly string[] {
  return places.flatMap(([x, z]) => {
    const value = f(x, z);
    const [own, bars] = atOnce(x, z);
    const [run, pull] = byRun(x, z);
    const [taped, back] = byTape(x, z);
    const expected = back(1);
    if (isFinite && !expected.every(Number.isFinite)) return [];
    const seeds = [1, 0, 2].filter(
      (seed) => !pull(seed).every((bar, k) => isClose(bar, back(seed)[k] ?? NaN)),
    );
    const isSame =
      [own, run, taped].every((one) => Object.is(one, value)) &&
      bars.every((bar, k) => isClose(bar, expected[k] ?? NaN)) &&
      seeds.length === 0;
    return isSame
      ? []
      : [
          `(${x}, ${z}): at once ${own} ${bars.join(" ")}, by a run ${run} ${pull(1).join(" ")}, by the tape ${taped} ${expected.join(" ")}, seeds ${seeds.join()} ${seeds.map((seed) => `${pull(seed).join(" ")} ${back(seed).join(" ")}`).join("; ")}`,
        ];
  });
}

/** The body of a function of x and z: straight-line code with choices, none of whose intermediate numbers is infinite. `isLoop`: three times. */
export function randomBody(seed: number, isLoop: boolean): string {
  const random = randomOf(seed);
  const one = <T>(all: readonly T[]): T => all[random(all.length)] as T; // there is one at least
  const names = ["x", "z"];
  const lines: string[] = [];
  const value = (depth: number): string => {
    const e = (): string =>
      depth === 0 || random(4) === 0 ? one([...names, ...names, "0.5", "2"]) : value(depth - 1);
    return one([
      () => `(${e()} * ${e()})`,
      () => `(${e()} + ${e()})`,
      () => `(${e()} - ${e()})`,
      () => `(${e()} / (1 + ${e()} ** 2))`,
      () => `Math.sin(${e()})`,
      () => `Math.hypot(${e()}, ${e()})`,
      () => `Math.atan2(${e()}, ${e()})`,
      () => `Math.cbrt(${e()})`,
      () => `Math.sqrt(Math.abs(${e()}))`,
      () =>
        `Math.abs(${e()}) ** ${one(["0.5", "1.5", "2", "z", "(x * x)"])}`.replace(
          / \*\* z$/,
          " ** Math.abs(z)",
        ),
      () => `(${e()} % (1.5 + Math.abs(${e()})))`,
      () =>
        `Math.${one(["floor", "round", "sign", "trunc", "ceil", "tanh", "asinh", "atan", "fround"])}(${e()})`,
      () => `Math.log1p(${e()} ** 2)`,
      () => `Math.max(${e()}, ${e()})`,
      () => `(${test(e)} ? ${e()} : ${e()})`,
      () => `(${test(e)} ? ${e()} : ${test(e)} ? ${e()} : ${e()})`,
      () => `(${e()} || ${e()})`,
      () => `(${e()} && ${e()})`,
      () => `k(${e()}, ${e()})`,
    ])();
  };
  const test = (e: () => string): string =>
    one([
      () => `${e()} > ${e()}`,
      () => `${e()} === ${e()}`,
      () => `!(${e()} <= 0)`,
      () => `(${e()} < 1 && ${e()} !== 0)`,
      () => `(${e()} > 1 || ${e()} > 0)`,
      () => e(),
    ])();
  for (let n = 2 + random(4); n > 0; n--) {
    const name = `a${names.length}`;
    const text = value(3);
    if (random(5) > 0 || names.length === 2) {
      lines.push(`let ${name} = ${text};`);
      names.push(name);
    } else lines.push(`${names.at(-1) ?? "x"} ${one(["=", "+=", "*="])} ${text};`);
  }
  const sum = names.slice(2).join(" + ");
  return isLoop
    ? `let s = x, t = 0; for (let i = 0; i < 3; i++) { ${lines.join(" ").replace(/\bx\b/g, "s")} s = Math.sin(${sum}); t += s * ${names.at(-1) ?? "z"}; } return t;`
    : `${lines.join(" ")} return ${sum};`;
}

export const CALLED =
  "const k = (a: number, b: number): number => { const c = a * b; return c > 1 ? Math.sin(c) * b : a === 2 ? b : b && a < b ? c * c : a; };";
