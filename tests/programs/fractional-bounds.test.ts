// Arrays that loops below any number fill: a fraction, a negative number, NaN. In: ways to fill
// them. Oracle: central differences, of each engine's gradient, tangent and second derivative.
// Blind to `build` by Delta, which reads the built package.

import { expect, it } from "vitest";
import { built } from "../nested/compiled.ts";

const SUM = "let s = 0; for (const y of a) s += y * y; return s;";
/** Code of a function of `x` and `n`. */
const CODE: Readonly<Record<string, string>> = {
  build: `const a = build(n, (i) => x * x * i); ${SUM}`,
  "nested builds":
    "const a = build(n, (i) => build(n, (j) => x * x * i + j)); let s = 0; for (const r of a) for (const y of r) s += y * y; return s;",
  from: `const a = Array.from({ length: Math.max(n, 0) }, (_, i) => x * x * i); ${SUM}`,
  push: `const a: number[] = []; for (let i = 0; i < n; i++) a.push(x * x * i); ${SUM}`,
  "push of what is carried":
    "let s = x; const a: number[] = []; for (let i = 0; i < n; i++) { a.push(s); s = Math.sin(s); } for (let i = 0; i < a.length; i++) s *= a[i]!; return s;",
  "rows that are pushed":
    "const a: number[][] = []; for (let i = 0; i < n; i++) { const r: number[] = []; for (let j = 0; j < n; j++) r.push(Math.sin(x * i + j)); a.push(r); } let s = x; for (const r of a) for (let j = 0; j < r.length; j++) s += r[j]! * s; return s;",
  stores: `const a: number[] = []; for (let i = 0; i < n; i++) a[i] = x * x * i; ${SUM}`,
  records:
    "const a: { v: number }[] = []; for (let i = 0; i < n; i++) a.push({ v: x * i }); let s = x * x; for (const { v } of a) s += v * v * s; return s;",
  downwards: `const a: number[] = []; for (let i = n; i > 0; i--) a.push(x * x * i); ${SUM}`,
  halves: `const a: number[] = []; for (let i = 0.5; i < n; i += 0.5) a.push(x * x * i); ${SUM}`,
  spread: `let a: number[] = []; for (let i = 0; i < n; i++) a = [...a, x * x * i]; ${SUM}`,
};
const names = Object.keys(CODE);
const enginesOf = (code: string): readonly string[] =>
  code.includes("build") ? ["static"] : ["static", "delta"];
const FORMS = ["grad", "jvp", "hvp"] as const;
const forms = (i: number, engine: string): string =>
  FORMS.map(
    (form) => `export const ${form}${i}_${engine} = ${form}(f${i}, { engine: "${engine}" });`,
  ).join("\n");
const { exports } = built(
  `import { grad, hvp, jvp } from "tsgrad";\nimport { build } from "tsgrad/vector";\n${Object.values(
    CODE,
  )
    .map(
      (code, i) =>
        `export function f${i}(x: number, n: number): number { ${code} }\n${enginesOf(code)
          .map((engine) => forms(i, engine))
          .join("\n")}`,
    )
    .join("\n")}`,
);
const run = (name: string, ...args: readonly unknown[]): unknown => {
  const form = exports[name];
  return typeof form === "function" ? Reflect.apply(form, undefined, args) : "no function";
};

const [X, STEP] = [0.7, 1e-5];
const COUNTS = [3, 2.5, 0.3, 0, -0.5, -1, -2.5, NaN];

it.each(names.flatMap((name, i) => COUNTS.map((n) => [name, n, i] as const)))(
  "%s below %d",
  (name, n, i) => {
    const slope = (f: (x: number) => unknown): unknown =>
      expect.closeTo((Number(f(X + STEP)) - Number(f(X - STEP))) / (2 * STEP), 5);
    const first = slope((x) => run(`f${i}`, x, n));
    for (const engine of enginesOf(CODE[name] ?? "")) {
      expect(run(`grad${i}_${engine}`, X, n)).toEqual(first);
      expect(run(`jvp${i}_${engine}`, [X, n], [1, 0])).toEqual([run(`f${i}`, X, n), first]);
      const second = slope((x) => run(`grad${i}_${engine}`, x, n));
      expect(run(`hvp${i}_${engine}`, [X, n], 1)).toEqual(second);
    }
  },
);
