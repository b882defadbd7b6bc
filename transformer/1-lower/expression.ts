// Lowers expressions. Input: an expression; output: an atom, and statements in the open list.
// Invariant: operands are evaluated once, from left to right. Unknown syntax is rejected.

import type ts from "typescript";
import { isAssignment } from "../syntax/assignments.ts";
import { NUM, VOID, bool, num } from "../ir/build.ts";
import type { Atom, Type } from "../ir/types.ts";
import { confusesNumbers, hidesNumbers } from "./types/confused-types.ts";
import { lowerAssignment, lowerUpdate } from "./assignment.ts";
import { lowerDelete } from "./builtins/dict.ts";
import { lowerCall, lowerNew } from "./calls.ts";
import {
  asDeclared,
  asNumber,
  extern,
  holdsNumber,
  isNullish,
  isTag,
  not,
  NULL,
  optional,
  definednessTest,
  equalityTest,
  str,
  STRING,
  truthTest,
  UNDEFINED,
  unwrap,
  verbatim,
} from "./coerce.ts";
import { inner, asserted, type Frame } from "./frame.ts";
import { definednessOf } from "./functions/definedness.ts";
import { lowerCallEffect, lowerChain } from "./optional-chains.ts";
import { isPossiblyUndefinedRead, readsElement } from "./objects/undefined-reads.ts";
import { lowerArrayLiteral, lowerObjectLiteral, lowerTemplate } from "./objects/literals.ts";
import { lowerThis } from "./classes/members.ts";
import { lowerAccess } from "./objects/access.ts";
import { sameType } from "./objects/tuples.ts";
import { lowerIdentifier } from "./identifiers.ts";
import { narrowed } from "./narrowing.ts";
import { joinType, lowerCondition, lowerOperator } from "./operators.ts";
import { mentionsTested, emitWrongType, truthByType } from "./control/type-tests.ts";

/**
 * Lowers an expression for its value; `hint` names a value that is computed here.
 * `maybe`: an out-of-bounds read gives a missing value, not a number.
 */
export function lowerExpr(f: Frame, node: ts.Expression, hint = "t", maybe = false): Atom {
  const done = f.overrides.get(node);
  if (done !== undefined) return done;
  const links = longChain(f, node);
  for (const link of links) f.overrides.set(link, lowerExpr(f, link));
  const value = f.at(node, () => lowerWrapped(f, node, hint, maybe));
  for (const link of links) f.overrides.delete(link);
  return value;
}

/** So many members of a chain are lowered as nested expressions. */
const MOST_MEMBERS = 40;

/**
 * Of a chain of many members `a.b.c.…`: some of its objects, innermost first. With these as
 * boundaries the stack has a bounded depth.
 */
function longChain(f: Frame, node: ts.Expression): readonly ts.Expression[] {
  const objects: ts.Expression[] = [];
  for (let at = node; isMember(f, at) && !f.overrides.has(at); at = at.expression)
    objects.push(at.expression);
  return objects.length <= MOST_MEMBERS
    ? []
    : objects.filter((_, i) => i > 0 && i % MOST_MEMBERS === 0).reverse();
}

const isMember = (f: Frame, node: ts.Expression): node is ts.PropertyAccessExpression =>
  f.api.isPropertyAccessExpression(node) && !(node.flags & f.api.NodeFlags.OptionalChain);

/** Syntax without run-time meaning, identifiers and literals. */
function lowerWrapped(f: Frame, node: ts.Expression, hint: string, maybe: boolean): Atom {
  const { api } = f;
  if (api.isParenthesizedExpression(node) || api.isSatisfiesExpression(node))
    return lowerExpr(f, node.expression, hint, maybe);
  if (api.isNonNullExpression(node))
    return maybe || isPossiblyUndefinedRead(f, node)
      ? lowerExpr(f, node.expression, hint, true)
      : narrowed(f, unwrap(f, lowerExpr(f, node.expression, hint), hint), node);
  if (api.isAsExpression(node) || api.isTypeAssertionExpression(node))
    return lowerAs(f, node, hint, maybe || isPossiblyUndefinedRead(f, node));
  if (api.isIdentifier(node)) return lowerIdentifier(f, node, hint, maybe);
  if (node.kind === api.SyntaxKind.ThisKeyword) return narrowed(f, lowerThis(f, node), node);
  return lowerLiteral(f, node, hint) ?? lowerCompound(f, node, hint, maybe);
}

