// Compiles the type tests with each supported compiler, and programs as users write them under the flags they may set.
// What a user reads when a form is misused is pinned, as the type checker is what says it.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const USER = `${ROOT}tests/runtime/user-program.ts`;

type Compiler = typeof ts;

/** Required, not imported: its enums are other types to the checker, though the values agree. */
const ts59: Compiler = createRequire(import.meta.url)("ts59");

const STRICT: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: [],
  skipLibCheck: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: false,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
};

const FLAGS: readonly (readonly [string, ts.CompilerOptions])[] = [
  ["strict", {}],
  [
    "not strict",
    { strict: false, noUncheckedIndexedAccess: false, exactOptionalPropertyTypes: false },
  ],
  ["library checked, ES2015", { skipLibCheck: false, lib: ["lib.es2015.d.ts"] }],
];

const compilers: readonly (readonly [string, Compiler])[] = [
  [ts.version, ts],
  [ts59.version, ts59],
];

/** A message, and the line of the program it stands on, counted from 0. */
interface Complaint {
  readonly line: number;
  readonly message: string;
}

/** What a compiler says of a program whose only file of its own is `text`, or of the files on disk. */
function check(
  compiler: Compiler,
  options: ts.CompilerOptions,
  source: { readonly text: string } | { readonly files: readonly string[] },
): Complaint[] {
  const host = compiler.createCompilerHost(options);
  if ("text" in source) {
    const { getSourceFile, fileExists } = host;
    host.getSourceFile = (name, version, ...rest) =>
      name === USER
        ? compiler.createSourceFile(name, source.text, version)
        : getSourceFile(name, version, ...rest);
    host.fileExists = (name) => name === USER || fileExists(name);
  }
  const program = compiler.createProgram("text" in source ? [USER] : source.files, options, host);
  return compiler.getPreEmitDiagnostics(program).map((diagnostic) => ({
    line:
      diagnostic.file === undefined
        ? -1
        : diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line,
    message: compiler.flattenDiagnosticMessageText(diagnostic.messageText, "\n"),
  }));
}

/** One program with an exported constant per expression; the messages about each. */
function messagesOf(
  compiler: Compiler,
  annotation: string,
  expressions: readonly string[],
): string[][] {
  const lines = expressions.map(
    (expression, i) => `export const result${i}${annotation} = ${expression};`,
  );
  const first = DECLARATIONS.split("\n").length;
  const complaints = check(compiler, STRICT, { text: [DECLARATIONS, ...lines].join("\n") });
  expect(complaints.filter(({ line }) => line < first)).toEqual([]);
  return expressions.map((_, i) =>
    complaints.filter(({ line }) => line === first + i).map(({ message }) => message),
  );
}

describe.each(compilers)("TypeScript %s", (_version, compiler) => {
  test("the type tests hold", () => {
    const files = ["cotangent.test.ts", "stubs.test.ts"].map(
      (name) => `${ROOT}tests/runtime/${name}`,
    );
    expect(check(compiler, { ...STRICT, types: ["node"] }, { files })).toEqual([]);
  });

  test.each(FLAGS)("a user's program compiles: %s", (_name, flags) => {
    expect(check(compiler, { ...STRICT, ...flags }, { text: PROGRAM })).toEqual([]);
  });

  test("types are shown as users would write them", () => {
    const shown = messagesOf(
      compiler,
      ": never",
      SHOWN.map(([expression]) => expression),
    );
    expect(shown).toEqual(
      SHOWN.map(([, type]) => [`Type '${type}' is not assignable to type 'never'.`]),
    );
  });

  test("mistakes are named", () => {
    const messages = messagesOf(
      compiler,
      "",
      MISTAKES.map(([call]) => call),
    );
    MISTAKES.forEach(([call, expected], i) => {
      expect(messages[i], call).toHaveLength(1);
      expect(messages[i]?.[0], call).toContain(expected);
    });
  });
});

const DECLARATIONS = `
import { grad, hessian, hvp, jacfwd, jacrev, jvp, valueAndGrad, vjp } from "../../runtime/index.ts";
interface Model { w: number[]; b: number }
const model: Model = { w: [1], b: 2 };
const loss = (m: Model, x: number): number => m.b * x;
const vector = (x: number): number[] => [x];
const tagged = (name: string, x: number): number => name.length + x;
const layered = (layers: { apply(x: number): number }[], x: number): number => layers.reduce((h, layer) => layer.apply(h), x);
const words = (name: string): string => name;
const pair = (x: number): [number, string] => [x, ""];
const flat = (): number => 1;
interface Labelled { label: string; b: number; readonly w: readonly number[] }
const labelled = (m: Labelled): number => m.b;
export const all = { model, labelled, grad, hessian, hvp, jacfwd, jacrev, jvp, valueAndGrad, vjp, loss, vector, tagged, layered, words, pair, flat };
`;

