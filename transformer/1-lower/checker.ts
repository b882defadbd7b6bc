// The program's type checker with a cache of the types and symbols of nodes. Its answers are those
// of the original. TypeScript does not cache types of expressions, so nested queries would be
// quadratic, even from the inside out, as each one checks all that is below. So the types of sums,
// choices and `&&` follow from those of their operands where these are alike; of links of a deep
// chain of members from that of the object.

import type ts from "typescript";
import { memoised } from "../ir/visit.ts";
import { MemberChains } from "./member-chains.ts";
import type { TypeScript } from "./typescript.ts";

const checkers = new WeakMap<ts.Program, ts.TypeChecker>();

export function checkerOf(program: ts.Program, api: TypeScript): ts.TypeChecker {
  const known = checkers.get(program);
  if (known !== undefined) return known;
  const own = program.getTypeChecker();
  const chains = new MemberChains(own, api);
  const getTypeAtLocation = typesOf({ own, api, chains });
  const getSymbolAtLocation = memoised((node: ts.Node) => {
    const whole = chains.outermost(node);
    if (whole !== null) getTypeAtLocation(whole);
    return own.getSymbolAtLocation(node);
  });
  const made = Object.create(own, {
    getTypeAtLocation: { value: getTypeAtLocation },
    getSymbolAtLocation: { value: getSymbolAtLocation },
  }) as ts.TypeChecker; // Object.create is untyped
  checkers.set(program, made);
  return made;
}

/** The program, whose checker is the one with a cache. */
export const withCachedChecker = (program: ts.Program, api: TypeScript): ts.Program =>
  Object.create(program, {
    getTypeChecker: { value: () => checkerOf(program, api) },
  }) as ts.Program; // Object.create is untyped

interface Tools {
  readonly own: ts.TypeChecker;
  readonly api: TypeScript;
  readonly chains: MemberChains;
}

function typesOf(tools: Tools): (node: ts.Node) => ts.Type {
  const { own } = tools;
  const known = new WeakMap<ts.Node, ts.Type>();
  const typeOf = (node: ts.Node): ts.Type => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const types = partsOf(node, tools).map((part) => known.get(part));
    const type = joined(node, types, tools) ?? own.getTypeAtLocation(node);
    known.set(node, type);
    return type;
  };
  // from the inside out: depth costs no stack
  return (node) => {
    const waiting = [node];
    for (let at = node; waiting.length > 0; at = waiting.at(-1) ?? node) {
      const parts = known.has(at) ? [] : partsOf(at, tools).filter((part) => !known.has(part));
      if (parts.length > 0) waiting.push(...parts);
      else {
        typeOf(at);
        waiting.pop();
      }
    }
    return typeOf(node);
  };
}

/** The operands from whose types the type of an expression may follow. */
function partsOf(node: ts.Node, { api, chains }: Tools): readonly ts.Expression[] {
  const object = chains.objectOf(node);
  if (object !== null) return [object];
  const parts =
    api.isBinaryExpression(node) && (isArithmetic(node, api) || isLogical(node, api))
      ? [node.left, node.right]
      : api.isConditionalExpression(node)
        ? [node.whenTrue, node.whenFalse]
        : api.isParenthesizedExpression(node) && (node.flags & api.NodeFlags.JavaScriptFile) === 0
          ? [node.expression]
          : [];
  return parts.some((part) => isContextual(part, api)) ? [] : parts;
}

/** The type that follows from those of the parts; null: TypeScript has to be asked. */
function joined(
  node: ts.Node,
  [first, second]: readonly (ts.Type | undefined)[],
  { own, api, chains }: Tools,
): ts.Type | null {
  if (api.isParenthesizedExpression(node)) return first ?? null;
  if (api.isPropertyAccessExpression(node))
    return first === undefined ? null : chains.typeOf(node, first);
  if (first === undefined || second === undefined) return null;
  const number = own.getNumberType();
  const isNumbers = (first.flags & second.flags & api.TypeFlags.NumberLike) !== 0;
  if (isArithmetic(node, api)) return isNumbers ? number : null;
  if (api.isBinaryExpression(node)) return ofLogical(node, first, second, { own, api });
  if (isNumbers && (first === number || second === number)) return number;
  return first === second ? first : null;
}

function ofLogical(
  { operatorToken: { kind } }: ts.BinaryExpression,
  first: ts.Type,
  second: ts.Type,
  { own, api }: { readonly own: ts.TypeChecker; readonly api: TypeScript },
): ts.Type | null {
  if (kind === api.SyntaxKind.QuestionQuestionToken)
    return first === second || own.getNonNullableType(first) === second ? second : null;
  // what `&&` and `||` leave out of a `number` is within the other `number`
  const { Number, String, Boolean } = api.TypeFlags;
  return first === second && (first.flags & (Number | String | Boolean)) !== 0 ? first : null;
}

/** Whether the result is a number if both operands are. */
const isArithmetic = (node: ts.Node, api: TypeScript): node is ts.BinaryExpression =>
  api.isBinaryExpression(node) &&
  node.operatorToken.kind >= api.SyntaxKind.PlusToken &&
  node.operatorToken.kind <= api.SyntaxKind.PercentToken;

const isLogical = (node: ts.BinaryExpression, { SyntaxKind }: TypeScript): boolean =>
  node.operatorToken.kind === SyntaxKind.AmpersandAmpersandToken ||
  node.operatorToken.kind === SyntaxKind.BarBarToken ||
  node.operatorToken.kind === SyntaxKind.QuestionQuestionToken;

/** Whether the type of the expression may depend on where it stands. */
function isContextual(node: ts.Expression, api: TypeScript): boolean {
  let inner = node;
  while (api.isParenthesizedExpression(inner)) inner = inner.expression;
  return (
    api.isFunctionExpression(inner) ||
    api.isArrowFunction(inner) ||
    api.isObjectLiteralExpression(inner) ||
    api.isArrayLiteralExpression(inner)
  );
}

/** The tools to resolve names. */
export interface Names {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
}

/** The symbol of a name, through import aliases. */
export function resolvedSymbol(node: ts.Node, { api, checker }: Names): ts.Symbol | null {
  const { parent } = node;
  const found =
    api.isShorthandPropertyAssignment(parent) && parent.name === node
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(node);
  return found === undefined ? null : endOf(found, api, checker);
}

export const endOf = (symbol: ts.Symbol, api: TypeScript, checker: ts.TypeChecker): ts.Symbol =>
  symbol.flags & api.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
