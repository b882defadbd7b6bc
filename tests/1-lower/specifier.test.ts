import { expect, test } from "vitest";
import ts from "typescript";
import { specifierFor } from "../../transformer/1-lower/sites/specifier.ts";
import { programOf } from "../program.ts";

const { NodeNext } = ts.ModuleResolutionKind;
const NODE: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: NodeNext,
  allowImportingTsExtensions: false,
};
const TARGET = { "lib/f.ts": "export const f = 1;", "other.ts": "export const o = 1;" };

// name, the importing file's text, options, expected specifier of lib/f.ts
const CASES: readonly [string, string, ts.CompilerOptions, string][] = [
  ["none so far, bundler", "export {};", {}, "./lib/f"],
  ["none so far, node", "export {};", NODE, "./lib/f.js"],
  ["the user's own", `import { f } from "./lib/../lib/f.js";\nf;`, {}, "./lib/../lib/f.js"],
  ["the style of .js", `import { o } from "./other.js";\no;`, {}, "./lib/f.js"],
  ["the style of .ts", `import { o } from "./other.ts";\no;`, {}, "./lib/f.ts"],
  ["nothing but a style sheet, node", `import "./a.css";`, NODE, "./lib/f.js"],
  ["no extension", `import { o } from "./other";\no;`, {}, "./lib/f"],
];

test.each(CASES)("%s", (_name, text, options, expected) => {
  const { program } = programOf({ ...TARGET, "a.ts": text }, options);
  expect(specifierFor(ts, program, "/src/a.ts", "/src/lib/f.ts")).toBe(expected);
});

test("upwards, and a path alias of the user", () => {
  const files = {
    ...TARGET,
    "deep/er/a.ts": "export {};",
    "b.ts": `import { f } from "@lib/f";\nf;`,
    "m.mts": "export {};",
  };
  const { program } = programOf(files, { paths: { "@lib/*": ["/src/lib/*"] } });
  expect(specifierFor(ts, program, "/src/deep/er/a.ts", "/src/lib/f.ts")).toBe("../../lib/f");
  expect(specifierFor(ts, program, "/src/b.ts", "/src/lib/f.ts")).toBe("@lib/f");
  expect(specifierFor(ts, program, "/src/b.ts", "/src/m.mts")).toBe("./m.mjs");
});
