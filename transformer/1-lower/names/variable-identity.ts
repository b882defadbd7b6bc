// Identifies variables of enclosing scopes. Input: a symbol; output: the fields of a `global` atom
// that tell its variable. Invariant: equal `variable` strings mean the same variable.

import type ts from "typescript";
import { topLevel } from "../../ir/names.ts";
import type { Global } from "../../ir/types.ts";
import { blockOfScope, indentOf } from "../blocks.ts";
import { scopeOf } from "../functions/captures.ts";
import type { TypeScript } from "../typescript.ts";
import { namespaceOf } from "./namespaces.ts";
import { ownLibraryNames } from "./shadowed-globals.ts";

type Meant = Pick<Global, "variable" | "isExclusive" | "isAmbient" | "block">;

/** The identity of a variable; fields are absent for the file's own top-level variable `name`. */
export function variableIdentity(
  symbol: ts.Symbol,
  name: string,
  file: string,
  api: TypeScript,
): Meant {
  const declaration = declarationOf(symbol);
  if (declaration === undefined) return {};
  const isOwn = holderOf(declaration, api);
  const owner = api.isClassLike(declaration.parent) ? declaration.parent : null;
  const exported = namespaceOf(declaration, api);
  const inNamespace = exported === null || exported.path === null ? null : exported;
  const declaring = declaration.getSourceFile().fileName;
  const path = topLevel(declaring, inNamespace?.path ?? pathInClass(symbol, owner));
  const scope = scopeOf((inNamespace === null ? owner : inNamespace.outermost) ?? declaration, api);
  const placed = `${path} ${declaration.pos}`;
  if (!api.isSourceFile(scope)) {
    const block = declaring === file ? endOfBlock(scope, api) : null;
    return { ...isOwn, variable: placed, block };
  }
  // a class expression's own name is no name of the file
  const variable = owner === null || api.isClassDeclaration(owner) ? path : placed;
  return { ...isOwn, ...(variable === topLevel(file, name) ? {} : { variable }) };
}

/** Whether the variable alone holds its object, or the host made it. */
function holderOf(
  declaration: ts.Declaration,
  api: TypeScript,
): Pick<Meant, "isExclusive" | "isAmbient"> {
  if (isFresh(initialiserOf(declaration, api), api)) return { isExclusive: true };
  return isAmbient(declaration, api) ? { isAmbient: true } : {};
}

const isAmbient = (declaration: ts.Declaration, api: TypeScript): boolean =>
  api.isVariableDeclaration(declaration) &&
  (api.getCombinedModifierFlags(declaration) & api.ModifierFlags.Ambient) !== 0;

const declarationOf = (symbol: ts.Symbol): ts.Declaration | undefined =>
  symbol.valueDeclaration ?? symbol.declarations?.[0];

const pathInClass = (symbol: ts.Symbol, owner: ts.ClassLikeDeclaration | null): string =>
  owner === null ? symbol.name : `${owner.name?.text ?? ""}.${symbol.name}`;

/** Where generated code of the scope is inserted. */
function endOfBlock(scope: ts.Node, api: TypeScript): NonNullable<Meant["block"]> | null {
  const block = blockOfScope(scope, api);
  if (block === null) return null;
  return { at: block.end - 1, indent: indentOf(block, block.getSourceFile().text, api) };
}

/** The initialiser of a static field, or of a variable that is not destructured. */
const initialiserOf = (declaration: ts.Declaration, api: TypeScript): ts.Expression | undefined =>
  (api.isVariableDeclaration(declaration) && api.isIdentifier(declaration.name)) ||
  api.isPropertyDeclaration(declaration)
    ? declaration.initializer
    : undefined;

const ARRAYS = /^(?:Array|Float(?:32|64)Array|(?:Int|Uint)(?:8|16|32)Array|Uint8ClampedArray)$/;
const MAKERS: ReadonlySet<string> = new Set(["from", "of"]);
/** Methods of arrays that return the array itself or a new one. */
const METHODS: ReadonlySet<string> = new Set(
  "fill slice map filter concat toSorted toReversed".split(" "),
);

/**
 * Whether an expression allocates its value: a number, a new array, or a literal of such parts.
 * Sharing of rows between arrays is not detected.
 */
function isFresh(node: ts.Expression | undefined, api: TypeScript): boolean {
  if (node === undefined) return false;
  if (isTransparent(node, api)) return isFresh(node.expression, api);
  if (api.isArrayLiteralExpression(node)) return node.elements.every((part) => isFresh(part, api));
  if (api.isObjectLiteralExpression(node))
    return node.properties.every(
      (part) => api.isPropertyAssignment(part) && isFresh(part.initializer, api),
    );
  // views of buffers are rejected before
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
    (api.isBinaryExpression(node) && ARITHMETIC.has(api.tokenToString(node.operatorToken.kind)))
  );
}

const isTransparent = (
  node: ts.Expression,
  api: TypeScript,
): node is
  ts.AsExpression | ts.SatisfiesExpression | ts.ParenthesizedExpression | ts.NonNullExpression =>
  api.isAsExpression(node) ||
  api.isSatisfiesExpression(node) ||
  api.isParenthesizedExpression(node) ||
  api.isNonNullExpression(node);

const isArrays = (node: ts.Expression, api: TypeScript): boolean =>
  ARRAYS.test(node.getText()) && !ownLibraryNames(node.getSourceFile(), api).has(node.getText());

const ARITHMETIC: ReadonlySet<string | undefined> = new Set(["+", "-", "*", "/", "%", "**"]);
