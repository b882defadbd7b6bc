// Recognises counted loops: `for (let i = from; i < to; i += c)`, also with the test `i + k < to`. In: a `for` statement. Out: its parts, or null.
// Invariant: `from` is an integer, `to` and `k` have one value during the whole loop, `k` is an integer, and nothing in the body assigns `i`.

import type ts from "typescript";
import type { For } from "../../ir/types.ts";
import { effectsOf, mayResize, type Effects } from "../effects.ts";
import type { Frame } from "../frame.ts";
import { builtinPath, opened } from "../resolve.ts";
import { isOwnCounter } from "../statement.ts";

export interface Counted {
  readonly symbol: ts.Symbol;
  readonly name: ts.Identifier;
  readonly from: ts.Expression;
  readonly test: For["test"];
  readonly to: ts.Expression;
  /** What the test adds to the index. */
  readonly ahead: Ahead | null;
  /** Whether `to` is an integer by its form; if not, its part that an integer can reach is, and it bounds `i + k` as well. */
  readonly isWhole: boolean;
  readonly step: number;
}

/** An integer added to the index, or taken from it. */
export interface Ahead {
  readonly size: ts.Expression;
  readonly sign: 1 | -1;
}

interface Limit {
  readonly index: ts.Identifier;
  readonly test: For["test"];
  readonly to: ts.Expression;
  readonly ahead: Ahead | null;
}

export function countedLoop(f: Frame, node: ts.ForStatement): Counted | null {
  const { api } = f;
  const { initializer, condition, incrementor } = node;
  if (
    initializer === undefined ||
    !api.isVariableDeclarationList(initializer) ||
    condition === undefined ||
    incrementor === undefined
  )
    return null;
  const limit = limitOf(f, condition);
  const symbol = limit === null ? null : f.symbolOf(limit.index);
  if (limit === null || symbol === null) return null;
  const declaration = initializer.declarations.find(
    (each) => api.isIdentifier(each.name) && f.symbolOf(each.name) === symbol,
  );
  if (
    declaration === undefined ||
    !api.isIdentifier(declaration.name) ||
    declaration.initializer === undefined
  )
    return null;
  if (!(initializer.flags & api.NodeFlags.BlockScoped) && !isOwnCounter(f, initializer))
    return null;
  const step = stepOf(f, incrementor, symbol);
  if (step === null || step > 0 !== limit.test.startsWith("<")) return null;
  const effects = effectsOf(f, node.statement);
  if (effects.assigned.has(symbol) || !isInteger(f, declaration.initializer)) return null;
  const isConstant = (each: ts.Expression): boolean =>
    !mentions(f, each, symbol) && isInvariant(f, each, effects, initializer, node.statement);
  if (
    !isConstant(limit.to) ||
    (limit.ahead !== null && !(isConstant(limit.ahead.size) && isInteger(f, limit.ahead.size)))
  )
    return null;
  return {
    symbol,
    name: declaration.name,
    from: declaration.initializer,
    test: limit.test,
    to: limit.to,
    ahead: limit.ahead,
    isWhole: isInteger(f, limit.to),
    step,
  };
}

/** `i < n`, `n > i`, or one of them with `i + k` for `i`. */
function limitOf(f: Frame, condition: ts.Expression): Limit | null {
  const node = opened(f, condition);
  if (!f.api.isBinaryExpression(node)) return null;
  const tokens: Readonly<Record<string, readonly [For["test"], For["test"]]>> = {
    "<": ["<", ">"],
    "<=": ["<=", ">="],
    ">": [">", "<"],
    ">=": [">=", "<="],
  };
  const tests = tokens[node.operatorToken.getText()];
  if (tests === undefined) return null;
  const left = counterOf(f, node.left);
  if (left !== null) return { ...left, test: tests[0], to: node.right };
  const right = counterOf(f, node.right);
  return right === null ? null : { ...right, test: tests[1], to: node.left };
}

/** A counter, or one plus or minus something. */
function counterOf(
  f: Frame,
  expression: ts.Expression,
): { readonly index: ts.Identifier; readonly ahead: Ahead | null } | null {
  const { api } = f;
  const node = opened(f, expression);
  const counter = (part: ts.Expression): ts.Identifier | null => {
    const one = opened(f, part);
    return api.isIdentifier(one) && isCounter(f, one) ? one : null;
  };
  const own = counter(node);
  if (own !== null || !api.isBinaryExpression(node))
    return own === null ? null : { index: own, ahead: null };
  const isSum = node.operatorToken.kind === api.SyntaxKind.PlusToken;
  if (!isSum && node.operatorToken.kind !== api.SyntaxKind.MinusToken) return null;
  const left = counter(node.left);
  const right = isSum ? counter(node.right) : null;
  if (left !== null) return { index: left, ahead: { size: node.right, sign: isSum ? 1 : -1 } };
  return right === null ? null : { index: right, ahead: { size: node.left, sign: 1 } };
}

