// A program of one file for scripts. In: a path, the checkout's root. Out: a host, where `tsgrad` is this checkout's runtime.

import path from "node:path";
import ts from "typescript";
import type { Host } from "../transformer/analyse.ts";

export function hostOf(file: string, root: string): Host {
  const options: ts.CompilerOptions = {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    paths: {
      tsgrad: [path.join(root, "runtime/index.ts")],
      "tsgrad/testing": [path.join(root, "runtime/testing.ts")],
      "tsgrad/implicit": [path.join(root, "runtime/implicit/index.ts")],
      "tsgrad/delta": [path.join(root, "runtime/delta/index.ts")],
      "tsgrad/captured": [path.join(root, "runtime/captured.ts")],
      "tsgrad/delta-higher": [path.join(root, "runtime/delta/higher/index.ts")],
      "tsgrad/tree": [path.join(root, "runtime/tree/index.ts")],
      "tsgrad/vector": [path.join(root, "runtime/vector/index.ts")],
    },
  };
  return { ts, program: ts.createProgram([file], options) };
}
