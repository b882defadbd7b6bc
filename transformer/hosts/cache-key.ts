// What tells one input of an analysis from another. In: a host of the core. Out: a name for the project under its options, and a key of all that can decide about
// the outcome but for what the analysis reads of the file system. Invariant: two programs with the same key are the same to the core, whatever process made them.

import { createHash, type Hash } from "node:crypto";
import type ts from "typescript";
import type { Host } from "../analyse.ts";

export interface ProgramKey {
  /** Of the project under its options: the same after an edit. */
  readonly project: string;
  /** Of what an edit of the project's files leaves alone: tsgrad, the compiler, options, the library. */
  readonly head: string;
  /** Of everything. */
  readonly key: string;
  /** Of a file's text and how it is read. */
  readonly print: (file: ts.SourceFile) => string;
}

type Resolution = (found: unknown, name: string, mode: unknown, file: string) => void;

/** How imports were resolved; members that the compiler keeps to itself. */
interface Resolved {
  readonly forEachResolvedModule?: (each: Resolution) => void;
  readonly forEachResolvedTypeReferenceDirective?: (each: Resolution) => void;
}

/** `code`: of what tsgrad itself is. Null where the compiler does not say how it has resolved imports. */
export function programKey(
  { ts: api, program, packages = [], system }: Host,
  code: string,
): ProgramKey | null {
  const resolved = program as unknown as Resolved; // see Resolved
  if (
    resolved.forEachResolvedModule === undefined ||
    resolved.forEachResolvedTypeReferenceDirective === undefined
  )
    return null;
  const setting = JSON.stringify([
    program.getCurrentDirectory(),
    optionsText(program.getCompilerOptions()),
    packages,
    system !== undefined,
  ]);
  const head = createHash("sha1");
  note(head, [
    code,
    process.version,
    process.arch,
    process.platform,
    api.version,
    setting,
    program.getProjectReferences() ?? [],
  ]);
  const hash = createHash("sha1");
  for (const file of program.getSourceFiles()) {
    const isLibrary = program.isSourceFileDefaultLibrary(file);
    note(isLibrary ? head : hash, [
      file.fileName,
      isLibrary,
      program.isSourceFileFromExternalLibrary(file),
      print(file),
    ]);
  }
  note(hash, program.getRootFileNames());
  for (const forEach of [
    resolved.forEachResolvedModule,
    resolved.forEachResolvedTypeReferenceDirective,
  ]) {
    forEach.call(program, (found, name, mode, file) => {
      note(hash, [file, name, mode ?? null, outcomeOf(found)]);
    });
    note(hash, []);
  }
  const common = head.digest("hex");
  return { project: hexOf(setting), head: common, key: hash.update(common).digest("hex"), print };
}

/** Digests of texts: a file of another text is another object. */
const DIGESTS = new WeakMap<ts.SourceFile, string>();

function print(file: ts.SourceFile): string {
  const digest = DIGESTS.get(file) ?? hexOf(file.text);
  DIGESTS.set(file, digest);
  return `${digest} ${file.impliedNodeFormat ?? ""} ${file.languageVariant}`;
}

const hexOf = (text: string): string => createHash("sha1").update(text).digest("hex");

/** Lists that differ differ in what is hashed: each ends where its text says. */
const note = (hash: Hash, list: readonly unknown[]): void => {
  hash.update(`${JSON.stringify(list)}\n`);
};

/** Where an import leads, and as what; not where else was looked. */
function outcomeOf(found: unknown): unknown {
  const { resolvedModule, resolvedTypeReferenceDirective } = found as {
    readonly resolvedModule?: unknown;
    readonly resolvedTypeReferenceDirective?: unknown;
  }; // one of the compiler's two kinds of resolutions
  return resolvedModule ?? resolvedTypeReferenceDirective ?? null;
}

/** Not what a builder adds of its own. */
const optionsText = (options: ts.CompilerOptions): string =>
  JSON.stringify(
    Object.entries(options)
      .filter(([name]) => name !== "configFile")
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
