// Lists of instances as arguments (runtime/delta/rows.ts, inputs.ts), and methods that read their own fields by name (transformer/delta/handles.ts). In: instances that are alike, frozen, behind accessors, of several
// classes, at two places; fields that a method writes between two reads. Oracles: closed forms. Each derivative is asked for twice.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

const CLASSES = `export class P { constructor(public x: number, public y: number) {} r2(): number { return this.x * this.x + this.y * this.y; } move(d: number): number { const before = this.x; this.x = this.x * d + this.y; return this.x * before; } }
export class Q extends P { override r2(): number { return super.r2() * this.x; } }
export class R { constructor(public x: number, private readonly k: number) {} get y(): number { return this.x * this.k; } r2(): number { return this.x * this.y + this.k; } }
const sum = (ps: readonly (P | R)[]): number => { let s = 0; for (const p of ps) s += p.r2(); return s; };
`;

/** `of`: the function, `args`: its arguments, `asked`: what makes the derivative of it. */
interface Case {
  readonly of: string;
  readonly args: string;
  readonly asked?: string;
  readonly gives: unknown;
}

const CASES: Readonly<Record<string, Case>> = {
  "instances that are alike": {
    of: "(ps: P[]): number => sum(ps) * ps[0]!.x",
    args: "[[new P(1, 2), new P(3, 4)]]",
    gives: [
      { x: 2 + 30, y: 4 },
      { x: 6, y: 8 },
    ],
  },
  none: { of: "(ps: P[]): number => sum(ps)", args: "[[] as P[]]", gives: [] },
  "frozen ones": {
    of: "(ps: readonly P[]): number => sum(ps)",
    args: "[[Object.freeze(new P(1, 2)), new P(3, 4)] as const]",
    gives: [
      { x: 2, y: 4 },
      { x: 6, y: 8 },
    ],
  },
  "of two classes with the same fields": {
    of: "(ps: P[]): number => sum(ps)",
    args: "[[new P(1, 2), new Q(3, 4)]]",
    gives: [
      { x: 2, y: 4 },
      { x: 25 + 18, y: 24 },
    ],
  },
  "behind an accessor": {
    of: "(ps: R[]): number => sum(ps)",
    args: "[[new R(2, 3), new R(1, 5)]]",
    gives: [
      { x: 12, k: 5 },
      { x: 10, k: 2 },
    ],
  },
  "fields in another order": {
    of: "(ps: { x: number; y: number }[]): number => ps.reduce((s, p) => s + p.x * p.x * p.y, Math.fround(0))",
    args: "[[{ x: 1, y: 2 }, { y: 3, x: 4 }]]",
    gives: [
      { x: 4, y: 1 },
      { x: 24, y: 16 },
    ],
  },
  "one with an accessor of its own": {
    of: "(ps: P[]): number => ps[0]!.x * ps[1]!.x + new P(1, 1).r2()",
    args: '[[new P(2, 0), Object.defineProperty(new P(0, 0), "x", { get: () => 3, enumerable: true })]]',
    gives: [{ x: 3, y: 0 }, { y: 0 }],
  },
  "lists of lists": {
    of: "(all: P[][]): number => all.reduce((s, ps) => s * sum(ps), 1)",
    args: "[[[new P(1, 1)], [new P(2, 1), new P(0, 1)]]]",
    gives: [
      [{ x: 12, y: 12 }],
      [
        { x: 8, y: 4 },
        { x: 0, y: 4 },
      ],
    ],
  },
  "beside another argument": {
    of: "(ps: P[], k: number, others: P[]): number => sum(ps) * k + sum(others) * k",
    args: "[[new P(1, 2)], 3, [new P(1, 1)]]",
    gives: [{ x: 6, y: 12 }],
  },
  "one instance at two places": {
    of: "(ps: P[]): number => sum(ps)",
    args: "(() => { const p = new P(1, 2); return [[p, new P(1, 1), p]]; })()",
    gives: "TSG0004 argument 0 holds one object twice",
  },
  "a row that stands beside its list": {
    of: "(o: { ps: P[]; best: P }): number => sum(o.ps) + o.best.x",
    args: "(() => { const p = new P(1, 2); return [{ ps: [p, new P(1, 1)], best: p }]; })()",
    gives: "TSG0004 argument 0 holds one object twice",
  },
  "a row that stood before its list": {
    of: "(o: { best: P; ps: P[] }): number => sum(o.ps) + o.best.x",
    args: "(() => { const p = new P(1, 2); return [{ best: p, ps: [p, new P(1, 1)] }]; })()",
    gives: "TSG0004 argument 0 holds one object twice",
  },
  "a row of another argument": {
    of: "(ps: P[], others: P[]): number => sum(ps) * sum(others)",
    args: "(() => { const p = new P(1, 2); return [[p], [new P(1, 1), p]]; })()",
    gives: "TSG0004 argument 0 and argument 1 are or share the same object",
  },
  "both lists asked for": {
    of: "(ps: P[], others: P[]): number => sum(ps) * sum(others)",
    args: "(() => { const p = new P(1, 2); return [[p], [p]]; })()",
    asked: 'grad(f, { engine: "delta", argnums: [0, 1] })',
    gives: "TSG0004 argument 0 and argument 1 are or share the same object",
  },
  "a pullback": {
    of: "(ps: P[]): number[] => ps.map((p) => p.r2())",
    args: "[[new P(1, 2), new P(3, 4)]]",
    asked:
      '(() => { const back = vjp(f, { engine: "delta" }); return (ps: P[]) => back(ps)[1]([1, 10])[0]; })()',
    gives: [
      { x: 2, y: 4 },
      { x: 60, y: 80 },
    ],
  },
  "a tangent": {
    of: "(ps: P[]): number => sum(ps)",
    args: "[[new P(1, 2), new P(3, 4)]]",
    asked: '(ps: P[]) => jvp(f, { engine: "delta" })([ps], [[{ x: 1, y: 0 }, { x: 0, y: 1 }]])[1]',
    gives: 10,
  },
  "an inner derivative": {
    of: '(ps: P[]): number => { const inner = grad((qs: P[]): number => sum(qs), { engine: "delta" }); return inner([new P(1, 2)])[0]!.x * ps[0]!.x; }',
    args: "[[new P(3, 1)]]",
    gives: [{ x: 2, y: 0 }],
  },
  "a field that is written between two reads": {
    of: "(ps: P[]): number => { const p = new P(ps[0]!.x, ps[0]!.y); return p.move(3) + p.r2(); }",
    args: "[[new P(2, 1)]]",
    gives: [{ x: 6 * 2 + 1 + 2 * 7 * 3, y: 2 + 2 * 7 + 2 }],
  },
};

