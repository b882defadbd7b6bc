// Every function of tsgrad/vector under every form: reverse and forward mode, second order, against differences. These are loops, whatever `grad` emits.

import { describe, expect, test } from "vitest";
import { callable, vectorModule } from "./module.ts";

const IMPORT = `import { add, build, ccl, dot, foldl, map, map2, mul, nTimes, onesLike, prod, reduce, scanl, scanr, shift1L, shift1R, size, sum, zerosLike } from "tsgrad/vector";`;

/** By name: parameters, body, arguments. */
const PROGRAMS: Readonly<Record<string, readonly [params: string, body: string, args: string]>> = {
  built: [
    "a: number[], w: number",
    "sum(build(size(a), (i) => a[i]! * w ** i))",
    "[[1, 2, 3], 0.7]",
  ],
  sumOfSquares: ["a: Float64Array", "sum(map((x) => x * x * x, a))", "[Float64Array.of(1, -2)]"],
  product: ["a: number[]", "prod(a) * sum(a)", "[[2, 3, -1]]"],
  productOfNone: ["a: number[], w: number", "prod(a) * w", "[[], 2]"],
  dots: [
    "a: number[], b: Float64Array",
    "dot(a, b) * dot(b, b)",
    "[[1, 2], Float64Array.of(0.5, -1)]",
  ],
  twoKinds: [
    "a: Float64Array, b: number[]",
    "sum(map2((x, y) => Math.sin(x * y), a, b)) + sum(map2((y, x) => y * y * x, b, a))",
    "[Float64Array.of(1, 2), [0.3, 0.4]]",
  ],
  reduced: [
    "a: number[]",
    "reduce((x, y) => Math.log(Math.exp(x) + Math.exp(y)), -3, a)",
    "[[0.1, 0.5]]",
  ],
  reducedArrays: [
    "xs: number[][], w: number",
    "sum(reduce((x, y) => map2((p, q) => p * q + w, x, y), onesLike(xs[0]!), xs))",
    "[[[1, 2], [3, 4]], 0.3]",
  ],
  folded: [
    "w: number, a: number[]",
    "foldl((s, x) => Math.sin(s * w) + x * x, w * w, a)",
    "[0.4, [0.1, 0.2, 0.3]]",
  ],
  foldedRecord: [
    "a: number[]",
    "foldl((s, x) => ({ m: s.m * 0.9 + x, v: s.v + x * s.m }), { m: 0.5, v: 0 }, a).v",
    "[[0.1, 0.2, 0.3]]",
  ],
  scannedLeft: [
    "w: number, a: number[]",
    "dot(scanl((s, x) => s * x + w, w, a), [1, 2, 3])",
    "[0.4, [0.1, 0.2]]",
  ],
  scannedRight: [
    "w: number, a: Float64Array",
    "dot(scanr((s, x) => s * x * w + Math.sin(x), w, a), [1, 2, 3])",
    "[0.4, Float64Array.of(0.1, 0.2)]",
  ],
  scannedRecords: [
    "a: number[]",
    "sum(map((p) => p.x * p.y, scanl((p, x) => ({ x: p.y, y: p.x + x * p.y }), { x: 0.5, y: 1 }, a)))",
    "[[0.2, 0.3]]",
  ],
  shifted: [
    "a: number[]",
    "dot(shift1L(a), shift1R(a)) + sum(map((x) => x * x, shift1L(a)))",
    "[[1, 2, 3]]",
  ],
  like: [
    "a: number[][], w: number",
    "sum(map((row, ) => dot(row, row) * w, a)) + sum(map((row) => sum(row), onesLike(a))) * w + sum(map((row) => sum(row), zerosLike(a)))",
    "[[[1, 2], [3]], 0.5]",
  ],
  repeated: ["w: number", "nTimes(4, w, (s) => Math.cos(s) * w)", "[0.6]"],
  commutingLoop: [
    "a: number[], w: number",
    "ccl(size(a), w, (i, s) => s + a[i]! * a[i]! * w)",
    "[[1, 2], 0.3]",
  ],
  records: [
    "ps: { w: number; b: number }[], xs: number[]",
    "sum(map2((p, x) => Math.tanh(p.w * x + p.b), ps, xs))",
    "[[{ w: 0.3, b: 0.1 }, { w: -1, b: 0.2 }], [1, 2]]",
  ],
  madeRecords: [
    "a: number[], b: number[]",
    "sum(map((p) => p.x * p.y, map2((x, y) => ({ x: x * y, y: x + y }), a, b)))",
    "[[1, 2], [3, 4]]",
  ],
  tuples: ["ts: [number, number][]", "sum(map(([x, y]) => x * y * y, ts))", "[[[1, 2], [3, 4]]]"],
  operators: [
    "a: number[], b: number[]",
    "reduce(add, 0, map2(mul, a, b)) + mul(add(a[0]!, 1), b[0]!)",
    "[[1, 2], [3, 4]]",
  ],
  branching: [
    "a: number[], c: number",
    "c > 0 ? prod(a) : sum(map((x) => x * c, a))",
    "[[1, 2], -0.5]",
  ],
  viaFunction: [
    "a: number[], w: number",
    "sum(map(cube, map((x) => helper(x, w), a)))",
    "[[0.3, 0.4], 1.2]",
  ],
  methodsBeside: ["a: number[]", "sum(a.map((x, i) => x * i)) + a.reduce(mul, 1)", "[[1, 2, 3]]"],
};

const names = Object.keys(PROGRAMS);
const text = [
  `import { checkGrads } from "tsgrad/testing";`,
  IMPORT,
  "function cube(x: number): number { return x * x * x; }",
  "function helper(x: number, w: number): number { return Math.sin(x) * w; }",
  ...Object.entries(PROGRAMS).flatMap(([name, [params, body, args]]) => [
    `export function ${name}(${params}): number { return ${body}; }`,
    `export const check_${name} = () => checkGrads(${name}, ${args}, { order: 2 });`,
    `export const call_${name} = () => ${name}(...(${args} as Parameters<typeof ${name}>));`,
  ]),
].join("\n");

const module = vectorModule(text);

describe("forms", () => {
  test("what is emitted type-checks", () => expect(module.errors()).toEqual([]));

  test.each(names)("%s", (name) => {
    expect(callable(module, `call_${name}`)()).not.toBeNaN();
    callable(module, `check_${name}`)();
  });
});
