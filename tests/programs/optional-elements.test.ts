// Tuples that may be shorter than their type says, `[number, number?]`. In: functions that take, make and return them. Out: their derivatives. Reference
// values are closed forms. Invariant: what a tuple leaves out has a place in its cotangent, as an optional field has: 0, or undefined for an aggregate.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, typeErrors } from "../program.ts";
import { loader } from "./modules.ts";

const FILE = "/src/optional-elements.ts";
const TEXT = `import { grad, hessian, jvp, vjp } from "tsgrad";
type Pair = [number, number?];
type Tree = [value: number, children: Tree[], weight?: number];
const product = ([a, b = 0.5]: Pair, x: number): number => a * b * x;
const all = (list: readonly { t: Pair }[], x: number): number => { let s = 0; for (const { t: [a, b = x] } of list) s += a * b; return s; };
const deep = ([a, row, o]: [number, number[]?, { k: number }?], x: number): number => a * (row?.[0] ?? 2) * (o?.k ?? x);
function total([value, children, weight = 2]: Tree): number { let s = value * weight; for (const child of children) s += value * total(child); return s; }
function made(x: number, isShort: boolean): Pair { const pair: Pair = isShort ? [x * x] : [x, x * x * x]; return pair; }
const local = (x: number): number => [[x], [x, x * x]].map((one): Pair => (one.length > 1 ? [one[0]!, one[1]!] : [one[0]!])).reduce((s, [a, b = 3]) => s + a * b, 0);
export const d = { product: grad(product, { argnums: [0, 1] }), all: grad(all, { argnums: [0, 1] }), deep: grad(deep), total: grad(total), local: grad(local) };
export const second = hessian(product, { argnums: 1 }), forward = jvp(made), back = vjp(made), both = hessian(local);
`;

const host = programOf(
  { [FILE]: TEXT },
  { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
);

interface Made {
  readonly d: Readonly<
    Record<"product" | "all" | "deep" | "total" | "local", (...args: readonly unknown[]) => unknown>
  >;
  readonly second: (pair: readonly number[], x: number) => unknown;
  readonly forward: (args: readonly unknown[], tangents: readonly unknown[]) => unknown;
  readonly back: (
    x: number,
    isShort: boolean,
  ) => readonly [unknown, (bar: readonly number[]) => unknown];
  readonly both: (x: number) => unknown;
}

const emitted = applyEdits(FILE, TEXT, analyse(host).edits.get(FILE) ?? []).text;
const { d, second, forward, back, both } = loader(new Map([[FILE, emitted]]))(
  FILE,
) as unknown as Made; // a module of the loader is untyped

test("are accepted by the static engine, and derivatives type-check", () => {
  expect(typeErrors(host)).toEqual([]);
  expect(analyse(host).diagnostics).toEqual([]);
  expect(emitted).not.toContain("tsgrad/delta");
  expect(
    typeErrors(
      programOf(
        { [FILE]: emitted },
        { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
      ),
    ),
  ).toEqual([]);
});

test("as arguments", () => {
  expect(d.product([3], 4)).toEqual([[2, 0], 1.5]);
  expect(d.product([3, 2], 4)).toEqual([[8, 12], 6]);
  expect(d.all([{ t: [2] }, { t: [3, 5] }], 4)).toEqual([[{ t: [4, 0] }, { t: [5, 3] }], 2]);
  expect(d.deep([3], 5)).toEqual([10, undefined, undefined]);
  expect(d.deep([3, [4, 1], { k: 2 }], 5)).toEqual([8, [6, 0], { k: 12 }]);
  // value 3, weight 2, children 5 with weight 2 and 7 with weight 11: s = 3·2 + 3·(5·2) + 3·(7·11)
  expect(
    d.total([
      3,
      [
        [5, []],
        [7, [], 11],
      ],
    ]),
  ).toEqual([
    2 + 10 + 77,
    [
      [6, [], 0],
      [33, [], 21],
    ],
    0,
  ]);
  expect(second([3, 2], 4)).toBe(0);
});

test("as results, and inside", () => {
  expect(forward([3, true], [1, undefined])).toEqual([[9], [6, 0]]);
  expect(forward([3, false], [1, undefined])).toEqual([
    [3, 27],
    [1, 27],
  ]);
  expect(back(3, true)[0]).toEqual([9]);
  expect(back(3, true)[1]([5, 7])).toEqual([30, undefined]);
  expect(back(3, false)[1]([5, 7])).toEqual([5 + 7 * 27, undefined]);
  expect(d.local(2)).toBe(3 + 3 * 4);
  expect(both(2)).toBe(12);
});
