// Snapshots of programs, to find the files that changed. With equal `setting`, a file with equal
// text and equal imports means the same in both programs. For a stored snapshot, the host vouches
// for the library's files and for tsgrad itself.

import type ts from "typescript";
import { isPackageFile, isTsgrad, mayBeIn, programStyle, specifiersOf } from "../1-lower/index.ts";
import type { CompileHost } from "../pipeline.ts";

interface Facts {
  /** Imported files of the program, except tsgrad's own; null: it may import any file. */
  readonly imports: readonly string[] | null;
  /** Whether it imports an entry point of tsgrad. */
  readonly isDirect: boolean;
  readonly isAmbient: boolean;
  readonly isExternal: boolean;
}

interface File extends Facts {
  readonly text: Text;
}

/** The text of a file, or what an earlier process stored about it. */
interface Text {
  /** Whether the given file has the same text and is parsed alike. */
  readonly is: (source: ts.SourceFile) => boolean;
  readonly has: (part: string) => boolean;
  /** Whether it may re-export imports: `export { x } from`, `export *`, `export default x`. */
  readonly passesNames: () => boolean;
  /** Null in a stored snapshot. */
  readonly source: ts.SourceFile | null;
}

/** A fingerprint: equal for two files exactly if they are parsed alike. */
export type Print = (source: ts.SourceFile) => string;

export interface StoredSnapshot {
  readonly setting: string;
  readonly order: readonly string[];
  readonly files: readonly (readonly [string, StoredFile])[];
  /** Substrings that were searched for in the files. */
  readonly parts: readonly string[];
}

interface StoredFile extends Facts {
  readonly print: string;
  readonly passesNames: boolean;
  /** Those of `parts` that it contains. */
  readonly has: readonly string[];
}

export class Snapshot {
  /** Options, file names, and all else that the files share. */
  readonly setting: string;
  /** Position of each file in the program. */
  readonly order: ReadonlyMap<string, number>;
  readonly #files: ReadonlyMap<string, File>;
  /** Files whose declarations other files see without an import. */
  readonly #ambient: readonly string[];