/** A literal without parts; null of any other expression. */
function lowerLiteral(f: Frame, node: ts.Expression, hint: string): Atom | null {
  const { api } = f;
  if (api.isNumericLiteral(node)) return num(Number(node.text.replaceAll("_", "")));
  if (api.isStringLiteral(node) || api.isNoSubstitutionTemplateLiteral(node)) return str(node.text);
  if (api.isBigIntLiteral(node))
    return extern(f, hint, { kind: "leaf", text: "bigint" }, [node.getText()], []);
  if (api.isRegularExpressionLiteral(node))
    return extern(f, hint, { kind: "leaf", text: "RegExp" }, [node.getText()], []);
  if (node.kind === api.SyntaxKind.TrueKeyword) return bool(true);
  if (node.kind === api.SyntaxKind.FalseKeyword) return bool(false);
  return node.kind === api.SyntaxKind.NullKeyword ? NULL : null;
}

/** Expressions with operands: accesses, calls and operators. */
function lowerCompound(f: Frame, node: ts.Expression, hint: string, maybe: boolean): Atom {
  const { api } = f;
  if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)) {
    const may = maybe || isPossiblyUndefinedRead(f, node);
    return lowerChain(f, node, hint, () => {
      const atom = lowerAccess(f, node, hint, may);
      return may ? atom : narrowed(f, atom, node);
    });
  }
  if (api.isCallExpression(node))
    return lowerChain(f, node, hint, () => lowerCall(f, node, hint) ?? valueless(f, node));
  if (api.isNewExpression(node)) return lowerNew(f, node, hint);
  if (api.isBinaryExpression(node))
    return isAssignment(node, api)
      ? (lowerAssignment(f, node, hint, true) ?? UNDEFINED)
      : lowerOperator(f, node, hint);
  if (api.isPrefixUnaryExpression(node)) return lowerPrefix(f, node, hint);
  if (api.isPostfixUnaryExpression(node)) return lowerUpdate(f, node, true) ?? UNDEFINED;
  if (api.isConditionalExpression(node)) return lowerConditional(f, node, hint, maybe);
  return lowerConstruction(f, node, hint);
}

/** Array, object and template literals, and the keyword operators. */
function lowerConstruction(f: Frame, node: ts.Expression, hint: string): Atom {
  const { api } = f;
  if (api.isArrayLiteralExpression(node)) return lowerArrayLiteral(f, node, hint);
  if (api.isObjectLiteralExpression(node)) return lowerObjectLiteral(f, node, hint);
  if (api.isTemplateExpression(node)) return lowerTemplate(f, node, hint);
  if (api.isTypeOfExpression(node)) return lowerTypeof(f, node, hint);
  if (api.isDeleteExpression(node)) return lowerDelete(f, node, hint);
  if (api.isVoidExpression(node)) {
    lowerExpr(f, node.expression);
    return UNDEFINED;
  }
  return refuseExpression(f, node);
}

/** The value of a call of a `void` function: `undefined`, or none where it never returns. */
const valueless = (f: Frame, node: ts.CallExpression): Atom =>
  f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.Never
    ? { kind: "undef", type: VOID }
    : UNDEFINED;

function refuseExpression(f: Frame, node: ts.Expression): never {
  const { api } = f;
  if (api.isArrowFunction(node) || api.isFunctionExpression(node))
    return f.refuse("TSG1124", node, f.textOf(node));
  if (api.isAwaitExpression(node)) return f.refuse("TSG1101", node, f.name);
  if (api.isYieldExpression(node)) return f.refuse("TSG1102", node, f.name);
  if (api.isClassExpression(node))
    return f.refuse("TSG1107", node, f.name, node.name?.text ?? "class");
  if (api.isTaggedTemplateExpression(node)) return f.refuse("TSG1201", node, "tagged template");
  return f.refuse("TSG1201", node, `expression \`${f.textOf(node)}\``);
}

