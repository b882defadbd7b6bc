// Warnings that the user answers by a comment: `// tsgrad-ignore TSG8006`, in the line of a warning
// or in the line before it. In: diagnostics, and texts of files. Out: those that are shown, without
// warnings about files of packages, which the user cannot mend.

import type { Diagnostic } from "./report.ts";

export const shown = (
  diagnostics: readonly Diagnostic[],
  textOf: (file: string) => string | undefined,
): readonly Diagnostic[] =>
  diagnostics.filter(
    ({ severity, code, span: { file, start } }) =>
      severity === "error" ||
      !(file.includes("/node_modules/") || isIgnored(code, textOf(file) ?? "", start)),
  );

function isIgnored(code: string, text: string, start: number): boolean {
  const line = text.lastIndexOf("\n", start - 1) + 1;
  const end = text.indexOf("\n", start);
  const before = text.lastIndexOf("\n", line - 2) + 1;
  const lines = text.slice(before, end === -1 ? text.length : end);
  const [, codes = ""] = /\/[/*]\s*tsgrad-ignore((?:[\s,]+TSG\d{4})+)/.exec(lines) ?? [];
  return codes.includes(code);
}
