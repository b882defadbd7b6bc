// Recognises constructors that only store their parameters: `new Vec(x, y)` is a plain record.
// Input: a class. Output: the field that each parameter becomes, and fields with constant values.
// Such a constructor has no other effect and sets every field; all other classes give null.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Constructed } from "../../ir/types.ts";
import type { Classes } from "./classes.ts";
import type { ClassNode } from "./class-declarations.ts";
import type { TypeScript } from "../typescript.ts";

/** Null where the constructor does more, or a parameter differs from its field in type. */
export function plainConstructor(
  node: ClassNode,
  fields: readonly string[],
  classes: Classes,
  api: TypeScript,
): Constructed | null {
  const found = classes.hasBodies(node) ? null : partsOf(node, classes, api);
  if (found === null) return null;
  const names = [...found.params, ...found.constants.keys()];
  const isWhole =
    new Set(names).size === names.length &&
    names.length === fields.length &&
    fields.every((name) => names.includes(name));
  if (!isWhole) return null;
  // the constructor that `new` runs, possibly inherited
  const own =
    (classes.lineage(node) ?? [])
      .map((each) => classes.constructorOf(each))
      .find((each) => each !== null) ?? null;
  if (own === null) return found;
  const isTaken = (parameter: ts.ParameterDeclaration, i: number): boolean => {
    const symbol = classes.checker.getPropertyOfType(
      classes.instanceType(node),
      found.params[i] ?? "",
    );
    return (
      symbol !== undefined &&
      classes.checker.getTypeOfSymbol(symbol) === classes.checker.getTypeAtLocation(parameter)
    );
  };
  return !classes.isHidden(own) && own.parameters.every(isTaken) ? found : null;
}

function partsOf(node: ClassNode, classes: Classes, api: TypeScript): Constructed | null {
  const base = classes.baseOf(node);
  if (
    base === "unknown" ||
    node.members.some((member) => api.isAutoAccessorPropertyDeclaration(member))
  )
    return null;
  const inherited =
    base === null
      ? { params: [], constants: new Map<string, number>() }
      : partsOf(base, classes, api);
  if (inherited === null) return null;
  const constants = initialisers(node, inherited, classes, api);
  if (constants === null) return null;
  const own = classes.constructorOf(node);
  if (own === null)
    return { params: inherited.params, constants: new Map([...inherited.constants, ...constants]) };
  const named = own.parameters.map((parameter) => nameOf(parameter, api));
  const fieldOf = new Map<string, string>(
    own.parameters.flatMap((parameter, i): [string, string][] =>
      api.isParameterPropertyDeclaration(parameter, own) ? [[named[i] ?? "", named[i] ?? ""]] : [],
    ),
  );
  const stores: Stores = { fieldOf, constants };
  const statements = own.body?.statements ?? [];
  const [first] = statements;
  const rest = base === null ? statements : statements.slice(1);
  if (base !== null && (first === undefined || !passesToSuper(first, inherited, stores, api)))
    return null;
  if (!rest.every((statement) => storesField(statement, stores, classes, api))) return null;
  const params = named.flatMap((name) => (name === null ? [] : (fieldOf.get(name) ?? [])));
  return params.length < named.length ? null : { params, constants };
}

/** Constants that field initializers store; null for other values and redeclared fields. */
function initialisers(
  node: ClassNode,
  inherited: Constructed,
  classes: Classes,
  api: TypeScript,
): Map<string, number> | null {
  const constants = new Map<string, number>();
  for (const member of node.members) {
    if (!api.isPropertyDeclaration(member) || classes.isStatic(member)) continue;
    if (
      !api.isIdentifier(member.name) ||
      inherited.params.includes(member.name.text) ||
      inherited.constants.has(member.name.text)
    )
      return null;
    if (member.initializer === undefined) continue;
    const value = numberIn(member.initializer, api);
    if (value === null) return null;
    constants.set(member.name.text, value);
  }
  return constants;
}

/** `x: number`, a plain required parameter. */
const nameOf = (
  { name, dotDotDotToken, questionToken }: ts.ParameterDeclaration,
  api: TypeScript,
): string | null =>
  api.isIdentifier(name) && dotDotDotToken === undefined && questionToken === undefined
    ? name.text
    : null;

/** `0`, `-1` */
function numberIn(node: ts.Expression, api: TypeScript): number | null {
  const value = bare(node, api);
  if (api.isNumericLiteral(value)) return Number(value.text);
  return api.isPrefixUnaryExpression(value) &&
    value.operator === api.SyntaxKind.MinusToken &&
    api.isNumericLiteral(value.operand)
    ? -Number(value.operand.text)
    : null;
}

/** Records `this.x = x;` of a parameter, or `this.n = 0;`; false for other statements. */
function storesField(
  statement: ts.Statement,
  { fieldOf, constants }: Stores,
  classes: Classes,
  api: TypeScript,
): boolean {
  const assignment = assignmentIn(statement, api);
  if (assignment === null) return false;
  const { left, right } = assignment;
  if (left.expression.kind !== api.SyntaxKind.ThisKeyword || !api.isIdentifier(left.name))
    return false;
  const declared = classes.checker.getSymbolAtLocation(left)?.valueDeclaration;
  if (declared === undefined || !(api.isPropertyDeclaration(declared) || api.isParameter(declared)))
    return false;
  const field = left.name.text;
  const value = numberIn(right, api);
  if (value !== null) {
    constants.set(field, value);
    return true;
  }
  if (!api.isIdentifier(right) || fieldOf.has(right.text)) return false;
  const parameter = classes.checker.getSymbolAtLocation(right)?.valueDeclaration;
  if (parameter === undefined || !api.isParameter(parameter)) return false;
  fieldOf.set(right.text, field);
  constants.delete(field);
  return true;
}

/** `o.x = e;` */
const assignmentIn = (
  statement: ts.Statement,
  api: TypeScript,
): { readonly left: ts.PropertyAccessExpression; readonly right: ts.Expression } | null =>
  api.isExpressionStatement(statement) &&
  api.isBinaryExpression(statement.expression) &&
  statement.expression.operatorToken.kind === api.SyntaxKind.EqualsToken &&
  api.isPropertyAccessExpression(statement.expression.left)
    ? { left: statement.expression.left, right: statement.expression.right }
    : null;

interface Stores {
  /** Fields by parameter name. */
  readonly fieldOf: Map<string, string>;
  readonly constants: Map<string, number>;
}

/** `super(x, 0)`: records what the base class stores. */
function passesToSuper(
  statement: ts.Statement,
  base: Constructed,
  { fieldOf, constants }: Stores,
  api: TypeScript,
): boolean {
  const call =
    api.isExpressionStatement(statement) &&
    api.isCallExpression(statement.expression) &&
    statement.expression.expression.kind === api.SyntaxKind.SuperKeyword
      ? statement.expression
      : null;
  if (call === null || call.arguments.length !== base.params.length) return false;
  for (const [name, value] of base.constants) constants.set(name, value);
  return call.arguments.every((argument, i) => {
    const value = numberIn(argument, api);
    const field = base.params[i] ?? "";
    if (value !== null) constants.set(field, value);
    else if (api.isIdentifier(argument) && !fieldOf.has(argument.text))
      fieldOf.set(argument.text, field);
    else return false;
    return true;
  });
}