  private constructor(setting: string, order: readonly string[], files: ReadonlyMap<string, File>) {
    this.setting = setting;
    this.order = new Map(order.map((name, position) => [name, position]));
    this.#files = files;
    this.#ambient = [...files].flatMap(([name, { isAmbient, isExternal }]) =>
      isAmbient && !isExternal ? [name] : [],
    );
  }

  static of({ ts: api, program, packages = [], engine, debug }: CompileHost): Snapshot {
    const files = program.getSourceFiles();
    const order = files.map(({ fileName }) => fileName);
    const setting = JSON.stringify([
      api.version,
      packages,
      engine ?? null,
      debug ?? null,
      optionsText(program.getCompilerOptions()),
      programStyle(api, program),
      [...order].sort(),
    ]);
    const own = files.filter((file) => !program.isSourceFileDefaultLibrary(file));
    return new Snapshot(
      setting,
      order,
      new Map(own.map((source) => [source.fileName, fileOf(source, api, program)])),
    );
  }

  static from({ setting, order, files, parts }: StoredSnapshot, print: Print): Snapshot {
    const asked = new Set(parts);
    return new Snapshot(
      setting,
      order,
      new Map(
        files.map(([name, file]): [string, File] => {
          const found = new Set(file.has);
          const text: Text = {
            source: null,
            is: (source) => print(source) === file.print,
            has: (part) => !asked.has(part) || found.has(part),
            passesNames: () => file.passesNames,
          };
          return [name, { ...file, text }];
        }),
      ),
    );
  }

  /** Null if this snapshot is a stored one. `parts`: substrings that may be searched for later. */
  stored(parts: readonly string[], print: Print): StoredSnapshot | null {
    const files: [string, StoredFile][] = [];
    for (const [name, { imports, isDirect, isAmbient, isExternal, text }] of this.#files) {
      if (text.source === null) return null;
      // a change of such a file recompiles everything
      const isSettled = isAmbient || isExternal;
      files.push([
        name,
        {
          imports,
          isDirect,
          isAmbient,
          isExternal,
          print: print(text.source),
          passesNames: isSettled || text.passesNames(),
          has: isSettled ? parts : parts.filter(text.has),
        },
      ]);
    }
    return { setting: this.setting, order: [...this.order.keys()], files, parts };
  }

  has(file: string, part: string): boolean {
    return this.#files.get(file)?.text.has(part) ?? false;
  }

  /** The changed files; null if anything may mean something else now. */
  changedSince(before: Snapshot): ReadonlySet<string> | null {
    if (this.setting !== before.setting) return null;
    const changed = new Set<string>();
    for (const [name, file] of this.#files) {
      const old = before.#files.get(name);
      if (old === undefined) return null;
      if (isSame(old, file)) continue;
      if (old.isAmbient || file.isAmbient || file.isExternal) return null;
      changed.add(name);
    }
    const library = this.order.size - this.#files.size;
    const isTouched =
      library !== before.order.size - before.#files.size ||
      overlap(this.closure(this.#ambient), changed);
    return isTouched ? null : changed;
  }

  /** The files and all that they import, transitively. */
  closure(names: Iterable<string>): ReadonlySet<string> {
    const found = new Set(names);
    for (const name of found) {
      const file = this.#files.get(name);
      for (const next of file === undefined ? [] : (file.imports ?? this.#files.keys()))
        found.add(next);
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

  passesNames(name: string): boolean {
    return this.#files.get(name)?.text.passesNames() ?? true;
  }

  /** The files and all that import one of them, transitively. */
  importersOf(names: ReadonlySet<string>): readonly string[] {
    return [...this.#files.keys()].filter((name) => overlap(this.closure([name]), names));
  }
}

export const overlap = (x: ReadonlySet<string>, z: ReadonlySet<string>): boolean => {
  const [few, many] = x.size < z.size ? [x, z] : [z, x];
  return [...few].some((name) => many.has(name));
};

/** The options without those that a builder program adds. */
const optionsText = (options: ts.CompilerOptions): string =>
  JSON.stringify(
    Object.entries(options)
      .filter(([name]) => name !== "configFile")
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

function fileOf(source: ts.SourceFile, api: CompileHost["ts"], program: ts.Program): File {
  const nodes = specifiersOf(source, api);
  const rest = {
    isDirect: nodes.some((node) => isTsgrad(node, api)),
    isAmbient: isAmbient(source, api),
    isExternal: isPackageFile(program, source),
    text: textOf(source, api),
  };
  if (/\b(?:import|require)\s*(?:\(|\/[*/])/.test(source.text)) return { ...rest, imports: null };
  const checker = program.getTypeChecker();
  const imports = nodes
    .filter((node) => !isTsgrad(node, api))
    .flatMap(
      (node) => checker.getSymbolAtLocation(node)?.declarations?.filter(api.isSourceFile) ?? [],
    )
    .map(({ fileName }) => fileName);
  return { ...rest, imports };
}

const textOf = (source: ts.SourceFile, api: CompileHost["ts"]): Text => ({
  source,
  is: (other) =>
    source === other ||
    (source.text === other.text &&
      source.impliedNodeFormat === other.impliedNodeFormat &&
      source.languageVariant === other.languageVariant),
  has: (part) => mayBeIn(source.text, part),
  passesNames: () =>
    source.statements.some(
      (node) =>
        api.isExportDeclaration(node) ||
        api.isExportAssignment(node) ||
        api.isImportEqualsDeclaration(node) ||
        isKeptName(node, api),
    ),
});

/** `export const alias = namespace` */
const isKeptName = (node: ts.Statement, api: CompileHost["ts"]): boolean =>
  api.isVariableStatement(node) &&
  node.declarationList.declarations.some(
    ({ initializer }) =>
      initializer !== undefined &&
      (api.isIdentifier(initializer) || api.isPropertyAccessExpression(initializer)),
  );

/** Whether both are parsed alike and import the same files. `now`: of this process. */
const isSame = (old: File, now: File): boolean =>
  old.isExternal === now.isExternal &&
  now.text.source !== null &&
  old.text.is(now.text.source) &&
  (old.imports === now.imports ||
    (old.imports ?? ["?"]).join("\n") === (now.imports ?? ["?"]).join("\n"));

/** Whether its declarations or its marks may hold in files that do not import it. */
const isAmbient = (file: ts.SourceFile, api: CompileHost["ts"]): boolean =>
  file.isDeclarationFile ||
  !api.isExternalModule(file) ||
  /\.[cm]?jsx?$/.test(file.fileName) ||
  /\bdeclare\b|\/\/\/\s*<|defineDerivative|@differentiable/.test(file.text);
