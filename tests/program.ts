// In-memory TypeScript programs for tests. In: file texts by name (`a.ts` or `/src/a.ts`). Out: a host for the core.
// The standard library is parsed once per process; `tsgrad` and `tsgrad/testing` are this checkout's runtime/.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import typescript from "typescript";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url))).replaceAll("\\", "/");
const LIB = path.posix.dirname(
  fileURLToPath(import.meta.resolve("typescript")).replaceAll("\\", "/"),
);
const PACKAGE: Readonly<Record<string, string>> = {
  tsgrad: `${ROOT}/runtime/index.ts`,
  "tsgrad/testing": `${ROOT}/runtime/testing.ts`,
  "tsgrad/delta": `${ROOT}/runtime/delta/index.ts`,
  "tsgrad/captured": `${ROOT}/runtime/captured.ts`,
  "tsgrad/delta-higher": `${ROOT}/runtime/delta/higher/index.ts`,
  "tsgrad/tree": `${ROOT}/runtime/tree/index.ts`,
  "tsgrad/implicit": `${ROOT}/runtime/implicit/index.ts`,
  "tsgrad/vector": `${ROOT}/runtime/vector/index.ts`,
};

/** What fixtures use of the outside without loading the DOM's library. */
const AMBIENT =
  "declare var console: { log(...data: unknown[]): void; warn(...data: unknown[]): void; error(...data: unknown[]): void };\n" +
  "declare function structuredClone<T>(value: T): T;\n";

export interface TestHost {
  readonly ts: typeof typescript;
  readonly program: typescript.Program;
}

const parsed = new Map<string, typescript.SourceFile>();

/** A source file outside the test's own files: parsed once. */
function shared(
  file: string,
  target: typescript.ScriptTarget,
  api: typeof typescript,
): typescript.SourceFile | undefined {
  const key = `${api.version} ${file}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  if (!fs.existsSync(file)) return undefined;
  const made = api.createSourceFile(
    file,
    fs.readFileSync(file, "utf8"),
    { languageVersion: target, jsDocParsingMode: api.JSDocParsingMode.ParseNone },
    true,
  );
  parsed.set(key, made);
  return made;
}

const textsOf = (files: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(
    Object.entries(files).map(([name, text]) => [
      name.startsWith("/") ? name : `/src/${name}`,
      text,
    ]),
  );

/** What reads these files, packages among them. */
export const systemOf = (files: Readonly<Record<string, string>>): typescript.CompilerHost =>
  hostOf(textsOf(files), typescript.ScriptTarget.ES2023, true, typescript);

/** A program of these files. Files of `/src/node_modules/…` are only loaded when they are imported; `installed`: tsgrad can be resolved. */
export function programOf(
  files: Readonly<Record<string, string>>,
  options: typescript.CompilerOptions = {},
  installed = true,
  api: typeof typescript = typescript,
): TestHost {
  const texts = textsOf(files);
  const roots = [...texts.keys()].filter(
    (name) => !name.includes("/node_modules/") && /\.[cm]?[jt]sx?$/.test(name),
  );
  texts.set("/ambient/globals.d.ts", AMBIENT);
  const settings: typescript.CompilerOptions = {
    strict: true,
    target: typescript.ScriptTarget.ES2023,
    module: typescript.ModuleKind.ESNext,
    moduleResolution: typescript.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts"],
    types: [],
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    ...options,
  };
  const host = hostOf(texts, settings.target ?? typescript.ScriptTarget.ES2023, installed, api);
  return {
    ts: api,
    program: api.createProgram({
      rootNames: ["/ambient/globals.d.ts", ...roots],
      options: settings,
      host,
    }),
  };
}

function hostOf(
  texts: ReadonlyMap<string, string>,
  target: typescript.ScriptTarget,
  installed: boolean,
  api: typeof typescript,
): typescript.CompilerHost {
  const host: typescript.CompilerHost = {
    getSourceFile: (name) => {
      const text = texts.get(name);
      return text === undefined
        ? shared(name, target, api)
        : api.createSourceFile(name, text, target, true);
    },
    getDefaultLibFileName: (options) => `${LIB}/${api.getDefaultLibFileName(options)}`,
    getDefaultLibLocation: () => LIB,
    getCurrentDirectory: () => "/src",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => undefined,
    fileExists: (name) =>
      texts.has(name) || (name.startsWith(`${ROOT}/runtime/`) && fs.existsSync(name)),
    readFile: (name) => texts.get(name),
    directoryExists: (name) =>
      ((name === `${ROOT}/runtime` || name.startsWith(`${ROOT}/runtime/`)) &&
        fs.existsSync(name)) ||
      [...texts.keys()].some((file) => file.startsWith(`${name}/`)),
    getDirectories: () => [],
    realpath: (name) => name,
    resolveModuleNameLiterals: (literals, containing, _redirect, options) =>
      literals.map((literal) => {
        const entry = PACKAGE[literal.text];
        if (installed && entry !== undefined && fs.existsSync(entry))
          return {
            resolvedModule: {
              resolvedFileName: entry,
              extension: ".ts",
              isExternalLibraryImport: true,
            },
          };
        return api.resolveModuleName(literal.text, containing, options, host);
      }),
  };
  return host;
}

/** Files below `/src`, or of a sandbox on disk: the checkout's have a check of their own. */
const isOwn = ({ fileName }: typescript.SourceFile): boolean =>
  fileName.startsWith("/src/") || /\/tsgrad-test-\w+\/(?!node_modules\/)/u.test(fileName);

/** What TypeScript says of the program's own files. */
export function ownDiagnostics(program: typescript.Program): readonly typescript.Diagnostic[] {
  const own = program.getSourceFiles().filter(isOwn);
  const { declaration, composite } = program.getCompilerOptions();
  const found = own.flatMap((file) => [
    program.getSyntacticDiagnostics(file),
    program.getSemanticDiagnostics(file),
    declaration === true || composite === true ? program.getDeclarationDiagnostics(file) : [],
  ]);
  return [program.getOptionsDiagnostics(), program.getGlobalDiagnostics(), ...found].flat();
}

/** The same, one line each. */
export const typeErrors = ({ program }: TestHost): string[] =>
  ownDiagnostics(program).map(
    (diagnostic) =>
      `${diagnostic.file?.fileName ?? ""}(${diagnostic.start ?? 0}): TS${diagnostic.code} ${typescript.flattenDiagnosticMessageText(diagnostic.messageText, " ")}`,
  );
