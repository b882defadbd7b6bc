// Decides whether evaluating an expression has no effect. Calls of the program's functions are
// followed. The answer errs towards no: a pure expression may be evaluated any number of times.
/* eslint-disable @typescript-eslint/no-unnecessary-condition -- type.symbol may be undefined */

import type ts from "typescript";
import { isAssignment, isUpdate } from "../../syntax/assignments.ts";
import { bare } from "../../syntax/wrappers.ts";
import { implementationsOf } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { isSafeLeaf } from "../objects/places.ts";
import { builtinPath } from "../names/library-names.ts";

/** `open` holds the functions that are being followed, so that recursion ends. */
export function isPure(f: Frame, node: ts.Node, open: readonly ts.Node[] = []): boolean {
  const { api } = f;
  if (api.isTypeNode(node)) return true;
  if (isAssignment(node, api) || isUpdate(node, api) || isImpureKind(f, node)) return false;
  if (api.isCallExpression(node)) return isPureCall(f, node, open);
  if (api.isPropertyAccessExpression(node) && !isPureAccess(f, node, open)) return false;
  return api.forEachChild(node, (child) => !isPure(f, child, open) || undefined) !== true;
}

function isImpureKind({ api }: Frame, node: ts.Node): boolean {
  return (
    api.isNewExpression(node) ||
    api.isDeleteExpression(node) ||
    api.isAwaitExpression(node) ||
    api.isYieldExpression(node) ||
    api.isTaggedTemplateExpression(node) ||
    api.isFunctionLike(node) ||
    api.isClassLike(node)
  );
}

/** Whether a property has no getter, or only pure ones. */
function isPureAccess(
  f: Frame,
  { name }: ts.PropertyAccessExpression,
  open: readonly ts.Node[],
): boolean {
  const symbol = f.symbolOf(name);
  if (symbol === null || (symbol.flags & f.api.SymbolFlags.Accessor) === 0) return true;
  const getters = implementationsOf(f, symbol).filter((each) => !f.api.isSetAccessor(each));
  return arePure(f, getters, open);
}

function isPureCall(f: Frame, node: ts.CallExpression, open: readonly ts.Node[]): boolean {
  const { api } = f;
  const callee = bare(node.expression, f.api);
  if (!node.arguments.every((argument) => isPure(f, argument, open))) return false;
  const path = builtinPath(f, callee);
  if (path !== null)
    return (
      (path.startsWith("Math.") && path !== "Math.random") || path === "Number" || path === "String"
    );
  if (!api.isPropertyAccessExpression(callee)) {
    const symbol = api.isIdentifier(callee) ? f.symbolOf(callee) : null;
    const body = symbol === null ? null : f.ctx.bodyOf(symbol);
    return body !== null && arePure(f, [body], open);
  }
  if (!isPure(f, callee.expression, open)) return false;
  if (isSafeLeaf(f, f.ctx.checker.getTypeAtLocation(callee.expression)))
    return !/^set|^(exec|test|match\w*|replace\w*)$/.test(callee.name.text);
  if (isLookUp(f, callee)) return true;
  const symbol = f.symbolOf(callee.name);
  return symbol !== null && arePure(f, implementationsOf(f, symbol), open);
}

/** Methods that read a container, by its type. */
const LOOK_UPS: Readonly<Record<string, ReadonlySet<string>>> = {
  Map: new Set(["get", "has"]),
  Set: new Set(["has"]),
  Array: new Set(["at", "includes", "indexOf", "lastIndexOf"]),
};

/** Whether it is a look-up method of the standard library, such as `rank.get` or `seen.has`. */
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

/** Whether all functions have bodies of only `const`, `if` and `return` with pure expressions. */
function arePure(f: Frame, bodies: readonly ts.Node[], open: readonly ts.Node[]): boolean {
  return bodies.length > 0 && bodies.every((node) => isPureFunction(f, node, open));
}

function isPureFunction(f: Frame, node: ts.Node, open: readonly ts.Node[]): boolean {
  const { api } = f;
  if (open.includes(node) || !api.isFunctionLike(node)) return false;
  if (!("body" in node) || node.body === undefined) return false;
  const hasDefaults = node.parameters.some(({ initializer }) => initializer !== undefined);
  const isGenerator = "asteriskToken" in node && node.asteriskToken !== undefined;
  if (hasDefaults || isGenerator) return false;
  const { body } = node;
  const inside = [...open, node];
  if (!api.isBlock(body)) return isPure(f, body, inside);
  return body.statements.every(
    (statement) =>
      (api.isReturnStatement(statement) ||
        api.isIfStatement(statement) ||
        api.isBlock(statement) ||
        isConst(f, statement)) &&
      isPure(f, statement, inside),
  );
}

const isConst = ({ api }: Frame, node: ts.Statement): boolean =>
  api.isVariableStatement(node) && (node.declarationList.flags & api.NodeFlags.Const) !== 0;
