// Calls of members of classes of packages. In: a part of a program's file. Out: each call with the
// class that the types say, and the types of its arguments. Invariant: a call whose arguments have
// no types yet is left out; a later iteration finds it.

import type ts from "typescript";
import { ownMemberName } from "./member-bodies.ts";
import { argumentType } from "./argument-types.ts";
import type { Types } from "./type-text.ts";

type Api = typeof ts;

/** A call of a member of a class. */
export interface MemberCall {
  readonly at: ts.Declaration | undefined;
  /** Null for the constructor. */
  readonly name: string | null;
  readonly isStatic: boolean;
  readonly args: readonly string[];
}

/** `isReached`: whether a call counts. */
export function memberCalls(
  types: Types,
  root: ts.Node,
  isReached: (node: ts.Node) => boolean,
): readonly MemberCall[] {
  const { api } = types;
  const found: MemberCall[] = [];
  const visit = (node: ts.Node): void => {
    const isCall = api.isCallExpression(node) || api.isNewExpression(node);
    if (isCall && isReached(node)) found.push(...callAt(types, node));
    api.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

function callAt(types: Types, node: ts.CallExpression | ts.NewExpression): readonly MemberCall[] {
  const { api, checker } = types;
  const given = (node.arguments ?? []).map((each) => argumentType(types, each)?.text);
  const args = given.flatMap((text) => text ?? []);
  if (args.length < given.length) return [];
  if (api.isNewExpression(node) || node.expression.kind === api.SyntaxKind.SuperKeyword)
    return [{ at: constructed(types, node), name: null, isStatic: false, args }];
  if (!api.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  const type = checker.getTypeAtLocation(expression);
  return partsOf(type).map((part) => ({
    ...classOf(types, part),
    ...{ name: ownMemberName(name.text), args },
  }));
}

const partsOf = (type: ts.Type): readonly ts.Type[] =>
  type.isUnion() ? type.types.flatMap(partsOf) : [type];

/** The class of an instance, or the class that an expression gives. */
function classOf({ api, checker }: Types, type: ts.Type): Pick<MemberCall, "at" | "isStatic"> {
  const known = type.isTypeParameter() ? (checker.getBaseConstraintOfType(type) ?? type) : type;
  const declared = known.getSymbol()?.valueDeclaration;
  return {
    at: declared && baseOfPackage({ api, checker }, declared),
    isStatic: known.getConstructSignatures().length > 0 || isAbstractClass(api, checker, known),
  };
}

/** `typeof C` of an abstract class */
const isAbstractClass = (api: Api, checker: ts.TypeChecker, type: ts.Type): boolean =>
  checker.typeToString(type).startsWith("typeof ") && api.TypeFlags.Object === type.flags;

/** The class of a package from which one of the program derives. */
function baseOfPackage({ api, checker }: Types, declared: ts.Declaration): ts.Declaration {
  let at = declared;
  while (api.isClassDeclaration(at) && !at.getSourceFile().isDeclarationFile) {
    const type = checker.getTypeAtLocation(at);
    const [base] = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
    const next = base?.getSymbol()?.valueDeclaration;
    if (next === undefined) return declared;
    at = next;
  }
  return at;
}

/** The class whose constructor a call runs. */
function constructed(
  { checker }: Types,
  node: ts.CallExpression | ts.NewExpression,
): ts.Declaration | undefined {
  const declared = checker.getResolvedSignature(node)?.declaration?.parent;
  const made = checker.getTypeAtLocation(node.expression).getSymbol()?.valueDeclaration;
  return declared !== undefined && "members" in declared ? declared : made;
}
