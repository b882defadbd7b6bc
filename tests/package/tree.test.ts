// tsgrad/tree as it is installed, inside differentiated functions: each function of it against
// differences of the values, with shared objects, classes and Maps among the arguments.

import { beforeAll, expect, test } from "vitest";
import { GLOBALS, type Sandbox } from "../hosts/sandbox.ts";
import { install, pack } from "./install.ts";

const MAIN = `import { grad } from "tsgrad";
import { numericalGradient } from "tsgrad/testing";
import { axpy, dot, map, norm, ravel, reduce, unravel, zip } from "tsgrad/tree";

class Body { constructor(public mass: number, public at: Float64Array, readonly name: string) {} energy(): number { return this.mass * this.at[0]! ** 2; } }
interface Tree { w: number[]; deep: [number, { b: number }]; body: Body; table: Map<string, number>; label: string }

const byMap = (t: Tree): number => { const m = map((x) => Math.sin(x), t); return m.w[0]! * m.body.energy() + (m.table.get("a") ?? 0); };
const byZip = (t: Tree): number => { const z = zip((x, y) => x * x * y, [t, map((x) => x + 1, t)]); return z.w[1]! + z.deep[1].b * z.deep[0]; };
const byReduce = (t: Tree): number => reduce((so, x) => so * 0.9 + x * x, 1, t);
const byDot = (t: Tree): number => dot(t, map((x) => x * x, t));
const byAxpy = (t: Tree): number => { const z = axpy(t.deep[0], t, t); return z.body.energy() * z.w[0]!; };
const byNorm = (t: Tree): number => norm(t) * t.deep[0];
const byRavel = (t: Tree): number => { const v = ravel(t); return v.reduce((so, x, i) => so + x * x * (i + 1), 0); };
const byUnravel = (t: Tree): number => { const z = unravel(ravel(t).map((x) => x * x), t); return z.body.energy() + z.w[0]!; };

const tree: Tree = { w: [0.3, -0.4], deep: [0.7, { b: 1.1 }], body: new Body(2, Float64Array.of(0.5), "x"), table: new Map([["a", 0.6], ["b", 0.2]]), label: "t" };
const both = [
  [grad(byMap)(tree), numericalGradient(byMap, [tree])], [grad(byZip)(tree), numericalGradient(byZip, [tree])],
  [grad(byReduce)(tree), numericalGradient(byReduce, [tree])], [grad(byDot)(tree), numericalGradient(byDot, [tree])],
  [grad(byAxpy)(tree), numericalGradient(byAxpy, [tree])], [grad(byNorm)(tree), numericalGradient(byNorm, [tree])],
  [grad(byRavel)(tree), numericalGradient(byRavel, [tree])], [grad(byUnravel)(tree), numericalGradient(byUnravel, [tree])],
] as const;
const found = both.map(([own, byDifferences]) => [[...ravel(own, tree)], [...ravel(byDifferences, tree)]]);

interface List { value: number; next: List | null }
const total = (l: List): number => norm(l) ** 2;
let list: List = { value: 1, next: null };
for (let i = 1; i < 2000; i++) list = { value: 1, next: list };
console.log(JSON.stringify({ found, deep: norm(grad(total)(list)) }));
`;

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    lib: ["es2023"],
    types: [],
    outDir: "out",
    rootDir: "src",
    strict: true,
    skipLibCheck: false,
  },
  include: ["src"],
});

let box: Sandbox;
beforeAll(() => {
  box = install(pack(), ["typescript@6.0.3", "ts-patch@3.3.0"], {
    "tsconfig.json": TSCONFIG,
    "src/main.ts": MAIN,
    "src/globals.d.ts": GLOBALS,
  });
});

test("gradients of functions that call tsgrad/tree", () => {
  expect(box.run(box.at("node_modules/.bin/tsgrad"), "build", "-p", ".")).toEqual({
    code: 0,
    out: "",
  });
  const { found, deep }: { found: [number[], number[]][]; deep: number } = JSON.parse(
    box.run(box.at("out/main.js")).out,
  );
  expect(found).toHaveLength(8);
  for (const [own, byDifferences] of found) {
    expect(own).toHaveLength(8);
    expect(own.some((x) => x !== 0)).toBe(true);
    own.forEach((x, i) => {
      expect(x).toBeCloseTo(byDifferences[i] ?? NaN, 7);
    });
  }
  expect(deep).toBeCloseTo(2 * Math.sqrt(2000), 8);
});
