// Arrays that are data in one round and active in the next, in one module. In: functions of weights and data. Out: the gradient by the weights alone, where data has no
// shadow; it must be that of asking for both, where it has one, and its own derivative that of differences. Names say what is hard.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const PROGRAMS: Readonly<Record<string, string>> = {
  layers:
    "let a = x; for (let k = 0; k < n; k++) { const h = a; a = h.map((v, i) => Math.tanh(v * w[k] + w[i])); } return sum(a);",
  rows: "let h = [x, x]; const first = [x.slice(), w]; h = n > 1 ? first : h; for (let k = 0; k < n; k++) h = h.map((row) => row.map((v, j) => Math.sin(v * w[j]))); return h.reduce((s, row) => s + sum(row), 0);",
  matrix:
    "let h = xs; for (let k = 0; k < n; k++) { const a = h; h = a.map((row) => row.map((v, j) => Math.tanh(v * w[j] + w[k]))); } return h.reduce((s, row) => s + sum(row), 0) + sum(xs[0]);",
  branch:
    "const a = n > 1 ? x : w; const b = n > 2 ? a : x; return a[0] * w[1] + b[1] * b[1] * w[0];",
  branchOfRows:
    "const rows = n > 1 ? xs : [w, x]; const row = rows[n % 2]; return row[0] * row[1] * w[0];",
  writtenThroughTheJoin:
    "let a = x.slice(); let b = x; if (n > 1) { b = a; } a[0] = w[0] * 2; return b[0] * b[0] + a[1] * w[1];",
  writtenData:
    "let a = n > 1 ? x : w.slice(); const before = x[0]; a[0] = w[1] * 3; const s = x[0] * w[0] + a[0] * a[0]; a[0] = before; return s;",
  kept: "const list = [x]; list.push(w.map((v) => v * v)); let a = list[0]; for (let k = 1; k <= n; k++) { const b = list[k % 2]; a = a.map((v, i) => v * b[i] + w[0]); } return sum(a) + list[n % 2][1] ** 2;",
  popped:
    "let a = x.slice(); if (n > 1) a = w.slice(); const last = a.pop()!; a.push(last * w[0]); return sum(a) * last;",
  spread:
    "let a = x; for (let k = 0; k < n; k++) a = [...a.slice(1), a[0] * w[k]]; return a.reduce((s, v, i) => s + v * v * (i + 1), 0);",
  optional:
    "let a: (number | undefined)[] = x; for (let k = 0; k < n; k++) { const b = a; a = b.map((v, i) => (v ?? 1) * w[i]); } return (a[0] ?? 0) + (a[7] ?? w[0]) * (a[1] ?? 0);",
  recursion: "return deep(x, w, n);",
  passed: "let a = x; for (let k = 0; k < n; k++) a = step(a, w); return sum(a);",
  records:
    "let s = { u: x, t: 0 }; for (let k = 0; k < n; k++) { const { u, t } = s; s = { u: u.map((v, i) => v * Math.cos(w[i] + t)), t: t + w[0] }; } return sum(s.u) * s.t + s.u[0];",
  table:
    "let a: readonly number[] = TABLE; for (let k = 0; k < n; k++) { const b = a; a = b.map((v, i) => v * w[i] * x[k]); } return sum([...a]);",
  whileLoop:
    "let a = x; let k = 0; while (a[0] < 4 && k < n) { const b = a; a = b.map((v, i) => v + w[i] ** 2); k++; } return sum(a) * w[0];",
  early:
    "let a = x; for (let k = 0; k < 5; k++) { if (k === n) return sum(a) * w[0]; const b = a; a = b.map((v) => v * Math.sin(w[k % 3])); } return w[0];",
  largest:
    "let a = x; for (let k = 0; k < n; k++) { const b = a; const m = Math.max(...b); a = b.map((v, i) => (v - m) * w[i]); } return Math.max(...a) + Math.min(...a);",
  rowsByTurns:
    "let row = xs[0]; let s = 0; for (let k = 0; k < n; k++) { s += row[0] * w[k % 3] + row[1] ** 2; row = k % 2 === 0 ? w.map((v) => v * v) : xs[1]; } return s * row[2];",
  nothing:
    "let a = x.slice(0, 0); let b = n > 1 ? a : x; for (const v of b) if (v > 100) b = w; return sum(b) + w[2];",
};
const TEXT = `import { grad, hessian, vjp } from "tsgrad";
const TABLE: readonly number[] = [0.4, -0.3, 0.9];
const sum = (a: readonly number[]): number => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * (i + 1); return s; };
function deep(a: number[], w: number[], n: number): number { return n <= 0 ? sum(a) : deep(a.map((v, i) => v * w[i] + 0.1), w, n - 1) + a[0] * w[1]; }
function step(a: number[], w: number[]): number[] { const b: number[] = []; for (let i = 0; i < a.length; i++) { let v = a[i]; for (let j = 0; j < 3; j++) v = Math.tanh(v + w[j] * a[(i + j) % a.length]) * Math.cos(w[j]); b.push(v); } return b; }
${Object.entries(PROGRAMS)
  .map(
    ([name, body]) => `
