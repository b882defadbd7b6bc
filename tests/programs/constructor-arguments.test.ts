// Constructors whose parameters take values of several kinds: each `new` is lowered for its own arguments. In: classes and
// what is passed. Out: gradients by the static engine against central differences, whose error is below 1e-8 of the size here.

import { expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

const AT = [0.7, 1.9, 2.3];
const TESTS = `
function isNumber(v: unknown): v is number { return typeof v === "number"; }
const isList = (v: number | number[]): v is number[] => !isNumber(v);
class Tests { static isNumber(v: unknown): v is number { return (typeof v === "number"); } }
`;
const SUM = "sum(): number { let s = 0; for (const e of this.data) s += e * e * e; return s; }";
const EACH = "for (const e of n) this.data.push(e);";

/** A class by the parameters and the body of its constructor, and expressions of `x`. */
const CASES: readonly (readonly [
  what: string,
  ctor: string,
  body: string,
  calls: readonly string[],
])[] = [
  [
    "a number or a list, in a loop",
    "n: number | number[]",
    `if (typeof n === "number") for (let i = 0; i < n; i++) this.data.push(i + n); else ${EACH}`,
    ["new C(x).sum()", "new C(2).sum() * x[0]!", "new C(x).sum() + new C(3).sum() * x[1]!"],
  ],
  [
    "a number or a list, pushed",
    "n: number | number[]",
    `if (typeof n === "number") this.data.push(n); else ${EACH}`,
    ["new C(x).sum()", "new C(x[1]!).sum()", "new C(x).sum() * new C(x[0]!).sum()"],
  ],
  [
    "Array.isArray",
    "n: number | readonly number[]",
    `if (Array.isArray(n)) { ${EACH} } else this.data.push(n as number);`,
    ["new C(x).sum()"],
  ],
  [
    "another order",
    "n: number[] | number",
    `if (typeof n !== "number") { ${EACH} } else { this.data.push(2 * n); }`,
    ["new C(x).sum()", "new C(x[2]!).sum()"],
  ],
  [
    "a choice",
    "n: number | number[]",
    `const v = typeof n === "number" ? n : n[0]!; this.data.push(v);`,
    ["new C(x).sum()", "new C(x[1]!).sum()"],
  ],
  [
    "three kinds",
    "n: number | number[] | Float64Array",
    `if (typeof n === "number") this.data.push(n); else if (Array.isArray(n)) for (const e of n) this.data.push(2 * e); else for (const e of n) this.data.push(e);`,
    ["new C(x).sum()", "new C(Float64Array.from(x)).sum()", "new C(x[0]!).sum()"],
  ],
  [
    "rows",
    "n: number | number[][]",
    `if (typeof n === "number") for (let i = 0; i < n; i++) this.data.push(0); else for (const r of n) for (const e of r) this.data.push(e);`,
    ["new C([[x[0]!, x[1]!], [x[2]!]]).sum()"],
  ],
  [
    "its own instances",
    "n: C | number[]",
    `if (n instanceof C) for (const e of n.data) this.data.push(2 * e); else ${EACH}`,
    ["new C(x).sum()", "new C(new C(x)).sum()"],
  ],
  [
    "two parameters",
    "n: number | number[], m?: number",
    `if (typeof n === "number") for (let i = 0; i < n; i++) this.data.push(m! * i); else ${EACH}`,
    ["new C(x).sum()", "new C(3, x[0]!).sum()"],
  ],
  [
    "array-likes",
    "n: ArrayLike<number>",
    `for (let i = 0; i < n.length; i++) this.data.push(n[i]!);`,
    ["new C(x).sum()", "new C(Float64Array.of(x[0]!, x[1]!)).sum()"],
  ],
  [
    "arguments",
    "_a: number, _b: number, _c: number",
    `for (let i = 0; i < arguments.length; i++) this.data.push(arguments[i]);`,
    ["new C(x[0]!, x[1]!, x[2]!).sum()"],
  ],
  [
    "arguments as a list",
    "_a: number, _b: number",
    `this.data = Array.from(arguments).slice();`,
    ["new C(x[0]!, x[1]!).sum()"],
  ],
  [
    "arguments, counted",
    "a: number, b?: number",
    `this.data.push(a); if (arguments.length > 1) this.data.push(b!);`,
    ["new C(x[0]!).sum()", "new C(x[0]!, x[2]!).sum()"],
  ],
  [
    "Number.isInteger",
    "n: number[] | number",
    `if (Number.isInteger(n)) for (let i = 0; i < (n as number); i++) this.data.push(i); else for (const e of n as number[]) this.data.push(e);`,
    ["new C(x).sum()"],
  ],
  [
    "a predicate",
    "n: number[] | number",
    `if (isNumber(n)) this.data.push(n); else ${EACH}`,
    ["new C(x).sum()", "new C(x[1]!).sum()"],
  ],
  [
    "an arrow predicate of another",
    "n: number[] | number",
    `if (isList(n)) { ${EACH} } else this.data.push(n);`,
    ["new C(x).sum()", "new C(x[1]!).sum()"],
  ],
  [
    "a static predicate",
    "n: number[] | number",
    `if (!Tests.isNumber(n)) { ${EACH} } else this.data.push(n);`,
    ["new C(x).sum()", "new C(x[1]!).sum()"],
  ],
];

const VARIANTS = CASES.flatMap(([what, parameters, body, calls]) =>
  ["", "base"].flatMap((base) =>
    calls.map((call) => [what, base, parameters, body, call] as const),
  ),
);

test.each(VARIANTS)("%s %s (%s) %s %s", (_, base, parameters, body, call) => {
  const own =
    base === ""
      ? `class C { data: number[] = []; constructor(${parameters}) { ${body} } ${SUM} }`
      : `abstract class B { data: number[] = []; ${SUM} } class C extends B { constructor(${parameters}) { super(); ${body} } }`;
  const { exports } = built(
    `import { grad } from "tsgrad";\n${TESTS}${own}\nexport const f = (x: number[]): number => ${call};\nexport const d = grad(f, { engine: "static" });\n`,
  );
  const f = exports["f"] as (x: number[]) => number; // the text above declares both
  const d = exports["d"] as (x: number[]) => number[];
  const gradient = d([...AT]);
  for (const i of AT.keys()) {
    const moved = (by: number): number => f(AT.map((v, k) => (k === i ? v + by : v)));
    const expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
    expect(Math.abs((gradient[i] ?? NaN) - expected)).toBeLessThan(
      1e-6 * Math.max(1, Math.abs(expected)),
    );
  }
});