function refuseMisstated(
  f: Frame,
  node: ts.AsExpression | ts.TypeAssertion,
  from: Type,
  to: Type,
): void {
  if (confusesNumbers(f, from, to)) f.refuse("TSG1201", node, `assertion \`${f.textOf(node)}\``);
  const { checker } = f.ctx;
  if (hidesNumbers(f, from, to))
    f.refuse(
      "TSG2002",
      node,
      f.name,
      `\`${f.textOf(node.expression)}\``,
      checker.typeToString(checker.getTypeAtLocation(node.expression)),
    );
}

/** `x as T` unwraps an optional, narrows a union, and gives a leaf of unknown type the type T. */
function lowerAs(
  f: Frame,
  node: ts.AsExpression | ts.TypeAssertion,
  hint: string,
  maybe: boolean,
): Atom {
  const atom = lowerExpr(f, node.expression, hint, maybe);
  if (f.api.isConstTypeReference(node.type) || isNullish(atom)) return atom;
  const shape = f.shape(atom.type);
  const target = f.ctx.typeOf(node);
  refuseMisstated(f, node, atom.type, target);
  if (shape.kind === "num" || shape.kind === "bool") return atom;
  if (shape.kind !== "leaf" && shape.kind !== "opt")
    return asDeclared(f, asserted(f, narrowed(f, atom, node), target), target, hint);
  const kind = f.shape(target).kind;
  if (shape.kind === "opt")
    return maybe || kind === "opt" || kind === "leaf"
      ? atom
      : narrowed(f, unwrap(f, atom, hint), node);
  if (kind === "leaf" || kind === "opt") return atom;
  const from = f.ctx.checker.getTypeAtLocation(node.expression);
  if (!(from.flags & (f.api.TypeFlags.Any | f.api.TypeFlags.Unknown)))
    return f.refuse("TSG1201", node, `assertion \`${f.textOf(node)}\``);
  return verbatim(f, hint, target, ["", ` as ${node.type.getText()}`], [atom]);
}

function lowerPrefix(f: Frame, node: ts.PrefixUnaryExpression, hint: string): Atom {
  const kinds = f.api.SyntaxKind;
  switch (node.operator) {
    case kinds.PlusPlusToken:
    case kinds.MinusMinusToken:
      return lowerUpdate(f, node, true) ?? UNDEFINED;
    case kinds.ExclamationToken:
      return not(f, lowerCondition(f, node.operand));
    case kinds.MinusToken: {
      const value = lowerExpr(f, node.operand);
      if (value.kind === "const" && typeof value.value === "number") return num(-value.value);
      return f.let(hint, NUM, { kind: "op", op: "neg", args: [asNumber(f, value, node.operand)] });
    }
    case kinds.PlusToken:
      return toNumber(f, lowerExpr(f, node.operand), "+", hint, node);
    case kinds.TildeToken:
      return f.let(hint, NUM, {
        kind: "op",
        op: "bnot",
        args: [asNumber(f, lowerExpr(f, node.operand), node.operand)],
      });
    default:
      return f.refuse("TSG1201", node, "operator");
  }
}

/** `+x` and `Number(x)`. */
export function toNumber(
  f: Frame,
  value: Atom,
  callee: "+" | "Number",
  hint: string,
  at: ts.Node,
): Atom {
  const shape = f.shape(value.type);
  // a number by its type may be undefined: `Number(x!)`
  if (shape.kind === "num") return f.let(hint, NUM, { kind: "op", op: "plus", args: [value] });
  if (shape.kind === "bool")
    return f.let(hint, NUM, { kind: "op", op: "boolToNum", args: [value] });
  if (shape.kind === "opt" && !isNullish(value)) {
    return f.choose(
      hint,
      NUM,
      definednessTest(f, value),
      () => toNumber(f, unwrap(f, value), callee, "t", at),
      () =>
        f.choose(
          "t",
          NUM,
          equalityTest(f, "===", value, NULL),
          () => num(0),
          () => num(NaN),
        ),
    );
  }
  if (holdsNumber(f, value)) return f.refuse("TSG1203", at, callee);
  return extern(f, hint, NUM, ["Number(", ")"], [value]);
}

