// Lowers calls of callbacks of the host: `options.onStep?.(i, y)`, `logger.info(text)`.
// Output: the call as an extern. No number comes back from it, and it gets no aggregate but those
// allocated for the call. Whatever it changes elsewhere is a constant to lowered code.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { BOOL, VOID } from "../../ir/build.ts";
import type { Atom, Expr, Type } from "../../ir/types.ts";
import { lowerValues, lowerExpr } from "../lowering.ts";
import { inert, UNDEFINED, externWith } from "../coerce.ts";
import type { Frame } from "../frame.ts";

/** The type of the callback, or of the object that holds it. */
const FUNCTION = { kind: "leaf", text: "Function" } as const;

/** Whether an expression is the call of a host callback. */
export const isHostCallbackCall = (expr: Expr): boolean =>
  expr.kind === "extern" &&
  expr.effect === "io" &&
  expr.args[0]?.type.kind === "leaf" &&
  expr.args[0].type.text === FUNCTION.text;

/** Whether a callee is a host callback: a parameter, or a field of one, that returns no number. */
export function isHostCallback(f: Frame, callee: ts.Expression): boolean {
  const {
    api,
    ctx: { checker },
  } = f;
  const node = bare(callee, f.api);
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  const [signature, ...others] = type.getCallSignatures();
  if (
    signature === undefined ||
    others.length > 0 ||
    !returnsNoNumber(f, checker.getReturnTypeOfSignature(signature))
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

/** Whether a result is void or boolean. */
function returnsNoNumber({ api: { TypeFlags } }: Frame, type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).every(
    ({ flags }) => (flags & (TypeFlags.VoidLike | TypeFlags.BooleanLike)) !== 0,
  );
}

/** Whether it is a parameter, a name destructured from one, or a field of one or of `this`. */
function isOfArgument(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
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
    api.isVariableDeclaration(from) &&
    from.initializer !== undefined &&
    isBuiltOfArguments(f, from.initializer)
  );
}

/** Whether it is of an argument, or a literal of such parts: `{ ...DEFAULTS, ...options }`. */
function isBuiltOfArguments(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isObjectLiteralExpression(node))
    return node.properties.every(
      (each) =>
        api.isSpreadAssignment(each) ||
        (api.isPropertyAssignment(each) && !api.isFunctionLike(bare(each.initializer, f.api))) ||
        api.isShorthandPropertyAssignment(each),
    );
  return isOfArgument(f, node);
}

/** The call as an extern; null where it passes an aggregate that others may hold. */
export function callHostCallback(f: Frame, node: ts.CallExpression, hint: string): Atom | null {
  const {
    api,
    ctx: { checker },
  } = f;
  const callee = bare(node.expression, f.api);
  const [signature] = checker
    .getNonNullableType(checker.getTypeAtLocation(callee))
    .getCallSignatures();
  if (signature === undefined || !node.arguments.every((each) => isPassable(f, each))) return null;
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
  const [open, close] = isEither ? ["(", ") as boolean | undefined)"] : ["", ")"];
  const text = [
    open,
    ...(args.length === 0
      ? [`${name}${mark}(${close}`]
      : [`${name}${mark}(`, ...args.slice(1).map(() => ", "), close]),
  ];
  const type: Type = isVoid ? VOID : isEither ? { kind: "opt", of: BOOL } : BOOL;
  const given = externWith(f, isVoid ? "t" : hint, type, {
    text,
    args: [inert(f, "t", FUNCTION, ["", ""], [lowerExpr(f, of)]), ...args],
    effect: "io",
  });
  return isVoid ? UNDEFINED : given;
}

/** Whether it is a primitive, or a literal of primitives that is allocated for this call. */
function isPassable(f: Frame, argument: ts.Expression): boolean {
  const {
    api,
    ctx: { checker },
  } = f;
  const node = bare(argument, f.api);
  if (isPlain(f, checker.getTypeAtLocation(node))) return true;
  if (api.isObjectLiteralExpression(node))
    return node.properties.every((each) =>
      api.isPropertyAssignment(each)
        ? isPassable(f, each.initializer)
        : api.isShorthandPropertyAssignment(each) && isPassable(f, each.name),
    );
  const isPlainArray = (elem: ts.Type | undefined): boolean =>
    elem !== undefined && isPlain(f, elem);
  return (
    api.isArrayLiteralExpression(node) &&
    node.elements.every((each) =>
      api.isSpreadElement(each)
        ? isPlainArray(checker.getTypeAtLocation(each.expression).getNumberIndexType())
        : isPassable(f, each),
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
