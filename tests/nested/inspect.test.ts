// `inspect` in every mode, by both engines. Oracle: derivatives of the function by a second
// argument that is added where it is inspected.

import { describe, expect, it } from "vitest";
import { built } from "./compiled.ts";

const HEAD = `import { grad, valueAndGrad, vjp, jvp, jacfwd, jacrev, linearize, hvp, inspect } from "tsgrad";
interface Model { w: number[]; b: number }
const m: Model = { w: [1, 2, -1], b: 0.5 };
const along: Model = { w: [1, -1, 2], b: 3 };
export const seen: [number, string][] = [];
const note = (value: number, kind: string): void => { seen.push([value, kind]); };
`;

/** Bodies of `(m: Model)`, by what stands for an inspected expression. */
const BODIES: Readonly<Record<string, (at: (x: string) => string) => string>> = {
  "an expression": (at) => `return ${at("m.w[0] * m.b")} ** 2 * m.w[1];`,
  "a loop": (at) => `let s = m.b; for (const w of m.w) s = ${at("s * w + 1")}; return s * s;`,
  "sums of a loop": (at) =>
    `let s = 0; for (const w of m.w) { const p = ${at("w * m.b")}; s += p * p; } return s;`,
  "a callback": (at) =>
    `const ys = m.w.map((w) => ${at("w * w")}); return ys[0] * ys[1] + ys[2] * m.b;`,
  "a branch": (at) => `if (m.b > 0) return ${at("m.b * m.w[1]")} * m.w[0]; return m.b;`,
  "a closure": (at) =>
    `const f = (x: number): number => ${at("x * m.b")}; return f(f(m.w[1])) * m.w[0];`,
  recursion: (at) =>
    `const go = (x: number, n: number): number => (n === 0 ? x : ${at("go(x * m.b, n - 1)")}); return go(m.w[1], 3) ** 2;`,
};

describe.each([
  ["static", ""],
  ["delta", ', { engine: "delta" }'],
])("%s", (_, engine) => {
  it.each(Object.entries(BODIES))("shows what passes %s", (_name, body) => {
    const { exports } = built(`${HEAD}
const f = (m: Model): number => { ${body((x) => `inspect(${x}, note)`)} };
const g = (m: Model, at: number[]): number => { let k = 0; ${body((x) => `(at[k++] + (${x}))`)} };
const zeros = [0, 0, 0, 0];
const shown = (): [number, string][] => seen.splice(0).sort(([x], [z]) => x - z);
const sorted = (xs: number[], kind: string): [number, string][] => [...xs].sort((x, z) => x - z).slice(0).map((x) => [x, kind]);
f(m);
export const plain = shown();
export const gradient = grad(f${engine})(m), bars = shown();
export const wanted = grad(g)(m, zeros), wantedBars = sorted(grad(g, { argnums: 1 })(m, zeros), "cotangent");
export const value = valueAndGrad(f${engine})(m), again = shown();
const [, pullback] = vjp(f${engine})(m);
pullback(2); shown(); pullback(1);
export const pulled = shown();
export const tangent = jvp(f${engine})([m], [along]), dots = shown();
export const wantedTangent = jvp(g)([m, zeros], [along, zeros]);
`);
    const bars = exports["bars"] as unknown[];
    const wanted = (exports["wantedBars"] as [number, string][]).filter(([x]) => x !== 0);
    expect(exports["plain"]).toEqual([]);
    expect(exports["gradient"]).toEqual(exports["wanted"]);
    expect(bars).toEqual(wanted);
    expect(exports["again"]).toEqual(wanted);
    expect(exports["pulled"]).toEqual(wanted);
    expect(exports["tangent"]).toEqual(exports["wantedTangent"]);
    expect(exports["dots"]).toHaveLength(bars.length);
    expect(exports["dots"]).toEqual(bars.map(() => [expect.any(Number), "tangent"]));
  });
});

it("shows tangents in forward mode, and both in second derivatives", () => {
  const { exports } = built(`${HEAD}
const f = (x: number): number => inspect(x * x, note) ** 2;
const all: unknown[] = [];
const shown = (): void => { all.push(...seen.splice(0)); };
jvp(f)([3], [1]); shown();
jacfwd(f)(3); shown();
linearize(f)(3)[1].apply([1]); shown();
jacrev(f)(3); shown();
hvp(f)([3], 1); shown();
export { all };
`);
  expect(exports["all"]).toEqual([
    [6, "tangent"],
    [6, "tangent"],
    [6, "tangent"],
    [18, "cotangent"],
    [6, "tangent"],
    [18, "cotangent"],
  ]);
});

it.each(["", ', { engine: "delta" }'])("ends a derivative by what it throws%s", (engine) => {
  const { exports } = built(`${HEAD}
const f = (x: number): number => inspect(Math.sqrt(x), (bar) => { if (bar > 10) throw new RangeError("steep"); }) * x;
export const g = grad(f${engine});
`);
  const g = exports["g"] as (x: number) => number;
  expect(g(4)).toBe(3);
  expect(() => g(400)).toThrow(new RangeError("steep"));
  expect(g(4)).toBe(3);
});

it.each([
  ["TSG1018", "let own = 0; const p = inspect(x * x, (bar) => { own = bar; }); return p * own;"],
  [
    "TSG1124",
    "const shows: (typeof note)[] = []; shows.push(note); return inspect(x * x, shows[0]) * x;",
  ],
])("refuses with %s: %s", (code, body) => {
  expect(() =>
    built(
      `${HEAD}export const g = grad((x: number): number => { ${body} }, { engine: "static" });`,
    ),
  ).toThrow(code);
});
