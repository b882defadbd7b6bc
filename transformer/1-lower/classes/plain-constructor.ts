// Constructors that do nothing but keep what they are given: `new Vec(x, y)` is then the object whose fields these are. In: a class. Out: which field each argument becomes, and
// fields that are always the same. Invariant: such a constructor runs no other code, and leaves no field out; of any other class there is no answer.

import type ts from "typescript";
import type { Constructed } from "../../ir/types.ts";
import type { Classes, ClassNode } from "./classes.ts";
import type { TypeScript } from "../context.ts";
import { unwrap } from "../unwrap.ts";

/** Null where the constructor does more, or what it keeps has another type than the field. */
export function plainConstructor(
  node: ClassNode,
  fields: readonly string[],
  classes: Classes,
  api: TypeScript,
): Constructed | null {
  const found = partsOf(node, classes, api);
  if (found === null) return null;
  const names = [...found.params, ...found.constants.keys()];
  const isWhole =
    new Set(names).size === names.length &&
    names.length === fields.length &&
    fields.every((name) => names.includes(name));
  if (!isWhole) return null;
  // the one that `new` runs, which may be that of a class above
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
  const constants = new Map<string, number>();
  if (
    base === "unknown" ||
    node.members.some((member) => api.isAutoAccessorPropertyDeclaration(member))
  )
    return null;
  const above = base === null ? { params: [], constants } : partsOf(base, classes, api);
  if (above === null) return null;
  for (const member of node.members) {
    if (!api.isPropertyDeclaration(member) || classes.isStatic(member)) continue;
    // a field that a class above has, too, would be made twice
    if (
      !api.isIdentifier(member.name) ||
      above.params.includes(member.name.text) ||
      above.constants.has(member.name.text)
    )
      return null;
    if (member.initializer === undefined) continue;
    const value = numberIn(member.initializer, api);
    if (value === null) return null;
    constants.set(member.name.text, value);
  }
  const own = classes.constructorOf(node);
  if (own === null)
    return { params: above.params, constants: new Map([...above.constants, ...constants]) };
  const named = own.parameters.map((parameter) => nameOf(parameter, api));
  const fieldOf = new Map<string, string>(
    own.parameters.flatMap((parameter, i): [string, string][] =>
      api.isParameterPropertyDeclaration(parameter, own) ? [[named[i] ?? "", named[i] ?? ""]] : [],
    ),
  );
  for (const statement of own.body?.statements ?? []) {
    if (base !== null && statement === own.body?.statements[0]) {
      if (!handsUp(statement, above, { fieldOf, constants }, api)) return null;
      continue;
    }
    const kept = keptIn(statement, classes, api);
    if (kept === null) return null;
    if (typeof kept.value === "number") {
      constants.set(kept.field, kept.value);
      continue;
    }
    if (fieldOf.has(kept.value)) return null;
    fieldOf.set(kept.value, kept.field);
    constants.delete(kept.field);
  }
  const params = named.map((name) => (name === null ? undefined : fieldOf.get(name)));
  return params.some((field) => field === undefined) ||
    (base !== null && own.body?.statements.length === 0)
    ? null
    : { params: params.map(String), constants };
}

/** `x: number`, which is given with each call */
const nameOf = (
  { name, dotDotDotToken, questionToken }: ts.ParameterDeclaration,
  api: TypeScript,
): string | null =>
  api.isIdentifier(name) && dotDotDotToken === undefined && questionToken === undefined
    ? name.text
    : null;

/** `0`, `-1` */
function numberIn(node: ts.Expression, api: TypeScript): number | null {
  const value = unwrap(node, api);
  if (api.isNumericLiteral(value)) return Number(value.text);
  return api.isPrefixUnaryExpression(value) &&
    value.operator === api.SyntaxKind.MinusToken &&
    api.isNumericLiteral(value.operand)
    ? -Number(value.operand.text)
    : null;
}

/** `this.x = x;`, of a parameter, and `this.n = 0;` */
function keptIn(
  statement: ts.Statement,
  classes: Classes,
  api: TypeScript,
): { readonly field: string; readonly value: string | number } | null {
  if (
    !api.isExpressionStatement(statement) ||
    !api.isBinaryExpression(statement.expression) ||
    statement.expression.operatorToken.kind !== api.SyntaxKind.EqualsToken
  )
    return null;
  const { left, right } = statement.expression;
  if (
    !api.isPropertyAccessExpression(left) ||
    left.expression.kind !== api.SyntaxKind.ThisKeyword ||
    !api.isIdentifier(left.name)
  )
    return null;
  const declared = classes.checker.getSymbolAtLocation(left)?.valueDeclaration;
  const value = numberIn(right, api);
  if (declared === undefined || !(api.isPropertyDeclaration(declared) || api.isParameter(declared)))
    return null;
  if (value !== null) return { field: left.name.text, value };
  const parameter = api.isIdentifier(right)
    ? classes.checker.getSymbolAtLocation(right)?.valueDeclaration
    : undefined;
  if (parameter === undefined || !api.isIdentifier(right) || !api.isParameter(parameter))
    return null;
  return { field: left.name.text, value: right.text };
}

interface Kept {
  /** By parameter. */
  readonly fieldOf: Map<string, string>;
  readonly constants: Map<string, number>;
}

/** `super(x, 0)`: what the class above keeps of it */
function handsUp(
  statement: ts.Statement,
  above: Constructed,
  { fieldOf, constants }: Kept,
  api: TypeScript,
): boolean {
  const call =
    api.isExpressionStatement(statement) &&
    api.isCallExpression(statement.expression) &&
    statement.expression.expression.kind === api.SyntaxKind.SuperKeyword
      ? statement.expression
      : null;
  if (call === null || call.arguments.length !== above.params.length) return false;
  for (const [name, value] of above.constants) constants.set(name, value);
  return call.arguments.every((argument, i) => {
    const value = numberIn(argument, api);
    const field = above.params[i] ?? "";
    if (value !== null) constants.set(field, value);
    else if (api.isIdentifier(argument) && !fieldOf.has(argument.text))
      fieldOf.set(argument.text, field);
    else return false;
    return true;
  });
}
