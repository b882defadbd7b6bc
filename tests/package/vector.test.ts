// tsgrad/vector as it is installed: array code, loops and the Delta engine give the same gradients of the same functions, under every strictness flag.

import { beforeAll, expect, test } from "vitest";
import { GLOBALS, type Sandbox } from "../hosts/sandbox.ts";
import { install, pack } from "./install.ts";

const MAIN = `import { grad, vjp } from "tsgrad";
import { add, dot, foldl, map, map2, mul, prod, reduce, scanr, sum, zerosLike } from "tsgrad/vector";

function array(a: number[], b: Float64Array, w: number): number {
  return foldl((s, x) => s * w + x, 1, map2(mul, a, b)) + prod(a) * dot(a, a) + sum(map((x) => Math.sin(w * x), b));
}
function loops(a: number[], b: Float64Array, w: number): number {
  return array(a, b, w) * sum(scanr((s, x) => s * x, w, b)) + reduce(add, 1, a) * (1 + sum(zerosLike(a)));
}
function recorded(a: number[], b: Float64Array, w: number): number {
  try { return loops(a, b, w); } catch { return 0; }
}
const argnums = [0, 1, 2] as const;
const args = [[1, 2], Float64Array.of(0.3, -0.4), 0.5] as const;
const call = <R>(f: (a: number[], b: Float64Array, w: number) => R): R => f([...args[0]], args[1], args[2]);
const plain = ([a, b, w]: readonly [number[], Float64Array, number]): unknown => [a, [...b], w];
export const found = {
  array: [plain(call(grad(array, { argnums: [0, 1, 2] }))), plain(call(vjp(array))[1](1)), plain(call(grad(array, { argnums: [0, 1, 2], engine: "delta" })))],
  loops: [plain(call(grad(loops, { argnums: [0, 1, 2] }))), plain(call(vjp(loops))[1](1)), plain(call(grad(recorded, { argnums: [0, 1, 2] })))],
  asked: argnums.length,
};
console.log(JSON.stringify(found));
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
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
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

const flat = (value: unknown): number[] =>
  typeof value === "number" ? [value] : Array.isArray(value) ? value.flatMap(flat) : [];

test("three ways, one gradient", () => {
  expect(box.run(box.at("node_modules/.bin/tsgrad"), "build", "-p", ".")).toEqual({
    code: 0,
    out: "",
  });
  const js = box.read("out/main.js");
  expect(js).toMatch(/function array\$grad\$a\$b\$w\(a, b, w\) \{[^}]*scanr\(mul, /);
  const found: Record<string, unknown[]> = JSON.parse(box.run(box.at("out/main.js")).out);
  for (const name of ["array", "loops"]) {
    const [first = [], ...others] = (found[name] ?? []).map(flat);
    expect(first).toHaveLength(5);
    expect(first.every((x) => Number.isFinite(x) && x !== 0)).toBe(true);
    // the same sums and products in another order
    for (const other of others)
      other.forEach((x, i) =>
        expect(Math.abs(x - (first[i] ?? NaN)), `${name} ${i}`).toBeLessThan(
          1e-12 * (1 + Math.abs(x)),
        ),
      );
  }
});
