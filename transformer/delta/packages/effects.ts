// What a use of a variable may do to it. In: a mention of it. Out: whether it is assigned, or the
// object that it holds is changed or handed on. Invariant: in doubt the object is changed.

import type ts from "typescript";
import { isAssigned } from "../../syntax/assignments.ts";

type Api = typeof ts;

/**
 * `counted`: `x++` and the like. `called`: by a method that may change it. `tested`: an operand of
 * a comparison, where identity counts. `held`: it has another name or owner from then on;
 * `part`: what a member holds has. `replaced`: instances of the class get other members.
 */
export type Effect =
  | "assigned"
  | "counted"
  | "replaced"
  | "changed"
  | "called"
  | "argument"
  | "returned"
  | "held"
  | "part"
  | "tested"
  | "read";

/** `a.b[c]` for the `a` in it. */
export function wholePath(api: Api, node: ts.Expression): ts.Expression {
  let at = node;
  for (;;) {
    const { parent } = at;
    const isWrapped =
      api.isParenthesizedExpression(parent) ||
      api.isNonNullExpression(parent) ||
      api.isAsExpression(parent);
    const isOwner =
      (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) &&
      parent.expression === at;
    if (!isWrapped && !isOwner) return at;
    at = parent;
  }
}

export function effectOf(api: Api, node: ts.Expression): Effect {
  const whole = wholePath(api, node);
  const isPath =
    whole !== node &&
    (api.isPropertyAccessExpression(whole) || api.isElementAccessExpression(whole));
  const written = targetEffect(api, whole);
  if (isPath) return written === null ? memberEffect(api, whole) : "changed";
  return written ?? valueEffect(api, whole);
}

/** What the use of a member does to its object. */
function memberEffect(api: Api, member: ts.Expression): Effect {
  if (isMethodCall(api, member)) return mayChange(api, member) ? "called" : "read";
  return isKept(api, member) ? "part" : "read";
}

/** What a use does to the whole value. */
function valueEffect(api: Api, value: ts.Expression): Effect {
  const { parent } = value;
  if (api.isCallExpression(parent) || api.isNewExpression(parent))
    return parent.expression === value ? "read" : argumentEffect(api, parent, value);
  if (api.isReturnStatement(parent) || (api.isArrowFunction(parent) && parent.body === value))
    return "returned";
  if (isKept(api, value)) return "held";
  return api.isBinaryExpression(parent) && isEquality(api, parent.operatorToken)
    ? "tested"
    : "read";
}

/** Whether a value is returned, or becomes that of a variable, a field or an element. */
function isKept(api: Api, value: ts.Expression): boolean {
  const { parent } = value;
  if (
    api.isParenthesizedExpression(parent) ||
    (api.isConditionalExpression(parent) && parent.condition !== value)
  )
    return isKept(api, parent);
  if (api.isBinaryExpression(parent)) {
    const { kind } = parent.operatorToken;
    const { BarBarToken, QuestionQuestionToken, EqualsToken } = api.SyntaxKind;
    if (kind === BarBarToken || kind === QuestionQuestionToken) return isKept(api, parent);
    return kind === EqualsToken && parent.right === value;
  }
  return (
    api.isReturnStatement(parent) ||
    api.isYieldExpression(parent) ||
    api.isArrayLiteralExpression(parent) ||
    api.isShorthandPropertyAssignment(parent) ||
    (api.isArrowFunction(parent) && parent.body === value) ||
    isInitial(api, value)
  );
}

/** Whether a variable, a field or a parameter begins with it. */
const isInitial = (api: Api, value: ts.Expression): boolean => {
  const { parent } = value;
  return (
    (api.isVariableDeclaration(parent) ||
      api.isPropertyAssignment(parent) ||
      api.isPropertyDeclaration(parent) ||
      api.isParameter(parent)) &&
    parent.initializer === value
  );
};

/** What an assignment, an update, a loop or a pattern does to its target. */
function targetEffect(api: Api, whole: ts.Expression): "assigned" | "counted" | null {
  const { parent } = whole;
  if (api.isDeleteExpression(parent)) return "assigned";
  if (!isAssigned(whole, api)) return null;
  const isUpdate = api.isPrefixUnaryExpression(parent) || api.isPostfixUnaryExpression(parent);
  return isUpdate ? "counted" : "assigned";
}

const isMethodCall = (api: Api, whole: ts.Expression): boolean =>
  api.isCallExpression(whole.parent) && whole.parent.expression === whole;

/** Methods of arrays, Maps, Sets, views and functions that leave them as they are. */
const READERS = new Set(
  (
    "get has keys values entries forEach map filter reduce reduceRight slice concat indexOf lastIndexOf includes find findIndex " +
    "findLast some every join at flat flatMap subarray toString valueOf call apply bind hasOwnProperty isPrototypeOf propertyIsEnumerable " +
    "toFixed charAt charCodeAt split test exec toSorted toReversed with"
  ).split(" "),
);

const mayChange = (api: Api, whole: ts.Expression): boolean =>
  !api.isPropertyAccessExpression(whole) || !READERS.has(whole.name.text);

const CHANGING =
  /^(?:Object\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\.(?:set|defineProperty|deleteProperty))$/;

function argumentEffect(
  api: Api,
  call: ts.CallExpression | ts.NewExpression,
  argument: ts.Expression,
): Effect {
  const isFirst = call.arguments?.[0] === argument;
  if (CHANGING.test(call.expression.getText())) return isFirst ? "changed" : "read";
  return api.isIdentifier(call.expression) ? "argument" : "read";
}

const isEquality = (api: Api, { kind }: ts.BinaryOperatorToken): boolean =>
  /^[!=]==?$/.test(api.tokenToString(kind) ?? "");
