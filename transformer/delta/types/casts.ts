// Finds objects that an assertion calls numbers. In: an expression of asserted type number. Out:
// whether it flows to a place where only its type says so. Invariant: operators use `valueOf`
// (leaves.ts); elsewhere an object throws, for its derivative would be 0.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { code, literal, source, ZERO } from "../../code/code.ts";
import { isConversion } from "./conversions.ts";
import { isLeaf, isNumberByAssertion, isTyped } from "./leaves.ts";
import { numberPlaces, OBJECT, placesGiven } from "./number-places.ts";
import { asArgument, ID, returned, type Pair } from "../pair.ts";
import { refused, type Work } from "../work.ts";

/**
 * The pair with a test at run time that it is what its type says, where that may be a lie: no
 * object, or no number with the id of `before`, which the type rules out.
 */
export function believed(work: Work, node: ts.Expression, pair: Pair, before: Pair): Pair {
  const { api } = work;
  const isAssertion = api.isAssertionExpression(node);
  if (isAssertion && holdsOtherwise(work, node))
    return refused(
      work,
      node,
      `the assertion \`${node.getText().slice(0, 40)}\`, by which objects are numbers`,
    );
  const places = numberPlaces(work, node);
  if (places === OBJECT) return before.i === ZERO ? pair : numberless(node, pair, before);
  if (places !== null) {
    const value = before.i === ZERO ? asArgument(pair) : returned(before);
    return {
      ...pair,
      v:
        places === "0"
          ? code`$d.noObject(${asArgument(pair)})`
          : code`$d.noObjects(${value}, ${source(places)})`,
      level: 2,
      pure: false,
    };
  }
  if (isWidened(work, node)) {
    const text = literal(node.getText().slice(0, 40));
    return {
      ...pair,
      v: code`$d.numberless(${asArgument(pair)}, ${text}, true)`,
      level: 2,
      pure: false,
    };
  }
  const given = placesGiven(work, node);
  if (given !== null)
    return {
      ...pair,
      v: code`$d.giving(${asArgument(pair)}, ${source(given)})`,
      level: 2,
      pure: false,
    };
  if (!isAssertion && !api.isIdentifier(node)) return pair;
  if (!isNumberByAssertion(api, work.context.checker, node) || !isHandedOn(work, node)) return pair;
  return {
    ...pair,
    v: code`$d.noObject(${asArgument(pair)})`,
    level: 2,
    pure: false,
  };
}

/**
 * Whether a stored object goes where a number may be. It may be one already: methods and arrays
 * take more than their types say, since TypeScript compares these in both directions.
 */
function isWidened({ api, context: { checker } }: Work, node: ts.Expression): boolean {
  const isStored =
    api.isIdentifier(node) ||
    api.isPropertyAccessExpression(node) ||
    api.isElementAccessExpression(node);
  if (checker === null || !isStored || !isPlaced(api, node) || !isLeaf(api, checker, node))
    return false;
  const own = checker.getTypeAtLocation(node);
  const wanted = checker.getContextualType(node);
  return (
    (own.flags & api.TypeFlags.Object) !== 0 &&
    wanted?.isUnion() === true &&
    wanted.types.some(({ flags }) => (flags & api.TypeFlags.NumberLike) !== 0)
  );
}

/** An argument, a result, an element, a field or the value of a variable. */
function isPlaced(api: typeof ts, node: ts.Expression): boolean {
  const { parent } = node;
  if (api.isParenthesizedExpression(parent) || api.isNonNullExpression(parent))
    return isPlaced(api, parent);
  return (
    (api.isCallExpression(parent) && parent.expression !== node) ||
    api.isReturnStatement(parent) ||
    api.isArrowFunction(parent) ||
    api.isArrayLiteralExpression(parent) ||
    api.isPropertyAssignment(parent) ||
    api.isVariableDeclaration(parent) ||
    (api.isConditionalExpression(parent) && parent.condition !== node) ||
    api.isBinaryExpression(parent)
  );
}

