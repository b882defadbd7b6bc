// What a function takes from the functions around it. In: a function node. Out: the captured symbols, each with the scope that declares it.
// Invariant: names of the module's top level and of the outside are no captures.

import type ts from "typescript";
import type { TypeScript } from "../context.ts";

export interface Capture {
  readonly name: string;
  /** The block, loop or function that the name is visible in. */
  readonly scope: ts.Node;
}

export function capturesOf(fn: ts.Node, api: TypeScript, checker: ts.TypeChecker): Capture[] {
  const { SymbolFlags } = api;
  const named =
    SymbolFlags.Variable |
    SymbolFlags.Function |
    SymbolFlags.Class |
    SymbolFlags.Enum |
    SymbolFlags.Interface |
    SymbolFlags.TypeAlias |
    SymbolFlags.TypeParameter;
  const found = new Map<ts.Symbol, Capture>();
  let self: Capture | null = null;
  const visit = (node: ts.Node): void => {
    // `Vec.dot` is what `Vec` has
    if (
      api.isIdentifier(node) &&
      !(
        (api.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
        (api.isQualifiedName(node.parent) && node.parent.right === node)
      )
    ) {
      const symbol = api.isShorthandPropertyAssignment(node.parent)
        ? checker.getShorthandAssignmentValueSymbol(node.parent)
        : checker.getSymbolAtLocation(node);
      const declaration = symbol?.declarations?.[0];
      if (
        symbol !== undefined &&
        declaration !== undefined &&
        (symbol.flags & named) !== 0 &&
        declaration.getSourceFile() === fn.getSourceFile() &&
        !contains(fn, declaration)
      ) {
        const scope = scopeOf(declaration, api);
        if (!api.isSourceFile(scope)) found.set(symbol, { name: symbol.name, scope });
      }
    }
    if (node.kind === api.SyntaxKind.ThisKeyword || node.kind === api.SyntaxKind.SuperKeyword) {
      const method = methodOfThis(node, api);
      if (method !== null && !contains(fn, method.body))
        self = { name: "this", scope: method.body };
    }
    api.forEachChild(node, visit);
  };
  visit(fn);
  return [...found.values(), ...(self === null ? [] : [self])];
}

/** The method or accessor whose `this` is meant; null where that is something else, or a class itself. */
export function methodOfThis(
  node: ts.Node,
  api: TypeScript,
): { readonly owner: ts.ClassLikeDeclaration; readonly body: ts.Block } | null {
  const around = api.findAncestor(
    node,
    (each) =>
      (api.isFunctionLike(each) && !api.isArrowFunction(each)) ||
      api.isPropertyDeclaration(each) ||
      api.isClassStaticBlockDeclaration(each),
  );
  if (
    around === undefined ||
    !(api.isMethodDeclaration(around) || api.isAccessor(around)) ||
    !api.isClassLike(around.parent) ||
    around.body === undefined
  )
    return null;
  const { body } = around;
  const isStatic = (api.getCombinedModifierFlags(around) & api.ModifierFlags.Static) !== 0;
  return isStatic || !contains(body, node) ? null : { owner: around.parent, body };
}

export const contains = (outer: ts.Node, inner: ts.Node): boolean =>
  outer.pos <= inner.pos && inner.end <= outer.end;

export function scopeOf(declaration: ts.Node, api: TypeScript): ts.Node {
  // what a JSON file is imported as
  if (api.isSourceFile(declaration)) return declaration;
  // `var` belongs to the whole function
  const isVar =
    api.isVariableDeclaration(declaration) &&
    api.isVariableDeclarationList(declaration.parent) &&
    (declaration.parent.flags & api.NodeFlags.BlockScoped) === 0;
  let at = declaration.parent;
  while (!api.isSourceFile(at) && !(isVar ? api.isFunctionLike(at) : isScope(at, api)))
    at = at.parent;
  return at;
}

const isScope = (node: ts.Node, api: TypeScript): boolean =>
  api.isBlock(node) ||
  api.isCaseBlock(node) ||
  api.isModuleBlock(node) ||
  api.isFunctionLike(node) ||
  api.isForStatement(node) ||
  api.isForOfStatement(node) ||
  api.isForInStatement(node) ||
  api.isCatchClause(node) ||
  api.isClassLike(node) ||
  api.isInterfaceDeclaration(node) ||
  api.isTypeAliasDeclaration(node);
