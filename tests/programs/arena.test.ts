// BOGs of numbers lie in an array that the derivative keeps for its next call. In: a recursion over numbers. Out: numbers, the array, and what is in the way of one.
// Reference values: the chain rule by hand, in the same recursion.

import { expect, test, vi } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const FILE = "/src/arena.ts";

function built(text: string): {
  readonly emitted: string;
  readonly module: Readonly<Record<string, unknown>>;
} {
  const { edits, diagnostics } = analyse(programOf({ [FILE]: text }));
  expect(diagnostics).toEqual([]);
  const emitted = applyEdits(FILE, text, edits.get(FILE) ?? []).text;
  return { emitted, module: loader(new Map([[FILE, emitted]]))(FILE) };
}

const callable = (value: unknown): ((...args: readonly unknown[]) => unknown) => {
  if (typeof value !== "function") throw new Error("not a function");
  return (...args) => value(...args);
};

const RECURSION = `
function depth(k: number, x: number): number {
  if (k < 1) return Math.sin(x);
  look(k);
  return depth(k - 1, x * 0.5) * x + depth(k - 2, x);
}
function f(x: number, n: number): number {
  return depth(n, x) * depth(1, x);
}
`;
const QUIET = `import { grad } from "tsgrad";
function look(_k: number): void {}
${RECURSION}
export const derivative = grad(f, { argnums: 0 });
export const kept = () => f$gradArena;
declare var f$gradArena: unknown;
`;

/** Value and derivative, by forward differentiation. */
function depthBy(k: number, x: number): readonly [number, number] {
  if (k < 1) return [Math.sin(x), Math.cos(x)];
  const [a, da] = depthBy(k - 1, x * 0.5);
  const [b, db] = depthBy(k - 2, x);
  return [a * x + b, da * 0.5 * x + a + db];
}
function byHand(x: number, n: number): number {
  const [a, da] = depthBy(n, x);
  const [b, db] = depthBy(1, x);
  return da * b + a * db;
}

test("a recursion keeps no object for each of its calls, and its array is that of the call before", () => {
  const { emitted, module } = built(QUIET.replace("declare var f$gradArena: unknown;\n", ""));
  const derivative = callable(module["derivative"]);
  const kept = callable(module["kept"]);
  expect(emitted).not.toContain("$Bog");
  for (const [x, n] of [
    [0.7, 6],
    [-1.2, 3],
    [0.3, 0],
    [2, 9],
    [0.7, 6],
  ] as const)
    expect(derivative(x, n)).toBeCloseTo(byHand(x, n), 9); // sums of products in another order
  const arena = kept();
  expect(Array.isArray(arena)).toBe(true);
  derivative(0.1, 4);
  expect(kept()).toBe(arena);
});

test("a call from within has an arena of its own, and after an exception there is a new one", () => {
  const { emitted, module } = built(`import { grad } from "tsgrad";
// what runs while the arena is in use
function look(k: number): void { if (Math.random() > 2) throw new Error("enough at " + String(k)); }
${RECURSION}
export const derivative: (x: number, n: number) => number = grad(f, { argnums: 0, engine: "static" });
`);
  expect(emitted).toContain("f$gradArena ??");
  const derivative = callable(module["derivative"]);
  const random = vi.spyOn(Math, "random");
  const inner: unknown[] = [];
  let isInside = false;
  random.mockImplementation(() => {
    if (isInside) return 0;
    isInside = true;
    inner.push(derivative(-0.4, 5));
    isInside = false;
    return 0;
  });
  expect(derivative(0.9, 4)).toBeCloseTo(byHand(0.9, 4), 9); // as above
  expect(inner.length).toBeGreaterThan(3);
  for (const value of inner) expect(value).toBeCloseTo(byHand(-0.4, 5), 9); // as above
  random.mockReturnValueOnce(0).mockReturnValueOnce(0).mockReturnValueOnce(3);
  expect(() => derivative(0.9, 4)).toThrow("enough at 2");
  random.mockRestore();
  expect(derivative(0.9, 4)).toBeCloseTo(byHand(0.9, 4), 9); // as above
});

test("what outlives the call is on the heap: a pullback's BOG, and what it holds", () => {
  const { emitted, module } = built(`import { vjp } from "tsgrad";
function look(_k: number): void {}
${RECURSION}
export const pulled = (x: number, n: number) => vjp(f)(x, n);
`);
  expect(emitted).not.toContain("arena");
  const pulled = callable(module["pulled"]);
  type Pulled = readonly [number, (seed: number) => readonly number[]];
  const first = pulled(0.7, 5) as Pulled;
  const second = pulled(-1.1, 4) as Pulled; // as vjp says
  expect(first[1](1)[0]).toBeCloseTo(byHand(0.7, 5), 9); // as above
  expect(second[1](1)[0]).toBeCloseTo(byHand(-1.1, 4), 9); // as above
});

test("what holds objects is on the heap", () => {
  const { emitted } = built(`import { grad } from "tsgrad";
interface Tree { value: number; left: Tree | null; right: Tree | null }
function total(tree: Tree | null, x: number): number {
  if (tree === null) return x;
  const left = total(tree.left, x * tree.value);
  return left * total(tree.right, left);
}
export const derivative = grad(total);
`);
  expect(emitted).toContain("total$Bog");
  expect(emitted).not.toContain("arena");
});
