// What TypeScript says about the emitted code of a corpus. In: a compiled corpus. Out: one line per error that the user did not have before.
// Invariant: errors in user code that stand there without tsgrad, too, are not ours; anything else is.

import ts from "typescript";
import { applyEdits, toOriginal } from "../../transformer/hosts/apply.ts";
import { ownDiagnostics, programOf } from "../program.ts";
import type { Corpus } from "./corpus.ts";

/** Every strictness flag that looks at code as it stands. */
export const STRICTEST: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  allowUnreachableCode: false,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  erasableSyntaxOnly: true,
};

/** `isolatedDeclarations` on exports without annotations: the code is sound all the same. */
const WANTS_ANNOTATION = /^90\d\d$/;

export const brokenFiles = (program: ts.Program): ReadonlySet<string> =>
  new Set(
    errorsOf(program)
      .filter(({ code }) => !WANTS_ANNOTATION.test(String(code)))
      .map(({ file }) => file.fileName),
  );

/** Programs that a user of these options could not build in the first place say nothing about emitted code. */
export function newProblems(corpus: Corpus): readonly string[] {
  const texts = new Map<string, string>();
  for (const file of corpus.original.program.getSourceFiles())
    if (file.fileName.startsWith("/src/")) texts.set(file.fileName, file.text);
  const edited = new Map(
    [...texts].map(([file, text]) => [file, applyEdits(file, text, corpus.edits.get(file) ?? [])]),
  );
  const after = errorsOf(
    programOf(
      Object.fromEntries([...edited].map(([file, { text }]) => [file, text])),
      corpus.options,
    ).program,
  );
  // most often there is nothing to compare, and the original need not be checked
  if (after.length === 0) return [];
  const before = new Set(
    errorsOf(corpus.original.program).map(
      ({ file, start, code }) => `${file.fileName} ${start} ${code}`,
    ),
  );
  const broken = brokenFiles(corpus.original.program);
  return after.flatMap(({ file, start, code, message }) => {
    if (broken.has(file.fileName)) return [];
    const now = edited.get(file.fileName);
    const place = now === undefined ? start : toOriginal(now, start);
    if (place !== null && before.has(`${file.fileName} ${place} ${code}`)) return [];
    const { line } = file.getLineAndCharacterOfPosition(start);
    return [
      `${file.fileName}:${line + 1}: TS${code} ${message} | ${(file.text.split("\n")[line] ?? "").trim()}`,
    ];
  });
}

/** A program as a user of `noUncheckedIndexedAccess` writes it: `xs[i]!` for each element that is read. */
export function asserted(text: string): string {
  const file = ts.createSourceFile("program.ts", text, ts.ScriptTarget.ES2023, true);
  const ends: number[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (ts.isElementAccessExpression(node) && !isChecked(node)) ends.push(node.end);
  };
  visit(file);
  return ends
    .sort((a, b) => b - a)
    .reduce((result, end) => `${result.slice(0, end)}!${result.slice(end)}`, text);
}

/** Already asserted, checked by `??` or `?.`, or written. */
function isChecked(node: ts.ElementAccessExpression): boolean {
  const { parent } = node;
  if (ts.isNonNullExpression(parent) || node.questionDotToken !== undefined) return true;
  if (ts.isDeleteExpression(parent)) return true;
  if (ts.isPropertyAccessExpression(parent)) return parent.questionDotToken !== undefined;
  return (
    ts.isBinaryExpression(parent) &&
    parent.left === node &&
    (parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken ||
      parent.operatorToken.kind === ts.SyntaxKind.EqualsToken)
  );
}

interface Found {
  readonly file: ts.SourceFile;
  readonly start: number;
  readonly code: number;
  readonly message: string;
}

export function errorsOf(program: ts.Program): readonly Found[] {
  return ownDiagnostics(program).flatMap(({ file, start, code, messageText }) =>
    file === undefined
      ? []
      : [
          {
            file,
            start: start ?? 0,
            code,
            message: ts.flattenDiagnosticMessageText(messageText, " "),
          },
        ],
  );
}