function literalInteger(f: Frame, expression: ts.Expression): number {
  const node = opened(f, expression);
  const size = f.api.isNumericLiteral(node) ? Number(node.text) : NaN;
  return Number.isSafeInteger(size) ? size : NaN;
}

/** Whether an identifier is declared in the head of a `for`. */
function isCounter(f: Frame, node: ts.Identifier): boolean {
  const declaration = f.symbolOf(node)?.valueDeclaration;
  return (
    declaration !== undefined &&
    f.api.isVariableDeclaration(declaration) &&
    f.api.isForStatement(declaration.parent.parent) &&
    contains(declaration.parent.parent.condition, node)
  );
}

const contains = (outer: ts.Node | undefined, node: ts.Node): boolean =>
  outer !== undefined &&
  node.pos >= outer.pos &&
  node.end <= outer.end &&
  node.getSourceFile() === outer.getSourceFile();

function stepOf(f: Frame, incrementor: ts.Expression, symbol: ts.Symbol): number | null {
  const { api } = f;
  const kinds = api.SyntaxKind;
  const node = opened(f, incrementor);
  const isIndex = (expression: ts.Expression): boolean =>
    api.isIdentifier(expression) && f.symbolOf(expression) === symbol;
  if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) {
    if (!isIndex(node.operand)) return null;
    return node.operator === kinds.PlusPlusToken
      ? 1
      : node.operator === kinds.MinusMinusToken
        ? -1
        : null;
  }
  if (!api.isBinaryExpression(node) || !isIndex(node.left)) return null;
  const sum = node.operatorToken.kind === kinds.EqualsToken ? opened(f, node.right) : node;
  if (!api.isBinaryExpression(sum) || !isIndex(sum.left)) return null;
  const size = literalInteger(f, sum.right);
  if (Number.isNaN(size) || size === 0) return null;
  const token = sum.operatorToken.kind;
  if (token === kinds.PlusEqualsToken || (sum !== node && token === kinds.PlusToken)) return size;
  return token === kinds.MinusEqualsToken || (sum !== node && token === kinds.MinusToken)
    ? -size
    : null;
}

function mentions(f: Frame, node: ts.Node, symbol: ts.Symbol): boolean {
  if (f.api.isIdentifier(node) && f.symbolOf(node) === symbol) return true;
  return f.api.forEachChild(node, (child) => mentions(f, child, symbol) || undefined) === true;
}

const ROUNDING: ReadonlySet<string> = new Set([
  "Math.floor",
  "Math.ceil",
  "Math.round",
  "Math.trunc",
]);
const KEEPING: ReadonlySet<string> = new Set(["Math.min", "Math.max", "Math.abs"]);

/** Whether an expression is an integer by its form. */
export function isInteger(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const kinds = api.SyntaxKind;
  const node = opened(f, expression);
  if (api.isNumericLiteral(node)) return Number.isSafeInteger(Number(node.text));
  if (api.isPropertyAccessExpression(node))
    return (
      node.name.text === "length" &&
      ((f.symbolOf(node.name)?.flags ?? 0) & f.api.SymbolFlags.Accessor) === 0
    );
  if (api.isIdentifier(node)) return isIntegerName(f, node);
  if (api.isPrefixUnaryExpression(node))
    return (
      node.operator === kinds.TildeToken ||
      (node.operator === kinds.MinusToken && isInteger(f, node.operand))
    );
  if (api.isConditionalExpression(node))
    return isInteger(f, node.whenTrue) && isInteger(f, node.whenFalse);
  if (api.isCallExpression(node)) {
    const path = builtinPath(f, node.expression);
    return (
      path !== null &&
      (ROUNDING.has(path) ||
        (KEEPING.has(path) && node.arguments.every((argument) => isInteger(f, argument))))
    );
  }
  if (!api.isBinaryExpression(node)) return false;
  const token = node.operatorToken.kind;
  if (token === kinds.PlusToken || token === kinds.MinusToken || token === kinds.AsteriskToken)
    return isInteger(f, node.left) && isInteger(f, node.right);
  return (
    token === kinds.BarToken ||
    token === kinds.AmpersandToken ||
    token === kinds.CaretToken ||
    token === kinds.LessThanLessThanToken ||
    token === kinds.GreaterThanGreaterThanToken ||
    token === kinds.GreaterThanGreaterThanGreaterThanToken
  );
}

