// Whether types exclude or guarantee numbers. In: a node and perhaps a checker. Out: whether its
// value is certainly no number. Invariant: only TypeScript sources' types are believed; else no.

import type ts from "typescript";
import { isJavaScript } from "../plan/items.ts";
import type { RewriteContext } from "../scope.ts";

/** Whether the type of a node is believed: made nodes and JavaScript have none. */
export const isTyped = (checker: ts.TypeChecker | null, node: ts.Node): checker is ts.TypeChecker =>
  checker !== null && node.pos >= 0 && !isJavaScript(node.getSourceFile());

export function isLeaf(api: typeof ts, checker: ts.TypeChecker | null, node: ts.Node): boolean {
  return isTyped(checker, node) && holdsNoNumber(api, checker.getTypeAtLocation(node), checker);
}

/** The callee of a call into a package, whose declared result type is unchecked; or null. */
export function declaredCallee(
  api: typeof ts,
  context: Pick<RewriteContext, "checker" | "isLibrary">,
  node: ts.Expression,
): ts.Expression | null {
  if (api.isParenthesizedExpression(node) || api.isNonNullExpression(node))
    return declaredCallee(api, context, node.expression);
  const { checker, isLibrary } = context;
  if (checker === null || isLibrary === undefined || !api.isCallExpression(node)) return null;
  const file = checker.getResolvedSignature(node)?.declaration?.getSourceFile();
  return file?.isDeclarationFile === true && !isLibrary(file) ? node.expression : null;
}

/** Whether the value flows on as another type, or into a call. */
export function isReused(api: typeof ts, node: ts.Expression): boolean {
  const { parent } = node;
  if (api.isParenthesizedExpression(parent) || api.isNonNullExpression(parent))
    return isReused(api, parent);
  return (
    api.isAssertionExpression(parent) ||
    (api.isCallExpression(parent) && parent.expression !== node)
  );
}

/** An object is no number: ids belong to its fields. */
export function holdsNoNumber(api: typeof ts, type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.isUnion()) return type.types.every((member) => holdsNoNumber(api, member, checker));
  if (type.isIntersection())
    return type.types.some(
      (member) => isPrimitiveType(api, member) && holdsNoNumber(api, member, checker),
    );
  const f = api.TypeFlags;
  return (
    (type.flags &
      (f.StringLike |
        f.BooleanLike |
        f.ESSymbolLike |
        f.BigIntLike |
        f.Null |
        f.Undefined |
        f.Void)) !==
      0 ||
    ((type.flags & f.Object) !== 0 && checker.getPropertiesOfType(type).length > 0)
  );
}

export function isNumber(api: typeof ts, checker: ts.TypeChecker | null, node: ts.Node): boolean {
  return (
    isTyped(checker, node) &&
    isNumberType(api, checker.getTypeAtLocation(node)) &&
    !isObjectUnderneath(api, checker, node)
  );
}

/**
 * Whether rewritten code always has a value of the declared type: a number, and no number of a
 * brand, no literal and no instance, whose rewritten class has another type.
 */
export function takesAny(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  target: ts.Identifier,
): boolean {
  if (checker === null) return false;
  const symbol = checker.getSymbolAtLocation(target);
  const type = symbol === undefined ? null : checker.getTypeOfSymbol(symbol);
  const { Any, Unknown, Number, String, Boolean, Null, Undefined } = api.TypeFlags;
  const plain = Any | Unknown | Number | String | Boolean | Null | Undefined;
  const isPlain = ({ flags }: ts.Type): boolean =>
    (flags & (plain | api.TypeFlags.BooleanLiteral)) !== 0;
  return type !== null && (type.isUnion() ? type.types.every(isPlain) : isPlain(type));
}

/** Whether only an assertion makes its type number, of a value that may be an object. */
export const isNumberByAssertion = (
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Expression,
): boolean =>
  isTyped(checker, node) &&
  isNumberType(api, checker.getTypeAtLocation(node)) &&
  isObjectUnderneath(api, checker, node);

