// Kinds of code whose derivatives once did not type-check. In: templates, crossed with names,
// containers and statements. Each variant is compiled under several flags, by both engines: emitted
// code type-checks, and its derivatives agree with the oracles of the corpus (differences first).

import ts from "typescript";
import { describe, expect, it } from "vitest";
import { isLong } from "../breadth.ts";
import { aimedAt } from "./flags.ts";
import { corpusOf, type Source, type Through } from "./corpus.ts";
import { problemsOf } from "./run.ts";
import { newProblems } from "./strict.ts";

/** The template with each word replaced by each of its texts. */
function crossed(template: string, words: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(words).reduce(
    (texts, [word, choices]) =>
      texts.flatMap((text) => choices.map((choice) => text.replaceAll(word, choice))),
    [template],
  );
}

const NUMBERS = "export const args = [[1.5, 2]];";
const LISTS = "export const args = [[[1.5, 2, 0.5]]];";

const KINDS: Readonly<Record<string, readonly string[]>> = {
  "a place that a loop reads and writes": crossed(
    `export function f(x: number, y: number): number { const LIST = MADE; LIST[0]! += x; for (let r = 0; r < 3; r++) { STEP } return LIST.reduce((p, c) => p + c, y); } ${NUMBERS}`,
    {
      STEP: [
        "LIST[0]! += x;",
        "LIST[0] = LIST[0]! * x + y;",
        "const old = LIST[0]!; LIST[0] = r > 1 ? old * y : old + LIST.length;",
      ],
      MADE: ["[1]", "[y, 2]", "Float64Array.of(1)", "Array.from([x, y])"],
      LIST: ["hist", "t"],
    },
  ),
  "a variable that may be undefined": crossed(
    `export function f(xs: number[]): number { let LAST: TYPE = FIRST; for (const x of xs) { STEP } return Math.sin(LAST ?? 0) + xs[0]!; } ${LISTS}`,
    {
      STEP: [
        "const next = (LAST ?? 1) * x; LAST = next;",
        "LAST = LAST === undefined ? x : LAST + x * x;",
        "const seen = LAST!; const more = seen > 1; LAST = more ? seen * x : x + seen;",
      ],
      FIRST: ["xs[0]", "xs.find((x) => x > 1)"],
      TYPE: ["number | undefined"],
      LAST: ["loss", "t", "bar"],
    },
  ),
  "a flag that a loop carries": crossed(
    `export function f(xs: number[]): number { let s = 1, DONE = FIRST; for (const x of xs) { STEP s += DONE ? x * x : x * s; } return DONE ? s : 2 * s; } ${LISTS}`,
    {
      STEP: [
        "const was = DONE; DONE = !was && s > 2;",
        "const n = DONE ? 1 : 0; DONE = n + s > 3;",
        "DONE = DONE !== s > 2;",
      ],
      FIRST: ["false", "xs[0]! > 5"],
      DONE: ["done", "t"],
    },
  ),
  "buffers that are swapped": crossed(
    `export function f(x: number): number { let CUR = FIRST; let nxt = SECOND; for (let t = 0; t < 3; t++) { nxt[0] = Math.sin(CUR[0]!); SWAP } return CUR[0]!; } export const args = [[0.7]];`,
    {
      SWAP: [
        "[CUR, nxt] = [nxt, CUR];",
        "const tmp = CUR; CUR = nxt; nxt = tmp;",
        "{ const tmp = CUR; CUR = nxt; nxt = tmp; } if (CUR[0]! > 9) break;",
      ],
      FIRST: ["STORE.of(x)", "STORE.from([x, 1])"],
      SECOND: ["new STORE(1)", "CUR.slice()"],
      STORE: ["Float64Array", "Array<number>"],
      CUR: ["cur"],
    },
  ).map((text) => text.replace(/Array<number>\.(of|from)/g, "Array.$1")),
  "assignments that a known condition removes": crossed(
    `export function f(x: number): number { let s = x; let MODE: TYPE = A; const limit = 0; for (let i = 0; i < 4; i++) { if (MODE === C) break; s *= x; MODE = s > 4 ? B : A; if (limit > 1) MODE = C; } return MODE === C ? 0 : s; } export const args = [[1.5]];`,
    {
      "TYPE = A": [`"idle" | "run" | "stop" = "idle"`, `State = "idle"`, "Level = 0"],
      MODE: ["mode", "t"],
    },
  ).map((text) => {
    const isLevel = text.includes("Level");
    const of = (a: string, b: string): string => (isLevel ? b : a);
    const whole = text
      .replace(/\bA\b/g, of(`"idle"`, "0"))
      .replace(/\bB\b/g, of(`"run"`, "1"))
      .replace(/\bC\b/g, of(`"stop"`, "2"));
    return `type State = "idle" | "run" | "stop"; type Level = 0 | 1 | 2; ${whole}`;
  }),
  "literals asserted to be a union": crossed(
    `type Shape = { kind: "circle"; r: number } | { kind: "rect"; w: number }; export function f(xs: number[]): number { let s = 0; HEAD { const SHAPE = (MADE) as Shape; s += TEST ? SHAPE.w * s + 1 : SHAPE.r; } return s; } ${LISTS}`,
    {
      HEAD: ["for (const x of xs)", "const x = xs[1]!;"],
      MADE: [
        `x > 1 ? { kind: "rect", w: x } : { kind: "rect", w: s }`,
        `{ kind: "rect", w: x * x }`,
        `x > 9 ? { kind: "circle", r: 1 } : { kind: "rect", w: x }`,
      ],
      TEST: [`"w" in SHAPE`, `SHAPE.kind === "rect"`],
      SHAPE: ["shape", "t"],
    },
  ),
  "keys asserted to be those of a record": crossed(
    `type Key = "p" | "q" | "r"; function step(u: number, v: number): number { let z = u; z ||= u; return Math.tanh(v) * z; } export function f(xs: number[]): [number, number[]] { const rec = { p: 1, q: 1, r: 1 }; const KEYS = MADE; for (const key of KEYS) rec[key] *= step(xs[2]!, xs[1]!); return [rec.q, [rec.r]]; } ${LISTS}`,
    {
      MADE: [
        "Object.keys(rec) as (keyof typeof rec)[]",
        "Object.keys(rec) as Key[]",
        `["p", "r"] as Key[]`,
        `["p", "r"] as const`,
        `(xs.length > 2 ? ["p"] : ["r"]) as Key[]`,
      ],
      KEYS: ["keys", "t"],
    },
  ),
  "types that are local to a function": crossed(
    `export function f(xs: readonly number[]): number { type TERM = { kind: "leaf"; value: number } | { kind: "sum"; left: TERM; right: TERM }; const build = (from: number, to: number): TERM => { if (to - from === 1) return { kind: "leaf", value: xs[from]! }; const middle = (from + to) >> 1; return { kind: "sum", left: build(from, middle), right: build(middle, to) }; }; const total = (term: OF): number => term.kind === "leaf" ? Math.sin(term.value) : total(term.left) * total(term.right); return total(build(0, xs.length)); } ${LISTS}`,
    {
      OF: [
        "Readonly<TERM>",
        "TERM",
        "Readonly<Required<TERM>>",
        `Pick<TERM, "kind"> & TERM`,
        "Exclude<TERM, string>",
      ],
      TERM: ["Term", "Bog"],
    },
  ),
  "functions whose variable declares the type": crossed(
    `interface T { x: number; v?: number; kids: T[] } LEAF GROW function sum(t: T): number { return (t.v ?? 1) * t.x + t.kids.reduce((s, k) => s + sum(k), 0); } export function f(x: number): number { return sum(grow(x, 2)); } export const args = [[1.5]];`,
    {
      LEAF: ["const leaf: (x: number) => T = (x) => ({ x, kids: [] });"],
      GROW: [
        "const grow: (x: number, depth: number) => T = (x, depth) => { return depth === 0 ? leaf(x) : { x, kids: [grow(x * 2, depth - 1), leaf(x * 3)] }; };",
        "type Grow = (x: number, depth: number) => T; const grow: Grow = (x, depth) => depth === 0 ? leaf(x) : { x, kids: [leaf(x * 3), grow(x * 2, depth - 1)] };",
        "const grow: { (x: number, depth: number): T } = function (x, depth) { return depth === 0 ? leaf(x) : { x, kids: [grow(x * 2, depth - 1)] }; };",
        "function grow(x: number, depth: number): T { return depth === 0 ? leaf(x) : { x, v: 2, kids: [grow(x * 2, depth - 1)] }; }",
      ],
    },
  ),
  "functions whose list is empty": crossed(
    `interface T { x: number; v?: number; kids: T[] } LEAF GROW function sum(t: T): number { return (t.v ?? 1) * t.x + t.kids.reduce((s, k) => s + sum(k), 0); } export function f(x: number): number { return sum(grow(x, 2)); } export const args = [[1.5]];`,
    {
      LEAF: [
        "const leaf = (x: number) => ({ x, kids: [] });",
        "function leaf(x: number) { return { x, kids: [], }; }",
      ],
      GROW: [
        "const grow: (x: number, depth: number) => T = (x, depth) => { return depth === 0 ? leaf(x) : { x, kids: [grow(x * 2, depth - 1), leaf(x * 3)] }; };",
        "type Grow = (x: number, depth: number) => T; const grow: Grow = (x, depth) => depth === 0 ? leaf(x) : { x, kids: [leaf(x * 3), grow(x * 2, depth - 1)] };",
        "const grow: { (x: number, depth: number): T } = function (x, depth) { return depth === 0 ? leaf(x) : { x, kids: [grow(x * 2, depth - 1)] }; };",
        "function grow(x: number, depth: number): T { return depth === 0 ? leaf(x) : { x, v: 2, kids: [grow(x * 2, depth - 1)] }; }",
      ],
    },
  ),
  "lists that begin empty": crossed(
    `export function f(w: number[], x: number): number { const u = MADE; const all = FLAT; for (const v of w) all.push(v * x); return all.reduce((s, v, i) => s + v * v * (i + 1), 0) + u.length * x; } export const args = [[[0.5, 1.2], 0.7]];`,
    {
      "MADE; const all = FLAT": [
        "[[w[0]! * x], []]; const all = u.flat()",
        "[[], [w[0]! * x, x]]; const all = u[1]!.slice()",
        "[[[x], []], [[]]]; const all = u.flat(2)",
        "[[x], w, []]; const all = [...u[0]!, ...u[2]!]",
        "[{ ks: [x] }, { ks: [] }]; const all = u.map(({ ks }) => ks).flat()",
        "[[x], x > 1 ? [] : w]; const all = u[1]!.concat(u[0]!)",
      ],
    },
  ),
  "tuples in optional fields": crossed(
    `type Vec = [number, number]; interface Hit { t: number; m?: Vec; n: FIELD } export function f(xs: number[], k: number): number { const hits = xs.map((v): Hit => ({ t: v, MADE })); return hits.reduce((s, { t, m, n }) => s + t * (m?.[0] ?? 1) * (n ? n[1] : 2), 0); } export const args = [[[0.5, 1.2], 0.7]];`,
    {
      FIELD: ["Vec | undefined", "Vec | null", "Vec"],
      MADE: [
        "m: [v, k].map((w) => w * k) as Vec, n: [k, v]",
        "m: [v * k, v], n: [v, v].map((w) => w * v) as Vec",
      ],
    },
  ),
  "readonly lists by key": crossed(
    `DECLARED function norm(p: Params): number { let s = 0; for (const key in p) for (const w of p[key]!) s += w * w; return s; } export function f(p: Params, rate: number): number { return norm({ ...p, extra: [rateS] }); } export const args = [[{ a: [1.5, 2] }, 3]];`,
    {
      DECLARED: [
        "interface Params { [layer: string]: readonly number[] }",
        "type Params = Record<string, readonly number[]>;",
        "type Row = readonly number[]; interface Params { [layer: string]: Row }",
        "type Params = { readonly [layer: string]: number[] };",
        "type Params = Readonly<Record<string, ReadonlyArray<number>>>;",
        "type Params = { [K in string]: readonly number[] };",
      ],
      rateS: ["rate", "rate * 2, rate", "...[rate]"],
    },
  ),
  "functions that take fewer parameters": crossed(
    `type Step = (x: number, i: number, all: number[]) => number; STEP export function f(xs: number[]): number { let s = 0; try { for (let i = 0; i < xs.length; i++) s += half(xs[i]!, i, xs); } catch { s = 0; } return s * s; } ${LISTS}`,
    {
      STEP: [
        "const half: Step = (x) => x * 0.5;",
        "const half: Step = (x, i) => x * i;",
        "const half: Step = () => 2;",
        "const half: Step = function (x) { return x * x; };",
        "const half: Step = (...of) => of[0] * of[1];",
        "const half: Step = (x = 1) => x * 0.5;",
      ],
    },
  ),
  "records and maps by key": crossed("PARTS", {
    PARTS: [
      "type Params = Record<string, number>;|||for (const k of Object.keys(m)) s += m[k]! ** 2;|||export const args = [[{ a: 2, b: 3 }]];",
      "type Params = Record<string, number[]>;|||for (const k in m) s += m[k]![0]! ** 2;|||export const args = [[{ a: [2], b: [3, 1] }]];",
      "type Params = Record<string, { w: number[]; b?: number }>;|||for (const k in m) s += m[k]!.w[0]! * (m[k]!.b ?? 1);|||export const args = [[{ a: { w: [2] }, b: { w: [3], b: 2 } }]];",
      "type Params = { [k: string]: number[] | undefined };|||for (const k of Object.keys(m)) { const row = m[k]; if (row) s += row[0]! ** 3; }|||export const args = [[{ a: [2], b: [1] }]];",
      "type Params = Record<number, { a: number }>;|||for (const k of Object.keys(m)) s += m[+k]!.a ** 3;|||export const args = [[{ 3: { a: 2 } }]];",
      "type Params = Map<string, number>;|||m.forEach((v) => { s += v * v; });|||export const args = [[new Map([['a', 2]])]];",
      "type Params = Map<string, number[] | undefined>;|||const row = m.get('a'); if (row) s += row[0]! ** 3;|||export const args = [[new Map([['a', [2]]])]];",
      "type Params = Record<string, Record<string, number>>;|||for (const k of Object.keys(m)) for (const l of Object.keys(m[k]!)) s += m[k]![l]! ** 2;|||export const args = [[{ a: { b: 2 }, c: { d: 3 } }]];",
    ],
  }).map((text) => {
    const [type = "", read = "", given = ""] = text.split("|||");
    return `${type} export function f(m: Params): number { let s = 0; ${read} return s; } ${given}`;
  }),
};

