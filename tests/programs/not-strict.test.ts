// Programs without `strictNullChecks`, whose types do not say what may be missing. Oracles: those of the corpus, differences first of all. What asks whether
// an object is there goes through the Delta engine; what does not has a static derivative, as elsewhere.

import { describe, expect, it } from "vitest";
import { corpusOf } from "./corpus.ts";
import { problemsOf } from "./run.ts";

const PROGRAMS: Readonly<Record<string, string>> = {
  "a list that ends": `class N { next: N; constructor(public v: number) {} }
export function f(xs: number[]): number { let head: N = null; for (const x of xs) { const n = new N(x * x); n.next = head; head = n; } let s = 0; for (let n = head; n; n = n.next) s = s * 0.5 + n.v; return s; }
export const args = [[[1, 2, 3]], [[]]];`,
  "a tree": `interface T { v: number; l: T; r: T }
const ins = (t: T, v: number): T => (!t ? { v, l: null, r: null } : v < t.v ? { ...t, l: ins(t.l, v) } : { ...t, r: ins(t.r, v) });
const walk = (t: T): number => (t ? walk(t.l) * 0.5 + t.v + walk(t.r) * 0.3 : 0);
export function f(xs: number[]): number { let t: T; for (const x of xs) t = ins(t, x); return walk(t); }
export const args = [[[2, 1, 3.5]], [[]]];`,
  "the best so far": `interface R { v: number; next?: { v: number } }
export function f(rows: R[]): number { let best: R = null; for (const r of rows) if (!best || r.v > best.v) best = r; return best ? best.v * (best.next ? best.next.v : 2) : 0; }
export const args = [[[{ v: 1 }, { v: 3, next: { v: 4 } }]], [[]]];`,
  options: `interface O { k?: number; clip?: [number, number]; sub?: { z: number }; name?: string; mode?: "sq" }
export function f(x: number, o?: O): number { if (!o) return x * x; const y = o.clip ? Math.min(Math.max(x, o.clip[0]), o.clip[1]) : x * (o.k || 3); return y * (o.sub?.z ?? x) + (o.name?.length ?? 2) * x; }
export const args = [[2, undefined], [2, { clip: [0, 1.5] }], [2, { k: 4, name: "abc" }], [2, { sub: { z: 3 } }], [2, {}]];
export const argnums = [0];`,
  "equality with null": `export function f(x: number, rows: { w: number }[], extra: { w: number }): number { let s = x; if (extra !== null && extra !== undefined) s *= extra.w; return rows == null ? s : rows.reduce((t, r) => t + r.w * s, 0); }
export const args = [[2, [{ w: 3 }], null], [2, null, { w: 5 }], [2, [{ w: 3 }], { w: 7 }]];
export const argnums = [0];`,
  "numbers and texts": `const first = (xs: number[], p: (v: number) => boolean): number => { for (const v of xs) if (p(v)) return v; return undefined; };
export function f(xs: number[], label?: string, k?: number): number { const v = first(xs, (x) => x > 10); const y = v === undefined ? xs[0] * xs[0] : v; return y * (typeof k === "number" ? k : xs[1]) + (label ? label.length : 1) * xs[0] + (label?.charCodeAt(0) ?? 0) * xs[1]; }
export const args = [[[1.5, 2], "ab", 3], [[2, 11.5]]];
export const argnums = [0];`,
};

const sources = Object.entries(PROGRAMS).map(([name, text]) => ({
  name: name.replaceAll(" ", "-"),
  main: `${name.replaceAll(" ", "-")}.ts`,
  files: { [`${name.replaceAll(" ", "-")}.ts`]: text },
}));
const { programs } = corpusOf(sources, { strict: false });

describe("without strictNullChecks", () => {
  it.each(sources.map(({ name }) => name))("%s", (name) => {
    const program = programs.get(name);
    if (program === undefined) throw new Error(`no program ${name}`);
    expect(problemsOf(program)).toEqual([]);
  });

  it("writes a static derivative where nobody asks for an object", () => {
    const texts = (name: string): string =>
      [...(programs.get(name)?.edited.values() ?? [])].join("\n");
    expect(texts("numbers-and-texts")).toContain("f$grad");
    expect(texts("numbers-and-texts")).not.toContain("$d.");
    expect(texts("a-tree")).toContain("$d.");
  });
});
