// The core's one entry. In: a host (a TypeScript program and the compiler API it was made with). Out: text edits to user
// files, diagnostics, and which file's output depends on which others. Invariant: no file system, process or clock.

import type ts from "typescript";
import type { Diagnostic } from "./diagnostics/report.ts";
import type { Edit } from "./ir/facts.ts";
import { Kept } from "./incremental/incremental.ts";
import { derivativesOf } from "./pipeline.ts";

export { Kept };

export type TypeScript = typeof ts;

/** What the core needs of the outside: a program to read, and the compiler API that made it. */
export interface Host {
  readonly ts: TypeScript;
  readonly program: ts.Program;
  /** How files of packages are read, which are not in the program; absent where there is no file system. */
  readonly system?: ts.ModuleResolutionHost;
  /** Names of packages without types that may be followed nevertheless. */
  readonly packages?: readonly string[];
  /** Of earlier programs; whoever makes programs one after another hands the same one over each time. */
  readonly kept?: Kept;
}

export interface Request {
  /** Call sites of these files only (absolute names, as the program has them); absent: of all user files. */
  readonly files?: readonly string[];
  /** "static": no call falls back to the Delta engine. */
  readonly engine?: "static";
}

export interface Analysis {
  /** By file name. Edits of one file do not overlap and are in ascending order. Files without edits are absent. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  readonly diagnostics: readonly Diagnostic[];
  /** For each file with edits or diagnostics: the other files its generated text depends on. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

export function analyse(host: Host, request: Request = {}): Analysis {
  if (host.kept !== undefined && request.files === undefined && request.engine === undefined)
    return host.kept.analyse(host);
  const { compiled, emitted } = derivativesOf(host, request);
  return {
    edits: emitted.edits,
    diagnostics: compiled.diagnostics,
    dependencies: compiled.dependencies,
  };
}
