// Derivatives of derivatives that are asked for inside functions, of functions that capture. Oracles: closed forms, and that a build which succeeds has them all.

import ts from "typescript";
import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { assertAnswered } from "../../transformer/driver/engines.ts";
import { programOf } from "../program.ts";
import { built, emittedErrors } from "./compiled.ts";

const IMPORT = `import { grad, valueAndGrad, vjp, jvp, hvp, hessian, jacfwd, jacrev } from "tsgrad";
function cubes(c: number[], weights: number[]): number { let sum = 0; for (let i = 0; i < c.length; i++) sum += c[i] ** 3 * weights[i]; return sum; }\n`;

const TREES = `interface Tree { left: Tree | null; right: Tree | null; value: number }
function grow(depth: number, x: number): Tree | null { return depth <= 0 ? null : { left: grow(depth - 1, 2 * x), right: grow(depth - 2, x * x), value: x }; }
function cubesOf(tree: Tree | null): number { return tree === null ? 0 : tree.value ** 3 + cubesOf(tree.left) + cubesOf(tree.right); }\n`;

const Q = [2, 3];
const X = [1, 5];

/** A function `f` of (numbers, numbers), and what it gives for (Q, X). */
const CASES: Readonly<Record<string, readonly [string, unknown]>> = {
  "an arrow in place": [
    "{ const both = jvp(grad((c: number[]) => cubes(c, q))); return both([x], [[1, 0]]); }",
    [
      [6, 225],
      [12, 0],
    ],
  ],
  "directly called": ["{ return grad(grad((y: number) => q[0] * y ** 4))(x[1]); }", 600],
  "in every round, through names": [
    "{ const out: number[] = []; for (const k of q) { function loss(t: number) { return k * t ** 3; } const g = grad(loss); const gg = grad(g); out.push(g(x[1]), gg(x[1]), grad(gg)(x[1])); } return out; }",
    [150, 60, 12, 225, 90, 18],
  ],
  "a block that hides what the inner function captures": [
    "{ const g = grad((c: number[]) => cubes(c, q)); { const q = [70, 110]; return [jacrev(g)(x), jacfwd(g)(x), q]; } }",
    [
      [
        [12, 0],
        [0, 90],
      ],
      [
        [12, 0],
        [0, 90],
      ],
      [70, 110],
    ],
  ],
  "a block that hides what the outer one captures": [
    "{ const k = q[0]; const g = grad((y: number) => k * y ** 3); { const k = q[1]; const h = grad((y: number) => g(y) * k * y); return [h(k), k]; } }",
    [486, 3],
  ],
  "a function inside of the function": [
    "{ const k = q[1]; return grad((y: number) => { const s = grad((z: number) => k * z * z * y)(y); return s * s; })(x[1]); }",
    18000,
  ],
  "all kinds": [
    "{ const f = (c: number[]) => cubes(c, q); const [g, pull] = vjp(grad(f))(x); return [hessian(f)(x), hvp(f)([x], [1, 1]), g, pull([1, 1]), valueAndGrad(grad((y: number) => q[0] * y ** 3))(x[1])]; }",
    [
      [
        [12, 0],
        [0, 90],
      ],
      [12, 90],
      [6, 225],
      [[12, 90]],
      [150, 60],
    ],
  ],
  "a method": [
    "{ class Model { constructor(readonly k: number) {} both(y: number) { const k = this.k; return grad(grad((z: number) => k * z ** 3))(y); } } return new Model(q[1]).both(x[1]); }",
    90,
  ],
  // the tree's cubes are y³ + (2y)³ + (4y)³ + y⁶
  "a recursive function that makes a tree": [
    "{ const k = q[0]; return jvp(grad((y: number) => cubesOf(grow(3, y)) * k))([x[0]], [1]); }",
    [2 * (3 * 73 + 6), 2 * (6 * 73 + 30)],
  ],
  "a case of a switch": [
    "{ switch (q.length) { case 2: { const k = q[0]; return grad(grad((y: number) => k * y ** 3))(1); } default: return 0; } }",
    12,
  ],
};

it.each(Object.entries(CASES))("%s", (_, [body, expected]) => {
  const { exports, text } = built(
    `${IMPORT}${TREES}export function f(q: number[], x: number[]): unknown ${body}\n`,
  );
  const { f } = exports;
  if (typeof f !== "function") throw new Error("no function");
  for (let call = 0; call < 2; call++) expect(f(Q.slice(), X.slice())).toEqual(expected);
  expect(emittedErrors(text)).toEqual([]);
});

const errorsOf = (text: string): readonly string[] =>
  analyse(programOf({ "/src/a.ts": text }))
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

it("a variable that changes between calls, in a gradient and in a gradient of one", () => {
  const text = (wanted: string): string =>
    `${IMPORT}export function f(x: number) { let k = 2; const g = ${wanted}; const p = g(x); k = 5; return p + g(x); }\n`;
  const at3 = (wanted: string): unknown =>
    Reflect.apply(Object(built(text(wanted)).exports["f"]), undefined, [3]);
  expect(at3("grad((y: number) => k * y ** 3)")).toBe(7 * 3 * 9);
  expect(at3("grad(grad((y: number) => k * y ** 3))")).toBe(7 * 6 * 3);
});

it("what a local constant holds, the static engine alone may answer", () => {
  const text = (wanted: string): string =>
    `${IMPORT}export function f(x: number) { let k = 2; const d = ${wanted}; const g = grad(d); const p = g(x); k = 5; return p + g(x); }\n`;
  expect(errorsOf(text("grad((y: number) => k * y ** 3)"))).toEqual(["TSG1127"]);
});

it("and so it is of a function whose derivatives are shipped", () => {
  const text = (mark: string): string =>
    `${IMPORT}/** ${mark} */\nexport function f(x: number): number { try { return x * x; } catch { return 0; } }\nexport const g = grad(f);\n`;
  expect(errorsOf(text(""))).toEqual([]);
  expect(errorsOf(text("@differentiable"))).toEqual(["TSG1110"]);
});

it("an expression has no place for it; the Delta engine needs none", () => {
  const text = (wanted: string): string => `${IMPORT}export const f = (k: number) => ${wanted};\n`;
  expect(errorsOf(text("grad((x: number) => k * x)"))).toEqual([]);
  expect(errorsOf(text("grad(grad((x: number) => k * x))"))).toEqual([]);
});

it("a call with neither derivative nor error is not passed over", () => {
  const { program } = programOf({
    "/src/a.ts": `${IMPORT}export const g = grad((x: number) => x);\n`,
  });
  const file = program.getSourceFile("/src/a.ts");
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) calls.push(node);
    ts.forEachChild(node, visit);
  };
  if (file !== undefined) visit(file);
  expect(() => {
    assertAnswered(calls, [], {
      planned: {
        results: new Map(),
        wishes: [],
        foremost: () => new Set(),
        steps: [],
        equalities: [],
        extensions: () => new Map(),
        place: () => {},
      },
      diagnostics: [],
    });
  }).toThrow("`grad((x: number) => x)` has neither a derivative nor an error");
});
