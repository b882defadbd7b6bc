// Functions that factories of packages make, in a bundler's build. In: factories, and programs that
// hold what they make. Out: the engine that takes it, and slopes. Oracle: central differences of the
// package's own function, in the same build.

import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import tsgrad from "../../transformer/hosts/esbuild.ts";
import { sandbox } from "../hosts/sandbox.ts";
import {
  DELTA_CASES,
  FACTORIES,
  FACTORY_CASES,
  INSTANCES,
  LONE,
  REPLACED,
  UNTYPED,
  UNTYPED_CASE,
  WAY_CASES,
} from "./fixtures/factories.ts";
import { aliasOf, RUNTIME } from "./runtime.ts";

const CASES = [...FACTORY_CASES, ...DELTA_CASES, ...WAY_CASES, UNTYPED_CASE];
const FORMS = ["f", "g"].flatMap((fn) => [
  `export const plain$${fn} = (x: number): number => ${fn}(x);`,
  `export const grad$${fn} = (x: number): number => grad(${fn})(x);`,
  `export const product$${fn} = (x: number): number => grad((z: number) => ${fn}(z) * z)(x);`,
  `export const jvp$${fn} = (x: number): number => jvp((z: number) => ${fn}(z))([x], [1])[1];`,
  `export const hessian$${fn} = (x: number): number => hessian((z: number) => ${fn}(z))(x);`,
]);
const codeOf = (text: string): string =>
  `import { grad, hessian, jvp } from "tsgrad";\n${text}\n${FORMS.join("\n")}\n`;

type Derivatives = Readonly<Record<string, (x: number) => number>>;

let texts: readonly string[] = [];
let modules: Readonly<Record<string, Derivatives>> = {};

beforeAll(async () => {
  const box = sandbox({
    ...RUNTIME,
    ...FACTORIES,
    ...LONE,
    ...UNTYPED,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{ target: "es2022", module: "esnext", moduleResolution: "bundler", strict: true },
        ...{
          types: [],
          esModuleInterop: true,
          noEmit: true,
          allowImportingTsExtensions: true,
          skipLibCheck: true,
        },
      },
      include: ["src"],
    }),
    "src/instances.ts": INSTANCES,
    "src/case.ts": codeOf(REPLACED),
    "src/main.ts": ["", ...CASES.keys()]
      .map((i) => `export * as case${i} from "./case${i}.ts";`)
      .join("\n"),
    ...Object.fromEntries(CASES.map(({ text }, i) => [`src/case${i}.ts`, codeOf(text)])),
  });
  const { outputFiles } = await build({
    entryPoints: [box.at("src/main.ts")],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    absWorkingDir: box.dir,
    alias: aliasOf(box.at),
    plugins: [tsgrad({ cwd: box.dir })],
  });
  const text = outputFiles[0]?.text ?? "";
  const parts = new Map(
    text.split(/^\/\/ (?:src\/)?(?=\S+\.[jt]s$)/m).map((part) => [part.split(".ts", 1)[0], part]),
  );
  texts = CASES.map((_, i) => parts.get(`case${i}`) ?? "");
  modules = (await import(
    `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`
  )) as typeof modules;
}, 120_000);

const D = 1e-4;
/** Fourth derivatives up to 2,000 leave errors of 2e-6; rounding leaves 4e-6 in a second difference. */
const CLOSE = 2e-5;

describe.each(CASES.map((one, i) => ({ ...one, i })))("$what", ({ engine, i }) => {
  test("the engine", () => {
    // other calls may have the program's functions rewritten
    expect(/\bgrad\d*\(function /.test(texts[i] ?? "")).toBe(engine === "delta");
  });

  test.each(["f", "g"])("%s", (fn) => {
    const all = modules[`case${i}`] ?? {};
    const at = (form: string, x: number): number => all[`${form}$${fn}`]?.(x) ?? NaN;
    const f = (x: number): number => at("plain", x);
    for (const x of [0.37, 1.62, 0.37]) {
      const slope = (f(x + D) - f(x - D)) / (2 * D);
      const second = (f(x + D) - 2 * f(x) + f(x - D)) / D ** 2;
      const isClose = (form: string, expected: number): void =>
        expect(Math.abs(at(form, x) - expected), form).toBeLessThan(
          CLOSE * Math.max(1, Math.abs(expected)),
        );
      isClose("grad", slope);
      isClose("product", slope * x + f(x));
      isClose("jvp", slope);
      isClose("hessian", second);
    }
  });
});

test("a method that the package replaces is not taken for another one", () => {
  const { plain$f, grad$f, grad$g, plain$g } = modules["case"] ?? {};
  expect(plain$f?.(2)).toBe(200);
  expect(() => grad$f?.(2)).toThrow(/TSG00(?:10|22)/);
  expect(grad$g?.(2)).toBe(plain$g?.(1));
});
