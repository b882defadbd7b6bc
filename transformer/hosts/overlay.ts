// The user's program with the core's edits, which reports at the user's positions. Unedited files
// share their SourceFile. A file's `version` changes with its edits and diagnostics, for builders.

import type ts from "typescript";
import type { Analysis, TypeScript } from "../analyse.ts";
import { applyEdits } from "./apply.ts";
import { analyseProgram, NOTHING, type Analyse } from "./core.ts";
import {
  internalErrors,
  partition,
  printed,
  reportedOnce,
  toCompiler,
  type View,
  type Views,
} from "./diagnostics.ts";
import { mappingWriter } from "./emit-maps.ts";
import { isPretty } from "./print.ts";

/** A program with the mark of an overlay, also of another copy of tsgrad. */
interface Marked {
  [OVERLAY]?: Overlay;
}

const OVERLAY = Symbol.for("tsgrad.overlay");

/** Suffix of the path of an original file, for builders. See Note [Original paths]. */
const ORIGINAL = "?tsgrad-original";

export interface Overlay {
  readonly program: ts.Program;
  readonly analysis: Analysis;
  /** Printed by the host, since tsc fails on any diagnostic of the program. */
  readonly warnings: readonly ts.Diagnostic[];
}

/** The overlay of a program that any copy of tsgrad created. */
// a mark of ours on a foreign object
export const overlayOf = (program: ts.Program): Overlay | undefined => (program as Marked)[OVERLAY];

/** Whether the host is a language service, whose program must keep the text that the user types. */
const isEditor = (host: ts.CompilerHost | undefined): boolean =>
  host?.getCancellationToken !== undefined;

export function overlay(
  api: TypeScript,
  analyse: Analyse,
  program: ts.Program,
  host: ts.CompilerHost | undefined,
): Overlay {
  const made = overlayOf(program);
  if (made !== undefined) return made;
  if (isEditor(host)) return inEditor(api, analyse, program);
  const analysis = hasSyntaxErrors(program)
    ? NOTHING
    : analyseProgram(analyse, { ts: api, program });
  const result = build(
    api,
    program,
    host ?? api.createCompilerHost(program.getCompilerOptions()),
    analysis,
  );
  (result.program as Marked)[OVERLAY] = result; // see overlayOf
  return result;
}

/** Only adds diagnostics, analysed on request: an editor creates a program for every key stroke. */
function inEditor(api: TypeScript, analyse: Analyse, program: ts.Program): Overlay {
  const views: Views = {
    ts: api,
    of: () => undefined,
    originalOf: (file) => program.getSourceFile(file),
  };
  let found: readonly ts.Diagnostic[] | null = null;
  const own = program.getSemanticDiagnostics.bind(program);
  program.getSemanticDiagnostics = (file, token) => {
    found ??= analyseProgram(analyse, { ts: api, program }).diagnostics.map((d) =>
      toCompiler(views, d),
    );
    return reportedOnce(
      own(file, token),
      found.filter((d) => file === undefined || d.file?.fileName === file.fileName),
    );
  };
  const result: Overlay = { program, analysis: NOTHING, warnings: [] };
  (program as Marked)[OVERLAY] = result; // see overlayOf
  return result;
}

/** A program with syntax errors is not edited, since tsc stops at these. */
const hasSyntaxErrors = (program: ts.Program): boolean =>
  program
    .getSourceFiles()
    .some((sf) => !sf.isDeclarationFile && program.getSyntacticDiagnostics(sf).length > 0);

