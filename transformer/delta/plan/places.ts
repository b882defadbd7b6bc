// Where emitted code goes. In: a declaration. Out: the place of hoisted functions, and of links and
// classes, which must execute after it. Invariant: the declaration's scope is visible there.

import type ts from "typescript";
import { type Code, code, NOTHING } from "../../code/code.ts";
import { statementEnd } from "../../code/statement.ts";
import { originOf } from "../../syntax/places.ts";

/** Structurally a Home of the IR. */
export interface Place {
  readonly file: string;
  readonly name: string;
  readonly at: number;
  readonly scope: "module" | "block";
  readonly indent: string;
  readonly origin: {
    readonly file: string;
    readonly start: number;
    readonly end: number;
  };
}

export type Block = ts.SourceFile | ts.Block | ts.CaseBlock | ts.ModuleBlock;

/** Whether it is an arrow function that uses an outer `this` or `super`. */
export const seesThis = (node: ts.Node, api: typeof ts): boolean =>
  api.isArrowFunction(node) && mentionsThis(node, api);

function mentionsThis(node: ts.Node, api: typeof ts): boolean {
  if (node.kind === api.SyntaxKind.ThisKeyword || node.kind === api.SyntaxKind.SuperKeyword)
    return true;
  const hasOwn =
    (api.isFunctionLike(node) && !api.isArrowFunction(node)) ||
    api.isClassLike(node) ||
    api.isTypeNode(node);
  return (
    !hasOwn && api.forEachChild(node, (child) => mentionsThis(child, api) || undefined) === true
  );
}

/** The innermost block around a node (for a parameter, the body); null for an expression body. */
export function blockOf(node: ts.Node, api: typeof ts): Block | null {
  if (api.isParameter(node)) {
    const body = "body" in node.parent ? node.parent.body : undefined;
    return body !== undefined && api.isBlock(body) ? body : null;
  }
  let at: ts.Node = node.parent;
  while (!(
    api.isSourceFile(at) ||
    api.isBlock(at) ||
    api.isCaseBlock(at) ||
    api.isModuleBlock(at)
  )) {
    if (
      (api.isArrowFunction(at) || api.isFunctionLike(at)) &&
      node !== at &&
      !api.isBlock(node.parent)
    )
      return null;
    at = at.parent;
  }
  return at;
}

/** The end of the block, where hoisted functions go. */
export function placeIn(block: Block, origin: ts.Node, api: typeof ts): Place {
  const file = block.getSourceFile();
  const base = { file: file.fileName, name: "", origin: originOf(origin) };
  return api.isSourceFile(block)
    ? { ...base, at: file.end, scope: "module", indent: "" }
    : { ...base, at: block.end - 1, scope: "block", indent: indentOf(block, file.text, api) };
}

/** After a statement; `lead` ends that statement where it needs a semicolon. */
export interface Behind {
  readonly at: number;
  readonly lead: Code;
  /** What separates it from what follows; absent: a line or a space does. */
  readonly tail?: Code;
  readonly indent: string;
  readonly isModule: boolean;
}

/** Directly after the statement that contains a declaration. */
export function behind(node: ts.Node, api: typeof ts): Behind {
  let at = node;
  while (!api.isStatement(at) && !api.isSourceFile(at.parent)) at = at.parent;
  const text = node.getSourceFile().text;
  return {
    at: at.end,
    lead: statementEnd(text, at.end, !api.isVariableStatement(at) && !api.isExportAssignment(at)),
    indent: indentAt(text, at.getStart()),
    isModule: api.isSourceFile(at.parent),
  };
}

/** Before all statements of a function declaration's block, in the line of what is before them. */
export function ahead(node: ts.FunctionDeclaration, api: typeof ts): Behind {
  // `label: function f() {}` stands in no block
  if (!("statements" in node.parent)) return behind(node, api);
  // the parent's type is not narrowed by that
  const { statements } = node.parent as ts.Block | ts.SourceFile;
  const isHead = (each: ts.Statement): boolean =>
    api.isImportDeclaration(each) ||
    (api.isExpressionStatement(each) && api.isStringLiteral(each.expression));
  const after = statements.findIndex((each) => !isHead(each));
  const last = after < 0 ? undefined : statements[after - 1];
  const first = statements[after] ?? node;
  const text = node.getSourceFile().text;
  const isStart = first.pos === 0;
  return {
    at: last?.end ?? (isStart ? first.getStart() : first.pos),
    lead: last === undefined ? NOTHING : statementEnd(text, last.end),
    ...(isStart ? { tail: code` ` } : {}),
    indent: indentAt(text, first.getStart()),
    isModule: api.isSourceFile(node.parent),
  };
}

/** What ends the last member of a class, so that another may follow. */
export function memberEnd(node: ts.ClassLikeDeclaration, api: typeof ts): Code {
  const last = node.members.at(-1);
  return last !== undefined && api.isPropertyDeclaration(last)
    ? statementEnd(node.getSourceFile().text, last.end)
    : NOTHING;
}

const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";

function indentOf(block: Block, text: string, api: typeof ts): string {
  const first = api.isBlock(block) || api.isModuleBlock(block) ? block.statements[0] : undefined;
  const brace = indentAt(text, block.end - 1);
  const inner = first === undefined ? "" : indentAt(text, first.getStart());
  return inner.length > brace.length ? inner : `${brace}  `;
}

/** A literal's method becomes a function, where `super` is not allowed. */
export const SUPER_OF_LITERAL =
  "`super` in a method of an object literal (a class, or the other object by its name, is accepted)";

/** Whether the method that `super` belongs to is in an object literal. */
export function isOfLiteral(api: typeof ts, node: ts.Node): boolean {
  if (api.isMethodDeclaration(node) || api.isGetAccessor(node) || api.isSetAccessor(node))
    return api.isObjectLiteralExpression(node.parent);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- files have no parent
  return !api.isClassElement(node) && node.parent !== undefined && isOfLiteral(api, node.parent);
}
