// Types that emitted code has to meet. In: functions whose parts TypeScript types more narrowly than
// tsgrad does, in the forms that use them. Out: emitted code without errors under strict flags.
// Invariant: the functions themselves have none. Blind to what the code computes.

import { expect, it } from "vitest";
import { programOf, typeErrors } from "../program.ts";
import { variantsOf } from "./variants.ts";

const STRICT = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };

/** Functions `f` of `a` and `b`. */
const PROGRAMS: Record<string, string> = {};

/** Fields that are readonly inside, what they begin with, what they become and how they are read. */
const PARTS: Readonly<Record<string, readonly [type: string, first: string, next: string]>> = {
  "a list": ["readonly number[]", "[]", "[...PART, x]"],
  "a list of lists": ["readonly (readonly number[])[]", "[[a]]", "[...PART, [x]]"],
  "a pair": ["readonly [number, number]", "[a, b]", "[PART[1], x]"],
};
/** What chooses between a record and another. */
const CHOICES: Readonly<Record<string, string>> = {
  "a default parameter":
    "const step = (s: State = { n: 1, part: FIRST }, x: number): State => (x > 1 ? { ...s, n: s.n * x, part: NEXT } : { ...s, n: s.n + x }); const end = [a, b, a * b].reduce<State | undefined>(step, undefined)!;",
  "a loop":
    "let end: State | null = null; for (const x of [a, b, a * b]) { const s: State = end ?? { n: 1, part: FIRST }; end = x > 1 ? { n: s.n * x, part: NEXT } : { ...s, n: s.n + x }; } if (end === null) return 0;",
};
for (const [part, [type, first, next]] of Object.entries(PARTS))
  for (const [choice, text] of Object.entries(CHOICES)) {
    const body = text
      .replaceAll("FIRST", first)
      .replaceAll("NEXT", next.replaceAll("PART", "s.part"));
    PROGRAMS[`${part}, ${choice}`] =
      `interface State { readonly n: number; readonly part: ${type} }\nfunction f(a: number, b: number): number { ${body} return end.n * end.part.flat().reduce((s, v) => s + v * v, 0); }`;
  }

/** Reads of a chain whose end is known to be missing. */
for (const end of ["next: null", "next: undefined", ""])
  for (const read of ["get?.(b)", "v", "next?.v"])
    PROGRAMS[`${end}, ${read}`] =
      `interface Leaf { v?: number; next?: Leaf | null | undefined; get?: (k: number) => number }\nfunction f(a: number, b: number): number { const chain: Leaf = { v: a, next: { next: { v: b, get: (k) => k * a, ${end} } } }; const w = chain.next?.next?.next?.${read} ?? b; return w * a * (chain.next?.next?.get?.(w) ?? 1); }`;

/** Types of keys, to which the program asserts the strings of an object. */
const KEYS = ["keyof Rgb", "Key", "Name", "'r' | 'g' | 'b'", "Extract<keyof Rgb, string>"];
/** Where a key is put, and how it is read. */
const USES: Readonly<Record<string, string>> = {
  "a tuple":
    "const all = (Object.entries(c) as [KEY, number][]).map(([k, v]): [KEY, number] => [k, k === 'r' ? v * a : v]); let s = 0; for (const [k, v] of all) s += k === 'g' ? v * v : v; return s;",
  "a list":
    "const all: [KEY, number][] = []; for (const k of Object.keys(c) as (KEY)[]) all.push([k, c[k] * a]); return all.reduce((s, [k, v]) => s + (k === 'r' ? v : v * v), 0);",
  "a variable":
    "let key: KEY = 'b'; let last = 0; for (const [k, v] of Object.entries(c) as [KEY, number][]) if (v > 0.5) { key = k; last = v; } return last * c[key];",
  "a record":
    "const all: { k: KEY; v: number }[] = []; for (const k of Object.keys(c) as (KEY)[]) all.push({ k, v: c[k] * a }); return all.reduce((s, { k, v }) => s + v * c[k], 0);",
  "a map":
    "const all = new Map<KEY, number>(); for (const [k, v] of Object.entries(c) as [KEY, number][]) all.set(k, v * v); let s = 0; for (const [k, v] of all) s += v * c[k]; return s;",
  "a function":
    "const at = (k: KEY, v: number): number => (k === 'r' ? v * c[k] : v); let s = 0; for (const k of Object.keys(c) as (KEY)[]) s += at(k, a * c[k]); return s;",
};
for (const key of KEYS)
  for (const [use, body] of Object.entries(USES))
    PROGRAMS[`${key}, ${use}`] =
      `interface Rgb { r: number; g: number; b: number }\ntype Key = keyof Rgb; type Name = "r" | "g" | "b"; export type Keys = [Key, Name];\nfunction f(c: Rgb, a: number): number { ${body.replaceAll("KEY", key)} }`;

