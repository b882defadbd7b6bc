// Arguments that are deeper than the stack: a derivative of a loop over a linked list recurses nowhere,
// by either engine, whatever the list is made of. The oracle is the closed form: the slope of v² is 2v.

import ts from "typescript";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "../programs/modules.ts";

/** A kind of list: its type, the next node, its number, how a node is made, and which engine takes it. */
const LISTS: Record<
  string,
  readonly [type: string, next: string, value: string, made: string, engine?: string]
> = {
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
  "readonly records": [
    "interface L { readonly v: number; readonly next: L | null; readonly label: string }",
    "a.next",
    "a.v",
    `{ v, next: l, label: "a" }`,
  ],
  instances: [
    "class L { constructor(public v: number, public next: L | null) {} }",
    "a.next",
    "a.v",
    "new L(v, l)",
  ],
  pairs: ["type L = [number, L | null]", "a[1]", "a[0]", "[v, l]", "delta"],
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
  dictionaries: [
    "interface L { v: number; next: Record<string, L> }",
    `(a.next["__proto__"] === Object.prototype ? null : (a.next["__proto__"] ?? null))`,
    "a.v",
    `{ v, next: l === null ? {} : { ["__proto__"]: l } }`,
  ],
  "records in records": [
    "interface L { v: number; link: { weight: number; next: L | null } }",
    "a.link.next",
    "a.v",
    "{ v, link: { weight: 1, next: l } }",
  ],
  "pairs in records": [
    "interface L { v: number; link: [string, L | null] }",
    "a.link[1]",
    "a.v",
    `{ v, link: ["", l] }`,
  ],
  "two types": [
    "interface M { next: L | null; w: number }\ninterface L { v: number; link: M }",
    "a.link.next",
    "a.v",
    "{ v, link: { next: l, w: 1 } }",
  ],
  "a union": [
    `type L = { kind: "a"; v: number; next: L | null } | { kind: "b"; v: number; w: number[]; next: L | null }`,
    "a.next",
    "a.v",
    `v % 2 === 0 ? { kind: "a", v, next: l } : { kind: "b", v, w: [v], next: l }`,
  ],
  "a union of interfaces": [
    `interface A { kind: "a"; v: number; next: L | null }\ninterface B { kind: "b"; v: number; next?: L; w: number }\ntype L = A | B`,
    `(a.kind === "a" ? a.next : (a.next ?? null))`,
    "a.v",
    `v % 2 === 0 || l === null ? { kind: "a", v, next: l } : { kind: "b", v, w: 1, next: l }`,
  ],
  "a union of classes": [
    "class A { constructor(public v: number, public next: L | null) {} }\nclass B { w = 1; constructor(public v: number, public next: L | null) {} }\ntype L = A | B",
    "a.next",
    "a.v",
    "v % 2 === 0 ? new A(v, l) : new B(v, l)",
  ],
};
/** A form, its call, and the slopes in what it returns. `l`: a list of the numbers n, …, 1. */
const FORMS: Record<string, readonly [made: string, call: string]> = {
  grad: ["grad(f", "read(d(l))"],
  valueAndGrad: ["valueAndGrad(f", "read(d(l)[1])"],
  vjp: ["vjp(f", "read(d(l)[1](1)[0])"],
  // the tangent is the list itself: the sum of 2v·v
  jvp: ["jvp(f", "[d([l], [l])[1] / 2]"],
  // the function returns its argument
  "vjp of a list": ["vjp(same", "read(d(l)[1](l)[0]).map((v) => 2 * v)"],
};
const ENGINES = ["static", "delta"];
const LENGTH = 20_000;
const SLOPES = Array.from({ length: LENGTH }, (_, k) => 2 * (LENGTH - k));
const SQUARES = [SLOPES.reduce((sum, slope) => sum + (slope / 2) ** 2, 0)];

type Row = readonly [type: string, next: string, value: string, made: string, engine?: string];
const programOfList = ([type, next, value, made]: Row, form: string, engine: string): string => `
import { grad, jvp, valueAndGrad, vjp } from "tsgrad";
${type}
export function f(l: L | null): number { let s = 0; for (let a: L | null = l; a !== null; a = ${next}) s += ${value} * ${value}; return s; }
export function same(l: L | null): L | null { return l; }
export function make(n: number): L | null { let l: L | null = null; for (let i = 0; i < n; i++) { const v = i + 1; l = ${made}; } return l; }
export function read(l: any): number[] { const all: number[] = []; for (let a = l; all.push(${value}) < ${LENGTH}; ) a = ${next}; return all; }
const d: any = ${FORMS[form]?.[0] ?? ""}, { engine: "${engine}" });
export const found = () => { const l: any = make(${LENGTH}); return ${FORMS[form]?.[1] ?? ""}; };
`;
const rows = Object.entries(LISTS).flatMap(([list, row]) =>
  Object.keys(FORMS).flatMap((form) =>
    ENGINES.filter((engine) => engine === (row[4] ?? engine)).map((engine) => ({
      list,
      form,
      engine,
      text: programOfList(row, form, engine),
    })),
  ),
);
const inputs = Object.fromEntries(rows.map(({ text }, i) => [`/src/list${i}.ts`, text]));
const { edits, diagnostics } = analyse(programOf(inputs));
const load = loader(
  new Map(
    Object.entries(inputs).map(([path, text]) => [
      path,
      applyEdits(path, text, edits.get(path) ?? []).text,
    ]),
  ),
  undefined,
  { module: ts.ModuleKind.CommonJS },
);

test.each(rows.map((row, i) => ({ ...row, i })))("$form of $list, $engine", ({ form, i }) => {
  const path = `/src/list${i}.ts`;
  expect(diagnostics.filter(({ span }) => span?.file === path)).toEqual([]);
  const { found } = load(path) as { found: () => number[] };
  expect(found()).toEqual(form === "jvp" ? SQUARES : SLOPES);
});
