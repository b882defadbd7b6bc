// Under each `moduleResolution` an import of the package leads to the declarations that its `exports` name. What is asked is the compiler's own resolution.

import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import older from "ts59";
import { describe, expect, test } from "vitest";
import { repository } from "../hosts/sandbox.ts";

const PACKAGE = "/project/node_modules/tsgrad";
const text = readFileSync(path.join(repository, "package.json"), "utf8");
const manifest: {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
} = JSON.parse(text);
const declared = Object.entries(manifest.exports).flatMap(([entry, target]): [string, string][] =>
  typeof target === "string"
    ? []
    : [[path.posix.join("tsgrad", entry), path.posix.join(PACKAGE, target.types)]],
);

/** The package with nothing but its declarations. */
const files = new Set([`${PACKAGE}/package.json`, ...declared.map(([, file]) => file)]);
const host: ts.ModuleResolutionHost = {
  fileExists: (file) => files.has(file),
  readFile: (file) => (file === `${PACKAGE}/package.json` ? text : ""),
  directoryExists: () => true,
};

describe.each([
  ["6", ts],
  ["5.9", older as unknown as typeof ts],
])("TypeScript %s", (_, api) => {
  test.each([
    [
      "node10",
      { moduleResolution: api.ModuleResolutionKind.Node10, module: api.ModuleKind.CommonJS },
    ],
    [
      "node16",
      { moduleResolution: api.ModuleResolutionKind.Node16, module: api.ModuleKind.Node16 },
    ],
    [
      "nodenext",
      { moduleResolution: api.ModuleResolutionKind.NodeNext, module: api.ModuleKind.NodeNext },
    ],
    [
      "bundler",
      { moduleResolution: api.ModuleResolutionKind.Bundler, module: api.ModuleKind.ESNext },
    ],
  ])("%s", (_name, options) => {
    const found = declared.map(([specifier]) => [
      specifier,
      api.resolveModuleName(specifier, "/project/src/a.ts", options, host).resolvedModule
        ?.resolvedFileName,
    ]);
    expect(declared.length).toBeGreaterThan(6);
    expect(found).toEqual(declared);
  });
});
