// The core's entry point. Input: a host (a TypeScript program and the compiler API that made it).
// Output: text edits to user files, diagnostics, and dependencies between files. It uses no file
// system, process or clock.

import type ts from "typescript";
import type { Diagnostic } from "./diagnostics/report.ts";
import { shown } from "./diagnostics/ignored.ts";
import type { Edit } from "./ir/facts.ts";
import { Kept } from "./incremental/incremental.ts";
import { derivativesOf, type LoadedModule, type PackageSystem } from "./pipeline.ts";

export { Kept };
export type { LoadedModule, PackageSystem };

export type TypeScript = typeof ts;

/** What the core needs: a program to read, and the compiler API that made it. */
export interface Host {
  readonly ts: TypeScript;
  readonly program: ts.Program;
  /** Reads files of packages outside the program; absent without a file system. */
  readonly system?: PackageSystem;
  /** Names of untyped packages whose code may be followed. */
  readonly packages?: readonly string[];
  /** "static": the Delta engine takes only calls that ask for it. */
  readonly engine?: "static";
  /** "nan": derivatives stop at the first number that is not finite. */
  readonly debug?: "nan";
  /** State of earlier programs; pass the same object for each program in turn. */
  readonly kept?: Kept;
}

export interface Request {
  /** Only call sites in these files (absolute names); absent: in all user files. */
  readonly files?: readonly string[];
  /** "static": no call falls back to the Delta engine. */
  readonly engine?: "static";
}

export interface Analysis {
  /** By file name; edits of a file are ascending and disjoint. Files without edits are absent. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  readonly diagnostics: readonly Diagnostic[];
  /** For each file with edits or diagnostics: the other files that its output depends on. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

export function analyse(host: Host, request: Request = {}): Analysis {
  const found = analysed(host, request);
  const textOf = (file: string): string | undefined => host.program.getSourceFile(file)?.text;
  return { ...found, diagnostics: shown(found.diagnostics, textOf) };
}

function analysed(host: Host, request: Request): Analysis {
  if (host.kept !== undefined && request.files === undefined && request.engine === undefined)
    return host.kept.analyse(host);
  const { compiled, emitted } = derivativesOf(host, request);
  return {
    edits: emitted.edits,
    diagnostics: compiled.diagnostics,
    dependencies: compiled.dependencies,
  };
}
