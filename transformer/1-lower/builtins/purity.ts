// Whether code does nothing but give a value. In: an expression. Out: yes or no, functions of the program that it calls followed.
// Invariant: errs on the side of no; what is quiet may run as often as anybody likes, or not at all.

import type ts from "typescript";
import { implementationsOf } from "../functions/called-code.ts";
import { isAssignment } from "../effects.ts";
import type { Frame } from "../frame.ts";
import { isSafeLeaf } from "../objects/places.ts";
import { builtinPath, opened } from "../resolve.ts";

export function isQuiet(f: Frame, node: ts.Node, open: readonly ts.Node[] = []): boolean {
  const { api } = f;
  if (api.isTypeNode(node)) return true;
  if (api.isBinaryExpression(node) && isAssignment(api, node.operatorToken.kind)) return false;
  if (
    (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) &&
    (node.operator === api.SyntaxKind.PlusPlusToken ||
      node.operator === api.SyntaxKind.MinusMinusToken)
  )
    return false;
  if (
    api.isNewExpression(node) ||
    api.isDeleteExpression(node) ||
    api.isAwaitExpression(node) ||
    api.isYieldExpression(node) ||
    api.isTaggedTemplateExpression(node) ||
    api.isFunctionLike(node) ||
    api.isClassLike(node)
  )
    return false;
  if (api.isCallExpression(node)) return isQuietCall(f, node, open);
  if (api.isPropertyAccessExpression(node)) {
    const symbol = f.symbolOf(node.name);
    const isAccessor = symbol !== null && (symbol.flags & api.SymbolFlags.Accessor) !== 0;
    if (
      isAccessor &&
      !areQuiet(
        f,
        implementationsOf(f, symbol).filter((each) => !api.isSetAccessor(each)),
        open,
      )
    )
      return false;
  }
  return api.forEachChild(node, (child) => !isQuiet(f, child, open) || undefined) !== true;
}

function isQuietCall(f: Frame, node: ts.CallExpression, open: readonly ts.Node[]): boolean {
  const { api } = f;
  const callee = opened(f, node.expression);
  if (!node.arguments.every((argument) => isQuiet(f, argument, open))) return false;
  const path = builtinPath(f, callee);
  if (path !== null)
    return (
      (path.startsWith("Math.") && path !== "Math.random") || path === "Number" || path === "String"
    );
  if (!api.isPropertyAccessExpression(callee)) {
    const symbol = api.isIdentifier(callee) ? f.symbolOf(callee) : null;
    const body = symbol === null ? null : f.ctx.bodyOf(symbol);
    return body !== null && areQuiet(f, [body], open);
  }
  if (!isQuiet(f, callee.expression, open)) return false;
  if (isSafeLeaf(f, f.ctx.checker.getTypeAtLocation(callee.expression)))
    return !/^set|^(exec|test|match\w*|replace\w*)$/.test(callee.name.text);
  if (isLookUp(f, callee)) return true;
  const symbol = f.symbolOf(callee.name);
  return symbol !== null && areQuiet(f, implementationsOf(f, symbol), open);
}

const LOOK_UPS: Readonly<Record<string, ReadonlySet<string>>> = {
  Map: new Set(["get", "has"]),
  Set: new Set(["has"]),
  Array: new Set(["at", "includes", "indexOf", "lastIndexOf"]),
};

/** `rank.get`, `seen.has`, `order.indexOf`: methods of the standard library that give what stands somewhere, or whether it does. */
export function isLookUp(f: Frame, { expression, name }: ts.PropertyAccessExpression): boolean {
  const { checker } = f.ctx;
  const type = checker.getNonNullableType(checker.getTypeAtLocation(expression));
  const { symbol } = type;
  const owner = symbol?.name.replace(/^Readonly/, "") ?? "";
  const isLibrary =
    symbol?.declarations?.every((each) => each.getSourceFile().isDeclarationFile) === true;
  const kind = checker.isTupleType(type) || checker.isArrayType(type) ? "Array" : owner;
  return (kind === "Array" || isLibrary) && LOOK_UPS[kind]?.has(name.text) === true;
}

/** Functions that do nothing but return what they compute of their parameters. */
function areQuiet(f: Frame, bodies: readonly ts.Node[], open: readonly ts.Node[]): boolean {
  const { api } = f;
  return (
    bodies.length > 0 &&
    bodies.every((node) => {
      if (
        open.includes(node) ||
        !api.isFunctionLike(node) ||
        !("body" in node) ||
        node.body === undefined
      )
        return false;
      if (
        node.parameters.some(({ initializer }) => initializer !== undefined) ||
        ("asteriskToken" in node && node.asteriskToken !== undefined)
      )
        return false;
      const { body } = node;
      const inside = [...open, node];
      if (!api.isBlock(body)) return isQuiet(f, body, inside);
      return body.statements.every(
        (statement) =>
          (api.isReturnStatement(statement) ||
            api.isIfStatement(statement) ||
            api.isBlock(statement) ||
            isConst(f, statement)) &&
          isQuiet(f, statement, inside),
      );
    })
  );
}

const isConst = ({ api }: Frame, node: ts.Statement): boolean =>
  api.isVariableStatement(node) && (node.declarationList.flags & api.NodeFlags.Const) !== 0;
