// Whether two array expressions of a function can never be the same array.
// Input: an array that code resizes, and another one. Conservative: only arrays that a constant's
// own initializer allocates count as distinct.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { isReassigned } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import { contains, builtinPath } from "../names/library-names.ts";

/** `running`: the code that executes between the read of `array` and its use. */
export function areDisjoint(
  f: Frame,
  resized: ts.Expression,
  array: ts.Expression,
  running: readonly (ts.Node | undefined)[],
): boolean {
  const one = ownArray(f, resized);
  if (one === null) return false;
  const node = bare(array, f.api);
  const other = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  if (other === one.symbol) return false;
  // allocated during that code: the other array already existed
  if (
    running.some((part) => part !== undefined && contains(part, one.declaration)) ||
    !isInsideRoot(f, one.declaration)
  )
    return true;
  if (!escapes(f, one.symbol, one.declaration) || isOwnSoFar(f, one, running)) return true;
  return (
    other !== null && (ownArray(f, array) !== null || isParameterOf(f, other, one.declaration))
  );
}

interface OwnArray {
  readonly symbol: ts.Symbol;
  readonly declaration: ts.VariableDeclaration;
}

/** A constant whose initializer allocates an array. */
function ownArray(f: Frame, expression: ts.Expression): OwnArray | null {
  const node = bare(expression, f.api);
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    declaration === undefined ||
    !f.api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return null;
  return !isReassigned(f, symbol) && isFresh(f, declaration.initializer)
    ? { symbol, declaration }
    : null;
}

const ALLOCATING: ReadonlySet<string> = new Set([
  "map",
  "slice",
  "filter",
  "concat",
  "flat",
  "flatMap",
]);

function isFresh(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  if (
    api.isArrayLiteralExpression(node) ||
    api.isObjectLiteralExpression(node) ||
    api.isNewExpression(node)
  )
    return true;
  if (!api.isCallExpression(node)) return false;
  const path = builtinPath(f, node.expression);
  if (path === "Array" || path === "Array.from" || path === "Array.of") return true;
  return (
    api.isPropertyAccessExpression(node.expression) &&
    (ALLOCATING.has(node.expression.name.text) ||
      (node.expression.name.text === "fill" && isFresh(f, node.expression.expression)))
  );
}

/** Whether any use of the constant may create an alias of the array. */
function escapes(f: Frame, symbol: ts.Symbol, declaration: ts.VariableDeclaration): boolean {
  const owner = f.api.findAncestor(declaration, (at) => f.api.isFunctionLike(at));
  return owner === undefined || escapesIn(f, owner, symbol, declaration);
}

function escapesIn(
  f: Frame,
  code: ts.Node,
  symbol: ts.Symbol,
  declaration: ts.VariableDeclaration,
): boolean {
  const { api } = f;
  const isHarmless = (node: ts.Node): boolean => {
    const { parent } = node;
    if (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent))
      return parent.expression === node;
    if (api.isNonNullExpression(parent)) return isHarmless(parent);
    return (
      parent === declaration ||
      api.isReturnStatement(parent) ||
      api.isSpreadElement(parent) ||
      ((api.isForOfStatement(parent) || api.isForInStatement(parent)) && parent.expression === node)
    );
  };
  const walk = (node: ts.Node): boolean => {
    if (api.isIdentifier(node) && node.text === symbol.name && f.symbolOf(node) === symbol)
      return !isHarmless(node);
    return api.forEachChild(node, (child) => walk(child) || undefined) === true;
  };
  return walk(code);
}

/** Whether there is no alias before the code has run: `const next = []; …; points = next`. */
function isOwnSoFar(
  f: Frame,
  { symbol, declaration }: OwnArray,
  running: readonly (ts.Node | undefined)[],
): boolean {
  const made = declaration.parent.parent;
  const block = made.parent;
  if (!f.api.isVariableStatement(made) || !f.api.isBlock(block)) return false;
  const from = block.statements.indexOf(made);
  const places = running.flatMap((part) =>
    part === undefined ? [] : [block.statements.findIndex((each) => contains(each, part))],
  );
  return (
    places.every((at) => at >= from) &&
    !block.statements
      .slice(from, Math.max(from, ...places) + 1)
      .some((each) => escapesIn(f, each, symbol, declaration))
  );
}

/** Whether the other name is a parameter of an enclosing function, bound before the array. */
function isParameterOf(f: Frame, other: ts.Symbol, declaration: ts.Node): boolean {
  const parameter = other.valueDeclaration;
  if (parameter === undefined || !f.api.isParameter(parameter) || isReassigned(f, other))
    return false;
  return contains(parameter.parent, declaration);
}

const isInsideRoot = (f: Frame, node: ts.Node): boolean =>
  [f.root, ...f.inlining].some((body) => contains(body, node));
