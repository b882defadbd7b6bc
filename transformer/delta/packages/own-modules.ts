// JavaScript files of the program: modules that are extended in place, as packages are where a host
// loads them itself. In: a specifier in a file of the program. Out: the file that it names. What
// TypeScript does not take for a module (a script that writes to `module.exports`) is found, too.

import type ts from "typescript";
import type { PackageSystem } from "./package-source.ts";
import type { Resolver } from "./resolve.ts";

type Api = typeof ts;

export interface OwnModules {
  /** The JavaScript file of the program that a specifier names; null for anything else. */
  find(specifier: string, fromFile: string): ts.SourceFile | null;
  has(file: string): boolean;
}

export function ownModulesOf(
  api: Api,
  program: ts.Program,
  system: PackageSystem | undefined,
): OwnModules {
  const isDescription = (file: string): boolean => file.endsWith("/package.json");
  const host: ts.ModuleResolutionHost = {
    fileExists: (file) =>
      isDescription(file)
        ? system?.fileExists(file) === true
        : program.getSourceFile(file) !== undefined,
    readFile: (file) => (isDescription(file) ? system?.readFile(file) : undefined),
    getCurrentDirectory: () => program.getCurrentDirectory(),
  };
  const options = program.getCompilerOptions();
  const known = new Map<string, ts.SourceFile | null>();
  const own = (file: ts.SourceFile | undefined): ts.SourceFile | null =>
    file !== undefined &&
    /\.[cm]?jsx?$/.test(file.fileName) &&
    !file.fileName.includes("/node_modules/")
      ? file
      : null;
  const found = (specifier: string, fromFile: string): ts.SourceFile | null => {
    if (program.getSourceFile(fromFile) === undefined) return null;
    const module = api.resolveModuleName(specifier, fromFile, options, host).resolvedModule;
    return module === undefined ? null : own(program.getSourceFile(module.resolvedFileName));
  };
  return {
    find: (specifier, fromFile) => {
      const key = `${specifier}\n${fromFile}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const module = found(specifier, fromFile);
      known.set(key, module);
      return module;
    },
    has: (file) => own(program.getSourceFile(file)) !== null,
  };
}

/** The same resolver, for which the program's own JavaScript comes first. */
export const withOwnModules = (resolver: Resolver | null, modules: OwnModules): Resolver => ({
  resolve: (specifier, fromFile, isRequired) => {
    const own = modules.find(specifier, fromFile);
    if (own !== null) return { kind: "source", file: own.fileName, inPlace: true };
    return resolver?.resolve(specifier, fromFile, isRequired) ?? { kind: "none" };
  },
  isTyped: (specifier, fromFile) => resolver?.isTyped(specifier, fromFile) ?? false,
});
