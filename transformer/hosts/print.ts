// How hosts print the compiler's diagnostics. In: the compiler API. Out: a format host for its formatters.

import type ts from "typescript";
import type { TypeScript } from "../analyse.ts";

export const formatHost = (api: TypeScript): ts.FormatDiagnosticsHost => ({
  getCurrentDirectory: () => api.sys.getCurrentDirectory(),
  getCanonicalFileName: (file) => (api.sys.useCaseSensitiveFileNames ? file : file.toLowerCase()),
  getNewLine: () => api.sys.newLine,
});

/** Whether tsc prints frames and colours; its own rule. */
export const isPretty = (api: TypeScript, options: ts.CompilerOptions): boolean =>
  (options["pretty"] ?? (api.sys?.writeOutputIsTTY?.() === true && !process.env["NO_COLOR"])) ===
  true;
