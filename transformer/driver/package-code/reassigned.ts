// Parameters that code gives a value of another type: `matrix = checkMatrix(matrix)`. In: a
// function of a package and the types of its parameters. Out: changes by which the new value has a
// variable of its own (static single assignment, where one assignment reaches all later uses).
// Invariant: only names change; where an earlier use may see the new value, nothing does.

import type ts from "typescript";
import { targetOf } from "../../syntax/assignments.ts";
import { wordSet } from "../../5-emit/names/module-names.ts";
import type { FunctionCode, MemberCode } from "./functions.ts";
import type { CallTypes } from "./copies.ts";
import { symbolAt } from "./modules.ts";
import type { Change } from "./rendered.ts";

type Api = typeof ts;

/** `x = f(x); … x`  ->  `let x$new = f(x); … x$new` */
export function reassigned(
  api: Api,
  checker: ts.TypeChecker,
  code: FunctionCode | MemberCode,
  { args }: CallTypes,
): readonly Change[] {
  const { body } = code;
  if (body === undefined || !api.isBlock(body)) return [];
  const words = wordSet(code.getText());
  if (words.has("arguments")) return [];
  return code.parameters.flatMap(({ name, initializer, dotDotDotToken }, i) => {
    const isSettled = initializer !== undefined || dotDotDotToken !== undefined;
    if (isSettled || !api.isIdentifier(name)) return [];
    let to = `${name.text}$new`;
    while (words.has(to)) to = `${to}$`;
    const isPrimitive = /^(?:number|string|boolean)$/.test(args[i] ?? "");
    return renamed(api, usesOf(api, checker, body, name), to, isPrimitive);
  });
}

/** In the order of the text. */
function usesOf(
  api: Api,
  checker: ts.TypeChecker,
  body: ts.Block,
  parameter: ts.Identifier,
): readonly ts.Identifier[] {
  const symbol = checker.getSymbolAtLocation(parameter);
  const found: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (api.isIdentifier(node) && node.text === parameter.text)
      if (symbolAt(api, checker, node) === symbol) found.push(node);
    api.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

/** `isPrimitive`: arithmetic does not change its type. */
function renamed(
  api: Api,
  uses: readonly ts.Identifier[],
  to: string,
  isPrimitive: boolean,
): readonly Change[] {
  const first = uses.find((use) => assignedAt(api, use) !== null);
  const statement = first === undefined ? null : plainAssignment(api, first);
  if (first === undefined || statement === null) return [];
  if (isPrimitive && !makesObject(api, statement)) return [];
  const block = statement.parent;
  const later = uses.filter((use) => use.pos >= statement.end);
  const before = uses.filter((use) => use.pos < statement.end && use !== first);
  const isIn = (use: ts.Node, around: ts.Node): boolean =>
    around.pos <= use.pos && use.end <= around.end;
  const isClear =
    later.every((use) => isIn(use, block) && !api.isShorthandPropertyAssignment(use.parent)) &&
    before.every((use) => functionAround(api, use) === functionAround(api, statement)) &&
    loopsAround(api, statement).every((loop) => !before.some((use) => isIn(use, loop)));
  if (!isClear) return [];
  return [
    { start: first.getStart(), end: first.end, text: `let ${to}` },
    ...later.map((use) => ({ start: use.getStart(), end: use.end, text: to })),
  ];
}

const makesObject = (api: Api, node: ts.Node): boolean =>
  api.isNewExpression(node) ||
  api.isObjectLiteralExpression(node) ||
  api.isArrayLiteralExpression(node) ||
  api.isCallExpression(node) ||
  api.forEachChild(node, (child) => makesObject(api, child) || undefined) === true;

/** The assignment whose target a name is a part of. */
function assignedAt(api: Api, name: ts.Identifier): ts.Node | null {
  let at: ts.Node = name;
  while (!api.isStatement(at.parent)) {
    if (targetOf(at.parent, api) === at) return at.parent;
    at = at.parent;
  }
  return targetOf(at.parent, api) === at ? at.parent : null;
}

/** `x = e;` in a block */
function plainAssignment(api: Api, name: ts.Identifier): ts.ExpressionStatement | null {
  const { parent } = name;
  const isPlain =
    api.isBinaryExpression(parent) &&
    parent.left === name &&
    parent.operatorToken.kind === api.SyntaxKind.EqualsToken;
  const statement = parent.parent;
  return isPlain && api.isExpressionStatement(statement) && api.isBlock(statement.parent)
    ? statement
    : null;
}

const functionAround = (api: Api, node: ts.Node): ts.Node | undefined =>
  api.findAncestor(node.parent, api.isFunctionLike);

/** The loops of its function in which a statement is. */
function loopsAround(api: Api, statement: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  for (let at = statement.parent; !api.isFunctionLike(at); at = at.parent)
    if (api.isIterationStatement(at, false)) found.push(at);
  return found;
}
