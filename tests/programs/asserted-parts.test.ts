// Arguments with parts of type `any` or `unknown`, of which the function asserts that they are numbers: `q as Tree`. In: types of arguments, ways to read them,
// forms. Out: derivatives against closed forms, with respect to these parts, too; what is emitted type-checks.

import { beforeAll, describe, expect, test } from "vitest";
import { loadedText } from "./one-text.ts";

const LOOSE = [
  "{ v: number; kids?: unknown[] }",
  "{ v: number; kids?: any[] }",
  "{ v: number; kids?: any }",
  "{ v: number; kids?: { v: number; kids?: unknown[] }[] }",
  "{ v: number; kids?: { v: any; kids?: any[] }[] }",
  "{ v: any; kids?: Tree[] }",
  "{ v: number } & { kids?: unknown[] }",
];

/** Of `q` and `k`: k times the sum of the values, the second level twice. */
const READS: Readonly<Record<string, string>> = {
  "a name": "const n = q as Tree; return total(n, k);",
  "an argument": "return total(q as Tree, k);",
  "a stack":
    "const stack: [Tree, number][] = [[q as Tree, k]]; let s = 0; for (let top; (top = stack.pop()); ) { const [n, w] = top; s += n.v * w; for (const c of n.kids ?? []) stack.push([c, w * 2]); } return s;",
  "a list": "return [q as Tree].map((n) => total(n, k)).reduce((x, z) => x + z, 0);",
  "a field": "const held = { n: q as Tree, k }; return total(held.n, held.k);",
};

const CASES = LOOSE.flatMap((type) =>
  Object.entries(READS).map(([what, body]) => ({ what: `${type}, ${what}`, type, body })),
);

const TEXT = `import { grad, jvp, vjp } from "tsgrad";
interface Tree { v: number; kids?: Tree[] }
const total = (n: Tree, k: number): number => (n.kids ?? []).reduce((s, c) => s + total(c, 2 * k), n.v * k);
${CASES.map(({ type, body }, i) => `export function f${i}(q: ${type}, k: number): number { ${body} }\nexport const g${i} = grad(f${i}, { argnums: [0, 1] }), v${i} = vjp(f${i}), j${i} = jvp(f${i});`).join("\n")}
`;

type Called = (...args: readonly unknown[]) => unknown;
let made: ReturnType<typeof loadedText>;
beforeAll(() => {
  made = loadedText(TEXT);
});

const called = (name: string, ...args: readonly unknown[]): unknown =>
  (made.exports[name] as Called)(...args); // the module's exports are made above

test("is accepted, and what is emitted type-checks", () => {
  expect([made.errors, made.problems]).toEqual([[], []]);
});

const tree = (a: number, b: number, c: number): unknown => ({
  v: a,
  kids: [{ v: b, kids: [{ v: c }] }],
});

describe.each(CASES.map(({ what }, i) => [what, i] as const))("%s", (_, i) => {
  const slope = [tree(5, 10, 20), 2 + 2 * 3 + 4 * 7];
  test("has its derivatives", () => {
    expect(called(`g${i}`, tree(2, 3, 7), 5)).toEqual(slope);
    const [value, pull] = called(`v${i}`, tree(2, 3, 7), 5) as [number, Called]; // a value and its pullback
    expect([value, pull(1)]).toEqual([180, slope]);
    expect(called(`j${i}`, [tree(2, 3, 7), 5], [tree(1, 1, 1), 1])).toEqual([180, 35 + 36]);
  });
});