/** `o as unknown as number`, or a variable of such a type: its number is that of `valueOf`. */
function isObjectUnderneath(api: typeof ts, checker: ts.TypeChecker, node: ts.Node): boolean {
  let inner = node;
  let isCast = false;
  while (
    api.isParenthesizedExpression(inner) ||
    api.isNonNullExpression(inner) ||
    api.isAssertionExpression(inner)
  ) {
    isCast ||= api.isAssertionExpression(inner);
    inner = inner.expression;
  }
  if (isCast && mayBeObject(api, checker.getTypeAtLocation(inner))) return true;
  const declared = api.isIdentifier(inner)
    ? checker.getSymbolAtLocation(inner)?.valueDeclaration
    : undefined;
  if (declared === undefined || !api.isVariableDeclaration(declared)) return false;
  const { initializer } = declared;
  const isOnTheWay = declared.pos <= node.pos && node.end <= declared.end;
  return initializer !== undefined && !isOnTheWay && isObjectUnderneath(api, checker, initializer);
}

const mayBeObject = (api: typeof ts, type: ts.Type): boolean =>
  membersOf(type).some(
    (member) => isAny(api, member) || (member.flags & api.TypeFlags.Object) !== 0,
  );

/** Whether a type excludes nothing: `any`, `unknown`, a type parameter. */
export const isAny = (api: typeof ts, { flags }: ts.Type): boolean =>
  (flags & (api.TypeFlags.Any | api.TypeFlags.Unknown | api.TypeFlags.TypeParameter)) !== 0;

const isNumberType = (api: typeof ts, type: ts.Type): boolean =>
  membersOf(type).every((member) => (member.flags & api.TypeFlags.NumberLike) !== 0);

/** Whether its value is certainly no object. */
export const isPrimitive = (
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Node,
): boolean =>
  isTyped(checker, node) &&
  !isObjectUnderneath(api, checker, node) &&
  membersOf(checker.getTypeAtLocation(node)).every((member) => isPrimitiveType(api, member));

export const membersOf = (type: ts.Type): readonly ts.Type[] =>
  type.isUnion() ? type.types : [type];

const isPrimitiveType = (api: typeof ts, type: ts.Type): boolean =>
  (type.flags &
    (api.TypeFlags.StringLike |
      api.TypeFlags.BooleanLike |
      api.TypeFlags.NumberLike |
      api.TypeFlags.ESSymbolLike |
      api.TypeFlags.BigIntLike)) !==
  0;

export interface Convertible {
  readonly object: boolean;
  readonly text: boolean;
}

/** What an operator may have to convert, unless the type excludes it. */
export function convertible(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Node,
): Convertible {
  if (!isTyped(checker, node)) return { object: true, text: true };
  const type = checker.getTypeAtLocation(node);
  const f = api.TypeFlags;
  const members = membersOf(type);
  return {
    object:
      isObjectUnderneath(api, checker, node) ||
      !members.every(
        (member) =>
          isPrimitiveType(api, member) || (member.flags & (f.Null | f.Undefined | f.Void)) !== 0,
      ),
    text: members.some(
      (member) =>
        (member.flags &
          (f.NumberLike |
            f.BooleanLike |
            f.BigIntLike |
            f.ESSymbolLike |
            f.Null |
            f.Undefined |
            f.Void)) ===
        0,
    ),
  };
}

/** Whether `list[index]` reads a number for any index. */
export function isListOfNumbers(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Expression,
): boolean {
  if (checker === null || !isListLike(api, checker, node)) return false;
  const element = checker.getIndexTypeOfType(checker.getTypeAtLocation(node), api.IndexKind.Number);
  return element !== undefined && isNumberType(api, element);
}

/** Whether `.length` of it is an integer that no derivative passes through. */
export function isListLike(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Expression,
): boolean {
  if (!isTyped(checker, node)) return false;
  const type = checker.getTypeAtLocation(node);
  if ((type.flags & api.TypeFlags.StringLike) !== 0) return true;
  const isOfLibrary =
    type.getSymbol()?.declarations?.some((each) => each.getSourceFile().isDeclarationFile) === true;
  return (
    checker.isArrayType(type) ||
    checker.isTupleType(type) ||
    (isOfLibrary && /^(Float|Int|Uint)\d+(Clamped)?Array$/.test(type.symbol.name))
  );
}

/** Whether it is the library's own. */
export const isFloat64Array = (type: ts.Type): boolean =>
  type.getSymbol()?.name === "Float64Array" &&
  (type.symbol.declarations ?? []).every((node) => node.getSourceFile().isDeclarationFile);
