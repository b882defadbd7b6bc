// What tells one input of an analysis from another. In: a host of the core. Out: a name for the project under its options, and a key of all that can decide about
// the outcome but for what the analysis reads of the file system. Invariant: two programs with the same key are the same to the core, whatever process made them.

import { createHash, type Hash } from "node:crypto";
import type ts from "typescript";
import type { Host } from "../analyse.ts";

export interface ProgramKey {
  /** The same after an edit. */
  readonly project: string;
  readonly key: string;
}

type Resolution = (found: unknown, name: string, mode: unknown, file: string) => void;

/** How imports were resolved; members that the compiler keeps to itself. */
interface Resolved {
  readonly forEachResolvedModule?: (each: Resolution) => void;
  readonly forEachResolvedTypeReferenceDirective?: (each: Resolution) => void;
}

/** `code`: of what tsgrad itself is. Null where the compiler does not say how it has resolved imports. */
export function programKey({ ts: api, program, packages = [], system }: Host, code: string): ProgramKey | null {
  const resolved = program as unknown as Resolved; // see Resolved
  if (resolved.forEachResolvedModule === undefined || resolved.forEachResolvedTypeReferenceDirective === undefined) return null;
  const setting = JSON.stringify([program.getCurrentDirectory(), optionsText(program.getCompilerOptions()), packages, system !== undefined]);
  const hash = createHash("sha1");
  note(hash, [code, process.version, process.arch, process.platform, api.version, setting, program.getRootFileNames(), program.getProjectReferences() ?? []]);
  for (const file of program.getSourceFiles()) noteFile(hash, file, program);
  for (const forEach of [resolved.forEachResolvedModule, resolved.forEachResolvedTypeReferenceDirective]) {
    forEach.call(program, (found, name, mode, file) => { note(hash, [file, name, mode ?? null, outcomeOf(found)]); });
    note(hash, []);
  }
  return { project: createHash("sha1").update(setting).digest("hex"), key: hash.digest("hex") };
}

function noteFile(hash: Hash, file: ts.SourceFile, program: ts.Program): void {
  const { fileName, text, impliedNodeFormat, languageVariant } = file;
  note(hash, [fileName, impliedNodeFormat ?? null, languageVariant, program.isSourceFileDefaultLibrary(file), program.isSourceFileFromExternalLibrary(file), text.length]);
  hash.update(text);
}

/** Lists that differ differ in what is hashed: each ends where its text says. */
const note = (hash: Hash, list: readonly unknown[]): void => { hash.update(`${JSON.stringify(list)}\n`); };

/** Where an import leads, and as what; not where else was looked. */
function outcomeOf(found: unknown): unknown {
  const { resolvedModule, resolvedTypeReferenceDirective } = found as { readonly resolvedModule?: unknown; readonly resolvedTypeReferenceDirective?: unknown }; // one of the compiler's two kinds of resolutions
  return resolvedModule ?? resolvedTypeReferenceDirective ?? null;
}

/** Not what a builder adds of its own. */
const optionsText = (options: ts.CompilerOptions): string => JSON.stringify(Object.entries(options).filter(([name]) => name !== "configFile").sort(([a], [b]) => (a < b ? -1 : 1)));
