// Whether two array expressions of a function can never be the same array. In: the array that code resizes, and another one.
// Invariant: errs on the side of "may be the same"; only arrays that a constant of the function was made with count as distinct.

import type ts from "typescript";
import { effectsOf, isReassigned } from "./effects.ts";
import type { Frame } from "./frame.ts";
import { builtinPath, opened } from "./resolve.ts";

export function areDistinct(f: Frame, resized: ts.Expression, array: ts.Expression, running: readonly (ts.Node | undefined)[]): boolean {
  const one = ownArray(f, resized);
  if (one === null) return false;
  const node = opened(f, array);
  const other = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  if (other === one.symbol) return false;
  // made while the code runs: the other array was there before
  if (running.some((part) => part !== undefined && contains(part, one.declaration)) || !isInsideRoot(f, one.declaration)) return true;
  if (!escapes(f, one.symbol, one.declaration)) return true;
  return other !== null && (ownArray(f, array) !== null || isParameterOf(f, other, one.declaration) || isFromBefore(f, other, one.declaration, running));
}

/** A constant that holds an array which its own initializer made. */
function ownArray(f: Frame, expression: ts.Expression): { readonly symbol: ts.Symbol; readonly declaration: ts.VariableDeclaration } | null {
  const node = opened(f, expression);
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined || !f.api.isVariableDeclaration(declaration) || declaration.initializer === undefined) return null;
  return !isReassigned(f, symbol) && isFresh(f, declaration.initializer) ? { symbol, declaration } : null;
}

const MAKERS: ReadonlySet<string> = new Set(["map", "slice", "filter", "concat", "flat", "flatMap"]);

function isFresh(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isArrayLiteralExpression(node) || api.isObjectLiteralExpression(node) || api.isNewExpression(node)) return true;
  if (!api.isCallExpression(node)) return false;
  const path = builtinPath(f, node.expression);
  if (path === "Array" || path === "Array.from" || path === "Array.of") return true;
  return api.isPropertyAccessExpression(node.expression)
    && (MAKERS.has(node.expression.name.text) || (node.expression.name.text === "fill" && isFresh(f, node.expression.expression)));
}

/** Whether the constant is used in any way that could make another name or place hold the array. */
function escapes(f: Frame, symbol: ts.Symbol, declaration: ts.VariableDeclaration): boolean {
  const { api } = f;
  const isHarmless = (node: ts.Node): boolean => {
    const { parent } = node;
    if (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) return parent.expression === node;
    if (api.isNonNullExpression(parent)) return isHarmless(parent);
    return parent === declaration || api.isReturnStatement(parent) || api.isSpreadElement(parent) || ((api.isForOfStatement(parent) || api.isForInStatement(parent)) && parent.expression === node);
  };
  const walk = (node: ts.Node): boolean => {
    if (api.isIdentifier(node) && node.text === symbol.name && f.symbolOf(node) === symbol) return !isHarmless(node);
    return api.forEachChild(node, (child) => walk(child) || undefined) === true;
  };
  const owner = api.findAncestor(declaration, (at) => api.isFunctionLike(at));
  return owner === undefined || walk(owner);
}

/** Whether the other name is a parameter of the function that declares the array, or of one around it: it was bound before. */
function isParameterOf(f: Frame, other: ts.Symbol, declaration: ts.Node): boolean {
  const parameter = other.valueDeclaration;
  if (parameter === undefined || !f.api.isParameter(parameter) || isReassigned(f, other)) return false;
  return contains(parameter.parent, declaration);
}

/** Whether a variable holds, while the code runs, what it held when the array was made: `const next = []; for (…; i < points.length; …) next.push(…); points = next`. */
function isFromBefore(f: Frame, other: ts.Symbol, declaration: ts.VariableDeclaration, running: readonly (ts.Node | undefined)[]): boolean {
  const made = declaration.parent.parent, block = made.parent, declared = other.valueDeclaration;
  if (!f.api.isVariableStatement(made) || !f.api.isBlock(block) || declared === undefined) return false;
  const from = block.statements.indexOf(made), last = Math.max(...running.map((part) => (part === undefined ? from : block.statements.findIndex((each) => contains(each, part)))));
  const until = block.statements.slice(from, last + 1);
  if (running.some((part) => part !== undefined && !until.some((each) => contains(each, part))) || until.some((each) => contains(each, declared))) return false;
  const { assigned, unknown } = effectsOf(f, ...until);
  return !unknown && !assigned.has(other);
}

const isInsideRoot = (f: Frame, node: ts.Node): boolean => [f.root, ...f.inlining].some((body) => contains(body, node));

function contains(outer: ts.Node, node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) if (at === outer) return true;
  return false;
}
