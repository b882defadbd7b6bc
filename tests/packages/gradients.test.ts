// Derivatives through instrumented copies of packages. Oracle: central differences of the real module, evaluated as it stands.
// The tolerance is that of central differences with steps of 1e-5; it cannot see errors below 1e-7 of the size.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import * as $d from "../../runtime/delta/index.ts";
import { rewriteModule } from "../../transformer/delta/packages/rewrite-module.ts";
import { copyOf, evaluated, textOf } from "./copies.ts";

const STEP = 1e-5;

const call = (f: unknown, ...args: unknown[]): unknown => {
  if (typeof f !== "function") throw new Error("not a function");
  return Reflect.apply(f, undefined, args);
};

/** The export's real function, and its gradient by the first argument. */
async function both(
  specifier: string,
  exportName: string,
  use: (f: unknown, x: number) => number,
  byDelta: (f: unknown, x: number, id: number) => unknown,
  at: number,
): Promise<void> {
  const { value: real } = await copyOf(specifier, exportName);
  const { text } = textOf({ wanted: [{ specifier, exportName }], rewrite: rewriteModule });
  expect(text.refusals).toEqual([]);
  await evaluated(text, [real]);
  const [value, slope] = $d.valueAndGrad(($, x) => byDelta(real, x, $[0] ?? 0), [at]);
  expect(value).toBe(use(real, at));
  const expected = (use(real, at + STEP) - use(real, at - STEP)) / (2 * STEP);
  expect(Math.abs(slope - expected)).toBeLessThanOrEqual(1e-7 * Math.max(1, Math.abs(expected)));
}

const NUMBERS: readonly (readonly [
  specifier: string,
  exportName: string,
  at: number,
  more: readonly unknown[],
])[] = [
  ["esm-flat", "square", 3, []],
  ["esm-flat", "half", 3, []],
  ["esm-flat", "default", 4, []],
  ["esm-stars", "renamed", 2, []],
  ["esm-registers", "all", 3, []],
  ["esm-prototypes", "tree", 3, []],
  ["cjs-function", "default", 2, [1, 2, 3]],
  ["cjs-flat", "near", 3, []],
  ["cjs-flat", "far", 3, []],
  ["umd", "lerp", 1, [3, 0.25]],
  ["dual/deep/inner", "inner", 3, []],
  ["@scope/source", "power", 3, [{ power: 3 }]],
];

describe("numbers", () => {
  test.each(NUMBERS)("%s: %s", async (specifier, exportName, at, more) => {
    await both(
      specifier,
      exportName,
      (f, x) => Number(call(f, x, ...more)),
      (f, x, id) => $d.call(f, undefined, x, id, ...more.flatMap((value) => [value, 0])),
      at,
    );
  });

  test("circular", async () => {
    await both(
      "circular",
      "even",
      (f, x) => Number(call(f, 4, x)),
      (f, x, id) => $d.call(f, undefined, 4, 0, x, id),
      1.5,
    );
  });

  test("lists, through two packages", async () => {
    await both(
      "across",
      "mean",
      (f, x) => Number(call(f, [x * x, 2, x])),
      (f, x, id) => $d.call(f, undefined, $d.array($d.mul(x, id, x, id), $d.id, 2, 0, x, id), 0),
      1.5,
    );
  });
});

test("what a package remembers of one run is no constant of the next", async () => {
  const names = ["f", "count"];
  const reals = await Promise.all(
    names.map(async (name) => (await copyOf("esm-remembers", name)).value),
  );
  const { text } = textOf({
    wanted: names.map((exportName) => ({ specifier: "esm-remembers", exportName })),
    rewrite: rewriteModule,
  });
  await evaluated(text, reals);
  const [f, count] = reals;
  const slope = (at: number): unknown =>
    $d.grad(($, x) => $d.call(f, undefined, x, $[0] ?? 0), [at]);
  const expected = (x: number): number =>
    2 * x + 3 * x ** 2 + Math.cos(x) - Math.sin(x) + Math.exp(x) + 7 + 2 * x;
  for (const at of [1.25, 1.25, 2, 2, 1.25])
    expect(Math.abs(Number(slope(at)) - expected(at))).toBeLessThanOrEqual(1e-13 * expected(at)); // rounding of seven terms
  expect($d.value(() => $d.call(count, undefined), [])).toBe(5);
});

test("nor what a function remembers that runs when the package is loaded", async () => {
  const names = ["f", "g"];
  const reals = await Promise.all(
    names.map(async (name) => (await copyOf("umd-remembers", name)).value),
  );
  const { text } = textOf({
    wanted: names.map((exportName) => ({ specifier: "umd-remembers", exportName })),
    rewrite: rewriteModule,
  });
  await evaluated(text, reals);
  const slope = (f: unknown): unknown =>
    $d.grad(($, x) => $d.call(f, undefined, x, $[0] ?? 0), [3]);
  expect(reals.flatMap((f) => [slope(f), slope(f)])).toEqual([6, 6, 27, 27]);
});

interface Vec {
  x: number;
  norm: number;
  add(o: Vec): Vec;
  scale(s: number): Vec;
}
const make = (of: unknown, ...args: number[]): Vec => Reflect.construct(Object(of), args);

test("classes: real instances, methods put on prototypes, accessors, parents", async () => {
  const use = (Vec: unknown, x: number): number => {
    const v = make(Vec, x, 2);
    return v.add(v).scale(3).norm;
  };
  await both(
    "esm-classes",
    "Vec",
    use,
    (Vec, x, id) => {
      const v: unknown = $d.construct(Vec, x, id, 2, 0);
      return $d.get($d.callMethod($d.callMethod(v, "add", v, 0), "scale", 3, 0), "norm");
    },
    1.5,
  );
  await both(
    "esm-classes",
    "Unit",
    (Unit, x) => make(Unit, x).scale(3).x,
    (Unit, x, id) => $d.get($d.callMethod($d.construct(Unit, x, id), "scale", 3, 0), "x"),
    0.7,
  );
});

test("the text type-checks under every strictness flag", () => {
  const wanted = [
    "esm-flat",
    "esm-classes",
    "cjs-plain",
    "cjs-function",
    "cjs-flat",
    "umd",
    "circular",
    "across",
    "@scope/source",
    "esm-remembers",
    "umd-remembers",
  ].map((specifier) => ({ specifier, exportName: "*" }));
  const { text } = textOf({ wanted, rewrite: rewriteModule });
  const user = `import * as $d from "../../runtime/delta/index.ts";\n${text.imports.join("\n")}\n${wanted.map((_, i) => `declare const local${i}: unknown;`).join("\n")}\n${text.statements.join("\n")}\nexport {};\n`;
  const name = new URL("./emitted.ts", import.meta.url).pathname;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: [],
    skipLibCheck: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    allowUnreachableCode: false,
    allowUnusedLabels: false,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (file, ...rest) =>
    file === name
      ? ts.createSourceFile(file, user, ts.ScriptTarget.ES2023, true)
      : getSourceFile(file, ...rest);
  host.fileExists = (file) => file === name || fileExists(file);
  const program = ts.createProgram([name], options, host);
  const source = program.getSourceFile(name);
  expect(
    program
      .getSemanticDiagnostics(source)
      .concat(program.getSyntacticDiagnostics(source))
      .map(
        (d) =>
          `${ts.flattenDiagnosticMessageText(d.messageText, " ")}: ${user.slice(d.start, (d.start ?? 0) + 60)}`,
      ),
  ).toEqual([]);
});