function build(
  api: TypeScript,
  program: ts.Program,
  host: ts.CompilerHost,
  analysis: Analysis,
): Overlay {
  const files = viewsOf(program, analysis);
  const views: Views = {
    ts: api,
    of: (file) => files.get(file),
    originalOf: (file) => files.get(file)?.original ?? program.getSourceFile(file),
    isPlain: !isPretty(api, program.getCompilerOptions()),
  };
  const warnings = analysis.diagnostics
    .filter((d) => d.severity === "warning")
    .map((d) => printed(toCompiler(views, d)));
  if (files.size === 0) return { program, analysis, warnings };
  const references = program.getProjectReferences();
  const programOver = (texts: CheckedText): ts.Program =>
    api.createProgram({
      rootNames: program.getRootFileNames(),
      options: program.getCompilerOptions(),
      host: hostOver(api, program, host, files, { analysis, texts }),
      configFileParsingDiagnostics: program.getConfigFileParsingDiagnostics(),
      ...(references === undefined ? {} : { projectReferences: references }),
    });
  // See Note [Checked as it stands].
  const made = programOver(textChecked);
  const isPlain = [...files.values()].every((view) => textChecked(view) === view.edited.text);
  report(made, program, viewsChecked(views), analysis);
  const packages = packageFiles(analysis, program);
  const emitter = isPlain ? null : programOver(({ edited }) => edited.text);
  wrapEmit({ made, emitter }, host, views, packages.length > 0);
  if (made.getCompilerOptions().watch === true) watchPackages(api, made, host, packages);
  return { program: made, analysis, warnings };
}

/** The text of a file in one of the programs. */
type CheckedText = (view: View) => string;

const isJavaScript = (file: string): boolean => /\.[cm]?jsx?$/.test(file);

const textChecked: CheckedText = ({ edited, original }) =>
  isJavaScript(original.fileName) ? original.text : edited.text;

/** Positions in the program that is checked. */
const viewsChecked = (views: Views): Views => ({
  ...views,
  of: (file) => (isJavaScript(file) ? undefined : views.of(file)),
});

/** The files with edits or errors of ours, by their name in the program. */
function viewsOf(program: ts.Program, analysis: Analysis): Map<string, View> {
  const options = program.getCompilerOptions();
  const stored = options.incremental === true || options.composite === true;
  const errors = analysis.diagnostics.filter((d) => d.severity === "error");
  const views = new Map<string, View>();
  for (const file of new Set([...analysis.edits.keys(), ...errors.map((d) => d.span.file)])) {
    const original = program.getSourceFile(file);
    if (original === undefined) continue;
    const edited = applyEdits(original.fileName, original.text, analysis.edits.get(file) ?? []);
    views.set(original.fileName, { edited, original: stored ? storable(original) : original });
  }
  return views;
}

/** Internal members of a SourceFile. */
interface Internal {
  version?: string;
  resolvedPath?: string;
  redirectInfo?: unknown;
}

/** See Note [Original paths]. */
function storable(original: ts.SourceFile): ts.SourceFile {
  // the builder reads this internal field
  const resolvedPath = `${(original as Internal).resolvedPath ?? original.fileName}${ORIGINAL}`;
  return Object.create(original, {
    resolvedPath: { value: resolvedPath, enumerable: true },
  }) as ts.SourceFile; // its prototype
}

function hostOver(
  api: TypeScript,
  program: ts.Program,
  base: ts.CompilerHost,
  files: ReadonlyMap<string, View>,
  { analysis, texts }: { readonly analysis: Analysis; readonly texts: CheckedText },
): ts.CompilerHost {
  const host = Object.create(base) as ts.CompilerHost; // its prototype
  const get = (
    file: string,
    options: ts.ScriptTarget | ts.CreateSourceFileOptions,
  ): ts.SourceFile | undefined => {
    const view = files.get(file);
    if (view === undefined) {
      const shared = program.getSourceFile(file);
      // a redirect refers to another copy of a package; the overlay creates its own
      return (shared as Internal | undefined)?.redirectInfo === undefined ? shared : undefined;
    }
    const made = api.createSourceFile(file, texts(view), options);
    const ours = analysis.diagnostics.filter((d) => d.span.file === file);
    (made as Internal).version = hash(
      api,
      base,
      view.edited.text + (ours.length === 0 ? "" : JSON.stringify(ours)),
    ); // builders require it
    return made;
  };
  host.getSourceFile = (file, options, ...rest) =>
    get(file, options) ?? base.getSourceFile(file, options, ...rest);
  const byPath = base.getSourceFileByPath?.bind(base);
  if (byPath !== undefined)
    host.getSourceFileByPath = (file, path, options, ...rest) =>
      get(file, options) ?? byPath(file, path, options, ...rest);
  return host;
}

const hash = (api: TypeScript, host: ts.CompilerHost, text: string): string =>
  host.createHash?.(text) ?? api.sys.createHash?.(text) ?? text;

