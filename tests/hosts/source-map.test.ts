// Maps are read with Node's own reader, which shares no code with the writer.

import { SourceMap as Reader } from "node:module";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import {
  inlineComment,
  mapOf,
  replaceInlineMap,
  type SourceMap,
} from "../../transformer/hosts/source-map.ts";
import { overlay } from "../../transformer/hosts/overlay.ts";
import { fakeCore } from "./fake-core.ts";
import { sandbox } from "./sandbox.ts";

const at = (text: string, needle: string, nth = 0): { line: number; column: number } => {
  let found = -1;
  for (let i = 0; i <= nth; i++) found = text.indexOf(needle, found + 1);
  expect(found, `'${needle}' in:\n${text}`).toBeGreaterThanOrEqual(0);
  const before = text.slice(0, found).split("\n");
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
};

/** Where `needle` of a generated text comes from. */
function trace(map: SourceMap, generated: string, needle: string, nth = 0): string {
  const { line, column } = at(generated, needle, nth);
  const entry = new Reader({
    ...map,
    file: "",
    sourceRoot: map.sourceRoot ?? "",
    sourcesContent: (map.sourcesContent ?? []).map(String),
    sources: map.sources.map(String),
  }).findEntry(line, column);
  return "originalSource" in entry
    ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    : "nowhere";
}

describe("mapOf", () => {
  const text = "const a = 1;\r\nconst bc = a;\nconst πd = bc;\n";
  const other = "x\nfunction g() {}\n";
  const edited = applyEdits("/p/a.ts", text, [
    { start: 0, end: 0, text: "import; ", mappings: [] },
    {
      start: text.length,
      end: text.length,
      text: "own\nalso own\nfrom g\n",
      mappings: [
        { offset: 0, origin: { file: "/p/a.ts", start: 14, end: 15 } },
        { offset: 13, origin: { file: "/p/b.ts", start: 2, end: 4 } },
      ],
    },
  ]);
  const map = mapOf(
    edited,
    (file) => (file === "/p/b.ts" ? other : undefined),
    (file) => file,
  );

  test.each([
    ["const a", "/p/a.ts:1:1"],
    ["a = 1", "/p/a.ts:1:7"],
    ["bc = a", "/p/a.ts:2:7"],
    ["= bc", "/p/a.ts:3:10"],
    ["bc;", "/p/a.ts:3:12"],
    ["own", "/p/a.ts:2:1"],
    ["also own", "/p/a.ts:2:1"],
    ["from g", "/p/b.ts:2:1"],
  ])("'%s' comes from %s", (needle, place) => {
    expect(trace(map, edited.text, needle)).toBe(place);
  });

  test("carries the originals", () => {
    expect(Object.fromEntries(map.sources.map((s, i) => [s, map.sourcesContent?.[i]]))).toEqual({
      "/p/a.ts": text,
      "/p/b.ts": other,
    });
  });
});

test("an inline map is replaced, and only the last one", () => {
  const map: SourceMap = { version: 3, sources: ["é"], names: [], mappings: "" };
  const text = `const s = "//# sourceMappingURL=data:application/json;base64,AAAA";${inlineComment(map)}`;
  const changed = replaceInlineMap(text, (json) => json.replace("é", "ü"));
  expect(changed).toBe(text.replace(inlineComment(map), inlineComment({ ...map, sources: ["ü"] })));
});

const A = `import { grad } from "tsgrad";\nimport { square } from "./b.js";\nexport const d = grad(square); export const after = d(3);\n`;
const B = `// a comment\nexport function square(x: number): number {\n  return x * x;\n}\nexport const last = square(2);\n`;

