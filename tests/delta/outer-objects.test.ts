// Derivatives of functions whose arguments are objects that they also see through variables around them. In: what holds the object, the form, where the derivative is taken.
// Out: the derivative by the argument alone, as differences with a copy have it; TSG0004 where a copy would change what the function does.

import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "../programs/modules.ts";
import { variantsOf } from "../programs/variants.ts";

/** Declarations, the object as an argument, and an expression of its first number through the variable; `v` is the argument. */
const PLACES: Readonly<
  Record<string, readonly [declared: string, argument: string, read: string]>
> = {
  "an array": ["const w = [3, 5];", "w", "w[0]!"],
  "a let": ["let w = [3, 5];", "w", "w[0]!"],
  "a typed array": ["const w = new Float64Array([3, 5]);", "w", "w[0]!"],
  "a view": ["const w = new Float64Array([3, 5]);", "w.subarray(0, 2)", "w[0]!"],
  "a tuple": ["const w: [number, number] = [3, 5];", "w", "w[0]"],
  "a record's field": ["const r = { w: [3, 5], k: 1 };", "r.w", "r.w[0]!"],
  "a row": ["const rows = [[3, 5], [1, 2]];", "rows[0]!", "rows[0]![0]!"],
  "a Map's value": ['const m = new Map([["w", [3, 5]]]);', 'm.get("w")!', 'm.get("w")![0]!'],
  "a helper's variable": ["const w = [3, 5]; const read = (): number => w[0]!;", "w", "read()"],
  "a declaration's variable": [
    "const w = [3, 5]; function read(k: number): number { return w[k]!; }",
    "w",
    "read(0)",
  ],
  "a field of an instance": ["class C { w = [3, 5]; } const c = new C();", "c.w", "c.w[0]!"],
  "a field of a field, eight deep": [
    "const r = { a: { b: { c: { d: { e: { f: { g: { w: [3, 5] } } } } } } } };",
    "r.a.b.c.d.e.f.g.w",
    "r.a.b.c.d.e.f.g.w[0]!",
  ],
  "another name": ["const w = [3, 5]; const z = w;", "w", "z[0]!"],
};
const FORMS: Readonly<Record<string, (type: string, body: string, arg: string) => string>> = {
  grad: (t, body, arg) => `[...grad((v: ${t}): number => ${body}OPTIONS)(${arg})]`,
  valueAndGrad: (t, body, arg) =>
    `[...valueAndGrad((v: ${t}): number => ${body}OPTIONS)(${arg})[1]]`,
  vjp: (t, body, arg) => `[...vjp((v: ${t}): number => ${body}OPTIONS)(${arg})[1](1)[0]]`,
  jvp: (t, body, arg) =>
    `[jvp((v: ${t}): number => ${body}OPTIONS)([${arg}], [${t === "Float64Array" ? "new Float64Array([1, 0])" : "[1, 0]"}])[1], 0]`,
};
/** Functions that take the derivative of one that they get: how, their code, and the derivative. */
const HELPERS: readonly (readonly [string, string, string])[] = [
  ["a helper", "const made = (g: (v: TYPE) => number) => FORM(g);", "made(FUNCTION)"],
  [
    "a method",
    "class At { constructor(readonly g: (v: TYPE) => number) {} made() { return FORM(this.g); } }",
    "new At(FUNCTION).made()",
  ],
  [
    "a helper, composed",
    "const twice = (g: (v: TYPE) => number) => (v: TYPE): number => g(v); const made = (g: (v: TYPE) => number) => FORM(g);",
    "made(twice(FUNCTION))",
  ],
];
/** Where the derivative is taken: at the top of a module by either engine, or in plain code around a variable that only Delta takes. */
const WHERE = {
  module: (declared: string, expression: string): string =>
    `${declared}\nexport const got = (): number[] => ${expression.replace("OPTIONS", "").replace("OWN", "1")};`,
  "module, Delta": (declared: string, expression: string): string =>
    `${declared}\nexport const got = (): number[] => ${expression.replace("OPTIONS", ', { engine: "delta" }').replace("OWN", "1")};`,
  "plain code": (declared: string, expression: string): string =>
    `export const got = (): number[] => { ${declared} let k = 1; const d = ${expression.replace("OPTIONS", "").replace("OWN", "k")}; k = 2; return d; };`,
  ...Object.fromEntries(
    ["const f = FUNCTION;", "const f = FUNCTION; const g = f;", "const all = { f: FUNCTION };"].map(
      (binding, k) => [
        `recorded code, by a name ${k}`,
        (declared: string, expression: string): string => {
          const [, of = ""] = /(\(v: .*)OPTIONS/.exec(expression) ?? [];
          const name = binding.includes("all") ? "all.f" : binding.includes("g =") ? "g" : "f";
          const own = expression.replace(`${of}OPTIONS`, name).replace("OWN", "1");
          return `export const of = (x: number): number => { ${declared} ${binding.replace("FUNCTION", of.replace("OWN", "1"))} try { const d = ${own}; return d[0]! * x; } catch (e) { throw e; } };\nexport const got = (): number[] => [grad(of, { engine: "delta" })(1), 0];`;
        },
      ],
    ),
  ),
  ...Object.fromEntries(
    HELPERS.flatMap(([helper, text, call]) =>
      (["recorded", "plain"] as const).map((where) => [
        `${where} code, by ${helper}`,
        (declared: string, expression: string): string => {
          const [whole = "", form = "", of = "", type = ""] =
            /(\w+)\((\(v: ([^)]*)\).*)OPTIONS\)/.exec(expression) ?? [];
          const helps = text.replaceAll("FORM", form).replaceAll("TYPE", type);
          const own = expression.replace(whole, call.replace("FUNCTION", of)).replace("OWN", "1");
          return where === "plain"
            ? `${helps}\nexport const got = (): number[] => { ${declared} return ${own}; };`
            : `${helps}\nexport const of = (x: number): number => { ${declared} try { const d = ${own}; return d[0]! * x; } catch (e) { throw e; } };\nexport const got = (): number[] => [grad(of, { engine: "delta" })(1), 0];`;
        },
      ]),
    ),
  ),
  "recorded code": (declared: string, expression: string): string =>
    `export const of = (x: number): number => { ${declared} try { const d = ${expression.replace("OPTIONS", "").replace("OWN", "1")}; return d[0]! * x; } catch (e) { throw e; } };\nexport const got = (): number[] => [grad(of, { engine: "delta" })(1), 0];`,
} as const;
const wheres = Object.keys(WHERE) as (keyof typeof WHERE)[];
const cases = Object.keys(PLACES).flatMap((place) =>
  Object.keys(FORMS).flatMap((form) => wheres.map((where) => [place, form, where] as const)),
);
const named = (each: readonly string[]): string => each.join(", ");
function textOf([place, form, where]: (typeof cases)[number]): string {
  const [declared, argument, read] = PLACES[place] ?? ["", "", ""];
  const type = declared.includes("Float64Array")
    ? "Float64Array"
    : declared.includes("[number, number]")
      ? "[number, number]"
      : "number[]";
  const expression = FORMS[form]?.(type, `v[0]! * ${read} * OWN`, argument) ?? "";
  return `import { grad, jvp, valueAndGrad, vjp } from "tsgrad";\n${WHERE[where](declared, expression)}`;
}
const variants = variantsOf(Object.fromEntries(cases.map((each) => [named(each), textOf(each)])));

