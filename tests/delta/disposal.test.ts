// `using` of resources whose disposal changes active numbers. In: who has the method, where the
// resource is declared. Out: values and derivatives of all orders and modes, by the engine that is
// chosen and by Delta. Oracle: the plain function and its differences. Blind to `await using`.

import { describe, expect, it } from "vitest";
import { variantsOf } from "../programs/variants.ts";
import { expectSlopes, type TwoNumbers } from "./slopes-of-two.ts";

/** What makes a resource of a number, whose disposal adds to `sum`. */
const RESOURCES: Readonly<Record<string, string>> = {
  "a class":
    "class R { constructor(public v: number) {} [Symbol.dispose](): void { sum += this.v * sum; } } const open = (v: number): Disposable & { v: number } => new R(v);",
  "a base class":
    "class B { constructor(public v: number) {} [Symbol.dispose](): void { sum += this.v * sum; } } class R extends B { [Symbol.dispose](): void { this.v *= 2; super[Symbol.dispose](); } } const open = (v: number): Disposable & { v: number } => new R(v);",
  "a literal":
    "const open = (v: number): Disposable & { v: number } => ({ v, [Symbol.dispose](): void { sum += this.v * sum; } });",
  "a captured variable":
    "const open = (v: number): Disposable & { v: number } => ({ get v(): number { return v; }, set v(x: number) { v = x; }, [Symbol.dispose]: () => { sum += v * sum; } });",
};

/** Functions of `a` and `b`, which declare resources. */
const PLACES: Readonly<Record<string, string>> = {
  block: "{ using r = open(a); r.v *= b; } return sum * a;",
  "several of a function":
    "const g = (): number => { using r = open(a), t = open(b); r.v += t.v; return a * b * sum; }; return g() * sum;",
  "without a read": "{ using _ = open(a * b); } return sum * a;",
  nothing:
    "{ using r = open(a); using n = null; using u = undefined; r.v *= n === u ? 2 : b; } return sum;",
  loop: "for (let i = 0; i < 3; i++) { using r = open(a + i); if (i === 1) continue; r.v *= b; } return sum;",
  "of a loop":
    "for (using r of [open(a), open(b), open(a * b)]) { r.v *= sum; if (sum > 2) break; } return sum;",
  constructor:
    "class C { v: number; constructor() { using r = open(a); r.v *= b; this.v = a * sum; } } return new C().v * sum;",
  "constructor of the module": "const h = new Held(a); return h.v * sum * b;",
  "accessor of the module": "const h = new Held(a); return h.twice * sum * b;",
  accessor:
    "class C { get v(): number { using r = open(a); r.v *= b; return a * sum; } } return new C().v * sum;",
  callback:
    "return [a, b].reduce((s, x) => { using r = open(x); r.v *= b; return s + x * sum; }, 1) * sum;",
  switch:
    "switch (a > 0) { case true: { using r = open(a); r.v *= b; break; } default: return a; } return sum;",
  throw:
    "try { using r = open(a); if (r.v > 0) throw new Error('left'); } catch { sum *= b; } return sum;",
  generator:
    "const g = function* (): Generator<number> { using r = open(a); yield r.v; r.v *= b; yield r.v; }; for (const x of g()) sum *= x; return sum;",
};

const FORMS = (options: string): string => `
export const grads = [
  () => grad(f, { argnums: [0, 1]${options} })(0.7, 1.9),
  () => vjp(f, { argnums: [0, 1]${options} })(0.7, 1.9)[1](1),
  () => [[1, 0], [0, 1]].map(([da, db]) => jvp(f, { hasAux: false${options} })([0.7, 1.9], [da!, db!])[1]),
];
export const value = () => valueAndGrad(f, { hasAux: false${options} })(0.7, 1.9)[0];
export const second = () => hvp(f, { hasAux: false${options} })([0.7, 1.9], 1);
`;
const PROGRAMS: Record<string, string> = {};
for (const [owner, resource] of Object.entries(RESOURCES))
  for (const [place, body] of Object.entries(PLACES))
    for (const [engine, options] of [
      ["chosen", ""],
      ["Delta", ', engine: "delta"'],
    ] as const)
      PROGRAMS[`${owner}, ${place}, ${engine}`] =
        `import { grad, hvp, jvp, valueAndGrad, vjp } from "tsgrad";\nlet sum = 1;\n${resource}\nclass Held { v: number; constructor(a: number) { using r = open(a); r.v *= 2; this.v = a * sum; } get twice(): number { using r = open(this.v); return sum * 2; } }\nfunction of(a: number, b: number): number { ${body} }\nexport function f(a: number, b: number): number { sum = 1; const r = of(a, b) * sum; sum = 1; return r; }\n${FORMS(options)}`;
const OPTIONS = { lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"] };
const variants = variantsOf(PROGRAMS, OPTIONS);

interface Exports extends TwoNumbers {
  readonly value: () => number;
}

describe.each(Object.keys(PROGRAMS))("%s", (name) => {
  it("has its value and derivatives", () => {
    const { errors, exports } = variants(name);
    expect(errors).toEqual([]);
    const made = exports() as unknown as Exports;
    expect(made.value()).toBe(made.f(0.7, 1.9));
    expectSlopes(made);
  });
});

it("of a disposal that waits is refused", () => {
  const program = `import { grad } from "tsgrad";\nasync function f(a: number): Promise<number> { let s = 0; { await using r = { async [Symbol.asyncDispose]() { s += a; } }; } return s; }\nexport const g = grad(f);`;
  expect(variantsOf({ program }, OPTIONS)("program").errors).toEqual(["TSG1301"]);
});
