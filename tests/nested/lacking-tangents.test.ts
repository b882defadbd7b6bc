// Tangents that lack fields of their arguments, as a cast, JSON or an optional field lets them. Both
// engines take 0 there. Oracle: the same tangent with the zeros written out.

import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { built } from "./compiled.ts";

const HEAD = `import { hvp, jvp, linearize } from "tsgrad";
interface Inner { u: number; v: number }
interface Model { a: number; b: number; inner: Inner; list: Inner[]; opt?: number; name: string }
class Point { constructor(public u: number, public v: number, public label = "p") {} }
const of = (i: Inner): number => i.u * i.u * i.v + Math.sin(i.v);
const model = (m: Model): number =>
  m.a * m.b * m.b + of(m.inner) * m.a + m.list.reduce((s, i) => s + of(i), 0) + (m.opt ?? 0) ** 3;
const point = (p: Point): number => p.u * p.u * p.v ** 3;
const table = (t: Map<string, Inner>): number => { let s = 0; for (const i of t.values()) s += of(i); return s; };
const M = (): Model => ({ a: 2, b: 3, inner: { u: 1, v: 2 }, list: [{ u: 4, v: 5 }, { u: 6, v: 7 }], opt: 2, name: "m" });
const T = { a: 1, b: 2, inner: { u: 3, v: 4 }, list: [{ u: 5, v: 6 }, { u: 7, v: 8 }], opt: 9 };
`;

/** Function, argument, a tangent that lacks something, and the same one with zeros. */
const CASES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  "a number": ["model", "M()", "{ a: 1, inner: T.inner, list: T.list, opt: 9 }", "{ ...T, b: 0 }"],
  "a record": [
    "model",
    "M()",
    "{ a: 1, b: 2, list: T.list, opt: 9 }",
    "{ ...T, inner: { u: 0, v: 0 } }",
  ],
  "a field of a record": [
    "model",
    "M()",
    "{ ...T, inner: { u: 3 } }",
    "{ ...T, inner: { u: 3, v: 0 } }",
  ],
  "a field of an element": [
    "model",
    "M()",
    "{ ...T, list: [{ v: 6 }, { u: 7 }] }",
    "{ ...T, list: [{ u: 0, v: 6 }, { u: 7, v: 0 }] }",
  ],
  "an optional number": [
    "model",
    "M()",
    "{ a: 1, b: 2, inner: T.inner, list: T.list }",
    "{ ...T, opt: 0 }",
  ],
  "everything but one number": [
    "model",
    "M()",
    "{ a: 1 }",
    "{ a: 1, b: 0, inner: { u: 0, v: 0 }, list: [{ u: 0, v: 0 }, { u: 0, v: 0 }], opt: 0 }",
  ],
  "a field of an instance": ["point", "new Point(2, 3)", "{ u: 1 }", "{ u: 1, v: 0 }"],
  "a field of a Map's value": [
    "table",
    `new Map([["k", { u: 2, v: 3 }]])`,
    `new Map([["k", { v: 1 }]])`,
    `new Map([["k", { u: 0, v: 1 }]])`,
  ],
};

const FORMS: Readonly<Record<string, (f: string, at: string, t: string) => string>> = {
  jvp: (f, at, t) => `jvp(${f})([${at}], [${t}])[1]`,
  hvp: (f, at, t) => `hvp(${f})([${at}], ${t})`,
  linearize: (f, at, t) => `linearize(${f})(${at})[1].apply([${t}])`,
};

const runsOf = (engine: string): Readonly<Record<string, unknown>> => {
  const runs = Object.entries(CASES).flatMap(([lacking, [f, at, short, whole]]) =>
    Object.entries(FORMS).map(([form, written]) => {
      const fn = engine === "delta" ? `${f}, { engine: "delta" }` : f;
      const of = (t: string): string => `() => ${written(fn, at, `${t} as any`)}`;
      return `${JSON.stringify(`${lacking}: ${form}`)}: [${of(short)}, ${of(whole)}],`;
    }),
  );
  return built(`${HEAD}export const runs: Record<string, unknown> = {\n${runs.join("\n")}\n};\n`)
    .exports["runs"] as Readonly<Record<string, unknown>>; // as written above
};

describe.each(["static", "delta"])("%s engine: a tangent lacks", (engine) => {
  const runs = runsOf(engine);
  it.each(Object.keys(runs))("%s", (name) => {
    const [short, whole] = runs[name] as readonly [() => unknown, () => unknown];
    const expected = whole();
    expect(inspect(expected, { depth: null })).toMatch(/^(?!.*NaN).*[1-9]/s);
    expect(short()).toEqual(expected);
  });
});
