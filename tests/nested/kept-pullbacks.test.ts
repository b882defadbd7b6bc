// Pullbacks within what is differentiated: kept in lists and records, passed to functions, and of
// arguments that are instances, Maps and unions. In: bodies of a function of two numbers. Out:
// gradients as by central differences, without an engine named.

import { describe, expect, it } from "vitest";
import { variantsOf } from "../programs/variants.ts";

const FUNCTIONS = `class P { a: number; b: number; constructor(a: number, b: number) { this.a = a; this.b = b; } size(): number { return this.a ** 3 * this.b; } }
type S = { kind: "a"; r: number } | { kind: "b"; q: number[] };
const sum = (v: readonly number[]): number => v.reduce((s, y) => s + y, 0);
const f = (v: number[]): number => v[0]! ** 3 * v[1]!;
const g = (a: number, b: number): number => a ** 3 * Math.sin(b);
const ofPoint = (p: P): number => p.size();
const ofMap = (m: Map<string, number>): number => [...m.values()].reduce((s, y) => s * y * y, 1);
const ofUnion = (s: S): number => (s.kind === "a" ? s.r ** 3 : s.q[0]! * s.q[1]! ** 2);
const ofLists = (v: number[][]): number[] => v.map((row) => sum(row) ** 2);
void [sum, f, g, ofPoint, ofMap, ofUnion, ofLists];
`;
const BODIES: Readonly<Record<string, string>> = {
  "a list":
    "const all = [vjp(f)(x), vjp(f)(x.map((v) => v * 2))]; let s = 0; for (const [y, back] of all) s += back(x[1]!)[0][0]! + y; return s;",
  "a list by map":
    "const all = x.map((v) => vjp(g)(v, 2)); return all.reduce((s, [y, back]) => s + y + back(y)[0], 0);",
  "pullbacks alone":
    "const all = x.map((v) => vjp(g)(v, x[0]!)[1]); let s = 0; for (const back of all) { const [a, b] = back(1); s += a * b; } return s;",
  "pushed in a loop":
    "const all: ((bar: number) => [number, number])[] = []; for (const v of x) all.push(vjp(g)(v, v)[1]); let bar = 1; for (let k = all.length - 1; k >= 0; k--) bar = all[k]!(bar)[0]; return bar;",
  "a record":
    "const kept = { first: vjp(f)(x), scale: x[0]! }; return kept.first[1](kept.scale)[0][1]!;",
  "a Map":
    "const kept = new Map(x.map((v, k) => [k, vjp(g)(v, x[1]!)] as const)); return kept.get(0)![1](2)[0] + kept.get(1)![0];",
  "passed to a function":
    "const pulled = (back: (bar: number) => [number[]], bar: number): number => sum(back(bar)[0]); return pulled(vjp(f)(x)[1], x[0]!);",
  "returned by a function":
    "const at = (v: number[]): ((bar: number) => [number[]]) => vjp(f)(v)[1]; return sum(at(x)(x[1]!)[0]);",
  "one of two":
    "const back = x[0]! > 1 ? vjp(f)(x)[1] : vjp(f)([x[1]!, x[0]!])[1]; return back(x[0]!)[0][0]!;",
  "an instance":
    "const [y, back] = vjp(ofPoint)(new P(x[0]!, x[1]!)); const [d] = back(y); return d.a * d.b;",
  "an instance of the argument":
    "const p = new P(x[0]!, x[1]!); const back = vjp(ofPoint)(p)[1]; p.a *= 2; const [d] = back(x[1]!); return d.a * d.b * p.a;",
  "a Map of numbers": `const [y, back] = vjp(ofMap)(new Map([["a", x[0]!], ["b", x[1]!]])); const [d] = back(y); return d.get("a")! * d.get("b")!;`,
  "a union": `const one: S = { kind: "b", q: x }; const [y, back] = vjp(ofUnion)(one); const [d] = back(y); return "q" in d ? d.q[0]! * d.q[1]! : 0;`,
  "lists of lists":
    "const all = [vjp(ofLists)([x, [1, x[0]!]])]; const [y, back] = all[0]!; const [d] = back(y); return d[0]![1]! * d[1]![1]!;",
  "a dense derivative of a Map": `const j = jacrev(ofMap)(new Map([["a", x[0]!], ["b", x[1]!]])); return j.get("a")! * j.get("b")!;`,
  "a Hessian of an instance":
    "const d = hvp(ofPoint)([new P(x[0]!, x[1]!)], { a: 1, b: x[0]! }); return d.a * d.b;",
};
const POINT = [1.1, 0.7];
const STEP = 1e-5;

const variants = variantsOf(
  Object.fromEntries(
    Object.entries(BODIES).map(([name, body]) => {
      const used = ["vjp", "jacrev", "hvp"].filter((form) => body.includes(`${form}(`));
      return [
        name,
        `import { grad, ${used.join(", ")} } from "tsgrad";
${FUNCTIONS}export const value = (x: number[]): number => { ${body} };
export const gradient = grad(value);
export const byDelta = grad(value, { engine: "delta" });
`,
      ];
    }),
  ),
);

describe("as by differences", () => {
  it.each(Object.keys(BODIES))("%s", (name) => {
    const { errors, exports } = variants(name);
    expect(errors).toEqual([]);
    const { value, gradient, byDelta } = exports();
    const call = (f: unknown, x: number[]): unknown => {
      if (typeof f !== "function") throw new Error("no function");
      return Reflect.apply(f, undefined, [x]) as unknown;
    };
    for (const found of [call(gradient, POINT), call(byDelta, POINT)])
      POINT.forEach((_, k) => {
        const [up, down] = [STEP, -STEP].map((by) =>
          Number(
            call(
              value,
              POINT.map((x, i) => (i === k ? x + by : x)),
            ),
          ),
        );
        const slope = ((up ?? NaN) - (down ?? NaN)) / (2 * STEP);
        const own = Array.isArray(found) ? Number(found[k]) : NaN;
        expect(Math.abs(own - slope)).toBeLessThan(1e-7 * Math.max(1, Math.abs(slope)));
      });
  });
});
