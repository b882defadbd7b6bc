// Lowers `=`, compound and logical assignments, `++` and `--`. `used`: whether the value is needed.
// Invariant: the place is evaluated before the right-hand side. A compound assignment reads the old
// value before the right-hand side as well.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { NUM, num } from "../ir/build.ts";
import type { Atom, Type } from "../ir/types.ts";
import { asNumber, asOptional, definednessTest, truthTest, unwrap } from "./coerce.ts";
import { inner, type Frame } from "./frame.ts";
import { lowerExpr } from "./lowering.ts";
import { holdsTags, lowerStored } from "./functions/function-tags.ts";
import { arithmetic, compoundOp } from "./operators.ts";
import { assignPattern, swap } from "./objects/patterns.ts";
import { lowerPlace, readPlace, writePlace } from "./objects/places.ts";
import { narrowed } from "./narrowing.ts";

export function lowerAssignment(
  f: Frame,
  node: ts.BinaryExpression,
  hint: string,
  used: boolean,
): Atom | null {
  const { api } = f;
  const kinds = api.SyntaxKind;
  const token = node.operatorToken.kind;
  if (token === kinds.EqualsToken) return lowerPlain(f, node, hint, used);
  if (
    token === kinds.QuestionQuestionEqualsToken ||
    token === kinds.AmpersandAmpersandEqualsToken ||
    token === kinds.BarBarEqualsToken
  ) {
    return lowerLogicalAssignment(f, node, used);
  }
  const op = compoundOp(f, token);
  if (op === null) return f.refuse("TSG1201", node, `operator \`${node.operatorToken.getText()}\``);
  const place = lowerPlace(f, node.left);
  const old = narrowed(f, readPlace(f, place), node.left);
  const right = lowerExpr(f, node.right);
  const value = arithmetic(f, op, node, [old, right]);
  writePlace(f, place, value);
  return value;
}

function lowerPlain(f: Frame, node: ts.BinaryExpression, hint: string, used: boolean): Atom | null {
  const { api } = f;
  const target = bare(node.left, f.api);
  if (api.isArrayLiteralExpression(target) || api.isObjectLiteralExpression(target)) {
    const right = bare(node.right, f.api);
    if (
      !used &&
      api.isArrayLiteralExpression(target) &&
      api.isArrayLiteralExpression(right) &&
      swap(f, target, right)
    )
      return null;
    const value = lowerExpr(f, node.right);
    assignPattern(f, target, value, node.right);
    return value;
  }
  if (isOfItself(f, target, node.right))
    f.refuse("TSG2002", target, f.name, `\`${f.textOf(target)}\``, "any");
  const place = lowerPlace(f, target);
  const value = lowerStored(f, node.right, hint, place.type);
  // a variable of type `ArrayLike<number>` holds arrays of one kind in emitted code
  if (place.kind === "variable" && isOtherArray(f, value.type, place.variable.type))
    return f.refuse("TSG1205", node.left, f.textOf(node.left));
  writePlace(f, place, value);
  return value;
}

/**
 * `let list = null; for (…) list = { head, tail: list };` Nothing declares the type, and TypeScript
 * takes `tail` for what the variable held at first.
 */
function isOfItself(f: Frame, target: ts.Expression, value: ts.Expression): boolean {
  const { api } = f;
  if (!api.isIdentifier(target)) return false;
  const symbol = f.ctx.checker.getSymbolAtLocation(target);
  const declared = symbol?.valueDeclaration;
  const isOpen =
    declared !== undefined &&
    api.isVariableDeclaration(declared) &&
    api.isIdentifier(declared.name) &&
    (declared.type ?? api.getJSDocType(declared)) === undefined &&
    (declared.initializer === undefined ||
      /^(?:null|undefined|void 0)$/.test(declared.initializer.getText()));
  if (!isOpen) return false;
  const holds = (node: ts.Node, isInside: boolean): boolean => {
    if (api.isIdentifier(node))
      return (
        isInside &&
        node.text === target.text &&
        (f.ctx.checker.getSymbolAtLocation(node) === symbol ||
          api.isShorthandPropertyAssignment(node.parent))
      );
    const inner =
      isInside || api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node);
    return api.forEachChild(node, (child) => holds(child, inner) || undefined) === true;
  };
  return holds(value, false);
}

function isOtherArray(f: Frame, from: Type, to: Type): boolean {
  const source = f.shape(from);
  const target = f.shape(to);
  return source.kind === "array" && target.kind === "array" && source.store !== target.store;
}

/** `x ??= v`, `x &&= v`, `x ||= v`: writes in one branch only. */
function lowerLogicalAssignment(f: Frame, node: ts.BinaryExpression, used: boolean): Atom | null {
  const kinds = f.api.SyntaxKind;
  const token = node.operatorToken.kind;
  const place = lowerPlace(f, node.left);
  const isCoalescing = token === kinds.QuestionQuestionEqualsToken;
  const old = isCoalescing
    ? asOptional(f, readPlace(f, place, place.kind === "memory"))
    : readPlace(f, place);
  const test = isCoalescing ? definednessTest(f, old) : truthTest(f, old);
  const write = (): Atom => {
    const value = lowerStored(f, node.right, "t", place.type);
    writePlace(f, place, value);
    return value;
  };
  const keepsIfTrue = token !== kinds.AmpersandAmpersandEqualsToken;
  if (!used) {
    if (keepsIfTrue) f.when(test, () => {}, write);
    else f.when(test, write);
    return null;
  }
  const type = holdsTags(f, place.type) ? inner(f, place.type) : f.ctx.typeOf(node);
  const unchanged = (): Atom => (f.shape(type).kind === "opt" ? old : unwrap(f, old));
  return keepsIfTrue
    ? f.choose("t", type, test, unchanged, write)
    : f.choose("t", type, test, write, unchanged);
}

export function lowerUpdate(
  f: Frame,
  node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression,
  used: boolean,
): Atom | null {
  const place = lowerPlace(f, node.operand);
  const before = asNumber(f, narrowed(f, readPlace(f, place), node.operand), node.operand);
  const op = node.operator === f.api.SyntaxKind.PlusPlusToken ? "add" : "sub";
  const after = f.let("t", NUM, { kind: "op", op, args: [before, num(1)] });
  writePlace(f, place, after);
  if (!used) return null;
  return f.api.isPrefixUnaryExpression(node) ? after : before;
}
