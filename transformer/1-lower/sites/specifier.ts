// How one file imports another. Input: two user files. Output: the module specifier.
// A specifier that the user already has for the file is reused. Otherwise the style follows the
// importing file's other imports.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";
import { specifiersOf } from "./module-graph.ts";
import { isPackageFile } from "./package-files.ts";

/** Extensions in import specifiers, by the extension of the source. */
const OUTPUT: Readonly<Record<string, string>> = {
  ".ts": ".js",
  ".tsx": ".js",
  ".mts": ".mjs",
  ".cts": ".cjs",
  ".js": ".js",
  ".jsx": ".js",
  ".mjs": ".mjs",
  ".cjs": ".cjs",
};

type Style = "none" | "output" | "source";

export function specifierFor(
  api: TypeScript,
  program: ts.Program,
  fromFile: string,
  toFile: string,
): string {
  const from = program.getSourceFile(fromFile);
  if (from === undefined) return relative(fromFile, toFile, "none");
  const checker = checkerOf(program, api);
  for (const specifier of specifiersOf(from, api)) {
    if (
      checker
        .getSymbolAtLocation(specifier)
        ?.declarations?.some((file) => api.isSourceFile(file) && file.fileName === toFile) === true
    )
      return specifier.text;
  }
  return relative(fromFile, toFile.replace(/\.d\.([cm]?ts)$/, ".$1"), styleOf(from, api, program));
}

function styleOf(from: ts.SourceFile, api: TypeScript, program: ts.Program): Style {
  const written = writtenStyle(from, api);
  return written === null || (written === "none" && requiresExtensions(api, program))
    ? programStyle(api, program)
    : written;
}

/** Whether relative imports of ECMAScript modules must include the extension. */
function requiresExtensions(
  { ModuleResolutionKind, ModuleKind }: TypeScript,
  program: ts.Program,
): boolean {
  const { moduleResolution, module } = program.getCompilerOptions();
  return (
    moduleResolution === ModuleResolutionKind.Node16 ||
    moduleResolution === ModuleResolutionKind.NodeNext ||
    (moduleResolution === undefined &&
      module !== undefined &&
      module >= ModuleKind.Node16 &&
      module <= ModuleKind.NodeNext)
  );
}

/** The style of the program's other files, for files without relative imports. */
export function programStyle(api: TypeScript, program: ts.Program): Style {
  const { allowImportingTsExtensions } = program.getCompilerOptions();
  const node = requiresExtensions(api, program);
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || isPackageFile(program, file)) continue;
    const style = writtenStyle(file, api);
    if (
      style !== null &&
      !(node && style === "none") &&
      !(style === "source" && allowImportingTsExtensions !== true)
    )
      return style;
  }
  return node ? "output" : "none";
}

function writtenStyle(file: ts.SourceFile, api: TypeScript): Style | null {
  const relatives = specifiersOf(file, api)
    .map((specifier) => specifier.text)
    .filter((text) => /^\.\.?\//.test(text) && !text.endsWith(".json"));
  if (relatives.length === 0) return null;
  if (relatives.some((text) => /\.[cm]?tsx?$/.test(text))) return "source";
  return relatives.some((text) => /\.[cm]?jsx?$/.test(text)) ? "output" : "none";
}

/** The path from one file to another. */
export function relative(fromFile: string, toFile: string, style: Style): string {
  const from = fromFile.split("/").slice(0, -1);
  const to = toFile.split("/");
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared++;
  const up = from.slice(shared).map(() => "..");
  const path = [...(up.length === 0 ? ["."] : up), ...to.slice(shared)].join("/");
  const extension = /\.[^./]+$/.exec(path)?.[0] ?? "";
  const stem = path.slice(0, path.length - extension.length);
  switch (style) {
    case "source":
      return path;
    case "output":
      return stem + (OUTPUT[extension] ?? ".js");
    // extensions that select a module system are required
    case "none":
      return extension.startsWith(".m") || extension.startsWith(".c")
        ? stem + (OUTPUT[extension] ?? "")
        : stem;
  }
}
