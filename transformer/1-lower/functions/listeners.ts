// Functions from outside that are told of something: `options.onStep?.(i, y)`, `logger.info(text)`. In: a call of what an argument holds. Out: the call as it stands.
// Invariant: nothing that a derivative passes through comes back from it, and it is handed no memory but what is made for it; what it sets elsewhere is a constant to
// whoever reads it, as what other code sets always is.

import type ts from "typescript";
import { BOOL, VOID } from "../../ir/build.ts";
import type { Atom, Expr, Type } from "../../ir/types.ts";
import { lowerValues } from "../calls.ts";
import { extern, inert, UNDEFINED } from "../coerce.ts";
import { lowerExpr } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { opened } from "../resolve.ts";

/** What is called, or holds it: nobody asks what else it holds. */
const FUNCTION = { kind: "leaf", text: "Function" } as const;

/** Whether it is the call of such a function. */
export const isToldIn = (expr: Expr): boolean =>
  expr.kind === "extern" &&
  expr.effect === "io" &&
  expr.args[0]?.type.kind === "leaf" &&
  expr.args[0].type.text === FUNCTION.text;

/** Whether it is such a function: an argument of the function, or what is held there under names. */
export function isListener(f: Frame, callee: ts.Expression): boolean {
  const {
    api,
    ctx: { checker },
  } = f;
  const node = opened(f, callee);
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  const [signature, ...others] = type.getCallSignatures();
  if (
    signature === undefined ||
    others.length > 0 ||
    !givesNoNumber(f, checker.getReturnTypeOfSignature(signature))
  )
    return false;
  const declarations = api.isPropertyAccessExpression(node)
    ? (f.symbolOf(node.name)?.declarations ?? [])
    : [];
  return (
    declarations.every(
      (each) => !api.isClassLike(each.parent) && !each.getSourceFile().isDeclarationFile,
    ) && isOfArgument(f, node)
  );
}

/** `void`, or whether to go on. */
function givesNoNumber({ api: { TypeFlags } }: Frame, type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).every(
    ({ flags }) => (flags & (TypeFlags.VoidLike | TypeFlags.BooleanLike)) !== 0,
  );
}

/** A parameter, a name of a pattern that takes one apart, or a field of one or of `this`. */
function isOfArgument(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isPropertyAccessExpression(node))
    return node.expression.kind === api.SyntaxKind.ThisKeyword || isOfArgument(f, node.expression);
  const symbol = api.isIdentifier(node) ? f.symbolOf(node) : null;
  const declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined || f.env.lookup(symbol)?.kind !== "value")
    return false;
  if (api.isParameter(declaration)) return true;
  const from = api.isBindingElement(declaration)
    ? api.walkUpBindingElementsAndPatterns(declaration)
    : declaration;
  if (api.isParameter(from)) return true;
  return (
    api.isVariableDeclaration(from) && from.initializer !== undefined && isHeld(f, from.initializer)
  );
}

/** What holds the parts of arguments: `{ ...DEFAULTS, ...options }`, too. */
function isHeld(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isObjectLiteralExpression(node))
    return node.properties.every(
      (each) =>
        api.isSpreadAssignment(each) ||
        (api.isPropertyAssignment(each) && !api.isFunctionLike(opened(f, each.initializer))) ||
        api.isShorthandPropertyAssignment(each),
    );
  return isOfArgument(f, node);
}

/** The call as it stands; null where it hands over memory of others. */
export function callListener(f: Frame, node: ts.CallExpression, wanted: string): Atom | null {
  const {
    api,
    ctx: { checker },
  } = f;
  const callee = opened(f, node.expression);
  const [signature] = checker
    .getNonNullableType(checker.getTypeAtLocation(callee))
    .getCallSignatures();
  if (signature === undefined || !node.arguments.every((each) => isHandedOver(f, each)))
    return null;
  const args = lowerValues(f, node);
  const mark =
    checker.getTypeAtLocation(callee) ===
    checker.getNonNullableType(checker.getTypeAtLocation(callee))
      ? ""
      : "!";
  const [of, name] = api.isPropertyAccessExpression(callee)
    ? [callee.expression, `.${callee.name.text}`]
    : [callee, ""];
  const result = checker.getReturnTypeOfSignature(signature);
  const parts = result.isUnion() ? result.types : [result];
  const mayBe = (flags: ts.TypeFlags): boolean => parts.some((part) => (part.flags & flags) !== 0);
  const isVoid = !mayBe(api.TypeFlags.BooleanLike);
  const isEither = !isVoid && mayBe(api.TypeFlags.VoidLike);
  const [before, behind] = isEither ? ["(", ") as boolean | undefined)"] : ["", ")"];
  const text = [
    before,
    ...(args.length === 0
      ? [`${name}${mark}(${behind}`]
      : [`${name}${mark}(`, ...args.slice(1).map(() => ", "), behind]),
  ];
  const type: Type = isVoid ? VOID : isEither ? { kind: "opt", of: BOOL } : BOOL;
  const given = extern(
    f,
    isVoid ? "t" : wanted,
    type,
    text,
    [inert(f, "t", FUNCTION, ["", ""], [lowerExpr(f, of)]), ...args],
    "io",
  );
  return isVoid ? UNDEFINED : given;
}

/** A number, a text and the like, or a literal of them that is made for this call. */
function isHandedOver(f: Frame, argument: ts.Expression): boolean {
  const {
    api,
    ctx: { checker },
  } = f;
  const node = opened(f, argument);
  if (isPlain(f, checker.getTypeAtLocation(node))) return true;
  if (api.isObjectLiteralExpression(node))
    return node.properties.every((each) =>
      api.isPropertyAssignment(each)
        ? isHandedOver(f, each.initializer)
        : api.isShorthandPropertyAssignment(each) && isHandedOver(f, each.name),
    );
  const isListed = (list: ts.Type | undefined): boolean => list !== undefined && isPlain(f, list);
  return (
    api.isArrayLiteralExpression(node) &&
    node.elements.every((each) =>
      api.isSpreadElement(each)
        ? isListed(checker.getTypeAtLocation(each.expression).getNumberIndexType())
        : isHandedOver(f, each),
    )
  );
}

function isPlain({ api: { TypeFlags } }: Frame, type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).every(
    ({ flags }) =>
      (flags &
        (TypeFlags.NumberLike |
          TypeFlags.StringLike |
          TypeFlags.BooleanLike |
          TypeFlags.Undefined |
          TypeFlags.Null)) !==
      0,
  );
}
