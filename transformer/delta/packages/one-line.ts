// Joins code to one line, so that one `// @ts-ignore` covers it under any strictness flags. In:
// source text. Out: the same program without line breaks, or null. Invariant: a semicolon stands
// wherever a line break could have stood for one.

import type ts from "typescript";
import { list, type Code, unchecked } from "../../code/code.ts";

type Api = typeof ts;

export function oneLine(api: Api, text: string): string | null {
  const file = api.createSourceFile(
    "copy.ts",
    text,
    api.ScriptTarget.ESNext,
    true,
    api.ScriptKind.TS,
  );
  const pieces: string[] = [];
  let end = 0;
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(file);
    for (const child of children) visit(child);
    if (children.length > 0) {
      const last = pieces.at(-1) ?? "";
      const isOpen = isMember(api, node) && last !== "}" && last !== ",";
      if (last !== ";" && (isOpen || endsInSemicolon(api, node))) pieces.push(";");
      return;
    }
    if (node.getWidth(file) === 0) return;
    const start = node.getStart(file);
    // Comments between tokens are dropped.
    if (start > end) pieces.push(" ");
    pieces.push(tokenText(api, node, file));
    end = node.getEnd();
  };
  visit(file);
  const joined = pieces.join("");
  return joined.includes("\n") ? null : joined;
}

const endsInSemicolon = (api: Api, node: ts.Node): boolean =>
  api.isExpressionStatement(node) ||
  api.isVariableStatement(node) ||
  api.isReturnStatement(node) ||
  api.isThrowStatement(node) ||
  api.isBreakOrContinueStatement(node) ||
  api.isDoStatement(node) ||
  api.isDebuggerStatement(node) ||
  api.isImportDeclaration(node) ||
  api.isImportEqualsDeclaration(node) ||
  api.isExportDeclaration(node) ||
  api.isExportAssignment(node) ||
  api.isTypeAliasDeclaration(node) ||
  api.isPropertyDeclaration(node);

/** Members and functions, which may have no body. */
const isMember = (api: Api, node: ts.Node): boolean =>
  api.isTypeElement(node) || api.isFunctionDeclaration(node) || api.isClassElement(node);

/** Rewritten lines as code within a line; `isExpression`: in brackets. */
export function flatCode(
  api: Api,
  lines: readonly { readonly text: Code }[],
  isExpression: boolean,
): Code {
  const text = list(
    lines.map((line) => line.text),
    "\n",
  );
  const whole = isExpression ? `(${text})` : text;
  const line = oneLine(api, whole) ?? whole;
  return unchecked(isExpression ? line.replace(/;$/, "") : line);
}

/** A line break in a template becomes its escape. */
function tokenText(api: Api, node: ts.Node, file: ts.SourceFile): string {
  const text = node.getText(file);
  return api.isTemplateLiteralToken(node) ? text.replaceAll(/\r?\n/g, "\\n") : text;
}