function ${name}(w: number[], x: number[], xs: number[][], n: number): number { ${body} }
export const ${name}$ = { f: ${name}, alone: grad(${name}), both: grad(${name}, { argnums: [0, 1, 2] }), pull: vjp(${name}, { argnums: 0 }),
  second: hessian(${name}) };`,
  )
  .join("")}
`;

type Numbers = (w: number[], x: number[], xs: number[][], n: number) => number[];
interface Asked {
  readonly f: (...args: Parameters<Numbers>) => number;
  readonly alone: Numbers;
  readonly second: (...args: Parameters<Numbers>) => number[][];
  readonly both: (...args: Parameters<Numbers>) => [number[], number[], number[][]];
  readonly pull: (...args: Parameters<Numbers>) => [number, (seed: number) => number[]];
}

const host = programOf({ "a.ts": TEXT });
const { edits, diagnostics } = analyse(host, { engine: "static" });
const emitted = applyEdits("/src/a.ts", TEXT, edits.get("/src/a.ts") ?? []).text;

const W = (): number[] => [0.7, -1.2, 0.45];
const X = (): number[] => [0.9, 0.3, -0.8];
const XS = (): number[][] => [
  [0.2, 0.5, -0.6],
  [1.1, -0.4, 0.35],
];
const ROUNDS = [0, 1, 2, 3];

const exports = loader(new Map([["/src/a.ts", emitted]]))("/src/a.ts") as Readonly<
  Record<string, Asked>
>;

/** Central differences of a number by each entry of `w`. */
const differences = (f: (w: number[]) => number): number[] =>
  W().map((_, i) => {
    const at = (h: number): number => f(W().map((v, k) => (k === i ? v + h : v)));
    return (at(1e-5) - at(-1e-5)) / 2e-5;
  });
/** Differences of step 1e-5 are good to about 1e-9 of values around 1. */
const close = (got: readonly number[], expected: readonly number[], what: string): void =>
  expected.forEach((value, i) =>
    expect(
      Math.abs((got[i] ?? NaN) - value),
      `${what}, entry ${i}: ${got[i]} is not ${value}`,
    ).toBeLessThan(1e-6 * (1 + Math.abs(value))),
  );

test("all of it compiles", () =>
  expect(
    diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${code} ${message}`),
  ).toEqual([]));

test("the gradient by the weights alone is that of asking for the data as well, and that of differences", () => {
  for (const name of Object.keys(PROGRAMS)) {
    const { f, alone, both, pull, second } = exports[`${name}$`] ?? ({} as Asked);
    for (const n of ROUNDS) {
      const what = `${name}, ${n} rounds`;
      const got = alone(W(), X(), XS(), n);
      close(got, both(W(), X(), XS(), n)[0], `${what}, both`);
      close(
        got,
        differences((w) => f(w, X(), XS(), n)),
        what,
      );
      const [, back] = pull(W(), X(), XS(), n);
      close(back(1), got, `${what}, pullback`);
      close(back(1), got, `${what}, pullback again`);
      second(W(), X(), XS(), n).forEach((row, i) =>
        close(
          row,
          differences((w) => alone(w, X(), XS(), n)[i] ?? NaN),
          `${what}, second order`,
        ),
      );
    }
  }
});

test("data has no shadow where nobody needs it, one object as weights and as data included", () => {
  const own = W();
  for (const name of ["layers", "matrix", "whileLoop"])
    close(
      exports[`${name}$`]?.alone(own, own, XS(), 2) ?? [],
      exports[`${name}$`]?.alone(own, W(), XS(), 2) ?? [NaN],
      `${name}, one object`,
    );
  for (const name of [
    "layers",
    "matrix",
    "branch",
    "whileLoop",
    "early",
    "largest",
    "rowsByTurns",
    "optional",
  ]) {
    const text = new RegExp(`function ${name}\\$grad\\(.*?\\n}`, "s").exec(emitted)?.[0] ?? "";
    expect(text, name).toContain("w$bar");
    expect(text, name).not.toMatch(/\bxs?\$bar\b/);
  }
});
