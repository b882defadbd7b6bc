// Formats the compiler's diagnostics for the terminal.

import type ts from "typescript";
import type { TypeScript } from "../analyse.ts";

export const formatHost = (api: TypeScript): ts.FormatDiagnosticsHost => ({
  getCurrentDirectory: () => api.sys.getCurrentDirectory(),
  getCanonicalFileName: (file) => (api.sys.useCaseSensitiveFileNames ? file : file.toLowerCase()),
  getNewLine: () => api.sys.newLine,
});

/** Whether tsc prints source lines and colours, by tsc's own rule. */
export const isPretty = (api: TypeScript, options: ts.CompilerOptions): boolean =>
  /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
     `sys` is absent in a browser */
  (options["pretty"] ?? (api.sys?.writeOutputIsTTY?.() === true && !process.env["NO_COLOR"])) ===
  true;
