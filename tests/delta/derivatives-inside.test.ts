// Where a form is called within what the Delta engine differentiates. In: ways to write, name and
// reach the call; TypeScript and JavaScript. Out: the outer derivative. Oracle: by hand. Blind to
// packages that call forms themselves.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

/** How the form is imported, and its name then. */
const IMPORTS: readonly (readonly [how: string, imported: string, form: string])[] = [
  ["by name", `import { grad } from "tsgrad";`, "grad"],
  ["renamed", `import { grad as slope } from "tsgrad";`, "slope"],
  ["namespace", `import * as ad from "tsgrad";`, "ad.grad"],
  ["through a module", `import { slope } from "./forms.js";`, "slope"],
];

/** Statements before `f`, and ∂(y² x) / ∂y at y, in terms of FORM. */
const PLACES: readonly (readonly [where: string, before: string, inner: string])[] = [
  ["in the function", "", "FORM((o) => o * o * x)(y)"],
  ["in a function", "function within(x, y) { return FORM((o) => o * o * x)(y); }", "within(x, y)"],
  ["in an arrow", "const within = (x, y) => FORM((o) => o * o * x)(y);", "within(x, y)"],
  [
    "in a method",
    "class At { constructor(y) { this.y = y; } slope(x) { return FORM((o) => o * o * x)(this.y); } }",
    "new At(y).slope(x)",
  ],
  [
    "in an object",
    "const lib = { within: (x, y) => FORM((o) => o * o * x)(y) };",
    "lib.within(x, y)",
  ],
  ["of the module", "const alone = FORM((p) => p[0] * p[0] * p[1]);", "alone([y, x])[0]"],
  ["in a module", `import { within } from "./lib.js";`, "within(x, y)"],
  ["in a module's object", `import * as lib from "./lib.js";`, "lib.methods.within(x, y)"],
];

