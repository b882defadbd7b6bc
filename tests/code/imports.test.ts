// Names that several modules of a program have in common. In: copies of a module, of several kinds.
// Oracle: differences of the function itself.

import { expect, test } from "vitest";
import { call, compiled } from "./compiled.ts";

const LAYERS = `interface Layer { forward(x: number): number }
class Affine implements Layer { constructor(public w: number, public b: number) {} forward(x: number): number { return this.w * x + this.b; } }
class Tanh implements Layer { forward(x: number): number { return Math.tanh(x); } }
export function f(w: number, b: number, x: number): number {
  const layers: Layer[] = [new Affine(w, b), new Tanh(), new Affine(b, w)];
  let y = x;
  for (const layer of layers) y = layer.forward(y);
  return y;
}`;

const SHAPES = `abstract class Shape { abstract area(k: number): number }
class Disc extends Shape { constructor(readonly r: number) { super(); } area(k: number): number { return k * this.r * this.r; } }
class Box extends Shape { constructor(readonly w: number, readonly h: number) { super(); } area(k: number): number { return k * this.w * this.h; } }
export function f(w: number, b: number, x: number): number {
  const all: Shape[] = [new Disc(w), new Box(b, x)];
  let sum = 0;
  for (const one of all) sum += one.area(x);
  return sum;
}`;

const STATE = `const scale = [2, 3];
let shift = 1;
export const setShift = (to: number): void => { shift = to; };
const inner = (x: number): number => scale[0]! * x * x + shift;
export function f(w: number, b: number, x: number): number { return inner(w) * inner(b) + inner(x); }`;

const KINDS = { LAYERS, SHAPES, STATE };

test.each(
  Object.entries(KINDS).flatMap(([kind, text]) =>
    [2, 3, 5].flatMap((count) =>
      ["", ', engine: "delta"'].map((engine) => [kind, count, engine, text] as const),
    ),
  ),
)("%s in %i modules%s", (_, count, engine, text) => {
  const names = Array.from({ length: count }, (_one, i) => `m${i}.ts`);
  const all = compiled(
    Object.fromEntries(
      names.map((name) => [
        name,
        `import { grad } from "tsgrad";\n${text}\nexport const g = grad(f, { argnums: [0, 1, 2]${engine} });\n`,
      ]),
    ),
  );
  expect([...all.diagnostics, ...all.problems]).toEqual([]);
  const args = [0.7, -0.4, 1.3];
  for (const name of names) {
    const { f, g } = all.load(`/src/${name}`);
    const moved = (at: number, by: number): number =>
      Number(call(f, ...args.map((arg, i) => (i === at ? arg + by : arg))));
    const gradient = call(g, ...args) as readonly number[];
    // central differences: 1e-10 of truncation, 1e-11 of rounding
    args.forEach((_arg, at) => {
      expect(gradient[at]).toBeCloseTo((moved(at, 1e-5) - moved(at, -1e-5)) / 2e-5, 8);
    });
  }
});