type Getter = (
  file?: ts.SourceFile,
  token?: ts.CancellationToken,
  ...rest: unknown[]
) => readonly ts.Diagnostic[];

/** The diagnostics getters of a program, internal ones included, which builders call. */
type Reporter = Record<(typeof GETTERS)[number], Getter | undefined>;

const GETTERS = [
  "getSyntacticDiagnostics",
  "getSemanticDiagnostics",
  "getBindAndCheckDiagnostics",
  "getProgramDiagnostics",
  "getDeclarationDiagnostics",
  "getSuggestionDiagnostics",
  "getCachedSemanticDiagnostics",
  "getOptionsDiagnostics",
  "getGlobalDiagnostics",
] as const;

/** Getters without a file parameter. */
const GLOBAL: readonly string[] = ["getOptionsDiagnostics", "getGlobalDiagnostics"];

/** The getters that return our errors too. Under `noCheck` a builder calls only the global one. */
const joined = (options: ts.CompilerOptions): readonly string[] => [
  "getSemanticDiagnostics",
  "getBindAndCheckDiagnostics",
  ...(options.noCheck === true ? ["getGlobalDiagnostics"] : []),
];

/** "Module has no exported member": a derivative in JavaScript that is checked as it stands. */
const NOT_EXPORTED: ReadonlySet<number> = new Set([2305, 2614, 2724]);

/** Moves the compiler's diagnostics to the user's text, and adds ours. */
function report(made: ts.Program, first: ts.Program, views: Views, analysis: Analysis): void {
  const errors = analysis.diagnostics
    .filter((d) => d.severity === "error")
    .map((d) => printed(toCompiler(views, d)));
  const join = joined(made.getCompilerOptions());
  const reporter = made as unknown as Reporter; // the compiler calls these members of the object
  const check = made.getSemanticDiagnostics.bind(made);
  const userFails = (file: ts.SourceFile): boolean =>
    [file.fileName, ...(analysis.dependencies.get(file.fileName) ?? [])].some((name) => {
      const checked = made.getSourceFile(name);
      return checked !== undefined && partition(views, check(checked)).user.length > 0;
    });
  for (const name of GETTERS) {
    const own = reporter[name];
    if (own === undefined) continue;
    reporter[name] = (file, token, ...rest) => {
      const scope = GLOBAL.includes(name) ? undefined : file;
      const found = own.call(
        made,
        scope === undefined ? file : (made.getSourceFile(scope.fileName) ?? scope),
        token,
        ...rest,
      );
      /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
         getCachedSemanticDiagnostics before the check */
      if (found === undefined) return found;
      const { user, generated: all } = partition(views, found);
      const generated = all.filter(({ code }) => !NOT_EXPORTED.has(code));
      // generated code repeats the user's expressions, and their errors
      const faults = generated.filter((d) => d.file === undefined || !userFails(d.file));
      const blamed = name === "getSuggestionDiagnostics" ? [] : internalErrors(views, faults);
      const ours = join.includes(name)
        ? errors.filter((d) => scope === undefined || d.file?.fileName === scope.fileName)
        : [];
      return [...blamed, ...reportedOnce(user, ours)];
    };
  }
  resolveOriginals(made, first, views);
}

/** See Note [Original paths]. */
function resolveOriginals(made: ts.Program, first: ts.Program, views: Views): void {
  const builders = made as unknown as {
    getSourceFileByPath(path: string): ts.SourceFile | undefined;
  }; // internal; what builders call
  const byPath = builders.getSourceFileByPath.bind(made);
  builders.getSourceFileByPath = (path) => {
    if (!path.endsWith(ORIGINAL)) return byPath(path);
    const overlaid = byPath(path.slice(0, -ORIGINAL.length));
    return overlaid === undefined
      ? undefined
      : (views.originalOf(overlaid.fileName) ?? first.getSourceFile(overlaid.fileName));
  };
}

/** Files outside the project whose code is inlined in edited files. */
const packageFiles = ({ dependencies }: Analysis, program: ts.Program): readonly string[] =>
  [...new Set([...dependencies.values()].flat())].filter((file) => {
    const known = program.getSourceFile(file);
    return known === undefined || program.isSourceFileFromExternalLibrary(known);
  });

