// An internal error disables the call that it concerns and no other; an error that is reported leaves its call as it is.
// The checker of the program throws at one function, so that any phase that asks it fails there.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { analyse, type Analysis } from "../../transformer/analyse.ts";
import { isolate } from "../../transformer/driver/isolation.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, type TestHost } from "../program.ts";
import { loader } from "../programs/modules.ts";

/** The host, with a checker that throws where it is asked about code of a function `broken…`. */
function brokenHost(files: Record<string, string>, thrown: () => Error): TestHost {
  const { program, ...others } = programOf(files);
  const isBroken = (node: ts.Node): boolean =>
    ts.findAncestor(
      node,
      (at) =>
        ts.isBlock(at) &&
        ts.isFunctionDeclaration(at.parent) &&
        at.parent.name?.text.startsWith("broken") === true,
    ) !== undefined;
  const checker = new Proxy(program.getTypeChecker(), {
    get: (of, name) => {
      const own: unknown = Reflect.get(of, name);
      if (name !== "getTypeAtLocation" || typeof own !== "function") return own;
      return (node: ts.Node): unknown => {
        if (isBroken(node)) throw thrown();
        return own.call(of, node);
      };
    },
  });
  const proxy = new Proxy(program, {
    get: (of, name) => (name === "getTypeChecker" ? () => checker : Reflect.get(of, name)),
  });
  return { ...others, program: proxy };
}

function run(host: TestHost, { edits }: Analysis): Record<string, (...args: unknown[]) => unknown> {
  const own = host.program.getSourceFiles().filter(({ fileName }) => fileName.startsWith("/src/"));
  const texts = new Map(
    own.map(({ fileName, text }) => [
      fileName,
      applyEdits(fileName, text, edits.get(fileName) ?? []).text,
    ]),
  );
  return loader(texts, undefined, { module: ts.ModuleKind.CommonJS })("/src/input.ts") as Record<
    string,
    (...args: unknown[]) => unknown
  >;
}

const BROKEN = "export function broken(x: number): number { const y = x * x; return y * x; }";
const CALLER = "function caller(x: number): number { return broken(x) * 2; }";

const PLACES: Record<string, (broken: string, sound: string) => Record<string, string>> = {
  "before, in one file": (broken, sound) => ({ "/src/input.ts": `${broken}\n${sound}` }),
  "after, in one file": (broken, sound) => ({ "/src/input.ts": `${sound}\n${broken}` }),
  "in another file": (broken, sound) => ({
    "/src/other.ts": `// tsgrad\n${IMPORT}${broken.replaceAll("const bad", "export const bad")}`,
    "/src/input.ts": `export { bad } from "./other.js";\n${sound}`,
  }),
};
const IMPORT = `import { grad, vjp, jvp, valueAndGrad } from "tsgrad";\n`;

const REQUESTS: Record<string, string> = {
  "the function": `${BROKEN}\nexport const bad = () => grad(broken);`,
  "its value and gradient": `${BROKEN}\nexport const bad = () => valueAndGrad(broken);`,
  "its pullback": `${BROKEN}\nexport const bad = () => vjp(broken);`,
  "its tangent": `${BROKEN}\nexport const bad = () => jvp(broken);`,
  "a caller": `${BROKEN}\n${CALLER}\nexport const bad = () => grad(caller);`,
  "the other engine": `${BROKEN}\nexport const bad = () => grad(broken, { engine: "delta" });`,
};
const SOUND = `function square(x: number): number { return x * x; }\nexport const good = grad(square);\nexport const also = grad((x: number): number => x * 5, { engine: "delta" });`;

const THROWN: Record<string, { error: () => Error; code: string }> = {
  "a check that fails": { error: () => new Error("no such type"), code: "TSG9001" },
  "a stack that is exhausted": {
    error: () => new RangeError("Maximum call stack size exceeded"),
    code: "TSG9003",
  },
};

describe("an internal error disables its call alone", () => {
  const rows = Object.keys(PLACES).flatMap((place) =>
    Object.keys(REQUESTS).flatMap((request) =>
      Object.keys(THROWN).map((what) => ({ place, request, what })),
    ),
  );
  test.each(rows)("$what, $place, requested for $request", ({ place, request, what }) => {
    const files = PLACES[place]?.(REQUESTS[request] ?? "", SOUND) ?? {};
    const input = { ...files, "/src/input.ts": `/* tsgrad */ ${IMPORT}${files["/src/input.ts"]}` };
    const { error, code } = THROWN[what] ?? { error: () => new Error(), code: "" };
    const host = brokenHost(input, error);
    const analysis = analyse(host);
    const errors = analysis.diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.map((each) => each.code)).toEqual([code]);
    const [{ span, message } = { span: { file: "", start: 0, end: 0 }, message: "" }] = errors;
    expect(message).toMatch(/`(broken|caller)`/);
    const at = host.program.getSourceFile(span.file)?.text.slice(span.start) ?? "";
    expect(at).toMatch(/^(export )?function (broken|caller)/);
    const { good, also, bad } = run(host, analysis);
    expect([good?.(3), also?.(3)]).toEqual([6, 5]);
    expect(() => bad?.(3)).toThrow(/TSG0001/);
  });
});

test("a step is repeated without what fails alone, or together", () => {
  const made = (some: readonly number[]): number => {
    if (some.includes(3)) throw new Error("three");
    if (some.length > 2) throw new Error("many");
    return some.reduce((sum, each) => sum + each, 0);
  };
  expect(isolate([1, 2, 3], made)).toEqual({ made: 3, faults: new Map([[3, new Error("three")]]) });
  expect([...isolate([1, 2, 3, 4], made).faults.keys()]).toEqual([3, 1, 2, 4]);
});

const FIXTURES = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  "../../fixtures/errors",
);

/** The calls that an error of a fixture names, by the engines that are asked. */
describe("a call with an error has no derivative", () => {
  const folders = fs.readdirSync(FIXTURES).sort();
  const filesOf = (folder: string): Record<string, string> =>
    Object.fromEntries(
      fs
        .readdirSync(path.join(FIXTURES, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => fs.statSync(path.join(FIXTURES, folder, name)).isFile())
        .map((name) => [
          name.replaceAll("\\", "/").replace(/^packages\//, "node_modules/"),
          fs.readFileSync(path.join(FIXTURES, folder, name), "utf8"),
        ]),
    );
  const rows = folders.flatMap((folder) =>
    ["static", "both"].map((engine) => ({ folder, engine })),
  );
  test.each(rows)("$folder, engine $engine", ({ folder, engine }) => {
    const { "tsconfig.json": config, ...files } = filesOf(folder);
    const host = programOf(files, config === undefined ? {} : JSON.parse(config).compilerOptions);
    const { edits, diagnostics } = analyse(host, engine === "static" ? { engine } : {});
    for (const { severity, span, chain } of diagnostics) {
      if (severity !== "error") continue;
      const call = chain[0]?.span ?? span;
      const inside = (edits.get(call.file) ?? []).filter(
        ({ start }) => start >= call.start && start < call.end,
      );
      expect(inside.map(({ text }) => text)).toEqual([]);
    }
  });
});
