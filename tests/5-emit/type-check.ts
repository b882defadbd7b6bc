// Type-checks emitted code under every strictness flag. In: texts by file name. Out: what TypeScript says, one line each.

import ts from "typescript";
import { ownDiagnostics, programOf } from "../program.ts";

const STRICT: ts.CompilerOptions = {
  strict: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  exactOptionalPropertyTypes: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  erasableSyntaxOnly: true,
};

export function problemsOf(
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions = {},
): readonly string[] {
  const { program } = programOf(files, { ...STRICT, ...options });
  const found = ownDiagnostics(program);
  return found.map((one) => {
    const at =
      one.file === undefined || one.start === undefined
        ? null
        : one.file.getLineAndCharacterOfPosition(one.start);
    const line = at === null ? "" : (one.file?.text.split("\n")[at.line] ?? "").trim();
    return `${one.file?.fileName ?? ""}:${(at?.line ?? 0) + 1}: TS${one.code} ${ts.flattenDiagnosticMessageText(one.messageText, " ")} | ${line}`;
  });
}
