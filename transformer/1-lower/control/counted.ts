// Recognises counted loops: `for (let i = from; i < to; i += c)`, also with the test `i + k < to`.
// Output: the loop's parts, or null. Invariant: `from` and `k` are integers, `to` and `k` do not
// change during the loop, and the body does not assign `i`.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { For } from "../../ir/types.ts";
import { effectsOf, mayResize, type Effects } from "../effects.ts";
import type { Frame } from "../frame.ts";
import { builtinPath } from "../names/library-names.ts";
import { isOwnCounter } from "../statement.ts";
import { usesIn } from "../names/uses.ts";

export interface Counted {
  readonly symbol: ts.Symbol;
  readonly name: ts.Identifier;
  readonly from: ts.Expression;
  readonly test: For["test"];
  readonly to: ts.Expression;
  /** The offset `k` that the test adds to the index. */
  readonly offset: Ahead | null;
  /** Whether `to` is an integer by its syntax; else it must be rounded before `k` is subtracted. */
  readonly isIntegerLimit: boolean;
  readonly step: number;
}

/** An integer that is added to the index or subtracted from it. */
interface Ahead {
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
  const start = startOf(f, initializer, symbol);
  if (start === null) return null;
  const step = stepOf(f, incrementor, symbol);
  if (step === null || step > 0 !== limit.test.startsWith("<")) return null;
  const effects = effectsOf(f, node.statement);
  if (effects.assigned.has(symbol) || !isInteger(f, start.from)) return null;
  const isConstant = (each: ts.Expression): boolean =>
    usesIn(f, each, symbol).length === 0 &&
    isInvariant(f, each, effects, initializer, node.statement);
  const { test, to, ahead } = limit;
  const isFixedOffset = (): boolean =>
    ahead === null || (isConstant(ahead.size) && isInteger(f, ahead.size));
  if (!isConstant(to) || !isFixedOffset()) return null;
  return { symbol, ...start, test, to, offset: ahead, isIntegerLimit: isInteger(f, to), step };
}

/** The counter's name and first value in the head of a loop that owns it. */
function startOf(
  f: Frame,
  list: ts.VariableDeclarationList,
  symbol: ts.Symbol,
): Pick<Counted, "name" | "from"> | null {
  const { api } = f;
  const declaration = list.declarations.find(
    (each) => api.isIdentifier(each.name) && f.symbolOf(each.name) === symbol,
  );
  if (
    declaration === undefined ||
    !api.isIdentifier(declaration.name) ||
    declaration.initializer === undefined
  )
    return null;
  return list.flags & api.NodeFlags.BlockScoped || isOwnCounter(f, list)
    ? { name: declaration.name, from: declaration.initializer }
    : null;
}

/** `i < n`, `n > i`, or one of them with `i + k` for `i`. */
function limitOf(f: Frame, condition: ts.Expression): Limit | null {
  const node = bare(condition, f.api);
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
  const node = bare(expression, f.api);
  const counter = (part: ts.Expression): ts.Identifier | null => {
    const one = bare(part, f.api);
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

/** The value of an integer literal; null of any other expression. */
function literalInteger(f: Frame, expression: ts.Expression): number | null {
  const node = bare(expression, f.api);
  const size = f.api.isNumericLiteral(node) ? Number(node.text) : NaN;
  return Number.isSafeInteger(size) ? size : null;
}

/** Whether an identifier is declared in the head of the `for` whose test contains it. */
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

/** The step of `i++`, `i--`, `i += 2` or `i = i + 2`; null of any other expression. */
function stepOf(f: Frame, incrementor: ts.Expression, symbol: ts.Symbol): number | null {
  const { api } = f;
  const node = bare(incrementor, f.api);
  const isIndex = (expression: ts.Expression): boolean =>
    api.isIdentifier(expression) && f.symbolOf(expression) === symbol;
  if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) {
    const sign = SIGNS.get(api.tokenToString(node.operator) ?? "");
    return isIndex(node.operand) && sign !== undefined ? sign : null;
  }
  if (!api.isBinaryExpression(node) || !isIndex(node.left)) return null;
  if (node.operatorToken.kind !== api.SyntaxKind.EqualsToken) return stepOfSum(f, node, "");
  const sum = bare(node.right, f.api);
  return api.isBinaryExpression(sum) && isIndex(sum.left) ? stepOfSum(f, sum, "=") : null;
}

/** `suffix` turns the operator of `i + 2` into that of `i += 2`. */
function stepOfSum(f: Frame, sum: ts.BinaryExpression, suffix: "" | "="): number | null {
  const size = literalInteger(f, sum.right);
  const token = f.api.tokenToString(sum.operatorToken.kind) ?? "";
  const sign = SIGNS.get(token) ?? SIGNS.get(`${token}${suffix}`);
  return size === null || size === 0 || sign === undefined ? null : sign * size;
}

const SIGNS: ReadonlyMap<string, 1 | -1> = new Map<string, 1 | -1>([
  ["++", 1],
  ["--", -1],
  ["+=", 1],
  ["-=", -1],
]);

const ROUNDING: ReadonlySet<string> = new Set(
  "Math.floor Math.ceil Math.round Math.trunc".split(" "),
);
/** Functions that give integers of integers. */
const CLOSED: ReadonlySet<string> = new Set(["Math.min", "Math.max", "Math.abs"]);
const CLOSED_OPERATORS: ReadonlySet<string> = new Set(["+", "-", "*"]);
const BIT_OPERATORS: ReadonlySet<string> = new Set(["|", "&", "^", "<<", ">>", ">>>"]);

/** Whether an expression is an integer by its syntax. */
export function isInteger(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isNumericLiteral(node)) return Number.isSafeInteger(Number(node.text));
  if (api.isPropertyAccessExpression(node))
    return node.name.text === "length" && !isGetter(f, node);
  if (api.isIdentifier(node)) return isIntegerName(f, node);
  if (api.isPrefixUnaryExpression(node))
    return (
      node.operator === api.SyntaxKind.TildeToken ||
      (node.operator === api.SyntaxKind.MinusToken && isInteger(f, node.operand))
    );
  if (api.isConditionalExpression(node))
    return isInteger(f, node.whenTrue) && isInteger(f, node.whenFalse);
  if (api.isCallExpression(node)) return isIntegerCall(f, node);
  return api.isBinaryExpression(node) && isIntegerOperation(f, node);
}

