// The compiler without files and processes, as the playground has it. In: modules as text. Out: derivatives, findings
// with remedies, explanations. The bundle must hold no module of Node.

import { build } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { library } from "../../docs/.vitepress/playground/library.ts";
import { BrowserCompiler, type MappedText, pageOfCode } from "../../transformer/hosts/browser.ts";

const files = library();
const compiler = new BrowserCompiler({ ts, library: files });
const compiled = (text: string) => compiler.compile({ "/main.ts": text });

const SQUARE = `import { grad } from "tsgrad";
export const square = (x: number): number => x * x;
export const slope = grad(square);
`;

describe("the compiler in a browser", () => {
  test("its bundle needs no module of Node", async () => {
    const { metafile, warnings } = await build({
      entryPoints: [path.resolve(import.meta.dirname, "../../transformer/hosts/browser.ts")],
      bundle: true,
      platform: "browser",
      format: "esm",
      write: false,
      metafile: true,
    });
    expect(warnings).toEqual([]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  test("emits the derivative, which runs", () => {
    const { modules, findings } = compiled(SQUARE);
    expect(findings).toEqual([]);
    const main = modules.get("/main.ts");
    expect(main?.derivatives.text).toContain("function square$grad(x: number): number");
    expect(main?.functions).toEqual(["square"]);
    expect(main?.text.startsWith(SQUARE.replace("grad(square)", "grad(square, square$grad)"))).toBe(
      true,
    );
    const exports: { slope?: (x: number) => number } = {};
    const run = new Function("exports", "require", compiler.javascript(main?.text ?? ""));
    run(exports, () => ({ grad: (_: unknown, derivative: unknown) => derivative }));
    expect(exports.slope?.(3)).toBe(6);
  });

  test("maps each line of the derivative to the user's code", () => {
    const text = `import { grad } from "tsgrad";
export function f(x: number): number {
  const a = Math.sin(x);
  return a * Math.exp(x);
}
export const d = grad(f);
`;
    const main = compiled(text).modules.get("/main.ts");
    const source = (mapped: MappedText | undefined, piece: string): string | undefined => {
      const at = mapped?.text.lastIndexOf(piece) ?? -1;
      const found = mapped?.mappings.find(({ start, end }) => start <= at && at < end);
      return found && text.slice(found.origin.start, found.origin.end);
    };
    expect(main?.derivatives.text).toMatch(/^function f\$grad/);
    for (const mapped of [main, main?.derivatives]) {
      expect(source(mapped, "Math.exp(")).toContain("Math.exp(x)");
      expect(source(mapped, "Math.sin(")).toContain("Math.sin(x)");
    }
  });

  test("findings have a remedy, and their code a page", () => {
    const { findings } = compiled(`import { grad } from "tsgrad";
function f(x: number): number {
  eval("1");
  return x * x;
}
export const slope = grad(f);
`);
    const [finding] = findings;
    expect(finding?.code).toMatch(/^TSG\d{4}$/);
    expect(finding?.remedy).not.toBe("");
    expect(pageOfCode(finding?.code ?? "")?.page).not.toBe("");
    expect(pageOfCode("TS2322")).toBeNull();
  });

  test("TypeScript's errors come with ours, in order; a syntax error alone", () => {
    expect(
      compiled(`${SQUARE}const text: string = slope(2);\n`).findings.map(({ code }) => code),
    ).toEqual(["TS2322"]);
    const broken = compiled(`${SQUARE}const text = ;\n`);
    expect(broken.findings.map(({ code }) => code)).toEqual(["TS1109"]);
    expect(broken.modules.get("/main.ts")?.derivatives.text).toBe("");
  });

  test("explains a function, also by the name of its derivative", () => {
    compiled(SQUARE);
    expect(compiler.explain("/main.ts", "square")).toContain("engine   static");
    expect(compiler.explain("/main.ts", "slope")).toContain("square$grad");
    expect(compiler.explain("/main.ts", "none")).toContain("There is no function 'none'");
  });

  test("knows every entry of the package", () => {
    const { findings } = compiled(`import { grad } from "tsgrad";
import { map, sum } from "tsgrad/vector";
import { rootFind } from "tsgrad/implicit";
import { checkGrads } from "tsgrad/testing";
export const d = grad((x: readonly number[]): number => sum(map((a: number) => a * a, x)));
checkGrads((x: number) => x * x, [2]);
export const used = rootFind;
`);
    expect(findings).toEqual([]);
  });

  test("several modules, edited one after the other", () => {
    const main = `import { grad } from "tsgrad";\nimport { f } from "./f";\nexport const d = grad(f);\n`;
    const f = (body: string) => `export const f = (x: number): number => ${body};\n`;
    const first = compiler.compile({ "/main.ts": main, "/f.ts": f("x * x") });
    const second = compiler.compile({ "/main.ts": main, "/f.ts": f("Math.sin(x)") });
    const third = compiler.compile({ "/main.ts": main });
    expect(first.modules.get("/f.ts")?.derivatives.text).toContain("2 * x");
    expect(second.modules.get("/f.ts")?.derivatives.text).toContain("Math.cos(x)");
    expect(third.findings.map(({ code }) => code)).toContain("TS2307");
  });
});

describe("the examples of the playground", () => {
  const folder = path.resolve(import.meta.dirname, "../../docs/.vitepress/playground/examples");
  test.each(readdirSync(folder))("%s", (name) => {
    const { modules, findings } = compiled(readFileSync(path.join(folder, name), "utf8"));
    const codes = findings.map(({ code }) => code);
    expect(codes).toEqual(name === "mistake.ts" ? ["TSG1103"] : []);
    const derivatives = modules.get("/main.ts")?.derivatives.text ?? "";
    expect(derivatives.includes("function ")).toBe(name !== "mistake.ts");
  });
});