describe("the derivative is by the argument alone", () => {
  it.each(cases)("%s, %s, %s", (...each) => {
    const { errors, exports } = variants(named(each));
    expect(errors).toEqual([]);
    const { got } = exports() as { got: () => number[] };
    // of v[0] w[0] by v, at 3
    expect(got()).toEqual([3, 0]);
  });
});

/** Without types, such functions are refused (TSG2001, TSG1113). */
const UNKNOWN = /by a helper|by a method|by a name 2/;

/** The same in JavaScript, whose types nobody knows, as modules of one program. */
const untyped = new Map(
  cases
    .filter(([, form, where]) => (form === "grad" || form === "jvp") && !UNKNOWN.test(where))
    .map((each, k) => {
      const { outputText } = ts.transpileModule(textOf(each), {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      });
      return [named(each), { name: `case${k}.js`, text: outputText }] as const;
    }),
);

describe("in JavaScript", () => {
  let load: (name: string) => unknown;
  beforeAll(() => {
    const files = Object.fromEntries([...untyped.values()].map(({ name, text }) => [name, text]));
    const { edits, diagnostics } = analyse(
      programOf(files, { allowJs: true, lib: ["lib.es2023.d.ts"] }),
    );
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    load = loader(
      new Map(
        Object.entries(files).map(([name, text]) => [
          `/src/${name.replace(/js$/, "ts")}`,
          applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
        ]),
      ),
    );
  });

  it.each([...untyped])("%s", (_, { name }) => {
    const { got } = load(`/src/${name.replace(/js$/, "ts")}`) as { got: () => number[] };
    expect(got()).toEqual([3, 0]);
  });
});

const BODIES: Readonly<Record<string, readonly [body: string, expected: RegExp | number[]]>> = {
  "writes its argument": [
    "{ v[0] = v[0]! * 2; return v[0]! * w[0]!; }",
    /^TSG0004: .* writes its argument/,
  ],
  "compares objects": ["{ return v === w ? v[0]! * 2 : v[0]!; }", /^TSG0004: .* compares objects/],
  "looks an object up": [
    "{ return [w].indexOf(v) === 0 ? v[0]! * 2 : v[0]!; }",
    /^TSG0004: .* compares objects/,
  ],
  "writes the variable": [
    "{ w[1] = 7; return v[0]! * w[0]!; }",
    /^TSG0004: .* writes its argument/,
  ],
  "takes a copy": ["{ const c = v.slice(); c[0] = c[0]! * 2; return c[0]! * w[0]!; }", [6, 0]],
};
const bodies = variantsOf(
  Object.fromEntries(
    Object.entries(BODIES).map(([name, [body]]) => [
      name,
      `import { grad } from "tsgrad";\nconst w = [3, 5];\nconst g = grad((v: number[]): number => ${body}, { engine: "delta" });\nexport const got = (): number[] => g(w), apart = (): number[] => g([3, 5]);`,
    ]),
  ),
);

it.each(Object.keys(BODIES))("a function that %s", (name) => {
  const { errors, exports } = bodies(name);
  expect(errors).toEqual([]);
  const { got, apart } = exports() as Record<"got" | "apart", () => number[]>;
  const expected = BODIES[name]?.[1] ?? [];
  if (expected instanceof RegExp) expect(got).toThrow(expected);
  else expect(got()).toEqual(expected);
  expect(apart()).toHaveLength(2);
});
