// Finds where a type is believed that may be a lie: `any`, assertions, type parameters, overloads.
// In: an expression. Out: parts that only the asserted or expected type calls numbers, or calls
// objects, as the runtime reads them (`NumberPlaces`). Invariant: a part counts only where just a
// number or just objects, or nothing, is declared.

import type ts from "typescript";
import { isConverted, isWritten } from "./conversions.ts";
import { holdsNoNumber, isAny, isTyped, membersOf } from "./leaves.ts";
import type { Work } from "../work.ts";
import { someNode } from "../../syntax/walk.ts";

/** 0 a number, 1 an object. */
type Places = 0 | 1 | readonly [Places] | { readonly [name: string]: Places };

/** Source text of the places; null where none needs a test. */
export function numberPlaces(work: Work, node: ts.Expression): string | null {
  const {
    api,
    context: { checker },
  } = work;
  if (!isTyped(checker, node) || isAskedWithin(api, node)) return null;
  const own = checker.getTypeAtLocation(node);
  if (isOpen(work, own, DEEPEST)) {
    const wanted = checker.getContextualType(node);
    return wanted === undefined || isConverted(work, node) || isWritten(work, node)
      ? null
      : shallow(work, own, wanted);
  }
  const from = typeBefore(work, checker, node);
  const places = from === null ? null : shallow(work, from, own);
  // Operators call `valueOf` of what an assertion calls a number (casts.ts).
  return places === ITSELF && !api.isCallExpression(node) ? null : places;
}

const ITSELF = "0";
/** The value is declared to be an object. */
export const OBJECT = "1";

/** The same for a function that returns `any` where another result type is declared. */
export function placesGiven(work: Work, node: ts.Expression): string | null {
  const {
    api,
    context: { checker },
  } = work;
  if (
    !isTyped(checker, node) ||
    (isAskedWithin(api, node) && !(api.isFunctionLike(node) && node.type !== undefined))
  )
    return null;
  const [own, ...more] = checker.getTypeAtLocation(node).getCallSignatures();
  const from = own?.getReturnType();
  if (
    from === undefined ||
    more.length > 0 ||
    !isOpen(work, from, DEEPEST) ||
    isConverted(work, node)
  )
    return null;
  const [wanted, ...others] =
    checker.getContextualType(node)?.getNonNullableType().getCallSignatures() ?? [];
  return wanted === undefined || others.length > 0
    ? null
    : shallow(work, from, wanted.getReturnType());
}

/**
 * The type before an assertion, or before a predicate of the user narrowed it; of a call, what a
 * generic function that asserts, or the implementation of overloads, declares.
 */
function typeBefore(work: Work, checker: ts.TypeChecker, node: ts.Expression): ts.Type | null {
  const { api } = work;
  const asserted = assertedIn(api, checker, node);
  if (asserted !== null) return checker.getTypeAtLocation(asserted);
  if (api.isIdentifier(node)) return typeBeforePredicates(api, checker, node);
  const declaration = api.isCallExpression(node)
    ? checker.getResolvedSignature(node)?.declaration
    : undefined;
  if (declaration === undefined || api.isJSDocSignature(declaration)) return null;
  const hasBody = "body" in declaration && declaration.body !== undefined;
  const own = hasBody ? declaration : implementationOf(api, checker, declaration);
  const isOverloaded = own !== declaration;
  if (
    own === null ||
    !(isOverloaded || (own.typeParameters !== undefined && hasAssertion(api, own)))
  )
    return null;
  return checker.getSignatureFromDeclaration(own)?.getReturnType() ?? null;
}

/** The overload with a body. */
function implementationOf(
  api: typeof ts,
  checker: ts.TypeChecker,
  { name }: ts.SignatureDeclaration,
): ts.SignatureDeclaration | null {
  const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
  return (
    symbol?.declarations?.find(
      (each): each is ts.FunctionDeclaration | ts.MethodDeclaration =>
        (api.isFunctionDeclaration(each) || api.isMethodDeclaration(each)) &&
        each.body !== undefined,
    ) ?? null
  );
}

/** The declared type of a variable that a predicate such as `v is number[]` of the user narrows. */
function typeBeforePredicates(
  api: typeof ts,
  checker: ts.TypeChecker,
  node: ts.Identifier,
): ts.Type | null {
  const symbol = checker.getSymbolAtLocation(node);
  const declared = symbol === undefined ? undefined : checker.getTypeOfSymbol(symbol);
  if (declared === undefined || declared === checker.getTypeAtLocation(node)) return null;
  const scope = api.findAncestor(node, api.isFunctionLike) ?? node.getSourceFile();
  const isAsked = (at: ts.Node): boolean =>
    (api.isCallExpression(at) &&
      at.arguments.some(
        (each) => api.isIdentifier(each) && checker.getSymbolAtLocation(each) === symbol,
      ) &&
      isPredicate(at)) ||
    api.forEachChild(at, (child) => isAsked(child) || undefined) === true;
  const isPredicate = (call: ts.CallExpression): boolean => {
    const signature = checker.getResolvedSignature(call);
    return (
      signature?.declaration?.getSourceFile().isDeclarationFile === false &&
      checker.getTypePredicateOfSignature(signature) !== undefined
    );
  };
  return isAsked(scope) ? declared : null;
}

