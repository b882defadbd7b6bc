// Finds the code that a memo's key controls: `if (x !== last) { last = x; value = x * x; }`,
// `if (x === last) return value; …`, `return x === last ? value : fill(x)`. In: a read of the key.
// Out: the controlled code and the functions it calls by name. Invariant: unsure code is omitted.

import type ts from "typescript";
import { isIn } from "./kept-objects.ts";
import type { KeptHost } from "./kept-variables.ts";
import { bare } from "../plan/places.ts";

/** `isEqual`: the retained value is used where the key matches. */
export interface Guard {
  readonly at: ts.IfStatement | ts.ConditionalExpression;
  readonly isEqual: boolean;
  readonly parts: readonly ts.Node[];
}

/** The maximum depth of calls. */
const DEPTH = 2;

export function guardOf(asked: ts.Node, host: KeptHost): Guard | null {
  const { ts: api } = host;
  const at = api.findAncestor(asked, (node) =>
    api.isStatement(node) && !api.isIfStatement(node)
      ? "quit"
      : api.isIfStatement(node) || api.isConditionalExpression(node),
  );
  if (at === undefined || !(api.isIfStatement(at) || api.isConditionalExpression(at))) return null;
  const test = api.isIfStatement(at) ? at.expression : at.condition;
  if (!isIn(asked, test)) return null;
  const parts = [at, ...(api.isIfStatement(at) ? behind(at, api) : [])];
  return {
    at,
    isEqual: isCompared(asked, test, api),
    parts: [...parts, ...called(parts, DEPTH, host)],
  };
}

/** Whether one of `asked` controls a write of `keys` and one of `values`. */
export function isKeyOf(
  asked: readonly ts.Node[],
  keys: readonly ts.Node[],
  values: readonly ts.Node[],
  isEqual: boolean,
  host: KeptHost,
): boolean {
  return asked.some((node) => {
    const guard = guardOf(node, host);
    const isMeant = (target: ts.Node): boolean =>
      guard !== null && guard.parts.some((part) => isWithin(target, part));
    return (
      guard !== null && (guard.isEqual || !isEqual) && keys.some(isMeant) && values.some(isMeant)
    );
  });
}

export const isWithin = (node: ts.Node, around: ts.Node): boolean =>
  node.getSourceFile() === around.getSourceFile() && isIn(node, around);

/** The statements after `if (x === last) return value;`. */
function behind(
  { thenStatement, parent, end }: ts.IfStatement,
  api: typeof ts,
): readonly ts.Node[] {
  const returns =
    api.isReturnStatement(thenStatement) ||
    (api.isBlock(thenStatement) && thenStatement.statements.some(api.isReturnStatement));
  return returns && (api.isBlock(parent) || api.isSourceFile(parent))
    ? parent.statements.filter(({ pos }) => pos >= end)
    : [];
}

function isCompared(asked: ts.Node, test: ts.Node, api: typeof ts): boolean {
  for (let at = asked; at !== test.parent; at = at.parent) {
    const { parent } = at;
    if (api.isBinaryExpression(parent) && /^[!=]==?$/.test(parent.operatorToken.getText()))
      return true;
    if (api.isCallExpression(parent) && parent.expression.getText() === "Object.is") return true;
    if (api.isBinaryExpression(parent) && /^[<>]=?$/.test(parent.operatorToken.getText()))
      return false;
  }
  return false;
}

function called(parts: readonly ts.Node[], depth: number, host: KeptHost): readonly ts.Node[] {
  const { ts: api, checker } = host;
  const found = new Set<ts.Node>();
  const look = (node: ts.Node): void => {
    const name = !api.isCallExpression(node)
      ? undefined
      : api.isPropertyAccessExpression(node.expression)
        ? node.expression.name
        : bare(node.expression, api);
    const declaration =
      name === undefined ? undefined : checker.getSymbolAtLocation(name)?.valueDeclaration;
    const value =
      declaration !== undefined && api.isVariableDeclaration(declaration)
        ? declaration.initializer
        : declaration;
    if (
      value !== undefined &&
      api.isFunctionLike(value) &&
      "body" in value &&
      value.body !== undefined
    )
      found.add(value.body);
    api.forEachChild(node, look);
  };
  if (depth > 0) parts.forEach(look);
  return found.size === 0 ? [] : [...found, ...called([...found], depth - 1, host)];
}
