// Joins code to one line, so that one `// @ts-ignore` covers it under any strictness flags. In:
// source text. Out: the same program without line breaks, or null. Invariant: the parse trees are
// equal.

import type ts from "typescript";
import { list, type Code, unchecked } from "../../code/code.ts";

type Api = typeof ts;

export function oneLine(api: Api, text: string): string | null {
  const before = parsed(api, text);
  const pieces: string[] = [];
  let end = 0;
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(before);
    if (children.length > 0) {
      for (const child of children) visit(child);
      return;
    }
    if (node.getWidth(before) === 0) return;
    const start = node.getStart(before);
    // Comments between tokens are dropped.
    if (start > end) pieces.push(" ");
    pieces.push(tokenText(api, node, before));
    end = node.getEnd();
  };
  visit(before);
  const joined = pieces.join("");
  return !joined.includes("\n") && shapeOf(api, parsed(api, joined)) === shapeOf(api, before)
    ? joined
    : null;
}

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
  return unchecked(oneLine(api, whole) ?? whole);
}

const parsed = (api: Api, text: string): ts.SourceFile =>
  api.createSourceFile("copy.ts", text, api.ScriptTarget.ESNext, true, api.ScriptKind.TS);

/** A line break in a template becomes its escape. */
function tokenText(api: Api, node: ts.Node, file: ts.SourceFile): string {
  const text = node.getText(file);
  return api.isTemplateLiteralToken(node) ? text.replaceAll(/\r?\n/g, "\\n") : text;
}

/** Kinds, names and values in source order, which a misplaced semicolon would change. */
function shapeOf(api: Api, file: ts.SourceFile): string {
  const kinds: string[] = [];
  const visit = (node: ts.Node): void => {
    const named =
      api.isIdentifier(node) || api.isLiteralExpression(node) || api.isPrivateIdentifier(node);
    kinds.push(named ? `${node.kind}${node.text}` : String(node.kind));
    api.forEachChild(node, visit);
    kinds.push(")");
  };
  visit(file);
  return kinds.join(" ");
}
