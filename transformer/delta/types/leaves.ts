// What types say about numbers. In: a node and a checker that may be absent. Out: whether its value certainly is no number.
// Invariant: only types of TypeScript sources are believed; without a type the answer is no.

import type ts from "typescript";
import type { RewriteContext } from "../scope.ts";

export function isLeaf(api: typeof ts, checker: ts.TypeChecker | null, node: ts.Node): boolean {
  if (checker === null || node.pos < 0 || /\.[cm]?jsx?$/.test(node.getSourceFile().fileName))
    return false;
  return holdsNoNumber(api, checker.getTypeAtLocation(node), checker);
}

/** The function that a package declares, if it is a call of one: nobody has checked that it gives what its type says. */
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

/** Whether the value goes on as something else than its type says, or into a call. */
export function isReused(api: typeof ts, node: ts.Expression): boolean {
  const { parent } = node;
  if (api.isParenthesizedExpression(parent) || api.isNonNullExpression(parent))
    return isReused(api, parent);
  return (
    api.isAsExpression(parent) ||
    api.isTypeAssertionExpression(parent) ||
    (api.isCallExpression(parent) && parent.expression !== node)
  );
}

/** An object is no number either: ids are kept for its fields. */
function holdsNoNumber(api: typeof ts, type: ts.Type, checker: ts.TypeChecker): boolean {
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

/** Whether its value is certainly a number. */
export function isNumber(api: typeof ts, checker: ts.TypeChecker | null, node: ts.Node): boolean {
  if (checker === null || node.pos < 0 || /\.[cm]?jsx?$/.test(node.getSourceFile().fileName))
    return false;
  return (
    isNumberType(api, checker.getTypeAtLocation(node)) && !isObjectUnderneath(api, checker, node)
  );
}

/** Whether its type is number because an assertion says so of what may be an object. */
export const isNumberByAssertion = (
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Expression,
): boolean =>
  checker !== null &&
  node.pos >= 0 &&
  !/\.[cm]?jsx?$/.test(node.getSourceFile().fileName) &&
  isNumberType(api, checker.getTypeAtLocation(node)) &&
  isObjectUnderneath(api, checker, node);

/** `o as unknown as number`, and a variable that takes its type from that: what its `valueOf` gives. */
function isObjectUnderneath(api: typeof ts, checker: ts.TypeChecker, node: ts.Node): boolean {
  let inner = node;
  let isCast = false;
  while (
    api.isParenthesizedExpression(inner) ||
    api.isNonNullExpression(inner) ||
    api.isAsExpression(inner) ||
    api.isTypeAssertionExpression(inner)
  ) {
    isCast ||= api.isAsExpression(inner) || api.isTypeAssertionExpression(inner);
    inner = inner.expression;
  }
  if (
    isCast &&
    membersOf(checker.getTypeAtLocation(inner)).some(
      ({ flags }) =>
        (flags &
          (api.TypeFlags.Object |
            api.TypeFlags.Any |
            api.TypeFlags.Unknown |
            api.TypeFlags.TypeParameter)) !==
        0,
    )
  )
    return true;
  const declared = api.isIdentifier(inner)
    ? checker.getSymbolAtLocation(inner)?.valueDeclaration
    : undefined;
  if (
    declared === undefined ||
    !api.isVariableDeclaration(declared) ||
    declared.initializer === undefined ||
    declared.initializer === node
  )
    return false;
  const isOnTheWay = declared.pos <= node.pos && node.end <= declared.end;
  return !isOnTheWay && isObjectUnderneath(api, checker, declared.initializer);
}

const isNumberType = (api: typeof ts, type: ts.Type): boolean =>
  membersOf(type).every((member) => (member.flags & api.TypeFlags.NumberLike) !== 0);

/** Whether its value is certainly no object. */
export const isPrimitive = (
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Node,
): boolean =>
  checker !== null &&
  node.pos >= 0 &&
  !/\.[cm]?jsx?$/.test(node.getSourceFile().fileName) &&
  !isObjectUnderneath(api, checker, node) &&
  membersOf(checker.getTypeAtLocation(node)).every((member) => isPrimitiveType(api, member));

const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

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

/** What an operator may have to convert, as far as the type of the node does not rule it out. */
export function convertible(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Node,
): Convertible {
  if (checker === null || node.pos < 0 || /\.[cm]?jsx?$/.test(node.getSourceFile().fileName))
    return { object: true, text: true };
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

/** Whether its elements are numbers that `list[index]` reads, whatever the index. */
export function isListOfNumbers(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Expression,
): boolean {
  if (checker === null || !isListLike(api, checker, node)) return false;
  const element = checker.getIndexTypeOfType(checker.getTypeAtLocation(node), api.IndexKind.Number);
  return element !== undefined && isNumberType(api, element);
}

/** Whether no element of a list is a number. */
export function holdNoNumbers(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Expression,
): boolean {
  if (checker === null || !isListLike(api, checker, node)) return false;
  const element = checker.getIndexTypeOfType(checker.getTypeAtLocation(node), api.IndexKind.Number);
  return element !== undefined && holdsNoNumber(api, element, checker);
}

/** Whether `.length` of it is an integer that no derivative passes through. */
export function isListLike(
  api: typeof ts,
  checker: ts.TypeChecker | null,
  node: ts.Expression,
): boolean {
  if (checker === null || node.pos < 0 || /\.[cm]?jsx?$/.test(node.getSourceFile().fileName))
    return false;
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

/** Whether it is a `Float64Array` by its type. */
export function isDoubles(checker: ts.TypeChecker | null, node: ts.Node): boolean {
  return (
    checker !== null &&
    node.pos >= 0 &&
    !/\.[cm]?jsx?$/.test(node.getSourceFile().fileName) &&
    isFloat64Array(checker.getTypeAtLocation(node))
  );
}

/** The library's own. */
export const isFloat64Array = (type: ts.Type): boolean =>
  type.getSymbol()?.name === "Float64Array" &&
  (type.symbol.declarations ?? []).every((node) => node.getSourceFile().isDeclarationFile);
