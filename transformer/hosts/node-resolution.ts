// What Node loads for an import of a package. In: a specifier and the importing file. Out: a file
// whose module Node's hooks extend. Invariant: Node's algorithm, with the conditions of this
// process.

import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import type ts from "typescript";
import type { Loaded } from "./loaded-modules.ts";
import { isOfPackage } from "./program-service.ts";
import { ownTypeScript } from "./typescript.ts";

/** `noDtsResolution` finds executed files and is missing in TypeScript's public types. */
interface RuntimeOptions extends ts.CompilerOptions {
  noDtsResolution: true;
}

/** `isCommonJs`: whether Node compiles a file of the program as CommonJS. */
export function loadedByNode(
  isCommonJs: (file: string) => boolean,
  conditions: readonly string[] = conditionsOfNode(),
): Loaded {
  const api = ownTypeScript();
  const options: RuntimeOptions = {
    noDtsResolution: true,
    allowJs: true,
    resolveJsonModule: true,
    module: api.ModuleKind.NodeNext,
    moduleResolution: api.ModuleResolutionKind.NodeNext,
    customConditions: [...conditions],
  };
  const cache = api.createModuleResolutionCache("/", (name) => name, options);
  const imported = (specifier: string, fromFile: string): string | null =>
    api.resolveModuleName(
      specifier,
      fromFile,
      options,
      api.sys,
      cache,
      undefined,
      api.ModuleKind.ESNext,
    ).resolvedModule?.resolvedFileName ?? null;
  return (specifier, fromFile, isRequired) => {
    if (isBuiltin(specifier)) return { file: null, inPlace: false };
    const file =
      isRequired || (!isOfPackage(fromFile) && isCommonJs(fromFile))
        ? required(specifier, fromFile)
        : imported(specifier, fromFile);
    return { file, inPlace: file !== null && isOfPackage(file) };
  };
}

function required(specifier: string, fromFile: string): string | null {
  try {
    return createRequire(fromFile).resolve(specifier).split(path.sep).join("/");
  } catch {
    return null; // Node says so when it runs
  }
}

/** Those beside `node`, `import` and `require`. */
function conditionsOfNode(): string[] {
  const words = [...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/)];
  const given = words.flatMap((word, k) => {
    const [, written] = /^(?:-C|--conditions)=(.+)$/.exec(word) ?? [];
    if (written !== undefined) return [written];
    const next = words[k + 1];
    return /^(?:-C|--conditions)$/.test(word) && next !== undefined ? [next] : [];
  });
  // Node 20.19 and 22.12 require ES modules
  const requires = "require_module" in process.features && process.features.require_module;
  return [...given, ...(requires ? ["module-sync"] : [])];
}
