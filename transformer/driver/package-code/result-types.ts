// Types of the functions that a function returns, alone or as members of an object or a tuple. In:
// a function of a package, and the declared type of what it returns. Out: types for the parameters
// of functions inside. Invariant: only declarations count, so that an `any` there gives none.

import type ts from "typescript";
import type { FunctionCode } from "./functions.ts";
import { symbolAt } from "./modules.ts";
import { typeText, type Types } from "./type-text.ts";
import { returnsIn } from "../../syntax/walk.ts";

interface Returning {
  readonly node: FunctionCode;
  /** Resolves names in the module of the package. */
  readonly checker: ts.TypeChecker;
  /** Where types are written. */
  readonly at: ts.Node;
}

/** A value, and the type that is declared for it. */
type Declared = readonly [value: ts.Node, type: ts.Type];

export function resultParameters(
  types: Types,
  result: ts.Type,
  returning: Returning,
): ReadonlyMap<ts.ParameterDeclaration, string> {
  const { api } = types;
  const found = new Map<ts.ParameterDeclaration, string>();
  const seen = new Set<ts.Node>();
  const open = returnsIn(api, returning.node.body).map((value): Declared => [value, result]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, type] = next;
    if (seen.has(value)) continue;
    seen.add(value);
    open.push(...partsOf(types, next, returning));
    if (!isFunctionCode(api, value)) continue;
    for (const [i, text] of parametersOf(types, type, returning.at).entries()) {
      const parameter = value.parameters[i];
      if (parameter !== undefined && parameter.dotDotDotToken === undefined && text !== null)
        found.set(parameter, text);
    }
  }
  return found;
}

/** What a name holds, the members of an object, the elements of an array. */
function partsOf(
  { api, checker }: Types,
  [value, type]: Declared,
  { checker: inPackage, at }: Returning,
): readonly Declared[] {
  if (api.isParenthesizedExpression(value)) return [[value.expression, type]];
  if (api.isIdentifier(value)) {
    const declared = symbolAt(api, inPackage, value)?.valueDeclaration;
    const isVariable = declared !== undefined && api.isVariableDeclaration(declared);
    const held = isVariable ? declared.initializer : declared;
    return held === undefined ? [] : [[held, type]];
  }
  if (api.isObjectLiteralExpression(value))
    return value.properties.flatMap((property): readonly Declared[] => {
      const member = type.getProperty(property.name?.getText() ?? "");
      if (member === undefined) return [];
      return [[memberValue(api, property), checker.getTypeOfSymbolAtLocation(member, at)]];
    });
  if (!api.isArrayLiteralExpression(value) || !checker.isTupleType(type)) return [];
  const parts = checker.getTypeArguments(type as ts.TypeReference); // a tuple is one
  return value.elements.flatMap((element, i): readonly Declared[] => {
    const part = parts[i];
    return part === undefined ? [] : [[element, part]];
  });
}

/** The types of a function type's parameters as text. */
function parametersOf(types: Types, type: ts.Type, at: ts.Node): readonly (string | null)[] {
  const [signature, ...others] = type.getCallSignatures();
  if (signature === undefined || others.length > 0) return [];
  return signature.parameters.map((each) =>
    typeText(types, types.checker.getTypeOfSymbolAtLocation(each, at), at),
  );
}

const memberValue = (api: Types["api"], property: ts.ObjectLiteralElementLike): ts.Node =>
  api.isPropertyAssignment(property)
    ? property.initializer
    : api.isShorthandPropertyAssignment(property)
      ? property.name
      : property;

const isFunctionCode = (api: Types["api"], node: ts.Node): node is FunctionCode =>
  api.isFunctionDeclaration(node) ||
  api.isFunctionExpression(node) ||
  api.isArrowFunction(node) ||
  api.isMethodDeclaration(node);