/** JavaScript has no types, so that the static engine leaves it to Delta. */
const typed = (text: string): string =>
  text
    .replace(/\(\(p\) =>/g, "((p: number[]) =>")
    .replace(/\(\(o\) =>/g, "((o: number) =>")
    .replace(/\(x, y\)(?= (?:=>|\{))/g, "(x: number, y: number)")
    .replace(/constructor\(y\) \{/, "y: number; constructor(y: number) {")
    .replace(/slope\(x\) \{/, "slope(x: number) {");

const [X, Y] = [1.1, 0.7];
const SLOPE = Math.cos(2 * Y * X);
const EXPECTED = [Math.sin(2 * Y * X), [SLOPE * 2 * Y, SLOPE * 2 * X]];

/** What `d` of each place gives at the point. */
function gradients(
  [, imported, form]: (typeof IMPORTS)[number],
  places: typeof PLACES,
  isTyped: boolean,
): readonly unknown[] {
  const end = isTyped ? "ts" : "js";
  const named = (text: string): string => {
    const own = text.replaceAll("FORM", form);
    return isTyped ? typed(own) : own;
  };
  const files = Object.fromEntries([
    [`forms.${end}`, `export { grad as slope } from "tsgrad";\n`],
    [
      `lib.${end}`,
      named(
        `${imported}\nexport const within = (x, y) => FORM((o) => o * o * x)(y);\nexport const methods = { within };\n`,
      ),
    ],
    ...places.map(([, before, inner], k): [string, string] => [
      `main${k}.${end}`,
      named(
        `${imported}\nimport { valueAndGrad } from "tsgrad";\n${before}\nexport function f(x, y) { return Math.sin(${inner}); }\nexport const d = valueAndGrad(f, { argnums: [0, 1], engine: "delta" });\n`,
      ),
    ]),
  ]);
  const host = programOf(files, { allowJs: true, lib: ["lib.es2023.d.ts"], strict: isTyped });
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const texts = Object.entries(files).map(([name, text]): [string, string] => [
    `/src/${name.replace(/\.js$/, ".ts")}`,
    applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
  ]);
  const load = loader(new Map(texts));
  return places.map((_, k) => {
    const { d } = load(`/src/main${k}.ts`);
    return typeof d === "function" ? Reflect.apply(d, undefined, [X, Y]) : null;
  });
}

for (const isTyped of [true, false])
  for (const row of IMPORTS)
    test(`${isTyped ? "TypeScript" : "JavaScript"}, ${row[0]}`, () => {
      // a derivative that plain JavaScript has made is not known: TSG0010 when it runs
      const places = PLACES.filter(([where]) => isTyped || where !== "of the module");
      const found = gradients(row, places, isTyped);
      // 12 digits: sums in another order
      expect(found.map(rounded)).toEqual(places.map(() => rounded(EXPECTED)));
    });

const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, x: unknown) => (typeof x === "number" ? x.toPrecision(12) : x)),
  );

/** Objects of the module, their types, and how their first number is read. */
const KEPT: readonly (readonly [value: string, type: string, first: string])[] = [
  ["[0.7, -0.3]", "number[]", "o[0]!"],
  ["new Float64Array([0.7, -0.3])", "Float64Array", "o[0]!"],
  ["{ a: 0.7, b: -0.3 }", "{ a: number; b: number }", "o.a"],
  ["[[0.7], [-0.3]]", "number[][]", "o[0]![0]!"],
  [`new Map([["a", 0.7]])`, "Map<string, number>", `o.get("a")!`],
  ["{ p: [0.7], q: { r: 1 } }", "{ p: number[]; q: { r: number } }", "o.p[0]!"],
];

/** ∂(x a²)/∂a = 2 x a, where SLOPE is an arrow and KEPT the object. */
const INNER: readonly (readonly [form: string, expression: (first: string) => string])[] = [
  ["grad", (first) => `((o: TYPE) => ${first})(grad(SLOPE)(KEPT))`],
  ["valueAndGrad", (first) => `((o: TYPE) => ${first})(valueAndGrad(SLOPE)(KEPT)[1])`],
  ["vjp", (first) => `((o: TYPE) => ${first})(vjp(SLOPE)(KEPT)[1](1)[0]!)`],
];

/** Objects of a module outlive the run within which they are arguments: their numbers stay constants. */
test("objects that are kept", () => {
  const cases = KEPT.flatMap(([value, type, first]) =>
    INNER.flatMap(([form, expression]) =>
      ["", "KEPT1 * x + "].map((before) => {
        const kept = first.replace(/^o/, "kept");
        const text = `${before}${expression(first)} + KEPT1 * x * x`
          .replaceAll("SLOPE", `(o: TYPE) => x * ${first} * ${first}`)
          .replaceAll("TYPE", type)
          .replaceAll("KEPT1", kept)
          .replaceAll("KEPT", "kept");
        return {
          what: `${form} of ${value}, ${before}`,
          text: `import { grad, valueAndGrad, vjp } from "tsgrad";\nconst kept: ${type} = ${value};\nexport const f = (x: number): number => ${text};\nexport const d = grad(f, { engine: "delta" });\n`,
          expected: (before === "" ? 0 : 0.7) + 1.4 + 1.4 * X,
        };
      }),
    ),
  );
  const files = Object.fromEntries(cases.map(({ text }, k) => [`main${k}.ts`, text]));
  const { edits } = analyse(programOf(files, { lib: ["lib.es2023.d.ts"] }));
  const load = loader(
    new Map(
      Object.entries(files).map(([name, text]) => {
        const file = `/src/${name}`;
        return [file, applyEdits(file, text, edits.get(file) ?? []).text];
      }),
    ),
  );
  for (const [k, { what, expected }] of cases.entries()) {
    const { d } = load(`/src/main${k}.ts`);
    // the third call meets what two runs have left
    for (let call = 0; call < 3; call++)
      expect(typeof d === "function" ? Reflect.apply(d, undefined, [X]) : null, what).toBeCloseTo(
        expected,
        12,
      );
  }
});