function isIntegerCall(f: Frame, node: ts.CallExpression): boolean {
  const path = builtinPath(f, node.expression);
  return (
    path !== null &&
    (ROUNDING.has(path) ||
      (CLOSED.has(path) && node.arguments.every((argument) => isInteger(f, argument))))
  );
}

function isIntegerOperation(f: Frame, node: ts.BinaryExpression): boolean {
  const token = f.api.tokenToString(node.operatorToken.kind) ?? "";
  if (CLOSED_OPERATORS.has(token)) return isInteger(f, node.left) && isInteger(f, node.right);
  const isBigInt = (f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.BigIntLike) !== 0;
  return BIT_OPERATORS.has(token) && !isBigInt;
}

function isIntegerName(f: Frame, node: ts.Identifier): boolean {
  const symbol = f.symbolOf(node);
  const bound = symbol === null ? null : f.env.lookup(symbol);
  if (bound?.kind === "variable") return false;
  const atom = bound?.kind === "value" ? bound.atom : null;
  if (atom?.kind === "const") return Number.isSafeInteger(atom.value);
  if (atom?.kind === "var" && f.integers.has(atom.name)) return true;
  const initializer = constantInitializer(f, symbol?.valueDeclaration);
  return initializer !== undefined && isInteger(f, initializer);
}

function constantInitializer(
  { api }: Frame,
  declaration: ts.Declaration | undefined,
): ts.Expression | undefined {
  const isConst =
    declaration !== undefined &&
    api.isVariableDeclaration(declaration) &&
    api.isVariableDeclarationList(declaration.parent) &&
    (declaration.parent.flags & api.NodeFlags.Const) !== 0;
  return isConst ? declaration.initializer : undefined;
}

/** Whether an expression is total, pure, and has one value during the loop. */
export function isInvariant(
  f: Frame,
  expression: ts.Expression,
  effects: Effects,
  head: ts.VariableDeclarationList | null,
  body: ts.Node,
): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  const again = (part: ts.Expression): boolean => isInvariant(f, part, effects, head, body);
  if (api.isNumericLiteral(node)) return true;
  if (api.isIdentifier(node)) return isInvariantName(f, node, effects, head);
  // a literal with functions may have getters that its type does not show
  if (node.kind === api.SyntaxKind.ThisKeyword) return f.env.self?.kind !== "members";
  if (api.isPrefixUnaryExpression(node))
    return !SIGNS.has(api.tokenToString(node.operator) ?? "") && again(node.operand);
  if (api.isBinaryExpression(node)) return isInvariantOperation(f, node, again);
  if (api.isCallExpression(node))
    return isDeterministicMath(f, node) && node.arguments.every(again);
  if (api.isPropertyAccessExpression(node)) return isInvariantField(f, node, effects, body, again);
  return (
    api.isElementAccessExpression(node) &&
    isUnchangedRow(f, node, effects) &&
    again(node.expression) &&
    again(node.argumentExpression)
  );
}

const isInvariantOperation = (
  { api }: Frame,
  { left, right, operatorToken }: ts.BinaryExpression,
  again: (part: ts.Expression) => boolean,
): boolean => operatorToken.kind < api.SyntaxKind.FirstAssignment && again(left) && again(right);

function isDeterministicMath(f: Frame, { expression }: ts.CallExpression): boolean {
  const path = builtinPath(f, expression);
  return path?.startsWith("Math.") === true && path !== "Math.random";
}

/** Whether an element is a row of a matrix, which may be read for its length. */
const isUnchangedRow = (f: Frame, node: ts.Expression, { rows, unknown }: Effects): boolean =>
  !rows && !unknown && (f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.Object) !== 0;

const isGetter = (f: Frame, { name }: ts.PropertyAccessExpression): boolean =>
  ((f.symbolOf(name)?.flags ?? 0) & f.api.SymbolFlags.Accessor) !== 0;

function isInvariantField(
  f: Frame,
  node: ts.PropertyAccessExpression,
  effects: Effects,
  body: ts.Node,
  again: (part: ts.Expression) => boolean,
): boolean {
  if (builtinPath(f, node) !== null) return true;
  if (!again(node.expression) || isGetter(f, node)) return false;
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