function isIntegerName(f: Frame, node: ts.Identifier): boolean {
  const symbol = f.symbolOf(node);
  const bound = symbol === null ? null : f.env.lookup(symbol);
  if (bound?.kind === "variable") return false;
  if (bound?.kind === "value" && bound.atom.kind === "const")
    return Number.isSafeInteger(bound.atom.value);
  if (bound?.kind === "value" && bound.atom.kind === "var" && f.integers.has(bound.atom.name))
    return true;
  const declaration = symbol?.valueDeclaration;
  return (
    declaration !== undefined &&
    f.api.isVariableDeclaration(declaration) &&
    declaration.initializer !== undefined &&
    f.api.isVariableDeclarationList(declaration.parent) &&
    (declaration.parent.flags & f.api.NodeFlags.Const) !== 0 &&
    isInteger(f, declaration.initializer)
  );
}

/** Whether an expression has the same value, without effects, whenever it is evaluated during the loop. */
export function isInvariant(
  f: Frame,
  expression: ts.Expression,
  effects: Effects,
  head: ts.VariableDeclarationList | null,
  body: ts.Node,
): boolean {
  const { api } = f;
  const node = opened(f, expression);
  const again = (part: ts.Expression): boolean => isInvariant(f, part, effects, head, body);
  if (api.isNumericLiteral(node)) return true;
  if (api.isIdentifier(node)) return isInvariantName(f, node, effects, head);
  // a field of a literal of which only the parts are asked for may be a getter, whatever its type says
  if (node.kind === api.SyntaxKind.ThisKeyword) return f.env.self?.kind !== "members";
  if (api.isPrefixUnaryExpression(node)) {
    return (
      node.operator !== api.SyntaxKind.PlusPlusToken &&
      node.operator !== api.SyntaxKind.MinusMinusToken &&
      again(node.operand)
    );
  }
  if (api.isBinaryExpression(node)) {
    return (
      node.operatorToken.kind < api.SyntaxKind.FirstAssignment &&
      again(node.left) &&
      again(node.right)
    );
  }
  if (api.isCallExpression(node))
    return (
      builtinPath(f, node.expression)?.startsWith("Math.") === true &&
      !node.expression.getText().endsWith("random") &&
      node.arguments.every(again)
    );
  if (api.isPropertyAccessExpression(node)) return isInvariantField(f, node, effects, body, again);
  // a row of a matrix, for its length
  if (api.isElementAccessExpression(node))
    return (
      !effects.rows &&
      !effects.unknown &&
      isRow(f, node) &&
      again(node.expression) &&
      again(node.argumentExpression)
    );
  return false;
}

const isRow = (f: Frame, node: ts.Expression): boolean =>
  (f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.Object) !== 0;

function isInvariantField(
  f: Frame,
  node: ts.PropertyAccessExpression,
  effects: Effects,
  body: ts.Node,
  again: (part: ts.Expression) => boolean,
): boolean {
  if (builtinPath(f, node) !== null) return true;
  if (!again(node.expression)) return false;
  // a getter may compute anything
  if (((f.symbolOf(node.name)?.flags ?? 0) & f.api.SymbolFlags.Accessor) !== 0) return false;
  const type = f.ctx.checker.getTypeAtLocation(node.expression);
  if (node.name.text !== "length") return !effects.unknown && !effects.fields.has(node.name.text);
  const isGrowable = f.ctx.checker.isArrayType(f.ctx.checker.getNonNullableType(type));
  return !isGrowable || !mayResize(f, effects, node.expression, [body]);
}

function isInvariantName(
  f: Frame,
  node: ts.Identifier,
  effects: Effects,
  head: ts.VariableDeclarationList | null,
): boolean {
  const symbol = f.symbolOf(node);
  if (symbol === null) return node.text === "Infinity";
  if (effects.assigned.has(symbol)) return false;
  const bound = f.env.lookup(symbol);
  if (bound?.kind === "variable") return !effects.unknown;
  if (bound !== null) return bound.kind === "value";
  // declared in the loop's own head (`n = xs.length`), or outside the function
  const declaration = symbol.valueDeclaration;
  return (
    declaration !== undefined &&
    (head === null || declaration.parent === head || !contains(head.parent, declaration))
  );
}
