// What derivatives do beside their numbers: what stands in an array when code throws half way, which objects are given out twice,
// lengths of tangents, arguments that a user writes before a pullback runs. Each expected value is worked out by hand.

import { expect, test } from "vitest";
import { variantsOf } from "./variants.ts";

const THROWS = `if (x[i]! < 0) throw new Error("negative");`;
const RUN = `export const run = (): unknown => { const out = new Float64Array([7, 7, 7]); try { d([1, 2, -3], out); } catch { return [...out]; } return "no throw"; };`;
const thrown = (body: string): string =>
  `import { valueAndGrad } from "tsgrad";\nfunction f(x: number[], out: Float64Array): number { const n = x.length; ${body} }\nconst d = valueAndGrad(f, { argnums: 0 });\n${RUN}`;
const written = (body: string, before: string): string =>
  `import { vjp } from "tsgrad";\n${body}\nconst v = vjp(f);\nexport const run = (): unknown => { const a = [2, 3]; const [, pull] = v(a, 1.5); ${before} return pull(1); };`;

const PROGRAMS: Readonly<Record<string, readonly [text: string, expected: unknown]>> = {
  "a sum that throws in front of writes": [
    thrown(
      `let s = 0; for (let i = 0; i < n; i++) { ${THROWS} s += x[i]! * x[i]!; } for (let i = 0; i < n; i++) out[i] = i * 2 + 1; return s;`,
    ),
    [7, 7, 7],
  ],
  "elements that throw in front of writes": [
    thrown(
      `const y: number[] = []; for (let i = 0; i < n; i++) { ${THROWS} y.push(x[i]! * x[i]!); } for (let i = 0; i < n; i++) out[i] = x[i]! * 2; let s = 0; for (let i = 0; i < n; i++) s += out[i]! * y[i]!; return s;`,
    ),
    [7, 7, 7],
  ],
  "writes in front of a sum that throws": [
    thrown(
      `for (let i = 0; i < n; i++) out[i] = i * 2 + 1; let s = 0; for (let i = 0; i < n; i++) { ${THROWS} s += x[i]! * x[i]!; } return s;`,
    ),
    [1, 3, 5],
  ],
  "two equal gradients of arrays are two objects": [
    `import { grad } from "tsgrad";\nimport { map, map2, sum } from "tsgrad/vector";\nconst f = (a: number[], b: number[]): number => sum(map((x) => x * x, map2((x, y) => x + y, a, b)));\nconst d = grad(f, { argnums: [0, 1] });\nexport const run = (): unknown => { const [p, q] = d([1, 2], [3, 4]); p[0] = 99; return [p, q]; };`,
    [
      [99, 12],
      [8, 12],
    ],
  ],
  "tangents of rows that grow by constants": [
    `import { jvp } from "tsgrad";\nfunction f(x: number): { v: number; rows: number[][] } { const rows: number[][] = [[1]]; rows[0]![1] = 2; rows[0]![2] = 3; return { v: x * x, rows }; }\nconst d = jvp(f);\nexport const run = (): unknown => d([1.5], [1])[1];`,
    { v: 3, rows: [[0, 0, 0]] },
  ],
  "tangents of a list of constants beside one that varies": [
    `import { jvp } from "tsgrad";\nfunction f(x: number): number[][] { const a = [1]; a[1] = 2; const b = [x]; return [b, a]; }\nconst d = jvp(f);\nexport const run = (): unknown => d([1.5], [1])[1];`,
    [[1], [0, 0]],
  ],
  // 1.5² a[1] a[0] a[1]: by a[0] 1.5² 3², by a[1] 1.5² 2 · 2 · 3, by x 2 · 1.5 · 18
  "an argument that is written before the pullback, read by a callee": [
    written(
      `function inner(a: number[], x: number, n: number): number { if (n === 0) return x; return inner(a, x, n - 1) * a[n % a.length]!; }\nfunction f(a: number[], x: number): number { return inner(a, x, 3) * x; }`,
      "a[0] = 100; a[1] = 7;",
    ),
    [[20.25, 27], 54],
  ],
  "an argument that is written before the pullback, read here": [
    written(
      `function f(a: number[], x: number): number { let y = x; for (const e of a) y = y * e; return y * x; }`,
      "a[0] = 100; a[1] = 7;",
    ),
    [[6.75, 4.5], 18],
  ],
};

const variant = variantsOf(
  Object.fromEntries(Object.entries(PROGRAMS).map(([name, [text]]) => [name, text])),
);

test.each(Object.entries(PROGRAMS))("%s", (name, [, expected]) => {
  const { errors, exports } = variant(name);
  expect(errors).toEqual([]);
  const { run } = exports() as { run: () => unknown };
  expect(run()).toEqual(expected);
});
