// What a program's files look like to whoever keeps results of it. In: a program, and the snapshot of an earlier one. Out: each file's text and imports, and
// which files differ. Invariant: of two programs with the same `setting`, a file that is the same and imports the same files means the same in both.

import type ts from "typescript";
import { isTsgrad, programStyle, specifiersOf } from "../1-lower/index.ts";
import type { CompileHost } from "../pipeline.ts";

interface File {
  readonly source: ts.SourceFile;
  /** Files of the program that they lead to, but for tsgrad's own; null: it may import any file. */
  readonly imports: readonly string[] | null;
  /** Whether it names an entry of tsgrad's in an import. */
  readonly isDirect: boolean;
}

export class Snapshot {
  /** Options, names of files, and all else that files have in common. */
  readonly setting: string;
  /** Position of each file in the program. */
  readonly order: ReadonlyMap<string, number>;
  readonly #files: ReadonlyMap<string, File>;
  /** Files whose declarations other files see without an import. */
  readonly #ambient: readonly string[];

  constructor({ ts: api, program, packages = [] }: CompileHost) {
    const files = program.getSourceFiles();
    const options = program.getCompilerOptions();
    this.order = new Map(files.map(({ fileName }, position) => [fileName, position]));
    this.setting = JSON.stringify([api.version, packages, optionsText(options), programStyle(api, program), [...this.order.keys()].sort()]);
    const own = files.filter((file) => !program.isSourceFileDefaultLibrary(file));
    this.#files = new Map(own.map((source) => [source.fileName, fileOf(source, api, program)]));
    this.#ambient = own.filter((file) => isAmbient(file, api) && !program.isSourceFileFromExternalLibrary(file)).map(({ fileName }) => fileName);
  }

  get(file: string): ts.SourceFile | undefined { return this.#files.get(file)?.source; }

  /** Files that are others than they were; null where anything may mean something else now. */
  changedSince(before: Snapshot, api: CompileHost["ts"], program: ts.Program): ReadonlySet<string> | null {
    if (this.setting !== before.setting) return null;
    const changed = new Set<string>();
    for (const [name, file] of this.#files) {
      const old = before.#files.get(name), { source } = file;
      if (old === undefined) return null;
      if (isSame(old, file)) continue;
      if (isAmbient(old.source, api) || isAmbient(source, api) || program.isSourceFileFromExternalLibrary(source)) return null;
      changed.add(name);
    }
    const library = program.getSourceFiles().length - this.#files.size;
    const isTouched = library !== before.order.size - before.#files.size || overlap(this.closure(this.#ambient), changed);
    return isTouched ? null : changed;
  }

  /** The files, and all that they import, transitively. */
  closure(names: Iterable<string>): ReadonlySet<string> {
    const found = new Set(names);
    for (const name of found) {
      const file = this.#files.get(name);
      for (const next of file === undefined ? [] : file.imports ?? this.#files.keys()) found.add(next);
    }
    return found;
  }

  /** Whether a file can see tsgrad. */
  reachesTsgrad(name: string): boolean {
    return [...this.closure([name])].some((each) => {
      const file = this.#files.get(each);
      return file !== undefined && (file.isDirect || file.imports === null);
    });
  }

  /** Whether what a file imports may have a name in what imports the file: `export { x } from`, `export *`, `export default x`. */
  passesNames(name: string, api: CompileHost["ts"]): boolean {
    return this.get(name)?.statements.some((node) => api.isExportDeclaration(node) || api.isExportAssignment(node) || api.isImportEqualsDeclaration(node)) ?? true;
  }

  /** Files that import one of these, and they themselves. */
  importersOf(names: ReadonlySet<string>): readonly string[] {
    return [...this.#files.keys()].filter((name) => overlap(this.closure([name]), names));
  }
}

export const overlap = (x: ReadonlySet<string>, z: ReadonlySet<string>): boolean => {
  const [few, many] = x.size < z.size ? [x, z] : [z, x];
  return [...few].some((name) => many.has(name));
};

/** Not what a builder adds of its own. */
const optionsText = (options: ts.CompilerOptions): string => JSON.stringify(Object.entries(options).filter(([name]) => name !== "configFile").sort(([a], [b]) => (a < b ? -1 : 1)));

function fileOf(source: ts.SourceFile, api: CompileHost["ts"], program: ts.Program): File {
  const nodes = specifiersOf(source, api);
  const isDirect = nodes.some((node) => isTsgrad(node, api));
  if (/\bimport\s*\(|\brequire\s*\(/.test(source.text)) return { source, imports: null, isDirect };
  const checker = program.getTypeChecker();
  const imports = nodes.filter((node) => !isTsgrad(node, api)).flatMap((node) => checker.getSymbolAtLocation(node)?.declarations?.filter(api.isSourceFile) ?? []).map(({ fileName }) => fileName);
  return { source, imports, isDirect };
}

/** Text, how it is read, and what its imports lead to. */
const isSame = ({ source: x, imports: from }: File, { source: z, imports: to }: File): boolean =>
  (x === z || (x.text === z.text && x.impliedNodeFormat === z.impliedNodeFormat && x.languageVariant === z.languageVariant)) && (from === to || (from ?? []).join("\n") === (to ?? []).join("\n"));

/** Whether a file's declarations, or what it says about functions, may hold in files that do not import it. */
const isAmbient = (file: ts.SourceFile, api: CompileHost["ts"]): boolean =>
  file.isDeclarationFile || !api.isExternalModule(file) || /\.[cm]?jsx?$/.test(file.fileName) || /\bdeclare\b|\/\/\/\s*<|defineDerivative|@differentiable/.test(file.text);