const hasAssertion = (api: typeof ts, node: ts.Node): boolean =>
  someNode(
    api,
    node,
    (at) => api.isAssertionExpression(at) || at.kind === api.SyntaxKind.AnyKeyword,
  );

/** Depth of objects that are examined, and longest description. */
const DEEPEST = 4;
const LONGEST = 200;

function shallow(work: Work, from: ts.Type, to: ts.Type): string | null {
  for (let depth = DEEPEST; depth >= 0; depth--) {
    const places = between(work, from, to, depth);
    if (places === null) return null;
    const text = JSON.stringify(places);
    if (text.length <= LONGEST) return text;
  }
  return null;
}

/** The expression below all assertions and parentheses. */
function assertedIn(
  api: typeof ts,
  checker: ts.TypeChecker,
  node: ts.Expression,
): ts.Expression | null {
  if (!api.isAssertionExpression(node)) return null;
  const { expression } = node;
  const inner = assertedIn(api, checker, expression);
  return inner !== null &&
    (checker.getTypeAtLocation(inner).flags & (api.TypeFlags.Any | api.TypeFlags.Unknown)) !== 0
    ? inner
    : expression;
}

/** Whether its parts, or the assertion around it, are tested instead. */
function isAskedWithin(api: typeof ts, node: ts.Expression): boolean {
  const k = api.SyntaxKind;
  const parent: ts.Node | undefined = node.parent;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- made nodes have none
  if (parent !== undefined && api.isAssertionExpression(parent)) return true;
  if (api.isBinaryExpression(node))
    return [
      k.CommaToken,
      k.AmpersandAmpersandToken,
      k.BarBarToken,
      k.QuestionQuestionToken,
    ].includes(node.operatorToken.kind);
  return (
    api.isParenthesizedExpression(node) ||
    api.isNonNullExpression(node) ||
    api.isSatisfiesExpression(node) ||
    api.isConditionalExpression(node) ||
    api.isFunctionLike(node) ||
    api.isObjectLiteralExpression(node) ||
    api.isArrayLiteralExpression(node) ||
    api.isLiteralExpression(node)
  );
}

function isOpen(work: Work, type: ts.Type, depth: number): boolean {
  const {
    api,
    context: { checker },
  } = work;
  if (isAny(api, type)) return true;
  if (depth === 0 || checker === null || (type.flags & api.TypeFlags.Object) === 0) return false;
  return contentsOf(work, type).some(([, inside]) => isOpen(work, inside(), depth - 1));
}

/** Its elements (name null), or its fields. */
function contentsOf(
  work: Work,
  type: ts.Type,
): readonly (readonly [string | null, () => ts.Type])[] {
  const {
    api,
    context: { checker },
  } = work;
  if (checker === null) return [];
  if (checker.isArrayType(type))
    // isArrayType is no type guard
    return (checker.getIndexTypeOfType(type, api.IndexKind.Number) ?? null) === null
      ? []
      : [[null, () => checker.getTypeArguments(type as ts.TypeReference)[0] ?? type]];
  const declarations = type.getSymbol()?.declarations ?? [];
  if (
    !checker.isTupleType(type) &&
    declarations.some((each) => each.getSourceFile().isDeclarationFile)
  )
    return [];
  return type
    .getProperties()
    .flatMap((property): [string, () => ts.Type][] =>
      (
        checker.isTupleType(type)
          ? /^\d+$/.test(property.name)
          : (property.flags & api.SymbolFlags.Property) !== 0
      )
        ? [[property.name, () => checker.getTypeOfSymbol(property)]]
        : [],
    );
}

function between(work: Work, from: ts.Type, to: ts.Type, depth: number): Places | null {
  const {
    api,
    context: { checker },
  } = work;
  const f = api.TypeFlags;
  if (checker === null || from === to) return null;
  const there = membersOf(to).filter(
    ({ flags }) => (flags & (f.Null | f.Undefined | f.Void)) === 0,
  );
  const [first, ...others] = there.filter(
    (member) => !/^Promise(Like)?$/.test(member.getSymbol()?.name ?? ""),
  );
  if (first === undefined) return null;
  if (isAny(api, from) && [first, ...others].every(({ flags }) => (flags & f.NumberLike) !== 0))
    return 0;
  const mayBeNumber =
    isAny(api, from) || membersOf(from).some(({ flags }) => (flags & f.NumberLike) !== 0);
  const itself =
    mayBeNumber && there.every((member) => holdsNoNumber(api, member, checker)) ? 1 : null;
  if (others.length > 0 || depth === 0 || (first.flags & f.Object) === 0) return itself;
  const own = isAny(api, from) ? null : new Map(contentsOf(work, from));
  const found = contentsOf(work, first).flatMap(([name, inside]): [string | null, Places][] => {
    const given = own === null ? from : own.get(name)?.();
    const places = given === undefined ? null : between(work, given, inside(), depth - 1);
    // Fields of `any` are too many to ask that none of them is a number.
    return places === null || (places === 1 && given !== undefined && isAny(api, given))
      ? []
      : [[name, places]];
  });
  const [list] = found;
  if (list === undefined) return itself;
  return list[0] === null
    ? [list[1]]
    : Object.fromEntries(found.map(([name, places]) => [String(name), places]));
}
