// Finds the variables that a function captures, each with the scope that declares it.
// Names of the module's top level and of other files are no captures.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { TypeScript } from "../typescript.ts";

export interface Capture {
  readonly name: string;
  /** The block, loop or function that declares the name. */
  readonly scope: ts.Node;
}

export function capturesOf(fn: ts.Node, api: TypeScript, checker: ts.TypeChecker): Capture[] {
  const found = new Map<ts.Symbol, Capture>();
  let self: Capture | null = null;
  const visit = (node: ts.Node): void => {
    const symbol = api.isIdentifier(node) ? capturedSymbol(node, fn, api, checker) : undefined;
    const declaration = symbol?.declarations?.[0];
    if (symbol !== undefined && declaration !== undefined) {
      const scope = scopeOf(declaration, api);
      if (!api.isSourceFile(scope)) found.set(symbol, { name: symbol.name, scope });
    }
    if (node.kind === api.SyntaxKind.ThisKeyword || node.kind === api.SyntaxKind.SuperKeyword) {
      const method = methodOfThis(node, api);
      if (method !== null && !contains(fn, method.body))
        self = { name: "this", scope: method.body };
    }
    api.forEachChild(node, visit);
  };
  visit(fn);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- `visit` assigns it
  return [...found.values(), ...(self === null ? [] : [self])];
}

/** What a function refers to in the functions around it; null where it has `this` of one. */
export interface OuterNames {
  /** Variables and parameters, in the order of their first mention. */
  readonly variables: ReadonlyMap<ts.Symbol, ts.Declaration>;
  /** Functions, whose own outer names are among these. */
  readonly functions: ReadonlyMap<ts.Symbol, CapturedFunction>;
}

export type CapturedFunction = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression;

/** `isFixed`: whether no code assigns a variable. Null of functions that refer to inner classes. */
export function outerNames(
  fn: ts.Node,
  isFixed: (symbol: ts.Symbol) => boolean,
  api: TypeScript,
  checker: ts.TypeChecker,
): OuterNames | null {
  const variables = new Map<ts.Symbol, ts.Declaration>();
  const functions = new Map<ts.Symbol, CapturedFunction>();
  const classes = new Set<ts.Symbol>();
  const own = [fn];
  const note = (symbol: ts.Symbol, declaration: ts.Declaration): void => {
    const { Class, Enum } = api.SymbolFlags;
    const code = isFixed(symbol) ? functionDeclared(declaration, api) : null;
    if (code !== null) {
      functions.set(symbol, code);
      own.push(code);
    } else if ((symbol.flags & (Class | Enum)) !== 0) classes.add(symbol);
    else if ((symbol.flags & api.SymbolFlags.Value) !== 0) variables.set(symbol, declaration);
  };
  const visit = (node: ts.Node): void => {
    const symbol = api.isIdentifier(node) ? capturedSymbol(node, fn, api, checker) : undefined;
    const declaration = symbol?.declarations?.[0];
    if (
      symbol !== undefined &&
      declaration !== undefined &&
      !variables.has(symbol) &&
      !functions.has(symbol) &&
      !own.some((each) => contains(each, declaration)) &&
      !api.isSourceFile(scopeOf(declaration, api))
    )
      note(symbol, declaration);
    if (!api.isTypeNode(node)) api.forEachChild(node, visit);
  };
  for (const each of own) visit(each);
  return classes.size === 0 ? { variables, functions } : null;
}

/** The function that a name means by its declaration or by its first value. */
export function functionDeclared(
  declaration: ts.Declaration,
  api: TypeScript,
): CapturedFunction | null {
  const held =
    api.isVariableDeclaration(declaration) && declaration.initializer !== undefined
      ? bare(declaration.initializer, api)
      : declaration;
  return api.isFunctionDeclaration(held) ||
    api.isArrowFunction(held) ||
    api.isFunctionExpression(held)
    ? held
    : null;
}

/** The symbol of a name that is declared in this file, outside of the function. */
function capturedSymbol(
  node: ts.Identifier,
  fn: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Symbol | undefined {
  if (isMemberName(node, api)) return undefined;
  const { SymbolFlags } = api;
  const { Variable, Function, Class, Enum, Interface, TypeAlias, TypeParameter } = SymbolFlags;
  const captured = Variable | Function | Class | Enum | Interface | TypeAlias | TypeParameter;
  const symbol = api.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  const declaration = symbol?.declarations?.[0];
  if (symbol === undefined || declaration === undefined) return undefined;
  const isOutside =
    declaration.getSourceFile() === fn.getSourceFile() && !contains(fn, declaration);
  return (symbol.flags & captured) !== 0 && isOutside ? symbol : undefined;
}

/** The `dot` of `Vec.dot`, which only `Vec` gives a meaning. */
const isMemberName = (node: ts.Identifier, api: TypeScript): boolean =>
  (api.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
  (api.isQualifiedName(node.parent) && node.parent.right === node);

/** The method or accessor that `this` belongs to; null for functions and static members. */
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

/** Whether a node is part of another one. */
export const contains = (outer: ts.Node, inner: ts.Node): boolean =>
  outer.pos <= inner.pos && inner.end <= outer.end;

/** The innermost scope around a declaration. */
export function scopeOf(declaration: ts.Node, api: TypeScript): ts.Node {
  // The import of a JSON file is declared by that file.
  if (api.isSourceFile(declaration)) return declaration;
  // The scope of `var` is the whole function.
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