/** Variables of a module that code of the Delta engine assigns, and values from \`a\` and \`b\`. */
const KEPT: Readonly<Record<string, readonly [type: string, value: string, read: string]>> = {
  "a branded number": ["Metres", "(a * b) as Metres", "kept"],
  "a literal": ["-1 | 1", "-kept as -1 | 1", "kept * a"],
  "an instance": ["K | null", "new K(a)", "(kept?.v ?? 1)"],
  this: ["K | null", "(() => { new K(a).keep(); return kept; })()", "(kept?.v ?? 1)"],
  "a choice": ["'a' | 'b'", "a > b ? 'a' : 'b'", "(kept === 'a' ? a : b)"],
  "a function": ["((x: number) => number) | null", "(x) => x * a", "(kept?.(b) ?? 1)"],
  "a pair": ["readonly [number, number]", "[a, b]", "kept[0] * kept[1]"],
  "a number or nothing": ["number | null", "a * b", "(kept ?? 1)"],
};
const FIRST: Readonly<Record<string, string>> = {
  Metres: "1 as Metres",
  "-1 | 1": "1",
  "'a' | 'b'": "'a'",
  "readonly [number, number]": "[1, 1]",
};
for (const [name, [type, value, read]] of Object.entries(KEPT))
  PROGRAMS[`kept: ${name}`] =
    `type Metres = number & { readonly brand: "m" };\nclass K { #v: number; constructor(v: number) { this.#v = v; } keep(): void { ${type === "K | null" ? "kept = this;" : ""} } get v(): number { return this.#v; } }\nlet kept: ${type} = ${FIRST[type] ?? "null"};\nfunction f(a: number, b: number): number { try { kept = ${value}; return ${read} * b; } finally { kept = ${FIRST[type] ?? "null"}; } }\nexport const k = (v: number): number => new K(v).v as Metres;`;

const variants = variantsOf(
  Object.fromEntries(
    Object.entries(PROGRAMS).map(([name, text]) => [
      name,
      `import { grad, hvp, jvp, vjp } from "tsgrad";\n${text}\nexport const forms = [grad(f), jvp(f), vjp(f), hvp(f), grad(f, { engine: "delta" })];`,
    ]),
  ),
  STRICT,
);
const nameOf = Object.keys(PROGRAMS);
const errorsOf = (texts: readonly string[]): readonly string[] =>
  typeErrors(programOf(Object.fromEntries(texts.map((text, i) => [`p${i}.ts`, text])), STRICT)).map(
    (line) => line.replace(/\/src\/p(\d+)\.ts/u, (_, i) => nameOf[Number(i)] ?? ""),
  );

it("of parts that TypeScript types more narrowly", () => {
  expect(nameOf.flatMap((name) => variants(name).errors)).toEqual([]);
  expect(errorsOf(Object.values(PROGRAMS).map((text) => `${text}\nexport {};`))).toEqual([]);
  expect(errorsOf(nameOf.map((name) => variants(name).text))).toEqual([]);
});
