// Diagnostics as JSON values, for `--json`.

import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import type { Diagnostic } from "../../diagnostics/report.ts";

interface JsonDiagnostic {
  /** `TSG1103`, or `TS2322` of the compiler's own. */
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly file: string | null;
  /** 1-based, as the column is. */
  readonly line: number | null;
  readonly column: number | null;
}

export function fromCompiler(api: TypeScript, diagnostic: ts.Diagnostic): JsonDiagnostic {
  const { file, start, code, category } = diagnostic;
  const at =
    file === undefined || start === undefined ? null : file.getLineAndCharacterOfPosition(start);
  return {
    code: `TS${code}`,
    severity: category === api.DiagnosticCategory.Error ? "error" : "warning",
    message: api.flattenDiagnosticMessageText(diagnostic.messageText, "\n"),
    file: file?.fileName ?? null,
    line: at === null ? null : at.line + 1,
    column: at === null ? null : at.character + 1,
  };
}

export function fromCore(program: ts.Program, diagnostic: Diagnostic): JsonDiagnostic {
  const { code, severity, message, help, span } = diagnostic;
  const file = program.getSourceFile(span.file);
  const at = file?.getLineAndCharacterOfPosition(span.start);
  return {
    code,
    severity,
    message: help === "" ? message : `${message}\n${help}`,
    file: span.file === "" ? null : span.file,
    line: at === undefined ? null : at.line + 1,
    column: at === undefined ? null : at.character + 1,
  };
}
