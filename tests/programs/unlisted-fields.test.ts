// Objects that are kept under types without some of their fields, and taken for what they are later: the static engine has the derivative, or says that it has none, and the engine that is chosen then has it. In: bodies of functions of x, the
// number 3x kept in them once, under a `v`. Out: the derivative, 3, or a code. A derivative without what goes through such an object is 0.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const HEAD = `import { grad } from "tsgrad";
interface W { w: number }
interface V extends W { v: number }
interface Tree { kids: Tree[] }
interface Leaf extends Tree { v: number }
type Tagged = { kind: "a" } | { kind: "b"; v: number };
class Base { w = 1; }
class Derived extends Base { v: number; constructor(v: number) { super(); this.v = v; } }
const made = (x: number): V => ({ w: 1, v: 3 * x });
const isV = (o: object): o is { v: number } => "v" in o;
`;

/** By the static engine alone, or by the one that the compiler chooses. */
function compiled(
  body: string,
  options: Parameters<typeof analyse>[1] = { engine: "static" },
): { readonly codes: readonly string[]; readonly got: unknown } {
  const text = `${HEAD}function f(x: number): number { ${body} }\nexport const got = grad(f)(2);\n`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }), options);
  const codes = diagnostics.map(({ code }) => code);
  return {
    codes,
    got:
      codes.length > 0
        ? null
        : loader(
            new Map([
              ["/src/a.ts", applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text],
            ]),
          )("/src/a.ts")["got"],
  };
}

test.each<[string, string, string]>([
  [
    "a guard with in",
    "TSG2002",
    'let o: object = {}; o = { v: x * 3 }; return "v" in o ? (o.v as number) : 1;',
  ],
  [
    "a type predicate",
    "TSG2002",
    "let o: object = {}; for (let i = 0; i < 2; i++) o = { v: x * 3 }; return isV(o) ? o.v : 1;",
  ],
  [
    "a list",
    "TSG2002",
    "const os: W[] = []; for (let i = 0; i < 2; i++) { const n = { w: 1, v: x * 3 }; os.push(n); } let s = 0; for (const q of os as V[]) s += q.v / 2; return s;",
  ],
  [
    "a Map",
    "TSG2002",
    'const m = new Map<string, W>(); const n = { w: 1, v: x * 3 }; m.set("a", n); return (m as Map<string, V>).get("a")!.v;',
  ],
  [
    "a part",
    "TSG2002",
    "const n = { w: 1, v: x * 3 }; const box: { inner: W } = { inner: n }; return (box as { inner: V }).inner.v;",
  ],
  [
    "a type argument",
    "TSG1201",
    "const take = <T extends object>(o: object): T => o as T; let o: object = {}; for (let i = 0; i < 2; i++) o = { v: x * 3 }; return take<{ v: number }>(o).v;",
  ],
  [
    "a pattern",
    "TSG3014",
    "let o: W = { w: 1 }; for (let i = 0; i < 2; i++) { const n: V = { w: 1, v: x * 3 }; o = n; } const { v } = o as V; return v;",
  ],
  [
    "by way of unknown",
    "TSG3014",
    "let o: W = { w: 1 }; for (let i = 0; i < 2; i++) { const n: V = { w: 1, v: x * 3 }; o = n; } return (o as unknown as V).v;",
  ],
  [
    "by way of any",
    "TSG2002",
    "let o: W = { w: 1 }; for (let i = 0; i < 2; i++) { const n: V = { w: 1, v: x * 3 }; o = n; } return (o as any).v;",
  ],
  [
    "an intersection",
    "TSG3014",
    "let o: W = { w: 1 }; for (let i = 0; i < 2; i++) { const n: V = { w: 1, v: x * 3 }; o = n; } return (o as W & { v: number }).v;",
  ],
  [
    "what may be null",
    "TSG3014",
    "let o: W | null = null; for (let i = 0; i < 2; i++) { const n: V = { w: 1, v: x * 3 }; o = n; } return (o! as V).v;",
  ],
  [
    "what may be missing",
    "TSG2002",
    "let o: W | undefined; for (let i = 0; i < 2; i++) { const n: V = { w: 1, v: x * 3 }; o = n; } return (o as V | undefined)?.v ?? 0;",
  ],
  [
    "an element of a list of anything",
    "TSG2002",
    "const o: {}[] = []; o.push({ v: x * 3 }); return (o as { v: number }[])[0]!.v;",
  ],
  [
    "a tuple",
    "TSG2002",
    "let o: [W] = [{ w: 1 }]; for (let i = 0; i < 2; i++) { const n: [V] = [{ w: 1, v: x * 3 }]; o = n; } return (o as [V])[0].v;",
  ],
  [
    "nodes of a tree",
    "TSG3014",
    "const leaf = (v: number): Tree => { const made: Leaf = { kids: [], v }; return made; }; const sum = (t: Tree): number => t.kids.length === 0 ? (t as Leaf).v : t.kids.reduce((s, q) => s + sum(q), 0); return sum({ kids: [leaf(x), leaf(x * 2)] });",
  ],
  [
    "a member of a union",
    "TSG2002",
    'let s: { kind: string } = { kind: "a" }; for (let i = 0; i < 2; i++) { const n: Tagged = { kind: "b", v: x * 3 }; s = n; } const q = s as Tagged; return q.kind === "b" ? q.v : 0;',
  ],
  [
    "a list that was unknown",
    "TSG3014",
    "const n = [x, x * 3]; let o: unknown = null; for (let i = 0; i < 2; i++) o = n; return (o as number[])[1]!;",
  ],
  [
    "a number that was unknown",
    "TSG3014",
    'let o: unknown = null; for (let i = 0; i < 2; i++) o = x * 3; return typeof o === "number" ? o : 0;',
  ],
  [
    "one that is assigned once",
    "TSG3014",
    "let o = {}; o = { v: x * 3 }; return (o as { v: number }).v;",
  ],
  [
    "one that is written",
    "TSG3014",
    "const small: W = { w: x }; const c = small as V; const all: V[] = [c, c]; for (const each of all) each.v = 3 * x; return (small as V).v;",
  ],
  [
    "a dictionary",
    "TSG1201",
    'let o: object = {}; for (let i = 0; i < 2; i++) o = { v: x * 3 }; return (o as Record<string, number>)["v"]!;',
  ],
  [
    "one with an optional field",
    "TSG1201",
    "let o: {} = {}; for (let i = 0; i < 2; i++) o = { v: x * 3 }; return (o as { v?: number }).v ?? 0;",
  ],
  [
    "copies in a list",
    "TSG3014",
    "const o: W[] = [made(x)]; const c = o.map((p) => ({ ...p })) as V[]; return c[0]!.v;",
  ],
  [
    "what a pattern leaves",
    "TSG3015 TSG3014",
    "const o: [W] = [made(x)]; const [{ ...c }] = o; return (c as V).v;",
  ],
  [
    "optional fields, one behind another",
    "TSG3014",
    "const o: W[] = [made(x)], between: { w: number; q?: number }[] = o, c: { q?: number; v?: number }[] = between.map((p) => ({ ...p })); return c[0]!.v ?? 0;",
  ],
  [
    "optional fields behind one of any kind",
    "TSG3014",
    "const o: W[] = [made(x)], between: unknown[] = o, c = (between as { q?: number }[]).map((p) => ({ ...p })); return (c as { v?: number }[])[0]!.v ?? 0;",
  ],
  [
    "copies with an optional field",
    "TSG3014",
    "const o: W[] = [made(x)]; const c: W[] = o.map((p) => ({ ...p })), d: { w: number; v?: number }[] = c; return d[0]!.v ?? 0;",
  ],
  [
    "all that a variable holds",
    "TSG3015",
    "let p = { a: x }; const more = { a: x, b: 2 * x }; p = more; return Object.values(p).reduce((s, v) => s + v, 0);",
  ],
  [
    "each key of what branches leave",
    "TSG3015",
    'let p = { a: x }; if (x > 1) { const more = { a: x, b: 2 * x }; p = more; } let s = 0; for (const k in p) s += p[k as "a"]; return s;',
  ],
])("%s", (_, code, body) => {
  expect([...new Set(compiled(body).codes)]).toEqual(code.split(" "));
  expect(compiled(body, {})).toEqual({ codes: [], got: 3 });
});

test.each([
  [
    "the field is said to be optional",
    "let o: W = { w: 1 }; for (let i = 0; i < 2; i++) { const n: V = { w: 1, v: x * 3 }; o = n; } return (o as Partial<V>).v!;",
  ],
  [
    "a function that is written out takes its parameter for more",
    "const f = (o: W): number => (o as V).v; const n: V = { w: 1, v: x * 3 }; return f(n);",
  ],
  [
    "it has none of the fields that it is taken for",
    "const small = { w: 1 }; let s = 0; for (let i = 0; i < 3; i++) s += x * ((small as V).v ?? 1); return s;",
  ],
  ["it is made as what it is taken for", "const small: W = { w: x } as V; return small.w * 3;"],
  [
    "it is an instance",
    "let b = new Base(); for (let i = 0; i < 2; i++) b = new Derived(x * 3); return b instanceof Derived ? b.v : 1;",
  ],
  [
    "what is behind it comes first",
    "const n: V = { w: 1, v: x * 3 }; const whole = { ...n, w: 2 }; return whole.v;",
  ],
  [
    "it is no copy, and the field is said to be optional later",
    "const o: W[] = [made(x)], d: { w: number; v?: number }[] = o; return d[0]!.v ?? 0;",
  ],
  [
    "what is copied is known to have it",
    "const o = made(x) as W; const c: W = { ...o }; return (c as { w: number; v?: number }).v ?? 0;",
  ],
  [
    "a member without numbers stands beside options that may all be missing",
    'interface Options { rate?: number } type Item = { kind: "tax"; v: number } | { kind: "skip" }; const taxed = (t: number, item: Item, options: Options = {}): number => { const all = { ...{ rate: 1 }, ...options }; return item.kind === "tax" ? t + item.v * all.rate : t; }; const items: Item[] = [{ kind: "tax", v: 3 * x }, { kind: "skip" }]; return items.reduce((t, item) => taxed(t, item, { rate: 1 }), 0);',
  ],
  [
    "nobody asks for more",
    "const log: unknown[] = []; let last: unknown = null; for (let i = 0; i < 3; i++) { last = x; log.push(last, { x }); } return x * log.length / 2;",
  ],
  [
    "what is assigned has no more",
    "const made = { a: 0, b: 1 }, part: { a: number } = { a: x }; Object.assign(made, part); return 3 * made.a * made.b;",
  ],
])("static where %s", (_, body) => {
  expect(compiled(body)).toEqual({ codes: [], got: 3 });
});
