// Decides tests of a value's kind by types: `typeof x === "string"`, `Array.isArray(x)`. Invariant:
// the test itself still runs. The branch of a test that cannot hold is not lowered, as it does not
// type-check; if the test holds after all, because a type is wrong, the derivative throws.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Type } from "../../ir/types.ts";
import { TYPED_ARRAYS } from "../../ir/typed-arrays.ts";
import { externCall, str } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { Env } from "../function-values.ts";
import { builtinPath, isLibrary } from "../names/library-names.ts";

/** The truth of a condition if types decide it; else null. */
export function truthByType(f: Frame, expression: ts.Expression): boolean | null {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isPrefixUnaryExpression(node) && node.operator === api.SyntaxKind.ExclamationToken)
    return negated(truthByType(f, node.operand));
  if (api.isCallExpression(node)) return callByType(f, node);
  if (!api.isBinaryExpression(node)) return isUndefined(f, node) ? false : null;
  const [left, right] = [node.left, node.right];
  switch (node.operatorToken.kind) {
    case api.SyntaxKind.AmpersandAmpersandToken:
      return both(truthByType(f, left), truthByType(f, right));
    case api.SyntaxKind.BarBarToken:
      return negated(both(negated(truthByType(f, left)), negated(truthByType(f, right))));
    case api.SyntaxKind.EqualsEqualsEqualsToken:
    case api.SyntaxKind.EqualsEqualsToken:
      return equalByType(f, left, right);
    case api.SyntaxKind.ExclamationEqualsEqualsToken:
    case api.SyntaxKind.ExclamationEqualsToken:
      return negated(equalByType(f, left, right));
    case api.SyntaxKind.InstanceOfKeyword:
      return isOfLibrary(f, left, right);
    default:
      return null;
  }
}

const negated = (truth: boolean | null): boolean | null => (truth === null ? null : !truth);
const both = (one: boolean | null, other: boolean | null): boolean | null =>
  one === false || other === false ? false : one === null || other === null ? null : true;

function equalByType(f: Frame, left: ts.Expression, right: ts.Expression): boolean | null {
  const isMissing = (node: ts.Expression): boolean =>
    f.api.isIdentifier(bare(node, f.api)) && f.textOf(node) === "undefined";
  if (isMissing(right) ? isUndefined(f, left) : isMissing(left) && isUndefined(f, right))
    return true;
  return sameKind(f, left, right) ?? sameKind(f, right, left);
}

/**
 * Whether a name or a field is declared as nothing but undefined. A type by control flow does not
 * count: TypeScript does not see what callbacks assign.
 */
function isUndefined(f: Frame, expression: ts.Expression): boolean {
  const { api, ctx } = f;
  const node = bare(expression, api);
  const name = api.isPropertyAccessExpression(node) ? node.name : node;
  const symbol = api.isIdentifier(name) && name.text !== "undefined" ? f.symbolOf(name) : null;
  return (
    ctx.hasStrictNulls &&
    symbol !== null &&
    (ctx.checker.getTypeOfSymbol(symbol).flags & api.TypeFlags.Undefined) !== 0
  );
}

/** `typeof x === "number"` */
function sameKind(f: Frame, asked: ts.Expression, text: ts.Expression): boolean | null {
  const [test, kind] = [bare(asked, f.api), bare(text, f.api)];
  if (!f.api.isTypeOfExpression(test) || !f.api.isStringLiteralLike(kind)) return null;
  const type = boundType(f, test.expression);
  const known = type === null ? null : kindOf(f, type);
  if (known === null) return null;
  // without strictNullChecks a value may be null or undefined whatever its type
  const isOpen =
    !f.ctx.hasStrictNulls &&
    (known === kind.text || kind.text === "undefined" || kind.text === "object");
  return isOpen ? null : known === kind.text;
}

function isArrayByType(f: Frame, node: ts.CallExpression): boolean | null {
  const [argument] = node.arguments;
  if (argument === undefined || builtinPath(f, node.expression) !== "Array.isArray") return null;
  const type = boundType(f, argument);
  if (type === null) return null;
  const shape = f.shape(type);
  if (shape.kind === "array") return shape.store === "Array";
  if (shape.kind === "tuple") return true;
  return shape.kind === "num" ||
    shape.kind === "bool" ||
    shape.kind === "record" ||
    shape.kind === "dict" ||
    (shape.kind === "leaf" && shape.text === "string")
    ? false
    : null;
}

/** `Number.isInteger(x)` of anything but a number */
function isNoNumber(
  f: Frame,
  { expression, arguments: [argument] }: ts.CallExpression,
): false | null {
  const type = argument === undefined ? null : boundType(f, argument);
  const kind = type === null ? null : kindOf(f, type);
  const isOfNumbers = /^Number\.is\w+$/.test(builtinPath(f, expression) ?? "");
  return isOfNumbers && kind !== null && kind !== "number" ? false : null;
}

