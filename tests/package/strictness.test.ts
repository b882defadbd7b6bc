// Emitted code under every strictness flag a user may set, in both module systems, with both compilers: the build must not
// complain, and the program must print the same. What this cannot see: shapes of emitted code that the sample has none of.

import { createRequire } from "node:module";
import type ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { overlay } from "../../transformer/hosts/overlay.ts";
import { sandbox, type Sandbox } from "../hosts/sandbox.ts";
import { place } from "./install.ts";

const MODEL = `export interface Model { readonly w: number[]; b: number; scale?: number; readonly kind: "a" | "b" }

export function predict(m: Model, x: readonly number[]): number {
  let z = m.b;
  for (let i = 0; i < x.length; i++) z += m.w[i]! * x[i]!;
  if (m.scale !== undefined) z *= m.scale;
  return 1 / (1 + Math.exp(-z));
}

export function loss(m: Model, xs: number[][], ys: readonly number[], _unused: string): number {
  let total = 0;
  for (const [i, x] of xs.entries()) {
    const p = predict(m, x);
    total -= ys[i]! > 0.5 ? Math.log(p) : Math.log(1 - p);
  }
  return total / xs.length;
}

export function dot(a: Float64Array, b: Float64Array): number {
  let s = 0;
  for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!;
  return s;
}

export function power(x: number, n: number): number {
  let y = 1;
  let left = n;
  while (left > 0) {
    y = Math.sin(y * x);
    left--;
  }
  return y;
}
`;

const MAIN = `import { grad, valueAndGrad, vjp } from "tsgrad";
import { dot, loss, power, type Model } from "./model.js";

declare const console: { log(text: string): void };

const model: Model = { w: [0.3, -0.2], b: 0.1, kind: "a" };
const print = (value: unknown): void => console.log(JSON.stringify(value));
print(valueAndGrad(loss)(model, [[1, 2], [3, -1]], [1, 0], ""));
print(grad(loss)({ ...model, scale: 2 }, [[1, 2], [3, -1]], [1, 0], ""));
print(Array.from(grad(dot, { argnums: 1 })(Float64Array.of(1, 2), Float64Array.of(3, 4))));
print(grad(power)(0.7, 5));
const [value, pullback] = vjp(power)(0.7, 5);
print([value, pullback(1)]);
`;

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedSideEffectImports: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  isolatedModules: true,
};
const ESM = { module: "nodenext", verbatimModuleSyntax: true, erasableSyntaxOnly: true };

const COMBINATIONS: readonly (readonly [string, object])[] = [
  ["no flag", { strict: false, module: "nodenext" }],
  ["strict", { strict: true, module: "nodenext" }],
  ["every flag, ESM", { ...STRICT, ...ESM }],
  [
    "every flag, ESM, isolated declarations",
    { ...STRICT, ...ESM, declaration: true, isolatedDeclarations: true },
  ],
  ["every flag, CommonJS", { ...STRICT, module: "nodenext", declaration: true }],
  [
    "every flag, for a bundler",
    {
      ...STRICT,
      module: "preserve",
      moduleResolution: "bundler",
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
    },
  ],
  [
    "strict, CommonJS, old target",
    { strict: true, module: "nodenext", target: "es2015", lib: ["es2022"] },
  ],
];

const compilers = ["typescript", "ts59"].map(
  (name) => [name, createRequire(import.meta.url)(name) as typeof ts] as const,
); // the same API under two names

describe.each(compilers)("%s", (_, api) => {
  let box: Sandbox;
  let wanted = "";
  beforeAll(() => {
    box = sandbox({ "src/model.ts": MODEL, "src/main.ts": MAIN }, { stubs: false });
    place(box);
  });

  test.each(COMBINATIONS)("%s", (name, flags) => {
    const { options, errors } = api.convertCompilerOptionsFromJson(
      {
        target: "es2022",
        lib: ["es2022"],
        types: [],
        rootDir: "src",
        outDir: `dist/${name}`,
        ...flags,
      },
      box.dir,
    );
    expect(errors).toEqual([]);
    const manifest = JSON.stringify({ type: name.includes("CommonJS") ? "commonjs" : "module" });
    box.write({ "package.json": manifest, [`dist/${name}/package.json`]: manifest });
    const { program } = overlay(
      api,
      analyse,
      api.createProgram([box.at("src/main.ts")], options),
      undefined,
    );
    const found = [...api.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
    expect(
      api.formatDiagnostics(found, {
        getCurrentDirectory: () => box.dir,
        getCanonicalFileName: (f) => f,
        getNewLine: () => "\n",
      }),
    ).toBe("");
    expect(box.read(`dist/${name}/main.js`).includes("require(")).toBe(name.includes("CommonJS"));
    const { code, out } = box.run(box.at(`dist/${name}/main.js`));
    expect(code, out).toBe(0);
    wanted ||= out;
    expect(out).toBe(wanted);
    expect(out.split("\n")[2]).toBe("[1,2]");
  });
});