/** Makes `tsc --watch` watch the files; a changed one counts as missing. */
function watchPackages(
  { sys, ScriptTarget }: TypeScript,
  made: ts.Program,
  host: ts.CompilerHost,
  files: readonly string[],
): void {
  const dates = new Map(files.map((file) => [file, sys.getModifiedTime?.(file)?.getTime()]));
  for (const file of files) host.getSourceFile(file, ScriptTarget.ESNext);
  // internal
  const watching = made as unknown as { getMissingFilePaths(): ReadonlyMap<string, string> };
  const missing = watching.getMissingFilePaths.bind(made);
  watching.getMissingFilePaths = () =>
    new Map([
      ...missing(),
      ...files
        .filter((file) => sys.getModifiedTime?.(file)?.getTime() !== dates.get(file))
        .map((file): [string, string] => [file, file]),
    ]);
}

/** Moves emitted source maps, and diagnostics of declaration emit, to the user's text. */
function wrapEmit(
  { made, emitter }: { readonly made: ts.Program; readonly emitter: ts.Program | null },
  host: ts.CompilerHost,
  views: Views,
  isUnsettled: boolean,
): void {
  const emit = made.emit.bind(made);
  const writerOver = (
    write: ts.WriteFileCallback = host.writeFile.bind(host),
  ): ts.WriteFileCallback => (isUnsettled ? unsettlingWriter(write) : write);
  const builders = made as unknown as {
    emitBuildInfo(write?: ts.WriteFileCallback, ...rest: unknown[]): unknown;
  }; // internal; called by builders
  const emitBuildInfo = builders.emitBuildInfo.bind(made);
  builders.emitBuildInfo = (write, ...rest) => emitBuildInfo(writerOver(write), ...rest);
  made.emit = (target, writeFile, ...rest) => {
    const write = mappingWriter(views, writerOver(writeFile));
    const named = target === undefined ? undefined : made.getSourceFile(target.fileName);
    const result = emit(named ?? target, emitter === null ? write : typesOf(write, views), ...rest);
    emitter?.emit(
      target === undefined ? undefined : emitter.getSourceFile(target.fileName),
      codeOf(write, views),
      ...rest,
    );
    const { user, generated } = partition(views, result.diagnostics);
    return { ...result, diagnostics: [...user, ...internalErrors(views, generated)] };
  };
}

/** Whether a text is the code of JavaScript with edits. */
const isOfEdited = (
  views: Views,
  file: string,
  sources: readonly ts.SourceFile[] | undefined,
): boolean =>
  !/\.d\.[cm]?ts(?:\.map)?$|\.tsbuildinfo$/.test(file) &&
  sources?.some(({ fileName }) => isJavaScript(fileName) && views.of(fileName) !== undefined) ===
    true;

const typesOf =
  (write: ts.WriteFileCallback, views: Views): ts.WriteFileCallback =>
  (...args) => {
    if (!isOfEdited(views, args[0], args[4])) write(...args);
  };

const codeOf =
  (write: ts.WriteFileCallback, views: Views): ts.WriteFileCallback =>
  (...args) => {
    if (isOfEdited(views, args[0], args[4])) write(...args);
  };

/** See Note [Settled builds]. */
const unsettlingWriter =
  (write: ts.WriteFileCallback): ts.WriteFileCallback =>
  (file, text, ...rest) =>
    write(
      file,
      file.endsWith(".tsbuildinfo") ? JSON.stringify({ ...JSON.parse(text), errors: true }) : text,
      ...rest,
    );

// Note [Checked as it stands]
// TypeScript takes types of JavaScript from the syntax of what it finds there: `C.prototype = {…}`,
// `module.exports = …`. Code beside it would change them. So JavaScript is checked as the user
// wrote it, and another program emits it.

// Note [Settled builds]
// `tsc -b` skips a project whose own files are older than its output, whatever its packages. But
// derivatives may contain copies of a package's code, which an update makes stale. Their
// .tsbuildinfo therefore claims unreported errors, so that each `-b` creates the program.

// Note [Original paths]
// A builder stores a file's diagnostics in .tsbuildinfo by path, and reads them back with the
// SourceFile of the *next* program at that path: the edited one, where original offsets are wrong.
// So the SourceFile of a diagnostic has its own path, which the overlay resolves to the original.
