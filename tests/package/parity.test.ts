// Every host on the real core: the same edited text, and maps that lead each line of a derivative to a line of its primal.

import { SourceMap as Reader } from "node:module";
import path from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { overlay } from "../../transformer/hosts/overlay.ts";
import { ProgramService } from "../../transformer/hosts/program-service.ts";
import { sandbox, type Sandbox } from "../hosts/sandbox.ts";
import { place } from "./install.ts";

const files = {
  "src/shared/model.ts": `// line 1
export function score(w: readonly number[], x: number): number {
  let s = 0;
  for (const c of w) s = s * x + c;
  const t = Math.tanh(s);
  return t * t;
}
`,
  "src/main.ts": `import { grad } from "tsgrad";
import { score } from "./shared/model.js";
import { quotient } from "./quotient.js";

export const first = grad(score); export const second = grad(quotient, { argnums: 1 });
`,
  "src/quotient.ts": `import { score } from "./shared/model.js";
export const quotient = (x: number, y: number): number => score([x, y], 0.5) / y;
`,
};
const names = Object.keys(files);

describe.each([
  ["nodenext", { module: "nodenext" }],
  ["nodenext, unchecked indexes", { module: "nodenext", noUncheckedIndexedAccess: true }],
  ["bundler", { module: "preserve", moduleResolution: "bundler" }],
])("%s", (_, flags) => {
  let box: Sandbox;
  const texts = new Map<string, string | undefined>();
  const maps = new Map<string, string>();
  beforeAll(() => {
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022"],
      types: [],
      strict: true,
      rootDir: "src",
      outDir: "dist",
      sourceMap: true,
      ...flags,
    };
    box = sandbox(
      { ...files, "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }) },
      { stubs: false },
    );
    place(box);
    const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, box.dir);
    const { program } = overlay(
      ts,
      analyse,
      ts.createProgram(names.map(box.at), options),
      undefined,
    );
    for (const name of names) texts.set(name, program.getSourceFile(box.at(name))?.text);
    program.emit(
      undefined,
      (file, text) => void maps.set(path.relative(box.at("dist"), file), text),
    );
  });

  test("bundlers and compilers see the same text", () => {
    const service = new ProgramService(analyse, { cwd: box.dir });
    for (const name of names) {
      const answer = service.answer(box.at(name), box.read(name));
      expect(answer?.findings).toEqual([]);
      expect(answer?.code ?? box.read(name), name).toBe(texts.get(name));
    }
    expect(texts.get("src/main.ts")).toContain("grad(score, score$grad)");
  });

  test.each(["shared/model", "quotient", "main"])("maps of %s lead to the right lines", (name) => {
    const js = maps.get(`${name}.js`) ?? "";
    const reader = new Reader(JSON.parse(maps.get(`${name}.js.map`) ?? "{}"));
    const places = js
      .split("\n")
      .map((line, number) => {
        const code = line.search(/\S/);
        if (code < 0 || line.startsWith("//") || line === "}") return null;
        const entry = reader.findEntry(number, code);
        return "originalSource" in entry
          ? { line, file: entry.originalSource, at: entry.originalLine + 1 }
          : { line, file: "nowhere", at: 0 };
      })
      .filter((p) => p !== null);
    for (const place of places) expect(place.file, place.line).not.toBe("nowhere");
    const derivative = js.slice(js.indexOf("$grad("));
    if (name === "shared/model") {
      const lines = new Map(places.map((p) => [p.line.trim(), p.at]));
      expect(
        lines.get(
          [...lines.keys()].find(
            (l) => l.startsWith("const t = Math.tanh") || l.includes("Math.tanh"),
          ) ?? "",
        ),
      ).toBe(5);
      const loops = places.filter((p) => p.line.includes("for (")).map((p) => p.at);
      expect(new Set(loops)).toEqual(new Set([4]));
      expect(loops.length).toBeGreaterThan(1);
      expect(derivative).not.toBe("");
    }
    if (name === "quotient")
      expect(
        places.filter((p) => p.file.endsWith("quotient.ts") || p.file.endsWith("model.ts")),
      ).toHaveLength(places.length);
    if (name === "main") expect(places.find((p) => p.line.includes("second ="))?.at).toBe(5);
  });
});