test.each(Object.keys(CASES))("%s", (name) => {
  const {
    of,
    args,
    asked = 'grad(f, { engine: "delta" })',
    gives,
  } = CASES[name] ?? { of: "", args: "", gives: null };
  const text = `import { grad${/jvp\(/.test(asked) ? ", jvp" : /vjp\(/.test(asked) ? ", vjp" : ""} } from "tsgrad";\n${CLASSES}const f = ${of};\nconst g = ${asked};\nexport const once = (): unknown => (g as any)(...${args});\n`;
  const program = programOf({ "p.ts": text });
  const { edits, diagnostics } = analyse(program);
  const after = applyEdits("/src/p.ts", text, edits.get("/src/p.ts") ?? []).text;
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(typeErrors(programOf({ "p.ts": after }))).toEqual([]);
  const { once } = loader(new Map([["/src/p.ts", after]]))("/src/p.ts");
  for (let round = 0; round < 2; round++) {
    if (typeof once !== "function") throw new Error("no function");
    if (typeof gives === "string") expect(() => once()).toThrow(gives.slice(8));
    else expect(once()).toEqual(gives);
  }
});

/** Types whose members a class declares, and what is given for `g`. */
const SEEN_AS: Readonly<Record<string, string>> = {
  "Readonly<Gain>": "gain",
  "Required<Gain>": "gain",
  "Partial<Gain>": "gain",
  'Pick<Gain, "apply">': "gain",
  'Omit<Gain, "k">': "gain",
  "{ [K in keyof Gain]: Gain[K] }": "gain",
  "{ -readonly [K in keyof Gain]?: Gain[K] }": "gain",
  "Gain & { readonly extra?: number }": "gain",
  "Readonly<Gain> & { readonly extra?: number }": "gain",
  "Readonly<Gain> | null": "gain",
  "Readonly<Pick<Gain, 'apply' | 'k'>>": "gain",
  "Readonly<Louder>": "new Louder(2)",
  "Readonly<Generic<number>>": "new Generic<number>(2)",
  "(typeof all)[number]": "gain",
};

describe.each(["", `, engine: "delta"`])("a method of a type over a class%s", (engine) => {
  test.each(Object.entries(SEEN_AS))("%s", (type, given) => {
    const source = `import { grad } from "tsgrad";
export class Gain { constructor(public k: number) {} apply(x: number): number { return this.k * x; } }
export class Louder extends Gain { scale = 1; }
export class Generic<T extends number> { constructor(public k: T) {} apply(x: number): number { return this.k * x; } }
const gain = new Gain(2);
const all: readonly Readonly<Gain>[] = [gain];
function f(g: ${type}, x: number): number { return g!.apply!(x) * x * all.length; }
export const value = grad(f, { argnums: 1${engine} })(${given}, 3);
`;
    const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
    expect(diagnostics).toEqual([]);
    const { value } = loader(
      new Map([
        [
          "/src/input.ts",
          applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text,
        ],
      ]),
    )("/src/input.ts");
    expect(value).toBe(12);
  });
});
