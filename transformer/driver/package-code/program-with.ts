// A program in which some files have other texts. In: a program and the texts. Out: a program that
// shares all other files with it, and how modules were found.

import type ts from "typescript";

type Api = typeof ts;

/** How the given program found modules: internal to TypeScript, so it may be missing. */
interface Resolved {
  getResolvedModule?: (
    file: ts.SourceFile,
    name: string,
    mode: ts.ResolutionMode,
  ) => ts.ResolvedModuleWithFailedLookupLocations | undefined;
}

export function programWith(
  api: Api,
  program: ts.Program & Resolved,
  texts: ReadonlyMap<string, string>,
  system: ts.ModuleResolutionHost,
  more: ts.CompilerOptions = {},
): ts.Program {
  const options = { ...program.getCompilerOptions(), ...more };
  const made = new Map<string, ts.SourceFile>();
  const fileOf = (name: string): ts.SourceFile | undefined => {
    const own = program.getSourceFile(name);
    const text = own === undefined ? undefined : texts.get(own.fileName);
    if (own === undefined || text === undefined || text === own.text) return own;
    const known = made.get(own.fileName) ?? reparsed(api, own, text);
    made.set(own.fileName, known);
    return known;
  };
  const resolve = (literal: ts.StringLiteralLike, from: ts.SourceFile) => {
    const mode = program.getModeForUsageLocation(from, literal);
    const known = program.getResolvedModule?.(
      program.getSourceFile(from.fileName) ?? from,
      literal.text,
      mode,
    );
    return (
      known ??
      api.resolveModuleName(
        literal.text,
        from.fileName,
        options,
        system,
        undefined,
        undefined,
        mode,
      )
    );
  };
  const files = filesOf(api, program, system);
  const cache = caches.get(program) ?? cacheFor(api, files, options);
  const host: ts.CompilerHost = {
    ...files,
    getModuleResolutionCache: () => cache,
    getSourceFile: fileOf,
    resolveModuleNameLiterals: (literals, _containing, _redirected, _options, from) =>
      literals.map((literal) => resolve(literal, from)),
  };
  const next = api.createProgram({
    rootNames: program.getRootFileNames(),
    options,
    host,
    oldProgram: program,
    ...(program.getProjectReferences() === undefined
      ? {}
      : { projectReferences: program.getProjectReferences() ?? [] }),
  });
  caches.set(next, cache);
  return next;
}

/** What programs that follow each other know of packages. */
const caches = new WeakMap<ts.Program, ts.ModuleResolutionCache>();

const cacheFor = (
  api: Api,
  { getCurrentDirectory, getCanonicalFileName }: Omit<ts.CompilerHost, "getSourceFile">,
  options: ts.CompilerOptions,
): ts.ModuleResolutionCache =>
  api.createModuleResolutionCache(getCurrentDirectory(), getCanonicalFileName, options);

/** The files of the program, then those of the system. */
const filesOf = (
  api: Api,
  program: ts.Program,
  system: ts.ModuleResolutionHost,
): Omit<ts.CompilerHost, "getSourceFile"> => ({
  fileExists: (name) => program.getSourceFile(name) !== undefined || system.fileExists(name),
  readFile: (name) => program.getSourceFile(name)?.text ?? system.readFile(name),
  getDefaultLibFileName: (of) => `${libraryOf(program)}/${api.getDefaultLibFileName(of)}`,
  writeFile: () => undefined,
  getCurrentDirectory: () => program.getCurrentDirectory(),
  getCanonicalFileName: (name) =>
    system.useCaseSensitiveFileNames === false ? name.toLowerCase() : name,
  useCaseSensitiveFileNames: () => system.useCaseSensitiveFileNames !== false,
  getNewLine: () => "\n",
  ...(system.realpath === undefined
    ? {}
    : { realpath: (name: string) => system.realpath?.(name) ?? name }),
  ...(system.directoryExists === undefined
    ? {}
    : { directoryExists: (name: string) => system.directoryExists?.(name) ?? false }),
});

/** The folder of the library's declarations. */
function libraryOf(program: ts.Program): string {
  const file = program.getSourceFiles().find((each) => program.isSourceFileDefaultLibrary(each));
  return file?.fileName.slice(0, file.fileName.lastIndexOf("/")) ?? "";
}

function reparsed(api: Api, own: ts.SourceFile, text: string): ts.SourceFile {
  const kinds: readonly (ts.ScriptKind | string)[] = Object.values(api.ScriptKind);
  const kind = kinds.find(
    (each): each is ts.ScriptKind =>
      typeof each === "number" && "scriptKind" in own && own.scriptKind === each,
  );
  return api.createSourceFile(
    own.fileName,
    text,
    {
      languageVersion: own.languageVersion,
      ...(own.impliedNodeFormat === undefined ? {} : { impliedNodeFormat: own.impliedNodeFormat }),
    },
    true,
    kind,
  );
}