/** A test that a value that its type calls an object is no active number. */
export function numberless(node: ts.Expression, pair: Pair, before: Pair, name?: string): Pair {
  const text = name ?? node.getText().slice(0, 40);
  return {
    ...pair,
    i: pair.i === ZERO ? ZERO : ID,
    v: code`$d.numberless(${returned(before)}, ${literal(text)})`,
    level: 2,
    pure: false,
  };
}

/** `moneys as unknown as number[]`: nothing converts the elements. */
function holdsOtherwise(work: Work, node: ts.Expression): boolean {
  const {
    api,
    context: { checker },
  } = work;
  const inner = bare(node, work.api);
  if (!isTyped(checker, node)) return false;
  const differ = (from: ts.Type, to: ts.Type, depth: number): boolean => {
    if (
      (from.flags & api.TypeFlags.Object) === 0 ||
      (to.flags & api.TypeFlags.Object) === 0 ||
      depth === 0
    )
      return false;
    const parts = (a: ts.Type | undefined, b: ts.Type | undefined): boolean =>
      a !== undefined && b !== undefined && (isObjectForNumber(a, b) || differ(a, b, depth - 1));
    if (checker.isArrayLikeType(to) || checker.isArrayLikeType(from))
      return parts(
        checker.getIndexTypeOfType(from, api.IndexKind.Number),
        checker.getIndexTypeOfType(to, api.IndexKind.Number),
      );
    return checker.getPropertiesOfType(to).some((property) => {
      const own = checker.getPropertyOfType(from, property.name);
      return (
        own !== undefined &&
        own !== property &&
        parts(
          checker.getTypeOfSymbolAtLocation(own, node),
          checker.getTypeOfSymbolAtLocation(property, node),
        )
      );
    });
  };
  const isObjectForNumber = (from: ts.Type, to: ts.Type): boolean =>
    (from.flags & api.TypeFlags.Object) !== 0 && (to.flags & api.TypeFlags.NumberLike) !== 0;
  return differ(checker.getTypeAtLocation(inner), checker.getTypeAtLocation(node), DEEPEST);
}

const DEEPEST = 4;

/** Whether the value flows on as it is: no operator converts it. */
function isHandedOn(work: Work, node: ts.Expression): boolean {
  const { api } = work;
  const { parent } = node;
  if (
    api.isParenthesizedExpression(parent) ||
    api.isNonNullExpression(parent) ||
    api.isSatisfiesExpression(parent)
  )
    return isHandedOn(work, parent);
  // A further assertion has its own test.
  if (api.isAssertionExpression(parent)) return false;
  if (api.isBinaryExpression(parent)) return isPassedThrough(work, node, parent);
  if (api.isVariableDeclaration(parent)) return !api.isIdentifier(parent.name);
  if (api.isConditionalExpression(parent)) return parent.condition !== node;
  if (api.isCallExpression(parent))
    return parent.expression !== node && !isConversion(work, parent.expression);
  return !isConsumed(api, parent);
}

/** Whether the value of an operand is that of the operator, or of the variable it assigns. */
function isPassedThrough(
  { api, context: { checker } }: Work,
  operand: ts.Expression,
  { left, right, operatorToken }: ts.BinaryExpression,
): boolean {
  const { EqualsToken, CommaToken } = api.SyntaxKind;
  const { kind } = operatorToken;
  if (kind === EqualsToken) return right === operand && !isNumberByAssertion(api, checker, left);
  if (kind === CommaToken) return right === operand;
  return /^(?:&&|\|\||\?\?)=?$/.test(api.tokenToString(kind) ?? "");
}

/** Whether a value ends there: it is read, tested or converted. */
const isConsumed = (api: typeof ts, parent: ts.Node): boolean =>
  api.isPropertyAccessExpression(parent) ||
  api.isElementAccessExpression(parent) ||
  api.isPrefixUnaryExpression(parent) ||
  api.isPostfixUnaryExpression(parent) ||
  api.isTypeOfExpression(parent) ||
  api.isVoidExpression(parent) ||
  api.isTemplateSpan(parent) ||
  api.isExpressionStatement(parent) ||
  api.isIfStatement(parent) ||
  api.isIterationStatement(parent, false);
