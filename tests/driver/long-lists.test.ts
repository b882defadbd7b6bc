// Arguments that are deeper than the stack: the gradient of a loop over a linked list by the Delta engine recurses nowhere,
// whatever the list is made of. The oracle is the closed form: the slope of v² is 2v.

import ts from "typescript";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "../programs/modules.ts";

/** A kind of list: its type, the next node, its number, and how a node is made. */
const LISTS: Record<string, readonly [type: string, next: string, value: string, made: string]> = {
  records: ["interface L { v: number; next: L | null }", "a.next", "a.v", "{ v, next: l }"],
  "records, next first": [
    "interface L { next: L | null; v: number }",
    "a.next",
    "a.v",
    "{ next: l, v }",
  ],
  "optional records": [
    "interface L { v: number; next?: L }",
    "(a.next ?? null)",
    "a.v",
    "l === null ? { v } : { v, next: l }",
  ],
  instances: [
    "class L { constructor(public v: number, public next: L | null) {} }",
    "a.next",
    "a.v",
    "new L(v, l)",
  ],
  pairs: ["type L = [number, L | null]", "a[1]", "a[0]", "[v, l]"],
  "arrays in records": [
    "interface L { v: number[]; next: L | null }",
    "a.next",
    "a.v[0]!",
    "{ v: [v], next: l }",
  ],
  "arrays of records": [
    "interface L { v: number; next: L[] }",
    "(a.next[0] ?? null)",
    "a.v",
    "{ v, next: l === null ? [] : [l] }",
  ],
  Maps: [
    "interface L { v: number; next: Map<string, L> }",
    `(a.next.get("n") ?? null)`,
    "a.v",
    `{ v, next: l === null ? new Map() : new Map([["n", l]]) }`,
  ],
};
const FORMS: Record<string, (d: any, l: unknown) => unknown> = {
  grad: (d, l) => d(l),
  valueAndGrad: (d, l) => d(l)[1],
};
const LENGTH = 20_000;

const rows = Object.keys(LISTS).flatMap((list) =>
  Object.keys(FORMS).map((form) => ({ list, form })),
);
test.each(rows)("$form of $list", ({ list, form }) => {
  const [type, next, value, made] = LISTS[list] ?? ["", "", "", ""];
  const input = `import { ${form} } from "tsgrad";
${type}
export function f(l: L | null): number { let s = 0; for (let a: L | null = l; a !== null; a = ${next}) s += ${value} * ${value}; return s; }
export function make(n: number): L | null { let l: L | null = null; for (let i = 0; i < n; i++) { const v = i + 1; l = ${made}; } return l; }
export function read(l: L | null): number[] { const all: number[] = []; for (let a: any = l; a !== null && a !== undefined; a = ${next}) all.push(${value}); return all; }
export const d = ${form}(f, { engine: "delta" });`;
  const { edits, diagnostics } = analyse(programOf({ "/src/input.ts": input }));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const { text } = applyEdits("/src/input.ts", input, edits.get("/src/input.ts") ?? []);
  const { d, make, read } = loader(new Map([["/src/input.ts", text]]), undefined, {
    module: ts.ModuleKind.CommonJS,
  })("/src/input.ts") as Record<string, (x: unknown) => any>;
  const found = FORMS[form]?.(d, make?.(LENGTH));
  const slopes = read?.(found).slice(0, LENGTH);
  expect(slopes).toEqual(Array.from({ length: LENGTH }, (_, i) => 2 * (LENGTH - i)));
});
