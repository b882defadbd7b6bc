// The program transformer `tsgrad/transform` for ts-patch, with `"transformProgram": true`.
// Invariant: the same program gets the same overlay.

import type ts from "typescript";
import type { TypeScript } from "../analyse.ts";
import { Sink } from "../diagnostics/sink.ts";
import { incremental, type Analyse } from "./core.ts";
import { printed, toCompiler } from "./diagnostics.ts";
import { overlay } from "./overlay.ts";
import { formatHost, isPretty } from "./print.ts";

/** The last argument of ts-patch: the compiler that it patched. */
export interface Extras {
  readonly ts: TypeScript;
}

export type ProgramTransformer = (
  program: ts.Program,
  host: ts.CompilerHost | undefined,
  config: unknown,
  extras: Extras,
) => ts.Program;

/** The third argument of ts-patch to a transformer without `transformProgram`. */
interface FileExtras extends Extras {
  readonly addDiagnostic: (diagnostic: ts.Diagnostic) => void;
}

export function programTransformer(core: Analyse): ProgramTransformer {
  const known = new WeakMap<ts.Program, ts.Program>();
  const keeper = incremental(core);
  return (program, host, config, extras: Extras | undefined) => {
    if (extras === undefined) return ofFiles(config);
    const before = known.get(program);
    if (before !== undefined) return before;
    const made = overlay(extras.ts, keeper, program, host);
    known.set(program, made.program);
    if (made.warnings.length > 0) warnOnce(extras.ts, made.program, made.warnings);
    return made.program;
  };
}

/** Leaves all files as they are, and fails the build. */
function ofFiles(given: unknown): ts.Program {
  const found = new Sink().report("TSG0005", { file: "", start: 0, end: 0 }, []);
  if (typeof given !== "object" || given === null || !("addDiagnostic" in given))
    throw Object.assign(new Error(`${found.code}: ${found.message}\n${found.help}`), { stack: "" });
  const { ts: api, addDiagnostic } = given as FileExtras; // checked above
  const nowhere = { ts: api, of: () => undefined, originalOf: () => undefined };
  addDiagnostic(printed(toCompiler(nowhere, found)));
  const unchanged: ts.TransformerFactory<ts.SourceFile> = () => (file) => file;
  return unchanged as unknown as ts.Program; // ts-patch expects a file transformer here
}

/** Prints warnings when the program's diagnostics are requested or it emits. */
function warnOnce(api: TypeScript, program: ts.Program, warnings: readonly ts.Diagnostic[]): void {
  let printed = false;
  const hook =
    <A extends unknown[], R>(own: (...args: A) => R): ((...args: A) => R) =>
    (...args) => {
      if (!printed) {
        printed = true;
        const format = isPretty(api, program.getCompilerOptions())
          ? api.formatDiagnosticsWithColorAndContext
          : api.formatDiagnostics;
        api.sys.write(format(warnings, formatHost(api)));
      }
      return own(...args);
    };
  program.getSemanticDiagnostics = hook(program.getSemanticDiagnostics.bind(program));
  program.emit = hook(program.emit.bind(program));
  const builders = program as unknown as {
    getBindAndCheckDiagnostics?: (...args: unknown[]) => unknown;
  }; // internal; called by builders
  if (builders.getBindAndCheckDiagnostics !== undefined)
    builders.getBindAndCheckDiagnostics = hook(builders.getBindAndCheckDiagnostics.bind(program));
}