const callByType = (f: Frame, node: ts.CallExpression): boolean | null =>
  isArrayByType(f, node) ?? isNoNumber(f, node) ?? predicateByType(f, node);

/** A call of a function that only returns a test of its parameters. */
function predicateByType(f: Frame, node: ts.CallExpression): boolean | null {
  const { api } = f;
  const fn = f.ctx.checker.getResolvedSignature(node)?.declaration;
  const test = fn === undefined ? undefined : returnedTest(f, fn);
  if (fn === undefined || test === undefined || f.inlining.includes(fn)) return null;
  const { env, inlining } = f;
  const inner = new Env(env);
  for (const [i, { name }] of fn.parameters.entries()) {
    const argument = node.arguments[i];
    const type = argument === undefined ? null : boundType(f, argument);
    const symbol = api.isIdentifier(name) ? f.symbolOf(name) : null;
    if (type !== null && symbol !== null)
      inner.bind(symbol, { kind: "value", atom: { kind: "undef", type } });
  }
  f.env = inner;
  f.inlining = [...inlining, fn];
  try {
    return truthByType(f, test);
  } finally {
    f.env = env;
    f.inlining = inlining;
  }
}

function returnedTest(
  { api }: Frame,
  fn: ts.SignatureDeclaration | ts.JSDocSignature,
): ts.Expression | undefined {
  const body = "body" in fn ? fn.body : undefined;
  if (body === undefined || !api.isBlock(body)) return body;
  const [first, ...others] = body.statements;
  const isOne = first !== undefined && others.length === 0 && api.isReturnStatement(first);
  return isOne ? first.expression : undefined;
}

/** `x instanceof Map` of a type that only the library constructs. */
function isOfLibrary(f: Frame, value: ts.Expression, made: ts.Expression): boolean | null {
  const name = bare(made, f.api);
  const type = boundType(f, value);
  const shape = type === null ? null : f.shape(type);
  if (shape === null || !f.api.isIdentifier(name) || !isLibrary(f, name, name.text)) return null;
  const store = TYPED_ARRAYS.find((each) => each === name.text);
  if (store === undefined && name.text !== "Map" && name.text !== "Array") return null;
  // without strictNullChecks the value may be null
  const is = (held: string): boolean | null =>
    name.text !== held ? false : f.ctx.hasStrictNulls ? true : null;
  switch (shape.kind) {
    case "array":
      return is(shape.store);
    case "tuple":
      return is("Array");
    case "dict":
      return is(shape.store);
    case "num":
    case "bool":
      return false;
    default:
      return null;
  }
}

/** The IR type of a local name's value; in an inlined body a parameter has its argument's type. */
export function boundType(f: Frame, expression: ts.Expression): Type | null {
  const node = bare(expression, f.api);
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const bound = symbol === null ? null : f.env.lookup(symbol);
  if (bound?.kind === "value") return bound.atom.type;
  return bound?.kind === "variable" ? bound.variable.type : null;
}

function kindOf(f: Frame, type: Type): string | null {
  const shape = f.shape(type);
  switch (shape.kind) {
    case "num":
      return "number";
    case "bool":
      return "boolean";
    case "array":
    case "tuple":
    case "record":
    case "dict":
    case "union":
      return "object";
    case "leaf":
      return shape.text === "string" || shape.text === "undefined" || shape.text === "bigint"
        ? shape.text
        : null;
    default:
      return null;
  }
}

/** Emits the throw for a value that is not of its declared type. */
export function emitWrongType(f: Frame, test: ts.Node): void {
  const error = externCall(f, "t", { kind: "leaf", text: "TypeError" }, "new TypeError", [
    str(`a value is not of the type that it is declared with: ${f.textOf(test)}`),
  ]);
  f.b.emit({ kind: "throw", value: error });
}

/** Whether a statement only throws. */
export function onlyThrows(f: Frame, node: ts.Statement): boolean {
  return (
    f.api.isThrowStatement(node) ||
    (f.api.isBlock(node) &&
      node.statements.length === 1 &&
      node.statements.every((inner) => onlyThrows(f, inner)))
  );
}

/** Whether code uses a value whose kind the condition tests. */
export function mentionsTested(f: Frame, condition: ts.Expression, code: ts.Node): boolean {
  const { api } = f;
  const tested = new Set<ts.Symbol>();
  const note = (node: ts.Node): void => {
    const symbol = api.isIdentifier(node) ? f.symbolOf(node) : null;
    if (symbol !== null) tested.add(symbol);
    api.forEachChild(node, note);
  };
  note(condition);
  const isTested = (node: ts.Identifier): boolean => {
    const symbol = f.symbolOf(node);
    return symbol !== null && tested.has(symbol);
  };
  const uses = (node: ts.Node): boolean =>
    (api.isIdentifier(node) && isTested(node)) ||
    api.forEachChild(node, (child) => uses(child) || undefined) === true;
  return uses(code);
}