const PROGRAM = `${DECLARATIONS}
import { type Cotangent } from "../../runtime/index.ts";
function loss$grad(m: Model, x: number): Model { return { w: m.w.map(() => 0), b: x }; }
function loss$grad$x(m: Model, _x: number): number { return m.b; }
function loss$vag(m: Model, x: number): [loss: number, m$bar: Cotangent<Model>] { return [m.b * x, loss$grad(m, x)]; }
const written: Model = grad(loss)(model, 1);
const emitted: Model = grad(loss, loss$grad)(model, 1);
const slope: number = grad(loss, { argnums: 1 }, loss$grad$x)(model, 1);
const both: [Model, number] = grad(loss, { argnums: [0, 1] })(model, 1);
const [value, cotangent]: [number, Model] = valueAndGrad(loss, loss$vag)(model, 1);
const [d, aux]: [number, string] = grad(pair, { hasAux: true })(3);
const [out, pullback] = vjp(vector)(3);
const pulled: [number] = pullback(out);
const named: number = grad(tagged, { argnums: 1 })("a", 2);
const inPlace: number = grad((x: number) => x * x)(3);
export const results = [written, emitted, slope, both, value, cotangent, d, aux, pulled, named, inPlace];
`;

const FORMS = ["grad", "valueAndGrad", "vjp", "jvp", "jacfwd", "jacrev", "hessian", "hvp"];
const NO_TYPE = "is `any` or `unknown`, or has a part that is: write what it holds";

/** A call, and what the compiler has to say about it. */
const MISTAKES: readonly (readonly [string, string])[] = [
  ...FORMS.map((form) => [`${form}(loss(model, 1))`, "write grad(f)(x), not grad(f(x))"] as const),
  ...["any", "unknown", "any[]", "{ w: any }", "[string, any][]"].flatMap((type) =>
    // `vjp` gives `undefined` for arguments without numbers
    FORMS.filter((form) => form !== "vjp").map(
      (form) => [`${form}((_x: ${type}): number => 1)`, NO_TYPE] as const,
    ),
  ),
  ["vjp((x: number): any => x)", NO_TYPE],
  ["grad(vector)", "the function has to return a number"],
  ["grad(pair)", "ask for `hasAux: true`"],
  ["grad(loss, { hasAux: true })", "the function has to return a pair [value, aux]"],
  ["grad(tagged)", "argument 0 of this function holds no number to differentiate with respect to"],
  ["grad(layered)", "for a base class or an interface, the classes in a union: `(Dense | Relu)[]`"],
  ["grad(flat)", "argument 0 of this function holds no number to differentiate with respect to"],
  [
    "grad(tagged, { argnums: 0 })",
    "Type '0' is not assignable to type '1 | readonly 1[] | undefined'",
  ],
  [
    "grad(loss, { argnums: 2 })",
    "Type '2' is not assignable to type '0 | 1 | readonly (0 | 1)[] | undefined'",
  ],
  ["grad(tagged, { argnums: [1, 4] })", "Type '4' is not assignable to type '1'"],
  [
    "grad(pair, { hasAux: true, argnums: 1 })",
    "Type '1' is not assignable to type '0 | readonly 0[] | undefined'",
  ],
  ["grad(loss, { argnum: 1 })", "'argnum' does not exist in type"],
  ["valueAndGrad(vector)", "the function has to return a number"],
  [
    "vjp(loss, { argnums: 2 })",
    "Type '2' is not assignable to type '0 | 1 | readonly (0 | 1)[] | undefined'",
  ],
  ["vjp(vector, { hasAux: true })", "the function has to return a pair [value, aux]"],
  ["vjp(words)", "the result of this function holds no number to differentiate"],
];

/** An expression, and how an editor shows its type. */
const SHOWN: readonly (readonly [string, string])[] = [
  ["grad(loss)", "(m: Model, x: number) => Model"],
  [
    "valueAndGrad(loss, { argnums: [0, 1] })",
    "(m: Model, x: number) => [value: number, cotangent: [Model, number]]",
  ],
  ["grad(labelled)", "(m: Labelled) => { b: number; w: number[]; }"],
  [
    "vjp(vector)",
    "(x: number) => [value: number[], pullback: (cotangent: number[]) => [x: number]]",
  ],
];