describe.each([
  ["external", { sourceMap: true }],
  ["inline with sources", { inlineSourceMap: true, inlineSources: true }],
  ["with a sourceRoot", { sourceMap: true, sourceRoot: "https://example.org/root" }],
  ["with a mapRoot", { sourceMap: true, mapRoot: "maps", inlineSources: true }],
] satisfies [string, ts.CompilerOptions][])(
  "the compiler's maps, %s",
  (_, options: ts.CompilerOptions) => {
    const box = sandbox({ "src/a.ts": A, "src/b.ts": B });
    const all: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      rootDir: box.at("src"),
      outDir: box.at("dist"),
      declaration: true,
      declarationMap: true,
      types: [],
      ...options,
    };
    const output = new Map<string, string>();
    const first = ts.createProgram([box.at("src/a.ts"), box.at("src/b.ts")], all);
    overlay(ts, fakeCore, first, undefined).program.emit(
      undefined,
      (file, text) => void output.set(file.slice(box.dir.length + 1), text),
    );
    const parse = (text: string): SourceMap => JSON.parse(text);
    const mapFor = (file: string): SourceMap => {
      const inline = /base64,([\w+/=]+)\s*$/.exec(output.get(file) ?? "");
      const external = [...output].find(([f]) => f.endsWith(`${file.split("/").at(-1)}.map`));
      return parse(
        inline === null
          ? (external?.[1] ?? "{}")
          : Buffer.from(inline[1] ?? "", "base64").toString(),
      );
    };
    const ends = (place: string): string => place.split("/").at(-1) ?? "";

    test.each([
      ["a.js", "d = ", "a.ts:3:14"],
      ["a.js", "after", "a.ts:3:45"],
      ["a.js", "d(3)", "a.ts:3:53"],
      ["b.js", "x * x", "b.ts:3:10"],
      ["b.js", "last", "b.ts:5:14"],
      ["b.js", "square$grad", "b.ts:2:1"],
      ["b.js", "return (x", "b.ts:3:3"],
      ["b.d.ts", "last", "b.ts:5:14"],
    ])("%s: '%s' comes from %s", (file, needle, place) => {
      const generated = output.get(`dist/${file}`) ?? "";
      expect(ends(trace(mapFor(`dist/${file}`), generated, needle))).toBe(place);
    });

    test("names and contents of sources are as without tsgrad", () => {
      const map = mapFor("dist/b.js");
      const plain = new Map<string, string>();
      first.emit(undefined, (file, text) => void plain.set(file, text));
      const before =
        [...plain].find(([f]) =>
          f.endsWith(options.inlineSourceMap === true ? "b.js" : "b.js.map"),
        )?.[1] ?? "";
      const untouched =
        options.inlineSourceMap === true
          ? parse(Buffer.from(/base64,([\w+/=]+)\s*$/.exec(before)?.[1] ?? "", "base64").toString())
          : parse(before);
      expect([map.sources, map.sourceRoot, map.file, map.sourcesContent]).toEqual([
        untouched.sources,
        untouched.sourceRoot,
        untouched.file,
        untouched.sourcesContent,
      ]);
    });
  },
);

test("an untouched file is emitted byte for byte", () => {
  const box = sandbox({ "src/a.ts": A, "src/b.ts": B, "src/c.ts": "export   const c = 1 ;\n" });
  const all: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    sourceMap: true,
    declaration: true,
    types: [],
  };
  const first = ts.createProgram(
    ["a", "b", "c"].map((n) => box.at(`src/${n}.ts`)),
    all,
  );
  const made = overlay(ts, fakeCore, first, undefined).program;
  const emitted = (program: ts.Program): string[] => {
    const texts: string[] = [];
    program.emit(
      program.getSourceFile(box.at("src/c.ts")),
      (file, text) => void texts.push(file, text),
    );
    return texts;
  };
  expect(emitted(made)).toEqual(emitted(first));
  expect(made.getSourceFile(box.at("src/c.ts"))).toBe(first.getSourceFile(box.at("src/c.ts")));
  expect(made.getSourceFile(box.at("src/b.ts"))).not.toBe(first.getSourceFile(box.at("src/b.ts")));
});
