// Parts of the playground without a browser: what is plotted, gradient descent, printed values, links between lines.

import ts from "typescript";
import { expect, test } from "vitest";
import { linksOf } from "../../docs/.vitepress/playground/lines.ts";
import { viewOf } from "../../docs/.vitepress/playground/plot-comment.ts";
import { plottableIn } from "../../docs/.vitepress/playground/plottable.ts";
import { curve, descend, surface } from "../../docs/.vitepress/playground/sampling.ts";
import { showValue } from "../../docs/.vitepress/playground/show-value.ts";
import { programOf } from "../program.ts";

const SOURCE = `export const line = (x: number): number => x;
export function plane(a: number, b: number): number { return a + b; }
export function pair(p: [number, number]): number { return p[0]; }
export function record(p: { u: number; v: number }): number { return p.u; }
function three(a: number, b: number, c: number): number { return a + b + c; }
function words(s: string): number { return s.length; }
function generic<T extends number>(x: T): number { return x; }
const list = (xs: number[]): number => xs[0]!;
const noNumber = (x: number): string => String(x);
const five = 5;
`;

const plottable = plottableIn(ts, programOf({ "a.ts": SOURCE }).program, "/src/a.ts");

test("functions of one number and of two can be plotted", () => {
  expect(plottable).toEqual([
    { name: "line", form: "curve", axes: ["x"] },
    { name: "plane", form: "numbers", axes: ["a", "b"] },
    { name: "pair", form: "pair", axes: ["p[0]", "p[1]"] },
    { name: "record", form: "record", axes: ["u", "v"] },
  ]);
});

test("a comment says what is plotted, and where", () => {
  const view = (comment: string) => viewOf(`${SOURCE}${comment}\n`, plottable);
  expect(view("")).toMatchObject({ plottable: { name: "record" }, x: [-3, 3], from: [-1, 1] });
  expect(view("// @plot plane x=-2..2.5 y=1e-3..3 from=-1.2,1")).toMatchObject({
    plottable: { name: "plane" },
    x: [-2, 2.5],
    y: [0.001, 3],
    from: [-1.2, 1],
  });
  expect(view("// @plot line x=3..1")).toMatchObject({ plottable: { name: "line" }, x: [-3, 3] });
  expect(view("// @plot nobody")).toMatchObject({ plottable: { name: "record" } });
  expect(viewOf("", [])).toBeNull();
});

test("a curve has a gap where its function throws", () => {
  const f = (x: number): number => {
    if (x > 1) throw new Error("too far");
    return x * x;
  };
  const { points } = curve({ f, gradient: (x: number) => 2 * x }, [0, 2]);
  expect(points[0]).toEqual({ x: 0, f: 0, d: 0 });
  expect(points.at(-1)).toEqual({ x: 2, f: NaN, d: 4 });
});

const ONE = { units: [1, 1], longest: 1 } as const;

test("gradient descent goes down to the minimum, and in no step too far", () => {
  const f = (x: number, y: number): number => (x - 1) ** 2 + 10 * (y + 2) ** 2;
  const { path, slope } = descend(f, (x, y) => [2 * (x - 1), 20 * (y + 2)], [5, 5], {
    units: [1, 1],
    longest: 0.5,
  });
  const end = path.at(-1);
  expect(end?.x).toBeCloseTo(1, 5);
  expect(end?.y).toBeCloseTo(-2, 5);
  expect(slope).toBeLessThan(1e-6);
  for (const [i, step] of path.slice(1).entries()) {
    const before = path[i] ?? step;
    expect(step.f).toBeLessThan(before.f);
    expect(Math.hypot(step.x - before.x, step.y - before.y)).toBeLessThanOrEqual(0.5 + 1e-9);
  }
  const inUnits = descend(f, (x, y) => [2 * (x - 1), 20 * (y + 2)], [5, 5], {
    units: [1, Math.sqrt(0.1)],
    longest: 100,
  });
  expect(inUnits.path.length).toBeLessThan(path.length / 3); // level lines are circles there
  expect(descend(f, null, [5, 5], ONE).path).toHaveLength(1);
  expect(
    descend(
      () => NaN,
      () => [NaN, NaN],
      [5, 5],
      ONE,
    ).path,
  ).toHaveLength(1);
});

test.each(["numbers", "pair", "record"] as const)("a surface of %s", (form) => {
  const at = { numbers: ["x", "y"], pair: ["p[0]", "p[1]"], record: ["u", "v"] }[form];
  const point = (...args: readonly unknown[]): readonly [number, number] => {
    const [first, second] = args;
    if (typeof first === "number") return [first, Number(second)];
    const [x = NaN, y = NaN] = Object.values(first ?? {}).map(Number);
    return [x, y];
  };
  const f = (...args: unknown[]): number => point(...args)[0] ** 2 + point(...args)[1] ** 2;
  const gradient = (...args: unknown[]): unknown => {
    const [x, y] = point(...args);
    return form === "record" ? { u: 2 * x, v: 2 * y } : [2 * x, 2 * y];
  };
  const samples = surface(
    { f, gradient },
    { name: "f", form, axes: at },
    { x: [-1, 1], y: [0, 4], from: [0.5, 3] },
  );
  expect(samples.values).toHaveLength(samples.columns ** 2);
  expect(samples.values[0]).toBe(1);
  expect(samples.values.at(-1)).toBe(17);
  expect(samples.path.at(-1)?.f).toBeLessThan(1e-12);
});

test.each<[unknown, string]>([
  ["text", "text"],
  [-0, "-0"],
  [[1, "a", null, undefined], '[1, "a", null, undefined]'],
  [new Float64Array([1, 2]), "Float64Array [1, 2]"],
  [{ a: 1, "b c": [true] }, '{ a: 1, "b c": [true] }'],
  [new Map([["k", 1]]), "Map { k: 1 }"],
  [new Set([1]), "Set {1}"],
  [new TypeError("no"), "TypeError: no"],
  [Math.sin, "[function sin]"],
  [10n, "10n"],
  [Array.from({ length: 100 }, () => 0), `[${"0, ".repeat(60)}… 40 more]`],
])("prints %o", (value, shown) => expect(showValue(value)).toBe(shown));

test("an object in itself ends", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  expect(showValue(loop)).toContain("…");
});

test("lines of compiled text lead to the user's, and back", () => {
  const source = "a\nb\nc\n";
  const text = "x1\nx2\ny1\n";
  const origin = (start: number) => ({ file: "/main.ts", start, end: start + 1 });
  const links = linksOf(
    {
      text,
      mappings: [
        { start: 0, end: 6, origin: origin(2) },
        { start: 6, end: 8, origin: origin(4) },
      ],
    },
    source,
  );
  expect(links.compiledOf(2)).toEqual([1, 2]);
  expect(links.compiledOf(1)).toEqual([]);
  expect(links.sourceOf(3)).toEqual([3]);
});
