// Code that runs to make the value of a variable. In: the variable's declaration. Out: the names in
// its initializer, in what is stored in it, and in functions and classes that these name.
// Invariant: a function that is only kept is none of it, since its own calls are rewritten.

import type ts from "typescript";
import { bare, outermost } from "../../syntax/wrappers.ts";
import type { PlanState } from "./plan-state.ts";

type State = Pick<PlanState, "api" | "checker" | "own" | "assigned" | "meant">;

export function makingNames(declaration: ts.Node, state: State): readonly ts.Identifier[] {
  const { api } = state;
  const found = new Set<ts.Identifier>();
  const seen = new Set<ts.Node>();
  const pending: ts.Node[] = [...madeBy(declaration, state)];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (seen.has(node) || api.isTypeNode(node)) continue;
    seen.add(node);
    if (api.isIdentifier(node)) {
      if (isValueName(node, api)) found.add(node);
      for (const named of meanings(node, state))
        for (const part of madeBy(named, state)) pending.push(part);
    }
    if (!isKept(node, api)) api.forEachChild(node, (child) => void pending.push(child));
  }
  return [...found];
}

/** Whether a name stands for a value in an expression: no key, no type. */
const isValueName = (node: ts.Identifier, api: typeof ts): boolean =>
  !(api.isPropertyAccessExpression(node.parent) && node.parent.name === node);

/** A function that is no argument, callee or constructor runs later, if at all. */
function isKept(node: ts.Node, api: typeof ts): boolean {
  if (!api.isFunctionLike(node) || api.isConstructorDeclaration(node)) return false;
  const { parent } = outermost(node, api);
  return !(api.isCallExpression(parent) || api.isNewExpression(parent));
}

/** The declarations in the program that a name means. */
function meanings(node: ts.Identifier, state: State): readonly ts.Node[] {
  const { api, checker, own } = state;
  const alias = api.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  const declarations = alias === undefined ? [] : (state.meant(alias).declarations ?? []);
  return declarations.filter((each) => own.has(each.getSourceFile()));
}

/** What runs when a declaration's value is made or called. */
function* madeBy(declaration: ts.Node, state: State): Generator<ts.Node> {
  const { api, checker, assigned } = state;
  if (api.isFunctionLike(declaration)) {
    // not the function, which may only be kept
    for (const parameter of declaration.parameters) yield parameter;
    if ("body" in declaration && declaration.body !== undefined) yield declaration.body;
  } else if (api.isClassLike(declaration)) {
    yield declaration;
  } else if (api.isBindingElement(declaration)) {
    if (declaration.initializer !== undefined) yield declaration.initializer;
    yield* madeBy(declaration.parent.parent, state);
  } else if (api.isPropertyAssignment(declaration) || api.isPropertyDeclaration(declaration)) {
    yield* functionOrValue(declaration.initializer, api);
  } else if (api.isExportAssignment(declaration)) {
    yield declaration.expression;
  } else if (api.isVariableDeclaration(declaration)) {
    yield* functionOrValue(declaration.initializer, api);
    const symbol = checker.getSymbolAtLocation(declaration.name);
    if (symbol !== undefined)
      for (const stored of assigned.mentions(symbol, (name) => storing(name, api) !== null))
        yield storing(stored, api) ?? stored;
  }
}

function* functionOrValue(node: ts.Expression | undefined, api: typeof ts): Generator<ts.Node> {
  if (node === undefined) return;
  yield node;
  const inner = bare(node, api);
  if (api.isArrowFunction(inner) || api.isFunctionExpression(inner)) yield inner.body;
}

/** `list.push(e)`, `o.a.b = e`, `o = e`: the code that stores something in what is named. */
function storing(name: ts.Identifier, api: typeof ts): ts.Node | null {
  let at = outermost(name, api);
  while (
    (api.isPropertyAccessExpression(at.parent) || api.isElementAccessExpression(at.parent)) &&
    at.parent.expression === at
  )
    at = outermost(at.parent, api);
  const { parent } = at;
  if (api.isBinaryExpression(parent) && parent.left === at) return parent.right;
  return at !== name && api.isCallExpression(parent) && parent.expression === at ? parent : null;
}
