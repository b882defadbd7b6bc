// Where functions may stand and how they may be reached: the edited program must type-check and run. In: modules whose `a.ts`
// exports `found`, computed through forms of tsgrad, and `wanted`, written out by hand. Numbers are small integers, so they are equal exactly.

import ts from "typescript";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf, typeErrors } from "../program.ts";

type Files = Readonly<Record<string, string>>;

const IMPORT = `import { grad, valueAndGrad, vjp } from "tsgrad";\n`;

const CASES: Readonly<Record<string, Files>> = {
  "same name in two modules": {
    "a.ts": `${IMPORT}import { f as other } from "./b";\nfunction f(x: number) { return x * x; }\nexport const found = [grad(f)(3), grad(other)(3)], wanted = [6, 27];`,
    "b.ts": "export function f(x: number) { return x * x * x; }",
  },
  "arrow in place that captures": {
    "a.ts": `${IMPORT}function at(k: number) {\n  const slope = grad((x: number) => k * x * x);\n  return slope(3);\n}\nexport const found = [at(1), at(2)], wanted = [6, 12];`,
  },
  "arrow in place, exported by default": {
    "a.ts": `${IMPORT}import slope from "./b";\nexport const found = slope(3), wanted = 6;`,
    "b.ts": `${IMPORT}export default grad((x: number) => x * x);`,
  },
  "anonymous default export": {
    "a.ts": `${IMPORT}import h from "./b";\nexport const found = grad(h)(3), wanted = 6;`,
    "b.ts": "export default (x: number) => x * x;",
  },
  "default function without a name, called by another": {
    "a.ts": `${IMPORT}import h from "./b";\nconst f = (x: number) => h(x) * x;\nexport const found = grad(f)(3), wanted = 27;`,
    "b.ts": "export default function (x: number) { return x * x; }",
  },
  "through a barrel": {
    "a.ts": `${IMPORT}import { loss } from "./lib";\nexport const found = grad(loss)(3), wanted = 6;`,
    "lib/index.ts": `export { f as loss } from "./f";`,
    "lib/f.ts": "const f = (x: number) => x * x;\nexport { f };",
  },
  "callee that its module does not export": {
    "a.ts": `${IMPORT}import { f } from "./b";\nexport const found = grad(f)(3), wanted = 12;`,
    "b.ts":
      "function g(x: number) { return x * x; }\nexport function f(x: number) { return 2 * g(x); }",
  },
  "recursion across modules": {
    "a.ts": `${IMPORT}import { odd } from "./b";\nexport function even(x: number, n: number): number { return n === 0 ? 1 : x * odd(x, n - 1); }\nexport const found = grad(even)(3, 4), wanted = 108;`,
    "b.ts": `import { even } from "./a";\nexport function odd(x: number, n: number): number { return n === 0 ? 1 : x * even(x, n - 1); }`,
  },
  "functions in nested blocks": {
    "a.ts": `${IMPORT}function main(k: number) {\n  const inner = (x: number, n: number): number => n === 0 ? k : x * inner(x, n - 1);\n  if (k > 1) {\n    const twice = (x: number) => 2 * inner(x, 2);\n    return grad(twice)(3);\n  }\n  return grad(inner)(3, 2);\n}\nexport const found = [main(1), main(2)], wanted = [6, 24];`,
  },
  "same name in a block and outside": {
    "a.ts": `${IMPORT}function f(x: number) { return x * x; }\nfunction main() {\n  const f = (x: number) => x * x * x;\n  return grad(f)(2);\n}\nexport const found = [grad(f)(2), main()], wanted = [4, 12];`,
  },
  "two arrows of one name": {
    "a.ts": `${IMPORT}export const found = [grad((x: number) => x * x)(3), grad((x: number) => x * x * x)(2)], wanted = [6, 12];`,
  },
  "case of a switch": {
    "a.ts": `${IMPORT}function at(k: number) {\n  switch (k) {\n    case 1: {\n      return grad((x: number) => x * k)(1);\n    }\n    default:\n      const j = k * k;\n      return grad((x: number) => x * j)(1);\n  }\n}\nexport const found = [at(1), at(3)], wanted = [1, 9];`,
  },
  "local types": {
    "a.ts": `${IMPORT}function main() {\n  interface P { a: number; b: number[] }\n  const f = (p: P) => p.a * p.b[0]!;\n  return grad(f)({ a: 2, b: [3, 4] });\n}\nexport const found = main(), wanted = { a: 3, b: [2, 0] };`,
  },
  "type that the home module cannot name": {
    "a.ts": `${IMPORT}import { f } from "./b";\nexport const found = grad(f)(2), wanted = 12;`,
    "b.ts": `import { make } from "./c";\nexport function f(x: number) {\n  const m = make(x);\n  return m.w[0]! * m.w[0]! * m.b;\n}`,
    "c.ts":
      "export interface Model { w: number[]; b: number }\nexport function make(x: number): Model {\n  return { w: [x, 1], b: 3 };\n}",
  },
  "function of a library's shape": {
    "a.ts": `${IMPORT}import * as m from "./b";\nexport const found = valueAndGrad(m.f)(3), wanted = [9, 6];`,
    "b.ts": "export const f = function (x: number) { return x * x; };",
  },
  "class method that asks": {
    "a.ts": `${IMPORT}class Fit {\n  step(k: number) {\n    return grad((x: number) => k * x)(1);\n  }\n}\nexport const found = new Fit().step(5), wanted = 5;`,
  },
};

function edited(files: Files): Record<string, string> {
  const { edits, diagnostics } = analyse(programOf(files));
  expect(diagnostics).toEqual([]);
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      let result = text;
      for (const edit of [...(edits.get(`/src/${name}`) ?? [])].reverse())
        result = result.slice(0, edit.start) + edit.text + result.slice(edit.end);
      return [name, result];
    }),
  );
}

/** Exports of `a.ts`; the forms give their last argument, as the runtime's do. */
function run(files: Files): Record<string, unknown> {
  const loaded = new Map<string, Record<string, unknown>>();
  const last = (...args: unknown[]): unknown => args.at(-1);
  const load = (name: string): Record<string, unknown> => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const exports: Record<string, unknown> = {};
    loaded.set(name, exports);
    const text = ts.transpileModule(files[name] ?? "", {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
    }).outputText;
    const require = (specifier: string): unknown => {
      if (specifier === "tsgrad") return { grad: last, valueAndGrad: last, vjp: last };
      const found = [`${specifier.slice(2)}.ts`, `${specifier.slice(2)}/index.ts`]
        .map((each) => new URL(each, `file:///${name}`).pathname.slice(1))
        .find((each) => each in files);
      return load(found ?? specifier);
    };
    new Function("exports", "require", text)(exports, require);
    return exports;
  };
  return load("a.ts");
}

function check(files: Files): void {
  expect(typeErrors(programOf(files))).toEqual([]);
  const output = edited(files);
  expect(typeErrors(programOf(output))).toEqual([]);
  const { found, wanted } = run(output);
  expect(found).toEqual(wanted);
}

test.each(Object.entries(CASES))("%s", (_name, files) => {
  check(files);
});
