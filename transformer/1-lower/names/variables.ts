// What a name of an enclosing scope means. In: its symbol. Out: what IR says of the variable. Invariant: two names of one variable have one text, names of two
// variables have two.

import type ts from "typescript";
import { topLevel } from "../../ir/names.ts";
import type { Global } from "../../ir/types.ts";
import { blockOfScope, indentOf } from "../blocks.ts";
import { scopeOf } from "../functions/captures.ts";
import type { TypeScript } from "../context.ts";
import { namespaceOf } from "./namespaces.ts";
import { ownLibraryNames } from "./shadowed-globals.ts";

type Meant = Pick<Global, "variable" | "isOwn" | "block">;

/** What a name in a file means, where that is no variable of the file's top level with this name. */
export function variableMeant(
  symbol: ts.Symbol,
  name: string,
  file: string,
  api: TypeScript,
): Meant {
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (declaration === undefined) return {};
  const initialiser = initialiserOf(declaration, api);
  const isOwn = isFresh(initialiser, api) ? ({ isOwn: true } as const) : {};
  const owner = api.isClassLike(declaration.parent) ? declaration.parent : null;
  const exported = namespaceOf(declaration, api);
  const known = exported?.path ?? null;
  const declaring = declaration.getSourceFile().fileName;
  const path = known ?? (owner === null ? symbol.name : `${owner.name?.text ?? ""}.${symbol.name}`);
  const scope = scopeOf((known === null ? owner : exported?.outermost) ?? declaration, api);
  const placed = `${topLevel(declaring, path)} ${declaration.pos}`;
  if (api.isSourceFile(scope)) {
    // a class expression's own name is no name of the file
    const variable =
      owner === null || api.isClassDeclaration(owner) ? topLevel(declaring, path) : placed;
    return { ...isOwn, ...(variable === topLevel(file, name) ? {} : { variable }) };
  }
  const block = blockOfScope(scope, api);
  const place =
    block === null || declaring !== file
      ? null
      : { at: block.end - 1, indent: indentOf(block, block.getSourceFile().text, api) };
  return { ...isOwn, variable: placed, block: place };
}

/** Of a variable that nothing is taken out of, or a static field. */
const initialiserOf = (declaration: ts.Declaration, api: TypeScript): ts.Expression | undefined =>
  (api.isVariableDeclaration(declaration) && api.isIdentifier(declaration.name)) ||
  api.isPropertyDeclaration(declaration)
    ? declaration.initializer
    : undefined;

const ARRAYS = /^(?:Array|Float(?:32|64)Array|(?:Int|Uint)(?:8|16|32)Array|Uint8ClampedArray)$/;
const MAKERS: ReadonlySet<string> = new Set(["from", "of"]);
/** Methods of arrays that give the array or another new one. */
const METHODS: ReadonlySet<string> = new Set([
  "fill",
  "slice",
  "map",
  "filter",
  "concat",
  "toSorted",
  "toReversed",
]);

/** Whether an expression makes what it gives: a number, an array by its size or of others' elements, a literal of such parts. Rows that two arrays share are not looked for. */
function isFresh(node: ts.Expression | undefined, api: TypeScript): boolean {
  if (node === undefined) return false;
  if (
    api.isAsExpression(node) ||
    api.isSatisfiesExpression(node) ||
    api.isParenthesizedExpression(node) ||
    api.isNonNullExpression(node)
  )
    return isFresh(node.expression, api);
  if (api.isArrayLiteralExpression(node)) return node.elements.every((part) => isFresh(part, api));
  if (api.isObjectLiteralExpression(node))
    return node.properties.every(
      (part) => api.isPropertyAssignment(part) && isFresh(part.initializer, api),
    );
  // views of buffers do not come this far
  if (api.isNewExpression(node)) return isArrays(node.expression, api);
  if (api.isCallExpression(node) && api.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    return MAKERS.has(name.text)
      ? isArrays(expression, api)
      : METHODS.has(name.text) && isFresh(expression, api);
  }
  return (
    api.isLiteralExpression(node) ||
    api.isPrefixUnaryExpression(node) ||
    (api.isBinaryExpression(node) && isArithmetic(node.operatorToken.kind, api))
  );
}

const isArrays = (node: ts.Expression, api: TypeScript): boolean =>
  ARRAYS.test(node.getText()) && !ownLibraryNames(node.getSourceFile(), api).has(node.getText());

const isArithmetic = (operator: ts.SyntaxKind, { SyntaxKind }: TypeScript): boolean =>
  [
    SyntaxKind.PlusToken,
    SyntaxKind.MinusToken,
    SyntaxKind.AsteriskToken,
    SyntaxKind.SlashToken,
    SyntaxKind.PercentToken,
    SyntaxKind.AsteriskAsteriskToken,
  ].includes(operator);
