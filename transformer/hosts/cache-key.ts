// Cache keys of an analysis: the project with its options, and all inputs but the file system
// reads. Invariant: programs with the same key are equal to the core, in any process.

import { createHash, type Hash } from "node:crypto";
import type ts from "typescript";
import type { Host } from "../analyse.ts";

export interface ProgramKey {
  /** The project and its options: unchanged by an edit. */
  readonly project: string;
  /** What edits of the project's files leave unchanged: tsgrad, compiler, options, libraries. */
  readonly head: string;
  /** All inputs. */
  readonly key: string;
  /** A file's text and language variant. */
  readonly print: (file: ts.SourceFile) => string;
}

type Resolution = (found: unknown, name: string, mode: unknown, file: string) => void;

/** The resolutions of imports: internal members of a program. */
interface Resolved {
  readonly forEachResolvedModule?: (each: Resolution) => void;
  readonly forEachResolvedTypeReferenceDirective?: (each: Resolution) => void;
}

/** `code`: the digest of tsgrad. Null where the compiler does not expose its resolutions. */
export function programKey(
  { ts: api, program, packages = [], engine, debug, system }: Host,
  code: string,
): ProgramKey | null {
  const resolved = program as unknown as Resolved; // internal members
  if (
    resolved.forEachResolvedModule === undefined ||
    resolved.forEachResolvedTypeReferenceDirective === undefined
  )
    return null;
  const setting = JSON.stringify([
    program.getCurrentDirectory(),
    optionsText(program.getCompilerOptions()),
    packages,
    engine ?? null,
    debug ?? null,
    system !== undefined,
    system?.loaded !== undefined,
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

/** Digests of file texts. A changed file is another object. */
const DIGESTS = new WeakMap<ts.SourceFile, string>();

function print(file: ts.SourceFile): string {
  const digest = DIGESTS.get(file) ?? hexOf(file.text);
  DIGESTS.set(file, digest);
  return `${digest} ${file.impliedNodeFormat ?? ""} ${file.languageVariant}`;
}

const hexOf = (text: string): string => createHash("sha1").update(text).digest("hex");

/** Each array is one line of JSON, so that different arrays have different bytes. */
const note = (hash: Hash, list: readonly unknown[]): void => {
  hash.update(`${JSON.stringify(list)}\n`);
};

/** The file and kind that an import resolves to, without the failed look-ups. */
function outcomeOf(found: unknown): unknown {
  const { resolvedModule, resolvedTypeReferenceDirective } = found as {
    readonly resolvedModule?: unknown;
    readonly resolvedTypeReferenceDirective?: unknown;
  }; // one of the compiler's two kinds of resolution
  return resolvedModule ?? resolvedTypeReferenceDirective ?? null;
}

/** Without `configFile`, which a builder adds. */
const optionsText = (options: ts.CompilerOptions): string =>
  JSON.stringify(
    Object.entries(options)
      .filter(([name]) => name !== "configFile")
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
