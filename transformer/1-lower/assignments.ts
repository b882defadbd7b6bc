// Assignments in user code, by syntax: their targets, and which variables they replace.

import type ts from "typescript";
import { targetOf } from "../syntax/assignments.ts";
import { isWrapper } from "../syntax/wrappers.ts";
import { resolvedSymbol } from "./checker.ts";
import type { Frame } from "./frame.ts";
import type { TypeScript } from "./typescript.ts";

/** A constant with the value that it has from then on; constants of `for … of` have none. */
export type Constant = ts.VariableDeclaration & { readonly initializer: ts.Expression };

export const isConstant = (node: ts.Node | undefined, api: TypeScript): node is Constant =>
  node !== undefined &&
  api.isVariableDeclaration(node) &&
  node.initializer !== undefined &&
  (api.getCombinedNodeFlags(node) & api.NodeFlags.Constant) !== 0;

/** Whether the variable is assigned outside of its declaration. */
export function isReassigned(f: Frame, symbol: ts.Symbol): boolean {
  // a type may have the variable's name: const Kind = { … } as const; type Kind = …
  const declarations = (symbol.declarations ?? []).filter(
    (declaration) =>
      !f.api.isTypeAliasDeclaration(declaration) && !f.api.isInterfaceDeclaration(declaration),
  );
  if (declarations.every((declaration) => declaration.getSourceFile().isDeclarationFile))
    return false;
  return declarations.length > 1 || isAssigned(symbol, f.ctx.checker, f.api);
}

/** Whether some code of its file assigns the name. No other file can. */
export function isAssigned(symbol: ts.Symbol, checker: ts.TypeChecker, api: TypeScript): boolean {
  const file = symbol.declarations?.[0]?.getSourceFile();
  if (file === undefined || file.isDeclarationFile) return false;
  const known = ASSIGNED_BY_FILE.get(file);
  if (known !== undefined && known.checker === checker) return known.assigned.has(symbol);
  const assigned = new Set<ts.Symbol>();
  const walk = (node: ts.Node): void => {
    forEachTarget(api, node, (target) => {
      const name = api.isPropertyAccessExpression(target) ? target.name : target;
      const found = api.isIdentifier(name) ? resolvedSymbol(name, { api, checker }) : null;
      if (found !== null) assigned.add(found);
    });
    api.forEachChild(node, walk);
  };
  walk(file);
  ASSIGNED_BY_FILE.set(file, { checker, assigned });
  return assigned.has(symbol);
}

/** The symbols that a file assigns, valid for one program. */
const ASSIGNED_BY_FILE = new WeakMap<
  ts.SourceFile,
  { readonly checker: ts.TypeChecker; readonly assigned: ReadonlySet<ts.Symbol> }
>();

/** Calls `found` with each place that this node assigns or deletes. */
export function forEachTarget(
  api: TypeScript,
  node: ts.Node,
  found: (target: ts.Expression) => void,
): void {
  const target = api.isDeleteExpression(node) ? node.expression : targetOf(node, api);
  if (target !== null) targetsOf(api, target, found);
}

/** Whether the expression may assign a variable, directly or in a call that is inlined. */
export function mayAssign(api: TypeScript, node: ts.Node): boolean {
  let found = api.isCallExpression(node) || api.isNewExpression(node);
  forEachTarget(api, node, () => {
    found = true;
  });
  return found || api.forEachChild(node, (child) => mayAssign(api, child) || undefined) === true;
}

export function targetsOf(
  api: TypeScript,
  node: ts.Expression,
  found: (target: ts.Expression) => void,
): void {
  if (isWrapper(node, api)) targetsOf(api, node.expression, found);
  else if (api.isArrayLiteralExpression(node)) {
    for (const element of node.elements)
      targetsOf(
        api,
        api.isSpreadElement(element) ? element.expression : withoutDefault(api, element),
        found,
      );
  } else if (api.isObjectLiteralExpression(node)) {
    for (const property of node.properties) {
      if (api.isShorthandPropertyAssignment(property)) found(property.name);
      else if (api.isPropertyAssignment(property))
        targetsOf(api, withoutDefault(api, property.initializer), found);
      else if (api.isSpreadAssignment(property)) targetsOf(api, property.expression, found);
    }
  } else found(node);
}

export const withoutDefault = (api: TypeScript, node: ts.Expression): ts.Expression =>
  api.isBinaryExpression(node) && node.operatorToken.kind === api.SyntaxKind.EqualsToken
    ? node.left
    : node;