function lowerConditional(
  f: Frame,
  node: ts.ConditionalExpression,
  hint: string,
  maybe: boolean,
): Atom {
  const cond = lowerCondition(f, node.condition);
  const known = truthByType(f, node.condition);
  if (
    known !== null &&
    cond.kind !== "const" &&
    mentionsTested(f, node.condition, known ? node.whenFalse : node.whenTrue)
  ) {
    f.when(known ? not(f, cond) : cond, () => emitWrongType(f, node.condition));
    return lowerExpr(f, known ? node.whenTrue : node.whenFalse, hint);
  }
  if (f.ctx.checker.getTypeAtLocation(node).flags & f.api.TypeFlags.Any)
    return chooseUntyped(f, node, cond, hint);
  const joined = joinType(f, node);
  const may = (maybe && readsElement(f, node)) || isPossiblyUndefinedRead(f, node);
  return f.choose(
    hint,
    may ? optional(f, joined) : joined,
    cond,
    () => lowerExpr(f, node.whenTrue, "t", may),
    () => lowerExpr(f, node.whenFalse, "t", may),
  );
}

/** A conditional of type `any`: both sides must lower to the same type. */
function chooseUntyped(f: Frame, node: ts.ConditionalExpression, cond: Atom, hint: string): Atom {
  let first: Type | null = null;
  const side = (expression: ts.Expression): Atom => {
    const atom = lowerExpr(f, expression);
    if (first !== null && !sameType(first, atom.type))
      return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, "any");
    first = atom.type;
    return atom;
  };
  return f.choose(
    hint,
    { kind: "leaf", text: "never" },
    cond,
    () => side(node.whenTrue),
    () => side(node.whenFalse),
  );
}

function lowerTypeof(f: Frame, node: ts.TypeOfExpression, hint: string): Atom {
  const defined = definednessOf(f, node.expression);
  if (defined !== null)
    return f.choose(
      hint,
      STRING,
      defined,
      () => str("function"),
      () => str("undefined"),
    );
  const value = lowerExpr(f, node.expression);
  if (value.kind === "const" && !isTag(f, value.type)) return str(typeof value.value);
  if (isTag(f, inner(f, value.type)))
    return f.choose(
      hint,
      STRING,
      truthTest(f, value),
      () => str("function"),
      () =>
        f.choose(
          "t",
          STRING,
          equalityTest(f, "===", value, NULL),
          () => str("object"),
          () => str("undefined"),
        ),
    );
  return extern(f, hint, STRING, ["typeof ", ""], [value]);
}

/** Lowers an expression whose value is unused. */
export function lowerEffect(f: Frame, node: ts.Expression): void {
  const { api } = f;
  f.at(node, () => {
    if (
      api.isParenthesizedExpression(node) ||
      api.isVoidExpression(node) ||
      api.isNonNullExpression(node)
    )
      return lowerEffect(f, node.expression);
    if (api.isBinaryExpression(node)) return lowerBinaryEffect(f, node);
    if (
      api.isPrefixUnaryExpression(node) &&
      (node.operator === api.SyntaxKind.PlusPlusToken ||
        node.operator === api.SyntaxKind.MinusMinusToken)
    ) {
      return void lowerUpdate(f, node, false);
    }
    if (api.isPostfixUnaryExpression(node)) return void lowerUpdate(f, node, false);
    if (api.isConditionalExpression(node)) {
      return f.when(
        lowerCondition(f, node.condition),
        () => lowerEffect(f, node.whenTrue),
        () => lowerEffect(f, node.whenFalse),
      );
    }
    if (api.isCallExpression(node)) return lowerCallEffect(f, node);
    if (api.isYieldExpression(node) && f.yields !== null) return f.yields(node);
    lowerExpr(f, node);
  });
}

function lowerBinaryEffect(f: Frame, node: ts.BinaryExpression): void {
  const kinds = f.api.SyntaxKind;
  const token = node.operatorToken.kind;
  if (isAssignment(node, f.api)) return void lowerAssignment(f, node, "t", false);
  if (token === kinds.CommaToken) {
    lowerEffect(f, node.left);
    return lowerEffect(f, node.right);
  }
  if (token === kinds.AmpersandAmpersandToken)
    return f.when(lowerCondition(f, node.left), () => lowerEffect(f, node.right));
  if (token === kinds.BarBarToken)
    return f.when(
      lowerCondition(f, node.left),
      () => {},
      () => lowerEffect(f, node.right),
    );
  lowerOperator(f, node, "t");
}
