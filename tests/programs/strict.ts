// What TypeScript says about the emitted code of a corpus. In: a compiled corpus. Out: one line per error that the user did not have before.
// Invariant: errors in user code that stand there without tsgrad, too, are not ours; anything else is.

import ts from "typescript";
import { applyEdits, toOriginal } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import type { Corpus } from "./corpus.ts";

/** Every strictness flag that looks at code as it stands. */
export const STRICTEST: ts.CompilerOptions = {
  strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noUnusedLocals: true, noUnusedParameters: true, noImplicitReturns: true,
  noImplicitOverride: true, noFallthroughCasesInSwitch: true, noPropertyAccessFromIndexSignature: true, allowUnreachableCode: false,
  verbatimModuleSyntax: true, isolatedModules: true, isolatedDeclarations: true, declaration: true, erasableSyntaxOnly: true,
};

export function newProblems(corpus: Corpus): readonly string[] {
  const texts = new Map<string, string>();
  for (const file of corpus.original.program.getSourceFiles()) if (file.fileName.startsWith("/src/")) texts.set(file.fileName, file.text);
  const edited = new Map([...texts].map(([file, text]) => [file, applyEdits(file, text, corpus.edits.get(file) ?? [])]));
  const before = new Set(errorsOf(corpus.original.program).map(({ file, start, code }) => `${file.fileName} ${start} ${code}`));
  const after = programOf(Object.fromEntries([...edited].map(([file, { text }]) => [file, text])), corpus.options);
  return errorsOf(after.program).flatMap(({ file, start, code, message }) => {
    const now = edited.get(file.fileName);
    const place = now === undefined ? start : toOriginal(now, start);
    if (place !== null && before.has(`${file.fileName} ${place} ${code}`)) return [];
    const { line } = file.getLineAndCharacterOfPosition(start);
    return [`${file.fileName}:${line + 1}: TS${code} ${message} | ${(file.text.split("\n")[line] ?? "").trim()}`];
  });
}

interface Found { readonly file: ts.SourceFile; readonly start: number; readonly code: number; readonly message: string }

export function errorsOf(program: ts.Program): readonly Found[] {
  return ts.getPreEmitDiagnostics(program).flatMap(({ file, start, code, messageText }) =>
    (file === undefined ? [] : [{ file, start: start ?? 0, code, message: ts.flattenDiagnosticMessageText(messageText, " ") }]));
}