const sources: readonly Source[] = Object.entries(KINDS).flatMap(([kind, texts]) =>
  texts.map((text, i): Source => {
    const name = `${kind.replaceAll(" ", "-")}-${i}`;
    return { name, main: `${name}.ts`, files: { [`${name}.ts`]: text } };
  }),
);

const FLAGS: Readonly<Record<string, readonly [options: ts.CompilerOptions, engine: Through]>> = {
  strict: [{}, null],
  "unchecked index": [{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }, null],
  "not strict, ES2016": [{ strict: false, ...aimedAt(ts.ScriptTarget.ES2016) }, null],
  "unchecked index, Delta": [{ noUncheckedIndexedAccess: true }, "delta"],
  "not strict, Delta": [{ strict: false }, "delta"],
};

const SHORT = ["unchecked index", "not strict, Delta"];

describe.each(Object.entries(FLAGS).filter(([name]) => isLong || SHORT.includes(name)))(
  "%s",
  (_, [options, engine]) => {
    // without strictNullChecks an empty list is an any[], of which nothing is known
    const isStrict = !("strict" in options);
    const some = sources.filter(({ name }) => isStrict || !name.startsWith("functions-whose-list"));
    const corpus = corpusOf(some, options, "run", engine);

    it.each(Object.keys(KINDS))("%s", (kind) => {
      const problems = some
        .filter(({ name }) => name.startsWith(`${kind.replaceAll(" ", "-")}-`))
        .flatMap(({ name }) => {
          const program = corpus.programs.get(name);
          return program === undefined ? [`no program ${name}`] : problemsOf(program);
        });
      expect(problems).toEqual([]);
    });

    it("type-checks as emitted", () => {
      expect(newProblems(corpus)).toEqual([]);
    });
  },
);
